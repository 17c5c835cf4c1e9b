"""The doors for models: scorers, cross-validation and searches, with a model that returns a column of X."""

from functools import partial

import numpy as np
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.model_selection import LeaveOneGroupOut

from sklearn_rank import (
    GridSearchCV,
    RandomizedSearchCV,
    cross_val_predict,
    cross_val_report,
    cross_val_score,
    cross_validate,
    evaluate,
    get_scorer,
    learning_curve,
    permutation_test_score,
    ranking_scorer,
    validation_curve,
)
from sklearn_rank.metrics import Missed

from ..helpers.frames import pandas
from ..helpers.scorers import FACTORIES
from .command_doors import spell_name
from .data_sets import list_rows
from .doors import LIBRARY, MEAN, Door, list_arguments, read_report, take_columns


class ReturnsX(RegressorMixin, BaseEstimator):
    """A model whose predictions are its only feature."""

    def __init__(self, parameter=0):
        self.parameter = parameter

    def fit(self, X, y):
        self.is_fitted_ = True
        return self

    def predict(self, X):
        return np.asarray(X)[:, 0]


def take_data(data):
    """Return X, y and the ids of the rows."""
    queries, _, y_true, y_score, _ = take_columns(data)
    return np.array(y_score)[:, None], np.array(y_true), queries


def by_query(data, values):
    """Return values of folds that are queries, in the order of the ids."""
    queries = sorted(data.qrels)
    return {
        query: {name: each[place] for name, each in values.items()} for place, query in enumerate(queries)
    }


def call_scorer(data, folder, names):
    X, y, queries = take_data(data)
    scorer = ranking_scorer(names, **data.options)
    return {MEAN: scorer(ReturnsX().fit(X, y), X, y, groups=queries)}


def call_scorer_with_columns(data, folder, names):
    """Take ids from a column of X and labels from the index of y."""
    X, y, queries = take_data(data)
    frame = pandas.DataFrame({"score": X[:, 0], "qid": queries})
    labels = pandas.Series(0.0, index=pandas.Index(y, name="label"))
    scorer = ranking_scorer(names, groups="qid", labels="label", **data.options)
    return {MEAN: scorer(ReturnsX().fit(X, y), frame, labels)}


def call_scorer_with_missed(data, folder, names):
    """Predict only retrieved rows; the scorer has the labels of the others."""
    rows = [row for row in list_rows(data) if row.score > -np.inf]
    queries, _, y_true, y_score, _ = map(list, zip(*rows))
    lost = [row for row in list_rows(data) if row.score == -np.inf]
    missed = Missed([row.query for row in lost], [row.label for row in lost]) if lost else None
    scorer = ranking_scorer(names, missed=missed, **data.options)
    X = np.array(y_score)[:, None]
    return {MEAN: scorer(ReturnsX().fit(X, y_true), X, np.array(y_true), groups=queries)}


def call_scorers_by_name(data, folder, names):
    X, y, queries = take_data(data)
    model = ReturnsX().fit(X, y)
    scorers = {name: get_scorer(spell_name(name, data.options)) for name in names}
    return {MEAN: {name: scorer(model, X, y, groups=queries) for name, scorer in scorers.items()}}


def cut(data):
    """Return a splitter whose folds are the queries, in the order of their ids."""
    numbers = {query: number for number, query in enumerate(sorted(data.qrels))}
    codes = [numbers[row.query] for row in list_rows(data)]
    return list(LeaveOneGroupOut().split(codes, groups=codes))


def call_cross_validate(data, folder, names):
    X, y, queries = take_data(data)
    scorer = ranking_scorer(names, **data.options)
    found = cross_validate(
        ReturnsX(), X, y, groups=queries, scoring=scorer, cv=cut(data), error_score="raise"
    )
    return by_query(data, {name: found[f"test_{name}"] for name in names})


def call_each(find_scores, data, folder, names):
    """Call a function that takes one scorer, made by the factory of the metric."""
    X, y, queries = take_data(data)
    options = {"groups": queries, "cv": cut(data), "error_score": "raise"}
    values = {}
    for name in names:
        stem, given = list_arguments(data, name)
        values[name] = find_scores(ReturnsX(), X, y, scoring=FACTORIES[stem](**given), **options)
    return by_query(data, values)


def find_validation_scores(model, *rows, **options):
    return validation_curve(model, *rows, param_name="parameter", param_range=[1, 2], **options)[1][1]


def find_learning_scores(model, *rows, **options):
    return learning_curve(model, *rows, train_sizes=[1.0], **options)[2][0]


def call_permutation_test(data, folder, names):
    """Test all queries in one fold."""
    X, y, queries = take_data(data)
    rows = np.arange(len(y))
    options = {"groups": queries, "cv": [(rows, rows)], "n_permutations": 1}
    means = {}
    for name in names:
        stem, given = list_arguments(data, name)
        scorer = FACTORIES[stem](**given)
        means[name] = permutation_test_score(ReturnsX(), X, y, scoring=scorer, **options)[0]
    return {MEAN: means}


def call_report(data, folder, names):
    X, y, queries = take_data(data)
    report = cross_val_report(ReturnsX(), X, y, groups=queries, scoring=names, cv=2, **data.options)
    return read_report(report)


def call_predict(data, folder, names):
    X, y, queries = take_data(data)
    y_score = cross_val_predict(ReturnsX(), X, y, groups=queries, cv=2)
    return read_report(evaluate(y, y_score, groups=queries, metrics=names, **data.options))


def search(make, data, folder, names):
    X, y, queries = take_data(data)
    scorer = ranking_scorer(names, **data.options)
    options = {"scoring": scorer, "cv": cut(data), "refit": False, "error_score": "raise"}
    results = make(ReturnsX(), {"parameter": [1, 2]}, **options).fit(X, y, groups=queries).cv_results_
    values = {
        name: [results[f"split{fold}_test_{name}"][0] for fold in range(len(data.qrels))] for name in names
    }
    return by_query(data, values)


ONE_METRIC = {"without": LIBRARY, "share": 6}

MODEL_DOORS = {
    "ranking_scorer": Door(call_scorer),
    "ranking_scorer with columns": Door(call_scorer_with_columns),
    "ranking_scorer with missed": Door(call_scorer_with_missed, lacks=("missing query",)),
    "get_scorer": Door(call_scorers_by_name, without=LIBRARY),
    "cross_validate": Door(call_cross_validate),
    "cross_val_score": Door(partial(call_each, cross_val_score), **ONE_METRIC),
    "validation_curve": Door(partial(call_each, find_validation_scores), **ONE_METRIC),
    "learning_curve": Door(partial(call_each, find_learning_scores), **ONE_METRIC),
    "permutation_test_score": Door(call_permutation_test, **ONE_METRIC),
    "cross_val_report": Door(call_report),
    "cross_val_predict": Door(call_predict),
    "GridSearchCV": Door(partial(search, GridSearchCV)),
    "RandomizedSearchCV": Door(partial(search, partial(RandomizedSearchCV, n_iter=2, random_state=0))),
}
