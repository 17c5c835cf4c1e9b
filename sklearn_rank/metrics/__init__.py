"""Ranking metrics as functions of labels, scores and query ids, and scorers for them."""

from typing import Any

from .._checks import find_missing

# Files of metrics, in the order of the table.
# isort: off
from . import _gain, _map_and_mrr, _binary, _precision_at_r, _user_models, _document_pairs, _judged
from ._inferred import average_precision as _average_precision
from . import _correlation
from ._lists import diversity as _diversity, popularity as _popularity, history as _history
from ._intents import intent_metrics as _intent_metrics, intent_means as _intent_means
# isort: on

from .._checks.missed import Missed
from ._average import (
    LOWER,
    OWN_NAME,
    Counts,
    ExactSum,
    MetricValues,
    divide_exact,
    exact_dot,
    pile,
    scale_weights,
    take_logs,
)
from ._compute import check_labels, conclude_lists, leave_out_units, split_labels
from ._curves import group_roc_curve, interpolated_precision_curve
from ._cutoff_curves import CURVE_STEMS, curve_moments, map_curve, ndcg_curve, precision_curve, recall_curve
from ._explain import explain, explain_with
from ._factory import complete_docstrings
from ._label_warnings import (
    CAUTIONS,
    Facts,
    Finding,
    caution_facts,
    caution_labels,
    find_cautions,
    give_caution,
    without_cautions,
)
from ._libraries.library_names import list_names
from ._libraries.retrieval import TREC_10_ROWS, TREC_MEASURES
from ._names import (
    build_requests,
    check_tables,
    find_metric_with_inputs,
    is_metric_name,
    list_needs,
    merge_options,
    parse_name,
)
from ._prepared_input import is_by_id, show_index, take_by_id, take_by_index, unique_groups
from ._query_values import (
    FINGERPRINT,
    ScoredQueries,
    align_labels,
    align_weights,
    check_kept,
    score_column,
    score_queries,
)
from ._ranking_scores import SHARED, TieReport, ranking_scores, tie_report
from ._requests import can_request, name_entries, read_entries, read_labels, request_entries, request_metrics
from ._run_depths import note_depths, warn_of_depths
from ._table import METRICS, NEED_ALL, Given, Request, Tables, keep_label_metrics
from ._two_rankings import overlap_at_k_score, ranks, rbo_score

# Imported on first access, because they import scikit-learn, which the metrics alone do not need.
_HOMES = {
    **dict.fromkeys(("RankingScorer", "is_ranking", "with_callback"), "._scorers.scorer"),
    **dict.fromkeys(("predict_for", "prepare_rows", "score_model", "score_prepared"), "._scorers.by_name"),
    **dict.fromkeys(
        ("CHANGE_METHODS", "check_response", "mark_positive", "with_classes"), "._scorers.responses"
    ),
    **dict.fromkeys(("check_missed", "with_scale"), "._scorers.by_name"),
    **dict.fromkeys(("get_scorer", "get_scorer_names", "ranking_scorer", "read_scorer"), "._scorers.by_name"),
    "group_score": "._group_values",
    "make_group_scorer": "._group_score",
    "check_once": "._scorers.input_columns",
    "find_labels": "._scorers.input_columns",
}

for _metric in METRICS.values():
    globals().update({_each.__name__: _each for _each in (_metric.function, _metric.factory)})

# Metrics that describe all their parameters; each refers to those before it.
POPULAR = """
ndcg_score precision_at_k_score recall_at_k_score f1_at_k_score hit_rate_at_k_score map_score mrr_score
group_auc_score dcg_score err_score ranking_scores
"""
complete_docstrings(globals()[_each] for _each in POPULAR.split())

# Type checkers and editors read the names and their types in the stub, `__init__.pyi`.
OTHERS = """
Missed RankingScorer explain get_scorer get_scorer_names group_score make_group_scorer
ranking_scorer ranking_scores ranks tie_report unique_groups
"""
ENDS = ("_curve", "_loss", "_score", "_scorer")
__all__ = sorted([*OTHERS.split(), *(name for name in globals() if name.endswith(ENDS))])


def __getattr__(name: str) -> Any:
    """Import a name on first access, or raise an error that explains where other names are."""
    return find_missing(__name__, name, __all__, _HOMES)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
