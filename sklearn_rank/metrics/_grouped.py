"""Any metric of scikit-learn, or of the user's, per group."""

import re
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from inspect import signature
from typing import Any

import numpy as np
from sklearn.metrics import average_precision_score

from .._options import check_mean
from .._queries import Queries, find_queries
from .._validation import check_groups, check_weights, fail, is_real, read_array
from ._average import average_values, query_weights

# How scikit-learn warns of values that are nan, and average_precision_score of its 0.
IS_NAN = r"Only one class is present|[RD]\^2 score is not well-defined|.*`cohen_kappa_score` is undefined"
IS_ZERO = "No positive class found"


def group_score(
    score_func: Callable[..., float],
    y_true: Any,
    y_pred: Any,
    *,
    groups: Any,
    average: str | None = "macro",
    zero_division: float = np.nan,
    sample_weight: Any = None,
    **kwargs: Any,
) -> Any:
    """Any metric per group, averaged over groups: RMSE, F1 or log loss per user.

    Parameters
    ----------
    score_func : callable
        A function ``score_func(y_true, y_pred, **kwargs)`` that returns a number, such as those of
        ``sklearn.metrics``. One with parameters named as those below goes into a ``functools.partial``.
    y_true : array-like of shape (n_rows,) or (n_rows, n_outputs)
        What is true, in whatever form `score_func` takes it.
    y_pred : array-like of shape (n_rows,) or (n_rows, n_outputs)
        What is predicted, in whatever form `score_func` takes it.
    groups : array-like of shape (n_rows,)
        The group of each row, in any order and of any sortable type.
    average : {"macro", "weighted"} or None, default="macro"
        Mean over groups, weighted by their number of rows or not; None for the value of each group in the
        order of ``numpy.unique(groups)``.
    zero_division : {0.0, 1.0, nan}, default=nan
        Value of a group in which `score_func` is undefined: it returns nan, or what its own `zero_division`
        says, as ``f1_score`` does, or is ``average_precision_score`` without a positive class. nan leaves the
        group out of the mean. Of `log_loss` give the labels, ``labels=[0, 1]``, as a group may have one class
        alone.
    sample_weight : array-like of shape (n_rows,), default=None
        Group weights, repeated on each row of the group.
    **kwargs
        Further arguments of `score_func`, the same for every group.

    Returns
    -------
    float or ndarray of shape (n_groups,)
        In the range of `score_func`. nan, with a warning, if every group is left out.

    Raises
    ------
    ValueError
        If an argument breaks a rule above; the message names it. An error of `score_func` is passed on with a
        note that names the group.

    Examples
    --------
    >>> from sklearn.metrics import mean_absolute_error
    >>> from sklearn_rank import group_score
    >>> y_true, y_pred, users = [3, 5, 1, 1], [2, 5, 1, 5], ["ann", "ann", "bob", "bob"]
    >>> group_score(mean_absolute_error, y_true, y_pred, groups=users, average=None)
    array([0.5, 2. ])
    """
    function = "group_score"
    if not callable(score_func):
        fail("score_func", function, "be a function of y_true and y_pred", repr(score_func))
    check_mean(function, average, zero_division=zero_division)
    y_true, y_pred = _read_rows(y_true, "y_true"), _read_rows(y_pred, "y_pred")
    n_rows = len(y_true)
    if len(y_pred) != n_rows:
        fail("y_pred", function, f"have the rows of 'y_true', {n_rows}", len(y_pred))
    if n_rows == 0:
        fail("y_true", function, "have at least one row", "none")
    ids = check_groups(groups, n_rows, function)
    queries = find_queries(ids, n_rows)
    weights = query_weights(check_weights(sample_weight, n_rows, "row", function), queries, function)
    values = np.full(len(queries.lengths), float(zero_division))
    variants = [{**kwargs, **options} for options in _find_variants(score_func)]
    with _ignoring(_said_by_values(y_true)):
        _fill(values, score_func, y_true, y_pred, queries, groups, variants)
    return average_values(values, weights, queries, average, function)


def _read_rows(values: Any, parameter: str) -> np.ndarray:
    """Return an array of any type, with rows."""
    if isinstance(values, np.ma.MaskedArray):
        fail(parameter, "group_score", "not have a mask", "a MaskedArray")
    array = read_array(values, parameter, "group_score", "be an array with an entry per row")
    if array.ndim == 0:
        fail(parameter, "group_score", "have rows", "None" if values is None else type(values).__name__)
    return array


def _find_variants(score_func: Callable[..., float]) -> list[dict[str, float]]:
    """Return the options to compute a group with: where they make a difference, it is undefined."""
    try:
        default = signature(score_func).parameters["zero_division"].default
    except (TypeError, ValueError, KeyError):  # a builtin may have no signature
        return [{}]
    is_asked = isinstance(default, str) and default == "warn"
    return [{"zero_division": 0.0}, {"zero_division": 1.0}] if is_asked else [{}]


def _said_by_values(y_true: np.ndarray) -> re.Pattern[str]:
    """Return the warnings that repeat what the value says; of several labels, 0 may be a part of it."""
    return re.compile(IS_NAN if y_true.ndim > 1 else f"{IS_NAN}|{IS_ZERO}")


@contextmanager
def _ignoring(messages: re.Pattern[str]) -> Iterator[None]:
    """Ignore warnings.

    Threads share the list of filters. `catch_warnings` would replace it, and bring the old one back under the
    feet of the others; so one filter of ours is put into it, and taken out.
    """
    filters: Any = warnings.filters
    ours = ("ignore", messages, UserWarning, None, 0)
    filters.insert(0, ours)
    try:
        yield
    finally:
        with suppress(ValueError):  # score_func may have reset them
            filters.remove(ours)


def _fill(
    values: np.ndarray,
    score_func: Callable[..., float],
    y_true: np.ndarray,
    y_pred: np.ndarray,
    queries: Queries,
    groups: Any,
    variants: list[dict[str, Any]],
) -> None:
    """Write the value of each group where it has one."""
    for group, (first, length) in enumerate(zip(queries.firsts, queries.lengths)):
        places = slice(first, first + length)
        rows = places if queries.rows is None else queries.rows[places]
        try:
            value, *others = [_call(score_func, y_true[rows], y_pred[rows], each) for each in variants]
        except Exception as error:
            row = first if queries.rows is None else queries.rows[first]
            error.add_note(f"This happened in group_score, in the group {list(groups)[row]!r}.")
            raise
        if value == value and all(value == other for other in others):
            values[group] = value


def _call(score_func: Callable[..., float], y_true: Any, y_pred: Any, kwargs: dict[str, Any]) -> float:
    """Compute one group's value; nan where it is undefined."""
    try:
        value = score_func(y_true, y_pred, **kwargs)
    except UserWarning as warning:  # where warnings are errors, and another thread has replaced the filters
        if not _said_by_values(y_true).match(str(warning)):
            raise
        return np.nan
    if isinstance(value, np.ndarray) and value.ndim == 0:
        value = value.item()
    if not is_real(value) and not isinstance(value, bool | np.bool_):
        fail("score_func", "group_score", "return a number", f"a {type(value).__name__}")
    function = score_func.func if isinstance(score_func, partial) else score_func
    if function is average_precision_score and value == 0:  # above 0 wherever there is a positive
        return np.nan
    return float(value)
