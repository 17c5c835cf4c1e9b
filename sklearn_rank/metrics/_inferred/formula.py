"""The formula: the expected precision at each relevant document, and its mean."""

from __future__ import annotations

import numpy as np

from ..._engine.ranked import Block
from ..._engine.ties import running_sums
from .._table import Ratio
from .sample import Sample, Strata, take_sample
from .tied import expect_in_ties

EPSILON = 0.00001  # trec_eval's, of the paper's formula


def infer(
    block: Block, *, min_relevance: float, prior_precision: float, strata: Strata | None = None
) -> Ratio:
    """AP = sum over strata of n / m times the sum of E[P@r] at the ranks r of relevant documents / R.

    Of n documents of a stratum m were judged; R is the sum over strata of n / m times the relevant ones.
    E[P@r] = (1 + sum over strata of those above times the share of relevant ones among the judged above) / r.
    """
    sample = take_sample(block, min_relevance, strata)
    smoothing = EPSILON, EPSILON / prior_precision
    precision = (1 + _count_above(block, sample, smoothing)) / block.ranks
    expect_in_ties(block, sample, smoothing, precision)
    found, n_relevant = np.zeros((2, len(block.lengths)))
    for stratum in range(sample.n_strata):
        pooled, judged, relevant = sample.in_stratum(stratum)
        share = 1 if strata is None else pooled.sum(axis=1) / np.maximum(judged.sum(axis=1), 1)
        found += share * np.where(block.retrieved(relevant), precision, 0).sum(axis=1)
        n_relevant += share * relevant.sum(axis=1)
    return Ratio(np.minimum(found, n_relevant), n_relevant, n_relevant > 0)


def _count_above(block: Block, sample: Sample, smoothing: tuple[float, float]) -> np.ndarray:
    """Return how many relevant documents are expected above each one, tied ones as they happen to stand."""
    total = np.zeros(sample.codes.shape)
    for stratum in range(sample.n_strata):
        shown = map(block.retrieved, sample.in_stratum(stratum))
        pooled, judged, relevant = (running_sums(marks) - marks for marks in shown)
        total += pooled * (relevant + smoothing[0]) / (judged + smoothing[1])
    return total
