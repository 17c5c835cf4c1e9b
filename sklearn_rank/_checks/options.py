"""Checks of options: one name has one meaning and one check in the whole package."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from decimal import Decimal
from functools import lru_cache, wraps
from types import NoneType
from typing import Any, TypeVar

import numpy as np

from . import Default
from .arrays import to_float
from .errors import fail, is_int, is_real, name_call
from .types import Arguments, Function, Options

PLAIN = {str, int, float, bool, NoneType, Default}  # types of options that can be cached by value
LEAST_RESAMPLES, MOST_RESAMPLES = 100, 10**7
OWN_BACKENDS = ("loky", "multiprocessing", "sequential", "threading")  # of joblib

Built = TypeVar("Built")


def _cutoff(parameter: str, bits: int, otherwise: str = " or None") -> Callable[[Any], int | None]:
    def check(value: object) -> int | None:
        if value is None and otherwise:
            return None
        if is_int(value) and 1 <= value < 2**bits:
            return int(value)
        is_large = is_int(value) and value > 0
        fix = f"The highest value is 2**{bits} - 1." if is_large else _show_cutoff(parameter, value)
        fail(parameter, f"be an int >= 1{otherwise}", repr(value), fix)

    return check


def _show_cutoff(parameter: str, value: object) -> str:
    """Return how to pass a cutoff that is text or a float, or several cutoffs."""
    if parameter == "k" and isinstance(value, list | tuple | np.ndarray):
        return 'For several cutoffs, pass metrics=["ndcg@5", "ndcg@10"] to ranking_scores.'
    is_text = isinstance(value, str) and value.isdecimal()
    number = to_float(value) if is_text or (is_real(value) and not is_int(value)) else 0.0
    return f"Pass {parameter}={int(number)}." if number >= 1 and number.is_integer() else ""


def _number(parameter: str, rule: str, is_allowed: Callable[[float], bool]) -> Callable[[Any], float]:
    def check(value: object) -> float:
        if is_real(value) and is_allowed(to_float(value)):
            return value if isinstance(value, Default) else float(value)
        fail(parameter, f"be a {rule}", repr(value))

    return check


def _inside_unit(parameter: str) -> Callable[[Any], float]:
    return _number(parameter, "number above 0 and below 1", lambda number: 0 < number < 1)


def _check_max_grade(value: object) -> float | str | None:
    if is_one_of(value, (None, "query")):  # the word is for RBP and INSQ only
        return str(value) if value else None
    if is_real(value) and 0 < to_float(value) < np.inf:
        return float(value)
    fix = "Only rbp and insq accept 'query'." if isinstance(value, str) else ""
    fail("max_grade", "be a finite number > 0 or None", repr(value), fix)


def _check_max_fpr(value: object) -> float | None:
    if value is None or (is_real(value) and 0 < to_float(value) <= 1):
        return None if value is None else float(value)
    fail("max_fpr", "be a number above 0, up to 1, or None", repr(value))


def _check_zero_division(value: object) -> float:
    if is_real(value) and (value in (0, 1) or value != value):
        return float(value) + 0.0  # converts -0.0, which would share a cache entry with 0.0
    fail("zero_division", "be 0.0, 1.0 or nan", repr(value))


def _check_gain(value: object) -> Any:
    named = is_one_of(value, ("linear", "exponential"))
    is_text = isinstance(value, str | bytes | bytearray | memoryview)
    table = isinstance(value, Sequence | Mapping) and not is_text
    if named or table or callable(value) or (isinstance(value, np.ndarray) and value.ndim == 1):
        return value
    fail("gain", "be 'linear', 'exponential', a callable or a table of gains by grade", repr(value))


def _check_discount(value: object) -> Any:
    if callable(value) or is_one_of(value, ("log2", "reciprocal", None)):
        return value
    fail("discount", "be 'log2', 'reciprocal', None or a callable", repr(value))


def pick(names: Iterable[str], given: Arguments) -> Options:
    """Return the arguments with some names."""
    return {name: given[name] for name in names if name in given}


def is_one_of(value: object, options: Sequence[Any]) -> bool:
    """Return whether a value is one of some words and constants, without calling its `__eq__`."""
    return value in options if isinstance(value, str) else any(value is option for option in options)


def check_choice(parameter: str, value: object, options: Sequence[Any], why: str = "") -> Any:
    """Check that a value is one of some words and constants; `why` explains why others are not allowed."""
    if is_one_of(value, options):
        return value
    fail(parameter, f"be one of {', '.join(map(repr, options))}{why}", repr(value))


def _one_of(parameter: str, options: Sequence[Any]) -> Callable[[Any], Any]:
    return lambda value: check_choice(parameter, value, options)


_OPTION_CHECKS: dict[str, Callable[[Any], Any]] = {
    "k": _cutoff("k", 63),
    "max_k": _cutoff("max_k", 31),  # this many values are computed
    "min_relevance": _number("min_relevance", "finite number > 0", lambda number: 0 < number < np.inf),
    "zero_division": _check_zero_division,
    "gain": _check_gain,
    "discount": _check_discount,
    "unjudged": _one_of("unjudged", ("raise", "nonrelevant", "drop", "mean", "median")),
    "max_grade": _check_max_grade,
    "desired_gain": _number(
        "desired_gain", "number from 1e-100 to 10**6", lambda gain: 1e-100 <= gain <= 10**6
    ),
    "max_fpr": _check_max_fpr,
    "ideal": _one_of("ideal", ("judged", "full")),
    "multiple": _number("multiple", "number from 0.01 to 10**6", lambda number: 0.01 <= number <= 10**6),
    "p": _inside_unit("p"),
    "smoothing": _inside_unit("smoothing"),
    "tail": _inside_unit("tail"),
    "prior_precision": _inside_unit("prior_precision"),
    "alpha": _number("alpha", "number from 0 to 1", lambda number: 0 <= number <= 1),
    "beta": _number("beta", "number above 0, up to 1e100", lambda number: 0 < number <= 1e100),
    "ties": _one_of("ties", ("average", "order", "best", "worst")),
    "average": _one_of("average", ("macro", "micro", "weighted", "geometric", None)),
    "denominator": _one_of("denominator", ("achievable", "relevant", "hits")),
    "weighted_by": _one_of("weighted_by", ("rows", "relevant")),
    "adaptive_k": _one_of("adaptive_k", (False, True)),
    "signed": _one_of("signed", (False, True)),
}

check_needed_k = _cutoff("k", 63, otherwise="")  # for metrics that need a cutoff


def check_mean(average: object, geometric: bool = False, **options: object) -> None:
    """Check the options of a mean of values that are not ratios; `geometric` if they are never negative."""
    check_options(average=average, **options)
    if average == "micro" or (average == "geometric" and not geometric):
        rule = f"be 'macro', 'weighted'{', ' + repr('geometric') if geometric else ''} or None"
        fix = {
            "micro": "'micro' is available for ratios of counts, such as precision and recall.",
            "geometric": "'geometric' requires one score per query that is never negative.",
        }
        fail("average", rule, repr(average), fix[str(average)])


def check_jobs(n_jobs: object) -> None:
    """Check a number of jobs in the convention of joblib."""
    if not is_int(n_jobs) or n_jobs == 0:
        fail("n_jobs", "be an int other than 0, or None", repr(n_jobs))


def count_jobs(n_jobs: int | None) -> int:
    """Return the requested number of threads or processes of this machine.

    None has joblib's meaning for its own backends, and is 1 for others, such as those of a cluster.
    """
    from joblib import effective_n_jobs
    from joblib.parallel import BACKENDS, get_active_backend

    if type(get_active_backend()[0]) in [BACKENDS.get(name) for name in OWN_BACKENDS]:
        return int(effective_n_jobs(n_jobs))
    return int(BACKENDS["threading"]().effective_n_jobs(1 if n_jobs is None else n_jobs))


def check_options(**options: object) -> Options:
    """Check options by name: one name has one meaning in the whole package."""
    if not options.keys() <= _OPTION_CHECKS.keys():
        unknown = next(name for name in options if name not in _OPTION_CHECKS)
        raise TypeError(f"{name_call()} has no option {unknown!r}. Options are {', '.join(_OPTION_CHECKS)}.")
    return {name: _OPTION_CHECKS[name](value) for name, value in options.items()}


def remember(build: Callable[..., Built]) -> Callable[..., Built]:
    """Cache the results of a function by its first argument, such as a tuple of names, and plain options.

    Scorers repeat these arguments in each call. Results depend on nothing else, cause no warning and must not
    be changed. Values of other types, such as functions, are not cached, because they can change.
    """
    built = lru_cache(maxsize=1024, typed=True)(build)

    @wraps(build)
    def find(first: object, /, *words: object, **options: object) -> Built:
        are_plain = PLAIN.issuperset(map(type, words)) and PLAIN.issuperset(map(type, options.values()))
        if type(first) is tuple:
            is_hashable = PLAIN.issuperset(map(type, first))
        else:
            is_hashable = type(first).__hash__ is not None
        is_hashable &= not isinstance(first, np.void | Decimal | memoryview)  # hashes that can change or fail
        return (built if are_plain and is_hashable else build)(first, *words, **options)

    return find


def check_flag(value: object, parameter: str) -> None:
    if not isinstance(value, bool | np.bool_):
        fail(parameter, "be True or False", repr(value))


def check_random(seed: object) -> np.random.RandomState:
    """Return the generator of a seed; scikit-learn is imported only if the seed is not an integer."""
    if type(seed) is int and 0 <= seed < 2**32:
        return np.random.RandomState(seed)
    from sklearn.utils import check_random_state

    try:
        return check_random_state(seed)
    except (TypeError, ValueError):
        fail("random_state", "be None, an int from 0 to 2**32 - 1 or a RandomState", repr(seed))


def check_params(params: object, parameter: str = "params") -> Options:
    """Check parameters by name, to be passed on."""
    if params is None:
        return {}
    if not isinstance(params, Mapping) or not all(isinstance(name, str) for name in params):
        fix = f"Pass {parameter}={{'name': values}}."
        fail(parameter, "be a dict of values by name, or None", repr(params), fix)
    return dict(params)


def call_function(given: Function, parameter: str, *arguments: object) -> Any:
    """Call a function of the user; its errors get a note that names the parameter and the call."""
    try:
        return given(*arguments)
    except Exception as error:
        error.add_note(f"The {parameter!r} parameter of {name_call()} raised this error.")
        raise


def check_resamples(value: object, or_none: bool = False) -> None:
    """Check a number of resamples, each of which takes time and memory; 0 means none. `or_none` allows it."""
    if is_int(value) and (LEAST_RESAMPLES <= value <= MOST_RESAMPLES or (or_none and value == 0)):
        return
    fail("n_resamples", "be an int from 100 to 10**7" + ", 0 or None" * or_none, repr(value))


def is_same(value: object, default: object) -> bool:
    """Return whether a value equals the default, and was not given if that makes a difference."""
    if isinstance(default, Default) and not isinstance(value, Default):
        return False
    if isinstance(value, bool) or isinstance(default, bool):
        return value is default
    return value is default or (isinstance(value, str | int | float) and value == default)
