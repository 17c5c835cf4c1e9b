"""Rows of labels, scores and groups from recommendations and interactions: lists or long frames."""

import re
from collections.abc import Mapping, Set
from itertools import chain, pairwise
from typing import Any, Literal, NamedTuple

import numpy as np

from .._checks import explain_parameters
from .._checks.arrays import check_in_memory, is_array, is_masked, is_sparse, read_array, read_list
from .._checks.codes import MISSING_TYPES, as_array, find_edges, rank_ids
from .._checks.containers import check_same_order, column_names, count_rows, is_default_index, read_mapping
from .._checks.errors import fail
from .._checks.options import check_choice, check_flag
from .._checks.types import Arguments, Labels, Table, Values
from ._entries import (
    EACH_ROW,
    Entries,
    EntrySource,
    Ids,
    check_ranks,
    check_values,
    join_ids,
    show_entry,
    show_id,
    show_typed_id,
)
from ._join import Sides, join_entries, join_names
from ._mismatch import check_overlap, check_swap, find_overlap, fix_order
from ._run_objects import check_columns, choose_names, find_column, read_column, read_ids, read_ranks

OF_LISTS = "hold a list of items per user"
OF_RANKS = (
    "have a row per user and numbered columns, one per rank, as (0, 1, ...) or (rank_1, rank_2, ...): "
    "from_interactions takes a long frame with scores; turn others into lists by user, or into an array"
)


class UserItems(NamedTuple):
    """The items of all users, concatenated."""

    users: np.ndarray  # number of the user of each item
    items: np.ndarray  # item ids
    places: np.ndarray  # rank of the item in the user's list, from 0
    grades: np.ndarray


@explain_parameters
def from_recommendations(
    relevant: Labels, recommended: Any, *, padding: object = None, return_items: bool = False
) -> tuple[np.ndarray, ...]:
    """Turn relevant items and ranked lists per user into labels, scores and user ids by row.

    Parameters
    ----------
    relevant : mapping of user to collection, sequence of collections, or ndarray of shape (n_users, n_items)
        The relevant items per user, grade 1; or a mapping of item to grade per user. A mapping of users if
        `recommended` is one, else in the same order.
    recommended : mapping of user to sequence, sequence of sequences, or ndarray of shape (n_users, n_items)
        Item ids per user, best first. A pandas.Series is a mapping by its index. A frame is an array: a row
        per user, a numbered column per rank; :func:`from_interactions` takes those with a row per item.
    padding : object, default=None
        What fills the end of a list where a user has fewer items; None, NaN and NA always do.
    return_items : bool, default=False
        Return the item of each row too, as the metrics of items want them.

    Returns
    -------
    y_true : ndarray of shape (n_rows,)
        The grade of each (user, item), 0 where it is not relevant.
    y_score : ndarray of shape (n_rows,)
        Falls along each list; -inf for relevant items that were not recommended.
    groups : ndarray of shape (n_rows,)
        The user: the key of a mapping, else the position. A user with neither kind of item has no row.
    items : ndarray of shape (n_rows,)
        The item; only with ``return_items=True``.

    Raises
    ------
    ValueError
        If the two do not go together, have no user in common or items of different types, or a list names an
        item twice or has padding before an item.

    Warns
    -----
    RankingWarning
        If item ids seem to be written differently in the two arguments.

    Examples
    --------
    >>> from sklearn_rank import from_recommendations, recall_at_k_score
    >>> relevant = {"ann": {"y"}, "bob": {"v", "z"}}
    >>> recommended = {"ann": ["x", "y"], "bob": ["z"]}
    >>> y_true, y_score, groups = from_recommendations(relevant, recommended)
    >>> recall_at_k_score(y_true, y_score, groups=groups, k=2, average=None)
    array([1. , 0.5])
    """
    check_flag(return_items, "return_items")
    if is_array(type(padding)):
        fail("padding", "be one value", type(padding).__name__)
    given = {"recommended": recommended, "relevant": relevant}
    check_in_memory(**given)
    recommended, relevant = (_open_lists(lists, name) for name, lists in given.items())
    # Only frames, whose users are matched by position; a Series is matched by its index.
    frames = {name: lists for name, lists in given.items() if column_names(lists) is not None}
    check_same_order(**frames)
    _check_frames(frames)
    users = _match_users(recommended, relevant, type(given["relevant"]).__name__)
    shown = _flatten_lists("recommended", recommended, users, padding)
    wanted = _flatten_lists("relevant", relevant, users, padding)
    n_shown = len(shown.users)
    both = Ids(EACH_ROW, shown.items), Ids(EACH_ROW, wanted.items)
    codes = rank_ids(join_names(*both, ("recommended", "relevant"), "item"))
    n_codes = codes.max(initial=0) + 1
    keys = np.concatenate((shown.users, wanted.users)) * n_codes + codes
    shown_keys, wanted_keys = keys[:n_shown], keys[n_shown:]
    _check_once(shown, shown_keys, users)
    wanted_keys, first = np.unique(wanted_keys, return_index=True)
    grades = wanted.grades[first]
    missed = ~np.isin(wanted_keys, shown_keys)
    names = np.arange(int(keys.max(initial=-1) // n_codes) + 1) if users is None else as_array(users)
    n_common = np.bincount(wanted.users[first[~missed]], minlength=len(names))
    overlap = find_overlap((shown.users, wanted.users), both, names, n_common, may_miss=True)
    check_overlap(overlap, ("'recommended'", "'relevant'"), ("user", "item"))
    rows = np.concatenate((np.arange(n_shown), n_shown + first[missed]))
    user_of_row = np.concatenate((shown.users, wanted.users))[rows]
    y_score = np.concatenate((-1.0 - shown.places, np.full(missed.sum(), -np.inf)))
    place = np.searchsorted(wanted_keys, shown_keys)
    is_wanted = np.append(wanted_keys, -1)[place] == shown_keys
    y_true = np.concatenate((np.where(is_wanted, np.append(grades, 0.0)[place], 0.0), grades[missed]))
    result = (y_true, y_score, user_of_row if users is None else as_array(users)[user_of_row])
    return (*result, join_ids(shown.items, wanted.items)[rows]) if return_items else result


def _open_lists(lists: Any, name: str) -> Any:
    """Turn a Series into a mapping, a frame into an array, and pyarrow's lists into a list of lists."""
    if is_sparse(lists):
        fail(name, OF_LISTS, type(lists).__name__)
    if is_masked(lists):
        fail(name, "not have a mask: None is padding", "a MaskedArray")
    names = column_names(lists)
    if names is not None and not _are_ranks(names):
        fail(name, OF_RANKS, f"the columns {', '.join(map(repr, names))}")
    if isinstance(lists, np.ndarray) or names is not None:
        return read_array(lists, name, OF_LISTS)
    return lists.to_pylist() if hasattr(lists, "to_pylist") else read_mapping(lists, name)


def _are_ranks(names: Any) -> bool:
    """Return whether the column names end in consecutive numbers, which are ranks."""
    ends = [re.search(r"[0-9]+$", str(name)) for name in names]
    ranks = [int(end[0]) for end in ends if end]
    return len(ranks) == len(ends) and all(after == rank + 1 for rank, after in pairwise(ranks))


def _check_frames(frames: Arguments) -> None:
    """Check that two frames, which are matched by position, have no different users in their indexes."""
    indexes = [each.index for each in frames.values() if hasattr(type(each), "iloc")]
    indexes = [index for index in indexes if not is_default_index(index)]
    if len(indexes) == 2 and len(indexes[0]) == len(indexes[1]) and not indexes[0].equals(indexes[1]):
        rule = "have the users of 'recommended' in its index: frame.T.to_dict('list') is matched by user"
        fail("relevant", rule, "others")


def _match_users(recommended: Any, relevant: Labels, got: str) -> list[Any] | None:
    """Return the users of two mappings, those of `recommended` first; None if matched by position."""
    if isinstance(recommended, Mapping) != isinstance(relevant, Mapping):
        fail("relevant", "be a mapping or Series by user if 'recommended' is one, and only then", got)
    if isinstance(recommended, Mapping):
        if recommended and relevant and not any(user in relevant for user in recommended):
            known, other = (show_typed_id(next(iter(lists))) for lists in (recommended, relevant))
            fail("relevant", f"name users of 'recommended', such as {known}", f"none, but {other}")
        return list(dict.fromkeys(chain(recommended, relevant)))
    counts = []
    for name, lists in (("recommended", recommended), ("relevant", relevant)):
        if isinstance(lists, str | bytes | Set) or not hasattr(lists, "__len__"):
            fail(name, OF_LISTS, type(lists).__name__)
        counts.append(count_rows(lists, name))
    if counts[0] != counts[1]:
        fail("relevant", f"have as many users as 'recommended', {counts[0]}", counts[1])
    return None


def _flatten_lists(name: str, lists: Any, users: list[Any] | None, padding: object) -> UserItems:
    """Flatten the lists of all users, without padding and missing items."""
    grades = None
    if isinstance(lists, np.ndarray) and lists.ndim == 2:
        user_of, items = np.repeat(np.arange(len(lists)), lists.shape[1]), lists.ravel()
    else:
        of_users = lists if users is None else [lists.get(user, ()) for user in users]
        rows = [_check_row(name, row) for row in read_list(of_users, name, OF_LISTS)]
        user_of = np.repeat(np.arange(len(rows)), [len(row) for row in rows])
        items = as_array(list(chain.from_iterable(rows)))
        if any(isinstance(row, Mapping) for row in rows):
            grades = _read_grades(rows, users)
    kept = ~_is_missing(items, padding)
    if name == "recommended":
        _check_holes(user_of, items, kept, users)
    user_of, items = user_of[kept], items[kept]
    places = np.arange(len(items)) - np.searchsorted(user_of, user_of)
    return UserItems(user_of, items, places, np.ones(len(items)) if grades is None else grades[kept])


def _check_holes(user_of: np.ndarray, items: np.ndarray, kept: np.ndarray, users: list[Any] | None) -> None:
    """Check that no item follows padding, because its rank would change."""
    holes = np.flatnonzero(~kept[:-1] & kept[1:] & (user_of[:-1] == user_of[1:]))
    if len(holes):
        before, item = items[holes[0] : holes[0] + 2].tolist()
        got = f"{before!r} before {item!r} of the user {_name_user(user_of[holes[0]], users)}"
        fail("recommended", "have padding only at the end of a list", got)


def _name_user(user: int, users: list[Any] | None) -> str:
    return show_id(int(user) if users is None else users[user])


def _check_once(shown: UserItems, keys: np.ndarray, users: list[Any] | None) -> None:
    """Check that no list contains an item twice."""
    order = np.argsort(keys, kind="stable")
    again = order[1:][np.diff(keys[order]) == 0]
    if len(again):
        row = again.min()
        item = show_id(shown.items[[row]].tolist()[0])
        got = f"{item} again for the user {_name_user(shown.users[row], users)}"
        fix = f"If {item} fills short lists, pass padding={item}."
        fail("recommended", "name an item once per user", got, fix)


def _check_row(name: str, row: Any) -> Any:
    """Check one user's items. Recommended items need an order; relevant items can have grades."""
    if is_sparse(row):  # some sparse types are mappings
        fail(name, OF_LISTS, type(row).__name__)
    if name == "recommended" and isinstance(row, Mapping | Set):
        fail(name, "hold lists, whose order is the ranking", type(row).__name__, fix_order())
    if isinstance(row, np.ndarray) and row.ndim:
        return row.tolist()
    return row if isinstance(row, list | tuple | Mapping | Set) else read_list(row, name, OF_LISTS)


def _read_grades(rows: list[Table], users: list[Any] | None) -> np.ndarray:
    """Return the grade of each item; a user without items can have any empty collection."""
    if any(len(row) and not isinstance(row, Mapping) for row in rows):
        fail("relevant", "hold mappings of item to grade for all users or for none", "both")
    grades = [grade for row in rows if len(row) for grade in row.values()]
    values = read_column(as_array(grades), "grades", "relevant")
    bad = (values < 0) | np.isinf(values)
    if bad.any():
        graded = [(user, row) for user, row in zip(users or range(len(rows)), rows) if len(row)]
        places = [(user, *pair) for user, row in graded for pair in row.items()]
        user, item, grade = places[int(bad.argmax())]
        rule = "have numbers as grades, finite and >= 0, float('nan') where not judged"
        fail("relevant", rule, f"{grade!r} of the item {item!r} of the user {user!r}")
    return values


def _is_missing(items: np.ndarray, padding: object) -> np.ndarray:
    """Return a mask of the items that are padding, None, NaN or NA."""
    if items.dtype == object:
        given = items.tolist()
        marks = [type(item).__name__ in MISSING_TYPES or not _equals(item, item, True) for item in given]
        missing = np.array(marks, dtype=bool)
    else:
        missing = items != items
    if padding is None:
        return missing
    return missing | np.array([_equals(item, padding, False) for item in items.tolist()], dtype=bool)


def _equals(item: object, other: object, otherwise: bool) -> bool:
    """Return whether ids are equal; `otherwise` if the comparison fails (they are rejected later)."""
    if isinstance(item, np.timedelta64) != isinstance(other, np.timedelta64):  # numpy would convert 1
        return False
    try:
        return bool(item == other)
    except Exception:
        return otherwise


OF_USERS = EntrySource(words=("user", "item"))
# The names of `users` in `queries`.
QUERIES = {"all": "all", "both": "both", "recommended": "run", "interacted": "judged"}


@explain_parameters
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
    """Read users, items and scores, or ranks as decreasing scores."""
    source = ("recommended", columns)
    users, items = (read_ids(find_column(frame, key, *source), source[0]) for key in ("query", "document"))
    scores = find_column(frame, "score", *source, needed=not choose_names(frame, "rank", columns))
    if scores is None:
        values = -read_column(find_column(frame, "rank", *source), "ranks", "recommended")
    else:
        values = read_column(scores, "scores", "recommended")
    return check_values(Entries(users, items, values, OF_USERS, read_ranks(frame, columns)), "recommended")


def _read_interactions(frame: Table, columns: Arguments) -> Entries:
    """Read users, items and ratings; use the last of several rows of the same user and item."""
    source = ("interactions", columns)
    users, items = (read_ids(find_column(frame, key, *source), source[0]) for key in ("query", "document"))
    ratings = find_column(frame, "grade", *source, needed=False)
    times = find_column(frame, "time", *source, needed=False)
    n_rows = len(users.codes)
    grades = np.ones(n_rows) if ratings is None else read_column(ratings, "ratings", "interactions")
    entries = Entries(users, items, grades, OF_USERS)
    bad = (grades < 0) | np.isinf(grades)
    if bad.any():
        row = int(bad.argmax())
        fail("interactions", "have ratings from 0 on", f"{grades[row]} for {show_entry(entries, row)}")
    keys = users.codes.astype(np.int64) * max(len(items.names), 1) + items.codes
    when = np.zeros(n_rows) if times is None else _read_times(times)
    order = np.lexsort((when, keys))
    lasts = order[find_edges(keys[order])[1:] - 1]
    _check_lasts(entries, keys, when, lasts, order)
    users, items = (each._replace(codes=each.codes[lasts]) for each in (users, items))
    return Entries(users, items, grades[lasts], OF_USERS)


def _read_times(times: Values) -> np.ndarray:
    """Return times as numbers in the same order."""
    read = np.asarray(times)
    if read.dtype.kind not in "iufM" or (read != read).any():
        rule = "have dates or numbers as times, none missing"
        fail("interactions", rule, f"dtype {read.dtype}" if read.dtype.kind not in "fM" else "NaN")
    return read.astype(np.int64) if read.dtype.kind == "M" else read


def _check_lasts(
    entries: Entries, keys: np.ndarray, when: np.ndarray, lasts: np.ndarray, order: np.ndarray
) -> None:
    """Check that all rows with the last time have the same rating."""
    last = lasts[np.searchsorted(keys[lasts], keys[order])]
    grades = entries.values
    is_other = (grades[order] != grades[last]) & ~np.isnan(grades[order] + grades[last])
    is_other |= np.isnan(grades[order]) != np.isnan(grades[last])
    differ = np.flatnonzero((when[order] == when[last]) & is_other)
    if len(differ):
        row, other = int(order[differ[0]]), int(last[differ[0]])
        rule = "have one rating per user and item, or a column 'time' that says which is the last"
        fail("interactions", rule, f"{grades[row]} and {grades[other]} for {show_entry(entries, row)}")
