"""What is to be said of rows whose every ranking has the same value, and of candidates that look drawn."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from .._checks.warn import RankingWarning, warn_user
from ._opened import Opened
from ._requests import Request

WHOLE = 10**6  # a cutoff from here on is meant to be one that no list exceeds
# Metrics of what share of some documents is above the cutoff: where whole lists are, all of them.
COUNT_RETRIEVED = ("recall", "hit_rate", "fallout")
# Metrics that may order models otherwise among drawn candidates, and what lists of such look like.
MISLED = ("recall", "hit_rate", "ndcg", "mrr", "map")
MANY_LISTS, ROUND, DRAWN = 100, 50, (50, 1001)


def warn_of_equals(function: str, opened: Opened, requests: Sequence[Request], values: Sequence[Any]) -> None:
    """Warn of metrics that have the same value for every ranking."""
    warn_of_constants(function, opened, list_thresholds(requests, values), len(requests))
    _warn_of_short_lists(function, opened, requests)


def _warn_of_short_lists(function: str, opened: Opened, requests: Sequence[Request]) -> None:
    """Warn where no list is longer than the cutoff of a metric, so that all of each is above it.

    A cutoff of a million or more is no mistake: it says that whole lists are meant.
    """
    cutoffs = {each.name: each.params["k"] for each in requests if each.metric.stem in COUNT_RETRIEVED}
    queries = opened.rows.queries
    longest = opened.rows.longest if cutoffs else 0
    names = [name for name, k in cutoffs.items() if WHOLE > k >= longest > 1]
    if not names or len(queries.lengths) < 2 or opened.scores.lowest == -np.inf:
        return
    of = f" ({', '.join(names)})" if any(names) else ""
    k = min(cutoffs[name] for name in names)
    warn_user(
        f"{function}{of}: no query has more documents than k={k}, so that all are above the cutoff and every "
        "ranking has the same value. Choose a lower k, or rank the documents of each query among others, "
        "such as drawn negatives or all candidates.",
        RankingWarning,
    )


def warn_of_sampled(
    function: str, requests: Sequence[Request], sizes: np.ndarray, n_relevant: np.ndarray
) -> None:
    """Warn where all lists hold one relevant document among a round number of others, as drawn ones do.

    A catalog is rarely of a round size, and candidates that were retrieved hold none or several for some.
    """
    if len(sizes) < MANY_LISTS or not DRAWN[0] <= sizes[0] <= DRAWN[1] or sizes[0] % ROUND > 1:
        return
    names = [each.name for each in requests if each.metric.stem in MISLED]
    if names and (sizes == sizes[0]).all() and (n_relevant == 1).all():
        warn_user(
            f"{function} ({', '.join(names)}): the lists look sampled, as each holds one relevant document "
            f"and {sizes[0] - 1} others. Where these were drawn, models may stand in another order than over "
            "all items: sampled_score corrects for it. Where they were not, or where that does not matter, "
            "say so: warnings.filterwarnings('ignore', '.*the lists look sampled').",
            RankingWarning,
        )


class Threshold(NamedTuple):
    """From which label on documents are relevant to a metric."""

    name: str
    min_relevance: float
    labels: str  # of which it is computed
    value: Any


def list_thresholds(requests: Sequence[Request], values: Sequence[Any]) -> list[Threshold]:
    """List the metrics that have one."""
    return [
        Threshold(request.name, request.params["min_relevance"], request.labels, value)
        for request, value in zip(requests, values)
        if "min_relevance" in request.params and not request.any_label
    ]


def warn_of_constants(function: str, opened: Opened, thresholds: Sequence[Threshold], n_values: int) -> None:
    """Warn where every ranking of these rows has the same value; thresholds have some of `n_values`."""
    rows = opened.rows
    n_queries = len(rows.queries.lengths)
    n_single = np.count_nonzero(rows.queries.lengths == 1)
    mostly_single = bool(2 * n_single > n_queries)
    thresholds = [each for each in thresholds if rows.lowest >= each.min_relevance]
    if n_queries < 2 or not (mostly_single or thresholds):
        return
    if opened.scores.lowest == -np.inf:  # a document that was not retrieved was judged: labels are meant so
        mostly_single, thresholds = mostly_single and not _lists_missed(opened), []
    if mostly_single:
        warn_user(
            f"{function}: {n_single} of {n_queries} queries have one document only, which every "
            "ranking scores the same. Rank each test document among others, such as drawn negatives or all "
            "candidates of the user, or check that 'groups' holds query ids and not row ids.",
            RankingWarning,
        )
    lowest = {each.labels: np.fmin.reduce(rows.under(each.labels).labels) for each in thresholds}
    thresholds = [
        each
        for each in thresholds
        if lowest[each.labels] >= each.min_relevance and not np.isnan(each.value).all()
    ]
    if thresholds:
        of = f" ({', '.join(each.name for each in thresholds)})" if len(thresholds) < n_values else ""
        warn_user(
            f"{function}{of}: every document of every query is relevant, as no label is below "
            f"min_relevance={float(thresholds[0].min_relevance):g}, so that every ranking has the same "
            "value. Where labels are grades, such as ratings from 1 to 5, say from which on they are "
            "relevant, min_relevance=4; where they are item ids, make rows by from_recommendations.",
            RankingWarning,
        )


def _lists_missed(opened: Opened) -> bool:
    """Tell whether half of the queries of several documents have one that was not retrieved, as in lists."""
    queries = opened.rows.queries
    scores = opened.scores.values
    scores = scores if queries.rows is None else scores[queries.rows]
    missed = np.logical_or.reduceat(scores == -np.inf, queries.firsts)
    several = queries.lengths > 1
    n_several = int(np.count_nonzero(several))
    return 0 < n_several <= 2 * int(np.count_nonzero(missed & several))
