"""Folds of whole queries or within each of them, dealt once or in several repeats."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator

import numpy as np
from sklearn.model_selection import BaseCrossValidator

from ..._checks.arrays import is_complex
from ..._checks.codes import rank_ids
from ..._checks.containers import check_same_order, count_rows, resolve_groups
from ..._checks.errors import check_count, fail, is_int
from ..._checks.groups import check_groups
from ..._checks.options import check_flag, check_random
from ..._checks.types import ArrayLike, Features, Groups, Ids, Labels, RandomState, Splitter
from .balanced_deal import deal_folds


def read_group_codes(splitter: Splitter, X: Features, y: Labels, groups: Ids) -> np.ndarray:
    """Return the code of each row's group."""
    check_same_order(X=X, y=y, groups=groups)
    ids = check_groups(resolve_groups(groups, X, y), count_rows(X))
    return rank_ids(ids)


def count_by_query(codes: np.ndarray, labels: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the number of rows and of relevant documents of each query."""
    n_rows_of = np.bincount(codes)
    return n_rows_of, np.bincount(codes[labels > 0], minlength=len(n_rows_of))


def read_labels(y: Labels, n_rows: int) -> np.ndarray:
    """Return labels as floats; zeros where labels are no numbers or there are several a row."""
    try:
        labels = np.asarray(y).reshape(n_rows)
        with np.errstate(over="ignore"):
            return np.zeros(n_rows) if is_complex(labels) else labels.astype(np.float64)
    except Exception:  # whatever keeps numpy from reading them
        return np.zeros(n_rows)


class DealtSplitter(BaseCrossValidator):
    """What the splitters share that deal rows to folds; a subclass says how, once or several times."""

    __metadata_request__split = {"groups": True}  # noqa: RUF012 - scikit-learn's own way to declare it
    n_splits: int
    n_repeats = 1

    def get_n_splits(self, X: Features = None, y: ArrayLike | None = None, groups: Groups = None) -> int:
        """Return the number of folds, of all repeats if there are several.

        Parameters
        ----------
        X, y, groups : object
            Ignored.

        Returns
        -------
        int
            `n_splits`, times `n_repeats` where the splitter has it.
        """
        return self.n_splits * self.n_repeats

    def split(
        self, X: Features, y: ArrayLike | None = None, groups: Groups = None
    ) -> Iterator[tuple[np.ndarray, np.ndarray]]:
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
        for folds in self._deal(X, y, groups):
            for fold in range(self.n_splits):
                in_test = folds == fold
                yield np.flatnonzero(~in_test), np.flatnonzero(in_test)

    @abstractmethod
    def _deal(self, X: Features, y: Labels, groups: Ids) -> Iterator[np.ndarray]:
        """Yield an array with the number of the fold that tests each row; one array for each repeat."""


class DealtKFold(DealtSplitter):
    """What the splitters share that deal rows to K folds once, shuffled or not."""

    def __init__(self, n_splits: int = 5, *, shuffle: bool = False, random_state: RandomState = None):
        self.n_splits = n_splits
        self.shuffle = shuffle
        self.random_state = random_state

    def _check_options(self) -> None:
        check_count(self.n_splits, 2, "n_splits")
        check_flag(self.shuffle, "shuffle")
        # Stacking gives every splitter a RandomState.
        if is_int(self.random_state) and not self.shuffle:
            fail("random_state", "be None without shuffle=True", repr(self.random_state))


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

    def _deal(self, X: Features, y: Labels, groups: Ids) -> Iterator[np.ndarray]:
        self._check_options()
        rng = check_random(self.random_state) if self.shuffle else None
        yield from _deal_queries(self, X, y, groups, rng)


class RepeatedBalancedGroupKFold(DealtSplitter):
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

    def __init__(self, n_splits: int = 5, *, n_repeats: int = 10, random_state: RandomState = None):
        self.n_splits = n_splits
        self.n_repeats = n_repeats
        self.random_state = random_state

    def _deal(self, X: Features, y: Labels, groups: Ids) -> Iterator[np.ndarray]:
        check_count(self.n_splits, 2, "n_splits")
        check_count(self.n_repeats, 1, "n_repeats")
        yield from _deal_queries(self, X, y, groups, check_random(self.random_state))


def _deal_queries(
    splitter: DealtSplitter, X: Features, y: Labels, groups: Ids, rng: np.random.RandomState | None
) -> Iterator[np.ndarray]:
    """Yield the number of the fold that tests each row, the same for all rows of a query."""
    codes = read_group_codes(splitter, X, y, groups)
    if y is not None and count_rows(y, "y") != len(codes):
        fail("y", f"have one label per row, {len(codes)}", count_rows(y))
    n_rows_of, n_relevant_of = count_by_query(codes, read_labels(y, len(codes)))
    if len(n_rows_of) < splitter.n_splits:
        fail("n_splits", f"not exceed the number of queries, {len(n_rows_of)}", splitter.n_splits)
    for _ in range(splitter.n_repeats):
        yield deal_folds(n_rows_of, n_relevant_of, splitter.n_splits, rng)[codes]


class WithinGroupKFold(DealtKFold):
    """K folds of rows that spread each group's rows over the folds: the hold-out of recommenders.

    The rows of a group go to the folds in turn, so that their numbers differ by one at most, in each group
    and overall. The turns of each group start at another fold, so that what comes first in all groups is not
    tested in one fold alone. Groups are on both sides on purpose: what is predicted are a known user's other
    items.

    Parameters
    ----------
    n_splits : int, default=5
        Number of folds, at least 2.
    shuffle : bool, default=False
        Deal each group's rows at random; else in their order.
    random_state : int, RandomState instance or None, default=None
        Seed of the shuffling; needs ``shuffle=True``.

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

    def _deal(self, X: Features, y: Labels, groups: Ids) -> Iterator[np.ndarray]:
        self._check_options()
        codes = read_group_codes(self, X, y, groups)
        if len(codes) < self.n_splits:
            fail("n_splits", f"not exceed the number of rows, {len(codes)}", self.n_splits)
        places = np.arange(len(codes))
        if self.shuffle:
            places = check_random(self.random_state).permutation(len(codes))
        sizes = np.bincount(codes)
        n_rounds, n_left = np.divmod(sizes, self.n_splits)
        # Full rounds start one fold further in each group. The rows left go to the folds after those of the
        # group before, and start one fold further among them each time that these begin with the first one.
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
