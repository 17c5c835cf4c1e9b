"""
Leakage from folds that split queries
=====================================

Ordinary folds put rows of the same query into training and test set. A model that memorizes queries then
looks better than it is. The figure shows the scores of two models with two kinds of folds, and on new
queries.
"""

# %%
# Synthetic data of a shop. The value of a document depends on its own features, in the same way for all
# queries, and on its brand: each query has its own taste for brands. One more feature belongs to the query,
# such as its time. It is the same for all rows of the query and independent of the taste.

import numpy as np

random = np.random.default_rng(0)
N_DOCUMENTS, N_BRANDS = 60, 4
common = np.array([0.35, -0.35])


def make_queries(n_queries):
    """Return features, grades from 0 to 4 and query ids."""
    qid = np.repeat(np.arange(n_queries), N_DOCUMENTS)
    document = random.normal(size=(len(qid), len(common)))
    brand = random.integers(N_BRANDS, size=len(qid))
    time = random.normal(size=n_queries)[qid]
    taste = random.normal(scale=2, size=(n_queries, N_BRANDS))[qid, brand]
    value = document @ common + taste + random.normal(size=len(qid))
    y = np.digitize(value, [0, 1.5, 2.5, 3.5])
    return np.column_stack([document, np.eye(N_BRANDS)[brand], time]), y, qid


X, y, qid = make_queries(120)
X_new, y_new, qid_new = make_queries(500)

# %%
# Two models: a linear model, which can only learn what all queries have in common, and trees, which can
# recognize the rows of a query by its time.

from sklearn.ensemble import ExtraTreesRegressor
from sklearn.linear_model import Ridge

models = {
    "linear": Ridge(),
    "trees": ExtraTreesRegressor(50, max_features=None, min_samples_leaf=2, n_jobs=1, random_state=0),
}

# %%
# Each row is scored by a model that has not seen the row (``KFold``), or that has not seen any row of its
# query (``BalancedGroupKFold``). NDCG@10 is always computed for whole queries, so only the folds differ. 500
# new queries show the true values.

from sklearn.model_selection import KFold, cross_val_predict

from sklearn_rank import BalancedGroupKFold, ndcg_score

estimated = {"KFold": {}, "BalancedGroupKFold": {}, "new queries": {}}
for name, model in models.items():
    for cv in (KFold(5, shuffle=True, random_state=0), BalancedGroupKFold(5)):
        folds = list(cv.split(X, y, groups=qid if isinstance(cv, BalancedGroupKFold) else None))
        y_score = cross_val_predict(model, X, y, cv=folds)
        estimated[type(cv).__name__][name] = ndcg_score(y, y_score, groups=qid, k=10)
    y_score = model.fit(X, y).predict(X_new)
    estimated["new queries"][name] = ndcg_score(y_new, y_score, groups=qid_new, k=10)

for where, values in estimated.items():
    print(f"{where:>18}: linear {values['linear']:.3f}, trees {values['trees']:.3f}")

# %%
# The leak is the difference between the score with ordinary folds and the score with folds of whole queries.
# The linear model has no leak, because it cannot memorize queries. The leak of the trees is large, and it has
# a worse effect than a score that is too high: it selects the wrong model. The trees are better by ``KFold``,
# but the linear model is better on new queries. The scores with whole queries and with new queries also
# differ, because 120 queries are few, but both select the same model.

leak = {name: estimated["KFold"][name] - estimated["BalancedGroupKFold"][name] for name in models}
chosen = {where: max(values, key=values.get) for where, values in estimated.items()}
print(f"leak: {leak['trees']:+.3f} for the trees, {leak['linear']:+.3f} for the linear model")
print(f"chosen: {chosen}")

# %%
# With ``groups``, the functions of this package keep queries whole by default, and warn if a splitter splits
# queries.

import warnings

from sklearn_rank import cross_val_score

with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    cross_val_score(Ridge(), X, y, scoring="ndcg@10", groups=qid, cv=KFold(5, shuffle=True, random_state=0))
warned = [str(each.message) for each in caught if "cuts queries" in str(each.message)]
print(warned[0])

# %%

import matplotlib.pyplot as plt

figure, ax = plt.subplots(figsize=(6, 3.8), layout="constrained")
for shift, name in zip((-0.18, 0.18), models):
    heights = [values[name] for values in estimated.values()]
    bars = ax.bar(np.arange(3) + shift, heights, width=0.34, label=name)
    ax.bar_label(bars, fmt="%.2f", padding=2)
ax.set_xticks(np.arange(3), estimated)
ax.set(xlabel="Tested on", ylabel="NDCG@10", ylim=(0, 1), title="Scores with folds and on new queries")
ax.legend(loc="upper right")
plt.show()
