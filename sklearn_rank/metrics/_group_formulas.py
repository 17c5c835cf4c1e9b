"""Functions of scikit-learn that are computed for all groups at once."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.metrics import (
    accuracy_score,
    average_precision_score,
    brier_score_loss,
    hinge_loss,
    log_loss,
    mean_absolute_error,
    mean_squared_error,
    roc_auc_score,
)

from .._checks.errors import fail
from .._checks.types import Arguments
from .._engine.prepared import Queries

OF_ROWS = (log_loss, brier_score_loss, hinge_loss, mean_squared_error, mean_absolute_error, accuracy_score)
OF_THRESHOLDS = (roc_auc_score, average_precision_score)
MOST = 2**53  # larger integers are not exact as floats


def find_classes(y_true: np.ndarray) -> np.ndarray:
    """Return the classes of all rows, which log loss needs in each group; 0 and 1 if there are no others."""
    found = np.unique(y_true)
    return np.array([0, 1]) if np.isin(found, [0, 1]).all() else found


def score_at_once(
    score_func: object, y_true: np.ndarray, y_pred: np.ndarray, queries: Queries, given: Arguments
) -> np.ndarray | None:
    """Return the value of each group, nan if it is undefined.

    Return `None` for other functions, options or inputs, for which the function itself is called.
    """
    if not any(score_func is each for each in OF_ROWS + OF_THRESHOLDS) or y_true.ndim != 1:
        return None
    if y_pred.dtype.kind not in "biuf" or y_true.dtype.kind not in "biufU":
        return None
    if not np.isfinite(y_pred).all():
        if (infinite := np.isinf(y_pred)).any():
            rule = f"be finite for {getattr(score_func, '__name__', score_func)}"
            fail("y_pred", rule, y_pred[infinite][0], "Drop these rows: they have no prediction.")
        return None
    if queries.rows is not None:
        y_true, y_pred = y_true[queries.rows], y_pred[queries.rows]
    if score_func is log_loss and given.keys() == {"labels"}:
        losses = _find_log_losses(y_true, y_pred, np.unique(given["labels"]))
    elif given or y_true.dtype.kind == "U" or not np.isfinite(y_true).all() or y_pred.ndim != 1:
        return None
    elif score_func in OF_THRESHOLDS:
        return _score_thresholds(score_func, y_true, y_pred, queries)
    else:
        losses = _find_losses(score_func, y_true, y_pred)
    if losses is None:
        return None
    with np.errstate(over="ignore"):  # inf, as scikit-learn returns
        return np.add.reduceat(losses, queries.firsts, dtype=float) / queries.lengths


def _find_log_losses(y_true: np.ndarray, odds: np.ndarray, classes: np.ndarray) -> np.ndarray | None:
    """Return -log(p) of the class of each row, with p inside (0, 1) as in scikit-learn."""
    if (outside := (odds < 0) | (odds > 1)).any():
        fail("y_pred", "be between 0 and 1 for log_loss", odds[outside][0], "Pass probabilities.")
    odds = odds if odds.dtype.kind == "f" else odds.astype(np.float64)
    odds = np.column_stack([1 - odds, odds]) if odds.ndim == 1 else odds
    are_odds = np.allclose(odds.sum(axis=1), 1, rtol=1e-8)
    are_alike = (y_true.dtype.kind == "U") == (classes.dtype.kind == "U")
    if are_alike and (unknown := ~np.isin(y_true, classes)).any():  # scikit-learn 1.6 would ignore these rows
        fix = "In cross-validation, use folds whose training sets contain all classes."
        fail("y_true", f"contain only the classes {classes.tolist()}", y_true[unknown][0], fix)
    if not (are_odds and are_alike and odds.shape[1] == len(classes)):
        return None
    least = np.finfo(odds.dtype).eps
    of_class = odds[np.arange(len(odds)), np.searchsorted(classes, y_true)]
    return -np.log(np.clip(of_class, least, 1 - least).astype(np.float64))


def _find_losses(score_func: object, y_true: np.ndarray, y_pred: np.ndarray) -> np.ndarray | None:
    """Return the value of each row, or `None` for inputs that the function rejects."""
    if score_func is accuracy_score:
        return None if np.mod([y_true, y_pred], 1).any() else y_true == y_pred
    if score_func is hinge_loss:  # scikit-learn takes the only class of a group as negative
        classes = find_classes(y_true)
        signs = np.where(y_true == classes[-1], 1, -1)
        return np.maximum(0, 1 - signs * y_pred) if len(classes) == 2 else None
    are_odds = ((y_pred >= 0) & (y_pred <= 1)).all() and np.isin(y_true, [0, 1]).all()
    if score_func is brier_score_loss and not are_odds:
        return None
    with np.errstate(over="ignore"):
        apart = y_true.astype(np.float64) - y_pred.astype(np.float64)
        return np.abs(apart) if score_func is mean_absolute_error else apart**2


def _score_thresholds(
    score_func: object, y_true: np.ndarray, y_pred: np.ndarray, queries: Queries
) -> np.ndarray | None:
    """Compute the ROC AUC or the average precision, in which tied scores have one threshold."""
    if not np.isin(y_true, [0, 1]).all() or np.abs(y_pred).max() > MOST:
        return None
    codes, scores = np.repeat(np.arange(len(queries.lengths)), queries.lengths), y_pred.astype(np.float64)
    order = np.lexsort((-scores, codes))
    scores = scores[order]
    heads = np.flatnonzero(np.append(True, (scores[1:] != scores[:-1]) | (codes[1:] != codes[:-1])))
    positive = np.add.reduceat(y_true[order] == 1, heads, dtype=np.int64)  # of each threshold
    sizes, group = np.diff(np.append(heads, len(order))), codes[heads]
    starts = np.searchsorted(group, np.arange(len(queries.lengths)))

    def count(numbers: np.ndarray) -> Any:
        """Return sums up to each threshold of a group, and of the group."""
        sums = np.cumsum(numbers)
        return sums - (sums - numbers)[starts][group], np.add.reduceat(numbers, starts)

    (found, n_positive), (seen, n_rows) = count(positive), count(sizes)
    with np.errstate(divide="ignore", invalid="ignore"):  # undefined groups are nan
        if score_func is average_precision_score:
            return np.add.reduceat(positive * (found / seen), starts) / n_positive
        pairs = np.add.reduceat((sizes - positive) * (found - positive / 2), starts)
        return pairs / (n_positive * (n_rows - n_positive))
