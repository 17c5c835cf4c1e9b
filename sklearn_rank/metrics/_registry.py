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
    graded: bool = False  # uses the grades of the labels; else relevant or not, or judged or not
    lower: float = 0.0  # the range is [lower, upper]
    upper: float = 1.0
    greater_is_better: bool = True
    own: tuple[str, ...] = ()  # parameters that mean something else than those shared by many metrics

    @property
    def cutoff(self) -> str:
        """Return whether a cutoff behind the name is "optional", "required" or there is "none"."""
        if "k" not in self.defaults:
            return "none"
        return "required" if self.metric.needs_k else "optional"

    @property
    def prefix(self) -> str:
        """Return what the name of a scorer begins with."""
        return "" if self.greater_is_better else "neg_"

    @property
    def factory(self) -> str:
        """Return the name of the factory of scorers, such as ndcg_scorer."""
        return f"{self.prefix}{self.function.__name__.removesuffix('_score')}_scorer"

    @property
    def defaults(self) -> dict[str, Any]:
        """Return the parameters of the function with their defaults."""
        return _defaults(self.function)


METRICS: dict[str, Entry] = {
    "dcg": Entry(DCG, dcg_score, graded=True, upper=inf),
    "ndcg": Entry(NDCG, ndcg_score, graded=True),
    "map": Entry(MAP, map_score),
    "mrr": Entry(MRR, mrr_score),
    "precision": Entry(PRECISION, precision_at_k_score),
    "recall": Entry(RECALL, recall_at_k_score),
    "f1": Entry(F1, f1_at_k_score),
    "hit_rate": Entry(HIT_RATE, hit_rate_at_k_score),
    "r_precision": Entry(R_PRECISION, r_precision_score),
    "err": Entry(ERR, err_score, graded=True, own=("gain", "discount")),
    "rbp": Entry(RBP, rbp_score),
    "bpref": Entry(BPREF, bpref_score),
    "fallout": Entry(FALLOUT, fallout_at_k_score, greater_is_better=False),
    "judged": Entry(JUDGED, judged_at_k_score),
    "group_auc": Entry(GROUP_AUC, group_auc_score),
    "pairwise_accuracy": Entry(PAIRWISE_ACCURACY, pairwise_accuracy_score, graded=True),
    "bpr_loss": Entry(BPR, bpr_loss, upper=inf, greater_is_better=False),
    "kendall_tau": Entry(KENDALL, kendall_tau_score, graded=True, lower=-1.0),
    "spearman": Entry(SPEARMAN, spearman_score, graded=True, lower=-1.0),
    "pearson": Entry(PEARSON, pearson_score, graded=True, lower=-1.0),
}

# Options of the whole pass, and what they are unless given.
DEFAULTS = {"ties": "average", "unjudged": "raise", "average": "macro"}
# What is no parameter of a formula.
NOT_PARAMS = ("y_true", "y_score", "groups", *DEFAULTS, "zero_division", "sample_weight")
