"""Warnings about labels and scores for which a metric is uninformative."""

import pickle
import warnings
from functools import partial

import numpy as np
import pytest
from sklearn.exceptions import UndefinedMetricWarning
from sklearn.linear_model import Ridge

import sklearn_rank
from sklearn_rank import RankingEvaluator, RankingWarning, evaluate, ndcg_score, ranking_scores
from tests.helpers.table import METRICS

FRACTIONS = {"y_true": [0.1, 0.9, 0.5, 0.2], "y_score": [4.0, 3, 2, 1], "groups": [0, 0, 1, 1]}
ZEROS = FRACTIONS | {"y_true": [0, 0, 0, 0]}
LOG = FRACTIONS | {"y_true": [1, 1, 2, 2]}
BINARY = [stem for stem, metric in METRICS.items() if "min_relevance" in metric.defaults]
OF_GAINS = ["dcg", "ndcg", "err", "rank_sum_loss"]
CURVES = ["map_curve", "precision_curve", "recall_curve"]
NOTHING = r"no document is relevant in any query \(no label is at least min_relevance=1\)"
EQUAL = "the documents of each query are equally relevant, so every ranking has the same value"


def options_of(stem, **options):
    """Return arguments with which a metric has a value for any labels."""
    options |= {"k": 1} if METRICS[stem].cutoff == "required" else {}
    return options | ({"zero_division": 0.0} if "zero_division" in METRICS[stem].defaults else {})


def list_warnings(call):
    """Return the messages that a call gives."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        call()
    return [str(each.message) for each in caught]


# ------------------------------------------------------------------ no document is relevant


@pytest.mark.parametrize("stem", BINARY)
def test_binary_metric_warns_when_no_label_reaches_the_threshold(stem):
    function = METRICS[stem].function
    with pytest.warns(RankingWarning, match=f"^{function.__name__}: {NOTHING}.*min_relevance=0.9") as caught:
        function(**FRACTIONS, **options_of(stem))
    assert len(caught) == 1
    assert list_warnings(lambda: function(**FRACTIONS, **options_of(stem, min_relevance=0.5))) == []


@pytest.mark.parametrize("stem", [*BINARY, *OF_GAINS])
def test_metric_warns_when_every_label_is_0(stem):
    with pytest.warns(RankingWarning, match=r"\(every label is 0\).*Check that the labels belong to these"):
        METRICS[stem].function(**ZEROS, **options_of(stem))


@pytest.mark.parametrize("curve", CURVES)
def test_curve_warns_when_no_label_reaches_the_threshold(curve):
    with pytest.warns(RankingWarning, match=f"^{curve}: {NOTHING}"):
        getattr(sklearn_rank.metrics, curve)(**FRACTIONS)


@pytest.mark.parametrize("function", [ranking_scores, evaluate, sklearn_rank.metrics.tie_report])
def test_many_metrics_warn_once_with_the_names_concerned(function):
    metrics = ["ndcg", "map", "mrr(min_relevance=2)"]
    with pytest.warns(RankingWarning, match=rf"\(map, mrr\(min_relevance=2\)\): {NOTHING}") as caught:
        function(**FRACTIONS, metrics=metrics)
    assert len(caught) == 1


@pytest.mark.parametrize("unjudged", ["nonrelevant", "drop", "mean"])
def test_metric_warns_when_no_document_is_judged(unjudged):
    with pytest.warns(RankingWarning, match="no document is relevant in any query"):
        assert sklearn_rank.map_score(**FRACTIONS | {"y_true": [np.nan] * 4}, unjudged=unjudged) == 0


def test_metric_warns_if_nothing_is_relevant_and_some_unretrieved():
    with pytest.warns(RankingWarning, match=NOTHING):
        sklearn_rank.map_score(**FRACTIONS | {"y_score": [1, -np.inf, 1, 2]})


def test_undefined_metric_has_its_own_warning_only():
    with pytest.warns(UndefinedMetricWarning) as caught:
        sklearn_rank.map_score(**FRACTIONS, zero_division=np.nan)
    assert len(caught) == 1


@pytest.mark.parametrize(
    "changed",
    [{"y_true": [0.1, 0.9, 0, 2]}, {"groups": [0] * 4}],
    ids=["one is relevant", "one query"],
)
def test_metric_is_silent_when_one_is_relevant_or_there_is_one_query(changed):
    assert list_warnings(lambda: sklearn_rank.map_score(**FRACTIONS | changed)) == []


# ------------------------------------------------------------------ equal labels in each query


@pytest.mark.parametrize("stem", OF_GAINS)
def test_metric_of_gains_warns_when_labels_are_equal_in_each_query(stem):
    with pytest.warns(RankingWarning, match=f"{METRICS[stem].name}: {EQUAL}"):
        value = METRICS[stem].function(**LOG)
    with pytest.warns(RankingWarning):
        assert METRICS[stem].function(**LOG | {"y_score": [1, 2, 3, 4]}) == pytest.approx(value)


def test_log_of_positive_labels_warns_once_for_all_metrics():
    with pytest.warns(RankingWarning, match=f"^ranking_scores: {EQUAL}") as caught:
        ranking_scores(**LOG | {"y_true": [1] * 4}, metrics=["ndcg", "map"])
    assert len(caught) == 1


def test_binary_metric_warns_when_whole_queries_are_relevant_or_not():
    with pytest.warns(RankingWarning, match=f"map_score: {EQUAL}"):
        sklearn_rank.map_score(**LOG | {"y_true": [0, 0, 1, 2]})


@pytest.mark.parametrize(
    "changed",
    [{"y_score": [1, -np.inf, 1, 2]}, {"y_true": [1, 1, 2, 1]}, {"groups": [0] * 4}],
    ids=["not retrieved", "one query differs", "one query"],
)
def test_ndcg_is_silent_when_rankings_differ(changed):
    assert list_warnings(lambda: ndcg_score(**LOG | changed)) == []


@pytest.mark.parametrize("shuffled", [False, True])
@pytest.mark.parametrize("place", [0, 700, 999])
def test_ndcg_is_silent_when_one_query_among_many_differs(place, shuffled):
    labels = np.ones((1000, 3))
    labels[place, 1] = 2
    groups = np.repeat(np.arange(1000), 3)
    order = np.random.default_rng(0).permutation(3000) if shuffled else np.arange(3000)
    assert (
        list_warnings(lambda: ndcg_score(labels.ravel()[order], np.arange(3000), groups=groups[order])) == []
    )


def test_rbp_with_max_grade_is_silent_when_all_labels_are_positive():
    """RBP with a highest grade adds grades up: labels that are all above 1 still order documents."""
    rows = LOG | {"y_true": [1, 3, 2, 4]}
    assert list_warnings(lambda: sklearn_rank.rbp_score(**rows, max_grade=4)) == []


# ------------------------------------------------------------------ swapped labels and scores


def draw_swapped(n_rows=4000, highest=4):
    """Return labels that are grades, mostly 0, and real scores."""
    rng = np.random.default_rng(0)
    grades = np.minimum(rng.geometric(0.6, n_rows) - 1, highest)
    return grades, rng.random(n_rows) + 0.5, np.repeat(np.arange(n_rows // 20), 20)


@pytest.mark.parametrize("name", ["ndcg_score", "map_score", "pairwise_accuracy_score"])
def test_metric_warns_when_labels_and_scores_look_swapped(name):
    grades, scores, groups = draw_swapped()
    function = getattr(sklearn_rank.metrics, name)
    with pytest.warns(RankingWarning, match=f"^{name}: labels and scores look swapped") as caught:
        function(scores, grades, groups=groups)
    assert len(caught) == 1
    assert list_warnings(lambda: function(grades, scores, groups=groups)) == []


@pytest.mark.parametrize(
    ("labels", "scores"),
    [
        (lambda y, s: s[:900], lambda y, s: y[:900]),
        (lambda y, s: s, lambda y, s: y + 0.5),
        (lambda y, s: s.round(2), lambda y, s: y),
        (lambda y, s: s.round(), lambda y, s: y),
        (lambda y, s: s, lambda y, s: 20 * y),
        (lambda y, s: s, lambda y, s: np.zeros(len(y))),
        (lambda y, s: s, lambda y, s: np.where(np.arange(len(y)) == 5, 0.5, y)),
        (lambda y, s: s, lambda y, s: y - 1),
    ],
    ids=["few rows", "real", "few labels", "integers", "large", "constant", "one is real", "negative"],
)
def test_metric_does_not_warn_of_swap_for_ordinary_labels(labels, scores):
    grades, values, groups = draw_swapped()
    y_true, y_score = labels(grades, values), scores(grades, values)
    found = list_warnings(lambda: ndcg_score(y_true, y_score, groups=groups[: len(y_true)]))
    assert not any("swapped" in message for message in found)


@pytest.mark.parametrize("name", ["spearman_score", "kendall_tau_score", "pairwise_accuracy_score"])
def test_quintiles_that_predict_returns_do_not_look_swapped(name):
    rng = np.random.default_rng(0)
    returns, groups = 0.02 * rng.standard_normal(4000), np.repeat(np.arange(40), 100)
    function = partial(getattr(sklearn_rank.metrics, name), returns, groups=groups)
    for quintiles in (rng.integers(0, 5, 4000), rng.integers(1, 6, 4000)):
        assert list_warnings(partial(function, y_score=quintiles)) == []


# ------------------------------------------------------------------ rows in parts


@pytest.mark.parametrize("keep", [True, False], ids=["queries", "moments"])
def test_evaluator_warns_of_all_parts_in_its_result(keep):
    parts = [RankingEvaluator(["ndcg", "map"], keep_queries=keep) for _ in range(2)]
    parts[0].update([0.1, 0.9], [2, 1], groups=["a", "a"])
    parts[1].update([0.1, 0.5], [1, 2], groups=["b", "b"])
    merged = parts[0].merge(pickle.loads(pickle.dumps(parts[1])))
    with pytest.warns(RankingWarning, match=rf"^RankingEvaluator\.result \(map\): {NOTHING}") as caught:
        merged.result()
    assert len(caught) == 1


def test_evaluator_is_silent_when_one_part_differs():
    evaluator = RankingEvaluator(["ndcg", "map"])
    evaluator.update([0.1, 0.9], [2, 1], groups=["a", "a"]).update([0, 2], [2, 1], groups=["b", "b"])
    assert list_warnings(evaluator.result) == []


def test_evaluator_counts_queries_of_sorted_parts_once():
    evaluator = RankingEvaluator(["ndcg"])
    groups = np.array([0, 1, 2, 3, 3])
    for part, rows in enumerate(([0, 1], [2, 3], [4])):
        evaluator.update(np.array([1, 0, 1, 0, 1])[rows], np.arange(5.0)[rows], groups[rows], part=part)
    with pytest.warns(RankingWarning, match=r"result: 3 of 4 queries have one document only"):
        evaluator.result()


def test_evaluator_is_silent_when_one_system_retrieved_less():
    def report(other):
        evaluator = RankingEvaluator(["ndcg"])
        scores = {"one": [1.0, 2, 3, 4], "other": other}
        return lambda: evaluator.update([1, 1, 2, 2], scores, groups=[0, 0, 1, 1]).result()

    assert len(list_warnings(report([4.0, 3, 2, 1]))) == 1
    assert list_warnings(report([4.0, 3, -np.inf, 1])) == []


def test_evaluate_in_batches_warns_once():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(FRACTIONS)
    names = {"y_true": "y_true", "y_score": "y_score", "groups": "groups", "metrics": ["map"]}
    with pytest.warns(RankingWarning, match=f"^evaluate: {NOTHING}") as caught:
        evaluate(**names, data=iter([frame[:2], frame[2:]]))
    assert len(caught) == 1


def test_permutation_importance_warns_once_for_all_scorers(ranking_data):
    X, y, groups = ranking_data
    model = Ridge().fit(X, y)
    options = {"groups": groups, "scoring": ["map", "mrr"], "max_samples": 0.5}
    with pytest.warns(RankingWarning, match=f"^permutation_importance: {NOTHING}") as caught:
        sklearn_rank.permutation_importance(model, X, y / 10, **options)
    assert len(caught) == 1
