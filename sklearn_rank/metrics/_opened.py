"""From what the caller gave to checked rows and their queries, and what is to be said of them."""

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from .._data import check_same_columns, check_same_order
from .._options import check_options
from .._queries import Queries, fill_unjudged, find_queries
from .._rows import NOT_NEGATIVE, check_rows
from .._validation import fail
from .._warn import RankingWarning, warn_user
from ._average import query_weights


class Opened(NamedTuple):
    """Checked rows, their queries and one weight per query, if they have any."""

    labels: np.ndarray
    scores: np.ndarray
    scores_are_ranks: bool
    given: np.ndarray  # the labels before any was filled in
    queries: Queries
    weights: np.ndarray | None
    n_columns: int | None  # documents per query where the input was two-dimensional
    lowest: float  # label that was given
    highest: float
    unjudged: str  # what was done with labels that are missing

    def under(self, labels: str) -> "Opened":
        """Return the rows with the labels that another rule `unjudged` leaves, or with their "judgements"."""
        if labels == self.unjudged:
            return self
        if labels == "judgements":
            judged = (self.given == self.given).astype(np.float64)
            return self._replace(labels=judged, lowest=0.0, highest=1.0, unjudged=labels)
        return self._replace(labels=fill_unjudged(self.given, self.queries, labels), unjudged=labels)


def open_rows(
    function: str,
    y_true: Any,
    y_score: Any,
    groups: Any,
    sample_weight: Any,
    unjudged: str,
    label_rule: str = NOT_NEGATIVE,
) -> Opened:
    """Check rows, find their queries, and give documents without a judgement what the rule says."""
    check_options(function, unjudged=unjudged)
    check_same_order(function, y_true=y_true, y_score=y_score, groups=groups, sample_weight=sample_weight)
    check_same_columns(function, y_true=y_true, y_score=y_score)
    rows = check_rows(y_true, y_score, groups, sample_weight, function, unjudged, label_rule)
    if rows.groups is None and rows.n_columns is None:
        rule = "hold the query id of each row, groups=qid, or be left out with one list in two dimensions"
        fail("groups", function, f"{rule}, {function}([y_true], [y_score])", None)
    queries = find_queries(rows.groups, len(rows.labels), rows.n_columns)
    weights = query_weights(rows.weights, queries, function, by_row=rows.n_columns is None)
    labels = fill_unjudged(rows.labels, queries, unjudged)
    return Opened(
        labels,
        rows.scores,
        rows.scores_are_ranks,
        rows.labels,
        queries,
        weights,
        rows.n_columns,
        rows.lowest,
        rows.highest,
        unjudged,
    )


def count_relevant(opened: Opened, min_relevance: float) -> np.ndarray:
    """Count the relevant documents of each query."""
    in_order = opened.labels if opened.queries.rows is None else opened.labels[opened.queries.rows]
    return np.add.reduceat(in_order >= min_relevance, opened.queries.firsts, dtype=np.int64)


def _lists_missed(opened: Opened) -> bool:
    """Tell whether half of the queries of several documents have one that was not retrieved, as in lists."""
    scores = opened.scores if opened.queries.rows is None else opened.scores[opened.queries.rows]
    missed = np.logical_or.reduceat(scores == -np.inf, opened.queries.firsts)
    several = opened.queries.lengths > 1
    n_several = int(np.count_nonzero(several))
    return 0 < n_several <= 2 * int(np.count_nonzero(missed & several))


WHOLE = 10**6  # a cutoff from here on is meant to be one that no list exceeds
# Metrics of what share of some documents is above the cutoff: where whole lists are, all of them.
COUNT_RETRIEVED = ("recall_at_k_score", "hit_rate_at_k_score", "fallout_at_k_score")


def warn_of_short_lists(function: str, opened: Opened, cutoffs: Mapping[str, int]) -> None:
    """Warn where no list is longer than the cutoff of a metric, so that all of each is above it.

    A cutoff of a million or more is no mistake: it says that whole lists are meant.
    """
    longest = int(opened.queries.lengths.max()) if cutoffs else 0
    names = [name for name, k in cutoffs.items() if WHOLE > k >= longest > 1]
    if not names or len(opened.queries.lengths) < 2 or opened.scores.min() == -np.inf:
        return
    of = f" ({', '.join(names)})" if any(names) else ""
    k = min(cutoffs[name] for name in names)
    warn_user(
        f"{function}{of}: no query has more documents than k={k}, so that all are above the cutoff and every "
        "ranking has the same value. Choose a lower k, or rank the documents of each query among others, "
        "such as drawn negatives or all candidates.",
        RankingWarning,
    )


def warn_of_constants(
    function: str, opened: Opened, thresholds: Mapping[str, tuple[float, str]], values: Mapping[str, Any]
) -> None:
    """Warn where every ranking of these rows has the same value.

    `thresholds` hold the min_relevance of each metric that has one, and of which labels; `values` its value.
    """
    n_queries = len(opened.queries.lengths)
    n_single = np.count_nonzero(opened.queries.lengths == 1)
    mostly_single = bool(2 * n_single > n_queries)
    names = [name for name, (least, _) in thresholds.items() if opened.lowest >= least]
    if n_queries < 2 or not (mostly_single or names):
        return
    if opened.scores.min() == -np.inf:  # a document that was not retrieved was judged: labels are meant so
        mostly_single, names = mostly_single and not _lists_missed(opened), []
    if mostly_single:
        warn_user(
            f"{function}: {n_single} of {n_queries} queries have one document only, which every "
            "ranking scores the same. Rank each test document among others, such as drawn negatives or all "
            "candidates of the user, or check that 'groups' holds query ids and not row ids.",
            RankingWarning,
        )
    rules = {thresholds[name][1] for name in names}
    lowest = {rule: np.fmin.reduce(opened.under(rule).labels) for rule in rules}  # with those filled in
    names = [
        name
        for name, (least, rule) in thresholds.items()
        if name in names and lowest[rule] >= least and not np.isnan(values[name]).all()
    ]
    if names:
        of = f" ({', '.join(names)})" if len(names) < len(values) else ""
        warn_user(
            f"{function}{of}: every document of every query is relevant, as no label is below "
            f"min_relevance={float(thresholds[names[0]][0]):g}, so that every ranking has the same value. "
            "Where labels are grades, such as ratings from 1 to 5, say from which on they are relevant, "
            "min_relevance=4; where they are item ids, make rows by from_recommendations.",
            RankingWarning,
        )
