"""The metrics of queries of CatBoost, LightGBM and XGBoost."""

from ... import conventions
from ..._checks.types import Options
from . import formulas
from .formulas import Curve
from .library_table import (
    CUT_FIRST,
    NOT_OF_QUERIES,
    NOTHING,
    SIGNED,
    WHOLE,
    WITH_COLON,
    Library,
    NoEquivalentError,
    Row,
    cut_at,
    ignore,
    read_flag,
    relevant_above,
)


def _read_decay(number: str) -> Options:
    if not 0 <= float(number) <= 1:
        raise NoEquivalentError("no rank is looked at more than the one before it")
    p = float(number)
    return {"discount": Curve(f"lambda rank: {p!r} ** (rank - 1)", lambda rank: p ** (rank - 1))}


def _read_use_weights(word: str) -> Options:
    if not read_flag(word):
        raise NoEquivalentError("weights are left out by giving no sample_weight")
    return {}


FREE = ("top", "hints", "use_weights", "proba_border")  # what all of them take
OF_GAINS = (*FREE, "type", "denominator")
OF_CLASSES = (*FREE, "border")
OF_PAIRS = 'it is of pairs of documents that are given; "pairwise_accuracy" is of all pairs of a query'
OF_TRAINING = "it is minimised in training and no metric of a ranking"
BY_CATBOOST = conventions.CATBOOST
AVERAGE_GAIN = Row(formulas.mean_label, cutoff="required", takes=FREE)

ROWS = {
    "DCG": Row("dcg", {**BY_CATBOOST["dcg"]}, "optional", takes=OF_GAINS),
    "NDCG": Row("ndcg", {**BY_CATBOOST["ndcg"]}, "optional", takes=OF_GAINS),
    "MAP": Row("map", {**BY_CATBOOST["map"]}, "optional", takes=OF_CLASSES),
    "MRR": Row("mrr", {**BY_CATBOOST["mrr"]}, "optional", takes=OF_CLASSES),
    "PrecisionAt": Row("precision", {**BY_CATBOOST["precision"]}, "optional", WHOLE, OF_CLASSES),
    "RecallAt": Row("recall", {**BY_CATBOOST["recall"]}, "optional", WHOLE, OF_CLASSES),
    "ERR": Row("err", {**BY_CATBOOST["err"]}, "optional", takes=FREE),
    "PFound": Row("err", {**BY_CATBOOST["pfound"]}, "optional", takes=(*FREE, "decay")),
    "AverageGain": AVERAGE_GAIN,
    "QueryAverage": AVERAGE_GAIN,
    "QueryAUC": Row(
        "pairwise_accuracy",
        {"ties": "average", **BY_CATBOOST["pairwise_accuracy"]},
        takes=("hints", "use_weights", "proba_border", "type"),
        params={"type": {"Classic": NOTHING, "Ranking": NOTHING}.__getitem__},
    ),
}

CATBOOST = Library(
    "CatBoost",
    "1.2.10",
    WITH_COLON,
    "{stem}:top={k}",
    ROWS,
    without={
        "FilteredDCG": "it takes the documents with scores above 0 in the order of the rows, without a sort",
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
        "Equal scores stand in the worst order. Labels are held in float32.",
        "Relevant are labels above the border, which is 0.5 unless given.",
        "A query without a relevant document counts 1 in NDCG and RecallAt, and 0 elsewhere.",
        "ERR and PFound take labels in [0, 1], the probabilities that a document ends the search.",
        "QueryAUC:type=Classic, which is the default, takes labels 0 and 1, of which the AUC is the share of "
        "pairs in the right order; type=Ranking takes grades.",
        "CatBoost ignores query weights in MAP, PrecisionAt, RecallAt and QueryAUC, which is an error. These "
        "names use them.",
    ),
)


def _read_gains(numbers: str) -> Options:
    """Read a table of gains by grade, such as [0,1,3,8,20]."""
    return {"gain": tuple(float(number) for number in numbers.strip("[]").split(","))}


LIGHTGBM_NDCG = Row("ndcg", {**conventions.LIGHTGBM["ndcg"]}, "required", takes=("label_gain",))
LIGHTGBM_MAP = Row("map", {**conventions.LIGHTGBM["map"]}, "required")

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
        "auc": f'{NOT_OF_QUERIES}; "group_auc" is that of each query',
        "average_precision": f'{NOT_OF_QUERIES}; "map" is that of each query',
        **dict.fromkeys(
            ["binary_logloss", "binary_error", "cross_entropy", "l1", "l2", "rmse"], NOT_OF_QUERIES
        ),
    },
    convention={"ties": "order", **relevant_above("0.5")},
    params={"label_gain": _read_gains},
    notes=(
        "A name has one cutoff. LightGBM itself reports 1 to 5 unless eval_at says otherwise.",
        "NDCG takes integer labels, up to 30 unless label_gain has more gains. For map labels above 0.5 are "
        "relevant.",
        "With query weights LightGBM adds the 1 of a query without a relevant document to NDCG without its "
        "weight, which is an error. This name weighs it like any other.",
        "Queries without a relevant document count 1. Equal scores stand in the order of the rows.",
    ),
)

XGBOOST = Library(
    "XGBoost",
    "3.2.0",
    SIGNED,
    "{stem}@{k}",
    {
        "ndcg": Row("ndcg", {**conventions.XGBOOST["ndcg"]}, "optional", 32, ("minus", "ndcg_exp_gain")),
        "map": Row("map", {**conventions.XGBOOST["map"]}, "optional", 32, ("minus",)),
        "pre": Row("precision", {**conventions.XGBOOST["precision"]}, "optional", 32, ("minus",)),
        "auc": Row("pairwise_accuracy", {"ties": "average"}),
    },
    without={
        "aucpr": 'there is no area under the curve of precision and recall here; "map" is near it',
        **dict.fromkeys(["ams", "error", "logloss", "mae", "mape", "rmse", "rmsle"], NOT_OF_QUERIES),
    },
    convention={"ties": "order"},
    params={
        "minus": lambda sign: {"zero_division": 0.0},
        "ndcg_exp_gain": lambda word: {"gain": "exponential" if read_flag(word) else "linear"},
    },
    held="float32",
    notes=(
        "No cutoff means 32. A minus behind the name, as in ndcg@5-, counts queries without a relevant "
        "document 0, which are 1 otherwise.",
        "map and pre take labels 0 and 1, NDCG integer labels up to 31. Equal scores stand in the order of "
        "the rows.",
        "With query weights XGBoost adds the 1 of a query without a relevant document to NDCG without its "
        "weight, which is an error. This name weighs it like any other.",
        "XGBoost's auc counts pairs of equal labels, by the order of the rows, which is an error, and leaves "
        "out queries of one or two documents. This name counts pairs of different labels, in all queries "
        "that have one: of two classes that is the AUC of each query.",
    ),
)
