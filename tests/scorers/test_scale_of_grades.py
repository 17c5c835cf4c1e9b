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
    amortized_exposure_loss,
    awrf_score,
    awrf_scorer,
    err_ia_score,
    err_ia_scorer,
    exposure_parity_score,
    exposure_parity_scorer,
    exposure_ratio_score,
    exposure_ratio_scorer,
    group_score,
    intent_aware_score,
    intent_aware_scorer,
    make_group_scorer,
    neg_amortized_exposure_loss_scorer,
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


# ------------------------------------------------------------------ metrics of owners and intents

OWNERS = np.tile(["a", "b", "b", "a"], 6)
INTENTS = np.column_stack((Y, np.tile([1, 0, 1, 0], 6)))
CASCADE = {"browsing_model": "cascade", "k": 3}


def at_owners(function, **options):
    """Score each test set with its owners, on the scale of all labels."""
    return [
        function(
            Y[test], SCORES[test], groups=QID[test], owners=OWNERS[test], max_grade=4, **CASCADE, **options
        )
        for _, test in FOLDS
    ]


@pytest.mark.parametrize(
    ("scorer", "expected"),
    [
        (awrf_scorer(target="relevant", **CASCADE), at_owners(awrf_score, target="relevant")),
        (exposure_parity_scorer(**CASCADE), at_owners(exposure_parity_score)),
        (neg_amortized_exposure_loss_scorer(**CASCADE), -np.array(at_owners(amortized_exposure_loss))),
        (
            exposure_ratio_scorer(gain="exponential", **CASCADE),
            at_owners(exposure_ratio_score, gain="exponential"),
        ),
    ],
)
def test_cascades_use_one_scale_of_grades(scorer, expected):
    got = cross_val_score(Ridge(), X, Y, groups=QID, scoring=scorer, cv=FOLDS, params={"owners": OWNERS})
    np.testing.assert_allclose(got, expected)


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


@pytest.mark.parametrize("options", [{"max_grade": 5, **CASCADE}, {"k": 3}])
def test_scale_of_grades_stays_if_set_or_unused(options):
    scorer = exposure_parity_scorer(**options)
    got = cross_val_score(Ridge(), X, Y, groups=QID, scoring=scorer, cv=FOLDS, params={"owners": OWNERS})
    expected = [
        exposure_parity_score(Y[test], SCORES[test], groups=QID[test], owners=OWNERS[test], **options)
        for _, test in FOLDS
    ]
    np.testing.assert_allclose(got, expected)


def test_labels_of_zeros_have_no_scale():
    scorer = exposure_parity_scorer(**CASCADE)
    got = cross_val_score(Ridge(), X, 0 * Y, groups=QID, scoring=scorer, cv=FOLDS, params={"owners": OWNERS})
    assert (got > 0).all()


def test_scorers_of_functions_per_group_have_no_scale():
    scorer = make_group_scorer(mean_absolute_error, greater_is_better=False)
    got = cross_val_score(Ridge(), X, Y, groups=QID, scoring=scorer, cv=FOLDS)
    expected = [
        -group_score(mean_absolute_error, Y[test], SCORES[test], groups=QID[test]) for _, test in FOLDS
    ]
    np.testing.assert_allclose(got, expected)
