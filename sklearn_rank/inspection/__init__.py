"""What a fitted ranker owes to its features."""

from ._permutation_importance import permutation_importance

__all__ = ["permutation_importance"]
