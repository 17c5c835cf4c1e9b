"""Scorers of what the top-k lists look like: from features in X, or from item ids that travel in the data."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.metrics import make_scorer

from ..._checks.arrays import read_array
from ..._checks.containers import column_names, resolve_groups
from ..._checks.errors import fail
from ..._checks.types import ResponseMethod
from .._table import ARGUMENTS, METRICS
from .base import BaseScorer


class ListScorer(BaseScorer):
    """Score a fitted model by what its top-k lists look like; made by `novelty_scorer` and its kin.

    Parameters
    ----------
    metric : str
        A name of the table of metrics of lists, such as "novelty".
    origin : str, list or None
        Where item ids are, by name, or which columns of X are features; None for all of X.
    options : dict, default=None
        Keyword arguments of the metric function.
    groups : str, default=None
        Name of an index level of X or y, or of a column of X, that holds the query ids.
    response_method : str or tuple of str, default="auto"
        Methods of the model to ask, the first that it has; "auto" as in :class:`RankingScorer`.
    score_request : dict, default=None
        What metadata routing should deliver, as set by `set_score_request`.
    """

    def __init__(
        self,
        metric: str,
        origin: Any,
        options: dict[str, Any] | None = None,
        groups: str | None = None,
        response_method: ResponseMethod = "auto",
        score_request: dict[str, Any] | None = None,
    ):
        self.metric = metric
        self.origin = origin
        self.options = options
        self.groups = groups
        self.response_method = response_method
        self.score_request = score_request

    def describe(self, **changed: Any) -> str:
        """Return the call of the factory that makes this scorer."""
        row = METRICS[self.metric]
        origin = {} if self.origin is None else {"items" if "items" in row.needs else "columns": self.origin}
        return self.spell(row.factory.__name__, "", origin | (self.options or {}), "auto", changed)

    def _score(self, estimator: Any, X: Any, y_true: Any, groups: Any, sample_weight: Any) -> float:
        """Ask the model and compute the metric of its lists."""
        row = METRICS[self.metric]
        if sample_weight is not None and not row.per_query:
            raise TypeError(f"{self.describe()} takes no 'sample_weight': it is no mean over queries.")
        options = dict(self.options or {})
        if "items" in row.needs:
            options[ARGUMENTS["items"]] = resolve_groups(self.origin, X, y_true, self.describe(), "items")
        else:
            options[ARGUMENTS["features"]] = self._take_features(X)
        if row.per_query:
            options["sample_weight"] = sample_weight

        def compute(y_true: Any, y_score: Any) -> Any:
            labels = {ARGUMENTS["labels"]: y_true} if "labels" in row.needs else {}
            return row.function(y_score=y_score, groups=groups, **labels, **options)

        model, response_method = self.choose_response(estimator)
        scorer = make_scorer(
            compute, response_method=response_method, greater_is_better=row.greater_is_better
        )
        return float(scorer(model, X, y_true))

    def _take_features(self, X: Any) -> Any:
        """Return the named columns of a frame or the numbered ones of an array; all but the ids for None."""
        names = column_names(X)
        if names is None:
            return X if self.origin is None else self._take_numbered(X)
        columns = [name for name in names if name != self.groups] if self.origin is None else self.origin
        missing = [name for name in columns if name not in list(names)]
        if missing:
            fail("columns", self.describe(), "name columns of X", repr(missing[0]))
        if not len(columns):
            fail("X", self.describe(), "have a column of features beside the ids", "none")
        return np.column_stack([np.asarray(X[name]) for name in columns])

    def _take_numbered(self, X: Any) -> np.ndarray:
        """Return the numbered columns of an array."""
        try:
            return read_array(X, "X", self.describe(), "be a matrix")[:, self.origin]
        except IndexError as error:
            fail("columns", self.describe(), "number columns of X", f"{self.origin!r} ({error})")
