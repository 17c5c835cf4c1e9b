"""Names of metrics in other libraries, and what computes the same here."""

import re

from ._cautions import WHOLE

# What stands for any number in the names below.
PLACES = {"{k}": r"(?P<k>[1-9][0-9]{0,18})", "{rel}": r"(?P<rel>[1-9][0-9]*)", "{p}": r"(?P<p>0?\.[0-9]+)"}
PLACES |= {"{percent}": r"(?P<percent>[0-9]{2})", "{border}": r"(?P<border>[0-9]+(\.[0-9]+)?)"}
LINEAR, BY_HITS = "ndcg@{k}", "hit_rate@{k}"
EXPONENTIAL = "ndcg@{k}(gain=exponential, zero_division=1)"
ACHIEVABLE, RELEVANT = "map@{k}", "map@{k}(denominator=relevant)"
AT_END = f"@{WHOLE}"  # a cutoff that no list exceeds
ALL_RETRIEVED, ALL_FOUND = f"precision{AT_END}(adaptive_k=True)", f"recall{AT_END}"
SET_F = f'the harmonic mean of "{ALL_RETRIEVED}" and "{ALL_FOUND}" of each query'
ABOVE = "min_relevance=math.nextafter({border}, math.inf)"  # the first number above, which no name can hold
AT_32 = "XGBoost, whose cutoff is 32"
AT_RECALL = 'interpolated_precision_curve(y_true, y_score, groups=qid, rounding="trec_eval_9")'

# A name, in letters of any case unless another differs in that alone: what computes the same here, by the
# library. The meanings of one name stand beside each other. They are tested against the libraries. Parameters
# of CatBoost stand in the order of the alphabet. A name that needs its cutoff has no row without one.
ELSEWHERE: dict[str, dict[str, str]] = {
    # trec_eval
    "ndcg_cut_{k}": {"trec_eval": LINEAR},
    "map_cut_{k}": {"trec_eval": RELEVANT},
    "P_{k}": {"trec_eval": "precision@{k}"},
    "recall_{k}": {"trec_eval": "recall@{k}"},
    "success_{k}": {"trec_eval": BY_HITS},
    "recip_rank": {"trec_eval": "mrr"},
    "Rprec": {"trec_eval and ir_measures": "r_precision"},
    "relative_P_{k}": {
        "trec_eval": "precision_at_k_score(y_true, y_score, groups=qid, k={k}, average=None) / "
        "precision_at_k_score(y_true, y_true, groups=qid, k={k}, average=None)"
    },
    "set_P": {"trec_eval": ALL_RETRIEVED},
    "set_recall": {"trec_eval": ALL_FOUND},
    "set_F": {"trec_eval": SET_F},
    "iprec_at_recall": {"trec_eval": AT_RECALL},
    "11pt_avg": {"trec_eval": f"{AT_RECALL}[1].mean()"},
    # ir_measures
    "nDCG": {"ir_measures": "ndcg"},
    "nDCG@{k}": {"ir_measures": LINEAR},
    "AP": {"ir_measures": "map"},
    "AP@{k}": {"ir_measures": RELEVANT},
    "AP(rel={rel})": {"ir_measures": "map(min_relevance={rel})"},
    "AP(rel={rel})@{k}": {"ir_measures": "map@{k}(denominator=relevant, min_relevance={rel})"},
    "RR": {"ir_measures": "mrr"},
    "RR@{k}": {"ir_measures": "mrr@{k}"},
    "RR(rel={rel})": {"ir_measures": "mrr(min_relevance={rel})"},
    "RR(rel={rel})@{k}": {"ir_measures": "mrr@{k}(min_relevance={rel})"},
    "P@{k}": {"ir_measures": "precision@{k}"},
    "P(rel={rel})@{k}": {"ir_measures": "precision@{k}(min_relevance={rel})"},
    "R@{k}": {"ir_measures": "recall@{k}"},
    "R(rel={rel})@{k}": {"ir_measures": "recall@{k}(min_relevance={rel})"},
    "Success@{k}": {"ir_measures": BY_HITS},
    "Success(rel={rel})@{k}": {"ir_measures": "hit_rate@{k}(min_relevance={rel})"},
    "Rprec(rel={rel})": {"ir_measures": "r_precision(min_relevance={rel})"},
    "Bpref(rel={rel})": {"ir_measures": "bpref(min_relevance={rel})"},
    "SetP": {"ir_measures": ALL_RETRIEVED},
    "SetR": {"ir_measures": ALL_FOUND},
    "SetF": {"ir_measures": SET_F},
    "IPrec@{p}": {"ir_measures": f"{AT_RECALL[:-1]}, recall_levels=[{{p}}])[1][0]"},
    "nDCG(dcg=exp-log2)@{k}": {"ir_measures": "ndcg@{k}(gain=exponential)"},
    "ERR@{k}": {"ir_measures": "err@{k}(max_grade=4)"},
    "RBP(rel={rel},p={p})": {"ir_measures": "rbp(p={p}, min_relevance={rel})"},
    "RBP(p={p},rel={rel})": {"ir_measures": "rbp(p={p}, min_relevance={rel})"},
    "RBP(p={p})": {
        "ir_measures as RBP(rel=1, p={p}), without rel of graded gains": "rbp(p={p}, min_relevance=1)"
    },
    "RBP": {"ir_measures as RBP(rel=1, p=0.8), without rel of graded gains": "rbp(p=0.8, min_relevance=1)"},
    # ranx
    "hits@{k}": {"papers on graphs": BY_HITS, "ranx, of labels 0 and 1": "dcg@{k}(discount=None)"},
    "hits": {
        "papers on graphs as hits@10": "hit_rate@10",
        "ranx, of labels 0 and 1": "dcg(discount=None)",
    },
    "r-precision": {"ranx": "r_precision"},
    "rbp.{percent}": {"ranx": "rbp(p=0.{percent})"},
    "ndcg_burges@{k}": {"ranx": "ndcg@{k}(gain=exponential)"},
    "ndcg_burges": {"ranx": "ndcg(gain=exponential)"},
    "dcg_burges": {"ranx": "dcg(gain=exponential)"},
    "dcg_burges@{k}": {"ranx": "dcg@{k}(gain=exponential)"},
    # LightGBM and XGBoost
    "NDCG@{k}": {"trec_eval and ir_measures": LINEAR, "LightGBM and XGBoost": EXPONENTIAL},
    "NDCG": {
        "trec_eval and ir_measures": "ndcg",
        "CatBoost": "ndcg(zero_division=1)",
        AT_32: "ndcg@32(gain=exponential, zero_division=1)",
    },
    "ndcg@{k}-": {"XGBoost": "ndcg@{k}(gain=exponential)"},
    "ndcg-": {AT_32: "ndcg@32(gain=exponential)"},
    "MAP@{k}": {
        "CatBoost and RecBole": ACHIEVABLE,
        "LightGBM and XGBoost": f"{ACHIEVABLE}(zero_division=1)",
        "trec_eval, ir_measures and ranx": RELEVANT,
    },
    "MAP": {"trec_eval, ir_measures, CatBoost and ranx": "map", AT_32: "map@32(zero_division=1)"},
    "map@{k}-": {"XGBoost": ACHIEVABLE},
    "map-": {AT_32: "map@32"},
    "pre@{k}": {"XGBoost": "precision@{k}(adaptive_k=True)"},
    "pre": {AT_32: "precision@32(adaptive_k=True)"},
    "auc": {"XGBoost, of each query": "group_auc", "scikit-learn, of all rows together": "roc_auc"},
    # CatBoost
    "DCG:top={k}": {"CatBoost": "dcg@{k}"},
    "NDCG:top={k}": {"CatBoost": "ndcg@{k}(zero_division=1)"},
    "NDCG:top={k};type=Exp": {"CatBoost": EXPONENTIAL},
    "NDCG:denominator=Position;top={k}": {"CatBoost": "ndcg@{k}(discount=reciprocal, zero_division=1)"},
    "NDCG:denominator=Position;top={k};type=Exp": {
        "CatBoost": "ndcg@{k}(gain=exponential, discount=reciprocal, zero_division=1)"
    },
    "DCG:top={k};type=Exp": {"CatBoost": "dcg@{k}(gain=exponential)"},
    "DCG:denominator=Position;top={k}": {"CatBoost": "dcg@{k}(discount=reciprocal)"},
    "DCG:denominator=Position;top={k};type=Exp": {
        "CatBoost": "dcg@{k}(gain=exponential, discount=reciprocal)"
    },
    "MAP:top={k}": {"CatBoost": ACHIEVABLE},
    "MAP:border={border};top={k}": {"CatBoost": f"map_scorer(k={{k}}, {ABOVE})"},
    "MRR:border={border};top={k}": {"CatBoost": f"mrr_scorer(k={{k}}, {ABOVE})"},
    "PrecisionAt:border={border};top={k}": {
        "CatBoost": f"precision_at_k_scorer(k={{k}}, {ABOVE}, adaptive_k=True)"
    },
    "RecallAt:border={border};top={k}": {
        "CatBoost": f"recall_at_k_scorer(k={{k}}, {ABOVE}, zero_division=1)"
    },
    "MRR": {"trec_eval, ir_measures and CatBoost": "mrr"},
    "MRR:top={k}": {"CatBoost": "mrr@{k}"},
    "ERR:top={k}": {"CatBoost": "err@{k}(gain=linear, max_grade=1)"},
    "ERR": {"CatBoost": "err(gain=linear, max_grade=1)", "ir_measures as ERR@20": "err@20(max_grade=4)"},
    "PrecisionAt:top={k}": {"CatBoost": "precision@{k}(adaptive_k=True)"},
    "RecallAt:top={k}": {"CatBoost": "recall@{k}(zero_division=1)"},
    "QueryAUC": {
        "CatBoost, of two classes": "group_auc(zero_division=0)",
        "CatBoost's type=Ranking": "pairwise_accuracy(zero_division=0)",
    },
    "QueryAUC:type=Ranking": {"CatBoost": "pairwise_accuracy(zero_division=0)"},
    "QueryAUC:type=Classic": {"CatBoost": "group_auc(zero_division=0)"},
    "PFound:top={k}": {"CatBoost": 'err_scorer(k={k}, **conventions.CATBOOST["pfound"])'},
    "PFound:decay={p};top={k}": {
        "CatBoost": 'err_scorer(k={k}, gain="linear", max_grade=1, discount=lambda rank: {p} ** (rank - 1))'
    },
    # recommender papers
    "HR@{k}": {"RecBole": BY_HITS, "papers that divide by all relevant items": "recall@{k}(average=micro)"},
    "hit@{k}": {"RecBole": BY_HITS},
    "hit_ratio@{k}": {"RecBole": BY_HITS},
    "hitrate@{k}": {"RecBole": BY_HITS},
    "mapk": {"ml_metrics": "map@10"},
    "GAUC": {
        "most papers, users weighted by their rows": "group_auc(average=weighted)",
        "RecBole, by their positives": "group_auc(average=weighted, weighted_by=relevant)",
    },
    # finance and scipy
    "IC": {"Qlib": "pearson", "alphalens": "spearman"},
    "Rank_IC": {"Qlib": "spearman"},
    "RankIC": {"Qlib": "spearman"},
    "spearmanr": {"scipy": "spearman"},
    "pearsonr": {"scipy": "pearson"},
    "kendalltau": {"scipy": "kendall_tau"},
    "kendall": {"pandas": "kendall_tau"},
    # in full, or not
    "BPR": {"most papers": "neg_bpr_loss"},
    "average_precision": {"most papers": "map"},
    "mean_average_precision": {"most papers": "map"},
    "meanAveragePrecision": {"Spark": "map"},
    "mean_average_precision@{k}": {"LightGBM": f"{ACHIEVABLE}(zero_division=1)", "trec_eval": RELEVANT},
    "mean_reciprocal_rank": {"most papers": "mrr"},
    "mean_reciprocal_rank@{k}": {"most papers": "mrr@{k}"},
    "normalized_discounted_cumulative_gain": {"most papers": "ndcg"},
    "normalized_discounted_cumulative_gain@{k}": {"most papers": LINEAR},
    "hitratio@{k}": {"RecBole": BY_HITS},
    "auc_per_user": {"most papers": "group_auc"},
    # what is no metric of labels and scores
    "coverage": {"RecBole's ItemCoverage": "catalog_coverage_scorer(...)"},
    "ItemCoverage": {"RecBole": "catalog_coverage_scorer(...)"},
    "catalog_coverage": {"papers": "catalog_coverage_scorer(...)"},
    "gini": {"RecBole's GiniIndex": "neg_exposure_gini_scorer(...)"},
    "GiniIndex": {"RecBole": "neg_exposure_gini_scorer(...)"},
    "novelty": {"papers": "novelty_scorer(...)"},
    "intra_list_similarity": {"papers": "neg_intra_list_similarity_scorer(...)"},
}
# torchmetrics: the class and the function of one metric, and what they are with top_k and of whole lists.
TORCHMETRICS = {
    ("RetrievalMAP", "retrieval_average_precision"): ("map@{k}(denominator=hits)", "map"),
    ("RetrievalMRR", "retrieval_reciprocal_rank"): ("mrr@{k}", "mrr"),
    ("RetrievalNormalizedDCG", "retrieval_normalized_dcg"): (LINEAR, "ndcg"),
    ("RetrievalPrecision", "retrieval_precision"): ("precision@{k}", ALL_RETRIEVED),
    ("RetrievalRecall", "retrieval_recall"): ("recall@{k}", ALL_FOUND),
    ("RetrievalHitRate", "retrieval_hit_rate"): (BY_HITS, f"hit_rate{AT_END}"),
    ("RetrievalFallOut", "retrieval_fall_out"): (
        "neg_fallout@{k}(zero_division=1)",
        f"neg_fallout{AT_END}(zero_division=1)",
    ),
}
for _names in TORCHMETRICS:
    _above, _whole = TORCHMETRICS[_names]
    for _name in _names:
        ELSEWHERE |= {f"{_name}{way}": {"torchmetrics": _above} for way in ("(top_k={k})", "@{k}")}
        ELSEWHERE[_name] = {"torchmetrics": _whole}
for _name in ("RetrievalRPrecision", "retrieval_r_precision"):
    ELSEWHERE[_name] = {"torchmetrics": "r_precision"}
for _name in ("RetrievalAUROC", "retrieval_auroc"):
    ELSEWHERE[_name] = {"torchmetrics": "group_auc(zero_division=0)"}


def _without_top(theirs: str, ours: str) -> tuple[str, str]:
    """Return what a name of CatBoost is without its cutoff, of whole lists."""
    theirs = re.sub("[:;]top={k}$", "", theirs.replace("top={k};", ""))
    if ours.startswith(("precision", "recall")):
        return theirs, ours.replace("@{k}", AT_END).replace("k={k}", "k=10**6")
    return theirs, ours.replace("@{k}", "").replace("k={k}, ", "")


for _theirs in [theirs for theirs in ELSEWHERE if "top={k}" in theirs]:
    _bare, _ours = _without_top(_theirs, ELSEWHERE[_theirs]["CatBoost"])
    ELSEWHERE.setdefault(_bare, {"CatBoost": _ours})  # some mean more than that
