"""
Effect of ties on a leaderboard
===============================

Three systems rank the same documents. One of them predicts stars, so many documents are tied, and one
predicts the same score for all documents. A leaderboard that breaks ties by the order of the rows puts the
constant system first. The figure shows the range of values that ties allow.
"""

# %%
# Synthetic data, in a file that is sorted by label within each query, like many files of judgments.

import numpy as np

from sklearn_rank.datasets import make_ranking

X, y, qid, coef = make_ranking(n_queries=200, coef=True, random_state=0)
order = np.lexsort((-y, qid))
X, y, qid = X[order], y[order], qid[order]

random = np.random.default_rng(0)
fine = X @ coef + random.normal(size=len(y))
systems = {
    "fine": fine,
    "stars": np.digitize(fine, [-1.5, -0.5, 0.5, 1.5]).astype(float),
    "constant": np.zeros(len(y)),
}

# %%
# Libraries break ties in different ways, and their metric names give their values here. scikit-learn averages
# over all orders of tied documents. trec_eval sorts tied documents by their ids; here, its names use the
# order of the rows, which ``from_run`` makes the same. Both ways are valid, but the order of these rows
# depends on the labels.

from sklearn_rank import ranking_scores

names = ["sklearn:ndcg(k=10)", "trec_eval:ndcg_cut_10"]
board = {name: ranking_scores(y, scores, groups=qid, metrics=names) for name, scores in systems.items()}
for metric in names:
    ranked = sorted(systems, key=lambda name: -board[name][metric])
    print(f"{metric:>21}: " + ", ".join(f"{name} {board[name][metric]:.3f}" for name in ranked))

# %%
# The constant system is almost perfect on one of the two leaderboards. ``tie_report`` detects such
# leaderboards: it shows the lowest and the highest value that ties allow, and the value in row order. If the
# latter is far above the average, the row order depends on the labels.

from sklearn_rank.metrics import tie_report

reports = {name: tie_report(y, scores, groups=qid, metrics=["ndcg@10"]) for name, scores in systems.items()}
for name, report in reports.items():
    print(f"{name}\n{report}\n")

first = {metric: max(systems, key=lambda name: board[name][metric]) for metric in names}
luck = {
    name: report.metrics["ndcg@10"]["order"] - report.metrics["ndcg@10"]["average"]
    for name, report in reports.items()
}
print({name: f"{value:+.3f}" for name, value in luck.items()})

# %%
# By default, the metrics of this package average over the orders of tied documents (see the parameter
# ``ties``). So ties cannot help a system.

import matplotlib.pyplot as plt

from sklearn_rank.inspection import TieRangeDisplay

values = {name: report.metrics["ndcg@10"] for name, report in reports.items()}
figure, ax = plt.subplots(figsize=(6, 2.8), layout="constrained")
display = TieRangeDisplay(values).plot(ax=ax)
ax.set(xlabel="NDCG@10", ylabel="System")
plt.show()
