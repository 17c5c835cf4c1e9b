"""Batches of queries that are scored, with weights of one scale; and batches brought together."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from .._checks.arrays import flatten, read_numbers
from .._checks.codes import as_array, first_rows, rank_ids
from .._checks.errors import fail
from .._checks.groups import check_groups
from ..metrics import Counts, Given, Request, ScoredQueries, Tables, score_queries

SHOWN = 3  # ids that an error names
OTHERWISE = "(evaluate takes others with together=False)"
TOGETHER = (
    "hold the rows of each query together, in one update or part, or one after another in 'data' " + OTHERWISE
)


class Batch(NamedTuple):
    """Scored queries, and by which power of 2 their weights were divided; None without any above 0."""

    found: ScoredQueries
    exponent: int | None = None
    counts: Mapping[str, Counts] = {}  # of metrics of all lists together


class Scoring(NamedTuple):
    """How queries are scored."""

    requests: Sequence[Request]
    min_relevance: float
    n_jobs: int | None

    def score(self, given: Given, tables: Tables | None = None) -> Batch:
        """Score whole queries; their weights may all be 0, as those of others may not."""
        exponent = weights = None
        if given.sample_weight is not None:
            weights = flatten(read_numbers(given.sample_weight, "sample_weight"))
            if weights.any():
                exponent = int(np.frexp(float(weights.max()))[1])
            else:
                given = given._replace(sample_weight=np.ones(weights.shape))
        least, n_jobs = self.min_relevance, self.n_jobs
        found = score_queries(self.requests, given, least, None, n_jobs, tables, is_part=True)
        counts = {name: each._replace(exponent=exponent) for name, each in found.counts.items()}
        if weights is not None and exponent is None:  # all are 0
            counts = {name: each.clear() for name, each in counts.items()}
            none = np.zeros(len(found.ids))
            metrics = {name: each._replace(weights=none) for name, each in found.metrics.items()}
            found = found._replace(metrics=metrics)
        return Batch(found, exponent, counts)


def join_arrays(arrays: Sequence[np.ndarray]) -> np.ndarray:
    """Join arrays; those of several kinds as objects, as numpy would make text of numbers, or round them."""
    if len({each.dtype.kind for each in arrays}) == 1:
        return np.concatenate(arrays)
    return as_array([value for each in arrays for value in each.tolist()])


def join_batches(batches: Sequence[Batch]) -> Batch:
    """Bring queries together, each of which may be there once."""
    if len(batches) == 1:
        return batches[0]
    found = [each.found for each in batches]
    ids = join_arrays([each.ids for each in found])
    codes = rank_ids(check_groups(ids, len(ids)))
    first = first_rows(codes)
    if len(first) < len(ids):
        twice = np.ones(len(ids), dtype=bool)
        twice[first] = False
        some = ", ".join(map(repr, ids[twice][:SHOWN].tolist())) + ", ..." * (len(ids) - len(first) > SHOWN)
        fail("groups", TOGETHER, f"a second time {some}")
    exponent = max((each.exponent for each in batches if each.exponent is not None), default=None)
    joined: dict[tuple[int, ...], np.ndarray] = {}

    def join(arrays: Sequence[np.ndarray], shifts: Sequence[int] | None = None) -> np.ndarray:
        """Join arrays, once those that metrics share; shifted by powers of 2."""
        key = tuple(map(id, arrays))
        if key not in joined:
            moved = arrays if shifts is None else [np.ldexp(each, n) for each, n in zip(arrays, shifts)]
            joined[key] = np.concatenate(moved)
        return joined[key]

    shifts = [0 if each.exponent is None else each.exponent - (exponent or 0) for each in batches]
    everywhere = [np.ones(len(each.ids), dtype=bool) for each in found]
    metrics = {}
    for name, one in found[0].metrics.items():
        same: list[Any] = [each.metrics[name] for each in found]
        sums = defined = None
        if any(each.defined is not None for each in same):
            defined = join([n if each.defined is None else each.defined for each, n in zip(same, everywhere)])
        if one.sums is not None:
            sums = join([each.sums[0] for each in same]), join([each.sums[1] for each in same])
        weights = None if one.weights is None else join([each.weights for each in same], shifts)
        values = join([each.values for each in same])
        metrics[name] = one._replace(values=values, weights=weights, sums=sums, defined=defined)
    sizes, n_relevant = (np.concatenate([each[place] for each in found]) for place in (1, 2))
    return Batch(ScoredQueries(ids, sizes, n_relevant, metrics), exponent)
