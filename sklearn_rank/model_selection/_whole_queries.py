"""The grouped splitter behind `cv=5`, and a watch over any other and its folds."""

from collections.abc import Iterator, Mapping
from typing import Any
from warnings import warn

import numpy as np
from sklearn.base import is_classifier
from sklearn.model_selection import check_cv
from sklearn.utils.metadata_routing import MetadataRequest, get_routing_for_object

from .._data import count_rows, resolve_groups
from .._validation import check_groups, fail, is_int, is_real, read_array, read_list
from ._split import BalancedGroupKFold, read_labels

CUTS = (
    "{cv} cuts queries: in fold {fold}, {n_cut} of {n_tested} test queries have rows in train too. "
    "Use cv=5 or a splitter of whole queries such as BalancedGroupKFold."
)
JUDGES_NOTHING = (
    "{cv} leaves the test of fold {fold} no relevant document (label > 0), so that ranking metrics "
    "say nothing there. Use fewer folds; check_folds looks at them before."
)


def check_splitter(cv: Any, function: str) -> None:
    """Refuse what scikit-learn would take for a number of folds."""
    if isinstance(cv, bool):
        fail("cv", function, "be an int >= 2, a splitter, folds or None", cv)


class WholeQueries:
    """A splitter that passes `groups` to another one and warns if that cuts queries.

    Splitters whose purpose is to cut queries say so by the attribute ``cuts_groups = True``. With `ranks`, a
    test fold without a relevant document gets a warning too.
    """

    def __init__(self, splitter: Any, ranks: bool = False):
        self.splitter = splitter
        self.ranks = ranks

    @classmethod
    def around(cls, cv: Any, y: Any, estimator: Any, ranks: bool = False) -> "WholeQueries":
        """Watch over `cv`; None and an int mean a splitter of whole queries."""
        if isinstance(cv, cls):
            return cv
        if cv is None or is_int(cv):
            return cls(BalancedGroupKFold(5 if cv is None else int(cv)), ranks)
        return cls(check_cv(cv, y, classifier=estimator is not None and is_classifier(estimator)), ranks)

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
        """Yield the splitter's folds; warn once if a query is on both sides of one, or none has a hit."""
        folds = self.splitter.split(X, y, groups=groups, **params)
        if groups is None:
            yield from folds
            return
        function = f"{type(self.splitter).__name__}.split"
        ids = check_groups(groups, count_rows(X, function), function)
        codes = np.unique(ids, return_inverse=True)[1]
        checking = not getattr(self.splitter, "cuts_groups", False)
        labels = read_labels(y, len(codes)) if self.ranks and y is not None else np.ones(len(codes))
        judging = not (labels < 0).any()  # which the metrics refuse
        for fold, (train, test) in enumerate(folds):
            n_cut, n_tested = count_cut(codes[train], codes[test]) if checking else (0, 0)
            if n_cut:
                message = CUTS.format(cv=self.splitter, fold=fold, n_cut=n_cut, n_tested=n_tested)
                warn(message, UserWarning, stacklevel=2)
                checking = False
            if judging and not (labels[test] > 0).any():
                warn(JUDGES_NOTHING.format(cv=self.splitter, fold=fold), UserWarning, stacklevel=2)
                judging = False
            yield train, test


def count_cut(in_train: np.ndarray, in_test: np.ndarray) -> tuple[int, int]:
    """Count the tested queries that have rows in train too, and all that are tested."""
    tested = np.unique(in_test)
    return int(np.isin(tested, in_train).sum()), len(tested)


class SameFolds:
    """A splitter that yields the folds of its first split each time."""

    def __init__(self, splitter: Any):
        self.splitter = splitter
        self.folds: list[Any] | None = None

    def get_metadata_routing(self) -> MetadataRequest:
        """Request what the splitter requests."""
        return get_routing_for_object(self.splitter)

    def get_n_splits(self, X: Any = None, y: Any = None, groups: Any = None, **params: Any) -> int:
        """Return the splitter's number of folds."""
        return self.splitter.get_n_splits(X, y, groups=groups, **params)

    def split(self, X: Any, y: Any = None, groups: Any = None, **params: Any) -> Iterator[Any]:
        """Yield the folds."""
        if self.folds is None:
            self.folds = list(self.splitter.split(X, y, groups=groups, **params))
        yield from self.folds


def check_folds(
    cv: Any,
    X: Any,
    y: Any,
    *,
    groups: Any,
    min_relevance: float = 1,
    params: Mapping[str, Any] | None = None,
) -> list[tuple[np.ndarray, np.ndarray]]:
    """Check that folds keep queries whole and leave each test something to find; return them.

    Parameters
    ----------
    cv : int, splitter, iterable or None
        As in :func:`cross_validate`.
    X : array-like of shape (n_rows, n_features)
        Features.
    y : array-like of shape (n_rows,)
        Relevance labels; NaN where not judged.
    groups : array-like of shape (n_rows,) or str
        Query id of each row, or the name of an index level of X or y or of a column of X.
    min_relevance : float, default=1
        A document is relevant from this label on.
    params : dict, default=None
        What else the splitter's `split` takes, such as `times`.

    Returns
    -------
    list of (ndarray of int, ndarray of int)
        The rows to train on and to test on of each fold, to be used as `cv`.

    Raises
    ------
    ValueError
        If a query is on both sides of a fold, unless that is the splitter's purpose, or the test of a fold
        has no query with a relevant document.

    Examples
    --------
    >>> from sklearn_rank import check_folds
    >>> y, groups = [1, 0, 0, 0, 0, 2], ["a", "a", "b", "b", "c", "c"]
    >>> [test.tolist() for _, test in check_folds(2, [[0]] * 6, y, groups=groups)]
    [[0, 1], [2, 3, 4, 5]]
    >>> check_folds(3, [[0]] * 6, y, groups=groups)
    Traceback (most recent call last):
    ValueError: The 'cv' parameter of check_folds must leave each test a document with a label >= 1.
    Got none in fold 1 of 3 instead.
    """
    function = "check_folds"
    ids = check_groups(resolve_groups(groups, X, y, function), count_rows(X, function), function)
    codes = np.unique(ids, return_inverse=True)[1]
    check_splitter(cv, function)
    labels = _check_labels(y, len(codes), min_relevance, function)
    splitter = WholeQueries.around(cv, y, None).splitter if cv is None or is_int(cv) else cv
    folds = _list_folds(splitter, X, y, ids, params, function)
    if not folds:
        fail("cv", function, "give at least one fold", "none")
    for fold, (train, test) in enumerate(folds):
        place = f"fold {fold} of {len(folds)}"
        if not len(train):
            fail("cv", function, "leave each fold rows to train on", f"none in {place}")
        n_cut, n_tested = count_cut(codes[train], codes[test])
        if n_cut and not getattr(splitter, "cuts_groups", False):
            got = f"{n_cut} of {n_tested} test queries with rows in train too, in {place}"
            fail("cv", function, "keep queries whole", got)
        if not (labels[test] >= min_relevance).any():
            rule = f"leave each test a document with a label >= {min_relevance}"
            fail("cv", function, rule, f"none in {place}")
    return folds


FOLDS = "be an int >= 2, a splitter, None, or a list of pairs (train, test) of row numbers"


def _list_folds(splitter: Any, X: Any, y: Any, ids: np.ndarray, params: Any, function: str) -> list[Any]:
    """Return the folds of a splitter, or those given, each a pair of arrays of row numbers."""
    if params is not None and not isinstance(params, Mapping):
        fail("params", function, "be a dict or None", repr(params))
    if callable(getattr(splitter, "split", None)) and not isinstance(
        splitter, str | bytes | bytearray | type
    ):
        splitter = splitter.split(X, y, groups=ids, **(params or {}))
    else:
        splitter = read_list(splitter, "cv", function, FOLDS)
    return [_read_fold(fold, len(ids), function) for fold in splitter]


def _read_fold(fold: Any, n_rows: int, function: str) -> tuple[np.ndarray, ...]:
    """Return the rows to train on and to test on."""
    parts = [read_array(part, "cv", function, FOLDS) for part in read_list(fold, "cv", function, FOLDS)]
    are_rows = [
        part.ndim == 1
        and (not len(part) or (part.dtype.kind in "iu" and -n_rows <= part.min() and part.max() < n_rows))
        for part in parts
    ]
    if len(parts) != 2 or not all(are_rows):
        fail("cv", function, FOLDS, repr(fold))
    return tuple(part.astype(np.int64) for part in parts)


def _check_labels(y: Any, n_rows: int, min_relevance: Any, function: str) -> np.ndarray:
    """Check labels, and from which one on a document is relevant."""
    if count_rows(y, function, "y") != n_rows:
        fail("y", function, f"have one label per row, {n_rows}", count_rows(y, function, "y"))
    labels = read_array(y, "y", function, "be flat, of real numbers")
    if labels.dtype.kind not in "biuf" or labels.ndim != 1:
        fail("y", function, "be flat, of real numbers", f"dtype {labels.dtype}, shape {labels.shape}")
    if not is_real(min_relevance):
        fail("min_relevance", function, "be a real number", repr(min_relevance))
    return labels
