"""Ranking metrics of recommenders, as in its functions for pandas, and of RecBole."""

import numpy as np

from ..._checks.types import Arguments, Options
from .._table import Metric
from . import formulas
from .formulas import binary_gain
from .library_table import CUT_FIRST, NOT_OF_USERS, NOTHING, OF_ITEMS, Library, NoEquivalentError, Row, cut_at


def _read_relevancy_method(word: str) -> Options:
    if word != "top_k":
        raise NoEquivalentError("Lists contain the k highest scores: relevancy_method=top_k.")
    return {}


SHARED = ("k", "relevancy_method")
GAINS: Arguments = {"binary": binary_gain(1), "raw": "linear", "exp": "exponential"}  # by score_type
K = 10  # default cutoff


def _row(metric: str | Metric, parsed: Arguments, *takes: str) -> Row:
    return Row(metric, parsed, "optional", K, (*SHARED, *takes))


RECOMMENDERS = Library(
    "recommenders",
    "1.2.1",
    CUT_FIRST,
    "{stem}@{k}",
    {
        "precision_at_k": _row(formulas.retrieved_precision, {}),
        "recall_at_k": _row(formulas.retrieved_recall, {}),
        "r_precision_at_k": _row(formulas.retrieved_r_precision, {}),
        "map": _row(formulas.retrieved_map, {}),
        "map_at_k": _row(formulas.retrieved_achievable_map, {}),
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
        "The default of k is 10. To change it, write precision_at_k(k=5) or precision_at_k@5.",
        "rating_true corresponds to the rows with labels of at least 1, rating_pred to the rows with "
        "scores above -inf. Users without rows in rating_true are excluded. Users without rows in "
        "rating_pred count as 0 in ndcg_at_k and are excluded from the other metrics.",
        "Documents with tied scores are ranked in row order.",
        "r_precision_at_k: The mean of recommenders excludes users whose value is 0, which is a bug. This "
        "name includes them.",
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
    "ItemCoverage": f"{OF_ITEMS}; catalog_coverage_score is similar",
    "AveragePopularity": f"{OF_ITEMS}; novelty_score is similar",
    "ShannonEntropy": OF_ITEMS,
    "GiniIndex": f"{OF_ITEMS}; exposure_gini_loss is similar",
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
        "The default cutoff is 10. Items with labels of at least 1 are positive and have equal gains.",
        "Users without a positive item are excluded.",
        "GAUC: Users without a negative item are excluded too, and users are weighted by their number of "
        "positive items, whatever the `average` of the call is.",
        "For tied scores, the value is the mean over all orders. RecBole's GAUC computes this mean, too. "
        "In its top-k metrics, the order of tied scores is that of torch.topk, which is not defined.",
        "RecBole does not rank items with score -inf, such as items of the history. Drop their rows.",
        "RecBole rounds values to metric_decimal_place digits, by default 4.",
    ),
)
