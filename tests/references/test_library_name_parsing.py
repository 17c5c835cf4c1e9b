"""Spellings of other libraries' metric names: recorded values on three lists, and errors."""

import pytest

from sklearn_rank import from_run, ranking_scores
from sklearn_rank.metrics._libraries.library_names import LIBRARIES, read_prefixed

pytestmark = pytest.mark.filterwarnings("ignore::sklearn_rank.RankingWarning")
RUN = {
    "1": {"e": 0.9, "d": 0.7, "c": 0.7, "b": 0.5, "a": 0.2},
    "2": {"f": 0.8, "d": 0.6, "b": 0.4, "a": 0.3},
    "3": {"c": 0.2, "b": 0.1},
}
QRELS = {
    "1": {"f": 2, "d": 1, "c": 0, "b": 3, "a": 0},
    "2": {"f": 0, "d": 0, "b": 2, "a": 1},
    "3": {"c": 0},
}
# Means over queries from ir_measures 0.4.3 with pytrec_eval-terrier 0.5.11, cwl-eval 1.0.12 and, for RBP
# without rel, trectools 0.0.50; ERR and nDCG(dcg='exp-log2') to five decimals.
OF_IR_MEASURES = {
    "P@5": 0.2666666667,
    "R@5": 0.5555555556,
    "Success@3": 0.6666666667,
    "AP": 0.25,
    "RR": 0.2777777778,
    "RR@3": 0.2222222222,
    "Rprec": 0.1111111111,
    "Bpref": 0.1666666667,
    "nDCG": 0.3158721865,
    "nDCG(dcg='exp-log2')@5": 0.30662,
    "ERR@5": 0.06966333333,
    "IPrec@0.1": 0.3333333333,
    "SetP": 0.3,
    "SetP(relative=True)": 0.5555555556,
    "SetR": 0.5555555556,
    "SetF": 0.3888888889,
    "SetF(beta=2.0)": 0.4318181818,
    "SetAP": 0.2555555556,
    "nDCG(gains={1:1,2:5,3:7})@5": 0.2875423916,
    "P(rel=2)@5": 0.1333333333,
    "P(judged_only=True)@5": 0.2666666667,
    "IPrec(judged_only=True)@0.1": 0.5,
    "RBP(rel=1)": 0.1642666667,
    "RBP": 0.2698666667,
    "INSQ(max_rel=2)": 0.0921704827,
    "INSQ(T=2.5, max_rel=4)": 0.0495830610,
    "INST(max_rel=2)": 0.1010564772,
    "INST(T=2.5, max_rel=4)": 0.0530027912,
    "BPM(max_rel=2)@3": 0.1666666667,
    "BPM(T=2.0, max_rel=3)@5": 0.1555555556,
    "Judged": 0.7666666667,
    "Accuracy": 0.25,
}
# From ranx 0.3.21; bpref for the first two queries.
OF_RANX = {
    "hits": 1.333333333,
    "hit_rate": 0.6666666667,
    "precision": 0.3,
    "precision@5": 0.2666666667,
    "recall": 0.5555555556,
    "f1": 0.3888888889,
    "f1@5": 0.3571428571,
    "r-precision": 0.1111111111,
    "mrr": 0.2777777778,
    "map": 0.25,
    "dcg": 1.117878662,
    "dcg_burges": 1.858780739,
    "ndcg": 0.3158721865,
    "ndcg_burges": 0.3066217128,
    "ndcg@5-l2": 0.2677203399,
    "ndcg_burges-l2": 0.2796696784,
    "dcg-l2": 0.7640098914,
    "rbp.80": 0.2752,
    "bpref": 0.1666666667,
}
COMPLETE_RUN = {**RUN, "1": {"e": 0.9, "d": 0.8, "c": 0.7, "b": 0.5, "a": 0.2}}
BINARY = {
    "1": {"e": 0, "d": 1, "c": 0, "b": 1, "a": 0},
    "2": {"f": 0, "d": 0, "b": 1, "a": 1},
    "3": {"c": 0, "b": 0},
}
# From torchmetrics 1.9.0, in float32.
OF_TORCHMETRICS = {
    "RetrievalMAP": 0.3055555522,
    "RetrievalMRR": 0.277777791,
    "RetrievalRecall(top_k=3)": 0.3333333433,
    "RetrievalHitRate": 0.6666666865,
    "RetrievalFallOut(top_k=2)": 0.7777777910,
    "retrieval_fall_out(top_k=2)": 0.7777777910,
    "RetrievalPrecision": 0.2999999821,
    "RetrievalPrecision(top_k=5)": 0.2666666806,
    "RetrievalRPrecision": 0.1666666716,
    "RetrievalAUROC": 0.1666666716,
    "RetrievalAUROC(max_fpr=0.5)": 0.2592592537,
    "RetrievalAUROC(top_k=4)": 0.0833333358,
    "RetrievalAUROC(max_fpr=0.9,top_k=4)": 0.1279461384,
    "RetrievalMAP(empty_target_action=skip)": 0.4583333433,
    "RetrievalMAP(empty_target_action=pos)": 0.6388888955,
    "RetrievalNormalizedDCG": 0.4071876109,
}


def mean(name, run=RUN, qrels=QRELS):
    y_true, y_score, groups = from_run(qrels, run)
    return ranking_scores(y_true, y_score, groups=groups, metrics=[name])[name]


@pytest.mark.parametrize("name", OF_IR_MEASURES)
def test_ir_measures_names_match_recorded_values(name):
    printed = 5e-6 if "exp-log2" in name or "ERR" in name else 1e-9
    assert mean(f"ir_measures:{name}") == pytest.approx(OF_IR_MEASURES[name], rel=0, abs=printed)


@pytest.mark.parametrize("name", OF_RANX)
def test_ranx_names_match_recorded_values(name):
    assert mean(f"ranx:{name}") == pytest.approx(OF_RANX[name], rel=0, abs=1e-9)


@pytest.mark.parametrize("name", OF_TORCHMETRICS)
def test_torchmetrics_names_match_recorded_values(name):
    value = mean(f"torchmetrics:{name}", COMPLETE_RUN, BINARY)
    assert value == pytest.approx(OF_TORCHMETRICS[name], rel=0, abs=1e-7)


# ------------------------------------------------------------------ names that mean the same

SAME = [
    ("ir_measures:nDCG@10", ["NDCG@10", "nDCG @ 10", "nDCG(cutoff=10)", "NDCG(dcg='log2', cutoff = 10)"]),
    ("ir_measures:AP(rel=2)@5", ["MAP( rel = 2 )@5", "AP(cutoff=5,rel=2)", "AP(rel=2, judged_only=False)@5"]),
    ("ir_measures:RR@3", ["MRR@3", "RR(cutoff=3)", "RR(rel=1)@3"]),
    ("ir_measures:Rprec", ["RPrec", "Rprec()"]),
    ("ir_measures:Bpref", ["BPref"]),
    ("ir_measures:P@2", ["Precision@2"]),
    ("ir_measures:R@2", ["Recall@2"]),
    ("ir_measures:IPrec@0.5", ["IPrec(recall=0.5)", "IPrec @ .5"]),
    ("ir_measures:SetRelP", ["SetP(relative=True)"]),
    ("ir_measures:RBP(rel=1, p=0.8)", ["RBP(rel=1)", "RBP(p=0.8, rel=1)"]),
    ("ir_measures:nDCG(dcg='exp-log2')@5", ['NDCG(dcg="exp-log2")@5', "nDCG(cutoff=5, dcg=exp-log2)"]),
    ("ranx:rbp.95", ["rbp@95"]),
    ("torchmetrics:RetrievalMAP(top_k=2)", ["retrieval_average_precision(top_k = 2)"]),
    (
        "torchmetrics:RetrievalMRR",
        ["retrieval_reciprocal_rank", "RetrievalMRR()", "RetrievalMRR(top_k=None)"],
    ),
    ("torchmetrics:RetrievalNormalizedDCG", ["retrieval_normalized_dcg(ignore_index=None)"]),
    ("torchmetrics:RetrievalAUROC", ["RetrievalAUROC(max_fpr=None, aggregation='mean')"]),
]


@pytest.mark.parametrize(
    ("name", "other"),
    [(name, f"{name.partition(':')[0]}:{other}") for name, others in SAME for other in others],
)
def test_library_name_spellings_are_read_the_same(name, other):
    assert read_prefixed(other, "metrics") == read_prefixed(name, "metrics")


def test_neg_prefix_negates_torchmetrics_loss():
    name = "torchmetrics:RetrievalFallOut(top_k=2)"
    assert mean(f"neg_{name}", COMPLETE_RUN, BINARY) == -mean(name, COMPLETE_RUN, BINARY)


# ------------------------------------------------------------------ invalid names

REFUSED = {
    "ir_measures:nDGC@10": 'Did you mean "ir_measures:nDCG"',
    "ir_measures:RR@": "be the name of a metric of ir_measures",
    "ir_measures:P": "contain the cutoff, an int >= 1. Got",
    "ir_measures:ERR": 'For example, write "ir_measures:ERR@10"',
    "ir_measures:P(cutoff=0)": "set cutoff to an int >= 1",
    "ir_measures:P(rel=0)@5": "set rel to a value that ir_measures accepts",
    "ir_measures:P(p=0.5)@5": "This metric takes rel, judged_only.",
    "ir_measures:P@0.5": "This metric takes rel, judged_only.",
    "ir_measures:RR(judged_only=True)@5": "This metric takes rel.",
    "ir_measures:Bpref@5": "have no cutoff",
    "ir_measures:RBP(p=1.5)": "set p to a value",
    "ir_measures:INSQ(T=2)": "contain the parameter of the metric. Got",
    "ir_measures:INST": 'For example, write "ir_measures:INST(max_rel=2)"',
    "ir_measures:BPM(max_rel=2)": 'For example, write "ir_measures:BPM(max_rel=2)@10"',
    "ir_measures:INST(max_rel=2, min_rel=1)": "set min_rel to a value",
    "ir_measures:BPM(max_rel=2, T=0)@10": "set T to a value",
    "ir_measures:RBP(rel=1)@10": "have no cutoff",
    "ir_measures:IPrec": 'For example, write "ir_measures:IPrec@0.1"',
    "ir_measures:IPrec@1.5": "set recall to a value",
    "ir_measures:nDCG(gains={0:1})": "set gains to a value",
    "ir_measures:nDCG(gains={1:})": "set gains to a value",
    "ir_measures:SetF(beta=0)": "set beta to a value",
    "ir_measures:nDCG(gains={0:": "be the name of a metric of ir_measures",
    "ir_measures:alpha_nDCG@10": "instead. It is computed from judgments of subtopics",
    "ir_measures:NumRel": "instead. It is a count",
    "ranx:ndgc@5": 'Did you mean "ranx:ndcg"',
    "ranx:rbp": 'For example, write "ranx:rbp.80"',
    "ranx:ndcg@5-l0": "set l to a value that ranx accepts",
    "ranx:bpref@5": "have no cutoff",
    "torchmetrics:RetrievalMPA": '"torchmetrics:RetrievalMAP"',
    "torchmetrics:RetrievalMAP(top_k=0)": "set top_k to an int >= 1",
    "torchmetrics:RetrievalMAP(aggregation='median')": "Pass average=None, and apply numpy.median",
    "torchmetrics:RetrievalMAP(ignore_index=-1)": "not contain ignore_index=-1. Got",
    "torchmetrics:RetrievalMAP(empty_target_action='error')": "not contain empty_target_action=error. Got",
    "torchmetrics:RetrievalAUROC(max_fpr=0)": "set max_fpr to a value",
    "torchmetrics:RetrievalMAP(aggregation=mode)": "set aggregation to a value",
    "ir_measures:nDCG(gains=[1])": "set gains to a value",
    "torchmetrics:RetrievalPrecisionRecallCurve": "computed from curves",
    "trec_eval:map_cut": 'For example, write "trec_eval:map_cut_10"',
}


@pytest.mark.parametrize("name", REFUSED)
def test_invalid_library_name_error_gives_reason(name):
    with pytest.raises(ValueError, match="metrics") as error:
        mean(name)
    assert REFUSED[name] in str(error.value)
    assert repr(name) in str(error.value)


@pytest.mark.parametrize(
    ("library", "stem"), [(library, stem) for library, table in LIBRARIES.items() for stem in table.without]
)
def test_library_metrics_without_equivalent_have_no_row(library, stem):
    table = LIBRARIES[library]
    assert stem not in table.rows
    assert stem not in table.also
