"""Scorers of queries with several intents: their labels travel as metadata, or in columns of X."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.metrics import make_scorer

from ..._checks.containers import has_column
from ..._checks.errors import fail
from ..._checks.types import ResponseMethod
from .._table import METRICS
from .base import BaseScorer
from .labels import check_unseen


class IntentScorer(BaseScorer):
    """Score a fitted model by labels of several intents; made by `alpha_ndcg_scorer` and its kin.

    Parameters
    ----------
    metric : str
        "alpha_ndcg", "err_ia", "subtopic_recall", "nrbp" or "intent_aware".
    intents : str or list of str
        Name under which labels of shape (n_rows, n_intents) come from metadata routing,
        ``params={"intents": labels}``; or columns of X that hold them, of which the model makes no use.
    options : dict, default=None
        Keyword arguments of the metric function.
    groups : str, default=None
        Name of an index level of X or y, or of a column of X, that holds the query ids.
    response_method : str or tuple of str, default="auto"
        Methods of the model to ask, the first that it has; "auto" as in :class:`RankingScorer`.
    score_request : dict, default=None
        What metadata routing should deliver, as set by `set_score_request`.
    """

    labels_are = "intents"

    def __init__(
        self,
        metric: str,
        intents: str | list[str] = "intents",
        options: dict[str, Any] | None = None,
        groups: str | None = None,
        response_method: ResponseMethod = "auto",
        score_request: dict[str, Any] | None = None,
    ):
        self.metric = metric
        self.intents = intents
        self.options = options
        self.groups = groups
        self.response_method = response_method
        self.score_request = score_request

    @property
    def labels(self) -> str | None:  # type: ignore[override]  # of the others it is a parameter
        """Return the name under which the labels come; None for columns of X."""
        return self.intents if isinstance(self.intents, str) else None

    def describe(self, **changed: Any) -> str:
        """Return the call of the factory that makes this scorer."""
        factory = METRICS[self.metric].factory.__name__
        return self.spell(factory, "", dict(self.options or {}), "auto", changed)

    def _spell_labels(self) -> dict[str, Any]:
        """Return the argument that says where labels of intents come from."""
        return {} if self.intents == "intents" else {"intents": self.intents}

    def _score(self, estimator: Any, X: Any, y_true: Any, groups: Any, sample_weight: Any) -> float:
        """Ask the model and compute the metric."""
        model, response_method = self.choose_response(estimator)
        names = [self.intents] if isinstance(self.intents, str) else list(self.intents)
        if self.labels is None:
            missing = [name for name in names if not has_column(X, name)]
            if missing:
                fail("intents", self.describe(), "name columns of X", repr(missing[0]))
            check_unseen(self.describe(), names, model, response_method, X, y_true)
        labels = (
            y_true if self.labels is not None else np.column_stack([np.asarray(X[name]) for name in names])
        )

        def compute(y_true: Any, y_score: Any) -> Any:
            function, options = METRICS[self.metric].function, dict(self.options or {})
            first = [options.pop("metric")] if "metric" in options else []
            return function(*first, labels, y_score, groups=groups, sample_weight=sample_weight, **options)

        return float(make_scorer(compute, response_method=response_method)(model, X, y_true))
