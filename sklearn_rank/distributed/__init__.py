"""Reports of data in parts: each part is evaluated separately, and the results are merged."""

from ._evaluator import RankingEvaluator
from ._evaluator import report_data as report_data
from ._sources import check_names as check_names

__all__ = ["RankingEvaluator"]
