"""Ranking data: rows out of runs, lists and matrices, handwritten digits, synthetic queries."""

from typing import TYPE_CHECKING, Any

from .._checks.missing_names import find_missing
from ._digits import load_digits_ranking
from ._interactions import from_interactions
from ._recommendations import from_recommendations
from ._run_writers import to_qrels, to_run
from ._runs import from_run
from ._score_matrix import from_score_matrix
from ._svmlight import load_svmlight_ranking
from ._synthetic import make_ranking

__all__ = [
    "from_interactions",
    "from_recommendations",
    "from_run",
    "from_score_matrix",
    "load_digits_ranking",
    "load_svmlight_ranking",
    "make_ranking",
    "to_qrels",
    "to_run",
]


if not TYPE_CHECKING:  # pragma: no branch - type checkers know the names that are there

    def __getattr__(name: str) -> Any:
        """Say where a name is that is not here."""
        return find_missing(__name__, name, __all__)
