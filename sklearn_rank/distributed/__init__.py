"""Reports of rows that are never together: what is known of their parts merges."""

from ._evaluator import RankingEvaluator

__all__ = ["RankingEvaluator"]
