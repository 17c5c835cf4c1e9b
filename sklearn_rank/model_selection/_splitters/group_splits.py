"""`train_test_split` for whole queries, and reading and checks of `cv`."""

from __future__ import annotations

from collections.abc import Callable
from math import ceil, floor
from typing import Any

import numpy as np
from sklearn.model_selection import check_cv

from ..._checks import explain_parameters
from ..._checks.arrays import flatten, read_array, read_floats, read_list
from ..._checks.codes import rank_ids
from ..._checks.containers import check_same_order, count_rows, resolve_groups, take
from ..._checks.errors import count_of, fail, is_int, is_real
from ..._checks.groups import check_groups
from ..._checks.options import check_flag, check_params, check_random
from ..._checks.types import Arguments, ArrayLike, Features, Groups, Labels, RandomState, Splitter
from ..._rows.inner_models import takes
from .balanced_folds import draw_test
from .group_folds import BalancedGroupKFold, count_by_query, read_labels

NO_GROUPS = "Pass groups=qid. Without query ids, rows of a query would be in both sets."
OF_LISTS = type(check_cv([]))  # the type of scikit-learn's splitters around lists of folds
FOLDS = "be an int >= 2, a splitter, None or a list of (train, test) pairs of row numbers"


@explain_parameters
def train_test_split(
    *arrays: Any,
    groups: Groups = None,
    test_size: float | None = None,
    train_size: float | None = None,
    random_state: RandomState = None,
    shuffle: bool = True,
    stratify: ArrayLike | None = None,
) -> list[Any]:
    """Split rows into a training and a test set of whole queries.

    Works like :func:`sklearn.model_selection.train_test_split`, with query ids. Test queries are drawn at
    random so that the test set has about the same share of the rows, of the relevant documents and of the
    queries. The split does not depend on the order of rows.

    Parameters
    ----------
    *arrays : array-like of n_rows
        Data to split: arrays, frames, sparse matrices or lists. Pass the ids here too if you need them split.
    groups : array-like of shape (n_rows,) or str
        Query id of each row, or the name of an index level of one of the first two arrays or of a column of
        the first array.
    test_size : float or int, default=None
        Fraction (rounded up) or number of queries in the test set. If `None`, all queries that are not in the
        training set, or 0.25 if `train_size` is also `None`.
    train_size : float or int, default=None
        Fraction (rounded down) or number of queries in the training set. If `None`, all queries that are not
        in the test set.
    random_state : int, RandomState instance or None, default=None
        Seed of the draw. An int requires ``shuffle=True``.
    shuffle : bool, default=True
        Whether to draw the queries at random. If False, the queries that appear first are in the training
        set, and the following ones in the test set.
    stratify : array-like of shape (n_rows,) or str, default=None
        Labels to balance by, or the name of a column of the first array that contains them. Documents with
        labels above 0 are relevant. Requires ``shuffle=True``. If `None`, the second array is used if it
        contains a number for each row, as in ``train_test_split(X, y, groups=qid)``.

    Returns
    -------
    list
        Training and test part of each array in turn, with rows in their original order.

    See Also
    --------
    BalancedGroupKFold : K folds of whole queries.
    TimeCut : Train on rows before a date and test on later rows.

    Examples
    --------
    >>> from sklearn_rank import train_test_split
    >>> X, y, qid = [[5], [1], [4], [2], [3], [6]], [1, 0, 0, 1, 1, 0], ["a", "b", "c", "a", "b", "c"]
    >>> X_train, X_test, y_train, y_test = train_test_split(X, y, groups=qid, random_state=0)
    >>> X_train, X_test
    ([[5], [4], [2], [6]], [[1], [3]])
    >>> train_test_split(qid, groups=qid, test_size=2, random_state=0)  # the ids are split, too
    [['c', 'c'], ['a', 'b', 'a', 'b']]
    """
    if not arrays:
        fail("arrays", "be at least one array", "none", "Pass train_test_split(X, y, groups=qid).")
    check_flag(shuffle, "shuffle")
    n_rows = count_rows(arrays[0], "arrays")
    for array in arrays:
        if count_rows(array, "arrays") != n_rows:
            rule = f"have as many rows as the first array ({n_rows} rows)"
            fail("arrays", rule, count_of(count_rows(array, "arrays"), "row"))
    given = {f"arrays[{i}]": array for i, array in enumerate(arrays)}
    check_same_order(**given, groups=groups, stratify=stratify)
    second = arrays[1] if len(arrays) > 1 else None
    if groups is None:
        fail("groups", "contain the query id of each row", None, NO_GROUPS)
    ids = check_groups(resolve_groups(groups, arrays[0], second), n_rows)
    labels = read_labels(second, n_rows)
    if stratify is not None:
        rule = "contain a number for each row"
        stratify = resolve_groups(stratify, arrays[0], second, "stratify")
        labels = read_floats(stratify, (n_rows,), "stratify", rule)
    codes = rank_ids(ids)
    n_rows_of, n_relevant_of = count_by_query(codes, labels)
    n_train, n_test = _count_sides(len(n_rows_of), train_size, test_size)
    if shuffle:
        rng = check_random(random_state)
        in_test = draw_test(n_rows_of, n_relevant_of, n_test, rng)
        in_train = ~in_test
        if n_train + n_test < len(n_rows_of):  # some are in neither set
            in_train[in_train] = draw_test(n_rows_of[in_train], n_relevant_of[in_train], n_train, rng)
    else:
        if stratify is not None:
            fail("stratify", "be None if shuffle=False", type(stratify).__name__)
        if is_int(random_state):
            fail("random_state", "be None if shuffle=False", repr(random_state))
        place = np.argsort(np.argsort(np.unique(codes, return_index=True)[1]))  # by first appearance
        in_train, in_test = place < n_train, (place >= n_train) & (place < n_train + n_test)
    sides = [np.flatnonzero(side[codes]) for side in (in_train, in_test)]
    whole = [array if hasattr(array, "shape") or hasattr(array, "take") else list(array) for array in arrays]
    return [take(array, rows) for array in whole for rows in sides]


def _count_sides(n_queries: int, train_size: Any, test_size: Any) -> tuple[int, int]:
    """Return the numbers of queries in the training and the test set."""
    if n_queries < 2:
        fail("groups", "contain at least two queries", n_queries)
    if test_size is None and train_size is None:
        test_size = 0.25
    n_train = _queries_of_share(train_size, n_queries, "train_size", floor)
    n_test = _queries_of_share(test_size, n_queries, "test_size", ceil)
    n_test = n_queries - n_train if test_size is None else n_test
    n_train = n_queries - n_test if train_size is None else n_train
    shares = [size for size in (train_size, test_size) if size is not None and not is_int(size)]
    if sum(shares) > 1 or n_train < 1 or n_test > n_queries - n_train:
        rule = f"define two non-empty sets of at most {n_queries} queries in total"
        fail("test_size", rule, f"{n_train} training and {n_test} test queries", "Pass test_size=0.25 alone.")
    return n_train, n_test


def _queries_of_share(size: object, n_queries: int, parameter: str, rounded: Callable[[float], int]) -> int:
    """Return the number of queries for a share or a number of queries; 0 for None."""
    if size is None:
        return 0
    if is_int(size) and 0 < size < n_queries:
        return int(size)
    if is_real(size) and not is_int(size) and 0 < size < 1:
        return rounded(size * n_queries)
    rule = f"be a float between 0 and 1, or a number of queries from 1 to {n_queries - 1}"
    fail(parameter, rule, repr(size))


def as_splitter(cv: Splitter, n_rows: int) -> Any:
    """Return the splitter for `cv`. `None` and an int mean a splitter of whole queries."""
    if cv is None or is_int(cv):
        return BalancedGroupKFold(5 if cv is None else int(cv))
    if callable(getattr(cv, "split", None)) and not isinstance(cv, str | bytes | bytearray | type):
        return cv
    folds = read_list(cv, "cv", FOLDS)
    if not folds:
        fail("cv", "contain at least one fold", "none")
    return check_cv([_read_fold(fold, n_rows) for fold in folds])


def spell_splitter(splitter: Splitter) -> str:
    """Return a splitter as text. A list of folds, which scikit-learn wraps in a class, becomes its length."""
    if isinstance(splitter, list | tuple | OF_LISTS):
        n_folds = len(splitter) if isinstance(splitter, list | tuple) else splitter.get_n_splits()
        return f"a list of {n_folds} fold{'s' * (n_folds != 1)}"
    return str(splitter)


@explain_parameters
def check_folds(
    cv: Splitter,
    X: Features,
    y: ArrayLike,
    *,
    groups: ArrayLike | str,
    min_relevance: float = 1,
    params: Arguments | None = None,
) -> list[tuple[np.ndarray, np.ndarray]]:
    """Check that folds keep queries whole and that each test set has a relevant document; return the folds.

    Parameters
    ----------
    cv : int, splitter, iterable or None
        As in :func:`cross_validate`.
    X : array-like of shape (n_rows, n_features)
        Features.
    y : array-like of shape (n_rows,)
        Relevance labels. NaN means that the document was not judged.
    groups : array-like of shape (n_rows,) or str
        Query id of each row, or the name of an index level of X or y or of a column of X.
    min_relevance : float, default=1
        Smallest label that counts as relevant.
    params : dict, default=None
        Other parameters of the splitter's `split`, such as `times`.

    Returns
    -------
    list of (ndarray of int, ndarray of int)
        Row numbers of the training and test set of each fold, to be passed as `cv`.

    Raises
    ------
    ValueError
        If a query is in both the training and the test set of a fold, unless this is the purpose of the
        splitter, or if a test set has no relevant document.

    Examples
    --------
    >>> from sklearn_rank.model_selection import check_folds
    >>> y, groups = [1, 0, 0, 0, 0, 2], ["a", "a", "b", "b", "c", "c"]
    >>> [test.tolist() for _, test in check_folds(2, [[0]] * 6, y, groups=groups)]
    [[0, 1, 2, 3], [4, 5]]
    >>> check_folds(3, [[0]] * 6, y, groups=groups)
    Traceback (most recent call last):
    ValueError: The 'cv' parameter of check_folds must have a relevant document (label >= 1) in each test set.
    Got none in fold 2 of 3 instead. Use fewer folds.
    """
    params = check_params(params)
    check_same_order(**{"X": X, "y": y, "groups": groups, **params})
    ids = check_groups(resolve_groups(groups, X, y), count_rows(X))
    codes = rank_ids(ids)
    splitter = as_splitter(cv, len(codes))
    for name in params:
        if not (takes(splitter, "split", name) or takes(splitter, "split", "**")):
            rule = f"contain only parameters of {type(splitter).__name__}.split"
            fix = "Only splitters by time, such as cv=TimeCut(), take times." * (name == "times")
            fail("params", rule, repr(name), fix)
    labels = _check_flat_labels(y, len(codes), min_relevance)
    of_any_sign = bool((labels < 0).any())  # such as returns, for which relevance is undefined
    folds = splitter.split(X, y, groups=ids, **params)
    folds = [_read_fold(fold, len(codes)) for fold in folds]
    if not folds:
        fail("cv", "contain at least one fold", "none")
    for fold, (train, test) in enumerate(folds):
        place = f"fold {fold} of {len(folds)}"
        if not len(train):
            fail("cv", "have rows in each training set", f"none in {place}")
        n_cut, n_tested = count_cut(codes[train], codes[test])
        if n_cut and not getattr(splitter, "cuts_groups", False):
            got = f"{n_cut} of {n_tested} test queries with rows in the training set of {place}"
            fail("cv", "keep queries whole", got, "Pass cv=5.")
        if not (of_any_sign or (labels[test] >= min_relevance).any()):
            rule = f"have a relevant document (label >= {min_relevance}) in each test set"
            fail("cv", rule, f"none in {place}", "Use fewer folds.")
    return folds


def count_cut(in_train: np.ndarray, in_test: np.ndarray) -> tuple[int, int]:
    """Count the tested queries that also have rows in the training set, and all tested queries."""
    tested = np.unique(in_test)
    return int(np.isin(tested, in_train).sum()), len(tested)


def _read_fold(fold: object, n_rows: int) -> tuple[np.ndarray, ...]:
    """Return the row numbers of the training and the test set."""
    parts = [_read_side(part, n_rows) for part in read_list(fold, "cv", FOLDS)]
    if len(parts) != 2:
        fail("cv", FOLDS, repr(fold))
    return tuple(parts)


def _read_side(part: object, n_rows: int) -> np.ndarray:
    """Return the training or test set of a fold as row numbers; it can be a mask with an entry per row."""
    rows = read_array(part, "cv", FOLDS)
    if rows.dtype == bool and rows.shape == (n_rows,):
        return np.flatnonzero(rows)
    if rows.shape == (0,):
        return rows.astype(np.int64)
    if rows.ndim != 1 or rows.dtype.kind not in "iu" or rows.min() < -n_rows or rows.max() >= n_rows:
        fail("cv", FOLDS, repr(part), f"Row numbers range from 0 to {n_rows - 1}.")
    return rows.astype(np.int64)


def _check_flat_labels(y: Labels, n_rows: int, min_relevance: object) -> np.ndarray:
    if count_rows(y, "y") != n_rows:
        fail("y", f"have one label per row ({n_rows} rows)", count_of(count_rows(y, "y"), "label"))
    labels = flatten(read_array(y, "y", "be a 1-D array of real numbers"))
    if labels.dtype.kind not in "biuf" or labels.ndim != 1:
        fail("y", "be a 1-D array of real numbers", f"dtype {labels.dtype} and shape {labels.shape}")
    if not is_real(min_relevance):
        fail("min_relevance", "be a real number", repr(min_relevance))
    return labels
