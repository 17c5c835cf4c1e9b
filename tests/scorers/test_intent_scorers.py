"""Scorers of several intents: labels of intents as metadata or in columns of X."""

import pickle
from copy import copy

import numpy as np
import pytest
from scipy import sparse
from sklearn.compose import make_column_transformer
from sklearn.linear_model import Ridge
from sklearn.pipeline import make_pipeline

from sklearn_rank import GridSearchCV, cross_val_score, cross_validate
from sklearn_rank.metrics import (
    alpha_ndcg_score,
    alpha_ndcg_scorer,
    err_ia_score,
    err_ia_scorer,
    intent_aware_score,
    intent_aware_scorer,
    nrbp_score,
    nrbp_scorer,
    subtopic_recall_score,
    subtopic_recall_scorer,
)
from tests.helpers.naming import PUBLIC, name_of

PAIRS = [
    (alpha_ndcg_scorer(k=5), lambda *rows, **given: alpha_ndcg_score(*rows, k=5, **given)),
    (err_ia_scorer(max_grade=1), lambda *rows, **given: err_ia_score(*rows, max_grade=1, **given)),
    (subtopic_recall_scorer(k=3), lambda *rows, **given: subtopic_recall_score(*rows, k=3, **given)),
    (nrbp_scorer(beta=0.7), lambda *rows, **given: nrbp_score(*rows, beta=0.7, **given)),
    (
        intent_aware_scorer("ndcg@5", intent_weight=[3, 2, 1]),
        lambda *rows, **given: intent_aware_score("ndcg@5", *rows, intent_weight=[3, 2, 1], **given),
    ),
]
by_pair = pytest.mark.parametrize(
    ("scorer", "score"), PAIRS, ids=[pair[0].metrics.__name__ for pair in PAIRS]
)


@pytest.fixture(scope="module")
def intents(ranking_data):
    """Labels of three intents: each document is relevant to some."""
    X, y, _ = ranking_data
    rng = np.random.default_rng(0)
    return ((y[:, None] > 0) & (rng.random((len(X), 3)) < [0.6, 0.3, 0.2])).astype(int)


@pytest.fixture(scope="module")
def expected(ranking_data, intents, folds):
    """Return what a loop over the folds gives."""
    X, y, groups = ranking_data

    def compute(score, **options):
        values = []
        for train, test in folds:
            y_score = Ridge(**options).fit(X[train], y[train]).predict(X[test])
            values.append(score(intents[test], y_score, groups=groups[test]))
        return values

    return compute


@by_pair
@pytest.mark.parametrize("form", [np.asarray, np.ndarray.tolist, sparse.csr_array])
def test_cross_val_score_passes_intents_to_scorer(
    scorer, score, form, routing, ranking_data, intents, folds, expected
):
    X, y, groups = ranking_data
    params = {"intents": form(intents)}
    got = cross_val_score(Ridge(), X, y, scoring=scorer, groups=groups, cv=folds, params=params)
    np.testing.assert_array_equal(got, expected(score))


@by_pair
def test_grid_search_passes_intents_to_scorer(scorer, score, routing, ranking_data, intents, folds, expected):
    X, y, groups = ranking_data
    search = GridSearchCV(Ridge(), {"alpha": [0.1, 1e5]}, scoring=scorer, cv=folds)
    search.fit(X, y, groups=groups, intents=intents)
    for place, alpha in enumerate((0.1, 1e5)):
        mean = np.mean(expected(score, alpha=alpha))
        assert search.cv_results_["mean_test_score"][place] == pytest.approx(mean, abs=1e-15)
    y_score = search.predict(X)
    got = search.score(X, y, groups=groups, intents=intents)
    assert got == score(intents, y_score, groups=groups)


def test_intent_scorer_accepts_frames_and_ids_by_name(ranking_data, intents, folds, expected):
    pandas = pytest.importorskip("pandas")
    X, y, groups = ranking_data
    index = pandas.Index(groups, name="qid")
    frame = pandas.DataFrame(X, index=index)
    frame.columns = [f"x{place}" for place in range(X.shape[1])]
    labels = pandas.DataFrame(intents, columns=["car", "cat", "system"], index=index)
    scorer = alpha_ndcg_scorer(k=5, groups="qid")
    params = {"intents": labels}
    got = cross_val_score(Ridge(), frame, y, scoring=scorer, cv=folds, params=params)
    np.testing.assert_array_equal(got, expected(PAIRS[0][1]))
    got = cross_val_score(Ridge(), frame, y, scoring=PAIRS[0][0], groups="qid", cv=folds, params=params)
    np.testing.assert_array_equal(got, expected(PAIRS[0][1]))


def test_intent_scorer_reads_intents_from_columns_unused_by_model(ranking_data, intents, folds, expected):
    pandas = pytest.importorskip("pandas")
    X, y, groups = ranking_data
    features = [f"x{place}" for place in range(X.shape[1])]
    names = ["car", "cat", "system"]
    frame = pandas.DataFrame(np.column_stack([X, intents]), columns=features + names)
    model = make_pipeline(make_column_transformer(("passthrough", features)), Ridge())
    scorer = alpha_ndcg_scorer(k=5, intents=names)
    got = cross_val_score(model, frame, y, scoring=scorer, groups=groups, cv=folds)
    np.testing.assert_array_equal(got, expected(PAIRS[0][1]))
    with pytest.raises(
        ValueError, match=r"Got the column 'car' of X instead. The predictions of the model depend on"
    ):
        scorer(Ridge().fit(frame, y), frame, y, groups=groups)
    with pytest.raises(
        ValueError, match=r"'intents' parameter of .* must contain only columns of X. Got 'dog'"
    ):
        alpha_ndcg_scorer(intents=["dog"])(model.fit(frame, y), frame, y, groups=groups)
    with pytest.raises(TypeError, match="takes 'groups' and 'sample_weight'"):
        scorer(model, frame, y, groups=groups, intents=intents)


def test_intent_scorers_accept_two_sets_of_intents_by_name(ranking_data, intents, folds, expected):
    X, y, groups = ranking_data
    scoring = {"all": alpha_ndcg_scorer(k=5), "two": alpha_ndcg_scorer(k=5, intents="some")}
    params = {"intents": intents, "some": intents[:, :2]}
    got = cross_validate(Ridge(), X, y, scoring=scoring, groups=groups, cv=folds, params=params)
    np.testing.assert_array_equal(got["test_all"], expected(PAIRS[0][1]))
    assert (got["test_two"] != got["test_all"]).all()


def test_intent_scorer_called_directly_equals_function(ranking_data, intents):
    X, y, groups = ranking_data
    model = Ridge().fit(X, y)
    scorer = alpha_ndcg_scorer(k=5)
    weights = np.unique(groups, return_inverse=True)[1] % 3
    got = scorer(model, X, y, groups=groups, intents=intents, sample_weight=weights)
    options = {"groups": groups, "k": 5, "sample_weight": weights}
    assert got == alpha_ndcg_score(intents, model.predict(X), **options)
    with pytest.raises(ValueError, match=r"requires the intents 'intents'.*intents=intents to a scorer"):
        scorer(model, X, y, groups=groups)
    with pytest.raises(ValueError, match=r"'intents' parameter of .* must have one entry per row of X"):
        scorer(model, X, y, groups=groups, intents=intents[1:])


def test_intent_scorer_error_without_intents_suggests_columns(ranking_data):
    X, y, groups = ranking_data
    with pytest.raises(ValueError, match=r"columns of X .*with intents=\['car', 'cat'\]") as error:
        cross_val_score(Ridge(), X, y, scoring=alpha_ndcg_scorer(k=3), groups=groups)
    assert "index" not in str(error.value)


SCORERS = [scorer for scorer, _ in PAIRS]
SCORERS += [
    alpha_ndcg_scorer(),
    alpha_ndcg_scorer(k=3, intents=["a", "b"], alpha=0.3, normalize=None, groups="qid"),
    err_ia_scorer(intents="some", k=3, normalize="ideal", average="weighted"),
    nrbp_scorer(response_method="predict", ties="order", zero_division=1.0),
]


@pytest.mark.parametrize("make_copy", [copy, lambda scorer: pickle.loads(pickle.dumps(scorer))])
@pytest.mark.parametrize("scorer", SCORERS, ids=lambda scorer: scorer.describe())
def test_intent_scorer_copy_and_description_are_equal(scorer, make_copy):
    assert repr(make_copy(scorer)) == repr(scorer)
    assert repr(eval(scorer.describe(), PUBLIC)) == repr(scorer)


@pytest.mark.parametrize(
    ("factory", "options", "parameter"),
    [
        (alpha_ndcg_scorer, {"alpha": 2}, "alpha"),
        (alpha_ndcg_scorer, {"k": 0}, "k"),
        (alpha_ndcg_scorer, {"average": None}, "average"),
        (alpha_ndcg_scorer, {"intents": []}, "intents"),
        (alpha_ndcg_scorer, {"intents": ["a", "a"]}, "intents"),
        (alpha_ndcg_scorer, {"intents": [[1, 0]]}, "intents"),
        (alpha_ndcg_scorer, {"intents": np.ones((3, 2))}, "intents"),
        (alpha_ndcg_scorer, {"intents": ""}, "intents"),
        (alpha_ndcg_scorer, {"intents": "groups"}, "intents"),
        (alpha_ndcg_scorer, {"intents": "qid", "groups": "qid"}, "intents"),
        (alpha_ndcg_scorer, {"groups": 3}, "groups"),
        (alpha_ndcg_scorer, {"response_method": "transform"}, "response_method"),
        (err_ia_scorer, {"intent_weight": [[1, 2]]}, "intent_weight"),
        (err_ia_scorer, {"intent_weight": [1, -2]}, "intent_weight"),
        (err_ia_scorer, {"normalize": "best"}, "normalize"),
        (nrbp_scorer, {"beta": 1}, "beta"),
        (nrbp_scorer, {"ties": "best"}, "ties"),
        (subtopic_recall_scorer, {"k": None}, "k"),
        (intent_aware_scorer, {"metric": "ndgc"}, "metric"),
        (intent_aware_scorer, {"metric": "rank_sum_loss"}, "metric"),
        (intent_aware_scorer, {"metric": "ndcg", "unjudged": "zero"}, "unjudged"),
    ],
    ids=name_of,
)
def test_intent_scorer_factories_reject_invalid_options(factory, options, parameter):
    with pytest.raises(ValueError, match=f"'{parameter}' parameter of {factory.__name__} must"):
        factory(**options)


def test_intent_aware_scorer_negates_loss(ranking_data, intents):
    X, y, groups = ranking_data
    model = Ridge().fit(X, y)
    got = intent_aware_scorer("neg_rank_sum_loss")(model, X, y, groups=groups, intents=intents)
    assert got == -intent_aware_score("rank_sum_loss", intents, model.predict(X), groups=groups)
