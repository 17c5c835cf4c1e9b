"""Ranking metrics, scorers, splitters and rankers that pass query ids through scikit-learn."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from ._checks import FROM_ABOVE, SUBPACKAGES, find_missing
from ._checks.warn import RankingWarning

if TYPE_CHECKING:
    from .datasets import (
        from_embeddings,
        from_factors,
        from_interactions,
        from_recommendations,
        from_run,
        from_score_matrix,
    )
    from .distributed import RankingEvaluator
    from .inspection import evaluate, evaluate_runs, permutation_importance
    from .metrics import (
        catalog_coverage_score,
        catalog_coverage_scorer,
        dcg_score,
        dcg_scorer,
        diversity_score,
        diversity_scorer,
        err_score,
        err_scorer,
        explain,
        f1_at_k_score,
        f1_at_k_scorer,
        get_scorer,
        get_scorer_names,
        group_auc_score,
        group_auc_scorer,
        group_score,
        hit_rate_at_k_score,
        hit_rate_at_k_scorer,
        insq_score,
        insq_scorer,
        intra_list_similarity_loss,
        make_group_scorer,
        map_score,
        map_scorer,
        mrr_score,
        mrr_scorer,
        ndcg_score,
        ndcg_scorer,
        neg_intra_list_similarity_loss_scorer,
        neg_rbp_residual_loss_scorer,
        pairwise_accuracy_score,
        pairwise_accuracy_scorer,
        precision_at_k_score,
        precision_at_k_scorer,
        r_precision_score,
        r_precision_scorer,
        ranking_scorer,
        ranking_scores,
        rbp_residual_loss,
        rbp_score,
        rbp_scorer,
        recall_at_k_score,
        recall_at_k_scorer,
        unique_groups,
    )
    from .model_selection import (
        BalancedGroupKFold,
        GridSearchCV,
        GroupTimeSeriesSplit,
        LeaveLastOut,
        RandomizedSearchCV,
        RepeatedBalancedGroupKFold,
        TimeCut,
        WithGroups,
        WithinGroupKFold,
        cross_val_predict,
        cross_val_report,
        cross_val_score,
        cross_validate,
        learning_curve,
        permutation_test_score,
        train_test_split,
        validation_curve,
    )
    from .reports import Comparison, RankingReport, compare

__version__ = "0.1.0"

__all__ = [
    "BalancedGroupKFold",
    "Comparison",
    "GridSearchCV",
    "GroupTimeSeriesSplit",
    "LeaveLastOut",
    "RandomizedSearchCV",
    "RankingEvaluator",
    "RankingReport",
    "RankingWarning",
    "RepeatedBalancedGroupKFold",
    "TimeCut",
    "WithGroups",
    "WithinGroupKFold",
    "catalog_coverage_score",
    "catalog_coverage_scorer",
    "compare",
    "cross_val_predict",
    "cross_val_report",
    "cross_val_score",
    "cross_validate",
    "dcg_score",
    "dcg_scorer",
    "diversity_score",
    "diversity_scorer",
    "err_score",
    "err_scorer",
    "evaluate",
    "evaluate_runs",
    "explain",
    "f1_at_k_score",
    "f1_at_k_scorer",
    "from_embeddings",
    "from_factors",
    "from_interactions",
    "from_recommendations",
    "from_run",
    "from_score_matrix",
    "get_scorer",
    "get_scorer_names",
    "group_auc_score",
    "group_auc_scorer",
    "group_score",
    "hit_rate_at_k_score",
    "hit_rate_at_k_scorer",
    "insq_score",
    "insq_scorer",
    "intra_list_similarity_loss",
    "learning_curve",
    "make_group_scorer",
    "map_score",
    "map_scorer",
    "mrr_score",
    "mrr_scorer",
    "ndcg_score",
    "ndcg_scorer",
    "neg_intra_list_similarity_loss_scorer",
    "neg_rbp_residual_loss_scorer",
    "pairwise_accuracy_score",
    "pairwise_accuracy_scorer",
    "permutation_importance",
    "permutation_test_score",
    "precision_at_k_score",
    "precision_at_k_scorer",
    "r_precision_score",
    "r_precision_scorer",
    "ranking_scorer",
    "ranking_scores",
    "rbp_residual_loss",
    "rbp_score",
    "rbp_scorer",
    "recall_at_k_score",
    "recall_at_k_scorer",
    "train_test_split",
    "unique_groups",
    "validation_curve",
]


# Reports draw themselves with the displays, which are above them.
FROM_ABOVE["displays"] = lambda: import_module("sklearn_rank.inspection")

# Subpackages to search for a name on first access, so that the package itself starts without scikit-learn.
_SUBPACKAGES = ("metrics", "datasets", "reports", "inspection", "distributed", "model_selection")

if not TYPE_CHECKING:  # pragma: no branch - type checkers use the imports above

    def __getattr__(name: str) -> Any:
        """Import a name or a subpackage on first access, or raise an error that explains where it is."""
        if name not in __all__:
            return find_missing(__name__, name, __all__)
        modules = (import_module(f"{__name__}.{each}") for each in _SUBPACKAGES)
        globals()[name] = value = next(getattr(each, name) for each in modules if name in each.__all__)
        return value

    def __dir__() -> list[str]:
        return sorted({*globals(), *__all__, *SUBPACKAGES})
