"""Metrics for early stopping."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.metrics import accuracy_score, make_scorer

import sklearn_rank.rankers
from sklearn_rank import mrr_score, ranking_scorer
from sklearn_rank.rankers import LGBMRanker, as_eval_metric
from tests.helpers.early_stopping import GROUPS, HELD_OUT, MAP, PAIRS, TRAIN, X, Y, make_stopping
from tests.helpers.rankers import BOOSTED, LIBRARIES, STOPPED, best, stopping_by

# ------------------------------------------------------------------ valid metrics


@BOOSTED
@pytest.mark.parametrize("metric", ["map@10", "neg_bpr_loss", "ndcg@5(gain=exponential)"])
def test_scorer_and_its_name_stop_where_as_eval_metric_does(name, metric):
    made, fit = stopping_by(metric, name)
    expected = best(made.fit(**TRAIN, **PAIRS, **fit), metric)
    for form in (sklearn_rank.get_scorer(metric), f"sklearn_rank:{metric}"):
        model = make_stopping(name, form).fit(**TRAIN, **PAIRS)
        assert best(model, metric) == expected
        assert len(expected[0]) < 60


@pytest.mark.slow
def test_lightgbm_ranker_stops_by_the_given_scorer_only():
    pytest.importorskip("lightgbm")
    plain = {**STOPPED["LGBMRanker"], "early_stopping_round": 4}
    for given in ({}, {"metric": None}, {"metrics": None}, {"metric": "None"}):
        model = LGBMRanker(**plain, **given).fit(**TRAIN, **PAIRS, eval_metric=[MAP])
        assert list(model.evals_result_["valid_0"]) == ["map_scorer(k=10)"]
        assert best(model, MAP) == best(make_stopping("LGBMRanker").fit(**TRAIN, **PAIRS), MAP)


@pytest.mark.parametrize("given", [{}, {"metric": None}, {"metrics": None}], ids=["nothing", "None", "alias"])
def test_lightgbm_ranker_requires_metric_none_with_made_metrics(given):
    pytest.importorskip("lightgbm")
    made = as_eval_metric("map@10", library="lightgbm")
    rule = r"'metric' parameter of LGBMRanker.* must be.* metric=\"None\", .*eval_metric=map_scorer\(k=10\)"
    with pytest.raises(ValueError, match=rule):
        LGBMRanker(**STOPPED["LGBMRanker"], **given).fit(**TRAIN, **PAIRS, eval_metric=made)


def test_lightgbm_ranker_stops_by_its_own_named_metrics_too():
    model = make_stopping("LGBMRanker", ["ndcg", MAP]).fit(**TRAIN, **PAIRS, eval_at=[3])
    assert list(model.evals_result_["valid_0"]) == ["ndcg@3", "map_scorer(k=10)"]


@pytest.mark.parametrize(
    ("metric", "remedies"),
    [
        ("ndcg@10", ['"sklearn_rank:ndcg@10"']),
        ("map@5", ['"sklearn_rank:map@5"']),
        ("mrr", ['"sklearn_rank:mrr"']),
        ("ndgc", ['"sklearn_rank:ndcg@10"']),
        ("NDCG:top=10", ['"sklearn_rank:ndcg@10"']),
        ("ndcg,map@3", ['"sklearn_rank:map@3"']),
    ],
)
@pytest.mark.parametrize("place", ["fit", "fit, in a list", "constructor"])
def test_lightgbm_ranker_rejects_metric_names_lightgbm_would_ignore(metric, remedies, place):
    pytest.importorskip("lightgbm")
    model = LGBMRanker(**STOPPED["LGBMRanker"], **({"metric": metric} if place == "constructor" else {}))
    fit = {"fit": {"eval_metric": metric}, "fit, in a list": {"eval_metric": ["map", metric]}}.get(place, {})
    rule = r"'(eval_)?metric' parameter of LGBMRanker(\.fit)? must name a metric of LightGBM"
    with pytest.raises(ValueError, match=rule) as error:
        model.fit(**TRAIN, **PAIRS, **fit)
    assert all(remedy in str(error.value) for remedy in remedies)


@pytest.mark.slow
@pytest.mark.parametrize(
    "metric", ["ndcg", "map", "mean_average_precision", "auc", "l2", "rmse,ndcg", "None"]
)
def test_lightgbm_metric_names_are_passed_to_lightgbm(metric):
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


@pytest.mark.parametrize("metric", ["ndcg@8", "map", ["ndcg@8"]])
def test_xgboost_ranker_shows_both_spellings_of_shared_names(metric):
    pytest.importorskip("xgboost")
    with pytest.raises(ValueError, match=r'="sklearn_rank:(.*)", or "sklearn_rank:xgboost:\1"'):
        make_stopping("XGBRanker", metric).fit(**TRAIN, **PAIRS)


def test_xgboost_metric_names_are_passed_to_xgboost():
    pytest.importorskip("xgboost")
    model = make_stopping("XGBRanker", "ndcg@10-").fit(**TRAIN, **PAIRS)
    assert list(model.evals_result_["validation_0"]) == ["ndcg@10-"]
    reported = sklearn_rank.get_scorer("ndcg@10")(model, X[HELD_OUT], Y[HELD_OUT], groups=GROUPS[HELD_OUT])
    assert model.best_score != reported  # XGBoost uses exponential gains


@BOOSTED
@pytest.mark.parametrize(
    "metric",
    [ranking_scorer(["map", "mrr"]), "sklearn_rank:accuracy"],
    ids=["several", "unknown name"],
)
def test_eval_metric_rejects_scorers_of_no_single_ranking_metric(name, metric):
    with pytest.raises(ValueError, match="must"):
        make_stopping(name, metric).fit(**TRAIN, **PAIRS)


# ------------------------------------------------------------------ invalid metrics


@BOOSTED
@pytest.mark.parametrize(
    "metric", [mrr_score, make_scorer(accuracy_score)], ids=["function of ours", "scorer of scikit-learn"]
)
def test_eval_metric_rejects_functions_and_scikit_learn_scorers(name, metric):
    pytest.importorskip(LIBRARIES[name])
    fit = {"eval_metric": metric} if name == "LGBMRanker" else {}
    model = make_stopping(name) if fit else make_stopping(name, metric)
    rule = r"'eval_metric' parameter of \w+(\.fit)? must be a scorer of .* Pass eval_metric=\w+scorer\("
    with pytest.raises(ValueError, match=rule):
        model.fit(**TRAIN, **PAIRS, **fit)


def test_lightgbm_ranker_metric_accepts_as_eval_metric_with_none():
    pytest.importorskip("lightgbm")
    made = as_eval_metric("map@10", library="lightgbm")
    plain = {**STOPPED["LGBMRanker"], "early_stopping_round": 4}
    with pytest.raises(
        ValueError,
        match=r"'metric' parameter of LGBMRanker(\.fit)? must be set with an eval_metric of as_eval_metric",
    ):
        LGBMRanker(**plain, metric=made).fit(**TRAIN, **PAIRS)
    model = LGBMRanker(**plain, metric=["None", made]).fit(**TRAIN, **PAIRS)
    assert best(model, MAP) == best(make_stopping("LGBMRanker").fit(**TRAIN, **PAIRS), MAP)
    for metric in (mrr_score, 5, {"ndcg"}):
        with pytest.raises(
            ValueError, match=r"'metric' parameter of LGBMRanker(\.fit)? must be a (name or a )?scorer"
        ):
            LGBMRanker(**plain, metric=metric).fit(**TRAIN, **PAIRS)


def test_xgboost_ranker_rejects_callbacks_that_minimize_a_scorer():
    xgboost = pytest.importorskip("xgboost")
    model = make_stopping("XGBRanker", "sklearn_rank:recall@3")
    expected = model.fit(**TRAIN, **PAIRS).best_iteration
    stop = xgboost.callback.EarlyStopping(rounds=4)
    with pytest.raises(
        ValueError, match=r"'callbacks' .* must maximize .* Pass EarlyStopping\(..., maximize=True\)"
    ):
        model.set_params(early_stopping_rounds=None, callbacks=[stop]).fit(**TRAIN, **PAIRS)
    stop = xgboost.callback.EarlyStopping(rounds=4, maximize=True)
    assert model.set_params(callbacks=[stop]).fit(**TRAIN, **PAIRS).best_iteration == expected


@BOOSTED
@pytest.mark.parametrize("metric", ["sklearn_rank:foo", "sklearn_rank:", "sklearn_rank:map@10,ndcg"])
def test_bad_metric_name_error_names_the_parameter(name, metric):
    with pytest.raises(
        ValueError, match=r"'eval_metric' parameter of \w+(\.fit)? must (name a metric|be one name)"
    ):
        make_stopping(name, metric).fit(**TRAIN, **PAIRS)


def test_lightgbm_ranker_rejects_prefixed_names_joined_by_commas():
    pytest.importorskip("lightgbm")
    with pytest.raises(ValueError, match="must be a list of names, not one text"):
        make_stopping("LGBMRanker", "ndcg,sklearn_rank:map@10").fit(**TRAIN, **PAIRS)


@pytest.mark.parametrize("metric", [MAP, "sklearn_rank:map@10"], ids=["scorer", "name"])
def test_lightgbm_ranker_accepts_eval_metric_in_the_constructor(metric):
    pytest.importorskip("lightgbm")
    model = LGBMRanker(**STOPPED["LGBMRanker"], early_stopping_round=4, eval_metric=metric)
    assert best(clone(model).fit(**TRAIN, **PAIRS), MAP) == best(
        make_stopping("LGBMRanker").fit(**TRAIN, **PAIRS), MAP
    )
    with pytest.raises(ValueError, match=r"'eval_metric' parameter of LGBMRanker\.fit must name a metric"):
        model.set_params(eval_metric="ndcg@10").fit(**TRAIN, **PAIRS)


def test_xgboost_ranker_rejects_metric_for_eval_metric():
    pytest.importorskip("xgboost")
    with pytest.raises(ValueError, match=r"'metric' parameter of XGBRanker must be passed as 'eval_metric'"):
        sklearn_rank.rankers.XGBRanker(metric=MAP).fit(**TRAIN, **PAIRS)
