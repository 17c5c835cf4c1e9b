"""Rows of labels, scores and groups from long frames of recommendations and of what users did."""

from typing import Any, Literal

import numpy as np

from .._checks.arrays import check_in_memory
from .._checks.codes import find_edges
from .._checks.containers import column_names
from .._checks.errors import fail
from .._checks.options import check_choice, check_flag
from .._checks.types import Arguments, Table, Values
from ._entries import Entries, EntrySource, check_ranks, check_values, show_entry
from ._join import Sides, join_entries
from ._mismatch import check_swap
from ._run_objects import check_columns, choose_names, find_column, read_column, read_ids, read_ranks

OF_USERS = EntrySource(words=("user", "item"))
# What `users` is called among queries.
QUERIES = {"all": "all", "both": "both", "recommended": "run", "interacted": "judged"}


def from_interactions(
    interactions: Any,
    recommended: Any,
    *,
    users: Literal["all", "both", "recommended", "interacted"] = "all",
    columns: Arguments | None = None,
    return_items: bool = False,
) -> tuple[np.ndarray, ...]:
    """Turn long frames of interactions and of recommendations into labels, scores and user ids by row.

    Parameters
    ----------
    interactions : frame of pandas, polars or pyarrow
        A row per user and item of what users did, with the columns user and item. A column rating has the
        grades, else all are 1. Of several rows of one user and item the last by the column time counts.
    recommended : frame of pandas, polars or pyarrow
        A row per user and item that was recommended, with the columns user, item and score, or rank, which
        counts from the best up.
    users : {"all", "both", "recommended", "interacted"}, default="all"
        Those of either frame, of both, or of one.
    columns : mapping of str to name, default=None
        Which columns hold the ``"user"``, the ``"item"``, the ``"score"``, the ``"rank"``, the ``"rating"``
        and the ``"time"``, where they have other names than these.
    return_items : bool, default=False
        Return the item of each row too.

    Returns
    -------
    y_true : ndarray of shape (n_rows,)
        The grade of each user and item; 0 where there was no interaction, NaN where a rating is missing.
    y_score : ndarray of shape (n_rows,)
        Its score; -inf for items of interactions that were not recommended.
    groups : ndarray of shape (n_rows,)
        The user. Users rise; the items of each fall.
    items : ndarray of shape (n_rows,)
        The item; only with ``return_items=True``.

    Raises
    ------
    ValueError
        If an item is recommended twice to a user, ratings of one user and item differ and no time says
        which is the last, a rating is below 0, or the frames have no user in common.

    Warns
    -----
    RankingWarning
        If ranks contradict scores, if item ids seem to be written differently in the two frames, or if the
        frames seem to be swapped.

    See Also
    --------
    from_recommendations : The same from lists.

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
    check_choice("users", users, tuple(QUERIES))
    given = {"recommended": recommended, "interactions": interactions}
    check_in_memory(**given)
    for name, frame in given.items():
        if column_names(frame) is None:
            rule = "be a frame with a row per user and item; from_recommendations takes lists"
            fail(name, rule, type(frame).__name__)
    names = check_columns(columns, **given)
    shown = _read_recommended(recommended, names)
    done = _read_interactions(interactions, names)
    check_ranks(shown, "recommended")
    check_swap(done.values, shown.values, shown.queries.codes)
    sides = Sides(shown, done, ("recommended", "interactions"), missing=0.0)
    return join_entries(sides, QUERIES[users], None).rows(return_items)


def _read_recommended(frame: Table, columns: Arguments) -> Entries:
    """Read users, items and scores, or ranks as scores that fall."""
    asked = ("recommended", columns)
    users, items = (read_ids(find_column(frame, key, *asked), asked[0]) for key in ("query", "document"))
    needed = not choose_names(frame, "rank", columns)
    scores = find_column(frame, "score", *asked, needed=needed)
    if scores is None:
        values = -read_column(find_column(frame, "rank", *asked), "ranks", "recommended")
    else:
        values = read_column(scores, "scores", "recommended")
    ranks = read_ranks(frame, columns)
    return check_values(Entries(users, items, values, OF_USERS, ranks), "recommended")


def _read_interactions(frame: Table, columns: Arguments) -> Entries:
    """Read users, items and ratings: of several rows of one user and item the last counts."""
    asked = ("interactions", columns)
    users, items = (read_ids(find_column(frame, key, *asked), asked[0]) for key in ("query", "document"))
    ratings = find_column(frame, "grade", *asked, needed=False)
    times = find_column(frame, "time", *asked, needed=False)
    n_rows = len(users.codes)
    grades = np.ones(n_rows) if ratings is None else read_column(ratings, "ratings", "interactions")
    entries = Entries(users, items, grades, OF_USERS)
    bad = (grades < 0) | np.isinf(grades)
    if bad.any():
        row = int(bad.argmax())
        got = f"{grades[row]} for {show_entry(entries, row)}"
        fail("interactions", "have ratings from 0 on", got)
    keys = users.codes.astype(np.int64) * max(len(items.names), 1) + items.codes
    when = np.zeros(n_rows) if times is None else _read_times(times)
    order = np.lexsort((when, keys))
    edges = find_edges(keys[order])
    lasts = order[edges[1:] - 1]
    _check_lasts(entries, keys, when, lasts, order)
    users, items = (each._replace(codes=each.codes[lasts]) for each in (users, items))
    return Entries(users, items, grades[lasts], OF_USERS)


def _read_times(times: Values) -> np.ndarray:
    """Return times as numbers that rise with them."""
    read = np.asarray(times)
    if read.dtype.kind not in "iufM" or (read != read).any():
        rule = "have dates or numbers as times, none missing"
        fail("interactions", rule, f"dtype {read.dtype}" if read.dtype.kind not in "fM" else "NaN")
    return read.astype(np.int64) if read.dtype.kind == "M" else read


def _check_lasts(
    entries: Entries, keys: np.ndarray, when: np.ndarray, lasts: np.ndarray, order: np.ndarray
) -> None:
    """Check that all rows that are last by their times have one rating."""
    place = np.searchsorted(keys[lasts], keys[order])
    last = lasts[place]
    grades = entries.values
    is_other = (grades[order] != grades[last]) & ~np.isnan(grades[order] + grades[last])
    is_other |= np.isnan(grades[order]) != np.isnan(grades[last])
    differ = np.flatnonzero((when[order] == when[last]) & is_other)
    if len(differ):
        row, other = int(order[differ[0]]), int(last[differ[0]])
        rule = "have one rating per user and item, or a column 'time' that says which is the last"
        got = f"{grades[row]} and {grades[other]} for {show_entry(entries, row)}"
        fail("interactions", rule, got)
