"""LightGBM's ranker with query ids in place of query sizes."""

from collections.abc import Sequence
from inspect import signature
from typing import Any

import lightgbm

from .._data import count_rows, take
from .._validation import fail
from ._eval_metric import LightGBMMetric, check_library, list_metrics
from ._rows import BoostedRanker, EvalSet, QueryRows, check_eval_sets, group_rows, take_queries, weigh_queries

MAX_QUERY_ROWS = 10_000  # LightGBM's own limit
METRIC_NAMES = {"metric", "metrics", "metric_types"}  # LightGBM's names of one parameter
_FIT_PARAMETERS = signature(lightgbm.LGBMRanker.fit).parameters


class LGBMRanker(BoostedRanker, lightgbm.LGBMRanker):
    """LightGBM's `LGBMRanker` with ``fit(X, y, groups=qid)``, rows in any order.

    The constructor is LightGBM's own, with all its parameters. Rows are brought together by a stable sort of
    the ids, as LambdaMART depends on the order of rows inside a query; rows whose label is NaN are left out.
    `groups` and the evaluation
    parameters are requested from metadata routing from the start.

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

    __metadata_request__fit = {  # noqa: RUF012 - scikit-learn's own way to declare requests
        "groups": True,
        "eval_set": True,
        "eval_groups": True,
        "eval_sample_weight": True,
        "eval_metric": True,
    }
    __metadata_request__score = {"groups": True}  # noqa: RUF012

    def fit(  # type: ignore[override]  # ids are third in every `fit` here, where LightGBM has weights
        self,
        X: Any,
        y: Any,
        groups: Any = None,
        sample_weight: Any = None,
        *,
        init_score: Any = None,
        eval_set: Sequence[tuple[Any, Any]] | None = None,
        eval_groups: Sequence[Any] | None = None,
        eval_names: Sequence[str] | None = None,
        eval_sample_weight: Sequence[Any] | None = None,
        eval_init_score: Sequence[Any] | None = None,
        eval_metric: Any = None,
        eval_at: Sequence[int] = (1, 2, 3, 4, 5),
        feature_name: Any = "auto",
        categorical_feature: Any = "auto",
        callbacks: Sequence[Any] | None = None,
        init_model: Any = None,
    ) -> "LGBMRanker":
        """Train on rows of whole queries.

        Parameters
        ----------
        X : array-like of shape (n_rows, n_features)
            Features.
        y : array-like of int of shape (n_rows,)
            Grades >= 0; NaN where not judged.
        groups : array-like of shape (n_rows,) or str
            Query id of each row, in any order, or the name of an index level of X or y.
        sample_weight, init_score : array-like of shape (n_rows,), default=None
            As in LightGBM, one entry per row.
        eval_set : list of (X, y), default=None
            Evaluation sets.
        eval_groups : list of array-like or str, default=None
            The query ids of each evaluation set; required with `eval_set`.
        eval_sample_weight, eval_init_score : list of array-like, default=None
            Weights and initial scores of each evaluation set, one entry per row.
        eval_metric : str, callable or list of these, default=None
            As in LightGBM; :func:`as_eval_metric` makes one of a metric of this package.
        eval_names, eval_at, feature_name, categorical_feature, callbacks, init_model
            As in LightGBM.

        Returns
        -------
        LGBMRanker
            The fitted ranker.

        Raises
        ------
        ValueError
            If ids are missing, or a query has more than LightGBM's 10,000 rows.
        """
        self._check_metric(eval_metric)
        row_data = {"y": y, "sample_weight": sample_weight, "init_score": init_score}
        queries = _group_rows(groups, X, row_data)
        arguments = {
            "sample_weight": take(sample_weight, queries.rows),
            "init_score": take(init_score, queries.rows),
            "group": queries.sizes,
            "eval_names": eval_names,
            "eval_metric": eval_metric,
            "eval_at": eval_at,
            "feature_name": feature_name,
            "categorical_feature": categorical_feature,
            "callbacks": callbacks,
            "init_model": init_model,
        }
        given = {"eval_sample_weight": eval_sample_weight, "eval_init_score": eval_init_score}
        sets = check_eval_sets("LGBMRanker.fit", eval_set, eval_groups, **given)
        if sets:
            arguments |= _group_eval_sets(sets, weigh_by_query=_is_ours(eval_metric))
        super().fit(*take_queries(X, queries), **arguments)
        return self

    def _check_metric(self, eval_metric: Any) -> None:
        """Let nothing stop the training beside a metric of this package, unless the user says what."""
        check_library(eval_metric, "lightgbm", "LGBMRanker.fit")
        if _is_ours(eval_metric) and not METRIC_NAMES & set(self.get_params()):
            rule = (
                "be \"None\", or name LightGBM's own metrics that may stop the training beside 'eval_metric'"
            )
            fail("metric", "LGBMRanker", rule, "nothing")


def _is_ours(eval_metric: Any) -> bool:
    """Tell whether a metric of this package is among those of an evaluation."""
    return any(isinstance(metric, LightGBMMetric) for metric in list_metrics(eval_metric))


def _group_rows(groups: Any, X: Any, row_data: dict[str, Any], prefix: str = "") -> QueryRows:
    """Bring queries together, none of them longer than LightGBM allows."""
    queries = group_rows("LGBMRanker.fit", groups, X, row_data, prefix)
    if queries.sizes.max() > MAX_QUERY_ROWS:
        rule = f"give LightGBM queries of at most {MAX_QUERY_ROWS} rows"
        fail(f"{prefix}groups", "LGBMRanker.fit", rule, f"a query of {queries.sizes.max()} rows")
    return queries


def _group_eval_sets(sets: list[EvalSet], weigh_by_query: bool) -> dict[str, Any]:
    """Bring the queries of each evaluation set together, in the words of the installed LightGBM."""
    arguments: dict[str, Any] = {name: [] for name in ("eval_group", *sets[0][3])}
    pairs = []
    for X, y, groups, row_data in sets:
        queries = _group_rows(groups, X, {"eval_y": y, **row_data}, "eval_")
        if weigh_by_query:  # as the metrics of this package do
            weights, n_rows = row_data.get("eval_sample_weight"), count_rows(X, "LGBMRanker.fit")
            weigh_queries("LGBMRanker.fit", weights, queries, n_rows, "eval_sample_weight")
        pairs.append(take_queries(X, queries))
        arguments["eval_group"].append(queries.sizes)
        for name, values in row_data.items():
            arguments[name].append(take(values, queries.rows))
    if "eval_X" in _FIT_PARAMETERS:  # from LightGBM 4.7 on, which deprecates eval_set
        features, labels = zip(*pairs)
        return arguments | {"eval_X": features, "eval_y": labels}
    return arguments | {"eval_set": pairs}
