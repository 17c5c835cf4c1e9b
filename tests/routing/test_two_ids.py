"""Two different ids of each row: each scorer gets the ids that it requests, from any source."""

from typing import NamedTuple

import numpy as np
import pytest
from sklearn import config_context
from sklearn.base import clone
from sklearn.compose import make_column_transformer
from sklearn.linear_model import Ridge
from sklearn.pipeline import make_pipeline

from sklearn_rank import (
    BalancedGroupKFold,
    GridSearchCV,
    RandomizedSearchCV,
    cross_val_score,
    cross_validate,
    learning_curve,
    ndcg_score,
    ndcg_scorer,
    permutation_importance,
    permutation_test_score,
    validation_curve,
)
from sklearn_rank.model_selection import HalvingGridSearchCV, HalvingRandomSearchCV

WAYS = ["groups", "alias", "index level", "column"]
ONE = ["u"]
TWO = ["q", "u"]


@pytest.fixture
def ids(ranking_data):
    """Two ids of each row: its query, and one of twenty users."""
    groups = ranking_data[2]
    return {"q": groups, "u": np.random.default_rng(0).integers(0, 20, len(groups))}


class Case(NamedTuple):
    """What to call with, and what should come out."""

    model: object
    X: object
    y: np.ndarray
    scorers: dict
    groups: np.ndarray  # ids that the folds are made by
    params: dict
    expected: dict  # the scores of both folds, by the name of the scorer
    step: str

    def options(self, name):
        """Return the arguments of a call with one scorer."""
        params = {alias: ids for alias, ids in self.params.items() if alias == name}
        return {"groups": self.groups, "scoring": self.scorers[name], "cv": 2, "params": params}


@pytest.fixture(params=WAYS)
def case(request, ranking_data, ids):
    """One case for each way in which ids come."""
    X, y, _ = ranking_data
    model, scorers, params, groups = Ridge(), {n: ndcg_scorer(k=3, groups=n) for n in ids}, {}, ids["q"]
    if request.param in ("groups", "alias"):
        scorers = {name: ndcg_scorer(k=3).set_score_request(groups=name) for name in ids}
        params = dict(ids)
        if request.param == "groups":
            scorers["u"], groups = ndcg_scorer(k=3), params.pop("u")
    else:
        pandas = pytest.importorskip("pandas")
        frame = pandas.DataFrame(X).add_prefix("x")
        if request.param == "column":
            model = make_pipeline(make_column_transformer(("drop", [*ids]), remainder="passthrough"), model)
            X = frame.assign(**ids)
        else:
            X = frame.set_index(pandas.MultiIndex.from_arrays([*ids.values()], names=[*ids]))
    expected = {name: [] for name in ids}
    features = ranking_data[0]
    for train, test in BalancedGroupKFold(2).split(features, y, groups):
        predicted = Ridge().fit(features[train], y[train]).predict(features[test])
        for name, of_row in ids.items():
            expected[name].append(ndcg_score(y[test], predicted, groups=of_row[test], k=3))
    step = "ridge__" if request.param == "column" else ""
    return Case(model, X, y, scorers, groups, params, expected, step)


def test_two_ids_give_different_scores(case):
    assert min(abs(np.subtract(case.expected["q"], case.expected["u"]))) > 0.001


@pytest.mark.parametrize("names", [ONE, TWO], ids=["one scorer", "two scorers"])
def test_cross_validate_passes_each_scorer_its_ids(names, case, routing):
    scoring = {name: case.scorers[name] for name in names}
    params = {name: ids for name, ids in case.params.items() if name in names}
    options = {"groups": case.groups, "scoring": scoring, "cv": 2, "params": params}
    got = cross_validate(case.model, case.X, case.y, **options)
    for name in names:
        np.testing.assert_allclose(got[f"test_{name}"], case.expected[name], atol=1e-12)


@pytest.mark.parametrize("name", TWO)
def test_functions_pass_a_scorer_its_ids(name, case, routing):
    rows, options = (case.model, case.X, case.y), case.options(name)
    values = {"param_name": f"{case.step}alpha", "param_range": [1.0]}
    scores = {
        "cross_val_score": cross_val_score(*rows, **options),
        "validation_curve": validation_curve(*rows, **values, **options)[1][0],
        "learning_curve": learning_curve(*rows, train_sizes=[1.0], **options)[2][0],
    }
    for function, got in scores.items():
        np.testing.assert_allclose(got, case.expected[name], atol=1e-12, err_msg=function)
    score = permutation_test_score(*rows, n_permutations=1, **options)[0]
    np.testing.assert_allclose(score, np.mean(case.expected[name]), atol=1e-12)


SEARCHES = {
    "grid": (GridSearchCV, {}),
    "randomized": (RandomizedSearchCV, {"n_iter": 1}),
    "halving grid": (HalvingGridSearchCV, {}),
    "halving randomized": (HalvingRandomSearchCV, {"n_candidates": 1, "min_resources": "exhaust"}),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", TWO)
@pytest.mark.parametrize(("search", "options"), SEARCHES.values(), ids=SEARCHES)
def test_searches_pass_a_scorer_its_ids(search, options, name, case, ids, routing):
    scorer, given = case.scorers[name], case.options(name)["params"]
    found = search(case.model, {f"{case.step}alpha": [1.0]}, scoring=scorer, cv=2, **options)
    found.fit(case.X, case.y, groups=case.groups, **given)
    np.testing.assert_allclose(found.best_score_, np.mean(case.expected[name]), atol=1e-12)
    value = ndcg_score(case.y, found.predict(case.X), groups=ids[name], k=3)
    ways = [{"groups": ids[name]}] if scorer.groups is None else [{}]
    if given:  # the name that the scorer requests has priority over `groups`
        ways += [given, {"groups": case.groups, **given}]
    for way in ways:
        assert found.score(case.X, case.y, **way) == pytest.approx(value, abs=1e-12)


@pytest.mark.slow
@pytest.mark.parametrize("refit", TWO)
@pytest.mark.parametrize("kind", ["grid", "randomized"])
def test_searches_pass_two_scorers_their_ids(kind, refit, case, routing):
    search, options = SEARCHES[kind]
    found = search(
        case.model, {f"{case.step}alpha": [1.0]}, scoring=case.scorers, refit=refit, cv=2, **options
    )
    found.fit(case.X, case.y, groups=case.groups, **case.params)
    for name in TWO:
        got = [found.cv_results_[f"split{fold}_test_{name}"][0] for fold in range(2)]
        np.testing.assert_allclose(got, case.expected[name], atol=1e-12)


@pytest.mark.slow
@pytest.mark.parametrize("names", [ONE, TWO], ids=["one scorer", "two scorers"])
@pytest.mark.parametrize("given", [True, False], ids=["groups too", "no groups"])
def test_permutation_importance_passes_each_scorer_its_ids(given, names, case, ids, routing):
    if case.params:
        pytest.skip("this function has no `params`: ids come as `groups` or travel in the data")
    fitted = clone(case.model).fit(case.X, case.y)
    scoring = {name: case.scorers[name] for name in names}
    options = {"random_state": 0, "n_repeats": 2}
    groups = {"groups": ids["q"]} if given else {}
    got = permutation_importance(fitted, case.X, case.y, scoring=scoring, **groups, **options)
    for name in names:
        alone = {"scoring": ndcg_scorer(k=3), "groups": ids[name]}
        expected = permutation_importance(fitted, case.X, case.y, **alone, **options)
        np.testing.assert_allclose(got[name].importances, expected.importances, atol=1e-12)
    if names == TWO:
        assert not np.allclose(got["q"].importances, got["u"].importances, atol=1e-6)


# ------------------------------------------------------------------ missing and invalid ids


@pytest.mark.parametrize("given", ["groups", "nothing"])
def test_cross_validate_without_an_alias_uses_groups_or_raises(given, ids, ranking_data, routing):
    X, y, _ = ranking_data
    scorers = {name: ndcg_scorer(k=3).set_score_request(groups=name) for name in TWO}
    options = {"scoring": scorers, "cv": 2, "params": {"q": ids["q"]}}
    if given == "groups":  # `groups` replaces any alias that is not passed
        got = cross_validate(Ridge(), X, y, groups=ids["u"], **options)
        want = cross_validate(Ridge(), X, y, groups=ids["u"], **options | {"params": {**ids}})
        np.testing.assert_array_equal(got["test_u"], want["test_u"])
    else:  # the ids of another scorer do not
        with pytest.raises(ValueError, match=r"'params' parameter of cross_validate must contain 'u'"):
            cross_validate(Ridge(), X, y, **options)


@pytest.mark.parametrize(
    ("change", "rule"),
    [
        (lambda ids: ids[1:], r"have one id per row \(513 rows\)"),
        (lambda ids: [None, *ids[1:]], "not contain missing ids"),
        (lambda ids: "who", "name an index level of X or y"),
    ],
    ids=["short", "missing", "unknown name"],
)
def test_cross_val_score_checks_ids_under_an_alias(change, rule, ids, ranking_data, routing):
    X, y, groups = ranking_data
    scorer = ndcg_scorer(k=3).set_score_request(groups="user")
    with pytest.raises(ValueError, match=f"'user' parameter of cross_val_score must {rule}"):
        cross_val_score(Ridge(), X, y, groups=groups, scoring=scorer, params={"user": change(ids["u"])})


def test_splitter_can_request_ids_under_another_name(ids, ranking_data, by_hand):
    X, y, groups = ranking_data
    with config_context(enable_metadata_routing=True):
        cv = BalancedGroupKFold(2).set_split_request(groups="user")
    for routing in (False, True):
        with config_context(enable_metadata_routing=routing), pytest.warns(UserWarning, match="cuts queries"):
            options = {"scoring": ndcg_scorer(k=3), "cv": cv, "params": {"user": ids["u"]}}
            got = cross_val_score(Ridge(), X, y, groups=groups, **options)
        folds = BalancedGroupKFold(2).split(X, y, ids["u"])
        assert got.tolist() == by_hand(Ridge(), folds=folds, k=3)


class WantsUsers(Ridge):
    """A model that wants the ids of users, which it compares with the last column of X."""

    def fit(self, X, y, groups=None):
        np.testing.assert_array_equal(groups, X[:, -1])
        return super().fit(X, y)


@pytest.mark.parametrize("make", [lambda model: model, make_pipeline], ids=["alone", "pipeline"])
def test_model_can_request_ids_under_another_name(make, ids, ranking_data, routing):
    X, y, groups = ranking_data
    with config_context(enable_metadata_routing=True):
        model = make(WantsUsers().set_fit_request(groups="user"))
    options = {"groups": groups, "cv": 2, "scoring": "ndcg@3", "error_score": "raise"}
    X = np.column_stack([X, ids["u"]])
    got = cross_val_score(model, X, y, params={"user": ids["u"]}, **options)
    np.testing.assert_array_equal(got, cross_val_score(Ridge(), X, y, **options))
    search = GridSearchCV(model, {}, cv=2, scoring="ndcg@3", error_score="raise")
    assert search.fit(X, y, groups=groups, user=ids["u"]).best_score_ == np.mean(got)
