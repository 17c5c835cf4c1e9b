"""Small, deterministic rankers to test, and the same rankers trained by hand."""

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

import sklearn_rank.rankers
from sklearn_rank.rankers import as_eval_metric

LIBRARIES = {"LGBMRanker": "lightgbm", "XGBRanker": "xgboost", "CatBoostRanker": "catboost"}
OPTIONS = {
    "LGBMRanker": {"n_estimators": 8, "min_child_samples": 2, "verbose": -1, "n_jobs": 1},
    "XGBRanker": {"n_estimators": 8, "max_depth": 3, "n_jobs": 1},
    "CatBoostRanker": {"iterations": 8, "verbose": False, "allow_writing_files": False, "thread_count": 1},
    "PairwiseRanker": {"estimator": LogisticRegression(), "random_state": 0},
}
STOPPED = {
    "LGBMRanker": {"n_estimators": 60, "min_child_samples": 2, "verbose": -1, "n_jobs": 1},
    "XGBRanker": {"n_estimators": 60, "max_depth": 3, "n_jobs": 1},
    "CatBoostRanker": {
        "iterations": 60,
        "learning_rate": 0.5,
        "verbose": False,
        "allow_writing_files": False,
    },
}
BOOSTED = pytest.mark.parametrize("name", LIBRARIES)
EVERY = pytest.mark.parametrize("name", OPTIONS)


def ours(name, **options):
    """Return a ranker of this package."""
    if name in LIBRARIES:
        pytest.importorskip(LIBRARIES[name])
    return getattr(sklearn_rank.rankers, name)(**OPTIONS[name] | options)


def theirs(name, X, y, groups, weights=None):
    """Train the library's own ranker on rows sorted by query."""
    library = pytest.importorskip(LIBRARIES[name])
    order = np.argsort(groups, kind="stable")
    X, y, groups = X[order], y[order], groups[order]
    weights = None if weights is None else weights[order]
    model = getattr(library, name)(**OPTIONS[name])
    firsts = np.unique(groups, return_index=True)[1]
    if name == "LGBMRanker":
        sizes = np.diff(np.append(firsts, len(groups)))
        return model.fit(X, y, group=sizes, sample_weight=weights)
    if name == "XGBRanker":
        return model.fit(X, y, qid=groups, sample_weight=None if weights is None else weights[firsts])
    return model.fit(X, y, group_id=groups, group_weight=weights)


def stopping_by(metric, name):
    """Return a ranker that stops by a metric, and the arguments of `fit` besides the evaluation set."""
    library = LIBRARIES[name]
    pytest.importorskip(library)
    ranker, made = getattr(sklearn_rank.rankers, name), as_eval_metric(metric, library=library)
    if name == "LGBMRanker":
        return ranker(**STOPPED[name], metric="None", early_stopping_round=4), {"eval_metric": made}
    return ranker(**STOPPED[name], early_stopping_rounds=4, eval_metric=made), {}


def best(model, metric):
    """Return the value of each round on the last evaluation set, and the index of the best round."""
    log, name = model.evals_result_, as_eval_metric(metric, library="xgboost").name
    if "CatBoost" in type(model).__name__:
        return log["validation"][name], model.best_iteration_
    values = next(iter(log.values()))[name]
    if "LGBM" in type(model).__name__:
        return values, model.best_iteration_ - 1
    assert model.best_score == values[model.best_iteration]
    return values, model.best_iteration
