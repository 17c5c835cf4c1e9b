"""
What ties do to a leaderboard
=============================

Three systems rank the same documents. One of them gives stars, which leaves many documents tied, and one
gives the same score to all. Whoever breaks ties by the order of the rows puts the emptiest system first.
The picture has the range of what ties leave open.
"""

# %%
# Synthetic data, in a file that is sorted by label within each query, as many files of judgements are.

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
# Libraries settle ties in different ways. Their names give their numbers here. scikit-learn averages over
# all orders of tied documents. trec_eval sorts tied documents by their ids; here its names take the order
# of the rows, in which ``from_run`` puts them. Neither way is wrong, but the rows of this file know the
# labels.

from sklearn_rank import ranking_scores

names = ["sklearn:ndcg(k=10)", "trec_eval:ndcg_cut_10"]
board = {name: ranking_scores(y, scores, groups=qid, metrics=names) for name, scores in systems.items()}
for metric in names:
    ranked = sorted(systems, key=lambda name: -board[name][metric])
    print(f"{metric:>21}: " + ", ".join(f"{name} {board[name][metric]:.3f}" for name in ranked))

# %%
# A system that says nothing at all is nearly perfect on one of the two boards. ``tie_report`` finds such
# boards: it has the worst and the best that ties leave open, and the value in the order of the rows. Where
# that is far above the average, the order of the rows knows the labels.

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
# The metrics of this package average over the orders of tied documents unless they are told otherwise by
# ``ties=``. So stars cannot win by their ties.

import matplotlib.pyplot as plt

from sklearn_rank.inspection import TieRangeDisplay

values = {name: report.metrics["ndcg@10"] for name, report in reports.items()}
figure, ax = plt.subplots(figsize=(6, 2.8), layout="constrained")
display = TieRangeDisplay(values).plot(ax=ax)
ax.set(xlabel="NDCG@10", ylabel="System")
plt.show()
