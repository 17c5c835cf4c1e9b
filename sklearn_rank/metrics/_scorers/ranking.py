"""A scorer that knows which rows belong to one query, around scikit-learn's `make_scorer`."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.metrics import make_scorer

from ..._checks.types import ArrayLike, ResponseMethod
from .._compute import check_labels, compute_many
from .._libraries.read import is_prefixed
from .._names import build_requests, parse_name
from .._requests import Given, Request, find_label_rules
from .base import BaseScorer


class RankingScorer(BaseScorer):
    """Score a fitted model by ranking metrics; made by `ndcg_scorer` and its kin or `ranking_scorer`.

    It requests `groups` from scikit-learn's metadata routing, unless ids travel in the data. Rankers and
    regressors answer by ``predict``, binary classifiers by ``decision_function`` or else ``predict_proba``,
    classifiers of several numeric grades by the expected grade, ``predict_proba(X) @ classes_``. Models whose
    predictions are not scores raise an error: clusterers, density estimators, outlier detectors (score them
    with ``response_method="decision_function"``, which is higher for inliers), classes that are words, and
    several targets.

    Parameters
    ----------
    metrics : str or list of str
        One name ("ndcg@10") for a float, a list of names for a dict of floats.
    options : dict, default=None
        Keyword arguments of the metric functions other than their defaults.
    groups : str, default=None
        Name of an index level of X or y, or of a column of X, that holds the query ids.
    response_method : str or tuple of str, default="auto"
        Methods of the model to ask, the first that it has; "auto" chooses as said above.
    score_request : dict, default=None
        What metadata routing should deliver, as set by `set_score_request`.
    labels : str, default=None
        Name of the labels to score by, where these are not the `y` that the model is trained on: they come
        under it from metadata routing, ``params={"debiased": labels}``, or else are an index level of X or
        y, or a column of X that the model makes no use of.
    """

    def __init__(
        self,
        metrics: str | list[str],
        options: dict[str, Any] | None = None,
        groups: str | None = None,
        response_method: ResponseMethod = "auto",
        score_request: dict[str, Any] | None = None,
        labels: str | None = None,
    ):
        self.metrics = metrics
        self.options = options
        self.groups = groups
        self.response_method = response_method
        self.score_request = score_request
        self.labels = labels

    def _score(self, estimator: Any, X: Any, y_true: Any, groups: Any, sample_weight: Any) -> Any:
        """Ask the model and compute the metrics."""

        # As arguments of the scorer they would be written out with it in each call.
        def compute(y_true: Any, y_score: Any) -> np.ndarray:
            return self._compute(self.describe(), y_true, y_score, groups, sample_weight)

        model, response_method = self.choose_response(estimator)
        self.check_labels_unseen(model, response_method, X, y_true)
        return self._name(make_scorer(compute, response_method=response_method)(model, X, y_true))

    def score_rows(
        self,
        y_true: ArrayLike,
        y_score: ArrayLike,
        *,
        groups: ArrayLike | None = None,
        sample_weight: ArrayLike | None = None,
    ) -> Any:
        """Score what a model has predicted already.

        Parameters
        ----------
        y_true, y_score, groups, sample_weight : array-like of shape (n_rows,)
            Labels, scores, query ids and, or None, weights, as in the metric functions; lists in two
            dimensions need no ids.

        Returns
        -------
        float or dict of str to float
            One value, or one per name where the scorer has several.

        Examples
        --------
        >>> from sklearn_rank import ndcg_scorer
        >>> ndcg_scorer(k=1).score_rows([0, 2], [0.5, 0.1], groups=["shoes", "shoes"])
        0.0
        """
        function = f"{self.describe()}.score_rows"
        return self._name(self._compute(function, y_true, y_score, groups, sample_weight))

    def check_labels(self, y_true: Any, function: str) -> None:
        """Raise what scoring raises for labels, whatever a model predicts."""
        check_labels(function, self.list_requests(function), y_true)

    @property
    def unjudged(self) -> str:
        """Return how its metrics treat NaN labels: "raise" if one of them rejects NaN."""
        return find_label_rules(self.list_requests(self.describe())).unjudged

    def list_requests(self, function: str) -> list[Request]:
        """List the metrics with their options."""
        single = isinstance(self.metrics, str)
        names = [self.metrics] if single else self.metrics
        return build_requests(function, names, self.options or {}, shared=not single)

    def _compute(
        self, function: str, y_true: Any, y_score: Any, groups: Any, sample_weight: Any
    ) -> np.ndarray:
        """Return an array, as scikit-learn multiplies what a metric returns by a sign."""
        given = Given(y_true, y_score, groups, sample_weight)
        scores = compute_many(function, self.list_requests(function), given)
        return np.array(list(scores.values()))

    def _name(self, values: np.ndarray) -> Any:
        """Give values their names, if there are several."""
        single = isinstance(self.metrics, str)
        return float(values[0]) if single else dict(zip(self.metrics, values.tolist()))

    def describe(self, **changed: Any) -> str:
        """Return the call of the factory that makes this scorer, such as ndcg_scorer(k=10)."""
        if isinstance(self.metrics, str) and is_prefixed(self.metrics):
            return self.spell("get_scorer", repr(self.metrics), {}, "auto", changed)
        if isinstance(self.metrics, str):
            metric, arguments = parse_name(self.metrics, "get_scorer")
            factory = metric.factory.__name__
        else:
            factory, arguments = "ranking_scorer", {"metrics": self.metrics}
        return self.spell(factory, "", arguments | (self.options or {}), "auto", changed)
