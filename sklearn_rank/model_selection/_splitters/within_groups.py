"""Splitters within each group: what a user did is on both sides."""

from collections.abc import Iterator

import numpy as np

from ..._checks.errors import check_count, fail
from ..._checks.options import check_random
from ..._checks.types import Features, Ids, Labels, Values
from .group_kfold import DealtKFold, read_group_codes
from .times import TimedSplitter, read_times


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
        function, codes = read_group_codes(self, X, y, groups)
        if len(codes) < self.n_splits:
            fail("n_splits", function, f"not exceed the number of rows, {len(codes)}", self.n_splits)
        places = np.arange(len(codes))
        if self.shuffle:
            places = check_random(self.random_state, "WithinGroupKFold").permutation(len(codes))
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


class LeaveLastOut(TimedSplitter):
    """Test on the last interactions of each group, train on those before them.

    A group with no row before its last `n_last` is left in training whole. Rows of equal time stand in their
    order.

    What is last is settled in each group: rows of other groups that are later than a test row are trained on.
    From a log over time a model so learns what comes later, such as which items became popular, and scores
    higher than in use.

    Parameters
    ----------
    n_last : int, default=1
        Number of rows of each group to test on, at least 1.

    Examples
    --------
    >>> from sklearn_rank import LeaveLastOut
    >>> users, days = ["ann", "ann", "bob", "ann", "cat"], [3, 1, 1, 2, 1]
    >>> next(LeaveLastOut().split([0] * 5, groups=users, times=days))
    (array([1, 2, 3, 4]), array([0]))
    """

    cuts_groups = True

    def __init__(self, n_last: int = 1):
        self.n_last = n_last

    def _count_folds(self) -> int:
        return 1

    def _split(
        self, X: Features, y: Labels, groups: Ids, times: Values
    ) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        function, codes = read_group_codes(self, X, y, groups)
        check_count(self.n_last, 1, "n_last", "LeaveLastOut")
        order = np.lexsort((read_times(times, X, y, function).ranks, codes))
        sizes = np.bincount(codes)
        from_end = np.repeat(np.cumsum(sizes), sizes) - np.arange(len(codes))  # 1 for a group's last row
        in_test = np.empty(len(codes), dtype=bool)
        in_test[order] = (from_end <= self.n_last) & np.repeat(sizes > self.n_last, sizes)
        if not in_test.any():
            fail("n_last", function, f"be below the size of the largest group, {sizes.max()}", self.n_last)
        yield np.flatnonzero(~in_test), np.flatnonzero(in_test)
