"""A name of another library is answered by the name, or the call, that computes the same number here."""

import math
import re

import numpy as np
import pytest

from sklearn_rank import get_scorer, ranking_scores, tie_report
from sklearn_rank.metrics import METRICS
from sklearn_rank.metrics._elsewhere import ELSEWHERE
from tests.helpers.naming import PUBLIC
from tests.oracles.boosters import prepare_catboost, prepare_lightgbm, prepare_xgboost
from tests.oracles.data import Data
from tests.oracles.trec import prepare_ir_measures, prepare_pytrec_eval, prepare_ranx

ANSWERS = [
    ("AP", ["map"]),
    ("AP@10", ["map@10(denominator=relevant)"]),
    ("map_cut_10", ["map@10(denominator=relevant)"]),
    ("MAP@10", ["map@10", "map@10(zero_division=1)", "map@10(denominator=relevant)"]),
    ("MAP:top=10", ["map@10"]),
    ("MAP", ["map", "map@32(zero_division=1)"]),
    ("MAP_10", ["map@10", "map@10(zero_division=1)", "map@10(denominator=relevant)"]),
    ("AP(rel=2)", ["map(min_relevance=2)"]),
    ("AP(rel=2)@100", ["map@100(denominator=relevant, min_relevance=2)"]),
    ("map_cut.5,10", ["map@5(denominator=relevant)", "map@10(denominator=relevant)"]),
    ("meanAveragePrecision", ["map"]),
    ("map-", ["map@32"]),
    ("mean_average_precision", ["map"]),
    ("RR", ["mrr"]),
    ("RR@5", ["mrr@5"]),
    ("RR(rel=2)", ["mrr(min_relevance=2)"]),
    ("RR(rel=2)@10", ["mrr@10(min_relevance=2)"]),
    ("recip_rank", ["mrr"]),
    ("MRR", ["mrr"]),
    ("MRR@10", ["mrr@10"]),
    ("MRR:top=10", ["mrr@10"]),
    ("P_5", ["precision@5"]),
    ("P5", ["precision@5"]),
    ("P.10", ["precision@10"]),
    ("pre", ["precision@32(adaptive_k=True)"]),
    ("PrecisionAt", ["precision@1000000(adaptive_k=True)"]),
    ("SetP", ["precision@1000000(adaptive_k=True)"]),
    ("SetR", ["recall@1000000"]),
    ("set_recall", ["recall@1000000"]),
    ("RecallAt", ["recall@1000000(zero_division=1)"]),
    ("P@10", ["precision@10"]),
    ("p@10", ["precision@10"]),
    ("P(rel=2)@10", ["precision@10(min_relevance=2)"]),
    ("pre@10", ["precision@10(adaptive_k=True)"]),
    ("PrecisionAt:top=10", ["precision@10(adaptive_k=True)"]),
    ("set_P", ["precision@1000000(adaptive_k=True)"]),
    ("R@10", ["recall@10"]),
    ("recall_10", ["recall@10"]),
    ("recall_at_10", ["recall@10"]),
    ("RecallAt:top=10", ["recall@10(zero_division=1)"]),
    ("success_10", ["hit_rate@10"]),
    ("Success(rel=2)@5", ["hit_rate@5(min_relevance=2)"]),
    ("hits", ["hit_rate@10", "dcg(discount=None)"]),
    ("hits_at_10", ["hit_rate@10", "dcg@10(discount=None)"]),
    ("hr", ["hit_rate@10", "recall@10(average=micro)"]),
    ("Success@10", ["hit_rate@10"]),
    ("hr@10", ["hit_rate@10", "recall@10(average=micro)"]),
    ("HR@10", ["hit_rate@10", "recall@10(average=micro)"]),
    ("hit_ratio@10", ["hit_rate@10"]),
    ("hitrate@10", ["hit_rate@10"]),
    ("Rprec", ["r_precision"]),
    ("Rprec(rel=2)", ["r_precision(min_relevance=2)"]),
    ("Bpref(rel=2)", ["bpref(min_relevance=2)"]),
    ("r-precision", ["r_precision"]),
    ("nDCG", ["ndcg"]),
    ("NDCG", ["ndcg", "ndcg(zero_division=1)", "ndcg@32(gain=exponential, zero_division=1)"]),
    ("ndcg-", ["ndcg@32(gain=exponential)"]),
    ("ndcg_cut.10", ["ndcg@10"]),
    ("ndcg_cut", ["ndcg@10"]),
    ("NDCG:type=Exp;top=10", ["ndcg@10(gain=exponential, zero_division=1)"]),
    ("NDCG:top=10;type=Base;hints=skip_train~false", ["ndcg@10(zero_division=1)"]),
    ("NDCG:type=Exp", ["ndcg(gain=exponential, zero_division=1)"]),
    ("NDCG:top=5;denominator=Position", ["ndcg@5(discount=reciprocal, zero_division=1)"]),
    ("dcg_burges@10", ["dcg@10(gain=exponential)"]),
    ("DCG:denominator=Position", ["dcg(discount=reciprocal)"]),
    (
        "NDCG@5,10",
        ["ndcg@5", "ndcg@10"]
        + ["ndcg@5(gain=exponential, zero_division=1)", "ndcg@10(gain=exponential, zero_division=1)"],
    ),
    ("nDCG@10", ["ndcg@10"]),
    ("ndcg_cut_10", ["ndcg@10"]),
    ("NDCG@10", ["ndcg@10", "ndcg@10(gain=exponential, zero_division=1)"]),
    ("NDCG:top=10", ["ndcg@10(zero_division=1)"]),
    ("NDCG:top=10;type=Exp", ["ndcg@10(gain=exponential, zero_division=1)"]),
    ("ndcg@10-", ["ndcg@10(gain=exponential)"]),
    ("ndcg10", ["ndcg@10"]),
    ("ERR:top=10", ["err@10(gain=linear, max_grade=1)"]),
    ("ERR", ["err(gain=linear, max_grade=1)", "err@20(max_grade=4)"]),
    ("RBP(p=0.8)", ["rbp(p=0.8, min_relevance=1)"]),
    ("RBP(rel=1, p=0.8)", ["rbp(p=0.8, min_relevance=1)"]),
    ("rbp.80", ["rbp(p=0.80)"]),
    ("auc", ["group_auc", "roc_auc"]),
    ("gauc", ["group_auc(average=weighted)", "group_auc(average=weighted, weighted_by=relevant)"]),
    ("GAUC", ["group_auc(average=weighted)", "group_auc(average=weighted, weighted_by=relevant)"]),
    ("QueryAUC", ["group_auc(zero_division=0)", "pairwise_accuracy(zero_division=0)"]),
    ("QueryAUC:type=Ranking", ["pairwise_accuracy(zero_division=0)"]),
    ("RankIC", ["spearman"]),
    ("IC", ["pearson", "spearman"]),
    ("spearmanr", ["spearman"]),
    ("kendall", ["kendall_tau"]),
    ("bpr", ["neg_bpr_loss"]),
    ("auc_per_user", ["group_auc"]),
    ("RetrievalMAP", ["map"]),
    ("RetrievalMAP()", ["map"]),
    ("RetrievalMAP(top_k=10)", ["map@10(denominator=hits)"]),
    ("RetrievalMAP@10", ["map@10(denominator=hits)"]),
    ("retrieval_average_precision", ["map"]),
    ("RetrievalMRR", ["mrr"]),
    ("RetrievalNormalizedDCG", ["ndcg"]),
    ("retrieval_normalized_dcg(top_k=5)", ["ndcg@5"]),
    ("RetrievalPrecision(top_k=5)", ["precision@5"]),
    ("RetrievalRecall(top_k=5)", ["recall@5"]),
    ("RetrievalHitRate(top_k=5)", ["hit_rate@5"]),
    ("RetrievalFallOut(top_k=5)", ["neg_fallout@5(zero_division=1)"]),
    ("RetrievalRPrecision", ["r_precision"]),
    ("RetrievalAUROC", ["group_auc(zero_division=0)"]),
]
DOORS = {
    "get_scorer": lambda name: get_scorer(name),
    "ranking_scores": lambda name: ranking_scores([1], [1], groups=[1], metrics=[name]),
    "tie_report": lambda name: tie_report([1], [1], groups=[1], metrics=[name]),
}


@pytest.mark.parametrize("door", DOORS)
@pytest.mark.parametrize(("theirs", "ours"), ANSWERS)
def test_a_name_of_another_library_is_answered_by_its_equivalents_and_no_other(theirs, ours, door):
    with pytest.raises(ValueError, match=f"parameter of {door} must") as error:
        DOORS[door](theirs)
    said = str(error.value).partition(". Got")[0]
    quoted = re.findall(r'"(.*?)"', said) or re.findall(r"read as (\w+)", said)
    assert quoted == ours


@pytest.mark.parametrize("name", sorted({name for _, ours in ANSWERS for name in ours}))
def test_what_is_answered_is_a_name(name):
    assert callable(get_scorer(name))


@pytest.mark.parametrize("theirs", [name for name, meant in ELSEWHERE.items() if len(meant) > 1])
def test_a_name_of_two_meanings_says_whose_each_is(theirs):
    with pytest.raises(ValueError, match="must be written here") as error:
        get_scorer(theirs.replace("{k}", "10"))
    assert all(f"(meant by {library})" in str(error.value) for library in ELSEWHERE[theirs])


@pytest.mark.parametrize(
    ("name", "remedy"),
    [
        (
            "iprec_at_recall",
            'interpolated_precision_curve(y_true, y_score, groups=qid, rounding="trec_eval_9")',
        ),
        ("11pt_avg", 'groups=qid, rounding="trec_eval_9")[1].mean()'),
        ("PFound", 'err_scorer(**conventions.CATBOOST["pfound"])'),
        ("PFound:top=5", 'err_scorer(k=5, **conventions.CATBOOST["pfound"])'),
        (
            "PFound:decay=0.7",
            'err_scorer(gain="linear", max_grade=1, discount=lambda rank: 0.7 ** (rank - 1))',
        ),
        ("MAP:top=10;border=2", "as map_scorer(k=10, min_relevance=math.nextafter(2, math.inf))"),
        ("RecallAt:border=2", "recall_at_k_scorer(k=10**6, min_relevance=math.nextafter(2, math.inf), zero"),
        ("relative_P_10", "precision_at_k_score(y_true, y_true, groups=qid, k=10, average=None)"),
        ("IPrec@0.1", 'groups=qid, rounding="trec_eval_9", recall_levels=[0.1])[1][0]'),
        ("set_F", "the harmonic mean of"),
        ("SetF", "the harmonic mean of"),
        ("RBP(p=0.9)", "(meant by ir_measures as RBP(rel=1, p=0.9), without rel of graded gains)"),
        ("ERR", '"err@20(max_grade=4)" (meant by ir_measures as ERR@20)'),
        ("hr", 'have its cutoff, an int >= 1, as hr@10, which is written here as "hit_rate@10"'),
        ("hr@5(min_relevance=2)", "divide by all relevant items), with parameters as (name=value). Got"),
        ("P@5, map", "be one name: ['P@5', 'map'] are several"),
        ("NDCG@5,99999999999999999999", "have one cutoff each: ['ndcg@5', 'ndcg@9"),
        ("P@1.5", 'have its cutoff, an int >= 1, as P@10, which is written here as "precision@10"'),
        ("ItemCoverage", "catalog_coverage_scorer(...)"),
        ("GiniIndex", "neg_exposure_gini_scorer(...)"),
        ("ndcg_scorer", "read as ndcg, or ndcg@10 for a cutoff"),
        ("precision_at_k_scorer(k=5)", "have its cutoff, as precision@10"),
        ("ndcg@1.5", "read as ndcg, or ndcg@10 for a cutoff, an int >= 1, with"),
        ("map@5-10", "read as map, or map@10 for a cutoff, an int >= 1, with"),
        ("recall@1.5", "have its cutoff, as recall@10, an int >= 1."),
        ("-ndcg@10", 'be "ndcg@10", without "-": higher is better, and "neg_" is for losses only'),
        ("neg_ndcg@10", 'be "ndcg@10", without "neg_": higher is better'),
        ("-recall", 'be "recall@10", without "-"'),
        ("-fallout@5", 'be written "neg_fallout@5"'),
        ("-bpr_loss", 'be written "neg_bpr_loss"'),
        ("neg_fallout", "have its cutoff, as neg_fallout@10, an int >= 1"),
        ("coverage", "catalog_coverage_scorer(...)"),
        ("gini", "neg_exposure_gini_scorer(...)"),
        ("ndcg@5,10", "['ndcg@5', 'ndcg@10'] are several names"),
        ("ndcg@5, map", "be one name: ['ndcg@5', 'map'] are several"),
        ("ndcg@[5, 10]", "['ndcg@5', 'ndcg@10'] are several names"),
        ("ndcg@all", "read as ndcg, or ndcg@10 for a cutoff"),
        ("ndcg@0", "read as ndcg, or ndcg@10 for a cutoff"),
        ("P", 'as "precision@10"'),
        ("f1-score", "have its cutoff, as f1@10"),
        ("Bpref", "read as bpref"),
    ],
)
def test_a_name_that_no_name_here_equals_is_answered_by_what_does(name, remedy):
    with pytest.raises(ValueError, match=re.escape(remedy)):
        get_scorer(name)


def test_average_precision_of_each_query_is_map():
    with pytest.raises(ValueError, match='as "map" \\(meant by most papers\\)'):  # scikit-learn's in a scorer
        ranking_scores([1], [1], groups=[1], metrics=["average_precision"])


@pytest.mark.parametrize("name", [METRICS["ndcg"].function, METRICS["recall"].function])
def test_a_function_in_place_of_a_name_is_answered_by_its_name(name):
    stem = {"ndcg_score": "ndcg@10", "recall_at_k_score": "recall@10"}[name.__name__]
    with pytest.raises(ValueError, match=rf'that of {name.__name__} is "{stem}"\. Got <function'):
        ranking_scores([1], [1], groups=[1], metrics=[name])


@pytest.mark.parametrize("name", [None, ("ndcg", 10), 5, get_scorer("ndcg")], ids=repr)
def test_what_is_no_text_is_no_name(name):
    with pytest.raises(ValueError, match='must hold names of metrics, as text, such as "ndcg@10"'):
        ranking_scores([1], [1], groups=[1], metrics=[name])


# ------------------------------------------------------------------ they do compute the same

PEERS = {
    "trec_eval": ("pytrec_eval", prepare_pytrec_eval),
    "ir_measures": ("ir_measures", prepare_ir_measures),
    "ranx": ("ranx", prepare_ranx),
    "LightGBM": ("lightgbm", prepare_lightgbm),
    "XGBoost": ("xgboost", prepare_xgboost),
    "CatBoost": ("catboost", prepare_catboost),
}
# Spelled otherwise by the library itself.
THEIRS = {"LightGBM": {"NDCG": "ndcg", "MAP": "map", "mean_average_precision": "map"}}
THEIRS["XGBoost"] = {"NDCG": "ndcg", "MAP": "map"}
THEIRS["CatBoost"] = {"MAP@{k}": "MAP:top={k}"}
BINARIZED = {
    "RBP(p={p})": "RBP(rel=1,p={p})",
    "RBP": "RBP(rel=1,p=0.8)",
    "ERR": "ERR@20",
    "ERR@{k}": "ERR@{k}",
}
THEIRS["ranx"] = {"MAP": "map"}
THEIRS["ir_measures"] = {"MAP": "AP", "NDCG": "nDCG", "nDCG(dcg=exp-log2)": "nDCG(dcg='exp-log2')"}
THEIRS["ir_measures"] |= {"MRR": "RR", **BINARIZED}
THEIRS["trec_eval"] = {"NDCG@{k}": "ndcg_cut_{k}", "MAP@{k}": "map_cut_{k}"}
THEIRS["trec_eval"] |= {"NDCG": "ndcg", "MAP": "map", "MRR": "recip_rank"}
THEIRS["trec_eval"] |= {"mean_average_precision@{k}": "map_cut_{k}"}
OF_TWO_CLASSES = {"XGBoost", "CatBoost", "ranx"}
SPELLED = [
    (library, theirs, ours)
    for theirs, meant in ELSEWHERE.items()
    for libraries, ours in meant.items()
    for library in PEERS
    if library in libraries
    and ours.split("@")[0].split("(")[0] in METRICS
    and theirs != "auc"  # of XGBoost, an error that docs/other_libraries.md describes
]


def make_data(highest):
    """Queries of 1 to 12 documents without ties, some of them without a relevant document."""
    random = np.random.RandomState(0)
    groups = np.repeat(np.arange(40), random.randint(1, 13, 40))
    labels = random.randint(0, highest + 1, len(groups)) * (groups % 4 > 0)
    scores = random.permutation(len(groups)) / 1024.0 + 1
    return Data("untied", labels.astype(float), scores, groups, np.ones(len(groups)))


@pytest.mark.filterwarnings("ignore::sklearn_rank.RankingWarning")
@pytest.mark.parametrize(("library", "theirs", "ours"), SPELLED)
def test_the_answer_is_the_number_of_the_library(library, theirs, ours):
    module, prepare = PEERS[library]
    pytest.importorskip("cwl_eval" if theirs.startswith("RBP") else module)
    names = THEIRS.get(library, {})
    stem = theirs.partition("@")[0]
    name = names.get(theirs, theirs.replace(stem, names.get(stem, stem)))
    numbers = {"{k}": "5", "{rel}": "1", "{p}": "0.8", "{percent}": "80"}
    for place, number in numbers.items():
        name, ours = name.replace(place, number), ours.replace(place, number)
    data = make_data(1 if library in OF_TWO_CLASSES else 3)
    value = np.mean(prepare(data)(name, False))
    here = ranking_scores(data.y_true, data.y_score, groups=data.groups, metrics=[ours])[ours]
    # ir_measures asks gdeval for these, which prints five digits of each query.
    five_digits = library == "ir_measures" and ("ERR" in theirs or "exp-log2" in theirs)
    assert here == pytest.approx(value, abs=5e-6 if five_digits else 1e-9)


CALLS = [
    (theirs, ours)
    for theirs, meant in ELSEWHERE.items()
    for library, ours in meant.items()
    if library == "CatBoost" and "_scorer(" in ours
]


@pytest.mark.filterwarnings("ignore::sklearn_rank.RankingWarning")
@pytest.mark.parametrize(("theirs", "ours"), CALLS)
def test_the_call_is_the_number_of_catboost(theirs, ours):
    pytest.importorskip("catboost")
    for place, number in {"{k}": "5", "{border}": "2", "{p}": "0.7"}.items():
        theirs, ours = theirs.replace(place, number), ours.replace(place, number)
    with pytest.raises(ValueError, match=re.escape(f"be written here as {ours} (meant by CatBoost)")):
        get_scorer(theirs)
    data = make_data(3)
    if theirs.startswith("PFound"):  # of probabilities
        data = data._replace(y_true=data.y_true / 4)
    value = np.mean(prepare_catboost(data)(theirs, False))
    scorer = eval(ours, {**PUBLIC, "math": math})
    assert scorer.score_rows(data.y_true, data.y_score, groups=data.groups) == pytest.approx(value, abs=1e-9)


def test_the_call_of_relative_p_is_the_number_of_trec_eval():
    pytest.importorskip("pytrec_eval")
    data = make_data(3)
    ours = ELSEWHERE["relative_P_{k}"]["trec_eval"].replace("{k}", "5")
    here = {"y_true": data.y_true, "y_score": data.y_score, "qid": data.groups}
    with np.errstate(invalid="ignore"):  # 0 / 0 without a relevant document
        values = eval(ours, {**PUBLIC, **here})
    assert np.nan_to_num(values) == pytest.approx(prepare_pytrec_eval(data)("relative_P_5", False), abs=1e-9)


@pytest.mark.filterwarnings("ignore")  # of their own, and of lists shorter than the cutoff
@pytest.mark.parametrize("theirs", [name for name in ELSEWHERE if re.match(r"Retrieval\w+(\(|$)", name)])
def test_the_answer_is_the_number_of_torchmetrics(theirs):
    torch = pytest.importorskip("torch")
    retrieval = pytest.importorskip("torchmetrics.retrieval")
    ours = ELSEWHERE[theirs]["torchmetrics"].replace("{k}", "5")
    data = make_data(1)
    scores = data.y_score / data.y_score.max() * 0.9  # in (0, 1), as it takes them
    metric = getattr(retrieval, theirs.partition("(")[0])(**({"top_k": 5} if "top_k" in theirs else {}))
    value = float(metric(*map(torch.tensor, (scores, data.y_true.astype(int), data.groups))))
    here = ranking_scores(data.y_true, scores, groups=data.groups, metrics=[ours])[ours]
    assert abs(here) == pytest.approx(value, abs=1e-6)  # in float32; of a loss without its sign
