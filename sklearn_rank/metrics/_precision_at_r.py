"""Metrics at rank R, the number of relevant documents of the query: R-precision and MAP@R."""

from __future__ import annotations

import numpy as np

from .._checks import explain_parameters
from .._checks.missed import MissedLabels
from .._checks.types import ArrayLike, Average, TieRule, Unjudged
from .._engine.ranked import Block
from ._compute import compute_call
from ._factory import add_metric
from ._map_and_mrr import list_precisions
from ._table import Ratio

DIGITS = 6  # decimals of `multiple * R` before it is rounded up


def _r_precision(block: Block, *, min_relevance: float, multiple: float) -> Ratio:
    """R-precision = |relevant in the top c| / c, c = multiple * |relevant|, rounded up."""
    relevant = block.relevant(min_relevance)
    cutoffs = np.ceil(np.round(multiple * relevant.n, DIGITS))  # 1.1 * 10 is 11, despite rounding errors
    in_top = block.ranks <= cutoffs[:, None]
    return Ratio((relevant.expected * in_top).sum(axis=1), np.maximum(cutoffs, 1), relevant.n > 0)


@explain_parameters
def r_precision_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    groups: ArrayLike | None = None,
    min_relevance: float = 1,
    multiple: float = 1.0,
    ties: TieRule = "average",
    unjudged: Unjudged = "raise",
    zero_division: float = 0.0,
    average: Average | None = "macro",
    sample_weight: ArrayLike | None = None,
    missed: MissedLabels | None = None,
) -> float | np.ndarray:
    """Compute R-precision, averaged over queries.

    R-precision is the precision at cutoff R, the number of relevant documents of the query. The recall at R
    is equal to it.

    Source: Manning, Raghavan and Schütze, "Introduction to Information Retrieval", 2008, section 8.4.

    Parameters
    ----------
    y_true, y_score, groups, min_relevance, ties, unjudged, zero_division, average, sample_weight, missed
        As in :func:`mrr_score`.
    multiple : float, default=1.0
        Factor of R from 0.01 to 10**6. The cutoff is ``multiple * R``, rounded up, as in Rprec_mult of
        trec_eval.

    Returns
    -------
    float or ndarray of shape (n_queries,)
        R-precision between 0 and 1; higher is better. If every query is excluded, `nan` is returned with a
        warning.

    Examples
    --------
    >>> from sklearn_rank import r_precision_score
    >>> r_precision_score([[1, 0, 1, 0]], [[4, 3, 2, 1]])
    0.5
    >>> round(r_precision_score([[1, 0, 1, 0]], [[4, 3, 2, 1]], multiple=1.5), 4)  # of the first 3
    0.6667
    """
    return compute_call(R_PRECISION, **locals())


R_PRECISION = add_metric(_r_precision, r_precision_score)


def _average_precision_at_r(block: Block, *, min_relevance: float) -> Ratio:
    """AP@R = sum of P@i over the ranks i <= R of relevant documents / R, R = |relevant|."""
    relevant = block.relevant(min_relevance)
    terms = list_precisions(block, relevant, None)
    in_top = block.ranks <= relevant.n[:, None]
    return Ratio((terms * in_top).sum(axis=1), relevant.n, relevant.n > 0)


@explain_parameters
def map_at_r_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    groups: ArrayLike | None = None,
    min_relevance: float = 1,
    ties: TieRule = "average",
    unjudged: Unjudged = "raise",
    zero_division: float = 0.0,
    average: Average | None = "macro",
    sample_weight: ArrayLike | None = None,
    missed: MissedLabels | None = None,
) -> float | np.ndarray:
    """Compute mean average precision at R (MAP@R) over queries.

    R is the number of relevant documents of the query. MAP@R is the sum of the precisions at the ranks of the
    relevant documents among the first R, divided by R. It is 1 only if the first R documents are relevant.

    Source: Musgrave, Belongie and Lim, "A metric learning reality check", ECCV 2020.

    Parameters
    ----------
    y_true, y_score, groups, min_relevance, ties, unjudged, zero_division, average, sample_weight, missed
        As in :func:`mrr_score`.

    Returns
    -------
    float or ndarray of shape (n_queries,)
        MAP@R between 0 and 1; higher is better. If every query is excluded, `nan` is returned with a warning.

    Examples
    --------
    >>> from sklearn_rank.metrics import map_at_r_score
    >>> map_at_r_score([[1, 0, 1, 1]], [[4, 3, 2, 1]])  # (1/1 + 2/3) / 3
    0.5555...
    """
    return compute_call(MAP_AT_R, **locals())


MAP_AT_R = add_metric(_average_precision_at_r, map_at_r_score)
