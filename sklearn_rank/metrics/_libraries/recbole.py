"""RecBole's metrics of top lists and GAUC."""

import numpy as np

from .gains import binary_gain
from .table import CUT_FIRST, NOT_OF_USERS, OF_ITEMS, Library, Row

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
