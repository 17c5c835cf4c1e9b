"""Metrics of this package as callables for early stopping of the boosting libraries."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import partial
from inspect import isclass, isfunction
from typing import Any, Literal, Self, TypeAlias, overload

import numpy as np

from .. import metrics
from .._checks.errors import fail, name_call
from .._checks.types import Ids, Labels, Options, Scores, Weights
from ..metrics import RankingScorer, is_metric_name, read_scorer
from ._query_rows import EvalRows, show_labels, weighs

PREFIX = "sklearn_rank:"  # of this package's metrics, to distinguish them from a library's


class EvalMetric:
    """A scorer that a boosting library calls, with a name for its log."""

    library: str

    def __init__(self, scorer: RankingScorer, name: str = "", given: object = None):
        self.scorer = scorer
        self.given = given  # the scorer or name from which a ranker made it
        # The scorer's text is not a name in any library. XGBoost splits its log at spaces and colons.
        name = name or re.sub(r"^get_scorer\('([^']*)'\)$", r"\1", scorer.describe())
        self.name = name.replace(" ", "").replace(":", "=")
        self.known: list[EvalRows] = []  # the rows of a ranker of this package that is being trained

    def __getstate__(self) -> Options:
        return {**self.__dict__, "known": []}

    def __deepcopy__(self, memo: object) -> Self:
        """Return this metric itself: libraries copy metrics, and the copies need the known rows."""
        return self

    def find_known(self, labels: np.ndarray, sizes: np.ndarray | None = None) -> EvalRows | None:
        """Return the known rows with these labels and, unless None, these sizes of queries."""
        for rows in self.known:
            are_sized = sizes is None or np.array_equal(np.bincount(rows.codes), sizes)
            if are_sized and np.array_equal(show_labels(rows.labels).astype(labels.dtype), labels):
                return rows
        return None

    def check_known(self, shows_sizes: bool) -> None:
        """Check that the library passes enough to a metric to identify the known rows."""
        for i, rows in enumerate(self.known):
            for other in self.known[:i]:
                alike = np.array_equal(show_labels(rows.labels), show_labels(other.labels))
                alike = alike and (not shows_sizes or np.array_equal(rows.codes, other.codes))
                if alike and not rows.equals(other):
                    library = name_call().partition("Ranker")[0]
                    fix = f"{library} passes only labels to metrics, so such sets cannot be distinguished."
                    rule = "contain sets with different labels if their ids, weights or missing labels differ"
                    fail("eval_set", rule, "equal labels", fix)

    def score(self, labels: Labels, sizes: Any, weights: Weights, y_score: Scores) -> Scores:
        """Score rows sorted by query, with the weight of each row if the scorer requests weights."""
        for name, argument in (("missed", "eval_groups"), ("labels", "eval_labels")):
            if getattr(self.scorer, name) is not None:
                fix = f"Train the ranker of sklearn_rank.rankers with {argument}= instead."
                rule = f"be None where {self.library} trains, which passes only labels and sizes of queries"
                fail(name, rule, self.scorer.describe(), fix)
        codes = np.repeat(np.arange(len(sizes)), sizes)
        weights = weights if weighs(self.scorer) else None  # without a request, ignore those of training rows
        return self.scorer.score_rows(labels, y_score, groups=codes, sample_weight=weights)

    def __repr__(self) -> str:
        return f"as_eval_metric({self.scorer.describe()}, library={self.library!r})"


class LightGBMMetric(EvalMetric):
    """A metric for LightGBM, called in two ways, that returns ``(name, value, True)``.

    `LGBMRanker` passes ``(y_true, y_score, weight, group)`` to an `eval_metric`, because there are four
    parameters. ``lightgbm.train`` passes ``(y_score, dataset)`` to a `feval`.
    """

    library = "lightgbm"

    def __call__(
        self, y_true: Labels, y_score: Any, weight: Weights = None, group: Ids | None = None
    ) -> tuple[str, float, bool]:
        if hasattr(y_score, "get_group"):  # a Dataset
            y_true, y_score, data = y_score.get_label(), y_true, y_score
            weight, group = data.get_weight(), data.get_group()
        if group is None:
            fix = "Pass lightgbm.Dataset(X, y, group=sizes), with the rows sorted by query."
            _called_as = "LightGBM"
            fail("group", "be the number of rows of each query", "None", fix)
        rows = self.find_known(y_true, group) if self.known else None
        if rows is not None:
            return self.name, rows.score(self.scorer, y_score), True
        return self.name, self.score(y_true, group, weight, y_score), True


class XGBoostMetric(EvalMetric):
    """A `custom_metric` for XGBoost's `train`: ``(y_score, dmatrix) -> (name, value)``."""

    library = "xgboost"

    def __call__(self, y_score: Scores, dmatrix: Any) -> tuple[str, float]:
        if not hasattr(dmatrix, "get_uint_info"):
            fix = (
                "XGBoost's ranker calls metrics for one query at a time. Use sklearn_rank.rankers.XGBRanker, "
                "or custom_metric of xgboost.train."
            )
            _called_as = "xgboost.XGBRanker"
            fail("eval_metric", "be a metric of XGBoost", repr(self), fix)
        lengths = np.diff(dmatrix.get_uint_info("group_ptr").astype(np.int64))
        if not len(lengths):
            fail("evals", "contain DMatrix objects with qid or group", "a DMatrix without them")
        weights = dmatrix.get_weight()
        by_row = np.repeat(weights, lengths) if len(weights) else None
        return self.name, self.score(dmatrix.get_label(), lengths, by_row, y_score)


class CatBoostMetric(EvalMetric):
    """An `eval_metric` for CatBoost, with ids from the `fit` of this package's `CatBoostRanker`.

    CatBoost passes no ids, so rows are identified by their labels. Training rows that it has permuted, as
    with categorical features, cannot be identified.
    """

    library = "catboost"
    no_jit = True  # otherwise CatBoost tries to compile it by numba, and warns if that fails

    def __init__(self, scorer: RankingScorer, name: str = "", given: object = None):
        super().__init__(scorer, name, given)
        self.found_unknown = False
        self.__class__ = type(self.name, (CatBoostMetric,), {})  # CatBoost logs the name of the class

    def __reduce__(self) -> tuple[Any, ...]:
        return CatBoostMetric, (self.scorer, self.name, self.given)

    def is_max_optimal(self) -> bool:
        return True

    def evaluate(self, approxes: Any, target: Labels, weight: Weights) -> tuple[float, float]:
        """Return the value, or 0 for rows that are not identified, and the weight 1."""
        if not self.known:
            _called_as = "CatBoost"
            fix = "CatBoost passes no ids to metrics. Use sklearn_rank.rankers.CatBoostRanker."
            fail("eval_metric", "be a metric of CatBoost", repr(self), fix)
        rows = self.find_known(np.asarray(target))
        if rows is None:
            self.found_unknown = True
            return 0.0, 1.0  # CatBoost rejects nan
        return rows.score(self.scorer, np.asarray(approxes[0])), 1.0

    def get_final_error(self, error: float, weight: float) -> float:
        return error


EvalScorer: TypeAlias = str | RankingScorer | Mapping[str, str | RankingScorer]
LIBRARIES = {kind.library: kind for kind in (CatBoostMetric, LightGBMMetric, XGBoostMetric)}


def list_metrics(metric: object) -> list[Any]:
    """Return one metric or several as a list; scorers by name become dicts of one scorer."""
    if isinstance(metric, Mapping):
        return [{name: each} for name, each in metric.items()]
    return list(metric) if isinstance(metric, list | tuple) else [metric]


def is_ours(metric: object) -> bool:
    """Return whether a metric is a scorer, scorers by name, or a name of this package with the prefix."""
    return isinstance(metric, RankingScorer | Mapping) or (
        isinstance(metric, str) and metric.startswith(PREFIX)
    )


def is_of_package(metric: object) -> bool:
    """Return whether a metric is one of this package, in any form that the rankers take."""
    return is_ours(metric) or isinstance(metric, EvalMetric)


def read_metric(metric: object, library: str) -> Any:
    """Return a scorer or a name of this package as the library's callable; other metrics unchanged."""
    if isinstance(metric, EvalMetric) and metric.library != library:
        fail("eval_metric", f"be made with library={library!r}", repr(metric))
    check_no_function(metric, "eval_metric")
    if type(metric).__module__.startswith("sklearn.metrics."):  # no library calls it with query ids
        rule = "be a scorer of sklearn_rank or a metric of the library"
        fail("eval_metric", rule, repr(metric), "Pass eval_metric=ndcg_scorer(k=10).")
    if library == "xgboost" and isinstance(metric, list | tuple):
        for each in metric:
            read_metric(each, library)
    if is_metric_name(metric) and library != "lightgbm":  # which looks up its own
        fix = f'Pass eval_metric="{PREFIX}{metric}".'
        if library == "xgboost" and re.fullmatch(r"(ndcg|map)(@[0-9]+)?", str(metric)):
            fix = f'{fix[:-1]}, or "{PREFIX}xgboost:{metric}" for the value that XGBoost logs.'
        fail("eval_metric", "start with the prefix of sklearn_rank's metrics", repr(metric), fix)
    if not is_ours(metric):
        return metric
    return _make_metric(metric, library, "eval_metric", metric)


def check_no_function(metric: object, parameter: str) -> None:
    """Reject functions, because no library passes query ids to them, and suggest a scorer."""
    if not (isfunction(metric) or isclass(metric)):
        return
    from .._hints.scorers import SHARED, suggest_scorer

    is_shared = metric.__module__.startswith("sklearn.metrics.") and metric.__name__ in SHARED
    if metric.__module__.startswith("sklearn_rank.") or is_shared:
        ours = suggest_scorer(metric, vars(metrics)) or "ndcg_scorer(k=10)"
        fail(parameter, "be a scorer of sklearn_rank", metric.__name__, f"Pass {parameter}={ours}.")


def read_single_metric(metric: object, library: str) -> Any:
    """Return the metric for a library that accepts one metric of this package; CatBoost accepts no list."""
    if library == "catboost" and isinstance(metric, list | tuple):
        fix = "Pass one metric as eval_metric, and CatBoost's other metrics as custom_metric=['MAP:top=10']."
        fail("eval_metric", "be one metric", metric, fix)
    if any(map(is_of_package, metric if isinstance(metric, list | tuple) else [])):
        fail("eval_metric", "be a single scorer, or a list of metrics of the library", metric)
    return read_metric(metric, library)


def _make_metric(metric: Any, library: str, parameter: str, given: object = None) -> EvalMetric:
    """Return the library's callable for a scorer, a name, or a dict with one of these by name."""
    by_name = metric if isinstance(metric, Mapping) else {"": metric}
    if len(by_name) != 1 or not all(isinstance(name, str) for name in by_name):
        fail(parameter, "contain one scorer by name", repr(metric), f"Pass {parameter}={{'name': scorer}}.")
    [(name, scorer)] = by_name.items()
    check_no_function(scorer, parameter)
    if isinstance(scorer, str):
        scorer = read_scorer(scorer.removeprefix("" if given is None else PREFIX), parameter)
    if not isinstance(scorer, RankingScorer) or not isinstance(scorer.metrics, str | partial):
        rule = "be the name of a ranking metric or a scorer of one metric"
        fail(parameter, rule, repr(metric), f"Pass {parameter}=ndcg_scorer(k=10).")
    if scorer.pos_label is not None:
        fail(parameter, "be a scorer without pos_label=", repr(metric), "Rankers have no classes.")
    return LIBRARIES[library](scorer, name, given)


@overload
def as_eval_metric(metric: EvalScorer, *, library: Literal["lightgbm"]) -> LightGBMMetric: ...
@overload
def as_eval_metric(metric: EvalScorer, *, library: Literal["xgboost"]) -> XGBoostMetric: ...
@overload
def as_eval_metric(metric: EvalScorer, *, library: Literal["catboost"]) -> CatBoostMetric: ...
def as_eval_metric(metric: EvalScorer, *, library: Literal["lightgbm", "xgboost", "catboost"]) -> EvalMetric:
    """Convert a metric to an early-stopping metric of a boosting library.

    Its values are equal to those in searches and reports. In the library's log, it has the scorer's name,
    such as ``map_scorer(k=10)``. The rankers of this package accept scorers directly; use this function for
    the rankers and the `train` functions of the libraries.

    Parameters
    ----------
    metric : str, scorer or dict of str to one of these
        Name of a metric, such as "map@10" or "ndcg@10(gain=exponential)", or a scorer of one metric, such as
        ``ndcg_scorer(k=10, ties="worst")``. Losses are negated, as in scorers: "neg_bpr_loss". The key of a
        dict is the name in the log. Scorers with ``labels="revenue"`` need `eval_labels` of this package's
        rankers; for `train` functions, pass these labels as those of the evaluation data.
    library : {"lightgbm", "xgboost", "catboost"}
        Library that calls the metric.

    Returns
    -------
    object
        Metric to pass to the library. Weights of an evaluation set are used if the scorer requests them with
        ``set_score_request(sample_weight=True)``.

        - LightGBM: pass it as `feval` to ``lightgbm.train`` or ``lightgbm.cv``, or as `eval_metric` to `fit`
          of `LGBMRanker`, of this package or LightGBM. Set the parameter ``metric="None"``; otherwise
          LightGBM also stops by its own metrics.
        - XGBoost: pass it as `eval_metric` to the constructor of this package's `XGBRanker`, or as
          `custom_metric` to ``xgboost.train`` with ``callbacks=[EarlyStopping(..., maximize=True)]``.
          ``xgboost.train`` logs six digits.
        - CatBoost: pass it as `eval_metric` to the constructor of this package's `CatBoostRanker`.

    Examples
    --------
    >>> from sklearn_rank.rankers import as_eval_metric
    >>> stop_by = as_eval_metric("map@10", library="lightgbm")
    >>> stop_by([1, 0, 0, 1], [0.9, 0.8, 0.7, 0.6], None, [2, 2])  # as LightGBM calls it, with two queries
    ('map_scorer(k=10)', 0.75, True)
    """
    if not isinstance(library, str) or library not in LIBRARIES:
        fail("library", f"be one of {', '.join(map(repr, sorted(LIBRARIES)))}", repr(library))
    return _make_metric(metric, library, "metric")
