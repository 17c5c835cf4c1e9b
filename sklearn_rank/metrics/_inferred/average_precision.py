"""Average precision inferred from a sample of judgments, with or without strata: infAP and xinfAP."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ..._checks import explain_parameters
from ..._checks.missed import MissedLabels
from ..._checks.options import check_choice
from ..._checks.types import ArrayLike, Average, Ids, Options, TieRule
from .._compute import compute_call
from .._factory import RANKING, add_metric, add_parameter
from .._scorers.factories import build_function_scorer, build_scorer
from .._table import Given, Metric
from .formula import NO_BEST, infer, with_strata

if TYPE_CHECKING:
    from .._scorers.scorer import RankingScorer


@explain_parameters
def infap_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    groups: ArrayLike | None = None,
    strata: ArrayLike | None = None,
    min_relevance: float = 1,
    prior_precision: float = 0.5,
    ties: TieRule = "average",
    zero_division: float = 0.0,
    average: Average | None = "macro",
    sample_weight: ArrayLike | None = None,
    missed: MissedLabels | None = None,
) -> float | np.ndarray:
    """Compute inferred average precision for each query and average it over queries.

    If only a random sample of a pool of documents was judged, the value estimates the average precision for
    judgments of the whole pool. Each stratum of the pool can have its own sampling rate.

    Source: Yilmaz and Aslam, "Estimating average precision with incomplete and imperfect judgments", CIKM
    2006 (infAP, in trec_eval). With strata: Yilmaz, Kanoulas and Aslam, "A simple and efficient sampling
    method for estimating AP and NDCG", SIGIR 2008 (xinfAP, in NIST's sample_eval.pl).

    Parameters
    ----------
    y_true : array-like of shape (n_rows,) or (n_queries, n_documents)
        Relevance labels: finite and non-negative. NaN means that the document was not sampled for judgment.
    y_score : array-like of the shape of `y_true`
        Predicted scores; documents are ranked by decreasing score. A score of -inf marks a document that was
        not retrieved: it gets no rank, but still counts in its stratum.
    groups, min_relevance, ties, zero_division, average, sample_weight, missed
        As in :func:`map_score`.
    strata : array-like of the shape of `y_true`, default=None
        Stratum of each document, an integer >= 0; the documents of a stratum have the same sampling rate. NaN
        or a negative number means that the document is outside the pool, and counts as not relevant. If
        `None`, all documents are in one stratum. Otherwise, `ties` must be "average" or "order".
    prior_precision : float, default=0.5
        Assumed share of relevant documents above a rank, for a stratum without judged documents there. It is
        above 0 and below 1: 1 / 2 in trec_eval, 1 / 3 in sample_eval.pl.

    Returns
    -------
    float or ndarray of shape (n_queries,)
        Between 0 and 1; higher is better. A perfect ranking has slightly less than 1, because shares of
        relevant documents are smoothed by 0.00001. If every query is excluded, `nan` is returned with a
        warning.

    Examples
    --------
    >>> from sklearn_rank.metrics import infap_score
    >>> nan = float("nan")
    >>> round(infap_score([[1, nan, 0, 1]], [[4, 3, 2, 1]]), 4)  # (1 + (1 + 3 * 1 / 2) / 4) / 2
    0.8125
    >>> infap_score([[nan, 1]], [[2, 1]], strata=[[-1, 0]])  # the first document is outside the pool
    0.5
    """
    arguments, metric = locals(), INFAP
    del arguments["strata"]
    if strata is not None:
        check_choice("ties", ties, ("average", "order"), NO_BEST)
        metric = with_strata(INFAP, strata, Given(y_true, y_score, groups, sample_weight, missed))
    return compute_call(metric, **arguments)


def _check_scorer(options: Options) -> None:
    check_choice("ties", options["ties"], ("average", "order"), NO_BEST)


def _build_scorer(metric: Metric, strata: Ids, **given: object) -> RankingScorer:
    """Build a scorer without strata, or one that reads strata by name."""
    scorer = build_scorer(metric, **given)
    if strata is None:
        return scorer
    return build_function_scorer(infap_score, _check_scorer, strata=strata, **given)


INPUTS = RANKING._replace(replaced={"strata": add_parameter("strata", "str | None", None)})
INFAP = add_metric(infer, infap_score, INPUTS, _build_scorer, nan_rule="sampled")
