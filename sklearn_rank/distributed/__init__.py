"""Reports of rows that are never together: parts are scored where they are, and what is known of them merges."""

from ._evaluator import RankingEvaluator

__all__ = ["RankingEvaluator"]
