"""XGBoost's metrics of queries."""

from typing import Any

from ... import conventions
from .table import NOT_OF_QUERIES, SIGNED, Library, Row, read_flag


def _read_gain(exponential: str) -> dict[str, Any]:
    """Read whether gains are 2**label - 1, or the labels."""
    return {"gain": "exponential" if read_flag(exponential) else "linear"}


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
    params={"minus": lambda sign: {"zero_division": 0.0}, "ndcg_exp_gain": _read_gain},
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
