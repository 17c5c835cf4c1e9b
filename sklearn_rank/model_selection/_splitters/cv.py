"""What `cv` may be: a number of folds of whole queries, a splitter, or the folds themselves."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.model_selection import check_cv

from ..._checks.arrays import flatten, read_array, read_list
from ..._checks.codes import rank_ids
from ..._checks.containers import check_same_order, count_rows, resolve_groups
from ..._checks.errors import fail, is_int, is_real
from ..._checks.groups import check_groups
from ..._checks.options import check_params
from ..._checks.types import Arguments, ArrayLike, Estimator, Features, Labels, Splitter
from ..._routing.model_parts import takes
from .group_kfold import BalancedGroupKFold

OF_LISTS = type(check_cv([]))  # of the splitters that scikit-learn makes of lists of folds
FOLDS = "be an int >= 2, a splitter, None, or a list of pairs (train, test) of row numbers"


def as_splitter(cv: Splitter, n_rows: int) -> Any:
    """Return the splitter that `cv` means; None and an int mean one of whole queries."""
    if cv is None or is_int(cv):
        return BalancedGroupKFold(5 if cv is None else int(cv))
    if callable(getattr(cv, "split", None)) and not isinstance(cv, str | bytes | bytearray | type):
        return cv
    folds = read_list(cv, "cv", FOLDS)
    if not folds:
        fail("cv", "give at least one fold", "none")
    return check_cv([_read_fold(fold, n_rows) for fold in folds])


def spell_splitter(splitter: Splitter) -> str:
    """Return a splitter as text. A list of folds, which scikit-learn wraps in a class, becomes its length."""
    if isinstance(splitter, list | tuple | OF_LISTS):
        n_folds = len(splitter) if isinstance(splitter, list | tuple) else splitter.get_n_splits()
        return f"a list of {n_folds} fold{'s' * (n_folds != 1)}"
    return str(splitter)


def check_folds(
    cv: Splitter,
    X: Features,
    y: ArrayLike,
    *,
    groups: ArrayLike | str,
    min_relevance: float = 1,
    params: Arguments | None = None,
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
    >>> from sklearn_rank.model_selection import check_folds
    >>> y, groups = [1, 0, 0, 0, 0, 2], ["a", "a", "b", "b", "c", "c"]
    >>> [test.tolist() for _, test in check_folds(2, [[0]] * 6, y, groups=groups)]
    [[0, 1, 2, 3], [4, 5]]
    >>> check_folds(3, [[0]] * 6, y, groups=groups)
    Traceback (most recent call last):
    ValueError: The 'cv' parameter of check_folds must leave each test a document with a label >= 1.
    Got none in fold 2 of 3 instead.
    """
    params = check_params(params)
    check_same_order(**{"X": X, "y": y, "groups": groups, **params})
    ids = check_groups(resolve_groups(groups, X, y), count_rows(X))
    codes = rank_ids(ids)
    splitter = as_splitter(cv, len(codes))
    for name in params:
        if not (takes(splitter, "split", name) or takes(splitter, "split", "**")):
            rule = "name what the splitter takes, as times with cv=TimeCut() or cv=LeaveLastOut()"
            fail("params", rule, f"{name!r} for {type(splitter).__name__}")
    labels = _check_flat_labels(y, len(codes), min_relevance)
    of_any_sign = bool((labels < 0).any())  # as returns are, of which none is relevant
    folds = splitter.split(X, y, groups=ids, **params)
    folds = [_read_fold(fold, len(codes)) for fold in folds]
    if not folds:
        fail("cv", "give at least one fold", "none")
    for fold, (train, test) in enumerate(folds):
        place = f"fold {fold} of {len(folds)}"
        if not len(train):
            fail("cv", "leave each fold rows to train on", f"none in {place}")
        n_cut, n_tested = count_cut(codes[train], codes[test])
        if n_cut and not getattr(splitter, "cuts_groups", False):
            got = f"{n_cut} of {n_tested} test queries with rows in train too, in {place}"
            fail("cv", "keep queries whole", got)
        if not (of_any_sign or (labels[test] >= min_relevance).any()):
            rule = f"leave each test a document with a label >= {min_relevance}"
            fail("cv", rule, f"none in {place}")
    return folds


def count_cut(in_train: np.ndarray, in_test: np.ndarray) -> tuple[int, int]:
    """Count the tested queries that have rows in train too, and all that are tested."""
    tested = np.unique(in_test)
    return int(np.isin(tested, in_train).sum()), len(tested)


def _read_fold(fold: Any, n_rows: int) -> tuple[np.ndarray, ...]:
    """Return the rows to train on and to test on."""
    parts = [_read_side(part, n_rows) for part in read_list(fold, "cv", FOLDS)]
    if len(parts) != 2:
        fail("cv", FOLDS, repr(fold))
    return tuple(parts)


def _read_side(part: Estimator, n_rows: int) -> np.ndarray:
    """Return one side of a fold as row numbers; scikit-learn takes a mask with an entry per row, too."""
    rows = read_array(part, "cv", FOLDS)
    if rows.dtype == bool and rows.shape == (n_rows,):
        return np.flatnonzero(rows)
    if rows.shape == (0,):
        return rows.astype(np.int64)
    if rows.ndim != 1 or rows.dtype.kind not in "iu" or rows.min() < -n_rows or rows.max() >= n_rows:
        fail("cv", f"{FOLDS}, of which there are {n_rows}", repr(part))
    return rows.astype(np.int64)


def _check_flat_labels(y: Labels, n_rows: int, min_relevance: Any) -> np.ndarray:
    """Check labels, and from which one on a document is relevant."""
    if count_rows(y, "y") != n_rows:
        fail("y", f"have one label per row, {n_rows}", count_rows(y, "y"))
    labels = flatten(read_array(y, "y", "be flat, of real numbers"))
    if labels.dtype.kind not in "biuf" or labels.ndim != 1:
        fail("y", "be flat, of real numbers", f"dtype {labels.dtype}, shape {labels.shape}")
    if not is_real(min_relevance):
        fail("min_relevance", "be a real number", repr(min_relevance))
    return labels
