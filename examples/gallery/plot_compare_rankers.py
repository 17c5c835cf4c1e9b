"""
Comparing two rankers per query
===============================

Two models rank the same queries and are compared on each of them. The figure shows on how many queries the
second model is better, and by how much. The two means do not show this.
"""

# %%
# A linear model, and a model with squares and products of the features. Each query is scored by models that
# have not seen it, in the same folds for both.

from sklearn.linear_model import Ridge
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import PolynomialFeatures, StandardScaler

from sklearn_rank import cross_val_report
from sklearn_rank.datasets import load_digits_ranking

X, y, qid = load_digits_ranking(return_X_y=True)
models = {
    "linear": make_pipeline(StandardScaler(), Ridge()),
    "squares": make_pipeline(StandardScaler(), PolynomialFeatures(), Ridge(100)),
}
reports = {
    name: cross_val_report(model, X, y, groups=qid, scoring=["ndcg@10"]) for name, model in models.items()
}
print(reports["linear"])
print(reports["squares"])

# %%
# The intervals of the two means overlap, but this does not answer the question: both models find the same
# queries difficult, so the differences per query vary much less. Differences below 0.005 do not matter here;
# this margin was chosen in advance.

from sklearn_rank import compare

low_of_squares, high_of_linear = (
    reports["squares"].interval["ndcg@10"][0],
    reports["linear"].interval["ndcg@10"][1],
)
intervals_overlap = low_of_squares < high_of_linear
comparison = compare(reports, baseline="linear", margin=0.005)
print(comparison)

# %%
# The values of the table are also available as arrays.

table = comparison.columns
advantage, verdict = float(table["difference"][0]), str(table["verdict"][0])
wins, ties, losses = (int(table[name][0]) for name in ("wins", "ties", "losses"))
print(f"squares is {verdict}, by {advantage:.3f}: it wins {wins} queries, ties {ties}, loses {losses}")

# %%
# A better mean hides the queries that became worse. These queries changed most, in both directions:

print(comparison.changes("ndcg@10", n=3))

# %%
# These are the queries on which the better model is still worst:

print(reports["squares"].worst("ndcg@10", n=5))

# %%
# The figure shows the sorted differences of the queries, and the mean difference as a line.

import matplotlib.pyplot as plt

from sklearn_rank.inspection import QueryDifferenceDisplay

figure, ax = plt.subplots(figsize=(6, 4), layout="constrained")
display = QueryDifferenceDisplay.from_reports(
    reports["linear"], reports["squares"], "ndcg@10", names=("linear", "squares"), ax=ax
)
plt.show()
