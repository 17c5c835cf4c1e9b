"""What is known of the documents of a block: which were judged, and from which stratum they were drawn."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ..._checks.arrays import flatten, read_numbers, to_float
from ..._checks.containers import check_same_columns, check_same_order
from ..._checks.errors import fail
from ..._engine.queries import NOT_SAMPLED
from ..._engine.ranked import Block

OUTSIDE = -1  # the stratum of documents that are in no pool


class Strata(NamedTuple):
    """The label and the stratum of each row."""

    labels: np.ndarray
    codes: np.ndarray  # whole numbers from 0, or OUTSIDE


class Sample(NamedTuple):
    """The documents of a block by rank; those of the padding are in no stratum."""

    relevant: np.ndarray
    judged: np.ndarray
    codes: np.ndarray  # the stratum: 0, 1, ... in each query, or OUTSIDE
    n_strata: int

    def in_stratum(self, stratum: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Mark the documents of a stratum: all of them, the judged ones, and the relevant ones."""
        pooled = self.codes == stratum
        return pooled, pooled & self.judged, pooled & self.relevant


def read_strata(function: str, strata: Any, y_true: Any, **others: Any) -> Strata:
    """Check strata: a number for each label, below 0 or missing for a document that is in no pool."""
    check_same_order(function, y_true=y_true, strata=strata, **others)
    check_same_columns(function, y_true=y_true, strata=strata)
    labels, numbers = (
        read_numbers(values, name, function) for values, name in ((y_true, "y_true"), (strata, "strata"))
    )
    if others.get("groups") is not None:
        labels, numbers = flatten(labels), flatten(numbers)
    if numbers.shape != labels.shape:
        fail("strata", function, f"have the shape of 'y_true', {labels.shape}", numbers.shape)
    floats = _as_floats(numbers)
    if (wrong := np.isinf(floats) | (floats != np.floor(floats)) & (floats == floats)).any():
        rule = "hold whole numbers, or NaN for documents that are in no pool"
        fail("strata", function, rule, floats[wrong][0])
    is_outside = ~(floats >= 0)
    labels = _as_floats(labels)
    if (lost := is_outside & (labels == labels)).any():
        rule = "name the stratum of each document that was judged"
        fail("strata", function, rule, f"none of {lost.sum()} such documents")
    codes = np.unique(floats, return_inverse=True)[1]
    return Strata(np.where(labels == labels, labels, NOT_SAMPLED), np.where(is_outside, OUTSIDE, codes))


def _as_floats(numbers: np.ndarray) -> np.ndarray:
    """Return numbers in one dimension; integers beyond the range of floats as inf."""
    flat = numbers.ravel()
    if flat.dtype.kind == "O":
        return np.array([to_float(each) for each in flat])
    with np.errstate(over="ignore"):  # of a longdouble beyond the range
        return flat.astype(np.float64)


def take_sample(block: Block, min_relevance: float, strata: Strata | None) -> Sample:
    """Return what is known of the documents of a block; without strata all are of one."""
    inside = block.ranks <= block.lengths[:, None]
    if strata is None:
        labels, codes, n_strata = block.labels, np.where(inside, 0, OUTSIDE), 1
    else:
        rows = block.rows
        labels = strata.labels[rows]
        codes = _number(np.where(inside, strata.codes[rows], OUTSIDE))
        n_strata = int(codes.max(initial=OUTSIDE)) + 1
    return Sample(inside & (labels >= min_relevance), inside & (labels >= 0), codes, n_strata)


def _number(codes: np.ndarray) -> np.ndarray:
    """Number the strata of each row of a matrix by 0, 1, ..."""
    order = np.argsort(codes, axis=1)
    in_order = np.take_along_axis(codes, order, axis=1)
    is_new = in_order >= 0
    is_new[:, 1:] &= in_order[:, 1:] != in_order[:, :-1]
    numbers = np.empty_like(codes)
    np.put_along_axis(numbers, order, np.cumsum(is_new, axis=1) - 1, axis=1)
    return numbers
