"""Metrics whose scale ends at the highest label have one scale in all folds of a call."""

from functools import partial

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import Ridge
from sklearn.metrics import mean_absolute_error
from sklearn.model_selection import GroupKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer

from sklearn_rank import GridSearchCV, cross_val_report, cross_val_score, err_score, evaluate
from sklearn_rank.metrics import (
    err_ia_score,
    err_ia_scorer,
    group_score,
    intent_aware_score,
    intent_aware_scorer,
    make_group_scorer,
)
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


# ------------------------------------------------------------------ metrics of intents

INTENTS = np.column_stack((Y, np.tile([1, 0, 1, 0], 6)))


@pytest.mark.parametrize(
    ("factory", "function", "options"),
    [
        (err_ia_scorer, partial(err_ia_score, max_grade=4), {"k": 3}),
        (intent_aware_scorer, partial(intent_aware_score, "err@3(max_grade=4)"), {"metric": "err@3"}),
        (
            intent_aware_scorer,
            partial(intent_aware_score, "err(gain=linear, max_grade=4)"),
            {"metric": "err(gain=linear)"},
        ),
    ],
)
@pytest.mark.parametrize("of_X", [False, True])
def test_metrics_of_intents_use_one_scale_of_grades(factory, function, options, of_X):
    of_call = {key: value for key, value in options.items() if key != "metric"}
    expected = [function(INTENTS[test], SCORES[test], groups=QID[test], **of_call) for _, test in FOLDS]
    if of_X:
        frame = pd.DataFrame(np.column_stack((X, INTENTS)), columns=["x", "z", "car", "cat"])
        model = make_pipeline(FunctionTransformer(lambda frame: frame[["x", "z"]]), Ridge())
        scorer = factory(intents=["car", "cat"], **options)
        got = cross_val_score(model, frame, Y, groups=QID, scoring=scorer, cv=FOLDS)
    else:
        scorer, given = factory(**options), {"intents": INTENTS}
        got = cross_val_score(Ridge(), X, Y, groups=QID, scoring=scorer, cv=FOLDS, params=given)
    np.testing.assert_allclose(got, expected)


def test_scale_of_grades_stays_if_set():
    scorer, given = err_ia_scorer(k=3, max_grade=5), {"intents": INTENTS}
    got = cross_val_score(Ridge(), X, Y, groups=QID, scoring=scorer, cv=FOLDS, params=given)
    of_fold = partial(err_ia_score, k=3, max_grade=5)
    expected = [of_fold(INTENTS[test], SCORES[test], groups=QID[test]) for _, test in FOLDS]
    np.testing.assert_allclose(got, expected)


def test_labels_of_zeros_have_no_scale():
    given = {"intents": 0 * INTENTS}
    got = cross_val_score(Ridge(), X, Y, groups=QID, scoring=err_ia_scorer(k=3), cv=FOLDS, params=given)
    assert got.tolist() == [0] * len(FOLDS)


def test_scorers_of_functions_per_group_have_no_scale():
    scorer = make_group_scorer(mean_absolute_error, greater_is_better=False)
    got = cross_val_score(Ridge(), X, Y, groups=QID, scoring=scorer, cv=FOLDS)
    expected = [
        -group_score(mean_absolute_error, Y[test], SCORES[test], groups=QID[test]) for _, test in FOLDS
    ]
    np.testing.assert_allclose(got, expected)
