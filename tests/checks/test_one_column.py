"""Columns of shape (n, 1), which count as flat if ids are passed: labels, scores, ids, weights and times.

`fit` issues scikit-learn's warning, as its own models do.
"""

import numpy as np
import pytest
from sklearn.exceptions import DataConversionWarning
from sklearn.linear_model import LogisticRegression, Ridge

import sklearn_rank as sr
from sklearn_rank.datasets import make_ranking
from sklearn_rank.preprocessing import WithinGroupScaler
from tests.helpers.rankers import EVERY, ours

X, Y, QID = make_ranking(n_queries=12, shuffle=True, random_state=0)
ROWS = {"y": Y, "scores": X[:, 0], "ids": QID, "weights": QID % 3 + 1.0}
ITEMS = np.arange(len(Y))
FIRST = np.isin(ITEMS, np.unique(QID, return_index=True)[1])  # row of each query
FORMS = {
    "array": lambda values: values[:, None],
    "nested list": lambda values: values[:, None].tolist(),
    "pandas": lambda values: pytest.importorskip("pandas").DataFrame({"name": values}),
    "polars": lambda values: pytest.importorskip("polars").DataFrame({"name": values}),
}
MODEL, CROSSED = Ridge().fit(X, Y), {"scoring": "ndcg@3", "error_score": "raise"}


def spread(y_true, y_pred):
    """A function of the user's, in which a column would be broadcast against flat values."""
    return float(np.mean((np.asarray(y_true) - np.asarray(y_pred)) ** 2))


def weighted(call):
    """Call a function of labels, scores, ids and weights."""
    return lambda y, scores, ids, weights: call(y, scores, groups=ids, sample_weight=weights)


def of_labels(call):
    """Call a function of labels and ids, with features."""
    return lambda y, ids: call(X, y, groups=ids)


def list_tests(splitter, **given):
    """Return the rows of each test."""
    return [test.tolist() for _, test in splitter.split(X, **given)]


CALLS = {
    "ndcg_score": weighted(sr.ndcg_score),
    "spearman_score": weighted(sr.metrics.spearman_score),
    "group_auc_score": weighted(sr.group_auc_score),
    "ranking_scores": weighted(lambda *rows, **given: sr.ranking_scores(*rows, **given, metrics=["mrr"])),
    "tie_report": weighted(
        lambda *rows, **given: str(sr.metrics.tie_report(*rows, **given, metrics=["ndcg@3"]))
    ),
    "ndcg_curve": weighted(lambda *rows, **given: sr.metrics.ndcg_curve(*rows, **given)[1]),
    "group_roc_curve": weighted(lambda *rows, **given: sr.metrics.group_roc_curve(*rows, **given)[1]),
    "group_score": weighted(lambda *rows, **given: sr.group_score(spread, *rows, **given)),
    "score_rows": weighted(sr.ndcg_scorer().score_rows),
    "a scorer": lambda y, ids, weights: sr.ndcg_scorer()(MODEL, X, y, groups=ids, sample_weight=weights),
    "a scorer of groups": lambda y, ids, weights: sr.make_group_scorer(spread)(
        MODEL, X, y, groups=ids, sample_weight=weights
    ),
    "intra_list_similarity_loss": lambda scores, ids, weights: sr.intra_list_similarity_loss(
        X, scores, groups=ids, sample_weight=weights
    ),
    "catalog_coverage_score": lambda scores, ids, items: sr.catalog_coverage_score(items, scores, groups=ids),
    "novelty_score": lambda scores, ids, items: sr.metrics.novelty_score(
        items, scores, groups=ids, popularity=dict.fromkeys(ITEMS.tolist(), 0.5)
    ),
    "cross_val_score": of_labels(lambda *rows, **ids: sr.cross_val_score(Ridge(), *rows, **ids, **CROSSED)),
    "cross_validate": of_labels(
        lambda *rows, **ids: sr.cross_validate(Ridge(), *rows, **ids, **CROSSED)["test_score"]
    ),
    "cross_val_predict": of_labels(lambda *rows, **ids: sr.cross_val_predict(Ridge(), *rows, **ids).ravel()),
    "GridSearchCV": of_labels(
        lambda *rows, **ids: sr.GridSearchCV(Ridge(), {"alpha": [1]}, **CROSSED).fit(*rows, **ids).best_score_
    ),
    "learning_curve": of_labels(lambda *rows, **ids: sr.learning_curve(Ridge(), *rows, **ids, **CROSSED)[2]),
    "validation_curve": of_labels(
        lambda *rows, **ids: sr.validation_curve(
            Ridge(), *rows, **ids, **CROSSED, param_name="alpha", param_range=[1, 2]
        )[1]
    ),
    "permutation_test_score": of_labels(
        lambda *rows, **ids: sr.permutation_test_score(
            Ridge(), *rows, **ids, scoring="mrr", n_permutations=2, random_state=0
        )[1]
    ),
    "permutation_importance": lambda y, ids, weights: (
        sr.permutation_importance(
            MODEL, X, y, groups=ids, scoring="ndcg@3", n_repeats=2, random_state=0, sample_weight=weights
        ).importances
    ),
    "check_folds": of_labels(lambda *rows, **ids: str(sr.model_selection.check_folds(3, *rows, **ids))),
    "train_test_split": lambda ids: sr.train_test_split(X, groups=ids, random_state=0)[0],
    "BalancedGroupKFold": lambda ids: list_tests(sr.BalancedGroupKFold(3), groups=ids),
    "WithinGroupKFold": lambda ids: list_tests(sr.WithinGroupKFold(3), groups=ids),
    "LeaveLastOut": lambda ids, times: list_tests(sr.LeaveLastOut(), groups=ids, times=times),
    "TimeCut": lambda times: list_tests(sr.TimeCut(), times=times),
    "WithinGroupScaler": lambda ids: WithinGroupScaler().fit(X, groups=ids).transform(X, groups=ids),
}
ALL = ROWS | {"items": ITEMS, "times": np.arange(len(Y)) // 4}


def arguments(call):
    names = call.__code__.co_varnames[: call.__code__.co_argcount]
    return {name: ALL[name] for name in names}


PAIRS = [(name, parameter) for name, call in CALLS.items() for parameter in arguments(call)]


@pytest.mark.slow
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize(("function", "parameter"), PAIRS)
def test_functions_treat_column_as_flat_array(function, parameter, form):
    given = arguments(CALLS[function])
    flat = CALLS[function](**given)
    column = CALLS[function](**given | {parameter: FORMS[form](given[parameter])})
    np.testing.assert_equal(column, flat)


@pytest.mark.parametrize("form", FORMS)
def test_ndcg_accepts_columns_for_all_arguments(form):
    columns = [FORMS[form](values) for values in ROWS.values()]
    assert CALLS["ndcg_score"](*columns) == CALLS["ndcg_score"](**ROWS)


@pytest.mark.parametrize("form", FORMS)
@EVERY
def test_ranker_fit_warns_about_column_of_labels(name, form):
    with pytest.warns(DataConversionWarning, match="column-vector y"):
        model = ours(name).fit(X, FORMS[form](Y), groups=QID)
    flat = ours(name).fit(X, Y, groups=QID)
    np.testing.assert_array_equal(model.predict(X), flat.predict(X))
    assert model.score(X, FORMS[form](Y), groups=FORMS[form](QID)) == flat.score(X, Y, groups=QID)


@pytest.mark.parametrize("form", FORMS)
@EVERY
def test_rankers_accept_columns_of_ids_and_weights(name, form):
    columns = {"groups": FORMS[form](QID), "sample_weight": FORMS[form](ROWS["weights"])}
    model, flat = (
        ours(name).fit(X, Y, **columns),
        ours(name).fit(X, Y, groups=QID, sample_weight=ROWS["weights"]),
    )
    np.testing.assert_array_equal(model.predict(X), flat.predict(X))


def test_scikit_learn_model_warns_about_column_of_labels():
    with pytest.warns(DataConversionWarning, match="column-vector y"):
        column = sr.cross_val_score(LogisticRegression(), X, (Y > 1)[:, None], groups=QID, **CROSSED)
    flat = sr.cross_val_score(LogisticRegression(), X, Y > 1, groups=QID, **CROSSED)
    np.testing.assert_array_equal(column, flat)


def test_ndcg_of_matrix_accepts_column_of_query_weights():
    y_true, y_score, weights = [[1, 0], [0, 1]], [[2, 1], [2, 1]], np.array([1.0, 3])
    flat, column = (sr.ndcg_score(y_true, y_score, sample_weight=w) for w in (weights, weights[:, None]))
    assert column == flat


def test_matrix_of_one_row_is_flat_with_ids_and_a_query_without():
    assert sr.ndcg_score([[1]], [[1]], groups=[["a"]]) == sr.ndcg_score([[1]], [[1]]) == 1


@pytest.mark.parametrize("parameter", ["y", "scores", "ids", "weights"])
def test_ndcg_rejects_row_vector(parameter):
    rows = ROWS | {parameter: ROWS[parameter][None]}
    with pytest.raises(ValueError, match=r"shape|two dimensions"):
        CALLS["ndcg_score"](**rows)


def test_ndcg_of_matrix_rejects_ids():
    with pytest.raises(ValueError, match="be None if 'y_true' has two dimensions"):
        sr.ndcg_score(Y[None], X[:, 0][None], groups=QID)


@pytest.mark.parametrize("columns", [2, 3])
def test_cross_val_score_rejects_labels_of_several_columns(columns):
    with pytest.raises(ValueError, match="'y' parameter of cross_val_score must contain one label per row"):
        sr.cross_val_score(Ridge(), X, np.repeat(Y[:, None], columns, axis=1), scoring="ndcg@3", groups=QID)


def test_group_score_error_names_group_of_column():
    def refuse(y_true, y_pred):
        raise ValueError("no")

    with pytest.raises(ValueError, match="no") as error:
        sr.group_score(
            refuse, [1, 2], [1, 2], groups=pytest.importorskip("pandas").DataFrame({"user": ["a", "b"]})
        )
    assert "in the group 'a'" in error.value.__notes__[0]
