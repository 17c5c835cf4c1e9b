"""Errors of readers name the fix for frequent mistakes."""

import io
import re

import numpy as np
import pandas
import pytest
from scipy import sparse

from sklearn_rank import evaluate_runs, from_recommendations, from_run

RUN, QRELS = {"q": {"a": 1.5, "b": 0.5}}, {"q": {"a": 1, "b": 0}}
LISTS, MATRIX = [["a"], ["b"]], sparse.csr_matrix(np.eye(2))
ONE_LIST = "Pass one list for each user, such as [['a', 'b'], []]."
OF_ROWS = "Pass numpy.split(relevant.indices, relevant.indptr[1:-1])"
NAMED = "Pass runs={'name': run}."
AS_GRADES = "pass {query: dict.fromkeys(documents, 1)} for each query."
CUT = "If the file was cut while it was written or copied, write it again, or remove its last line."
BAD = {
    "numbers as lists": (lambda: from_recommendations([1, 2], LISTS), ONE_LIST),
    "NaN as a list": (lambda: from_recommendations([["a"], np.nan], LISTS), ONE_LIST),
    "NaN as a list in a mapping": (lambda: from_recommendations({"u": np.nan}, {"u": ["a"]}), ONE_LIST),
    "text as lists": (lambda: from_recommendations(LISTS, ["a b", "c"]), ONE_LIST),
    "text as all lists": (lambda: from_recommendations("ab", LISTS), ONE_LIST),
    "a matrix as relevant items": (lambda: from_recommendations(MATRIX, LISTS), OF_ROWS),
    "a matrix as lists": (
        lambda: from_recommendations(LISTS, MATRIX), "use from_score_matrix(relevant, scores)."
    ),
    "rows of a matrix": (lambda: from_recommendations([*MATRIX], LISTS), "matrix[row].indices"),
    "a run without a name": (lambda: evaluate_runs(QRELS, RUN, metrics=["mrr"]), NAMED),
    "a frame without a name": (
        lambda: evaluate_runs(QRELS, pandas.DataFrame({"query": ["q"]}), metrics=["mrr"]), NAMED
    ),
    "sets as judgments": (lambda: from_run({"q": {"a"}}, RUN), AS_GRADES),
    "lists as judgments": (lambda: from_run({"q": ["a"]}, RUN), AS_GRADES),
    "a set as a run": (lambda: from_run(QRELS, {"q": {"a"}}), "Pass {query: {document: score}}."),
    "a run that was cut": (lambda: from_run(QRELS, io.BytesIO(b"q Q0 a 1 5 t\nq Q0 b 2 3")), CUT),
    "a run that was cut at the rank": (lambda: from_run(QRELS, io.BytesIO(b"q Q0 a 1 5 t\nq Q0 b 2")), CUT),
    "judgments that were cut": (lambda: from_run(io.BytesIO(b"q 0 a 1\nq 0"), RUN), CUT),
}  # fmt: skip


@pytest.mark.parametrize("mistake", BAD)
def test_readers_name_the_fix(mistake):
    call, fix = BAD[mistake]
    with pytest.raises(ValueError, match=re.escape(fix)):
        call()


def test_from_recommendations_reads_rows_of_a_matrix_as_the_message_says():
    relevant = sparse.csr_matrix([[0, 1, 1], [0, 0, 0], [1, 0, 0]])
    lists = np.split(relevant.indices, relevant.indptr[1:-1])
    y_true, _, groups, items = from_recommendations(lists, [[1], [2], [0]], return_items=True)
    assert list(zip(groups.tolist(), items.tolist(), y_true.tolist())) == [
        (0, 1, 1), (1, 2, 0), (2, 0, 1), (0, 2, 1)
    ]  # fmt: skip


@pytest.mark.parametrize("side", ["qrels", "run"])
def test_from_run_names_the_judgments_in_a_folder_of_beir(tmp_path, side):
    expected = f"'{side}' .* must be the path of a file. Got the folder .*pass its file qrels/test.tsv"
    with pytest.raises(ValueError, match=expected):
        from_run(**{"qrels": QRELS, "run": RUN, side: tmp_path})


@pytest.mark.parametrize("truth", [True, np.True_], ids=repr)
def test_from_run_names_the_fix_for_boolean_grades(truth):
    fix = re.escape("Convert truth values to integers: int(True) is 1.")
    with pytest.raises(ValueError, match=rf"finite numbers as grades. Got True \(bool\) .*{fix}"):
        from_run({"q": {"a": truth}}, RUN)


def test_from_run_reads_a_column_of_boolean_grades():
    grades = pandas.DataFrame({"qid": ["q"] * 2, "docno": ["a", "b"], "label": [True, False]})
    assert from_run(grades, RUN, return_items=True)[0].tolist() == [0, 1]
