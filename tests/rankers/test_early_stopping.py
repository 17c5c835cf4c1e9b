"""Evaluation data that early stopping requires, and unjudged rows in it."""

from copy import copy

import numpy as np
import pytest
from sklearn.base import BaseEstimator, RegressorMixin, clone
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import sklearn_rank.rankers
from sklearn_rank import (
    GridSearchCV,
    cross_val_score,
    cross_validate,
    get_scorer,
    map_scorer,
    ndcg_scorer,
    validation_curve,
)
from tests.helpers.early_stopping import (
    GROUPS,
    HELD_OUT,
    MAP,
    PAIRS,
    PATIENCE,
    TRAIN,
    X,
    Y,
    make_holdout,
    make_stopping,
)
from tests.helpers.rankers import BOOSTED, LIBRARIES, STOPPED, best

UNJUDGED = np.where(np.random.default_rng(0).random(len(Y)) < 0.3, np.nan, Y)
SETS = {"eval_X": (X[HELD_OUT],), "eval_y": (UNJUDGED[HELD_OUT],), "eval_groups": [GROUPS[HELD_OUT]]}
AS_0 = map_scorer(k=10, unjudged="nonrelevant")


def wait_name(name):
    return PATIENCE.get(name, "early_stopping_rounds")


# ------------------------------------------------------------------ unjudged rows


@BOOSTED
@pytest.mark.parametrize("metric", [MAP, "sklearn_rank:map@10"], ids=["scorer", "name"])
def test_fit_rejects_unjudged_evaluation_rows_when_the_scorer_does(name, metric):
    rule = (
        rf"'eval_y' parameter of {name}\.fit must not contain NaN when the eval_metric has unjudged='raise'"
    )
    with pytest.raises(ValueError, match=rule) as error:
        make_stopping(name, metric).fit(**TRAIN, **SETS)
    fix = str(error.value).partition("pass eval_metric=")[2].partition(" (count as 0)")[0]
    scorer = eval(fix, {"map_scorer": map_scorer})
    model = make_stopping(name, scorer).fit(**TRAIN, **SETS)
    values, i = best(model, scorer)
    assert values[i] == scorer(model, X[HELD_OUT], UNJUDGED[HELD_OUT], groups=GROUPS[HELD_OUT])


def test_metrics_of_other_libraries_count_or_reject_unjudged_rows():
    with pytest.raises(ValueError, match=r"must not contain NaN .* Remove the rows whose label is NaN"):
        make_stopping("LGBMRanker", "sklearn_rank:lightgbm:ndcg@5").fit(**TRAIN, **SETS)
    scorer = get_scorer("trec_eval:map")  # counts unjudged rows as not relevant
    model = make_stopping("LGBMRanker", scorer).fit(**TRAIN, **SETS)
    values = model.evals_result_["valid_0"]["trec_eval=map"]
    expected = scorer(model, X[HELD_OUT], UNJUDGED[HELD_OUT], groups=GROUPS[HELD_OUT])
    assert values[model.best_iteration_ - 1] == expected


@BOOSTED
def test_fit_rejects_unjudged_held_out_rows_when_the_scorer_does(name):
    rule = (
        rf"'y' parameter of {name}\.fit must not contain NaN in queries that can be held out when the eval_m"
    )
    with pytest.raises(ValueError, match=rule):
        make_holdout(name).fit(X, UNJUDGED, groups=GROUPS)


@BOOSTED
def test_fit_excludes_unjudged_training_rows(name):
    judged = ~np.isnan(UNJUDGED) & ~HELD_OUT
    train = {"X": X[~HELD_OUT], "y": UNJUDGED[~HELD_OUT], "groups": GROUPS[~HELD_OUT]}
    kept = {"X": X[judged], "y": Y[judged], "groups": GROUPS[judged]}
    got, expected = (make_stopping(name).fit(**rows, **PAIRS) for rows in (train, kept))
    np.testing.assert_array_equal(got.predict(X), expected.predict(X))
    assert best(got, MAP) == best(expected, MAP)


@BOOSTED
def test_unjudged_rows_have_label_0_for_metrics_of_the_library(name):
    metric = {"LGBMRanker": ["map", AS_0]}.get(name, AS_0)
    log, key = [], {"LGBMRanker": "map@1", "XGBRanker": "ndcg@32", "CatBoostRanker": "NDCG:type=Base"}[name]
    for labels in (UNJUDGED, np.nan_to_num(UNJUDGED)):
        model = make_stopping(name, metric).fit(**TRAIN, **SETS | {"eval_y": (labels[HELD_OUT],)})
        log.append([values[key] for values in model.evals_result_.values() if key in values])
    assert log[0] == log[1] != []


@BOOSTED
def test_fit_excludes_unjudged_evaluation_rows_without_a_scorer(name):
    metric = {"LGBMRanker": "map", "XGBRanker": "ndcg@5-", "CatBoostRanker": "NDCG:top=5"}[name]
    judged = HELD_OUT & ~np.isnan(UNJUDGED)
    kept = {"eval_X": (X[judged],), "eval_y": (Y[judged],), "eval_groups": [GROUPS[judged]]}
    logs = [make_stopping(name, metric).fit(**TRAIN, **sets).evals_result_ for sets in (SETS, kept)]
    assert logs[0] == logs[1]


@BOOSTED
def test_unjudged_held_out_rows_reach_the_scorer_in_a_pipeline(name):
    model = make_pipeline(StandardScaler(), make_holdout(name, AS_0))
    options = {"cv": 2, "return_estimator": True, "error_score": "raise"}
    ids = np.char.add("q", GROUPS.astype(str))
    found = cross_validate(model, X, UNJUDGED, scoring=AS_0, groups=ids, **options)
    for fitted in found["estimator"]:
        held_out = np.isin(ids, fitted[-1].validation_groups_)
        values, i = best(fitted[-1], AS_0)
        assert values[i] == AS_0(fitted, X[held_out], UNJUDGED[held_out], groups=ids[held_out])


@BOOSTED
def test_validation_groups_are_sorted_ids_of_judged_queries(name):
    labels = np.where(GROUPS % 7 == 0, np.nan, UNJUDGED)
    order = np.random.default_rng(1).permutation(len(Y))
    found = [
        make_holdout(name, AS_0).fit(X[rows], labels[rows], groups=GROUPS[rows]).validation_groups_
        for rows in (np.arange(len(Y)), order)
    ]
    np.testing.assert_array_equal(*found)
    assert (np.diff(found[0]) > 0).all()
    assert not (found[0] % 7 == 0).any()


@BOOSTED
def test_queries_without_a_judged_row_count_in_an_evaluation_set(name):
    labels = np.where(GROUPS % 8 == 0, np.nan, Y)
    model = make_stopping(name, AS_0).fit(**TRAIN, **SETS | {"eval_y": (labels[HELD_OUT],)})
    values, i = best(model, AS_0)
    assert values[i] == AS_0(model, X[HELD_OUT], labels[HELD_OUT], groups=GROUPS[HELD_OUT])


@BOOSTED
def test_labels_that_the_scorer_rejects_are_rejected_before_training(name):
    evaluation = SETS | {"eval_y": (np.where(Y[HELD_OUT] == 4, -2, Y[HELD_OUT]),)}
    with pytest.raises(ValueError, match=r"must be finite and non-negative"):
        make_stopping(name).fit(**TRAIN, **evaluation)


def test_lightgbm_rejects_sets_that_differ_only_in_unjudged_rows():
    two = {name: tuple(value) * 2 for name, value in SETS.items()}
    two["eval_groups"] = list(two["eval_groups"])
    two["eval_y"] = (UNJUDGED[HELD_OUT], np.nan_to_num(UNJUDGED[HELD_OUT]))
    with pytest.raises(
        ValueError, match=r"'eval_set' parameter of LGBMRanker\.fit must contain sets with different labels"
    ):
        make_stopping("LGBMRanker", map_scorer(k=10, unjudged="drop")).fit(**TRAIN, **two)


def test_lightgbm_logs_each_scorer_on_each_evaluation_set():
    scorers = [map_scorer(k=10, unjudged="drop"), ndcg_scorer(k=5, unjudged="mean")]
    halves = [HELD_OUT & (GROUPS % 8 == 0), HELD_OUT & (GROUPS % 8 == 4)]
    model = make_stopping("LGBMRanker", scorers).set_params(early_stopping_round=None)
    model.fit(
        **TRAIN,
        eval_X=tuple(X[half] for half in halves),
        eval_y=tuple(UNJUDGED[half] for half in halves),
        eval_groups=[GROUPS[half] for half in halves],
    )
    for i, half in enumerate(halves):
        for scorer in scorers:
            values = model.evals_result_[f"valid_{i}"][scorer.describe().replace(" ", "")]
            assert values[-1] == scorer(model, X[half], UNJUDGED[half], groups=GROUPS[half])


def test_lightgbm_ranker_accepts_training_rows_as_evaluation_set():
    order = np.argsort(GROUPS, kind="stable")
    features, labels, ids = X[order], Y[order], GROUPS[order]
    model = make_stopping("LGBMRanker").set_params(early_stopping_round=None, n_estimators=3)
    weights = np.arange(len(Y)) + 1.0
    model.fit(
        features,
        labels,
        groups=ids,
        sample_weight=weights,
        eval_X=(features,),
        eval_y=(labels,),
        eval_groups=[ids],
    )
    [log] = model.evals_result_.values()
    assert log["map_scorer(k=10)"][-1] == MAP(model, features, labels, groups=ids)


def test_lightgbm_stops_by_the_first_metric_only_when_asked():
    losing = sklearn_rank.metrics.neg_rank_sum_loss_scorer()
    for scorers in ([MAP, losing], [losing, MAP]):
        model = make_stopping("LGBMRanker", scorers).set_params(first_metric_only=True).fit(**TRAIN, **PAIRS)
        alone = make_stopping("LGBMRanker", scorers[0]).fit(**TRAIN, **PAIRS)
        assert model.best_iteration_ == alone.best_iteration_
        values, i = best(alone, scorers[0])
        assert i == np.argmax(values)


def test_lightgbm_ranker_uses_a_repeated_scorer_once():
    model = make_stopping("LGBMRanker").fit(**TRAIN, **PAIRS, eval_metric=[MAP, "sklearn_rank:map@10"])
    assert best(model, MAP) == best(make_stopping("LGBMRanker").fit(**TRAIN, **PAIRS), MAP)
    weighed = copy(MAP).set_score_request(sample_weight=True)
    with pytest.raises(
        ValueError, match=r"'eval_metric' .* must not contain a scorer both with and without weights"
    ):
        make_stopping("LGBMRanker").fit(**TRAIN, **PAIRS, eval_metric=weighed)


# ------------------------------------------------------------------ no evaluation data


@BOOSTED
@pytest.mark.parametrize("metric", [None, MAP], ids=["of the library", "scorer"])
def test_fit_rejects_early_stopping_without_evaluation_data(name, metric):
    model = make_stopping(name, metric) if metric else stopping_by_default(name)
    rule = rf"'{wait_name(name)}' parameter of {name}(\.fit)? must be combined with ev.* Pass validation_fr"
    with pytest.raises(ValueError, match=rule):
        model.fit(X, Y, groups=GROUPS)


def stopping_by_default(name, **options):
    pytest.importorskip(LIBRARIES[name])
    given = STOPPED[name] | {wait_name(name): 4} | options
    return getattr(sklearn_rank.rankers, name)(**given)


@BOOSTED
@pytest.mark.parametrize("wrap", [clone, lambda model: make_pipeline(StandardScaler(), model)])
def test_search_rejects_stopping_without_evaluation_data_before_fits(name, wrap):
    rule = rf"^The '{wait_name(name)}' parameter of {name}(\.fit)? must be combined with evaluation data"
    search = GridSearchCV(wrap(stopping_by_default(name)), {}, scoring=MAP, cv=2)
    with pytest.raises(ValueError, match=rule):
        search.fit(X, Y, groups=GROUPS)


@BOOSTED
def test_search_passes_evaluation_data_to_rankers_that_stop(name):
    model = stopping_by_default(name)
    search = GridSearchCV(model, {}, scoring=MAP, cv=2, error_score="raise")
    assert search.fit(**TRAIN, **PAIRS).best_score_ > 0.5
    pipeline = make_pipeline("passthrough", model)
    named = {f"{name.lower()}__{key}": value for key, value in PAIRS.items()}
    assert (cross_val_score(pipeline, **TRAIN, scoring=MAP, cv=2, params=named) > 0.5).all()


@BOOSTED
@pytest.mark.parametrize("cut", [None, 2])
def test_search_tunes_what_a_ranker_stops_by(name, cut):
    model = clone(stopping_by_default(name))
    search = GridSearchCV(model, {"validation_fraction": [0.3, 0.4]}, scoring=MAP, cv=2, error_score="raise")
    if cut:
        assert (cross_val_score(search, X, Y, groups=GROUPS, scoring=MAP, cv=cut) > 0.4).all()
    else:
        assert search.fit(X, Y, groups=GROUPS).best_score_ > 0.4


def test_search_tunes_the_rounds_that_a_ranker_waits_in_a_pipeline():
    model = make_pipeline("passthrough", stopping_by_default("LGBMRanker"))
    grid = [{"lgbmranker__" + wait_name("LGBMRanker"): [None]}]
    search = GridSearchCV(model, grid, scoring=MAP, cv=2, error_score="raise")
    assert search.fit(X, Y, groups=GROUPS).best_score_ > 0.4


def test_validation_curve_varies_what_a_ranker_stops_by():
    model, values = stopping_by_default("LGBMRanker"), [0.3, 0.4]
    varied = {"param_name": "validation_fraction", "param_range": values, "error_score": "raise"}
    _, test = validation_curve(model, X, Y, groups=GROUPS, scoring=MAP, cv=2, **varied)
    assert (test > 0.4).all()


class StopsByHalf(RegressorMixin, BaseEstimator):
    """A model of a user that passes evaluation sets to the ranker inside it."""

    def __init__(self, ranker):
        self.ranker = ranker

    def fit(self, X, y):
        groups = np.arange(len(y)) // 10
        half = groups % 2 == 0
        evaluation = {"eval_set": [(X[half], y[half])], "eval_groups": [groups[half]]}
        self.ranker_ = clone(self.ranker).fit(X[~half], y[~half], groups=groups[~half], **evaluation)
        return self

    def predict(self, X):
        return self.ranker_.predict(X)


@BOOSTED
def test_search_lets_models_of_users_pass_evaluation_data_themselves(name):
    model = StopsByHalf(stopping_by_default(name))
    assert (cross_val_score(model, X, Y, groups=GROUPS, scoring=MAP, cv=2) > 0.4).all()


@pytest.mark.parametrize(
    ("name", "options", "parameter"),
    [
        ("LGBMRanker", {"early_stopping_round": None, "n_iter_no_change": 4}, "n_iter_no_change"),
        ("CatBoostRanker", {"early_stopping_rounds": None, "od_wait": 4}, "od_wait"),
    ],
)
def test_fit_error_names_the_parameter_that_sets_the_rounds(name, options, parameter):
    pytest.importorskip(LIBRARIES[name])
    given = {key: value for key, value in options.items() if value is not None}
    model = getattr(sklearn_rank.rankers, name)(**STOPPED[name], **given)
    with pytest.raises(
        ValueError, match=rf"'{parameter}' parameter of {name}(\.fit)? must be combined with evaluation data"
    ):
        model.fit(X, Y, groups=GROUPS)


def test_fit_rejects_callbacks_that_stop_without_evaluation_data():
    lightgbm, xgboost = pytest.importorskip("lightgbm"), pytest.importorskip("xgboost")
    rule = "'callbacks' parameter of {} must be combined with evaluation data"
    model = sklearn_rank.rankers.LGBMRanker(**STOPPED["LGBMRanker"])
    with pytest.raises(ValueError, match=rule.format(r"LGBMRanker\.fit")):
        model.fit(X, Y, groups=GROUPS, callbacks=[lightgbm.early_stopping(4, verbose=False)])
    stop = xgboost.callback.EarlyStopping(rounds=4)
    model = sklearn_rank.rankers.XGBRanker(**STOPPED["XGBRanker"], callbacks=[stop])
    with pytest.raises(ValueError, match=rule.format("XGBRanker")):
        model.fit(X, Y, groups=GROUPS)


def test_catboost_ranker_eval_fraction_works_without_a_scorer():
    pytest.importorskip("catboost")
    model = stopping_by_default("CatBoostRanker", eval_fraction=0.2).fit(X, Y, groups=GROUPS)
    assert "validation" in model.evals_result_
    rule = (
        r"'eval_fraction' parameter of CatBoostRanker must be None with a scorer .* validation_fraction=0\.2"
    )
    with pytest.raises(ValueError, match=rule):
        make_stopping("CatBoostRanker").set_params(eval_fraction=0.2).fit(X, Y, groups=GROUPS)


# ------------------------------------------------------------------ logs and arguments of the libraries


def test_catboost_ranker_logs_the_name_of_the_scorer():
    model = make_holdout("CatBoostRanker").fit(X, Y, groups=GROUPS)
    assert "map_scorer(k=10)" in model.evals_result_["validation"]
    assert model.best_score_["validation"]["map_scorer(k=10)"] == best(model, MAP)[0][model.best_iteration_]


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_xgboost_rejects_a_column_of_its_name_for_ids(library):
    frame = pytest.importorskip(library).DataFrame({f"x{i}": X[:, i] for i in range(3)} | {"qid": GROUPS})
    plain = frame.drop(columns=["qid"]) if library == "pandas" else frame.drop("qid")
    rule = r"'{}' parameter of (XGBRanker\.fit|cross_val_score) must not have a column 'qid', which XGBoost"
    with pytest.raises(ValueError, match=rule.format("X")):
        make_stopping("XGBRanker").fit(frame, Y, groups=GROUPS)
    with pytest.raises(ValueError, match=rule.format("eval_X")):
        make_stopping("XGBRanker").fit(plain, Y, groups=GROUPS, eval_set=[(frame, Y)], eval_groups=[GROUPS])
    with pytest.raises(ValueError, match="^The " + rule.format("X")):
        cross_val_score(make_holdout("XGBRanker"), frame, Y, groups=GROUPS, scoring=MAP, cv=2)


@pytest.mark.parametrize("name_of", ["pairs", "pairs_weight", "baseline", "subgroup_id", "plot"])
def test_catboosts_fit_names_the_ranker_that_takes_other_arguments(name_of):
    catboost = pytest.importorskip("catboost")
    with pytest.raises(
        TypeError, match=f"CatBoostRanker.fit has no parameter '{name_of}', because it sorts rows"
    ) as error:
        make_stopping("CatBoostRanker").fit(X, Y, groups=GROUPS, **{name_of: Y})
    assert f"catboost.CatBoostRanker(...).fit(..., {name_of}=...)" in str(error.value)
    assert hasattr(catboost, "CatBoostRanker")


@pytest.mark.parametrize(
    ("name", "parameter"),
    [
        ("LGBMRanker", "n_estimators"),
        ("XGBRanker", "early_stopping_rounds"),
        ("CatBoostRanker", "save_snapshot"),
    ],
)
def test_fit_names_the_constructor_for_its_parameters(name, parameter):
    with pytest.raises(
        TypeError, match=rf"{name}\.fit has no parameter '{parameter}'\. Pass it to the constructor"
    ):
        make_stopping(name).fit(X, Y, groups=GROUPS, **{parameter: 5})
