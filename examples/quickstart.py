"""Rank handwritten digits
=======================

Cross-validation, a grid search and a comparison of models, in a few seconds.

A query is an image of a digit, and its documents are other images. The grade is 2 for the same digit and 1
for the digit that looks most similar. The example needs only the core dependencies.
"""

import sklearn.metrics
import sklearn.model_selection
from sklearn.ensemble import GradientBoostingRegressor
from sklearn.linear_model import Ridge
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import PolynomialFeatures, StandardScaler

from sklearn_rank import GridSearchCV, compare, cross_val_report, cross_val_score, ndcg_scorer
from sklearn_rank.datasets import load_digits_ranking

METRICS = ["ndcg@10", "map", "mrr"]
MARGIN = 0.005  # smaller differences do not matter


def main() -> None:
    """Print cross-validation scores, a grid search, and a comparison of models."""
    X, y, qid = load_digits_ranking(return_X_y=True)
    print(f"{len(y)} documents of {len(set(qid))} queries, {X.shape[1]} features\n")

    linear = make_pipeline(StandardScaler(), Ridge())
    scores = cross_val_score(linear, X, y, scoring=ndcg_scorer(k=10), groups=qid)
    print(f"Ridge, NDCG@10 of 5 folds: {scores.round(3)}\n")

    pipeline = make_pipeline(StandardScaler(), PolynomialFeatures(), Ridge())
    grid = {"polynomialfeatures__degree": [1, 2], "ridge__alpha": [1, 100]}
    search = GridSearchCV(pipeline, grid, scoring=ndcg_scorer(k=10), keep_queries=True).fit(X, y, groups=qid)
    print(f"Grid search: NDCG@10 {search.best_score_:.3f} with {search.best_params_}")
    print(f"Corrected for selection of the best candidate: {search.corrected_score()}\n")

    models = {
        "Ridge": linear,
        "grid search": search,  # repeated in each fold, because it chose its best score on these queries
        "boosting": GradientBoostingRegressor(n_estimators=50, random_state=0),
    }
    reports = {
        name: cross_val_report(model, X, y, groups=qid, scoring=METRICS) for name, model in models.items()
    }
    comparison = compare(reports, baseline="Ridge", margin=MARGIN)
    print(f"{comparison}\n")
    table = comparison.columns
    verdicts = dict(zip(table["system"][table["metric"] == "ndcg@10"], table["verdict"]))
    verdict_text = ", ".join(f"the {name} is {verdict}" for name, verdict in verdicts.items())
    print(f"By NDCG@10, compared with Ridge, {verdict_text}.\n")

    for name, model in {"Ridge": linear, "grid search": search.best_estimator_}.items():
        y_score = sklearn.model_selection.cross_val_predict(model, X, y)
        value = sklearn.metrics.ndcg_score([y], [y_score], k=10)
        print(f"Without ids, all rows are one query to scikit-learn: NDCG@10 {value:.3f} for {name}")


if __name__ == "__main__":
    main()
