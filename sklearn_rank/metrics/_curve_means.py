"""From the curves of queries to their mean, block after block: no matrix of all queries by all points."""

from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple

import numpy as np

from .._engine.blocks import iter_blocks
from .._engine.prepared import PreparedRows
from .._engine.ranked import Block
from ._average import scale_weights, warn_undefined
from ._cautions import caution_subjects
from ._exact_sum import ColumnSums, ExactSum
from ._opened import Opened
from ._requests import Rules, Subject

HOLDS = np.inf  # the `fade` of a curve that keeps its last value


class Curves(NamedTuple):
    """The curves of the queries of a block, up to the last of its ranks, and how they go on from there."""

    values: np.ndarray  # (n_queries, n_known)
    defined: np.ndarray  # (n_queries,): whether a query has a value, at any point
    fade: np.ndarray | float = HOLDS  # beyond, values fall as 1 / (k + fade), or the last one holds

    def filled(self, zero_division: float) -> "Curves":
        """Give undefined queries their value, which holds."""
        values = np.where(self.defined[:, None], self.values, zero_division)
        return Curves(values, self.defined, np.where(self.defined, self.fade, HOLDS))


CurveFormula = Callable[..., Curves]  # of a block and its parameters


class Piece(NamedTuple):
    """Curves of queries that go on alike."""

    members: np.ndarray  # which of all queries they are
    counted: np.ndarray  # which of these count in a mean
    values: np.ndarray  # (n_queries, n_known)
    beyond: np.ndarray  # (n_points - n_known,): the values there, as multiples of the last one that is known


def weigh_queries(rows: PreparedRows, average: str | None) -> np.ndarray:
    """Return the weight of each query in a mean."""
    weights = rows.weights
    if average == "weighted":
        weights = rows.queries.lengths * (1.0 if weights is None else weights)
    return np.ones(len(rows.queries.lengths)) if weights is None else scale_weights(weights)


def cut_pieces(
    of_blocks: Iterable[tuple[np.ndarray, Curves]], zero_division: float, n_points: int
) -> Iterator[Piece]:
    """Divide filled curves into those that go on alike beyond the ranks of their block."""
    for members, curves in of_blocks:
        values, counted = curves.values, curves.defined | (not np.isnan(zero_division))
        n_known = values.shape[1]
        further = np.arange(n_known + 1, n_points + 1)
        fades = np.unique(curves.fade) if len(further) else [HOLDS]
        for fade in fades:
            beyond = np.ones(len(further)) if fade == HOLDS else (n_known + fade) / (further + fade)
            alike = curves.fade == fade if len(fades) > 1 else slice(None)
            yield Piece(members[alike], counted[alike], values[alike], beyond)


class CurveMean:
    """The weighted mean of curves, of all of `n_queries` and none with a value beyond -1 and 1."""

    def __init__(self, n_queries: int):
        self._sums, self._weights = ColumnSums(n_queries), ExactSum()

    def add(self, weights: np.ndarray, piece: Piece) -> None:
        """Add the curves that count."""
        w, values = np.where(piece.counted, weights[piece.members], 0), piece.values
        if not w.all():
            w, values = w[w > 0], values[w > 0]
        self._sums.add(w[:, None] * values, piece.beyond)
        self._weights.add(w)

    def mean(self, function: str, n_points: int) -> np.ndarray:
        """Return the mean at each point; nan, with a warning, where no query counts."""
        if self.weight > 0:
            return self._sums.total() / self.weight
        warn_undefined(function)
        return np.full(n_points, np.nan)

    @property
    def weight(self) -> float:
        """Return the sum of the weights."""
        return self._weights.scaled()[0]


def compute_curve(
    function: str, formula: CurveFormula, opened: Opened, rules: Rules, n_points: int, **params: Any
) -> np.ndarray:
    """Return the mean of the curves of all queries, or each of them."""
    rows = opened.rows
    n_queries = len(rows.queries.lengths)
    n_values = len(params["levels"]) if "levels" in params else 1
    blocks = iter_blocks(rows, opened.scores, rules.ties, n_values)
    of_blocks = evaluate_blocks(blocks, formula, rules, params)
    pieces = cut_pieces(of_blocks, rules.zero_division, n_points)
    if rules.average is None:
        per_query = np.empty((n_queries, n_points))
        for piece in pieces:
            n_known = piece.values.shape[1]
            per_query[piece.members, :n_known] = piece.values
            per_query[piece.members, n_known:] = piece.values[:, -1:] * piece.beyond
        curve = rows.queries.by_id(per_query)
    else:
        mean, weights = CurveMean(n_queries), weigh_queries(rows, rules.average)
        for piece in pieces:
            mean.add(weights, piece)
        curve = mean.mean(function, n_points)
    warn_of_flat_curves(function, opened, rules, params, curve)
    return curve


def evaluate_blocks(
    blocks: Iterable[Block], formula: CurveFormula, rules: Rules, params: dict[str, Any]
) -> Iterator[tuple[np.ndarray, Curves]]:
    """Yield which queries a block holds, and their curves."""
    for block in blocks:
        yield block.members, formula(block, **params).filled(rules.zero_division)


def warn_of_flat_curves(
    function: str, opened: Opened, rules: Rules, params: dict[str, Any], curve: np.ndarray
) -> None:
    """Warn where every ranking of these rows has the same curve."""
    least = params.get("min_relevance")
    subject = Subject("", rules.unjudged, None if least is None else float(least))
    caution_subjects(function, opened, [subject], [("", curve)])
