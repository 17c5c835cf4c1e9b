"""Cross-validation, searches and splitters for queries."""

from typing import TYPE_CHECKING, Any

from .._checks import find_missing
from ._catalog.catalog_scorer import catalog_scorer
from ._catalog.seen_pairs import RecordSeen
from ._choosing import simplest
from ._cross_val_report import cross_val_report
from ._cross_validation import (
    cross_val_predict,
    cross_val_score,
    cross_validate,
    learning_curve,
    permutation_test_score,
    validation_curve,
)
from ._delivery.bound_parts import BoundScorer as BoundScorer
from ._delivery.bound_parts import bind_scorers as bind_scorers
from ._delivery.check_models import check_delivery as check_delivery
from ._delivery.check_models import check_model as check_model
from ._delivery.read_columns import resolve_scoring as resolve_scoring
from ._delivery.with_groups import WithGroups
from ._kept_queries import count_started as count_started
from ._kept_queries import find_candidates as find_candidates
from ._kept_queries import scores_of_folds as scores_of_folds
from ._search import GridSearchCV, RandomizedSearchCV
from ._splitters.group_folds import BalancedGroupKFold, RepeatedBalancedGroupKFold, WithinGroupKFold
from ._splitters.group_splits import check_folds, train_test_split
from ._splitters.over_time import GroupTimeSeriesSplit, LeaveLastOut, TimeCut

if TYPE_CHECKING:
    from ._halving import HalvingGridSearchCV, HalvingRandomSearchCV

__all__ = [
    "BalancedGroupKFold",
    "GridSearchCV",
    "GroupTimeSeriesSplit",
    "HalvingGridSearchCV",
    "HalvingRandomSearchCV",
    "LeaveLastOut",
    "RandomizedSearchCV",
    "RecordSeen",
    "RepeatedBalancedGroupKFold",
    "TimeCut",
    "WithGroups",
    "WithinGroupKFold",
    "catalog_scorer",
    "check_folds",
    "cross_val_predict",
    "cross_val_report",
    "cross_val_score",
    "cross_validate",
    "learning_curve",
    "permutation_test_score",
    "simplest",
    "train_test_split",
    "validation_curve",
]


# In scikit-learn successive halving is experimental.
_HOMES = {"HalvingGridSearchCV": "._halving", "HalvingRandomSearchCV": "._halving"}


def __getattr__(name: str) -> Any:
    """Import successive halving at first use; for other names, raise an error that gives their location."""
    return find_missing(__name__, name, __all__, _HOMES)


def __dir__() -> list[str]:
    return __all__
