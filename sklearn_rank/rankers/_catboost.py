"""CatBoost's ranker as a scikit-learn estimator, with query ids in any order."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import catboost
import numpy as np
from sklearn.base import BaseEstimator
from sklearn.exceptions import NotFittedError
from sklearn.utils.metadata_routing import MetadataRequest

from .._checks import explain_parameters
from .._checks.containers import count_rows, take
from .._checks.errors import fail
from .._checks.options import pick
from .._checks.rows import check_weights
from .._checks.types import ArrayLike, Estimator, Features, Groups, Ids, Options, Weights
from .._checks.warn import warn_user
from ._boosted_ranker import BoostedRanker, TrainingData, show_parameters_of
from ._eval_metric import CatBoostMetric, read_single_metric
from ._eval_sets import Stopping, read_eval_sets
from ._query_rows import QueryRows, RankingData, group_rows, read_eval_rows, take_queries, weigh_queries

# Attributes that CatBoost's pickles and copies do not contain.
OWN_STATE = ("validation_fraction", "validation_groups_", "_columns")
PASSED = ("use_best_model", "early_stopping_rounds", "verbose", "init_model", "callbacks")  # unchanged
WAIT_NAMES = ("early_stopping_rounds", "od_wait", "od_pval")
WEIGHS_ROWS = ("QueryRMSE", "QuerySoftMax", "QueryCrossEntropy", "RMSE")  # losses that use weights of rows
PER_QUERY = (
    "CatBoost's {loss} uses one weight per query. For one weight per row, pass loss_function='QuerySoftMax' "
    "or 'QueryRMSE', or use LGBMRanker."
)
LOGGED = (
    "so {metric} is logged as 0 for them. Values of evaluation sets, which stop the training, are correct."
)
PERMUTED = (
    f"CatBoostRanker.fit: CatBoost permuted the training rows, {LOGGED} To keep the row order, pass "
    "has_time=True."
)
UNKNOWN = (
    f"CatBoostRanker.fit: the training rows lack the labels of the scorer, {LOGGED} To log them, pass "
    "validation_fraction= instead of evaluation sets."
)


class CatBoostRanker(BoostedRanker, catboost.CatBoostRanker, BaseEstimator):
    """CatBoost's `CatBoostRanker` with ``fit(X, y, groups=qid)``, rows in any order.

    The constructor has all parameters of CatBoost's constructor and `validation_fraction`. Rows are sorted by
    query id, and rows whose label is NaN are excluded from training. Metadata routing requests `groups` and
    the evaluation parameters by default.

    Parameters
    ----------
    *args, **params
        Parameters of :class:`catboost.CatBoostRanker`. `eval_metric` can also be a scorer, such as
        ``map_scorer(k=10)``, or the name "sklearn_rank:map@10". Names without this prefix are CatBoost's.
    validation_fraction : float, default=None
        As in :class:`LGBMRanker`. The seed can also be `random_seed`. Requires `early_stopping_rounds`.

    Attributes
    ----------
    validation_groups_ : ndarray of shape (n_queries_held_out,)
        Ids of the held-out queries; only set with `validation_fraction`.

    Examples
    --------
    >>> from sklearn_rank import cross_val_score, ndcg_scorer
    >>> from sklearn_rank.datasets import make_ranking
    >>> from sklearn_rank.rankers import CatBoostRanker
    >>> X, y, qid = make_ranking(n_queries=50, shuffle=True, random_state=0)
    >>> model = CatBoostRanker(iterations=5, verbose=False, allow_writing_files=False)
    >>> cross_val_score(model, X, y, scoring=ndcg_scorer(k=10), groups=qid).shape
    (5,)
    """

    @show_parameters_of(catboost.CatBoostRanker)
    def __init__(self, *args: object, validation_fraction: float | None = None, **params: object):
        super().__init__(*args, **params)
        self.validation_fraction = validation_fraction

    @explain_parameters
    def fit(
        self,
        X: Features,
        y: ArrayLike,
        *,
        groups: Groups = None,
        sample_weight: ArrayLike | None = None,
        eval_set: Sequence[tuple[Any, Any]] | None = None,
        eval_X: tuple[Any, ...] | None = None,
        eval_y: tuple[Any, ...] | None = None,
        eval_groups: Sequence[Ids] | None = None,
        eval_sample_weight: Sequence[Weights] | None = None,
        eval_labels: object = None,
        cat_features: Features = None,
        text_features: Features = None,
        embedding_features: Features = None,
        use_best_model: bool | None = None,
        early_stopping_rounds: int | None = None,
        verbose: object = None,
        init_model: Estimator = None,
        callbacks: object = None,
    ) -> CatBoostRanker:
        """Fit the ranker to the rows of queries.

        Parameters
        ----------
        X, y, groups, eval_set, eval_X, eval_y, eval_groups, eval_labels
            As in :meth:`LGBMRanker.fit`.
        sample_weight : array-like of shape (n_rows,), default=None
            Query weights: repeat the weight of a query on each of its rows. Weights can differ within a query
            if the loss uses row weights, as "QuerySoftMax" and "QueryRMSE" do.
        eval_sample_weight : list of array-like, default=None
            Query weights of each evaluation set, for scorers as in :meth:`LGBMRanker.fit`.
        cat_features, text_features, embedding_features, use_best_model, early_stopping_rounds, verbose, \
init_model, callbacks
            As in CatBoost.

        Returns
        -------
        CatBoostRanker
            The fitted ranker.

        Raises
        ------
        ValueError
            As in :meth:`LGBMRanker.fit`, and if weights differ within a query and the loss does not use row
            weights.
        """
        params = self.get_params()
        features = pick(("cat_features", "text_features", "embedding_features"), locals())
        features = {name: params.get(name) if value is None else value for name, value in features.items()}
        passed = pick(PASSED, locals())
        metric = self._read_metric()
        sets = read_eval_sets(eval_set, eval_X, eval_y, eval_groups, eval_sample_weight=eval_sample_weight)
        seed = params.get("random_state", params.get("random_seed"))
        best = params.get("use_best_model") if use_best_model is None else use_best_model
        clash = "use_best_model=False" if best is not None and not best else None
        clash = "eval_fraction" if params.get("eval_fraction") else clash
        scorers = [metric.scorer] if isinstance(metric, CatBoostMetric) else []
        if scorers and params.get("eval_fraction") and self.validation_fraction is None:
            rule, fix = "be None with a scorer as eval_metric", "Pass validation_fraction=0.2."
            fail("eval_fraction", rule, params["eval_fraction"], fix)
        waits = self._find_wait(early_stopping_rounds)
        remedy = "early_stopping_rounds=10"
        stopping = Stopping(waits, remedy, seed, scorers, not scorers, clash, eval_labels)
        data = self._choose_rows(RankingData(X, y, groups, {"sample_weight": sample_weight}), sets, stopping)
        loss = params.get("loss_function") or "YetiRank"
        train = _make_pool(data.rows, features, loss)
        unjudged = bool(scorers)
        evaluation = [_make_pool(each, features, loss, "eval_", unjudged) for each in data.sets]
        with _known_rows(metric, data):
            super().fit(train, eval_set=evaluation or None, **passed)
        self._keep_of_fit(data, metric.name if isinstance(metric, CatBoostMetric) else None)
        return self

    def _read_metric(self) -> Any:
        """Return the metric for CatBoost, which keeps it as a parameter so that it gets the ids.

        The metric itself is not changed, because other models can share it, also in other threads.
        """
        metric = self._check_eval_metric()
        if isinstance(metric, CatBoostMetric) and metric.given is None:
            metric = CatBoostMetric(metric.scorer, metric.name, metric)
        if metric is not super().get_params().get("eval_metric"):
            super().set_params(eval_metric=metric)
        return metric

    def _check_eval_metric(self) -> Any:
        """Check the metric and return it in the form that CatBoost takes."""
        return read_single_metric(super().get_params().get("eval_metric"), "catboost")

    def _find_wait(self, early_stopping_rounds: int | None = None) -> str:
        params = super().get_params()
        if early_stopping_rounds is not None:
            params["early_stopping_rounds"] = early_stopping_rounds
        names = [] if params.get("eval_fraction") else WAIT_NAMES  # with it, CatBoost holds out rows itself
        return next((name for name in names if params.get(name)), "")

    def get_params(self, deep: bool = True) -> Options:
        """Return the parameters that were passed, and `validation_fraction`.

        Parameters
        ----------
        deep : bool, default=True
            Ignored, as in CatBoost.

        Returns
        -------
        dict of str to object
            The parameters by name.
        """
        params = super().get_params(deep=deep)
        metric = params.get("eval_metric")
        if isinstance(metric, CatBoostMetric) and metric.given is not None:
            params["eval_metric"] = metric.given
        return params | {"validation_fraction": self.validation_fraction}

    def set_params(self, **params: Any) -> CatBoostRanker:
        # A fitted model of CatBoost rejects new parameters, so reset it.
        if self.is_fitted():
            params, requests = self.get_params() | params, self._read_requests()
            self.__dict__.clear()
            type(self).__init__(self, **params)
            self.__dict__.update(requests)
            return self
        self.validation_fraction = params.pop("validation_fraction", self.validation_fraction)
        return super().set_params(**params)

    def __repr__(self) -> str:
        given = {name: value for name, value in sorted(self.get_params().items()) if value is not None}
        return f"CatBoostRanker({', '.join(f'{name}={value!r}' for name, value in given.items())})"

    def __sklearn_clone__(self) -> CatBoostRanker:
        # scikit-learn's clone raises an error, because CatBoost returns copies of parameters such as lists.
        model = type(self)(**self.get_params())
        model.__dict__.update(self._read_requests())
        return model

    def __sklearn_is_fitted__(self) -> bool:
        return self.is_fitted()

    def __getstate__(self) -> Options:
        own = {name: self.__dict__[name] for name in OWN_STATE if name in self.__dict__}
        state = super().__getstate__()
        if isinstance(metric := state.get("eval_metric"), CatBoostMetric):  # its class has no importable name
            state = {**state, "eval_metric": None}
            own["metric"] = [metric.scorer, metric.name, metric.given]
        return {**state, "own": own | self._read_requests()}

    def __setstate__(self, state: Options) -> None:
        own = dict(state.get("own", {}))
        if "metric" in own:
            state = {**state, "eval_metric": CatBoostMetric(*own.pop("metric"))}
        self.__dict__.update(own)
        super().__setstate__({name: value for name, value in state.items() if name != "own"})

    @property
    def feature_names_in_(self) -> np.ndarray:
        """Return the column names of the frame that the ranker was fitted to."""
        if not self._columns or not all(isinstance(name, str) for name in self._columns):
            raise AttributeError("CatBoostRanker was not fitted to a frame with column names.")
        return np.asarray(self._columns, dtype=object)

    def _read_requests(self) -> Options:
        """Return the user's requests for metadata routing, which CatBoost's copies do not contain."""
        return {name: value for name, value in self.__dict__.items() if isinstance(value, MetadataRequest)}

    @property
    def feature_importances_(self) -> np.ndarray:
        """Return the importance of each feature, by how much it changes predictions.

        CatBoost's default importance for rankings would need the training data.
        """
        if not self.is_fitted():
            raise NotFittedError(
                "CatBoostRanker is not fitted, so it has no feature importances. Call fit first."
            )
        return self.get_feature_importance(type="PredictionValuesChange")


def _make_pool(
    data: RankingData, features: Options, loss: str, prefix: str = "", unjudged: bool = False
) -> catboost.Pool:
    """Make a CatBoost pool of rows sorted by query, with the weight of each row or query."""
    X, name = data.X, f"{prefix}sample_weight"
    weights = data.row_data.get(name)
    queries = group_rows(data.groups, X, {f"{prefix}y": data.y, name: weights}, prefix, unjudged=unjudged)
    weighed = _weigh(weights, queries, count_rows(X), name, loss)
    return catboost.Pool(*take_queries(X, queries), group_id=queries.codes, **weighed, **features)


def _weigh(weights: Weights, queries: QueryRows, n_rows: int, name: str, loss: str) -> Options:
    """Return the weights of rows if they differ within a query and the loss uses them, else of queries."""
    by_row = check_weights(weights, n_rows, "row", name)
    if by_row is not None and str(loss).partition(":")[0] in WEIGHS_ROWS:
        by_row = take(by_row, queries.rows)
        if (by_row != by_row[queries.firsts][queries.codes]).any():
            return {"weight": by_row}
    by_query = weigh_queries(weights, queries, n_rows, name, PER_QUERY.format(loss=loss))
    return {} if by_query is None else {"group_weight": by_query[queries.codes]}


@contextmanager
def _known_rows(metric: object, data: TrainingData) -> Iterator[None]:
    """Bind all rows to a metric of this package while CatBoost trains."""
    if not isinstance(metric, CatBoostMetric):
        yield
        return
    has_labels = metric.scorer.labels in (None, *data.rows.labels)
    train = read_eval_rows([data.rows] if has_labels else [], [metric.scorer], training=True)
    metric.known, metric.found_unknown = train + data.eval_rows, False
    try:
        metric.check_known(shows_sizes=False)
        yield
    finally:
        metric.known = []
    if metric.found_unknown:
        warn_user((PERMUTED if has_labels else UNKNOWN).format(metric=metric))
