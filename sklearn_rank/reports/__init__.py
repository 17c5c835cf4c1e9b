"""Reports of metrics over queries, and comparisons of reports."""

from ._candidates import Candidates as Candidates
from ._candidates import fold_means as fold_means
from ._candidates import sum_by_unit as sum_by_unit
from ._compare import compare
from ._comparison import Comparison
from ._contenders import Contenders as Contenders
from ._contenders import find_contenders as find_contenders
from ._corrected_score import CorrectedScore
from ._corrected_score import correct_score as correct_score
from ._from_rows import report_rows as report_rows
from ._race import look as look
from ._report import RankingReport
from ._sample import find_terms as find_terms
from ._segments import SegmentReports
from ._settings import LEAST_RESAMPLES as LEAST_RESAMPLES
from ._settings import Settings as Settings
from ._settings import check_level as check_level
from ._settings import check_settings as check_settings
from ._summary import Moments
from ._tables import Table
from ._tables import count_queries as count_queries
from ._tables import make_frame as make_frame
from ._tables import write as write

__all__ = ["Comparison", "CorrectedScore", "Moments", "RankingReport", "SegmentReports", "Table", "compare"]
