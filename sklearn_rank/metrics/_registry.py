"""The table of metrics: from a name such as "ndcg@10" to a formula, its parameters and its range."""

import re
from collections.abc import Callable, Iterable, Mapping
from difflib import get_close_matches
from inspect import signature
from typing import Any, NamedTuple

from .._validation import check_options, fail
from ._average_precision import MAP, map_score
from ._compute import Metric, Request, score_many
from ._gain import DCG, NDCG, dcg_score, ndcg_score
from ._pairwise import GROUP_AUC, group_auc_score
from ._precision import (
    F1,
    PRECISION,
    R_PRECISION,
    RECALL,
    f1_at_k_score,
    precision_at_k_score,
    r_precision_score,
    recall_at_k_score,
)
from ._reciprocal_rank import HIT_RATE, MRR, hit_rate_at_k_score, mrr_score


class Entry(NamedTuple):
    """One row of the table."""

    metric: Metric
    function: Callable[..., Any]
    cutoff: str  # "optional", "required" or "none" behind the name
    graded: bool  # uses the grades of the labels; else relevant or not
    upper: float  # the range is [0, upper]


METRICS: dict[str, Entry] = {
    "dcg": Entry(DCG, dcg_score, "optional", graded=True, upper=float("inf")),
    "ndcg": Entry(NDCG, ndcg_score, "optional", graded=True, upper=1.0),
    "map": Entry(MAP, map_score, "optional", graded=False, upper=1.0),
    "mrr": Entry(MRR, mrr_score, "optional", graded=False, upper=1.0),
    "precision": Entry(PRECISION, precision_at_k_score, "required", graded=False, upper=1.0),
    "recall": Entry(RECALL, recall_at_k_score, "required", graded=False, upper=1.0),
    "f1": Entry(F1, f1_at_k_score, "required", graded=False, upper=1.0),
    "hit_rate": Entry(HIT_RATE, hit_rate_at_k_score, "required", graded=False, upper=1.0),
    "r_precision": Entry(R_PRECISION, r_precision_score, "none", graded=False, upper=1.0),
    "group_auc": Entry(GROUP_AUC, group_auc_score, "none", graded=False, upper=1.0),
}

# Options of the whole pass, and what they are unless given.
DEFAULTS = {"ties": "average", "unjudged": "raise", "average": "macro"}
_NAME = re.compile(r"(?P<stem>[a-z][a-z0-9_]*)(@(?P<k>[1-9][0-9]{0,17}))?")
_NOT_PARAMS = ("y_true", "y_score", "groups", *DEFAULTS, "zero_division", "sample_weight")


def is_metric_name(name: object) -> bool:
    """Tell whether a name is one of ours; "precision" without a cutoff is scikit-learn's."""
    match = _NAME.fullmatch(name) if isinstance(name, str) else None
    return match is not None and _accepts(match["stem"], match["k"])


def _accepts(stem: str, k: str | None) -> bool:
    cutoff = METRICS[stem].cutoff if stem in METRICS else None
    return (
        cutoff == "optional" or (cutoff == "required" and k is not None) or (cutoff == "none" and k is None)
    )


def parse_name(
    name: Any, function: str, parameter: str = "metrics", others: Iterable[str] = ()
) -> tuple[Entry, int | None]:
    """Split "ndcg@10" into its row of the table and its cutoff; `others` may have been meant too."""
    match = _NAME.fullmatch(name) if isinstance(name, str) else None
    if match is None or not _accepts(match["stem"], match["k"]):
        stem = str(name).partition("@")[0].replace("_at_k", "")
        if stem in METRICS:
            rule = {"required": f"have its cutoff, as {stem}@10", "none": "have no cutoff"}
            fail(parameter, function, rule.get(METRICS[stem].cutoff, f"read as {stem}@10"), repr(name))
        near = get_close_matches(stem, [*METRICS, *others])
        hint = f"did you mean {' or '.join(near)}?" if near else f"they are {', '.join(METRICS)}"
        fail(parameter, function, f"name a metric ({hint})", repr(name))
    return METRICS[match["stem"]], int(match["k"]) if match["k"] else None


def build_requests(function: str, metrics: Any, options: Mapping[str, Any]) -> dict[str, Request]:
    """Give each named metric its cutoff, those of the options it takes and its own defaults."""
    if isinstance(metrics, str) or not isinstance(metrics, Iterable):
        fail("metrics", function, 'be a list of names such as ["ndcg@10", "map"]', repr(metrics))
    names = list(metrics)
    if not names or len(set(map(str, names))) < len(names):
        fail("metrics", function, "be a list of names, at least one and each once", repr(names))
    given = {name: value for name, value in options.items() if name != "zero_division" or value is not None}
    check_options(function, **given)
    requests = {}
    for name in names:
        entry, k = parse_name(name, function)
        defaults = {key: value.default for key, value in signature(entry.function).parameters.items()}
        params = {key: options.get(key, value) for key, value in defaults.items() if key not in _NOT_PARAMS}
        if k is not None:
            params["k"] = k
        zero_division = options.get("zero_division")
        default = defaults.get("zero_division", 0.0)
        requests[name] = Request(entry.metric, params, default if zero_division is None else zero_division)
    return requests


def score_named(
    y_true: Any,
    y_score: Any,
    *,
    function: str,
    groups: Any,
    metrics: Iterable[str],
    options: Mapping[str, Any],
    sample_weight: Any = None,
) -> dict[str, Any]:
    """Compute the named metrics, with those of the options that they take; what is not given is default."""
    requests = build_requests(function, metrics, options)
    how = {name: options.get(name, default) for name, default in DEFAULTS.items()}
    return score_many(function, requests, y_true, y_score, groups, **how, sample_weight=sample_weight)


def ranking_scores(
    y_true: Any,
    y_score: Any,
    *,
    groups: Any,
    metrics: Iterable[str],
    gain: Any = "linear",
    discount: Any = "log2",
    min_relevance: float = 1,
    ties: str = "average",
    unjudged: str = "raise",
    zero_division: float | None = None,
    average: str | None = "macro",
    sample_weight: Any = None,
) -> dict[str, Any]:
    """Many metrics through one door and one sort.

    Parameters
    ----------
    y_true : array-like of shape (n_rows,) or (n_queries, n_documents)
        Relevance labels: real, finite, >= 0; NaN where not judged, see `unjudged`.
    y_score : array-like of the shape of `y_true`
        Predicted scores, higher first. -inf: the document was judged but not retrieved; it takes no rank.
    groups : array-like of shape (n_rows,)
        Query id of each row, in any order and of any sortable type; None only for two-dimensional input.
    metrics : iterable of str
        Names such as ``"ndcg@10"``, ``"map"``, ``"mrr"``, ``"precision@5"``, ``"group_auc"``.
    gain, discount, min_relevance
        As in :func:`ndcg_score` and :func:`map_score`, for the metrics that take them.
    ties : {"average", "order", "best", "worst"}, default="average"
        Equal scores: the exact mean over all their orders, the order of the rows, or the best or worst order.
    unjudged : {"raise", "nonrelevant", "drop", "mean", "median"}, default="raise"
        Labels that are NaN: refused, counted as 0, left out of the ranking, or given the mean or median of
        the query's judged labels.
    zero_division : {0.0, 1.0, nan}, default=None
        Value of a query where a metric is undefined; nan leaves it out of the mean. None: each metric's own
        default, nan for ``"group_auc"`` and 0.0 for the others.
    average : {"macro", "micro", "weighted"} or None, default="macro"
        Mean over queries, ratio of sums, mean weighted by the number of rows, or the value of each query.
    sample_weight : array-like of shape (n_rows,), default=None
        Query weights, repeated on each row of the query; of shape (n_queries,) for two-dimensional input.

    Returns
    -------
    dict of str to float or to ndarray of shape (n_queries,)
        One entry per name, in the order given.

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
    return score_named(
        y_true,
        y_score,
        function="ranking_scores",
        groups=groups,
        metrics=metrics,
        options=options,
        sample_weight=sample_weight,
    )
