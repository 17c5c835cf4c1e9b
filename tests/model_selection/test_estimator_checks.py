"""Estimator checks of scikit-learn: searches fail only those that scikit-learn's own search fails."""

import pytest
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

from sklearn_rank import GridSearchCV, WithGroups

OF_RIDGE = {"check_supervised_y_2d": "Ridge takes labels of several columns, and warns of nothing"}
SEARCHES = [
    GridSearchCV(model, grid, cv=2, error_score="raise")
    for model, grid in ((Ridge(), {"alpha": [0.1, 1.0]}), (LogisticRegression(), {"C": [0.1, 1.0]}))
]
SEARCH = GridSearchCV(Ridge(), {"alpha": [0.1, 1.0]}, cv=2, error_score="raise")
SCALED = make_pipeline(StandardScaler(), LogisticRegression())
WRAPPED = [WithGroups(model) for model in (Ridge(), LogisticRegression(), StandardScaler(), SEARCH, SCALED)]


def list_expected(model):
    search = getattr(model, "estimator", None) if isinstance(model, WithGroups) else model
    return OF_RIDGE if hasattr(search, "param_grid") and isinstance(search.estimator, Ridge) else {}


@pytest.mark.thorough
@pytest.mark.filterwarnings("ignore")
@parametrize_with_checks([*SEARCHES, *WRAPPED], expected_failed_checks=list_expected)
def test_searches_and_with_groups_pass_estimator_checks(estimator, check):
    check(estimator)
