"""
Tuning on clicks
================

Clicks favour what was shown first. A model tuned on them learns what the old ranker liked; tuned on clicks
that are debiased it learns what users like. The picture shows what is known of positions, and what the models
are worth by the true labels.
"""

# %%
# The digits have true labels, so that clicks can be drawn and models judged. The old ranker sorts by one
# feature, the difference of ink, and does it badly. Each training query is asked twenty times. In two of the
# lists the order was random, to learn how far users look down.

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

looked_at = np.arange(1, 41) ** -0.8  # the chance to look at each position, which nobody knows
clicks, positions = simulate_clicks(
    np.tile(y[train] / 2, n_lists),
    np.where(shuffled, 0, old_score),
    groups=lists,
    propensities=looked_at,
    random_state=0,
)

# %%
# The lists in random order say how likely each position is to be looked at. With that, a click at a position
# that few look at counts for many.

from sklearn_rank.clicks import debias_clicks, estimate_propensities

curve = estimate_propensities(clicks, positions, groups=queries, arm=shuffled, random_state=0)
debiased = debias_clicks(clicks, positions, curve)

# %%
# Of each document the mean over the lists is the label. A grid search trains and chooses by these labels: by
# the clicks as they are, by the debiased ones and, which is not possible in practice, by the true ones. All
# three are judged by the true labels of queries that none has seen.

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
# A model of pairs takes clicks as they are, 0 and 1, with weights: a click counts 1 / propensity.

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
# On the left the estimated chances with their intervals, relative to the first position, and the true ones.
# On the right the models.

import matplotlib.pyplot as plt

figure, (left, right) = plt.subplots(1, 2, figsize=(8, 3.6), layout="constrained")
places = np.arange(1, 41)
left.fill_between(places, curve.low, curve.high, alpha=0.3, label="95 % intervals")
left.plot(places, curve.propensities, label="estimated")
left.plot(places, looked_at, "k--", label="true")
left.set(xlabel="position", ylabel="chance to be looked at, relative", ylim=(0, None))
left.legend()
right.plot(list(ndcg.values()), list(ndcg), "o", label="regression")
right.plot(list(pairs.values()), list(pairs), "s", label="pairs")
right.set(xlabel="NDCG@10 by the true labels", ylabel="trained and tuned on")
right.margins(y=0.3)
right.legend()
plt.show()
