"""Types of `sklearn_rank.metrics`, written by ``python -m tests.stub``."""
from typing import overload
import numpy as np
from collections.abc import Callable
from collections.abc import Mapping
from sklearn_rank._checks.missed import MissedLabels
from sklearn_rank._checks.types import ArrayLike
from sklearn_rank._checks.types import Average
from sklearn_rank._checks.types import Denominator
from sklearn_rank._checks.types import Discount
from sklearn_rank._checks.types import Features
from sklearn_rank._checks.types import Gain
from sklearn_rank._checks.types import ListTieRule
from sklearn_rank._checks.types import MaxGrade
from sklearn_rank._checks.types import MeanAverage
from sklearn_rank._checks.types import Metrics
from sklearn_rank._checks.types import Normalize
from sklearn_rank._checks.types import PlainAverage
from sklearn_rank._checks.types import RatioAverage
from sklearn_rank._checks.types import RatioDenominator
from sklearn_rank._checks.types import ResponseMethod
from sklearn_rank._checks.types import TieRule
from sklearn_rank._checks.types import Unjudged
from sklearn_rank._checks.types import UnjudgedIntent
from sklearn_rank.metrics._average import Counts as Counts
from sklearn_rank.metrics._average import ExactSum as ExactSum
from sklearn_rank.metrics._average import LOWER as LOWER
from sklearn_rank.metrics._average import MetricValues as MetricValues
from sklearn_rank.metrics._average import OWN_NAME as OWN_NAME
from sklearn_rank.metrics._average import divide_exact as divide_exact
from sklearn_rank.metrics._average import exact_dot as exact_dot
from sklearn_rank.metrics._average import pile as pile
from sklearn_rank.metrics._average import scale_weights as scale_weights
from sklearn_rank.metrics._average import take_logs as take_logs
from sklearn_rank.metrics._compute import check_labels as check_labels
from sklearn_rank.metrics._compute import conclude_lists as conclude_lists
from sklearn_rank.metrics._compute import leave_out_units as leave_out_units
from sklearn_rank.metrics._compute import split_labels as split_labels
from sklearn_rank.metrics._curves import group_roc_curve as group_roc_curve
from sklearn_rank.metrics._curves import interpolated_precision_curve as interpolated_precision_curve
from sklearn_rank.metrics._cutoff_curves import CURVE_STEMS as CURVE_STEMS
from sklearn_rank.metrics._cutoff_curves import curve_moments as curve_moments
from sklearn_rank.metrics._explain import explain as explain
from sklearn_rank.metrics._explain import explain_with as explain_with
from sklearn_rank.metrics._factory import complete_docstrings as complete_docstrings
from sklearn_rank.metrics._group_score import make_group_scorer as make_group_scorer
from sklearn_rank.metrics._label_warnings import CAUTIONS as CAUTIONS
from sklearn_rank.metrics._label_warnings import Facts as Facts
from sklearn_rank.metrics._label_warnings import Finding as Finding
from sklearn_rank.metrics._label_warnings import caution_facts as caution_facts
from sklearn_rank.metrics._label_warnings import caution_labels as caution_labels
from sklearn_rank.metrics._label_warnings import find_cautions as find_cautions
from sklearn_rank.metrics._label_warnings import give_caution as give_caution
from sklearn_rank.metrics._label_warnings import without_cautions as without_cautions
from sklearn_rank.metrics._libraries.library_names import list_names as list_names
from sklearn_rank.metrics._libraries.retrieval import TREC_10_ROWS as TREC_10_ROWS
from sklearn_rank.metrics._libraries.retrieval import TREC_MEASURES as TREC_MEASURES
from sklearn_rank.metrics._lists.diversity import Similarity
from sklearn_rank.metrics._lists.diversity import catalog_coverage_score as catalog_coverage_score
from sklearn_rank.metrics._lists.diversity import exposure_gini_loss as exposure_gini_loss
from sklearn_rank.metrics._lists.diversity import personalization_score as personalization_score
from sklearn_rank.metrics._lists.history import History
from sklearn_rank.metrics._lists.popularity import Popularity
from sklearn_rank.metrics._names import build_requests as build_requests
from sklearn_rank.metrics._names import check_tables as check_tables
from sklearn_rank.metrics._names import find_metric_with_inputs as find_metric_with_inputs
from sklearn_rank.metrics._names import is_metric_name as is_metric_name
from sklearn_rank.metrics._names import list_needs as list_needs
from sklearn_rank.metrics._names import merge_options as merge_options
from sklearn_rank.metrics._names import parse_name as parse_name
from sklearn_rank.metrics._prepared_input import is_by_id as is_by_id
from sklearn_rank.metrics._prepared_input import show_index as show_index
from sklearn_rank.metrics._prepared_input import take_by_id as take_by_id
from sklearn_rank.metrics._prepared_input import take_by_index as take_by_index
from sklearn_rank.metrics._prepared_input import unique_groups as unique_groups
from sklearn_rank.metrics._query_values import FINGERPRINT as FINGERPRINT
from sklearn_rank.metrics._query_values import ScoredQueries as ScoredQueries
from sklearn_rank.metrics._query_values import align_labels as align_labels
from sklearn_rank.metrics._query_values import align_weights as align_weights
from sklearn_rank.metrics._query_values import check_kept as check_kept
from sklearn_rank.metrics._query_values import score_column as score_column
from sklearn_rank.metrics._query_values import score_queries as score_queries
from sklearn_rank.metrics._ranking_scores import SHARED as SHARED
from sklearn_rank.metrics._ranking_scores import TieReport as TieReport
from sklearn_rank.metrics._ranking_scores import tie_report as tie_report
from sklearn_rank.metrics._requests import can_request as can_request
from sklearn_rank.metrics._requests import name_entries as name_entries
from sklearn_rank.metrics._requests import read_entries as read_entries
from sklearn_rank.metrics._requests import read_labels as read_labels
from sklearn_rank.metrics._requests import request_entries as request_entries
from sklearn_rank.metrics._requests import request_metrics as request_metrics
from sklearn_rank.metrics._run_depths import note_depths as note_depths
from sklearn_rank.metrics._run_depths import warn_of_depths as warn_of_depths
from sklearn_rank.metrics._scorers.by_name import check_missed as check_missed
from sklearn_rank.metrics._scorers.by_name import get_scorer as get_scorer
from sklearn_rank.metrics._scorers.by_name import get_scorer_names as get_scorer_names
from sklearn_rank.metrics._scorers.by_name import predict_for as predict_for
from sklearn_rank.metrics._scorers.by_name import prepare_rows as prepare_rows
from sklearn_rank.metrics._scorers.by_name import ranking_scorer as ranking_scorer
from sklearn_rank.metrics._scorers.by_name import read_scorer as read_scorer
from sklearn_rank.metrics._scorers.by_name import score_model as score_model
from sklearn_rank.metrics._scorers.by_name import score_prepared as score_prepared
from sklearn_rank.metrics._scorers.by_name import with_scale as with_scale
from sklearn_rank.metrics._scorers.input_columns import check_once as check_once
from sklearn_rank.metrics._scorers.input_columns import find_labels as find_labels
from sklearn_rank.metrics._scorers.responses import CHANGE_METHODS as CHANGE_METHODS
from sklearn_rank.metrics._scorers.responses import check_response as check_response
from sklearn_rank.metrics._scorers.responses import mark_positive as mark_positive
from sklearn_rank.metrics._scorers.responses import with_classes as with_classes
from sklearn_rank.metrics._scorers.scorer import RankingScorer as RankingScorer
from sklearn_rank.metrics._scorers.scorer import is_ranking as is_ranking
from sklearn_rank.metrics._scorers.scorer import with_callback as with_callback
from sklearn_rank.metrics._table import Given as Given
from sklearn_rank.metrics._table import METRICS as METRICS
from sklearn_rank.metrics._table import NEED_ALL as NEED_ALL
from sklearn_rank.metrics._table import Request as Request
from sklearn_rank.metrics._table import Tables as Tables
from sklearn_rank.metrics._table import keep_label_metrics as keep_label_metrics
from sklearn_rank.metrics._two_rankings import OverlapTies
from sklearn_rank.metrics._two_rankings import Variant
from sklearn_rank.metrics._two_rankings import ranks as ranks
from typing import Any
from typing import Literal
__all__ = ['Missed', 'RankingScorer', 'alpha_ndcg_score', 'alpha_ndcg_scorer', 'average_popularity_loss', 'average_rank_loss', 'bpr_loss', 'bpref_score', 'bpref_scorer', 'calibration_loss', 'catalog_coverage_score', 'catalog_coverage_scorer', 'dcg_score', 'dcg_scorer', 'diversity_score', 'diversity_scorer', 'err_ia_score', 'err_ia_scorer', 'err_score', 'err_scorer', 'explain', 'exposure_gini_loss', 'f1_at_k_score', 'f1_at_k_scorer', 'fallout_at_k_loss', 'get_scorer', 'get_scorer_names', 'group_auc_score', 'group_auc_scorer', 'group_roc_curve', 'group_score', 'hit_rate_at_k_score', 'hit_rate_at_k_scorer', 'infap_score', 'infap_scorer', 'insq_score', 'insq_scorer', 'intent_aware_score', 'intent_aware_scorer', 'interpolated_precision_curve', 'intra_list_similarity_loss', 'judged_at_k_score', 'judged_at_k_scorer', 'kendall_tau_ap_score', 'kendall_tau_ap_scorer', 'kendall_tau_score', 'kendall_tau_scorer', 'make_group_scorer', 'map_at_r_score', 'map_at_r_scorer', 'map_curve', 'map_score', 'map_scorer', 'mrr_score', 'mrr_scorer', 'ndcg_curve', 'ndcg_score', 'ndcg_scorer', 'neg_average_popularity_loss_scorer', 'neg_average_rank_loss_scorer', 'neg_bpr_loss_scorer', 'neg_calibration_loss_scorer', 'neg_exposure_gini_loss_scorer', 'neg_fallout_at_k_loss_scorer', 'neg_intra_list_similarity_loss_scorer', 'neg_rank_sum_loss_scorer', 'neg_rbp_residual_loss_scorer', 'novelty_score', 'novelty_scorer', 'nrbp_score', 'nrbp_scorer', 'overlap_at_k_score', 'pairwise_accuracy_score', 'pairwise_accuracy_scorer', 'pearson_score', 'pearson_scorer', 'personalization_score', 'personalization_scorer', 'precision_at_k_score', 'precision_at_k_scorer', 'precision_curve', 'r_precision_score', 'r_precision_scorer', 'rank_sum_loss', 'ranking_scorer', 'ranking_scores', 'ranks', 'rbo_score', 'rbp_residual_loss', 'rbp_score', 'rbp_scorer', 'recall_at_k_score', 'recall_at_k_scorer', 'recall_curve', 'serendipity_score', 'serendipity_scorer', 'spearman_score', 'spearman_scorer', 'subtopic_recall_score', 'subtopic_recall_scorer', 'tail_share_score', 'tail_share_scorer', 'tie_report', 'unique_groups']
@overload
def alpha_ndcg_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    groups: ArrayLike,
    k: int | None = None,
    alpha: float = 0.5,
    normalize: Normalize | None = "ideal",
    discount: Discount = "log2",
    min_relevance: float = 1,
    ties: ListTieRule = "average",
    unjudged: UnjudgedIntent = "raise",
    zero_division: float = 0.0,
    average: Average = "macro",
    sample_weight: ArrayLike | None = None,
) -> float: ...
@overload
def alpha_ndcg_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    groups: ArrayLike,
    k: int | None = None,
    alpha: float = 0.5,
    normalize: Normalize | None = "ideal",
    discount: Discount = "log2",
    min_relevance: float = 1,
    ties: ListTieRule = "average",
    unjudged: UnjudgedIntent = "raise",
    zero_division: float = 0.0,
    average: None,
    sample_weight: ArrayLike | None = None,
) -> np.ndarray: ...
def alpha_ndcg_scorer(
    *,
    k: int | None = None,
    intents: str | list[str] = "intents",
    alpha: float = 0.5,
    normalize: Normalize | None = "ideal",
    discount: Discount = "log2",
    min_relevance: float = 1,
    ties: ListTieRule = "average",
    unjudged: UnjudgedIntent = "raise",
    zero_division: float = 0.0,
    average: Average = "macro",
    groups: str | None = None,
    response_method: ResponseMethod = "auto",
    pos_label: object = None,
) -> RankingScorer:
    """Make a scorer from :func:`alpha_ndcg_score`.

    The scorer computes alpha-NDCG for each query and averages it over queries.

    Parameters
    ----------
    k : int, default=None
        Number of top-ranked documents to consider, at least 1. If `None`, all documents are considered.
    intents : str or list of str, default="intents"
        Name under which labels of intents are passed, ``params={"intents": labels}``, or columns of X
        that contain them. The model does not use these columns.
    alpha, normalize, discount, min_relevance, ties, unjudged, zero_division, average
        As in :func:`alpha_ndcg_score`; `average` must not be None.
    groups, response_method, pos_label
        Name of the query ids in the data, the method of the model that is called, and the relevant class: see
        :class:`RankingScorer`.

    Returns
    -------
    RankingScorer
        A callable ``scorer(estimator, X, y, groups=qid)`` that returns a float; higher is better.

    Examples
    --------
    >>> from sklearn_rank.metrics import alpha_ndcg_scorer
    >>> alpha_ndcg_scorer(k=10)
    alpha_ndcg_scorer(k=10)
    """
@overload
def average_popularity_loss(
    items: ArrayLike,
    y_score: ArrayLike,
    *,
    groups: ArrayLike,
    popularity: Popularity,
    k: int | None = None,
    ties: ListTieRule = "average",
    zero_division: float = np.nan,
    average: PlainAverage = "macro",
    sample_weight: ArrayLike | None = None,
) -> float: ...
@overload
def average_popularity_loss(
    items: ArrayLike,
    y_score: ArrayLike,
    *,
    groups: ArrayLike,
    popularity: Popularity,
    k: int | None = None,
    ties: ListTieRule = "average",
    zero_division: float = np.nan,
    average: None,
    sample_weight: ArrayLike | None = None,
) -> np.ndarray: ...
@overload
def average_rank_loss(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    groups: ArrayLike | None = None,
    min_relevance: float = 1,
    ties: TieRule = "average",
    unjudged: Unjudged = "raise",
    zero_division: float = np.nan,
    average: MeanAverage = "macro",
    sample_weight: ArrayLike | None = None,
    missed: MissedLabels | None = None,
) -> float: ...
@overload
def average_rank_loss(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    groups: ArrayLike | None = None,
    min_relevance: float = 1,
    ties: TieRule = "average",
    unjudged: Unjudged = "raise",
    zero_division: float = np.nan,
    average: None,
    sample_weight: ArrayLike | None = None,
    missed: MissedLabels | None = None,
) -> np.ndarray: ...
@overload
def bpr_loss(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    groups: ArrayLike | None = None,
    min_relevance: float = 1,
    unjudged: Unjudged = "raise",
    zero_division: float = np.nan,
    average: PlainAverage = "macro",
    sample_weight: ArrayLike | None = None,
) -> float: ...
@overload
def bpr_loss(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    groups: ArrayLike | None = None,
    min_relevance: float = 1,
    unjudged: Unjudged = "raise",
    zero_division: float = np.nan,
    average: None,
    sample_weight: ArrayLike | None = None,
) -> np.ndarray: ...
@overload
def bpref_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    groups: ArrayLike | None = None,
    min_relevance: float = 1,
    denominator: RatioDenominator = "achievable",
    ties: TieRule = "average",
    unjudged: Unjudged = "raise",
    zero_division: float = 0.0,
    average: Average = "macro",
    sample_weight: ArrayLike | None = None,
    missed: MissedLabels | None = None,
) -> float: ...
@overload
def bpref_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    groups: ArrayLike | None = None,
    min_relevance: float = 1,
    denominator: RatioDenominator = "achievable",
    ties: TieRule = "average",
    unjudged: Unjudged = "raise",
    zero_division: float = 0.0,
    average: None,
    sample_weight: ArrayLike | None = None,
    missed: MissedLabels | None = None,
) -> np.ndarray: ...
def bpref_scorer(
    *,
    min_relevance: float = 1,
    denominator: RatioDenominator = "achievable",
    ties: TieRule = "average",
    unjudged: Unjudged = "raise",
    zero_division: float = 0.0,
    average: Average = "macro",
    missed: MissedLabels | None = None,
    groups: str | None = None,
    labels: str | None = None,
    response_method: ResponseMethod = "auto",
    pos_label: object = None,
) -> RankingScorer:
    """Make a scorer from :func:`bpref_score`.

    The scorer computes binary preference (bpref), averaged over queries.

    Parameters
    ----------
    min_relevance, denominator, ties, unjudged, zero_division, average, missed
        As in :func:`bpref_score`; `average` must not be None.
    groups, labels, response_method, pos_label
        Names of the query ids and of labels other than `y`, the method of the model that is called, and the
        relevant class: see :class:`RankingScorer`.

    Returns
    -------
    RankingScorer
        A callable ``scorer(estimator, X, y, groups=qid)`` that returns a float; higher is better.

    Examples
    --------
    >>> from sklearn_rank.metrics import bpref_scorer
    >>> bpref_scorer()
    RankingScorer(metrics='bpref')
    """
@overload
def calibration_loss(
    X: Features,
    y_score: ArrayLike,
    *,
    groups: ArrayLike,
    history: History,
    k: int | None = None,
    smoothing: float = 0.01,
    discount: Discount = None,
    ties: ListTieRule = "average",
    zero_division: float = np.nan,
    average: PlainAverage = "macro",
    sample_weight: ArrayLike | None = None,
) -> float: ...
@overload
def calibration_loss(
    X: Features,
    y_score: ArrayLike,
    *,
    groups: ArrayLike,
    history: History,
    k: int | None = None,
    smoothing: float = 0.01,
    discount: Discount = None,
    ties: ListTieRule = "average",
    zero_division: float = np.nan,
    average: None,
    sample_weight: ArrayLike | None = None,
) -> np.ndarray: ...
def catalog_coverage_scorer(
    *,
    k: int,
    items: str,
    catalog: int | ArrayLike | None = None,
    ties: ListTieRule = "average",
    groups: str | None = None,
    response_method: ResponseMethod = "auto",
    pos_label: object = None,
) -> RankingScorer:
    """Make a scorer from :func:`catalog_coverage_score`.

    The scorer computes the share of the catalog that is in at least one top k.

    Parameters
    ----------
    k : int
        Number of top-ranked documents to consider, at least 1.
    items : str
        Name of an index level of X or y, or of a column of X, that contains the item ids.
    catalog, ties
        As in :func:`catalog_coverage_score`.
    groups, response_method, pos_label
        Name of the query ids in the data, the method of the model that is called, and the relevant class: see
        :class:`RankingScorer`.

    Returns
    -------
    RankingScorer
        A callable ``scorer(estimator, X, y, groups=qid)`` that returns a float; higher is more varied.

    Examples
    --------
    >>> from sklearn_rank.metrics import catalog_coverage_scorer
    >>> catalog_coverage_scorer(items='item', k=10)
    catalog_coverage_scorer(items='item', k=10)
    """
@overload
def dcg_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    groups: ArrayLike | None = None,
    k: int | None = None,
    gain: Gain = "linear",
    discount: Discount = "log2",
    signed: bool = False,
    ties: TieRule = "average",
    unjudged: Unjudged = "raise",
    average: Average = "macro",
    sample_weight: ArrayLike | None = None,
    missed: MissedLabels | None = None,
) -> float: ...
@overload
def dcg_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    groups: ArrayLike | None = None,
    k: int | None = None,
    gain: Gain = "linear",
    discount: Discount = "log2",
    signed: bool = False,
    ties: TieRule = "average",
    unjudged: Unjudged = "raise",
    average: None,
    sample_weight: ArrayLike | None = None,
    missed: MissedLabels | None = None,
) -> np.ndarray: ...
def dcg_scorer(
    *,
    k: int | None = None,
    gain: Gain = "linear",
    discount: Discount = "log2",
    signed: bool = False,
    ties: TieRule = "average",
    unjudged: Unjudged = "raise",
    average: Average = "macro",
    missed: MissedLabels | None = None,
    groups: str | None = None,
    labels: str | None = None,
    response_method: ResponseMethod = "auto",
    pos_label: object = None,
) -> RankingScorer:
    """Make a scorer from :func:`dcg_score`.

    The scorer computes discounted cumulative gain (DCG), averaged over queries.

    Parameters
    ----------
    k : int, default=None
        Number of top-ranked documents to consider, at least 1. If `None`, all documents are considered.
    gain, discount, signed, ties, unjudged, average, missed
        As in :func:`dcg_score`; `average` must not be None.
    groups, labels, response_method, pos_label
        Names of the query ids and of labels other than `y`, the method of the model that is called, and the
        relevant class: see :class:`RankingScorer`.

    Returns
    -------
    RankingScorer
        A callable ``scorer(estimator, X, y, groups=qid)`` that returns a float; higher is better.

    Examples
    --------
    >>> from sklearn_rank.metrics import dcg_scorer
    >>> dcg_scorer(k=10)
    RankingScorer(metrics='dcg@10')
    """
@overload
def diversity_score(
    X: Features,
    y_score: ArrayLike,
    *,
    groups: ArrayLike,
    k: int | None = None,
    similarity: Similarity = "cosine",
    ties: ListTieRule = "average",
    zero_division: float = np.nan,
    average: Average = "macro",
    sample_weight: ArrayLike | None = None,
) -> float: ...
@overload
def diversity_score(
    X: Features,
    y_score: ArrayLike,
    *,
    groups: ArrayLike,
    k: int | None = None,
    similarity: Similarity = "cosine",
    ties: ListTieRule = "average",
    zero_division: float = np.nan,
    average: None,
    sample_weight: ArrayLike | None = None,
) -> np.ndarray: ...
def diversity_scorer(
    *,
    k: int,
    columns: ArrayLike | None = None,
    similarity: Similarity = "cosine",
    ties: ListTieRule = "average",
    zero_division: float = np.nan,
    average: Average = "macro",
    groups: str | None = None,
    response_method: ResponseMethod = "auto",
    pos_label: object = None,
) -> RankingScorer:
    """Make a scorer from :func:`diversity_score`.

    The scorer computes 1 minus the mean similarity of item pairs in each top k and averages it over queries.

    Parameters
    ----------
    k : int
        Number of top-ranked documents to consider, at least 1.
    columns : list, default=None
        Columns of X that are features of the item: names, or indices for an array. If `None`, all columns.
    similarity, ties, zero_division, average
        As in :func:`diversity_score`; `average` must not be None.
    groups, response_method, pos_label
        Name of the query ids in the data, the method of the model that is called, and the relevant class: see
        :class:`RankingScorer`.

    Returns
    -------
    RankingScorer
        A callable ``scorer(estimator, X, y, groups=qid)`` that returns a float; higher is more diverse.

    Examples
    --------
    >>> from sklearn_rank.metrics import diversity_scorer
    >>> diversity_scorer(columns=['genre', 'year'], k=10)
    diversity_scorer(columns=['genre', 'year'], k=10)
    """
@overload
def err_ia_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    groups: ArrayLike,
    k: int | None = None,
    gain: Gain = "exponential",
    max_grade: float | None = None,
    normalize: Normalize | None = None,
    intent_weight: ArrayLike | None = None,
    ties: ListTieRule = "average",
    unjudged: UnjudgedIntent = "raise",
    zero_division: float = 0.0,
    average: Average = "macro",
    sample_weight: ArrayLike | None = None,
) -> float: ...
@overload
def err_ia_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    groups: ArrayLike,
    k: int | None = None,
    gain: Gain = "exponential",
    max_grade: float | None = None,
    normalize: Normalize | None = None,
    intent_weight: ArrayLike | None = None,
    ties: ListTieRule = "average",
    unjudged: UnjudgedIntent = "raise",
    zero_division: float = 0.0,
    average: None,
    sample_weight: ArrayLike | None = None,
) -> np.ndarray: ...
def err_ia_scorer(
    *,
    k: int | None = None,
    intents: str | list[str] = "intents",
    gain: Gain = "exponential",
    max_grade: float | None = None,
    normalize: Normalize | None = None,
    intent_weight: ArrayLike | None = None,
    ties: ListTieRule = "average",
    unjudged: UnjudgedIntent = "raise",
    zero_division: float = 0.0,
    average: Average = "macro",
    groups: str | None = None,
    response_method: ResponseMethod = "auto",
    pos_label: object = None,
) -> RankingScorer:
    """Make a scorer from :func:`err_ia_score`.

    The scorer computes intent-aware expected reciprocal rank (ERR-IA) for each query and averages it over queries.

    Parameters
    ----------
    k : int, default=None
        Number of top-ranked documents to consider, at least 1. If `None`, all documents are considered.
    intents : str or list of str, default="intents"
        Name under which labels of intents are passed, ``params={"intents": labels}``, or columns of X
        that contain them. The model does not use these columns.
    intent_weight : array-like of shape (n_intents,), default=None
        Weight of each intent, on any scale. If `None`, all intents have the same weight.
    gain, max_grade, normalize, ties, unjudged, zero_division, average
        As in :func:`err_ia_score`; `average` must not be None.
    groups, response_method, pos_label
        Name of the query ids in the data, the method of the model that is called, and the relevant class: see
        :class:`RankingScorer`.

    Returns
    -------
    RankingScorer
        A callable ``scorer(estimator, X, y, groups=qid)`` that returns a float; higher is better.

    Examples
    --------
    >>> from sklearn_rank.metrics import err_ia_scorer
    >>> err_ia_scorer(k=10)
    err_ia_scorer(k=10)
    """
@overload
def err_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    groups: ArrayLike | None = None,
    k: int | None = None,
    gain: Gain = "exponential",
    max_grade: float | None = None,
    discount: Discount = "reciprocal",
    ties: TieRule = "average",
    unjudged: Unjudged = "raise",
    zero_division: float = 0.0,
    average: Average = "macro",
    sample_weight: ArrayLike | None = None,
    missed: MissedLabels | None = None,
) -> float: ...
@overload
def err_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    groups: ArrayLike | None = None,
    k: int | None = None,
    gain: Gain = "exponential",
    max_grade: float | None = None,
    discount: Discount = "reciprocal",
    ties: TieRule = "average",
    unjudged: Unjudged = "raise",
    zero_division: float = 0.0,
    average: None,
    sample_weight: ArrayLike | None = None,
    missed: MissedLabels | None = None,
) -> np.ndarray: ...
def err_scorer(
    *,
    k: int | None = None,
    gain: Gain = "exponential",
    max_grade: float | None = None,
    discount: Discount = "reciprocal",
    ties: TieRule = "average",
    unjudged: Unjudged = "raise",
    zero_division: float = 0.0,
    average: Average = "macro",
    missed: MissedLabels | None = None,
    groups: str | None = None,
    labels: str | None = None,
    response_method: ResponseMethod = "auto",
    pos_label: object = None,
) -> RankingScorer:
    """Make a scorer from :func:`err_score`.

    The scorer computes expected reciprocal rank (ERR), averaged over queries.

    Parameters
    ----------
    k : int, default=None
        Number of top-ranked documents to consider, at least 1. If `None`, all documents are considered.
    gain, max_grade, discount, ties, unjudged, zero_division, average, missed
        As in :func:`err_score`; `average` must not be None.
    groups, labels, response_method, pos_label
        Names of the query ids and of labels other than `y`, the method of the model that is called, and the
        relevant class: see :class:`RankingScorer`.

    Returns
    -------
    RankingScorer
        A callable ``scorer(estimator, X, y, groups=qid)`` that returns a float; higher is better.

    Examples
    --------
    >>> from sklearn_rank.metrics import err_scorer
    >>> err_scorer(k=10)
    RankingScorer(metrics='err@10')
    """
@overload
def f1_at_k_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    groups: ArrayLike | None = None,
    k: int | None,
    min_relevance: float = 1,
    beta: float = 1.0,
    ties: TieRule = "average",
    unjudged: Unjudged = "raise",
    zero_division: float = 0.0,
    average: RatioAverage = "macro",
    sample_weight: ArrayLike | None = None,
    missed: MissedLabels | None = None,
) -> float: ...
@overload
def f1_at_k_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    groups: ArrayLike | None = None,
    k: int | None,
    min_relevance: float = 1,
    beta: float = 1.0,
    ties: TieRule = "average",
    unjudged: Unjudged = "raise",
    zero_division: float = 0.0,
    average: None,
    sample_weight: ArrayLike | None = None,
    missed: MissedLabels | None = None,
) -> np.ndarray: ...
def f1_at_k_scorer(
    *,
    k: int | None,
    min_relevance: float = 1,
    beta: float = 1.0,
    ties: TieRule = "average",
    unjudged: Unjudged = "raise",
    zero_division: float = 0.0,
    average: RatioAverage = "macro",
    missed: MissedLabels | None = None,
    groups: str | None = None,
    labels: str | None = None,
    response_method: ResponseMethod = "auto",
    pos_label: object = None,
) -> RankingScorer:
    """Make a scorer from :func:`f1_at_k_score`.

    The scorer computes F1 at k, or F-beta, averaged over queries.

    Parameters
    ----------
    k : int
        Number of top-ranked documents to consider, at least 1.
    min_relevance, beta, ties, unjudged, zero_division, average, missed
        As in :func:`f1_at_k_score`; `average` must not be None.
    groups, labels, response_method, pos_label
        Names of the query ids and of labels other than `y`, the method of the model that is called, and the
        relevant class: see :class:`RankingScorer`.

    Returns
    -------
    RankingScorer
        A callable ``scorer(estimator, X, y, groups=qid)`` that returns a float; higher is better.

    Examples
    --------
    >>> from sklearn_rank.metrics import f1_at_k_scorer
    >>> f1_at_k_scorer(k=10)
    RankingScorer(metrics='f1@10')
    """
@overload
def fallout_at_k_loss(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    groups: ArrayLike | None = None,
    k: int | None,
    min_relevance: float = 1,
    ties: TieRule = "average",
    unjudged: Unjudged = "raise",
    zero_division: float = 0.0,
    average: MeanAverage = "macro",
    sample_weight: ArrayLike | None = None,
    missed: MissedLabels | None = None,
) -> float: ...
@overload
def fallout_at_k_loss(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    groups: ArrayLike | None = None,
    k: int | None,
    min_relevance: float = 1,
    ties: TieRule = "average",
    unjudged: Unjudged = "raise",
    zero_division: float = 0.0,
    average: None,
    sample_weight: ArrayLike | None = None,
    missed: MissedLabels | None = None,
) -> np.ndarray: ...
@overload
def group_auc_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    groups: ArrayLike | None = None,
    min_relevance: float = 1,
    max_fpr: float | None = None,
    ties: TieRule = "average",
    unjudged: Unjudged = "raise",
    zero_division: float = np.nan,
    average: Average = "macro",
    weighted_by: Literal['rows', 'relevant'] = "rows",
    sample_weight: ArrayLike | None = None,
    missed: MissedLabels | None = None,
) -> float: ...
@overload
def group_auc_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    groups: ArrayLike | None = None,
    min_relevance: float = 1,
    max_fpr: float | None = None,
    ties: TieRule = "average",
    unjudged: Unjudged = "raise",
    zero_division: float = np.nan,
    average: None,
    weighted_by: Literal['rows', 'relevant'] = "rows",
    sample_weight: ArrayLike | None = None,
    missed: MissedLabels | None = None,
) -> np.ndarray: ...
def group_auc_scorer(
    *,
    min_relevance: float = 1,
    max_fpr: float | None = None,
    ties: TieRule = "average",
    unjudged: Unjudged = "raise",
    zero_division: float = np.nan,
    average: Average = "macro",
    weighted_by: Literal['rows', 'relevant'] = "rows",
    missed: MissedLabels | None = None,
    groups: str | None = None,
    labels: str | None = None,
    response_method: ResponseMethod = "auto",
    pos_label: object = None,
) -> RankingScorer:
    """Make a scorer from :func:`group_auc_score`.

    The scorer computes the area under the ROC curve (AUC) per group, averaged over groups.

    Parameters
    ----------
    min_relevance, max_fpr, ties, unjudged, zero_division, average, weighted_by, missed
        As in :func:`group_auc_score`; `average` must not be None.
    groups, labels, response_method, pos_label
        Names of the query ids and of labels other than `y`, the method of the model that is called, and the
        relevant class: see :class:`RankingScorer`.

    Returns
    -------
    RankingScorer
        A callable ``scorer(estimator, X, y, groups=qid)`` that returns a float; higher is better.

    Examples
    --------
    >>> from sklearn_rank.metrics import group_auc_scorer
    >>> group_auc_scorer()
    RankingScorer(metrics='group_auc')
    """
@overload
def group_score(
    score_func: Callable[..., float],
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    groups: ArrayLike,
    average: PlainAverage = "macro",
    zero_division: float = np.nan,
    sample_weight: ArrayLike | None = None,
    progress: bool = False,
    **kwargs: object,
) -> float: ...
@overload
def group_score(
    score_func: Callable[..., float],
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    groups: ArrayLike,
    average: None,
    zero_division: float = np.nan,
    sample_weight: ArrayLike | None = None,
    progress: bool = False,
    **kwargs: object,
) -> np.ndarray: ...
@overload
def hit_rate_at_k_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    groups: ArrayLike | None = None,
    k: int | None,
    min_relevance: float = 1,
    ties: TieRule = "average",
    unjudged: Unjudged = "raise",
    zero_division: float = 0.0,
    average: Average = "macro",
    sample_weight: ArrayLike | None = None,
    missed: MissedLabels | None = None,
) -> float: ...
@overload
def hit_rate_at_k_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    groups: ArrayLike | None = None,
    k: int | None,
    min_relevance: float = 1,
    ties: TieRule = "average",
    unjudged: Unjudged = "raise",
    zero_division: float = 0.0,
    average: None,
    sample_weight: ArrayLike | None = None,
    missed: MissedLabels | None = None,
) -> np.ndarray: ...
def hit_rate_at_k_scorer(
    *,
    k: int | None,
    min_relevance: float = 1,
    ties: TieRule = "average",
    unjudged: Unjudged = "raise",
    zero_division: float = 0.0,
    average: Average = "macro",
    missed: MissedLabels | None = None,
    groups: str | None = None,
    labels: str | None = None,
    response_method: ResponseMethod = "auto",
    pos_label: object = None,
) -> RankingScorer:
    """Make a scorer from :func:`hit_rate_at_k_score`.

    The scorer computes the hit rate at k, averaged over queries.

    Parameters
    ----------
    k : int
        Number of top-ranked documents to consider, at least 1.
    min_relevance, ties, unjudged, zero_division, average, missed
        As in :func:`hit_rate_at_k_score`; `average` must not be None.
    groups, labels, response_method, pos_label
        Names of the query ids and of labels other than `y`, the method of the model that is called, and the
        relevant class: see :class:`RankingScorer`.

    Returns
    -------
    RankingScorer
        A callable ``scorer(estimator, X, y, groups=qid)`` that returns a float; higher is better.

    Examples
    --------
    >>> from sklearn_rank.metrics import hit_rate_at_k_scorer
    >>> hit_rate_at_k_scorer(k=10)
    RankingScorer(metrics='hit_rate@10')
    """
@overload
def infap_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    groups: ArrayLike | None = None,
    strata: ArrayLike | None = None,
    min_relevance: float = 1,
    prior_precision: float = 0.5,
    ties: TieRule = "average",
    zero_division: float = 0.0,
    average: Average = "macro",
    sample_weight: ArrayLike | None = None,
    missed: MissedLabels | None = None,
) -> float: ...
@overload
def infap_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    groups: ArrayLike | None = None,
    strata: ArrayLike | None = None,
    min_relevance: float = 1,
    prior_precision: float = 0.5,
    ties: TieRule = "average",
    zero_division: float = 0.0,
    average: None,
    sample_weight: ArrayLike | None = None,
    missed: MissedLabels | None = None,
) -> np.ndarray: ...
def infap_scorer(
    *,
    strata: str | None = None,
    min_relevance: float = 1,
    prior_precision: float = 0.5,
    ties: TieRule = "average",
    zero_division: float = 0.0,
    average: Average = "macro",
    missed: MissedLabels | None = None,
    groups: str | None = None,
    labels: str | None = None,
    response_method: ResponseMethod = "auto",
    pos_label: object = None,
) -> RankingScorer:
    """Make a scorer from :func:`infap_score`.

    The scorer computes inferred average precision for each query and averages it over queries.

    Parameters
    ----------
    strata : str, default=None
        Name under which the stratum of each row is passed, ``params={"strata": strata}``, or name of a
        column of X or of an index level. If `None`, all rows are in one stratum.
    min_relevance, prior_precision, ties, zero_division, average, missed
        As in :func:`infap_score`; `average` must not be None.
    groups, labels, response_method, pos_label
        Names of the query ids and of labels other than `y`, the method of the model that is called, and the
        relevant class: see :class:`RankingScorer`.

    Returns
    -------
    RankingScorer
        A callable ``scorer(estimator, X, y, groups=qid)`` that returns a float; higher is better.

    Examples
    --------
    >>> from sklearn_rank.metrics import infap_scorer
    >>> infap_scorer()
    RankingScorer(metrics='infap')
    """
@overload
def insq_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    groups: ArrayLike | None = None,
    k: int | None = None,
    desired_gain: float = 1.0,
    min_relevance: float = 1,
    max_grade: MaxGrade = None,
    ties: TieRule = "average",
    unjudged: Unjudged = "raise",
    zero_division: float = 0.0,
    average: Average = "macro",
    sample_weight: ArrayLike | None = None,
    missed: MissedLabels | None = None,
) -> float: ...
@overload
def insq_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    groups: ArrayLike | None = None,
    k: int | None = None,
    desired_gain: float = 1.0,
    min_relevance: float = 1,
    max_grade: MaxGrade = None,
    ties: TieRule = "average",
    unjudged: Unjudged = "raise",
    zero_division: float = 0.0,
    average: None,
    sample_weight: ArrayLike | None = None,
    missed: MissedLabels | None = None,
) -> np.ndarray: ...
def insq_scorer(
    *,
    k: int | None = None,
    desired_gain: float = 1.0,
    min_relevance: float = 1,
    max_grade: MaxGrade = None,
    ties: TieRule = "average",
    unjudged: Unjudged = "raise",
    zero_division: float = 0.0,
    average: Average = "macro",
    missed: MissedLabels | None = None,
    groups: str | None = None,
    labels: str | None = None,
    response_method: ResponseMethod = "auto",
    pos_label: object = None,
) -> RankingScorer:
    """Make a scorer from :func:`insq_score`.

    The scorer computes the inverse-squares metric (INSQ), averaged over queries.

    Parameters
    ----------
    k : int, default=None
        Number of top-ranked documents to consider, at least 1. If `None`, all documents are considered.
    desired_gain, min_relevance, max_grade, ties, unjudged, zero_division, average, missed
        As in :func:`insq_score`; `average` must not be None.
    groups, labels, response_method, pos_label
        Names of the query ids and of labels other than `y`, the method of the model that is called, and the
        relevant class: see :class:`RankingScorer`.

    Returns
    -------
    RankingScorer
        A callable ``scorer(estimator, X, y, groups=qid)`` that returns a float; higher is better.

    Examples
    --------
    >>> from sklearn_rank.metrics import insq_scorer
    >>> insq_scorer(k=10)
    RankingScorer(metrics='insq@10')
    """
@overload
def intent_aware_score(
    metric: str,
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    groups: ArrayLike,
    intent_weight: ArrayLike | None = None,
    min_relevance: float = 1,
    ties: ListTieRule = "average",
    unjudged: Unjudged = "raise",
    zero_division: float | None = None,
    average: Average = "macro",
    sample_weight: ArrayLike | None = None,
) -> float: ...
@overload
def intent_aware_score(
    metric: str,
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    groups: ArrayLike,
    intent_weight: ArrayLike | None = None,
    min_relevance: float = 1,
    ties: ListTieRule = "average",
    unjudged: Unjudged = "raise",
    zero_division: float | None = None,
    average: None,
    sample_weight: ArrayLike | None = None,
) -> np.ndarray: ...
def intent_aware_scorer(
    metric: str,
    *,
    intents: str | list[str] = "intents",
    intent_weight: ArrayLike | None = None,
    min_relevance: float = 1,
    ties: ListTieRule = "average",
    unjudged: Unjudged = "raise",
    zero_division: float | None = None,
    average: Average = "macro",
    groups: str | None = None,
    response_method: ResponseMethod = "auto",
    pos_label: object = None,
) -> RankingScorer:
    """Make a scorer from :func:`intent_aware_score`.

    The scorer computes the mean of a metric over intents, such as NDCG-IA or MAP-IA, and averages it over queries.

    Parameters
    ----------
    intents : str or list of str, default="intents"
        Name under which labels of intents are passed, ``params={"intents": labels}``, or columns of X
        that contain them. The model does not use these columns.
    intent_weight : array-like of shape (n_intents,), default=None
        Weight of each intent, on any scale. If `None`, all intents have the same weight.
    metric, min_relevance, ties, unjudged, zero_division, average
        As in :func:`intent_aware_score`; `average` must not be None.
    groups, response_method, pos_label
        Name of the query ids in the data, the method of the model that is called, and the relevant class: see
        :class:`RankingScorer`.

    Returns
    -------
    RankingScorer
        A callable ``scorer(estimator, X, y, groups=qid)`` that returns a float; higher is better.

    Examples
    --------
    >>> from sklearn_rank.metrics import intent_aware_scorer
    >>> intent_aware_scorer(metric='ndcg@10')
    intent_aware_scorer(metric='ndcg@10')
    """
@overload
def intra_list_similarity_loss(
    X: Features,
    y_score: ArrayLike,
    *,
    groups: ArrayLike,
    k: int | None = None,
    similarity: Similarity = "cosine",
    ties: ListTieRule = "average",
    zero_division: float = np.nan,
    average: PlainAverage = "macro",
    sample_weight: ArrayLike | None = None,
) -> float: ...
@overload
def intra_list_similarity_loss(
    X: Features,
    y_score: ArrayLike,
    *,
    groups: ArrayLike,
    k: int | None = None,
    similarity: Similarity = "cosine",
    ties: ListTieRule = "average",
    zero_division: float = np.nan,
    average: None,
    sample_weight: ArrayLike | None = None,
) -> np.ndarray: ...
@overload
def judged_at_k_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    groups: ArrayLike | None = None,
    k: int | None,
    ties: TieRule = "average",
    zero_division: float = 0.0,
    average: Average = "macro",
    sample_weight: ArrayLike | None = None,
    missed: MissedLabels | None = None,
) -> float: ...
@overload
def judged_at_k_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    groups: ArrayLike | None = None,
    k: int | None,
    ties: TieRule = "average",
    zero_division: float = 0.0,
    average: None,
    sample_weight: ArrayLike | None = None,
    missed: MissedLabels | None = None,
) -> np.ndarray: ...
def judged_at_k_scorer(
    *,
    k: int | None,
    ties: TieRule = "average",
    zero_division: float = 0.0,
    average: Average = "macro",
    missed: MissedLabels | None = None,
    groups: str | None = None,
    labels: str | None = None,
    response_method: ResponseMethod = "auto",
    pos_label: object = None,
) -> RankingScorer:
    """Make a scorer from :func:`judged_at_k_score`.

    The scorer computes the share of judged documents in the top k, averaged over queries.

    Parameters
    ----------
    k : int
        Number of top-ranked documents to consider, at least 1.
    ties, zero_division, average, missed
        As in :func:`judged_at_k_score`; `average` must not be None.
    groups, labels, response_method, pos_label
        Names of the query ids and of labels other than `y`, the method of the model that is called, and the
        relevant class: see :class:`RankingScorer`.

    Returns
    -------
    RankingScorer
        A callable ``scorer(estimator, X, y, groups=qid)`` that returns a float; higher is better.

    Examples
    --------
    >>> from sklearn_rank.metrics import judged_at_k_scorer
    >>> judged_at_k_scorer(k=10)
    RankingScorer(metrics='judged@10')
    """
@overload
def kendall_tau_ap_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    groups: ArrayLike | None = None,
    ties: TieRule = "average",
    unjudged: Unjudged = "raise",
    zero_division: float = np.nan,
    average: PlainAverage = "macro",
    sample_weight: ArrayLike | None = None,
    missed: MissedLabels | None = None,
) -> float: ...
@overload
def kendall_tau_ap_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    groups: ArrayLike | None = None,
    ties: TieRule = "average",
    unjudged: Unjudged = "raise",
    zero_division: float = np.nan,
    average: None,
    sample_weight: ArrayLike | None = None,
    missed: MissedLabels | None = None,
) -> np.ndarray: ...
def kendall_tau_ap_scorer(
    *,
    ties: TieRule = "average",
    unjudged: Unjudged = "raise",
    zero_division: float = np.nan,
    average: PlainAverage = "macro",
    missed: MissedLabels | None = None,
    groups: str | None = None,
    labels: str | None = None,
    response_method: ResponseMethod = "auto",
    pos_label: object = None,
) -> RankingScorer:
    """Make a scorer from :func:`kendall_tau_ap_score`.

    The scorer computes the AP correlation of labels and scores, averaged over queries.

    Parameters
    ----------
    ties, unjudged, zero_division, average, missed
        As in :func:`kendall_tau_ap_score`; `average` must not be None.
    groups, labels, response_method, pos_label
        Names of the query ids and of labels other than `y`, the method of the model that is called, and the
        relevant class: see :class:`RankingScorer`.

    Returns
    -------
    RankingScorer
        A callable ``scorer(estimator, X, y, groups=qid)`` that returns a float; higher is better.

    Examples
    --------
    >>> from sklearn_rank.metrics import kendall_tau_ap_scorer
    >>> kendall_tau_ap_scorer()
    RankingScorer(metrics='kendall_tau_ap')
    """
@overload
def kendall_tau_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    groups: ArrayLike | None = None,
    unjudged: Unjudged = "raise",
    zero_division: float = np.nan,
    average: PlainAverage = "macro",
    sample_weight: ArrayLike | None = None,
    missed: MissedLabels | None = None,
) -> float: ...
@overload
def kendall_tau_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    groups: ArrayLike | None = None,
    unjudged: Unjudged = "raise",
    zero_division: float = np.nan,
    average: None,
    sample_weight: ArrayLike | None = None,
    missed: MissedLabels | None = None,
) -> np.ndarray: ...
def kendall_tau_scorer(
    *,
    unjudged: Unjudged = "raise",
    zero_division: float = np.nan,
    average: PlainAverage = "macro",
    missed: MissedLabels | None = None,
    groups: str | None = None,
    labels: str | None = None,
    response_method: ResponseMethod = "auto",
    pos_label: object = None,
) -> RankingScorer:
    """Make a scorer from :func:`kendall_tau_score`.

    The scorer computes Kendall's tau-b of labels and scores, averaged over queries.

    Parameters
    ----------
    unjudged, zero_division, average, missed
        As in :func:`kendall_tau_score`; `average` must not be None.
    groups, labels, response_method, pos_label
        Names of the query ids and of labels other than `y`, the method of the model that is called, and the
        relevant class: see :class:`RankingScorer`.

    Returns
    -------
    RankingScorer
        A callable ``scorer(estimator, X, y, groups=qid)`` that returns a float; higher is better.

    Examples
    --------
    >>> from sklearn_rank.metrics import kendall_tau_scorer
    >>> kendall_tau_scorer()
    RankingScorer(metrics='kendall_tau')
    """
@overload
def map_at_r_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    groups: ArrayLike | None = None,
    min_relevance: float = 1,
    ties: TieRule = "average",
    unjudged: Unjudged = "raise",
    zero_division: float = 0.0,
    average: Average = "macro",
    sample_weight: ArrayLike | None = None,
    missed: MissedLabels | None = None,
) -> float: ...
@overload
def map_at_r_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    groups: ArrayLike | None = None,
    min_relevance: float = 1,
    ties: TieRule = "average",
    unjudged: Unjudged = "raise",
    zero_division: float = 0.0,
    average: None,
    sample_weight: ArrayLike | None = None,
    missed: MissedLabels | None = None,
) -> np.ndarray: ...
def map_at_r_scorer(
    *,
    min_relevance: float = 1,
    ties: TieRule = "average",
    unjudged: Unjudged = "raise",
    zero_division: float = 0.0,
    average: Average = "macro",
    missed: MissedLabels | None = None,
    groups: str | None = None,
    labels: str | None = None,
    response_method: ResponseMethod = "auto",
    pos_label: object = None,
) -> RankingScorer:
    """Make a scorer from :func:`map_at_r_score`.

    The scorer computes mean average precision at R (MAP@R) over queries.

    Parameters
    ----------
    min_relevance, ties, unjudged, zero_division, average, missed
        As in :func:`map_at_r_score`; `average` must not be None.
    groups, labels, response_method, pos_label
        Names of the query ids and of labels other than `y`, the method of the model that is called, and the
        relevant class: see :class:`RankingScorer`.

    Returns
    -------
    RankingScorer
        A callable ``scorer(estimator, X, y, groups=qid)`` that returns a float; higher is better.

    Examples
    --------
    >>> from sklearn_rank.metrics import map_at_r_scorer
    >>> map_at_r_scorer()
    RankingScorer(metrics='map_at_r')
    """
def map_curve(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    groups: ArrayLike | None = None,
    max_k: int | None = None,
    min_relevance: float = 1,
    denominator: RatioDenominator = "achievable",
    ties: TieRule = "average",
    unjudged: Unjudged = "raise",
    zero_division: float = 0.0,
    average: PlainAverage | None = "macro",
    sample_weight: ArrayLike | None = None,
    missed: MissedLabels | None = None,
) -> tuple[np.ndarray, np.ndarray]:
    """Compute mean average precision at every cutoff, in one pass.

    The curve is a mean over queries; ``average="micro"`` is not supported.

    Parameters
    ----------
    y_true, y_score, groups, min_relevance, ties, unjudged, zero_division, sample_weight, missed
        As in :func:`map_score`.
    denominator : {"achievable", "relevant"}, default="achievable"
        As in :func:`map_score`, without "hits".
    average : {"macro", "weighted"} or None, default="macro"
        How to average over queries: "macro" gives each query the same weight, "weighted" weights queries by
        their number of rows. If `None`, return the value of each query, in the order of :func:`unique_groups`.
    max_k : int, default=None
        Largest cutoff. If `None`, the number of documents of the longest query.

    Returns
    -------
    k : ndarray of int of shape (max_k,)
        Cutoffs 1, 2, ..., `max_k`.
    map : ndarray of shape (max_k,), or (n_queries, max_k) with ``average=None``
        ``map_score(..., k=k)`` for each cutoff, including cutoffs beyond the end of a list.

    Raises
    ------
    ValueError
        If an argument is invalid, for example if `groups` is missing for 1-D input or if `y_true` contains NaN
        and ``unjudged="raise"``.

    Examples
    --------
    >>> from sklearn_rank.metrics import map_curve
    >>> k, map = map_curve([[1, 0, 1]], [[3, 2, 1]])
    >>> k, map.round(3)
    (array([1, 2, 3]), array([1.   , 0.5  , 0.833]))
    """
@overload
def map_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    groups: ArrayLike | None = None,
    k: int | None = None,
    min_relevance: float = 1,
    denominator: Denominator = "achievable",
    ties: TieRule = "average",
    unjudged: Unjudged = "raise",
    zero_division: float = 0.0,
    average: Average = "macro",
    sample_weight: ArrayLike | None = None,
    missed: MissedLabels | None = None,
) -> float: ...
@overload
def map_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    groups: ArrayLike | None = None,
    k: int | None = None,
    min_relevance: float = 1,
    denominator: Denominator = "achievable",
    ties: TieRule = "average",
    unjudged: Unjudged = "raise",
    zero_division: float = 0.0,
    average: None,
    sample_weight: ArrayLike | None = None,
    missed: MissedLabels | None = None,
) -> np.ndarray: ...
def map_scorer(
    *,
    k: int | None = None,
    min_relevance: float = 1,
    denominator: Denominator = "achievable",
    ties: TieRule = "average",
    unjudged: Unjudged = "raise",
    zero_division: float = 0.0,
    average: Average = "macro",
    missed: MissedLabels | None = None,
    groups: str | None = None,
    labels: str | None = None,
    response_method: ResponseMethod = "auto",
    pos_label: object = None,
) -> RankingScorer:
    """Make a scorer from :func:`map_score`.

    The scorer computes mean average precision (MAP) over queries.

    Parameters
    ----------
    k : int, default=None
        Number of top-ranked documents to consider, at least 1. If `None`, all documents are considered.
    min_relevance, denominator, ties, unjudged, zero_division, average, missed
        As in :func:`map_score`; `average` must not be None.
    groups, labels, response_method, pos_label
        Names of the query ids and of labels other than `y`, the method of the model that is called, and the
        relevant class: see :class:`RankingScorer`.

    Returns
    -------
    RankingScorer
        A callable ``scorer(estimator, X, y, groups=qid)`` that returns a float; higher is better.

    Examples
    --------
    >>> from sklearn_rank.metrics import map_scorer
    >>> map_scorer(k=10)
    RankingScorer(metrics='map@10')
    """
@overload
def mrr_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    groups: ArrayLike | None = None,
    k: int | None = None,
    min_relevance: float = 1,
    ties: TieRule = "average",
    unjudged: Unjudged = "raise",
    zero_division: float = 0.0,
    average: Average = "macro",
    sample_weight: ArrayLike | None = None,
    missed: MissedLabels | None = None,
) -> float: ...
@overload
def mrr_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    groups: ArrayLike | None = None,
    k: int | None = None,
    min_relevance: float = 1,
    ties: TieRule = "average",
    unjudged: Unjudged = "raise",
    zero_division: float = 0.0,
    average: None,
    sample_weight: ArrayLike | None = None,
    missed: MissedLabels | None = None,
) -> np.ndarray: ...
def mrr_scorer(
    *,
    k: int | None = None,
    min_relevance: float = 1,
    ties: TieRule = "average",
    unjudged: Unjudged = "raise",
    zero_division: float = 0.0,
    average: Average = "macro",
    missed: MissedLabels | None = None,
    groups: str | None = None,
    labels: str | None = None,
    response_method: ResponseMethod = "auto",
    pos_label: object = None,
) -> RankingScorer:
    """Make a scorer from :func:`mrr_score`.

    The scorer computes mean reciprocal rank (MRR) over queries.

    Parameters
    ----------
    k : int, default=None
        Number of top-ranked documents to consider, at least 1. If `None`, all documents are considered.
    min_relevance, ties, unjudged, zero_division, average, missed
        As in :func:`mrr_score`; `average` must not be None.
    groups, labels, response_method, pos_label
        Names of the query ids and of labels other than `y`, the method of the model that is called, and the
        relevant class: see :class:`RankingScorer`.

    Returns
    -------
    RankingScorer
        A callable ``scorer(estimator, X, y, groups=qid)`` that returns a float; higher is better.

    Examples
    --------
    >>> from sklearn_rank.metrics import mrr_scorer
    >>> mrr_scorer(k=10)
    RankingScorer(metrics='mrr@10')
    """
def ndcg_curve(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    groups: ArrayLike | None = None,
    max_k: int | None = None,
    gain: Gain = "linear",
    discount: Discount = "log2",
    ties: TieRule = "average",
    unjudged: Unjudged = "raise",
    zero_division: float = 0.0,
    average: PlainAverage | None = "macro",
    sample_weight: ArrayLike | None = None,
    missed: MissedLabels | None = None,
) -> tuple[np.ndarray, np.ndarray]:
    """Compute NDCG at every cutoff, in one pass.

    The curve is a mean over queries; ``average="micro"`` is not supported.

    Parameters
    ----------
    y_true, y_score, groups, gain, discount, ties, unjudged, zero_division, sample_weight, missed
        As in :func:`ndcg_score`.
    average : {"macro", "weighted"} or None, default="macro"
        How to average over queries: "macro" gives each query the same weight, "weighted" weights queries by
        their number of rows. If `None`, return the value of each query, in the order of :func:`unique_groups`.
    max_k : int, default=None
        Largest cutoff. If `None`, the number of documents of the longest query.

    Returns
    -------
    k : ndarray of int of shape (max_k,)
        Cutoffs 1, 2, ..., `max_k`.
    ndcg : ndarray of shape (max_k,), or (n_queries, max_k) with ``average=None``
        ``ndcg_score(..., k=k)`` for each cutoff, including cutoffs beyond the end of a list.

    Raises
    ------
    ValueError
        If an argument is invalid, for example if `groups` is missing for 1-D input or if `y_true` contains NaN
        and ``unjudged="raise"``.

    Examples
    --------
    >>> from sklearn_rank.metrics import ndcg_curve
    >>> k, ndcg = ndcg_curve([[1, 0, 1]], [[3, 2, 1]])
    >>> k, ndcg.round(3)
    (array([1, 2, 3]), array([1.   , 0.613, 0.92 ]))
    """
@overload
def ndcg_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    groups: ArrayLike | None = None,
    k: int | None = None,
    gain: Gain = "linear",
    discount: Discount = "log2",
    ideal: Literal['judged', 'full'] = "judged",
    ties: TieRule = "average",
    unjudged: Unjudged = "raise",
    zero_division: float = 0.0,
    average: Average = "macro",
    sample_weight: ArrayLike | None = None,
    missed: MissedLabels | None = None,
) -> float: ...
@overload
def ndcg_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    groups: ArrayLike | None = None,
    k: int | None = None,
    gain: Gain = "linear",
    discount: Discount = "log2",
    ideal: Literal['judged', 'full'] = "judged",
    ties: TieRule = "average",
    unjudged: Unjudged = "raise",
    zero_division: float = 0.0,
    average: None,
    sample_weight: ArrayLike | None = None,
    missed: MissedLabels | None = None,
) -> np.ndarray: ...
def ndcg_scorer(
    *,
    k: int | None = None,
    gain: Gain = "linear",
    discount: Discount = "log2",
    ideal: Literal['judged', 'full'] = "judged",
    ties: TieRule = "average",
    unjudged: Unjudged = "raise",
    zero_division: float = 0.0,
    average: Average = "macro",
    missed: MissedLabels | None = None,
    groups: str | None = None,
    labels: str | None = None,
    response_method: ResponseMethod = "auto",
    pos_label: object = None,
) -> RankingScorer:
    """Make a scorer from :func:`ndcg_score`.

    The scorer computes normalized discounted cumulative gain (NDCG), averaged over queries.

    Parameters
    ----------
    k : int, default=None
        Number of top-ranked documents to consider, at least 1. If `None`, all documents are considered.
    gain, discount, ideal, ties, unjudged, zero_division, average, missed
        As in :func:`ndcg_score`; `average` must not be None.
    groups, labels, response_method, pos_label
        Names of the query ids and of labels other than `y`, the method of the model that is called, and the
        relevant class: see :class:`RankingScorer`.

    Returns
    -------
    RankingScorer
        A callable ``scorer(estimator, X, y, groups=qid)`` that returns a float; higher is better.

    Examples
    --------
    >>> from sklearn_rank.metrics import ndcg_scorer
    >>> ndcg_scorer(k=10)
    RankingScorer(metrics='ndcg@10')
    """
def neg_average_popularity_loss_scorer(
    *,
    k: int,
    items: str,
    popularity: Popularity,
    ties: ListTieRule = "average",
    zero_division: float = np.nan,
    average: PlainAverage = "macro",
    groups: str | None = None,
    response_method: ResponseMethod = "auto",
    pos_label: object = None,
) -> RankingScorer:
    """Make a scorer from :func:`average_popularity_loss`.

    The scorer computes the mean popularity of the items in each top k and averages it over queries.

    Parameters
    ----------
    k : int
        Number of top-ranked documents to consider, at least 1.
    items : str
        Name of an index level of X or y, or of a column of X, that contains the item ids.
    popularity, ties, zero_division, average
        As in :func:`average_popularity_loss`; `average` must not be None.
    groups, response_method, pos_label
        Name of the query ids in the data, the method of the model that is called, and the relevant class: see
        :class:`RankingScorer`.

    Returns
    -------
    RankingScorer
        A callable ``scorer(estimator, X, y, groups=qid)`` that returns a float; the negated value, so that
        higher means less popular items.

    Examples
    --------
    >>> from sklearn_rank.metrics import neg_average_popularity_loss_scorer
    >>> neg_average_popularity_loss_scorer(items='item', k=10, popularity={'a': 0.5})
    neg_average_popularity_loss_scorer(items='item', k=10, popularity={'a': 0.5})
    """
def neg_average_rank_loss_scorer(
    *,
    min_relevance: float = 1,
    ties: TieRule = "average",
    unjudged: Unjudged = "raise",
    zero_division: float = np.nan,
    average: MeanAverage = "macro",
    missed: MissedLabels | None = None,
    groups: str | None = None,
    labels: str | None = None,
    response_method: ResponseMethod = "auto",
    pos_label: object = None,
) -> RankingScorer:
    """Make a scorer from :func:`average_rank_loss`.

    The scorer computes the mean rank of relevant documents, averaged over queries.

    Parameters
    ----------
    min_relevance, ties, unjudged, zero_division, average, missed
        As in :func:`average_rank_loss`; `average` must not be None.
    groups, labels, response_method, pos_label
        Names of the query ids and of labels other than `y`, the method of the model that is called, and the
        relevant class: see :class:`RankingScorer`.

    Returns
    -------
    RankingScorer
        A callable ``scorer(estimator, X, y, groups=qid)`` that returns a float; the negated value, so that
        higher is better.

    Examples
    --------
    >>> from sklearn_rank.metrics import neg_average_rank_loss_scorer
    >>> neg_average_rank_loss_scorer()
    RankingScorer(metrics='neg_average_rank_loss')
    """
def neg_bpr_loss_scorer(
    *,
    min_relevance: float = 1,
    unjudged: Unjudged = "raise",
    zero_division: float = np.nan,
    average: PlainAverage = "macro",
    groups: str | None = None,
    labels: str | None = None,
    response_method: ResponseMethod = "auto",
    pos_label: object = None,
) -> RankingScorer:
    """Make a scorer from :func:`bpr_loss`.

    The scorer computes the Bayesian personalized ranking (BPR) loss, averaged over queries.

    Parameters
    ----------
    min_relevance, unjudged, zero_division, average
        As in :func:`bpr_loss`; `average` must not be None.
    groups, labels, response_method, pos_label
        Names of the query ids and of labels other than `y`, the method of the model that is called, and the
        relevant class: see :class:`RankingScorer`.

    Returns
    -------
    RankingScorer
        A callable ``scorer(estimator, X, y, groups=qid)`` that returns a float; the negated value, so that
        higher is better.

    Examples
    --------
    >>> from sklearn_rank.metrics import neg_bpr_loss_scorer
    >>> neg_bpr_loss_scorer()
    RankingScorer(metrics='neg_bpr_loss')
    """
def neg_calibration_loss_scorer(
    *,
    k: int,
    history: tuple[Any, ArrayLike],
    columns: ArrayLike | None = None,
    smoothing: float = 0.01,
    discount: Discount = None,
    ties: ListTieRule = "average",
    zero_division: float = np.nan,
    average: PlainAverage = "macro",
    groups: str | None = None,
    response_method: ResponseMethod = "auto",
    pos_label: object = None,
) -> RankingScorer:
    """Make a scorer from :func:`calibration_loss`.

    The scorer computes the divergence of the genres in each top k from the user's history and averages it over queries.

    Parameters
    ----------
    k : int
        Number of top-ranked documents to consider, at least 1.
    columns : list, default=None
        Columns of X that are features of the item: names, or indices for an array. If `None`, all columns.
    history : tuple (features, ids)
        Past items of the users: their features, of shape (n_past_rows, n_features), and the query id of
        each row.
    smoothing, discount, ties, zero_division, average
        As in :func:`calibration_loss`; `average` must not be None.
    groups, response_method, pos_label
        Name of the query ids in the data, the method of the model that is called, and the relevant class: see
        :class:`RankingScorer`.

    Returns
    -------
    RankingScorer
        A callable ``scorer(estimator, X, y, groups=qid)`` that returns a float; the negated value, so that
        higher is better.

    Examples
    --------
    >>> from sklearn_rank.metrics import neg_calibration_loss_scorer
    >>> neg_calibration_loss_scorer(columns=['genre', 'year'], k=10, history=([[1, 0], [0, 1]], ['ann', 'bob']))
    neg_calibration_loss_scorer(columns=['genre', 'year'], k=10, history=([[1, 0], [0, 1]], ['ann', 'bob']))
    """
def neg_exposure_gini_loss_scorer(
    *,
    k: int,
    items: str,
    catalog: int | ArrayLike | None = None,
    discount: Discount = None,
    ties: ListTieRule = "average",
    groups: str | None = None,
    response_method: ResponseMethod = "auto",
    pos_label: object = None,
) -> RankingScorer:
    """Make a scorer from :func:`exposure_gini_loss`.

    The scorer computes the Gini coefficient of the exposure of items.

    Parameters
    ----------
    k : int
        Number of top-ranked documents to consider, at least 1.
    items : str
        Name of an index level of X or y, or of a column of X, that contains the item ids.
    catalog, discount, ties
        As in :func:`exposure_gini_loss`.
    groups, response_method, pos_label
        Name of the query ids in the data, the method of the model that is called, and the relevant class: see
        :class:`RankingScorer`.

    Returns
    -------
    RankingScorer
        A callable ``scorer(estimator, X, y, groups=qid)`` that returns a float; the negated value, so that
        higher is more even.

    Examples
    --------
    >>> from sklearn_rank.metrics import neg_exposure_gini_loss_scorer
    >>> neg_exposure_gini_loss_scorer(items='item', k=10)
    neg_exposure_gini_loss_scorer(items='item', k=10)
    """
def neg_fallout_at_k_loss_scorer(
    *,
    k: int | None,
    min_relevance: float = 1,
    ties: TieRule = "average",
    unjudged: Unjudged = "raise",
    zero_division: float = 0.0,
    average: MeanAverage = "macro",
    missed: MissedLabels | None = None,
    groups: str | None = None,
    labels: str | None = None,
    response_method: ResponseMethod = "auto",
    pos_label: object = None,
) -> RankingScorer:
    """Make a scorer from :func:`fallout_at_k_loss`.

    The scorer computes fallout at k, averaged over queries.

    Parameters
    ----------
    k : int
        Number of top-ranked documents to consider, at least 1.
    min_relevance, ties, unjudged, zero_division, average, missed
        As in :func:`fallout_at_k_loss`; `average` must not be None.
    groups, labels, response_method, pos_label
        Names of the query ids and of labels other than `y`, the method of the model that is called, and the
        relevant class: see :class:`RankingScorer`.

    Returns
    -------
    RankingScorer
        A callable ``scorer(estimator, X, y, groups=qid)`` that returns a float; the negated value, so that
        higher is better.

    Examples
    --------
    >>> from sklearn_rank.metrics import neg_fallout_at_k_loss_scorer
    >>> neg_fallout_at_k_loss_scorer(k=10)
    RankingScorer(metrics='neg_fallout_loss@10')
    """
def neg_intra_list_similarity_loss_scorer(
    *,
    k: int,
    columns: ArrayLike | None = None,
    similarity: Similarity = "cosine",
    ties: ListTieRule = "average",
    zero_division: float = np.nan,
    average: PlainAverage = "macro",
    groups: str | None = None,
    response_method: ResponseMethod = "auto",
    pos_label: object = None,
) -> RankingScorer:
    """Make a scorer from :func:`intra_list_similarity_loss`.

    The scorer computes the mean similarity of item pairs in each top k and averages it over queries.

    Parameters
    ----------
    k : int
        Number of top-ranked documents to consider, at least 1.
    columns : list, default=None
        Columns of X that are features of the item: names, or indices for an array. If `None`, all columns.
    similarity, ties, zero_division, average
        As in :func:`intra_list_similarity_loss`; `average` must not be None.
    groups, response_method, pos_label
        Name of the query ids in the data, the method of the model that is called, and the relevant class: see
        :class:`RankingScorer`.

    Returns
    -------
    RankingScorer
        A callable ``scorer(estimator, X, y, groups=qid)`` that returns a float; the negated value, so that
        higher is more diverse.

    Examples
    --------
    >>> from sklearn_rank.metrics import neg_intra_list_similarity_loss_scorer
    >>> neg_intra_list_similarity_loss_scorer(columns=['genre', 'year'], k=10)
    neg_intra_list_similarity_loss_scorer(columns=['genre', 'year'], k=10)
    """
def neg_rank_sum_loss_scorer(
    *,
    signed: bool = False,
    ties: TieRule = "average",
    unjudged: Unjudged = "raise",
    average: PlainAverage = "macro",
    missed: MissedLabels | None = None,
    groups: str | None = None,
    labels: str | None = None,
    response_method: ResponseMethod = "auto",
    pos_label: object = None,
) -> RankingScorer:
    """Make a scorer from :func:`rank_sum_loss`.

    The scorer computes the sum of the ranks of relevant documents, averaged over queries.

    Parameters
    ----------
    signed, ties, unjudged, average, missed
        As in :func:`rank_sum_loss`; `average` must not be None.
    groups, labels, response_method, pos_label
        Names of the query ids and of labels other than `y`, the method of the model that is called, and the
        relevant class: see :class:`RankingScorer`.

    Returns
    -------
    RankingScorer
        A callable ``scorer(estimator, X, y, groups=qid)`` that returns a float; the negated value, so that
        higher is better.

    Examples
    --------
    >>> from sklearn_rank.metrics import neg_rank_sum_loss_scorer
    >>> neg_rank_sum_loss_scorer()
    RankingScorer(metrics='neg_rank_sum_loss')
    """
def neg_rbp_residual_loss_scorer(
    *,
    k: int | None = None,
    p: float = 0.8,
    ties: TieRule = "average",
    average: PlainAverage = "macro",
    missed: MissedLabels | None = None,
    groups: str | None = None,
    labels: str | None = None,
    response_method: ResponseMethod = "auto",
    pos_label: object = None,
) -> RankingScorer:
    """Make a scorer from :func:`rbp_residual_loss`.

    The scorer computes the residual of rank-biased precision, averaged over queries.

    Parameters
    ----------
    k : int, default=None
        Number of top-ranked documents to consider, at least 1. If `None`, all documents are considered.
    p, ties, average, missed
        As in :func:`rbp_residual_loss`; `average` must not be None.
    groups, labels, response_method, pos_label
        Names of the query ids and of labels other than `y`, the method of the model that is called, and the
        relevant class: see :class:`RankingScorer`.

    Returns
    -------
    RankingScorer
        A callable ``scorer(estimator, X, y, groups=qid)`` that returns a float; the negated value, so that
        higher is better.

    Examples
    --------
    >>> from sklearn_rank.metrics import neg_rbp_residual_loss_scorer
    >>> neg_rbp_residual_loss_scorer(k=10)
    RankingScorer(metrics='neg_rbp_residual_loss@10')
    """
@overload
def novelty_score(
    items: ArrayLike,
    y_score: ArrayLike,
    *,
    groups: ArrayLike,
    popularity: Popularity,
    k: int | None = None,
    ties: ListTieRule = "average",
    zero_division: float = np.nan,
    average: Average = "macro",
    sample_weight: ArrayLike | None = None,
) -> float: ...
@overload
def novelty_score(
    items: ArrayLike,
    y_score: ArrayLike,
    *,
    groups: ArrayLike,
    popularity: Popularity,
    k: int | None = None,
    ties: ListTieRule = "average",
    zero_division: float = np.nan,
    average: None,
    sample_weight: ArrayLike | None = None,
) -> np.ndarray: ...
def novelty_scorer(
    *,
    k: int,
    items: str,
    popularity: Popularity,
    ties: ListTieRule = "average",
    zero_division: float = np.nan,
    average: Average = "macro",
    groups: str | None = None,
    response_method: ResponseMethod = "auto",
    pos_label: object = None,
) -> RankingScorer:
    """Make a scorer from :func:`novelty_score`.

    The scorer computes the mean self-information of the items in each top k and averages it over queries.

    Parameters
    ----------
    k : int
        Number of top-ranked documents to consider, at least 1.
    items : str
        Name of an index level of X or y, or of a column of X, that contains the item ids.
    popularity, ties, zero_division, average
        As in :func:`novelty_score`; `average` must not be None.
    groups, response_method, pos_label
        Name of the query ids in the data, the method of the model that is called, and the relevant class: see
        :class:`RankingScorer`.

    Returns
    -------
    RankingScorer
        A callable ``scorer(estimator, X, y, groups=qid)`` that returns a float; higher means less popular items.

    Examples
    --------
    >>> from sklearn_rank.metrics import novelty_scorer
    >>> novelty_scorer(items='item', k=10, popularity={'a': 0.5})
    novelty_scorer(items='item', k=10, popularity={'a': 0.5})
    """
@overload
def nrbp_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    groups: ArrayLike,
    alpha: float = 0.5,
    beta: float = 0.5,
    normalize: Normalize | None = "bound",
    min_relevance: float = 1,
    ties: ListTieRule = "average",
    unjudged: UnjudgedIntent = "raise",
    zero_division: float = 0.0,
    average: Average = "macro",
    sample_weight: ArrayLike | None = None,
) -> float: ...
@overload
def nrbp_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    groups: ArrayLike,
    alpha: float = 0.5,
    beta: float = 0.5,
    normalize: Normalize | None = "bound",
    min_relevance: float = 1,
    ties: ListTieRule = "average",
    unjudged: UnjudgedIntent = "raise",
    zero_division: float = 0.0,
    average: None,
    sample_weight: ArrayLike | None = None,
) -> np.ndarray: ...
def nrbp_scorer(
    *,
    intents: str | list[str] = "intents",
    alpha: float = 0.5,
    beta: float = 0.5,
    normalize: Normalize | None = "bound",
    min_relevance: float = 1,
    ties: ListTieRule = "average",
    unjudged: UnjudgedIntent = "raise",
    zero_division: float = 0.0,
    average: Average = "macro",
    groups: str | None = None,
    response_method: ResponseMethod = "auto",
    pos_label: object = None,
) -> RankingScorer:
    """Make a scorer from :func:`nrbp_score`.

    The scorer computes novelty- and rank-biased precision (NRBP) for each query and averages it over queries.

    Parameters
    ----------
    intents : str or list of str, default="intents"
        Name under which labels of intents are passed, ``params={"intents": labels}``, or columns of X
        that contain them. The model does not use these columns.
    alpha, beta, normalize, min_relevance, ties, unjudged, zero_division, average
        As in :func:`nrbp_score`; `average` must not be None.
    groups, response_method, pos_label
        Name of the query ids in the data, the method of the model that is called, and the relevant class: see
        :class:`RankingScorer`.

    Returns
    -------
    RankingScorer
        A callable ``scorer(estimator, X, y, groups=qid)`` that returns a float; higher is better.

    Examples
    --------
    >>> from sklearn_rank.metrics import nrbp_scorer
    >>> nrbp_scorer()
    nrbp_scorer()
    """
@overload
def overlap_at_k_score(
    y_score_a: ArrayLike,
    y_score_b: ArrayLike,
    *,
    groups: ArrayLike,
    k: int,
    zero_division: float = np.nan,
    average: Average = "macro",
    sample_weight: ArrayLike | None = None,
) -> float: ...
@overload
def overlap_at_k_score(
    y_score_a: ArrayLike,
    y_score_b: ArrayLike,
    *,
    groups: ArrayLike,
    k: int,
    zero_division: float = np.nan,
    average: None,
    sample_weight: ArrayLike | None = None,
) -> np.ndarray: ...
@overload
def pairwise_accuracy_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    groups: ArrayLike | None = None,
    ties: TieRule = "average",
    unjudged: Unjudged = "raise",
    zero_division: float = np.nan,
    average: RatioAverage = "macro",
    sample_weight: ArrayLike | None = None,
    missed: MissedLabels | None = None,
) -> float: ...
@overload
def pairwise_accuracy_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    groups: ArrayLike | None = None,
    ties: TieRule = "average",
    unjudged: Unjudged = "raise",
    zero_division: float = np.nan,
    average: None,
    sample_weight: ArrayLike | None = None,
    missed: MissedLabels | None = None,
) -> np.ndarray: ...
def pairwise_accuracy_scorer(
    *,
    ties: TieRule = "average",
    unjudged: Unjudged = "raise",
    zero_division: float = np.nan,
    average: RatioAverage = "macro",
    missed: MissedLabels | None = None,
    groups: str | None = None,
    labels: str | None = None,
    response_method: ResponseMethod = "auto",
    pos_label: object = None,
) -> RankingScorer:
    """Make a scorer from :func:`pairwise_accuracy_score`.

    The scorer computes the share of correctly ordered pairs, averaged over queries.

    Parameters
    ----------
    ties, unjudged, zero_division, average, missed
        As in :func:`pairwise_accuracy_score`; `average` must not be None.
    groups, labels, response_method, pos_label
        Names of the query ids and of labels other than `y`, the method of the model that is called, and the
        relevant class: see :class:`RankingScorer`.

    Returns
    -------
    RankingScorer
        A callable ``scorer(estimator, X, y, groups=qid)`` that returns a float; higher is better.

    Examples
    --------
    >>> from sklearn_rank.metrics import pairwise_accuracy_scorer
    >>> pairwise_accuracy_scorer()
    RankingScorer(metrics='pairwise_accuracy')
    """
@overload
def pearson_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    groups: ArrayLike | None = None,
    unjudged: Unjudged = "raise",
    zero_division: float = np.nan,
    average: PlainAverage = "macro",
    sample_weight: ArrayLike | None = None,
) -> float: ...
@overload
def pearson_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    groups: ArrayLike | None = None,
    unjudged: Unjudged = "raise",
    zero_division: float = np.nan,
    average: None,
    sample_weight: ArrayLike | None = None,
) -> np.ndarray: ...
def pearson_scorer(
    *,
    unjudged: Unjudged = "raise",
    zero_division: float = np.nan,
    average: PlainAverage = "macro",
    groups: str | None = None,
    labels: str | None = None,
    response_method: ResponseMethod = "auto",
    pos_label: object = None,
) -> RankingScorer:
    """Make a scorer from :func:`pearson_score`.

    The scorer computes Pearson's correlation of labels and scores, averaged over queries.

    Parameters
    ----------
    unjudged, zero_division, average
        As in :func:`pearson_score`; `average` must not be None.
    groups, labels, response_method, pos_label
        Names of the query ids and of labels other than `y`, the method of the model that is called, and the
        relevant class: see :class:`RankingScorer`.

    Returns
    -------
    RankingScorer
        A callable ``scorer(estimator, X, y, groups=qid)`` that returns a float; higher is better.

    Examples
    --------
    >>> from sklearn_rank.metrics import pearson_scorer
    >>> pearson_scorer()
    RankingScorer(metrics='pearson')
    """
def personalization_scorer(
    *,
    k: int,
    items: str,
    ties: ListTieRule = "average",
    groups: str | None = None,
    response_method: ResponseMethod = "auto",
    pos_label: object = None,
) -> RankingScorer:
    """Make a scorer from :func:`personalization_score`.

    The scorer computes 1 minus the mean overlap of the top k of two users, over all pairs of users.

    Parameters
    ----------
    k : int
        Number of top-ranked documents to consider, at least 1.
    items : str
        Name of an index level of X or y, or of a column of X, that contains the item ids.
    ties
        As in :func:`personalization_score`.
    groups, response_method, pos_label
        Name of the query ids in the data, the method of the model that is called, and the relevant class: see
        :class:`RankingScorer`.

    Returns
    -------
    RankingScorer
        A callable ``scorer(estimator, X, y, groups=qid)`` that returns a float; higher is more
        varied.

    Examples
    --------
    >>> from sklearn_rank.metrics import personalization_scorer
    >>> personalization_scorer(items='item', k=10)
    personalization_scorer(items='item', k=10)
    """
@overload
def precision_at_k_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    groups: ArrayLike | None = None,
    k: int | None,
    min_relevance: float = 1,
    adaptive_k: bool = False,
    ties: TieRule = "average",
    unjudged: Unjudged = "raise",
    zero_division: float = 0.0,
    average: RatioAverage = "macro",
    sample_weight: ArrayLike | None = None,
    missed: MissedLabels | None = None,
) -> float: ...
@overload
def precision_at_k_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    groups: ArrayLike | None = None,
    k: int | None,
    min_relevance: float = 1,
    adaptive_k: bool = False,
    ties: TieRule = "average",
    unjudged: Unjudged = "raise",
    zero_division: float = 0.0,
    average: None,
    sample_weight: ArrayLike | None = None,
    missed: MissedLabels | None = None,
) -> np.ndarray: ...
def precision_at_k_scorer(
    *,
    k: int | None,
    min_relevance: float = 1,
    adaptive_k: bool = False,
    ties: TieRule = "average",
    unjudged: Unjudged = "raise",
    zero_division: float = 0.0,
    average: RatioAverage = "macro",
    missed: MissedLabels | None = None,
    groups: str | None = None,
    labels: str | None = None,
    response_method: ResponseMethod = "auto",
    pos_label: object = None,
) -> RankingScorer:
    """Make a scorer from :func:`precision_at_k_score`.

    The scorer computes precision at k, averaged over queries.

    Parameters
    ----------
    k : int
        Number of top-ranked documents to consider, at least 1.
    min_relevance, adaptive_k, ties, unjudged, zero_division, average, missed
        As in :func:`precision_at_k_score`; `average` must not be None.
    groups, labels, response_method, pos_label
        Names of the query ids and of labels other than `y`, the method of the model that is called, and the
        relevant class: see :class:`RankingScorer`.

    Returns
    -------
    RankingScorer
        A callable ``scorer(estimator, X, y, groups=qid)`` that returns a float; higher is better.

    Examples
    --------
    >>> from sklearn_rank.metrics import precision_at_k_scorer
    >>> precision_at_k_scorer(k=10)
    RankingScorer(metrics='precision@10')
    """
def precision_curve(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    groups: ArrayLike | None = None,
    max_k: int | None = None,
    min_relevance: float = 1,
    adaptive_k: bool = False,
    ties: TieRule = "average",
    unjudged: Unjudged = "raise",
    zero_division: float = 0.0,
    average: PlainAverage | None = "macro",
    sample_weight: ArrayLike | None = None,
    missed: MissedLabels | None = None,
) -> tuple[np.ndarray, np.ndarray]:
    """Compute precision at every cutoff, in one pass.

    The curve is a mean over queries; ``average="micro"`` is not supported.

    Parameters
    ----------
    y_true, y_score, groups, min_relevance, adaptive_k, ties, unjudged, zero_division, sample_weight, missed
        As in :func:`precision_at_k_score`.
    average : {"macro", "weighted"} or None, default="macro"
        How to average over queries: "macro" gives each query the same weight, "weighted" weights queries by
        their number of rows. If `None`, return the value of each query, in the order of :func:`unique_groups`.
    max_k : int, default=None
        Largest cutoff. If `None`, the number of documents of the longest query.

    Returns
    -------
    k : ndarray of int of shape (max_k,)
        Cutoffs 1, 2, ..., `max_k`.
    precision : ndarray of shape (max_k,), or (n_queries, max_k) with ``average=None``
        ``precision_at_k_score(..., k=k)`` for each cutoff, including cutoffs beyond the end of a list.

    Raises
    ------
    ValueError
        If an argument is invalid, for example if `groups` is missing for 1-D input or if `y_true` contains NaN
        and ``unjudged="raise"``.

    Examples
    --------
    >>> from sklearn_rank.metrics import precision_curve
    >>> k, precision = precision_curve([[1, 0, 1]], [[3, 2, 1]])
    >>> k, precision.round(3)
    (array([1, 2, 3]), array([1.   , 0.5  , 0.667]))
    """
@overload
def r_precision_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    groups: ArrayLike | None = None,
    min_relevance: float = 1,
    multiple: float = 1.0,
    ties: TieRule = "average",
    unjudged: Unjudged = "raise",
    zero_division: float = 0.0,
    average: Average = "macro",
    sample_weight: ArrayLike | None = None,
    missed: MissedLabels | None = None,
) -> float: ...
@overload
def r_precision_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    groups: ArrayLike | None = None,
    min_relevance: float = 1,
    multiple: float = 1.0,
    ties: TieRule = "average",
    unjudged: Unjudged = "raise",
    zero_division: float = 0.0,
    average: None,
    sample_weight: ArrayLike | None = None,
    missed: MissedLabels | None = None,
) -> np.ndarray: ...
def r_precision_scorer(
    *,
    min_relevance: float = 1,
    multiple: float = 1.0,
    ties: TieRule = "average",
    unjudged: Unjudged = "raise",
    zero_division: float = 0.0,
    average: Average = "macro",
    missed: MissedLabels | None = None,
    groups: str | None = None,
    labels: str | None = None,
    response_method: ResponseMethod = "auto",
    pos_label: object = None,
) -> RankingScorer:
    """Make a scorer from :func:`r_precision_score`.

    The scorer computes R-precision, averaged over queries.

    Parameters
    ----------
    min_relevance, multiple, ties, unjudged, zero_division, average, missed
        As in :func:`r_precision_score`; `average` must not be None.
    groups, labels, response_method, pos_label
        Names of the query ids and of labels other than `y`, the method of the model that is called, and the
        relevant class: see :class:`RankingScorer`.

    Returns
    -------
    RankingScorer
        A callable ``scorer(estimator, X, y, groups=qid)`` that returns a float; higher is better.

    Examples
    --------
    >>> from sklearn_rank.metrics import r_precision_scorer
    >>> r_precision_scorer()
    RankingScorer(metrics='r_precision')
    """
@overload
def rank_sum_loss(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    groups: ArrayLike | None = None,
    signed: bool = False,
    ties: TieRule = "average",
    unjudged: Unjudged = "raise",
    average: PlainAverage = "macro",
    sample_weight: ArrayLike | None = None,
    missed: MissedLabels | None = None,
) -> float: ...
@overload
def rank_sum_loss(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    groups: ArrayLike | None = None,
    signed: bool = False,
    ties: TieRule = "average",
    unjudged: Unjudged = "raise",
    average: None,
    sample_weight: ArrayLike | None = None,
    missed: MissedLabels | None = None,
) -> np.ndarray: ...
@overload
def ranking_scores(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    groups: ArrayLike | None = None,
    metrics: Metrics,
    gain: Gain = "linear",
    discount: Discount = "log2",
    min_relevance: float = 1,
    ties: TieRule = "average",
    unjudged: Unjudged = "raise",
    zero_division: float | None = None,
    average: RatioAverage = "macro",
    sample_weight: ArrayLike | None = None,
    missed: MissedLabels | None = None,
    n_jobs: int | None = None,
    items: ArrayLike | None = None,
    features: Features = None,
    popularity: Popularity | None = None,
    history: History | None = None,
    intents: ArrayLike | None = None,
    strata: ArrayLike | None = None,
    labels: Mapping[str, ArrayLike] | None = None,
) -> dict[str, float]: ...
@overload
def ranking_scores(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    groups: ArrayLike | None = None,
    metrics: Metrics,
    gain: Gain = "linear",
    discount: Discount = "log2",
    min_relevance: float = 1,
    ties: TieRule = "average",
    unjudged: Unjudged = "raise",
    zero_division: float | None = None,
    average: None,
    sample_weight: ArrayLike | None = None,
    missed: MissedLabels | None = None,
    n_jobs: int | None = None,
    items: ArrayLike | None = None,
    features: Features = None,
    popularity: Popularity | None = None,
    history: History | None = None,
    intents: ArrayLike | None = None,
    strata: ArrayLike | None = None,
    labels: Mapping[str, ArrayLike] | None = None,
) -> dict[str, np.ndarray]: ...
@overload
def rbo_score(
    y_score_a: ArrayLike,
    y_score_b: ArrayLike,
    *,
    groups: ArrayLike,
    k: int,
    p: float = 0.9,
    ties: OverlapTies = "a",
    variant: Variant = "ext",
    zero_division: float = np.nan,
    average: Average = "macro",
    sample_weight: ArrayLike | None = None,
) -> float: ...
@overload
def rbo_score(
    y_score_a: ArrayLike,
    y_score_b: ArrayLike,
    *,
    groups: ArrayLike,
    k: int,
    p: float = 0.9,
    ties: OverlapTies = "a",
    variant: Variant = "ext",
    zero_division: float = np.nan,
    average: None,
    sample_weight: ArrayLike | None = None,
) -> np.ndarray: ...
@overload
def rbp_residual_loss(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    groups: ArrayLike | None = None,
    k: int | None = None,
    p: float = 0.8,
    ties: TieRule = "average",
    average: PlainAverage = "macro",
    sample_weight: ArrayLike | None = None,
    missed: MissedLabels | None = None,
) -> float: ...
@overload
def rbp_residual_loss(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    groups: ArrayLike | None = None,
    k: int | None = None,
    p: float = 0.8,
    ties: TieRule = "average",
    average: None,
    sample_weight: ArrayLike | None = None,
    missed: MissedLabels | None = None,
) -> np.ndarray: ...
@overload
def rbp_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    groups: ArrayLike | None = None,
    k: int | None = None,
    p: float = 0.8,
    min_relevance: float = 1,
    max_grade: MaxGrade = None,
    signed: bool = False,
    ties: TieRule = "average",
    unjudged: Unjudged = "raise",
    zero_division: float = 0.0,
    average: Average = "macro",
    sample_weight: ArrayLike | None = None,
    missed: MissedLabels | None = None,
) -> float: ...
@overload
def rbp_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    groups: ArrayLike | None = None,
    k: int | None = None,
    p: float = 0.8,
    min_relevance: float = 1,
    max_grade: MaxGrade = None,
    signed: bool = False,
    ties: TieRule = "average",
    unjudged: Unjudged = "raise",
    zero_division: float = 0.0,
    average: None,
    sample_weight: ArrayLike | None = None,
    missed: MissedLabels | None = None,
) -> np.ndarray: ...
def rbp_scorer(
    *,
    k: int | None = None,
    p: float = 0.8,
    min_relevance: float = 1,
    max_grade: MaxGrade = None,
    signed: bool = False,
    ties: TieRule = "average",
    unjudged: Unjudged = "raise",
    zero_division: float = 0.0,
    average: Average = "macro",
    missed: MissedLabels | None = None,
    groups: str | None = None,
    labels: str | None = None,
    response_method: ResponseMethod = "auto",
    pos_label: object = None,
) -> RankingScorer:
    """Make a scorer from :func:`rbp_score`.

    The scorer computes rank-biased precision (RBP), averaged over queries.

    Parameters
    ----------
    k : int, default=None
        Number of top-ranked documents to consider, at least 1. If `None`, all documents are considered.
    p, min_relevance, max_grade, signed, ties, unjudged, zero_division, average, missed
        As in :func:`rbp_score`; `average` must not be None.
    groups, labels, response_method, pos_label
        Names of the query ids and of labels other than `y`, the method of the model that is called, and the
        relevant class: see :class:`RankingScorer`.

    Returns
    -------
    RankingScorer
        A callable ``scorer(estimator, X, y, groups=qid)`` that returns a float; higher is better.

    Examples
    --------
    >>> from sklearn_rank.metrics import rbp_scorer
    >>> rbp_scorer(k=10)
    RankingScorer(metrics='rbp@10')
    """
@overload
def recall_at_k_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    groups: ArrayLike | None = None,
    k: int | None,
    min_relevance: float = 1,
    denominator: RatioDenominator = "relevant",
    ties: TieRule = "average",
    unjudged: Unjudged = "raise",
    zero_division: float = 0.0,
    average: RatioAverage = "macro",
    sample_weight: ArrayLike | None = None,
    missed: MissedLabels | None = None,
) -> float: ...
@overload
def recall_at_k_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    groups: ArrayLike | None = None,
    k: int | None,
    min_relevance: float = 1,
    denominator: RatioDenominator = "relevant",
    ties: TieRule = "average",
    unjudged: Unjudged = "raise",
    zero_division: float = 0.0,
    average: None,
    sample_weight: ArrayLike | None = None,
    missed: MissedLabels | None = None,
) -> np.ndarray: ...
def recall_at_k_scorer(
    *,
    k: int | None,
    min_relevance: float = 1,
    denominator: RatioDenominator = "relevant",
    ties: TieRule = "average",
    unjudged: Unjudged = "raise",
    zero_division: float = 0.0,
    average: RatioAverage = "macro",
    missed: MissedLabels | None = None,
    groups: str | None = None,
    labels: str | None = None,
    response_method: ResponseMethod = "auto",
    pos_label: object = None,
) -> RankingScorer:
    """Make a scorer from :func:`recall_at_k_score`.

    The scorer computes recall at k, averaged over queries.

    Parameters
    ----------
    k : int
        Number of top-ranked documents to consider, at least 1.
    min_relevance, denominator, ties, unjudged, zero_division, average, missed
        As in :func:`recall_at_k_score`; `average` must not be None.
    groups, labels, response_method, pos_label
        Names of the query ids and of labels other than `y`, the method of the model that is called, and the
        relevant class: see :class:`RankingScorer`.

    Returns
    -------
    RankingScorer
        A callable ``scorer(estimator, X, y, groups=qid)`` that returns a float; higher is better.

    Examples
    --------
    >>> from sklearn_rank.metrics import recall_at_k_scorer
    >>> recall_at_k_scorer(k=10)
    RankingScorer(metrics='recall@10')
    """
def recall_curve(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    groups: ArrayLike | None = None,
    max_k: int | None = None,
    min_relevance: float = 1,
    denominator: RatioDenominator = "relevant",
    ties: TieRule = "average",
    unjudged: Unjudged = "raise",
    zero_division: float = 0.0,
    average: PlainAverage | None = "macro",
    sample_weight: ArrayLike | None = None,
    missed: MissedLabels | None = None,
) -> tuple[np.ndarray, np.ndarray]:
    """Compute recall at every cutoff, in one pass.

    The curve is a mean over queries; ``average="micro"`` is not supported.

    Parameters
    ----------
    y_true, y_score, groups, min_relevance, denominator, ties, unjudged, zero_division, sample_weight, missed
        As in :func:`recall_at_k_score`.
    average : {"macro", "weighted"} or None, default="macro"
        How to average over queries: "macro" gives each query the same weight, "weighted" weights queries by
        their number of rows. If `None`, return the value of each query, in the order of :func:`unique_groups`.
    max_k : int, default=None
        Largest cutoff. If `None`, the number of documents of the longest query.

    Returns
    -------
    k : ndarray of int of shape (max_k,)
        Cutoffs 1, 2, ..., `max_k`.
    recall : ndarray of shape (max_k,), or (n_queries, max_k) with ``average=None``
        ``recall_at_k_score(..., k=k)`` for each cutoff, including cutoffs beyond the end of a list.

    Raises
    ------
    ValueError
        If an argument is invalid, for example if `groups` is missing for 1-D input or if `y_true` contains NaN
        and ``unjudged="raise"``.

    Examples
    --------
    >>> from sklearn_rank.metrics import recall_curve
    >>> k, recall = recall_curve([[1, 0, 1]], [[3, 2, 1]])
    >>> k, recall.round(3)
    (array([1, 2, 3]), array([0.5, 0.5, 1. ]))
    """
@overload
def serendipity_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    groups: ArrayLike,
    X: Features,
    history: History,
    k: int | None = None,
    min_relevance: float = 1,
    ties: ListTieRule = "average",
    zero_division: float = np.nan,
    average: Average = "macro",
    sample_weight: ArrayLike | None = None,
) -> float: ...
@overload
def serendipity_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    groups: ArrayLike,
    X: Features,
    history: History,
    k: int | None = None,
    min_relevance: float = 1,
    ties: ListTieRule = "average",
    zero_division: float = np.nan,
    average: None,
    sample_weight: ArrayLike | None = None,
) -> np.ndarray: ...
def serendipity_scorer(
    *,
    k: int,
    history: tuple[Any, ArrayLike],
    columns: ArrayLike | None = None,
    min_relevance: float = 1,
    ties: ListTieRule = "average",
    zero_division: float = np.nan,
    average: Average = "macro",
    groups: str | None = None,
    response_method: ResponseMethod = "auto",
    pos_label: object = None,
) -> RankingScorer:
    """Make a scorer from :func:`serendipity_score`.

    The scorer computes the serendipity of each top k and averages it over queries.

    Parameters
    ----------
    k : int
        Number of top-ranked documents to consider, at least 1.
    columns : list, default=None
        Columns of X that are features of the item: names, or indices for an array. If `None`, all columns.
    history : tuple (features, ids)
        Past items of the users: their features, of shape (n_past_rows, n_features), and the query id of
        each row.
    min_relevance, ties, zero_division, average
        As in :func:`serendipity_score`; `average` must not be None.
    groups, response_method, pos_label
        Name of the query ids in the data, the method of the model that is called, and the relevant class: see
        :class:`RankingScorer`.

    Returns
    -------
    RankingScorer
        A callable ``scorer(estimator, X, y, groups=qid)`` that returns a float; higher is better.

    Examples
    --------
    >>> from sklearn_rank.metrics import serendipity_scorer
    >>> serendipity_scorer(columns=['genre', 'year'], k=10, history=([[1, 0], [0, 1]], ['ann', 'bob']))
    serendipity_scorer(columns=['genre', 'year'], k=10, history=([[1, 0], [0, 1]], ['ann', 'bob']))
    """
@overload
def spearman_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    groups: ArrayLike | None = None,
    unjudged: Unjudged = "raise",
    zero_division: float = np.nan,
    average: PlainAverage = "macro",
    sample_weight: ArrayLike | None = None,
    missed: MissedLabels | None = None,
) -> float: ...
@overload
def spearman_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    groups: ArrayLike | None = None,
    unjudged: Unjudged = "raise",
    zero_division: float = np.nan,
    average: None,
    sample_weight: ArrayLike | None = None,
    missed: MissedLabels | None = None,
) -> np.ndarray: ...
def spearman_scorer(
    *,
    unjudged: Unjudged = "raise",
    zero_division: float = np.nan,
    average: PlainAverage = "macro",
    missed: MissedLabels | None = None,
    groups: str | None = None,
    labels: str | None = None,
    response_method: ResponseMethod = "auto",
    pos_label: object = None,
) -> RankingScorer:
    """Make a scorer from :func:`spearman_score`.

    The scorer computes Spearman's rank correlation of labels and scores, averaged over queries.

    Parameters
    ----------
    unjudged, zero_division, average, missed
        As in :func:`spearman_score`; `average` must not be None.
    groups, labels, response_method, pos_label
        Names of the query ids and of labels other than `y`, the method of the model that is called, and the
        relevant class: see :class:`RankingScorer`.

    Returns
    -------
    RankingScorer
        A callable ``scorer(estimator, X, y, groups=qid)`` that returns a float; higher is better.

    Examples
    --------
    >>> from sklearn_rank.metrics import spearman_scorer
    >>> spearman_scorer()
    RankingScorer(metrics='spearman')
    """
@overload
def subtopic_recall_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    groups: ArrayLike,
    k: int,
    min_relevance: float = 1,
    ties: ListTieRule = "average",
    unjudged: UnjudgedIntent = "raise",
    zero_division: float = 0.0,
    average: Average = "macro",
    sample_weight: ArrayLike | None = None,
) -> float: ...
@overload
def subtopic_recall_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    groups: ArrayLike,
    k: int,
    min_relevance: float = 1,
    ties: ListTieRule = "average",
    unjudged: UnjudgedIntent = "raise",
    zero_division: float = 0.0,
    average: None,
    sample_weight: ArrayLike | None = None,
) -> np.ndarray: ...
def subtopic_recall_scorer(
    *,
    k: int,
    intents: str | list[str] = "intents",
    min_relevance: float = 1,
    ties: ListTieRule = "average",
    unjudged: UnjudgedIntent = "raise",
    zero_division: float = 0.0,
    average: Average = "macro",
    groups: str | None = None,
    response_method: ResponseMethod = "auto",
    pos_label: object = None,
) -> RankingScorer:
    """Make a scorer from :func:`subtopic_recall_score`.

    The scorer computes the share of intents that are covered by the first `k` documents and averages it over queries.

    Parameters
    ----------
    k : int
        Number of top-ranked documents to consider, at least 1.
    intents : str or list of str, default="intents"
        Name under which labels of intents are passed, ``params={"intents": labels}``, or columns of X
        that contain them. The model does not use these columns.
    min_relevance, ties, unjudged, zero_division, average
        As in :func:`subtopic_recall_score`; `average` must not be None.
    groups, response_method, pos_label
        Name of the query ids in the data, the method of the model that is called, and the relevant class: see
        :class:`RankingScorer`.

    Returns
    -------
    RankingScorer
        A callable ``scorer(estimator, X, y, groups=qid)`` that returns a float; higher is better.

    Examples
    --------
    >>> from sklearn_rank.metrics import subtopic_recall_scorer
    >>> subtopic_recall_scorer(k=10)
    subtopic_recall_scorer(k=10)
    """
@overload
def tail_share_score(
    items: ArrayLike,
    y_score: ArrayLike,
    *,
    groups: ArrayLike,
    popularity: Popularity,
    k: int | None = None,
    tail: float = 0.8,
    ties: ListTieRule = "average",
    zero_division: float = np.nan,
    average: Average = "macro",
    sample_weight: ArrayLike | None = None,
) -> float: ...
@overload
def tail_share_score(
    items: ArrayLike,
    y_score: ArrayLike,
    *,
    groups: ArrayLike,
    popularity: Popularity,
    k: int | None = None,
    tail: float = 0.8,
    ties: ListTieRule = "average",
    zero_division: float = np.nan,
    average: None,
    sample_weight: ArrayLike | None = None,
) -> np.ndarray: ...
def tail_share_scorer(
    *,
    k: int,
    items: str,
    popularity: Popularity,
    tail: float = 0.8,
    ties: ListTieRule = "average",
    zero_division: float = np.nan,
    average: Average = "macro",
    groups: str | None = None,
    response_method: ResponseMethod = "auto",
    pos_label: object = None,
) -> RankingScorer:
    """Make a scorer from :func:`tail_share_score`.

    The scorer computes the share of unpopular items in each top k and averages it over queries.

    Parameters
    ----------
    k : int
        Number of top-ranked documents to consider, at least 1.
    items : str
        Name of an index level of X or y, or of a column of X, that contains the item ids.
    popularity, tail, ties, zero_division, average
        As in :func:`tail_share_score`; `average` must not be None.
    groups, response_method, pos_label
        Name of the query ids in the data, the method of the model that is called, and the relevant class: see
        :class:`RankingScorer`.

    Returns
    -------
    RankingScorer
        A callable ``scorer(estimator, X, y, groups=qid)`` that returns a float; higher means less popular items.

    Examples
    --------
    >>> from sklearn_rank.metrics import tail_share_scorer
    >>> tail_share_scorer(items='item', k=10, popularity={'a': 0.5})
    tail_share_scorer(items='item', k=10, popularity={'a': 0.5})
    """
