"""Reports of metrics over queries, and comparisons of reports."""

from typing import TYPE_CHECKING, Any

from .._checks import find_missing
from ._equal import ROUNDING as ROUNDING
from ._equal import find_precision as find_precision
from ._equal import find_scale as find_scale
from ._equal import first_best as first_best
from ._equal import rank_equal as rank_equal
from ._equal import subtract_equal as subtract_equal
from ._intervals import BinaryCounts as BinaryCounts
from ._intervals import Moments as Moments
from ._intervals import Settings as Settings
from ._intervals import Wanted as Wanted
from ._intervals import check_level as check_level
from ._intervals import check_settings as check_settings
from ._intervals import count_ones as count_ones
from ._intervals import find_terms as find_terms
from ._intervals import t_quantile as t_quantile
from ._query_tables import list_couples as list_couples
from ._query_tables import subtract_queries as subtract_queries
from ._report import RankingReport
from ._report_rows import check_reported as check_reported
from ._report_rows import count_without_rows as count_without_rows
from ._report_rows import relate_reports as relate_reports
from ._report_rows import report_moments as report_moments
from ._report_rows import report_queries as report_queries
from ._report_rows import report_rows as report_rows
from ._reported_queries import PairedMoments as PairedMoments
from ._segments import SegmentReports as SegmentReports
from ._system_names import cut_start as cut_start
from ._system_names import sort_naturally as sort_naturally
from ._tables import Table as Table
from ._tables import count_queries as count_queries
from ._tables import make_frame as make_frame
from ._tables import write as write
from ._tables import write_level as write_level
from ._traits import find_traits as find_traits

if TYPE_CHECKING:
    from ._candidates import Candidates as Candidates
    from ._candidates import Contenders as Contenders
    from ._candidates import CorrectedScore as CorrectedScore
    from ._candidates import correct_score as correct_score
    from ._candidates import find_contenders as find_contenders
    from ._candidates import fold_means as fold_means
    from ._candidates import sum_by_unit as sum_by_unit
    from ._compare_reports import compare
    from ._comparison import Comparison
    from ._comparison import find_pair as find_pair
    from ._gate import assert_not_worse
    from ._gate import find_failure as find_failure

__all__ = ["Comparison", "RankingReport", "assert_not_worse", "compare"]

# Imported at first use, because it needs scipy.stats, and reports do not.
_HOMES = {
    "Comparison": "._comparison",
    "compare": "._compare_reports",
    "find_pair": "._comparison",
    "assert_not_worse": "._gate",
    "find_failure": "._gate",
    **dict.fromkeys(("Candidates", "Contenders", "CorrectedScore", "correct_score"), "._candidates"),
    **dict.fromkeys(("find_contenders", "fold_means", "sum_by_unit"), "._candidates"),
}

if not TYPE_CHECKING:  # pragma: no branch - type checkers read the names above

    def __getattr__(name: str) -> Any:
        """Import a name at first use; for other names, raise an error that gives their location."""
        return find_missing(__name__, name, __all__, _HOMES)

    def __dir__() -> list[str]:
        return sorted({*globals(), *__all__})
