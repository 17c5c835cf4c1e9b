"""Reports of metrics over queries, and comparisons of reports."""

from ._compare import compare
from ._comparison import Comparison
from ._from_rows import report_rows as report_rows
from ._report import RankingReport
from ._segments import SegmentReports
from ._settings import Settings as Settings
from ._settings import check_level as check_level
from ._settings import check_settings as check_settings
from ._summary import Moments
from ._tables import Table
from ._tables import count_queries as count_queries
from ._tables import make_frame as make_frame

__all__ = ["Comparison", "Moments", "RankingReport", "SegmentReports", "Table", "compare"]
