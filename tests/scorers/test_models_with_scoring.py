"""scikit-learn models with inner scoring: ids reach the scorer, or the error explains how to pass them."""

import re
import warnings

import pytest
import sklearn.model_selection
from sklearn import config_context
from sklearn.ensemble import HistGradientBoostingRegressor
from sklearn.feature_selection import RFECV, SequentialFeatureSelector
from sklearn.linear_model import LogisticRegression, LogisticRegressionCV, Ridge, RidgeCV
from sklearn.model_selection import TunedThresholdClassifierCV

import sklearn_rank
from sklearn_rank import BalancedGroupKFold, ndcg_scorer
from sklearn_rank.datasets import make_ranking

X, Y, QID = make_ranking(n_queries=30, n_documents=(4, 14), n_features=4, random_state=0)
RELEVANT = (Y > 0).astype(int)
FOLDS = list(BalancedGroupKFold(3).split(X, Y, QID))


def made(kind, scorer):
    """Return a model with a scorer inside, and its labels."""
    return {
        "RidgeCV": (RidgeCV(cv=FOLDS, scoring=scorer), Y),
        "RidgeCV by row": (RidgeCV(scoring=scorer), Y),
        "SequentialFeatureSelector": (
            SequentialFeatureSelector(Ridge(), cv=FOLDS, scoring=scorer, n_features_to_select=1),
            Y,
        ),
        "search": (sklearn.model_selection.GridSearchCV(Ridge(), {}, cv=FOLDS, scoring=scorer), Y),
        "RFECV": (RFECV(Ridge(), cv=FOLDS, scoring=scorer), Y),
        "LogisticRegressionCV": (LogisticRegressionCV(cv=FOLDS, scoring=scorer, Cs=2), RELEVANT),
        "HistGradientBoosting": (HistGradientBoostingRegressor(scoring=scorer, early_stopping=True), Y),
    }[kind]


BY_INDEX = ["RidgeCV", "SequentialFeatureSelector", "search"]
BY_ROUTING = [
    "RFECV",
    "LogisticRegressionCV",
    "RidgeCV",
    "RidgeCV by row",
    "SequentialFeatureSelector",
    "search",
]
BY_ARRAYS = ["RFECV", "LogisticRegressionCV", "RidgeCV by row", "HistGradientBoosting"]
OLD = tuple(map(int, sklearn.__version__.split(".")[:2])) < (1, 9)


@pytest.mark.parametrize("kind", BY_INDEX)
def test_ids_in_index_of_y_reach_scorer_inside_model(kind):
    pandas = pytest.importorskip("pandas")
    model, labels = made(kind, ndcg_scorer(k=5, groups="qid"))
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # scikit-learn warns when a scorer fails
        model.fit(X, pandas.Series(labels, index=pandas.Index(QID, name="qid")))


@pytest.mark.parametrize("kind", BY_ROUTING)
def test_ids_reach_scorer_inside_model_by_routing(kind):
    if OLD and kind == "LogisticRegressionCV":
        pytest.skip("before, its labels were -1 and 1 inside")
    model, labels = made(kind, ndcg_scorer(k=5))
    with config_context(enable_metadata_routing=True), warnings.catch_warnings():
        warnings.simplefilter("ignore", FutureWarning)
        model.fit(X, labels, groups=QID)


@pytest.mark.parametrize("kind", BY_ARRAYS)
def test_scorer_inside_model_explains_missing_index(kind):
    pandas = pytest.importorskip("pandas")
    index = pandas.Index(QID, name="qid")
    model, labels = made(kind, ndcg_scorer(k=5, groups="qid"))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FutureWarning)
        with pytest.raises(ValueError, match="Some models pass arrays to scorers") as error:
            model.fit(pandas.DataFrame(X, index=index), pandas.Series(labels, index=index))
    message = str(error.value)
    assert (
        "'groups' parameter of ndcg_scorer(k=5, groups='qid') must name an index level of X or y, or"
        in message
    )
    assert "take ids with routing: fit(X, y, groups=qid)" in message
    assert "validation_fraction" in message


def test_scorer_error_inside_hist_gradient_boosting_names_page_on_ids():
    with pytest.raises(ValueError, match=r"received no query ids\. .*'How to pass query ids'"):
        made("HistGradientBoosting", ndcg_scorer())[0].fit(X, Y)


def test_scorer_error_inside_scoring_monitor_names_page_on_ids():
    callback = pytest.importorskip("sklearn.callback")
    monitor = callback.ScoringMonitor(scoring=ndcg_scorer(k=5))
    with pytest.raises(ValueError, match=r"received no query ids\. .*'How to pass query ids'"):
        LogisticRegression(max_iter=3).set_callbacks(monitor).fit(X, RELEVANT)


@pytest.mark.slow
@pytest.mark.parametrize(
    "scorer", [ndcg_scorer(), ndcg_scorer(groups="qid"), sklearn_rank.get_scorer("map")], ids=str
)
def test_ranking_scorer_rejects_threshold_tuning(scorer):
    with pytest.raises(AttributeError, match="rankings do not depend on a threshold") as error:
        TunedThresholdClassifierCV(LogisticRegression(), scoring=scorer, cv=3).fit(X, RELEVANT)
    meant = re.search("scoring='(.*)'", str(error.value))[1]
    TunedThresholdClassifierCV(LogisticRegression(), scoring=meant, cv=3).fit(X, RELEVANT)


def test_ranking_scorer_missing_attribute_raises_usual_error():
    with pytest.raises(AttributeError, match=r"'RankingScorer' object has no attribute 'colour'$"):
        getattr(ndcg_scorer(), "colour")  # noqa: B009
