"""The grouped splitter behind `cv=5`, and a watch over any other."""

from collections.abc import Iterator
from numbers import Integral
from typing import Any
from warnings import warn

import numpy as np
from sklearn.base import is_classifier
from sklearn.model_selection import check_cv
from sklearn.utils.metadata_routing import MetadataRequest, get_routing_for_object

from .._validation import check_groups, count_rows
from ._split import BalancedGroupKFold


class WholeQueries:
    """A splitter that passes `groups` to another one and warns if that cuts queries.

    Splitters whose purpose is to cut queries say so by the attribute ``cuts_groups = True``.
    """

    def __init__(self, splitter: Any):
        self.splitter = splitter

    @classmethod
    def around(cls, cv: Any, y: Any, estimator: Any) -> "WholeQueries":
        """Watch over `cv`; None and an int mean a splitter of whole queries."""
        if isinstance(cv, cls):
            return cv
        if cv is None or (isinstance(cv, Integral) and not isinstance(cv, bool)):
            return cls(BalancedGroupKFold(5 if cv is None else int(cv)))
        return cls(check_cv(cv, y, classifier=is_classifier(estimator)))

    def get_metadata_routing(self) -> MetadataRequest:
        """Request `groups` beside what the splitter requests."""
        request = MetadataRequest(owner=type(self.splitter).__name__)
        for name, alias in get_routing_for_object(self.splitter).split.requests.items():
            request.split.add_request(param=name, alias=alias)
        request.split.add_request(param="groups", alias=True)
        return request

    def get_n_splits(self, X: Any = None, y: Any = None, groups: Any = None, **params: Any) -> int:
        """Return the splitter's number of folds."""
        return self.splitter.get_n_splits(X, y, groups=groups, **params)

    def split(self, X: Any, y: Any = None, groups: Any = None, **params: Any) -> Iterator[Any]:
        """Yield the splitter's folds; warn once if a query is on both sides of one."""
        folds = self.splitter.split(X, y, groups=groups, **params)
        if groups is None or getattr(self.splitter, "cuts_groups", False):
            yield from folds
            return
        function = f"{type(self.splitter).__name__}.split"
        ids = check_groups(groups, count_rows(X, function), function)
        codes = np.unique(ids, return_inverse=True)[1]
        checking = True
        for fold, (train, test) in enumerate(folds):
            if checking:
                checking = not self._warn_if_cut(fold, codes[train], codes[test])
            yield train, test

    def _warn_if_cut(self, fold: int, in_train: np.ndarray, in_test: np.ndarray) -> bool:
        """Warn if queries have rows in both train and test; tell whether it did."""
        tested = np.unique(in_test)
        n_cut = np.isin(tested, in_train).sum()
        if n_cut:
            warn(
                f"{self.splitter} cuts queries: in fold {fold}, {n_cut} of {len(tested)} test queries have "
                "rows in train too. Use cv=5 or a splitter of whole queries such as BalancedGroupKFold.",
                UserWarning,
                stacklevel=2,
            )
        return bool(n_cut)
