"""Metric names: with cutoffs, parameters and rules, and misspelled."""

import re

import numpy as np
import pytest
import sklearn
from sklearn.linear_model import Ridge

from sklearn_rank import (
    cross_val_score,
    get_scorer,
    get_scorer_names,
    map_score,
    ndcg_score,
    ranking_scorer,
    ranking_scores,
)
from sklearn_rank.datasets import make_ranking
from sklearn_rank.metrics import _compute, bpref_score, tie_report
from tests.helpers.scorers import FACTORIES
from tests.helpers.table import BY_RULE, METRICS, SCORE_OF, SIGN, WITH_TIES, with_unjudged


@pytest.mark.parametrize("name", get_scorer_names())
def test_get_scorer_of_listed_name_equals_factory(name):
    stem, _, k = name.partition("@")
    made = FACTORIES[stem.removeprefix("neg_")](**({"k": int(k)} if k else {}))
    assert vars(get_scorer(name)) == vars(made)


def test_get_scorer_names_cover_every_metric():
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
        ("neg_fallout_loss@5(min_relevance=2)", {"k": 5, "min_relevance": 2}),
        ("group_auc(average=weighted)", {"average": "weighted"}),
        ("recall@5(average=micro, min_relevance=2)", {"k": 5, "average": "micro", "min_relevance": 2}),
    ],
)
def test_get_scorer_accepts_parameters_in_name(name, made, model, ranking_data):
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
        ("precision@5(min_relevence=2)", "Did you mean min_relevance"),
        ("precision@5(k=3)", "contain only parameters of precision_at_k_score"),
        ("precision@5(gain=linear)", "contain only parameters of precision_at_k_score"),
        ("precision@5(ties=luck)", "'ties' parameter of get_scorer must be one of"),
        ("judged@5(unjudged=drop)", "contain only parameters of judged_at_k_score"),
        ("rbp(p=0.5,p=0.8)", "set each parameter of a metric once"),
        (
            "ndcg(average=micro)",
            "'average' parameter of get_scorer must be 'macro', 'weighted', 'geometric' or None",
        ),
        ("ndcg(average=None)", "not contain average=None"),
        ("rbp(p)", r"contain parameters as \(name=value"),
        ("rbp()", r"contain parameters as \(name=value"),
        ("ndcg@9223372036854775808", "'k' parameter of get_scorer must be an int >= 1"),
        ("rbp(p=2)", "'p' parameter of get_scorer must be a number above 0"),
        ("map(denominator=R)", "'denominator' parameter of get_scorer must be one of"),
        ("precision(min_relevance=2)", "have a cutoff, such as precision@10"),
        ("rbp(p=0.5", "with parameters as"),
        ("rpb(p=0.5)", "did you mean rbp"),
        ("rbp(p=__import__('os'))", "with parameters as"),
    ],
)
def test_get_scorer_rejects_invalid_parameters_in_name(name, rule):
    with pytest.raises(ValueError, match=rule):
        get_scorer(name)


def test_ranking_scores_do_not_pass_shared_options_to_err(queries):
    y_true, y_score, groups = queries
    options = {"gain": [0, 1, 5, 9, 20], "discount": None, "min_relevance": 2}
    got = ranking_scores(y_true, y_score, groups=groups, metrics=["err@5", "mrr", "dcg"], **options)
    alone = ranking_scores(y_true, y_score, groups=groups, metrics=["err@5"])
    assert got["err@5"] == alone["err@5"]


@pytest.mark.parametrize("name", ["fallout_loss@10", "bpr_loss"])
def test_scorers_require_neg_prefix_for_losses(name):
    for make in (get_scorer, lambda name: ranking_scorer(["map", name])):
        with pytest.raises(ValueError, match=f'must be negated in a scorer.* Write "neg_{name}"'):
            make(name)


@pytest.mark.parametrize("name", ["r2", "precision", "recall", "f1", "roc_auc"])
def test_get_scorer_keeps_scikit_learn_names(name):
    assert repr(get_scorer(name)) == repr(sklearn.metrics.get_scorer(name))


def test_get_scorer_rejects_a_class_for_scikit_learn_names():
    with pytest.raises(ValueError, match=r"'pos_label' parameter of get_scorer must be None unless"):
        get_scorer("f1", pos_label=0)


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
def test_get_scorer_suggests_similar_names_for_typos(typo, meant):
    with pytest.raises(ValueError, match=f"'scoring' parameter of get_scorer .*{meant}"):
        get_scorer(typo)


FILLED = ["nonrelevant", "drop", "mean", "median"]
WITH_UNJUDGED = [stem for stem, entry in METRICS.items() if "unjudged" in entry.defaults]


def name_with(stem, **said):
    """Return the name of a metric as a score, with parameters."""
    entry = METRICS[stem]
    cutoff = "@5" if entry.cutoff == "required" else ""
    return f"{entry.prefix}{stem}{cutoff}({', '.join(f'{key}={value}' for key, value in said.items())})"


@pytest.fixture
def half_judged(queries):
    y_true, y_score, groups = queries
    return with_unjudged(y_true), y_score, groups


@pytest.mark.parametrize(("stem", "said"), [(stem, said) for stem, said in BY_RULE if stem in WITH_TIES])
def test_metric_name_accepts_ties(stem, said, queries):
    y_true, y_score, groups = queries
    name = name_with(stem, **said)
    got = ranking_scores(y_true, y_score, groups=groups, metrics=[name, "ndcg"], ties="order")
    assert got[name] == SIGN[stem] * SCORE_OF[stem](y_true, y_score, groups=groups, **said)
    assert got["ndcg"] == ndcg_score(y_true, y_score, groups=groups, ties="order")


@pytest.mark.parametrize("unjudged", FILLED)
@pytest.mark.parametrize("stem", WITH_UNJUDGED)
def test_metric_name_accepts_unjudged(stem, unjudged, half_judged):
    y_true, y_score, groups = half_judged
    name = name_with(stem, unjudged=unjudged)
    got = ranking_scores(y_true, y_score, groups=groups, metrics=[name, "dcg"], unjudged="nonrelevant")
    assert got[name] == SIGN[stem] * SCORE_OF[stem](y_true, y_score, groups=groups, unjudged=unjudged)


def test_ranking_scores_accept_different_unjudged_rules_in_names(half_judged):
    y_true, y_score, groups = half_judged
    names = ["bpref(unjudged=drop)", "ndcg@10(unjudged=nonrelevant)", "judged@10"]
    got = ranking_scores(y_true, y_score, groups=groups, metrics=names)
    assert got["bpref(unjudged=drop)"] == bpref_score(y_true, y_score, groups=groups, unjudged="drop")
    ndcg = ndcg_score(y_true, y_score, groups=groups, k=10, unjudged="nonrelevant")
    assert got["ndcg@10(unjudged=nonrelevant)"] == ndcg
    assert 0 < got["judged@10"] < 1


@pytest.mark.parametrize("metrics", [["bpref(unjudged=drop)", "ndcg"], ["ndcg", "bpref(unjudged=drop)"]])
def test_ranking_scores_reject_nan_unless_every_name_has_unjudged(metrics, half_judged):
    y_true, y_score, groups = half_judged
    with pytest.raises(ValueError, match=r"'y_true' parameter of ranking_scores must not contain NaN"):
        ranking_scores(y_true, y_score, groups=groups, metrics=metrics)


@pytest.mark.parametrize("average", ["macro", "weighted", None])
@pytest.mark.parametrize("weighted", [False, True])
def test_ranking_scores_share_weights_and_average_among_names(average, weighted, half_judged):
    y_true, y_score, groups = half_judged
    weights = 1 + np.unique(groups, return_inverse=True)[1] % 3 if weighted else None
    shared = {"groups": groups, "sample_weight": weights, "average": average}
    names = ["map(unjudged=drop)", "map(unjudged=nonrelevant, ties=worst)"]
    got = ranking_scores(y_true, y_score, metrics=names, **shared)
    alone = [
        map_score(y_true, y_score, **shared, unjudged="drop"),
        map_score(y_true, y_score, **shared, unjudged="nonrelevant", ties="worst"),
    ]
    np.testing.assert_array_equal([got[name] for name in names], alone)


@pytest.mark.parametrize(
    ("metrics", "missing", "n_sorts"),
    [
        (["ndcg", "map", "mrr"], False, 1),
        (["ndcg", "map(ties=worst)", "mrr(ties=worst)"], False, 2),
        (["ndcg(unjudged=drop)", "map(unjudged=mean)", "mrr"], False, 1),  # all labels are judged
        (["ndcg(unjudged=drop)", "map(unjudged=mean)", "mrr(unjudged=drop)"], True, 2),
        (["ndcg(unjudged=drop)", "map(unjudged=drop, ties=best)", "judged@5"], True, 3),
    ],
)
def test_ranking_scores_sort_once_per_rule(metrics, missing, n_sorts, queries, monkeypatch):
    y_true, y_score, groups = queries
    sorts = []
    map_blocks = _compute.map_blocks

    def count(*arguments, **keywords):
        sorts.append(arguments)
        return map_blocks(*arguments, **keywords)

    monkeypatch.setattr(_compute, "map_blocks", count)
    ranking_scores(with_unjudged(y_true) if missing else y_true, y_score, groups=groups, metrics=metrics)
    assert len(sorts) == n_sorts


def test_ranking_scorer_accepts_names_with_unjudged():
    X, y, qid = make_ranking(n_queries=30, random_state=0)
    y = with_unjudged(y.astype(float))
    names = ["bpref(unjudged=drop)", "ndcg@5(unjudged=nonrelevant)"]
    model = Ridge().fit(X, np.nan_to_num(y))
    got = ranking_scorer(names)(model, X, y, groups=qid)
    assert got["bpref(unjudged=drop)"] == bpref_score(y, model.predict(X), groups=qid, unjudged="drop")
    assert got["ndcg@5(unjudged=nonrelevant)"] == ndcg_score(
        y, model.predict(X), groups=qid, k=5, unjudged="nonrelevant"
    )


def test_get_scorer_accepts_name_with_ties():
    X, y, qid = make_ranking(n_queries=30, random_state=0)
    y_score = np.round(X[:, 0])
    scorer = get_scorer("map@5(ties=worst, denominator=relevant)")
    expected = map_score(y, y_score, groups=qid, k=5, ties="worst", denominator="relevant")
    assert scorer.score_rows(y, y_score, groups=qid) == expected
    assert cross_val_score(Ridge(), X, y, scoring="map@5(ties=worst)", groups=qid).shape == (5,)


def test_ranking_scores_reject_hits_denominator_with_best_ties():
    with pytest.raises(ValueError, match=r"'ties' parameter of ranking_scores must be 'average' or 'order'"):
        ranking_scores([1, 0], [1, 2], groups=[1, 1], metrics=["map@5(ties=best, denominator=hits)"])


def test_tie_report_rejects_ties_in_name():
    with pytest.raises(ValueError, match=r"not contain 'ties' or a name.*Got 'map\(ties=best\)'"):
        tie_report([1, 0], [1, 2], groups=[1, 1], metrics=["map(ties=best)"])


def test_tie_report_accepts_unjudged_in_name(half_judged):
    y_true, y_score, groups = half_judged
    report = tie_report(y_true, y_score, groups=groups, metrics=["map(unjudged=drop)"])
    alone = tie_report(y_true, y_score, groups=groups, metrics=["map"], unjudged="drop")
    assert report.metrics["map(unjudged=drop)"] == alone.metrics["map"]
    assert report.tied_documents == alone.tied_documents


def test_all_relevant_warning_names_only_metrics_concerned():
    y_true, y_score, groups = [1, np.nan, 1, 1, 2, 1], [3, 2, 1, 3, 2, 1], [1, 1, 1, 2, 2, 2]
    names = ["map(unjudged=drop)", "map(unjudged=nonrelevant)"]
    with pytest.warns(match=r"ranking_scores \(map\(unjudged=drop\)\): all documents"):
        ranking_scores(y_true, y_score, groups=groups, metrics=names)
