"""Scorers of what the top-k lists look like: items and features travel in the data."""

import pickle

import numpy as np
import pytest
from sklearn.base import BaseEstimator, RegressorMixin, clone
from sklearn.linear_model import Ridge

import sklearn_rank
from sklearn_rank import (
    catalog_coverage_scorer,
    cross_val_score,
    intra_list_similarity_score,
    neg_exposure_gini_scorer,
    neg_intra_list_similarity_scorer,
    novelty_scorer,
)
from tests.helpers.naming import PUBLIC, name_of


@pytest.fixture
def frame(rows):
    """The rows as a frame with an item id, and a model that predicts its scores."""
    pandas = pytest.importorskip("pandas")
    index = pandas.Index(rows["items"], name="item")
    X = pandas.DataFrame(rows["X"], columns=["a", "b", "c"], index=index)
    model = Ridge().fit(X, np.nan_to_num(rows["y_score"], neginf=-5))
    return X, model


def test_features_of_a_scorer_are_columns_of_the_data(frame, rows):
    X, model = frame
    y_score = model.predict(X)
    for columns in (None, ["a", "c"]):
        scorer = neg_intra_list_similarity_scorer(k=2, columns=columns)
        features = X if columns is None else X[columns]
        expected = -intra_list_similarity_score(features, y_score, groups=rows["groups"], k=2)
        assert scorer(model, X, y_score, groups=rows["groups"]) == pytest.approx(expected, abs=1e-12)
    scorer = neg_intra_list_similarity_scorer(k=2, columns=[0, 2])
    array = Ridge().fit(X.to_numpy(), y_score)
    assert scorer(array, X.to_numpy(), y_score, groups=rows["groups"]) == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize(
    ("make", "name", "sign"),
    [
        (catalog_coverage_scorer, "catalog_coverage_score", 1),
        (neg_exposure_gini_scorer, "exposure_gini_score", -1),
        (
            lambda **options: novelty_scorer(popularity=dict.fromkeys(range(9), 0.25), **options),
            "novelty_score",
            1,
        ),
    ],
)
def test_items_of_a_scorer_travel_in_the_data(make, name, sign, frame, rows):
    X, model = frame
    got = make(k=2, items="item")(model, X, None, groups=rows["groups"])
    options = {"popularity": dict.fromkeys(range(9), 0.25)} if name == "novelty_score" else {}
    function = getattr(sklearn_rank, name)
    expected = function(rows["items"], model.predict(X), groups=rows["groups"], k=2, **options)
    assert got == pytest.approx(sign * expected, abs=1e-12)


class Predicts(RegressorMixin, BaseEstimator):
    """A fitted model that leaves the ids out."""

    def __init__(self, model):
        self.model = model

    def fit(self, X, y):
        return self

    def predict(self, X):
        return self.model.predict(X[["a", "b", "c"]])


def test_ids_in_a_column_are_no_feature(frame, rows):
    X, model = frame
    with_ids = X.assign(user=np.unique(rows["groups"], return_inverse=True)[1] * 100)
    got = neg_intra_list_similarity_scorer(k=2, groups="user")(Predicts(model), with_ids, None)
    expected = neg_intra_list_similarity_scorer(k=2)(model, X, None, groups=rows["groups"])
    assert got == pytest.approx(expected, abs=1e-12)
    with pytest.raises(ValueError, match=r"'columns' parameter of .* must name columns of X"):
        neg_intra_list_similarity_scorer(k=2, columns=["z"])(model, X, None, groups=rows["groups"])


def test_a_scorer_of_all_lists_takes_no_weights(frame, rows):
    X, model = frame
    scorer = catalog_coverage_scorer(k=2, items="item")
    with pytest.raises(TypeError, match="takes no 'sample_weight'"):
        scorer(model, X, None, groups=rows["groups"], sample_weight=np.ones(14))


def test_in_cross_validation(routing, ranking_data, folds):
    X, y, groups = ranking_data
    scorer = neg_intra_list_similarity_scorer(k=3, columns=[0, 1])
    got = cross_val_score(Ridge(), X, y, scoring=scorer, groups=groups, cv=folds)
    for (train, test), value in zip(folds, got):
        y_score = Ridge().fit(X[train], y[train]).predict(X[test])
        expected = -intra_list_similarity_score(X[test][:, :2], y_score, groups=groups[test], k=3)
        assert value == expected


SCORERS = [
    neg_intra_list_similarity_scorer(k=3, columns=["a"], ties="order", zero_division=0.0),
    catalog_coverage_scorer(k=3, items="item", catalog=12),
    neg_exposure_gini_scorer(k=3, items="item", discount="log2"),
    novelty_scorer(k=3, items="item", popularity={0: 0.5}, average="weighted", groups="user"),
]


@pytest.mark.parametrize("copy", [clone, lambda scorer: pickle.loads(pickle.dumps(scorer))])
@pytest.mark.parametrize("scorer", SCORERS, ids=lambda scorer: scorer.metric)
def test_a_copy_and_the_description_make_the_same_scorer(scorer, copy):
    assert repr(copy(scorer)) == repr(scorer)
    assert repr(eval(scorer.describe(), PUBLIC)) == repr(scorer)


@pytest.mark.parametrize(
    ("factory", "options", "parameter"),
    [
        (neg_intra_list_similarity_scorer, {"k": None}, "k"),
        (neg_intra_list_similarity_scorer, {"k": 3, "similarity": "dot"}, "similarity"),
        (neg_intra_list_similarity_scorer, {"k": 3, "average": None}, "average"),
        (neg_intra_list_similarity_scorer, {"k": 3, "columns": "f1"}, "columns"),
        (neg_intra_list_similarity_scorer, {"k": 3, "columns": []}, "columns"),
        (catalog_coverage_scorer, {"k": 3, "items": "item", "catalog": -4}, "catalog"),
        (neg_exposure_gini_scorer, {"k": 3, "items": "item", "discount": "foo"}, "discount"),
        (novelty_scorer, {"k": 3, "items": "item", "popularity": 3}, "popularity"),
        (catalog_coverage_scorer, {"k": 3, "items": 5}, "items"),
        (catalog_coverage_scorer, {"k": 3, "items": "item", "ties": "best"}, "ties"),
        (neg_exposure_gini_scorer, {"k": 0, "items": "item"}, "k"),
        (novelty_scorer, {"k": 3, "items": "item", "popularity": {}, "zero_division": 3}, "zero_division"),
        (novelty_scorer, {"k": 3, "items": "item", "popularity": {}, "groups": 3}, "groups"),
    ],
    ids=name_of,
)
def test_a_factory_refuses_at_once(factory, options, parameter):
    with pytest.raises(ValueError, match=f"'{parameter}' parameter of {factory.__name__} must"):
        factory(**options)
