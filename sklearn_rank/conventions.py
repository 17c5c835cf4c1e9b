"""Keyword presets that give the numbers of other libraries.

A preset holds, by the stem of the metric, what differs from the defaults of this package; it is used as
``ndcg_score(..., **conventions.LIGHTGBM["ndcg"])``. Cutoffs are not part of it: XGBoost's metrics mean
``k=32`` where none is given. A library that ranks equal scores by the order of rows (``ties="order"``) means
its own order: trec_eval's is that of the document ids, from high to low.

Where a library's number is wrong, and no convention, the preset gives the right one:

- LightGBM and XGBoost: with query weights, a query without a relevant document enters NDCG without its
  weight, so that it can exceed 1. The presets weigh it like any other.
- XGBoost: ``auc`` with groups counts pairs of equal labels. ``"group_auc"`` is the AUC per query.
- CatBoost: MAP, PrecisionAt, RecallAt and QueryAUC ignore query weights. The presets use them.
"""

from math import nextafter
from typing import Any

__all__ = ["CATBOOST", "LIGHTGBM", "SKLEARN", "TREC_EVAL", "XGBOOST", "look_probability"]

_TREC: dict[str, Any] = {"ties": "order", "unjudged": "nonrelevant"}
#: Numbers of trec_eval: equal scores in an order, documents without a judgement not relevant.
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

_EMPTY_IS_PERFECT = {"ties": "order", "zero_division": 1.0}
#: Numbers of LightGBM: exponential gain, 1 for a query without a relevant document.
LIGHTGBM: dict[str, dict[str, Any]] = {
    "ndcg": {**_EMPTY_IS_PERFECT, "gain": "exponential"},
    "map": {**_EMPTY_IS_PERFECT},
}

#: Numbers of XGBoost: as LightGBM's, and precision of a short list by its length.
XGBOOST: dict[str, dict[str, Any]] = {
    "ndcg": {**_EMPTY_IS_PERFECT, "gain": "exponential"},
    "map": {**_EMPTY_IS_PERFECT},
    "precision": {"ties": "order", "adaptive_k": True},
    "group_auc": {},
}


def look_probability(rank: Any) -> Any:
    """Return the probability that CatBoost's PFound gives to a look at a rank, 0.85 ** (rank - 1).

    Parameters
    ----------
    rank : ndarray
        Ranks from 1 on.

    Returns
    -------
    ndarray
        Probabilities in (0, 1].

    Examples
    --------
    >>> from sklearn_rank.conventions import look_probability
    >>> look_probability(2)
    0.85
    """
    return 0.85 ** (rank - 1)


_WORST = {"ties": "worst"}
_ABOVE_BORDER = {**_WORST, "min_relevance": nextafter(0.5, 1.0)}  # relevant is a label > 0.5
_STOP = {**_WORST, "gain": "linear", "max_grade": 1}  # labels in [0, 1] are probabilities
#: Numbers of CatBoost: equal scores in the worst order, relevant above 0.5; ``"pfound"`` for `err_score`.
CATBOOST: dict[str, dict[str, Any]] = {
    "dcg": {**_WORST},
    "ndcg": {**_WORST, "zero_division": 1.0},
    "map": {**_ABOVE_BORDER},
    "mrr": {**_ABOVE_BORDER},
    "precision": {**_ABOVE_BORDER, "adaptive_k": True},
    "recall": {**_ABOVE_BORDER, "zero_division": 1.0},
    "err": {**_STOP},
    "pfound": {**_STOP, "discount": look_probability},  # for err_score
    "group_auc": {"zero_division": 0.0},
    "pairwise_accuracy": {"zero_division": 0.0},
}

#: Numbers of scikit-learn: the defaults of this package.
SKLEARN: dict[str, dict[str, Any]] = {"dcg": {}, "ndcg": {}, "group_auc": {}}
