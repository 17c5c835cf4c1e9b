"""Reports of rows that are never together: what is known of their parts merges."""

from ._data import is_frame as is_frame
from ._data import iter_queries as iter_queries
from ._data import read_columns as read_columns
from ._data import report_parts as report_parts
from ._evaluator import RankingEvaluator

__all__ = ["RankingEvaluator"]
