"""A ranking scorer that tells what each query has, beside the score."""

from collections.abc import Callable
from typing import Any

import numpy as np

from .._by_query import ScoredQueries, score_queries
from .._requests import Given, check_kept
from .ranking import RankingScorer


class ListeningScorer(RankingScorer):
    """A scorer as another one, which calls a function with the values of the queries of each score."""

    def __init__(self, scorer: RankingScorer, tell: Callable[[ScoredQueries], Any]):
        super().__init__(**scorer.get_params(deep=False))
        self.tell = tell
        requests = self.list_requests("keep_queries")
        check_kept([request.rules.average for request in requests], type(scorer).__name__)

    def _compute(
        self, function: str, y_true: Any, y_score: Any, groups: Any, sample_weight: Any
    ) -> np.ndarray:
        """Return the same array; a mean over queries does not depend on who hears their values."""
        given = Given(y_true, y_score, groups, sample_weight)
        lowest = (self.options or {}).get("min_relevance", 1)
        scored = score_queries(function, self.list_requests(function), given, lowest)
        self.tell(_as_weighed(scored, sample_weight))
        return np.array([each.mean(function) for each in scored.metrics.values()])


def _as_weighed(scored: ScoredQueries, sample_weight: Any) -> ScoredQueries:
    """Return queries with weights of the scale that was given: of several calls they are joined."""
    if sample_weight is None:
        return scored
    exponent = np.frexp(np.asarray(sample_weight, dtype=np.float64).max())[1]
    metrics = {}
    for name, each in scored.metrics.items():
        assert each.weights is not None
        metrics[name] = each._replace(weights=np.ldexp(each.weights, exponent))
    return scored._replace(metrics=metrics)
