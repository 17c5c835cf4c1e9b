"""Curves of queries and their mean, block after block: no matrix of all queries by all points."""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

import numpy as np

from .._checks.rows import Scores
from .._checks.types import Arguments
from .._engine.blocks import iter_blocks
from .._engine.prepared import PreparedRows
from .._engine.ranked import Block
from ._average import scale_weights, warn_undefined
from ._compute import as_values
from ._exact_sum import ColumnSums, ExactSum
from ._label_warnings import caution_subjects
from ._prepared_input import Opened
from ._requests import Rules, Subject
from ._table import Formula, Ratio

TINY = float(np.finfo(np.float64).tiny)
HOLDS = np.array([np.inf])  # the `fade` of curves that keep their last value


class Curves(NamedTuple):
    """Curves of the queries of a block, up to the last of its ranks."""

    members: np.ndarray  # the queries
    values: np.ndarray  # (n_queries, n_known); NaN if a query is left out
    fade: np.ndarray = HOLDS  # beyond, values fall as 1 / (k + fade)


class Piece(NamedTuple):
    """Curves of queries that continue in the same way."""

    members: np.ndarray
    values: np.ndarray
    beyond: np.ndarray  # (n_points - n_known,): the further values, as multiples of the last one


class CurveRequest(NamedTuple):
    """A curve to compute: the ratios of its formula have a row per point."""

    opened: Opened
    rules: Rules
    points: np.ndarray  # cutoffs 1, 2, ... if the formula has a parameter `k`, or levels
    formula: Formula
    params: Arguments

    def compute(self) -> np.ndarray:
        """Return the mean of the curves of all queries, or each of them."""
        rows, n_points = self.opened.rows, len(self.points)
        pieces = self.cut(self.evaluate(self.opened.scores))
        if self.rules.average is None:
            by_query = np.empty((len(rows.queries.lengths), n_points))
            for piece in pieces:
                by_query[piece.members] = extend(piece.values, piece.beyond)
            curve = rows.queries.by_id(by_query)
        else:
            mean = CurveMean(len(rows.queries.lengths))
            for weights, piece in self.weigh(pieces):
                mean.add(weights, piece)
            curve = mean.read(n_points)
        self.warn(curve)
        return curve

    def evaluate(self, scores: Scores) -> Iterator[Curves]:
        """Yield the curves of all queries with these scores, block after block."""
        over_k = "k" in self.params
        blocks = iter_blocks(self.opened.rows, scores, self.rules.ties, 1 if over_k else len(self.points))
        yield from map(self._follow if over_k else self._apply, blocks)

    def _apply(self, block: Block) -> Curves:
        """Return curves over levels."""
        (values,) = as_values(self.formula(block, **self.params), self.rules.zero_division)
        return Curves(block.members, values.T)

    def _follow(self, block: Block) -> Curves:
        """Return curves over cutoffs up to the last rank; one cutoff more shows how denominators grow."""
        n_points, n_ranks = len(self.points), len(block.ranks)
        k = np.arange(1, min(n_points, n_ranks + 1) + 1)[:, None]
        ratio = self.formula(block, **{**self.params, "k": k})
        (values,) = as_values(ratio, self.rules.zero_division)
        fade = find_fade(ratio) if n_points > n_ranks else HOLDS
        return Curves(block.members, values[:n_ranks].T, fade)

    def cut(self, of_blocks: Iterable[Curves]) -> Iterator[Piece]:
        """Divide curves into those that continue in the same way."""
        for members, values, fade in of_blocks:
            n_known = values.shape[1]
            further = np.arange(n_known + 1, len(self.points) + 1)
            fades = np.unique(fade)
            for each in fades:
                beyond = np.ones(len(further)) if each == np.inf else (n_known + each) / (further + each)
                alike = fade == each if len(fades) > 1 else slice(None)
                yield Piece(members[alike], values[alike], beyond)

    def weigh(self, pieces: Iterable[Piece]) -> Iterator[tuple[np.ndarray, Piece]]:
        """Yield the curves that count in a mean, and their weights."""
        weights = weigh_queries(self.opened.rows, self.rules.average)
        for piece in pieces:
            counted = (weights[piece.members] > 0) & ~np.isnan(piece.values[:, 0])
            if not counted.all():
                piece = Piece(piece.members[counted], piece.values[counted], piece.beyond)
            if len(piece.members):
                yield weights[piece.members], piece

    def warn(self, curve: np.ndarray) -> None:
        """Warn if every ranking of these rows has the same curve."""
        least = self.params.get("min_relevance")
        subject = Subject("", self.rules.unjudged, None if least is None else float(least))
        caution_subjects(self.opened, [subject], [("", curve)])


def find_fade(ratio: Ratio) -> np.ndarray:
    """Return how values fall below the last rank, where numerators hold and denominators hold or grow evenly.

    The last rank is the last but one of the cutoffs.
    """
    n_known = len(ratio.numerators) - 1
    if np.ndim(ratio.denominators) < 2:
        return HOLDS
    last, further = ratio.denominators[-2:]  # type: ignore[index]
    grows = (further > last) & np.atleast_2d(ratio.defined)[-1]
    return np.where(grows, last / np.maximum(further - last, 1) - n_known, np.inf)


def extend(values: np.ndarray, beyond: np.ndarray) -> np.ndarray:
    """Append multiples of the last value."""
    return np.concatenate([values, values[..., -1:] * beyond], axis=-1)


def weigh_queries(rows: PreparedRows, average: str | None) -> np.ndarray:
    """Return the weight of each query in a mean."""
    weights = rows.weights
    if average == "weighted":
        weights = rows.queries.lengths * (1.0 if weights is None else weights)
    return np.ones(len(rows.queries.lengths)) if weights is None else scale_weights(weights)


class CurveMean:
    """The weighted mean of curves, of all of `n_queries` and none with a value beyond -1 and 1."""

    def __init__(self, n_queries: int):
        self._sums, self._weights = ColumnSums(n_queries), ExactSum()

    def add(self, weights: np.ndarray, piece: Piece) -> None:
        """Add curves."""
        self._sums.add(weights[:, None] * piece.values, piece.beyond)
        self._weights.add(weights)

    def read(self, n_points: int) -> np.ndarray:
        """Return the mean at each point; nan, with a warning, where no query counts."""
        if self.weight > 0:
            return self._sums.total() / self.weight
        warn_undefined()
        return np.full(n_points, np.nan)

    @property
    def weight(self) -> float:
        """Return the sum of the weights."""
        return self._weights.scaled()[0]


class CurveSpread:
    """How weighted curves vary, piece after piece: the mean by w**2, and the squares around it.

    Two pieces become one as in Chan, Golub and LeVeque, "Algorithms for computing the sample variance", 1983:
    nothing but squares is added up, so that nothing cancels.
    """

    def __init__(self, n_points: int):
        self.n = 0
        self.weight = 0.0  # sum of w**2
        self._centers, self._squares = np.zeros(n_points), np.zeros(n_points)

    def add(self, weights: np.ndarray, piece: Piece) -> None:
        """Add curves."""
        self.n += len(weights)
        weight = max(float(weights @ weights), TINY)  # if squares underflow, as other weights are far larger
        centers = weights**2 @ piece.values / weight
        squares = extend(weights**2 @ (piece.values - centers) ** 2, piece.beyond**2)
        steps, share = extend(centers, piece.beyond) - self._centers, weight / (self.weight + weight)
        self._squares += squares + steps**2 * (self.weight * share)
        self._centers += steps * share
        self.weight += weight

    def around(self, mean: np.ndarray) -> np.ndarray:
        """Return the sum of w**2 (v - mean)**2 at each point."""
        return self._squares + self.weight * (self._centers - mean) ** 2
