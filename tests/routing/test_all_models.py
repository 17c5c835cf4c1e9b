"""Models in cross-validation: all of scikit-learn's, and own ones, work as they do in scikit-learn."""

from inspect import Parameter, signature

import numpy as np
import pytest
import sklearn
import sklearn.model_selection as theirs
from sklearn import config_context
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.calibration import CalibratedClassifierCV
from sklearn.ensemble import AdaBoostClassifier
from sklearn.linear_model import LogisticRegression, LogisticRegressionCV, RANSACRegressor, Ridge
from sklearn.model_selection import KFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils import all_estimators

from sklearn_rank import BalancedGroupKFold, cross_val_predict, cross_val_score, ndcg_score, ndcg_scorer
from sklearn_rank.rankers import PairwiseRanker

ROWS = KFold(2)  # splits rows; an int would keep queries whole in models that split again
NDCG = ndcg_scorer(k=3)

# ------------------------------------------------------------------ all models of scikit-learn

KINDS = ("regressor", "classifier", "transformer")
# They require lists of columns or models, or a dictionary.
WITHOUT_DEFAULTS = {"ColumnTransformer", "FeatureUnion", "SparseCoder"}
ZOO = {
    f"{name} as {kind}": (kind, model)
    for kind in KINDS
    for name, model in all_estimators(type_filter=kind)
    if name not in WITHOUT_DEFAULTS
}


def build(kind, model):
    """Make a model with its defaults, and what it needs."""
    base = LogisticRegression() if kind == "classifier" else Ridge()
    needed = {"random_state": 0, "cv": ROWS, "n_iter": 1, "param_grid": {}, "param_distributions": {}}
    needed |= {"estimator": base, "estimators": [("a", base), ("b", base)]}
    always = ("random_state", "cv")
    parameters = signature(model).parameters
    searches = "param_distributions" in parameters
    given = {
        name: value
        for name, value in needed.items()
        if name in parameters
        and (name in always or parameters[name].default is Parameter.empty or (name == "n_iter" and searches))
    }
    return model(**given)


@pytest.fixture(scope="module")
def indexed():
    """Positive features with the ids in the index, labels, ids, folds and weights."""
    pandas = pytest.importorskip("pandas")
    rng = np.random.default_rng(0)
    groups = rng.integers(0, 20, 160)
    X = rng.random((160, 4)).round(2) + 0.1
    y = (3 * X[:, 0] + rng.random(160)).astype(int)
    frame = pandas.DataFrame(X, index=pandas.Index(groups, name="qid"))
    return frame, y, groups, list(BalancedGroupKFold(2).split(X, y, groups)), rng.random(160) + 0.1


def attempt(call):
    """Return what a call gives, or the error it raises."""
    np.random.seed(0)  # noqa: NPY002 - of models that draw from it
    try:
        return call()
    except Exception as error:
        return error


@pytest.mark.thorough
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("weighted", [False, True], ids=["plain", "weighted"])
@pytest.mark.parametrize(("kind", "model"), ZOO.values(), ids=ZOO)
def test_cross_val_score_equals_scikit_learn_for_every_model(kind, model, weighted, indexed):
    X, y, groups, folds, weights = indexed
    name = f"{model.__name__.lower()}__sample_weight" if kind == "transformer" else "sample_weight"
    options = {"cv": folds, "error_score": "raise", "params": {name: weights} if weighted else None}
    labels = (y > 1).astype(int) if kind == "classifier" else y
    try:
        model = build(kind, model)
    except TypeError:
        pytest.skip("it is made of parts that differ from model to model")
    model = make_pipeline(model, Ridge()) if kind == "transformer" else model
    by_name = ndcg_scorer(k=3, groups="qid")
    expected = attempt(lambda: theirs.cross_val_score(model, X, labels, scoring=by_name, **options))
    got = attempt(lambda: cross_val_score(model, X, labels, scoring=NDCG, groups=groups, **options))
    if isinstance(expected, Exception):  # ours raises an error too
        refused = "'params' parameter of cross_val_score must name parameters that reach the fit of"
        assert isinstance(got, Exception)
        ours = "must be a scikit-learn estimator"  # instead of an AttributeError about tags
        assert (weighted and refused in str(got)) or ours in str(got) or type(got) is type(expected)
    else:
        np.testing.assert_allclose(got, expected, atol=1e-12)


def test_zoo_contains_more_than_150_models():
    assert len(ZOO) > 150


# ------------------------------------------------------------------ own models


class FindsItsOwnScore(Ridge):
    """A ranker whose `fit` calls scikit-learn's cross-validation with ids."""

    def fit(self, X, y, groups=None):
        out_of_fold = theirs.cross_val_predict(Ridge(), X, y, groups=groups, cv=theirs.GroupKFold(3))
        self.score_ = ndcg_score(y, out_of_fold, groups=groups)
        return super().fit(X, y)


class OutsideScikitLearn:
    """A model that only looks like one of scikit-learn's."""

    def __init__(self, alpha=1.0):
        self.alpha = alpha

    def get_params(self, deep=True):
        return {"alpha": self.alpha}

    def set_params(self, **params):
        vars(self).update(params)
        return self

    def __sklearn_tags__(self):
        return Ridge().__sklearn_tags__()

    def fit(self, X, y, groups=None):
        np.testing.assert_array_equal(groups, X[:, -1])
        self.model_ = Ridge(alpha=self.alpha).fit(X[:, :-1], y)
        return self

    def predict(self, X):
        return self.model_.predict(X[:, :-1])


@pytest.mark.parametrize("wrap", [lambda model: model, make_pipeline], ids=["alone", "pipeline"])
def test_fit_can_call_scikit_learn_with_ids(wrap, ranking_data, by_hand):
    X, y, groups = ranking_data
    options = {"groups": groups, "scoring": NDCG, "cv": 3, "error_score": "raise"}
    assert cross_val_score(wrap(FindsItsOwnScore()), X, y, **options).tolist() == by_hand(Ridge(), k=3)


@pytest.mark.parametrize("wrap", [lambda model: model, make_pipeline], ids=["alone", "pipeline"])
def test_model_without_scikit_learn_base_class_gets_ids(wrap, with_ids, ranking_data, by_hand):
    (_, X), (_, y, groups) = with_ids, ranking_data
    options = {"groups": groups, "scoring": NDCG, "cv": 3, "error_score": "raise"}
    got = cross_val_score(wrap(OutsideScikitLearn()), X, y, **options)
    np.testing.assert_allclose(got, by_hand(Ridge(), k=3), atol=1e-12)


PAIRS = {
    "calibrated": CalibratedClassifierCV(LogisticRegression()),
    "searching": LogisticRegressionCV(Cs=2, cv=2, scoring="accuracy"),
    "boosted": AdaBoostClassifier(n_estimators=3, random_state=0),
    "robust": RANSACRegressor(random_state=0),
    "searched": theirs.GridSearchCV(LogisticRegression(), {"C": [1, 2]}, cv=2),
}


@pytest.mark.thorough
@pytest.mark.filterwarnings("ignore:.*LogisticRegressionCV", "ignore:The default value")
@pytest.mark.parametrize("name", PAIRS)
def test_pairwise_ranker_fits_its_model_as_without_routing(name, ranking_data, folds, routing):
    X, y, groups = ranking_data
    ranker = PairwiseRanker(PAIRS[name], max_pairs=20, random_state=0)
    options = {"groups": groups, "scoring": NDCG, "cv": folds[:1], "error_score": "raise"}
    got = cross_val_score(make_pipeline(StandardScaler(), ranker), X, y, **options)
    train, test = folds[0]
    scaler = StandardScaler().fit(X[train])
    with config_context(enable_metadata_routing=False):
        ranker.fit(scaler.transform(X[train]), y[train], groups=groups[train])
        predicted = ranker.predict(scaler.transform(X[test]))
    assert got.tolist() == [ndcg_score(y[test], predicted, groups=groups[test], k=3)]


class PerQuery(TransformerMixin, BaseEstimator):
    """A transformer of one's own that wants ids in `fit` and in `transform`."""

    def fit(self, X, y=None, groups=None):
        assert len(groups) == len(X)
        return self

    def transform(self, X, groups=None):
        means = {group: X[groups == group].mean(axis=0) for group in np.unique(groups)}
        return X - np.array([means[group] for group in groups])


@pytest.mark.parametrize("scoring", [NDCG, "r2", None], ids=str)
def test_own_transformer_gets_ids_in_predict(scoring, ranking_data, folds):
    X, y, groups = ranking_data
    model = make_pipeline(PerQuery(), Ridge())
    options = {"groups": groups, "cv": folds, "error_score": "raise"}
    got = cross_val_score(model, X, y, scoring=scoring, **options)
    predicted = cross_val_predict(model, X, y, groups=groups, cv=folds)
    for score, (train, test) in zip(got, folds):
        fitted = Ridge().fit(PerQuery().transform(X[train], groups[train]), y[train])
        expected = fitted.predict(PerQuery().transform(X[test], groups[test]))
        np.testing.assert_allclose(predicted[test], expected, atol=1e-12)
        metric = ndcg_score if scoring is NDCG else sklearn.metrics.r2_score
        ids = {"groups": groups[test], "k": 3} if scoring is NDCG else {}
        assert score == pytest.approx(metric(y[test], expected, **ids), abs=1e-12)
