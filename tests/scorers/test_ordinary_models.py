"""Ordinary models and data cause no warning of this package: no false alarms."""

import warnings

import numpy as np
import pytest
from sklearn.calibration import CalibratedClassifierCV
from sklearn.compose import TransformedTargetRegressor, make_column_transformer
from sklearn.ensemble import (
    AdaBoostClassifier,
    BaggingClassifier,
    BaggingRegressor,
    ExtraTreesClassifier,
    ExtraTreesRegressor,
    GradientBoostingClassifier,
    GradientBoostingRegressor,
    HistGradientBoostingClassifier,
    HistGradientBoostingRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
    StackingRegressor,
    VotingClassifier,
    VotingRegressor,
)
from sklearn.exceptions import UndefinedMetricWarning
from sklearn.feature_selection import SelectFromModel, SelectKBest
from sklearn.kernel_ridge import KernelRidge
from sklearn.linear_model import (
    BayesianRidge,
    ElasticNet,
    HuberRegressor,
    Lasso,
    LinearRegression,
    LogisticRegression,
    PoissonRegressor,
    Ridge,
    RidgeClassifier,
    SGDClassifier,
    SGDRegressor,
)
from sklearn.model_selection import RandomizedSearchCV
from sklearn.multiclass import OneVsRestClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor
from sklearn.neural_network import MLPRegressor
from sklearn.pipeline import make_pipeline, make_union
from sklearn.preprocessing import OneHotEncoder, PolynomialFeatures, QuantileTransformer, StandardScaler
from sklearn.svm import SVC, SVR, LinearSVC
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from sklearn_rank import (
    BalancedGroupKFold,
    GridSearchCV,
    RankingWarning,
    cross_val_predict,
    cross_validate,
    ranking_scorer,
    ranking_scores,
)

pytestmark = pytest.mark.slow
NAMES = ["ndcg@5", "map", "mrr", "precision@5", "group_auc", "hit_rate@5"]
SMALL = {"n_estimators": 10, "random_state": 0}
CLASSIFIERS = [
    LogisticRegression(),
    RidgeClassifier(),
    SGDClassifier(random_state=0),
    GaussianNB(),
    KNeighborsClassifier(),
    SVC(),
    LinearSVC(),
    DecisionTreeClassifier(max_depth=3, random_state=0),
    RandomForestClassifier(**SMALL),
    ExtraTreesClassifier(**SMALL),
    GradientBoostingClassifier(**SMALL),
    HistGradientBoostingClassifier(max_iter=10),
    AdaBoostClassifier(**SMALL),
    BaggingClassifier(**SMALL),
    CalibratedClassifierCV(LinearSVC(), cv=3),
    VotingClassifier([("a", LogisticRegression()), ("b", GaussianNB())], voting="soft"),
    OneVsRestClassifier(LogisticRegression()),
    make_pipeline(StandardScaler(), SelectKBest(k=3), LogisticRegression()),
    make_pipeline(SelectFromModel(LogisticRegression()), SVC()),
    GridSearchCV(LogisticRegression(), {"C": [0.1, 1]}, cv=3, scoring="ndcg@5"),
]
REGRESSORS = [
    LinearRegression(),
    Ridge(),
    Lasso(0.01),
    ElasticNet(0.01),
    BayesianRidge(),
    HuberRegressor(),
    PoissonRegressor(),
    SGDRegressor(random_state=0),
    SVR(),
    KNeighborsRegressor(),
    DecisionTreeRegressor(max_depth=3, random_state=0),
    RandomForestRegressor(**SMALL),
    ExtraTreesRegressor(**SMALL),
    GradientBoostingRegressor(**SMALL),
    HistGradientBoostingRegressor(max_iter=10),
    BaggingRegressor(**SMALL),
    KernelRidge(),
    MLPRegressor(hidden_layer_sizes=(5,), max_iter=20, random_state=0),
    VotingRegressor([("a", Ridge()), ("b", Lasso(0.01))]),
    StackingRegressor([("a", Ridge()), ("b", SVR())], Ridge(), cv=3),
    TransformedTargetRegressor(Ridge(), func=np.log1p, inverse_func=np.expm1),
    make_pipeline(PolynomialFeatures(), Ridge()),
    make_pipeline(make_union(StandardScaler(), QuantileTransformer(n_quantiles=20)), Ridge()),
    make_pipeline(make_column_transformer((OneHotEncoder(), [4]), remainder="passthrough"), Ridge()),
    RandomizedSearchCV(Ridge(), {"alpha": [0.1, 1, 10]}, n_iter=2, cv=3, random_state=0),
    GridSearchCV(Ridge(), {"alpha": [0.1, 1]}, cv=3, scoring="map"),
]


def make_rows():
    """Return features, grades from 0 to 3 and query ids of 40 queries of 8 to 15 documents."""
    rng = np.random.default_rng(0)
    qid = np.repeat(np.arange(40), rng.integers(8, 16, 40))
    X = rng.normal(size=(len(qid), 5))
    X[:, 4] = rng.integers(0, 3, len(qid))
    grades = np.clip(np.round(X[:, 0] + 0.5 * X[:, 1] + rng.normal(size=len(qid))), 0, 3)
    return X, grades, qid


def list_warnings(call):
    """Return the texts of the warnings of this package in a call."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        call()
    return [
        str(each.message)
        for each in caught
        if issubclass(each.category, RankingWarning | UndefinedMetricWarning)
    ]


def score_everywhere(model, X, y, qid, response):
    cross_validate(model, X, y, groups=qid, scoring=ranking_scorer(NAMES), cv=BalancedGroupKFold(2))
    scores = cross_val_predict(model, X, y, groups=qid, cv=2, method=response)
    ranking_scores(y, scores if np.ndim(scores) == 1 else scores[:, 1], groups=qid, metrics=NAMES)


@pytest.mark.parametrize("model", REGRESSORS, ids=lambda model: repr(model)[:40])
def test_ordinary_regressors_cause_no_warning(model):
    X, y, qid = make_rows()
    assert list_warnings(lambda: score_everywhere(model, X, y, qid, "predict")) == []


@pytest.mark.parametrize("model", CLASSIFIERS, ids=lambda model: repr(model)[:40])
def test_ordinary_classifiers_cause_no_warning(model):
    X, grades, qid = make_rows()
    response = "decision_function" if hasattr(model, "decision_function") else "predict_proba"
    assert list_warnings(lambda: score_everywhere(model, X, 1 * (grades > 1), qid, response)) == []


@pytest.mark.parametrize("model", [each for each in CLASSIFIERS if hasattr(each, "predict_proba")][:4])
def test_classifiers_of_grades_cause_no_warning(model):
    X, y, qid = make_rows()
    assert list_warnings(lambda: cross_validate(model, X, y, groups=qid, scoring=ranking_scorer(NAMES))) == []
