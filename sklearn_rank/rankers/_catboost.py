"""CatBoost's ranker with query ids in any order, and as a scikit-learn estimator."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any
from warnings import catch_warnings, filterwarnings

import catboost
import numpy as np
from sklearn import config_context
from sklearn.base import BaseEstimator

from .._data import count_rows
from .._validation import fail
from ._eval_metric import CatBoostMetric
from ._rows import BoostedRanker, check_eval_sets, group_rows, take_queries, weigh_queries


class CatBoostRanker(BoostedRanker, catboost.CatBoostRanker, BaseEstimator):
    """CatBoost's `CatBoostRanker` with ``fit(X, y, groups=qid)``, rows in any order.

    The constructor is CatBoost's own, with all its parameters. Rows are brought together by a stable sort of
    the ids; rows whose label is NaN are left out. `groups` and the evaluation parameters are requested from
    metadata routing from the start.

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

    __metadata_request__fit = {  # noqa: RUF012 - scikit-learn's own way to declare requests
        "groups": True,
        "eval_set": True,
        "eval_groups": True,
        "eval_sample_weight": True,
    }
    __metadata_request__score = {"groups": True}  # noqa: RUF012

    def fit(
        self,
        X: Any,
        y: Any,
        groups: Any = None,
        sample_weight: Any = None,
        *,
        eval_set: Sequence[tuple[Any, Any]] | None = None,
        eval_groups: Sequence[Any] | None = None,
        eval_sample_weight: Sequence[Any] | None = None,
        cat_features: Any = None,
        text_features: Any = None,
        embedding_features: Any = None,
        use_best_model: bool | None = None,
        early_stopping_rounds: int | None = None,
        verbose: Any = None,
        init_model: Any = None,
        callbacks: Any = None,
    ) -> "CatBoostRanker":
        """Train on rows of whole queries.

        Parameters
        ----------
        X : array-like of shape (n_rows, n_features)
            Features.
        y : array-like of shape (n_rows,)
            Grades >= 0; NaN where not judged.
        groups : array-like of shape (n_rows,) or str
            Query id of each row, in any order, or the name of an index level of X or y or of a column of X.
        sample_weight : array-like of shape (n_rows,), default=None
            Query weights, repeated on each row of the query.
        eval_set : list of (X, y), default=None
            Evaluation sets.
        eval_groups : list of array-like or str, default=None
            The query ids of each evaluation set; required with `eval_set`.
        eval_sample_weight : list of array-like, default=None
            Query weights of each evaluation set, one entry per row.
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
            If ids are missing, or weights vary inside a query.
        """
        function = "CatBoostRanker.fit"
        features = {
            "cat_features": cat_features or self.get_params().get("cat_features"),
            "text_features": text_features,
            "embedding_features": embedding_features,
        }
        train = _make_pool(function, X, y, groups, sample_weight, features)
        sets = check_eval_sets(function, eval_set, eval_groups, eval_sample_weight=eval_sample_weight)
        evaluation = [
            _make_pool(function, X, y, ids, row_data.get("eval_sample_weight"), features, "eval_")
            for X, y, ids, row_data in sets
        ]
        with _ids_for(self.get_params(), [(X, y, groups), *(rows[:3] for rows in sets)]):
            super().fit(
                train,
                eval_set=evaluation or None,
                use_best_model=use_best_model,
                early_stopping_rounds=early_stopping_rounds,
                verbose=verbose,
                init_model=init_model,
                callbacks=callbacks,
            )
        return self

    def __sklearn_clone__(self) -> "CatBoostRanker":
        # scikit-learn's own refuses: CatBoost gives out copies of its parameters, such as lists.
        model = type(self)(**self.get_params())
        with config_context(enable_metadata_routing=True):
            routing = self.get_metadata_routing()
            model.set_fit_request(**routing.fit.requests)
            return model.set_score_request(**routing.score.requests)

    @property
    def feature_importances_(self) -> np.ndarray:
        """Return how much each feature changes predictions: CatBoost's default for ranking wants the data."""
        return self.get_feature_importance(type="PredictionValuesChange")


def _make_pool(
    function: str, X: Any, y: Any, groups: Any, weights: Any, features: dict[str, Any], prefix: str = ""
) -> catboost.Pool:
    """Bring the queries of a data set together, with the weight of each on its rows."""
    queries = group_rows(function, groups, X, {f"{prefix}y": y, f"{prefix}sample_weight": weights}, prefix)
    by_query = weigh_queries(function, weights, queries, count_rows(X, function))
    return catboost.Pool(
        *take_queries(X, y, queries),
        group_id=queries.codes,
        group_weight=None if by_query is None else by_query[queries.codes],
        **features,
    )


@contextmanager
def _ids_for(params: dict[str, Any], sets: list[tuple[Any, Any, Any]]) -> Iterator[None]:
    """Tell a metric of this package the ids of all rows while CatBoost trains."""
    metric = params.get("eval_metric")
    if not isinstance(metric, CatBoostMetric):
        yield
        return
    if params.get("boosting_type", "Plain") != "Plain":
        rule = "be 'Plain' with as_eval_metric: CatBoost permutes the rows else, and passes no ids"
        fail("boosting_type", "CatBoostRanker", rule, repr(params["boosting_type"]))
    known = []
    for X, y, ids in sets:
        queries = group_rows("CatBoostRanker.fit", ids, X, {"y": y})
        known.append((take_queries(X, y, queries)[1], queries.codes))
    with catch_warnings(), metric.knowing(known):
        # CatBoost would compile metrics of one number per row; this one is compiled already.
        filterwarnings("ignore", message="Failed to import numba", category=UserWarning)
        yield
