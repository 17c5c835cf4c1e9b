"""Cross-validation, searches and splitters between queries."""

from ._cross_validation import cross_val_predict, cross_val_score, cross_validate
from ._search import GridSearchCV, RandomizedSearchCV
from ._split import BalancedGroupKFold
from ._split_rows import GroupTimeSeriesSplit, LeaveLastOut, WithinGroupKFold

__all__ = [
    "BalancedGroupKFold",
    "GridSearchCV",
    "GroupTimeSeriesSplit",
    "LeaveLastOut",
    "RandomizedSearchCV",
    "WithinGroupKFold",
    "cross_val_predict",
    "cross_val_score",
    "cross_validate",
]
