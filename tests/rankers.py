"""The rankers under test, small and deterministic, and the same trained by hand."""

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

import sklearn_rank.rankers

LIBRARIES = {"LGBMRanker": "lightgbm", "XGBRanker": "xgboost", "CatBoostRanker": "catboost"}
OPTIONS = {
    "LGBMRanker": {"n_estimators": 8, "min_child_samples": 2, "verbose": -1, "n_jobs": 1},
    "XGBRanker": {"n_estimators": 8, "max_depth": 3, "n_jobs": 1},
    "CatBoostRanker": {"iterations": 8, "verbose": False, "allow_writing_files": False, "thread_count": 1},
    "PairwiseRanker": {"estimator": LogisticRegression(), "random_state": 0},
}
BOOSTED = pytest.mark.parametrize("name", LIBRARIES)
EVERY = pytest.mark.parametrize("name", OPTIONS)


def ours(name, **options):
    """Return a ranker of this package."""
    if name in LIBRARIES:
        pytest.importorskip(LIBRARIES[name])
    return getattr(sklearn_rank.rankers, name)(**OPTIONS[name] | options)


def theirs(name, X, y, groups, weights=None):
    """Train the library's own ranker on rows that a stable sort brings together."""
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
