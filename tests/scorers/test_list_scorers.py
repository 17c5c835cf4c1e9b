"""Scorers of top-k lists, with items and features in the data."""

import pickle
from copy import copy

import numpy as np
import pytest
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.linear_model import Ridge

import sklearn_rank
from sklearn_rank import (
    catalog_coverage_scorer,
    cross_val_score,
    diversity_score,
    diversity_scorer,
    intra_list_similarity_loss,
    neg_intra_list_similarity_loss_scorer,
)
from sklearn_rank.metrics import (
    calibration_loss,
    neg_average_popularity_loss_scorer,
    neg_calibration_loss_scorer,
    neg_exposure_gini_loss_scorer,
    novelty_scorer,
    personalization_scorer,
    serendipity_score,
    serendipity_scorer,
    tail_share_scorer,
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


def test_list_scorer_is_printed_with_two_entries_of_a_large_table():
    popularity = {item: 1 for item in range(50)}
    scorer = novelty_scorer(items="item", k=3, popularity=popularity)
    assert repr(scorer) == "novelty_scorer(items='item', k=3, popularity={0: 1, 1: 1, ... 50 entries})"


def test_list_scorer_uses_columns_of_data_as_features(frame, rows):
    X, model = frame
    y_score = model.predict(X)
    for columns in (None, ["a", "c"]):
        scorer = neg_intra_list_similarity_loss_scorer(k=2, columns=columns)
        features = X if columns is None else X[columns]
        expected = -intra_list_similarity_loss(features, y_score, groups=rows["groups"], k=2)
        assert scorer(model, X, y_score, groups=rows["groups"]) == pytest.approx(expected, abs=1e-12)
    scorer = neg_intra_list_similarity_loss_scorer(k=2, columns=[0, 2])
    array = Ridge().fit(X.to_numpy(), y_score)
    assert scorer(array, X.to_numpy(), y_score, groups=rows["groups"]) == pytest.approx(expected, abs=1e-9)


KNOWN = {"popularity": {item: 1 / (2 + item) for item in range(9)}}


@pytest.mark.parametrize(
    ("make", "name", "sign", "options"),
    [
        (catalog_coverage_scorer, "catalog_coverage_score", 1, {}),
        (neg_exposure_gini_loss_scorer, "exposure_gini_loss", -1, {}),
        (personalization_scorer, "personalization_score", 1, {}),
        (novelty_scorer, "novelty_score", 1, KNOWN),
        (neg_average_popularity_loss_scorer, "average_popularity_loss", -1, KNOWN),
        (tail_share_scorer, "tail_share_score", 1, KNOWN | {"tail": 0.5}),
    ],
)
def test_list_scorer_reads_items_from_data(make, name, sign, options, frame, rows):
    X, model = frame
    got = make(k=2, items="item", **options)(model, X, None, groups=rows["groups"])
    function = getattr(sklearn_rank.metrics, name)
    expected = function(rows["items"], model.predict(X), groups=rows["groups"], k=2, **options)
    assert got == pytest.approx(sign * expected, abs=1e-12)


PAST = [[1, 0, 2], [0, 0, 1], [3, 1, 0]], ["u", "v", "w"]


@pytest.mark.parametrize("columns", [None, ["a", "c"]])
def test_list_scorers_of_features_use_labels_and_history(columns, frame, rows):
    X, model = frame
    X, y_true, groups = X.abs(), rows["items"] % 3, rows["groups"]
    y_score = model.predict(X)
    features = X.to_numpy() if columns is None else X[columns].to_numpy()
    past = PAST if columns is None else ([[one, three] for one, _, three in PAST[0]], PAST[1])
    got = {
        make: make(k=2, columns=columns, **options)(model, X, y_true, groups=groups)
        for make, options in (
            (diversity_scorer, {}),
            (neg_calibration_loss_scorer, {"history": past, "smoothing": 0.2}),
            (serendipity_scorer, {"history": past}),
        )
    }
    given = {"groups": groups, "k": 2}
    assert got == {
        diversity_scorer: diversity_score(features, y_score, **given),
        neg_calibration_loss_scorer: -calibration_loss(
            features, y_score, **given, history=past, smoothing=0.2
        ),
        serendipity_scorer: serendipity_score(y_true, y_score, **given, X=features, history=past),
    }


class Predicts(RegressorMixin, BaseEstimator):
    """A fitted model that leaves the ids out."""

    def __init__(self, model):
        self.model = model

    def fit(self, X, y):
        return self

    def predict(self, X):
        return self.model.predict(X[["a", "b", "c"]])


def test_list_scorer_excludes_id_column_from_features(frame, rows):
    X, model = frame
    with_ids = X.assign(user=np.unique(rows["groups"], return_inverse=True)[1] * 100)
    got = neg_intra_list_similarity_loss_scorer(k=2, groups="user")(Predicts(model), with_ids, None)
    expected = neg_intra_list_similarity_loss_scorer(k=2)(model, X, None, groups=rows["groups"])
    assert got == pytest.approx(expected, abs=1e-12)
    with pytest.raises(ValueError, match=r"'columns' parameter of .* must contain only columns of X"):
        neg_intra_list_similarity_loss_scorer(k=2, columns=["z"])(model, X, None, groups=rows["groups"])


def test_catalog_coverage_scorer_rejects_sample_weight(frame, rows):
    X, model = frame
    scorer = catalog_coverage_scorer(k=2, items="item")
    with pytest.raises(TypeError, match="does not take 'sample_weight', because it is not a mean"):
        scorer(model, X, None, groups=rows["groups"], sample_weight=np.ones(14))


def test_list_scorer_works_in_cross_validation(routing, ranking_data, folds):
    X, y, groups = ranking_data
    scorer = neg_intra_list_similarity_loss_scorer(k=3, columns=[0, 1])
    got = cross_val_score(Ridge(), X, y, scoring=scorer, groups=groups, cv=folds)
    for (train, test), value in zip(folds, got):
        y_score = Ridge().fit(X[train], y[train]).predict(X[test])
        expected = -intra_list_similarity_loss(X[test][:, :2], y_score, groups=groups[test], k=3)
        assert value == expected


SCORERS = [
    neg_intra_list_similarity_loss_scorer(k=3, columns=["a"], ties="order", zero_division=0.0),
    catalog_coverage_scorer(k=3, items="item", catalog=12),
    neg_exposure_gini_loss_scorer(k=3, items="item", discount="log2"),
    novelty_scorer(k=3, items="item", popularity={0: 0.5}, average="weighted", groups="user"),
    diversity_scorer(k=3, columns=["a"], ties="order"),
    personalization_scorer(k=3, items="item"),
    neg_average_popularity_loss_scorer(k=3, items="item", popularity={0: 5}),
    tail_share_scorer(k=3, items="item", popularity={0: 5}, tail=0.1),
    neg_calibration_loss_scorer(k=3, history=PAST, discount="log2", smoothing=0.5),
    serendipity_scorer(k=3, history=PAST, min_relevance=2),
]


@pytest.mark.parametrize("make_copy", [copy, lambda scorer: pickle.loads(pickle.dumps(scorer))])
@pytest.mark.parametrize("scorer", SCORERS, ids=lambda scorer: scorer.metrics.__name__)
def test_list_scorer_copy_and_description_are_equal(scorer, make_copy):
    assert repr(make_copy(scorer)) == repr(scorer)
    assert repr(eval(scorer.describe(), PUBLIC)) == repr(scorer)


@pytest.mark.parametrize(
    ("factory", "options", "parameter"),
    [
        (neg_intra_list_similarity_loss_scorer, {"k": None}, "k"),
        (neg_intra_list_similarity_loss_scorer, {"k": 3, "similarity": "dot"}, "similarity"),
        (neg_intra_list_similarity_loss_scorer, {"k": 3, "average": None}, "average"),
        (neg_intra_list_similarity_loss_scorer, {"k": 3, "columns": "f1"}, "columns"),
        (neg_intra_list_similarity_loss_scorer, {"k": 3, "columns": []}, "columns"),
        (catalog_coverage_scorer, {"k": 3, "items": "item", "catalog": -4}, "catalog"),
        (neg_exposure_gini_loss_scorer, {"k": 3, "items": "item", "discount": "foo"}, "discount"),
        (novelty_scorer, {"k": 3, "items": "item", "popularity": 3}, "popularity"),
        (catalog_coverage_scorer, {"k": 3, "items": 5}, "items"),
        (catalog_coverage_scorer, {"k": 3, "items": "item", "ties": "best"}, "ties"),
        (neg_exposure_gini_loss_scorer, {"k": 0, "items": "item"}, "k"),
        (novelty_scorer, {"k": 3, "items": "item", "popularity": {}, "zero_division": 3}, "zero_division"),
        (novelty_scorer, {"k": 3, "items": "item", "popularity": {}, "groups": 3}, "groups"),
        (diversity_scorer, {"k": 3, "similarity": "dot"}, "similarity"),
        (personalization_scorer, {"k": 3, "items": None}, "items"),
        (neg_average_popularity_loss_scorer, {"k": 3, "items": "item", "popularity": [1]}, "popularity"),
        (tail_share_scorer, {"k": 3, "items": "item", "popularity": 3}, "popularity"),
        (tail_share_scorer, {"k": 3, "items": "item", "popularity": {}, "tail": 1}, "tail"),
        (neg_calibration_loss_scorer, {"k": 3, "history": PAST[0]}, "history"),
        (neg_calibration_loss_scorer, {"k": 3, "history": PAST, "smoothing": 0}, "smoothing"),
        (serendipity_scorer, {"k": 3, "history": None}, "history"),
        (serendipity_scorer, {"k": 3, "history": PAST, "min_relevance": -1}, "min_relevance"),
    ],
    ids=name_of,
)
def test_list_scorer_factories_reject_invalid_options(factory, options, parameter):
    with pytest.raises(ValueError, match=f"'{parameter}' parameter of {factory.__name__} must"):
        factory(**options)
