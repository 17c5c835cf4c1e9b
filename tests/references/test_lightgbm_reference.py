"""Values that other systems reported for LightGBM's example data, under the definition of each system."""

import re
from functools import cache
from inspect import signature

import numpy as np
import pytest
from sklearn.metrics import (
    average_precision_score,
    coverage_error,
    label_ranking_average_precision_score,
    label_ranking_loss,
)

from sklearn_rank import group_score
from sklearn_rank.metrics import interpolated_precision_curve
from tests.helpers import presets
from tests.helpers.reference_data import needs_reference, read_columns, read_json
from tests.helpers.table import METRICS

pytestmark = needs_reference
FOLDER = "lightgbm_lambdarank"
EXPECTED = read_json(f"{FOLDER}/expected.json").get("results", [])

# Our name and options for each pattern of a system's metric name. `(?P<k>...)` is the cutoff.
K = r"(?P<k>\d+)"
TREC, LIGHTGBM, XGBOOST, CATBOOST = (
    presets.TREC_EVAL,
    presets.LIGHTGBM,
    presets.XGBOOST,
    presets.CATBOOST,
)
RELEVANT = {label: float(label > 0) for label in range(5)}


def of_one_row(metric):
    """Make a metric of rows of labels one of a single query."""
    return lambda y_true, y_score: metric([y_true], [y_score])


def loss_of_two_classes(y_true, y_score):
    return of_one_row(label_ranking_loss)(y_true, y_score) if 0 < y_true.mean() < 1 else np.nan


def interpolated_precision(y_true, y_score, min_relevance=1, **options):
    return interpolated_precision_curve(y_true, y_score, min_relevance=min_relevance, **options)[1]


def group(y_true, y_score, score_func, **options):
    return group_score(score_func, y_true, y_score, **options)


DEFINITIONS = {
    "trec_eval": {
        "map": ("map", TREC["map"]),
        f"map_cut_{K}": ("map", TREC["map"]),
        "Rprec": ("r_precision", TREC["r_precision"]),
        "recip_rank": ("mrr", TREC["mrr"]),
        f"P_{K}": ("precision", TREC["precision"]),
        f"recall_{K}": ("recall", TREC["recall"]),
        f"success_{K}": ("hit_rate", TREC["hit_rate"]),
        f"ndcg(_cut_{K})?": ("ndcg", TREC["ndcg"]),
        "bpref": ("bpref", TREC["bpref"]),
        "infAP": ("infap", {"ties": "order"}),
        "11pt_avg": ("interpolated_precision", {"ties": "order"}),
        "iprec_at_recall_0.00": ("interpolated_precision", {"ties": "order", "recall_levels": [0]}),
    },
    "ir_measures": {
        f"AP(@{K})?": ("map", TREC["map"]),
        "Rprec": ("r_precision", TREC["r_precision"]),
        f"RR(@{K})?": ("mrr", TREC["mrr"]),
        f"P@{K}": ("precision", TREC["precision"]),
        rf"R(\(judged_only=True\))?@{K}": ("recall", TREC["recall"]),  # all documents are judged
        f"Success@{K}": ("hit_rate", TREC["hit_rate"]),
        f"nDCG(@{K})?": ("ndcg", TREC["ndcg"]),
        # its provider, gdeval, rounds each query to five digits before averaging
        rf"nDCG\(dcg='exp-log2'\)@{K}": ("ndcg", {**TREC["ndcg"], "gain": "exponential", "digits": 5}),
        "Bpref": ("bpref", TREC["bpref"]),
        f"Judged@{K}": ("judged", {"ties": "order"}),
    },
    "scipy": {
        "kendall_tau_b": ("kendall_tau", {}),
        "spearman": ("spearman", {}),
    },
    "sklearn": {
        rf"dcg_linear@({K}|all)": ("dcg", {}),
        rf"ndcg_linear(_ignore_ties)?@({K}|all)": ("ndcg", {}),
        rf"ndcg_exp@({K}|all)": ("ndcg", {"gain": "exponential"}),
        "roc_auc": ("group_auc", {}),
        "roc_auc_pooled": ("group_auc", {"pooled": True}),
        "average_precision": ("group", {"score_func": average_precision_score}),
        "lrap": ("group", {"score_func": of_one_row(label_ranking_average_precision_score)}),
        "coverage_error": ("group", {"score_func": of_one_row(coverage_error)}),
        "label_ranking_loss": ("group", {"score_func": loss_of_two_classes}),
    },
    "lightgbm": {
        f"ndcg@{K}": ("ndcg", LIGHTGBM["ndcg"]),
        f"map@{K}": ("map", LIGHTGBM["map"]),
    },
    "xgboost": {  # the default cutoff is 32; each row has its gain
        f"ndcg(@{K})?": ("ndcg", {**XGBOOST["ndcg"], "gain": "linear", "k": 32}),
        f"ndcg(@{K})?-": ("ndcg", {**XGBOOST["ndcg"], "gain": "linear", "k": 32, "zero_division": 0.0}),
        f"map(@{K})?": ("map", {**XGBOOST["map"], "k": 32}),
        f"map(@{K})?-": ("map", {**XGBOOST["map"], "k": 32, "zero_division": 0.0}),
        f"pre@{K}": ("precision", XGBOOST["precision"]),
    },
    "catboost": {
        f"NDCG:(top={K};)?type=Base;denominator=LogPosition": ("ndcg", CATBOOST["ndcg"]),
        f"NDCG:(top={K};)?type=Base;denominator=Position": (
            "ndcg",
            {**CATBOOST["ndcg"], "discount": "reciprocal"},
        ),
        f"NDCG:(top={K};)?type=Exp;denominator=LogPosition": (
            "ndcg",
            {**CATBOOST["ndcg"], "gain": "exponential"},
        ),
        f"NDCG:(top={K};)?type=Exp;denominator=Position": (
            "ndcg",
            {**CATBOOST["ndcg"], "gain": "exponential", "discount": "reciprocal"},
        ),
        f"DCG:(top={K};)?type=Base;denominator=LogPosition": ("dcg", CATBOOST["dcg"]),
        f"DCG:(top={K};)?type=Base;denominator=Position": (
            "dcg",
            {**CATBOOST["dcg"], "discount": "reciprocal"},
        ),
        f"DCG:(top={K};)?type=Exp;denominator=LogPosition": (
            "dcg",
            {**CATBOOST["dcg"], "gain": "exponential"},
        ),
        f"DCG:(top={K};)?type=Exp;denominator=Position": (
            "dcg",
            {**CATBOOST["dcg"], "gain": "exponential", "discount": "reciprocal"},
        ),
        f"PrecisionAt(:top={K})?": ("precision", {**CATBOOST["precision"], "unweighted": True}),
        f"RecallAt(:top={K})?": ("recall", {**CATBOOST["recall"], "unweighted": True}),
        f"MAP(:top={K})?": ("map", {**CATBOOST["map"], "unweighted": True}),
        f"MRR(:top={K})?": ("mrr", CATBOOST["mrr"]),
        f"ERR(:top={K})?": ("err", CATBOOST["err"]),
        f"PFound:(top={K};)?decay=0.85": ("err", {**CATBOOST["pfound"], "by_grade": True}),
        "AverageGain:top=5": ("dcg", {**CATBOOST["dcg"], "k": 5, "discount": None, "scale": 1 / 5}),
        "QueryAUC:type=Classic": ("group_auc", {**CATBOOST["group_auc"], "unweighted": True}),
        "QueryAUC:type=Ranking": ("pairwise_accuracy", CATBOOST["pairwise_accuracy"]),
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
        f"hits(@{K})?": ("dcg", {"gain": RELEVANT, "discount": None}),
        # uses grades: 0.05 times the gain, discounted by 0.95 per rank
        "rbp.95": ("dcg", {"discount": lambda rank: 0.95 ** (rank - 1), "scale": 0.05}),
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
        # All-relevant queries have value 0 under every policy; every query has a relevant document.
        "auroc": ("group_auc", {"zero_division": 0.0}),
        "fallout": ("fallout_loss", {}),
    },
}
NOT_COVERED = {  # with the relevance level
    (
        "trec_eval",
        "11pt_avg",
        2,
    ): "0.7 * 3 + 0.9 is just below 3: at recall .7 it takes 2 of 3 documents",
    ("catboost", "QueryRMSE", None): "an error of the scores, pooled over queries, and not of their order",
}
POLICIES = {"neg": 0.0, "pos": 1.0, "skip": np.nan}


OF_THE_TEST = ("unweighted", "pooled", "digits", "by_grade", "scale")
FUNCTIONS = {stem: entry.function for stem, entry in METRICS.items()} | {
    "group": group,
    "interpolated_precision": interpolated_precision,
}


def define(row):
    """Find our name and options for a row of the table; None where no definition matches."""
    for pattern, (stem, options) in DEFINITIONS.get(row["system"], {}).items():
        match = re.fullmatch(pattern, row["metric"])
        if match:
            cutoff = match.groupdict().get("k")
            return stem, {**options, **({"k": int(cutoff)} if cutoff else {})}
    return None


def key_of(row):
    return row["system"], row["metric"], row.get("relevance_level")


USABLE = [row for row in EXPECTED if row.get("usable") is not False and row["value"] is not None]
COVERED = [row for row in USABLE if key_of(row) not in NOT_COVERED]


@cache
def read_rows():
    return read_columns(f"{FOLDER}/flat.csv")


def compute(row):
    stem, options = define(row)
    data = read_rows()
    y_true, y_score, groups = data["label"], data[row["score"]], data["qid"]
    if options.get("by_grade"):
        y_true = y_true / y_true.max()
    if row.get("label") == "binary":
        y_true = (y_true >= 1).astype(float)
    if row.get("gain") == "exp" and stem == "ndcg":
        options["gain"] = "exponential"
    if "relevance_level" in row and "min_relevance" in signature(FUNCTIONS[stem]).parameters:
        options["min_relevance"] = row["relevance_level"]
    if row.get("params"):
        cutoff = row["params"].get("top_k")
        options.update({"k": cutoff} if cutoff else {})
        if stem != "group_auc":
            options["zero_division"] = POLICIES[row["params"]["empty_target_action"]]
    if stem in METRICS and METRICS[stem].cutoff == "required" and "k" not in options:  # the whole list
        options |= {"k": len(y_true)} | ({"adaptive_k": True} if stem == "precision" else {})
    weights = None
    if row.get("query_weights") and not options.get("unweighted"):
        weights = 1.0 + (np.unique(groups, return_inverse=True)[1] % 3)
    if options.get("pooled"):
        groups = np.zeros_like(groups)
    if row.get("tie") == "later row first" or row["system"] == "ir_measures":
        y_true, y_score, groups = y_true[::-1], y_score[::-1], groups[::-1]
    digits, scale = options.get("digits"), options.get("scale", 1)
    options = {name: value for name, value in options.items() if name not in OF_THE_TEST}
    function = FUNCTIONS[stem]
    if digits:
        return function(y_true, y_score, groups=groups, average=None, **options).round(digits).mean()
    value = function(y_true, y_score, groups=groups, sample_weight=weights, **options)
    return float(np.mean(value)) * scale


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:.*no query has more documents:sklearn_rank.RankingWarning")
@pytest.mark.parametrize("row", COVERED, ids=lambda row: f"{row['system']}-{row['metric']}-{row['score']}")
def test_metric_matches_value_of_another_system(row):
    assert compute(row) == pytest.approx(row["value"], abs=row.get("atol", 1e-9))


def test_reference_values_are_all_covered_or_listed():
    assert {key_of(row) for row in USABLE} >= set(NOT_COVERED)
    assert [row for row in COVERED if define(row) is None] == []
