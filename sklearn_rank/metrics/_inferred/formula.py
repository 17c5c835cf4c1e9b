"""The formula: the expected precision at each relevant document, and its mean."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from ..._checks.errors import fail
from ..._checks.options import check_choice
from ..._engine.ranked import Block
from ..._engine.ties import running_sums
from .._requests import Given, Request
from .._table import Metric, Ratio
from .sample import Sample, Strata, read_strata, take_sample
from .tied import expect_in_ties

EPSILON = 0.00001  # trec_eval's, of the paper's formula
NO_BEST = ": with strata no order of tied documents is known to be the best"


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


def with_strata(function: str, metric: Metric, strata: Any, given: Given) -> Metric:
    """Return the metric of a sample that was drawn from these strata, checked."""
    others = {"y_score": given.y_score, "groups": given.groups, "sample_weight": given.sample_weight}
    return replace(
        metric, formula=partial(infer, strata=read_strata(function, strata, given.y_true, **others))
    )


def bind_strata(function: str, requests: Sequence[Request], strata: Any, given: Given) -> list[Request]:
    """Return the requests, with the strata bound to the metrics of a sample of judgments."""
    sampled = [request for request in requests if request.metric.formula is infer]
    if not sampled:
        names = [request.name for request in requests]
        fail(
            "strata",
            function,
            "be None unless a name in 'metrics' uses it, such as 'infap'",
            f"{names} with strata",
        )
    for request in sampled:
        check_choice("ties", request.rules.ties, ("average", "order"), function, NO_BEST)
    metric = with_strata(function, sampled[0].metric, strata, given)
    return [request._replace(metric=metric) if request in sampled else request for request in requests]
