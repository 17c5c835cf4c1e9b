"""Cross-validation, searches and splitters between queries."""

from ._cross_validation import cross_val_predict, cross_val_score, cross_validate
from ._search import GridSearchCV, RandomizedSearchCV
from ._split import BalancedGroupKFold

__all__ = [
    "BalancedGroupKFold",
    "GridSearchCV",
    "RandomizedSearchCV",
    "cross_val_predict",
    "cross_val_score",
    "cross_validate",
]
