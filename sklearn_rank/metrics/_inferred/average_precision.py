"""Average precision inferred from a sample of judgments, with or without strata: infAP and xinfAP."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ..._checks import explain_parameters
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
) -> float | np.ndarray:
    """Inferred average precision per query, averaged over queries: of judgements of a random sample.

    An estimate of the average precision that all judgements of a pool would give, where a random sample of
    the pool was judged. The sample may be drawn at several rates, one for each stratum of the pool.

    Parameters
    ----------
    y_true : array-like of shape (n_rows,) or (n_queries, n_documents)
        Relevance labels: real, finite, >= 0; NaN where a document was not drawn to be judged.
    y_score : array-like of the shape of `y_true`
        Predicted scores, higher first. -inf: not retrieved; the document takes no rank, and counts among
        those of its stratum.
    groups : array-like of shape (n_rows,), default=None
        Query id of each row, in any order and of any sortable type. Required unless the input is
        two-dimensional with a row per query.
    strata : array-like of the shape of `y_true`, default=None
        Number of the stratum of each document, whole and >= 0: the documents of one were judged at one rate.
        NaN or a number below 0 says that a document is in no pool, and counts as not relevant. None: all
        documents are of one stratum.
    min_relevance : float, default=1
        Labels from this one on are relevant; > 0.
    prior_precision : float, default=0.5
        The share of relevant documents in a stratum of which none was judged above, above 0 and below 1:
        1 / 2 in trec_eval, 1 / 3 in sample_eval.pl.
    ties : {"average", "order", "best", "worst"}, default="average"
        Equal scores: the exact mean over all their orders, the order of the rows, or the best or
        worst order; with `strata` one of the first two.
    zero_division : {0.0, 1.0, nan}, default=0.0
        Value of a query without a relevant document; nan leaves it out of the mean.
    average : {"macro", "weighted", "geometric"} or None, default="macro"
        Mean over queries, weighted by their number of rows or not, or the geometric mean of their values,
        raised to 0.00001 where they are below; None for the value of each query in the order of
        :func:`unique_groups`.
    sample_weight : array-like of shape (n_rows,), default=None
        Query weights, repeated on each row of the query; of shape (n_queries,) for two-dimensional
        input.

    Returns
    -------
    float or ndarray of shape (n_queries,)
        In [0, 1]; higher is better. A perfect ranking has a little less than 1, as a share of relevant
        documents is smoothed by 0.00001. nan, with a warning, if every query is left out.

    Raises
    ------
    ValueError
        If an argument breaks a rule above; the message names it.

    References
    ----------
    Yilmaz and Aslam, "Estimating average precision with incomplete and imperfect judgments", CIKM 2006
    (infAP, in trec_eval). With strata: Yilmaz, Kanoulas and Aslam, "A simple and efficient sampling method
    for estimating AP and NDCG", SIGIR 2008 (xinfAP, in NIST's sample_eval.pl).

    Examples
    --------
    >>> from sklearn_rank.metrics import infap_score
    >>> nan = float("nan")
    >>> round(infap_score([[1, nan, 0, 1]], [[4, 3, 2, 1]]), 4)  # (1 + (1 + 3 * 1 / 2) / 4) / 2
    0.8125
    >>> infap_score([[nan, 1]], [[2, 1]], strata=[[-1, 0]])  # the first is in no pool
    0.5
    """
    arguments, metric = locals(), INFAP
    del arguments["strata"]
    if strata is not None:
        check_choice("ties", ties, ("average", "order"), NO_BEST)
        metric = with_strata(INFAP, strata, Given(y_true, y_score, groups, sample_weight))
    return compute_call(metric, **arguments)


def _check_scorer(options: Options) -> None:
    """Check the options of a scorer with strata."""
    check_choice("ties", options["ties"], ("average", "order"), NO_BEST)


def _build_scorer(metric: Metric, strata: Ids, **given: object) -> RankingScorer:
    """Build a scorer without strata, or one that reads strata by name."""
    scorer = build_scorer(metric, **given)
    if strata is None:
        return scorer
    return build_function_scorer(infap_score, _check_scorer, strata=strata, **given)


INPUTS = RANKING._replace(replaced={"strata": add_parameter("strata", "str | None", None)})
INFAP = add_metric("infap", infer, infap_score, INPUTS, _build_scorer, nan_rule="sampled")
