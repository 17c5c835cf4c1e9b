"""Splitters that keep queries whole."""

from abc import abstractmethod
from collections.abc import Iterator
from typing import Any

import numpy as np
from sklearn.model_selection import BaseCrossValidator

from .._data import check_same_order, count_rows, resolve_groups
from .._options import check_flag, check_random
from .._validation import check_groups, fail, is_int


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
        folds = self._deal(X, y, groups)
        for fold in range(self.n_splits):
            in_test = folds == fold
            yield np.flatnonzero(~in_test), np.flatnonzero(in_test)

    @abstractmethod
    def _deal(self, X: Any, y: Any, groups: Any) -> np.ndarray:
        """Return the test fold of each row."""

    def _check_options(self) -> None:
        """Check what was given to the constructor."""
        function = type(self).__name__
        if not is_int(self.n_splits) or self.n_splits < 2:
            fail("n_splits", function, "be an int >= 2", repr(self.n_splits))
        check_flag(self.shuffle, "shuffle", function)
        # Stacking gives every splitter a RandomState.
        if is_int(self.random_state) and not self.shuffle:
            fail("random_state", function, "be None without shuffle=True", repr(self.random_state))


class BalancedGroupKFold(DealtKFold):
    """K folds of whole queries, balanced in rows and in relevant documents.

    The queries, sorted by size, form rounds of `n_splits`, one for each fold, so that the numbers of rows of
    two folds differ by at most the size of the largest query. Which query of a round goes to which fold is
    chosen to balance the numbers of relevant documents (labels > 0). The folds depend on the ids and their
    rows, never on the order of rows.

    Parameters
    ----------
    n_splits : int, default=5
        Number of folds, at least 2.
    shuffle : bool, default=False
        Draw the rounds at random among queries of equal size, and their order.
    random_state : int, RandomState instance or None, default=None
        Seed of the shuffling; needs ``shuffle=True``.

    Examples
    --------
    >>> from sklearn_rank.model_selection import BalancedGroupKFold
    >>> for train, test in BalancedGroupKFold(2).split([0] * 6, groups=["a", "b", "b", "c", "c", "a"]):
    ...     print(train, test)
    [1 2 3 4] [0 5]
    [0 5] [1 2 3 4]
    """

    def _deal(self, X: Any, y: Any, groups: Any) -> np.ndarray:
        """Return the test fold of each row."""
        function = "BalancedGroupKFold"
        self._check_options()
        n_rows = count_rows(X, f"{function}.split")
        ids = check_groups(resolve_groups(groups, X, y, function), n_rows, f"{function}.split")
        _, codes, n_rows_of = np.unique(ids, return_inverse=True, return_counts=True)
        n_queries = len(n_rows_of)
        if n_queries < self.n_splits:
            fail("n_splits", function, f"not exceed the number of queries, {n_queries}", self.n_splits)
        if y is not None and count_rows(y, f"{function}.split", "y") != n_rows:
            fail("y", f"{function}.split", f"have one label per row, {n_rows}", count_rows(y, function))
        n_relevant_of = np.bincount(codes[read_labels(y, n_rows) > 0], minlength=n_queries)
        rounds = self._make_rounds(n_rows_of)
        # Relevant documents weigh most, rows break ties; sums of both stay exact integers.
        loads = np.append(n_relevant_of * (n_rows + 1) + n_rows_of, 0)[rounds]
        fold_of_query = np.empty(n_queries + 1, dtype=np.int64)
        fold_of_query[rounds] = _balance(loads)
        return fold_of_query[codes]

    def _make_rounds(self, n_rows_of: np.ndarray) -> np.ndarray:
        """Return rounds of `n_splits` queries of similar size, a row each; the last is padded."""
        n_queries = len(n_rows_of)
        n_rounds = -(-n_queries // self.n_splits)
        rounds = np.full(n_rounds * self.n_splits, n_queries)
        if not self.shuffle:
            rounds[:n_queries] = np.argsort(-n_rows_of, kind="stable")
            return rounds.reshape(n_rounds, self.n_splits)
        rng = check_random(self.random_state, "BalancedGroupKFold")
        rounds[:n_queries] = np.lexsort((rng.random_sample(n_queries), -n_rows_of))
        return rng.permutation(rounds.reshape(n_rounds, self.n_splits))


def read_labels(y: Any, n_rows: int) -> np.ndarray:
    """Return labels as floats; zeros where labels are no numbers or there are several a row."""
    try:
        labels = np.asarray(y).reshape(n_rows)
        with np.errstate(over="ignore"):
            return labels.astype(np.float64) if labels.dtype.kind != "c" else np.zeros(n_rows)
    except Exception:  # whatever keeps numpy from reading them
        return np.zeros(n_rows)


def _balance(loads: np.ndarray) -> np.ndarray:
    """Assign each round's queries to folds, one each, so that the folds' total loads are close.

    Neighbouring rounds are merged, the heaviest fold of one with the lightest of the other, then the merged
    pairs, and so on (the differencing method of Karmarkar and Karp, 1982, in levels).
    """
    n_rounds, n_folds = loads.shape
    folds = np.tile(np.arange(n_folds), (n_rounds, 1))
    totals, level = loads, 0
    while len(totals) > 1:
        if len(totals) % 2:
            totals = np.vstack((totals, np.zeros((1, n_folds), dtype=totals.dtype)))
        left, right = totals[0::2], totals[1::2]
        heavy = np.argsort(-left, axis=1, kind="stable")
        light = np.argsort(right, axis=1, kind="stable")
        partner = np.empty_like(light)  # the fold of the left that each fold of the right joins
        np.put_along_axis(partner, light, heavy, axis=1)
        groups = np.arange(n_rounds) >> level
        is_right = groups % 2 == 1
        folds[is_right] = np.take_along_axis(partner[groups[is_right] // 2], folds[is_right], axis=1)
        merged = left.copy()
        np.put_along_axis(
            merged,
            heavy,
            np.take_along_axis(left, heavy, axis=1) + np.take_along_axis(right, light, axis=1),
            axis=1,
        )
        totals, level = merged, level + 1
    return folds
