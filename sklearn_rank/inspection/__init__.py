"""Reports of predictions, and what each feature contributes to the scores of a fitted ranker."""

from typing import TYPE_CHECKING, Any

from .._checks.missing_names import find_missing
from ._evaluate import evaluate
from ._permutation_importance import permutation_importance

__all__ = ["evaluate", "permutation_importance"]


if not TYPE_CHECKING:  # pragma: no branch - type checkers know the names that are there

    def __getattr__(name: str) -> Any:
        """Say where a name is that is not here."""
        return find_missing(__name__, name, __all__)
