"""Checks of results, which return the violation or None."""

import numpy as np

from sklearn_rank import RankingReport
from sklearn_rank.metrics import TieReport

from .values import INF, NAN

ROUNDING = 1e-12  # tolerance for values outside their range


def check_values(result, average, lower, upper, zero_division):
    """Return what is wrong with a mean or with the values of queries, or None."""
    if average is not None:
        if type(result) is not float:
            return f"a {type(result).__name__} instead of a float"
        values = np.array([result])
    elif isinstance(result, np.ndarray) and result.dtype == np.float64 and result.ndim == 1 and len(result):
        values = result
    else:
        return f"{result!r} instead of an array of floats"
    if average is None and np.isnan(values).any() and zero_division == zero_division:
        return "nan, although zero_division is not nan"
    known = values[~np.isnan(values)]
    if not ((known >= lower - ROUNDING) & (known <= upper + ROUNDING) & np.isfinite(known)).all():
        return f"{result!r} outside its range"
    return None


def check_metric(result, given, entry):
    zero_division = given.get("zero_division", entry.defaults.get("zero_division", 0.0))
    if entry.function.__name__ == "bpr_loss" and np.isinf(result).any():
        return None  # the margin overflows
    average = given.get("average", "macro")
    lower, upper = (
        (-INF, INF) if given.get("signed") else (entry.lower, entry.upper)
    )  # labels can have any size
    return check_values(result, average, lower, upper, zero_division)


def check_sampled(result, given):
    """Check corrected metrics, whose values can be any finite number."""
    zero_division = given.get("zero_division", 0.0)
    return check_values(result, given.get("average", "macro"), -INF, INF, zero_division)


def check_named(result, given, average="macro"):
    if type(result) is not dict or not result:
        return f"{result!r} instead of a dict"
    average = given.get("average", average)
    for name, value in result.items():
        if "bpr_loss" in name and np.isinf(value).any():
            continue
        wrong = check_values(value, average, -INF, INF, given.get("zero_division", NAN))
        if wrong and "zero_division" not in wrong:
            return f"{name}: {wrong}"
    return None


def check_extra_data(result, given):
    """Check values per query or means; metrics of all rankings together are floats for any `average`."""
    for name, value in result.items():
        average = "macro" if type(value) is float else given.get("average", "macro")
        wrong = check_values(value, average, -INF, INF, NAN)
        if wrong:
            return f"{name}: {wrong}"
    return None if result else "an empty result"


def check_reported(result, given):
    """Check a report."""
    if type(result) is not RankingReport:
        return f"{result!r} instead of a report"
    return check_extra_data(result.mean | result.list_metrics, {})


def check_curve(result, given):
    if (
        type(result) is not tuple
        or len(result) != 2
        or not all(isinstance(part, np.ndarray) for part in result)
    ):
        return f"{result!r} instead of a curve"
    points, values = result
    if (
        points.ndim != 1
        or values.shape[-1:] != points.shape
        or values.ndim != 1 + (given.get("average", 1) is None)
    ):
        return f"points of shape {points.shape} and values of shape {values.shape}"
    known = values[~np.isnan(values)]
    return None if ((known >= 0) & (known <= 1 + ROUNDING)).all() else f"{values!r} outside [0, 1]"


def check_report(result, given):
    if type(result) is not TieReport or not (
        0 <= result.tied_queries <= 1 and 0 <= result.tied_documents <= 1
    ):
        return f"{result!r} instead of a report"
    for name, values in result.metrics.items():
        if not all(type(value) is float for value in values.values()):
            return f"{name}: {values!r}"
    return None


def check_float(result, given):
    zero_division = given.get("zero_division", NAN)
    return check_values(result, given.get("average", "macro"), -INF, INF, zero_division)


def check_any(result, given):
    """Check results of the caller's function, which can be infinite."""
    is_mean = given.get("average", "macro") is not None
    return None if (type(result) is float if is_mean else isinstance(result, np.ndarray)) else f"{result!r}"


def check_rows(result, given):
    if type(result) is not tuple or len(result) != 3 + bool(given.get("return_items", False)):
        return f"{result!r} instead of rows"
    if len({(type(part), part.shape) for part in result}) > 1 or result[0].ndim != 1:
        return f"parts of {[part.shape for part in result]}"
    return (
        None if all(part.dtype.kind == "f" for part in result[:2]) else "labels or scores that are not floats"
    )


def check_ranks(result, given):
    if not isinstance(result, np.ndarray) or result.shape != (len(given["y_score"]),):
        return f"{result!r} instead of a rank for each row"
    ranked = result[~np.isnan(result)]
    return None if ((ranked >= 1) & (ranked <= len(result))).all() else f"{result!r} instead of ranks"


def check_ids(result, given):
    if not isinstance(result, np.ndarray) or result.ndim != 1:
        return f"{result!r} instead of ids"
    groups = given["groups"]
    known = list(groups) if isinstance(groups, list | tuple) else np.asarray(groups).ravel().tolist()
    known = [*known, *(each[0] for each in known if isinstance(each, list) and len(each) == 1)]
    return (
        None
        if all(each in known for each in result.tolist())
        else f"{result!r}, which contains other values than the ids"
    )


def check_folds(result, given):
    if not isinstance(result, list) or not result:
        return f"{result!r} instead of folds"
    if any(len(np.intersect1d(train, test)) or not len(test) for train, test in result):
        return f"{result!r}: training and test set overlap, or a test set is empty"
    return None


def check_train_test(result, given):
    whole = type(result) is list and len(result) == (4 if given.get("y") is not None else 2)
    sizes = [len(part) if getattr(part, "shape", None) is None else part.shape[0] for part in result]
    return None if whole and all(sizes) else f"{result!r} instead of two parts of each array"


def check_score(result, given):
    values = list(result.values()) if type(result) is dict else [result]
    return (
        None if values and all(type(value) is float for value in values) else f"{result!r} instead of a float"
    )
