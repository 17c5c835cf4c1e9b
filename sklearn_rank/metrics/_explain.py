"""The explanation of a metric name: all options in full, and the differences from the defaults."""

from __future__ import annotations

from collections.abc import Mapping
from inspect import Parameter
from typing import Any, NamedTuple

from .._checks import explain_parameters
from .._checks.types import Arguments, Options
from ._libraries.library_names import LIBRARIES, is_prefixed, is_same, spell_options, spell_value
from ._names import build_requests, read_meaning
from ._table import Request

# Descriptions of the values of options. A value without a description is shown alone.
WORDS: Mapping[str, Mapping[Any, str]] = {
    "k": {None: "the whole list"},
    "gain": {"linear": "the label", "exponential": "2**label - 1"},
    "discount": {"log2": "1 / log2(rank + 1)", "reciprocal": "1 / rank", None: "none"},
    "denominator": {
        "achievable": "divided by the most that is possible: min(k, R), of R relevant documents",
        "relevant": "divided by R, all relevant documents",
        "hits": "divided by the hits in the top k",
    },
    "adaptive_k": {
        False: "a list of n < k documents is divided by k",
        True: "a list of n < k documents is divided by n",
    },
    "signed": {False: "labels below 0 are refused", True: "labels count as they stand, of any sign"},
    "ties": {
        "average": "the exact mean over all orders of equal scores",
        "order": "equal scores stand in the order of the rows",
        "best": "equal scores stand in the best order",
        "worst": "equal scores stand in the worst order",
    },
    "unjudged": {
        "raise": "labels that are NaN are refused",
        "nonrelevant": "labels that are NaN count as 0",
        "drop": "documents whose label is NaN are left out",
    },
    "zero_division": {
        0.0: "queries where it is undefined count 0",
        1.0: "queries where it is undefined count 1",
    },
    "average": {
        "macro": "the mean over queries",
        "weighted": "the mean over queries, weighted by their rows",
        "micro": "the ratio of the sums over queries",
        "geometric": "the geometric mean over queries, of values raised to 0.00001",
    },
    "weighted_by": {"relevant": "queries are weighted by their relevant documents"},
    "scores": {
        "given": "in float64",
        "float32": "rounded to float32, where more of them are equal",
        "later_first": "of equal scores the later row stands first",
    },
}


class Explanation(NamedTuple):
    """What a name computes; printed, it is a text.

    Attributes
    ----------
    name : str
        As it was given.
    call : str
        The call that computes the same; empty for a metric that has no function of its own.
    formula : str
        What is computed of each query, in a line.
    options : dict
        All options, by name; what `scores` says is not an option of any function.
    defaults : dict
        What these are by default; those without a default are left out.
    notes : tuple of str
        What else to know about another library's number.
    """

    name: str
    call: str
    formula: str
    options: Options
    defaults: Options
    notes: tuple[str, ...] = ()

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
        """Return the text."""
        lines = [self.name, "", *([f"  {self.call}", ""] if self.call else []), f"  {self.formula}", ""]
        width = max(map(len, self.options))
        for key, value in self.options.items():
            line = f"  {key:{width}}  {_show(key, value)}"
            if key in self.changed and key in self.defaults:
                line = f"{line} (by default {spell_value(self.defaults[key])})"
            lines.append(line)
        return "\n".join([*lines, *([""] if self.notes else []), *(f"- {note}" for note in self.notes)])


@explain_parameters
def explain(name: str) -> Explanation:
    """Say what the name of a metric computes, ours or that of another library.

    Parameters
    ----------
    name : str
        As `metrics` and `scoring` take it: ``"ndcg@10"``, ``"map(denominator=relevant)"`` or
        ``"trec_eval:map_cut_10"``.

    Returns
    -------
    Explanation
        Printed, it is a text: the call that computes the same, all options, and which of them are not as
        they are by default.

    Raises
    ------
    ValueError
        If an argument breaks a rule above; the message names it.

    Examples
    --------
    >>> from sklearn_rank import explain
    >>> print(explain("ndcg@10"))
    ndcg@10
    <BLANKLINE>
      ndcg_score(y_true, y_score, groups=qid, k=10)
    <BLANKLINE>
      NDCG@k = DCG@k / (DCG@k of the best order of all judged documents).
    <BLANKLINE>
      k              10 (by default None)
      gain           'linear', the label
      discount       'log2', 1 / log2(rank + 1)
      ties           'average', the exact mean over all orders of equal scores
      unjudged       'raise', labels that are NaN are refused
      zero_division  0.0, queries where it is undefined count 0
      average        'macro', the mean over queries
      scores         'given', in float64
    >>> explain("trec_eval:map_cut_10").changed
    {'k': 10, 'denominator': 'relevant', 'ties': 'order', 'unjudged': 'nonrelevant', 'scores': 'float32'}
    """
    read_meaning(name, "name")
    request = build_requests([name], {})[0]
    of_all = (*request.metric.defaults, "average", "scores")
    rules = {**request.rules._asdict(), "scores": request.held}
    options = {**request.params, **{key: rules[key] for key in _RULES if key in of_all}}
    usual = request.metric.defaults
    defaults = {key: usual.get(key, value) for key, value in _RULES.items() if key in options}
    of_function = {key: usual[key] for key in request.metric.params}
    defaults |= {key: value for key, value in of_function.items() if value is not Parameter.empty}
    formula = (request.metric.formula.__doc__ or "").splitlines()[0]
    notes = _list_notes(name) if is_prefixed(name) else ()
    found = Explanation(name, "", formula, options, defaults, notes)
    can_be_called = not request.metric.is_foreign and request.held != "later_first"
    return found._replace(call=_spell_call(request, found.changed)) if can_be_called else found


_RULES = {"ties": "average", "unjudged": "raise", "zero_division": 0.0, "average": "macro", "scores": "given"}


def _spell_call(request: Request, changed: Arguments) -> str:
    """Return the call of the metric function, with the options that differ from its defaults."""
    changed = {key: value for key, value in changed.items() if key != "scores"}
    scores = 'y_score.astype("float32")' if request.held == "float32" else "y_score"
    arguments = ", ".join(["y_true", scores, "groups=qid", *([spell_options(changed)] if changed else [])])
    return f"{'-' * (request.sign < 0)}{request.metric.name}({arguments})"


def _list_notes(name: str) -> tuple[str, ...]:
    """Return notes on a metric of a library: its version, the options of the call, and what else to know."""
    library = LIBRARIES[name.removeprefix("neg_").partition(":")[0]]
    whose = f"The number of {library.title} {library.version}."
    own = [
        key if values is None else f"{key}={' or '.join(map(repr, values))}"
        for key, values in library.own.items()
    ]
    own += ["unjudged"] if "unjudged" not in (*library.convention, *library.own) else []
    callers = f"Given to the call, these hold: {', '.join([*own, 'average', 'sample_weight'])}."
    return (whose, callers, *library.notes)


def _show(key: str, value: object) -> str:
    """Return a value and its description."""
    if value != value:
        return f"{spell_value(value)}, queries where it is undefined are left out"
    meaning = WORDS.get(key, {}).get(value, "") if isinstance(value, str | float | int | None) else ""
    return f"{spell_value(value)}, {meaning}" if meaning else spell_value(value)
