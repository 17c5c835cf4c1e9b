"""Forms of evaluation sets, also inside pipelines."""

import numpy as np
import pytest
from sklearn import config_context
from sklearn.base import BaseEstimator, TransformerMixin, clone
from sklearn.linear_model import Ridge
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from sklearn_rank import RankingWarning, cross_validate, map_scorer
from tests.helpers.early_stopping import GROUPS, HELD_OUT, MAP, PAIRS, TRAIN, X, Y, make_stopping
from tests.helpers.rankers import BOOSTED, best

SETS = {"eval_X": (X[HELD_OUT],), "eval_y": (Y[HELD_OUT],), "eval_groups": [GROUPS[HELD_OUT]]}


# ------------------------------------------------------------------ eval_X and eval_y


@BOOSTED
def test_eval_x_and_eval_y_equal_eval_set(name):
    expected = make_stopping(name).fit(**TRAIN, **PAIRS)
    got = make_stopping(name).fit(**TRAIN, **SETS)
    assert best(got, MAP) == best(expected, MAP)
    np.testing.assert_array_equal(got.predict(X), expected.predict(X))


@BOOSTED
@pytest.mark.parametrize(
    ("changed", "rule"),
    [
        (
            {"eval_X": [X]},
            r"'eval_X' .*fit must be a tuple .* Got a list instead\. Pass eval_X=\(X_held_out,\)",
        ),
        (
            {"eval_X": X},
            r"'eval_X' .*fit must be a tuple .* Got an ndarray instead\. Pass eval_X=\(X_held_out,\)",
        ),
        (
            {"eval_y": Y},
            r"'eval_y' .*fit must be a tuple .* Got an ndarray instead\. Pass eval_y=\(y_held_out,\)",
        ),
        (
            {"eval_y": None},
            r"'eval_y' .*fit must be a tuple .* Got None instead\. Pass eval_y=\(y_held_out,\)",
        ),
        (
            {"eval_X": None},
            r"'eval_X' .*fit must be a tuple .* Got None instead\. Pass eval_X=\(X_held_out,\)",
        ),
        (
            {"eval_y": (Y, Y)},
            r"'eval_y' parameter of .*fit must have one entry per entry of 'eval_X' \(1\)\. Got 2 entries",
        ),
        (
            {"eval_set": [(X, Y)]},
            r"'eval_set' parameter of .*fit must be None if 'eval_X' and 'eval_y' are passed",
        ),
        ({"eval_groups": None}, r"'eval_groups' parameter of .*fit must be a list"),
    ],
    ids=["list", "array", "labels", "no labels", "no features", "two labels", "pairs too", "no ids"],
)
def test_ranker_fit_rejects_other_forms_of_eval_x_and_eval_y(name, changed, rule):
    with pytest.raises(ValueError, match=rule):
        make_stopping(name).fit(**TRAIN, **(SETS | changed))


@BOOSTED
def test_pipeline_transforms_eval_x_with_transform_input(name):
    scaled = StandardScaler().fit(X[~HELD_OUT])
    model = make_pipeline(StandardScaler(), make_stopping(name), transform_input=["eval_X"])
    with config_context(enable_metadata_routing=True):
        model.fit(**TRAIN, **SETS)
    values, i = best(model[-1], MAP)
    assert values[i] == MAP(model, X[HELD_OUT], Y[HELD_OUT], groups=GROUPS[HELD_OUT])
    by_hand = make_stopping(name).fit(
        scaled.transform(TRAIN["X"]),
        TRAIN["y"],
        groups=TRAIN["groups"],
        eval_set=[(scaled.transform(X[HELD_OUT]), Y[HELD_OUT])],
        eval_groups=SETS["eval_groups"],
    )
    assert best(by_hand, MAP) == (values, i)


@pytest.mark.slow
@BOOSTED
def test_cross_validate_passes_whole_evaluation_sets_to_each_fold(name):
    model = make_pipeline(StandardScaler(), make_stopping(name), transform_input=["eval_X"])
    options = {"scoring": MAP, "cv": 2, "return_estimator": True, "n_jobs": 2, "error_score": "raise"}
    for path in ("", f"{name.lower()}__"):
        params = {f"{path}{parameter}": value for parameter, value in SETS.items()}
        found = cross_validate(model, **TRAIN, params=params, **options)
        for fitted in found["estimator"]:
            values, i = best(fitted[-1], MAP)
            assert values[i] == MAP(fitted, X[HELD_OUT], Y[HELD_OUT], groups=GROUPS[HELD_OUT])


# ------------------------------------------------------------------ evaluation sets in pipelines

BOTH = r", so early stopping uses .* Pass validation_fraction=0\.1 instead, .* transform_input=\[\"eval_X\"\]"


@BOOSTED
@pytest.mark.parametrize(
    ("name_of", "sets"), [("eval_set", PAIRS), ("eval_X", SETS)], ids=["eval_set", "eval_X"]
)
def test_pipeline_warns_about_untransformed_evaluation_sets(name, name_of, sets):
    model = make_pipeline(StandardScaler(), make_stopping(name))
    step = name.lower()
    given = {f"{step}__{parameter}": value for parameter, value in sets.items()}
    with pytest.warns(RankingWarning, match=rf"{name}\.fit: .* but not '{name_of}'{BOTH}"):
        model.fit(TRAIN["X"], TRAIN["y"], **{f"{step}__groups": TRAIN["groups"]}, **given)


@pytest.mark.slow
@BOOSTED
def test_cross_validate_warns_about_untransformed_evaluation_sets(name):
    model = make_pipeline(StandardScaler(), make_stopping(name))
    params = {f"{name.lower()}__{parameter}": value for parameter, value in PAIRS.items()}
    with pytest.warns(RankingWarning, match=BOTH):
        cross_validate(model, **TRAIN, scoring=MAP, params=params, cv=2)
    with config_context(enable_metadata_routing=True), pytest.warns(RankingWarning, match=BOTH):
        cross_validate(model, **TRAIN, scoring=MAP, params=PAIRS, cv=2)


@BOOSTED
def test_pipeline_without_transformers_does_not_warn(name):
    step = name.lower()
    given = {f"{step}__{parameter}": value for parameter, value in PAIRS.items()}
    for model in (
        make_pipeline(make_stopping(name)),
        make_pipeline("passthrough", None, make_stopping(name)),
    ):
        model.fit(TRAIN["X"], TRAIN["y"], **{f"{step}__groups": TRAIN["groups"]}, **given)


def nest(*models):
    """Return pipelines in each other, each with a step that transforms."""
    model = models[-1]
    for transform_input in models[:-1]:
        model = make_pipeline(StandardScaler(), model, transform_input=transform_input)
    return model


@pytest.mark.slow
@pytest.mark.parametrize("inner", [None, ["eval_X"]])
@BOOSTED
def test_nested_pipelines_warn_about_untransformed_evaluation_sets(name, inner):
    path = f"pipeline__{name.lower()}__"
    given = {f"{path}{parameter}": value for parameter, value in PAIRS.items()}
    model = make_pipeline(StandardScaler(), make_pipeline(make_stopping(name)))
    with pytest.warns(RankingWarning, match=BOTH):
        model.fit(TRAIN["X"], TRAIN["y"], **{f"{path}groups": TRAIN["groups"]}, **given)
    with pytest.warns(RankingWarning, match=BOTH):
        cross_validate(nest(inner, None, make_stopping(name)), **TRAIN, scoring=MAP, cv=2, params=given)


@BOOSTED
def test_nested_pipelines_transform_eval_x_with_transform_input(name):
    model = nest(["eval_X"], ["eval_X"], make_stopping(name))
    options = {"scoring": MAP, "cv": 2, "return_estimator": True, "error_score": "raise"}
    for fitted in cross_validate(model, **TRAIN, params=SETS, **options)["estimator"]:
        values, i = best(fitted[-1][-1], MAP)
        assert values[i] == MAP(fitted, X[HELD_OUT], Y[HELD_OUT], groups=GROUPS[HELD_OUT])


class FitsARanker(TransformerMixin, BaseEstimator):
    """A step that fits a ranker of its own to the features that reach it, and hands on its scores."""

    def __init__(self, ranker):
        self.ranker = ranker

    def fit(self, X, y):
        halves = GROUPS[~HELD_OUT] % 2 == 0
        groups = GROUPS[~HELD_OUT]
        evaluation = {"eval_set": [(X[halves], y[halves])], "eval_groups": [groups[halves]]}
        self.ranker_ = clone(self.ranker).fit(X[~halves], y[~halves], groups=groups[~halves], **evaluation)
        return self

    def transform(self, X):
        return self.ranker_.predict(X)[:, None]


@BOOSTED
def test_ranker_fitted_inside_a_transformer_does_not_warn(name):
    make_pipeline(FitsARanker(make_stopping(name)), Ridge()).fit(TRAIN["X"], TRAIN["y"])


@BOOSTED
@pytest.mark.parametrize("eval_set", [X, 5, "all"])
def test_ranker_fit_rejects_eval_set_that_is_not_a_list_of_pairs(name, eval_set):
    with pytest.raises(ValueError, match=rf"'eval_set' parameter of {name}\.fit must be a list of pairs"):
        make_stopping(name).fit(**TRAIN, eval_set=eval_set, eval_groups=[GROUPS])


def test_catboost_ranker_rejects_equal_labels_if_weights_count():
    y, groups, features = np.tile([1, 0, 0], 40), np.repeat(np.arange(40), 3), X[:120]
    evaluation = {"eval_set": [(features, y)], "eval_groups": [groups]}
    weighed = {"sample_weight": 1.0 + groups % 3}
    make_stopping("CatBoostRanker").fit(
        features, y, groups=groups, **evaluation, **weighed
    )  # MAP is unweighted
    model = make_stopping("CatBoostRanker", map_scorer(k=10).set_score_request(sample_weight=True))
    model.fit(features, y, groups=groups, **evaluation)
    with pytest.raises(
        ValueError, match=r"'eval_set' .* must contain sets with different labels if their ids, w"
    ):
        model.fit(features, y, groups=groups, **evaluation, **weighed)


@pytest.mark.parametrize("metric", [MAP, "map@10-"], ids=["ours", "XGBoost's"])
def test_xgboost_ranker_adds_base_margins_for_every_metric(metric):
    pytest.importorskip("xgboost")
    margin = np.random.default_rng(0).normal(scale=5, size=len(Y))
    model = make_stopping("XGBRanker", metric).set_params(validation_fraction=0.3)
    relevant = (Y > 0).astype(int)
    model.fit(X, relevant, groups=GROUPS, base_margin=margin)
    held_out = np.isin(GROUPS, model.validation_groups_)
    scores = model.predict(X[held_out], base_margin=margin[held_out])
    expected = MAP.score_rows(relevant[held_out], scores, groups=GROUPS[held_out])
    assert model.best_score == pytest.approx(expected, abs=1e-6)
