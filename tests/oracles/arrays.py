"""scikit-learn and scipy, query by query or on a padded matrix, and torchmetrics."""

import warnings
from typing import Any

import numpy as np

from tests.helpers import presets

from .compare import Compute, Oracle, Row
from .data import Data, binary, complete, two_classes, untied, varied, with_relevant

# ------------------------------------------------------------------ scikit-learn


def pad(data: Data) -> tuple[np.ndarray, np.ndarray]:
    """Return matrices with a row per query, padded with irrelevant documents below all others."""
    inside = np.arange(max(data.sizes.max(), 2)) < data.sizes[:, None]
    y_true, y_score = np.zeros(inside.shape, dtype=np.int64), np.full(inside.shape, -1e300)
    y_true[inside], y_score[inside] = data.y_true, data.y_score
    return y_true, y_score


def prepare_scikit_learn(data: Data) -> Compute:
    from sklearn import metrics

    y_true, y_score = pad(data)

    def compute(name: str, weighted: bool) -> Any:
        function = getattr(metrics, name.partition("@")[0])
        if name.startswith(("roc_auc", "average_precision")):
            return np.array([function(labels > 0, scores) for labels, scores in data.queries()])
        options = {"k": int(name.partition("@")[2])} if "@" in name else {}
        labels = y_true > 0 if name.startswith("label_ranking") else y_true
        weights = data.weights[data.heads] if weighted else None
        return function(labels, y_score, sample_weight=weights, **options)

    return compute


ONE_WITHOUT_RELEVANT = {"zero_division": 1.0}  # label ranking has the value 1 without a relevant document
SCIKIT_LEARN = Oracle(
    "sklearn",
    prepare_scikit_learn,
    [
        Row(ours, theirs, weighted=weighted)
        for ours, theirs in (
            ("dcg", "dcg_score"),
            ("dcg@5", "dcg_score@5"),
            ("ndcg", "ndcg_score"),
            ("ndcg@5", "ndcg_score@5"),
        )
        for weighted in (False, True)
    ]
    + [
        Row("group_auc", "roc_auc_score", views=(two_classes,)),
        # one threshold for tied scores instead of a mean over their orders
        Row("map", "average_precision_score", views=(untied, with_relevant)),
        *(
            Row("map", "label_ranking_average_precision_score", ONE_WITHOUT_RELEVANT, (untied,), weighted)
            for weighted in (False, True)
        ),
    ],
    views=(complete,),
    presets=presets.SKLEARN,
)

# ------------------------------------------------------------------ scipy


def prepare_scipy(data: Data) -> Compute:
    from scipy import stats

    def compute(name: str, weighted: bool) -> np.ndarray:
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", "An input array is nearly constant")
            return np.array([getattr(stats, name)(*query).statistic for query in data.queries()])

    return compute


SCIPY = Oracle(
    "scipy",
    prepare_scipy,
    [Row("kendall_tau", "kendalltau"), Row("spearman", "spearmanr"), Row("pearson", "pearsonr")],
    views=(complete, varied),
)

# ------------------------------------------------------------------ torchmetrics


def prepare_torchmetrics(data: Data) -> Compute:
    import torch
    from torchmetrics import retrieval

    # Ranks, because only the order counts: above 0, because it treats other scores as unretrieved, and at
    # most 1, because it applies a sigmoid to larger ones in the AUC.
    _, ranks = np.unique(data.y_score, return_inverse=True)
    columns = (ranks + 1) / len(ranks), data.y_true.astype(np.int64), data.groups
    preds, target, indexes = map(torch.from_numpy, columns)

    def compute(name: str, weighted: bool) -> np.ndarray:
        name, _, k = name.partition("@")
        options = {"top_k": int(k)} if k else {}
        metric = getattr(retrieval, f"Retrieval{name}")(aggregation=lambda values, dim: values, **options)
        metric.update(preds.float(), target, indexes=indexes)
        return metric.compute().double().numpy()

    return compute


BINARY = {"views": (untied, binary)}
TORCHMETRICS = Oracle(
    "torchmetrics",
    prepare_torchmetrics,
    [
        Row("ndcg", "NormalizedDCG"),
        Row("ndcg@5", "NormalizedDCG@5"),
        Row("map", "MAP", **BINARY),
        Row("map@5", "MAP@5", {"denominator": "hits"}, **BINARY),
        Row("mrr", "MRR", **BINARY),
        Row("mrr@3", "MRR@3", **BINARY),
        Row("precision@5", "Precision@5", **BINARY),
        Row("recall@5", "Recall@5", **BINARY),
        Row("hit_rate@5", "HitRate@5", **BINARY),
        Row("r_precision", "RPrecision", **BINARY),
        Row("fallout_loss@5", "FallOut@5", {"zero_division": 1.0}, **BINARY),
        Row("group_auc", "AUROC", {"zero_division": 0.0}, views=(binary,)),
    ],
    tolerance=2**-18,  # float32 spacing between 32 and 64, the range of its sums of 300 discounts
    views=(complete,),
)
