"""Conversion of the options `gain` and `discount` to functions and arrays for formulas."""

from collections.abc import Callable, Mapping
from functools import lru_cache
from math import isfinite

import numpy as np

from .._checks.arrays import read_floats
from .._checks.errors import fail
from .._checks.options import call_given
from .._checks.rows import find_place
from .._checks.types import MaxGrade, Values
from .._engine.prepared import PreparedRows
from .._engine.ranked import Block

MAX_EXPONENT = 1023  # largest exponent of 2 in float64


def bind_gain(gain: Values, rows: PreparedRows) -> Callable[..., np.ndarray]:
    """Convert a checked `gain` to a function of label arrays, and check that no sum over rows overflows."""
    labels, highest = rows.labels, _find_largest(rows)
    if isinstance(gain, str):
        apply, exponent = ((lambda grades: grades), 0.0) if gain == "linear" else (_exponential, highest)
        # Check that the sum of the highest gain over all rows is finite.
        if exponent >= MAX_EXPONENT + 1 or not isfinite(
            (2.0**exponent if exponent else highest) * labels.size
        ):
            fail("gain", "give finite gains", f"{gain!r} for the label {_show(highest, rows)}")
        return apply
    grades = np.unique(labels[labels == labels]).astype(np.float64)
    if not len(grades):  # no document is judged
        return np.zeros_like
    if callable(gain):
        given = call_given(gain, "gain", grades)
    else:
        by_grade = gain if isinstance(gain, Mapping) else dict(enumerate(gain))
        missing = [grade for grade in grades.tolist() if grade not in by_grade]
        if missing:
            fail("gain", "have a gain for each label", f"none for {_show(missing[0], rows)}")
        given = [by_grade[grade] for grade in grades.tolist()]
    gains = read_floats(given, grades.shape, "gain", "give one real number per label")
    with np.errstate(over="ignore", invalid="ignore"):
        fine = np.isfinite(gains * labels.size).all() and gains[0] >= 0 and (np.diff(gains) >= 0).all()
    if not fine:
        pairs = ", ".join(f"{gain:g} for {grade:g}" for grade, gain in zip(grades.tolist(), gains.tolist()))
        fail("gain", "give finite gains >= 0 that never fall as the label rises", pairs)
    return lambda labels: gains[np.searchsorted(grades, labels)]


def _find_largest(rows: PreparedRows) -> float:
    """Return the label with the largest magnitude."""
    return rows.highest if rows.highest >= -rows.lowest else rows.lowest


def check_sums(rows: PreparedRows) -> None:
    """Check that the sum of signed labels, each multiplied by its rank, is finite."""
    largest = _find_largest(rows)
    if not isfinite(largest * rows.labels.size * rows.longest):
        fail("y_true", "hold labels whose sum is finite", _show(largest, rows))


def _exponential(grades: np.ndarray) -> np.ndarray:
    """Return 2**grade - 1; grades of blocks are integers if they are small."""
    return np.left_shift(1, grades) - 1 if grades.dtype == np.int32 else np.exp2(grades) - 1


def bind_stop(gain: Values, max_grade: float | None, rows: PreparedRows) -> Callable[..., np.ndarray]:
    """Convert `gain` and `max_grade` to the probability that a document of a grade ends the search."""
    highest = rows.highest
    if max_grade is None:
        max_grade = highest
    elif isinstance(max_grade, str):
        fail("max_grade", "be a finite number > 0, or None, but for rbp and insq", repr(max_grade))
    check_max_grade(max_grade, rows, "or None to take that")
    apply = bind_gain(gain, rows)
    if isinstance(gain, str):
        if gain == "exponential" and max_grade > MAX_EXPONENT:
            fail("max_grade", f"not exceed {MAX_EXPONENT} with an exponential gain", max_grade)
        scale = (max_grade or 1.0) if gain == "linear" else 2.0**max_grade
        return lambda grades: apply(grades) / scale
    if rows.labels.size and apply(np.array([highest])).max() > 1:
        rule = "give probabilities in [0, 1], as it is not 'linear' or 'exponential'"
        fail("gain", rule, f"{apply(np.array([highest]))[0]:g} for {_show(highest, rows)}")
    return apply


def check_max_grade(
    max_grade: float | str | None, rows: PreparedRows, why: str = "as labels count as shares of it"
) -> None:
    """Check that no label exceeds `max_grade`, if that is a number."""
    if isinstance(max_grade, float) and max_grade < rows.highest:
        fail("max_grade", f"be at least the highest label, {_show(rows.highest, rows)} {why}", max_grade)


def _show(label: float, rows: PreparedRows) -> str:
    """Return a label and its first position, for messages."""
    return f"{label}, the label at {find_place(label, rows.labels, rows.n_columns, rows.parameter)},"


def bind_discount(discount: Values, n_ranks: int, parameter: str = "discount") -> np.ndarray:
    """Convert a checked `discount` to the discounts of the ranks 1 to n_ranks."""
    if discount is None:
        return np.ones(n_ranks)
    if isinstance(discount, str):
        return _list_discounts(discount, n_ranks)
    ranks = np.arange(1, n_ranks + 1, dtype=np.float64)
    given = call_given(discount, parameter, ranks)
    values = read_floats(given, ranks.shape, parameter, "give one real number per rank")
    if not (np.isfinite(values).all() and values[0] > 0 and values[-1] >= 0 and (np.diff(values) <= 0).all()):
        fail(parameter, "give finite values >= 0 that never rise with the rank", values[:5])
    return values


@lru_cache(maxsize=16)
def _list_discounts(discount: str, n_ranks: int) -> np.ndarray:
    """Return the discounts for a name, in a read-only array."""
    ranks = np.arange(1, n_ranks + 1, dtype=np.float64)
    values = 1 / np.log2(ranks + 1) if discount == "log2" else 1 / ranks
    values.flags.writeable = False
    return values


def find_worth(block: Block, min_relevance: float, max_grade: MaxGrade) -> np.ndarray:
    """Return the value of each document, 0 to 1: its relevance, or its grade divided by `max_grade`."""
    if max_grade is None:
        return block.marks(min_relevance)
    if max_grade != "query":
        return block.labels / max_grade
    highest = block.best_labels(1)
    return block.labels / np.where(highest > 0, highest, 1)


def add_weighted(values: np.ndarray, weights: np.ndarray, k: int | None, block: Block) -> np.ndarray:
    """Sum, over the ranks up to k, the expected value at the rank times its weight."""
    expected = block.expected(values)
    return (expected * weights[: expected.shape[1]])[:, :k].sum(axis=1)
