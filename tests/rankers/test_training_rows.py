"""Evaluation sets that contain training rows, and labels that scores must not see."""

import warnings

import numpy as np
import pytest
from sklearn.ensemble import GradientBoostingRegressor, HistGradientBoostingRegressor, StackingRegressor
from sklearn.linear_model import LogisticRegression, Ridge, SGDRegressor
from sklearn.model_selection import GridSearchCV, GroupKFold, KFold, StratifiedKFold
from sklearn.neural_network import MLPRegressor
from sklearn.pipeline import make_pipeline

import sklearn_rank
from sklearn_rank import RankingWarning, cross_val_score
from sklearn_rank.datasets import make_ranking
from sklearn_rank.rankers import PairwiseRanker
from tests.helpers.frames import pandas

X, Y, QID = make_ranking(n_queries=30, random_state=0)
OLD, NEW = QID < 20, QID >= 20
ROUNDS = {"LGBMRanker": "early_stopping_round", "XGBRanker": "early_stopping_rounds"}
ROUNDS |= {"CatBoostRanker": "early_stopping_rounds"}
LIBRARIES = {"LGBMRanker": "lightgbm", "XGBRanker": "xgboost", "CatBoostRanker": "catboost"}
KNOWN = "the evaluation rows are training rows"


def make(name, rounds=2):
    pytest.importorskip(LIBRARIES[name])
    options = {} if rounds is None else {ROUNDS[name]: rounds}
    options |= {"verbose": -1} if name == "LGBMRanker" else {}
    options |= {"verbose": 0, "allow_writing_files": False} if name == "CatBoostRanker" else {}
    return getattr(sklearn_rank.rankers, name)(n_estimators=4, **options)


def sets(*masks):
    pairs = [(X[mask], Y[mask]) for mask in masks]
    return {"eval_set": pairs, "eval_groups": [QID[mask] for mask in masks]}


@pytest.mark.parametrize("name", ROUNDS)
@pytest.mark.parametrize("change", [np.asarray, pandas.DataFrame], ids=["array", "frame"])
def test_ranker_warns_of_evaluation_rows_that_are_training_rows(name, change):
    frame = change(X)
    with pytest.warns(RankingWarning, match=f"{name}.fit: {KNOWN}"):
        make(name).fit(frame, Y, groups=QID, eval_set=[(frame, Y)], eval_groups=[QID])


@pytest.mark.parametrize("name", ROUNDS)
@pytest.mark.parametrize("masks", [[NEW], [OLD, NEW]], ids=["held out", "both"])
def test_ranker_does_not_warn_of_held_out_rows(name, masks):
    make(name).fit(X[OLD], Y[OLD], groups=QID[OLD], **sets(*masks))


def test_ranker_does_not_warn_without_early_stopping():
    make("XGBRanker", None).fit(X[OLD], Y[OLD], groups=QID[OLD], **sets(OLD))


@pytest.mark.parametrize("cv", [2, 5])
def test_cross_validation_warns_of_evaluation_rows_among_its_rows(cv):
    with pytest.warns(RankingWarning, match=KNOWN):
        cross_val_score(make("XGBRanker"), X, Y, groups=QID, cv=cv, scoring="ndcg@5", params=sets(QID >= 0))


# ------------------------------------------------------------------ labels among the features


def score(model, X=X, y=Y, groups=QID):
    return cross_val_score(model, X, y, groups=groups, cv=2, scoring="ndcg@5")


@pytest.mark.parametrize("model", [Ridge(), make_pipeline(Ridge()), LogisticRegression(max_iter=5000)])
def test_cross_validation_warns_of_labels_in_features(model):
    with pytest.warns(RankingWarning, match="trains on column 10 of X, which equals the labels"):
        score(model, np.column_stack([X, Y]))


@pytest.mark.parametrize(("name", "is_leak"), [("click", True), ("other", False)])
def test_two_labels_in_features_are_found_by_name(name, is_leak):
    clicks = pandas.Series((Y > 2).astype(int), name="click")
    frame = pandas.DataFrame(X).rename(columns=str).assign(**{name: clicks})
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        score(Ridge(), frame, clicks)
    assert any("equals the labels" in str(each.message) for each in caught) == is_leak


# ------------------------------------------------------------------ rows held out by models


HELD_OUT = [
    HistGradientBoostingRegressor(early_stopping=True, max_iter=3),
    GradientBoostingRegressor(n_iter_no_change=2, n_estimators=3),
    MLPRegressor(hidden_layer_sizes=[2], early_stopping=True, max_iter=500, n_iter_no_change=2),
    SGDRegressor(early_stopping=True),
    make_pipeline(SGDRegressor(early_stopping=True)),
]
OTHERS = [
    HistGradientBoostingRegressor(max_iter=3),
    HistGradientBoostingRegressor(max_iter=3, early_stopping=True, validation_fraction=None),
    GradientBoostingRegressor(n_estimators=3),
    SGDRegressor(),
    StackingRegressor([("one", Ridge())], cv=GroupKFold(2)),
    StackingRegressor([("one", Ridge())], cv=2),
    PairwiseRanker(LogisticRegression()),
]
CUTTING = [
    StackingRegressor([("one", Ridge())], cv=KFold(3)),
    StackingRegressor([("one", Ridge())], cv=StratifiedKFold(3)),
    PairwiseRanker(GridSearchCV(LogisticRegression(), {"C": [1]}, cv=2)),
]


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("model", HELD_OUT, ids=lambda model: type(model).__name__)
def test_cross_validation_warns_of_rows_held_out_at_random(model):
    with pytest.warns(RankingWarning, match="early stopping holds out random rows, not queries"):
        score(model)


@pytest.mark.parametrize("model", CUTTING, ids=lambda model: type(model).__name__)
def test_cross_validation_warns_of_inner_splitters_without_ids(model):
    with pytest.warns(UserWarning, match="splits the training rows again without query ids"):
        score(model)


@pytest.mark.parametrize("model", OTHERS, ids=lambda model: type(model).__name__)
def test_cross_validation_does_not_warn_of_other_models(model):
    assert len(score(model)) == 2
