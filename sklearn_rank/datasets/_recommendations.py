"""Rows of labels, scores and user ids from lists of recommendations."""

import re
from collections.abc import Mapping, Set
from itertools import chain, pairwise
from typing import Any, NamedTuple

import numpy as np

from .._checks import explain_parameters
from .._checks.arrays import check_in_memory, is_array, is_masked, is_sparse, read_array, read_list
from .._checks.codes import MISSING_TYPES, as_array, find_edges, rank_ids
from .._checks.containers import check_same_order, column_names, count_rows, is_default_index, read_mapping
from .._checks.errors import count_of, fail
from .._checks.groups import check_groups
from .._checks.missed import split_missed
from .._checks.options import check_flag
from .._checks.types import Arguments, Labels, Table
from .._checks.warn import RankingWarning, warn_user
from ._entries import EACH_ROW, Ids, join_ids, show_id, show_typed_id, start_warning
from ._join import join_names
from ._mismatch import check_lists, check_overlap, find_overlap, fix_order
from ._run_objects import read_column, show_names

LISTS_RULE = "contain a list of items per user"
LISTS_FIX = "Pass one list for each user, such as [['a', 'b'], []]."
OF_ROWS = "Pass numpy.split({0}.indices, {0}.indptr[1:-1]), the items of each row of a CSR matrix."
RANKS_FIX = (
    "For a frame with one row per user, name the columns rank_1, rank_2, ... For one row per user and item, "
    "use from_interactions(interactions, recommended)."
)


class UserItems(NamedTuple):
    """The items of all users, concatenated."""

    users: np.ndarray  # index of the user of each item
    items: np.ndarray  # item ids
    places: np.ndarray  # rank of the item in the user's list, from 0
    grades: np.ndarray


@explain_parameters
def from_recommendations(
    relevant: Labels,
    recommended: object,
    *,
    seen: object = None,
    padding: object = None,
    return_items: bool = False,
    return_missed: bool = False,
) -> tuple[Any, ...]:
    """Convert relevant items and ranked lists of users to labels, scores and user ids.

    Parameters
    ----------
    relevant : mapping of user to collection, sequence of collections, or ndarray of shape (n_users, n_items)
        Relevant items of each user, with grade 1, or a mapping of item to grade for each user. Pass a mapping
        if `recommended` is a mapping; otherwise, use the same order of users.
    recommended : mapping of user to sequence, sequence of sequences, or ndarray of shape (n_users, n_items)
        Item ids of each user, best first. The index of a pandas.Series contains the users. A frame has one
        row per user and one numbered column per rank. For one row per item, use :func:`from_interactions`.
    seen : mapping, sequence or ndarray, default=None
        Items that each user already knows, in the form of `relevant`; in mappings of item to grade, those
        with nonzero grades. These pairs are excluded, also if they are relevant.
    padding : object, default=None
        Value that fills the end of lists with fewer items. None, NaN and NA are always padding.
    return_items : bool, default=False
        Whether to also return the item of each row, which metrics of items need.
    return_missed : bool, default=False
        As in :func:`from_run`, for relevant items that were not recommended.

    Returns
    -------
    y_true : ndarray of shape (n_rows,)
        Grades of users and items; 0 if the item is not relevant.
    y_score : ndarray of shape (n_rows,)
        Scores that decrease along each list; -inf for relevant items that were not recommended.
    groups : ndarray of shape (n_rows,)
        User ids: the keys of a mapping, otherwise the positions. A user without any item has no row. Rows of
        items that were not recommended are last, in decreasing order of the items of a user.
    items : ndarray of shape (n_rows,)
        Item ids; only with ``return_items=True``.
    missed : Missed
        Labels of the relevant items that were not retrieved; only with ``return_missed=True``.

    Raises
    ------
    ValueError
        If `relevant` and `recommended` have no user in common, different numbers of users or items of
        different types, if a list contains an item twice, or if padding precedes an item.

    Warns
    -----
    RankingWarning
        If item ids seem to be written differently in `relevant` and `recommended`, or if users without a list
        get no row because of ``return_missed=True``.

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
    check_flag(return_missed, "return_missed")
    if is_array(type(padding)):
        fail("padding", "be a single value", type(padding).__name__)
    given = {"recommended": recommended, "relevant": relevant}
    given |= {} if seen is None else {"seen": seen}
    check_in_memory(**given)
    lists_of = {name: _open_lists(lists, name) for name, lists in given.items()}
    # Only frames, whose users are matched by position; a Series is matched by its index.
    frames = {name: lists for name, lists in given.items() if column_names(lists) is not None}
    check_same_order(**frames)
    _check_frames(frames)
    users = _match_users(lists_of, given)
    ranked, judged, *known = (_flatten_lists(*each, users, padding) for each in lists_of.items())
    n_ranked, n_both = len(ranked.users), len(ranked.users) + len(judged.users)
    both = Ids(EACH_ROW, ranked.items), Ids(EACH_ROW, judged.items)
    names, ids = join_names(*both, ("recommended", "relevant"), "item")
    for each in known:
        sides = Ids(EACH_ROW, names), Ids(EACH_ROW, each.items)
        names, ids = join_names(*sides, ("recommended", "seen"), "item")
    codes = rank_ids(ids)
    codes = codes.max(initial=0) - codes  # decreasing ids, as in from_run
    n_codes = codes.max(initial=0) + 1
    keys = np.concatenate([each.users for each in (ranked, judged, *known)]) * n_codes + codes
    ranked_keys, judged_keys, known_keys = np.split(keys, (n_ranked, n_both))
    order = np.argsort(ranked_keys, kind="stable")
    ordered = ranked_keys[order]
    _check_once(ranked, ordered, order, users)
    judged_keys, first = np.unique(judged_keys, return_index=True)
    grades = judged.grades[first]
    place = np.searchsorted(ordered, judged_keys)
    missed = np.append(ordered, -1)[place] != judged_keys
    names = np.arange(int(keys.max(initial=-1) // n_codes) + 1) if users is None else as_array(users)
    check_lists(*(np.bincount(each.users, minlength=len(names)) for each in (judged, ranked)))
    n_common = np.bincount(judged.users[first[~missed]], minlength=len(names))
    overlap = find_overlap((ranked.users, judged.users), both, names, n_common, may_miss=True)
    check_overlap(overlap, ("'recommended'", "'relevant'"), ("user", "item"))
    added = first[missed]  # relevant items that are not in the list of their user
    user_of_row = np.concatenate((ranked.users, judged.users[added]))
    y_score = np.concatenate((-1.0 - ranked.places, np.full(missed.sum(), -np.inf)))
    y_true = np.concatenate((np.zeros(n_ranked), grades[missed]))
    y_true[order[place[~missed]]] = grades[~missed]
    result: tuple[Any, ...] = (
        y_true,
        y_score,
        user_of_row if users is None else as_array(users)[user_of_row],
    )
    if return_items:
        rows = np.concatenate((np.arange(n_ranked), n_ranked + added))
        result = (*result, join_ids(ranked.items, judged.items)[rows])
    if known:
        new = ~np.isin(np.concatenate((ranked_keys, judged_keys[missed])), known_keys[known[0].grades != 0])
        result = tuple(each[new] for each in result)
    if not return_missed:
        return result
    lists = lists_of["recommended"]
    if lacking := [user for user in users or () if user not in lists]:
        fact = f"'recommended' has no list for {len(lacking)} of {count_of(len(users or ()), 'user')}"
        effect = f"such as {show_id(lacking[0])}, so they have no row. Pass an empty list if that is intended"
        warn_user(f"{start_warning()}{fact}, {effect}.", RankingWarning)
    return split_missed(result)


def _open_lists(lists: object, name: str) -> Any:
    """Turn a Series into a mapping, a frame into an array, and pyarrow's lists into a list of lists."""
    if is_sparse(lists):
        of_scores = "For a matrix of scores, use from_score_matrix(relevant, scores)."
        fix = of_scores if name == "recommended" else OF_ROWS.format(name)
        fail(name, LISTS_RULE, type(lists).__name__, fix)
    if is_masked(lists):
        fail(name, "not be masked", "a MaskedArray", "Replace masked items by None, which is padding.")
    names = column_names(lists)
    if names is not None and not _are_ranks(names):
        fail(name, "have numbered columns, one per rank", f"the columns {show_names(names)}", RANKS_FIX)
    if isinstance(lists, np.ndarray) or names is not None:
        return read_array(lists, name, LISTS_RULE)
    return lists.to_pylist() if hasattr(lists, "to_pylist") else read_mapping(lists, name)


def _are_ranks(names: Any) -> bool:
    """Return whether the column names end in consecutive numbers, which are ranks."""
    ends = [re.search(r"[0-9]+$", str(name)) for name in names]
    ranks = [int(end[0]) for end in ends if end]
    return len(ranks) == len(ends) and all(after == rank + 1 for rank, after in pairwise(ranks))


def _check_frames(frames: Arguments) -> None:
    """Check that the indexes of frames, which are matched by position, contain the same users."""
    indexes = {name: each.index for name, each in frames.items() if hasattr(type(each), "iloc")}
    named = [(name, index) for name, index in indexes.items() if not is_default_index(index)]
    for (first, expected), (name, index) in pairwise(named):
        if len(index) == len(expected) and not index.equals(expected):
            fix = "To match frames by user, pass frame.T.to_dict('list') for each."
            fail(name, f"have the same index as {first!r}", "another index", fix)


def _match_users(lists_of: Arguments, given: Arguments) -> list[Any] | None:
    """Return the users of mappings, those of `recommended` first; None if matched by position.

    Users of `seen` who have no other items are left out.
    """
    recommended, relevant = lists_of["recommended"], lists_of["relevant"]
    for name, lists in lists_of.items():
        if isinstance(recommended, Mapping) != isinstance(lists, Mapping):
            got = type(given[name]).__name__
            rule = "be a mapping or Series by user if and only if 'recommended' is one"
            fail(name, rule, got, "Pass both as dicts {user: items}, or both as lists.")
        if isinstance(lists, Mapping):
            check_groups(as_array(list(lists)), len(lists), name)
    if isinstance(recommended, Mapping):
        if recommended and relevant and not any(user in relevant for user in recommended):
            known, other = (show_typed_id(next(iter(lists))) for lists in (recommended, relevant))
            rule = f"contain a user of 'recommended', such as {known}"
            fail("relevant", rule, f"users such as {other}", "Use the same user ids in both.")
        return list(dict.fromkeys(chain(recommended, relevant)))
    counts = {}
    for name, lists in lists_of.items():
        if isinstance(lists, str | bytes | Set) or not hasattr(lists, "__len__"):
            fail(name, LISTS_RULE, type(lists).__name__, LISTS_FIX)
        counts[name] = count_rows(lists, name)
        if counts[name] != counts["recommended"]:
            got = f"{counts[name]} user{'s' * (counts[name] != 1)}"
            rule = f"have as many users as 'recommended' ({counts['recommended']})"
            fail(name, rule, got, "Pass both as dicts {user: items}.")
    return None


def _flatten_lists(name: str, lists: Any, users: list[Any] | None, padding: object) -> UserItems:
    """Flatten the lists of all users, without padding and missing items."""
    grades = None
    if isinstance(lists, np.ndarray) and lists.ndim == 2:
        user_of, items = np.repeat(np.arange(len(lists)), lists.shape[1]), lists.ravel()
    else:
        of_users = lists if users is None else [lists.get(user, ()) for user in users]
        given = read_list(of_users, name, LISTS_RULE, LISTS_FIX)
        plain = {list, tuple} if name == "recommended" else {list, tuple, set, frozenset, dict}
        rows = [row if type(row) in plain else _check_row(name, row) for row in given]
        user_of = np.repeat(np.arange(len(rows)), list(map(len, rows)))
        items = as_array(list(chain.from_iterable(rows)))
        if any(issubclass(kind, Mapping) for kind in set(map(type, rows))):
            grades = _read_grades(name, rows, users)
    kept = ~_is_missing(items, padding)
    if name == "recommended":
        _check_holes(user_of, items, kept, users)
    if not kept.all():
        user_of, items = user_of[kept], items[kept]
    edges = find_edges(user_of)
    places = np.arange(len(items)) - np.repeat(edges[:-1], np.diff(edges))
    return UserItems(user_of, items, places, np.ones(len(items)) if grades is None else grades[kept])


def _check_holes(user_of: np.ndarray, items: np.ndarray, kept: np.ndarray, users: list[Any] | None) -> None:
    """Check that no item follows padding, because its rank would change."""
    holes = np.flatnonzero(~kept[:-1] & kept[1:] & (user_of[:-1] == user_of[1:]))
    if len(holes):
        before, item = items[holes[0] : holes[0] + 2].tolist()
        got = f"{show_id(before)} before {show_id(item)} for user {_name_user(user_of[holes[0]], users)}"
        fail("recommended", "have padding only at the end of a list", got)


def _name_user(user: int, users: list[Any] | None) -> str:
    return show_id(int(user) if users is None else users[user])


def _check_once(ranked: UserItems, keys: np.ndarray, order: np.ndarray, users: list[Any] | None) -> None:
    """Check that no list contains an item twice; `keys` are sorted by `order`."""
    again = order[1:][np.diff(keys) == 0]
    if len(again):
        row = again.min()
        item = show_id(ranked.items[[row]].tolist()[0])
        got = f"{item} twice for user {_name_user(ranked.users[row], users)}"
        fix = f"If {item} fills short lists, pass padding={item}."
        fail("recommended", "contain each item once per user", got, fix)


def _check_row(name: str, row: object) -> Any:
    """Check one user's items. Recommended items need an order; relevant items can have grades."""
    if is_sparse(row):  # some sparse types are mappings
        fail(name, LISTS_RULE, type(row).__name__, "Pass the column numbers, matrix[row].indices.")
    if name == "recommended" and isinstance(row, Mapping | Set):
        fail(name, "contain a list of items per user, best first", type(row).__name__, fix_order())
    if isinstance(row, np.ndarray) and row.ndim:
        return row.tolist()
    return (
        row if isinstance(row, list | tuple | Mapping | Set) else read_list(row, name, LISTS_RULE, LISTS_FIX)
    )


def _read_grades(name: str, rows: list[Table], users: list[Any] | None) -> np.ndarray:
    """Return the grade of each item; a user without items can have any empty collection."""
    if any(len(row) and not isinstance(row, Mapping) for row in rows):
        rule = "contain a mapping of item to grade for every user or for no user"
        fail(name, rule, "mappings and other collections")
    grades = [grade for row in rows if len(row) for grade in row.values()]
    values = read_column(as_array(grades), "grades", name)
    bad = (values < 0) | np.isinf(values)
    if bad.any():
        graded = [(user, row) for user, row in zip(users or range(len(rows)), rows) if len(row)]
        places = [(user, *pair) for user, row in graded for pair in row.items()]
        user, item, grade = places[int(bad.argmax())]
        got = f"{grade!r} for item {show_id(item)} of user {show_id(user)}"
        fix = "For an item that was not judged, pass float('nan')."
        fail(name, "have finite, non-negative grades", got, fix)
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
    given = list(items) if items.dtype.kind == "m" else items.tolist()
    return missing | np.array([_equals(item, padding, False) for item in given], dtype=bool)


def _equals(item: object, other: object, otherwise: bool) -> bool:
    """Return whether ids are equal; `otherwise` if the comparison fails (they are rejected later)."""
    if isinstance(item, np.timedelta64) != isinstance(other, np.timedelta64):  # numpy would convert 1
        return False
    try:
        return bool(item == other)
    except Exception:
        return otherwise
