"""
Quick start
===========

Cross-validation with query ids, a grid search, and a comparison of models. The figure shows both models at
each cutoff: they differ from rank 1.
"""

# %%
# A query is an image of a digit, and its documents are 40 other images. The grade is 2 for the same digit and
# 1 for the digit that looks most similar. `qid` is the query id of each row.

from sklearn.linear_model import Ridge
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import PolynomialFeatures, StandardScaler

from sklearn_rank import cross_val_score, ndcg_scorer
from sklearn_rank.datasets import load_digits_ranking

X, y, qid = load_digits_ranking(return_X_y=True)
linear = make_pipeline(StandardScaler(), Ridge())
scores = cross_val_score(linear, X, y, scoring=ndcg_scorer(k=10), groups=qid)
print("NDCG@10 of five folds:", scores.round(3))

# %%
# A search over a pipeline accepts the same ids. With ``keep_queries=True`` it keeps the values per query.
# They are needed to correct the best score, which is slightly too high because it is the best of several.

from sklearn_rank import GridSearchCV

pipeline = make_pipeline(StandardScaler(), PolynomialFeatures(), Ridge())
grid = {"polynomialfeatures__degree": [1, 2], "ridge__alpha": [1, 100]}
search = GridSearchCV(pipeline, grid, scoring=ndcg_scorer(k=10), keep_queries=True).fit(X, y, groups=qid)
print(search.best_params_)
print(search.corrected_score())

# %%
# Is the search better than the linear model, or is the difference due to chance? Both are cross-validated,
# including the whole search, and compared query by query. Differences below 0.005 do not matter here.

from sklearn_rank import compare, cross_val_report

reports = {
    name: cross_val_report(model, X, y, groups=qid, metrics=["ndcg@10", "map"])
    for name, model in {"linear": linear, "search": search}.items()
}
comparison = compare(reports, baseline="linear", margin=0.005)
print(comparison)
verdicts = [str(verdict) for verdict in comparison.columns["verdict"]]

# %%
# Means at each cutoff, from predictions for queries that the models have not seen.

import matplotlib.pyplot as plt

from sklearn_rank import cross_val_predict
from sklearn_rank.inspection import MetricAtKDisplay

predicted = {
    name: cross_val_predict(model, X, y, groups=qid)
    for name, model in {"linear": linear, "search": search.best_estimator_}.items()
}
figure, ax = plt.subplots(figsize=(6, 4), layout="constrained")
display = MetricAtKDisplay.from_predictions(y, predicted, groups=qid, max_k=20, ax=ax)
plt.show()
