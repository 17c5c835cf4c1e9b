"""Rows of labels, scores and user ids from lists of recommendations."""

import re
from collections.abc import Mapping, Set
from itertools import chain, pairwise
from typing import Any, NoReturn

import numpy as np

from .._checks import explain_parameters
from .._checks.arrays import (
    check_in_memory,
    is_array,
    is_masked,
    is_sparse,
    read_array,
    reuse_memory,
)
from .._checks.codes import (
    as_array,
    decode_ascii,
    find_places,
)
from .._checks.containers import check_same_order, column_names, count_rows, is_default_index, read_mapping
from .._checks.errors import count_of, fail
from .._checks.groups import check_groups
from .._checks.missed import split_missed
from .._checks.options import check_flag
from .._checks.types import Arguments, Labels
from .._checks.warn import RankingWarning, warn_user
from ._entries import EACH_ROW, Ids, show_id, show_typed_id, start_warning
from ._join import join_names, number_backwards
from ._mismatch import check_lists, check_overlap, find_overlap
from ._run_objects import show_names
from ._user_items import LISTS_FIX, LISTS_RULE, UserItems, flatten_lists, name_user

OF_ROWS = "Pass numpy.split({0}.indices, {0}.indptr[1:-1]), the items of each row of a CSR matrix."
RANKS_FIX = (
    "For a frame with one row per user, name the columns rank_1, rank_2, ... For one row per user and item, "
    "use from_interactions(interactions, recommended)."
)


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
    sides = [flatten_lists(*each, users, padding) for each in lists_of.items()]
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
    y_score = np.concatenate((-1.0 - find_places(ranked.users), np.full(len(added), -np.inf)))
    y_true = np.zeros(len(y_score))
    y_true[hits] = judged.grades[first[places]]
    y_true[n_ranked:] = judged.grades[added]
    groups = np.concatenate((ranked.users, judged.users[added]))
    result: tuple[Any, ...] = (y_true, y_score, groups if users is None else names[groups])
    if return_items:
        chosen = items[np.concatenate((np.arange(n_ranked), n_ranked + added))]
        result = (*result, decode_ascii(chosen))
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
    got = f"{item} twice for user {name_user(ranked.users[row], users)}"
    fix = f"If {item} fills short lists, pass padding={item}."
    fail("recommended", "contain each item once per user", got, fix)
