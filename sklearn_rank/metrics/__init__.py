"""Ranking metrics as functions of labels, scores and query ids, and scorers made from them."""

from ._average_precision import map_score
from ._gain import dcg_score, ndcg_score
from ._pairwise import group_auc_score
from ._precision import f1_at_k_score, precision_at_k_score, r_precision_score, recall_at_k_score
from ._reciprocal_rank import hit_rate_at_k_score, mrr_score
from ._registry import METRICS, ranking_scores
from ._scorers import (
    RankingScorer,
    dcg_scorer,
    f1_at_k_scorer,
    get_scorer,
    get_scorer_names,
    group_auc_scorer,
    hit_rate_at_k_scorer,
    map_scorer,
    mrr_scorer,
    ndcg_scorer,
    precision_at_k_scorer,
    r_precision_scorer,
    ranking_scorer,
    recall_at_k_scorer,
)

__all__ = [
    "METRICS",
    "RankingScorer",
    "dcg_score",
    "dcg_scorer",
    "f1_at_k_score",
    "f1_at_k_scorer",
    "get_scorer",
    "get_scorer_names",
    "group_auc_score",
    "group_auc_scorer",
    "hit_rate_at_k_score",
    "hit_rate_at_k_scorer",
    "map_score",
    "map_scorer",
    "mrr_score",
    "mrr_scorer",
    "ndcg_score",
    "ndcg_scorer",
    "precision_at_k_score",
    "precision_at_k_scorer",
    "r_precision_score",
    "r_precision_scorer",
    "ranking_scorer",
    "ranking_scores",
    "recall_at_k_score",
    "recall_at_k_scorer",
]
