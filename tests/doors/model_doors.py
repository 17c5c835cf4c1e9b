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
    permutation_importance,
    permutation_test_score,
    ranking_scorer,
    validation_curve,
)

from .data_sets import list_rows
from .doors import MEAN, Door, read_report, take_columns


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
    return {query: {name: each[place] for name, each in values.items()} for place, query in enumerate(queries)}


def call_scorer(data, folder, names):
    X, y, queries = take_data(data)
    scorer = ranking_scorer(names, **data.options)
    return {MEAN: scorer(ReturnsX().fit(X, y), X, y, groups=queries)}


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


def call_each(function, data, folder, names):
    """Call a function that takes one metric."""
    X, y, queries = take_data(data)
    options = {"groups": queries, "cv": cut(data), "error_score": "raise"}
    values = {}
    for name in names:
        scorer = ranking_scorer([name], **data.options)
        values[name] = function(ReturnsX(), X, y, scoring=scorer, **options)
    return by_query(data, values)


def call_report(data, folder, names):
    X, y, queries = take_data(data)
    report = cross_val_report(ReturnsX(), X, y, groups=queries, metrics=names, cv=2, **data.options)
    return read_report(report)


def call_predict(data, folder, names):
    X, y, queries = take_data(data)
    y_score = cross_val_predict(ReturnsX(), X, y, groups=queries, cv=2)
    return read_report(evaluate(y, y_score, groups=queries, metrics=names, **data.options))


def search(make, data, folder, names):
    X, y, queries = take_data(data)
    scorer = ranking_scorer(names, **data.options)
    model = make(ReturnsX(), {"parameter": [1, 2]}, scoring=scorer, cv=cut(data), refit=False, error_score="raise")
    results = model.fit(X, y, groups=queries).cv_results_
    values = {
        name: [results[f"split{fold}_test_{name}"][0] for fold in range(len(data.qrels))] for name in names
    }
    return by_query(data, values)


MODEL_DOORS = {
    "a scorer": Door(call_scorer),
    "cross_validate": Door(call_cross_validate),
    "cross_val_score": Door(partial(call_each, cross_val_score)),
    "cross_val_report": Door(call_report),
    "cross_val_predict": Door(call_predict),
    "GridSearchCV": Door(partial(search, GridSearchCV)),
    "RandomizedSearchCV": Door(partial(search, partial(RandomizedSearchCV, n_iter=2, random_state=0))),
}
