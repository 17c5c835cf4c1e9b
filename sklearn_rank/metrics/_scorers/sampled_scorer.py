"""A scorer of metrics of sampled candidates, corrected for the sampling."""

from __future__ import annotations

from typing import Any

from sklearn.metrics import make_scorer

from ..._checks.types import ResponseMethod
from .._requests import Given
from .base import BaseScorer


class SampledScorer(BaseScorer):
    """Score a fitted model by a corrected metric of sampled candidates; made by `sampled_scorer`.

    Parameters
    ----------
    options : dict
        Keyword arguments of :func:`sampled_score`.
    groups : str, default=None
        Name of an index level of X or y, or of a column of X, that holds the query ids.
    response_method : str or tuple of str, default="auto"
        Methods of the model to ask, the first that it has; "auto" as in :class:`RankingScorer`.
    score_request : dict, default=None
        What metadata routing should deliver, as set by `set_score_request`.
    labels : str, default=None
        Name of the labels to score by, as in :class:`RankingScorer`.
    """

    def __init__(
        self,
        options: dict[str, Any],
        groups: str | None = None,
        response_method: ResponseMethod = "auto",
        score_request: dict[str, Any] | None = None,
        labels: str | None = None,
    ):
        self.options = options
        self.groups = groups
        self.response_method = response_method
        self.score_request = score_request
        self.labels = labels

    # Numbers of items of each user may be many.
    def __repr__(self, N_CHAR_MAX: int = 700) -> str:
        return self.describe()

    def describe(self, **changed: Any) -> str:
        """Return the call of the factory that makes this scorer."""
        n_items = self.options["n_items"]
        numbers = dict(n_items.items()) if hasattr(n_items, "items") else n_items  # of a series too
        return self.spell("sampled_scorer", "", self.options | {"n_items": numbers}, "auto", changed)

    def _score(self, estimator: Any, X: Any, y_true: Any, groups: Any, sample_weight: Any) -> float:
        """Ask the model and compute the metric of its lists."""
        from .._sampled import score_lists

        def compute(y_true: Any, y_score: Any) -> Any:
            given = Given(y_true, y_score, groups, sample_weight)
            return score_lists(self.describe(), given, self.options)

        model, response_method = self.choose_response(estimator)
        self.check_labels_unseen(model, response_method, X, y_true)
        return float(make_scorer(compute, response_method=response_method)(model, X, y_true))
