"""The door for options: one name has one meaning and one check in the whole package."""

from collections.abc import Callable, Mapping, Sequence
from math import isnan
from numbers import Integral, Real
from typing import Any

import numpy as np

from ._validation import fail, to_float


def _is_real(value: object) -> bool:
    return isinstance(value, Real) and not isinstance(value, bool | np.bool_)


def _cutoff(parameter: str) -> Callable[[Any, str], int | None]:
    def check(value: Any, function: str) -> int | None:
        if value is None:
            return None
        is_int = isinstance(value, Integral) and not isinstance(value, bool)
        if is_int and 1 <= value < 2**63:
            return int(value)
        fail(parameter, function, "be an int >= 1 or None (and below 2**63)", repr(value))

    return check


def _check_min_relevance(value: Any, function: str) -> float:
    if _is_real(value) and 0 < to_float(value) < np.inf:
        return float(value)
    fail("min_relevance", function, "be a finite number > 0", repr(value))


def _check_max_grade(value: Any, function: str) -> float | None:
    if value is None or (_is_real(value) and 0 < to_float(value) < np.inf):
        return None if value is None else float(value)
    fail("max_grade", function, "be a finite number > 0, or None", repr(value))


def _check_p(value: Any, function: str) -> float:
    if _is_real(value) and 0 < value < 1:
        return float(value)
    fail("p", function, "be a number above 0 and below 1", repr(value))


def _check_zero_division(value: Any, function: str) -> float:
    if _is_real(value) and (value in (0, 1) or isnan(value)):
        return float(value)
    fail("zero_division", function, "be 0.0, 1.0 or nan", repr(value))


def _check_gain(value: Any, function: str) -> Any:
    named = isinstance(value, str) and value in ("linear", "exponential")
    table = isinstance(value, Sequence | Mapping | np.ndarray) and not isinstance(value, str | bytes)
    if named or table or callable(value):
        return value
    rule = "be 'linear', 'exponential', a callable of the labels or a table of gains by grade"
    fail("gain", function, rule, repr(value))


def _check_discount(value: Any, function: str) -> Any:
    if value is None or callable(value) or (isinstance(value, str) and value in ("log2", "reciprocal")):
        return value
    fail("discount", function, "be 'log2', 'reciprocal', None or a callable of the rank", repr(value))


def _one_of(parameter: str, options: Sequence[Any]) -> Callable[[Any, str], Any]:
    def check(value: Any, function: str) -> Any:
        if any(value is option or (isinstance(value, str) and value == option) for option in options):
            return value
        fail(parameter, function, f"be one of {', '.join(map(repr, options))}", repr(value))

    return check


_OPTION_CHECKS: dict[str, Callable[[Any, str], Any]] = {
    "k": _cutoff("k"),
    "max_k": _cutoff("max_k"),
    "min_relevance": _check_min_relevance,
    "zero_division": _check_zero_division,
    "gain": _check_gain,
    "discount": _check_discount,
    "unjudged": _one_of("unjudged", ("raise", "nonrelevant", "drop", "mean", "median")),
    "max_grade": _check_max_grade,
    "p": _check_p,
    "ties": _one_of("ties", ("average", "order", "best", "worst")),
    "average": _one_of("average", ("macro", "micro", "weighted", None)),
    "denominator": _one_of("denominator", ("achievable", "relevant", "hits")),
    "adaptive_k": _one_of("adaptive_k", (False, True)),
}


def check_mean(function: str, average: Any, **options: Any) -> None:
    """Check the options of a mean of values that are no ratios of counts."""
    check_options(function, average=average, **options)
    if average == "micro":
        fail("average", function, "be 'macro', 'weighted' or None", repr(average))


def check_jobs(n_jobs: Any, function: str) -> None:
    """Check a number of jobs as joblib has it."""
    if not isinstance(n_jobs, Integral) or isinstance(n_jobs, bool) or n_jobs == 0:
        fail("n_jobs", function, "be an int other than 0, or None", repr(n_jobs))


def check_options(function: str, **options: Any) -> dict[str, Any]:
    """Check options by name: one name has one meaning in the whole package."""
    for name in options:
        if name not in _OPTION_CHECKS:
            raise TypeError(f"{function} has no option {name!r}; there are {', '.join(_OPTION_CHECKS)}.")
    return {name: _OPTION_CHECKS[name](value, function) for name, value in options.items()}
