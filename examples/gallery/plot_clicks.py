"""
Clicks as labels of a ranker
============================

Clicks favor documents that were shown at the top. A model tuned on raw clicks learns the preferences of the
old ranker. A model tuned on debiased clicks learns the preferences of users. The figure shows the estimated
effect of positions, and the value of the models for the true labels.
"""

# %%
# The digits have true labels, so clicks can be simulated and models evaluated. The old ranker sorts by one
# feature, the difference of ink, and is not good. Each training query has twenty rankings. Two of them are in
# random order, to learn how far users look down.

import numpy as np

from sklearn_rank.clicks import simulate_clicks
from sklearn_rank.datasets import load_digits_ranking

X, y, qid = load_digits_ranking(return_X_y=True)
train, test = qid < 180, qid >= 180
n_lists, n_rows = 20, int(train.sum())

queries = np.tile(qid[train], n_lists)
lists = queries + 180 * np.repeat(np.arange(n_lists), n_rows)
shuffled = lists >= 180 * 18
random = np.random.RandomState(0)
old_score = -np.tile(X[train, 5], n_lists) / X[train, 5].std() + random.normal(0, 0.2, len(lists))

looked_at = np.arange(1, 41) ** -0.8  # probability of a look at each position, unknown in practice
clicks, positions = simulate_clicks(
    np.tile(y[train] / 2, n_lists),
    np.where(shuffled, 0, old_score),
    groups=lists,
    propensities=looked_at,
    random_state=0,
)

# %%
# The random rankings show how likely users are to look at each position. With these probabilities, a click at
# a position that few users look at gets a large weight.

from sklearn_rank.clicks import debias_clicks, estimate_propensities

curve = estimate_propensities(clicks, positions, groups=queries, arm=shuffled, random_state=0)
debiased = debias_clicks(clicks, positions, curve)

# %%
# The label of a document is its mean over the rankings. A grid search trains and selects models with these
# labels: raw clicks, debiased clicks and, for comparison, true labels, which are unknown in practice. All
# three models are evaluated with the true labels of new queries.

from sklearn.linear_model import Ridge
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import PolynomialFeatures, StandardScaler

from sklearn_rank import GridSearchCV, dcg_scorer, ndcg_score

labels = {
    "raw clicks": clicks.reshape(n_lists, n_rows).mean(axis=0),
    "debiased clicks": debiased.reshape(n_lists, n_rows).mean(axis=0),
    "true labels": y[train] / 2,
}
model = make_pipeline(StandardScaler(), PolynomialFeatures(include_bias=False), Ridge())
grid = {"polynomialfeatures__degree": [1, 2], "ridge__alpha": [1, 100, 1000, 10_000]}
ndcg = {}
for name, of_documents in labels.items():
    search = GridSearchCV(model, grid, scoring=dcg_scorer(), cv=3).fit(
        X[train], of_documents, groups=qid[train]
    )
    ndcg[name] = ndcg_score(y[test], search.predict(X[test]), groups=qid[test], k=10)
    print(f"{name}: {ndcg[name]:.3f}, {search.best_params_}")

# %%
# A pairwise model uses the clicks, 0 and 1, with weights: the weight of a click is 1 / propensity.

from sklearn.linear_model import LogisticRegression

from sklearn_rank.rankers import PairwiseRanker

scaler = StandardScaler().fit(X[train])
rows = np.tile(scaler.transform(X[train]), (n_lists, 1))
pairs = {}
for name, weights in (("raw clicks", None), ("debiased clicks", np.where(clicks, debiased, 1))):
    ranker = PairwiseRanker(LogisticRegression(C=0.01), max_pairs=60, random_state=0)
    ranker.fit(rows, clicks, groups=lists, sample_weight=weights)
    pairs[name] = ndcg_score(y[test], ranker.predict(scaler.transform(X[test])), groups=qid[test], k=10)
    print(f"pairs by {name}: {pairs[name]:.3f}")

# %%
# Left: estimated probabilities of a look, relative to the first position, with intervals, and the true ones.
# Right: the models.

import matplotlib.pyplot as plt

figure, (left, right) = plt.subplots(1, 2, figsize=(8, 3.6), layout="constrained")
places = np.arange(1, 41)
left.fill_between(places, curve.low, curve.high, alpha=0.3, label="95% intervals")
left.plot(places, curve.propensities, label="estimated")
left.plot(places, looked_at, "k--", label="true")
left.set(xlabel="position", ylabel="relative probability of a look", ylim=(0, None))
left.legend()
right.plot(list(ndcg.values()), list(ndcg), "o", label="regression")
right.plot(list(pairs.values()), list(pairs), "s", label="pairs")
right.set(xlabel="NDCG@10 by the true labels", ylabel="trained and tuned on")
right.margins(y=0.3)
right.legend()
plt.show()
