"""The three boosted rankers: the same ids, weights and labels for each, and the models of the libraries."""

import pickle
import sys
from copy import deepcopy

import numpy as np
import pytest
from scipy import sparse
from sklearn import config_context
from sklearn.base import clone
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import sklearn_rank.rankers
from sklearn_rank import GridSearchCV, cross_val_predict, cross_val_score, ndcg_score, ndcg_scorer
from sklearn_rank.datasets import make_ranking
from tests.helpers.rankers import BOOSTED, EVERY, LIBRARIES, OPTIONS, ours, theirs

NDCG = ndcg_scorer(k=5)
HELD_OUT = make_ranking(n_queries=20, n_documents=(4, 14), n_features=5, shuffle=True, random_state=1)


@pytest.fixture
def weights(ranking_data):
    """A weight for each query, on its rows."""
    return 1.0 + ranking_data[2] % 3


# ------------------------------------------------------------------ the same models as in the libraries


@BOOSTED
def test_shuffled_rows_train_the_same_model_as_grouped_rows(name, ranking_data):
    X, y, groups = ranking_data
    got = ours(name).fit(X, y, groups=groups).predict(HELD_OUT[0])
    np.testing.assert_array_equal(got, theirs(name, X, y, groups).predict(HELD_OUT[0]))
    named = np.char.add("q", np.char.zfill(groups.astype(str), 4))
    np.testing.assert_array_equal(ours(name).fit(X, y, groups=named).predict(HELD_OUT[0]), got)


@BOOSTED
def test_query_weights_train_the_same_model_as_in_the_library(name, ranking_data, weights):
    X, y, groups = ranking_data
    got = ours(name).fit(X, y, groups=groups, sample_weight=weights).predict(HELD_OUT[0])
    np.testing.assert_array_equal(got, theirs(name, X, y, groups, weights).predict(HELD_OUT[0]))
    assert not np.array_equal(got, ours(name).fit(X, y, groups=groups).predict(HELD_OUT[0]))


@BOOSTED
def test_ranker_fit_excludes_unjudged_rows(name, ranking_data):
    X, y, groups = ranking_data
    missing = np.random.default_rng(0).random(len(y)) < 0.2
    got = ours(name).fit(X, np.where(missing, np.nan, y), groups=groups).predict(HELD_OUT[0])
    expected = theirs(name, X[~missing], y[~missing].astype(float), groups[~missing])
    np.testing.assert_array_equal(got, expected.predict(HELD_OUT[0]))


@pytest.mark.parametrize("n_jobs", [None, 2])
@BOOSTED
def test_ranker_cross_val_score_and_search_equal_training_by_hand(name, n_jobs, routing, ranking_data, folds):
    X, y, groups = ranking_data
    expected = [
        ndcg_score(
            y[test],
            theirs(name, X[train], y[train], groups[train]).predict(X[test]),
            groups=groups[test],
            k=5,
        )
        for train, test in folds
    ]
    got = cross_val_score(ours(name), X, y, scoring=NDCG, groups=groups, cv=folds, n_jobs=n_jobs)
    assert got.tolist() == expected
    search = GridSearchCV(ours(name), {}, scoring=NDCG, cv=folds, n_jobs=n_jobs).fit(X, y, groups=groups)
    assert search.best_score_ == np.mean(expected)


@pytest.mark.slow
@BOOSTED
def test_ranker_after_a_scaler_in_a_pipeline(name, routing, ranking_data, folds):
    X, y, groups = ranking_data
    pipeline = make_pipeline(StandardScaler(), ours(name))
    scores = cross_val_score(pipeline, X, y, scoring=NDCG, groups=groups, cv=folds, error_score="raise")
    assert (scores > 0.5).all()
    predicted = cross_val_predict(pipeline, X, y, groups=groups, cv=folds)
    parts = [ndcg_score(y[test], predicted[test], groups=groups[test], k=5) for _, test in folds]
    np.testing.assert_allclose(parts, scores)


@BOOSTED
def test_ranker_fit_reads_ids_from_an_index_level(name, ranking_data):
    pandas = pytest.importorskip("pandas")
    X, y, groups = ranking_data
    frame = pandas.DataFrame(X, columns=list("abcde"), index=pandas.Index(groups, name="qid"))
    got = ours(name).fit(frame, y, groups="qid").predict(frame)
    np.testing.assert_array_equal(got, ours(name).fit(X, y, groups=groups).predict(X))


# ------------------------------------------------------------------ evaluation sets


@BOOSTED
def test_early_stopping_on_an_evaluation_set_in_cross_val_score(name, ranking_data, folds):
    X, y, groups = ranking_data
    evaluation = {"eval_set": [HELD_OUT[:2]], "eval_groups": [HELD_OUT[2]]}
    stop = {
        "LGBMRanker": {"early_stopping_round": 2, "metric": "ndcg"},
        "XGBRanker": {"early_stopping_rounds": 2},
    }
    many = {"iterations": 60} if name == "CatBoostRanker" else {"n_estimators": 60}
    options = many | stop.get(name, {"early_stopping_rounds": 2})
    model = ours(name, **options).fit(X, y, groups=groups, **evaluation)
    n_trees = {
        "LGBMRanker": lambda: model.best_iteration_,
        "XGBRanker": lambda: model.best_iteration + 1,
        "CatBoostRanker": lambda: model.tree_count_,
    }[name]()
    assert 0 < n_trees < 60
    scores = cross_val_score(
        ours(name, **options),
        X,
        y,
        scoring=NDCG,
        groups=groups,
        cv=folds,
        params=evaluation,
        error_score="raise",
    )
    assert (scores > 0.5).all()


@pytest.mark.parametrize(
    ("evaluation", "parameter"),
    [
        ({"eval_groups": [HELD_OUT[2]]}, "eval_groups"),
        ({"eval_set": [HELD_OUT[:2]]}, "eval_groups"),
        ({"eval_set": [HELD_OUT[:2]], "eval_groups": HELD_OUT[2]}, "eval_groups"),
        ({"eval_set": [HELD_OUT[:2]], "eval_groups": [HELD_OUT[2][1:]]}, "eval_groups"),
        ({"eval_set": [HELD_OUT], "eval_groups": [HELD_OUT[2]]}, "eval_set"),
        (
            {"eval_set": [HELD_OUT[:2]], "eval_groups": [HELD_OUT[2]], "eval_sample_weight": []},
            "eval_sample_weight",
        ),
    ],
    ids=["no set", "no ids", "no list", "short", "no pair", "no weights"],
)
@BOOSTED
def test_ranker_fit_rejects_a_bad_evaluation_set(name, evaluation, parameter, ranking_data):
    X, y, groups = ranking_data
    model = ours(name)
    with pytest.raises(ValueError, match=rf"'{parameter}' parameter of {name}\.fit must"):
        model.fit(X, y, groups=groups, **evaluation)


# ------------------------------------------------------------------ scikit-learn estimators


@BOOSTED
def test_ranker_clone_and_pickle_give_the_same_model(name, ranking_data):
    X, y, groups = ranking_data
    model = ours(name)
    again = clone(model)
    assert again is not model
    assert again.get_params() == model.get_params()
    first = model.fit(X, y, groups=groups).predict(X)
    np.testing.assert_array_equal(again.fit(X, y, groups=groups).predict(X), first)
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(model)).predict(X), first)
    assert len(model.feature_importances_) == X.shape[1]


@BOOSTED
def test_ranker_adds_only_validation_fraction_to_parameters(name):
    library = pytest.importorskip(LIBRARIES[name])
    own = getattr(library, name)(**OPTIONS[name])
    assert ours(name).get_params() == own.get_params() | {"validation_fraction": None}


@BOOSTED
def test_ranker_score_is_the_mean_ndcg_of_queries(name, ranking_data, weights):
    X, y, groups = ranking_data
    model = ours(name).fit(X, y, groups=groups)
    expected = ndcg_score(y, model.predict(X), groups=groups, sample_weight=weights)
    assert model.score(X, y, groups=groups, sample_weight=weights) == expected
    with pytest.raises(ValueError, match=rf"'groups' parameter of {name}\.score must contain the query id"):
        model.score(X, y)


@pytest.mark.parametrize(
    ("change", "parameter"),
    [
        ({"groups": None}, "groups"),
        ({"groups": [1, 2]}, "groups"),
        ({"y": np.full(513, np.nan)}, "y"),
        ({"y": [1, 2]}, "y"),
        ({"sample_weight": [1, 2]}, "sample_weight"),
    ],
    ids=["no ids", "short ids", "no label", "short labels", "short weights"],
)
@BOOSTED
def test_ranker_fit_rejects_missing_ids_and_arrays_of_another_length(name, change, parameter, ranking_data):
    X, y, groups = ranking_data
    given = {"y": y, "groups": groups} | change
    with pytest.raises(ValueError, match=rf"'{parameter}' parameter of {name}\.fit must"):
        ours(name).fit(X, given.pop("y"), **given)


@pytest.mark.parametrize("name", ["XGBRanker", "CatBoostRanker"])
def test_ranker_fit_rejects_weights_that_vary_in_a_query(name, ranking_data):
    X, y, groups = ranking_data
    with pytest.raises(ValueError, match=rf"'sample_weight' .* of {name}\.fit must be the same for all rows"):
        ours(name).fit(X, y, groups=groups, sample_weight=np.arange(len(y)) + 1.0)


@BOOSTED
def test_import_error_names_the_library_to_install(name, monkeypatch):
    library = LIBRARIES[name]
    monkeypatch.setitem(sys.modules, library, None)
    monkeypatch.delitem(sys.modules, f"sklearn_rank.rankers._{library}", raising=False)
    with pytest.raises(ImportError, match=f"{name} needs {library}: pip install {library}"):
        getattr(sklearn_rank.rankers, name)


# ------------------------------------------------------------------ forms of labels, features and calls


@pytest.mark.parametrize(
    "convert",
    [
        lambda y: np.where(np.arange(len(y)) % 5 == 0, None, y),
        lambda y: np.ma.array(y, mask=np.arange(len(y)) % 5 == 0),
        lambda y: [None if i % 5 == 0 else int(label) for i, label in enumerate(y)],
        lambda y: pytest.importorskip("polars").Series(
            [None if i % 5 == 0 else v for i, v in enumerate(y > 1)]
        ),
    ],
    ids=["objects", "masked", "list", "booleans of polars"],
)
@EVERY
def test_ranker_fit_excludes_labels_missing_in_any_form(name, convert, ranking_data):
    X, y, groups = ranking_data
    labels, kept = convert(y), np.arange(len(y)) % 5 != 0
    expected = y > 1 if type(labels).__module__.startswith("polars") else y
    got = ours(name).fit(X, labels, groups=groups).predict(X)
    fit = ours(name).fit(X[kept], expected[kept].astype(np.float64), groups=groups[kept])
    np.testing.assert_array_equal(got, fit.predict(X))


@EVERY
def test_ranker_fit_rejects_complex_labels(name, ranking_data):
    X, y, groups = ranking_data
    labels = y.astype(object)
    labels[0] = np.complex64(1)
    with pytest.raises(ValueError, match=rf"'y' parameter of {name}.fit must contain numbers.* Got complex"):
        ours(name).fit(X, labels, groups=groups)


@EVERY
def test_sparse_arrays_give_the_same_model_as_sparse_matrices(name, ranking_data):
    X, y, groups = ranking_data
    by_matrix = ours(name).fit(sparse.csr_matrix(X), y, groups=groups).predict(sparse.csr_matrix(X))
    for kind in (sparse.csr_array, sparse.coo_array):
        np.testing.assert_array_equal(ours(name).fit(kind(X), y, groups=groups).predict(kind(X)), by_matrix)


@EVERY
def test_metadata_requests_survive_copies(name):
    with config_context(enable_metadata_routing=True):
        model = (
            ours(name).set_fit_request(groups=False, sample_weight="w").set_score_request(sample_weight=True)
        )
        for copy in (clone(model), pickle.loads(pickle.dumps(model)), deepcopy(model)):
            routing = copy.get_metadata_routing()
            assert routing.fit.requests["groups"] is False
            assert routing.fit.requests["sample_weight"] == "w"
            assert routing.score.requests["sample_weight"] is True


@pytest.mark.parametrize(
    ("name", "option"),
    [("LGBMRanker", "num_leaves"), ("XGBRanker", "max_depth"), ("CatBoostRanker", "depth")],
)
def test_fitted_ranker_can_be_refit_with_other_parameters(name, option, ranking_data):
    X, y, groups = ranking_data
    model = ours(name).fit(X, y, groups=groups).set_params(**{option: 2})
    got = model.fit(X, y, groups=groups).predict(X)
    np.testing.assert_array_equal(got, ours(name, **{option: 2}).fit(X, y, groups=groups).predict(X))


@pytest.mark.parametrize(
    ("name", "args"),
    [("LGBMRanker", (True, 0, 3)), ("CatBoostRanker", (0, 3))],
    ids=["LGBMRanker", "CatBoostRanker"],
)
def test_ranker_predict_passes_positional_arguments_to_the_library(name, args, ranking_data):
    X, y, groups = ranking_data
    model = ours(name).fit(X, y, groups=groups)
    few = ours(name, **{"n_estimators" if name == "LGBMRanker" else "iterations": 3}).fit(X, y, groups=groups)
    np.testing.assert_allclose(model.predict(X, *args), few.predict(X), atol=1e-12)


def test_catboost_ranker_accepts_cat_features_as_an_array(ranking_data):
    X, y, groups = ranking_data
    grades = np.column_stack([(X[:, :1] > 0).astype(int), (X[:, 1:] * 10).astype(int)])
    given = [np.array([0]), [0]]
    models = [ours("CatBoostRanker").fit(grades, y, groups=groups, cat_features=each) for each in given]
    models.append(ours("CatBoostRanker", cat_features=[0]).fit(grades, y, groups=groups))
    assert [model.get_cat_feature_indices() for model in models] == [[0]] * 3


def test_catboost_ranker_has_no_importances_before_fit():
    assert not hasattr(ours("CatBoostRanker"), "feature_importances_")


@BOOSTED
def test_ranker_fit_rejects_eval_sample_weight_without_eval_set(name, ranking_data):
    X, y, groups = ranking_data
    with pytest.raises(
        ValueError, match=rf"'eval_sample_weight' parameter of {name}\.fit must be combined with"
    ):
        ours(name).fit(X, y, groups=groups, eval_sample_weight=[groups])
    empty = ours(name).fit(X, y, groups=groups, eval_set=[], eval_groups=[])
    np.testing.assert_array_equal(empty.predict(X), ours(name).fit(X, y, groups=groups).predict(X))
    with pytest.raises(ValueError, match=rf"'eval_groups' parameter of {name}\.fit must name an index level"):
        ours(name).fit(X, y, groups=groups, eval_set=[HELD_OUT[:2]], eval_groups=["qid"])
