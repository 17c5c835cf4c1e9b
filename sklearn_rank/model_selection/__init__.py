"""Cross-validation, searches and splitters for queries."""

from typing import TYPE_CHECKING, Any

from .._checks import find_missing
from ._calls.grouped_model import GroupedModel as GroupedModel
from ._calls.model_checks import check_model as check_model
from ._calls.scoring import FOR_MODEL as FOR_MODEL
from ._calls.scoring import UnwrappingScorer as UnwrappingScorer
from ._calls.scoring import check_missed as check_missed
from ._calls.scoring import copy_scorers as copy_scorers
from ._calls.scoring import groups_request as groups_request
from ._calls.scoring import list_labels as list_labels
from ._calls.scoring import resolve_scoring as resolve_scoring
from ._calls.scoring import wrap_scorers as wrap_scorers
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
from ._kept_queries import count_started as count_started
from ._kept_queries import find_candidates as find_candidates
from ._kept_queries import scores_of_folds as scores_of_folds
from ._search import GridSearchCV, RandomizedSearchCV
from ._splitters.group_splits import (
    BalancedGroupKFold,
    RepeatedBalancedGroupKFold,
    WithinGroupKFold,
    check_folds,
    train_test_split,
)
from ._splitters.over_time import GroupTimeSeriesSplit, LeaveLastOut, TimeCut
from ._with_groups import WithGroups

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
