"""`simplest`: the simplest of the best candidates, from tables and in searches."""

import pickle

import numpy as np
import pytest
import sklearn.model_selection as theirs
from sklearn.base import clone
from sklearn.linear_model import Ridge
from sklearn.metrics import r2_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeRegressor

from sklearn_rank import cross_val_report, map_score, ndcg_score, ndcg_scorer, ranking_scorer
from sklearn_rank.model_selection import simplest
from tests.helpers.search_kinds import exact_results, fit, make
from tests.helpers.searches import ALPHAS

MEANS = [0.50, 0.58, 0.60, 0.59, 0.597]
PARAMS = [
    {"model__depth": 2, "trees": 50, "leaf": 1},
    {"model__depth": 3, "trees": 50, "leaf": 9},
    {"model__depth": None, "trees": 90, "leaf": 5},
    {"model__depth": 5, "trees": 10, "leaf": 5},
    {"model__depth": 3, "trees": 90, "leaf": 5},
]


def table(means=MEANS, params=PARAMS, key="score", **more):
    """Return results of two folds that lie `spread` below and above each mean."""
    spread = np.array([0.01, 0.02, 0.03, 0.04, 0.05])[: len(means)]
    return {
        "params": params,
        "mean_fit_time": np.array([1.0, 9.0, 8.0, 3.0, 2.0])[: len(means)],
        "mean_score_time": np.array([1.0, 5.0, 6.0, 7.0, 8.0])[: len(means)],
        f"split0_test_{key}": np.array(means) - spread,
        f"split1_test_{key}": np.array(means) + spread,
        f"mean_test_{key}": np.array(means),
    } | more


# ------------------------------------------------------------------ the rule


def test_simplest_includes_a_candidate_exactly_at_a_rounded_margin():
    """As floats, 0.8 - 0.05 is above 0.75."""
    assert simplest("depth", within=0.05)(table([0.75, 0.8, 0.7], PARAMS[:3])) == 0


def test_simplest_takes_the_first_of_equal_means():
    params = [{"depth": 3}, {"depth": 3}]
    assert simplest("depth", within=0.1)(table([0.3, 0.1 + 0.2], params)) == 0


@pytest.mark.parametrize(
    ("by", "within", "chosen"),
    [
        (["depth"], 0.005, 4),
        (["model__depth"], 0.005, 4),
        (["depth"], 0.025, 4),  # 1 has the same depth, and a lower mean
        (["depth", "trees"], 0.025, 1),
        (["trees"], 0.025, 3),
        (["trees"], 0.001, 2),
        (["depth"], 0.2, 0),
        (["-trees"], 0.2, 2),
        (["-trees", "depth"], 0.2, 4),
        (["-depth"], 0.2, 2),  # None is the highest
        (["-model__depth"], 0.015, 2),
        (["leaf"], 0.015, 2),  # all equal: the best mean
        (["-leaf"], 0.025, 1),
        (["fit_time"], 0.015, 4),
        (["score_time"], 0.015, 2),
        (["score_time"], 0.025, 1),
        ([lambda params: params["trees"] * params["leaf"]], 0.015, 3),
        ([lambda params: params["trees"] > 20, "depth"], 0.025, 3),
        (["leaf", "trees", "fit_time"], 0.2, 0),
        (["depth"], "standard_error", 4),  # (0.63 - 0.57) / 2 = 0.03
        (["depth", "trees"], "standard_error", 1),
    ],
)
def test_simplest_chooses_by_each_criterion(by, within, chosen):
    assert simplest(*by, within=within)(table()) == chosen


def test_simplest_includes_a_mean_exactly_at_the_margin():
    results = table([0.5, 0.75, 1.0], PARAMS[:3])
    assert simplest("depth", within=0.25)(results) == 1
    assert simplest("depth", within=0.2499)(results) == 2


def test_simplest_includes_a_mean_one_standard_error_below():
    results = table([0.5, 0.75], PARAMS[1:3]) | {
        "split0_test_score": np.array([0.5, 0.5]),
        "split1_test_score": np.array([0.5, 1.0]),
    }
    assert simplest("depth", within="standard_error")(results) == 0
    results["mean_test_score"][0] -= 1e-9
    assert simplest("depth", within="standard_error")(results) == 1


def test_simplest_counts_a_missing_parameter_as_highest():
    results = table([0.5, 0.5], [{"kind": "b"}, {"kind": "a", "depth": 7}])
    assert simplest("depth", within=0.1)(results) == 1
    assert simplest("-depth", within=0.1)(results) == 0


def test_simplest_orders_booleans_as_numbers():
    results = table([0.5, 0.5], [{"intercept": True}, {"intercept": False}])
    assert simplest("intercept", within=0.1)(results) == 1
    assert simplest("-intercept", within=0.1)(results) == 0


def test_simplest_prefers_a_full_name_to_a_name_without_its_step():
    results = table([0.5, 0.5], [{"depth": 1, "a__depth": 2}, {"depth": 2, "a__depth": 1}])
    assert simplest("depth", within=0.1)(results) == 0
    assert simplest("a__depth", within=0.1)(results) == 1


def test_simplest_ignores_failed_and_eliminated_candidates():
    assert simplest("depth", within=0.5)(table([np.nan, 0.58, 0.6, 0.59, 0.597])) == 4
    assert simplest("depth", within=0.5)(table(iter=np.array([0, 1, 1, 1, 0]))) == 1


REFUSED = [
    (
        ["nope"],
        {},
        table(),
        "by",
        r"contain parameters of the search \('leaf', 'model__depth', 'trees'\)",
    ),
    (
        ["depth"],
        {},
        table([0.5], [{"a__depth": 1, "b__depth": 1}]),
        "by",
        "contain parameters of the search .* Got 'depth'",
    ),
    ([lambda params: np.nan], {}, table(), "by", "return a number for each candidate.* Got nan"),
    (
        ["a"],
        {},
        table([0.5], [{"a": np.nan}]),
        "by",
        "name .* values are numbers. Got nan for 'a'.* Replace 'a' by a function",
    ),
    (
        ["kind"],
        {},
        table([0.5, 0.5], [{"kind": 1}, {"kind": "x"}]),
        "by",
        "name .* values are numbers. Got 'x' for 'kind'",
    ),
    (
        ["on"],
        {},
        table([0.5, 0.5], [{"on": True}, {"on": "x"}]),
        "by",
        "name .* values are numbers. Got 'x' for 'on'",
    ),
    ([lambda params: None], {}, table(), "by", "return a number for each candidate. Got None from <lambda>"),
    ([lambda params: (1, 2)], {}, table(), "by", r"return a number .* Got \(1, 2\)"),
    (
        ["depth"],
        {"within": "contenders"},
        table(),
        "within",
        "be a margin or 'standard_error' in a search of scikit-learn",
    ),
    (["depth"], {}, table(key="map"), "metric", "be one of 'map'. Got None"),
    (["depth"], {"metric": "mrr"}, table(key="map"), "metric", "be one of 'map'. Got 'mrr'"),
]


@pytest.mark.parametrize(("by", "options", "results", "parameter", "rule"), REFUSED)
def test_simplest_rejects_names_that_the_results_lack(by, options, results, parameter, rule):
    with pytest.raises(ValueError, match=rf"^The '{parameter}' parameter of simplest must {rule}"):
        simplest(*by, **{"within": 0.5} | options)(results)


def test_simplest_raises_if_all_candidates_failed():
    with pytest.raises(ValueError, match=r"'refit' parameter of simplest must find a cand"):
        simplest("depth", within=0.5)(table([np.nan] * 5))


@pytest.mark.parametrize(
    ("by", "options", "rule"),
    [
        ([], {}, "'by' .* contain at least one parameter. Got none"),
        ([1], {}, "'by' .* contain names of parameters"),
        (["-"], {}, "'by' .* contain names of parameters"),
        ([""], {}, "'by' .* contain names of parameters"),
        (["a"], {"within": "best"}, "'within' .* be 'contenders', 'standard_error' or a margin > 0"),
        (["a"], {"within": 0}, "'within' .* margin > 0"),
        (["a"], {"within": -0.1}, "'within' .* margin > 0"),
        (["a"], {"within": np.inf}, "'within' .* margin > 0"),
        (["a"], {"within": np.nan}, "'within' .* margin > 0"),
        (["a"], {"within": True}, "'within' .* margin > 0"),
        (["a"], {"within": None}, "'within' .* margin > 0"),
        (["a"], {"metric": 3}, "'metric' .* be the name of a metric or None"),
        (["a"], {"confidence_level": 95}, "'confidence_level'"),
        (["a"], {"random_state": "x"}, "'random_state'"),
    ],
)
def test_simplest_checks_arguments_when_created(by, options, rule):
    with pytest.raises(ValueError, match=rf"^The {rule}"):
        simplest(*by, **options)


def test_simplest_repr_is_its_call():
    def size(params):
        return 1

    assert repr(simplest("a", "-b", size, within=0.1)) == "simplest('a', '-b', size, within=0.1)"
    assert repr(simplest("a")) == "simplest('a', within='contenders')"


# ------------------------------------------------------------------ searches


WITHIN = pytest.mark.parametrize("within", ["contenders", "standard_error", 0.02])
TREE = {"model": DecisionTreeRegressor(random_state=0), "grid": {"max_depth": [1, 2, 3, 4, None]}}


@pytest.mark.slow
@WITHIN
@pytest.mark.parametrize("keep", [False, True])
@pytest.mark.parametrize("kind", ["grid", "randomized"])
def test_search_refits_the_choice_of_simplest(kind, keep, within, routing, ranking_data):
    X, y, groups = ranking_data
    options = TREE | ({"n_iter": 5} if kind == "randomized" else {})
    search = fit(ranking_data, kind, **options, keep_queries=keep, refit=simplest("max_depth", within=within))
    plain = fit(ranking_data, kind, **options)
    assert exact_results(search) == exact_results(plain)
    means, depths = search.cv_results_["mean_test_score"], search.cv_results_["param_max_depth"]
    if within == "contenders":
        equals = plain.contenders()
    elif within == "standard_error":
        best = standard_error_of(X, y, groups, depths[means.argmax()])
        equals = np.flatnonzero(means >= means.max() - best)
    else:
        equals = np.flatnonzero(means >= means.max() - within)
    assert 0 < len(equals) < 5
    expected = min(equals, key=lambda i: np.inf if depths[i] is None else depths[i])
    assert search.best_index_ == expected
    assert search.best_params_ == search.cv_results_["params"][expected]
    assert search.best_score_ == means[expected]
    assert hasattr(search, "kept_queries_") == keep
    model = clone(TREE["model"]).set_params(max_depth=depths[expected]).fit(X, y)
    np.testing.assert_array_equal(search.predict(X), model.predict(X))
    assert search.score(X, y, groups=groups) == ndcg_score(y, model.predict(X), groups=groups, k=3)


def standard_error_of(X, y, groups, depth):
    """Return the standard error of the mean of the means of three folds of a tree."""
    model = DecisionTreeRegressor(random_state=0, max_depth=depth)
    report = cross_val_report(model, X, y, groups=groups, scoring=["ndcg@3"], cv=3)
    folds = [report.values["ndcg@3"][report.folds == fold] for fold in range(3)]
    mean = np.mean([values.mean() for values in folds])
    residuals = np.concatenate([(values - mean) / len(values) / 3 for values in folds])
    return np.sqrt(60 / 59 * np.sum(residuals**2))


def test_search_choice_explains_the_choice_of_simplest(ranking_data):
    search = fit(ranking_data, refit=simplest("-alpha", len, within=0.02))
    means = search.cv_results_["mean_test_score"]
    assert search.best_params_ == {"alpha": 1e5}
    assert search.choice_ == (
        f"alpha=100000.0: mean {means[2]:.4f} (best candidate: {means.max():.4f})\n"
        "Simplest by (-alpha, len) of 3 candidates whose mean is at most 0.02 below the best."
    )
    assert "candidates that are not distinguishable from the best at 90% confidence." in (
        fit(ranking_data, refit=simplest("alpha", confidence_level=0.9)).choice_
    )
    assert "whose mean is at most one standard error over queries (" in (
        fit(ranking_data, refit=simplest("alpha", within="standard_error")).choice_
    )


def test_simplest_chooses_the_fastest_contender(ranking_data):
    search = fit(ranking_data, **TREE, refit=simplest("fit_time"))
    contenders = search.contenders()
    assert search.best_index_ == min(contenders, key=lambda i: search.cv_results_["mean_fit_time"][i])


def test_simplest_finds_parameters_without_step_names(ranking_data):
    pipeline = make_pipeline(StandardScaler(), Ridge())
    search = fit(
        ranking_data, model=pipeline, grid={"ridge__alpha": ALPHAS}, refit=simplest("-alpha", within=0.5)
    )
    assert search.best_params_ == {"ridge__alpha": 1e5}


@pytest.mark.slow
@pytest.mark.parametrize(
    "scoring",
    [["ndcg@3", "map", "r2"], {"ndcg@3": ndcg_scorer(k=3), "map": "map"}, ranking_scorer(["ndcg@3", "map"])],
    ids=["list", "dict", "one scorer"],
)
@WITHIN
def test_simplest_chooses_by_one_of_several_metrics(scoring, within, routing, ranking_data):
    X, y, groups = ranking_data
    refit = simplest("-alpha", within=within, metric="map")
    search = fit(ranking_data, scoring=scoring, refit=refit, keep_queries=False)
    alone = fit(ranking_data, scoring="map", refit=simplest("-alpha", within=within))
    assert search.best_index_ == alone.best_index_
    assert search.best_score_ == search.cv_results_["mean_test_map"][search.best_index_] == alone.best_score_
    assert search.choice_ == alone.choice_
    assert search.score(X, y, groups=groups) == map_score(y, search.predict(X), groups=groups)
    kept = fit(ranking_data, scoring=scoring, refit=refit)
    assert kept.kept_queries_.metric == "map"


@pytest.mark.parametrize(
    "scoring", [["ndcg", "map"], ranking_scorer(["ndcg", "map"])], ids=["list", "scorer"]
)
@pytest.mark.parametrize("metric", [None, "mrr"])
@WITHIN
def test_simplest_requires_a_metric_with_several_scorers(scoring, metric, within, ranking_data):
    rule = "'metric' parameter of simplest must be one of 'ndcg', 'map'. Got"
    with pytest.raises(ValueError, match=rf"^The {rule} {metric!r}"):
        fit(ranking_data, scoring=scoring, refit=simplest("alpha", metric=metric, within=within))


def test_simplest_metric_must_match_keep_queries(ranking_data):
    options = {"scoring": ["ndcg", "map"], "keep_queries": "ndcg"}
    for within in ("contenders", "standard_error"):
        with pytest.raises(
            ValueError,
            match=r"'metric' .* of simplest must equal the 'keep_queries' of the search, 'ndcg'",
        ):
            fit(ranking_data, **options, refit=simplest("alpha", metric="map", within=within))
    search = fit(ranking_data, **options, refit=simplest("alpha", metric="map", within=0.01))
    assert search.kept_queries_.metric == "ndcg"
    assert search.best_score_ == search.cv_results_["mean_test_map"][search.best_index_]


def test_simplest_works_with_ids_by_name_and_several_metrics(ranking_data):
    pandas = pytest.importorskip("pandas")
    X, y, groups = ranking_data
    y = pandas.Series(y, index=pandas.Index(groups, name="qid"))
    scorer = ranking_scorer(["ndcg@3", "map"], groups="qid")
    search = make(scoring=scorer, refit=simplest("alpha", metric="map")).fit(X, y)
    assert search.score(X, y) == map_score(y, search.predict(X), groups=groups)


def test_simplest_uses_standard_errors_over_folds_for_other_scorers(ranking_data):
    X, y, _ = ranking_data
    options = {"scoring": "r2", "keep_queries": False}
    search = fit(ranking_data, **options, refit=simplest("-alpha", within="standard_error"))
    scores = np.array([search.cv_results_[f"split{fold}_test_score"] for fold in range(3)])
    means = search.cv_results_["mean_test_score"]
    margin = scores[:, means.argmax()].std(ddof=1) / np.sqrt(3)
    assert search.best_index_ == np.flatnonzero(means >= means.max() - margin).max()
    assert "over folds" in search.choice_
    assert search.score(X, y) == r2_score(y, search.predict(X))
    with pytest.raises(ValueError, match="'scoring' parameter of GridSearchCV must be a ranking scorer"):
        fit(ranking_data, **options, refit=simplest("-alpha"))


def test_simplest_works_with_a_function_that_returns_a_dict(ranking_data):
    X, y, groups = ranking_data

    def score(model, X, y):
        return {"r2": model.score(X, y), "alpha": model.alpha}

    search = make(scoring=score, refit=simplest("alpha", metric="alpha", within=1e4)).fit(X, y, groups=groups)
    assert (search.best_params_, search.best_score_) == ({"alpha": 1e5}, 1e5)
    assert search.score(X, y, groups=groups) == 1e5


@pytest.mark.parametrize("within", ["standard_error", 0.5])
def test_simplest_works_in_scikit_learns_search(within, ranking_data):
    X, y, _ = ranking_data
    grid = {"alpha": [1.0, 2.0, 1e9]}
    search = theirs.GridSearchCV(Ridge(), grid, refit=simplest("-alpha", within=within)).fit(X, y)
    assert search.best_params_ == {"alpha": 2.0 if within == "standard_error" else 1e9}
    named = simplest("-alpha", within=within, metric="r2")
    several = theirs.GridSearchCV(Ridge(), grid, scoring=["r2", "neg_mean_squared_error"], refit=named)
    assert several.fit(X, y).best_params_ == search.best_params_


def test_simplest_within_contenders_raises_in_scikit_learns_search(ranking_data):
    X, y, _ = ranking_data
    with pytest.raises(ValueError, match="must be a margin or 'standard_error' in a search of scikit-learn"):
        theirs.GridSearchCV(Ridge(), {"alpha": ALPHAS}, refit=simplest("alpha")).fit(X, y)


@WITHIN
@pytest.mark.parametrize("kind", ["halving grid", "halving random"])
def test_halving_rejects_simplest(kind, within, ranking_data):
    with pytest.raises(
        ValueError, match=r"'refit' parameter of Halving\w+ must be True or False. .* last round"
    ):
        fit(ranking_data, kind, refit=simplest("alpha", within=within))


class FailsOften(Ridge):
    """A model of one strength that cannot be fitted without query 7."""

    def fit(self, X, y):
        if self.alpha == 1e5 and 7 not in X[:, -1]:
            raise ValueError("no fit")
        return super().fit(X, y)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.FitFailedWarning")
@pytest.mark.parametrize("within", ["contenders", "standard_error"])
def test_simplest_ignores_candidates_with_error_score(within, ranking_data):
    X, y, groups = ranking_data
    rows = np.column_stack([X, groups]), y, groups
    search = fit(
        rows,
        model=FailsOften(),
        scoring="neg_bpr_loss",
        error_score=5.0,
        refit=simplest("-alpha", within=within),
    )
    assert search.cv_results_["mean_test_score"].argmax() == 2
    assert search.best_params_ != {"alpha": 1e5}


def test_search_with_simplest_survives_pickle_and_clone(ranking_data):
    search = fit(ranking_data, refit=simplest("-alpha", within=0.02))
    again = pickle.loads(pickle.dumps(search))
    assert (again.choice_, again.best_params_) == (search.choice_, search.best_params_)
    X, y, groups = ranking_data
    fresh = clone(search)
    assert repr(fresh.refit) == repr(search.refit)
    assert not hasattr(fresh, "choice_")
    assert fresh.fit(X, y, groups=groups).choice_ == search.choice_
    assert "refit=simplest('-alpha', within=0.02)" in repr(search)
    assert "GridSearchCV" in search._repr_html_()
