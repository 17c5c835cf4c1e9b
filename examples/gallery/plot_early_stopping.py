"""
Early stopping by the reported metric
=====================================

A grid search over pipelines of a scaler and a booster. Each fit stops by the metric that the search maximizes
and the report shows. The figure shows this metric on the held-out queries in each round.
"""

# %%
# The data are images of digits: a query is an image, and its documents are other images. A quarter of the
# queries is kept for a final test.

from sklearn_rank import train_test_split
from sklearn_rank.datasets import load_digits_ranking

X, y, qid = load_digits_ranking(return_X_y=True)
X_train, X_test, y_train, y_test, qid_train, qid_test = train_test_split(
    X, y, qid, groups=qid, test_size=0.25, random_state=0
)
print(f"{len(set(qid_train))} queries to train on, {len(set(qid_test))} to test on")

# %%
# With ``validation_fraction``, ``fit`` holds out a share of its queries. The booster stops if their NDCG@10
# has not increased for 30 rounds. Nothing else has to be passed through the pipeline.

from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from sklearn_rank import ndcg_scorer
from sklearn_rank.rankers import LGBMRanker

metric = ndcg_scorer(k=10)
ranker = LGBMRanker(
    n_estimators=500,
    learning_rate=0.05,
    validation_fraction=0.25,
    eval_metric=metric,
    early_stopping_round=30,
    random_state=0,
    n_jobs=1,
    verbose=-1,
)
model = make_pipeline(StandardScaler(), ranker)

# %%
# The search uses the same scorer. Queries in the test set of a fold are never used for early stopping,
# because ``fit`` does not get them.

from sklearn_rank import GridSearchCV

grid = {"lgbmranker__num_leaves": [4, 8, 31]}
search = GridSearchCV(model, grid, scoring=metric, cv=3).fit(X_train, y_train, groups=qid_train)
for params, score in zip(search.cv_results_["params"], search.cv_results_["mean_test_score"]):
    print(f"{params['lgbmranker__num_leaves']:2} leaves: NDCG@10 {score:.3f}")

# %%
# LightGBM logs the metric in each round. The logged value of the best round equals ``ndcg_score`` of the
# held-out queries.

import numpy as np

from sklearn_rank import ndcg_score

best = search.best_estimator_
booster = best[-1]
n_rounds = booster.best_iteration_
logged = booster.best_score_["valid_0"]["ndcg_scorer(k=10)"]

held_out = np.isin(qid_train, booster.validation_groups_)
y_score = best.predict(X_train[held_out])
reported = ndcg_score(y_train[held_out], y_score, groups=qid_train[held_out], k=10)
print(f"stopped with {n_rounds} of 500 rounds, {len(booster.validation_groups_)} queries held out")
print(f"NDCG@10 logged {logged:.6f}, reported {reported:.6f}")

# %%
# The held-out value is the best of many rounds, so it is slightly too high. The test queries show the true
# value of the model.

from sklearn_rank import evaluate

report = evaluate(y_test, best.predict(X_test), groups=qid_test, metrics=["ndcg@10", "map", "mrr"])
print(report)

# %%
# The curve rises quickly and then fluctuates: the rounds after the best one do not help.

import matplotlib.pyplot as plt

history = booster.evals_result_["valid_0"]["ndcg_scorer(k=10)"]
figure, ax = plt.subplots(figsize=(6, 3.6), layout="constrained")
ax.plot(np.arange(1, len(history) + 1), history, label="queries held out")
ax.plot(n_rounds, logged, "o", color="C1", label=f"round {n_rounds}, the best one")
ax.set(xlabel="Round", ylabel="NDCG@10", title="Early stopping by the reported metric")
ax.legend(loc="lower right")
plt.show()
