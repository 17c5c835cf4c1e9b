"""Splitters of whole queries, and folds within queries."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator

import numpy as np
from sklearn.model_selection import BaseCrossValidator

from ..._checks import explain_parameters
from ..._checks.arrays import is_complex
from ..._checks.codes import rank_ids
from ..._checks.containers import check_same_order, count_rows, resolve_groups
from ..._checks.errors import check_count, count_of, fail, is_int
from ..._checks.groups import check_groups
from ..._checks.options import check_flag, check_random
from ..._checks.types import ArrayLike, Features, Groups, Ids, Labels, RandomState
from .balanced_folds import assign_folds


def read_group_codes(X: Features, y: Labels, groups: Ids) -> np.ndarray:
    """Return the code of each row's group."""
    check_same_order(X=X, y=y, groups=groups)
    return rank_ids(check_groups(resolve_groups(groups, X, y), count_rows(X)))


def count_by_query(codes: np.ndarray, labels: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the number of rows and of relevant documents of each query."""
    n_rows_of = np.bincount(codes)
    return n_rows_of, np.bincount(codes[labels > 0], minlength=len(n_rows_of))


def read_labels(y: Labels, n_rows: int) -> np.ndarray:
    """Return labels as floats; zeros if they are not numbers or a row has several."""
    try:
        labels = np.asarray(y).reshape(n_rows)
        with np.errstate(over="ignore"):
            return np.zeros(n_rows) if is_complex(labels) else labels.astype(np.float64)
    except Exception:  # numpy cannot read them
        return np.zeros(n_rows)


class FoldSplitter(BaseCrossValidator):
    """Base class of splitters that assign rows to folds once or repeatedly, as a subclass defines."""

    __metadata_request__split = {"groups": True}  # noqa: RUF012 - scikit-learn's convention
    n_splits: int
    n_repeats = 1

    def get_n_splits(self, X: Features = None, y: ArrayLike | None = None, groups: Groups = None) -> int:
        """Return the number of folds, in all repeats.

        Parameters
        ----------
        X, y, groups : object
            Ignored.
        """
        return self.n_splits * self.n_repeats

    def split(
        self, X: Features, y: ArrayLike | None = None, groups: Groups = None
    ) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        """Yield the row numbers of the training and test set of each fold.

        Parameters
        ----------
        X : array-like of shape (n_rows, n_features)
            Features. Only the number of rows is used if `groups` is an array.
        y : array-like of shape (n_rows,), default=None
            Relevance labels, used by splitters that balance relevant documents. If `None`, or if labels are
            not numeric, only rows and queries are balanced.
        groups : array-like of shape (n_rows,) or str
            Query id of each row, or the name of an index level of X or y or of a column of X.

        Yields
        ------
        train, test : ndarray of int
            Row numbers in increasing order.
        """
        for folds in self._assign(X, y, groups):
            for fold in range(self.n_splits):
                in_test = folds == fold
                yield np.flatnonzero(~in_test), np.flatnonzero(in_test)

    @abstractmethod
    def _assign(self, X: Features, y: Labels, groups: Ids) -> Iterator[np.ndarray]:
        """Yield an array with the number of the fold that tests each row; one array for each repeat."""


class KFoldSplitter(FoldSplitter):
    """Base class of splitters that assign rows to K folds once, shuffled or not."""

    @explain_parameters
    def __init__(self, n_splits: int = 5, *, shuffle: bool = False, random_state: RandomState = None):
        self.n_splits = n_splits
        self.shuffle = shuffle
        self.random_state = random_state

    def _check_options(self) -> None:
        check_count(self.n_splits, 2, "n_splits")
        check_flag(self.shuffle, "shuffle")
        # Stacking sets a RandomState on every splitter.
        if is_int(self.random_state) and not self.shuffle:
            fail("random_state", "be None if shuffle=False", repr(self.random_state), "Pass shuffle=True.")


class BalancedGroupKFold(KFoldSplitter):
    """K folds of whole queries, balanced in rows and in relevant documents.

    The numbers of rows are at least as even as with scikit-learn's :class:`GroupKFold`. Within this limit,
    queries are exchanged to balance the numbers of relevant documents (labels > 0), and then the numbers of
    queries. The folds do not depend on the order of rows.

    Parameters
    ----------
    n_splits : int, default=5
        Number of folds, at least 2.
    shuffle : bool, default=False
        Whether to shuffle queries of similar size before assigning them to folds. Folds stay balanced.
    random_state : int, RandomState instance or None, default=None
        Seed of the shuffling. An int requires ``shuffle=True``.

    See Also
    --------
    RepeatedBalancedGroupKFold : K folds of whole queries, assigned several times.
    train_test_split : Split rows into a training and a test set of whole queries.

    Examples
    --------
    >>> from sklearn_rank.model_selection import BalancedGroupKFold
    >>> for train, test in BalancedGroupKFold(2).split([0] * 6, groups=["a", "b", "b", "c", "c", "c"]):
    ...     print(train, test)
    [0 1 2] [3 4 5]
    [3 4 5] [0 1 2]
    """

    def _assign(self, X: Features, y: Labels, groups: Ids) -> Iterator[np.ndarray]:
        self._check_options()
        rng = check_random(self.random_state) if self.shuffle else None
        yield from _assign_queries(self, X, y, groups, rng)


class RepeatedBalancedGroupKFold(FoldSplitter):
    """K folds of whole queries, assigned at random in each repeat.

    In each repeat, the numbers of rows are as even as in :class:`BalancedGroupKFold`. For a dozen queries of
    very different sizes, only one or two balanced assignments might exist, so repeats can be equal.

    Parameters
    ----------
    n_splits : int, default=5
        Number of folds in each repeat, at least 2.
    n_repeats : int, default=10
        Number of repeats, at least 1.
    random_state : int, RandomState instance or None, default=None
        Seed of the assignments.

    See Also
    --------
    BalancedGroupKFold : K folds of whole queries, assigned once.

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

    @explain_parameters
    def __init__(self, n_splits: int = 5, *, n_repeats: int = 10, random_state: RandomState = None):
        self.n_splits = n_splits
        self.n_repeats = n_repeats
        self.random_state = random_state

    def _assign(self, X: Features, y: Labels, groups: Ids) -> Iterator[np.ndarray]:
        check_count(self.n_splits, 2, "n_splits")
        check_count(self.n_repeats, 1, "n_repeats")
        yield from _assign_queries(self, X, y, groups, check_random(self.random_state))


def _assign_queries(
    splitter: FoldSplitter, X: Features, y: Labels, groups: Ids, rng: np.random.RandomState | None
) -> Iterator[np.ndarray]:
    """Yield the number of the fold that tests each row, the same for all rows of a query."""
    codes = read_group_codes(X, y, groups)
    if y is not None and count_rows(y, "y") != len(codes):
        fail("y", f"have one label per row ({len(codes)} rows)", count_of(count_rows(y), "label"))
    n_rows_of, n_relevant_of = count_by_query(codes, read_labels(y, len(codes)))
    if len(n_rows_of) < splitter.n_splits:
        n_queries = len(n_rows_of)
        fix = f"Pass n_splits={n_queries}." if n_queries > 1 else "Pass rows of at least 2 queries."
        fail("n_splits", f"not exceed the number of queries ({n_queries})", splitter.n_splits, fix)
    for _ in range(splitter.n_repeats):
        yield assign_folds(n_rows_of, n_relevant_of, splitter.n_splits, rng)[codes]


class WithinGroupKFold(KFoldSplitter):
    """K folds that divide the rows of each group, as in the evaluation of recommenders.

    The rows of a group are assigned to the folds in turn, so the numbers of rows in two folds differ by at
    most one, in each group and overall. Each group starts at a different fold, so the first rows of all
    groups are not tested in the same fold. Groups are in both training and test sets on purpose: the model
    predicts other items of known users.

    Parameters
    ----------
    n_splits : int, default=5
        Number of folds, at least 2.
    shuffle : bool, default=False
        Whether to shuffle the rows of each group before assigning them. If False, they are assigned in order.
    random_state : int, RandomState instance or None, default=None
        Seed of the shuffling. An int requires ``shuffle=True``.

    Examples
    --------
    >>> from sklearn_rank import WithinGroupKFold
    >>> users = ["ann", "bob", "ann", "bob", "ann", "ann"]
    >>> for train, test in WithinGroupKFold(2).split([0] * 6, groups=users):
    ...     print(train, test)
    [1 2 5] [0 3 4]
    [0 3 4] [1 2 5]
    """

    cuts_groups = True

    def _assign(self, X: Features, y: Labels, groups: Ids) -> Iterator[np.ndarray]:
        self._check_options()
        codes = read_group_codes(X, y, groups)
        if len(codes) < self.n_splits:
            fix = f"Pass n_splits={len(codes)}." if len(codes) > 1 else "Pass at least 2 rows."
            fail("n_splits", f"not exceed the number of rows ({len(codes)})", self.n_splits, fix)
        places = np.arange(len(codes))
        if self.shuffle:
            places = check_random(self.random_state).permutation(len(codes))
        sizes = np.bincount(codes)
        n_rounds, n_left = np.divmod(sizes, self.n_splits)
        # In each group, full rounds start one fold later. The remaining rows go to the folds after those of
        # the previous group. Whenever these begin with the first fold, the rows start one fold later.
        first, first_left = np.cumsum(n_rounds > 0) - 1, np.cumsum(n_left) - n_left
        shift = np.cumsum(first_left % self.n_splits == 0) - 1
        place = np.arange(len(codes)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
        of_row = np.repeat(np.arange(len(sizes)), sizes)
        n_full, n_left = (sizes - n_left)[of_row], n_left[of_row]
        turn = (place - n_full + shift[of_row]) % np.maximum(n_left, 1)
        turn = np.where(place < n_full, place + first[of_row], turn + first_left[of_row])
        folds = np.empty(len(codes), dtype=np.int64)
        folds[np.lexsort((places, codes))] = turn % self.n_splits
        yield folds
