"""
Choosing a cutoff
=================

The cutoff of a metric is the number of documents that people look at. It also determines how well the metric
distinguishes two rankers. The figure shows metrics over the cutoff, and the difference of two rankers in
standard errors.
"""

# %%
# Two models of the digits. Each query is scored by models that have not seen it.

from sklearn.linear_model import Ridge
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import PolynomialFeatures, StandardScaler

from sklearn_rank import cross_val_predict
from sklearn_rank.datasets import load_digits_ranking

X, y, qid = load_digits_ranking(return_X_y=True)
models = {
    "linear": make_pipeline(StandardScaler(), Ridge()),
    "squares": make_pipeline(StandardScaler(), PolynomialFeatures(), Ridge(100)),
}
scores = {name: cross_val_predict(model, X, y, groups=qid) for name, model in models.items()}

# %%
# A curve computes a metric at all cutoffs at once. A query with 40 documents has about 8 relevant ones here.
# So recall at 5 cannot be high, and precision at 40 is uninformative, because it is the same for all rankers.

from sklearn_rank.metrics import ndcg_curve, precision_curve, recall_curve

CUTOFFS = [1, 3, 5, 10, 20, 40]
curves = {"ndcg": ndcg_curve, "precision": precision_curve, "recall": recall_curve}
at = {name: curve(y, scores["linear"], groups=qid)[1] for name, curve in curves.items()}
print("    k  " + "  ".join(f"{name:>9}" for name in at))
for k in CUTOFFS:
    print(f"{k:5}  " + "  ".join(f"{values[k - 1]:9.3f}" for values in at.values()))

# %%
# How well does a cutoff distinguish the two models? With ``average=None``, a curve has one row per query. The
# mean difference divided by its standard error is the paired t statistic. Above about 2, chance does not
# explain the difference.

import numpy as np


def separation(curve):
    """Return the mean difference over its standard error at each cutoff, NaN without differences."""
    first, second = (curve(y, scores[name], groups=qid, average=None)[1] for name in models)
    difference = second - first
    error = difference.std(axis=0, ddof=1) / np.sqrt(len(difference))
    return np.divide(difference.mean(axis=0), error, out=np.full(len(error), np.nan), where=error > 1e-12)


apart = {name: separation(curve) for name, curve in curves.items()}
print("    k  " + "  ".join(f"{name:>9}" for name in apart))
for k in CUTOFFS:
    print(f"{k:5}  " + "  ".join(f"{values[k - 1]:9.1f}" for values in apart.values()))

best = {name: int(np.nanargmax(values)) + 1 for name, values in apart.items()}
print(f"largest separation at k = {best}")

# %%
# NDCG distinguishes the models at each cutoff, and better at 10 than at 1. Precision and recall distinguish
# them only at small cutoffs: from rank 20, both models have found almost the same documents. Choose the
# cutoff by the number of documents that people look at, and then check here how informative it is. Do not
# choose the cutoff with the largest difference, because that difference is partly chance.

import matplotlib.pyplot as plt

from sklearn_rank.inspection import MetricAtKDisplay

figure, axes = plt.subplots(1, 2, figsize=(9, 3.8), layout="constrained")
MetricAtKDisplay.from_predictions(y, scores, groups=qid, max_k=40, ax=axes[0])
for name, values in apart.items():
    axes[1].plot(np.arange(1, len(values) + 1), values, label=name)
axes[1].axhline(1.97, color="0.6", linestyle=":", label="two-sided 5%")
axes[1].set(xlabel="k", ylabel="difference / standard error")
axes[1].legend(loc="lower left", bbox_to_anchor=(0, 1), ncols=2, frameon=False, fontsize="small")
plt.show()
