"""Ranking metrics as functions of labels, scores and query ids, and scorers made from them."""

from typing import Any

from .._checks import find_missing

# Metrics, in the order of the table.
# isort: off
from ._gain import dcg_score, dcg_scorer, err_score, err_scorer, ndcg_score, ndcg_scorer
from ._binary import (
    f1_at_k_score,
    f1_at_k_scorer,
    hit_rate_at_k_score,
    hit_rate_at_k_scorer,
    map_score,
    map_scorer,
    mrr_score,
    mrr_scorer,
    precision_at_k_score,
    precision_at_k_scorer,
    r_precision_score,
    r_precision_scorer,
    recall_at_k_score,
    recall_at_k_scorer,
)
from ._user_models import (
    insq_score,
    insq_scorer,
    neg_rbp_residual_loss_scorer,
    rbp_residual_loss,
    rbp_score,
    rbp_scorer,
)
from ._document_pairs import (
    average_rank_loss,
    bpr_loss,
    group_auc_score,
    group_auc_scorer,
    neg_average_rank_loss_scorer,
    neg_bpr_loss_scorer,
    neg_rank_sum_loss_scorer,
    pairwise_accuracy_score,
    pairwise_accuracy_scorer,
    rank_sum_loss,
)
from ._judged import (
    bpref_score,
    bpref_scorer,
    fallout_at_k_score,
    judged_at_k_score,
    judged_at_k_scorer,
    neg_fallout_at_k_scorer,
)
from ._inferred.average_precision import infap_score, infap_scorer
from ._correlation import (
    kendall_tau_ap_score,
    kendall_tau_ap_scorer,
    kendall_tau_score,
    kendall_tau_scorer,
    pearson_score,
    pearson_scorer,
    spearman_score,
    spearman_scorer,
)
from ._lists.diversity import (
    diversity_score,
    diversity_scorer,
    intra_list_similarity_score,
    neg_intra_list_similarity_scorer,
)
from ._lists.items import (
    catalog_coverage_score,
    catalog_coverage_scorer,
    exposure_gini_score,
    neg_exposure_gini_scorer,
    personalization_score,
    personalization_scorer,
)
from ._lists.popularity import (
    average_popularity_score,
    neg_average_popularity_scorer,
    novelty_score,
    novelty_scorer,
    tail_share_score,
    tail_share_scorer,
)
from ._lists.history import (
    calibration_loss,
    neg_calibration_loss_scorer,
    serendipity_score,
    serendipity_scorer,
)
from ._intents.fading import (
    alpha_ndcg_score,
    alpha_ndcg_scorer,
    err_ia_score,
    err_ia_scorer,
    nrbp_score,
    nrbp_scorer,
)
from ._intents.expected import (
    intent_aware_score,
    intent_aware_scorer,
    subtopic_recall_score,
    subtopic_recall_scorer,
)
from ._exposure.by_owner import (
    amortized_exposure_loss,
    exposure_by_owner,
    exposure_parity_score,
    exposure_parity_scorer,
    exposure_ratio_score,
    exposure_ratio_scorer,
    neg_amortized_exposure_loss_scorer,
)
from ._exposure.awrf import awrf_score, awrf_scorer
# isort: on

from ._average import MetricValues, divide_exact, scale_weights, take_logs
from ._compute import conclude_lists
from ._correlation import ranks
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
from ._exact_sum import ExactSum, exact_dot
from ._explain import Explanation, explain
from ._label_warnings import (
    CAUTIONS,
    Facts,
    Finding,
    caution_facts,
    caution_labels,
    caution_sampled,
    find_cautions,
    give_caution,
    without_cautions,
)
from ._libraries.library_names import list_names
from ._libraries.trec_eval import TREC_MEASURES
from ._names import (
    ask,
    build_requests,
    check_tables,
    find_beside_metric,
    is_metric_name,
    parse_name,
)
from ._query_ids import take_by_index, take_ids, unique_groups
from ._query_values import ScoredQueries, align_labels, align_weights, score_queries
from ._ranking_scores import ranking_scores
from ._rate_curves import group_roc_curve, interpolated_precision_curve
from ._requests import Given, Request, check_kept, keep_plain
from ._sampled import sampled_score, sampled_scorer
from ._table import METRICS, Tables
from ._tie_report import TieReport, tie_report
from ._two_rankings import overlap_at_k_score, rbo_score

# Imported when first asked for, with scikit-learn: metrics alone start without it.
_HOMES = {
    "RankingScorer": "._scorers.scorer",
    "ask_model": "._scorers.responses",
    "find_labels": "._scorers.input_columns",
    "get_scorer": "._scorers.by_name",
    "get_scorer_names": "._scorers.by_name",
    "group_score": "._group_score",
    "is_ranking": "._scorers.scorer",
    "make_group_scorer": "._group_score",
    "prepare_rows": "._scorers.responses",
    "ranking_scorer": "._scorers.by_name",
    "read_scorer": "._scorers.by_name",
    "score_model": "._scorers.responses",
    "score_prepared": "._scorers.responses",
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
