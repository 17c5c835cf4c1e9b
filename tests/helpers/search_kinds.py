"""The four kinds of searches, over three ridge models, and comparable forms of their results."""

import numpy as np
import pytest
from sklearn.linear_model import Ridge

from sklearn_rank import GridSearchCV, RandomizedSearchCV, cross_validate
from sklearn_rank.model_selection import HalvingGridSearchCV, HalvingRandomSearchCV
from tests.helpers.searches import GRID

DRAWN = {"random_state": 0}
KINDS = {
    "grid": (GridSearchCV, {}),
    "randomized": (RandomizedSearchCV, DRAWN | {"n_iter": 3}),
    "halving grid": (HalvingGridSearchCV, DRAWN | {"factor": 2}),
    "halving random": (HalvingRandomSearchCV, DRAWN | {"factor": 2, "n_candidates": 3}),
}
EVERY_KIND = pytest.mark.parametrize("kind", KINDS)


def make(kind="grid", model=None, grid=GRID, **options):
    """Return a search with three folds and ndcg@3, by default over ridge models."""
    search, of_kind = KINDS[kind]
    options = {"scoring": "ndcg@3", "cv": 3} | of_kind | options
    return search(Ridge() if model is None else model, grid, **options)


def fit(rows, kind="grid", **options):
    """Return a fitted search that keeps the values per query."""
    X, y, groups = rows
    return make(kind, **{"keep_queries": True} | options).fit(X, y, groups=groups)


def exact_results(search):
    """Return `cv_results_` in key order with all digits, but without the values of times."""
    return [
        (name, None if name.endswith("_time") else [repr(each) for each in values])
        for name, values in search.cv_results_.items()
    ]


def values_by_fold(search, candidate):
    """Return the query ids and the kept values of a candidate for each fold."""
    kept = search.kept_queries_
    inside = [(kept.folds == fold) & kept.tested[candidate] for fold in np.unique(kept.folds)]
    return [(kept.ids[kept.queries[each]].tolist(), kept.values[candidate, each].tolist()) for each in inside]


def values_by_hand(model, rows, cv, metric, **params):
    """Return query ids and values for each fold, computed from a separate cross-validation."""
    X, y, groups = rows
    options = {"scoring": "ndcg", "return_estimator": True, "return_indices": True}
    found = cross_validate(model, X, y, groups=groups, cv=cv, **options, **params)
    by_fold = []
    for fitted, test in zip(found["estimator"], found["indices"]["test"]):
        values = metric(y[test], fitted.predict(X[test]), groups=groups[test], average=None)
        by_fold.append((np.unique(groups[test]).tolist(), values.tolist()))
    return by_fold
