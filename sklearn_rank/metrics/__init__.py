"""Ranking metrics as functions of labels, scores and query ids."""

from ._average_precision import map_score
from ._gain import dcg_score, ndcg_score
from ._pairwise import group_auc_score
from ._precision import f1_at_k_score, precision_at_k_score, r_precision_score, recall_at_k_score
from ._reciprocal_rank import hit_rate_at_k_score, mrr_score
from ._registry import METRICS, ranking_scores

__all__ = [
    "METRICS",
    "dcg_score",
    "f1_at_k_score",
    "group_auc_score",
    "hit_rate_at_k_score",
    "map_score",
    "mrr_score",
    "ndcg_score",
    "precision_at_k_score",
    "r_precision_score",
    "ranking_scores",
    "recall_at_k_score",
]
