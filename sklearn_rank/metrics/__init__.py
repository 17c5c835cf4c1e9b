"""Ranking metrics as functions of labels, scores and query ids, and scorers made from them."""

from typing import TYPE_CHECKING, Any

from .._meant import find_missing
from ._average_precision import map_score
from ._cascade import err_score, rbp_score
from ._correlation import kendall_tau_score, pearson_score, spearman_score
from ._curves import map_curve, ndcg_curve
from ._diversity import intra_list_similarity_score
from ._gain import dcg_score, ndcg_score
from ._grouped import group_score
from ._items import catalog_coverage_score, exposure_gini_score, novelty_score
from ._judgements import bpref_score, fallout_at_k_score, judged_at_k_score
from ._names import is_metric_name, ranking_scores
from ._pairwise import bpr_loss, group_auc_score, pairwise_accuracy_score
from ._precision import f1_at_k_score, precision_at_k_score, r_precision_score, recall_at_k_score
from ._rate_curves import group_roc_curve, interpolated_precision_curve
from ._reciprocal_rank import hit_rate_at_k_score, mrr_score
from ._recommendations import from_recommendations
from ._registry import METRICS
from ._score_matrix import from_score_matrix
from ._scorers import (
    GroupedScorer,
    GroupScorer,
    ListScorer,
    RankingScorer,
    bpref_scorer,
    catalog_coverage_scorer,
    dcg_scorer,
    err_scorer,
    f1_at_k_scorer,
    get_scorer,
    get_scorer_names,
    group_auc_scorer,
    hit_rate_at_k_scorer,
    judged_at_k_scorer,
    kendall_tau_scorer,
    make_group_scorer,
    map_scorer,
    mrr_scorer,
    ndcg_scorer,
    neg_bpr_loss_scorer,
    neg_exposure_gini_scorer,
    neg_fallout_at_k_scorer,
    neg_intra_list_similarity_scorer,
    novelty_scorer,
    pairwise_accuracy_scorer,
    pearson_scorer,
    precision_at_k_scorer,
    r_precision_scorer,
    ranking_scorer,
    rbp_scorer,
    recall_at_k_scorer,
    spearman_scorer,
)
from ._tie_report import TieReport, tie_report
from ._unique_groups import unique_groups

__all__ = [
    "METRICS",
    "GroupScorer",
    "GroupedScorer",
    "ListScorer",
    "RankingScorer",
    "TieReport",
    "bpr_loss",
    "bpref_score",
    "bpref_scorer",
    "catalog_coverage_score",
    "catalog_coverage_scorer",
    "dcg_score",
    "dcg_scorer",
    "err_score",
    "err_scorer",
    "exposure_gini_score",
    "f1_at_k_score",
    "f1_at_k_scorer",
    "fallout_at_k_score",
    "from_recommendations",
    "from_score_matrix",
    "get_scorer",
    "get_scorer_names",
    "group_auc_score",
    "group_auc_scorer",
    "group_roc_curve",
    "group_score",
    "hit_rate_at_k_score",
    "hit_rate_at_k_scorer",
    "interpolated_precision_curve",
    "intra_list_similarity_score",
    "is_metric_name",
    "judged_at_k_score",
    "judged_at_k_scorer",
    "kendall_tau_score",
    "kendall_tau_scorer",
    "make_group_scorer",
    "map_curve",
    "map_score",
    "map_scorer",
    "mrr_score",
    "mrr_scorer",
    "ndcg_curve",
    "ndcg_score",
    "ndcg_scorer",
    "neg_bpr_loss_scorer",
    "neg_exposure_gini_scorer",
    "neg_fallout_at_k_scorer",
    "neg_intra_list_similarity_scorer",
    "novelty_score",
    "novelty_scorer",
    "pairwise_accuracy_score",
    "pairwise_accuracy_scorer",
    "pearson_score",
    "pearson_scorer",
    "precision_at_k_score",
    "precision_at_k_scorer",
    "r_precision_score",
    "r_precision_scorer",
    "ranking_scorer",
    "ranking_scores",
    "rbp_score",
    "rbp_scorer",
    "recall_at_k_score",
    "recall_at_k_scorer",
    "spearman_score",
    "spearman_scorer",
    "tie_report",
    "unique_groups",
]


if not TYPE_CHECKING:  # pragma: no branch - type checkers know the names that are there

    def __getattr__(name: str) -> Any:
        """Say where a name is that is not here."""
        return find_missing(__name__, name, __all__)
