"""Weights in early stopping: evaluation uses them only if the scorer requests them."""

import pickle
from copy import deepcopy

import numpy as np
import pytest

import sklearn_rank.rankers
from sklearn_rank import cross_val_score, get_scorer, map_scorer, ndcg_scorer
from sklearn_rank.rankers import as_eval_metric
from tests.helpers.early_stopping import (
    GROUPS,
    HELD_OUT,
    MAP,
    PAIRS,
    TRAIN,
    X,
    Y,
    make_holdout,
    make_stopping,
)
from tests.helpers.rankers import BOOSTED, LIBRARIES, STOPPED, best

WEIGHED = map_scorer(k=10).set_score_request(sample_weight=True)
BY_QUERY = 1.0 + GROUPS % 4
BY_ROW = 1.0 + np.random.default_rng(0).integers(0, 4, len(Y))
TRAIN_WEIGHTS = {"sample_weight": BY_QUERY[~HELD_OUT]}


@BOOSTED
def test_evaluation_set_is_not_weighed_by_training_weights(name):
    for scorer in (MAP, WEIGHED):  # the evaluation set has no weights
        model = make_stopping(name, scorer).fit(**TRAIN, **PAIRS, **TRAIN_WEIGHTS)
        values, i = best(model, MAP)
        assert values[i] == MAP(model, X[HELD_OUT], Y[HELD_OUT], groups=GROUPS[HELD_OUT])


@BOOSTED
def test_fit_rejects_eval_sample_weight_when_the_scorer_requests_none(name):
    weights = {"eval_sample_weight": [BY_QUERY[HELD_OUT]]}
    rule = (
        rf"'eval_sample_weight' parameter of {name}\.fit must be None unless the eval_metric requests weights"
    )
    with pytest.raises(ValueError, match=rule) as error:
        make_stopping(name).fit(**TRAIN, **PAIRS, **weights)
    fix = str(error.value).partition("Pass eval_metric=")[2].rstrip(".")
    scorer = eval(fix, {"map_scorer": map_scorer})
    model = make_stopping(name, scorer).fit(**TRAIN, **PAIRS, **weights)
    values, i = best(model, MAP)
    given = {"groups": GROUPS[HELD_OUT], "sample_weight": BY_QUERY[HELD_OUT]}
    assert values[i] == scorer(model, X[HELD_OUT], Y[HELD_OUT], **given)


def test_lightgbm_takes_eval_sample_weight_for_own_metric_and_scorer():
    model = make_stopping("LGBMRanker", ["ndcg", MAP])
    model.fit(**TRAIN, **PAIRS, eval_sample_weight=[BY_QUERY[HELD_OUT]])
    values = model.evals_result_["valid_0"]["map_scorer(k=10)"]
    model.set_params(metric=["ndcg", MAP]).fit(**TRAIN, **PAIRS)
    assert values == model.evals_result_["valid_0"]["map_scorer(k=10)"]


def test_lightgbm_stops_by_a_scorer_when_weights_differ_in_queries():
    model = make_holdout("LGBMRanker").fit(X, Y, groups=GROUPS, sample_weight=BY_ROW)
    held_out = np.isin(GROUPS, model.validation_groups_)
    values, i = best(model, MAP)
    assert values[i] == MAP(model, X[held_out], Y[held_out], groups=GROUPS[held_out])
    plain = make_holdout("LGBMRanker").fit(X, Y, groups=GROUPS)
    assert not np.array_equal(plain.predict(X), model.predict(X))


def test_lightgbm_does_not_weigh_its_own_metric_by_training_weights():
    model = make_holdout("LGBMRanker", "ndcg").fit(X, Y, groups=GROUPS, sample_weight=BY_QUERY)
    held_out = np.isin(GROUPS, model.validation_groups_)
    by_hand = make_stopping("LGBMRanker", "ndcg").fit(
        X[~held_out],
        Y[~held_out],
        groups=GROUPS[~held_out],
        sample_weight=BY_QUERY[~held_out],
        eval_set=[(X[held_out], Y[held_out])],
        eval_groups=[GROUPS[held_out]],
    )
    assert model.evals_result_ == by_hand.evals_result_


@pytest.mark.parametrize("name", ["XGBRanker", "CatBoostRanker"])
def test_fit_names_rankers_that_take_weights_differing_in_queries(name):
    rule = r"'sample_weight' parameter of .*fit must be the same for all rows of a query.* LGBMRanker"
    with pytest.raises(ValueError, match=rule):
        make_holdout(name).fit(X, Y, groups=GROUPS, sample_weight=BY_ROW)


@pytest.mark.parametrize("loss", ["QuerySoftMax", "QueryRMSE"])
def test_catboost_trains_on_weights_of_rows_when_the_loss_uses_them(loss):
    catboost = pytest.importorskip("catboost")
    relevant = (Y > 1).astype(int)
    model = sklearn_rank.rankers.CatBoostRanker(**STOPPED["CatBoostRanker"], loss_function=loss)
    model.fit(X, relevant, groups=GROUPS, sample_weight=BY_ROW)
    order = np.argsort(GROUPS, kind="stable")
    theirs = catboost.CatBoostRanker(**STOPPED["CatBoostRanker"], loss_function=loss)
    theirs.fit(X[order], relevant[order], group_id=GROUPS[order], sample_weight=BY_ROW[order])
    np.testing.assert_array_equal(model.predict(X), theirs.predict(X))


def test_catboost_stops_by_a_scorer_when_weights_differ_in_queries():
    model = make_holdout("CatBoostRanker", loss_function="QuerySoftMax")
    model.fit(X, Y, groups=GROUPS, sample_weight=BY_ROW)
    held_out = np.isin(GROUPS, model.validation_groups_)
    values, i = best(model, MAP)
    assert values[i] == MAP(model, X[held_out], Y[held_out], groups=GROUPS[held_out])


@BOOSTED
def test_zero_weights_of_held_out_queries_pass_without_a_request(name):
    held_out = np.isin(GROUPS, make_holdout(name).fit(X, Y, groups=GROUPS).validation_groups_)
    model = make_holdout(name).fit(X, Y, groups=GROUPS, sample_weight=(~held_out).astype(float))
    values, i = best(model, MAP)
    assert values[i] == MAP(model, X[held_out], Y[held_out], groups=GROUPS[held_out])


def test_cross_validation_trains_when_weights_differ_in_queries():
    model = make_holdout("LGBMRanker")
    given = {"scoring": MAP, "groups": GROUPS, "cv": 2, "params": {"sample_weight": BY_ROW}}
    assert (cross_val_score(model, X, Y, **given) > 0.5).all()


# ------------------------------------------------------------------ the libraries' own functions


def test_as_eval_metric_ignores_weights_without_a_request():
    rows = np.array([1.0, 0, 0, 1]), np.array([0.9, 0.8, 0.7, 0.6])
    weights, sizes = np.array([1.0, 2, 3, 4]), np.array([2, 2])
    plain = as_eval_metric("map", library="lightgbm")
    assert plain(*rows, weights, sizes) == ("map_scorer()", 0.75, True)
    scorer = map_scorer().set_score_request(sample_weight=True)
    weighed = as_eval_metric(scorer, library="lightgbm")
    assert weighed(*rows, np.array([1.0, 1, 3, 3]), sizes)[1] == (1 + 3 * 0.5) / 4
    with pytest.raises(
        ValueError, match=r"'sample_weight' parameter of .* must be the same for all rows of a query"
    ):
        weighed(*rows, weights, sizes)


@pytest.mark.parametrize("metric", ["map@10", "trec_eval:P_5", "neg_bpr_loss"])
def test_lightgbm_train_logs_the_value_of_the_scorer(metric):
    lightgbm = pytest.importorskip("lightgbm")
    order = np.argsort(GROUPS, kind="stable")
    data = lightgbm.Dataset(X[order], Y[order], group=np.unique(GROUPS, return_counts=True)[1])
    log = {}
    booster = lightgbm.train(
        {"objective": "lambdarank", "metric": "None", "verbose": -1, "num_threads": 1},
        data,
        3,
        valid_sets=[data],
        feval=as_eval_metric(metric, library="lightgbm"),
        callbacks=[lightgbm.record_evaluation(log)],
    )
    value = get_scorer(metric).score_rows(Y[order], booster.predict(X[order]), groups=GROUPS[order])
    [logged] = log["training"].values()
    assert logged[-1] == value


def test_lightgbm_train_weighs_queries_only_if_the_scorer_requests_it():
    lightgbm = pytest.importorskip("lightgbm")
    data = lightgbm.Dataset(np.eye(4), [1, 0, 0, 1], weight=[1, 1, 3, 3], group=[2, 2]).construct()
    y_score = np.array([0.9, 0.8, 0.7, 0.6])
    values = [as_eval_metric(each, library="lightgbm")(y_score, data)[1] for each in (MAP, WEIGHED)]
    assert values == [0.75, (1 + 3 * 0.5) / 4]


def test_lightgbm_metric_needs_the_groups_of_a_dataset():
    lightgbm = pytest.importorskip("lightgbm")
    data = lightgbm.Dataset(np.eye(4), [1, 0, 0, 1]).construct()
    with pytest.raises(
        ValueError, match=r"'group' parameter of LightGBM must .*lightgbm.Dataset\(X, y, group=sizes\)"
    ):
        as_eval_metric("map", library="lightgbm")(np.zeros(4), data)


def test_xgboost_train_weighs_queries_only_if_the_scorer_requests_it():
    xgboost = pytest.importorskip("xgboost")
    order = np.argsort(GROUPS, kind="stable")
    data = xgboost.DMatrix(X[order], Y[order], qid=GROUPS[order])
    data.set_weight(1.0 + np.unique(GROUPS) % 4)
    for scorer, given in ((MAP, {}), (WEIGHED, {"sample_weight": BY_QUERY[order]})):
        log = {}
        booster = xgboost.train(
            {"objective": "rank:ndcg", "max_depth": 3},
            data,
            3,
            evals=[(data, "train")],
            custom_metric=as_eval_metric(scorer, library="xgboost"),
            evals_result=log,
            verbose_eval=False,
        )
        value = scorer.score_rows(Y[order], booster.predict(data), groups=GROUPS[order], **given)
        assert log["train"]["map_scorer(k=10)"][-1] == float(f"{value:f}")


@pytest.mark.parametrize("library", LIBRARIES.values())
def test_as_eval_metric_survives_pickle_and_copy(library):
    made = as_eval_metric(ndcg_scorer(k=3).set_score_request(sample_weight=True), library=library)
    for each in (pickle.loads(pickle.dumps(made)), deepcopy(made)):
        assert each.name == made.name == "ndcg_scorer(k=3)"
        assert each.library == library
        assert each.scorer.score_request == {"sample_weight": True}
