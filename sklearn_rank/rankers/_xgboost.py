"""XGBoost's ranker with query ids in any order."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import xgboost
from xgboost.callback import EarlyStopping, TrainingCallback

from .._checks import explain_parameters
from .._checks.containers import count_rows, take
from .._checks.errors import fail
from .._checks.options import pick
from .._checks.types import ArrayLike, Estimator, Features, Groups, Ids, Options, Scores, Weights
from ._boosted_ranker import BoostedRanker
from ._eval_metric import XGBoostMetric, is_ours, list_metrics, read_single_metric
from ._eval_sets import Stopping, read_eval_sets
from ._query_rows import EvalRows, RankingData, group_rows, take_queries, weigh_queries
from ._ranker_mixin import name_columns

PER_QUERY = "XGBoost uses one weight per query. For one weight per row, use LGBMRanker."


class XGBRanker(BoostedRanker, xgboost.XGBRanker):
    """XGBoost's `XGBRanker` with ``fit(X, y, groups=qid)``, rows in any order.

    The constructor has all parameters of XGBoost's constructor and `validation_fraction`. Rows are sorted by
    query id, and rows whose label is NaN are excluded from training. Metadata routing requests `groups` and
    the evaluation parameters by default.

    Parameters
    ----------
    objective : str, default="rank:ndcg"
        As in XGBoost.
    validation_fraction : float, default=None
        As in :class:`LGBMRanker`. Requires `early_stopping_rounds`.
    **kwargs
        Parameters of :class:`xgboost.XGBRanker`. `eval_metric` can also be a scorer, such as
        ``map_scorer(k=10)``, or the name "sklearn_rank:map@10". Names without this prefix are XGBoost's.

    Attributes
    ----------
    validation_groups_ : ndarray of shape (n_queries_held_out,)
        Ids of the held-out queries; only set with `validation_fraction`.

    Examples
    --------
    >>> from sklearn_rank import cross_val_score, ndcg_scorer
    >>> from sklearn_rank.datasets import make_ranking
    >>> from sklearn_rank.rankers import XGBRanker
    >>> X, y, qid = make_ranking(n_queries=50, shuffle=True, random_state=0)
    >>> model = XGBRanker(n_estimators=10)
    >>> cross_val_score(model, X, y, scoring=ndcg_scorer(k=10), groups=qid).shape
    (5,)
    """

    def __init__(
        self, *, objective: str = "rank:ndcg", validation_fraction: float | None = None, **kwargs: object
    ):
        super().__init__(objective=objective, **kwargs)
        self.validation_fraction = validation_fraction

    def get_params(self, deep: bool = True) -> Options:
        """Return the parameters of this ranker; scorers are not split into their own parameters.

        Parameters
        ----------
        deep : bool, default=True
            As in scikit-learn.

        Returns
        -------
        dict of str to object
            The parameters by name.
        """
        params = super().get_params(deep)
        return {name: value for name, value in params.items() if not name.startswith("eval_metric__")}

    def get_xgb_params(self) -> Options:
        # The booster does not get this package's parameters.
        params = super().get_xgb_params()
        hidden = any(map(is_ours, list_metrics(self.eval_metric)))
        own = {"validation_fraction", *(["eval_metric"] if hidden else [])}
        return {name: value for name, value in params.items() if name not in own}

    @explain_parameters
    def fit(
        self,
        X: Features,
        y: ArrayLike,
        *,
        groups: Groups = None,
        sample_weight: ArrayLike | None = None,
        base_margin: Scores = None,
        eval_set: Sequence[tuple[Any, Any]] | None = None,
        eval_X: tuple[Any, ...] | None = None,
        eval_y: tuple[Any, ...] | None = None,
        eval_groups: Sequence[Ids] | None = None,
        eval_sample_weight: Sequence[Weights] | None = None,
        eval_labels: object = None,
        verbose: bool | int | None = False,
        xgb_model: Estimator = None,
        feature_weights: Weights = None,
    ) -> XGBRanker:
        """Fit the ranker to the rows of queries.

        Parameters
        ----------
        X, y, groups, eval_set, eval_X, eval_y, eval_groups, eval_labels
            As in :meth:`LGBMRanker.fit`.
        sample_weight : array-like of shape (n_rows,), default=None
            Query weights: repeat the weight of a query on each of its rows.
        base_margin : array-like of shape (n_rows,), default=None
            As in XGBoost, one entry per row.
        eval_sample_weight : list of array-like, default=None
            Query weights of each evaluation set, for scorers as in :meth:`LGBMRanker.fit`.
        verbose, xgb_model, feature_weights
            As in XGBoost.

        Returns
        -------
        XGBRanker
            The fitted ranker.

        Raises
        ------
        ValueError
            As in :meth:`LGBMRanker.fit`, and if weights differ within a query or X has a column "qid".
        """
        passed = pick(("verbose", "xgb_model", "feature_weights"), locals())
        sets = read_eval_sets(eval_set, eval_X, eval_y, eval_groups, eval_sample_weight=eval_sample_weight)
        row_data = {"sample_weight": sample_weight, "base_margin": base_margin}
        clash = f"booster={self.booster!r}, whose earlier rounds change afterwards"
        metric = self._check_eval_metric()
        scorers = [metric.scorer] if isinstance(metric, XGBoostMetric) else []
        stopping = Stopping(
            self._find_wait(),
            "early_stopping_rounds=10",
            self.random_state,
            scorers,
            not scorers,
            clash if self.booster in ("dart", "gblinear") else None,
            eval_labels,
        )
        data = self._choose_rows(RankingData(X, y, groups, row_data), sets, stopping)
        (X, y, groups, row_data, _), sets = data.rows, data.sets
        queries = group_rows(groups, X, {"y": y, **row_data})
        arguments: Options = {
            "qid": queries.codes,
            "sample_weight": weigh_queries(row_data["sample_weight"], queries, count_rows(X), fix=PER_QUERY),
            "base_margin": take(row_data["base_margin"], queries.rows),
            **passed,
        }
        if sets:
            arguments |= _group_eval_sets(sets, unjudged=bool(scorers))
        evaluated = list(zip(arguments.get("eval_set", []), arguments.get("base_margin_eval_set", [])))
        with self._stopping_by_metric(metric, evaluated, data.eval_rows):
            super().fit(*take_queries(X, queries), **arguments)
        self._keep_of_fit(data, metric.name if isinstance(metric, XGBoostMetric) else None)
        return self

    def _check_eval_metric(self) -> Any:
        """Check the metric; return it in the form for callbacks, or XGBoost's own."""
        if "metric" in self.get_params():  # XGBoost would ignore it
            fail("metric", "be passed as 'eval_metric'", repr(self.get_params()["metric"]))
        return read_single_metric(self.eval_metric, "xgboost")

    def _check_features(self, parameter: str, X: Features) -> None:
        """Check that no column is named `qid`, which XGBoost reads as query ids."""
        if "qid" in (name_columns(X) or []):
            fix = "Pass X.drop(columns=['qid']), and groups=X['qid'] if it contains the query ids."
            fail(parameter, "not have a column 'qid', which XGBoost reads as query ids", "such a column", fix)

    def _find_wait(self) -> str:
        by_callback = any(isinstance(callback, EarlyStopping) for callback in self.callbacks or [])
        return "early_stopping_rounds" if self.early_stopping_rounds else "callbacks" * by_callback

    @contextmanager
    def _stopping_by_metric(
        self, metric: object, sets: list[Any], eval_rows: list[EvalRows]
    ) -> Iterator[None]:
        """Evaluate and stop by a metric of this package in callbacks, because XGBoost splits it by query."""
        given, rounds = self.eval_metric, self.early_stopping_rounds
        if not isinstance(metric, XGBoostMetric):
            yield
            return
        stops = [each for each in self.callbacks or [] if isinstance(each, EarlyStopping)]
        if any(each.metric_name in (None, metric.name) and not each.maximize for each in stops):
            rule = "maximize a metric of sklearn_rank"
            fix = "Pass EarlyStopping(..., maximize=True), or early_stopping_rounds=10 without this callback."
            fail("callbacks", rule, "EarlyStopping that minimizes it", fix)
        before = {"eval_metric": given, "early_stopping_rounds": rounds, "callbacks": self.callbacks}
        options = {"missing": self.missing, "enable_categorical": self.enable_categorical}
        matrices = [xgboost.DMatrix(X, base_margin=margin, **options) for (X, _), margin in sets]
        callbacks = [_Evaluation(metric, list(zip(matrices, eval_rows))), *(self.callbacks or [])]
        if rounds is not None:
            stop = {"metric_name": metric.name, "data_name": f"validation_{len(sets) - 1}"}
            callbacks.append(EarlyStopping(rounds=rounds, maximize=True, **stop))
        try:
            self.set_params(eval_metric=None, early_stopping_rounds=None, callbacks=callbacks)
            yield
        finally:
            self.set_params(**before)


class _Evaluation(TrainingCallback):
    """A callback that evaluates a metric of this package on each evaluation set after each round."""

    def __init__(self, metric: XGBoostMetric, sets: list[tuple[xgboost.DMatrix, EvalRows]]):
        self.metric = metric
        self.sets = sets

    def after_iteration(self, model: Estimator, epoch: int, evals_log: Any) -> bool:
        """Write the values to the log, from which the stopping callback reads them."""
        for i, (matrix, rows) in enumerate(self.sets):
            value = rows.score(self.metric.scorer, model.predict(matrix))
            evals_log.setdefault(f"validation_{i}", {}).setdefault(self.metric.name, []).append(value)
        return False


def _group_eval_sets(sets: list[RankingData], unjudged: bool) -> Options:
    """Return evaluation sets sorted by query, as arguments of XGBoost."""
    names = ("eval_set", "eval_qid", "sample_weight_eval_set", "base_margin_eval_set")
    arguments: Options = {name: [] for name in names}
    for X, y, groups, row_data, _ in sets:
        queries = group_rows(groups, X, {"eval_y": y, **row_data}, "eval_", unjudged=unjudged)
        n_rows, weights = count_rows(X), row_data.get("eval_sample_weight")
        by_query = weigh_queries(weights, queries, n_rows, "eval_sample_weight", PER_QUERY)
        arguments["eval_set"].append(take_queries(X, queries))
        arguments["eval_qid"].append(queries.codes)
        arguments["sample_weight_eval_set"].append(by_query)
        arguments["base_margin_eval_set"].append(take(row_data.get("eval_base_margin"), queries.rows))
    return arguments
