"""Ranking data: rows from runs, lists and matrices, handwritten digits and synthetic queries."""

from typing import TYPE_CHECKING, Any

from .._checks import find_missing
from ._entries import COLUMNS as COLUMNS
from ._entries import choose_names as choose_names
from ._file_bytes import ENDINGS as ENDINGS
from ._file_bytes import Reading as Reading
from ._file_bytes import is_packed as is_packed
from ._file_bytes import remove_marks as remove_marks
from ._file_bytes import unpack as unpack
from ._file_tables import DELIMITERS as DELIMITERS
from ._file_tables import KEYS as KEYS
from ._file_tables import Frame as Frame
from ._file_tables import check_id as check_id
from ._file_tables import find_kind as find_kind
from ._file_tables import needs_score as needs_score
from ._file_tables import read_cells as read_cells
from ._file_tables import reject_lack as reject_lack
from ._file_tables import take_columns as take_columns
from ._file_tables import take_rows as take_rows
from ._interactions import from_interactions
from ._join import Joined as Joined
from ._join import find_pool as find_pool
from ._pieces import join_pieces as join_pieces
from ._pieces import put_together as put_together
from ._recommendations import from_recommendations
from ._runs import from_run, to_qrels, to_run
from ._runs import join_run as join_run
from ._runs import join_runs as join_runs
from ._synthetic import make_ranking
from ._trec_files import read_head as read_head
from ._two_runs import from_two_runs

if TYPE_CHECKING:
    from ._digits import load_digits_ranking
    from ._embedding_search import from_embeddings
    from ._factors import from_factors
    from ._score_matrix import from_score_matrix
    from ._svmlight import load_svmlight_ranking

__all__ = [
    "from_embeddings",
    "from_factors",
    "from_interactions",
    "from_recommendations",
    "from_run",
    "from_score_matrix",
    "from_two_runs",
    "load_digits_ranking",
    "load_svmlight_ranking",
    "make_ranking",
    "to_qrels",
    "to_run",
]

# Imported at first use, because they need scikit-learn or scipy, and reading runs does not.
_HOMES = {
    "from_embeddings": "._embedding_search",
    "from_factors": "._factors",
    "from_score_matrix": "._score_matrix",
    "load_digits_ranking": "._digits",
    "load_svmlight_ranking": "._svmlight",
}


if not TYPE_CHECKING:  # pragma: no branch - type checkers read the names above

    def __getattr__(name: str) -> Any:
        """Import a name at first use; for other names, raise an error that gives their location."""
        return find_missing(__name__, name, __all__, _HOMES)

    def __dir__() -> list[str]:
        return sorted({*globals(), *__all__})
