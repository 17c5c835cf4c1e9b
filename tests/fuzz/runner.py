"""The runner of the fuzzer, which draws inputs by number, passes them and judges the results."""

import re
import time
import traceback
import warnings
from collections import Counter
from contextlib import suppress
from random import Random
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse
from sklearn.exceptions import UndefinedMetricWarning

from sklearn_rank import RankingWarning
from sklearn_rank.metrics import METRICS

from .calls import TARGETS
from .errors import judge_error, judge_warning, locate
from .forms import spoil
from .references import judge_by_reference
from .values import anything

INVARIANTS = 0.25  # share of the inputs with a result
LONGEST = 5  # seconds of CPU time for one call


class Outcome(NamedTuple):
    """The result of one input."""

    kind: str  # "result", or the type of an error
    violation: str | None = None
    place: str = ""  # where the error was raised
    warned: bool = False  # about a value that is less informative than it seems


def draw(number: int, seed: int) -> tuple[Any, dict[str, Any], Random]:
    """Draw the input with this number: a valid call, with up to three spoiled arguments."""
    random = Random(seed * 2**40 + number)
    target = TARGETS[int(random.random() * len(TARGETS))]
    given = target.draw(random)
    for _ in range(random.choice((0, 1, 1, 1, 2, 3))):
        name = random.choice(list(given))
        given[name] = spoil(random, given[name])
    chance = random.random()
    if chance < 0.01:
        given.pop(random.choice(list(given)))
    elif chance < 0.02:
        given[random.choice(("K", "weights", "tie", "qid"))] = anything(random)
    return target, given, random


# ---------------------------------------------------------------------------- changes of the inputs


ATOMS = {int, float, str, bytes, bool, tuple, type(None), np.float64, np.int64}


def freeze_all(given: dict[str, Any]) -> dict[str, Any]:
    """Return the contents of the arguments."""
    frozen = {}
    for name, value in given.items():
        with suppress(Exception):  # skip objects that cannot be frozen
            frozen[name] = freeze(value)
    return frozen


def freeze(value: Any, depth: int = 3) -> Any:
    """Return the contents of a value, for comparison with a later state; None for other types."""
    kind = type(value)
    if kind is np.ndarray:
        state = (value.dtype, value.shape, value.strides, value.flags.writeable)
        objects = list(map(id, value.ravel())) if value.dtype == object else None
        return (*state, objects or (value.tolist() if value.dtype.hasobject else value.tobytes()))
    if kind is list and depth:
        return [id(each) if type(each) in ATOMS else freeze(each, depth - 1) for each in value]
    if kind is dict and depth:
        return list(map(id, value)), freeze([*value.values()], depth)
    if kind is set:
        return set(map(id, value))
    if kind in ATOMS:
        return id(value)
    if isinstance(value, np.ma.MaskedArray):
        return freeze(np.asarray(value)), freeze(np.asarray(value.mask))
    if sparse.issparse(value) and type(getattr(value, "data", None)) is np.ndarray:
        return value.shape, freeze(value.data), freeze(getattr(value, "indices", None))
    if kind.__module__.startswith("pandas") and hasattr(value, "iloc"):
        return value.shape, *(str(np.asarray(part).tolist()) for part in (value, value.index))
    return None


# ---------------------------------------------------------------------------- results


def _same(one: Any, other: Any, tolerance: float) -> bool:
    if isinstance(one, dict):
        return list(one) == list(other) and all(_same(one[key], other[key], tolerance) for key in one)
    if isinstance(one, tuple | list):
        return len(one) == len(other) and all(_same(*pair, tolerance) for pair in zip(one, other))
    if isinstance(one, float | np.ndarray) and getattr(one, "dtype", np.dtype(float)).kind == "f":
        return np.allclose(one, other, rtol=tolerance, atol=tolerance, equal_nan=True)
    return bool(np.all(one == other)) if isinstance(one, np.ndarray) else repr(one) == repr(other)


def _take(rows: Any, order: list[int]) -> Any:
    """Return rows in another order, in the same container."""
    return rows[order] if isinstance(rows, np.ndarray) else type(rows)([rows[place] for place in order])


def _can_shuffle(target: Any, given: dict[str, Any]) -> bool:
    rows = [given[name] for name in target.rows if given.get(name) is not None]
    plain = all(type(values) in (list, tuple, np.ndarray) for values in rows)
    flat = plain and np.ndim(given[target.rows[1]]) == 1
    return (
        flat
        and given.get("groups") is not None
        and not (isinstance(given.get("ties"), str) and given["ties"] == "order")
        and ":" not in str(given.get("metric"))  # libraries rank ties by row
    )


def judge_result(result: Any, target: Any, given: dict[str, Any], random: Random, warned: bool) -> str | None:
    """Return what is wrong with a result, or None."""
    wrong = target.check(result, given)
    if wrong:
        return wrong
    if type(result) is float and np.isnan(result) != warned:
        return f"{result} {'with' if warned else 'without'} a warning that it is undefined"
    if not target.rows or random.random() > INVARIANTS:
        return None
    if any(hasattr(type(value), "__next__") for value in given.values()):
        return None  # exhausted
    return judge_again(result, target, given, random)


def judge_again(result: Any, target: Any, given: dict[str, Any], random: Random) -> str | None:
    """Return whether a second call, or a call with shuffled rows, has another result."""
    if not _same(result, target.call(**given), 0):
        return "another value when called again"
    if _can_shuffle(target, given):
        order = list(range(len(given[target.rows[1]])))
        random.shuffle(order)
        rows = {name: _take(given[name], order) for name in target.rows if given.get(name) is not None}
        if not _same(result, target.call(**given | rows), 1e-9):
            return f"another value with the rows in the order {order}"
    return None


# ---------------------------------------------------------------------------- the run


def _compare_with_reference(target: Any, result: Any, given: dict[str, Any]) -> str | None:
    """Return how a result differs from a slow reference; None if there is none, empty text if it does not."""
    if not target.reference:
        return None
    defaults = {"zero_division": METRICS[target.reference].defaults["zero_division"]}
    return judge_by_reference(target.reference, result, defaults | given)


def judge(target: Any, given: dict[str, Any], random: Random, caught: list[Any]) -> Outcome:
    """Call the target and judge the result; `caught` collects the warnings."""
    before = freeze_all(given)
    caught.clear()
    kind, violation, place = "result", None, target.name
    began = time.process_time()
    try:
        result = target.call(**given)
    except BaseException as error:
        if not isinstance(error, Exception) and type(error).__name__ != "PanicException":  # polars panics
            raise
        kind, violation = type(error).__name__, judge_error(error, target, given)
        place = locate(error) if violation else place
    if time.process_time() - began > LONGEST:
        violation = f"longer than {LONGEST} s"
    warning = judge_warning(caught, target)
    if kind == "result":
        undefined = any(each.category is UndefinedMetricWarning for each in caught)
        try:
            by_reference = _compare_with_reference(target, result, given)
            kind += " equal to the reference" * (by_reference == "")
            violation = by_reference or judge_result(result, target, given, random, undefined) or violation
        except Exception as error:
            violation, place = f"a result that cannot be checked: {error!r}", locate(error)
    if warning is not None:
        place = f"{warning.filename}:{warning.lineno}"
        violation = f"the warning {warning.category.__name__}: {warning.message}"
    if freeze_all(given) != before:
        violation = "an input was changed"
    warned = any(each.category is RankingWarning for each in caught)
    return Outcome(kind, violation, place, warned)


def record_warnings() -> Any:
    """Return a context manager that records all warnings."""
    return warnings.catch_warnings(record=True, action="always")


def run(numbers: range, seed: int) -> tuple[Counter[str], dict[tuple[str, str], list[int]]]:
    """Try numbered inputs; return counts of the kinds of results, and the numbers by place and violation."""
    kinds: Counter[str] = Counter()
    violations: dict[tuple[str, str], list[int]] = {}
    with record_warnings() as caught:
        for number in numbers:
            outcome = judge(*draw(number, seed), caught)
            kinds[outcome.kind] += 1
            if outcome.warned:
                kinds[f"{outcome.kind} with a RankingWarning"] += 1
            if outcome.violation:
                key = outcome.place, re.sub(r"[\d.]+", "0", outcome.violation)[:80]
                violations.setdefault(key, []).append(number)
    return kinds, violations


def show(number: int, seed: int) -> Outcome:
    """Print one input with its result or traceback, and return its outcome."""
    target, given, _ = draw(number, seed)
    print(f"{target.name}(")
    for name, value in given.items():
        try:
            print(f"    {name}={value!r},  # {type(value).__name__}")
        except Exception as error:
            print(f"    {name}=...,  # {type(value).__name__}, whose repr raises {error!r}")
    print(")")
    with record_warnings() as caught:
        outcome = judge(*draw(number, seed), caught)
        target, given, _ = draw(number, seed)
        try:
            print(target.call(**given))
        except Exception:
            traceback.print_exc()
    return outcome
