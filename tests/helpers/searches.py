"""Searches over `alpha` of Ridge, and their scores."""

import pytest

from sklearn_rank import GridSearchCV, RandomizedSearchCV

ALPHAS = [1e-3, 1e3, 1e5]
GRID = {"alpha": ALPHAS}
SEARCH = pytest.mark.parametrize(
    "make",
    [GridSearchCV, lambda *args, **options: RandomizedSearchCV(*args, n_iter=3, random_state=0, **options)],
    ids=["grid", "randomized"],
)


def table(search):
    """Return the scores of all candidates and folds."""
    names = [name for name in search.cv_results_ if name.startswith("split")]
    return {name: search.cv_results_[name].tolist() for name in names}
