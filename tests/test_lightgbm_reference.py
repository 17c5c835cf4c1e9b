"""Every value that other systems printed for LightGBM's example data, under the definition each names."""

import re
from functools import cache

import numpy as np
import pytest
from shared import needs_reference, read_columns, read_json

from sklearn_rank.metrics import METRICS

pytestmark = needs_reference
FOLDER = "lightgbm_lambdarank"
EXPECTED = read_json(f"{FOLDER}/expected.json").get("results", [])

# Each pattern of a metric's name, per system: our name and options. `(?P<k>...)` becomes the cutoff.
K = r"(?P<k>\d+)"
TREC = {"ties": "order"}
LIGHTGBM = {"ties": "order", "zero_division": 1.0}
CATBOOST = {"ties": "worst"}
DEFINITIONS = {
    "trec_eval": {
        "map": ("map", TREC),
        f"map_cut_{K}": ("map", {**TREC, "denominator": "relevant"}),
        "Rprec": ("r_precision", TREC),
        "recip_rank": ("mrr", TREC),
        f"P_{K}": ("precision", TREC),
        f"recall_{K}": ("recall", TREC),
        f"success_{K}": ("hit_rate", TREC),
        f"ndcg(_cut_{K})?": ("ndcg", TREC),
    },
    "ir_measures": {
        f"AP(@{K})?": ("map", {**TREC, "denominator": "relevant"}),
        "Rprec": ("r_precision", TREC),
        f"RR(@{K})?": ("mrr", TREC),
        f"P@{K}": ("precision", TREC),
        rf"R(\(judged_only=True\))?@{K}": ("recall", TREC),  # all documents are judged
        f"Success@{K}": ("hit_rate", TREC),
        f"nDCG(@{K})?": ("ndcg", TREC),
        # its provider, gdeval, prints five digits per query before the mean is taken
        rf"nDCG\(dcg='exp-log2'\)@{K}": ("ndcg", {**TREC, "gain": "exponential", "digits": 5}),
    },
    "sklearn": {
        rf"dcg_linear@({K}|all)": ("dcg", {}),
        rf"ndcg_linear(_ignore_ties)?@({K}|all)": ("ndcg", {}),
        rf"ndcg_exp@({K}|all)": ("ndcg", {"gain": "exponential"}),
        "roc_auc": ("group_auc", {}),
        "roc_auc_pooled": ("group_auc", {"pooled": True}),
    },
    "lightgbm": {
        f"ndcg@{K}": ("ndcg", {**LIGHTGBM, "gain": "exponential"}),
        f"map@{K}": ("map", LIGHTGBM),
    },
    "xgboost": {  # without a cutoff it means 32
        f"ndcg(@{K})?": ("ndcg", {**LIGHTGBM, "k": 32}),
        f"ndcg(@{K})?-": ("ndcg", {"ties": "order", "k": 32}),
        f"map(@{K})?": ("map", {**LIGHTGBM, "k": 32}),
        f"map(@{K})?-": ("map", {"ties": "order", "k": 32}),
        f"pre@{K}": ("precision", {"ties": "order", "adaptive_k": True}),
    },
    "catboost": {
        f"NDCG:(top={K};)?type=Base;denominator=LogPosition": ("ndcg", {**CATBOOST, "zero_division": 1.0}),
        f"NDCG:(top={K};)?type=Base;denominator=Position": (
            "ndcg",
            {**CATBOOST, "zero_division": 1.0, "discount": "reciprocal"},
        ),
        f"NDCG:(top={K};)?type=Exp;denominator=LogPosition": (
            "ndcg",
            {**CATBOOST, "zero_division": 1.0, "gain": "exponential"},
        ),
        f"NDCG:(top={K};)?type=Exp;denominator=Position": (
            "ndcg",
            {**CATBOOST, "zero_division": 1.0, "gain": "exponential", "discount": "reciprocal"},
        ),
        f"DCG:(top={K};)?type=Base;denominator=LogPosition": ("dcg", CATBOOST),
        f"DCG:(top={K};)?type=Base;denominator=Position": ("dcg", {**CATBOOST, "discount": "reciprocal"}),
        f"DCG:(top={K};)?type=Exp;denominator=LogPosition": ("dcg", {**CATBOOST, "gain": "exponential"}),
        f"DCG:(top={K};)?type=Exp;denominator=Position": (
            "dcg",
            {**CATBOOST, "gain": "exponential", "discount": "reciprocal"},
        ),
        f"PrecisionAt(:top={K})?": ("precision", {**CATBOOST, "adaptive_k": True, "unweighted": True}),
        f"RecallAt(:top={K})?": ("recall", {**CATBOOST, "zero_division": 1.0, "unweighted": True}),
        f"MAP(:top={K})?": ("map", {**CATBOOST, "unweighted": True}),
        f"MRR(:top={K})?": ("mrr", CATBOOST),
        "QueryAUC:type=Classic": ("group_auc", {"zero_division": 0.0, "unweighted": True}),
        "AUC:type=Classic": ("group_auc", {"pooled": True}),
    },
    "ranx": {
        f"map(@{K})?": ("map", {"denominator": "relevant"}),
        f"mrr(@{K})?": ("mrr", {}),
        f"precision@{K}": ("precision", {}),
        f"recall@{K}": ("recall", {}),
        f"f1@{K}": ("f1", {}),
        f"hit_rate@{K}": ("hit_rate", {}),
        "r-precision": ("r_precision", {}),
        f"ndcg(@{K})?": ("ndcg", {}),
        f"ndcg_burges(@{K})?": ("ndcg", {"gain": "exponential"}),
        f"dcg@{K}": ("dcg", {}),
        f"dcg_burges@{K}": ("dcg", {"gain": "exponential"}),
    },
    "torchmetrics": {
        "ndcg": ("ndcg", {}),
        "map": ("map", {"denominator": "hits"}),
        "mrr": ("mrr", {}),
        "precision": ("precision", {}),
        "precision_adaptive": ("precision", {"adaptive_k": True}),
        "recall": ("recall", {}),
        "hit_rate": ("hit_rate", {}),
        "r_precision": ("r_precision", {}),
        # All-relevant queries count 0 under every policy, and no query here is without a relevant document.
        "auroc": ("group_auc", {"zero_division": 0.0}),
    },
}
NOT_COVERED = {  # measures that the package does not have
    "11pt_avg bpref infAP Bpref iprec_at_recall_0.00 Judged@10 fallout rbp.95 hits hits@5",
    "kendall_tau_b spearman average_precision lrap coverage_error label_ranking_loss aucpr",
    "QueryAUC:type=Ranking AverageGain:top=5 QueryRMSE",
    "ERR ERR:top=1 ERR:top=3 ERR:top=5 ERR:top=10",
    "PFound:decay=0.85 " + " ".join(f"PFound:top={k};decay=0.85" for k in (1, 3, 5, 10)),
}
POLICIES = {"neg": 0.0, "pos": 1.0, "skip": np.nan}


def define(row):
    """Find our name and options for a row of the table; None where no definition matches."""
    for pattern, (stem, options) in DEFINITIONS.get(row["system"], {}).items():
        match = re.fullmatch(pattern, row["metric"])
        if match:
            cutoff = match.groupdict().get("k")
            return stem, {**options, **({"k": int(cutoff)} if cutoff else {})}
    return None


USABLE = [row for row in EXPECTED if row.get("usable") is not False]
COVERED = [row for row in USABLE if define(row) is not None]


@cache
def read_rows():
    return read_columns(f"{FOLDER}/flat.csv")


def compute(row):
    stem, options = define(row)
    data = read_rows()
    y_true, y_score, groups = data["label"], data[row["score"]], data["qid"]
    if row.get("label") == "binary":
        y_true = (y_true >= 1).astype(float)
    if row.get("gain") == "exp" and stem == "ndcg":
        options["gain"] = "exponential"
    if "relevance_level" in row and not METRICS[stem].graded:
        options["min_relevance"] = row["relevance_level"]
    if row.get("params"):
        cutoff = row["params"].get("top_k")
        options.update({"k": cutoff} if cutoff else {})
        if stem != "group_auc":
            options["zero_division"] = POLICIES[row["params"]["empty_target_action"]]
    weights = None
    if row.get("query_weights") and not options.get("unweighted"):
        weights = 1.0 + (np.unique(groups, return_inverse=True)[1] % 3)
    if options.get("pooled"):
        groups = np.zeros_like(groups)
    if row.get("tie") == "later row first" or row["system"] == "ir_measures":
        y_true, y_score, groups = y_true[::-1], y_score[::-1], groups[::-1]
    digits = options.get("digits")
    options = {
        name: value for name, value in options.items() if name not in ("unweighted", "pooled", "digits")
    }
    function = METRICS[stem].function
    if digits:
        return function(y_true, y_score, groups=groups, average=None, **options).round(digits).mean()
    return function(y_true, y_score, groups=groups, sample_weight=weights, **options)


@pytest.mark.parametrize("row", COVERED, ids=lambda row: f"{row['system']}-{row['metric']}-{row['score']}")
def test_value_of_another_system(row):
    assert compute(row) == pytest.approx(row["value"], abs=row.get("atol", 1e-9))


def test_every_usable_value_is_covered_or_named():
    named = " ".join(NOT_COVERED).split()
    left_over = {(row["system"], row["metric"]) for row in USABLE if define(row) is None}
    assert [row for row in sorted(left_over) if row[1] not in named] == []
