"""Rank handwritten digits: cross-validation, a grid search and many metrics, in a few seconds.

A query is an image of a digit, its documents are other images; the grade is 2 for the same digit, 1 for the
one that looks most like it. Needs nothing beyond the core dependencies.
"""

from sklearn.ensemble import GradientBoostingRegressor
from sklearn.linear_model import Ridge
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import PolynomialFeatures, StandardScaler

from sklearn_rank import GridSearchCV, cross_val_score, cross_validate, ndcg_scorer, ranking_scorer
from sklearn_rank.datasets import load_digits_ranking

METRICS = ["ndcg@10", "map", "mrr", "precision@5", "recall@10", "group_auc"]


def main() -> None:
    """Run the three steps and print a table of the models found."""
    X, y, qid = load_digits_ranking(return_X_y=True)
    print(f"{len(y)} documents of {len(set(qid))} queries, {X.shape[1]} features\n")

    linear = make_pipeline(StandardScaler(), Ridge())
    scores = cross_val_score(linear, X, y, scoring=ndcg_scorer(k=10), groups=qid)
    print(f"Ridge, NDCG@10 of 5 folds: {scores.round(3)}\n")

    pipeline = make_pipeline(StandardScaler(), PolynomialFeatures(), Ridge())
    grid = {"polynomialfeatures__degree": [1, 2, 3], "ridge__alpha": [1, 100]}
    search = GridSearchCV(pipeline, grid, scoring=ndcg_scorer(k=10)).fit(X, y, groups=qid)
    print(f"Grid search: NDCG@10 {search.best_score_:.3f} with {search.best_params_}\n")

    models = {
        "Ridge": linear,
        "Ridge, best of the grid": search.best_estimator_,
        "Gradient boosting": GradientBoostingRegressor(n_estimators=50, random_state=0),
    }
    print(f"{'':24}" + "".join(f"{name:>12}" for name in METRICS))
    for name, model in models.items():
        results = cross_validate(model, X, y, scoring=ranking_scorer(METRICS), groups=qid)
        means = [results[f"test_{metric}"].mean() for metric in METRICS]
        print(f"{name:24}" + "".join(f"{mean:12.3f}" for mean in means))


if __name__ == "__main__":
    main()
