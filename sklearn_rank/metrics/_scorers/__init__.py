"""Classes of scorers, and scorers by name; the factories stand beside the functions of the metrics.

The classes are scikit-learn's estimators. Factories say `_scorers.RankingScorer`: it is imported with
scikit-learn when the first scorer is made.
"""

from typing import TYPE_CHECKING, Any

from ..._checks import find_missing

if TYPE_CHECKING:
    from .exposure_scorer import ExposureScorer as ExposureScorer
    from .intent_scorer import IntentScorer as IntentScorer
    from .list_scorer import ListScorer as ListScorer
    from .ranking import RankingScorer as RankingScorer
    from .sampled_scorer import SampledScorer as SampledScorer
    from .strata_scorer import StrataScorer as StrataScorer

_HOMES = {
    "ExposureScorer": ".exposure_scorer",
    "IntentScorer": ".intent_scorer",
    "ListScorer": ".list_scorer",
    "RankingScorer": ".ranking",
    "SampledScorer": ".sampled_scorer",
    "StrataScorer": ".strata_scorer",
}

if not TYPE_CHECKING:  # pragma: no branch - type checkers know the names that are there

    def __getattr__(name: str) -> Any:
        """Import a class when it is first asked for."""
        return find_missing(__name__, name, [], _HOMES)
