"""Metrics whose scale ends at the highest label have one scale in all folds of a call."""

import numpy as np
import pytest
from sklearn.linear_model import Ridge
from sklearn.model_selection import GroupKFold

from sklearn_rank import GridSearchCV, cross_val_report, cross_val_score, err_score, evaluate
from sklearn_rank.reports import compare

QID = np.repeat(np.arange(6), 4)
Y = np.tile([0, 1, 2, 1], 6)
Y[0] = 4  # in one fold only
X = np.random.default_rng(0).normal(size=(24, 2))
FOLDS = list(GroupKFold(3).split(X, Y, QID))
SCORES = np.empty(24)
for train, test in FOLDS:
    SCORES[test] = Ridge().fit(X[train], Y[train]).predict(X[test])
BY_HAND = [err_score(Y[test], SCORES[test], groups=QID[test], k=3, max_grade=4) for _, test in FOLDS]


def test_cross_val_score_uses_one_scale_of_grades():
    got = cross_val_score(Ridge(), X, Y, groups=QID, scoring="err@3", cv=FOLDS)
    np.testing.assert_allclose(got, BY_HAND)


def test_search_uses_one_scale_of_grades():
    search = GridSearchCV(
        Ridge(), {"alpha": [1.0]}, scoring={"err": "err@3", "map": "map"}, refit="err", cv=FOLDS
    )
    assert search.fit(X, Y, groups=QID).best_score_ == pytest.approx(np.mean(BY_HAND))


def test_cross_val_report_equals_evaluate_of_its_predictions():
    report = cross_val_report(Ridge(), X, Y, groups=QID, scoring=["err@3"], cv=FOLDS)
    expected = evaluate(Y, SCORES, groups=QID, metrics=["err@3"])
    assert report.mean["err@3"] == pytest.approx(expected.mean["err@3"])
    assert compare({"cv": report, "rows": expected})
