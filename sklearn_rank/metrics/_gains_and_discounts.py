"""Conversion of the options `gain` and `discount` to functions and arrays for formulas."""

from collections.abc import Callable, Mapping
from functools import lru_cache
from math import inf, isfinite, log

import numpy as np

from .._checks.arrays import read_floats
from .._checks.errors import fail
from .._checks.options import call_function
from .._checks.rows import find_place
from .._checks.types import Arguments, MaxGrade, Values
from .._engine.prepared import PreparedRows
from .._engine.ranked import Block

MAX_EXPONENT = 1023  # largest exponent of 2 in float64
DIVIDE = "Divide the labels by a constant."


def bind_gain(gain: Values, rows: PreparedRows) -> Callable[..., np.ndarray]:
    """Convert a checked `gain` to a function of label arrays, and check that sums over rows are finite."""
    labels = rows.labels
    highest = rows.highest if rows.highest >= -rows.lowest else rows.lowest  # in magnitude
    if isinstance(gain, str):
        apply: Callable[..., np.ndarray] = np.asarray if gain == "linear" else _exponential
        most = abs(highest)
        if gain == "exponential":
            most = 2.0**highest if highest <= MAX_EXPONENT else inf
        if not isfinite(labels.size * most):
            with np.errstate(over="ignore"):
                total = np.nansum(np.abs(apply(labels.astype(np.float64))))
            if not isfinite(total) and gain == "linear":
                fail("y_true", "have a finite sum", _show(highest, rows), DIVIDE)
            if not isfinite(total):
                fail("gain", "give gains with a finite sum", f"{gain!r} for {_show(highest, rows)}", DIVIDE)
        return apply
    grades, counts = np.unique(labels[labels == labels].astype(np.float64), return_counts=True)
    if not len(grades):  # no document is judged
        return np.zeros_like
    if callable(gain):
        given = call_function(gain, "gain", grades)
    else:
        by_grade = gain if isinstance(gain, Mapping) else dict(enumerate(gain))
        missing = [grade for grade in grades.tolist() if grade not in by_grade]
        if missing:
            fail("gain", "have a gain for each label", f"none for {_show(missing[0], rows)}")
        given = [by_grade[grade] for grade in grades.tolist()]
    gains = read_floats(given, grades.shape, "gain", "be one real number per label")
    with np.errstate(over="ignore", invalid="ignore"):
        falls = np.diff(gains, prepend=gains[0]) < 0
        wrong = ~np.isfinite(np.cumsum(gains * counts)) | (gains < 0) | falls
    if wrong.any():
        got = _show_first(wrong, gains, grades, "label")
        fail("gain", "be finite, non-negative and non-decreasing in the label", got)
    return lambda labels: gains[np.searchsorted(grades, labels)]


def check_sums(sums: np.ndarray, block: Block) -> np.ndarray:
    """Return sums of labels of the queries of a block, after checking that they are finite."""
    if not np.isfinite(sums).all():
        label = block.labels.ravel()[np.abs(block.labels).argmax()]
        fail("y_true", "have a finite sum", f"label {label}", DIVIDE)
    return sums


def _exponential(grades: np.ndarray) -> np.ndarray:
    """Return 2**grade - 1; small grades of blocks are integers.

    The difference would lose the digits of grades near 0, and `expm1` those of integer grades.
    """
    if grades.dtype == np.int32:
        return np.left_shift(1, grades) - 1
    return np.where(grades < 0.5, np.expm1(grades * log(2)), np.exp2(grades) - 1)


def bind_stop(gain: Values, max_grade: float | None, rows: PreparedRows) -> Callable[..., np.ndarray]:
    """Convert `gain` and `max_grade` to a function that returns the probability to stop at a grade."""
    highest = rows.highest
    if max_grade is None:
        max_grade = highest
    elif isinstance(max_grade, str):
        fix = "'query' is available for rbp and insq."
        fail("max_grade", "be a finite number > 0 or None", repr(max_grade), fix)
    check_max_grade(max_grade, rows)
    apply = bind_gain(gain, rows)
    if isinstance(gain, str):
        if gain == "exponential" and max_grade > MAX_EXPONENT:
            fail("max_grade", f"be at most {MAX_EXPONENT} with gain='exponential'", max_grade)
        scale = (max_grade or 1.0) if gain == "linear" else 2.0**max_grade
        return lambda grades: apply(grades) / scale
    if rows.labels.size and apply(np.array([highest])).max() > 1:
        rule = "be 'linear', 'exponential' or probabilities in [0, 1]"
        fail("gain", rule, f"{apply(np.array([highest]))[0]:g} for {_show(highest, rows)}")
    return apply


def needs_scale(params: Arguments) -> bool:
    """Return whether the scale of grades ends at the highest label of the rows."""
    return "gain" in params and params.get("max_grade", 0) is None


def check_max_grade(max_grade: float | str | None, rows: PreparedRows) -> None:
    """Check that no label exceeds `max_grade`, if that is a number."""
    if isinstance(max_grade, float) and max_grade < rows.highest:
        fail("max_grade", "be at least the highest label", f"{max_grade} for {_show(rows.highest, rows)}")


def _show(label: float, rows: PreparedRows) -> str:
    """Return a label and its first position, for messages."""
    if rows.n_missed and not (rows.labels[: -rows.n_missed] == label).any():
        return f"label {label} of 'missed'"
    return f"label {label} at {find_place(label, rows.labels, rows.n_columns, rows.parameter)}"


def _show_first(wrong: np.ndarray, values: np.ndarray, inputs: np.ndarray, unit: str) -> str:
    """Return the first wrong value and the one before it, each with its label or rank, for messages."""
    last = int(wrong.argmax())
    shown = range(max(last - 1, 0), last + 1)
    return " and ".join(f"{values[at]:g} for {unit} {inputs[at]:g}" for at in shown)


def bind_discount(discount: Values, n_ranks: int, parameter: str = "discount") -> np.ndarray:
    """Convert a checked `discount` to the discounts of the ranks 1 to n_ranks."""
    if discount is None:
        return np.ones(n_ranks)
    if isinstance(discount, str):
        return _list_discounts(discount, n_ranks)
    ranks = np.arange(1, n_ranks + 1, dtype=np.float64)
    given = call_function(discount, parameter, ranks)
    fix = f"Pass {parameter}=lambda ranks: 1 / ranks."
    values = read_floats(given, ranks.shape, parameter, "return one real number per rank", fix)
    with np.errstate(invalid="ignore"):  # inf - inf
        wrong = ~np.isfinite(values) | (values < 0) | (np.diff(values, prepend=values[0]) > 0)
    wrong[0] |= values[0] == 0
    if wrong.any():
        rule = "be finite, non-negative, non-increasing in the rank and positive at rank 1"
        fail(parameter, rule, _show_first(wrong, values, ranks, "rank"))
    return values


@lru_cache(maxsize=16)
def _list_discounts(discount: str, n_ranks: int) -> np.ndarray:
    """Return the discounts for a name, in a read-only array."""
    ranks = np.arange(1, n_ranks + 1, dtype=np.float64)
    values = 1 / np.log2(ranks + 1) if discount == "log2" else 1 / ranks
    values.flags.writeable = False
    return values


def find_gains(block: Block, min_relevance: float, max_grade: MaxGrade) -> np.ndarray:
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
