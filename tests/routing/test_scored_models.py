"""Scorers that do not fit the model, in every function that takes `scoring`."""

import re

import numpy as np
import pytest
from sklearn import config_context
from sklearn.base import BaseEstimator
from sklearn.cluster import KMeans
from sklearn.ensemble import IsolationForest
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.metrics import f1_score, make_scorer
from sklearn.model_selection import GridSearchCV as PlainGridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from sklearn_rank import cross_val_report, cross_val_score, cross_validate, learning_curve, ndcg_scorer
from sklearn_rank.model_selection import GridSearchCV
from sklearn_rank.rankers import PairwiseRanker

RNG = np.random.default_rng(0)
X = RNG.normal(size=(60, 3))
Y = RNG.integers(0, 2, 60)
QID = np.repeat(np.arange(6), 10)

OF_CLASSIFIERS = [
    ("average_precision", "map"),
    ("roc_auc", "group_auc"),
    ("f1", "f1@10"),
    ("precision_macro", "precision@10"),
    ("recall", "recall@10"),
    ("accuracy", "hit_rate@1"),
    ("neg_log_loss", "ndcg@10"),
    (make_scorer(f1_score), "f1@10"),
]


@pytest.mark.parametrize(("scoring", "ours"), OF_CLASSIFIERS, ids=str)
@pytest.mark.parametrize(
    "model",
    [Ridge(), make_pipeline(StandardScaler(), Ridge()), PairwiseRanker(LogisticRegression())],
    ids=str,
)
def test_metrics_for_classifiers_are_rejected_for_regressors(model, scoring, ours):
    rule = rf'accept real predictions, as {type(model).__name__} .* Pass scoring="{ours}", which is the mean'
    with pytest.raises(ValueError, match=rule):
        cross_val_score(model, X, Y, groups=QID, cv=2, scoring=scoring)


CALLS = {
    "cross_validate": lambda model, scoring: cross_validate(model, X, Y, groups=QID, scoring=scoring),
    "cross_val_report": lambda model, scoring: cross_val_report(model, X, Y, groups=QID, scoring=[scoring]),
    "learning_curve": lambda model, scoring: learning_curve(
        model, X, Y, groups=QID, scoring=scoring, train_sizes=[0.5, 1.0]
    ),
    "GridSearchCV": lambda model, scoring: GridSearchCV(model, {}, scoring=scoring).fit(X, Y, groups=QID),
}


@pytest.mark.parametrize("call", ["cross_validate", "learning_curve", "GridSearchCV"])
def test_metrics_for_classifiers_are_rejected_before_training(call):
    with pytest.raises(ValueError, match=f"'scoring' parameter of {call} must accept real predictions"):
        CALLS[call](Ridge(), "average_precision")


@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize("model", [KMeans(2), IsolationForest()], ids=str)
def test_models_without_scores_are_rejected_before_training(model, call):
    with pytest.raises(ValueError, match=f"'estimator' parameter of {call} must predict scores"):
        CALLS[call](model, "ndcg@5")


def test_metrics_for_classifiers_are_computed_for_classifiers():
    values = cross_val_score(LogisticRegression(), X, Y, groups=QID, cv=2, scoring="average_precision")
    assert np.isfinite(values).all()


def test_outlier_detectors_are_scored_when_the_method_is_named():
    scorer = ndcg_scorer(k=5, response_method="decision_function")
    model = IsolationForest(n_estimators=3, random_state=0)
    assert np.isfinite(cross_val_score(model, X, Y, groups=QID, cv=2, scoring=scorer)).all()


@pytest.mark.parametrize("step", [KMeans(2, n_init=1), IsolationForest(n_estimators=3)], ids=str)
def test_search_can_replace_a_model_without_scores(step):
    search = GridSearchCV(
        make_pipeline(StandardScaler(), step),
        {f"{type(step).__name__.lower()}": [Ridge()]},
        scoring="ndcg@5",
        cv=2,
    )
    assert np.isfinite(search.fit(X, Y, groups=QID).best_score_)


def one(y_true, y_score):
    return 1.0


@pytest.mark.parametrize("methods", ["predict", ("decision_function", "predict")])
def test_scorers_of_methods_that_a_regressor_has_are_called(methods):
    scorer = make_scorer(one, response_method=methods)
    assert cross_val_score(Ridge(), X, Y, groups=QID, cv=2, scoring=scorer).tolist() == [1, 1]


PRIVATE = re.compile(r"\w*Model\b|_CVIterableWrapper|\w+Scorer\b|sklearn_rank\._")


def test_warning_names_the_number_of_folds_of_a_list():
    folds = [(np.arange(25), np.arange(25, 60))]
    with pytest.warns(UserWarning, match="^a list of 1 fold cuts queries: in fold 0"):
        cross_val_score(Ridge(), X, Y, groups=QID, cv=folds, scoring="ndcg@5")


class _Halves:
    """A splitter of a user, whose class has a private name and whose number of folds depends on the rows."""

    def __repr__(self):
        return "_Halves()"

    def get_n_splits(self, X, y, groups):
        return 2

    def split(self, X, y=None, groups=None):
        rows = np.arange(len(X))
        yield from ((rows[side::2], rows[1 - side :: 2]) for side in (0, 1))


def test_warning_names_a_splitter_of_a_private_class_by_its_repr():
    with pytest.warns(UserWarning, match=r"^_Halves\(\) cuts queries: in all 2 folds"):
        cross_val_score(Ridge(), X, Y, groups=QID, cv=_Halves(), scoring="ndcg@5")


@pytest.mark.parametrize("call", ["cross_validate", "learning_curve", "GridSearchCV"])
def test_errors_of_own_scorers_name_no_private_class(call):
    with pytest.raises(ValueError, match="scoring must return a number") as error:
        CALLS[call](Ridge(), lambda model, X, y: repr(model))
    assert "got Ridge() (" in str(error.value)
    assert not PRIVATE.search(str(error.value))


class NoModelOfScikitLearn:
    """A model without tags."""

    def fit(self, X, y):
        return self

    def predict(self, X):
        return X[:, 0]

    def get_params(self, deep=True):
        return {}


@pytest.mark.parametrize("is_searched", [False, True])
def test_models_without_tags_raise_the_error_of_scikit_learn(is_searched):
    model = PlainGridSearchCV(NoModelOfScikitLearn(), {}, cv=2) if is_searched else NoModelOfScikitLearn()
    with pytest.raises(
        Exception, match=r"sklearn_tags|none of the following|NoModelOfScikitLearn|mix of binary"
    ):
        cross_val_score(model, X, Y, groups=QID, cv=2, scoring="f1", error_score="raise")


class Plain(BaseEstimator):
    """A model of a user that only predicts, neither classifier nor regressor."""

    def fit(self, X, y):
        return self

    def predict(self, X):
        return X[:, 0]


class PlainByQuery(Plain):
    """A model of a user that takes ids."""

    def fit(self, X, y, groups):
        return self

    def predict(self, X, groups):
        return X[:, 0]


LACKING = {
    "roc_auc": "roc_auc",
    "average_precision": "average_precision",
    "neg_log_loss": "neg_log_loss",
    "probability": make_scorer(one, response_method="predict_proba"),
    "decision": make_scorer(one, response_method="decision_function"),
    "list": make_scorer(one, response_method=["decision_function", "predict_proba"]),
}


@pytest.mark.parametrize("routing", [False, True], ids=["routing off", "routing on"])
@pytest.mark.parametrize("scoring", LACKING)
@pytest.mark.parametrize("kind", [Plain, PlainByQuery])
def test_errors_name_the_users_class_if_a_method_is_missing(kind, scoring, routing):
    with config_context(enable_metadata_routing=routing):
        model = kind()
        if routing and kind is PlainByQuery:
            model.set_fit_request(groups=True).set_predict_request(groups=True)
        with pytest.raises(AttributeError, match=rf"^{kind.__name__} has none of the following attributes"):
            cross_val_score(model, X, Y, groups=QID, cv=2, scoring=LACKING[scoring], error_score="raise")


@pytest.mark.parametrize("kind", [GridSearchCV, PlainGridSearchCV])
@pytest.mark.parametrize("scoring", ["roc_auc", "list"])
def test_searches_name_the_users_class_if_a_method_is_missing(scoring, kind):
    search = kind(Plain(), {}, scoring=LACKING[scoring], cv=2, error_score="raise")
    for call in (
        lambda: cross_val_score(search, X, Y, groups=QID, cv=2, scoring="r2", error_score="raise"),
        lambda: GridSearchCV(search, {}, scoring="r2", cv=2, error_score="raise").fit(X, Y, groups=QID),
    ):
        with pytest.raises(AttributeError, match=r"^Plain has none of the following attributes"):
            call()


def test_warning_of_failed_scores_names_no_private_class():
    scoring = LACKING["list"]
    with pytest.warns(UserWarning, match=r"AttributeError: Plain has none of the following") as caught:
        cross_val_score(Plain(), X, Y, groups=QID, cv=2, scoring=scoring)
    assert not any("Bound" in str(each.message) for each in caught)
