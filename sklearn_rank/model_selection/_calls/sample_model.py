"""Models that take sample numbers instead of features. A sample is a query or a row.

In learning curves and successive halving, scikit-learn counts samples, draws some of them and splits them. If
each query is a sample, queries stay whole. `cross_val_predict` calls `predict` with features only. If these
are row numbers, the ids of the rows are known.
"""

from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.utils import Tags, TargetTags
from sklearn.utils.metadata_routing import MetadataRouter, MethodMapping, process_routing

from ..._checks.containers import count_rows, take, take_columns
from ..._checks.errors import fail, name_call
from ..._checks.types import AnyScorer, Estimator, Features, Labels, Options, Scores, Table, Values
from ..._routing.model_calls import DelegatingModel, call_method, unwrap_model
from ..._routing.model_parts import is_pairwise
from .call import Call
from .part_requests import list_aliases


class Samples:
    """The rows of each sample, with the arguments that `fit` and scorers get.

    The `call` takes rows, and has ids among its parameters. The `codes` are the query of each row; None if
    each row is a sample.
    """

    def __init__(self, call: Call, X: Features, y: Labels, codes: np.ndarray | None):
        self.X, self.y, self.codes = X, y, codes
        self.n_rows = count_rows(X)
        router = MetadataRouter(owner=name_call())
        router.add(estimator=call.estimator, method_mapping=MethodMapping().add(caller="fit", callee="fit"))
        scorer = {} if call.scoring is None else {"scorer": call.scoring}
        router.add(**scorer, method_mapping=MethodMapping().add(caller="fit", callee="score"))
        routed = process_routing(router, "fit", **call.params)
        ids = ("groups", *list_aliases(call.estimator))
        self.params = {
            "fit": routed.estimator.fit,
            "score": routed.scorer.score if scorer else {},
            "predict": {name: call.ids[name] for name in ids},
        }

    def list_rows(self, numbers: Values) -> np.ndarray:
        """Return the row numbers of samples; rows of queries keep their order in the data."""
        numbers = np.ravel(numbers)
        return numbers if self.codes is None else np.flatnonzero(np.isin(self.codes, numbers))

    def take_rows(self, numbers: Values, method: str, columns: Table = None) -> tuple[Any, Any, Options]:
        """Return features, labels and a method's metadata for samples; for a kernel, select `columns`."""
        rows = self.list_rows(numbers)
        X = take(self.X, rows) if columns is None else take_columns(take(self.X, rows), columns)
        by_row = {name: self._take_if_aligned(value, rows) for name, value in self.params[method].items()}
        return X, None if self.y is None else take(self.y, rows), by_row

    def _take_if_aligned(self, value: object, rows: np.ndarray) -> Any:
        """Index a value by rows if it has an entry per row; return anything else unchanged."""
        aligned = not isinstance(value, str | dict) and (hasattr(value, "__len__") or hasattr(value, "shape"))
        return take(value, rows) if aligned and count_rows(value) == self.n_rows else value


def _check_whole(rows: Table, codes: np.ndarray) -> np.ndarray:
    """Check that queries are whole, and return the queries of the rows."""
    sizes = np.bincount(codes)
    n_rows_in = np.bincount(codes[rows], minlength=len(sizes))
    cut = (n_rows_in > 0) & (n_rows_in < sizes)
    if cut.any():
        got = f"folds that cut {cut.sum()} of {len(cut)} queries"
        fail("cv", "keep queries whole", got, "Pass cv=5 or BalancedGroupKFold().")
    return np.flatnonzero(n_rows_in)


class SampleModel(DelegatingModel):
    """A model of sample numbers, which fits the model to the rows of the samples and passes their ids."""

    def __init__(self, estimator: Estimator, samples: Samples):
        self.estimator = estimator
        self.samples = samples
        self.trained_on: np.ndarray | None = None  # rows, if the model takes a column for each

    def __sklearn_clone__(self) -> "SampleModel":
        return SampleModel(clone(self.estimator), self.samples)

    def __sklearn_tags__(self) -> Tags:
        return Tags(estimator_type=None, target_tags=TargetTags(required=False))

    def fit(self, numbers: Values, y: Labels = None) -> "SampleModel":
        """Fit the model to samples, with the labels `y` or else those of the call."""
        self.trained_on = self.samples.list_rows(numbers) if is_pairwise(self.estimator) else None
        X, labels, params = self.samples.take_rows(numbers, "fit", self.trained_on)
        self.estimator.fit(X, labels if y is None else y, **params)
        return self

    def _call_method(self, method: str, X: Features, params: Options) -> Scores:
        X, _, ids = self.samples.take_rows(X, "predict", self.trained_on)
        users = getattr(self.estimator, "routing", None)
        return call_method(unwrap_model(self.estimator), method, X, ids, routing=users, check=False)


class QueryScorer:
    """A scorer of a `SampleModel`, which scores the model inside on the rows of the queries."""

    def __init__(self, scorer: AnyScorer):
        self.scorer = scorer

    def __repr__(self) -> str:
        return repr(self.scorer)

    def __call__(self, model: SampleModel, queries: object, y: Labels = None) -> Any:
        """Return the score of the rows of these queries."""
        X, labels, params = model.samples.take_rows(queries, "score", model.trained_on)
        return self.scorer(model.estimator, X, labels, **params)


def call_on_queries(call: Call, X: Features, y: Labels) -> tuple[Call, np.ndarray]:
    """Return a call with a `SampleModel`, and the numbers of the queries that it takes instead of X."""
    codes = np.asarray(call.codes)
    samples = Samples(call, X, y, codes)
    scoring = None if call.scoring is None else QueryScorer(call.scoring)
    folds = [tuple(_check_whole(rows, codes) for rows in fold) for fold in call.cv]
    call = Call(SampleModel(call.estimator, samples), scoring, folds, {}, call.routing)
    return call, np.unique(codes)[:, None]


def call_on_rows(call: Call, X: Features, y: Labels) -> tuple[Call, np.ndarray]:
    """Return a call with a `SampleModel`, and the numbers of the rows that it takes instead of X."""
    samples = Samples(call._replace(scoring=None), X, y, codes=None)
    call = call._replace(estimator=SampleModel(call.estimator, samples), params={})
    return call, np.arange(samples.n_rows)[:, None]
