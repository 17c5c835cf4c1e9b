"""Errors of `validation_fraction`, and options that exclude it."""

import numpy as np
import pytest

from sklearn_rank import BalancedGroupKFold, cross_validate, get_scorer, map_scorer
from tests.helpers.early_stopping import GROUPS, MAP, PATIENCE, X, Y, make_holdout
from tests.helpers.rankers import BOOSTED, STOPPED

WEIGHED = map_scorer(k=10).set_score_request(sample_weight=True)

# ------------------------------------------------------------------ errors


@BOOSTED
@pytest.mark.parametrize("fraction", [0, 1, -0.1, 1.5, "0.1", True, np.nan])
def test_validation_fraction_rejects_values_outside_0_and_1(name, fraction):
    model = make_holdout(name, validation_fraction=fraction)
    rule = rf"'validation_fraction' parameter of {name} must be between 0 and 1"
    with pytest.raises(ValueError, match=rule):
        model.fit(X, Y, groups=GROUPS)


@BOOSTED
@pytest.mark.parametrize("form", ["eval_set", "eval_X"])
def test_validation_fraction_is_rejected_with_evaluation_sets(name, form):
    sets = {"eval_set": [(X, Y)]} if form == "eval_set" else {"eval_X": (X,), "eval_y": (Y,)}
    rule = rf"'validation_fraction' parameter of {name} must be None if evaluation sets are passed"
    with pytest.raises(ValueError, match=rule):
        make_holdout(name).fit(X, Y, groups=GROUPS, eval_groups=[GROUPS], **sets)


@BOOSTED
def test_validation_fraction_requires_early_stopping_rounds(name):
    wait = PATIENCE.get(name, "early_stopping_rounds")
    rule = rf"'validation_fraction' parameter of {name} must be .* Got 0\.2 alone instead\. Pass {wait}=10"
    with pytest.raises(ValueError, match=rule):
        make_holdout(name, **{wait: None}).fit(X, Y, groups=GROUPS)


def test_early_stopping_rounds_by_callback_or_alias_are_accepted():
    lightgbm, xgboost = pytest.importorskip("lightgbm"), pytest.importorskip("xgboost")
    by_callback = make_holdout("LGBMRanker", early_stopping_round=None)
    by_callback.fit(X, Y, groups=GROUPS, callbacks=[lightgbm.early_stopping(4, verbose=False)])
    options = STOPPED["LGBMRanker"] | {"metric": MAP, "validation_fraction": 0.2}
    by_other_name = type(by_callback)(**options, n_iter_no_change=4).fit(X, Y, groups=GROUPS)
    expected = make_holdout("LGBMRanker").fit(X, Y, groups=GROUPS)
    assert by_callback.best_iteration_ == by_other_name.best_iteration_ == expected.best_iteration_
    stop = xgboost.callback.EarlyStopping(rounds=4, metric_name="map_scorer(k=10)", maximize=True)
    by_callback = make_holdout("XGBRanker", early_stopping_rounds=None, callbacks=[stop])
    expected = make_holdout("XGBRanker").fit(X, Y, groups=GROUPS)
    assert by_callback.fit(X, Y, groups=GROUPS).best_iteration == expected.best_iteration


def test_catboost_ranker_fit_accepts_early_stopping_rounds():
    model = make_holdout("CatBoostRanker", early_stopping_rounds=None)
    model.fit(X, Y, groups=GROUPS, early_stopping_rounds=4)
    expected = make_holdout("CatBoostRanker").fit(X, Y, groups=GROUPS)
    assert model.best_iteration_ == expected.best_iteration_


@BOOSTED
@pytest.mark.parametrize(
    ("y", "groups", "rule"),
    [
        (
            Y,
            np.zeros(len(Y)),
            "be None or leave at least one query to train on and one to hold out. Got 0.[0-9]+ of 1 query",
        ),
        (np.where(np.unique(GROUPS)[0] == GROUPS, Y, 0), GROUPS, "hold out a query with a relevant document"),
    ],
    ids=["one query", "nothing to find"],
)
def test_validation_fraction_rejects_one_query_and_too_few_relevant(name, y, groups, rule):
    with pytest.raises(ValueError, match=rf"'validation_fraction' parameter of {name} must {rule}"):
        make_holdout(name, validation_fraction=0.1).fit(X, y, groups=groups)


@BOOSTED
def test_ranker_inside_an_ensemble_holds_out_queries(name):
    stacking = pytest.importorskip("sklearn.ensemble").VotingRegressor([("ranker", make_holdout(name))])
    found = cross_validate(
        stacking, X, Y, scoring=MAP, groups=GROUPS, cv=BalancedGroupKFold(2), return_estimator=True
    )
    assert all(len(fitted.estimators_[0].validation_groups_) == 6 for fitted in found["estimator"])
    assert get_scorer("map@10")(found["estimator"][0], X, Y, groups=GROUPS) > 0.5


# ------------------------------------------------------------------ options that exclude it


@pytest.mark.parametrize(
    ("name", "options", "clash"),
    [
        ("LGBMRanker", {"boosting_type": "dart"}, "boosting_type='dart'"),
        ("LGBMRanker", {"boosting": "dart"}, "boosting_type='dart'"),
        ("XGBRanker", {"booster": "dart"}, "booster='dart'"),
        ("XGBRanker", {"booster": "gblinear"}, "booster='gblinear'"),
        ("CatBoostRanker", {"use_best_model": False}, "use_best_model=False"),
        ("CatBoostRanker", {"eval_fraction": 0.1}, "eval_fraction"),
    ],
)
def test_validation_fraction_rejects_models_without_best_iteration(name, options, clash):
    rule = rf"'validation_fraction' parameter of {name} must be None with {clash}"
    with pytest.raises(ValueError, match=rule):
        make_holdout(name, **options).fit(X, Y, groups=GROUPS)


@pytest.mark.parametrize(
    ("name", "rounds"), [("LGBMRanker", -1), ("LGBMRanker", 0), ("XGBRanker", 0), ("CatBoostRanker", 0)]
)
def test_validation_fraction_rejects_rounds_that_never_stop(name, rounds):
    model = make_holdout(name, **{PATIENCE.get(name, "early_stopping_rounds"): rounds})
    with pytest.raises(ValueError, match="must be combined with a number of rounds to wait"):
        model.fit(X, Y, groups=GROUPS)


@BOOSTED
@pytest.mark.parametrize("weighs", ["held out", "trained on"])
def test_validation_fraction_rejects_a_part_without_weight(name, weighs):
    held_out = np.isin(GROUPS, make_holdout(name).fit(X, Y, groups=GROUPS).validation_groups_)
    weights = (held_out if weighs == "held out" else ~held_out).astype(float)
    side = "train on" if weighs == "held out" else "hold out"
    rule = rf"'sample_weight' parameter of {name}\.fit must contain a value above 0 for the queries to {side}"
    with pytest.raises(ValueError, match=rule):
        make_holdout(name, WEIGHED).fit(X, Y, groups=GROUPS, sample_weight=weights)


@BOOSTED
def test_error_for_weights_that_vary_in_a_query_names_sample_weight(name):
    with pytest.raises(
        ValueError, match=rf"'sample_weight' parameter of {name}\.fit must be the same for all rows"
    ):
        make_holdout(name, WEIGHED).fit(X, Y, groups=GROUPS, sample_weight=1.0 + np.arange(len(Y)) % 2)


@BOOSTED
def test_ranker_failed_fit_does_not_change_the_fitted_model(name):
    frame = pytest.importorskip("pandas").DataFrame(X).add_prefix("x")
    model = make_holdout(name).fit(frame, Y, groups=GROUPS)
    before, held_out = model.predict(frame), list(model.validation_groups_)
    with pytest.raises(ValueError, match="'groups'"):
        model.fit(X, Y)
    assert list(model.validation_groups_) == held_out
    np.testing.assert_array_equal(model.predict(frame), before)
    with pytest.raises(ValueError, match="another order"):
        model.predict(frame[frame.columns[::-1]])
