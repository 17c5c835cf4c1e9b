"""Warnings point at the line of the caller, so that Python shows them once per line."""

import inspect
import warnings
from pathlib import Path

import numpy as np
import pytest
from sklearn.linear_model import Ridge, RidgeCV
from sklearn.model_selection import KFold

import sklearn_rank
from sklearn_rank import BalancedGroupKFold, GridSearchCV, cross_val_predict, cross_validate, ndcg_scorer
from sklearn_rank.rankers import PairwiseRanker
from tests.helpers.public_calls import FUNCTIONS
from tests.helpers.table import METRICS

PACKAGE = str(Path(sklearn_rank.__file__).parent)
NAN = {"zero_division": float("nan")}
ROWS = {"y_true": [0, 0, 0, 0], "y_score": [4.0, 3.0, 2.0, 1.0], "groups": [0, 0, 1, 1]}
RELEVANT = ROWS | {"y_true": [1, 1, 1, 1]}
LABELS = {"fallout_loss": RELEVANT}  # the opposite labels make fallout undefined
ALWAYS_DEFINED = {"dcg", "judged", "rank_sum_loss", "rbp_residual_loss"}
UNDEFINED = {
    entry.function.__name__: (LABELS.get(stem, ROWS) | ({"k": 1} if entry.cutoff == "required" else {}))
    for stem, entry in METRICS.items()
    if stem not in ALWAYS_DEFINED
}

X, Y = np.arange(12.0)[:, None] % 5, np.arange(12) % 3
GROUPS = np.repeat([0, 1, 2, 3], 3)
HALVES = KFold(2, shuffle=True, random_state=0)
CUT = {"groups": GROUPS, "cv": HALVES}
SCORED = CUT | {"scoring": "ndcg"}
VALUES = {"param_name": "alpha", "param_range": [1]}
RANKER = PairwiseRanker(Ridge()).fit(X, Y, groups=GROUPS)
NO_LABEL = ndcg_scorer(**NAN)

# Each call is written in one line, at which the warning must point.
CALLS = {
    "ranking_scores": lambda: sklearn_rank.ranking_scores(**ROWS, metrics=["map", "ndcg@2"], **NAN),
    "cross_val_score": lambda: sklearn_rank.cross_val_score(Ridge(), X, Y, **SCORED),
    "cross_validate": lambda: cross_validate(Ridge(), X, Y, **SCORED),
    "cross_val_predict": lambda: cross_val_predict(Ridge(), X, Y, **CUT),
    "validation_curve": lambda: sklearn_rank.validation_curve(Ridge(), X, Y, **VALUES, **SCORED),
    "permutation_test_score": lambda: sklearn_rank.permutation_test_score(Ridge(), X, Y, **SCORED),
    "GridSearchCV": lambda: GridSearchCV(Ridge(), {}, cv=HALVES).fit(X, Y, groups=GROUPS),
    "a model that splits again": lambda: cross_val_predict(RidgeCV(), X, Y, groups=GROUPS, cv=2),
    "a scorer": lambda: NO_LABEL(RANKER, X, 0 * Y, groups=GROUPS),
    "a scorer in cross-validation": lambda: cross_validate(
        Ridge(), X, 0 * Y, scoring=NO_LABEL, groups=GROUPS, cv=2
    ),
    "ndcg_curve": lambda: sklearn_rank.metrics.ndcg_curve(**ROWS, **NAN),
}


def places(call):
    """Return file and line of each warning of a call, except for scikit-learn's."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        call()
    return [(each.filename, each.lineno) for each in caught if "/sklearn/" not in each.filename]


@pytest.mark.parametrize("name", CALLS)
def test_warnings_point_at_the_line_of_the_caller(name):
    code = CALLS[name].__code__
    lines = {line for _, _, line in code.co_lines() if line is not None}
    found = places(CALLS[name])
    assert found
    assert {file for file, _ in found} == {__file__}
    assert {line for _, line in found} <= lines


@pytest.mark.parametrize("name", UNDEFINED)
def test_undefined_metric_warns_at_each_line(name):
    function, arguments = FUNCTIONS[name], UNDEFINED[name] | NAN

    def call_twice():
        function(**arguments)
        function(**arguments)
        function(**arguments)

    first = call_twice.__code__.co_firstlineno
    assert places(call_twice) == [(__file__, first + 1), (__file__, first + 2), (__file__, first + 3)]


def test_undefined_metric_warns_once_per_line_by_default():
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("default")
        for _ in range(2):
            sklearn_rank.ndcg_score(**ROWS, **NAN)
            sklearn_rank.ndcg_score(**ROWS, **NAN)
    assert len(caught) == 2


def test_fold_warning_points_at_the_line_of_the_caller():
    def call():
        cross_validate(Ridge(), X, 0 * Y, scoring="ndcg", groups=GROUPS, cv=BalancedGroupKFold(2))

    assert places(call) == [(__file__, call.__code__.co_firstlineno + 1)]


def test_warning_points_at_outermost_frame_without_a_caller(monkeypatch):
    # As in a worker of joblib, in which all frames belong to libraries.
    packages = {frame.frame.f_globals["__name__"].partition(".")[0] for frame in inspect.stack()}
    monkeypatch.setattr("sklearn_rank._checks.warn.BETWEEN", {"sklearn_rank", "tests", *packages})
    assert len(places(lambda: sklearn_rank.ndcg_score(**ROWS, **NAN))) == 1


def test_package_does_not_use_stacklevel():
    for path in Path(PACKAGE).rglob("*.py"):
        if path.name != "warn.py":
            assert "stacklevel" not in path.read_text(), path
