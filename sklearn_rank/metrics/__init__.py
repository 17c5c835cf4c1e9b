"""Ranking metrics as functions of labels, scores and query ids, and scorers made from them."""

from typing import TYPE_CHECKING, Any

from .._checks.missing_names import find_missing

# Formulas, in the order of the table of metrics.
# isort: off
from ._dcg import dcg_score, dcg_scorer
from ._ndcg import ndcg_score, ndcg_scorer
from ._average import divide_exact as divide_exact
from ._average import scale_weights as scale_weights
from ._average_precision import map_score, map_scorer
from ._reciprocal_rank import mrr_score, mrr_scorer
from ._precision import precision_at_k_score, precision_at_k_scorer
from ._recall import f1_at_k_score, f1_at_k_scorer, recall_at_k_score, recall_at_k_scorer
from ._hit_rate import hit_rate_at_k_score, hit_rate_at_k_scorer
from ._r_precision import r_precision_score, r_precision_scorer
from ._err import err_score, err_scorer
from ._rbp import rbp_score, rbp_scorer
from ._rbp_residual import neg_rbp_residual_loss_scorer, rbp_residual_loss
from ._insq import insq_score, insq_scorer
from ._rank_sum import (
    average_rank_loss,
    neg_average_rank_loss_scorer,
    neg_rank_sum_loss_scorer,
    rank_sum_loss,
)
from ._bpref import bpref_score, bpref_scorer
from ._inferred.average_precision import infap_score, infap_scorer
from ._judgements import fallout_at_k_score, judged_at_k_score, judged_at_k_scorer, neg_fallout_at_k_scorer
from ._pairwise import group_auc_score, group_auc_scorer, pairwise_accuracy_score, pairwise_accuracy_scorer
from ._bpr import bpr_loss, neg_bpr_loss_scorer
from ._kendall import kendall_tau_ap_score, kendall_tau_ap_scorer, kendall_tau_score, kendall_tau_scorer
from ._correlation import pearson_score, pearson_scorer, spearman_score, spearman_scorer
# isort: on

from ._average import take_logs as take_logs
from ._beside_names import Asked as Asked
from ._beside_names import ask as ask
from ._beside_names import ask_names as ask_names
from ._beside_names import check_tables as check_tables
from ._beside_names import conclude_lists as conclude_lists
from ._beside_names import find_beside_metric as find_beside_metric
from ._beside_names import score_beside as score_beside
from ._beside_table import BESIDE_METRICS as BESIDE_METRICS
from ._beside_table import Tables as Tables
from ._by_id import take_by_index as take_by_index
from ._by_query import MetricValues as MetricValues
from ._by_query import ScoredQueries as ScoredQueries
from ._by_query import align_labels as align_labels
from ._by_query import align_weights as align_weights
from ._by_query import score_part as score_part
from ._by_query import score_queries as score_queries
from ._calibration import calibration_loss, neg_calibration_loss_scorer
from ._cautions import CAUTIONS as CAUTIONS
from ._cautions import Finding as Finding
from ._cautions import caution_facts as caution_facts
from ._cautions import caution_labels as caution_labels
from ._cautions import caution_sampled as caution_sampled
from ._cautions import find_cautions as find_cautions
from ._cautions import give_caution as give_caution
from ._cautions import without_cautions as without_cautions
from ._counts import Counts as Counts
from ._counts import pile as pile
from ._curve_moments import CUTOFF_CURVES as CUTOFF_CURVES
from ._curve_moments import CurveMoments as CurveMoments
from ._curve_moments import curve_moments as curve_moments
from ._cutoff_curves import map_curve, ndcg_curve
from ._diversity import (
    diversity_score,
    diversity_scorer,
    intra_list_similarity_score,
    neg_intra_list_similarity_scorer,
)
from ._exact_sum import ExactSum as ExactSum
from ._exact_sum import exact_dot as exact_dot
from ._explain import Explanation, explain
from ._exposure.amortized import amortized_exposure_loss, neg_amortized_exposure_loss_scorer
from ._exposure.awrf import awrf_score, awrf_scorer
from ._exposure.ratios import (
    exposure_parity_score,
    exposure_parity_scorer,
    exposure_ratio_score,
    exposure_ratio_scorer,
)
from ._exposure.table import exposure_by_owner
from ._facts import Facts as Facts
from ._hit_curves import f1_curve, hit_rate_curve, precision_curve, recall_curve
from ._intents.alpha_ndcg import alpha_ndcg_score, alpha_ndcg_scorer
from ._intents.err_ia import err_ia_score, err_ia_scorer
from ._intents.intent_aware import intent_aware_score, intent_aware_scorer
from ._intents.nrbp import nrbp_score, nrbp_scorer
from ._intents.subtopic_recall import subtopic_recall_score, subtopic_recall_scorer
from ._items import (
    catalog_coverage_score,
    catalog_coverage_scorer,
    exposure_gini_score,
    neg_exposure_gini_scorer,
)
from ._libraries.spell import list_names as list_names
from ._names import build_requests as build_requests
from ._names import is_metric_name, ranking_scores
from ._names import parse_name as parse_name
from ._novelty import novelty_score, novelty_scorer
from ._personalization import personalization_score, personalization_scorer
from ._ranks import ranks
from ._rate_curves import group_roc_curve, interpolated_precision_curve
from ._rbo import overlap_at_k_score, rbo_score
from ._requests import Given as Given
from ._requests import Request as Request
from ._requests import check_kept as check_kept
from ._sampled import sampled_score, sampled_scorer
from ._serendipity import serendipity_score, serendipity_scorer
from ._table import METRICS
from ._tail import (
    average_popularity_score,
    neg_average_popularity_scorer,
    tail_share_score,
    tail_share_scorer,
)
from ._tie_report import TieReport, tie_report
from ._unique_groups import take_ids as take_ids
from ._unique_groups import unique_groups

if TYPE_CHECKING:
    from ._group_score import group_score
    from ._group_scorer import GroupScorer, make_group_scorer
    from ._scorers.base import BaseScorer
    from ._scorers.by_name import get_scorer, get_scorer_names, ranking_scorer
    from ._scorers.by_name import read_scorer as read_scorer
    from ._scorers.exposure_scorer import ExposureScorer
    from ._scorers.intent_scorer import IntentScorer
    from ._scorers.labels import find_labels as find_labels
    from ._scorers.list_scorer import ListScorer
    from ._scorers.listening import ListeningScorer as ListeningScorer
    from ._scorers.mistaken import SHARED as SHARED
    from ._scorers.mistaken import find_for_rankings as find_for_rankings
    from ._scorers.mistaken import find_meant as find_meant
    from ._scorers.prepared import ask_model as ask_model
    from ._scorers.prepared import prepare_rows as prepare_rows
    from ._scorers.prepared import score_model as score_model
    from ._scorers.prepared import score_prepared as score_prepared
    from ._scorers.ranking import RankingScorer
    from ._scorers.sampled_scorer import SampledScorer
    from ._scorers.strata_scorer import StrataScorer

__all__ = [
    "METRICS",
    "BaseScorer",
    "Explanation",
    "ExposureScorer",
    "GroupScorer",
    "IntentScorer",
    "ListScorer",
    "RankingScorer",
    "SampledScorer",
    "StrataScorer",
    "TieReport",
    "alpha_ndcg_score",
    "alpha_ndcg_scorer",
    "amortized_exposure_loss",
    "average_popularity_score",
    "average_rank_loss",
    "awrf_score",
    "awrf_scorer",
    "bpr_loss",
    "bpref_score",
    "bpref_scorer",
    "calibration_loss",
    "catalog_coverage_score",
    "catalog_coverage_scorer",
    "dcg_score",
    "dcg_scorer",
    "diversity_score",
    "diversity_scorer",
    "err_ia_score",
    "err_ia_scorer",
    "err_score",
    "err_scorer",
    "explain",
    "exposure_by_owner",
    "exposure_gini_score",
    "exposure_parity_score",
    "exposure_parity_scorer",
    "exposure_ratio_score",
    "exposure_ratio_scorer",
    "f1_at_k_score",
    "f1_at_k_scorer",
    "f1_curve",
    "fallout_at_k_score",
    "get_scorer",
    "get_scorer_names",
    "group_auc_score",
    "group_auc_scorer",
    "group_roc_curve",
    "group_score",
    "hit_rate_at_k_score",
    "hit_rate_at_k_scorer",
    "hit_rate_curve",
    "infap_score",
    "infap_scorer",
    "insq_score",
    "insq_scorer",
    "intent_aware_score",
    "intent_aware_scorer",
    "interpolated_precision_curve",
    "intra_list_similarity_score",
    "is_metric_name",
    "judged_at_k_score",
    "judged_at_k_scorer",
    "kendall_tau_ap_score",
    "kendall_tau_ap_scorer",
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
    "neg_amortized_exposure_loss_scorer",
    "neg_average_popularity_scorer",
    "neg_average_rank_loss_scorer",
    "neg_bpr_loss_scorer",
    "neg_calibration_loss_scorer",
    "neg_exposure_gini_scorer",
    "neg_fallout_at_k_scorer",
    "neg_intra_list_similarity_scorer",
    "neg_rank_sum_loss_scorer",
    "neg_rbp_residual_loss_scorer",
    "novelty_score",
    "novelty_scorer",
    "nrbp_score",
    "nrbp_scorer",
    "overlap_at_k_score",
    "pairwise_accuracy_score",
    "pairwise_accuracy_scorer",
    "pearson_score",
    "pearson_scorer",
    "personalization_score",
    "personalization_scorer",
    "precision_at_k_score",
    "precision_at_k_scorer",
    "precision_curve",
    "r_precision_score",
    "r_precision_scorer",
    "rank_sum_loss",
    "ranking_scorer",
    "ranking_scores",
    "ranks",
    "rbo_score",
    "rbp_residual_loss",
    "rbp_score",
    "rbp_scorer",
    "recall_at_k_score",
    "recall_at_k_scorer",
    "recall_curve",
    "sampled_score",
    "sampled_scorer",
    "serendipity_score",
    "serendipity_scorer",
    "spearman_score",
    "spearman_scorer",
    "subtopic_recall_score",
    "subtopic_recall_scorer",
    "tail_share_score",
    "tail_share_scorer",
    "tie_report",
    "unique_groups",
]

# Imported when first asked for, with scikit-learn: metrics alone start without it.
_HOMES = {
    "SHARED": "._scorers.mistaken",
    "BaseScorer": "._scorers.base",
    "ExposureScorer": "._scorers.exposure_scorer",
    "GroupScorer": "._group_scorer",
    "IntentScorer": "._scorers.intent_scorer",
    "ListScorer": "._scorers.list_scorer",
    "ListeningScorer": "._scorers.listening",
    "RankingScorer": "._scorers.ranking",
    "SampledScorer": "._scorers.sampled_scorer",
    "StrataScorer": "._scorers.strata_scorer",
    "ask_model": "._scorers.prepared",
    "find_labels": "._scorers.labels",
    "find_for_rankings": "._scorers.mistaken",
    "find_meant": "._scorers.mistaken",
    "get_scorer": "._scorers.by_name",
    "get_scorer_names": "._scorers.by_name",
    "group_score": "._group_score",
    "make_group_scorer": "._group_scorer",
    "prepare_rows": "._scorers.prepared",
    "ranking_scorer": "._scorers.by_name",
    "read_scorer": "._scorers.by_name",
    "score_model": "._scorers.prepared",
    "score_prepared": "._scorers.prepared",
}


if not TYPE_CHECKING:  # pragma: no branch - type checkers know the names that are there

    def __getattr__(name: str) -> Any:
        """Import a name with what it needs when it is first asked for; say where other names are."""
        return find_missing(__name__, name, __all__, _HOMES)

    def __dir__() -> list[str]:
        return sorted({*globals(), *__all__})
