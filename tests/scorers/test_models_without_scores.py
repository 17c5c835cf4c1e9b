"""Models whose predictions are not scores of documents."""

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.cluster import Birch, KMeans
from sklearn.covariance import EllipticEnvelope
from sklearn.ensemble import IsolationForest, RandomForestClassifier
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.mixture import BayesianGaussianMixture, GaussianMixture
from sklearn.model_selection import GridSearchCV
from sklearn.multiclass import OneVsRestClassifier
from sklearn.multioutput import ClassifierChain, MultiOutputClassifier
from sklearn.neighbors import KNeighborsClassifier, LocalOutlierFactor
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import OneClassSVM
from sklearn.tree import DecisionTreeClassifier

from sklearn_rank import cross_val_score, ndcg_score, ndcg_scorer, ranking_scorer
from sklearn_rank.metrics import infap_scorer
from sklearn_rank.rankers import PairwiseRanker

RNG = np.random.default_rng(0)
X = RNG.normal(size=(60, 3))
Y = RNG.integers(0, 2, 60)
GRADES = RNG.integers(0, 3, 60)
QID = np.repeat(np.arange(6), 10)
WORDS = np.where(Y > 0, "good", "poor")


def around(model):
    """Return a model alone, as the last step of a pipeline, in a search, and frozen."""
    search = GridSearchCV(model, {}, scoring=lambda *_: 0.0, cv=2)
    return [model, make_pipeline(StandardScaler(), model), search, FrozenEstimator(model.fit(X))]


CLUSTERERS = [*around(KMeans(3, n_init=1, random_state=0)), Birch()]
DETECTORS = [
    *around(IsolationForest(n_estimators=3, random_state=0)),
    LocalOutlierFactor(novelty=True),
    EllipticEnvelope(random_state=0),
    OneClassSVM(),
]
MIXTURES = [*around(GaussianMixture(2, random_state=0)), BayesianGaussianMixture(n_components=2)]
SCORERS = [ndcg_scorer(k=5), ranking_scorer(["ndcg", "map"]), infap_scorer()]


def name_type(value):
    return type(value).__name__


@pytest.mark.parametrize("model", CLUSTERERS, ids=name_type)
@pytest.mark.parametrize("scorer", SCORERS, ids=name_type)
def test_scorers_reject_clusterers(scorer, model):
    with pytest.raises(ValueError, match=r"must predict scores. Got \w+ \(a clusterer, .* Fit a regressor"):
        scorer(model.fit(X, None), X, Y, groups=QID)


@pytest.mark.parametrize("model", MIXTURES, ids=name_type)
def test_scorers_reject_density_estimators(model):
    with pytest.raises(ValueError, match=r"Got \w+ \(a density estimator, .* pass model.score_samples\(X\)"):
        ndcg_scorer()(model.fit(X, None), X, Y, groups=QID)


@pytest.mark.parametrize("model", DETECTORS, ids=name_type)
def test_scorers_name_the_direction_of_outlier_detectors(model):
    rule = r"Got \w+ \(an outlier detector, .* inliers first, .* response_method=\"decision_function\"\."
    with pytest.raises(ValueError, match=rule):
        ndcg_scorer()(model.fit(X, None), X, Y, groups=QID)


@pytest.mark.parametrize("model", DETECTORS, ids=name_type)
def test_outlier_detectors_are_scored_by_requested_method(model):
    model.fit(X, None)
    value = ndcg_scorer(response_method="decision_function")(model, X, Y, groups=QID)
    assert value == ndcg_score(Y, model.decision_function(X), groups=QID)


def test_cross_val_score_rejects_an_outlier_detector():
    with pytest.raises(ValueError, match="Got IsolationForest"):
        cross_val_score(
            IsolationForest(n_estimators=3), X, Y, groups=QID, cv=2, scoring="ndcg@5", error_score="raise"
        )


@pytest.mark.parametrize("model", [KMeans(2), IsolationForest(), GaussianMixture(2)], ids=name_type)
def test_pairwise_ranker_rejects_models_without_scores(model):
    with pytest.raises(ValueError, match="'estimator' parameter of PairwiseRanker must be a classifier or"):
        PairwiseRanker(model).fit(X, Y, groups=QID)


# ------------------------------------------------------------------ classes


@pytest.mark.parametrize("classes", [WORDS, WORDS.astype(object)], ids=["str", "object"])
def test_scorers_reject_two_text_classes(classes):
    model = RandomForestClassifier(3, random_state=0).fit(X, classes)
    scorer = ndcg_scorer(labels="grade")
    for method in ("auto", "predict_proba"):
        scorer = ndcg_scorer(labels="grade", response_method=method)
        with pytest.raises(ValueError, match=r"'pos_label' .* set if classes .* Pass .*: pos_label='good'"):
            scorer(model, X, WORDS, groups=QID, labels=GRADES)


@pytest.mark.parametrize("labels", [Y, Y.astype(float), Y.astype(bool)], ids=["int", "float", "bool"])
def test_scorers_use_decision_function_for_two_numeric_classes(labels):
    model = LogisticRegression().fit(X, labels)
    expected = ndcg_score(Y, model.decision_function(X), groups=QID)
    assert ndcg_scorer()(model, X, labels, groups=QID) == expected


def test_scorer_of_one_class_gives_all_documents_same_score():
    model = DecisionTreeClassifier().fit(X, np.ones(60, dtype=int))
    assert ndcg_scorer()(model, X, Y, groups=QID) == ndcg_score(Y, np.zeros(60), groups=QID)


class ClassesOfObjects(ClassifierMixin, BaseEstimator):
    """A classifier whose classes are numbers in an array of objects."""

    def fit(self, X, y):
        self.classes_ = np.array([0, 1, 2], dtype=object)
        return self

    def predict_proba(self, X):
        return np.exp(X) / np.exp(X).sum(axis=1, keepdims=True)


def test_numeric_classes_of_object_dtype_are_grades():
    model = ClassesOfObjects().fit(X, GRADES)
    expected = ndcg_score(GRADES, model.predict_proba(X) @ [0, 1, 2], groups=QID)
    assert ndcg_scorer()(model, X, GRADES, groups=QID) == expected


class OneForEachClass(ClassesOfObjects):
    """A classifier of grades whose probabilities do not add up, as LightGBM's multiclassova."""

    def predict_proba(self, X):
        return 1 / (1 + np.exp(-X))

    def predict(self, X):
        return self.classes_[X.argmax(axis=1)]


def test_expected_grade_accepts_probabilities_that_do_not_add_up():
    model = OneForEachClass().fit(X, GRADES)
    expected = ndcg_score(GRADES, model.predict_proba(X) @ [0, 1, 2], groups=QID)
    assert ndcg_scorer()(model, X, GRADES, groups=QID) == expected


TWO, THREE = np.column_stack([Y, 1 - Y]), np.column_stack([Y, 1 - Y, Y])


@pytest.mark.parametrize(
    ("model", "targets"),
    [
        (MultiOutputClassifier(LogisticRegression()), TWO),
        (ClassifierChain(LogisticRegression()), TWO),
        (DecisionTreeClassifier(), TWO),
        (KNeighborsClassifier(), np.column_stack([GRADES, Y])),
        (OneVsRestClassifier(LogisticRegression()), THREE),
        (MLPClassifier([2], max_iter=5, random_state=0), THREE),
    ],
    ids=name_type,
)
@pytest.mark.filterwarnings("ignore:.*Optimizer")
def test_scorers_reject_classifiers_of_several_targets(model, targets):
    with pytest.raises(ValueError, match=r"must predict one score per row. Got \w+ with several targets"):
        ndcg_scorer()(model.fit(X, targets), X, Y, groups=QID)


def test_scorers_accept_predictions_in_one_column():
    model = LinearRegression().fit(X, Y[:, None])
    assert model.predict(X).shape == (60, 1)
    assert ndcg_scorer()(model, X, Y, groups=QID) == ndcg_score(Y, model.predict(X)[:, 0], groups=QID)


def test_regressors_of_several_targets_are_rejected():
    model = LinearRegression().fit(X, TWO)
    with pytest.raises(ValueError, match=r"Got shape \(60, 2\) instead"):
        ndcg_scorer()(model, X, Y, groups=QID)


class GradesByQuery(ClassifierMixin, BaseEstimator):
    """A classifier of three grades without probabilities, which takes ids where it predicts."""

    def fit(self, X, y):
        self.classes_ = np.array([0, 1, 2])
        return self

    def predict(self, X, groups):
        return np.zeros(len(X))


def test_scorer_error_names_class_of_model_that_takes_ids():
    with pytest.raises(
        ValueError, match=r"have the method decision_function or predict_proba\. Got GradesByQuery instead"
    ):
        ndcg_scorer()(GradesByQuery().fit(X, GRADES), X, GRADES, groups=QID)


def test_scorers_reject_a_list_that_contains_itself():
    inside_itself = []
    inside_itself.append(inside_itself)
    with pytest.raises(ValueError, match=r"'estimator' parameter .* must be a model .* Got list"):
        ndcg_scorer()(inside_itself, [[1], [2]], [0, 1], groups=[1, 1])
