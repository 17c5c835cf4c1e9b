"""Reports of data in parts: each part is evaluated separately, and the results are merged."""

from ._data import report_data as report_data
from ._data import report_moments_of as report_moments_of
from ._evaluator import RankingEvaluator
from ._evaluator import make_evaluator as make_evaluator
from ._sources import ReadingPlan as ReadingPlan
from ._sources import check_names as check_names
from ._state import check_whole as check_whole

__all__ = ["RankingEvaluator"]
