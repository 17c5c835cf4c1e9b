"""From names such as "ndcg@10" or "precision@5(min_relevance=2)" to requests, and many metrics at once."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NoReturn, TypeGuard

import numpy as np

from .._checks.arrays import read_list
from .._checks.errors import fail
from .._checks.options import check_options, remember
from .._checks.types import ArrayLike, Discount, Gain, RatioAverage, TieRule, Unjudged
from .._hints import list_near
from ._beside_table import BESIDE_METRICS, Tables
from ._compute import compute_many
from ._exposure.target import Target
from ._history import History
from ._libraries.catalog import LIBRARIES
from ._libraries.read import is_prefixed, is_read, read_prefixed
from ._libraries.table import Meaning
from ._popularity import Popularity
from ._requests import Given, Request, Rules
from ._table import DEFAULTS, METRICS, Metric

if TYPE_CHECKING:
    from .._hints.metric_names import MetricNames

NAME = re.compile(r"(?P<stem>[a-z][a-z0-9_]*)(@(?P<k>[1-9][0-9]{0,18}))?\s*(\((?P<params>[^()]*)\))?")
_PARAM = re.compile(r"""\s*(?P<name>[a-z_]+)\s*=\s*(?P<value>(['"]?)[\w.+-]+\3)\s*""")
_WORDS = {"None": None, "True": True, "False": False}


def is_metric_name(name: object) -> TypeGuard[str]:
    """Return whether a name is a metric of this package.

    Without a cutoff, `"precision"` is scikit-learn's metric.

    Examples
    --------
    >>> from sklearn_rank.metrics import is_metric_name
    >>> is_metric_name("precision@5"), is_metric_name("precision")
    (True, False)
    """
    if is_prefixed(name):
        return is_read(name)
    match = NAME.fullmatch(name) if isinstance(name, str) else None
    return match is not None and _find(match["stem"], match["k"]) is not None


def _find(stem: str, k: str | None) -> Metric | None:
    """Find the row of the table that a stem names, if it goes with such a cutoff."""
    metric = METRICS.get(stem.removeprefix("neg_"))
    if metric is None or (stem.startswith("neg_") and metric.greater_is_better):
        return None
    return None if metric.cutoff == ("none" if k else "required") else metric


def parse_name(
    name: Any, function: str, parameter: str = "metrics", others: Iterable[str] = ()
) -> tuple[Metric, dict[str, Any]]:
    """Split a name into its row of the table and the parameters it gives; `others` may have been meant."""
    meaning = read_meaning(name, function, parameter, others)
    return meaning.metric, dict(meaning.said)


def read_meaning(name: Any, function: str, parameter: str = "metrics", others: Iterable[str] = ()) -> Meaning:
    """Return what a name of ours asks for, or one of another library."""
    if not isinstance(name, str):
        _refuse(name, function, parameter, others)
    if is_prefixed(name):
        return read_prefixed(name, function, parameter)
    return _parse(name, function, parameter, tuple(others))


def find_hints() -> MetricNames:
    """Return what explains names that are no metric, imported only then."""
    from .._hints.metric_names import MetricNames
    from ._libraries.find import find_meant, find_reason

    tables = [name for name in Tables._fields if name not in ("labels", "target", "intent_weight")]
    return MetricNames(METRICS, BESIDE_METRICS, tables, LIBRARIES, find_meant, find_reason, is_read)


def _refuse(name: Any, function: str, parameter: str, others: Iterable[str]) -> NoReturn:
    """Raise an error with the names that are probably meant."""
    rule, fix = find_hints().explain(name, function, others)
    fail(parameter, function, rule, repr(name), fix)


@lru_cache(maxsize=1024)  # scorers ask for the same names again and again
def _parse(name: str, function: str, parameter: str, others: tuple[str, ...]) -> Meaning:
    match = NAME.fullmatch(name)
    metric = _find(match["stem"], match["k"]) if match else None
    if match is None or metric is None:
        _refuse(name, function, parameter, others)
    said = read_said(match, metric, function, parameter)
    check_options(function, **said)
    return Meaning(metric, said)


def read_said(match: re.Match[str], metric: Metric, function: str, parameter: str) -> dict[str, Any]:
    """Return what a name says of the parameters of its metric."""
    name = match.string
    said: dict[str, Any] = {"k": int(match["k"])} if match["k"] else {}
    if match["params"] is None:
        return said
    known = [key for key in metric.params if key != "k"]
    known += [key for key in ("zero_division", *DEFAULTS) if key in metric.defaults]
    for part in match["params"].split(","):
        param = _PARAM.fullmatch(part)
        is_valid = param is not None and param["name"] in known and param["name"] not in said
        if param is None or not is_valid or param.group("name", "value") == ("average", "None"):
            rule = find_hints().explain_params(metric, name, function)
            if not rule and param is None:
                rule = "give parameters as (name=value, name=value)"
            near = " or ".join(list_near(param["name"], known) or known) if param else ""
            rule = rule or f"give parameters of {metric.name}, each once (did you mean {near}?)"
            fail(parameter, function, rule, repr(name))
        said[param["name"]] = _read(param["value"])
    return said


def _read(text: str) -> Any:
    """Read a number, None, True, False or else a word, with or without quotes."""
    if text in _WORDS:
        return _WORDS[text]
    for number in (int, float):
        try:
            return number(text)
        except ValueError:
            continue
    return text.strip("'\"")


def read_names(metrics: Any, function: str) -> list[Any]:
    """Return names as a list."""
    if isinstance(metrics, str):
        read_meaning(metrics, function)  # text that names no metric is refused as such
    example = [metrics] if isinstance(metrics, str) else ["ndcg@10", "map"]
    return read_list(metrics, "metrics", function, f"be a list of names such as {example}")


def build_requests(
    function: str, metrics: Any, options: Mapping[str, Any], shared: bool = True
) -> list[Request]:
    """Give each named metric those of the options that it takes, what its name says, and its own defaults.

    Options `shared` by many metrics do not reach one that gives them a meaning of its own.
    """
    names = read_names(metrics, function)
    if not names or len(set(map(str, names))) < len(names):
        fail("metrics", function, "be a list of names, at least one and each once", repr(names))
    requests = [_build_request(function, name, shared, **options) for name in names]
    for request in requests:  # once all names are known to be names
        request.check_together(function)
    return requests


@remember
def _build_request(function: str, name: Any, shared: bool, /, **given: Any) -> Request:
    """Build the request of one name, with all options checked one by one."""
    if shared and given.get("zero_division") is None:  # each metric's own
        given.pop("zero_division", None)
    given = check_options(function, **given)
    metric, said, held, own = read_meaning(name, function)
    if shared and metric.own:
        given = {key: value for key, value in given.items() if key not in metric.own}
    if "average" in said and given.get("average", "macro") is None:  # values of queries, not the name's mean
        said = {key: value for key, value in said.items() if key not in ("average", "weighted_by")}
    asked = {**given, **said}
    asked |= {key: given[key] for key, values in own.items() if values and given.get(key) in values}
    params = {key: asked.get(key, metric.defaults[key]) for key in metric.params}
    rules = {key: asked.get(key, default) for key, default in DEFAULTS.items()}
    zero_division = float(asked.get("zero_division", metric.defaults.get("zero_division", 0.0)))
    sign = -1.0 if name.startswith("neg_") else 1.0
    return Request(name, metric, params, Rules(**rules, zero_division=zero_division), sign, held)


def ranking_scores(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    groups: ArrayLike | None = None,
    metrics: Iterable[str],
    gain: Gain = "linear",
    discount: Discount = "log2",
    min_relevance: float = 1,
    ties: TieRule = "average",
    unjudged: Unjudged = "raise",
    zero_division: float | None = None,
    average: RatioAverage | None = "macro",
    sample_weight: ArrayLike | None = None,
    n_jobs: int | None = None,
    items: ArrayLike | None = None,
    features: Any = None,
    popularity: Popularity | None = None,
    history: History | None = None,
    intents: ArrayLike | None = None,
    owners: ArrayLike | None = None,
    target: Target | None = None,
    strata: ArrayLike | None = None,
) -> dict[str, float] | dict[str, np.ndarray]:
    """Many metrics through one door and one sort.

    Parameters
    ----------
    y_true : array-like of shape (n_rows,) or (n_queries, n_documents)
        Relevance labels: real, finite, >= 0; NaN where not judged, see `unjudged`. Of any sign where all
        metrics are correlations, "pairwise_accuracy" or have ``signed=True``.
    y_score : array-like of the shape of `y_true`
        Predicted scores, higher first. -inf: the document was judged but not retrieved; it takes no rank.
    groups : array-like of shape (n_rows,), default=None
        Query id of each row, in any order and of any sortable type. Required unless the input is
        two-dimensional with a row per query.
    metrics : iterable of str
        Names such as ``"ndcg@10"``, ``"map"``, ``"precision@5(min_relevance=2)"``; what stands in a name,
        as in ``"bpref(unjudged=drop)"`` or ``"mrr(ties=worst)"``, goes before the arguments below. Of
        another library, behind its name, ``"trec_eval:map_cut_10"``: what it settles, see :func:`explain`,
        goes before them too.
    gain, discount
        As in :func:`ndcg_score`, for "dcg" and "ndcg"; ERR's own stand in its name, "err(gain=linear)".
    min_relevance
        As in :func:`map_score`, for the metrics that take it.
    ties : {"average", "order", "best", "worst"}, default="average"
        Equal scores: the exact mean over all their orders, the order of the rows, or the best or worst order.
    unjudged : {"raise", "nonrelevant", "drop", "mean", "median"}, default="raise"
        Labels that are NaN: refused, counted as 0, left out of the ranking, or given the mean or median of
        the query's judged labels.
    zero_division : {0.0, 1.0, nan} or None, default=None
        Value of a query where a metric is undefined; nan leaves it out of the mean. None: each metric's own
        default.
    average : {"macro", "weighted", "micro", "geometric"} or None, default="macro"
        Mean over queries, weighted by their number of rows or not, the ratio of sums over queries, or the
        geometric mean of their values, raised to 0.00001 where they are below; None for the value of each
        query in the order of :func:`unique_groups`.
    sample_weight : array-like of shape (n_rows,), default=None
        Query weights, repeated on each row of the query; of shape (n_queries,) for two-dimensional input.
    n_jobs : int, default=None
        Threads; -1 for one per core, None for 1 or what ``joblib.parallel_config`` says. They gain
        most where lists have thousands of documents. Fewer than some 100,000 rows each are not shared.
    items : array-like of shape (n_rows,), default=None
        The item of each row, for names of lists that need it: ``"catalog_coverage@10"``, ``"novelty@10"``.
    features : {array-like, sparse matrix} of shape (n_rows, n_features), default=None
        Features of the item in each row, for ``"diversity@10"`` and the like.
    popularity : mapping or pandas.Series, default=None
        By item id, as in :func:`novelty_score` and :func:`tail_share_score`.
    history : tuple (features, ids), mapping or pandas.DataFrame, default=None
        What users had before, as in :func:`calibration_loss` and :func:`serendipity_score`.
    intents : array-like or sparse matrix of shape (n_rows, n_intents), default=None
        Labels of each row, one per intent, for ``"alpha_ndcg@10"``, ``"err_ia@10(max_grade=4)"`` and others.
    owners : array-like of shape (n_rows,) or (n_rows, n_owners), default=None
        The owner of the item in each row, or shares of several, for ``"awrf@10"``, ``"exposure_ratio@10"``
        and the like, as in :func:`exposure_ratio_score`.
    target : {"candidates", "relevant"} or mapping, default=None
        For ``"awrf@10"``, as in :func:`awrf_score`; a word may stand in the name, "awrf@10(target=relevant)".
    strata : array-like of shape (n_rows,), default=None
        Stratum of each row, for ``"infap"``, as in :func:`infap_score`. :func:`from_run` returns it with
        ``return_strata=True``.

    Returns
    -------
    dict of str to float or to ndarray of shape (n_queries,)
        One entry per name, in the order given. What is of all lists together is a float, whatever `average`.
        With ``average=None`` names with a mean, such as "trec_eval:gm_map", have one value per query too.

    Raises
    ------
    ValueError
        If an argument breaks a rule above; the message names it.

    Examples
    --------
    >>> from sklearn_rank import ranking_scores
    >>> y_true, y_score, qid = [0, 1, 2, 1, 0], [.1, .3, .2, .9, .4], [1, 1, 1, 2, 2]
    >>> ranking_scores(y_true, y_score, groups=qid, metrics=["ndcg@2", "mrr", "precision@2"])
    {'ndcg@2': 0.92..., 'mrr': 1.0, 'precision@2': 0.75}
    """
    options = {
        "gain": gain,
        "discount": discount,
        "min_relevance": min_relevance,
        "ties": ties,
        "unjudged": unjudged,
        "zero_division": zero_division,
        "average": average,
    }
    given = Given(y_true, y_score, groups, sample_weight)
    tables = Tables(items, features, popularity, history, intents, owners, target, strata=strata)
    if any(table is not None for table in tables):
        from ._beside_names import score_with_tables  # which reads names by this file

        return score_with_tables("ranking_scores", metrics, options, given, tables, n_jobs)
    return compute_many("ranking_scores", build_requests("ranking_scores", metrics, options), given, n_jobs)
