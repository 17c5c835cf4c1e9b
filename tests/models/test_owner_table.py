"""The table of owners: every meta-estimator of scikit-learn is in it, or is rejected before training."""

import inspect
import pickle
import warnings

import numpy as np
import pytest
from scipy.sparse import csr_array
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin, clone, is_classifier
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.model_selection import GroupKFold
from sklearn.pipeline import make_pipeline
from sklearn.utils import all_estimators

from sklearn_rank import BalancedGroupKFold, WithGroups, cross_val_predict, cross_validate
from sklearn_rank._rows.inner_models import read_parameters
from sklearn_rank._rows.owners import BY_ROUTING, OWNERS

N_QUERIES, N_DOCUMENTS = 16, 6
rng = np.random.default_rng(0)
QUERY = rng.permutation(np.repeat(np.arange(N_QUERIES), N_DOCUMENTS))
PLACE = rng.permutation(len(QUERY))
X = PLACE[:, None] + np.arange(4) * 0.1  # each column identifies the row
ROW = np.argsort(PLACE)
Y = rng.integers(0, 2, len(QUERY))
WEIGHTS = rng.uniform(0.5, 2, len(QUERY))
HOLDERS = (
    "estimator",
    "estimators",
    "steps",
    "transformers",
    "transformer_list",
    "regressor",
    "base_estimator",
)
OPTIONS = {
    "BaggingClassifier": {"n_estimators": 3, "random_state": 0},
    "BaggingRegressor": {"n_estimators": 3, "random_state": 0},
    "AdaBoostClassifier": {"n_estimators": 2, "random_state": 0},
    "AdaBoostRegressor": {"n_estimators": 2, "random_state": 0},
    "GridSearchCV": {"param_grid": {}, "cv": 3},
    "HalvingGridSearchCV": {"param_grid": {}, "cv": 3, "random_state": 0},
    "HalvingRandomSearchCV": {"param_distributions": {}, "cv": 3, "n_candidates": 1, "random_state": 0},
    "OutputCodeClassifier": {"random_state": 0},
    "RANSACRegressor": {"min_samples": 0.7, "residual_threshold": 99.0, "random_state": 0},
    "RFE": {"n_features_to_select": 2},
    "RFECV": {"cv": 3},
    "RandomizedSearchCV": {"param_distributions": {}, "n_iter": 1, "cv": 3, "random_state": 0},
    "SelectFromModel": {"threshold": -1},
    "SequentialFeatureSelector": {"n_features_to_select": 2, "cv": 3},
    "StackingClassifier": {"cv": 3},
    "StackingRegressor": {"cv": 3},
    "CalibratedClassifierCV": {"cv": 3},
    "TunedThresholdClassifierCV": {"cv": 3},
}
SEVERAL_TARGETS = ("MultiOutputClassifier", "MultiOutputRegressor", "ClassifierChain", "RegressorChain")
RESHAPES_Y = ("ClassifierChain", "RegressorChain")  # they append labels to the columns of X
CALLS = []


def check(model, X, groups, y=None):
    """Check that ids are those of the rows, in which every column identifies the row."""
    assert groups is not None
    dense = X.toarray() if hasattr(X, "toarray") else np.asarray(X)
    rows = ROW[np.floor(dense[:, 0] + 1e-9).astype(int)]
    assert np.array_equal(QUERY[rows], groups)
    CALLS.append(type(model).__name__)


class Regressor(RegressorMixin, BaseEstimator):
    """A regressor that checks its ids."""

    def fit(self, X, y, groups=None, sample_weight=None):
        check(self, X, groups)
        self.model_ = Ridge().fit(X, y, sample_weight)
        self.coef_, self.n_features_in_ = self.model_.coef_, X.shape[1]
        return self

    def predict(self, X, groups=None):
        check(self, X, groups)
        return self.model_.predict(X)


class Classifier(ClassifierMixin, BaseEstimator):
    """A classifier that checks its ids."""

    def fit(self, X, y, groups=None, sample_weight=None):
        check(self, X, groups)
        self.model_ = LogisticRegression().fit(X, y, sample_weight)
        self.coef_, self.n_features_in_, self.classes_ = self.model_.coef_, X.shape[1], self.model_.classes_
        return self

    def predict(self, X, groups=None):
        check(self, X, groups)
        return self.model_.predict(X)

    def predict_proba(self, X, groups=None):
        check(self, X, groups)
        return self.model_.predict_proba(X)


def list_owners():
    """List the classes of scikit-learn that have a model as a parameter."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        kinds = dict(all_estimators())
    from sklearn.experimental import enable_halving_search_cv  # noqa: F401
    from sklearn.model_selection import HalvingGridSearchCV, HalvingRandomSearchCV

    kinds |= {kind.__name__: kind for kind in (HalvingGridSearchCV, HalvingRandomSearchCV)}
    return {name: kind for name, kind in kinds.items() if {*HOLDERS} & {*inspect.signature(kind).parameters}}


KINDS = list_owners()
CONTAINERS = ("Pipeline", "FeatureUnion", "ColumnTransformer", "FrozenEstimator")  # tested elsewhere


def build(name, regressor, classifier):
    """Make an owner around a model."""
    kind = KINDS[name]
    of_classifiers = issubclass(kind, ClassifierMixin) or "Classifier" in name or name == "ClassifierChain"
    part = classifier if of_classifiers else regressor
    taken = inspect.signature(kind).parameters
    holder = next(each for each in HOLDERS if each in taken)
    value = [("part", part)] if holder in ("estimators",) else part
    return kind(**{holder: value}, **OPTIONS.get(name, {}))


def labels_for(name):
    return np.column_stack([Y, 1 - Y]) if name in SEVERAL_TARGETS else Y


def with_folds(model, train):
    """Return a clone whose folds of training rows consist of whole queries."""
    if getattr(model, "cv", None) is None:
        return clone(model)
    return clone(model).set_params(
        cv=list(BalancedGroupKFold(model.cv).split(X[train], Y[train], QUERY[train]))
    )


TESTED = sorted({*OWNERS} & {*KINDS} - {*CONTAINERS})


PREDICTING = [each for each in TESTED if hasattr(build(each, Ridge(), LogisticRegression()), "predict")]
ASIDE = {  # classes of scikit-learn with a model as a parameter that are not in the table
    "GradientBoostingClassifier": {"init": Classifier(), "n_estimators": 2},
    "GradientBoostingRegressor": {"init": Regressor(), "n_estimators": 2},
    "IterativeImputer": {"estimator": Regressor()},
}


def test_every_owner_of_scikit_learn_is_in_the_table():
    assert {*KINDS} - {*OWNERS} == {"IterativeImputer"} & {*KINDS}


@pytest.mark.parametrize("name", ASIDE)
def test_owners_outside_the_table_are_rejected_with_a_fix(name):
    from sklearn.experimental import enable_iterative_imputer  # noqa: F401

    CALLS.clear()
    model = dict(all_estimators())[name](**ASIDE[name])
    model = model if hasattr(model, "predict") else make_pipeline(model, Ridge())
    with pytest.raises(ValueError, match=rf"Got {name}, which calls .*instead\. (Use|Put|If) "):
        cross_val_predict(model, X, Y, groups=QUERY, cv=GroupKFold(2))
    assert not CALLS


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", PREDICTING)
def test_pickled_owners_predict_with_ids_as_before(name):
    model = WithGroups(build(name, Regressor(), Classifier())).fit(X, labels_for(name), groups=QUERY)
    expected = model.predict(X, groups=QUERY)
    CALLS.clear()
    loaded = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(loaded.predict(X, groups=QUERY), expected)
    assert CALLS


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("form", ["array", "frame", "sparse"])
@pytest.mark.parametrize("name", TESTED)
def test_parts_of_owners_get_the_ids_of_their_rows(name, form, routing):
    forms = {"array": np.asarray, "sparse": csr_array}
    make = forms.get(form) or pytest.importorskip("pandas").DataFrame
    CALLS.clear()
    model = build(name, Regressor(), Classifier())
    scoring = (lambda model, X, y: 0.0) if not hasattr(model, "predict") or name in SEVERAL_TARGETS else None
    options = {"groups": QUERY, "cv": GroupKFold(2), "error_score": "raise", "return_estimator": True}
    if name in RESHAPES_Y and form == "sparse":
        pytest.skip("chains append labels to the columns")
    results = cross_validate(model, make(X), labels_for(name), scoring=scoring, **options)
    assert CALLS
    for fitted in results["estimator"]:
        assert b"_rows" not in pickle.dumps(fitted)
        assert getattr(fitted, "n_features_in_", 4) == 4


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("weighted", [False, True], ids=["plain", "weighted"])
@pytest.mark.parametrize("name", PREDICTING)
def test_owners_predict_as_with_parts_that_take_no_ids(name, weighted):
    params = {"sample_weight": WEIGHTS} if weighted else {}
    options = {"groups": QUERY, "cv": GroupKFold(2), "params": params}
    data = X / 50, labels_for(name)
    plain = build(name, Ridge(), LogisticRegression())
    if weighted and "sample_weight" not in inspect.signature(type(plain).fit).parameters:
        takes_any = any(
            each.kind is each.VAR_KEYWORD for each in inspect.signature(plain.fit).parameters.values()
        )
        if not takes_any:
            pytest.skip("the model takes no weights")

    class Same(Ridge):
        def fit(self, X, y, sample_weight=None, groups=None):
            assert groups is not None
            return super().fit(X, y, sample_weight)

    class SameClassifier(LogisticRegression):
        def fit(self, X, y, sample_weight=None, groups=None):
            assert groups is not None
            return super().fit(X, y, sample_weight)

    asking = build(name, Same(), SameClassifier())
    got, expected = (cross_val_predict(model, *data, **options) for model in (asking, plain))
    np.testing.assert_allclose(got, expected)
    if not (weighted and name in BY_ROUTING.split()):  # their own `fit` takes weights with routing only
        by_hand = np.empty_like(expected)
        for train, test in GroupKFold(2).split(*data, QUERY):
            given = {key: value[train] for key, value in params.items()}
            model = with_folds(plain, train).fit(data[0][train], data[1][train], **given)
            by_hand[test] = model.predict(data[0][test])
        np.testing.assert_allclose(got, by_hand)
    assert is_classifier(plain) == is_classifier(asking)


@pytest.mark.filterwarnings("ignore::FutureWarning")
@pytest.mark.parametrize("kind", dict(all_estimators()).values(), ids=lambda kind: kind.__name__)
def test_parameters_of_a_model_are_those_of_get_params(kind):
    needed = [each for each in inspect.signature(kind).parameters.values() if each.default is each.empty]
    plain = [each.name for each in needed if each.kind is each.POSITIONAL_OR_KEYWORD]
    model = kind(**{name: [("ridge", Ridge())] for name in plain})
    expected = model.get_params(deep=False)
    found = read_parameters(model)
    assert list(found) == list(expected)
    assert all(found[name] is expected[name] for name in expected)
