"""LightGBM's metrics of queries."""

from typing import Any

from ... import conventions
from .table import CUT_FIRST, NOT_OF_QUERIES, Library, Row, relevant_above


def _read_gains(numbers: str) -> dict[str, Any]:
    """Read a table of gains by grade, such as [0,1,3,8,20]."""
    return {"gain": tuple(float(number) for number in numbers.strip("[]").split(","))}


NDCG = Row("ndcg", {**conventions.LIGHTGBM["ndcg"]}, "required", takes=("label_gain",))
MAP = Row("map", {**conventions.LIGHTGBM["map"]}, "required")

LIGHTGBM = Library(
    "LightGBM",
    "4.7.0",
    CUT_FIRST,
    "{stem}@{k}",
    {
        "ndcg": NDCG,
        "map": MAP,
        "mean_average_precision": MAP,
        **dict.fromkeys(
            ["lambdarank", "rank_xendcg", "xendcg", "xe_ndcg", "xe_ndcg_mart", "xendcg_mart"], NDCG
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
