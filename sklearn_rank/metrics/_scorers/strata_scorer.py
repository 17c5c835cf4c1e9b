"""Scorers of judgements that were drawn from strata, which travel beside the data or in it."""

from __future__ import annotations

from typing import Any

from sklearn.metrics import make_scorer

from ..._checks.types import ResponseMethod
from .base import BaseScorer


class StrataScorer(BaseScorer):
    """Score a fitted model by inferred average precision of strata; made by `infap_scorer`.

    The strata of the rows come with the call, ``cross_val_score(..., params={"strata": strata})`` or
    ``scorer(model, X, y, groups=qid, strata=strata)``, or in the data, as an index level of X or y or a
    column of X.

    Parameters
    ----------
    strata : str, default="strata"
        The name under which the stratum of each row travels.
    options : dict, default=None
        Keyword arguments of :func:`infap_score`.
    groups : str, default=None
        Name of an index level of X or y, or of a column of X, that holds the query ids.
    response_method : str or tuple of str, default="auto"
        Methods of the model to ask, the first that it has; "auto" as in :class:`RankingScorer`.
    score_request : dict, default=None
        What metadata routing should deliver, as set by `set_score_request`.
    labels : str, default=None
        Name of the labels to score by, as in :class:`RankingScorer`.
    """

    strata: str  # always named

    def __init__(
        self,
        strata: str = "strata",
        options: dict[str, Any] | None = None,
        groups: str | None = None,
        response_method: ResponseMethod = "auto",
        score_request: dict[str, Any] | None = None,
        labels: str | None = None,
    ):
        self.strata = strata
        self.options = options
        self.groups = groups
        self.response_method = response_method
        self.score_request = score_request
        self.labels = labels

    def describe(self, **changed: Any) -> str:
        """Return the call of the factory that makes this scorer."""
        return self.spell("infap_scorer", "", {"strata": self.strata} | (self.options or {}), "auto", changed)

    def _score(
        self, estimator: Any, X: Any, y_true: Any, groups: Any, sample_weight: Any, strata: Any = None
    ) -> float:
        """Ask the model and compute the metric of its rankings."""
        from .._inferred.average_precision import infap_score

        given = {"groups": groups, "strata": strata, "sample_weight": sample_weight}

        def compute(y_true: Any, y_score: Any) -> Any:
            return infap_score(y_true, y_score, **given, **(self.options or {}))

        model, response_method = self.choose_response(estimator)
        self.check_labels_unseen(model, response_method, X, y_true)
        return float(make_scorer(compute, response_method=response_method)(model, X, y_true))
