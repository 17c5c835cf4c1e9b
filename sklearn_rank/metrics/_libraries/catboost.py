"""CatBoost's metrics of queries."""

from typing import Any

from ... import conventions
from .gains import Curve
from .table import (
    NOT_OF_QUERIES,
    NOTHING,
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


def _read_top(number: str) -> dict[str, Any]:
    """Read a cutoff; -1 is none."""
    return {} if int(number) == -1 else cut_at(number)


def _read_decay(number: str) -> dict[str, Any]:
    if not 0 <= float(number) <= 1:
        raise NoEquivalentError("no rank is looked at more than the one before it")
    p = float(number)
    return {"discount": Curve(f"lambda rank: {p!r} ** (rank - 1)", lambda rank: p ** (rank - 1))}


def _read_use_weights(word: str) -> dict[str, Any]:
    if not read_flag(word):
        raise NoEquivalentError("weights are left out by giving no sample_weight")
    return {}


FREE = ("top", "hints", "use_weights", "proba_border")  # what all of them take
OF_GAINS = (*FREE, "type", "denominator")
OF_CLASSES = (*FREE, "border")
OF_PAIRS = 'it is of pairs of documents that are given; "pairwise_accuracy" is of all pairs of a query'
OF_TRAINING = "it is minimised in training and no metric of a ranking"
BY_CATBOOST = conventions.CATBOOST
AVERAGE_GAIN = Row("mean_label", cutoff="required", takes=FREE)

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
        "top": _read_top,
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
