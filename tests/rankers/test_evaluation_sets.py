"""Evaluation sets as they may be given, inside pipelines too, and the metrics by which a ranker may stop."""

import numpy as np
import pytest
from sklearn import config_context
from sklearn.base import BaseEstimator, TransformerMixin, clone
from sklearn.linear_model import Ridge
from sklearn.metrics import accuracy_score, make_scorer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import sklearn_rank.rankers
from sklearn_rank import (
    RankingWarning,
    cross_validate,
    make_group_scorer,
    map_scorer,
    mrr_score,
    ranking_scorer,
)
from sklearn_rank.datasets import make_ranking
from sklearn_rank.rankers import LGBMRanker, as_eval_metric
from tests.helpers.rankers import BOOSTED, LIBRARIES, STOPPED, best, stopping_by

X, Y, GROUPS = make_ranking(n_queries=60, shuffle=True, random_state=0)
HELD_OUT = GROUPS % 4 == 0
TRAIN = {"X": X[~HELD_OUT], "y": Y[~HELD_OUT], "groups": GROUPS[~HELD_OUT]}
SETS = {"eval_X": (X[HELD_OUT],), "eval_y": (Y[HELD_OUT],), "eval_groups": [GROUPS[HELD_OUT]]}
PAIRS = {"eval_set": [(X[HELD_OUT], Y[HELD_OUT])], "eval_groups": [GROUPS[HELD_OUT]]}
MAP = map_scorer(k=10)


def stopping(name, metric=MAP):
    """Return a ranker that stops by a metric as it stands."""
    pytest.importorskip(LIBRARIES[name])
    waits = "early_stopping_round" if name == "LGBMRanker" else "early_stopping_rounds"
    stop_by = {"metric" if name == "LGBMRanker" else "eval_metric": metric}
    return getattr(sklearn_rank.rankers, name)(**STOPPED[name], **{waits: 4}, **stop_by)


# ------------------------------------------------------------------ metrics as they stand


@BOOSTED
@pytest.mark.parametrize("metric", ["map@10", "neg_bpr_loss", "ndcg@5(gain=exponential)"])
def test_a_scorer_and_its_name_stop_where_as_eval_metric_does(name, metric):
    made, fit = stopping_by(metric, name)
    expected = best(made.fit(**TRAIN, **PAIRS, **fit), metric)
    for form in (sklearn_rank.get_scorer(metric), f"sklearn_rank:{metric}"):
        model = stopping(name, form).fit(**TRAIN, **PAIRS)
        assert best(model, metric) == expected
        assert len(expected[0]) < 60


def test_nothing_else_stops_lightgbm():
    pytest.importorskip("lightgbm")
    plain = {**STOPPED["LGBMRanker"], "early_stopping_round": 4}
    for given in ({}, {"metric": None}, {"metrics": None}, {"metric": "None"}):
        model = LGBMRanker(**plain, **given).fit(**TRAIN, **PAIRS, eval_metric=[MAP])
        assert list(model.evals_result_["valid_0"]) == ["map_scorer(k=10)"]
        assert best(model, MAP) == best(stopping("LGBMRanker").fit(**TRAIN, **PAIRS), MAP)


@pytest.mark.parametrize("given", [{}, {"metric": None}, {"metrics": None}], ids=["nothing", "None", "alias"])
def test_beside_what_as_eval_metric_made_lightgbm_must_be_told_what_stops_it(given):
    pytest.importorskip("lightgbm")
    made = as_eval_metric("map@10", library="lightgbm")
    rule = r"'metric' parameter of LGBMRanker must be \"None\", .* eval_metric=map_scorer\(k=10\)"
    with pytest.raises(ValueError, match=rule):
        LGBMRanker(**STOPPED["LGBMRanker"], **given).fit(**TRAIN, **PAIRS, eval_metric=made)


def test_metrics_of_lightgbm_that_are_named_stop_it_too():
    model = stopping("LGBMRanker", ["ndcg", MAP]).fit(**TRAIN, **PAIRS, eval_at=[3])
    assert list(model.evals_result_["valid_0"]) == ["ndcg@3", "map_scorer(k=10)"]


@pytest.mark.parametrize(
    ("metric", "remedies"),
    [
        ("ndcg@10", ['eval_metric="ndcg", eval_at=[10]', '"sklearn_rank:ndcg@10"']),
        ("map@5", ['eval_metric="map", eval_at=[5]', '"sklearn_rank:map@5"']),
        ("mrr", ['eval_metric="ndcg", eval_at=[10]', '"sklearn_rank:mrr"']),
        ("ndgc", ['eval_metric="ndcg", eval_at=[10]', '"sklearn_rank:ndcg@10"']),
        ("NDCG:top=10", ['eval_metric="ndcg", eval_at=[10]', '"sklearn_rank:ndcg@10"']),
        ("ndcg,map@3", ['eval_metric="map", eval_at=[3]', '"sklearn_rank:map@3"']),
    ],
)
@pytest.mark.parametrize("place", ["fit", "fit, in a list", "constructor"])
def test_names_that_lightgbm_would_ignore_are_refused_with_both_remedies(metric, remedies, place):
    pytest.importorskip("lightgbm")
    model = LGBMRanker(**STOPPED["LGBMRanker"], **({"metric": metric} if place == "constructor" else {}))
    fit = {"fit": {"eval_metric": metric}, "fit, in a list": {"eval_metric": ["map", metric]}}.get(place, {})
    rule = r"'(eval_)?metric' parameter of LGBMRanker(\.fit)? must name a metric that LightGBM knows"
    with pytest.raises(ValueError, match=rule) as error:
        model.fit(**TRAIN, **PAIRS, **fit)
    assert all(remedy in str(error.value) for remedy in remedies)


@pytest.mark.parametrize(
    "metric", ["ndcg", "map", "mean_average_precision", "auc", "l2", "rmse,ndcg", "None"]
)
def test_names_that_lightgbm_knows_stay_its_own(metric):
    lightgbm = pytest.importorskip("lightgbm")
    order = np.argsort(TRAIN["groups"], kind="stable")
    sizes = np.unique(TRAIN["groups"], return_counts=True)[1]
    data = lightgbm.Dataset(TRAIN["X"][order], TRAIN["y"][order], group=sizes)
    log = {}
    lightgbm.train(
        {"objective": "lambdarank", "metric": ["lambdarank", *metric.split(",")], "verbosity": -1},
        data,
        1,
        valid_sets=[data],
        valid_names=["valid_0"],
        callbacks=[lightgbm.record_evaluation(log)],
    )
    ours = LGBMRanker(**STOPPED["LGBMRanker"])
    ours.fit(**TRAIN, eval_set=[(TRAIN["X"], TRAIN["y"])], eval_groups=[TRAIN["groups"]], eval_metric=metric)
    assert ours.evals_result_["valid_0"].keys() == log["valid_0"].keys()


def test_a_name_that_xgboost_knows_stays_its_own():
    pytest.importorskip("xgboost")
    model = stopping("XGBRanker", "ndcg@10").fit(**TRAIN, **PAIRS)
    assert list(model.evals_result_["validation_0"]) == ["ndcg@10"]
    reported = sklearn_rank.get_scorer("ndcg@10")(model, X[HELD_OUT], Y[HELD_OUT], groups=GROUPS[HELD_OUT])
    assert model.best_score != reported  # which gains are exponential there


@BOOSTED
@pytest.mark.parametrize(
    "metric",
    [ranking_scorer(["map", "mrr"]), make_group_scorer(max), "sklearn_rank:accuracy"],
    ids=["several", "of groups", "unknown name"],
)
def test_what_is_no_scorer_of_one_ranking_metric_is_refused(name, metric):
    with pytest.raises(ValueError, match="must"):
        stopping(name, metric).fit(**TRAIN, **PAIRS)


# ------------------------------------------------------------------ eval_X and eval_y


@BOOSTED
def test_two_tuples_are_the_list_of_pairs(name):
    expected = stopping(name).fit(**TRAIN, **PAIRS)
    got = stopping(name).fit(**TRAIN, **SETS)
    assert best(got, MAP) == best(expected, MAP)
    np.testing.assert_array_equal(got.predict(X), expected.predict(X))


@BOOSTED
@pytest.mark.parametrize(
    ("changed", "rule"),
    [
        ({"eval_X": [X]}, r"'eval_X' parameter of .*fit must be a tuple .* \(X_held_out,\)\. Got a list"),
        ({"eval_X": X}, r"'eval_X' parameter of .*fit must be a tuple .* \(X_held_out,\)\. Got a ndarray"),
        ({"eval_y": Y}, r"'eval_y' parameter of .*fit must be a tuple .* \(y_held_out,\)\. Got a ndarray"),
        ({"eval_y": None}, r"'eval_y' parameter of .*fit must be a tuple .* \(y_held_out,\)\. Got None"),
        ({"eval_X": None}, r"'eval_X' parameter of .*fit must be a tuple .* \(X_held_out,\)\. Got None"),
        (
            {"eval_y": (Y, Y)},
            r"'eval_y' parameter of .*fit must have an entry per entry of 'eval_X', 1\. Got 2",
        ),
        ({"eval_set": [(X, Y)]}, r"'eval_set' parameter of .*fit must be None beside 'eval_X' and 'eval_y'"),
        ({"eval_groups": None}, r"'eval_groups' parameter of .*fit must be a list"),
    ],
    ids=["list", "array", "labels", "no labels", "no features", "two labels", "pairs too", "no ids"],
)
def test_other_forms_are_refused(name, changed, rule):
    with pytest.raises(ValueError, match=rule):
        stopping(name).fit(**TRAIN, **(SETS | changed))


@BOOSTED
def test_a_pipeline_transforms_them(name):
    scaled = StandardScaler().fit(X[~HELD_OUT])
    model = make_pipeline(StandardScaler(), stopping(name), transform_input=["eval_X"])
    with config_context(enable_metadata_routing=True):
        model.fit(**TRAIN, **SETS)
    values, i = best(model[-1], MAP)
    assert values[i] == MAP(model, X[HELD_OUT], Y[HELD_OUT], groups=GROUPS[HELD_OUT])
    by_hand = stopping(name).fit(
        scaled.transform(TRAIN["X"]),
        TRAIN["y"],
        groups=TRAIN["groups"],
        eval_set=[(scaled.transform(X[HELD_OUT]), Y[HELD_OUT])],
        eval_groups=SETS["eval_groups"],
    )
    assert best(by_hand, MAP) == (values, i)


@BOOSTED
def test_they_stay_whole_in_each_fold(name):
    model = make_pipeline(StandardScaler(), stopping(name), transform_input=["eval_X"])
    options = {"scoring": MAP, "cv": 2, "return_estimator": True, "n_jobs": 2, "error_score": "raise"}
    for path in ("", f"{name.lower()}__"):
        params = {f"{path}{parameter}": value for parameter, value in SETS.items()}
        found = cross_validate(model, **TRAIN, params=params, **options)
        for fitted in found["estimator"]:
            values, i = best(fitted[-1], MAP)
            assert values[i] == MAP(fitted, X[HELD_OUT], Y[HELD_OUT], groups=GROUPS[HELD_OUT])


# ------------------------------------------------------------------ untransformed in a pipeline

BOTH = r"inside a Pipeline .* validation_fraction=0\.1, .* transform_input=\[\"eval_X\"\]"


@BOOSTED
@pytest.mark.parametrize(
    ("name_of", "sets"), [("eval_set", PAIRS), ("eval_X", SETS)], ids=["eval_set", "eval_X"]
)
def test_an_evaluation_set_that_is_not_transformed_is_warned_of(name, name_of, sets):
    model = make_pipeline(StandardScaler(), stopping(name))
    step = name.lower()
    given = {f"{step}__{parameter}": value for parameter, value in sets.items()}
    with pytest.warns(RankingWarning, match=rf"{name}\.fit got '{name_of}' {BOTH}"):
        model.fit(TRAIN["X"], TRAIN["y"], **{f"{step}__groups": TRAIN["groups"]}, **given)


@BOOSTED
def test_in_cross_validation_too(name):
    model = make_pipeline(StandardScaler(), stopping(name))
    params = {f"{name.lower()}__{parameter}": value for parameter, value in PAIRS.items()}
    with pytest.warns(RankingWarning, match=BOTH):
        cross_validate(model, **TRAIN, scoring=MAP, params=params, cv=2)
    with config_context(enable_metadata_routing=True), pytest.warns(RankingWarning, match=BOTH):
        cross_validate(model, **TRAIN, scoring=MAP, params=PAIRS, cv=2)


@BOOSTED
def test_nothing_is_said_where_no_step_transforms(name):
    step = name.lower()
    given = {f"{step}__{parameter}": value for parameter, value in PAIRS.items()}
    for model in (make_pipeline(stopping(name)), make_pipeline("passthrough", None, stopping(name))):
        model.fit(TRAIN["X"], TRAIN["y"], **{f"{step}__groups": TRAIN["groups"]}, **given)


def nest(*models):
    """Return pipelines in each other, each with a step that transforms."""
    model = models[-1]
    for transform_input in models[:-1]:
        model = make_pipeline(StandardScaler(), model, transform_input=transform_input)
    return model


@pytest.mark.parametrize("inner", [None, ["eval_X"]])
@BOOSTED
def test_an_outer_pipeline_has_to_transform_it_too(name, inner):
    path = f"pipeline__{name.lower()}__"
    given = {f"{path}{parameter}": value for parameter, value in PAIRS.items()}
    model = make_pipeline(StandardScaler(), make_pipeline(stopping(name)))
    with pytest.warns(RankingWarning, match=BOTH):
        model.fit(TRAIN["X"], TRAIN["y"], **{f"{path}groups": TRAIN["groups"]}, **given)
    with pytest.warns(RankingWarning, match=BOTH):
        cross_validate(nest(inner, None, stopping(name)), **TRAIN, scoring=MAP, cv=2, params=given)


@BOOSTED
def test_pipelines_in_pipelines_transform_it(name):
    model = nest(["eval_X"], ["eval_X"], stopping(name))
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
def test_nothing_is_said_of_a_ranker_in_a_step_that_transforms(name):
    make_pipeline(FitsARanker(stopping(name)), Ridge()).fit(TRAIN["X"], TRAIN["y"])


# ------------------------------------------------------------------ metrics that are none


@BOOSTED
@pytest.mark.parametrize(
    "metric", [mrr_score, make_scorer(accuracy_score)], ids=["function of ours", "scorer of scikit-learn"]
)
def test_functions_of_this_package_and_scorers_of_scikit_learn_are_refused(name, metric):
    pytest.importorskip(LIBRARIES[name])
    fit = {"eval_metric": metric} if name == "LGBMRanker" else {}
    model = stopping(name) if fit else stopping(name, metric)
    rule = (
        r"'eval_metric' parameter of \w+(\.fit)? must be a scorer of this package, as eval_metric=\w+scorer\("
    )
    with pytest.raises(ValueError, match=rule):
        model.fit(**TRAIN, **PAIRS, **fit)


def test_in_the_constructor_lightgbm_takes_what_as_eval_metric_made():
    pytest.importorskip("lightgbm")
    made = as_eval_metric("map@10", library="lightgbm")
    plain = {**STOPPED["LGBMRanker"], "early_stopping_round": 4}
    with pytest.raises(ValueError, match=r"'metric' parameter of LGBMRanker must be \"None\""):
        LGBMRanker(**plain, metric=made).fit(**TRAIN, **PAIRS)
    model = LGBMRanker(**plain, metric=["None", made]).fit(**TRAIN, **PAIRS)
    assert best(model, MAP) == best(stopping("LGBMRanker").fit(**TRAIN, **PAIRS), MAP)
    for metric in (mrr_score, 5, {"ndcg"}):
        with pytest.raises(
            ValueError, match=r"'metric' parameter of LGBMRanker must be (names, or )?(a )?scorer"
        ):
            LGBMRanker(**plain, metric=metric).fit(**TRAIN, **PAIRS)


def test_xgboosts_own_callback_must_not_minimise_a_metric_of_ours():
    xgboost = pytest.importorskip("xgboost")
    model = stopping("XGBRanker", "sklearn_rank:recall@3")
    expected = model.fit(**TRAIN, **PAIRS).best_iteration
    stop = xgboost.callback.EarlyStopping(rounds=4)
    with pytest.raises(ValueError, match=r"'callbacks' parameter of XGBRanker must have EarlyStopping"):
        model.set_params(early_stopping_rounds=None, callbacks=[stop]).fit(**TRAIN, **PAIRS)
    stop = xgboost.callback.EarlyStopping(rounds=4, maximize=True)
    assert model.set_params(callbacks=[stop]).fit(**TRAIN, **PAIRS).best_iteration == expected


@BOOSTED
@pytest.mark.parametrize("metric", ["sklearn_rank:foo", "sklearn_rank:", "sklearn_rank:map@10,ndcg"])
def test_a_bad_name_is_blamed_on_the_parameter_that_holds_it(name, metric):
    with pytest.raises(
        ValueError, match=r"'eval_metric' parameter of \w+(\.fit)? must (name a metric|be one name)"
    ):
        stopping(name, metric).fit(**TRAIN, **PAIRS)


def test_a_name_of_ours_among_names_of_lightgbm_goes_into_a_list():
    pytest.importorskip("lightgbm")
    with pytest.raises(ValueError, match="must have 'sklearn_rank:map@10' apart, in a list"):
        stopping("LGBMRanker", "ndcg,sklearn_rank:map@10").fit(**TRAIN, **PAIRS)


@BOOSTED
@pytest.mark.parametrize("eval_set", [X, 5, "all"])
def test_what_is_no_list_of_pairs_is_refused(name, eval_set):
    with pytest.raises(ValueError, match=rf"'eval_set' parameter of {name}\.fit must be a list of pairs"):
        stopping(name).fit(**TRAIN, eval_set=eval_set, eval_groups=[GROUPS])


def test_catboost_tells_sets_of_equal_labels_apart_by_their_weights_or_refuses():
    y, groups, features = np.tile([1, 0, 0], 40), np.repeat(np.arange(40), 3), X[:120]
    evaluation = {"eval_set": [(features, y)], "eval_groups": [groups]}
    weighed = {"sample_weight": 1.0 + groups % 3}
    model = stopping("CatBoostRanker")
    model.fit(features, y, groups=groups, **evaluation)
    with pytest.raises(
        ValueError, match=r"'eval_set' .* must differ in its labels from rows with other ids or w"
    ):
        model.fit(features, y, groups=groups, **evaluation, **weighed)


@pytest.mark.parametrize("metric", [MAP, "map@10"], ids=["ours", "XGBoost's"])
def test_xgboost_adds_base_margins_whatever_the_metric(metric):
    pytest.importorskip("xgboost")
    margin = np.random.default_rng(0).normal(scale=5, size=len(Y))
    model = stopping("XGBRanker", metric).set_params(validation_fraction=0.3)
    relevant = (Y > 0).astype(int)
    model.fit(X, relevant, groups=GROUPS, base_margin=margin)
    held_out = np.isin(GROUPS, model.validation_groups_)
    scores = model.predict(X[held_out], base_margin=margin[held_out])
    expected = MAP.score_rows(relevant[held_out], scores, groups=GROUPS[held_out])
    assert model.best_score == pytest.approx(expected, abs=1e-6)


@pytest.mark.parametrize("metric", [MAP, "sklearn_rank:map@10"], ids=["scorer", "name"])
def test_in_the_constructor_eval_metric_is_that_of_fit(metric):
    pytest.importorskip("lightgbm")
    model = LGBMRanker(**STOPPED["LGBMRanker"], early_stopping_round=4, eval_metric=metric)
    assert best(clone(model).fit(**TRAIN, **PAIRS), MAP) == best(
        stopping("LGBMRanker").fit(**TRAIN, **PAIRS), MAP
    )
    with pytest.raises(ValueError, match=r"'eval_metric' parameter of LGBMRanker\.fit must name a metric"):
        model.set_params(eval_metric="ndcg@10").fit(**TRAIN, **PAIRS)


def test_xgboost_is_told_the_name_of_its_parameter():
    pytest.importorskip("xgboost")
    with pytest.raises(ValueError, match=r"'metric' parameter of XGBRanker must be named 'eval_metric'"):
        sklearn_rank.rankers.XGBRanker(metric=MAP).fit(**TRAIN, **PAIRS)
