"""Errors for flat rows without query ids, in every function of rows."""

from inspect import signature

import numpy as np
import pytest
import sklearn.model_selection
from sklearn.linear_model import Ridge
from sklearn.metrics import make_scorer

from sklearn_rank import ndcg_score, ndcg_scorer
from sklearn_rank.datasets import make_ranking
from tests.helpers.naming import PUBLIC
from tests.helpers.table import ROW_CALLS


@pytest.mark.parametrize("name", ROW_CALLS)
def test_rows_without_ids_error_shows_both_remedies(name):
    with pytest.raises(ValueError) as caught:
        PUBLIC[name]([1, 0], [2, 1], **ROW_CALLS[name])
    assert str(caught.value) == (
        f"The 'groups' parameter of {name} is required for 1-D input. Pass the query id of each row: "
        f"groups=qid. For a single query, pass 2-D input: {name}([y_true], [y_score])."
    )


@pytest.mark.parametrize("name", ROW_CALLS)
def test_matrix_of_one_query_needs_no_ids(name):
    function, rows = PUBLIC[name], {"y_true": [0, 2, 1], "y_score": [3, 2, 1]}
    expected = function(**rows, groups=["q", "q", "q"], **ROW_CALLS[name])
    got = function([rows["y_true"]], [rows["y_score"]], **ROW_CALLS[name])
    if name == "evaluate":
        got, expected = got.mean, expected.mean
    np.testing.assert_equal(got, expected)


def test_functions_of_rows_are_all_tested_without_ids():
    functions = {
        name
        for name, function in PUBLIC.items()
        if callable(function)
        and not isinstance(function, type)
        and {"y_true", "y_score", "groups"} <= set(signature(function).parameters)
    }
    without_ids = {each for each in functions if signature(PUBLIC[each]).parameters["groups"].default is None}
    assert without_ids == set(ROW_CALLS)


def test_score_rows_rejects_rows_without_ids():
    call = r"ndcg_scorer\(k=1\)\.score_rows"
    with pytest.raises(ValueError, match=rf"of {call} is required .* {call}\(\[y_true\], \[y_score\]\)"):
        ndcg_scorer(k=1).score_rows([1, 0], [2, 1])
    assert ndcg_scorer(k=1).score_rows([[1, 0]], [[2, 1]]) == 1


def test_make_scorer_around_metric_raises_without_ids():
    X, y, _ = make_ranking(n_queries=60, shuffle=True, random_state=0)
    scorer = make_scorer(ndcg_score, k=10)
    with pytest.raises(ValueError, match="'groups' parameter of ndcg_score is required for 1-D input"):
        sklearn.model_selection.cross_val_score(Ridge(), X, y, scoring=scorer, cv=3, error_score="raise")
