"""Scorers: one factory a metric, in files named as those of the metrics."""

from ._average_precision import map_scorer
from ._base import GroupedScorer
from ._cascade import err_scorer, rbp_scorer
from ._correlation import kendall_tau_scorer, pearson_scorer, spearman_scorer
from ._gain import dcg_scorer, ndcg_scorer
from ._grouped import GroupScorer, make_group_scorer
from ._judgements import bpref_scorer, judged_at_k_scorer, neg_fallout_at_k_scorer
from ._lists import (
    ListScorer,
    catalog_coverage_scorer,
    neg_exposure_gini_scorer,
    neg_intra_list_similarity_scorer,
    novelty_scorer,
)
from ._meant import SHARED, find_meant
from ._names import get_scorer, get_scorer_names, ranking_scorer, read_scorer
from ._pairwise import group_auc_scorer, neg_bpr_loss_scorer, pairwise_accuracy_scorer
from ._precision import f1_at_k_scorer, precision_at_k_scorer, r_precision_scorer, recall_at_k_scorer
from ._reciprocal_rank import hit_rate_at_k_scorer, mrr_scorer
from ._scorer import RankingScorer

__all__ = [
    "SHARED",
    "GroupScorer",
    "GroupedScorer",
    "ListScorer",
    "RankingScorer",
    "bpref_scorer",
    "catalog_coverage_scorer",
    "dcg_scorer",
    "err_scorer",
    "f1_at_k_scorer",
    "find_meant",
    "get_scorer",
    "get_scorer_names",
    "group_auc_scorer",
    "hit_rate_at_k_scorer",
    "judged_at_k_scorer",
    "kendall_tau_scorer",
    "make_group_scorer",
    "map_scorer",
    "mrr_scorer",
    "ndcg_scorer",
    "neg_bpr_loss_scorer",
    "neg_exposure_gini_scorer",
    "neg_fallout_at_k_scorer",
    "neg_intra_list_similarity_scorer",
    "novelty_scorer",
    "pairwise_accuracy_scorer",
    "pearson_scorer",
    "precision_at_k_scorer",
    "r_precision_scorer",
    "ranking_scorer",
    "rbp_scorer",
    "read_scorer",
    "recall_at_k_scorer",
    "spearman_scorer",
]
