"""The metrics of rankings of recommenders, in its functions for pandas."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from .gains import binary_gain
from .table import CUT_FIRST, NOT_OF_USERS, NOTHING, OF_ITEMS, Library, NoEquivalentError, Row, cut_at


def _read_relevancy_method(word: str) -> dict[str, Any]:
    if word != "top_k":
        raise NoEquivalentError("the lists are the k highest scores, relevancy_method='top_k'")
    return {}


SHARED = ("k", "relevancy_method")
GAINS: Mapping[str, Any] = {"binary": binary_gain(1), "raw": "linear", "exp": "exponential"}  # by score_type
K = 10  # where none is given


def _row(stem: str, said: Mapping[str, Any], *takes: str) -> Row:
    return Row(stem, said, "optional", K, (*SHARED, *takes))


RECOMMENDERS = Library(
    "recommenders",
    "1.2.1",
    CUT_FIRST,
    "{stem}@{k}",
    {
        "precision_at_k": _row("answered_precision", {}),
        "recall_at_k": _row("answered_recall", {}),
        "r_precision_at_k": _row("answered_r_precision", {}),
        "map": _row("answered_map", {}),
        "map_at_k": _row("answered_achievable_map", {}),
        "ndcg_at_k": _row("ndcg", {"gain": binary_gain(1)}, "score_type", "discfun_type"),
    },
    without={
        **dict.fromkeys(["auc", "logloss", "rmse", "mae", "rsquared", "exp_var"], NOT_OF_USERS),
        **dict.fromkeys(
            ["diversity", "user_diversity", "novelty", "historical_item_novelty", "serendipity"]
            + ["user_serendipity", "user_item_serendipity", "catalog_coverage", "distributional_coverage"],
            OF_ITEMS,
        ),
    },
    convention={"ties": "order", "zero_division": np.nan},
    params={
        "k": cut_at,
        "relevancy_method": _read_relevancy_method,
        "score_type": lambda word: {"gain": GAINS[word]},
        "discfun_type": {"loge": NOTHING, "log2": NOTHING}.__getitem__,
    },
    notes=(
        "k is 10 unless given, as in precision_at_k(k=5) or precision_at_k@5.",
        "rating_true holds the rows with labels from 1 on, rating_pred those with scores above -inf. Users "
        "that are missing in rating_true are left out; those that are missing in rating_pred count 0 in "
        "ndcg_at_k and are left out of all others.",
        "Equal scores stand in the order of the rows.",
        "The mean of r_precision_at_k leaves out there all users whose value is 0, which is an error. This "
        "name counts them.",
    ),
)
