"""Arguments of metric functions with which they give the values of other libraries.

They are independent of the tables of names in the package, which `tests.references` compares with them.
"""

from math import nextafter
from typing import Any

_TREC: dict[str, Any] = {"ties": "order", "unjudged": "nonrelevant"}
# trec_eval: equal scores in row order; unjudged documents are not relevant (dropped for bpref).
TREC_EVAL: dict[str, dict[str, Any]] = {
    "ndcg": {**_TREC},
    "map": {**_TREC, "denominator": "relevant"},
    "mrr": {**_TREC},
    "precision": {**_TREC},
    "recall": {**_TREC},
    "hit_rate": {**_TREC},
    "r_precision": {**_TREC},
    "bpref": {**_TREC, "unjudged": "drop"},
}

_NONE_IS_PERFECT = {"ties": "order", "zero_division": 1.0}
# LightGBM: exponential gain; the value of a query without a relevant document is 1.
LIGHTGBM: dict[str, dict[str, Any]] = {
    "ndcg": {**_NONE_IS_PERFECT, "gain": "exponential"},
    "map": {**_NONE_IS_PERFECT},
}

# XGBoost: as LightGBM; the precision of a query with fewer than k documents is divided by their number.
XGBOOST: dict[str, dict[str, Any]] = {
    "ndcg": {**_NONE_IS_PERFECT, "gain": "exponential"},
    "map": {**_NONE_IS_PERFECT},
    "precision": {"ties": "order", "adaptive_k": True},
    "group_auc": {},
}


def look_probability(rank: Any) -> Any:
    """Return the probability of CatBoost's PFound that a user looks at a rank."""
    return 0.85 ** (rank - 1)


_WORST = {"ties": "worst"}
_ABOVE_HALF = {**_WORST, "min_relevance": nextafter(0.5, 1.0)}  # the label must exceed 0.5
_STOP = {**_WORST, "gain": "linear", "max_grade": 1}  # labels in [0, 1] are probabilities
# CatBoost: equal scores in the worst order; labels above 0.5 are relevant. ``"pfound"`` is for `err_score`.
CATBOOST: dict[str, dict[str, Any]] = {
    "dcg": {**_WORST},
    "ndcg": {**_WORST, "zero_division": 1.0},
    "map": {**_ABOVE_HALF},
    "mrr": {**_ABOVE_HALF},
    "precision": {**_ABOVE_HALF, "adaptive_k": True},
    "recall": {**_ABOVE_HALF, "zero_division": 1.0},
    "err": {**_STOP},
    "pfound": {**_STOP, "discount": look_probability},  # for err_score
    "group_auc": {"zero_division": 0.0},
    "pairwise_accuracy": {"zero_division": 0.0},
}

# scikit-learn: the same as the defaults of this package.
SKLEARN: dict[str, dict[str, Any]] = {"dcg": {}, "ndcg": {}, "group_auc": {}}
