"""Ranking data: rows out of lists and matrices, handwritten digits as a retrieval task, synthetic queries."""

from ._digits import load_digits_ranking
from ._recommendations import from_recommendations
from ._score_matrix import from_score_matrix
from ._synthetic import make_ranking

__all__ = ["from_recommendations", "from_score_matrix", "load_digits_ranking", "make_ranking"]
