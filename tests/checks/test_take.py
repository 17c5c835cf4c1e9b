"""Rows and columns of data in any form."""

import numpy as np
import pytest
from scipy.sparse import csr_array

from sklearn_rank._checks.containers import take, take_columns

X = np.array([[1.0, 4.0], [2.0, 3.0], [5.0, 1.0], [9.0, 0.0], [3.0, 3.0], [7.0, 2.0]])


def test_take_returns_rows_of_an_array_api_array():
    xp = pytest.importorskip("array_api_strict")
    rows = take(xp.asarray(X), np.array([2, 0]))
    assert isinstance(rows, type(xp.asarray(X)))
    np.testing.assert_array_equal(np.asarray(rows), X[[2, 0]])


@pytest.mark.parametrize("form", ["frame", "sparse", "list"])
def test_take_columns_returns_the_columns(form):
    make = {
        "frame": lambda X: pytest.importorskip("pandas").DataFrame(X),
        "sparse": csr_array,
        "list": np.ndarray.tolist,
    }
    taken = take_columns(make[form](X), np.array([1, 0]))
    taken = taken.toarray() if form == "sparse" else np.asarray(taken)
    np.testing.assert_array_equal(taken, X[:, [1, 0]])
