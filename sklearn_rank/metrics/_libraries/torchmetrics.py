"""The retrieval metrics of torchmetrics, by the names of their classes and functions."""

import re
from math import nan

from ..._checks.types import Options
from . import formulas
from .library_table import ALL_RETRIEVED, WHOLE, Library, NoEquivalentError, Row, read_flag, read_share

FORM = re.compile(r"(?P<stem>\w+)\s*(\((?P<params>[^()]*)\))?")
OF_CURVES = "it is computed of curves that are averaged over queries first"
EMPTY = ("empty_target_action", "aggregation", "ignore_index")


def _read_empty(word: str) -> Options:
    """Read what a query counts without a relevant document."""
    if word == "error":
        raise NoEquivalentError("it asks for an error and not for a value")
    return {"zero_division": {"neg": 0.0, "pos": 1.0, "skip": nan}[word]}


def _read_aggregation(word: str) -> Options:
    """Read what is made of the values of queries: their mean."""
    if word in ("median", "min", "max"):
        why = "a score is a mean over queries; numpy has others, of the values with average=None"
        raise NoEquivalentError(why)
    return {"mean": {}}[word]


def _read_ignored(label: str) -> Options:
    """Read which label marks rows to leave out: none."""
    if label != "None":
        raise NoEquivalentError("rows to leave out have the label NaN, with unjudged='drop'")
    return {}


def _read_max_fpr(number: str) -> Options:
    """Read the rate up to which the area under the ROC curve counts."""
    if number == "None":
        return {"max_fpr": None}
    if not read_share(number):
        raise ValueError
    return {"max_fpr": float(number)}


ROWS = {
    "RetrievalMAP": Row("map", {"denominator": "hits"}, "optional", takes=EMPTY),
    "RetrievalMRR": Row("mrr", cutoff="optional", takes=EMPTY),
    "RetrievalPrecision": Row("precision", ALL_RETRIEVED, takes=EMPTY),
    "RetrievalPrecision@": Row(
        "precision", cutoff="required", takes=("adaptive_k", *EMPTY), example="RetrievalPrecision(top_k=10)"
    ),
    "RetrievalRecall": Row("recall", cutoff="optional", whole=WHOLE, takes=EMPTY),
    "RetrievalHitRate": Row("hit_rate", cutoff="optional", whole=WHOLE, takes=EMPTY),
    "RetrievalFallOut": Row("fallout", {"zero_division": 1.0}, "optional", whole=WHOLE, takes=EMPTY),
    "retrieval_fall_out": Row("fallout", {"zero_division": 0.0}, "optional", whole=WHOLE),
    "RetrievalRPrecision": Row("r_precision", takes=EMPTY),
    "RetrievalNormalizedDCG": Row("ndcg", cutoff="optional", takes=EMPTY),
    "RetrievalAUROC": Row(formulas.roc_area, cutoff="optional", takes=("max_fpr", *EMPTY)),
}

TORCHMETRICS = Library(
    "torchmetrics",
    "1.9.0",
    FORM,
    "{stem}(top_k={k})",
    ROWS,
    without={
        **dict.fromkeys(["RetrievalPrecisionRecallCurve", "RetrievalRecallAtFixedPrecision"], OF_CURVES),
        "retrieval_precision_recall_curve": "a curve is no number",
    },
    convention={},
    params={
        "empty_target_action": _read_empty,
        "aggregation": _read_aggregation,
        "ignore_index": _read_ignored,
        "adaptive_k": lambda word: {"adaptive_k": read_flag(word)},
        "max_fpr": _read_max_fpr,
    },
    held="float32",
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
        "Equal scores: NDCG and AUROC without top_k average over them, as here; in the others nothing fixes "
        "their order there, and here the mean over all orders counts.",
        "MAP, MRR, precision and recall take documents with scores <= 0 as not retrieved there, an error. "
        "AUROC of scores outside [0, 1] is that of their sigmoid, where high scores are equal in float32.",
        "Values are computed in float32. Labels are 0 and 1, but for NDCG; here relevant is a label >= 1.",
    ),
)
