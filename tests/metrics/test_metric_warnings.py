"""Warnings about uninformative values: all relevant, one document, too high a cutoff."""

import warnings
from contextlib import contextmanager
from fractions import Fraction

import numpy as np
import pytest
from sklearn.dummy import DummyRegressor
from sklearn.exceptions import UndefinedMetricWarning
from sklearn.linear_model import Ridge

import sklearn_rank
from sklearn_rank import RankingWarning, map_scorer, ndcg_scorer
from sklearn_rank.datasets import make_ranking
from tests.helpers.naming import PUBLIC
from tests.helpers.table import METRICS, ROW_CALLS

# ------------------------------------------------------------------ all labels relevant

RATINGS = {"y_true": [[5, 4, 1], [3, 3, 1]], "y_score": [[1, 2, 3], [3, 2, 1]]}
BINARY = [stem for stem, entry in METRICS.items() if "min_relevance" in entry.defaults]
DEFINED = [stem for stem in BINARY if stem not in ("group_auc", "bpr_loss")]  # if all documents are relevant
ALL_RELEVANT = r"all documents are relevant \(every label is at least min_relevance=1\)"


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
def test_binary_metric_warns_when_all_labels_are_relevant(stem):
    function = METRICS[stem].function
    with pytest.warns(
        RankingWarning, match=f"^{function.__name__}: {ALL_RELEVANT}.*from_recommendations"
    ) as seen:
        value = function(**RATINGS, **cutoff_of(stem))
    assert len(seen) == 1
    with pytest.warns(RankingWarning):  # any other ranking has the same value
        assert function(RATINGS["y_true"], [[3, 1, 2], [1, 3, 2]], **cutoff_of(stem)) == value


@pytest.mark.parametrize(
    "curve", [sklearn_rank.metrics.map_curve, sklearn_rank.metrics.interpolated_precision_curve]
)
def test_curve_warns_when_all_labels_are_relevant(curve):
    with pytest.warns(RankingWarning, match=f"^{curve.__name__}: {ALL_RELEVANT}"):
        curve(**RATINGS)


@pytest.mark.parametrize("name", ["ranking_scores", "tie_report"])
def test_many_metrics_warn_once_and_name_uninformative_ones(name):
    metrics = ["ndcg", "map", "precision@2", "mrr(min_relevance=2)"]
    with pytest.warns(RankingWarning, match=rf"^{name} \(map, precision@2\): {ALL_RELEVANT}") as seen:
        PUBLIC[name](**RATINGS, metrics=metrics)
    assert len(seen) == 1


def test_scorer_warns_once_under_its_own_name():
    with pytest.warns(RankingWarning, match=rf"^map_scorer\(k=2\)\.score_rows: {ALL_RELEVANT}") as seen:
        map_scorer(k=2).score_rows(**RATINGS)
    assert len(seen) == 1


@pytest.mark.parametrize("function", [sklearn_rank.map_score, sklearn_rank.metrics.map_curve])
def test_all_relevant_warning_accepts_any_number_as_threshold(function):
    with pytest.warns(RankingWarning, match=r"every label is at least min_relevance=0\.5\)"):
        function(**RATINGS, min_relevance=Fraction(1, 2))


def test_item_ids_passed_as_labels_raise_warning():
    with pytest.warns(RankingWarning, match="If labels are item ids, build rows with from_recommendations"):
        assert sklearn_rank.map_score([[1, 2, 3], [4, 5, 6]], [[1, 9, 3], [4, 5, 7]]) == 1


@pytest.mark.parametrize(
    "changed",
    [
        {"min_relevance": 4},
        {"y_true": [[5, 4, 1], [3, 0, 1]]},
        {"y_true": [[5, 4, 1]], "y_score": [[1, 2, 3]]},
        {"y_score": [[1, 2, 3], [3, 2, -np.inf]]},
        {"y_true": [[5, 4, 1], [3, np.nan, 1]], "unjudged": "nonrelevant"},
    ],
    ids=[
        "higher threshold",
        "one is not relevant",
        "one query",
        "not retrieved",
        "not judged",
    ],
)
def test_map_does_not_warn_when_value_is_informative(changed):
    with no_warning():
        sklearn_rank.map_score(**RATINGS | changed)


@pytest.mark.parametrize("unjudged", ["drop", "mean"])
def test_all_relevant_warning_ignores_unjudged_documents(unjudged):
    rows = RATINGS | {"y_true": [[5, 4, 1], [3, np.nan, 1]]}
    with pytest.warns(RankingWarning, match=ALL_RELEVANT):
        assert sklearn_rank.map_score(**rows, unjudged=unjudged) == 1


def test_undefined_metric_warns_once():
    with pytest.warns(UndefinedMetricWarning) as seen:
        assert np.isnan(sklearn_rank.group_auc_score(**RATINGS))
    assert len(seen) == 1
    with no_warning():
        assert np.isnan(sklearn_rank.group_auc_score(**RATINGS, average=None)).all()
    with pytest.warns(RankingWarning, match=ALL_RELEVANT):
        assert sklearn_rank.group_auc_score(**RATINGS, zero_division=0.0) == 0


# ------------------------------------------------------------------ queries of one document

SINGLE = "2 of 3 queries have one document only, so every ranking of them has the same value"
MOSTLY_SINGLE = {"y_true": [1, 0, 0, 1], "y_score": [1, 2, 3, 4], "groups": ["a", "a", "b", "c"]}


@pytest.mark.parametrize("name", ROW_CALLS)
def test_functions_warn_when_most_queries_have_one_document(name):
    with pytest.warns(
        RankingWarning, match=f"^{name}: {SINGLE}.*negatives.*'groups' contains query ids"
    ) as seen:
        PUBLIC[name](**MOSTLY_SINGLE, **ROW_CALLS[name])
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
def test_ndcg_does_not_warn_when_few_queries_have_one_document(changed):
    with no_warning():
        sklearn_rank.ndcg_score(**MOSTLY_SINGLE | changed)


LISTS_WITH_ONE_ITEM = {  # relevant and recommended items of each user
    "one user without items": ([["n1"], ["n2"]], [[], ["n2"]]),
    "two users without items": ([["n1"], ["n2"]], [[], []]),
    "most users with a hit": ([["n1"], ["n2"], ["n3"]], [[], ["n2"], ["n3"]]),
    "equally relevant items": ([["n1", "m1"], ["n2", "m2"], ["n3"]], [["n1", "m1"], ["n2", "m2"], []]),
    "one of two items": ([["n1", "m1"], ["n2"]], [["n1"], ["n2"]]),
}


@pytest.mark.parametrize(
    "call", [sklearn_rank.ranking_scores, sklearn_rank.evaluate], ids=["scores", "evaluate"]
)
@pytest.mark.parametrize("lists", LISTS_WITH_ONE_ITEM.values(), ids=LISTS_WITH_ONE_ITEM)
def test_rows_of_recommendations_do_not_warn_about_queries_of_one_document(lists, call):
    relevant, recommended = lists
    y_true, y_score, groups = sklearn_rank.datasets.from_recommendations(relevant, recommended)
    with no_warning():
        call(y_true, y_score, groups=groups, metrics=["map", "ndcg@10", "recall@5"])


def test_single_document_warning_needs_retrieved_documents():
    rows = {"y_true": [1, 0, 1, 1, 0, 1], "groups": list("abcdef")}
    with pytest.warns(RankingWarning, match="6 of 6 queries have one document only"):
        sklearn_rank.ndcg_score(**rows, y_score=[1, 2, 3, 4, 5, 6])
    with no_warning():
        sklearn_rank.ndcg_score(**rows, y_score=[1, 2, 3, 4, 5, -np.inf])


def test_leave_last_out_scorer_warns_that_queries_have_one_document():
    X, y, users = make_ranking(n_queries=60, shuffle=True, random_state=0)
    train, test = next(sklearn_rank.LeaveLastOut().split(X, y, groups=users, times=np.arange(len(y))))
    values = []
    for model in (Ridge(), DummyRegressor()):
        with pytest.warns(RankingWarning, match=r"^ndcg_scorer\(\): 60 of 60 queries have one document only"):
            values.append(ndcg_scorer()(model.fit(X[train], y[train]), X[test], y[test], groups=users[test]))
    assert values[0] == values[1]


def test_row_ids_passed_as_query_ids_raise_warning():
    X, y, _ = make_ranking(n_queries=20, random_state=0)
    with pytest.warns(RankingWarning, match=f"{len(y)} of {len(y)} queries have .* not row ids"):
        sklearn_rank.ndcg_score(y, X[:, 0], groups=np.arange(len(y)))


LISTS = {"y_true": [1, 0, 0, 1, 1, 0], "y_score": [3.0, 2, 1, 3, 2, 1], "groups": [0, 0, 0, 1, 1, 1]}


@pytest.mark.parametrize("stem", ["recall", "hit_rate", "fallout_loss"])
def test_cutoff_metric_warns_when_no_query_has_more_documents(stem):
    function = getattr(sklearn_rank.metrics, f"{METRICS[stem].function.__name__}")
    with pytest.warns(
        RankingWarning, match=r"no query has more documents than k=\d+.*Choose a lower k"
    ) as caught:
        assert function(**LISTS, k=3) == function(**LISTS | {"y_score": LISTS["y_score"][::-1]}, k=10)
    assert str(caught[0].message).startswith(f"{METRICS[stem].function.__name__}: ")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        function(**LISTS, k=2)
        function(LISTS["y_true"][:3], LISTS["y_score"][:3], groups=[0, 0, 0], k=10)
        function(**LISTS | {"y_score": [3.0, 2, -np.inf, 3, 2, 1]}, k=10)
        function(**LISTS | {"groups": [0, 0, 0, 0, 1, 1]}, k=3)


def test_ranking_scores_names_metrics_with_excessive_cutoff():
    with pytest.warns(RankingWarning, match=r"ranking_scores \(recall@5, hit_rate@10\): no query"):
        sklearn_rank.ranking_scores(
            **LISTS, metrics=["recall@5", "map", "hit_rate@10", "recall@1", "precision@9"]
        )


def test_warning_names_two_metrics_and_counts_others():
    metrics = ["recall@5", "hit_rate@10", "recall@9", "hit_rate@8"]
    with pytest.warns(RankingWarning, match=r"^evaluate \(recall@5, hit_rate@10 and 2 others\): no query"):
        sklearn_rank.evaluate(**LISTS, metrics=metrics)
