"""Ranking metrics of recommenders, as in its functions for pandas, and of RecBole."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from ..._checks.types import Arguments, Options
from .._table import Metric
from . import formulas
from .formulas import binary_gain
from .library_table import CUT_FIRST, NOT_OF_USERS, NOTHING, OF_ITEMS, Library, NoEquivalentError, Row, cut_at


def _read_relevancy_method(word: str) -> Options:
    if word != "top_k":
        raise NoEquivalentError("the lists are the k highest scores, relevancy_method='top_k'")
    return {}


SHARED = ("k", "relevancy_method")
GAINS: Mapping[str, Any] = {"binary": binary_gain(1), "raw": "linear", "exp": "exponential"}  # by score_type
K = 10  # default cutoff


def _row(metric: str | Metric, parsed: Arguments, *takes: str) -> Row:
    return Row(metric, parsed, "optional", K, (*SHARED, *takes))


RECOMMENDERS = Library(
    "recommenders",
    "1.2.1",
    CUT_FIRST,
    "{stem}@{k}",
    {
        "precision_at_k": _row(formulas.answered_precision, {}),
        "recall_at_k": _row(formulas.answered_recall, {}),
        "r_precision_at_k": _row(formulas.answered_r_precision, {}),
        "map": _row(formulas.answered_map, {}),
        "map_at_k": _row(formulas.answered_achievable_map, {}),
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

ROWS = {
    "Hit": Row("hit_rate", cutoff="optional", whole=10),
    "MRR": Row("mrr", cutoff="optional", whole=10),
    "NDCG": Row("ndcg", {"gain": binary_gain(1)}, cutoff="optional", whole=10),
    "MAP": Row("map", cutoff="optional", whole=10),
    "Recall": Row("recall", cutoff="optional", whole=10),
    "Precision": Row("precision", cutoff="optional", whole=10),
    "GAUC": Row("group_auc", {"average": "weighted", "weighted_by": "relevant"}),
}
WITHOUT = {
    "AUC": NOT_OF_USERS,
    "LogLoss": NOT_OF_USERS,
    "MAE": NOT_OF_USERS,
    "RMSE": NOT_OF_USERS,
    "ItemCoverage": f"{OF_ITEMS}; catalog_coverage_score is near it",
    "AveragePopularity": f"{OF_ITEMS}; novelty_score is near it",
    "ShannonEntropy": OF_ITEMS,
    "GiniIndex": f"{OF_ITEMS}; exposure_gini_score is near it",
    "TailPercentage": OF_ITEMS,
}

RECBOLE = Library(
    "RecBole",
    "1.2.1",
    CUT_FIRST,
    "{stem}@{k}",
    {**ROWS, **{name.lower(): row for name, row in ROWS.items()}},
    without={**WITHOUT, **{name.lower(): why for name, why in WITHOUT.items()}},
    convention={"zero_division": np.nan},
    notes=(
        "No cutoff means 10. Labels from 1 on are the positive items of a user, all worth the same.",
        "RecBole evaluates users with a positive item alone; others are left out. GAUC leaves out those "
        "without a negative item too, and weighs users by their positive ones.",
        "Equal scores count the mean over their orders, as in GAUC. In RecBole's top lists their order is "
        "that of torch.topk, which nothing fixes.",
        "Items of score -inf, such as those of the history, are no candidates there: leave their rows out.",
        "GAUC is a weighted mean for each `average` of the call.",
        "RecBole rounds to metric_decimal_place digits, 4 unless given.",
    ),
)
