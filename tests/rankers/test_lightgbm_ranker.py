"""LightGBM's ranker with query ids: the same model that LightGBM trains on grouped rows."""

import pickle
import sys
import warnings
from functools import partial

import numpy as np
import pytest
from scipy.sparse import csr_matrix
from sklearn.base import clone
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import sklearn_rank.rankers
from sklearn_rank import BalancedGroupKFold, GridSearchCV, cross_val_score, ndcg_score, ndcg_scorer
from sklearn_rank.datasets import make_ranking
from tests.helpers.reference_data import needs_reference, read_libsvm

lightgbm = pytest.importorskip("lightgbm")
LGBMRanker = sklearn_rank.rankers.LGBMRanker
SETTINGS = {"n_estimators": 12, "min_child_samples": 5, "verbose": -1}
SETTINGS |= {"n_jobs": 1, "deterministic": True, "force_row_wise": True}
FOLDS = BalancedGroupKFold(3)
HELD_OUT = make_ranking(n_queries=20, n_features=5, shuffle=True, random_state=1)
EVALUATION = {"eval_set": [HELD_OUT[:2]], "eval_groups": [HELD_OUT[2]]}


@pytest.fixture(scope="module")
def rank_data():
    """LightGBM's own example, its rows shuffled."""
    X, y, groups = read_libsvm("rank.train")
    order = np.random.default_rng(0).permutation(len(y))
    return X[order], y[order], groups[order]


def rank(**settings):
    return LGBMRanker(**{**SETTINGS, **settings})


def group_by_hand(X, y, groups):
    """Rows in a stable order of their ids, and the sizes that LightGBM wants."""
    order = np.argsort(groups, kind="stable")
    return X[order], y[order], np.unique(groups, return_counts=True)[1]


def train_by_hand(X, y, groups, **settings):
    X, y, sizes = group_by_hand(X, y, groups)
    return lightgbm.LGBMRanker(**{**SETTINGS, **settings}).fit(X, y, group=sizes)


def assert_same(model, expected, X):
    """To the last digit."""
    np.testing.assert_array_equal(model.predict(X), expected.predict(X))


def stop_after(rounds):
    return lightgbm.early_stopping(rounds, verbose=False)


def stop_by_hand(*data):
    """Train with LightGBM's own interface until NDCG at 1 to 5 has not risen for 5 rounds."""
    grouped = [group_by_hand(*rows) for rows in (data, HELD_OUT)]
    train, valid = (lightgbm.Dataset(X, y, group=sizes) for X, y, sizes in grouped)
    settings = {"objective": "lambdarank", "metric": "ndcg", "eval_at": [1, 2, 3, 4, 5], **SETTINGS}
    settings["n_estimators"] = 200
    return lightgbm.train(settings, train, valid_sets=[valid], callbacks=[stop_after(5)])


def score_folds_by_hand(X, y, groups, train=train_by_hand):
    folds = list(FOLDS.split(X, y, groups))
    models = [train(X[rows], y[rows], groups[rows]) for rows, _ in folds]
    return [
        ndcg_score(y[rows], model.predict(X[rows]), groups=groups[rows], k=10)
        for model, (_, rows) in zip(models, folds)
    ]


# ------------------------------------------------------------------ training


@pytest.mark.parametrize(
    "rename",
    [
        lambda groups: groups,
        lambda groups: np.char.mod("query %03d", groups),
        lambda groups: groups.tolist(),
        lambda groups: groups - 1000.5,
        lambda groups: groups.astype("datetime64[D]"),
    ],
    ids=["int", "str", "list", "float", "date"],
)
def test_shuffled_rows_train_the_same_model_as_grouped_rows(rename, ranking_data):
    X, y, groups = ranking_data
    model = rank().fit(X, y, groups=rename(groups))
    assert_same(model, train_by_hand(X, y, groups), X)


@pytest.mark.parametrize(
    "rearrange", [np.argsort, lambda ids: np.arange(len(ids))[::-1]], ids=["grouped", "reversed"]
)
def test_lightgbm_ranker_fit_keeps_the_order_of_rows_inside_a_query(rearrange, ranking_data):
    order = rearrange(ranking_data[2])
    X, y, groups = (data[order] for data in ranking_data)
    assert_same(rank().fit(X, y, groups=groups), train_by_hand(X, y, groups), X)


def test_lightgbm_ranker_fit_sorts_weights_and_init_score_with_rows(ranking_data):
    X, y, groups = ranking_data
    weights, start = np.random.default_rng(0).random((2, len(y)))
    order, sizes = np.argsort(groups, kind="stable"), np.unique(groups, return_counts=True)[1]
    expected = lightgbm.LGBMRanker(**SETTINGS).fit(
        X[order], y[order], group=sizes, sample_weight=weights[order], init_score=start[order]
    )
    model = rank().fit(X, y, groups=groups, sample_weight=weights, init_score=start)
    assert_same(model, expected, X)
    assert not np.array_equal(model.predict(X), rank().fit(X, y, groups=groups).predict(X))


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_frames_train_the_same_model_as_arrays(library, ranking_data):
    module = pytest.importorskip(library)
    X, y, groups = ranking_data
    frame = module.DataFrame({f"x{i}": X[:, i] for i in range(X.shape[1])})
    model = rank().fit(frame, module.Series(y), groups=module.Series(groups))
    assert_same(model, train_by_hand(X, y, groups), frame)


@pytest.mark.parametrize("convert", [np.ndarray.tolist, csr_matrix], ids=["list", "sparse"])
def test_lists_and_sparse_features_train_the_same_model_as_arrays(convert, ranking_data):
    X, y, groups = ranking_data
    model = rank().fit(convert(X), y.tolist(), groups=groups.tolist())
    assert_same(model, train_by_hand(X, y, groups), X)


@pytest.mark.parametrize("place", ["X", "y"])
def test_lightgbm_ranker_fit_and_score_read_ids_from_an_index_level(place, ranking_data):
    pandas = pytest.importorskip("pandas")
    X, y, groups = ranking_data
    index = pandas.Index(groups, name="qid")
    frame = pandas.DataFrame(X, index=index if place == "X" else None)
    labels = pandas.Series(y, index=index if place == "y" else frame.index)
    model = rank().fit(frame, labels, groups="qid")
    assert_same(model, train_by_hand(X, y, groups), frame)
    assert model.score(frame, labels, groups="qid") == model.score(X, y, groups=groups)


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_lightgbm_ranker_fit_rejects_groups_that_name_a_column(library, ranking_data):
    X, y, groups = ranking_data
    columns = {f"x{i}": X[:, i] for i in range(X.shape[1])} | {"qid": groups}
    frame = pytest.importorskip(library).DataFrame(columns)
    with pytest.raises(ValueError, match=r"Columns of X are features: pass X\.drop\(columns='qid'\)"):
        rank().fit(frame, y, groups="qid")


def test_lightgbm_ranker_fit_does_not_change_its_input(ranking_data):
    before = [data.copy() for data in ranking_data]
    X, y, groups = ranking_data
    rank().fit(X, y, groups=groups)
    assert all(np.array_equal(data, copy) for data, copy in zip(ranking_data, before))


# ------------------------------------------------------------------ evaluation sets


@pytest.mark.parametrize("eval_set", [HELD_OUT[:2], [HELD_OUT[:2]]], ids=["pair", "list"])
def test_early_stopping_stops_where_lightgbm_does(eval_set, ranking_data):
    evaluation = {**EVALUATION, "eval_set": eval_set, "callbacks": [stop_after(5)]}
    model, expected = (
        rank(n_estimators=200).fit(*ranking_data[:2], groups=ranking_data[2], **evaluation),
        stop_by_hand(*ranking_data),
    )
    assert model.best_iteration_ == expected.best_iteration < 200
    assert_same(model, expected, ranking_data[0])


def test_cross_val_score_passes_a_fixed_evaluation_set_to_each_fold(ranking_data):
    X, y, groups = ranking_data
    model, params = rank(n_estimators=200), {**EVALUATION, "callbacks": [stop_after(5)]}
    got = cross_val_score(model, X, y, groups=groups, scoring="ndcg@10", cv=FOLDS, params=params)
    assert got.tolist() == score_folds_by_hand(X, y, groups, stop_by_hand)


def test_lightgbm_ranker_fit_sorts_evaluation_weights_with_their_rows(ranking_data):
    weights = np.random.default_rng(0).random(len(HELD_OUT[2]))[HELD_OUT[2]]
    results = []
    for rows in (slice(None), np.argsort(HELD_OUT[2], kind="stable")):
        X, y, groups = (data[rows] for data in HELD_OUT)
        evaluation = {"eval_set": [(X, y)], "eval_groups": [groups], "eval_sample_weight": [weights[rows]]}
        results.append(rank().fit(*ranking_data[:2], groups=ranking_data[2], **evaluation).evals_result_)
    assert results[0] == results[1]


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("groups", None),
        ("groups", []),
        ("groups", "qid"),
        ("groups", np.arange(5)),
        ("sample_weight", []),
        ("set", [HELD_OUT[0]]),
        ("set", [HELD_OUT]),
    ],
)
def test_lightgbm_ranker_fit_rejects_bad_eval_groups_and_weights(name, value, ranking_data):
    with pytest.raises(ValueError, match=rf"'eval_{name}' parameter of LGBMRanker\.fit must"):
        rank().fit(*ranking_data[:2], groups=ranking_data[2], **{**EVALUATION, f"eval_{name}": value})


def test_lightgbm_ranker_fit_rejects_eval_groups_without_eval_set(ranking_data):
    with pytest.raises(ValueError, match=r"'eval_groups' .* must be combined with 'eval_set'"):
        rank().fit(*ranking_data[:2], groups=ranking_data[2], eval_groups=EVALUATION["eval_groups"])


def test_arrow_tables_train_the_same_model_as_arrays(ranking_data):
    pyarrow = pytest.importorskip("pyarrow")
    X, y, groups = ranking_data
    table = pyarrow.table({f"x{i}": X[:, i] for i in range(X.shape[1])})
    model = rank().fit(table, pyarrow.array(y), groups=pyarrow.array(groups))
    assert_same(model, train_by_hand(X, y, groups), X)


# ------------------------------------------------------------------ errors


@pytest.mark.parametrize("method", ["fit", "score"])
def test_lightgbm_ranker_fit_and_score_reject_missing_ids(method, ranking_data):
    model = rank().fit(*ranking_data[:2], groups=ranking_data[2])
    with pytest.raises(
        ValueError, match=f"'groups' parameter of LGBMRanker.{method} must contain the query id"
    ):
        getattr(model, method)(*ranking_data[:2])


def test_lightgbm_ranker_fit_rejects_a_query_of_over_10_000_rows():
    X = np.zeros((10_001, 1))
    with pytest.raises(ValueError, match=r"at most 10,000 rows per query.* Got a query of 10,001 rows"):
        rank().fit(X, X[:, 0], groups=X[:, 0])


@pytest.mark.parametrize("name", ["y", "groups", "sample_weight", "init_score"])
@pytest.mark.parametrize("extra", [-1, 1], ids=["too short", "too long"])
def test_lightgbm_ranker_fit_rejects_arrays_of_another_length(extra, name, ranking_data):
    X, y, groups = ranking_data
    data = {"y": y, "groups": groups, "sample_weight": np.ones(len(y)), "init_score": np.zeros(len(y))}
    data[name] = np.resize(data[name], len(y) + extra)
    with pytest.raises(ValueError, match=name):
        rank().fit(X, **data)


def test_import_error_names_lightgbm_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "lightgbm", None)
    monkeypatch.delitem(sys.modules, "sklearn_rank.rankers._lightgbm")
    with pytest.raises(ImportError, match="LGBMRanker needs lightgbm: pip install lightgbm"):
        _ = sklearn_rank.rankers.LGBMRanker


# ------------------------------------------------------------------ scikit-learn estimator


def test_lightgbm_ranker_score_is_ndcg_per_query(ranking_data):
    model = rank().fit(*ranking_data[:2], groups=ranking_data[2])
    X, y, groups = HELD_OUT
    weights = np.random.default_rng(0).random(groups.max() + 1)[groups]
    expected = ndcg_score(y, model.predict(X), groups=groups, sample_weight=weights)
    assert model.score(X, y, groups=groups, sample_weight=weights) == expected
    assert model.score(X, y, groups=groups) == ndcg_score(y, model.predict(X), groups=groups)


def test_lightgbm_ranker_adds_only_validation_fraction_to_parameters():
    expected = lightgbm.LGBMRanker().get_params() | {"validation_fraction": None}
    assert LGBMRanker().get_params() == expected


def test_lightgbm_ranker_clone_keeps_keyword_parameters_of_lightgbm():
    changed = {"num_leaves": 7, "lambdarank_truncation_level": 5}
    model = clone(rank(**changed))
    assert model.get_params() == {**LGBMRanker().get_params(), **SETTINGS, **changed}


def test_pickled_ranker_predicts_the_same(ranking_data):
    model = rank().fit(*ranking_data[:2], groups=ranking_data[2])
    assert_same(pickle.loads(pickle.dumps(model)), model, ranking_data[0])


def test_lightgbm_ranker_fit_gives_no_warnings(ranking_data):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        rank().fit(*ranking_data[:2], groups=ranking_data[2], **EVALUATION)


# ------------------------------------------------------------------ cross-validation and search


@pytest.mark.slow
@needs_reference
@pytest.mark.parametrize("n_jobs", [None, 2])
def test_lightgbm_ranker_cross_val_score_equals_training_by_hand(n_jobs, rank_data):
    X, y, groups = rank_data
    got = cross_val_score(rank(), X, y, groups=groups, scoring=ndcg_scorer(k=10), cv=FOLDS, n_jobs=n_jobs)
    assert got.tolist() == score_folds_by_hand(X, y, groups)


@pytest.mark.slow
@needs_reference
@pytest.mark.parametrize("n_jobs", [None, 2])
def test_lightgbm_ranker_search_scores_equal_training_by_hand(n_jobs, rank_data):
    X, y, groups = rank_data
    grid = {"num_leaves": [4, 16]}
    search = GridSearchCV(rank(), grid, scoring="ndcg@10", cv=FOLDS, n_jobs=n_jobs).fit(X, y, groups=groups)
    for i, leaves in enumerate(grid["num_leaves"]):
        got = [search.cv_results_[f"split{fold}_test_score"][i] for fold in range(3)]
        assert got == score_folds_by_hand(X, y, groups, partial(train_by_hand, num_leaves=leaves))
    assert_same(search, train_by_hand(X, y, groups, **search.best_params_), X)


def test_lightgbm_ranker_pipeline_search_equals_training_by_hand(ranking_data):
    X, y, groups = ranking_data
    pipeline, grid = make_pipeline(StandardScaler(), rank()), {"lgbmranker__num_leaves": [4]}
    search = GridSearchCV(pipeline, grid, scoring=ndcg_scorer(k=10), cv=FOLDS).fit(X, y, groups=groups)

    def train(X, y, groups):
        scaler = StandardScaler().fit(X)
        return make_pipeline(scaler, train_by_hand(scaler.transform(X), y, groups, num_leaves=4))

    got = [search.cv_results_[f"split{fold}_test_score"][0] for fold in range(3)]
    assert got == score_folds_by_hand(X, y, groups, train)
