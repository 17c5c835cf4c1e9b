"""Early stopping by scorers of labels other than y, and by scorers with a name of the user."""

import pickle
import re

import numpy as np
import pytest
from sklearn.base import clone

from sklearn_rank import cross_validate, dcg_scorer, make_group_scorer, map_scorer
from sklearn_rank.rankers import as_eval_metric
from tests.helpers.early_stopping import GROUPS, HELD_OUT, PAIRS, TRAIN, X, Y, make_holdout, make_stopping
from tests.helpers.rankers import BOOSTED, best

REVENUE = (Y * np.random.default_rng(0).gamma(2, 20, len(Y))).round(2)
TOP = dcg_scorer(k=3, discount=None, ties="order", labels="revenue")
OF_SET = {"eval_labels": {"revenue": REVENUE[HELD_OUT]}}


def first_value(revenue, y_score):
    return revenue[np.argmax(y_score)] - 3  # can be negative


def top_values(revenue, y_score):
    return revenue[np.argsort(-y_score, kind="stable")][:3].sum()


SCORERS = {
    "metric": (TOP, top_values),
    "function": (make_group_scorer(first_value, labels="revenue"), first_value),
    "by name": ({"euros": TOP}, top_values),
}


def predict_rounds(model, features, n_rounds):
    """Return the predictions after each round up to a number of rounds."""
    argument = {"LGBMRanker": "num_iteration", "CatBoostRanker": "ntree_end"}.get(type(model).__name__)
    if argument is None:
        return [model.predict(features, iteration_range=(0, n)) for n in range(1, n_rounds + 1)]
    return [model.predict(features, **{argument: n}) for n in range(1, n_rounds + 1)]


def score_by_hand(function, rows, y_score):
    """Return the mean of a function over the queries of some rows."""
    queries = [GROUPS[rows] == query for query in np.unique(GROUPS[rows])]
    return np.mean([function(REVENUE[rows][inside], y_score[inside]) for inside in queries])


def check_values(model, scorer, function, rows):
    """Check the best round, and the logged value of each round up to it, against loops of numpy."""
    values, i = best(model, scorer)
    expected = [score_by_hand(function, rows, each) for each in predict_rounds(model, X[rows], i + 1)]
    assert values[: i + 1] == pytest.approx(expected)
    assert i == np.argmax(values)
    assert len(values) < 60


# ------------------------------------------------------------------ the values


@BOOSTED
@pytest.mark.parametrize("kind", SCORERS)
def test_values_of_held_out_queries_equal_numpy(name, kind):
    scorer, function = SCORERS[kind]
    model = make_holdout(name, scorer).fit(X, Y, groups=GROUPS, eval_labels={"revenue": REVENUE})
    check_values(model, scorer, function, np.isin(GROUPS, model.validation_groups_))


@pytest.mark.filterwarnings("ignore:CatBoostRanker.fit. the training rows lack the labels")
@BOOSTED
@pytest.mark.parametrize("kind", SCORERS)
def test_values_of_an_evaluation_set_equal_numpy(name, kind):
    scorer, function = SCORERS[kind]
    model = make_stopping(name, scorer).fit(**TRAIN, **PAIRS, **OF_SET)
    check_values(model, scorer, function, HELD_OUT)


@BOOSTED
def test_key_of_a_dict_is_the_name_in_the_log(name):
    model = make_holdout(name, {"my revenue": TOP})
    model.fit(X, Y, groups=GROUPS, eval_labels={"revenue": REVENUE})
    assert "myrevenue" in [*model.evals_result_.values()][-1]


def test_lightgbm_logs_each_scorer_of_a_dict():
    metrics = {"top": TOP, "map": "map@10", "first": SCORERS["function"][0]}
    model = make_holdout("LGBMRanker", metrics).fit(X, Y, groups=GROUPS, eval_labels={"revenue": REVENUE})
    assert list(model.evals_result_["valid_0"]) == list(metrics)
    rows = np.isin(GROUPS, model.validation_groups_)
    given = {"groups": GROUPS[rows]}
    i = model.best_iteration_ - 1
    log = model.evals_result_["valid_0"]
    assert log["map"][i] == map_scorer(k=10)(model, X[rows], Y[rows], **given)
    assert log["top"][i] == TOP(model, X[rows], Y[rows], **given, labels=REVENUE[rows])


@BOOSTED
def test_labels_can_be_an_index_level_or_a_frame(name):
    pandas = pytest.importorskip("pandas")
    expected = best(make_holdout(name, TOP).fit(X, Y, groups=GROUPS, eval_labels={"revenue": REVENUE}), TOP)
    index = pandas.Index(REVENUE, name="revenue")
    forms = {"index": (pandas.DataFrame(X, index=index), {})}
    forms["frame"] = (X, {"eval_labels": pandas.DataFrame({"revenue": REVENUE})})
    for features, given in forms.values():
        assert best(make_holdout(name, TOP).fit(features, Y, groups=GROUPS, **given), TOP) == expected


@BOOSTED
def test_cross_validation_splits_a_frame_of_labels(name):
    pandas = pytest.importorskip("pandas")
    params = {"eval_labels": pandas.DataFrame({"revenue": REVENUE}), "revenue": REVENUE}
    found = cross_validate(
        make_holdout(name, TOP), X, Y, groups=GROUPS, scoring=TOP, cv=2, params=params, return_estimator=True
    )
    for model in found["estimator"]:
        values, i = best(model, TOP)
        rows = np.isin(GROUPS, model.validation_groups_)
        assert values[i] == TOP(model, X[rows], Y[rows], groups=GROUPS[rows], labels=REVENUE[rows])


@pytest.mark.filterwarnings("ignore:CatBoostRanker.fit. the training rows lack the labels")
@BOOSTED
def test_each_evaluation_set_has_its_labels(name):
    halves = [HELD_OUT & (GROUPS % 8 == 0), HELD_OUT & (GROUPS % 8 == 4)]
    sets = {
        "eval_set": [(X[rows], Y[rows]) for rows in halves],
        "eval_groups": [GROUPS[rows] for rows in halves],
    }
    model = make_stopping(name, TOP)
    model.fit(**TRAIN, **sets, eval_labels={"revenue": [REVENUE[rows] for rows in halves]})
    logged = [
        log[as_eval_metric(TOP, library="xgboost").name] for log in [*model.evals_result_.values()][-2:]
    ]
    for rows, values in zip(halves, logged):
        first = predict_rounds(model, X[rows], 1)[0]
        assert values[0] == pytest.approx(score_by_hand(top_values, rows, first))


def test_catboost_warns_that_training_rows_lack_labels():
    with pytest.warns(UserWarning, match="the training rows lack the labels of the scorer"):
        make_stopping("CatBoostRanker", TOP).fit(**TRAIN, **PAIRS, **OF_SET)


@BOOSTED
@pytest.mark.parametrize("kind", SCORERS)
def test_clone_and_pickle_keep_scorers_of_labels(name, kind):
    scorer, _ = SCORERS[kind]
    model = make_holdout(name, scorer)
    fits = [
        each.fit(X, Y, groups=GROUPS, eval_labels={"revenue": REVENUE})
        for each in (model, clone(model), pickle.loads(pickle.dumps(model)))
    ]
    assert best(fits[0], scorer) == best(fits[1], scorer) == best(fits[2], scorer)


@BOOSTED
def test_metric_of_as_eval_metric_uses_labels(name):
    made = as_eval_metric(
        SCORERS["by name"][0],
        library=name.removesuffix("Ranker").lower().replace("lgbm", "lightgbm").replace("xgb", "xgboost"),
    )
    stop_by = ["None", made] if name == "LGBMRanker" else made
    model = make_holdout(name, stop_by).fit(X, Y, groups=GROUPS, eval_labels={"revenue": REVENUE})
    check_values(model, SCORERS["by name"][0], top_values, np.isin(GROUPS, model.validation_groups_))


# ------------------------------------------------------------------ errors before training


BAD_LABELS = {
    "missing": (None, r"must contain 'revenue', .* Pass eval_labels=\{'revenue': values\}"),
    "another name": ({"euros": REVENUE}, "must contain 'revenue'"),
    "not requested": ({"revenue": REVENUE, "euros": REVENUE}, "only names that scorers request. Got 'euros'"),
    "array": (REVENUE, r"be a dict of values by name.* Pass eval_labels=\{'name': values\}"),
    "too short": ({"revenue": REVENUE[:-1]}, r"one entry per row of X.* pandas.DataFrame\(eval_labels\)"),
    "not in the index": ({"revenue": "euros"}, "name an index level"),
    "text": ({"revenue": ["much"] * len(Y)}, "one entry per evaluation set|numbers"),
    "NaN": ({"revenue": np.where(Y > 0, np.nan, REVENUE)}, "not contain NaN"),
    "list for several sets": (
        {"revenue": [REVENUE, REVENUE]},
        r"one entry per evaluation set \(1 set\). Got 2",
    ),
}


@BOOSTED
@pytest.mark.parametrize("case", BAD_LABELS)
def test_invalid_labels_of_held_out_queries_raise_error(name, case):
    labels, words = BAD_LABELS[case]
    with pytest.raises(ValueError, match=rf"'eval_labels' parameter of {name}\.fit .*({words})"):
        make_holdout(name, TOP).fit(X, Y, groups=GROUPS, eval_labels=labels)


@BOOSTED
def test_labels_that_are_in_the_data_too_raise_error(name):
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(X).rename(columns=str)
    given, model = {"revenue": REVENUE}, make_holdout(name, TOP)
    with pytest.raises(
        ValueError, match=rf"'eval_labels' parameter of {name}\.fit .*only if the data do not"
    ):
        model.fit(frame.set_index(pandas.Index(REVENUE, name="revenue")), Y, groups=GROUPS, eval_labels=given)
    with pytest.raises(ValueError, match=rf"'X' parameter of {name}\.fit .*Drop 'revenue' from X\."):
        model.fit(frame.assign(revenue=REVENUE), Y, groups=GROUPS, eval_labels=given)


@BOOSTED
@pytest.mark.parametrize(
    ("labels", "words"),
    [
        (None, "must contain 'revenue'"),
        ({"revenue": REVENUE}, "one entry per row of X"),
        ({"revenue": [REVENUE[HELD_OUT]] * 2}, r"one entry per evaluation set \(1 set\). Got 2"),
    ],
    ids=["missing", "of all rows", "of two sets"],
)
def test_invalid_labels_of_evaluation_sets_raise_error(name, labels, words):
    with pytest.raises(ValueError, match=rf"'eval_labels' parameter of {name}\.fit .*{words}"):
        make_stopping(name, TOP).fit(**TRAIN, **PAIRS, eval_labels=labels)


@BOOSTED
def test_labels_without_a_scorer_that_requests_them_raise_error(name):
    with pytest.raises(ValueError, match="only names that scorers request"):
        make_holdout(name).fit(X, Y, groups=GROUPS, eval_labels={"revenue": REVENUE})


@pytest.mark.parametrize("library", ["lightgbm", "xgboost", "catboost"])
@pytest.mark.parametrize("metric", [{}, {"a": TOP, "b": TOP}, {1: TOP}], ids=["empty", "two", "number"])
def test_dict_of_another_form_raises_error(library, metric):
    with pytest.raises(
        ValueError, match="'metric' parameter of as_eval_metric must contain one scorer by name"
    ):
        as_eval_metric(metric, library=library)


def test_scorers_of_one_name_raise_error():
    with pytest.raises(ValueError, match="two scorers of one name"):
        make_holdout("LGBMRanker", [{"top": "mrr"}, {"top": "map@10"}]).fit(X, Y, groups=GROUPS)


# ------------------------------------------------------------------ the libraries' own functions


@pytest.mark.parametrize("library", ["lightgbm", "xgboost"])
def test_train_functions_take_labels_as_those_of_the_evaluation_data(library):
    imported = pytest.importorskip(library)
    order = np.argsort(GROUPS, kind="stable")
    train, test = order[~HELD_OUT[order]], order[HELD_OUT[order]]
    plain = as_eval_metric(dcg_scorer(k=3, discount=None, ties="order"), library=library)
    refused = as_eval_metric(TOP, library=library)

    def run(metric, labels):
        if library == "lightgbm":
            sizes = [np.unique(GROUPS[rows], return_counts=True)[1] for rows in (train, test)]
            data = imported.Dataset(X[train], Y[train], group=sizes[0])
            options = {"objective": "lambdarank", "metric": "None", "verbose": -1, "num_threads": 1}
            sets = [data.create_valid(X[test], labels, group=sizes[1])]
            return imported.train(options, data, 3, valid_sets=sets, feval=metric).predict(X[HELD_OUT])
        data = imported.DMatrix(X[train], Y[train], qid=GROUPS[train])
        options = {"objective": "rank:ndcg", "disable_default_eval_metric": True, "nthread": 1}
        sets = [(imported.DMatrix(X[test], labels, qid=GROUPS[test]), "test")]
        given = {"custom_metric": metric, "verbose_eval": False, "evals_result": log}
        return imported.train(options, data, 3, evals=sets, **given).predict(imported.DMatrix(X[HELD_OUT]))

    log = {}
    y_score = run(plain, REVENUE[test])
    if library == "xgboost":
        [values] = log["test"].values()
        assert values[-1] == pytest.approx(score_by_hand(top_values, HELD_OUT, y_score), rel=1e-5)
    with pytest.raises(ValueError, match=re.escape("with eval_labels= instead")):
        run(refused, Y[test])
