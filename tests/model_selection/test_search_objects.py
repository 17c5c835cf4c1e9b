"""Searches as objects: parameters of `fit`, copies and nesting."""

import pickle
import threading
from inspect import Parameter, signature

import numpy as np
import pytest
import sklearn.model_selection as theirs
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import Ridge
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.metadata_routing import get_routing_for_object

import sklearn_rank.model_selection
from sklearn_rank import GridSearchCV, cross_validate, ndcg_score, ndcg_scorer
from tests.helpers.searches import ALPHAS, GRID, SEARCH, table

# ------------------------------------------------------------------ other parameters of `fit`


NAMED = [("r2", True), (["r2", "neg_mean_squared_error"], "r2"), ("neg_max_error", True)]


@pytest.mark.filterwarnings("ignore:The scoring .* does not support sample_weight")
@pytest.mark.parametrize(("scoring", "refit"), [(None, True), *NAMED], ids=str)
@pytest.mark.parametrize(
    ("model", "prefix"),
    [(Ridge(), ""), (make_pipeline(StandardScaler(), Ridge()), "ridge__")],
    ids=["", "step"],
)
def test_search_weights_equal_scikit_learn_without_routing(
    model, prefix, scoring, refit, ranking_data, folds
):
    X, y, groups = ranking_data
    weights = {f"{prefix}sample_weight": np.random.default_rng(0).random(len(y))}
    grid = {f"{prefix}alpha": ALPHAS}
    search, expected = (
        module.GridSearchCV(model, grid, scoring=scoring, refit=refit, cv=folds).fit(
            X, y, groups=groups, **weights
        )
        for module in (sklearn_rank.model_selection, theirs)
    )
    assert table(search) == table(expected)
    np.testing.assert_array_equal(search.predict(X), expected.predict(X))


def test_search_passes_weights_to_scorers_that_request_them(ranking_data, folds):
    X, y, groups = ranking_data
    weights = np.random.default_rng(0).random(60)[groups]
    scorer = ndcg_scorer(k=3).set_score_request(sample_weight=True)
    search = GridSearchCV(Ridge(), {}, scoring=scorer, cv=3).fit(X, y, groups=groups, sample_weight=weights)
    expected = []
    for train, test in folds:
        predicted = Ridge().fit(X[train], y[train], weights[train]).predict(X[test])
        given = {"groups": groups[test], "sample_weight": weights[test]}
        expected.append(ndcg_score(y[test], predicted, k=3, **given))
    assert search.best_score_ == np.mean(expected)
    got = search.score(X, y, groups=groups, sample_weight=weights)
    assert got == ndcg_score(y, search.predict(X), groups=groups, sample_weight=weights, k=3)


# ------------------------------------------------------------------ state and copies


@SEARCH
@pytest.mark.parametrize("labels", [1, -1], ids=["fit succeeds", "fit fails"])
def test_search_fit_does_not_change_parameters(make, labels, routing, ranking_data):
    X, y, groups = ranking_data
    model = Ridge()
    search = make(model, GRID, scoring=["ndcg@3", "r2"], refit="ndcg@3", cv=4, error_score="raise")
    before, requests = search.get_params(), str(get_routing_for_object(model))
    if labels == 1:
        search.fit(X, y, groups=groups)
    else:
        with pytest.raises(ValueError, match=f"'y' parameter of {type(search).__name__}"):
            search.fit(X, -y, groups=groups)
    assert search.get_params() == before
    assert search.estimator is model
    assert str(get_routing_for_object(model)) == requests
    assert clone(search).get_params().keys() == before.keys()


@SEARCH
@pytest.mark.parametrize(
    "copy", [clone, lambda search: pickle.loads(pickle.dumps(search))], ids=["clone", "pickle"]
)
def test_search_copies_give_the_same_results(make, copy, routing, ranking_data):
    X, y, groups = ranking_data
    search = make(Ridge(), GRID, scoring="ndcg@3", cv=3).fit(X, y, groups=groups)
    again = copy(search)
    if copy is clone:
        with pytest.raises(NotFittedError):
            again.score(X, y, groups=groups)
        again.fit(X, y, groups=groups)
    assert table(again) == table(search)
    assert again.score(X, y, groups=groups) == search.score(X, y, groups=groups)


def test_search_inside_a_pipeline_gets_ids(routing, ranking_data, folds):
    X, y, groups = ranking_data
    search = GridSearchCV(Ridge(), GRID, scoring="ndcg@3", cv=3)
    scaled = StandardScaler().fit_transform(X)
    expected = clone(search).fit(scaled, y, groups=groups)
    model = make_pipeline(StandardScaler(), search)
    model.fit(X, y, **{"groups" if routing else "gridsearchcv__groups": groups})
    assert table(model[-1]) == table(expected)
    np.testing.assert_array_equal(model.predict(X), expected.predict(scaled))


@pytest.mark.slow
@SEARCH
def test_search_inside_cross_validate_gets_ids(make, routing, ranking_data, folds):
    X, y, groups = ranking_data
    search = make(Ridge(), GRID, scoring=["map", "r2"], refit="map", cv=3)
    options = {"scoring": ["ndcg@3", "r2"], "groups": groups, "cv": 3, "return_estimator": True}
    got = cross_validate(search, X, y, error_score="raise", **options)
    for fold, (train, test) in enumerate(folds):
        fit = clone(search).fit(X[train], y[train], groups=groups[train])
        assert table(got["estimator"][fold]) == table(fit)
        expected = ndcg_score(y[test], fit.predict(X[test]), groups=groups[test], k=3)
        assert got["test_ndcg@3"][fold] == expected


@pytest.mark.parametrize("name", ["GridSearchCV", "RandomizedSearchCV"])
def test_search_signatures_equal_scikit_learn_plus_groups(name):
    ours, other = getattr(sklearn_rank, name), getattr(theirs, name)
    own = [each.replace(annotation=Parameter.empty) for each in signature(ours).parameters.values()]
    added = [each for each in own if each.name in ("keep_queries", "keep_dtype")]
    assert [str(each) for each in own if each not in added] == [
        str(each) for each in signature(other).parameters.values()
    ]
    assert [str(each) for each in added] == ["keep_queries=False", "keep_dtype='float64'"]
    for method in ("fit", "score"):
        own = signature(getattr(ours, method)).parameters
        assert own["groups"].replace(annotation=Parameter.empty) == Parameter(
            "groups", Parameter.KEYWORD_ONLY, default=None
        )
        assert set(own) == {*signature(getattr(other, method)).parameters, "groups"}


# ------------------------------------------------------------------ several threads


@pytest.mark.slow
def test_search_routing_and_score_are_thread_safe(ranking_data):
    X, y, groups = ranking_data
    search = GridSearchCV(Ridge(), {"alpha": [1, 2]}, scoring="ndcg@3", cv=3).fit(X, y, groups=groups)
    expected = search.score(X, y, groups=groups)
    before = dict(vars(search))
    barrier, scores = threading.Barrier(8, timeout=60), []

    def work():
        barrier.wait()
        for _ in range(20):
            get_routing_for_object(search)
            scores.append(search.score(X, y, groups=groups))

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    while any(thread.is_alive() for thread in threads):  # parameters do not change meanwhile
        assert (search.cv, search.scoring, type(search.estimator)) == (3, "ndcg@3", Ridge)
    for thread in threads:
        thread.join()
    assert scores == [expected] * 160
    assert vars(search).keys() == before.keys()
    assert all(vars(search)[name] is value for name, value in before.items())


def test_search_keeps_its_parameters_during_fit(ranking_data):
    X, y, groups = ranking_data
    seen = []

    class Watch(Ridge):
        def fit(self, X, y):
            seen.append((search.cv, search.scoring, search.estimator is model))
            return super().fit(X, y)

    model = Watch()
    search = GridSearchCV(model, {}, scoring="ndcg@3", cv=3)
    search.fit(X, y, groups=groups)
    assert seen == [(3, "ndcg@3", True)] * 4


def test_search_is_unchanged_after_a_failed_fit(ranking_data):
    X, y, groups = ranking_data
    search = GridSearchCV(Ridge(alpha=-1), {}, scoring="ndcg@3", cv=3, error_score="raise")
    before = dict(vars(search))
    with pytest.raises(ValueError, match="alpha"):
        search.fit(X, y, groups=groups)
    assert vars(search) == before
