"""The table of metrics: from a stem such as "ndcg" to a formula, its parameters and its range."""

from collections.abc import Callable
from functools import cache
from inspect import signature
from math import inf
from typing import Any, NamedTuple

from ._average_precision import MAP, map_score
from ._cascade import ERR, RBP, err_score, rbp_score
from ._compute import Metric
from ._correlation import KENDALL, PEARSON, SPEARMAN, kendall_tau_score, pearson_score, spearman_score
from ._gain import DCG, NDCG, dcg_score, ndcg_score
from ._judgements import (
    BPREF,
    FALLOUT,
    JUDGED,
    bpref_score,
    fallout_at_k_score,
    judged_at_k_score,
)
from ._pairwise import (
    BPR,
    GROUP_AUC,
    PAIRWISE_ACCURACY,
    bpr_loss,
    group_auc_score,
    pairwise_accuracy_score,
)
from ._precision import (
    F1,
    PRECISION,
    R_PRECISION,
    RECALL,
    f1_at_k_score,
    precision_at_k_score,
    r_precision_score,
    recall_at_k_score,
)
from ._reciprocal_rank import HIT_RATE, MRR, hit_rate_at_k_score, mrr_score


@cache
def _defaults(function: Callable[..., Any]) -> dict[str, Any]:
    return {name: value.default for name, value in signature(function).parameters.items()}


class Entry(NamedTuple):
    """One row of the table."""

    metric: Metric
    function: Callable[..., Any]
    cutoff: str  # "optional", "required" or "none" behind the name
    graded: bool = False  # uses the grades of the labels; else relevant or not, or judged or not
    lower: float = 0.0  # the range is [lower, upper]
    upper: float = 1.0
    greater_is_better: bool = True
    own: tuple[str, ...] = ()  # parameters that mean something else than those shared by many metrics

    @property
    def prefix(self) -> str:
        """Return what the name of a scorer begins with."""
        return "" if self.greater_is_better else "neg_"

    @property
    def defaults(self) -> dict[str, Any]:
        """Return the parameters of the function with their defaults."""
        return _defaults(self.function)


METRICS: dict[str, Entry] = {
    "dcg": Entry(DCG, dcg_score, "optional", graded=True, upper=inf),
    "ndcg": Entry(NDCG, ndcg_score, "optional", graded=True),
    "map": Entry(MAP, map_score, "optional"),
    "mrr": Entry(MRR, mrr_score, "optional"),
    "precision": Entry(PRECISION, precision_at_k_score, "required"),
    "recall": Entry(RECALL, recall_at_k_score, "required"),
    "f1": Entry(F1, f1_at_k_score, "required"),
    "hit_rate": Entry(HIT_RATE, hit_rate_at_k_score, "required"),
    "r_precision": Entry(R_PRECISION, r_precision_score, "none"),
    "err": Entry(ERR, err_score, "optional", graded=True, own=("gain", "discount")),
    "rbp": Entry(RBP, rbp_score, "optional"),
    "bpref": Entry(BPREF, bpref_score, "none"),
    "fallout": Entry(FALLOUT, fallout_at_k_score, "required", greater_is_better=False),
    "judged": Entry(JUDGED, judged_at_k_score, "required"),
    "group_auc": Entry(GROUP_AUC, group_auc_score, "none"),
    "pairwise_accuracy": Entry(PAIRWISE_ACCURACY, pairwise_accuracy_score, "none", graded=True),
    "bpr_loss": Entry(BPR, bpr_loss, "none", upper=inf, greater_is_better=False),
    "kendall_tau": Entry(KENDALL, kendall_tau_score, "none", graded=True, lower=-1.0),
    "spearman": Entry(SPEARMAN, spearman_score, "none", graded=True, lower=-1.0),
    "pearson": Entry(PEARSON, pearson_score, "none", graded=True, lower=-1.0),
}

# Options of the whole pass, and what they are unless given.
DEFAULTS = {"ties": "average", "unjudged": "raise", "average": "macro"}
# What is no parameter of a formula.
NOT_PARAMS = ("y_true", "y_score", "groups", *DEFAULTS, "zero_division", "sample_weight")
