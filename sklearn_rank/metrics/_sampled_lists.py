"""Lists of one relevant item among drawn ones: where it stands, and whether they can have been drawn so."""

from typing import Any, NamedTuple

import numpy as np

from .._checks.arrays import read_floats
from .._checks.codes import rank_ids
from .._checks.errors import fail, is_int, is_real
from .._checks.groups import check_groups
from .._checks.types import Ids, Values
from ._prepared_input import Opened
from ._query_ids import BY_ID, is_by_id, show_index, take_by_id, unique_groups

RULE_OF_N_ITEMS = "be an int >= 2, or one per user"
RULE_OF_SCORERS = "be an int >= 2, or a mapping or pandas.Series of user id to int"
MOST_NEGATIVES = 2000  # of which a table is fitted: it takes the cube of their number
MOST_ITEMS = 10**8  # likewise: several arrays of as many floats are held, of 0.8 GB each
MOST_TABLES = 1000  # of .1 s and more each


class SampledLists(NamedTuple):
    """Lists of users, in the order of the queries."""

    above: np.ndarray  # candidates above the relevant one
    tied: np.ndarray  # others with its score
    n_negatives: np.ndarray
    found: np.ndarray  # whether there is a relevant item
    relevant: np.ndarray  # which row it is, of rows in the order of the queries


def find_lists(function: str, opened: Opened, min_relevance: float) -> SampledLists:
    """Find the place of the one relevant item of each user."""
    queries = opened.rows.queries
    labels, scores = opened.rows.labels, opened.scores.values
    missing = labels != labels
    if missing.any():
        fail("y_true", function, "not contain NaN: what was drawn is not relevant", f"{missing.sum()} NaN")
    if queries.rows is not None:
        labels, scores = labels[queries.rows], scores[queries.rows]
    relevant = labels >= min_relevance
    n_relevant = np.add.reduceat(relevant, queries.firsts, dtype=np.int64)
    if n_relevant.max() > 1:
        rule = (
            "hold one relevant item per user: among common negatives several are not independent, and their "
            "ideal order is not known; give each a group of its own, with negatives drawn for it"
        )
        fail("y_true", function, rule, f"{n_relevant.max()} of one user")
    found = n_relevant == 1
    n_negatives = queries.lengths - 1
    if (n_negatives[found] == 0).any():
        rule = "hold drawn negatives beside the relevant item of each user"
        fail("y_true", function, rule, "a relevant item alone")
    held = np.repeat(np.arange(len(found))[found], queries.lengths[found])
    own = np.zeros(len(found), dtype=scores.dtype)
    own[found] = scores[relevant]
    of_users = np.repeat(found, queries.lengths)
    others, mark = scores[of_users], own[held]
    above = np.bincount(held[others > mark], minlength=len(found))
    tied = np.bincount(held[others == mark], minlength=len(found)) - found
    return SampledLists(above, tied, n_negatives, found, relevant)


def read_n_items(n_items: Values, groups: Ids, opened: Opened, function: str) -> np.ndarray:
    """Return the number of items of each user, in the order of the queries."""
    queries = opened.rows.queries
    n_users = len(queries.lengths)
    if np.isscalar(n_items):
        numbers = np.full(n_users, check_n_items(n_items, function))
    else:
        numbers = _read_each(n_items, groups, n_users, function)
    if queries.names is None:
        return numbers
    return numbers[np.argsort(np.argsort(queries.names))]


def check_n_items(n_items: Values, function: str, rule: str = RULE_OF_N_ITEMS) -> Any:
    """Check one number of items."""
    if not is_int(n_items) or not 2 <= n_items < 2**53:
        got = repr(n_items) if np.isscalar(n_items) or n_items is None else type(n_items).__name__
        fail("n_items", function, rule, got)
    return n_items


def check_tables(function: str, method: str, kinds: np.ndarray) -> None:
    """Check that tables can be fitted of these numbers of items and negatives, if the method does."""
    if method not in ("bias_variance", "least_bias"):
        return
    n_items, n_negatives = kinds.max(axis=0, initial=0).tolist()
    if n_negatives > MOST_NEGATIVES:
        rule = f"be 'rank' or 'none' for lists of more than {MOST_NEGATIVES} negatives"
        fail("method", function, rule, repr(method))
    if n_items > MOST_ITEMS:
        rule = f"be at most {MOST_ITEMS:,} with method={method!r}, for memory: take method='rank'"
        fail("n_items", function, rule, f"{n_items:,}")
    if len(kinds) > MOST_TABLES:
        rule = (
            f"be of few values with method={method!r}, which fits a table for each pair of one and of "
            f"a number of negatives, at most {MOST_TABLES}: round them to a few values, or take method='rank'"
        )
        fail("n_items", function, rule, f"{len(kinds)} pairs")


def _read_each(n_items: Values, groups: Ids, n_users: int, function: str) -> np.ndarray:
    """Return one number for each user, in the order of the ids."""
    if is_by_id(n_items):
        ids = np.arange(n_users) if groups is None else unique_groups(groups)
        n_items = list(take_by_id(n_items, ids, function, "n_items"))
        strange = [number for number in n_items if not is_real(number)]
        if strange:
            fail("n_items", function, RULE_OF_N_ITEMS, repr(strange[0]))
    elif groups is not None:
        got = f"a {type(n_items).__name__} of one per user{show_index(n_items)}"
        fail("n_items", function, RULE_OF_SCORERS, got, BY_ID)
    numbers = read_floats(n_items, (n_users,), "n_items", function, RULE_OF_N_ITEMS)
    wrong = ~((numbers >= 2) & (numbers < 2**53) & (numbers == np.floor(numbers)))
    if wrong.any():
        fail("n_items", function, RULE_OF_N_ITEMS, numbers[wrong][0])
    return numbers.astype(np.int64)


def check_draws(function: str, lists: SampledLists, n_items: np.ndarray, replacement: bool) -> None:
    """Check that so many negatives can be drawn."""
    many = lists.found & (lists.n_negatives > n_items - 1)
    if many.any() and not replacement:
        rule = "be above the number of negatives, which are drawn without replacement from all items but one"
        got = f"{n_items[many][0]} with {lists.n_negatives[many][0]} negatives"
        fail("n_items", function, rule, got)


def check_items(
    function: str, items: Ids, opened: Opened, lists: SampledLists, n_items: np.ndarray, replacement: bool
) -> None:
    """Refuse items that cannot have been drawn uniformly and for each user anew."""
    queries = opened.rows.queries
    codes = rank_ids(check_groups(items, len(lists.relevant), function, "items"))
    codes = codes if queries.rows is None else codes[queries.rows]
    if codes.max() >= n_items.max():
        fail("n_items", function, f"count all items, of which {codes.max() + 1} are here", n_items.max())
    users = np.repeat(np.arange(len(queries.lengths)), queries.lengths)
    order = np.lexsort((lists.relevant, codes, users))
    users_so, codes_so, relevant_so = users[order], codes[order], lists.relevant[order]
    twice = (codes_so[1:] == codes_so[:-1]) & (users_so[1:] == users_so[:-1])
    of_relevant = twice & relevant_so[1:]
    if of_relevant.any():
        rule = "not hold the relevant item of a user a second time, among the negatives"
        fail("items", function, rule, f"it for {of_relevant.sum()} users")
    if twice.any() and not replacement:
        rule = "hold each item of a user once: negatives are said to be drawn without replacement"
        fail("items", function, rule, f"{twice.sum()} a second time")
    if _are_same(codes, lists, queries.lengths, n_items):
        rule = "differ between users: a correction is for negatives that are drawn for each user anew"
        fail("items", function, rule, "the same negatives for all users")


def _are_same(codes: np.ndarray, lists: SampledLists, lengths: np.ndarray, n_items: np.ndarray) -> bool:
    """Tell whether all users have the same negatives, and these are not all items that there are."""
    alike = len(lengths) > 1 and lists.found.all() and (lengths == lengths[0]).all()
    if not alike or (lengths >= n_items).all():
        return False
    drawn = np.sort(codes[~lists.relevant].reshape(len(lengths), -1), axis=1)
    return bool((drawn == drawn[0]).all())
