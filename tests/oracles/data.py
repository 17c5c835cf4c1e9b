"""Generated data sets: all shapes with all kinds of labels and scores, and subsets for limited libraries."""

from collections.abc import Callable, Iterator
from itertools import product
from typing import NamedTuple

import numpy as np


class Data(NamedTuple):
    """Rows sorted by query. Labels can be NaN (not judged), scores can be -inf (not retrieved)."""

    name: str
    y_true: np.ndarray
    y_score: np.ndarray
    groups: np.ndarray
    weights: np.ndarray

    @property
    def heads(self) -> np.ndarray:
        """First row of each query."""
        return np.unique(self.groups, return_index=True)[1]

    @property
    def sizes(self) -> np.ndarray:
        """Number of rows of each query."""
        return np.diff(self.heads, append=len(self.groups))

    def queries(self) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        """Yield labels and scores of each query."""
        return zip(*(np.split(values, self.heads[1:]) for values in (self.y_true, self.y_score)))

    def keep(self, query_is_kept: np.ndarray) -> "Data | None":
        """Return some of the queries, or None if none is left."""
        rows = np.repeat(query_is_kept, self.sizes)
        return Data(self.name, *(values[rows] for values in self[1:])) if rows.any() else None


View = Callable[[Data], Data | None]

# ------------------------------------------------------------------ the tables

# Sizes: number of queries, minimum and maximum number of documents.
SHAPES = {
    "one query": (1, 60, 60),
    "one document each": (20, 1, 1),
    "short": (30, 1, 6),
    "mixed": (20, 1, 40),
    "long": (3, 150, 300),
}
# Share of documents with a label above 0, and the highest label; with 8%, most short queries have none.
LABELS = {"binary": (0.4, 1), "graded": (0.5, 4), "rare": (0.08, 4), "dense": (0.95, 3)}
SCORES: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "real": lambda useful: useful,
    "few values": lambda useful: useful.round(),
    "one value": lambda useful: np.full(len(useful), 0.1),
    "negative": lambda useful: useful - 1000,
    "huge": lambda useful: useful * 1e30,
    "integers": lambda useful: (10 * useful).astype(np.int64),
}
# The same with some unjudged and some unretrieved documents.
PARTIAL = list(product(["one query", "short", "mixed", "long"], LABELS, ["real", "few values", "negative"]))
COMPLETE = list(product(SHAPES, LABELS, SCORES))


def make_data(shape: str, labels: str, scores: str, part: str, seed: int) -> Data:
    """Make one data set; the first document of each query is judged and retrieved."""
    rng = np.random.default_rng(seed)
    n_queries, fewest, most = SHAPES[shape]
    share, highest = LABELS[labels]
    groups = np.repeat(np.arange(n_queries), rng.integers(fewest, most + 1, n_queries))
    n = len(groups)
    y_true = rng.integers(1, highest + 1, n) * (rng.random(n) < share)
    y_score = SCORES[scores](rng.standard_normal(n) + 0.4 * y_true)
    weights = rng.integers(1, 9, n_queries)[groups] / 4  # exact in float32
    if part == "partial":
        later = np.diff(groups, prepend=-1) == 0
        y_true = np.where(later & (rng.random(n) < 0.3), np.nan, y_true)
        y_score = np.where(later & (rng.random(n) < 0.2), -np.inf, y_score)
    return Data(f"{shape}, {labels}, {scores}, {part}", y_true, y_score, groups, weights)


def make_all() -> list[Data]:
    """Make all data sets: 240 complete ones and 48 partial ones."""
    rows = [(*row, "complete") for row in COMPLETE] * 2 + [(*row, "partial") for row in PARTIAL]
    return [make_data(*row, seed) for seed, row in enumerate(rows)]


# ------------------------------------------------------------------ views: subsets for both sides, or None


def complete(data: Data) -> Data | None:
    """Return the data if all documents are judged and retrieved, otherwise None."""
    return data if np.isfinite(data.y_true).all() and np.isfinite(data.y_score).all() else None


def single(data: Data) -> Data:
    """Round scores to float32, for libraries that store them so."""
    return data._replace(y_score=data.y_score.astype(np.float32).astype(np.float64))


def untied(data: Data) -> Data | None:
    """Keep queries without tied scores, for libraries that do not define the order of ties."""
    retrieved = (scores[scores > -np.inf] for _, scores in data.queries())
    return data.keep(np.array([len(np.unique(scores)) == len(scores) for scores in retrieved]))


def binary(data: Data) -> Data:
    """Convert labels to 0 and 1, for libraries that reject or misread grades."""
    return data._replace(y_true=np.where(np.isnan(data.y_true), data.y_true, data.y_true > 0))


def probabilities(data: Data) -> Data:
    """Divide labels by 4: values from 0 to 1 that are exact in float."""
    return data._replace(y_true=data.y_true / 4)


def with_relevant(data: Data) -> Data | None:
    """Keep queries with a relevant document, for libraries that need one."""
    return data.keep(np.array([(labels > 0).any() for labels, _ in data.queries()]))


def two_classes(data: Data) -> Data | None:
    """Keep queries with relevant and nonrelevant judged documents."""
    return data.keep(np.array([(labels > 0).any() and (labels == 0).any() for labels, _ in data.queries()]))


def varied(data: Data) -> Data | None:
    """Keep queries in which neither labels nor scores are constant, so that correlations are defined."""
    return data.keep(
        np.array([np.ptp(labels) > 0 and np.ptp(scores) > 0 for labels, scores in data.queries()])
    )
