"""Names of metrics, as scorers and among many: with cutoffs, with parameters, misspelt."""

import re

import numpy as np
import pytest
import sklearn

from sklearn_rank import (
    get_scorer,
    get_scorer_names,
    ranking_scorer,
    ranking_scores,
)
from sklearn_rank.metrics import METRICS
from tests.helpers.scorers import FACTORIES


@pytest.mark.parametrize("name", get_scorer_names())
def test_every_listed_name_gives_the_scorer_of_its_factory(name):
    stem, _, k = name.partition("@")
    made = FACTORIES[stem.removeprefix("neg_")](**({"k": int(k)} if k else {}))
    assert get_scorer(name).get_params() == made.get_params()


def test_the_listed_names_cover_every_metric():
    names = [name.partition("@")[0] for name in get_scorer_names()]
    assert {name.removeprefix("neg_") for name in names} == set(METRICS)


@pytest.mark.parametrize(
    ("name", "made"),
    [
        ("precision@5(min_relevance=2)", {"k": 5, "min_relevance": 2}),
        ("precision@5(min_relevance=2, adaptive_k=True)", {"k": 5, "min_relevance": 2, "adaptive_k": True}),
        ("rbp( p = 0.95 )", {"p": 0.95}),
        ("precision@5 (min_relevance=2)", {"k": 5, "min_relevance": 2}),
        ("err@20(gain=linear,max_grade=4)", {"k": 20, "gain": "linear", "max_grade": 4}),
        ("map(denominator='relevant')", {"denominator": "relevant"}),
        ("ndcg@3(discount=None, zero_division=nan)", {"k": 3, "discount": None, "zero_division": np.nan}),
        ("neg_fallout@5(min_relevance=2)", {"k": 5, "min_relevance": 2}),
        ("group_auc(average=weighted)", {"average": "weighted"}),
        ("recall@5(average=micro, min_relevance=2)", {"k": 5, "average": "micro", "min_relevance": 2}),
    ],
)
def test_a_name_may_carry_parameters(name, made, model, ranking_data):
    X, y, groups = ranking_data
    stem = re.match(r"(neg_)?(\w+)", name)[2]
    expected = FACTORIES[stem](**made)
    assert repr(get_scorer(name)) == repr(expected)
    value = expected(model, X, y, groups=groups)
    assert get_scorer(name)(model, X, y, groups=groups) == value
    assert ranking_scorer([name])(model, X, y, groups=groups) == {name: value}
    assert ranking_scores(y, model.predict(X), groups=groups, metrics=[name]) == {name: value}


@pytest.mark.parametrize(
    ("name", "rule"),
    [
        ("precision@5(min_relevence=2)", "did you mean min_relevance"),
        ("precision@5(k=3)", "have its cutoff, as precision@3, and none in brackets"),
        ("precision@5(gain=linear)", "give parameters of precision_at_k_score"),
        ("precision@5(ties=luck)", "'ties' parameter of get_scorer must be one of"),
        ("judged@5(unjudged=drop)", "give parameters of judged_at_k_score"),
        ("rbp(p=0.5,p=0.8)", "each once"),
        ("ndcg(average=micro)", "'average' parameter of get_scorer must be 'macro', 'weighted' or None"),
        ("ndcg(average=None)", "average to one number"),
        ("rbp(p)", r"give parameters as \(name=value"),
        ("rbp()", r"give parameters as \(name=value"),
        ("ndcg@9223372036854775808", "'k' parameter of get_scorer must be an int >= 1"),
        ("rbp(p=2)", "'p' parameter of get_scorer must be a number above 0"),
        ("map(denominator=R)", "'denominator' parameter of get_scorer must be one of"),
        ("precision(min_relevance=2)", "have its cutoff, as precision@10"),
        ("rbp(p=0.5", "with parameters as"),
        ("rpb(p=0.5)", "did you mean rbp"),
        ("rbp(p=__import__('os'))", "hold numbers, words, True, False and None only"),
    ],
)
def test_wrong_parameters_in_a_name(name, rule):
    with pytest.raises(ValueError, match=rule):
        get_scorer(name)


def test_options_for_all_leave_those_of_err_alone(queries):
    y_true, y_score, groups = queries
    options = {"gain": [0, 1, 5, 9, 20], "discount": None, "min_relevance": 2}
    got = ranking_scores(y_true, y_score, groups=groups, metrics=["err@5", "mrr", "dcg"], **options)
    alone = ranking_scores(y_true, y_score, groups=groups, metrics=["err@5"])
    assert got["err@5"] == alone["err@5"]


@pytest.mark.parametrize("name", ["fallout@10", "bpr_loss"])
def test_a_loss_is_negated_in_a_scorer(name):
    for make in (get_scorer, lambda name: ranking_scorer(["map", name])):
        with pytest.raises(ValueError, match=f"must be negated in a scorer, as neg_{name}"):
            make(name)


@pytest.mark.parametrize("name", ["r2", "precision", "recall", "f1", "roc_auc"])
def test_names_of_scikit_learn_stay_its_own(name):
    assert repr(get_scorer(name)) == repr(sklearn.metrics.get_scorer(name))


@pytest.mark.parametrize(
    ("typo", "meant"),
    [
        ("ndgc@10", "ndcg"),
        ("group_acu", "group_auc"),
        ("acuracy", "accuracy"),
        ("NDCG@10", "ndcg@10"),
        ("ndcg_score", "ndcg@10"),
        ("P@10", "precision@10"),
        ("success@5", "hit_rate@5"),
        ("RR", "mrr"),
        ("auc", "group_auc"),
    ],
)
def test_a_typo_is_answered_by_near_names(typo, meant):
    with pytest.raises(ValueError, match=f"'scoring' parameter of get_scorer .*{meant}"):
        get_scorer(typo)
