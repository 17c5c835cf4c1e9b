"""Defaults that let a mistake pass: what is refused, and what is warned of."""

import warnings
from contextlib import contextmanager
from fractions import Fraction
from inspect import signature

import numpy as np
import pytest
import sklearn.model_selection
from sklearn.dummy import DummyRegressor
from sklearn.exceptions import UndefinedMetricWarning
from sklearn.linear_model import Ridge
from sklearn.metrics import make_scorer, roc_auc_score

import sklearn_rank
from sklearn_rank import RankingWarning, map_scorer, ndcg_score, ndcg_scorer
from sklearn_rank.datasets import make_ranking
from sklearn_rank.metrics import METRICS

# ------------------------------------------------------------------ rows without ids

# What takes y_true, y_score and groups: name -> further arguments.
OF_ROWS = {entry.function.__name__: {"k": 1} for entry in METRICS.values() if entry.cutoff == "required"}
OF_ROWS |= {entry.function.__name__: {} for entry in METRICS.values() if entry.cutoff != "required"}
OF_ROWS |= {
    name: {} for name in ("ndcg_curve", "map_curve", "interpolated_precision_curve", "group_roc_curve")
}
OF_ROWS |= {name: {"metrics": ["ndcg", "judged@1"]} for name in ("ranking_scores", "tie_report")}


@pytest.mark.parametrize("name", OF_ROWS)
def test_rows_without_ids_are_refused_with_both_remedies(name):
    with pytest.raises(ValueError) as caught:
        getattr(sklearn_rank, name)([1, 0], [2, 1], **OF_ROWS[name])
    assert str(caught.value) == (
        f"The 'groups' parameter of {name} must hold the query id of each row, groups=qid, or be left out "
        f"with one list in two dimensions, {name}([y_true], [y_score]). Got None instead."
    )


@pytest.mark.parametrize("name", OF_ROWS)
def test_one_list_in_two_dimensions_needs_none(name):
    function, rows = getattr(sklearn_rank, name), {"y_true": [0, 2, 1], "y_score": [3, 2, 1]}
    expected = function(**rows, groups=["q", "q", "q"], **OF_ROWS[name])
    got = function([rows["y_true"]], [rows["y_score"]], **OF_ROWS[name])
    np.testing.assert_equal(got, expected)


def test_no_function_of_rows_is_forgotten():
    public = {name: getattr(sklearn_rank, name) for name in sklearn_rank.__all__}
    functions = {
        name
        for name, function in public.items()
        if callable(function)
        and not isinstance(function, type)
        and {"y_true", "y_score", "groups"} <= set(signature(function).parameters)
    }
    assert functions == set(OF_ROWS)


def test_a_scorer_of_rows_refuses_them_too():
    call = r"ndcg_scorer\(k=1\)\.score_rows"
    with pytest.raises(ValueError, match=rf"of {call} must hold .* {call}\(\[y_true\], \[y_score\]\)"):
        ndcg_scorer(k=1).score_rows([1, 0], [2, 1])
    assert ndcg_scorer(k=1).score_rows([[1, 0]], [[2, 1]]) == 1


def test_a_scorer_of_scikit_learn_around_a_metric_gives_no_number():
    X, y, _ = make_ranking(n_queries=60, shuffle=True, random_state=0)
    scorer = make_scorer(ndcg_score, k=10)
    with pytest.raises(
        ValueError, match="'groups' parameter of ndcg_score must hold the query id of each row"
    ):
        sklearn.model_selection.cross_val_score(Ridge(), X, y, scoring=scorer, cv=3, error_score="raise")


# ------------------------------------------------------------------ labels that are all relevant

RATINGS = {"y_true": [[5, 4, 1], [3, 3, 1]], "y_score": [[1, 2, 3], [3, 2, 1]]}
BINARY = [stem for stem, entry in METRICS.items() if "min_relevance" in entry.defaults]
DEFINED = [stem for stem in BINARY if stem not in ("group_auc", "bpr_loss")]  # where all is relevant
ALL_RELEVANT = r"every document of every query is relevant, as no label is below min_relevance=1"


def name_of(stem):
    return f"{stem}@2" if METRICS[stem].cutoff == "required" else stem


def cutoff_of(stem):
    return {"k": 2} if METRICS[stem].cutoff == "required" else {}


@contextmanager
def no_warning():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        yield


@pytest.mark.parametrize("stem", DEFINED)
def test_a_binary_metric_of_labels_that_are_all_relevant_warns(stem):
    function = METRICS[stem].function
    with pytest.warns(
        RankingWarning, match=f"^{function.__name__}: {ALL_RELEVANT}.*from_recommendations"
    ) as seen:
        value = function(**RATINGS, **cutoff_of(stem))
    assert len(seen) == 1
    with pytest.warns(RankingWarning):  # which is as true of any other ranking
        assert function(RATINGS["y_true"], [[3, 1, 2], [1, 3, 2]], **cutoff_of(stem)) == value


@pytest.mark.parametrize("curve", [sklearn_rank.map_curve, sklearn_rank.interpolated_precision_curve])
def test_so_does_a_curve(curve):
    with pytest.warns(RankingWarning, match=f"^{curve.__name__}: {ALL_RELEVANT}"):
        curve(**RATINGS)


@pytest.mark.parametrize("name", ["ranking_scores", "tie_report"])
def test_many_metrics_warn_once_and_name_those_it_is_true_of(name):
    metrics = ["ndcg", "map", "precision@2", "mrr(min_relevance=2)"]
    with pytest.warns(RankingWarning, match=rf"^{name} \(map, precision@2\): {ALL_RELEVANT}") as seen:
        getattr(sklearn_rank, name)(**RATINGS, metrics=metrics)
    assert len(seen) == 1


def test_a_scorer_warns_once_under_its_own_name():
    with pytest.warns(RankingWarning, match=rf"^map_scorer\(k=2\)\.score_rows: {ALL_RELEVANT}") as seen:
        map_scorer(k=2).score_rows(**RATINGS)
    assert len(seen) == 1


@pytest.mark.parametrize("function", [sklearn_rank.map_score, sklearn_rank.map_curve])
def test_the_threshold_may_be_any_number(function):
    with pytest.warns(RankingWarning, match="as no label is below min_relevance=0.5,"):
        function(**RATINGS, min_relevance=Fraction(1, 2))


def test_item_ids_given_as_labels_are_warned_of():
    with pytest.warns(RankingWarning, match="where they are item ids, make rows by from_recommendations"):
        assert sklearn_rank.map_score([[1, 2, 3], [4, 5, 6]], [[1, 9, 3], [4, 5, 7]]) == 1


@pytest.mark.parametrize(
    "changed",
    [
        {"min_relevance": 4},
        {"y_true": [[5, 4, 1], [3, 0, 1]]},
        {"y_true": [[5, 4, 1]], "y_score": [[1, 2, 3]]},
        {"y_score": [[1, 2, 3], [3, 2, -np.inf]]},
        {"y_true": [[5, 4, 1], [3, np.nan, 1]], "unjudged": "nonrelevant"},
        {"y_true": [[np.nan, np.nan], [np.nan, np.nan]], "y_score": [[1, 2], [1, 2]], "unjudged": "drop"},
    ],
    ids=[
        "higher threshold",
        "one is not relevant",
        "one query",
        "not retrieved",
        "not judged",
        "none is judged",
    ],
)
def test_nothing_is_said_where_the_number_says_something(changed):
    with no_warning():
        sklearn_rank.map_score(**RATINGS | changed)


@pytest.mark.parametrize("unjudged", ["drop", "mean"])
def test_what_was_not_judged_does_not_hide_it(unjudged):
    rows = RATINGS | {"y_true": [[5, 4, 1], [3, np.nan, 1]]}
    with pytest.warns(RankingWarning, match=ALL_RELEVANT):
        assert sklearn_rank.map_score(**rows, unjudged=unjudged) == 1


def test_an_undefined_metric_is_warned_of_once():
    with pytest.warns(UndefinedMetricWarning) as seen:
        assert np.isnan(sklearn_rank.group_auc_score(**RATINGS))
    assert len(seen) == 1
    with no_warning():
        assert np.isnan(sklearn_rank.group_auc_score(**RATINGS, average=None)).all()
    with pytest.warns(RankingWarning, match=ALL_RELEVANT):
        assert sklearn_rank.group_auc_score(**RATINGS, zero_division=0.0) == 0


# ------------------------------------------------------------------ queries of one document

SINGLE = "2 of 3 queries have one document only, which every ranking scores the same"
MOSTLY_SINGLE = {"y_true": [1, 0, 0, 1], "y_score": [1, 2, 3, 4], "groups": ["a", "a", "b", "c"]}


@pytest.mark.parametrize("name", OF_ROWS)
def test_queries_that_are_mostly_of_one_document_are_warned_of(name):
    with pytest.warns(
        RankingWarning, match=f"^{name}: {SINGLE}.*negatives.*'groups' holds query ids"
    ) as seen:
        getattr(sklearn_rank, name)(**MOSTLY_SINGLE, **OF_ROWS[name])
    assert len(seen) == 1


@pytest.mark.parametrize(
    "changed",
    [
        {"groups": ["a", "a", "b", "b"]},
        {"y_score": [1, -np.inf, 3, 4]},
        {"y_true": [1, 0, 0], "y_score": [1, 2, 3], "groups": ["a", "a", "b"]},
        {"y_true": [1], "y_score": [1], "groups": ["a"]},
    ],
    ids=["none", "not retrieved", "half of them", "a single one"],
)
def test_a_few_of_them_are_not(changed):
    with no_warning():
        sklearn_rank.ndcg_score(**MOSTLY_SINGLE | changed)


def test_one_document_that_was_not_retrieved_does_not_hide_that_all_others_stand_alone():
    rows = {"y_true": [1, 0, 1, 1, 0, 1], "groups": list("abcdef")}
    with pytest.warns(RankingWarning, match="6 of 6 queries have one document only"):
        sklearn_rank.ndcg_score(**rows, y_score=[1, 2, 3, 4, 5, -np.inf])
    rows = {"y_true": [1, 0, 1, 0, 1, 0], "groups": list("aabccd")}
    with no_warning():
        sklearn_rank.ndcg_score(**rows, y_score=[1, -np.inf, 3, 4, -np.inf, 6])


def test_leaving_the_last_row_out_scores_any_model_the_same_and_says_so():
    X, y, users = make_ranking(n_queries=60, shuffle=True, random_state=0)
    train, test = next(sklearn_rank.LeaveLastOut().split(X, y, groups=users, times=np.arange(len(y))))
    values = []
    for model in (Ridge(), DummyRegressor()):
        with pytest.warns(RankingWarning, match=r"^ndcg_scorer\(\): 60 of 60 queries have one document only"):
            values.append(ndcg_scorer()(model.fit(X[train], y[train]), X[test], y[test], groups=users[test]))
    assert values[0] == values[1]


def test_row_ids_given_as_query_ids_are_warned_of():
    X, y, _ = make_ranking(n_queries=20, random_state=0)
    with pytest.warns(RankingWarning, match=f"{len(y)} of {len(y)} queries have .* not row ids"):
        sklearn_rank.ndcg_score(y, X[:, 0], groups=np.arange(len(y)))


# ------------------------------------------------------------------ cutoffs

REQUIRED = [stem for stem, entry in METRICS.items() if entry.cutoff == "required"]
ONE_LIST = {
    "y_true": [[1, 0, 0, 1, 1, 0]],
    "y_score": [[5, 4, 3, 2, -np.inf, -np.inf]],
}  # 2 hits of 4; 3 relevant


def test_those_are_the_metrics_at_k():
    names = [
        name.removesuffix("_at_k_score") for name in sklearn_rank.__all__ if name.endswith("_at_k_score")
    ]
    assert sorted(REQUIRED) == sorted(names)


@pytest.mark.parametrize("stem", REQUIRED)
def test_a_metric_at_k_needs_k(stem):
    function = METRICS[stem].function
    with pytest.raises(
        TypeError, match=rf"{function.__name__}\(\) missing 1 required keyword-only argument: 'k'"
    ):
        function(**ONE_LIST)
    with pytest.raises(
        ValueError, match=f"'k' parameter of {function.__name__} must be an int >= 1 .*exceeds, .*Got None"
    ):
        function(**ONE_LIST, k=None)


@pytest.mark.parametrize("stem", REQUIRED)
def test_so_do_its_factory_and_its_name(stem):
    entry = METRICS[stem]
    factory = getattr(sklearn_rank, f"{entry.prefix}{stem}_at_k_scorer")
    with pytest.raises(TypeError, match="missing 1 required keyword-only argument: 'k'"):
        factory()
    with pytest.raises(
        ValueError, match=f"'k' parameter of {factory.__name__} must be an int >= 1 .*exceeds, .*Got None"
    ):
        factory(k=None)
    for name in (entry.prefix + stem, f"{entry.prefix}{stem}(k=None)"):
        with pytest.raises(ValueError, match=f"have its cutoff, as {entry.prefix}{stem}@10"):
            sklearn_rank.ranking_scorer([name, "ndcg"])
        with pytest.raises(ValueError, match=f"have its cutoff, as {entry.prefix}{stem}@10"):
            sklearn_rank.ranking_scores(**ONE_LIST, metrics=[name])


@pytest.mark.parametrize(
    ("stem", "options", "expected"),
    [
        ("precision", {"adaptive_k": True}, 2 / 4),
        ("recall", {}, 2 / 3),
        ("hit_rate", {}, 1),
        ("fallout", {}, 2 / 3),
        ("judged", {}, 1),
    ],
)
def test_set_measures_are_had_by_a_cutoff_that_no_list_exceeds(stem, options, expected):
    for k in (6, 1000):
        assert METRICS[stem].function(**ONE_LIST, k=k, **options) == expected


# ------------------------------------------------------------------ two weightings of the GAUC

# Three users: 3 rows, 1 positive, AUC 1; 4 rows, 3 positives, AUC 1/3; 2 rows of one class, left out.
CLICKS = {
    "y_true": [2, 0, 0, 3, 0, 3, 4, 0, 0],
    "y_score": [3, 2, 1, 4, 3, 2, 1, 2, 1],
    "groups": ["a", "a", "a", "b", "b", "b", "b", "c", "c"],
}


@pytest.mark.parametrize(
    ("weighted_by", "options", "expected"),
    [
        ("rows", {}, (3 * 1 + 4 / 3) / 7),
        ("relevant", {}, (1 * 1 + 3 / 3) / 4),
        ("relevant", {"min_relevance": 4}, 0),
        ("relevant", {"sample_weight": [5] * 3 + [1] * 6}, (5 * 1 + 3 / 3) / 8),
        ("relevant", {"zero_division": 1.0}, (1 * 1 + 3 / 3) / 4),  # a user without positives weighs nothing
    ],
)
def test_users_are_weighted_by_rows_or_by_positives(weighted_by, options, expected):
    got = sklearn_rank.group_auc_score(**CLICKS, average="weighted", weighted_by=weighted_by, **options)
    assert got == pytest.approx(expected, abs=1e-15)


def test_rows_are_the_default():
    by_rows = sklearn_rank.group_auc_score(**CLICKS, average="weighted", weighted_by="rows")
    assert sklearn_rank.group_auc_score(**CLICKS, average="weighted") == by_rows


@pytest.mark.parametrize("shuffled", [False, True])
def test_weighted_by_positives_it_is_that_of_recbole(shuffled):
    _, y_true, users = make_ranking(n_queries=60, shuffle=shuffled, random_state=0)
    y_score = np.random.default_rng(0).integers(0, 9, len(y_true))
    aucs, n_positive = [], []
    for user in np.unique(users):
        relevant = y_true[users == user] >= 2
        if 0 < relevant.sum() < len(relevant):
            aucs.append(roc_auc_score(relevant, y_score[users == user]))
            n_positive.append(relevant.sum())
    expected = np.sum(np.multiply(aucs, n_positive)) / np.sum(n_positive)
    options = {"min_relevance": 2, "average": "weighted", "weighted_by": "relevant"}
    assert sklearn_rank.group_auc_score(y_true, y_score, groups=users, **options) == pytest.approx(
        expected, abs=1e-12
    )


def test_the_weighting_stands_in_a_name():
    name = "group_auc(average=weighted, weighted_by=relevant)"
    assert sklearn_rank.ranking_scores(**CLICKS, metrics=[name]) == {name: 0.5}
    scorer = sklearn_rank.group_auc_scorer(average="weighted", weighted_by="relevant")
    assert sklearn_rank.get_scorer(name).score_rows(**CLICKS) == scorer.score_rows(**CLICKS) == 0.5
    assert sklearn_rank.tie_report(**CLICKS, metrics=[name]).metrics[name]["average"] == 0.5
    short = "group_auc(weighted_by=relevant)"
    assert sklearn_rank.ranking_scores(**CLICKS, metrics=[short], average="weighted") == {short: 0.5}


@pytest.mark.parametrize("average", ["macro", None])
def test_weights_that_no_average_uses_are_refused(average):
    rule = "'weighted_by' parameter of group_auc_score must be 'rows' unless average='weighted'"
    with pytest.raises(ValueError, match=rule):
        sklearn_rank.group_auc_score(**CLICKS, average=average, weighted_by="relevant")
    with pytest.raises(ValueError, match="'weighted_by' parameter of group_auc_scorer must be 'rows' unless"):
        sklearn_rank.group_auc_scorer(weighted_by="relevant")
    with pytest.raises(
        ValueError, match="'weighted_by' parameter of group_auc_score must be one of 'rows', "
    ):
        sklearn_rank.group_auc_score(**CLICKS, average="weighted", weighted_by="clicks")
