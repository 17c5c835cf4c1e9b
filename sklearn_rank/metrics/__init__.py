"""Ranking metrics as functions of labels, scores and query ids, and scorers made from them."""

from typing import Any

from .._checks import find_missing

# Formulas, in the order of the table of metrics.
# isort: off
from ._dcg import dcg_score, dcg_scorer
from ._ndcg import ndcg_score, ndcg_scorer
from ._average import MetricValues, divide_exact, scale_weights
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

from ._average import take_logs
from ._by_id import take_by_index
from ._by_query import ScoredQueries, align_labels, align_weights, score_queries
from ._calibration import calibration_loss, neg_calibration_loss_scorer
from ._cautions import (
    CAUTIONS,
    Finding,
    caution_facts,
    caution_labels,
    caution_sampled,
    find_cautions,
    give_caution,
    without_cautions,
)
from ._compute import conclude_lists
from ._counts import Counts, pile
from ._cutoff_curves import (
    CURVE_STEMS,
    curve_moments,
    f1_curve,
    hit_rate_curve,
    map_curve,
    ndcg_curve,
    precision_curve,
    recall_curve,
)
from ._diversity import (
    diversity_score,
    diversity_scorer,
    intra_list_similarity_score,
    neg_intra_list_similarity_scorer,
)
from ._exact_sum import ExactSum, exact_dot
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
from ._facts import Facts
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
from ._libraries.spell import list_names
from ._libraries.trec_eval import TREC_MEASURES
from ._names import (
    ask,
    build_requests,
    check_tables,
    find_beside_metric,
    is_metric_name,
    parse_name,
)
from ._novelty import novelty_score, novelty_scorer
from ._personalization import personalization_score, personalization_scorer
from ._ranking_scores import ranking_scores
from ._ranks import ranks
from ._rate_curves import group_roc_curve, interpolated_precision_curve
from ._rbo import overlap_at_k_score, rbo_score
from ._requests import Given, Request, check_kept, keep_plain
from ._sampled import sampled_score, sampled_scorer
from ._serendipity import serendipity_score, serendipity_scorer
from ._table import METRICS, Tables
from ._tail import (
    average_popularity_score,
    neg_average_popularity_scorer,
    tail_share_score,
    tail_share_scorer,
)
from ._tie_report import TieReport, tie_report
from ._unique_groups import take_ids, unique_groups

# Imported when first asked for, with scikit-learn: metrics alone start without it.
_HOMES = {
    "RankingScorer": "._scorers.scorer",
    "ask_model": "._scorers.prepared",
    "find_labels": "._scorers.inputs",
    "get_scorer": "._scorers.by_name",
    "get_scorer_names": "._scorers.by_name",
    "group_score": "._group_score",
    "is_ranking": "._scorers.scorer",
    "make_group_scorer": "._group_scorer",
    "prepare_rows": "._scorers.prepared",
    "ranking_scorer": "._scorers.by_name",
    "read_scorer": "._scorers.by_name",
    "score_model": "._scorers.prepared",
    "score_prepared": "._scorers.prepared",
}


# Type checkers and editors read the names and their types in the stub, `__init__.pyi`.
OTHERS = """
Explanation RankingScorer TieReport explain exposure_by_owner get_scorer get_scorer_names group_score
is_metric_name make_group_scorer ranking_scorer ranking_scores ranks tie_report unique_groups
"""
ENDS = ("_curve", "_loss", "_score", "_scorer")
__all__ = ["METRICS", *sorted([*OTHERS.split(), *(name for name in globals() if name.endswith(ENDS))])]


def __getattr__(name: str) -> Any:
    """Import a name with what it needs when it is first asked for; say where other names are."""
    return find_missing(__name__, name, __all__, _HOMES)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
