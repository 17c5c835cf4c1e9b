"""LightGBM's ranker with query ids instead of query sizes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from copy import copy
from functools import cache
from inspect import signature
from typing import Any, NamedTuple

import lightgbm
import numpy as np

from .._checks import explain_parameters
from .._checks.arrays import flatten
from .._checks.containers import take
from .._checks.errors import fail
from .._checks.options import pick
from .._checks.types import ArrayLike, Estimator, Features, Groups, Ids, Options, Scores, Values, Weights
from ..metrics import RankingScorer, is_metric_name
from ._boosted_ranker import BoostedRanker, show_parameters_of
from ._eval_metric import (
    PREFIX,
    LightGBMMetric,
    check_no_function,
    is_of_package,
    is_ours,
    list_metrics,
    read_metric,
)
from ._eval_sets import Stopping, read_eval_sets
from ._query_rows import EvalRows, QueryRows, RankingData, group_rows, take_queries

MAX_QUERY_ROWS = 10_000  # LightGBM's own limit
WAIT_NAMES = ("early_stopping_round", "early_stopping_rounds", "early_stopping", "n_iter_no_change")
PASSED = ("eval_names", "eval_at", "feature_name", "categorical_feature", "callbacks", "init_model")
BOOSTING_NAMES = ("boosting_type", "boosting", "boost")
_FIT_PARAMETERS = signature(lightgbm.LGBMRanker.fit).parameters
# The model that LightGBM trains in this thread, and parameters that replace the user's. LightGBM calls
# `get_params` itself, so we cannot pass these as an argument; an attribute would affect other threads.
_FOR_BOOSTER: ContextVar[tuple[Any, Options]] = ContextVar("for_booster", default=(None, {}))


class LGBMRanker(BoostedRanker, lightgbm.LGBMRanker):
    """LightGBM's `LGBMRanker` with ``fit(X, y, groups=qid)``, rows in any order.

    The constructor has all parameters of LightGBM's constructor and `validation_fraction`. Rows are sorted by
    query id. They keep their order within a query, which affects LambdaMART. Rows whose label is NaN are
    excluded from training. Metadata routing requests `groups` and the evaluation parameters by default.

    Parameters
    ----------
    validation_fraction : float, default=None
        Fraction of the queries that `fit` holds out for early stopping, balanced in rows and relevant
        documents. The seed is `random_state`, or fixed if that is `None`. The model is not retrained on them.
        Requires `early_stopping_round`. If `None`, no query is held out.
    **kwargs
        Parameters of :class:`lightgbm.LGBMRanker`. `metric` can also be a scorer, such as
        ``map_scorer(k=10)``, or the name "sklearn_rank:map@10". `eval_metric` has the same meaning as in
        `fit`.

    Attributes
    ----------
    validation_groups_ : ndarray of shape (n_queries_held_out,)
        Ids of the held-out queries; only set with `validation_fraction`.

    Examples
    --------
    >>> from sklearn_rank import cross_val_score, ndcg_scorer
    >>> from sklearn_rank.datasets import make_ranking
    >>> from sklearn_rank.rankers import LGBMRanker
    >>> X, y, qid = make_ranking(shuffle=True, random_state=0)
    >>> model = LGBMRanker(n_estimators=10, verbose=-1)
    >>> cross_val_score(model, X, y, scoring=ndcg_scorer(k=10), groups=qid).shape
    (5,)
    """

    __metadata_request__fit = {"eval_metric": True}  # noqa: RUF012 - in addition to BoostedRanker's

    @show_parameters_of(lightgbm.LGBMRanker)
    def __init__(self, *, validation_fraction: float | None = None, **kwargs: Any):
        super().__init__(**kwargs)
        self.validation_fraction = validation_fraction

    def get_params(self, deep: bool = True) -> Options:
        # LightGBM itself receives only its own parameters, because it warns about others.
        params = super().get_params(deep)
        model, given = _FOR_BOOSTER.get()
        if model is self:
            del params["validation_fraction"]
            params.pop("eval_metric", None)  # LightGBM takes it only in `fit`
            params |= given
        return params

    @contextmanager
    def _with_parameters(self, given: Options) -> Iterator[None]:
        """Replace the user's parameters by these for LightGBM."""
        token = _FOR_BOOSTER.set((self, given))
        try:
            yield
        finally:
            _FOR_BOOSTER.reset(token)

    @explain_parameters
    def fit(  # type: ignore[override]  # LightGBM's third argument is the weights
        self,
        X: Features,
        y: ArrayLike,
        *,
        groups: Groups = None,
        sample_weight: ArrayLike | None = None,
        init_score: Scores = None,
        eval_set: Sequence[tuple[Any, Any]] | None = None,
        eval_X: tuple[Any, ...] | None = None,
        eval_y: tuple[Any, ...] | None = None,
        eval_groups: Sequence[Ids] | None = None,
        eval_names: Sequence[str] | None = None,
        eval_sample_weight: Sequence[Weights] | None = None,
        eval_labels: object = None,
        eval_init_score: Sequence[Any] | None = None,
        eval_metric: object = None,
        eval_at: Sequence[int] = (1, 2, 3, 4, 5),
        feature_name: object = "auto",
        categorical_feature: object = "auto",
        callbacks: Sequence[Any] | None = None,
        init_model: Estimator = None,
    ) -> LGBMRanker:
        """Fit the ranker to the rows of queries.

        Parameters
        ----------
        X : array-like of shape (n_rows, n_features)
            Features.
        y : array-like of int of shape (n_rows,)
            Relevance grades, at least 0. NaN means that the document was not judged.
        groups : array-like of shape (n_rows,) or str
            Query id of each row, or the name of an index level of X or y. Rows can be in any order.
        sample_weight, init_score : array-like of shape (n_rows,), default=None
            As in LightGBM, one entry per row.
        eval_set : list of (X, y), default=None
            Evaluation sets.
        eval_X, eval_y : tuple of array-like, default=None
            Features and labels of the evaluation sets as two tuples, instead of `eval_set`. Use them with
            ``Pipeline(transform_input=["eval_X"])``.
        eval_groups : list of array-like or str, default=None
            Query ids of each evaluation set; required if there are evaluation sets.
        eval_sample_weight, eval_init_score : list of array-like, default=None
            Weights and initial scores of each evaluation set, one entry per row. A scorer uses weights if it
            requests them with ``set_score_request(sample_weight=True)``.
        eval_labels : dict of str to array-like or list of array-like, or frame, default=None
            Labels of scorers that request others than y, by name, such as ``{"revenue": revenue}`` for
            ``dcg_scorer(k=8, labels="revenue")``: one entry per row of the evaluation set, or a list with an
            array for each set. Without evaluation sets, one entry per row of X, from which the labels of the
            held-out rows are taken. Labels can also be an index level of X or y.
        eval_metric : str, scorer, callable or list of these, default=None
            Metrics for early stopping. A scorer, such as ``map_scorer(k=10)``, or the name
            "sklearn_rank:map@10" replaces LightGBM's own metrics, unless `metric` in the constructor names
            metrics. Other values are used as in LightGBM, but unknown names raise an error. Metrics can also
            be passed to the constructor, as `metric` or `eval_metric`.
        eval_names, eval_at, feature_name, categorical_feature, callbacks, init_model
            As in LightGBM.

        Returns
        -------
        LGBMRanker
            The fitted ranker.

        Raises
        ------
        ValueError
            If an argument is invalid, for example if ids are missing, if a query has more than 10,000 rows
            (LightGBM's limit), or if evaluation labels are NaN and the scorer has ``unjudged="raise"``. Also
            if early stopping has no evaluation data, or if `validation_fraction` is combined with evaluation
            sets or lacks `early_stopping_round`.
        """
        passed, params = pick(PASSED, locals()), self.get_params()
        metrics = read_metrics(eval_metric, params)
        row_data = {"sample_weight": sample_weight, "init_score": init_score}
        given = {"eval_sample_weight": eval_sample_weight, "eval_init_score": eval_init_score}
        sets = read_eval_sets(eval_set, eval_X, eval_y, eval_groups, **given)
        is_dart = "dart" in (params.get(name) for name in BOOSTING_NAMES)
        stopping = Stopping(
            self._find_wait(callbacks),
            "early_stopping_round=10",
            self.random_state,
            metrics.scorers,
            metrics.has_own,
            "boosting_type='dart', which LightGBM does not stop early" if is_dart else None,
            eval_labels,
        )
        data = self._choose_rows(RankingData(X, y, groups, row_data), sets, stopping)
        (X, y, groups, row_data, _), sets = data.rows, data.sets
        queries = _group_rows(groups, X, {"y": y, **row_data})
        arguments = {
            **{name: take(_flat(values), queries.rows) for name, values in row_data.items()},
            "group": queries.sizes,
            "eval_metric": metrics.bind_rows(data.eval_rows),
            **passed,
        }
        if sets:
            arguments |= _group_eval_sets(sets, unjudged=bool(metrics.scorers))
        with self._with_parameters(metrics.parameters):
            super().fit(*take_queries(X, queries), **arguments)
        self._keep_of_fit(data)
        return self

    def _check_eval_metric(self) -> None:
        read_metrics(None, {**self.get_params(), "metric_types": "None"})  # `fit` or a search can set others

    def _find_wait(self, callbacks: Sequence[Any] | None = None) -> str:
        params = self.get_params()
        rounds = [name for name in WAIT_NAMES if name in params][:1]  # the first one is used
        waits = [name for name in rounds if (params[name] or 0) > 0]
        by_callback = any(getattr(callback, "stopping_rounds", None) for callback in callbacks or [])
        return (waits or ["callbacks"] * by_callback or [""])[0]

    def predict(self, X: Features, *args: object, **options: object) -> np.ndarray:
        with self._with_parameters({"metric": "None"}):
            return super().predict(X, *args, **options)


def _group_rows(
    groups: Ids, X: Features, row_data: Options, prefix: str = "", *, unjudged: bool = False
) -> QueryRows:
    """Sort rows by query, and check that no query has more rows than LightGBM allows."""
    queries = group_rows(groups, X, row_data, prefix, unjudged=unjudged)
    if queries.sizes.max() > MAX_QUERY_ROWS:
        rule = f"have at most {MAX_QUERY_ROWS:,} rows per query, because LightGBM allows no more"
        fail(f"{prefix}groups", rule, f"a query of {queries.sizes.max():,} rows")
    return queries


def _flat(values: Values) -> Values:
    """Return a column of values per row as a 1-D array, as LightGBM requires."""
    return values if values is None else flatten(np.asarray(values))


def _group_eval_sets(sets: list[RankingData], unjudged: bool) -> Options:
    """Return evaluation sets sorted by query, as arguments of the installed LightGBM."""
    arguments: Options = {name: [] for name in ("eval_group", *sets[0].row_data)}
    pairs = []
    for X, y, groups, row_data, _ in sets:
        queries = _group_rows(groups, X, {"eval_y": y, **row_data}, "eval_", unjudged=unjudged)
        pairs.append(take_queries(X, queries))
        arguments["eval_group"].append(queries.sizes)
        for name, values in row_data.items():
            arguments[name].append(take(_flat(values), queries.rows))
    if "eval_X" in _FIT_PARAMETERS:  # LightGBM 4.7 or later deprecates eval_set
        features, labels = zip(*pairs)
        return arguments | {"eval_X": features, "eval_y": labels}
    return arguments | {"eval_set": pairs}


METRIC_NAMES = ("metric", "metrics", "metric_types")  # LightGBM's names of one parameter
NO_METRIC = ("", "None", "none", "na", "null", "custom")


class Metrics(NamedTuple):
    """The metrics that LightGBM evaluates."""

    given: list[Any] | None  # for its `fit`
    parameters: Options  # with them, only scorers stop the training if there are any
    scorers: list[RankingScorer]  # the scorers of this package among them
    has_own: bool  # whether there are other metrics

    def bind_rows(self, rows: list[EvalRows]) -> list[Estimator] | None:
        """Return the metrics for LightGBM; those of this package score these rows."""
        metrics = [copy(each) if isinstance(each, LightGBMMetric) else each for each in self.given or []]
        for metric in metrics:
            if isinstance(metric, LightGBMMetric):
                metric.known = rows
                metric.check_known(shows_sizes=True)
        return metrics or None


def read_metrics(eval_metric: object, params: Options) -> Metrics:
    """Return the metrics for LightGBM, and the parameters that restrict early stopping to scorers."""
    named = [each for name in METRIC_NAMES if params.get(name) for each in list_metrics(params[name])]
    theirs = [metric for metric in named if not is_of_package(metric)]
    for metric in theirs:
        check_no_function(metric, "metric")
        if not isinstance(metric, str):
            fail("metric", "be a name or a scorer, such as map_scorer(k=10)", repr(metric))
        _check_name(metric, "metric")
    passed = [metric for metric in (eval_metric, params.get("eval_metric")) if metric is not None]
    given = [each for metric in passed for each in list_metrics(metric)]
    for metric in given:
        _check_name(metric, "eval_metric")
    given += [metric for metric in named if is_of_package(metric)]
    found: dict[Any, Any] = {}
    for metric in (read_metric(each, "lightgbm") for each in given):
        name = metric.name if isinstance(metric, LightGBMMetric) else id(metric)
        other = found.setdefault(name, metric)  # LightGBM fails on two metrics with the same name
        if other is not metric and repr(other.scorer) != repr(metric.scorer):
            rule = "not contain a scorer both with and without weights, or two scorers of one name"
            fail("eval_metric", rule, name, "Pass eval_metric={'one': scorer, 'other': scorer}.")
    metrics = list(found.values())
    scorers = [metric.scorer for metric in metrics if isinstance(metric, LightGBMMetric)]
    has_own = len(scorers) < len(metrics) or bool(set(theirs) - set(NO_METRIC))
    if theirs or not scorers:
        return Metrics(metrics or None, {"metric": theirs} if theirs else {}, scorers, has_own)
    if not any(map(is_ours, given)):
        fix = (
            'Otherwise, LightGBM also stops by its default metric. Pass metric="None", or a scorer: '
            "eval_metric=map_scorer(k=10)."
        )
        fail("metric", "be set with an eval_metric of as_eval_metric", "no value", fix)
    return Metrics(metrics, {"metric": "None"}, scorers, has_own)


def _check_name(metric: object, parameter: str) -> None:
    """Reject unknown names, for which LightGBM would silently use its own NDCG at 1."""
    if not isinstance(metric, str) or is_ours(metric):
        return
    for name in (part.strip() for part in metric.split(",")):
        if name.startswith(PREFIX):
            names = [part.strip() for part in metric.split(",")]
            fail(parameter, "be a list of names, not one text", repr(metric), f"Pass {parameter}={names}.")
        if name not in NO_METRIC and not _is_known(name):
            example = PREFIX + (name if is_metric_name(name) else "ndcg@10")
            fix = f'For a metric of sklearn_rank, pass {parameter}="{example}" or its scorer.'
            fail(parameter, "name a metric of LightGBM", repr(name), fix)


@cache
def _is_known(name: str) -> bool:
    """Return whether the installed LightGBM evaluates a metric of this name; it ignores unknown names."""
    if ":" in name:  # LightGBM would read another parameter
        return False
    data = lightgbm.Dataset(np.arange(4.0)[:, None], [0, 1, 0, 1], group=[4], params={"verbosity": -1})
    try:
        booster = lightgbm.Booster({"objective": "lambdarank", "metric": name, "verbosity": -1}, data)
    except lightgbm.basic.LightGBMError:  # known, but not for rankings: LightGBM raises its own error later
        return True
    return bool(booster.eval_train())
