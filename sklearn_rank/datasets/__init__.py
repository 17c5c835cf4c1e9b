"""Ranking data: handwritten digits as a retrieval task, and synthetic queries."""

from ._digits import load_digits_ranking
from ._synthetic import make_ranking

__all__ = ["load_digits_ranking", "make_ranking"]
