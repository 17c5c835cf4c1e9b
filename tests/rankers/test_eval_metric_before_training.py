"""A wrong `eval_metric`: one error before any fold is trained."""

import re

import numpy as np
import pytest
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from sklearn_rank import GridSearchCV, cross_val_score, cross_validate, map_scorer
from sklearn_rank.datasets import make_ranking

X, y, GROUPS = make_ranking(n_queries=12, random_state=0)
WRONG = {
    "lightgbm": ("LGBMRanker", "ndgc", "name a metric of LightGBM"),
    "xgboost": ("XGBRanker", "mrr", "start with the prefix of sklearn_rank's metrics"),
    "catboost": ("CatBoostRanker", "sklearn_rank:ndgc@10", "did you mean ndcg"),
}
EACH = pytest.mark.parametrize("library", WRONG)


def make(library, **params):
    """Make the ranker of a library, with a wrong metric."""
    pytest.importorskip(library)
    import sklearn_rank.rankers

    name, metric, _ = WRONG[library]
    return getattr(sklearn_rank.rankers, name)(eval_metric=metric, **params)


@EACH
@pytest.mark.parametrize("wrap", [lambda model: model, lambda model: make_pipeline(StandardScaler(), model)])
@pytest.mark.parametrize("validate", [cross_val_score, cross_validate])
def test_cross_validation_rejects_a_wrong_eval_metric_before_training(validate, wrap, library):
    with pytest.raises(ValueError, match="'eval_metric' parameter") as error:
        validate(wrap(make(library)), X, y, groups=GROUPS, cv=3, error_score=np.nan)
    assert re.search(WRONG[library][2], str(error.value))
    assert "fits failed" not in str(error.value)


def test_search_rejects_a_wrong_eval_metric_before_training():
    search = GridSearchCV(make("lightgbm"), {"n_estimators": [1, 2]}, scoring="ndcg@10", cv=3)
    with pytest.raises(ValueError, match=r"^The 'eval_metric' parameter of LGBMRanker must name a metric"):
        search.fit(X, y, groups=GROUPS)


@pytest.mark.parametrize(
    "metric", [["NDCG:top=5", "MAP:top=5"], ("NDCG",), ["MAP:top=5", map_scorer(k=5)], [map_scorer(k=5)], []]
)
def test_catboost_ranker_rejects_lists_as_eval_metric(metric):
    pytest.importorskip("catboost")
    from sklearn_rank.rankers import CatBoostRanker

    with pytest.raises(
        ValueError,
        match=r"must be one metric\. Got .* Pass one metric as eval_metric, and .* as custom_metric=",
    ):
        CatBoostRanker(eval_metric=metric, iterations=2, verbose=0).fit(X, y, groups=GROUPS)


def test_lightgbm_ranker_accepts_as_eval_metric_with_one_of_fit():
    lightgbm = pytest.importorskip("sklearn_rank.rankers._lightgbm")
    from sklearn_rank.rankers import as_eval_metric

    model = lightgbm.LGBMRanker(
        eval_metric=as_eval_metric("ndcg@5", library="lightgbm"), n_estimators=2, verbose=-1
    )
    params = {"eval_metric": map_scorer(k=5)}
    assert len(cross_val_score(model, X, y, groups=GROUPS, cv=3, scoring="ndcg@10", params=params)) == 3
