"""Metric names of other libraries, such as "trec_eval:map_cut_10"."""

import pickle
from copy import deepcopy

import numpy as np
import pytest
from sklearn.linear_model import Ridge

from sklearn_rank import (
    cross_val_score,
    cross_validate,
    evaluate,
    explain,
    get_scorer,
    ndcg_score,
    ranking_scorer,
    ranking_scores,
)
from sklearn_rank.metrics import is_metric_name, parse_name, tie_report
from sklearn_rank.metrics._libraries.library_names import LIBRARIES, name_row

# Two queries; the first has tied scores, an unjudged document and an unretrieved one.
Y_TRUE = np.array([0, 2, np.nan, 1, 1, 0, 0, 1])
Y_SCORE = np.array([0.5, 0.5, 0.7, 0.5 + 1e-9, -np.inf, 2, 1, 1])
QUERIES = ["a"] * 5 + ["b"] * 3

# By hand: query a is ranked NaN, 0, 2, 1, because 0.5 + 1e-9 is 0.5 in float32 and later rows rank lower;
# query b is ranked 0, 0, 1.
BY_HAND = {
    "trec_eval:map": [(1 / 3 + 2 / 4) / 3, 1 / 3],
    "trec_eval:map_cut_3": [(1 / 3) / 3, 1 / 3],
    "trec_eval:recip_rank": [1 / 3, 1 / 3],
    "trec_eval:P_5": [2 / 5, 1 / 5],
    "trec_eval:P.5": [2 / 5, 1 / 5],
    "trec_eval:recall_3": [1 / 3, 1],
    "trec_eval:success_2": [0, 0],
    "trec_eval:Rprec": [1 / 3, 0],
    "trec_eval:relative_P_2": [0, 0],
    "trec_eval:Rprec_mult_0.20": [0, 0],
    "trec_eval:Rprec_mult_2.00": [2 / 6, 0],
    "trec_eval:set_P": [2 / 4, 1 / 3],
    "trec_eval:set_recall": [2 / 3, 1],
    "trec_eval:set_relative_P": [2 / 3, 1],
    "trec_eval:set_map": [4 / 12, 1 / 3],
    "trec_eval:set_F": [2 * 2 / 7, 2 * 1 / 4],
    "trec_eval:bpref": [0, 0],
    "trec_eval:iprec_at_recall_0.00": [2 / 4, 1 / 3],
    "trec_eval:iprec_at_recall_1.00": [0, 1 / 3],
    "trec_eval:11pt_avg": [8 * (2 / 4) / 11, 1 / 3],  # 0.7 of 3 documents are 2: 0.7 * 3 + 0.9 is below 3
    "trec_eval:ndcg": [
        (2 / np.log2(4) + 1 / np.log2(5)) / (2 + 1 / np.log2(3) + 1 / np.log2(4)),
        1 / np.log2(4),
    ],
    "trec_eval:ndcg_cut_3": [(2 / np.log2(4)) / (2 + 1 / np.log2(3) + 1 / np.log2(4)), 1 / np.log2(4)],
}


MADE = [
    f"{prefix}:{name_row(library, stem)}" for prefix, library in LIBRARIES.items() for stem in library.rows
]


def score(name, **options):
    return ranking_scores(Y_TRUE, Y_SCORE, groups=QUERIES, metrics=[name], **options)[name]


@pytest.mark.parametrize("name", BY_HAND)
def test_trec_eval_names_match_hand_computed_values(name):
    assert score(name, average=None) == pytest.approx(BY_HAND[name], rel=0, abs=1e-15)


def test_library_names_compare_scores_in_float32():
    options = {"groups": [0, 0], "metrics": ["ndcg(ties=order)", "trec_eval:ndcg"]}
    found = ranking_scores([0, 1], [1, 1 + 1e-9], **options)
    assert found == {"ndcg(ties=order)": 1, "trec_eval:ndcg": pytest.approx(1 / np.log2(3))}


def test_library_names_count_scores_below_float32_as_retrieved():
    assert ranking_scores([1], [-1e300], groups=[0], metrics=["trec_eval:recall_1"]) == {
        "trec_eval:recall_1": 1
    }


def test_library_names_reject_integer_scores_beyond_float64():
    rule = "'y_score' parameter of ranking_scores must be exactly representable in float64"
    with pytest.raises(ValueError, match=f"{rule}.* 'trec_eval:map' rounds them to float32"):
        ranking_scores([0, 1], [2**60, 2**60 + 1], groups=[0, 0], metrics=["trec_eval:map"])


SETTLED = {"ties": "best", "gain": "exponential", "discount": "reciprocal", "zero_division": 1.0}


@pytest.mark.parametrize("option", SETTLED)
def test_library_names_reject_options_fixed_by_library(option):
    with pytest.raises(ValueError, match=f"must be left out, because 'trec_eval:ndcg' sets {option}="):
        score("trec_eval:ndcg", **{option: SETTLED[option]})


@pytest.mark.parametrize("option", ["gain", "discount"])
def test_library_names_ignore_options_that_the_metric_lacks(option):
    assert score("trec_eval:map", **{option: SETTLED[option]}) == score("trec_eval:map")


def test_library_names_apply_min_relevance_like_trec_eval_l():
    assert score("trec_eval:recip_rank", min_relevance=2, average=None) == pytest.approx([1 / 3, 0])


def test_library_names_apply_unjudged_drop_like_trec_eval_j():
    assert score("trec_eval:recip_rank", unjudged="drop", average=None) == pytest.approx([1 / 2, 1 / 3])


@pytest.mark.parametrize("unjudged", ["mean", "median"])
def test_library_names_reject_unjudged_rules_other_than_drop(unjudged):
    with pytest.raises(ValueError, match="'trec_eval:recip_rank' sets unjudged='nonrelevant'"):
        score("trec_eval:recip_rank", unjudged=unjudged)


@pytest.mark.parametrize("unjudged", ["nonrelevant", "drop", "mean", "median"])
def test_library_names_of_bpref_ignore_the_unjudged_rule(unjudged):
    assert score("trec_eval:bpref", unjudged=unjudged) == score("trec_eval:bpref")


def test_library_names_can_be_combined_with_own_names():
    found = ranking_scores(
        Y_TRUE, Y_SCORE, groups=QUERIES, metrics=["ndcg@3", "trec_eval:ndcg_cut_3"], unjudged="nonrelevant"
    )
    assert found["ndcg@3"] == ndcg_score(Y_TRUE, Y_SCORE, groups=QUERIES, k=3, unjudged="nonrelevant")
    assert found["trec_eval:ndcg_cut_3"] == pytest.approx(np.mean(BY_HAND["trec_eval:ndcg_cut_3"]))


def test_evaluate_report_has_same_mean_for_library_name():
    report = evaluate(Y_TRUE, Y_SCORE, groups=QUERIES, metrics=["trec_eval:map"])
    assert report.mean == {"trec_eval:map": score("trec_eval:map")}


GRADES = np.tile([0.0, 4, 1, 3], 30)


@pytest.mark.filterwarnings("ignore::sklearn_rank.RankingWarning")  # lists are shorter than cutoffs
@pytest.mark.parametrize("name", MADE)
def test_library_names_have_values_within_declared_range(name):
    scores, groups = np.random.default_rng(0).permutation(120), np.repeat(np.arange(30), 4)
    y_true = GRADES / 4 if "max_grade" in explain(name).options else GRADES
    values = ranking_scores(y_true, scores, groups=groups, metrics=[name], average=None)[name]
    metric, _ = parse_name(name)
    assert metric.lower <= np.min(values) <= np.max(values) <= metric.upper


X = np.arange(40.0)[:, None]
Y, QID = np.tile([0, 1, 0, 2], 10), np.repeat(np.arange(10), 4)


def test_scorers_accept_library_names():
    name = "trec_eval:ndcg_cut_2"
    expected = cross_val_score(Ridge(), X, Y, groups=QID, scoring="ndcg@2")
    assert cross_val_score(Ridge(), X, Y, groups=QID, scoring=name) == pytest.approx(expected)
    found = cross_validate(Ridge(), X, Y, groups=QID, scoring=ranking_scorer([name, "mrr"]))
    assert found[f"test_{name}"] == pytest.approx(expected)


def test_scorer_of_library_name_can_be_copied_pickled_and_described():
    scorer = get_scorer("trec_eval:map")
    model = Ridge().fit(X, Y)
    expected = scorer(model, X, Y, groups=QID)
    for other in (deepcopy(scorer), pickle.loads(pickle.dumps(scorer)), eval(scorer.describe())):
        assert other(model, X, Y, groups=QID) == expected


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("trec_eval:maps", 'Did you mean "trec_eval:map"'),
        ("trec_eval:", "Names: map, gm_map"),
        ("trec_eval:P", 'For example, write "trec_eval:P_10".'),
        ("trec_eval:P_0", 'Did you mean "trec_eval:P_10"'),
        ("trec_eval:map_10", "trec_eval computes map for whole lists only"),
        ("trec_eval:map_0.10", "must contain only parameters of trec_eval"),
        ("trec_eval:Rprec_mult", "contain the parameter of the metric. Got"),
        ("trec_eval:Rprec_mult_0.25", "not contain level=0.25. Got"),
        ("trec_eval:Rprec_mult_0.00", "set level to a value that trec_eval accepts"),
        ("trec_eval:iprec_at_recall_2.00", "set level to a value that trec_eval accepts"),
        ("trec_eval:iprec_at_recall", 'write "trec_eval:iprec_at_recall_0.10"'),
        ("trec_eval:infAP", "use 'infap' with the strata of from_run(return_strata=True)"),
        ("ir_measures:infAP", "use 'infap' with the strata of from_run(return_strata=True)"),
        ("neg_trec_eval:map", 'not begin with "neg_"'),
        ("trec_evl:map", 'Did you mean "trec_eval:map"'),
        ("pytrec_eval:map", 'Did you mean "trec_eval:map"'),
    ],
)
def test_invalid_library_name_error_suggests_correction(name, words):
    assert not is_metric_name(name)
    with pytest.raises(ValueError, match="'metrics' parameter of ranking_scores must") as error:
        score(name)
    assert words in str(error.value)


def test_micro_average_is_rejected_for_set_map():
    rule = (
        "'macro', 'weighted', 'geometric' or None for set_map. Got 'micro' instead. 'micro' is available for"
    )
    with pytest.raises(ValueError, match=rule):
        score("trec_eval:set_map", average="micro")


def test_tie_report_rejects_library_names():
    with pytest.raises(ValueError, match="not contain 'ties' or a name of another library"):
        tie_report(Y, X[:, 0], groups=QID, metrics=["trec_eval:map"])


@pytest.mark.parametrize("name", MADE)
def test_library_names_are_metric_names_with_explanation(name):
    assert is_metric_name(name)
    text = str(explain(name))
    assert text.startswith(f"{name}\n")
    assert LIBRARIES[name.partition(":")[0]].version in text
