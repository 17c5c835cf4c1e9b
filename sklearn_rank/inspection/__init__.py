"""Reports and plots of predictions, and permutation importance of features."""

from typing import TYPE_CHECKING, Any

from .._checks import find_missing
from ._evaluate_runs import evaluate_runs
from ._evaluation import evaluate

if TYPE_CHECKING:
    from ._permutation_importance import permutation_importance
    from ._plot._differences import ContendersDisplay, QueryDifferenceDisplay
    from ._plot._group_curves import GroupROCDisplay, InterpolatedPrecisionDisplay
    from ._plot._metric_at_k import MetricAtKDisplay
    from ._plot._metric_distribution import MetricDistributionDisplay
    from ._plot._tie_range import TieRangeDisplay

__all__ = [
    "ContendersDisplay",
    "GroupROCDisplay",
    "InterpolatedPrecisionDisplay",
    "MetricAtKDisplay",
    "MetricDistributionDisplay",
    "QueryDifferenceDisplay",
    "TieRangeDisplay",
    "evaluate",
    "evaluate_runs",
    "permutation_importance",
]

# Imported at first use, because they need scikit-learn or scipy, and `evaluate` does not.
_HOMES = {
    "ContendersDisplay": "._plot._differences",
    "GroupROCDisplay": "._plot._group_curves",
    "InterpolatedPrecisionDisplay": "._plot._group_curves",
    "MetricAtKDisplay": "._plot._metric_at_k",
    "MetricDistributionDisplay": "._plot._metric_distribution",
    "QueryDifferenceDisplay": "._plot._differences",
    "TieRangeDisplay": "._plot._tie_range",
    "permutation_importance": "._permutation_importance",
}


if not TYPE_CHECKING:  # pragma: no branch - type checkers read the names above

    def __getattr__(name: str) -> Any:
        """Import a name at first use; for other names, raise an error that gives their location."""
        return find_missing(__name__, name, __all__, _HOMES)

    def __dir__() -> list[str]:
        return sorted({*globals(), *__all__})
