"""What each feature contributes to the scores of a fitted ranker."""

from ._permutation_importance import permutation_importance

__all__ = ["permutation_importance"]
