"""Errors for other libraries' metric names, which suggest the equivalent name here."""

import re

import numpy as np
import pytest

from sklearn_rank import get_scorer, ranking_scorer, ranking_scores
from sklearn_rank._hints.names_in_papers import ELSEWHERE
from sklearn_rank.metrics import tie_report
from sklearn_rank.metrics._libraries.library_names import (
    LIBRARIES,
    has_name,
    name_row,
    read_prefixed,
    spell_name,
)
from tests.helpers.table import METRICS

ANSWERS = [
    ("AP", ["map"]),
    ("AP@10", ["map@10(denominator=relevant)"]),
    ("map_cut_10", ["map@10(denominator=relevant)"]),
    ("MAP@10", ["map@10(denominator=relevant)", "map@10(zero_division=1)", "recommenders:map@10", "map@10"]),
    ("MAP:top=10", ["map@10"]),
    ("MAP", ["map", "map@32(zero_division=1)", "recommenders:map", "map@10", "map(min_relevance=2)"]),
    ("MAP_10", ["map@10(denominator=relevant)", "map@10(zero_division=1)", "recommenders:map@10", "map@10"]),
    ("AP(rel=2)", ["map(min_relevance=2)"]),
    ("AP(rel=2)@100", ["map@100(denominator=relevant, min_relevance=2)"]),
    ("meanAveragePrecision", ["map"]),
    ("map-", ["map@32"]),
    ("mean_average_precision", ["map"]),
    ("RR", ["mrr"]),
    ("RR@5", ["mrr@5"]),
    ("RR(rel=2)", ["mrr(min_relevance=2)"]),
    ("RR(rel=2)@10", ["mrr@10(min_relevance=2)"]),
    ("recip_rank", ["mrr"]),
    ("MRR", ["mrr", "mrr@10"]),
    ("MRR@10", ["mrr@10"]),
    ("MRR:top=10", ["mrr@10"]),
    ("P_5", ["precision@5"]),
    ("P5", ["precision@5"]),
    ("P.10", ["precision@10"]),
    ("pre", ["precision@32(adaptive_k=True)"]),
    ("PrecisionAt", ["set_precision(adaptive_k=True)"]),
    ("SetP", ["set_precision"]),
    ("SetR", ["set_recall"]),
    ("RecallAt", ["set_recall(zero_division=1)"]),
    ("P@10", ["precision@10", "precision@10(min_relevance=2)"]),
    ("p@10", ["precision@10", "precision@10(min_relevance=2)"]),
    ("P(rel=2)@10", ["precision@10(min_relevance=2)"]),
    ("pre@10", ["precision@10(adaptive_k=True)"]),
    ("PrecisionAt:top=10", ["precision@10(adaptive_k=True)"]),
    ("set_P", ["set_precision"]),
    ("R@10", ["recall@10"]),
    ("recall_10", ["recall@10"]),
    ("recall_at_10", ["recall@10"]),
    ("RecallAt:top=10", ["recall@10(zero_division=1)"]),
    ("success_10", ["hit_rate@10"]),
    ("Success(rel=2)@5", ["hit_rate@5(min_relevance=2)"]),
    ("hits", ["ranx:hits", "hit_rate@10"]),
    ("hits_at_10", ["ranx:hits@10", "hit_rate@10"]),
    ("hr", ["hit_rate@10", "recall@10(average=micro)"]),
    ("Success@10", ["hit_rate@10"]),
    ("hr@10", ["hit_rate@10", "recall@10(average=micro)"]),
    ("HR@10", ["hit_rate@10", "recall@10(average=micro)"]),
    ("hit_ratio@10", ["hit_rate@10"]),
    ("hitrate@10", ["hit_rate@10"]),
    ("Rprec", ["r_precision"]),
    ("OPA", ["pairwise_accuracy(average=micro, ties=worst)"]),
    ("ARP", ["neg_average_rank_loss(average=micro)"]),
    ("Rprec(rel=2)", ["r_precision(min_relevance=2)"]),
    ("Bpref(rel=2)", ["bpref(min_relevance=2, unjudged=drop)"]),
    ("r-precision", ["r_precision"]),
    ("nDCG", ["ndcg"]),
    ("NDCG", ["ndcg", "ndcg@32(gain=exponential, zero_division=1)", "ndcg(zero_division=1)", "recbole:ndcg"]),
    ("ndcg-", ["ndcg@32(gain=exponential)"]),
    ("ndcg_cut.10", ["ndcg@10"]),
    ("ndcg_cut", ["ndcg@10"]),
    ("NDCG:type=Exp;top=10", ["ndcg@10(gain=exponential, zero_division=1)"]),
    ("NDCG:top=10;type=Base;hints=skip_train~false", ["ndcg@10(zero_division=1)"]),
    ("NDCG:type=Exp", ["ndcg(gain=exponential, zero_division=1)"]),
    ("NDCG:top=5;denominator=Position", ["ndcg@5(discount=reciprocal, zero_division=1)"]),
    ("dcg_burges@10", ["dcg@10(gain=exponential)"]),
    ("DCG:denominator=Position", ["dcg(discount=reciprocal)"]),
    ("nDCG@10", ["ndcg@10"]),
    ("ndcg_cut_10", ["ndcg@10"]),
    (
        "NDCG@10",
        ["ndcg@10", "ndcg@10(gain=exponential, zero_division=1)", "recbole:ndcg@10"]
        + ["sentence_transformers:ndcg@10", "letor:NDCG@10"],
    ),
    ("NDCG:top=10", ["ndcg@10(zero_division=1)"]),
    ("NDCG:top=10;type=Exp", ["ndcg@10(gain=exponential, zero_division=1)"]),
    ("ndcg@10-", ["ndcg@10(gain=exponential)"]),
    ("ndcg10", ["ndcg@10"]),
    ("ERR:top=10", ["err@10(gain=linear, max_grade=1)"]),
    ("ERR", ["err(gain=linear, max_grade=1)"]),
    ("RBP(p=0.8)", ["ir_measures:RBP(p=0.8)"]),
    ("RBP(rel=1, p=0.8)", ["ir_measures:RBP(rel=1,p=0.8)"]),
    ("rbp.80", ["ranx:rbp.80"]),
    ("auc", ["pairwise_accuracy", "group_auc"]),
    ("gauc", ["group_auc(average=weighted, weighted_by=relevant)", "group_auc(average=weighted)"]),
    ("GAUC", ["group_auc(average=weighted, weighted_by=relevant)", "group_auc(average=weighted)"]),
    ("QueryAUC", ["pairwise_accuracy(zero_division=0)"]),
    ("QueryAUC:type=Ranking", ["pairwise_accuracy(zero_division=0)"]),
    ("RankIC", ["spearman"]),
    ("IC", ["pearson", "spearman"]),
    ("spearmanr", ["spearman"]),
    ("kendall", ["kendall_tau"]),
    ("bpr", ["neg_bpr_loss"]),
    ("auc_per_user", ["group_auc"]),
    ("RetrievalMAP", ["map(denominator=hits)"]),
    ("RetrievalMAP()", ["map(denominator=hits)"]),
    ("RetrievalMAP(top_k=10)", ["map@10(denominator=hits)"]),
    ("RetrievalMAP@10", ["map@10(denominator=hits)"]),
    ("retrieval_average_precision", ["map(denominator=hits)"]),
    ("RetrievalMRR", ["mrr"]),
    ("RetrievalNormalizedDCG", ["ndcg"]),
    ("retrieval_normalized_dcg(top_k=5)", ["ndcg@5"]),
    ("RetrievalPrecision(top_k=5)", ["precision@5"]),
    ("RetrievalRecall(top_k=5)", ["recall@5"]),
    ("RetrievalHitRate(top_k=5)", ["hit_rate@5"]),
    ("RetrievalFallOut(top_k=5)", ["neg_fallout_loss@5(zero_division=1)"]),
    ("RetrievalRPrecision", ["r_precision"]),
    ("RetrievalAUROC", ["torchmetrics:RetrievalAUROC"]),
    ("accuracy@1", ["hit_rate@1", "ir_measures:Accuracy@1"]),
    ("Accuracy@5", ["hit_rate@5", "ir_measures:Accuracy@5"]),
    ("cosine_accuracy@10", ["hit_rate@10"]),
    ("acc@1", ["hit_rate@1"]),
    ("top_5_accuracy", ["hit_rate@5"]),
    ("R_cap@10", ["recall@10(denominator=achievable)"]),
    ("recall_cap@10", ["recall@10(denominator=achievable)"]),
    ("hit_rate_at_10", ["hit_rate@10"]),
    ("cosine_ndcg@10", ["sentence_transformers:cosine_ndcg@10"]),
    ("MAP@R", ["map_at_r"]),
    ("F2@10", ["f1@10(beta=2)"]),
    ("f0.5@10", ["f1@10(beta=0.5)"]),
    ("pAUC", ["group_auc(max_fpr=0.1)"]),
]
CALLS = {
    "get_scorer": lambda name: get_scorer(name),
    "ranking_scores": lambda name: ranking_scores([1], [1], groups=[1], metrics=[name]),
    "tie_report": lambda name: tie_report([1], [1], groups=[1], metrics=[name]),
}


@pytest.mark.parametrize("function", CALLS)
@pytest.mark.parametrize(("theirs", "ours"), ANSWERS)
def test_library_metric_name_error_lists_exact_equivalents(theirs, ours, function):
    with pytest.raises(ValueError, match=f"parameter of {function} must") as error:
        CALLS[function](theirs)
    quoted = re.findall(r'"(.*?)"', str(error.value)) or re.findall(r"be written as (\w+)", str(error.value))
    of_scoring = ["roc_auc"] if theirs == "auc" and function == "get_scorer" else []
    assert quoted == ours + of_scoring


@pytest.mark.parametrize("name", sorted({name for _, ours in ANSWERS for name in ours}))
def test_suggested_equivalents_are_valid_names(name):
    assert callable(get_scorer(name))


@pytest.mark.parametrize("theirs", [name for name, meant in ELSEWHERE.items() if len(meant) > 1])
def test_ambiguous_name_error_names_library_of_each_meaning(theirs):
    with pytest.raises(ValueError, match=r"name a metric of sklearn_rank.* Did you mean") as error:
        get_scorer(theirs.replace("{k}", "10"))
    assert all(f"(as in {library})" in str(error.value) for library in ELSEWHERE[theirs])


@pytest.mark.parametrize(
    ("name", "remedy"),
    [
        ("iprec_at_recall", 'the name of iprec_at_recall in trec_eval is "trec_eval:iprec_at_recall_0.10"'),
        ("11pt_avg", 'Did you mean "trec_eval:11pt_avg"?'),
        ("implicit:ndcg@10", "Libraries are trec_eval, ir_measures, "),
        ("spark:map", "Libraries are trec_eval, ir_measures, "),
        ("lightfm:auc", 'mslr. Did you mean "lightgbm:auc"?'),
        ("ndcg:ten", "be written as ndcg or ndcg@10, with"),
        ("auc", '"roc_auc" (as in scikit-learn\'s scoring, of all rows together)'),
        ("PFound", 'Did you mean "catboost:PFound"'),
        ("PFound:top=5", 'Did you mean "catboost:PFound:top=5"'),
        ("PFound:decay=0.7", 'Did you mean "catboost:PFound:decay=0.7"'),
        ("MAP:top=10;border=2", 'Did you mean "map@10(min_relevance=2.0000000000000004)" (as in CatBoost)'),
        (
            "RecallAt:border=2",
            'Did you mean "set_recall(min_relevance=2.0000000000000004, zero_division=1)"',
        ),
        ("relative_P_10", 'Did you mean "recall@10(denominator=achievable)"'),
        ("IPrec@0.1", 'Did you mean "ir_measures:IPrec@0.1"'),
        ("set_F", 'Did you mean "trec_eval:set_F"'),
        ("SetF", 'Did you mean "ir_measures:SetF"'),
        ("RBP(p=0.9)", 'Did you mean "ir_measures:RBP(p=0.9)"'),
        ("gm_map", 'Did you mean "map(average=geometric'),
        ("infAP", "be written as infap"),
        ("Hole@5", "BEIR's Hole is not available: it counts documents that no query"),
        ("yaap", "trec_eval's yaap is not available: it is not implemented"),
        ("INST", 'the name of INST in ir_measures is "ir_measures:INST(max_rel=2)"'),
        ("label_ranking_loss", 'Did you mean "sklearn:label_ranking_loss"'),
        ("Bpref", 'Did you mean "bpref(unjudged=drop)" (as in ir_measures)'),
        ("hr", "have a cutoff, such as hr@10. Got 'hr' instead. Did you mean \"hit_rate@10\" (as in papers)"),
        ("P@5, map", "be one name, with one cutoff"),
        ("P@1.5", "have a cutoff, such as P@10. Got 'P@1.5' instead. Did you mean \"precision@10\""),
        ("ItemCoverage", "catalog_coverage_scorer(...)"),
        ("GiniIndex", "neg_exposure_gini_loss_scorer(...)"),
        ("ndcg_scorer", "be written as ndcg or ndcg@10, with"),
        ("precision_at_k_scorer(k=5)", "have a cutoff, such as precision@10"),
        ("ndcg@1.5", "be written as ndcg or ndcg@10, with"),
        ("map@5-10", "be written as map or map@10, with"),
        ("recall@1.5", "have a cutoff, such as recall@10."),
        ("-ndcg@10", 'be "ndcg@10", without "-". Got'),
        ("neg_ndcg@10", 'be "ndcg@10", without "neg_". Got'),
        ("-recall", 'be "recall@10", without "-"'),
        ("-fallout_loss@5", 'be written "neg_fallout_loss@5"'),
        ("-bpr_loss", 'be written "neg_bpr_loss"'),
        ("neg_fallout_loss", "have a cutoff, such as neg_fallout_loss@10"),
        ("coverage", "catalog_coverage_scorer(...)"),
        ("gini", "neg_exposure_gini_loss_scorer(...)"),
        ("gini@10", '"neg_exposure_gini_loss@10"'),
        ("ItemCoverage@10", '"catalog_coverage@10"'),
        ("ndcg@5,10", "be one name, with one cutoff"),
        ("ndcg@5, map", "be one name, with one cutoff"),
        ("ndcg@[5, 10]", "be one name, with one cutoff"),
        ("ndcg@all", "be written as ndcg or ndcg@10, with"),
        ("ndcg@0", "be written as ndcg or ndcg@10, with"),
        ("P", '"precision@10"'),
        ("f1-score", "have a cutoff, such as f1@10"),
    ],
)
def test_unknown_name_error_shows_remedy(name, remedy):
    with pytest.raises(ValueError, match=re.escape(remedy)):
        get_scorer(name)


@pytest.mark.parametrize("function", [function for function in CALLS if function != "get_scorer"])
def test_auc_error_does_not_suggest_roc_auc_outside_get_scorer(function):
    with pytest.raises(ValueError, match=r'"group_auc" .as in') as error:
        CALLS[function]("auc")
    assert "roc_auc" not in str(error.value)


def test_average_precision_error_suggests_map():
    with pytest.raises(ValueError, match='"map" \\(as in most papers\\)'):  # not scikit-learn's
        ranking_scorer(["average_precision"])


@pytest.mark.parametrize("name", [METRICS["ndcg"].function, METRICS["recall"].function])
def test_function_passed_as_name_raises_error_with_its_name(name):
    stem = {"ndcg_score": "ndcg@10", "recall_at_k_score": "recall@10"}[name.__name__]
    with pytest.raises(ValueError, match=rf'must contain names .*Got \w+_score instead.*Pass "{stem}"\.$'):
        ranking_scores([1], [1], groups=[1], metrics=[name])


@pytest.mark.parametrize("name", [None, ("ndcg", 10), 5], ids=repr)
def test_metric_name_must_be_text(name):
    with pytest.raises(ValueError, match=r'must contain names of metrics.*Pass "ndcg@10", for example'):
        ranking_scores([1], [1], groups=[1], metrics=[name])


# ------------------------------------------------------------------ equivalent names

SUGGESTED = {
    f"{prefix}:{name}": (read_prefixed(f"{prefix}:{name}", ""), library)
    for prefix, library in LIBRARIES.items()
    for name in (name_row(library, stem) for stem in library.rows)
}
SPELLED = [(name, spell_name(*meant)) for name, meant in SUGGESTED.items() if has_name(*meant)]


@pytest.mark.filterwarnings("ignore::sklearn_rank.RankingWarning")
@pytest.mark.parametrize(("theirs", "ours"), SPELLED)
def test_suggested_equivalents_match_library_without_ties(theirs, ours):
    random = np.random.RandomState(0)
    groups = np.repeat(np.arange(40), random.randint(1, 13, 40))
    is_probability = "max_grade" in ours
    y_true = random.randint(0, 2 if is_probability else 4, len(groups)) * (groups % 4 > 0)
    y_score = random.permutation(len(groups)) / 1024 + 1
    if "zero_division" in SUGGESTED[theirs][1].convention:  # set for the library, not for its metrics
        full = np.isin(groups, groups[y_true > 0])
        y_true, y_score, groups = y_true[full], y_score[full], groups[full]
    found = ranking_scores(y_true, y_score, groups=groups, metrics=[theirs, ours])
    assert abs(found[ours]) == pytest.approx(abs(found[theirs]), rel=1e-14)
