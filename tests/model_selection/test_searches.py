"""Searches that pass `groups` to splitter, model and scorers."""

import numpy as np
import pytest
import sklearn.model_selection as theirs
from sklearn import config_context
from sklearn.ensemble import AdaBoostRegressor, BaggingRegressor
from sklearn.linear_model import Ridge
from sklearn.metrics import r2_score
from sklearn.model_selection import GroupKFold, KFold, LeaveOneGroupOut
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import StandardScaler

import sklearn_rank.model_selection
from sklearn_rank import (
    BalancedGroupKFold,
    GridSearchCV,
    map_score,
    ndcg_score,
    ndcg_scorer,
    ranking_scorer,
)
from tests.helpers.id_models import ChecksIds
from tests.helpers.searches import ALPHAS, GRID, SEARCH, table

NDCG = ndcg_scorer(k=3)
# Values of `scoring` and of `refit`, and the metric of each column of the results.
SCORINGS = {
    "scorer": (NDCG, True, {"score": "ndcg@3"}),
    "name": ("ndcg@3", True, {"score": "ndcg@3"}),
    "theirs": ("r2", True, {"score": "r2"}),
    "none": (None, True, {"score": "r2"}),
    "callable": (lambda fit, X, y: fit.score(X, y), True, {"score": "r2"}),
    "list": (["map", "r2"], "map", {"map": "map", "r2": "r2"}),
    "dict": ({"ours": NDCG, "theirs": "r2"}, "theirs", {"ours": "ndcg@3", "theirs": "r2"}),
    "many": (ranking_scorer(["ndcg@3", "map"]), "ndcg@3", {"ndcg@3": "ndcg@3", "map": "map"}),
}
SCORING = pytest.mark.parametrize(("scoring", "refit", "metrics"), SCORINGS.values(), ids=SCORINGS)
METRICS = {
    "ndcg@3": lambda y_true, y_pred, groups: ndcg_score(y_true, y_pred, groups=groups, k=3),
    "map": map_score,
    "r2": lambda y_true, y_pred, groups: r2_score(y_true, y_pred),
}


class Recorder(Ridge):
    """A model that notes the last feature of the rows of each fit and each prediction."""

    seen: list = []  # noqa: RUF012 - shared by all clones

    def fit(self, X, y):
        self.trained = set(X[:, -1])
        return super().fit(X[:, :-1], y)

    def predict(self, X):
        self.seen.append((self.trained, set(X[:, -1])))
        return super().predict(X[:, :-1])


# ------------------------------------------------------------------ values


@SEARCH
@pytest.mark.parametrize("pipeline", [False, True], ids=["alone", "pipeline"])
@pytest.mark.parametrize("n_jobs", [None, 2])
def test_search_scores_equal_a_loop_over_the_folds(
    make, pipeline, n_jobs, routing, ranking_data, folds, by_hand
):
    X, y, groups = ranking_data
    models = [Ridge(alpha=alpha) for alpha in ALPHAS]
    model, grid = Ridge(), GRID
    if pipeline:
        models = [make_pipeline(StandardScaler(), one) for one in models]
        model, grid = make_pipeline(StandardScaler(), model), {"ridge__alpha": ALPHAS}
    search = make(model, grid, scoring=NDCG, cv=3, n_jobs=n_jobs).fit(X, y, groups=groups)
    expected = dict(zip(ALPHAS, np.array([by_hand(one, k=3) for one in models]).tolist()))
    tried = [next(iter(params.values())) for params in search.cv_results_["params"]]
    assert sorted(tried) == ALPHAS
    got = np.array([table(search)[f"split{fold}_test_score"] for fold in range(3)]).T.tolist()
    assert dict(zip(tried, got)) == expected
    best = max(expected, key=lambda alpha: np.mean(expected[alpha]))
    assert list(search.best_params_.values()) == [best]
    assert search.best_score_ == np.mean(expected[best])
    fit = models[ALPHAS.index(best)].fit(X, y)
    np.testing.assert_array_equal(search.predict(X), fit.predict(X))
    assert search.score(X, y, groups=groups) == ndcg_score(y, fit.predict(X), groups=groups, k=3)


@pytest.mark.parametrize("refit", ["ndcg@3", "map"])
def test_search_equals_scikit_learn_with_routing(refit, ranking_data):
    X, y, groups = ranking_data
    options = {"scoring": ranking_scorer(["ndcg@3", "map"]), "refit": refit}
    ours = GridSearchCV(Ridge(), GRID, cv=3, **options).fit(X, y, groups=groups)
    with config_context(enable_metadata_routing=True):
        other = theirs.GridSearchCV(Ridge(), GRID, cv=BalancedGroupKFold(3), **options)
        other.fit(X, y, groups=groups)
        assert table(ours) == table(other)
        assert ours.best_params_ == other.best_params_
        assert ours.score(X, y, groups=groups) == other.score(X, y, groups=groups)


@SCORING
def test_search_accepts_every_kind_of_scoring(scoring, refit, metrics, routing, ranking_data, by_hand):
    X, y, groups = ranking_data
    search = GridSearchCV(Ridge(), GRID, scoring=scoring, refit=refit, cv=3).fit(X, y, groups=groups)
    for column, metric in metrics.items():
        expected = [np.mean(by_hand(Ridge(alpha=alpha), METRICS[metric])) for alpha in ALPHAS]
        assert search.cv_results_[f"mean_test_{column}"].tolist() == expected


@SCORING
def test_search_score_uses_the_refit_metric(scoring, refit, metrics, routing, ranking_data):
    X, y, groups = ranking_data
    search = GridSearchCV(Ridge(), GRID, scoring=scoring, refit=refit, cv=3).fit(X, y, groups=groups)
    metric = METRICS[metrics["score" if refit is True else refit]]
    assert search.score(X, y, groups=groups) == metric(y, search.predict(X), groups=groups)


def test_search_without_refit_has_results_but_no_score(routing, ranking_data, by_hand):
    X, y, groups = ranking_data
    search = GridSearchCV(Ridge(), {}, scoring=["ndcg@3", "r2"], refit=False, cv=3).fit(X, y, groups=groups)
    assert search.cv_results_["mean_test_ndcg@3"] == np.mean(by_hand(Ridge(), k=3))
    with pytest.raises(AttributeError, match="refit"):
        search.score(X, y, groups=groups)


def test_search_uses_the_models_own_score_with_ids(routing, with_ids, ranking_data, by_hand):
    (model, X), (_, y, groups) = with_ids, ranking_data
    with config_context(enable_metadata_routing=True):
        model.set_fit_request(groups=True).set_score_request(groups=True)
    search = GridSearchCV(model, GRID, cv=3, error_score="raise").fit(X, y, groups=groups)
    expected = [np.mean(by_hand(Ridge(alpha=alpha))) for alpha in ALPHAS]
    assert search.cv_results_["mean_test_score"].tolist() == expected
    assert search.score(X, y, groups=groups) == ndcg_score(y, search.predict(X), groups=groups)


def test_search_passes_ids_to_models_without_requests(with_ids, ranking_data):
    (model, X), (_, y, groups) = with_ids, ranking_data
    search = GridSearchCV(model, GRID, cv=3, error_score="raise").fit(X, y, groups=groups)
    assert search.score(X, y, groups=groups) == ndcg_score(y, search.predict(X), groups=groups)


# ------------------------------------------------------------------ sources of ids


@pytest.mark.parametrize(
    ("scorer", "ids"),
    [(NDCG, {"groups": "qid"}), (ndcg_scorer(k=3, groups="qid"), {})],
    ids=["named in the call", "named in the scorer"],
)
def test_search_reads_ids_by_name(scorer, ids, routing, data_with_ids, ranking_data, by_hand):
    model, X, y = data_with_ids
    search = GridSearchCV(model, {}, scoring=scorer, cv=3).fit(X, y, **ids)
    assert search.best_score_ == pytest.approx(np.mean(by_hand(Ridge(), k=3)), abs=1e-12)
    expected = ndcg_score(y, search.predict(X), groups=ranking_data[2], k=3)
    assert search.score(X, y, **ids) == expected


@SEARCH
def test_search_fit_and_score_raise_without_ids(make, routing, ranking_data):
    X, y, groups = ranking_data
    search = make(Ridge(), GRID, scoring=NDCG)
    with pytest.raises(ValueError, match="groups=qid"):
        search.fit(X, y)
    with pytest.raises(ValueError, match="groups=qid"):
        search.fit(X, y, groups=groups).score(X, y)


@pytest.mark.parametrize("scoring", [None, "r2", ["r2", "neg_mean_squared_error"]], ids=str)
def test_search_equals_scikit_learn_without_groups(scoring, routing, ranking_data):
    X, y, _ = ranking_data
    searches = [
        module.GridSearchCV(Ridge(), GRID, scoring=scoring, refit=False).fit(X, y)
        for module in (theirs, sklearn_rank.model_selection)
    ]
    assert table(searches[0]) == table(searches[1])


# ------------------------------------------------------------------ splitters


@SEARCH
@pytest.mark.parametrize("cv", [None, 4, GroupKFold(3), BalancedGroupKFold(2)], ids=repr)
@pytest.mark.parametrize("scoring", ["ndcg", "r2"])
def test_search_keeps_queries_whole(make, cv, scoring, routing, ranking_data):
    X, y, groups = ranking_data
    Recorder.seen.clear()
    search = make(Recorder(), GRID, scoring=scoring, cv=cv, refit=False)
    search.fit(np.column_stack([X, groups]), y, groups=groups)
    n_splits = {None: 5, 4: 4}.get(cv) or cv.get_n_splits()
    assert search.n_splits_ == n_splits
    assert len(Recorder.seen) == 3 * n_splits
    assert not any(trained & tested for trained, tested in Recorder.seen)
    assert {query for _, tested in Recorder.seen for query in tested} == set(groups)


@pytest.mark.parametrize("cv", [LeaveOneGroupOut(), [([0, 1, 2, 3], [4, 5])]], ids=["one out", "predefined"])
def test_search_uses_other_splitters_and_listed_folds_as_given(cv, routing):
    X, y, groups = np.arange(6.0)[:, None], np.arange(6), np.repeat([0, 1, 2], 2)
    search = GridSearchCV(Ridge(), {}, scoring="ndcg", cv=cv).fit(X, y, groups=groups)
    assert search.n_splits_ == (1 if isinstance(cv, list) else 3)


def test_search_warns_about_folds_that_cut_queries(routing, ranking_data):
    X, y, groups = ranking_data
    folds = list(KFold(3).split(X))
    with pytest.warns(UserWarning, match="cuts queries"):
        GridSearchCV(Ridge(), {}, scoring=NDCG, cv=folds).fit(X, y, groups=groups)


# ------------------------------------------------------------------ searches over models


@pytest.fixture
def rows_with_ids(ranking_data):
    """The rows with the id of each as last feature."""
    X, y, groups = ranking_data
    return np.column_stack([X, groups]), y, groups


@pytest.mark.parametrize("n_jobs", [None, 2])
@pytest.mark.parametrize("first", [0, 1])
@SEARCH
def test_search_over_models_with_and_without_ids(make, first, n_jobs, rows_with_ids, folds, routing):
    X, y, groups = rows_with_ids
    with config_context(enable_metadata_routing=True):
        takes_ids = ChecksIds().set_fit_request(groups=True).set_score_request(groups=True)
    models = [takes_ids, Ridge(), Ridge(1e5)]
    pipeline = Pipeline([("model", models[first])])
    found = make(pipeline, {"model": models}, scoring=NDCG, cv=folds, n_jobs=n_jobs)
    found.fit(X, y, groups=groups)
    expected = []
    for alpha, n_features in ((1, 5), (1, 6), (1e5, 6)):  # the first excludes the ids
        values = []
        for train, test in folds:
            fit = Ridge(alpha).fit(X[train, :n_features], y[train])
            scores = fit.predict(X[test, :n_features])
            values.append(ndcg_score(y[test], scores, groups=groups[test], k=3))
        expected.append(np.mean(values))
    by_model = dict(zip(map(repr, found.cv_results_["param_model"]), found.cv_results_["mean_test_score"]))
    np.testing.assert_allclose([by_model[repr(model)] for model in models], expected, rtol=0, atol=1e-12)
    assert type(found.best_estimator_) is Pipeline
    assert found.score(X, y, groups=groups) == NDCG(found.best_estimator_, X, y, groups=groups)


def test_candidates_get_ids_in_their_own_score_if_they_take_them(rows_with_ids, folds):
    X, y, groups = rows_with_ids
    pipeline = Pipeline([("model", Ridge())])
    found = GridSearchCV(pipeline, {"model": [Ridge(), ChecksIds()]}, cv=folds, error_score="raise")
    means = found.fit(X, y, groups=groups).cv_results_["mean_test_score"]
    r2s, ndcgs = [], []
    for train, test in folds:
        r2s.append(Ridge().fit(X[train], y[train]).score(X[test], y[test]))
        ndcgs.append(
            ndcg_score(y[test], Ridge().fit(X[train, :5], y[train]).predict(X[test, :5]), groups=groups[test])
        )
    np.testing.assert_allclose(means, [np.mean(r2s), np.mean(ndcgs)], rtol=0, atol=1e-12)


def test_scoring_function_gets_the_model_itself(ranking_data, folds):
    X, y, groups = ranking_data
    pipeline = Pipeline([("model", Ridge())])

    def first_weight(estimator, X, y):
        assert type(estimator) is Pipeline
        return float(estimator[-1].coef_[0])

    found = GridSearchCV(pipeline, {"model": [Ridge()]}, scoring=first_weight, cv=folds, error_score="raise")
    found.fit(X, y, groups=groups)
    assert found.best_score_ == np.mean([Ridge().fit(X[train], y[train]).coef_[0] for train, _ in folds])
    assert found.scorer_ is first_weight


@pytest.mark.parametrize(
    ("model", "grid", "name"),
    [
        (Pipeline([("model", Ridge())]), {"model": [Ridge(), Ridge(1e3)]}, "model__sample_weight"),
        (BaggingRegressor(Ridge(), random_state=0), {"estimator": [Ridge(), Ridge(1e3)]}, "sample_weight"),
    ],
    ids=["step", "inner model"],
)
def test_search_passes_weights_to_candidates_as_scikit_learn_does(model, grid, name, ranking_data, folds):
    X, y, groups = ranking_data
    weights = {name: np.random.default_rng(0).random(len(y))}
    ours, others = (
        search(model, grid, cv=folds, error_score="raise") for search in (GridSearchCV, theirs.GridSearchCV)
    )
    got, expected = table(ours.fit(X, y, groups=groups, **weights)), table(others.fit(X, y, **weights))
    assert got.keys() == expected.keys()
    for column, values in got.items():
        np.testing.assert_allclose(values, expected[column], atol=1e-12)


@pytest.mark.parametrize("models", [[ChecksIds()], [Ridge()], [Ridge(), ChecksIds()]], ids=str)
def test_search_over_models_uses_the_score_of_the_best_model(models, rows_with_ids, folds):
    X, y, groups = rows_with_ids
    search = GridSearchCV(Pipeline([("model", Ridge())]), {"model": models}, cv=folds)
    search.fit(X, y, groups=groups)
    ids = {"groups": groups} if isinstance(search.best_estimator_[-1], ChecksIds) else {}
    expected = search.best_estimator_[-1].score(X, y, **ids)
    assert search.score(X, y, groups=groups) == expected
    assert np.isfinite(sklearn_rank.cross_val_score(search.set_params(cv=2), X, y, groups=groups, cv=2)).all()


@pytest.mark.parametrize(
    "grid",
    [
        {"model": np.array([Ridge(), ChecksIds()], dtype=object)},
        {"steps": [[("model", Ridge())], [("model", ChecksIds())]]},
        [{"model": [Ridge()], "model__alpha": [1]}, {"model": (ChecksIds(),)}],
    ],
    ids=["array", "steps", "list of grids"],
)
def test_search_accepts_models_anywhere_in_a_grid(grid, rows_with_ids, folds):
    X, y, groups = rows_with_ids
    search = GridSearchCV(
        Pipeline([("model", Ridge())]), grid, scoring="ndcg", cv=folds, error_score="raise"
    ).fit(X, y, groups=groups)
    assert np.isfinite(search.cv_results_["mean_test_score"]).all()


def test_search_accepts_models_without_routing_support(ranking_data, folds, by_hand, routing):
    X, y, groups = ranking_data
    models = [Ridge(), AdaBoostRegressor(n_estimators=5, random_state=0)]
    search = GridSearchCV(Pipeline([("model", Ridge())]), {"model": models}, scoring=NDCG, cv=folds)
    got = search.fit(X, y, groups=groups).cv_results_["mean_test_score"].tolist()
    assert got == [np.mean(by_hand(model, k=3)) for model in models]


def test_search_over_models_accepts_ids_under_another_name(routing, rows_with_ids, folds):
    X, y, groups = rows_with_ids
    with config_context(enable_metadata_routing=True):
        takes_ids = ChecksIds().set_fit_request(groups=True)
    scorer = ndcg_scorer(k=3).set_score_request(groups="qid")
    search = GridSearchCV(
        Pipeline([("model", Ridge())]), {"model": [Ridge(), takes_ids]}, scoring=scorer, cv=folds
    )
    means = search.fit(X, y, qid=groups).cv_results_["mean_test_score"]
    plain = search.set_params(scoring=NDCG).fit(X, y, groups=groups).cv_results_["mean_test_score"]
    np.testing.assert_array_equal(means, plain)


@pytest.mark.parametrize("name", ["GridSearchCV", "RandomizedSearchCV"])
def test_search_score_without_ids_names_the_call(name, ranking_data):
    X, y, groups = ranking_data
    options = {"n_iter": 1} if name == "RandomizedSearchCV" else {}
    search = getattr(sklearn_rank, name)(Ridge(), {"alpha": [1.0]}, scoring="ndcg@10", **options)
    search.fit(X, y, groups=groups)
    call = f"{name}.score"
    with pytest.raises(ValueError) as error:
        search.score(X, y)
    assert str(error.value) == (
        f"The 'groups' parameter of {call} is required by ndcg_scorer(k=10). Pass the query id of each row: "
        f"{call}(..., groups=qid)."
    )
    with pytest.raises(TypeError) as error:
        search.score(X, y, qid=groups)
    assert str(error.value) == f"{call} has no parameter 'qid'. Pass groups=qid, the query id of each row."


def test_weights_of_a_step_are_passed_by_its_name(ranking_data):
    X, y, groups = ranking_data
    model, weights = make_pipeline(StandardScaler(), Ridge()), np.ones(len(y))
    options = {"groups": groups, "scoring": "ndcg@10"}
    with pytest.raises(ValueError, match=r"Got 'sample_weight' instead\. Pass it to the step") as error:
        sklearn_rank.cross_val_score(model, X, y, **options, params={"sample_weight": weights})
    assert str(error.value).endswith("takes it: params={'ridge__sample_weight': ...}.")
    scores = sklearn_rank.cross_val_score(model, X, y, **options, params={"ridge__sample_weight": weights})
    assert np.isfinite(scores).all()
    search = GridSearchCV(model, {"ridge__alpha": [1.0]}, scoring="ndcg@10")
    with pytest.raises(ValueError, match=r"takes it: fit\(\.\.\., ridge__sample_weight=\.\.\.\)\.$"):
        search.fit(X, y, groups=groups, sample_weight=weights)
    assert np.isfinite(search.fit(X, y, groups=groups, ridge__sample_weight=weights).best_score_)
