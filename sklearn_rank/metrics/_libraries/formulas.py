"""Metrics that exist here under the names of other libraries alone."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from ..._engine.ranked import Block
from .._rate_curves import interpolated_precision
from .._table import METRICS, Formula, Metric, Ratio


def _relative_precision(block: Block, *, k: int, min_relevance: float) -> Ratio:
    """Hits in the top k / min(k, R)."""
    relevant = block.relevant(min_relevance)
    return Ratio(relevant.in_top(k), np.minimum(k, relevant.n), relevant.n > 0)


def _set_relative_precision(block: Block, *, min_relevance: float) -> Ratio:
    """Hits / min(n, R), of n documents retrieved."""
    relevant = block.relevant(min_relevance)
    best = np.minimum(block.n_retrieved, relevant.n)
    return Ratio(relevant.in_top(None), best, best > 0)


def _set_map(block: Block, *, min_relevance: float) -> Ratio:
    """Precision times recall of all that is retrieved: hits**2 / (n R)."""
    relevant = block.relevant(min_relevance)
    both = block.n_retrieved.astype(np.float64) * relevant.n
    return Ratio(relevant.in_top(None).astype(np.float64) ** 2, both, both > 0)


def _set_f(block: Block, *, min_relevance: float) -> Ratio:
    """The harmonic mean of precision and recall of all that is retrieved: 2 hits / (n + R)."""
    relevant = block.relevant(min_relevance)
    both = block.n_retrieved + relevant.n
    return Ratio(2 * relevant.in_top(None), both, relevant.n > 0)


def _interpolated_precision(
    block: Block, *, recall_levels: Sequence[float], rounding: str, min_relevance: float
) -> Ratio:
    """The mean over recall levels of the highest precision at any rank with this recall or a higher one."""
    curves = interpolated_precision(
        block, levels=np.array(recall_levels), rounding=rounding, min_relevance=min_relevance, together=False
    )
    return Ratio(curves.values.sum(axis=1), len(recall_levels), curves.defined)


def _where_answered(stem: str, words: str, **fixed: Any) -> Formula:
    """Return the formula of a metric of ours, defined where something is retrieved; `words` say it."""

    def formula(block: Block, **params: Any) -> Ratio:
        ratio = METRICS[stem].formula(block, **fixed, **params)
        return ratio._replace(defined=np.logical_and(ratio.defined, block.n_retrieved > 0))

    formula.__doc__ = f"{words}, where something is retrieved."
    return formula


def _answered_r_precision(block: Block, *, k: int, min_relevance: float) -> Ratio:
    """Hits in the top min(k, R) / R, where something is retrieved."""
    relevant = block.relevant(min_relevance)
    in_top = block.ranks <= np.minimum(k, relevant.n)[:, None]
    hits = (relevant.expected * in_top).sum(axis=1)
    return Ratio(hits, relevant.n, (relevant.n > 0) & (block.n_retrieved > 0))


def _mean_label(block: Block, *, k: int) -> Ratio:
    """The mean of the labels in the top min(k, n), of n documents retrieved."""
    labels = block.expected(block.retrieved(block.top_labels(k)))
    n_shown = np.minimum(k, block.n_retrieved)
    return Ratio(labels[:, :k].sum(axis=1), n_shown, n_shown > 0)


def _of_whole_lists(
    *, min_relevance: float = 1, ties: str = "order", unjudged: str = "raise", zero_division: float = 0.0
) -> None:
    """Hold the parameters of metrics of sets."""


def _of_top_lists(
    *,
    k: int,
    min_relevance: float = 1,
    ties: str = "order",
    unjudged: str = "raise",
    zero_division: float = 0.0,
) -> None:
    """Hold the parameters of metrics at a cutoff."""


def _of_labels(*, k: int, ties: str = "order", unjudged: str = "raise", zero_division: float = 0.0) -> None:
    """Hold the parameters of metrics of grades."""


def _of_recall(
    *,
    recall_levels: Sequence[float],
    rounding: str = "up",
    min_relevance: float = 1,
    ties: str = "order",
    unjudged: str = "raise",
    zero_division: float = 0.0,
) -> None:
    """Hold the parameters of metrics at recall levels."""


@dataclass(frozen=True, eq=False)
class ForeignMetric(Metric):
    """A metric without a function of its own; `function` holds its parameters."""

    @cached_property
    def name(self) -> str:
        """Return its name here."""
        return self.stem


_SUM = "The sum of the precisions at the hits in the top k"
_PRECISION = _where_answered("precision", "Hits in the top k / k", adaptive_k=False)
_MAP = _where_answered("map", f"{_SUM} / R", denominator="relevant")
_ACHIEVABLE_MAP = _where_answered("map", f"{_SUM} / min(k, R)", denominator="achievable")


def _define(stem: str, formula: Formula, parameters: Callable[..., None]) -> Metric:
    return ForeignMetric(
        stem, formula, parameters, parameters, binary=parameters not in (_of_recall, _of_labels)
    )


FOREIGN = {
    metric.stem: metric
    for metric in (
        _define("relative_precision", _relative_precision, _of_top_lists),
        _define("set_relative_precision", _set_relative_precision, _of_whole_lists),
        _define("set_map", _set_map, _of_whole_lists),
        _define("set_f1", _set_f, _of_whole_lists),
        _define("answered_precision", _PRECISION, _of_top_lists),
        _define("answered_recall", _where_answered("recall", "Hits in the top k / R"), _of_top_lists),
        _define("answered_map", _MAP, _of_top_lists),
        _define("answered_achievable_map", _ACHIEVABLE_MAP, _of_top_lists),
        _define("answered_r_precision", _answered_r_precision, _of_top_lists),
        _define("mean_label", _mean_label, _of_labels),
        _define("interpolated_precision", _interpolated_precision, _of_recall),
    )
}
