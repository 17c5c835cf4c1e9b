"""Rows of labels, scores and user ids from frames of interactions and recommendations."""

from typing import Any, Literal

import numpy as np

from .._checks import explain_parameters
from .._checks.arrays import check_in_memory
from .._checks.codes import find_edges
from .._checks.containers import column_names
from .._checks.errors import fail, renamed
from .._checks.missed import split_missed
from .._checks.options import check_choice, check_flag
from .._checks.times import read_times
from .._checks.types import Arguments, Table
from ._entries import EACH_ROW, Entries, EntrySource, Ids, check_ranks, check_values, choose_names, show_entry
from ._join import Sides, find_pairs, join_entries
from ._mismatch import check_swap
from ._run_objects import (
    check_columns,
    find_column,
    list_names,
    read_column,
    read_ids,
    read_pairs,
    read_ranks,
)

USER_ITEMS = EntrySource(words=("user", "item"))
# The names of `users` in `queries`.
QUERIES = {"all": "all", "both": "both", "recommended": "run", "interacted": "judged"}


@explain_parameters
def from_interactions(
    interactions: Table,
    recommended: Table,
    *,
    seen: Table = None,
    users: Literal["all", "both", "recommended", "interacted"] = "all",
    columns: Arguments | None = None,
    return_items: bool = False,
    return_missed: bool = False,
) -> tuple[Any, ...]:
    """Convert frames of interactions and recommendations to labels, scores and user ids.

    Parameters
    ----------
    interactions : frame of pandas, polars or pyarrow
        Interactions, one row per user and item, with the columns user and item. An optional column rating
        contains the grades; without it, all grades are 1. If a user and item have several rows, the last row
        by the column time is used.
    recommended : frame of pandas, polars or pyarrow
        Recommendations, one row per user and item, with the columns user, item, and score or rank. The best
        item has the lowest rank.
    seen : frame of pandas, polars or pyarrow, default=None
        Pairs of users and items that the users already know, such as training data, with the columns user and
        item. These pairs are excluded, also if they are relevant.
    users : {"all", "both", "recommended", "interacted"}, default="all"
        Users to include: those in at least one frame ("all"), in both frames ("both"), or in the frame of
        recommendations or interactions.
    columns : mapping of str to name, default=None
        Names of the columns for ``"user"``, ``"item"``, ``"score"``, ``"rank"``, ``"rating"`` and ``"time"``,
        if they differ from these.
    return_items, return_missed : bool, default=False
        As in :func:`from_recommendations`.

    Returns
    -------
    y_true : ndarray of shape (n_rows,)
        Grades of users and items; 0 without an interaction, NaN if a rating is missing.
    y_score : ndarray of shape (n_rows,)
        Scores of users and items; -inf for items of interactions that were not recommended.
    groups : ndarray of shape (n_rows,)
        User ids in increasing order; the items of a user are in decreasing order.
    items, missed : ndarray of shape (n_rows,), and Missed
        As in :func:`from_recommendations`.

    Raises
    ------
    ValueError
        If an item is recommended twice to a user, if the last ratings of a user and item differ, if a rating
        is negative, or if the frames have no user in common.

    Warns
    -----
    RankingWarning
        If ranks contradict scores, if item ids seem to be written differently in the two frames, or if the
        frames seem to be swapped.

    See Also
    --------
    from_recommendations : Convert lists of items per user.

    Examples
    --------
    >>> import pandas
    >>> from sklearn_rank import from_interactions, recall_at_k_score
    >>> interactions = {"user": ["ann", "bob", "bob"], "item": ["rice", "tea", "milk"]}
    >>> recommended = {"user": ["ann", "ann", "bob"], "item": ["tea", "rice", "tea"], "score": [3, 2, 1]}
    >>> frames = map(pandas.DataFrame, (interactions, recommended))
    >>> y_true, y_score, groups = from_interactions(*frames)
    >>> recall_at_k_score(y_true, y_score, groups=groups, k=2, average=None)
    array([1. , 0.5])
    """
    check_flag(return_items, "return_items")
    check_flag(return_missed, "return_missed")
    check_choice("users", users, tuple(QUERIES))
    given = {"recommended": recommended, "interactions": interactions}
    given |= {} if seen is None else {"seen": seen}
    check_in_memory(**given)
    for name, frame in given.items():
        if column_names(frame) is None:
            fix = "For lists, use from_recommendations(relevant, recommended)."
            fail(name, "be a frame with one row per user and item", type(frame).__name__, fix)
    names = check_columns(columns, *given.values())
    ranked = _read_recommended(recommended, names)
    interacted = _read_interactions(interactions, names)
    check_ranks(ranked, "recommended")
    check_swap(interacted.values, ranked.values, interacted.queries.codes, ranked.queries.codes)
    sides = Sides(ranked, interacted, ("recommended", "interactions"), missing=0.0)
    joined = join_entries(sides, QUERIES[users], None)
    if seen is not None:
        pairs = Ids(joined.codes, joined.query_names), Ids(EACH_ROW, joined.documents)
        known = read_pairs(seen, "seen", names)
        joined = joined.keep(~find_pairs(pairs, known, ("recommended", "seen"), USER_ITEMS.words))
    rows = joined.rows(return_items)
    return split_missed(rows) if return_missed else rows


def _read_recommended(frame: Table, columns: Arguments) -> Entries:
    """Read users, items and scores, or ranks as decreasing scores."""
    source = ("recommended", columns)
    users, items = (read_ids(find_column(frame, key, *source), source[0]) for key in ("query", "document"))
    scores = find_column(frame, "score", *source, needed=not choose_names(list_names(frame), "rank", columns))
    if scores is None:
        values = -read_column(find_column(frame, "rank", *source), "ranks", "recommended")
    else:
        values = read_column(scores, "scores", "recommended")
    return check_values(Entries(users, items, values, USER_ITEMS, read_ranks(frame, columns)), "recommended")


def _read_interactions(frame: Table, columns: Arguments) -> Entries:
    """Read users, items and ratings; use the last of several rows of the same user and item."""
    source = ("interactions", columns)
    users, items = (read_ids(find_column(frame, key, *source), source[0]) for key in ("query", "document"))
    ratings = find_column(frame, "grade", *source, needed=False)
    times = find_column(frame, "time", *source, needed=False)
    n_rows = len(users.codes)
    grades = np.ones(n_rows) if ratings is None else read_column(ratings, "ratings", "interactions")
    entries = Entries(users, items, grades, USER_ITEMS)
    bad = (grades < 0) | np.isinf(grades)
    if bad.any():
        row = int(bad.argmax())
        got = f"{grades[row]} for {show_entry(entries, row)}"
        fail("interactions", "have finite, non-negative ratings", got)
    keys = users.codes.astype(np.int64) * max(len(items.names), 1) + items.codes
    with renamed("times", "interactions"):
        when = np.zeros(n_rows) if times is None else read_times(times, n_rows).ranks
    order = np.lexsort((when, keys))
    lasts = order[find_edges(keys[order])[1:] - 1]
    _check_lasts(entries, keys, when, lasts, order)
    users, items = (each._replace(codes=each.codes[lasts]) for each in (users, items))
    return Entries(users, items, grades[lasts], USER_ITEMS)


def _check_lasts(
    entries: Entries, keys: np.ndarray, when: np.ndarray, lasts: np.ndarray, order: np.ndarray
) -> None:
    """Check that all rows with the last time have the same rating."""
    last = lasts[np.searchsorted(keys[lasts], keys[order])]
    grades = entries.values
    are_nan, is_nan = np.isnan(grades[order]), np.isnan(grades[last])
    is_other = np.where(are_nan | is_nan, are_nan != is_nan, grades[order] != grades[last])
    differ = np.flatnonzero((when[order] == when[last]) & is_other)
    if len(differ):
        row, other = int(order[differ[0]]), int(last[differ[0]])
        got = f"{grades[row]} and {grades[other]} for {show_entry(entries, row)}"
        fix = "To use the last rating, add a column 'time' in which the last time is unique."
        fail("interactions", "have one rating per user and item", got, fix)
