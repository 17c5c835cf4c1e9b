"""Explanations of metric names: all options, and which of them differ from the defaults."""

from __future__ import annotations

import re
from collections.abc import Mapping
from inspect import Parameter
from textwrap import fill
from typing import Any, NamedTuple

import numpy as np

from .._checks import explain_parameters
from .._checks.errors import WIDTH, as_printed, count_of
from .._checks.missed import Missed, MissedLabels, read_missed, reject_missed
from .._checks.types import Arguments, Options
from ._compute import check_depth
from ._libraries.library_names import LIBRARIES, find_row, is_prefixed, is_same, spell_options, spell_value
from ._names import USUAL, build_requests, find_metric_with_inputs, read_meaning
from ._table import Request

# Descriptions of the values of options. A value without a description is shown alone.
WORDS: Mapping[str, Mapping[Any, str]] = {
    "k": {None: "all documents"},
    "gain": {"linear": "the label", "exponential": "2**label - 1"},
    "discount": {"log2": "1 / log2(rank + 1)", "reciprocal": "1 / rank", None: "none"},
    "ideal": {
        "judged": "divided by the DCG of the judged documents, sorted by label",
        "full": "divided by the DCG of k documents with the highest label of the query",
    },
    "max_fpr": {None: "the whole ROC curve"},
    "denominator": {
        "achievable": "divided by min(k, R), the most that is possible with R relevant documents",
        "relevant": "divided by R, the number of relevant documents",
        "hits": "divided by the number of hits in the top k",
    },
    "denominator of bpref": {
        "achievable": "min(R, N), for R relevant and N other judged documents",
        "relevant": "R, the number of relevant documents",
    },
    "adaptive_k": {
        False: "divided by k, even if fewer documents are retrieved",
        True: "divided by the number of retrieved documents if it is below k",
    },
    "signed": {False: "negative labels raise an error", True: "labels of any sign are used as they are"},
    "ties": {
        "average": "the exact mean over all orders of tied documents",
        "order": "tied documents are ranked in row order",
        "best": "tied documents are ranked in the best order",
        "worst": "tied documents are ranked in the worst order",
    },
    "unjudged": {
        "raise": "NaN labels raise an error",
        "nonrelevant": "NaN labels count as 0",
        "drop": "documents with NaN labels are removed",
    },
    "zero_division": {0.0: "undefined queries count as 0", 1.0: "undefined queries count as 1"},
    "average": {
        "macro": "the mean over queries",
        "weighted": "the mean over queries, weighted by their numbers of rows",
        "micro": "the ratio of sums over queries",
        "geometric": "the geometric mean over queries, with values of at least 1e-5",
    },
    "weighted_by": {"relevant": "queries are weighted by their numbers of relevant documents"},
    "scores": {
        "given": "in float64",
        "float32": "rounded to float32, which can create ties",
        "later_first": "tied documents are ranked in reverse row order",
    },
}


class Explanation(NamedTuple):
    """Printable explanation of a metric name."""

    name: str
    call: str  # that computes the same value; empty if the metric has no function
    formula: str  # of the value of a query, in one line
    options: Options  # all of them; no function has `scores`, the rule by which scores are rounded or sorted
    defaults: Options  # of the options that have one
    notes: tuple[str, ...] = ()  # on a metric of another library

    @property
    def changed(self) -> Options:
        """Return the options that differ from the defaults."""
        known = self.defaults
        return {
            key: value
            for key, value in self.options.items()
            if key not in known or not is_same(value, known[key])
        }

    def __repr__(self) -> str:
        """Return the explanation as text."""
        lines = [
            self.name,
            "",
            *([_wrap(f"  {self.call}", 3 + self.call.index("(")), ""] if self.call else []),
            _wrap(f"  {self.formula}", 2),
            "",
        ]
        width = max(map(len, self.options))
        for key, value in self.options.items():
            line = f"  {key:{width}}  {show_option(key, value, self.formula.startswith('BPREF'))}"
            if key in self.changed and key in self.defaults:
                line = f"{line} (by default {spell_value(self.defaults[key])})"
            lines.append(_wrap(line, width + 4))
        notes = [_wrap(f"- {note}", 2) for note in self.notes]
        return "\n".join([*lines, *([""] if notes else []), *notes])

    def _repr_html_(self) -> str:
        return as_printed(repr(self))


@explain_parameters
def explain(name: str, *, missed: MissedLabels | None = None) -> Explanation:
    """Explain the name of a metric of this package or of another library.

    Parameters
    ----------
    name : str
        Name of a metric, as in `metrics` and `scoring`: ``"ndcg@10"``, ``"map(denominator=relevant)"`` or
        ``"trec_eval:map_cut_10"``.
    missed : Missed, mapping or tuple (groups, labels), default=None
        Labels of judged documents that are not rows, by query id: a mapping of query id to a list of labels,
        arrays ``(groups, labels)``, or a :class:`Missed`. These documents get no rank, but count among the
        relevant and judged documents of their query. The explanation contains their number.

    Returns
    -------
    Explanation
        Printable object with the call that computes the same value, all options, and the options that differ
        from their defaults.

    Examples
    --------
    >>> from sklearn_rank import explain
    >>> print(explain("ndcg@10"))
    ndcg@10
    <BLANKLINE>
      ndcg_score(y_true, y_score, groups=qid, k=10)
    <BLANKLINE>
      NDCG@k = DCG@k / (DCG@k of the ideal ranking of all judged documents).
    <BLANKLINE>
      k              10 (by default None)
      gain           'linear', the label
      discount       'log2', 1 / log2(rank + 1)
      ideal          'judged', divided by the DCG of the judged documents, sorted by
                     label
      ties           'average', the exact mean over all orders of tied documents
      unjudged       'raise', NaN labels raise an error
      zero_division  0.0, undefined queries count as 0
      average        'macro', the mean over queries
      scores         'given', in float64
    >>> explain("trec_eval:map_cut_10").changed
    {'k': 10, 'denominator': 'relevant', 'ties': 'order', 'unjudged': 'nonrelevant', 'scores': 'float32'}
    """
    return explain_with({}, name, missed)


def explain_with(given: Arguments, name: str, missed: MissedLabels | None = None) -> Explanation:
    """Explain the name of a metric in a call with some options."""
    row = find_metric_with_inputs(name)
    tables = row is not None and row.needs == ("intents",)  # others need a call with their inputs
    read_meaning(name, "name", tables=tables)
    request = build_requests([name], given, tables=tables)[0]
    of_all = (*request.metric.defaults, "average", "scores")
    rules = {**request.rules._asdict(), "scores": request.scores}
    options = {**request.params, **{key: rules[key] for key in _RULES if key in of_all}}
    usual = request.metric.defaults
    if request.metric.only_in_other_libraries:  # its options are compared with those of the other metrics
        usual = usual | {key: value for key, value in USUAL.items() if key in usual}
    defaults = {key: usual.get(key, value) for key, value in _RULES.items() if key in options}
    of_function = {key: usual[key] for key in request.metric.params}
    defaults |= {key: value for key, value in of_function.items() if value is not Parameter.empty}
    formula = (request.metric.formula.__doc__ or request.name).splitlines()[0]
    notes = _list_notes(name) if is_prefixed(name) else ()
    if tables:
        reject_missed(missed, "intents")
    found_missed = read_missed(missed)
    if found_missed is not None:
        notes = (*notes, _describe_missed(request, found_missed))
    found = Explanation(name, "", formula, options, defaults, notes)
    if request.metric.only_in_other_libraries or request.scores == "later_first":
        return found
    return found._replace(call=_spell_call(request, found.changed, missed is not None))


_RULES = {"ties": "average", "unjudged": "raise", "zero_division": 0.0, "average": "macro", "scores": "given"}


def _wrap(line: str, indent: int) -> str:
    """Wrap a long line between words."""
    whole: Options = {"break_long_words": False, "break_on_hyphens": False}
    return fill(line, WIDTH, subsequent_indent=" " * indent, **whole)


def _describe_missed(request: Request, missed: Missed) -> str:
    """Return how the documents that are not rows count, after the checks that the metric makes."""
    check_depth(request.name, request.metric.stem, request.params.get("k"), missed)
    if request.metric.uses_scores:
        reject_missed(missed, "the values of scores")
    if not len(missed):
        return "`missed` contains no documents."
    least = request.params.get("min_relevance", 0)
    n_relevant = int(np.count_nonzero(missed.labels >= least if least else missed.labels > 0))
    threshold = f"label >= {least:g}" if least else "label > 0"
    documents = count_of(len(missed), "judged document")
    queries = count_of(len(missed.ids), "query", "queries")
    return (
        f"`missed` adds {documents} without a row, of {queries}; relevant ({threshold}): {n_relevant}. Such "
        "documents take no rank, but count in the ideal ranking, among the relevant and among the judged."
    )


def _spell_call(request: Request, changed: Arguments, has_missed: bool = False) -> str:
    """Return the call of the metric function, with the options that differ from its defaults."""
    changed = {key: value for key, value in changed.items() if key != "scores"}
    scores = 'y_score.astype("float32")' if request.scores == "float32" else "y_score"
    arguments = ", ".join(
        [
            "intents" if request.metric.needs else "y_true",
            scores,
            "groups=qid",
            *["missed=missed"] * has_missed,
            *([spell_options(changed)] if changed else []),
        ]
    )
    return f"{'-' * (request.sign < 0)}{request.metric.name}({arguments})"


def _list_notes(name: str) -> tuple[str, ...]:
    """Return notes on a metric of a library: the version, the arguments that apply, and other notes."""
    prefix, _, theirs = name.removeprefix("neg_").partition(":")
    library = LIBRARIES[prefix]
    asked, *known = (re.split("[@(]", key)[0] for key in (find_row(library, theirs), *library.rows))
    version = f"As computed by {library.title} {library.version}."
    own = [
        key if values is None else f"{key}={' or '.join(map(repr, values))}"
        for key, values in library.own.items()
    ]
    own += ["unjudged"] if "unjudged" not in (*library.convention, *library.own) else []
    arguments = f"These arguments of the call apply: {', '.join([*own, 'average', 'sample_weight'])}."
    about = {note: note.partition(": ")[0].split(", ") for note in library.notes}
    others = [note for note, stems in about.items() if asked not in stems and set(stems) <= set(known)]
    return (version, arguments, *(note for note in library.notes if note not in others))


def show_option(key: str, value: object, of_bpref: bool) -> str:
    """Return a value and its description."""
    if value != value:
        return f"{spell_value(value)}, undefined queries are excluded from the mean"
    words = WORDS.get(f"{key} of bpref" if of_bpref else key) or WORDS.get(key, {})
    meaning = words.get(value, "") if isinstance(value, str | float | int | None) else ""
    return f"{spell_value(value)}, {meaning}" if meaning else spell_value(value)
