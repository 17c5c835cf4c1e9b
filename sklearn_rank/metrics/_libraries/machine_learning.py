"""Libraries of machine learning: CatBoost, LightGBM, XGBoost, scikit-learn and torchmetrics."""

import re

import numpy as np

from ..._checks.types import Options
from . import formulas
from .formulas import name_curve
from .library_table import (
    ALL_RETRIEVED,
    CUT_FIRST,
    NEEDED,
    NOT_OF_QUERIES,
    NOTHING,
    SIGNED,
    WITH_COLON,
    Library,
    NoEquivalentError,
    Row,
    cut_at,
    ignore,
    read_flag,
    read_share,
    relevant_above,
)


def _read_decay(number: str) -> Options:
    if not 0 <= float(number) <= 1:
        raise NoEquivalentError("The decay must be between 0 and 1.")
    p = float(number)
    return {"discount": name_curve(f"lambda rank: {p!r} ** (rank - 1)", lambda rank: p ** (rank - 1))}


def _read_use_weights(word: str) -> Options:
    if not read_flag(word):
        raise NoEquivalentError("To ignore weights, do not pass sample_weight.")
    return {}


FREE = ("top", "hints", "use_weights", "proba_border")  # parameters of all its metrics
OF_GAINS = (*FREE, "type", "denominator")
WITH_BORDER = (*FREE, "border")
OF_PAIRS = 'it uses given pairs of documents; "pairwise_accuracy" uses all pairs of a query'
OF_TRAINING = "it is a training loss, not a ranking metric"
PROBABILITIES = {"gain": "linear", "max_grade": 1}  # labels in [0, 1] are probabilities
AVERAGE_GAIN = Row(formulas.mean_label, cutoff="required", takes=FREE)

CATBOOST_ROWS = {
    "DCG": Row("dcg", cutoff="optional", takes=OF_GAINS),
    "NDCG": Row("ndcg", {"zero_division": 1.0}, "optional", takes=OF_GAINS),
    "MAP": Row("map", cutoff="optional", takes=WITH_BORDER),
    "MRR": Row("mrr", cutoff="optional", takes=WITH_BORDER),
    "PrecisionAt": Row("precision", {"adaptive_k": True}, "optional", takes=WITH_BORDER),
    "RecallAt": Row("recall", {"zero_division": 1.0}, "optional", takes=WITH_BORDER),
    "ERR": Row("err", PROBABILITIES, "optional", takes=FREE),
    "PFound": Row("err", {**PROBABILITIES, **_read_decay("0.85")}, "optional", takes=(*FREE, "decay")),
    "AverageGain": AVERAGE_GAIN,
    "QueryAverage": AVERAGE_GAIN,
    "QueryAUC": Row(
        "pairwise_accuracy",
        {"ties": "average", "zero_division": 0.0},
        takes=("hints", "use_weights", "proba_border", "type"),
        params={"type": {"Classic": NOTHING, "Ranking": NOTHING}.__getitem__},
    ),
}

CATBOOST = Library(
    "CatBoost",
    "1.2.10",
    WITH_COLON,
    "{stem}:top={k}",
    CATBOOST_ROWS,
    without={
        "FilteredDCG": "it keeps the documents with scores above 0 in row order, without sorting them",
        "PairAccuracy": OF_PAIRS,
        **dict.fromkeys(["AUC", "NormalizedGini", "Logloss", "RMSE", "MAE"], NOT_OF_QUERIES),
        **dict.fromkeys(
            ["PairLogit", "PairLogitPairwise", "QueryCrossEntropy", "QueryRMSE", "QuerySoftMax"]
            + ["YetiRank", "YetiRankPairwise", "LambdaMart", "StochasticFilter", "StochasticRank"],
            OF_TRAINING,
        ),
    },
    convention={"ties": "worst", **relevant_above("0.5")},
    params={
        "top": lambda number: {} if int(number) == -1 else cut_at(number),
        "type": {"Base": {"gain": "linear"}, "Exp": {"gain": "exponential"}}.__getitem__,
        "denominator": {
            "LogPosition": {"discount": "log2"},
            "Position": {"discount": "reciprocal"},
        }.__getitem__,
        "border": relevant_above,
        "decay": _read_decay,
        "hints": ignore,
        "proba_border": ignore,
        "use_weights": _read_use_weights,
    },
    notes=(
        "Documents with tied scores are ranked in the worst order. CatBoost stores labels in float32.",
        "Labels above the border (0.5 by default) are relevant.",
        "Queries without a relevant document count as 1 in NDCG and RecallAt, and as 0 in other metrics.",
        "ERR, PFound: Labels are between 0 and 1, the probability that the document ends the search.",
        "QueryAUC: type=Classic, the default, requires labels 0 and 1; type=Ranking accepts grades. The AUC "
        "is the share of pairs in the right order.",
        "MAP, PrecisionAt, RecallAt, QueryAUC: CatBoost ignores query weights, which is a bug. These names "
        "use the weights.",
    ),
)


def _read_gains(numbers: str) -> Options:
    """Read a table of gains by grade, such as [0,1,3,8,20]."""
    return {"gain": tuple(float(number) for number in numbers.strip("[]").split(","))}


NONE_IS_PERFECT = {"zero_division": 1.0}
GAINS_GROW = {**NONE_IS_PERFECT, "gain": "exponential"}
LIGHTGBM_NDCG = Row("ndcg", GAINS_GROW, "required", takes=("label_gain",))
LIGHTGBM_MAP = Row("map", NONE_IS_PERFECT, "required")

LIGHTGBM = Library(
    "LightGBM",
    "4.7.0",
    CUT_FIRST,
    "{stem}@{k}",
    {
        "ndcg": LIGHTGBM_NDCG,
        "map": LIGHTGBM_MAP,
        "mean_average_precision": LIGHTGBM_MAP,
        **dict.fromkeys(
            ["lambdarank", "rank_xendcg", "xendcg", "xe_ndcg", "xe_ndcg_mart", "xendcg_mart"], LIGHTGBM_NDCG
        ),
    },
    without={
        "auc": f'{NOT_OF_QUERIES}; "group_auc" is computed per query',
        "average_precision": f'{NOT_OF_QUERIES}; "map" is computed per query',
        **dict.fromkeys(
            ["binary_logloss", "binary_error", "cross_entropy", "l1", "l2", "rmse"], NOT_OF_QUERIES
        ),
    },
    convention={"ties": "order", **relevant_above("0.5")},
    params={"label_gain": _read_gains},
    notes=(
        "A name has one cutoff. LightGBM reports cutoffs 1 to 5 unless eval_at is set.",
        "map: Labels above 0.5 are relevant.",
        "ndcg: Labels are integers up to 30, unless label_gain has more gains. With query weights, LightGBM "
        "ignores the weight of queries without a relevant document, which is a bug. This name applies it.",
        "Queries without a relevant document count as 1. Documents with tied scores are ranked in row order.",
    ),
)

XGBOOST = Library(
    "XGBoost",
    "3.2.0",
    SIGNED,
    "{stem}@{k}",
    {
        "ndcg": Row("ndcg", GAINS_GROW, "optional", 32, ("minus", "ndcg_exp_gain")),
        "map": Row("map", NONE_IS_PERFECT, "optional", 32, ("minus",)),
        "pre": Row("precision", {"adaptive_k": True}, "optional", 32, ("minus",)),
        "auc": Row("pairwise_accuracy", {"ties": "average"}),
    },
    without={
        "aucpr": 'the area under the precision-recall curve is not implemented; "map" is similar',
        **dict.fromkeys(["ams", "error", "logloss", "mae", "mape", "rmse", "rmsle"], NOT_OF_QUERIES),
    },
    convention={"ties": "order"},
    params={
        "minus": lambda sign: {"zero_division": 0.0},
        "ndcg_exp_gain": lambda word: {"gain": "exponential" if read_flag(word) else "linear"},
    },
    scores="float32",
    notes=(
        "ndcg, map, pre: The default cutoff is 32. Documents with tied scores are ranked in row order.",
        "ndcg, map: Queries without a relevant document count as 1, or as 0 if the name ends with a minus, "
        "as in ndcg@5-.",
        "pre: Queries without a relevant document count as 0, with and without a minus.",
        "map, pre: Labels are 0 and 1.",
        "ndcg: Labels are integers up to 31. With query weights, XGBoost ignores the weight of queries "
        "without a relevant document, which count as 1. This is a bug. This name applies the weight.",
        "auc: XGBoost counts pairs of equal labels by row order, which is a bug, and excludes queries with "
        "one or two documents. This name counts pairs of different labels, in all queries that have one. So "
        "the values differ if labels are equal within a query.",
    ),
)


def _read_base(number: str) -> Options:
    if not 1 < float(number) < np.inf:
        raise NoEquivalentError("The base must be finite and above 1, because discounts are positive.")
    base = float(number)
    code = f"lambda rank: log({base!r}) / log(rank + 1)"
    curve = name_curve(code, lambda rank: np.log(base) / np.log(rank + 1))
    return {"discount": "log2" if base == 2 else curve}


def _read_ignore_ties(word: str) -> Options:
    if read_flag(word):
        raise NoEquivalentError("With ignore_ties=True, the order of tied scores is not defined.")
    return {}


def _read_max_fpr(number: str) -> Options:
    """Read the false positive rate up to which the area under the ROC curve counts."""
    if number == "None":
        return {"max_fpr": None}
    if not read_share(number):
        raise ValueError
    return {"max_fpr": float(number)}


NDCG = Row("ndcg", cutoff="optional", takes=("k", "ignore_ties"))
DCG = Row("dcg", cutoff="optional", takes=("k", "log_base", "ignore_ties"))
ROC_AUC = Row("group_auc")
PARTIAL = {"max_fpr": NEEDED, "zero_division": np.nan}
ONE_THRESHOLD = (
    "it uses one threshold for all tied documents; without ties, and with a relevant document in each query, "
    'it equals "map"; group_score computes it per query'
)
OF_CLASSES = "it compares predicted classes; for the top 10 of a ranking, use"

SKLEARN = Library(
    "scikit-learn",
    "1.9.1",
    CUT_FIRST,
    "{stem}@{k}",
    {
        "ndcg": NDCG,
        "ndcg_score": NDCG,
        "dcg": DCG,
        "dcg_score": DCG,
        "roc_auc": ROC_AUC,
        "roc_auc_score": ROC_AUC,
        **{
            f"{name}(max_fpr)": Row(
                formulas.partial_roc_area, PARTIAL, takes=("max_fpr",), example=f"{name}(max_fpr=0.1)"
            )
            for name in ("roc_auc", "roc_auc_score")
        },
        "label_ranking_average_precision_score": Row(
            formulas.label_ranking_precision, {"zero_division": 1.0}
        ),
        "coverage_error": Row(formulas.coverage_error),
        "label_ranking_loss": Row(formulas.label_ranking_loss),
    },
    without={
        **dict.fromkeys(["average_precision", "average_precision_score"], ONE_THRESHOLD),
        **dict.fromkeys(["top_k_accuracy", "top_k_accuracy_score"], "it compares classes, not rankings"),
        **dict.fromkeys(["precision", "precision_score"], f'{OF_CLASSES} "precision@10"'),
        **dict.fromkeys(["recall", "recall_score"], f'{OF_CLASSES} "recall@10"'),
        **dict.fromkeys(["f1", "f1_score"], f'{OF_CLASSES} "f1@10"'),
    },
    convention={},
    params={"k": cut_at, "log_base": _read_base, "ignore_ties": _read_ignore_ties, "max_fpr": _read_max_fpr},
    notes=(
        "Metrics are computed per query and averaged.",
        "roc_auc, roc_auc_score: scikit-learn's value for a whole data set is a single curve of all rows. "
        "Queries with a single class have no AUC and are excluded from its mean. For tied scores, the "
        "value is the mean over all orders. With max_fpr, ties are a straight part of the curve, as in "
        "scikit-learn; group_auc(max_fpr=0.1) is the mean over all orders.",
        "label_ranking_average_precision_score, label_ranking_loss, coverage_error: Tied documents are "
        "ranked in the worst order, and -inf is the lowest score.",
        "ndcg_score: scikit-learn rejects a query with one document. Here it counts as 1 if the document "
        "is relevant, and as 0 otherwise.",
    ),
)


TORCH_FORM = re.compile(r"(?P<stem>\w+)\s*(\((?P<params>[^()]*)\))?")
OF_CURVES = "it is computed from curves that are first averaged over queries"
EMPTY = ("empty_target_action", "aggregation", "ignore_index")


def _read_empty(word: str) -> Options:
    """Read the value of queries without a relevant document."""
    if word == "error":
        raise NoEquivalentError("For queries without a relevant document, write neg (0), pos (1) or skip.")
    return {"zero_division": {"neg": 0.0, "pos": 1.0, "skip": np.nan}[word]}


def _read_aggregation(word: str) -> Options:
    """Read how the values of queries are aggregated, which must be their mean."""
    if word in ("median", "min", "max"):
        raise NoEquivalentError(f"Pass average=None, and apply numpy.{word} to the values of the queries.")
    return {"mean": {}}[word]


def _read_ignored(label: str) -> Options:
    """Read the label of rows to exclude, which must be None."""
    if label != "None":
        raise NoEquivalentError("To exclude rows, set their labels to NaN and pass unjudged='drop'.")
    return {}


TORCH_ROWS = {
    "RetrievalMAP": Row("map", {"denominator": "hits"}, "optional", takes=EMPTY),
    "RetrievalMRR": Row("mrr", cutoff="optional", takes=EMPTY),
    "RetrievalPrecision": Row("precision", ALL_RETRIEVED, takes=EMPTY),
    "RetrievalPrecision@": Row(
        "precision", cutoff="required", takes=("adaptive_k", *EMPTY), example="RetrievalPrecision(top_k=10)"
    ),
    "RetrievalRecall": Row("recall", cutoff="optional", takes=EMPTY),
    "RetrievalHitRate": Row("hit_rate", cutoff="optional", takes=EMPTY),
    "RetrievalFallOut": Row("fallout_loss", {"zero_division": 1.0}, "optional", takes=EMPTY),
    "retrieval_fall_out": Row("fallout_loss", {"zero_division": 0.0}, "optional"),
    "RetrievalRPrecision": Row("r_precision", takes=EMPTY),
    "RetrievalNormalizedDCG": Row("ndcg", cutoff="optional", takes=EMPTY),
    "RetrievalAUROC": Row(formulas.roc_area, cutoff="optional", takes=("max_fpr", *EMPTY)),
}

TORCHMETRICS = Library(
    "torchmetrics",
    "1.9.0",
    TORCH_FORM,
    "{stem}(top_k={k})",
    TORCH_ROWS,
    without={
        **dict.fromkeys(["RetrievalPrecisionRecallCurve", "RetrievalRecallAtFixedPrecision"], OF_CURVES),
        "retrieval_precision_recall_curve": "it is a curve, not a number",
    },
    convention={},
    params={
        "empty_target_action": _read_empty,
        "aggregation": _read_aggregation,
        "ignore_index": _read_ignored,
        "adaptive_k": lambda word: {"adaptive_k": read_flag(word)},
        "max_fpr": _read_max_fpr,
    },
    scores="float32",
    also={
        "retrieval_average_precision": "RetrievalMAP",
        "retrieval_reciprocal_rank": "RetrievalMRR",
        "retrieval_precision": "RetrievalPrecision",
        "retrieval_recall": "RetrievalRecall",
        "retrieval_hit_rate": "RetrievalHitRate",
        "retrieval_r_precision": "RetrievalRPrecision",
        "retrieval_normalized_dcg": "RetrievalNormalizedDCG",
        "retrieval_auroc": "RetrievalAUROC",
    },
    cutoff="top_k",
    notes=(
        "For tied scores, the value is the mean over all orders. torchmetrics does the same in NDCG and in "
        "AUROC without top_k; in its other metrics, the order of tied scores is not defined.",
        "RetrievalMAP, RetrievalMRR, RetrievalPrecision, RetrievalRecall: torchmetrics treats documents "
        "with scores <= 0 as not retrieved, which is a bug.",
        "RetrievalAUROC: torchmetrics applies a sigmoid to scores outside [0, 1], which makes high scores "
        "equal in float32.",
        "Values are computed in float32. Except for NDCG, torchmetrics requires labels 0 and 1; here, "
        "labels of at least 1 are relevant.",
    ),
)
