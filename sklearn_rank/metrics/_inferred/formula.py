"""Inferred average precision: the expected precision at each relevant document, and its mean."""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import NamedTuple

import numpy as np

from ..._checks.arrays import flatten, read_numbers, to_float
from ..._checks.containers import check_same_columns, check_same_order
from ..._checks.errors import fail
from ..._checks.missed import reject_missed
from ..._checks.options import check_choice
from ..._checks.types import Ids, Labels
from ..._engine.prepared import NOT_SAMPLED
from ..._engine.ranked import Block
from ..._engine.ties import running_sums
from .._table import Given, Metric, Ratio, Request

OUTSIDE = -1  # stratum of documents outside the pool


class Strata(NamedTuple):
    """The label and the stratum of each row."""

    labels: np.ndarray
    codes: np.ndarray  # integers from 0, or OUTSIDE


class Sample(NamedTuple):
    """The documents of a block by rank; padding is in no stratum."""

    relevant: np.ndarray
    judged: np.ndarray
    codes: np.ndarray  # the stratum: 0, 1, ... in each query, or OUTSIDE
    n_strata: int

    def in_stratum(self, stratum: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Mark the documents of a stratum: all of them, the judged ones, and the relevant ones."""
        pooled = self.codes == stratum
        return pooled, pooled & self.judged, pooled & self.relevant


def read_strata(strata: Ids, y_true: Labels, **others: object) -> Strata:
    """Check strata: one number per label, negative or missing for documents outside the pool."""
    check_same_order(y_true=y_true, strata=strata, **others)
    check_same_columns(y_true=y_true, strata=strata)
    labels, numbers = (
        read_numbers(values, name) for values, name in ((y_true, "y_true"), (strata, "strata"))
    )
    if others.get("groups") is not None:
        labels, numbers = flatten(labels), flatten(numbers)
    if numbers.shape != labels.shape:
        fail("strata", f"have the same shape as 'y_true', {labels.shape}", f"shape {numbers.shape}")
    floats = _as_floats(numbers)
    if (wrong := np.isinf(floats) | (floats != np.floor(floats)) & (floats == floats)).any():
        rule = "contain integers, or NaN for documents outside the pool"
        fail("strata", rule, floats[wrong][0])
    is_outside = ~(floats >= 0)
    labels = _as_floats(labels)
    if (lost := is_outside & (labels == labels)).any():
        fail("strata", "contain the stratum of each judged document", f"none for {lost.sum()} of them")
    codes = np.unique(floats, return_inverse=True)[1]
    return Strata(np.where(labels == labels, labels, NOT_SAMPLED), np.where(is_outside, OUTSIDE, codes))


def _as_floats(numbers: np.ndarray) -> np.ndarray:
    """Return numbers as flat floats; integers beyond the range of floats become inf."""
    flat = numbers.ravel()
    if flat.dtype.kind == "O":
        return np.array([to_float(each) for each in flat])
    with np.errstate(over="ignore"):  # a longdouble can be beyond the range
        return flat.astype(np.float64)


def take_sample(block: Block, min_relevance: float, strata: Strata | None) -> Sample:
    """Return the sample of judgments in a block; without strata, all documents are in one."""
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
    """Number the strata in each row of a matrix 0, 1, ..."""
    order = np.argsort(codes, axis=1)
    in_order = np.take_along_axis(codes, order, axis=1)
    is_new = in_order >= 0
    is_new[:, 1:] &= in_order[:, 1:] != in_order[:, :-1]
    numbers = np.empty_like(codes)
    np.put_along_axis(numbers, order, np.cumsum(is_new, axis=1) - 1, axis=1)
    return numbers


def expect_in_ties(
    block: Block, sample: Sample, smoothing: tuple[float, float], precision: np.ndarray
) -> None:
    """Replace the precision at tied relevant documents by its expectation: one value per stratum and tie."""
    ties = block.open_ties
    if ties is None:
        return
    of_cell = ties.spread(np.arange(len(ties.heads)))
    cells = np.flatnonzero(block.retrieved(sample.relevant) & (ties.sizes[of_cell] > 1))
    if not len(cells):
        return
    kinds = of_cell.ravel()[cells] * sample.n_strata + sample.codes.ravel()[cells]
    kinds, kind_of_cell = np.unique(kinds, return_inverse=True)
    tie, own = np.divmod(kinds, sample.n_strata)
    strata = []
    for stratum in range(sample.n_strata):
        counts = [ties.count(block.retrieved(marks)) for marks in sample.in_stratum(stratum)]
        above, inside = (np.array([each[part][tie] for each in counts]) for part in (0, 1))
        strata.append((above, inside - (own == stratum)))  # documents above the tie, and others in it
    means = _average_positions(ties.sizes[tie], ties.columns[tie], strata, smoothing)
    precision.ravel()[cells] = means[kind_of_cell]


def _average_positions(
    sizes: np.ndarray,
    columns: np.ndarray,
    strata: list[tuple[np.ndarray, np.ndarray]],
    smoothing: tuple[float, float],
) -> np.ndarray:
    """Average the expected precision over the positions of a tie, which are equally likely."""
    kind, position = _enumerate(sizes)
    sums = np.bincount(kind, 1 / (columns[kind] + position + 1))
    for above, inside in strata:
        sums += _sum_above(sizes - 1, columns + 1, above, inside, smoothing)
    return sums / sizes


def _enumerate(sizes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the numbers 0, 1, ... up to each size, one after another, and to which size they belong."""
    kind = np.repeat(np.arange(len(sizes)), sizes)
    return kind, np.arange(len(kind)) - (np.cumsum(sizes) - sizes)[kind]


def _sum_above(
    others: np.ndarray, z: np.ndarray, above: np.ndarray, inside: np.ndarray, smoothing: tuple[float, float]
) -> np.ndarray:
    """Sum the expected number of relevant documents above, divided by the rank z + i, over i = 0, ..., N.

    The number of judged documents among the i of N others above is hypergeometric. Given that it is d, the
    relevant share of these and the pooled share of the rest are independent, and have the means of the tie.
    So the sum is that of r(d) (s V + (p(d) - s z) W_d) over d, with V the sum over i of P_i(d), which is the
    same for all d, and W_d the sum of P_i(d) / (z + i).
    """
    pooled, judged, relevant = inside
    kind, d = _enumerate(judged + 1)
    share = ((pooled - judged) / np.maximum(others - judged, 1))[kind]
    n_relevant = above[2][kind] + d * (relevant / np.maximum(judged, 1))[kind] + smoothing[0]
    n_pooled = above[0][kind] + d * (1 - share)
    total = ((others + 1) / (judged + 1))[kind]
    terms = share * total + (n_pooled - share * z[kind]) * _divide_by_ranks(others, judged, z, kind, d)
    return np.bincount(kind, terms * n_relevant / (above[1][kind] + d + smoothing[1]))


def _divide_by_ranks(
    others: np.ndarray, judged: np.ndarray, z: np.ndarray, kind: np.ndarray, d: np.ndarray
) -> np.ndarray:
    """Return W_d, the sum of P_i(d) / (z + i) over i, for d = 0, ..., m of m judged documents.

    By the ratio of P_i(d + 1) and P_i(d), a_d W_d + b_(d+1) W_(d+1) = N + 1, with a_d = (m - d) (z + d) and
    b_d = d (N - m + d + z). As a_d / b_(d+1) decreases with d, rounding errors fade in both directions from
    the peak, the first d at which it is below 1. W is added up there, over the numbers of unjudged documents.
    """
    from scipy.linalg import solve_banded
    from scipy.special import gammaln

    a, b = (judged[kind] - d) * (z[kind] + d), d * ((others - judged + z)[kind] + d)
    peak = np.bincount(kind, a >= (d + 1) * ((others - judged + z)[kind] + d + 1)).astype(np.int64)
    of, i = _enumerate(others - judged + 1)  # unjudged documents above
    logs = gammaln(i + peak[of] + 1) - gammaln(i + 1)
    logs += gammaln((others - peak)[of] - i + 1) - gammaln((others - judged)[of] - i + 1)
    odds = np.exp(logs - np.maximum.reduceat(logs, np.flatnonzero(i == 0))[of])
    at_peak = (
        np.bincount(of, odds / ((z + peak)[of] + i)) / np.bincount(of, odds) * (others + 1) / (judged + 1)
    )
    below, beyond = d < peak[kind], d > peak[kind]
    scale = np.where(below, a, np.where(beyond, b, 1))
    bands = np.ones((3, len(d)))
    bands[0, 1:], bands[2, :-1] = b[1:] * below[:-1] / scale[:-1], a[:-1] * beyond[1:] / scale[1:]
    known = np.where(below | beyond, (others + 1)[kind] / scale, at_peak[kind])
    solved: np.ndarray = solve_banded((1, 1), bands, known)
    return solved


EPSILON = 0.00001  # as in trec_eval, for the formula of the paper
NO_BEST = " with strata"  # the best order of tied documents is unknown


def infer(
    block: Block, *, min_relevance: float, prior_precision: float, strata: Strata | None = None
) -> Ratio:
    """AP = sum over strata of n / m times the sum of E[P@r] at the ranks r of relevant documents / R.

    A stratum has n documents and m judged ones; R is the sum over strata of n / m times the relevant ones.
    E[P@r] = (1 + sum over strata of documents above * relevant share of the judged documents above) / r.
    """
    sample = take_sample(block, min_relevance, strata)
    smoothing = EPSILON, EPSILON / prior_precision
    # Expected relevant documents above, with ties in one of their orders.
    n_above = np.zeros(sample.codes.shape)
    for stratum in range(sample.n_strata):
        shown = map(block.retrieved, sample.in_stratum(stratum))
        pooled, judged, relevant = (running_sums(marks) - marks for marks in shown)
        n_above += pooled * (relevant + smoothing[0]) / (judged + smoothing[1])
    precision = (1 + n_above) / block.ranks
    expect_in_ties(block, sample, smoothing, precision)
    found, n_relevant = np.zeros((2, len(block.lengths)))
    for stratum in range(sample.n_strata):
        pooled, judged, relevant = sample.in_stratum(stratum)
        share = 1 if strata is None else pooled.sum(axis=1) / np.maximum(judged.sum(axis=1), 1)
        found += share * np.where(block.retrieved(relevant), precision, 0).sum(axis=1)
        n_relevant += share * relevant.sum(axis=1)
    return Ratio(np.minimum(found, n_relevant), n_relevant, n_relevant > 0)


def with_strata(metric: Metric, strata: Ids, given: Given) -> Metric:
    """Return the metric for a sample that was drawn from these strata, after checking them."""
    reject_missed(given.missed, "strata")
    others = {"y_score": given.y_score, "groups": given.groups, "sample_weight": given.sample_weight}
    return replace(metric, formula=partial(infer, strata=read_strata(strata, given.y_true, **others)))


def bind_strata(requests: Sequence[Request], strata: Ids, given: Given) -> list[Request]:
    """Return the requests, with the strata bound to the metrics of a sample of judgments."""
    sampled = [request for request in requests if request.metric.formula is infer]
    if not sampled:
        rule = "be None unless a metric in 'metrics' uses it, such as 'infap'"
        fail("strata", rule, f"strata with metrics {[each.name for each in requests]}")
    for request in sampled:
        check_choice("ties", request.rules.ties, ("average", "order"), NO_BEST)
    metric = with_strata(sampled[0].metric, strata, given)
    return [request._replace(metric=metric) if request in sampled else request for request in requests]
