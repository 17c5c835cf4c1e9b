"""Columns and frames of several libraries that the installed scikit-learn accepts."""

import pytest
import sklearn

SCIKIT_LEARN_VERSION = tuple(map(int, sklearn.__version__.split(".")[:2]))


def load(library):
    """Import a library, or skip the test."""
    if library == "pyarrow" and SCIKIT_LEARN_VERSION < (1, 7):
        pytest.skip("pyarrow needs scikit-learn 1.7 or later")
    return pytest.importorskip(library)


def column(library, values):
    """Return values as a column."""
    module = load(library)
    return (module.array if library == "pyarrow" else module.Series)(values)


def frame(library, X, **more):
    """Return an array as a frame with columns x0, x1, ... and further columns."""
    module = load(library)
    columns = {f"x{i}": values for i, values in enumerate(X.T)} | more
    return module.table(columns) if library == "pyarrow" else module.DataFrame(columns)


def take(rows, places):
    """Return some rows of a frame."""
    if hasattr(rows, "iloc"):
        return rows.iloc[places]
    return rows.take(places) if hasattr(rows, "take") else rows[places]


def without_ids(rows):
    """Return a frame without the column qid."""
    return rows.drop(columns="qid") if hasattr(rows, "iloc") else rows.drop("qid")
