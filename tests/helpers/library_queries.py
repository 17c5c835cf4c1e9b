"""Queries for comparing names of other libraries with the libraries themselves."""

from typing import NamedTuple

import numpy as np

from sklearn_rank import ranking_scores
from sklearn_rank.metrics._libraries.library_names import LIBRARIES, find_key, split_name


class Rows(NamedTuple):
    """Rows sorted by query."""

    y_true: np.ndarray
    y_score: np.ndarray
    groups: np.ndarray

    def each(self):
        """Return the rows of each query separately."""
        ids = np.unique(self.groups)
        return [Rows(*(values[self.groups == query] for values in self)) for query in ids]

    def keep(self, condition):
        """Return the queries for which a condition is true."""
        kept = [rows.groups[0] for rows in self.each() if condition(rows)]
        inside = np.isin(self.groups, kept)
        return Rows(*(values[inside] for values in self))


LABELS = {
    "binary": lambda rng, n: rng.integers(0, 2, n),
    "graded": lambda rng, n: rng.integers(0, 5, n) * (rng.random(n) < 0.6),
    # Exact in float32, including values at 1/2 and close to it.
    "fractions": lambda rng, n: rng.choice([0, 0.125, 0.5 - 2**-20, 0.5, 0.5 + 2**-20, 0.75, 1], n),
    "distinct": lambda rng, n: rng.permutation(n),
}
SCORES = {
    "tied": lambda rng, n: rng.integers(1, 5, n).astype(float),
    "close": lambda rng, n: rng.integers(1, 4, n) + rng.integers(0, 3, n) * 1e-9,  # equal in float32
    "untied": lambda rng, n: rng.permutation(n) / 8 - 2,
}


def make_rows(labels, scores, seed):
    """Make queries of 1 to 12 documents; the first four have no relevant document."""
    rng = np.random.default_rng(seed)
    sizes = [1, 2, 5, 12, 1, 1, *rng.integers(2, 13, 14).tolist()]
    y_true = [LABELS[labels](rng, size) * (query > 3) for query, size in enumerate(sizes)]
    y_score = [SCORES[scores](rng, size) for size in sizes]
    groups = np.repeat(np.arange(len(sizes)), sizes)
    return Rows(np.concatenate(y_true).astype(float), np.concatenate(y_score), groups)


# Four queries: with scores that are equal in float32, without a relevant document, with one document, and
# with tied scores.
_GRADES = np.array([3, 0, 1, 0, 0, 0, 1, 2, 4, 0, 0, 1, 0.0])
_SCORES = np.array([2, 4, 2 + 1e-9, 1, 2, 1, 1, 2, 3, 5, 2, 4, 1])
_QUERIES = np.array([0, 0, 0, 0, 1, 1, 2, 3, 3, 3, 3, 3, 3])
FEW = {
    "graded": Rows(_GRADES, _SCORES, _QUERIES),
    "binary": Rows((_GRADES > 0).astype(float), _SCORES, _QUERIES),
    "fractions": Rows(_GRADES / 4, _SCORES, _QUERIES),
    "untied": Rows(_GRADES, _SCORES - np.arange(13) / 100, _QUERIES),
}


def ours(name, rows, **options):
    """Return the value of this package for a metric name."""
    return ranking_scores(rows.y_true, rows.y_score, groups=rows.groups, metrics=[name], **options)[name]


def list_stems(prefix, names):
    """Return the rows of a library's table that the names use."""
    each = [name.partition(":")[2] for name in names if name.startswith(f"{prefix}:")]
    return {split_name(LIBRARIES[prefix], name)[0] for name in each}


def list_untested(prefix, names):
    """Return the rows of a library's table, and their parameters, that no name uses."""
    library = LIBRARIES[prefix]
    each = [name.partition(":")[2] for name in names]
    left = {stem: {"", *row.takes} for stem, row in library.rows.items()}
    for name in each:
        stem, k, params = split_name(library, name)
        left[find_key(library, stem, k, params)] -= {"", *params} | ({"k"} if k else set())
    return {stem: params for stem, params in left.items() if params}
