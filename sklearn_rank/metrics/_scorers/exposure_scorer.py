"""Scorers of what rankings give to the owners of items, who travel beside the data or in it."""

from __future__ import annotations

from typing import Any

from sklearn.metrics import make_scorer

from ..._checks.types import ResponseMethod
from .._table import METRICS
from .base import BaseScorer


class ExposureScorer(BaseScorer):
    """Score a fitted model by what its rankings give to owners; made by `awrf_scorer` and its kin.

    The owners of the rows come with the call, ``cross_val_score(..., params={"owners": owners})`` or
    ``scorer(model, X, y, groups=qid, owners=owners)``, or in the data, as
    an index level of X or y or a column of X.

    Parameters
    ----------
    metric : str
        "exposure_parity", "exposure_ratio", "awrf" or "amortized_exposure_loss".
    owners : str, default="owners"
        The name under which the owner of each row travels.
    options : dict, default=None
        Keyword arguments of the metric function.
    groups : str, default=None
        Name of an index level of X or y, or of a column of X, that holds the query ids.
    response_method : str or tuple of str, default="auto"
        Methods of the model to ask, the first that it has; "auto" as in :class:`RankingScorer`.
    score_request : dict, default=None
        What metadata routing should deliver, as set by `set_score_request`.
    """

    owners: str  # always named

    def __init__(
        self,
        metric: str,
        owners: str = "owners",
        options: dict[str, Any] | None = None,
        groups: str | None = None,
        response_method: ResponseMethod = "auto",
        score_request: dict[str, Any] | None = None,
    ):
        self.metric = metric
        self.owners = owners
        self.options = options
        self.groups = groups
        self.response_method = response_method
        self.score_request = score_request

    def describe(self, **changed: Any) -> str:
        """Return the call of the factory that makes this scorer."""
        owners = {} if self.owners == "owners" else {"owners": self.owners}
        factory = METRICS[self.metric].factory.__name__
        return self.spell(factory, "", owners | (self.options or {}), "auto", changed)

    def _score(
        self, estimator: Any, X: Any, y_true: Any, groups: Any, sample_weight: Any, owners: Any = None
    ) -> float:
        """Ask the model and compute the metric of its rankings."""
        row = METRICS[self.metric]
        given = {"groups": groups, "owners": owners, "sample_weight": sample_weight}

        def compute(y_true: Any, y_score: Any) -> Any:
            return row.function(y_true, y_score, **given, **(self.options or {}))

        model, response_method = self.choose_response(estimator)
        scorer = make_scorer(
            compute, response_method=response_method, greater_is_better=row.greater_is_better
        )
        return float(scorer(model, X, y_true))
