"""
Whole queries against ordinary folds: the leak, measured
========================================================

Ordinary folds put rows of one query on both sides. A model that memorises queries then looks better than it
is. The picture has what two kinds of folds promise of two models, and what these models do on new queries.
"""

# %%
# Synthetic data of a shop. What a document is worth depends on its own features, in the same way for all
# queries, and on its brand: each query comes from a user with a taste for brands of their own. One more
# feature is that of the query, such as the time at which it was asked. It is the same on all of its rows
# and says nothing about the taste.

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
    worth = document @ common + taste + random.normal(size=len(qid))
    y = np.digitize(worth, [0, 1.5, 2.5, 3.5])
    return np.column_stack([document, np.eye(N_BRANDS)[brand], time]), y, qid


X, y, qid = make_queries(120)
X_new, y_new, qid_new = make_queries(500)

# %%
# Two models: a linear one, which can only learn what all queries have in common, and trees, which can find
# the rows of a query by its time.

from sklearn.ensemble import ExtraTreesRegressor
from sklearn.linear_model import Ridge

models = {
    "linear": Ridge(),
    "trees": ExtraTreesRegressor(50, max_features=None, min_samples_leaf=2, n_jobs=1, random_state=0),
}

# %%
# Each row is scored by a model that has not seen the row (``KFold``), or has seen no row of its query
# (``BalancedGroupKFold``). NDCG@10 is of the whole query both times, so that nothing differs but the folds.
# 500 new queries, which no model has seen, say what is true.

from sklearn.model_selection import KFold, cross_val_predict

from sklearn_rank import BalancedGroupKFold, ndcg_score

promised = {"KFold": {}, "BalancedGroupKFold": {}, "new queries": {}}
for name, model in models.items():
    for cv in (KFold(5, shuffle=True, random_state=0), BalancedGroupKFold(5)):
        folds = list(cv.split(X, y, groups=qid if isinstance(cv, BalancedGroupKFold) else None))
        y_score = cross_val_predict(model, X, y, cv=folds)
        promised[type(cv).__name__][name] = ndcg_score(y, y_score, groups=qid, k=10)
    y_score = model.fit(X, y).predict(X_new)
    promised["new queries"][name] = ndcg_score(y_new, y_score, groups=qid_new, k=10)

for where, values in promised.items():
    print(f"{where:>18}: linear {values['linear']:.3f}, trees {values['trees']:.3f}")

# %%
# The leak is what ordinary folds promise beyond folds of whole queries. The linear model has none, as it
# cannot memorise. For the trees it is large, and it does more harm than a number that is too high: it
# chooses the wrong model. By ``KFold`` the trees are better, on new queries the linear model is. Whole
# queries and new ones differ too, as 120 queries are few, but they agree about the models.

leak = {name: promised["KFold"][name] - promised["BalancedGroupKFold"][name] for name in models}
chosen = {where: max(values, key=values.get) for where, values in promised.items()}
print(f"the leak: {leak['trees']:+.3f} for the trees, {leak['linear']:+.3f} for the linear model")
print(f"chosen: {chosen}")

# %%
# The functions of this package make whole folds by themselves from ``groups``, and warn of a splitter that
# cuts queries.

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
    heights = [values[name] for values in promised.values()]
    bars = ax.bar(np.arange(3) + shift, heights, width=0.34, label=name)
    ax.bar_label(bars, fmt="%.2f", padding=2)
ax.set_xticks(np.arange(3), promised)
ax.set(xlabel="Tested on", ylabel="NDCG@10", ylim=(0, 1), title="What folds promise, and what is true")
ax.legend(loc="upper right")
plt.show()
