"""Sums of the similarities of item pairs in top-k lists, computed with scikit-learn and scipy."""

from itertools import pairwise
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.preprocessing import normalize

from ..._checks.arrays import read_floats
from ..._checks.errors import fail
from ..._checks.options import call_function
from ..._checks.types import Features, Values
from .list_rows import Lists

CHUNK_ROWS = 2**14  # rows of features that are summed at once


def sum_cosines(features: Features, lists: Lists, similarity: Values) -> np.ndarray:
    """Sum the cosines of pairs: (|sum of u|^2 - sum of |u|^2) / 2 for a set of unit vectors u.

    Items above the tie that the cutoff cuts are in the list, and L random ones of the t items of that tie. A
    pair with one of these items is in the list with probability L / t, and a pair of two of them with
    probability L (L - 1) / (t (t - 1)).
    """
    units = unit_rows(features)
    squares = dot_rows(units, units)
    totals = np.zeros(lists.n_queries)
    for queries, rows, starts in _chunks(lists):
        share = lists.share[rows]
        above, tied = (
            sparse.csr_array((inside * 1.0, rows, starts), shape=(len(queries), len(lists.share)))
            for inside in (share == 1, share < 1)
        )
        of_above, of_tied = above @ units, tied @ units
        t, n_open = tied.sum(axis=1), np.rint(tied @ lists.share)
        one_there = n_open / np.maximum(t, 1)
        both_there = one_there * (n_open - 1) / np.maximum(t - 1, 1)
        among_above = (dot_rows(of_above, of_above) - above @ squares) / 2
        among_tied = (dot_rows(of_tied, of_tied) - tied @ squares) / 2
        totals[queries] = among_above + one_there * dot_rows(of_above, of_tied) + both_there * among_tied
    return totals


def unit_rows(features: Features) -> Any:
    """Scale the rows of features to length 1, except rows of zeros."""
    return normalize(scale_rows(features))


def scale_rows(features: Features) -> Any:
    """Scale each row by a power of 2 so that its largest feature is near 1: no square over- or underflows."""
    if sparse.issparse(features):
        exponents = np.frexp(abs(features).max(axis=1).toarray().ravel())[1]
        data = np.ldexp(features.data, -np.repeat(exponents, np.diff(features.indptr)))
        return sparse.csr_array((data, features.indices, features.indptr), shape=features.shape)
    return np.ldexp(features, -np.frexp(np.abs(features).max(axis=1, keepdims=True))[1])


def dot_rows(left: Any, right: Any) -> np.ndarray:
    """Return the dot products of the rows of two matrices, dense or sparse."""
    if sparse.issparse(left):
        return np.asarray(left.multiply(right).sum(axis=1)).ravel()
    return np.einsum("ij,ij->i", left, right)


def sum_similarities(features: Features, lists: Lists, similarity: Values) -> np.ndarray:
    """Sum the similarities of pairs, each times the probability that both items are in the list."""
    totals = np.zeros(lists.n_queries)
    for queries, rows, starts in _chunks(lists):
        for query, (first, last) in zip(queries, pairwise(starts)):
            inside = rows[first:last]
            share = lists.share[inside]
            t, n_open = (share < 1).sum(), np.rint(share[share < 1].sum())
            probability = np.minimum.outer(share, share)
            probability[np.ix_(share < 1, share < 1)] = n_open * (n_open - 1) / max(t * (t - 1), 1)
            rule = "return one finite number per pair of items"
            given = call_function(similarity, "similarity", features[inside])
            values = read_floats(given, probability.shape, "similarity", rule)
            if not np.isfinite(values).all():
                fail("similarity", rule, values[~np.isfinite(values)][0])
            totals[query] = np.triu(values * probability, 1).sum()
    return totals


def _chunks(lists: Lists) -> Any:
    """Yield queries, the rows that can be in their lists, and where the rows of each query start and end."""
    rows = np.flatnonzero(lists.share > 0)
    rows = rows[np.argsort(lists.codes[rows], kind="stable")]
    queries, starts = np.unique(lists.codes[rows], return_index=True)
    starts = np.append(starts, len(rows))
    edges = np.append(np.flatnonzero(np.diff(starts[:-1] // CHUNK_ROWS, prepend=-1)), len(queries))
    for start, stop in pairwise(edges):
        first, last = starts[start], starts[stop]
        yield queries[start:stop], rows[first:last], starts[start : stop + 1] - first
