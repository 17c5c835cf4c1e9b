"""Rows of pandas whose index is in another order."""

import re

import pytest

pandas = pytest.importorskip("pandas")

LABELS = ["d1", "d2", "d3", "d4"]
WEIGHTS = [1.0, 1.0, 2.0, 2.0]


def series(values, labels=LABELS):
    return pandas.Series(values, index=labels)


def reordered(values):
    """Return a Series of the same rows, the last one first."""
    return series(values)[::-1]


def raises_order_error(function, parameter, first):
    """Expect that a parameter is refused for its order, which is not that of the first one."""
    start = f"The '{parameter}' parameter of {function} must have its rows in the same order as '{first}'"
    return pytest.raises(ValueError, match=re.escape(start))
