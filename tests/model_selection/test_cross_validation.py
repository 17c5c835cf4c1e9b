"""Drop-ins for scikit-learn's cross-validation: `groups` reach splitter, model and scorers."""

from inspect import Parameter, signature

import numpy as np
import pytest
import sklearn.model_selection as theirs
from sklearn import config_context
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.metrics import r2_score
from sklearn.model_selection import KFold
from sklearn.neighbors import KNeighborsRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.metadata_routing import get_routing_for_object

import sklearn_rank
from sklearn_rank import (
    BalancedGroupKFold,
    GridSearchCV,
    cross_val_predict,
    cross_val_score,
    cross_validate,
    map_score,
    ndcg_scorer,
    ranking_scorer,
)
from tests.helpers.naming import name_of

FUNCTIONS = pytest.mark.parametrize("name", ["cross_validate", "cross_val_score", "cross_val_predict"])
PIPELINE = make_pipeline(StandardScaler(), Ridge())
NDCG = ndcg_scorer(k=3)


class ByKeyword(KFold):
    """A splitter in the modern style, whose purpose is to cut queries."""

    cuts_groups = True

    def split(self, X, y=None, *, groups=None):
        return super().split(X, y)


def messages(caught):
    return [str(warning.message) for warning in caught if "cuts queries" in str(warning.message)]


# ------------------------------------------------------------------ values


@pytest.mark.parametrize("model", [Ridge(), PIPELINE, KNeighborsRegressor()], ids=repr)
def test_cross_val_score_equals_a_loop_over_the_folds(model, routing, ranking_data, by_hand):
    X, y, groups = ranking_data
    expected = by_hand(model, folds=BalancedGroupKFold(5).split(X, y, groups), k=10)
    assert cross_val_score(model, X, y, scoring=ndcg_scorer(k=10), groups=groups).tolist() == expected


def test_cross_val_score_reads_ids_from_params(routing, ranking_data, by_hand):
    X, y, groups = ranking_data
    got = cross_val_score(Ridge(), X, y, scoring=NDCG, cv=3, params={"groups": groups})
    assert got.tolist() == by_hand(Ridge(), k=3)


def test_cross_val_score_equals_scikit_learn_with_routing(ranking_data, by_hand):
    X, y, groups = ranking_data
    with config_context(enable_metadata_routing=True):
        got = theirs.cross_val_score(
            Ridge(), X, y, scoring=NDCG, cv=BalancedGroupKFold(3), params={"groups": groups}
        )
    assert got.tolist() == by_hand(Ridge(), k=3)


def test_cross_val_score_equals_scikit_learn_if_ids_are_in_the_data(data_with_ids, folds, by_hand):
    model, X, y = data_with_ids
    got = theirs.cross_val_score(model, X, y, scoring=ndcg_scorer(k=3, groups="qid"), cv=folds)
    np.testing.assert_allclose(got, by_hand(Ridge(), k=3), atol=1e-12)


@pytest.mark.parametrize(
    "ways",
    [{"groups": "qid", "scoring": NDCG}, {"scoring": ndcg_scorer(k=3, groups="qid")}],
    ids=["named in the call", "named in the scorer"],
)
def test_cross_val_score_reads_ids_by_name_for_splitter_and_scorer(ways, routing, data_with_ids, by_hand):
    model, X, y = data_with_ids
    got = cross_val_score(model, X, y, cv=3, **ways)
    np.testing.assert_allclose(got, by_hand(Ridge(), k=3), atol=1e-12)


@pytest.mark.parametrize("model", [Ridge(), PIPELINE], ids=["alone", "pipeline"])
def test_cross_val_score_is_the_same_with_two_jobs(model, routing, ranking_data, by_hand):
    X, y, groups = ranking_data
    got = cross_val_score(model, X, y, scoring=NDCG, groups=groups, cv=3, n_jobs=2)
    assert got.tolist() == by_hand(model, k=3)


@pytest.mark.parametrize(
    "convert",
    [np.ndarray.tolist, lambda ids: [str(100 + i) for i in ids], lambda ids: [(int(i), "web") for i in ids]],
    ids=["ints", "strings", "tuples"],
)
def test_cross_val_score_accepts_ids_of_any_sortable_type(convert, ranking_data, by_hand):
    X, y, groups = ranking_data
    got = cross_val_score(Ridge(), X, y, scoring=NDCG, groups=convert(groups), cv=3)
    assert got.tolist() == by_hand(Ridge(), k=3)


def test_cross_val_predict_trains_on_other_queries(routing, ranking_data, folds):
    X, y, groups = ranking_data
    got = cross_val_predict(Ridge(), X, y, groups=groups, cv=3)
    for train, test in folds:
        np.testing.assert_array_equal(got[test], Ridge().fit(X[train], y[train]).predict(X[test]))


def test_cross_val_predict_uses_the_given_method(ranking_data, folds):
    X, y, groups = ranking_data
    got = cross_val_predict(LogisticRegression(), X, y > 1, groups=groups, cv=folds, method="predict_proba")
    for train, test in folds:
        fit = LogisticRegression().fit(X[train], y[train] > 1)
        np.testing.assert_array_equal(got[test], fit.predict_proba(X[test]))


# ------------------------------------------------------------------ values of `scoring`


@pytest.mark.parametrize(
    ("scoring", "expected"),
    [
        (NDCG, {"score": "ndcg"}),
        ("ndcg@3", {"score": "ndcg"}),
        ("r2", {"score": "r2"}),
        (["ndcg@3", "r2"], {"ndcg@3": "ndcg", "r2": "r2"}),
        (("ndcg@3", "map"), {"ndcg@3": "ndcg", "map": "map"}),
        ({"ours": NDCG, "name": "map", "theirs": "r2"}, {"ours": "ndcg", "name": "map", "theirs": "r2"}),
        (ranking_scorer(["ndcg@3", "map"]), {"ndcg@3": "ndcg", "map": "map"}),
        (lambda fit, X, y: r2_score(y, fit.predict(X)), {"score": "r2"}),
        (None, {"score": "r2"}),
    ],
    ids=name_of,
)
def test_cross_validate_accepts_every_kind_of_scoring(scoring, expected, routing, ranking_data, by_hand):
    X, y, groups = ranking_data
    values = {
        "ndcg": by_hand(Ridge(), k=3),
        "map": by_hand(Ridge(), map_score),
        "r2": by_hand(Ridge(), lambda y_true, y_pred, groups: r2_score(y_true, y_pred)),
    }
    got = cross_validate(Ridge(), X, y, scoring=scoring, groups=groups, cv=3)
    assert {name[5:]: list(got[name]) for name in got if name.startswith("test_")} == {
        name: values[value] for name, value in expected.items()
    }


def test_cross_val_score_accepts_the_name_of_a_metric(ranking_data, by_hand):
    X, y, groups = ranking_data
    assert cross_val_score(Ridge(), X, y, scoring="ndcg@3", groups=groups, cv=3).tolist() == by_hand(
        Ridge(), k=3
    )


@pytest.mark.parametrize("scoring", [None, "r2"])
def test_cross_val_score_equals_scikit_learn_without_groups(scoring, routing, ranking_data):
    X, y, _ = ranking_data
    expected = theirs.cross_val_score(Ridge(), X, y, scoring=scoring, params={})
    np.testing.assert_array_equal(cross_val_score(Ridge(), X, y, scoring=scoring), expected)


def test_cross_val_score_ignores_groups_that_are_not_needed(routing, ranking_data, folds):
    X, y, groups = ranking_data
    expected = theirs.cross_val_score(Ridge(), X, y, cv=folds, params={})
    np.testing.assert_array_equal(cross_val_score(Ridge(), X, y, groups=groups, cv=folds), expected)


# ------------------------------------------------------------------ return values


def test_cross_validate_returns_train_scores_estimators_and_indices(routing, ranking_data, folds, by_hand):
    X, y, groups = ranking_data
    asked = {"return_train_score": True, "return_estimator": True, "return_indices": True}
    got = cross_validate(Ridge(), X, y, scoring=NDCG, groups=groups, cv=3, **asked)
    assert got["train_score"].tolist() == by_hand(Ridge(), folds=[(train, train) for train, _ in folds], k=3)
    for fold, (train, test) in enumerate(folds):
        np.testing.assert_array_equal(got["indices"]["train"][fold], train)
        np.testing.assert_array_equal(got["indices"]["test"][fold], test)
        np.testing.assert_array_equal(got["estimator"][fold].coef_, Ridge().fit(X[train], y[train]).coef_)


def test_cross_val_score_uses_error_score_when_scoring_fails(routing, ranking_data):
    class PredictsNaN(Ridge):
        def predict(self, X):
            return super().predict(X) * np.nan

    X, y, groups = ranking_data
    options = {"scoring": "ndcg@3", "groups": groups, "cv": 3}
    with pytest.warns(UserWarning, match="Scoring failed"):
        assert cross_val_score(PredictsNaN(), X, y, error_score=-7, **options).tolist() == [-7, -7, -7]
    with pytest.raises(ValueError, match=r"'y_score' parameter of ndcg_scorer.* must not contain NaN"):
        cross_val_score(PredictsNaN(), X, y, error_score="raise", **options)


@pytest.mark.parametrize("name", ["cross_validate", "cross_val_score", "cross_val_predict"])
def test_signatures_contain_those_of_scikit_learn(name):
    ours, other = (signature(getattr(module, name)).parameters for module in (sklearn_rank, theirs))
    ours = {key: str(parameter.replace(annotation=Parameter.empty)) for key, parameter in ours.items()}
    assert ours.items() >= {key: str(parameter) for key, parameter in other.items()}.items()


@pytest.mark.parametrize("params", [{}, {"sample_weight": np.ones(513)}], ids=["plain", "weights"])
def test_cross_val_score_does_not_change_the_given_model(params, with_ids, ranking_data):
    features, y, groups = ranking_data
    model, X = (Ridge(), features) if params else with_ids
    before, state = str(get_routing_for_object(model)), dict(vars(model))
    cross_val_score(model, X, y, scoring=NDCG, groups=groups, params=params)
    assert (str(get_routing_for_object(model)), vars(model)) == (before, state)


# ------------------------------------------------------------------ models with ids, nested models


@pytest.mark.parametrize("n_jobs", [None, 2])
@pytest.mark.parametrize("scoring", ["ndcg", None])
@pytest.mark.parametrize(
    "wrap",
    [lambda model: model, lambda model: GridSearchCV(model, {"alpha": [1.0]}, scoring="ndcg", cv=3)],
    ids=["alone", "search"],
)
def test_own_model_gets_the_ids_of_its_rows(wrap, scoring, n_jobs, with_ids, ranking_data, by_hand):
    (model, X), (_, y, groups) = with_ids, ranking_data
    got = cross_val_score(
        wrap(model), X, y, scoring=scoring, groups=groups, cv=3, n_jobs=n_jobs, error_score="raise"
    )
    np.testing.assert_allclose(got, by_hand(Ridge()), atol=1e-12)


def test_model_in_a_pipeline_gets_the_ids_of_its_rows(with_ids, ranking_data, by_hand):
    (model, X), (_, y, groups) = with_ids, ranking_data
    model = make_pipeline("passthrough", model)
    got = cross_val_score(model, X, y, scoring="ndcg", groups=groups, cv=3, error_score="raise")
    np.testing.assert_allclose(got, by_hand(Ridge()), atol=1e-12)


@pytest.mark.parametrize("wanted", [True, False])
def test_cross_val_score_respects_fit_requests_for_ids(wanted, routing, with_ids, ranking_data):
    (model, X), (_, y, groups) = with_ids, ranking_data
    with config_context(enable_metadata_routing=True):
        model.set_fit_request(groups=wanted).set_score_request(groups=True)
    if wanted:
        cross_val_score(model, X, y, groups=groups, error_score="raise")
    else:
        with pytest.raises(AssertionError):  # its fit got None
            cross_val_score(model, X, y, groups=groups, error_score="raise")


@pytest.mark.parametrize("outer", ["ndcg@3", "r2", None])
@pytest.mark.parametrize(
    ("inner", "refit"),
    [("ndcg@3", True), ("r2", True), (["map", "r2"], "map"), (["map", "r2"], "r2")],
    ids=["ndcg", "r2", "map of two", "r2 of two"],
)
def test_cross_val_score_of_a_search_equals_a_loop(inner, refit, outer, ranking_data, folds):
    X, y, groups = ranking_data
    search = GridSearchCV(Ridge(), {"alpha": [1e-3, 1e4, 1e6]}, scoring=inner, refit=refit, cv=3)
    score = outer or (inner if refit is True else refit)
    expected = []
    for train, test in folds:
        fit = clone(search).fit(X[train], y[train], groups=groups[train])
        ids = {} if score == "r2" else {"groups": groups[test]}
        expected.append(sklearn_rank.get_scorer(score)(fit, X[test], y[test], **ids))
    options = {"groups": groups, "cv": 3, "error_score": "raise"}
    assert cross_val_score(search, X, y, scoring=outer, **options).tolist() == expected
    if outer:
        assert cross_val_score(make_pipeline(search), X, y, scoring=outer, **options).tolist() == expected
