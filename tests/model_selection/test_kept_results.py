"""Reports and comparisons by the values per query of a search, and errors."""

import pickle

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import Ridge
from sklearn.metrics import make_scorer, mean_absolute_error

from sklearn_rank import (
    RepeatedBalancedGroupKFold,
    catalog_coverage_scorer,
    compare,
    cross_val_report,
    ndcg_scorer,
    ranking_scorer,
)
from sklearn_rank.model_selection import simplest
from tests.helpers.forms import load
from tests.helpers.search_kinds import EVERY_KIND, fit, make
from tests.helpers.searches import ALPHAS

# ------------------------------------------------------------------ reports


class Judged(Ridge):
    """A model that is trained on the rows with a label."""

    def fit(self, X, y):
        known = ~np.isnan(y)
        return super().fit(X[known], y[known])


OPTIONS = {
    "plain": ("ndcg@10", {}),
    "loss": ("neg_bpr_loss", {}),
    "micro": ("recall@3", {"average": "micro"}),
    "weighted": ("map", {"average": "weighted"}),
    "undefined": ("map", {"min_relevance": 4, "zero_division": np.nan}),
    "undefined micro": ("recall@3", {"average": "micro", "min_relevance": 4, "zero_division": np.nan}),
    "undefined is one": ("mrr", {"min_relevance": 4, "zero_division": 1.0}),
    "unjudged": ("ndcg@3", {"unjudged": "drop"}),
}
REPEATED = RepeatedBalancedGroupKFold(n_splits=3, n_repeats=3, random_state=0)


def search_of(rows, name, options, **more):
    scorer = ranking_scorer([name], **options)
    if more.get("sample_weight") is not None:
        scorer.set_score_request(sample_weight=True)
    X, y, groups = rows
    search = make(model=Judged(), scoring=scorer, refit=name, keep_queries=True, cv=more.pop("cv", 3))
    return search.fit(X, y, groups=groups, **more)


def assert_equal(report, expected, name, exact=True):
    np.testing.assert_array_equal(report.ids, expected.ids)
    np.testing.assert_array_equal(report.sizes, expected.sizes)
    np.testing.assert_array_equal(report.n_relevant, expected.n_relevant)
    np.testing.assert_array_equal(report.folds, expected.folds)
    assert (report.metrics, report.n_queries) == ((name,), expected.n_queries)
    assert (report.n_defined, report.n_empty) == (expected.n_defined, expected.n_empty)
    rel = 0 if exact else 1e-14
    np.testing.assert_allclose(report.values[name], expected.values[name], rtol=rel)
    assert report.mean[name] == pytest.approx(expected.mean[name], rel=rel, abs=0)
    assert report.standard_error[name] == pytest.approx(expected.standard_error[name], rel=1e-13)
    assert report.interval[name] == pytest.approx(expected.interval[name], rel=1e-13)


@EVERY_KIND
@pytest.mark.parametrize("zero_division", [0.0, 1.0, np.nan])
def test_search_report_counts_queries_without_relevant_documents(kind, zero_division, ranking_data):
    X, y, groups = ranking_data
    y = np.where(groups % 4 == 0, 0, y)
    search = fit((X, y, groups), kind, scoring=ndcg_scorer(k=3, zero_division=zero_division))
    report = search.report(search.best_index_)
    tested = np.isin(groups, report.ids)
    n_empty = np.count_nonzero(np.bincount(groups[tested], y[tested])[report.ids] == 0)
    assert n_empty >= 1
    assert report.n_empty == {"ndcg@3": n_empty}
    assert str(report).splitlines()[2].split()[-1] == str(n_empty)


@pytest.mark.slow
@pytest.mark.parametrize("cv", [3, REPEATED], ids=["folds", "repeats"])
@pytest.mark.parametrize("case", OPTIONS)
def test_search_report_equals_cross_val_report_exactly(case, cv, ranking_data):
    (name, options), (X, y, groups) = OPTIONS[case], ranking_data
    if case == "unjudged":
        y = np.where(np.random.default_rng(0).random(len(y)) < 0.2, np.nan, y)
    search = search_of((X, y, groups), name, options, cv=cv)
    for candidate, alpha in enumerate(ALPHAS):
        asked = {"scoring": [name], "cv": cv, **options}
        expected = cross_val_report(Judged(alpha=alpha), X, y, groups=groups, **asked)
        assert_equal(search.report(candidate), expected, name)


@pytest.mark.parametrize("spread", [0.1, 3, 200])
@pytest.mark.parametrize(
    ("name", "average"), [("ndcg@3", "macro"), ("recall@3", "micro"), ("map", "weighted")]
)
def test_search_report_weights_match_cross_val_report(name, average, spread, ranking_data):
    X, y, groups = ranking_data
    per_query = np.exp(np.random.default_rng(0).normal(0, spread, 60))
    weights = per_query[np.unique(groups, return_inverse=True)[1]]

    class Unweighted(Judged):
        def fit(self, X, y, sample_weight=None):
            return super().fit(X, y)

    scorer = ranking_scorer([name], average=average).set_score_request(sample_weight=True)
    search = make(model=Unweighted(), scoring=scorer, refit=name, keep_queries=True)
    search.fit(X, y, groups=groups, sample_weight=weights)
    asked = {"scoring": [name], "cv": 3, "average": average, "sample_weight": weights}
    assert_equal(
        search.report(0), cross_val_report(Ridge(alpha=ALPHAS[0]), X, y, groups=groups, **asked), name
    )


def test_search_report_accepts_clusters_of_unsearched_queries(ranking_data):
    pandas = pytest.importorskip("pandas")
    search = fit(ranking_data)
    table = pandas.Series(np.arange(100) // 4, index=pandas.RangeIndex(100, name="user"))
    shuffled = table.sample(frac=1, random_state=0)
    expected = search.report(0, cluster=dict(enumerate(np.arange(60) // 4)))
    assert search.report(0, cluster=shuffled).standard_error == expected.standard_error
    with pytest.raises(ValueError, match="'cluster' parameter"):
        search.report(0, cluster=shuffled.iloc[:40])


def test_search_report_options_match_cross_val_report(ranking_data):
    X, y, groups = ranking_data
    settings = {"interval": "bootstrap", "n_resamples": 200, "confidence_level": 0.8, "random_state": 3}
    ids = np.unique(groups)
    search, asked = (
        fit(ranking_data),
        {"scoring": ["ndcg@3"], "cv": 3, "cluster": dict(zip(ids, ids // 7)), **settings},
    )
    expected = cross_val_report(Ridge(alpha=ALPHAS[1]), X, y, groups=groups, **asked)
    report = search.report(1, cluster=dict(zip(ids, ids // 7)), **settings)
    assert_equal(report, expected, "ndcg@3")
    assert report.clusters.tolist() == (ids // 7).tolist()
    pd = load("pandas")
    shuffled = pd.Series(ids // 7, index=pd.Index(ids, name="query")).sample(frac=1, random_state=0)
    assert search.report(1, cluster=shuffled, **settings).interval == report.interval


def test_search_compare_equals_compare_of_reports(ranking_data):
    search = fit(ranking_data)
    options = {"test": "randomization", "margin": 0.01, "random_state": 0, "n_resamples": 500}
    clusters = dict(enumerate(np.arange(60) // 3))
    expected = compare({str(i): search.report(i, cluster=clusters) for i in (2, 0)}, **options)
    assert str(search.compare(2, 0, cluster=clusters, **options)) == str(expected)
    assert len(search.compare(0, 1, 2).columns["p"]) == 3


# ------------------------------------------------------------------ errors


@pytest.mark.parametrize(
    "scoring",
    [
        "r2",
        None,
        make_scorer(mean_absolute_error),
        lambda fitted, X, y: 1.0,
        catalog_coverage_scorer(k=3, items="item"),
        {"one": "map", "kept": "r2"},
    ],
    ids=[
        "r2",
        "none",
        "make_scorer",
        "function",
        "of lists",
        "one of several",
    ],
)
def test_keep_queries_rejects_scorers_without_values_per_query(scoring, routing, ranking_data):
    options = {"scoring": scoring, "refit": "kept"} if isinstance(scoring, dict) else {"scoring": scoring}
    with pytest.raises(
        ValueError, match=r"'scoring' parameter of GridSearchCV must be a ranking scorer of sklearn_rank to"
    ):
        fit(ranking_data, **options)


@EVERY_KIND
@pytest.mark.parametrize(
    ("parameter", "value", "rule"),
    [
        ("keep_queries", 1, "be True, False or the name of a metric. Got 1 instead"),
        ("keep_queries", None, "be True, False or the name of a metric"),
        ("keep_queries", "", "be True, False or the name of a metric"),
        ("keep_queries", ["ndcg@3"], "be True, False or the name of a metric"),
        ("keep_queries", "nope", "be the name of the metric to keep, one of 'ndcg@3'. Got 'nope'"),
        ("keep_dtype", "int", "be one of 'float64', 'float32'"),
        ("keep_dtype", np.float32, "be one of 'float64', 'float32'"),
    ],
)
def test_keep_queries_and_keep_dtype_are_validated(kind, parameter, value, rule, ranking_data):
    with pytest.raises(ValueError, match=rf"The '{parameter}' parameter of \w+SearchCV must {rule}"):
        fit(ranking_data, kind, **{parameter: value})


def test_keep_queries_names_one_of_several_metrics_without_refit(ranking_data):
    with pytest.raises(
        ValueError, match=r"the metric to keep, one of 'ndcg', 'map'. Got True with refit=False"
    ):
        fit(ranking_data, scoring=["ndcg", "map"], refit=False)
    assert fit(ranking_data, scoring=["ndcg", "map"], refit=False, keep_queries="map").report(0).metrics == (
        "map",
    )


REFUSED = [
    ("report", (99,), {}, "'candidate' .* be an index into cv_results_, from 0 to 2. Got 99"),
    ("report", (-1,), {}, "'candidate' .* be an index"),
    ("report", (True,), {}, "'candidate' .* be an index"),
    ("report", (1.0,), {}, "'candidate' .* be an index"),
    ("report", (0,), {"confidence_level": 95}, "'confidence_level'"),
    ("report", (0,), {"cluster": [1, 2]}, "'cluster' .* be a mapping or pandas.Series of query id"),
    ("compare", (1,), {}, r"'candidates' .* be at least two different indices into cv_results_. Got \(1,\)"),
    ("compare", (1, 1), {}, "'candidates' .* be at least two different indices into cv_results_"),
    ("compare", (), {}, "'candidates' .* be at least two different indices"),
    ("compare", ([0, 1],), {}, r"'candidate' .* be an index into cv_results_, from 0 to 2. Got \[0, 1\]"),
    ("compare", (0, 3), {}, "'candidate' .* be an index"),
    ("contenders", (95,), {}, "'confidence_level'"),
    ("contenders", (0,), {}, "'confidence_level'"),
    ("contenders", (), {"n_resamples": 10}, "'n_resamples' .* be an int from 100"),
    ("contenders", (), {"random_state": "x"}, "'random_state'"),
    ("contenders", (), {"cluster": {0: 1, 1: 2}}, "'cluster' .* have an entry for each query id"),
    (
        "contenders",
        (),
        {"cluster": dict.fromkeys(range(60), 1)},
        "'cluster' .* contain at least two clusters",
    ),
    ("contenders", (), {"n_resamples": 2**31}, "'n_resamples' .* be an int from 100"),
    ("corrected_score", (10,), {}, "'n_resamples' .* be an int from 100"),
    ("corrected_score", (), {"confidence_level": 1}, "'confidence_level'"),
    ("corrected_score", (), {"random_state": "x"}, "'random_state'"),
    (
        "corrected_score",
        (),
        {"cluster": dict.fromkeys(range(60), 1)},
        "'cluster' .* contain at least two clusters",
    ),
]


@pytest.fixture(scope="module")
def fitted(ranking_data):
    return fit(ranking_data)


@pytest.mark.parametrize(("method", "args", "options", "rule"), REFUSED)
def test_search_methods_reject_bad_arguments_by_name(method, args, options, rule, fitted):
    with pytest.raises(ValueError, match=rf"^The {rule}") as raised:
        getattr(fitted, method)(*args, **options)
    assert f"GridSearchCV.{method}" in str(raised.value)


CALLS = pytest.mark.parametrize(
    ("method", "args"), [("report", (0,)), ("compare", (0, 1)), ("contenders", ()), ("corrected_score", ())]
)


@CALLS
def test_search_methods_raise_before_fit(method, args):
    with pytest.raises(NotFittedError):
        getattr(make(keep_queries=True), method)(*args)


@CALLS
def test_search_methods_raise_without_kept_queries(method, args, ranking_data):
    search = fit(ranking_data, keep_queries=False).set_params(keep_queries=True)
    rule = rf"^GridSearchCV\.{method} requires the per-query values .* Fit .* with keep_queries=True\.$"
    with pytest.raises(ValueError, match=rule):
        getattr(search, method)(*args)


@pytest.mark.parametrize("method", ["contenders", "corrected_score"])
def test_search_methods_raise_with_one_query(method, ranking_data):
    groups = ranking_data[2]
    search = fit(ranking_data, cv=[(np.flatnonzero(groups != 4), np.flatnonzero(groups == 4))])
    with pytest.raises(
        ValueError, match=rf"'groups' parameter of GridSearchCV.{method} must contain at least two queries"
    ):
        getattr(search, method)()


# ------------------------------------------------------------------ searches as objects


@EVERY_KIND
def test_search_with_kept_queries_survives_pickle_and_clone(kind, ranking_data):
    search = fit(ranking_data, kind, keep_dtype="float32")
    again = pickle.loads(pickle.dumps(search))
    assert str(again.report(0)) == str(search.report(0))
    assert again.contenders().tolist() == search.contenders().tolist()
    copied = clone(search)
    assert not hasattr(copied, "kept_queries_")
    assert (copied.keep_queries, copied.get_params()["keep_dtype"]) == (True, "float32")


@EVERY_KIND
def test_search_repr_shows_keep_queries_only_when_set(kind, ranking_data):
    search = fit(ranking_data, kind)
    assert "keep_queries=True" in repr(search)
    assert "keep" not in repr(make(kind))
    assert type(search).__name__ in search._repr_html_()


@EVERY_KIND
def test_fit_without_keep_queries_removes_kept_queries(kind, ranking_data):
    search = fit(ranking_data, kind)
    search.set_params(keep_queries=False)
    X, y, groups = ranking_data
    assert not hasattr(search.fit(X, y, groups=groups), "kept_queries_")


def test_fit_without_simplest_removes_choice(ranking_data):
    search = fit(ranking_data, refit=simplest("alpha", within=0.5))
    assert search.choice_
    X, y, groups = ranking_data
    assert not hasattr(search.set_params(refit=True).fit(X, y, groups=groups), "choice_")
