"""Models of query numbers, for learning curves and successive halving.

scikit-learn counts samples, draws some of them and cuts between them. With one sample a query, it counts,
draws and cuts between whole queries.
"""

from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.utils import Tags, TargetTags
from sklearn.utils.metadata_routing import MetadataRouter, MethodMapping, process_routing

from .._checks.containers import count_rows, take, take_columns
from .._checks.errors import fail
from .._models.parts import is_pairwise
from .call import Call
from .wrapped_model import WrappedModel


class QuerySamples:
    """The rows of each query, with what `fit` and scorers get of them, and the folds as numbers of queries.

    They are those of a `call` on rows that has ids among its parameters. Messages name the `function`.
    """

    def __init__(self, function: str, call: Call, X: Any, y: Any):
        self.function, self.X, self.y = function, X, y
        self.codes = np.asarray(call.codes)
        self.sizes = np.bincount(self.codes)
        router = MetadataRouter(owner=function)
        router.add(estimator=call.estimator, method_mapping=MethodMapping().add(caller="fit", callee="fit"))
        router.add(splitter=call.cv, method_mapping=MethodMapping().add(caller="fit", callee="split"))
        scorer = {} if call.scoring is None else {"scorer": call.scoring}
        router.add(**scorer, method_mapping=MethodMapping().add(caller="fit", callee="score"))
        routed = process_routing(router, "fit", **call.params)
        self.params = {"fit": routed.estimator.fit, "score": routed.scorer.score if scorer else {}}
        self.folds = [self._as_queries(*fold) for fold in call.cv.split(X, y, **routed.splitter.split)]
        if not self.folds:
            fail("cv", function, "give at least one fold", "none")

    def list_rows(self, queries: Any) -> np.ndarray:
        """Return the numbers of the rows of queries, in their order."""
        return np.flatnonzero(np.isin(self.codes, np.asarray(queries).ravel()))

    def take_rows(self, queries: Any, method: str) -> tuple[Any, Any, dict[str, Any]]:
        """Return features, labels and, for a method, metadata of the rows of queries, in their order."""
        rows = self.list_rows(queries)
        by_row = {name: self._take_if_aligned(value, rows) for name, value in self.params[method].items()}
        return take(self.X, rows), take(self.y, rows), by_row

    def _take_if_aligned(self, value: Any, rows: np.ndarray) -> Any:
        """Take rows of what has an entry per row; pass anything else through."""
        aligned = not isinstance(value, str | dict) and (hasattr(value, "__len__") or hasattr(value, "shape"))
        return take(value, rows) if aligned and count_rows(value, self.function) == len(self.codes) else value

    def _as_queries(self, train: Any, test: Any) -> tuple[np.ndarray, np.ndarray]:
        """Return the numbers of the queries on both sides of a fold."""
        return self._check_whole(train), self._check_whole(test)

    def _check_whole(self, rows: Any) -> np.ndarray:
        """Return the queries of rows, all of whose rows are among them."""
        n_rows_in = np.bincount(self.codes[rows], minlength=len(self.sizes))
        cut = (n_rows_in > 0) & (n_rows_in < self.sizes)
        if cut.any():
            rule = "keep queries whole, as samples are counted in queries"
            fail("cv", self.function, rule, f"folds that cut {cut.sum()} of {len(cut)}")
        return np.flatnonzero(n_rows_in)


class QueryModel(WrappedModel):
    """A model of query numbers: it fits the model to the rows of these queries."""

    def __init__(self, estimator: Any, samples: QuerySamples):
        self.estimator = estimator
        self.samples = samples
        self.trained_on: np.ndarray | None = None  # rows, of a model that takes a column for each

    def __sklearn_clone__(self) -> "QueryModel":
        return QueryModel(clone(self.estimator), self.samples)

    def __sklearn_tags__(self) -> Tags:
        return Tags(estimator_type=None, target_tags=TargetTags(required=False))

    def fit(self, queries: Any, y: Any = None) -> "QueryModel":
        """Fit the model to the rows of the queries of these numbers."""
        X, labels, params = self.samples.take_rows(queries, "fit")
        if is_pairwise(self.estimator):
            self.trained_on = self.samples.list_rows(queries)
            X = take_columns(X, self.trained_on)
        self.estimator.fit(X, labels, **params)
        return self


class QueryScorer:
    """A scorer of a `QueryModel`: it scores the model inside by the rows of the queries."""

    def __init__(self, scorer: Any):
        self.scorer = scorer

    def __repr__(self) -> str:
        return repr(self.scorer)

    def __call__(self, model: QueryModel, queries: Any, y: Any = None) -> Any:
        """Return the score of the rows of these queries."""
        X, labels, params = model.samples.take_rows(queries, "score")
        if model.trained_on is not None:
            X = take_columns(X, model.trained_on)
        return self.scorer(model.estimator, X, labels, **params)


def call_on_queries(function: str, call: Call, X: Any, y: Any) -> tuple[Call, np.ndarray]:
    """Return a call with a `QueryModel`, and the numbers of the queries that it takes in the place of X."""
    samples = QuerySamples(function, call, X, y)
    model = QueryModel(call.estimator, samples)
    scoring = None if call.scoring is None else QueryScorer(call.scoring)
    queries = np.arange(len(samples.sizes))[:, None]
    return Call(model, scoring, samples.folds, {}, call.routing), queries
