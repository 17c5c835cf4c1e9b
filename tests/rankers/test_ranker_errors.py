"""Error messages of rankers: ids under other names, pipelines without routing, metrics to stop by."""

import inspect
import re

import numpy as np
import pytest
import sklearn.metrics
import sklearn.model_selection
from sklearn import config_context
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import sklearn_rank
from sklearn_rank.datasets import make_ranking
from sklearn_rank.rankers import as_eval_metric
from tests.helpers.naming import PUBLIC
from tests.helpers.rankers import BOOSTED, EVERY, ours

X, Y, QID = make_ranking(n_queries=30, n_documents=(4, 14), n_features=4, random_state=0)
SIZES = np.bincount(QID)
EVALUATION = {"eval_set": [(X, Y)], "eval_groups": [QID]}


def run(code, **names):
    """Run code out of a message."""
    return eval(code, {"numpy": np, "qid": QID, "sizes": SIZES, "qid_held_out": QID, **names})


# ------------------------------------------------------------------ ids under other names


@EVERY
@pytest.mark.parametrize("method", ["fit", "score"])
@pytest.mark.parametrize("given", ["qid", "group_id", "query_id", "query", "queries"])
def test_error_for_other_names_of_ids_shows_groups(name, method, given):
    model = ours(name).fit(X, Y, groups=QID)
    expected = model.score(X, Y, groups=QID)
    with pytest.raises(TypeError, match=f"{name}.{method} has no parameter '{given}'. Pass groups=") as error:
        getattr(model, method)(X, Y, **{given: QID})
    meant = re.search(r"Pass (\w+)=(\w+), ", str(error.value))
    getattr(model, method)(X, Y, **{meant[1]: run(meant[2])})
    assert model.score(X, Y, groups=QID) == expected


@EVERY
@pytest.mark.parametrize("weights", [dict, list], ids=["mapping", "list"])
def test_ranker_fit_error_for_weights_by_query_shows_weights_by_row(name, weights):
    weight_of = {query: 1.0 for query in np.unique(QID)}
    given = weight_of if weights is dict else list(weight_of.values())
    with pytest.raises(ValueError, match=r"'sample_weight' parameter of .*fit must have one entry") as error:
        ours(name).fit(X, Y, groups=QID, sample_weight=given)
    by_row = re.search(r"Repeat the weight of each query on its rows: (.*)\.$", str(error.value))[1]
    ours(name).fit(X, Y, groups=QID, sample_weight=run(by_row, weight_of=weight_of, groups=QID))


@EVERY
@pytest.mark.parametrize("method", ["fit", "score"])
def test_error_for_group_sizes_shows_the_ids(name, method):
    model = ours(name).fit(X, Y, groups=QID)
    with pytest.raises(
        TypeError, match=f"{name}.{method} has no parameter 'group'. Pass groups=qid"
    ) as error:
        getattr(model, method)(X, Y, group=SIZES)
    ids = run(re.search(r"or groups=(.*)\.$", str(error.value))[1])
    np.testing.assert_array_equal(ids, QID)


@BOOSTED
@pytest.mark.parametrize(
    ("given", "meant"),
    [
        ({"eval_group": [SIZES]}, "eval_groups"),
        ({"eval_qid": [QID]}, "eval_groups"),
        ({"eval_group_id": [QID]}, "eval_groups"),
        ({"group_weight": np.ones(len(Y))}, "sample_weight"),
        ({"sample_weight_eval_set": [np.ones(len(Y))]}, "eval_sample_weight"),
    ],
    ids=lambda value: str(next(iter(value))) if isinstance(value, dict) else "",
)
def test_ranker_fit_error_for_names_of_other_libraries_shows_ours(name, given, meant):
    options = EVALUATION if meant != "eval_groups" else {"eval_set": EVALUATION["eval_set"]}
    message = f"{name}.fit has no parameter '{next(iter(given))}'. Pass {meant}="
    with pytest.raises(TypeError, match=re.escape(message)) as error:
        ours(name).fit(X, Y, groups=QID, **options, **given)
    if meant == "eval_groups":
        ids = run(re.search(r"eval_groups=(\[\w+\])", str(error.value))[1])
        ours(name).fit(X, Y, groups=QID, eval_groups=ids, **options)
    for example in re.findall(r"or eval_groups=(.*)\.$", str(error.value)):
        np.testing.assert_array_equal(run(example), [QID])


@BOOSTED
@pytest.mark.parametrize(
    "given", [{}, {"eval_groups": QID}, {"eval_groups": [QID, QID]}], ids=["none", "flat", "two"]
)
def test_ranker_fit_error_for_missing_eval_groups_shows_their_form(name, given):
    with pytest.raises(ValueError, match=f"'eval_groups' parameter of {name}.fit must be a list") as error:
        ours(name).fit(X, Y, groups=QID, eval_set=[(X, Y)], **given)
    ids = run(re.search(r"Pass eval_groups=(\[.*\])\.$", str(error.value))[1])
    ours(name).fit(X, Y, groups=QID, eval_set=[(X, Y)], eval_groups=ids)


@EVERY
def test_ranker_predict_rejects_ids(name):
    model = ours(name).fit(X, Y, groups=QID)
    for given in ("groups", "qid", "group"):
        said = f"{name}.predict has no parameter '{given}', because it scores each row separately"
        with pytest.raises(TypeError, match=said):
            model.predict(X, **{given: QID})


@EVERY
@pytest.mark.parametrize("method", ["fit", "predict", "score"])
def test_ranker_methods_reject_unknown_arguments(name, method):
    kind = type(ours(name))
    parameters = inspect.signature(getattr(kind, method)).parameters
    assert list(parameters)[:2] == ["self", "X"]
    if method != "predict":
        assert parameters["groups"].kind is parameters["groups"].KEYWORD_ONLY
        said = rf"^{name}\.{method}\(\) got an unexpected keyword argument"
        with pytest.raises(TypeError, match=rf"{said} 'colour'\.$"):
            getattr(ours(name), method)(X, Y, colour=1)
        with pytest.raises(TypeError, match=rf"{said} 'sample_weigth'\. Did you mean 'sample_weight'"):
            getattr(ours(name), method)(X, Y, groups=QID, sample_weigth=None)


@BOOSTED
@pytest.mark.parametrize("given", ["groups", "group", "query", "qid"])
def test_ranker_constructor_rejects_ids(name, given):
    with pytest.raises((TypeError, ValueError), match=given if name == "CatBoostRanker" else "'groups'"):
        ours(name, **{given: QID}).fit(X, Y)


# ------------------------------------------------------------------ pipelines


def fitted_pipeline(name):
    pipeline = make_pipeline(StandardScaler(), ours(name))
    return pipeline.fit(X, Y, **{f"{name.lower()}__groups": QID})


@BOOSTED
def test_pipeline_score_error_shows_a_scorer_that_passes_ids(name):
    model = fitted_pipeline(name)
    with pytest.raises(
        ValueError, match=f"'groups' parameter of {name}.score must contain the query id"
    ) as error:
        model.score(X, Y, groups=QID)
    names = {"model": model, "X": X, "y": Y, "ndcg_scorer": sklearn_rank.ndcg_scorer}
    value = run(re.search(r"ndcg_scorer\(\)\(.*?\)", str(error.value))[0], **names)
    assert value == sklearn_rank.ndcg_score(Y, model.predict(X), groups=QID)
    with config_context(**run(f"dict{re.search(r'set_config(.*?)[.] Scorers', str(error.value))[1]}")):
        assert model.score(X, Y, groups=QID) == value


@EVERY
def test_pipeline_passes_ids_to_score_with_routing(name):
    with config_context(enable_metadata_routing=True):
        model = make_pipeline(StandardScaler(), ours(name)).fit(X, Y, groups=QID)
        assert model.score(X, Y, groups=QID) == sklearn_rank.ndcg_scorer()(model, X, Y, groups=QID)


@BOOSTED
def test_ranker_fit_error_without_ids_shows_the_call_of_a_pipeline(name):
    pipeline = make_pipeline(StandardScaler(), ours(name))
    with pytest.raises(ValueError, match=f"'groups' .* {name}.fit must contain the query id") as error:
        pipeline.fit(X, Y)
    step = re.search(r"or (\w+)=qid to a pipeline\.", str(error.value))[1]
    assert np.isfinite(pipeline.fit(X, Y, **{step: QID}).predict(X)).all()


@BOOSTED
def test_ranker_error_inside_scikit_learn_names_the_function_here(name):
    cv = sklearn_rank.BalancedGroupKFold()
    options = {"groups": QID, "scoring": sklearn_rank.ndcg_scorer(), "cv": cv, "error_score": "raise"}
    with pytest.raises(ValueError, match=r"Got None instead.*, such as sklearn_rank\.cross_val_score"):
        sklearn.model_selection.cross_val_score(ours(name), X, Y, **options)
    assert sklearn_rank.cross_val_score(ours(name), X, Y, **options).shape == (5,)


# ------------------------------------------------------------------ metrics to stop by


WRONG = [
    (sklearn_rank.ndcg_score, "ndcg_scorer()"),
    (sklearn.metrics.ndcg_score, "ndcg_scorer()"),
    (sklearn_rank.precision_at_k_score, "precision_at_k_scorer(k=10)"),
    (sklearn_rank.metrics.bpr_loss, "neg_bpr_loss_scorer()"),
    (sklearn_rank.map_scorer, "map_scorer()"),
]


@BOOSTED
@pytest.mark.parametrize(("given", "meant"), WRONG, ids=[meant for _, meant in WRONG])
def test_eval_metric_error_for_a_function_shows_its_scorer(name, given, meant):
    with pytest.raises(ValueError, match=r"'eval_metric' parameter of .* must be a scorer") as error:
        ours(name, eval_metric=given).fit(X, Y, groups=QID, **EVALUATION)
    assert re.search(r"Pass eval_metric=(.*)\.$", str(error.value))[1] == meant
    metric = eval(meant, PUBLIC)
    ours(name, eval_metric=metric).fit(X, Y, groups=QID, **EVALUATION)


def test_xgboost_ranker_accepts_functions_of_scikit_learn():
    pytest.importorskip("xgboost")
    model = ours("XGBRanker", eval_metric=sklearn.metrics.mean_absolute_error)
    model.fit(X, Y, groups=QID, **EVALUATION)
    assert "mean_absolute_error" in model.evals_result()["validation_0"]


def test_metric_error_for_a_function_shows_its_scorer():
    with pytest.raises(
        ValueError, match=r"'metric' parameter of LGBMRanker must be a scorer.* Pass metric=ndcg_scorer\(\)"
    ):
        ours("LGBMRanker", metric=sklearn_rank.ndcg_score).fit(X, Y, groups=QID)
    with pytest.raises(
        ValueError, match=r"'metric' parameter of as_eval_metric must .*metric=map_scorer\(\)"
    ):
        as_eval_metric(sklearn_rank.map_score, library="xgboost")


@BOOSTED
def test_wrong_name_with_the_prefix_gives_one_message(name):
    with pytest.raises(ValueError, match=r"'eval_metric' parameter of .*[Dd]id you mean .?ndcg") as error:
        ours(name, eval_metric="sklearn_rank:ndgc@10").fit(X, Y, groups=QID, **EVALUATION)
    assert str(error.value).count("Got") == 1


@pytest.mark.parametrize("name", ["XGBRanker", "CatBoostRanker"])
@pytest.mark.parametrize(
    "metric", ["ndcg@10(ties=worst)", "group_auc", "mrr", "hit_rate@5", "neg_bpr_loss", "map(p=2)"]
)
def test_eval_metric_error_without_prefix_shows_the_prefix(name, metric):
    if metric in ("ndcg@10(ties=worst)", "map(p=2)"):
        pattern, works = re.escape(f'eval_metric="sklearn_rank:{metric}"'), False
    else:
        pattern, works = f'eval_metric="(sklearn_rank:{metric})"', True
    with pytest.raises(
        ValueError, match=f"'eval_metric' parameter of {name} must start with the prefix.*{pattern}"
    ) as error:
        ours(name, eval_metric=metric).fit(X, Y, groups=QID, **EVALUATION)
    if works:
        meant = re.search(pattern, str(error.value))[1]
        ours(name, eval_metric=meant).fit(X, Y, groups=QID, **EVALUATION)


@pytest.mark.parametrize("metric", ["ndcg-", "ndcg@5-", "map@3-", "pre@5", "auc"])
def test_xgboost_metric_names_are_logged_unchanged(metric):
    model = ours("XGBRanker", eval_metric=metric).fit(
        X, (Y > 1).astype(int), groups=QID, eval_set=[(X, (Y > 1) * 1)], eval_groups=[QID]
    )
    assert list(model.evals_result_["validation_0"]) == [metric] if hasattr(model, "evals_result_") else True
