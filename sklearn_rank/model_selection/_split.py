"""Splitters that keep queries whole."""

from abc import abstractmethod
from collections.abc import Iterator
from typing import Any

import numpy as np
from sklearn.model_selection import BaseCrossValidator

from .._data import check_same_order, count_rows, resolve_groups
from .._options import check_flag, check_random
from .._validation import check_count, check_groups, fail, is_int
from ._deal import deal_folds


class DealtKFold(BaseCrossValidator):
    """K folds of rows that a subclass deals out; what its kinds share."""

    __metadata_request__split = {"groups": True}  # noqa: RUF012 - scikit-learn's own way to declare it

    def __init__(self, n_splits: int = 5, *, shuffle: bool = False, random_state: Any = None):
        self.n_splits = n_splits
        self.shuffle = shuffle
        self.random_state = random_state

    def get_n_splits(self, X: Any = None, y: Any = None, groups: Any = None) -> int:
        """Return the number of folds.

        Parameters
        ----------
        X, y, groups : object
            Ignored.

        Returns
        -------
        int
            `n_splits`.
        """
        return self.n_splits

    def split(self, X: Any, y: Any = None, groups: Any = None) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        """Yield the rows to train on and to test on, fold by fold.

        Parameters
        ----------
        X : array-like of shape (n_rows, n_features)
            Features; only their number of rows and, for a name, their index or columns are used.
        y : array-like of shape (n_rows,), default=None
            Labels, to balance by where the splitter does: None, or labels that are not numbers, balance rows
            alone. Ids are read by name from their index too.
        groups : array-like of shape (n_rows,) or str
            Query id of each row, or the name of an index level of X or y or of a column of X.

        Yields
        ------
        train, test : ndarray of int
            Row positions in rising order.

        Raises
        ------
        ValueError
            If there are no ids, or too few queries or rows for the folds.
        """
        check_same_order(f"{type(self).__name__}.split", X=X, y=y, groups=groups)
        yield from _list_folds(self._deal(X, y, groups), self.n_splits)

    @abstractmethod
    def _deal(self, X: Any, y: Any, groups: Any) -> np.ndarray:
        """Return the test fold of each row."""

    def _check_options(self) -> None:
        """Check what was given to the constructor."""
        function = type(self).__name__
        check_count(self.n_splits, 2, "n_splits", function)
        check_flag(self.shuffle, "shuffle", function)
        # Stacking gives every splitter a RandomState.
        if is_int(self.random_state) and not self.shuffle:
            fail("random_state", function, "be None without shuffle=True", repr(self.random_state))


class BalancedGroupKFold(DealtKFold):
    """K folds of whole queries, balanced in rows and in relevant documents.

    The numbers of rows of the folds are as even as those of scikit-learn's :class:`GroupKFold`: the smallest
    and the largest fold are no further apart. As far as that leaves room, queries change places until the
    numbers of relevant documents (labels > 0) are even too, and then the numbers of queries. The folds depend
    on the ids and their rows, never on the order of rows.

    Parameters
    ----------
    n_splits : int, default=5
        Number of folds, at least 2.
    shuffle : bool, default=False
        Deal queries of similar size in random order; the folds stay balanced.
    random_state : int, RandomState instance or None, default=None
        Seed of the shuffling; needs ``shuffle=True``.

    See Also
    --------
    RepeatedBalancedGroupKFold : Several such deals.
    train_test_split : One split into two sides.

    Examples
    --------
    >>> from sklearn_rank.model_selection import BalancedGroupKFold
    >>> for train, test in BalancedGroupKFold(2).split([0] * 6, groups=["a", "b", "b", "c", "c", "c"]):
    ...     print(train, test)
    [0 1 2] [3 4 5]
    [3 4 5] [0 1 2]
    """

    def _deal(self, X: Any, y: Any, groups: Any) -> np.ndarray:
        """Return the test fold of each row."""
        self._check_options()
        rng = check_random(self.random_state, "BalancedGroupKFold") if self.shuffle else None
        return _deal_queries(X, y, groups, self.n_splits, rng, "BalancedGroupKFold")


class RepeatedBalancedGroupKFold(BaseCrossValidator):
    """K folds of whole queries, dealt anew in each repeat.

    Each deal is as even in rows as one of :class:`BalancedGroupKFold`. Of a dozen queries of very different
    sizes there may be only one or two such deals, which then come again.

    Parameters
    ----------
    n_splits : int, default=5
        Number of folds of a repeat, at least 2.
    n_repeats : int, default=10
        Number of repeats, at least 1.
    random_state : int, RandomState instance or None, default=None
        Seed of the deals.

    See Also
    --------
    BalancedGroupKFold : The deal of a repeat, with ``shuffle=True``.

    Examples
    --------
    >>> from sklearn_rank import RepeatedBalancedGroupKFold
    >>> cv = RepeatedBalancedGroupKFold(2, n_repeats=2, random_state=0)
    >>> for train, test in cv.split([0] * 6, groups=[1, 1, 2, 3, 4, 4]):
    ...     print(train, test)
    [0 1 2] [3 4 5]
    [3 4 5] [0 1 2]
    [2 4 5] [0 1 3]
    [0 1 3] [2 4 5]
    """

    __metadata_request__split = {"groups": True}  # noqa: RUF012 - scikit-learn's own way to declare it

    def __init__(self, n_splits: int = 5, *, n_repeats: int = 10, random_state: Any = None):
        self.n_splits = n_splits
        self.n_repeats = n_repeats
        self.random_state = random_state

    def get_n_splits(self, X: Any = None, y: Any = None, groups: Any = None) -> int:
        """Return the number of folds of all repeats.

        Parameters
        ----------
        X, y, groups : object
            Ignored.

        Returns
        -------
        int
            `n_splits` times `n_repeats`.
        """
        return self.n_splits * self.n_repeats

    def split(self, X: Any, y: Any = None, groups: Any = None) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        """Yield the rows to train on and to test on, fold by fold, repeat by repeat.

        Parameters
        ----------
        X : array-like of shape (n_rows, n_features)
            Features; only their number of rows and, for a name, their index or columns are used.
        y : array-like of shape (n_rows,), default=None
            Labels, to balance by.
        groups : array-like of shape (n_rows,) or str
            Query id of each row, or the name of an index level of X or y or of a column of X.

        Yields
        ------
        train, test : ndarray of int
            Row positions in rising order.

        Raises
        ------
        ValueError
            If there are no ids, or too few queries for the folds.
        """
        function = "RepeatedBalancedGroupKFold"
        check_same_order(f"{function}.split", X=X, y=y, groups=groups)
        check_count(self.n_splits, 2, "n_splits", function)
        check_count(self.n_repeats, 1, "n_repeats", function)
        rng = check_random(self.random_state, function)
        for _ in range(self.n_repeats):
            folds = _deal_queries(X, y, groups, self.n_splits, rng, function)
            yield from _list_folds(folds, self.n_splits)


def _list_folds(folds: np.ndarray, n_splits: int) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Yield the rows to train on and to test on, given the test fold of each row."""
    for fold in range(n_splits):
        in_test = folds == fold
        yield np.flatnonzero(~in_test), np.flatnonzero(in_test)


def _deal_queries(
    X: Any, y: Any, groups: Any, n_splits: int, rng: np.random.RandomState | None, function: str
) -> np.ndarray:
    """Return the test fold of each row, the same for the rows of a query."""
    n_rows = count_rows(X, f"{function}.split")
    ids = check_groups(resolve_groups(groups, X, y, function), n_rows, f"{function}.split")
    if y is not None and count_rows(y, f"{function}.split", "y") != n_rows:
        fail("y", f"{function}.split", f"have one label per row, {n_rows}", count_rows(y, function))
    codes, n_rows_of, n_relevant_of = count_by_query(ids, read_labels(y, n_rows))
    if len(n_rows_of) < n_splits:
        fail("n_splits", function, f"not exceed the number of queries, {len(n_rows_of)}", n_splits)
    return deal_folds(n_rows_of, n_relevant_of, n_splits, rng)[codes]


def count_by_query(ids: np.ndarray, labels: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the number of each row's query, and rows and relevant documents of each query."""
    _, codes, n_rows_of = np.unique(ids, return_inverse=True, return_counts=True)
    return codes, n_rows_of, np.bincount(codes[labels > 0], minlength=len(n_rows_of))


def read_labels(y: Any, n_rows: int) -> np.ndarray:
    """Return labels as floats; zeros where labels are no numbers or there are several a row."""
    try:
        labels = np.asarray(y).reshape(n_rows)
        with np.errstate(over="ignore"):
            return labels.astype(np.float64) if labels.dtype.kind != "c" else np.zeros(n_rows)
    except Exception:  # whatever keeps numpy from reading them
        return np.zeros(n_rows)
