"""Rows of labels, scores and user ids from lists of recommendations."""

import re
from collections.abc import Mapping, Set
from itertools import chain, pairwise
from typing import Any, NamedTuple, NoReturn

import numpy as np

from .._checks import explain_parameters
from .._checks.arrays import (
    check_in_memory,
    is_array,
    is_masked,
    is_sparse,
    read_array,
    read_list,
    reuse_memory,
)
from .._checks.codes import (
    FEW_VALUES,
    MISSING_TYPES,
    as_array,
    decode_ascii,
    find_edges,
    flatten_parts,
    read_short_text,
)
from .._checks.containers import check_same_order, column_names, count_rows, is_default_index, read_mapping
from .._checks.errors import count_of, fail
from .._checks.groups import check_groups
from .._checks.missed import split_missed
from .._checks.options import check_flag
from .._checks.types import Arguments, Labels, Table
from .._checks.warn import RankingWarning, warn_user
from ._entries import EACH_ROW, Ids, show_id, show_typed_id, start_warning
from ._join import join_names, number_backwards
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
    reuse_memory()  # for the arrays of all items
    names = np.arange(len(lists_of["recommended"])) if users is None else as_array(users)
    sides = [_flatten_lists(*each, users, padding) for each in lists_of.items()]
    items, (ranked_keys, judged_keys, *known_keys) = _key_items(sides, len(names))
    ranked, judged = sides[:2]
    n_ranked = len(ranked.users)
    judged_keys, first = np.unique(judged_keys, return_index=True)
    found = _find_hits(ranked_keys, judged_keys)
    if found is None:
        _reject_repeated(ranked, ranked_keys, users)
    hits, places = found
    _check_sides(ranked, judged, hits, items, names)
    missed = np.ones(len(first), dtype=bool)
    missed[places] = False
    added = first[missed]  # relevant items that are not in the list of their user
    y_score = np.concatenate((_score_ranks(ranked.users), np.full(len(added), -np.inf)))
    y_true = np.zeros(len(y_score))
    y_true[hits] = judged.grades[first[places]]
    y_true[n_ranked:] = judged.grades[added]
    groups = np.concatenate((ranked.users, judged.users[added]))
    result: tuple[Any, ...] = (y_true, y_score, groups if users is None else names[groups])
    if return_items:
        chosen = items[np.concatenate((np.arange(n_ranked), n_ranked + added))]
        result = (*result, decode_ascii(chosen) if chosen.dtype.kind == "S" else chosen)
    if known_keys:
        is_known = sides[2].grades != 0
        new = ~np.isin(np.concatenate((ranked_keys, judged_keys[missed])), known_keys[0][is_known])
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
        array = read_array(lists, name, LISTS_RULE)
        return array.astype(object) if array.dtype.kind == "S" else array  # elsewhere, "S" is ASCII text
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
        kinds = set(map(type, given))
        rows = given if kinds <= plain else [_check_row(name, row) for row in given]
        user_of = np.repeat(np.arange(len(rows)), np.fromiter(map(len, rows), np.int64, len(rows)))
        are_many = len(user_of) > FEW_VALUES and padding is None  # bytes cannot be compared with padding
        text = read_short_text(flatten_parts(rows)) if are_many else None
        if text is None:
            text = as_array(list(chain.from_iterable(rows)), try_short=not are_many)
        items = text
        if any(issubclass(kind, Mapping) for kind in kinds):
            grades = _read_grades(name, rows, users)
    kept = ~_is_missing(items, padding)
    if not kept.all():
        if name == "recommended":
            _check_holes(user_of, items, kept, users)
        user_of, items = user_of[kept], items[kept]
    return UserItems(user_of, items, np.broadcast_to(1.0, len(items)) if grades is None else grades[kept])


def _check_holes(user_of: np.ndarray, items: np.ndarray, kept: np.ndarray, users: list[Any] | None) -> None:
    """Check that no item follows padding, because its rank would change."""
    holes = np.flatnonzero(~kept[:-1] & kept[1:] & (user_of[:-1] == user_of[1:]))
    if len(holes):
        before, item = items[holes[0] : holes[0] + 2].tolist()
        got = f"{show_id(before)} before {show_id(item)} for user {_name_user(user_of[holes[0]], users)}"
        fail("recommended", "have padding only at the end of a list", got)


def _name_user(user: int, users: list[Any] | None) -> str:
    return show_id(int(user) if users is None else users[user])


def _key_items(sides: list[UserItems], n_users: int) -> tuple[np.ndarray, list[np.ndarray]]:
    """Return recommended and relevant items, and keys for each side to sort by user and decreasing item."""
    ranked, judged, *known = (Ids(EACH_ROW, each.items) for each in sides)
    items, ids = join_names(ranked, judged, ("recommended", "relevant"), "item")
    for each in known:
        _, ids = join_names(Ids(EACH_ROW, items), each, ("recommended", "seen"), "item")
    codes = number_backwards(ids, n_users)
    n_codes = int(codes.max(initial=0)) + 1
    dtype = np.int32 if n_users * n_codes < 2**31 else np.int64  # int32 takes less time to sort
    keys: np.ndarray = np.concatenate([each.users for each in sides], dtype=dtype)
    keys *= n_codes
    keys += codes
    return items, np.split(keys, np.cumsum([len(each.users) for each in sides[:-1]]))


def _check_sides(
    ranked: UserItems, judged: UserItems, hits: np.ndarray, items: np.ndarray, names: np.ndarray
) -> None:
    """Warn if the sides seem to be swapped, or if their items seem to be written differently."""
    users = ranked.users, judged.users
    counts = [np.bincount(each, minlength=len(names)) for each in (*users, ranked.users[hits])]
    check_lists(counts[1], counts[0])
    both = np.split(items, [len(users[0])])
    documents = Ids(EACH_ROW, both[0]), Ids(EACH_ROW, both[1])
    overlap = find_overlap(users, documents, names, counts, may_miss=True)
    check_overlap(overlap, ("'recommended'", "'relevant'"), ("user", "item"))


def _score_ranks(users: np.ndarray) -> np.ndarray:
    """Return scores that decrease from -1 along the list of each user."""
    edges = find_edges(users)
    scores: np.ndarray = np.repeat(edges[:-1] - 1.0, np.diff(edges))
    scores -= np.arange(len(users))
    return scores


def _find_hits(ranked_keys: np.ndarray, judged_keys: np.ndarray) -> tuple[np.ndarray, np.ndarray] | None:
    """Return the rows of relevant items, and the place of each among the judged keys, which are distinct.

    Return None if a list contains an item twice.
    """
    keys = np.concatenate((ranked_keys, judged_keys))
    order = np.argsort(keys)
    ordered = keys[order]
    same = np.flatnonzero(ordered[1:] == ordered[:-1])
    both = order[same], order[same + 1]
    rows, places = np.minimum(*both), np.maximum(*both) - len(ranked_keys)
    are_twice = (places < 0).any() or (np.diff(same) == 1).any()
    return None if are_twice else (rows, places)


def _reject_repeated(ranked: UserItems, keys: np.ndarray, users: list[Any] | None) -> NoReturn:
    """Raise an error that a list contains an item twice."""
    order = np.argsort(keys, kind="stable")
    row = order[1:][np.diff(keys[order]) == 0].min()
    item = show_id(Ids(EACH_ROW, ranked.items).take(np.array([row]))[0])
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
        missing = items != items if items.dtype.kind in "fcmM" else np.zeros(len(items), dtype=bool)
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
