"""Many metrics in one call."""

import re

import numpy as np
import pytest

from sklearn_rank import (
    map_score,
    ndcg_score,
    ranking_scores,
)
from tests.helpers.table import SCORE_OF


@pytest.mark.parametrize("average", ["macro", "weighted", None])
def test_ranking_scores_equal_each_metric_function(average, queries):
    y_true, y_score, groups = queries
    names = ["ndcg@5", "ndcg", "dcg@3", "map", "map@4", "mrr", "group_auc", "r_precision"]
    names += ["precision@3", "recall@3", "f1@3", "hit_rate@3"]
    got = ranking_scores(y_true, y_score, groups=groups, metrics=names, average=average)
    assert list(got) == names
    for name, values in got.items():
        stem, _, k = name.partition("@")
        options = {"k": int(k)} if k else {}
        alone = SCORE_OF[stem](y_true, y_score, groups=groups, average=average, **options)
        np.testing.assert_array_equal(values, alone)


@pytest.mark.parametrize(
    ("name", "plain"),
    [
        ("trec_eval:gm_map", "trec_eval:map"),
        ("trec_eval:gm_bpref", "trec_eval:bpref"),
        ("recbole:gauc", "group_auc(zero_division=nan)"),
        ("recall@3(average=micro)", "recall@3"),
        ("map(average=geometric)", "map"),
        ("group_auc(average=weighted, weighted_by=relevant)", "group_auc"),
    ],
)
def test_average_none_overrides_average_in_metric_name(name, plain, queries):
    y_true, y_score, groups = queries
    got = ranking_scores(y_true, y_score, groups=groups, metrics=[name, plain], average=None)
    np.testing.assert_array_equal(got[name], got[plain])


def test_ranking_scores_pass_shared_options_to_metrics(queries):
    y_true, y_score, groups = queries
    options = {"gain": "exponential", "min_relevance": 2, "ties": "worst", "zero_division": 1.0}
    got = ranking_scores(y_true, y_score, groups=groups, metrics=["ndcg@5", "map"], **options)
    ndcg = ndcg_score(
        y_true, y_score, groups=groups, k=5, gain="exponential", ties="worst", zero_division=1.0
    )
    ap = map_score(y_true, y_score, groups=groups, min_relevance=2, ties="worst", zero_division=1.0)
    assert got == {"ndcg@5": ndcg, "map": ap}


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("ndgc@10", "did you mean ndcg"),
        ("precision", "must have a cutoff, such as precision@10"),
        ("group_auc@5", "must have no cutoff"),
        ("ndcg@0", "ndcg@10"),
        ("ndcg@-1", "ndcg@10"),
        ("zzz", "must name a metric. Got 'zzz' instead. sklearn_rank.get_scorer_names() lists names."),
        ("novlty@10", "did you mean novelty?"),
        ("tail@10", "did you mean tail_share?"),
        ("exposure@10", "did you mean exposure_gini_loss?"),
        ("coverage@10", '"catalog_coverage@10" (as in RecBole\'s ItemCoverage)'),
        (7, "Got 7"),
    ],
)
def test_invalid_metric_name_error_suggests_correction(name, hint):
    with pytest.raises(ValueError, match="'metrics' parameter of ranking_scores") as error:
        ranking_scores([1], [1], groups=[1], metrics=[name])
    assert hint in str(error.value)


@pytest.mark.parametrize(
    ("metrics", "rule"),
    [
        ("auc", "name a metric of sklearn_rank. Got 'auc' instead. Did you mean \"pairwise_accuracy\""),
        ("ndgc@10", "name a metric (did you mean ndcg?)"),
        ("ndcg@5, map", "be one name, with one cutoff"),
    ],
)
def test_metrics_passed_as_text_raise_error_about_the_name(metrics, rule):
    with pytest.raises(ValueError, match=re.escape(f"parameter of ranking_scores must {rule}")):
        ranking_scores([1], [1], groups=[1], metrics=metrics)


@pytest.mark.parametrize("metrics", [[], ["map", "map"], None])
def test_metrics_must_be_list_of_distinct_names(metrics):
    with pytest.raises(
        ValueError,
        match=r"'metrics' parameter of ranking_scores must be a .*list of (distinct )?names",
    ):
        ranking_scores([1], [1], groups=[1], metrics=metrics)


def test_one_name_equals_a_list_of_it():
    assert ranking_scores([[1, 0]], [[2, 1]], metrics="mrr") == {"mrr": 1.0}


def test_function_in_place_of_names_raises_error_with_its_name():
    with pytest.raises(ValueError, match=r'names of metrics, not functions\. Got map_score .*"map@10"\.$'):
        ranking_scores([[1, 0]], [[2, 1]], metrics=map_score)
