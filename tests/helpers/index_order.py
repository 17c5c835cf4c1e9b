"""pandas rows with a reordered index."""

import re

import pytest

pandas = pytest.importorskip("pandas")

LABELS = ["d1", "d2", "d3", "d4"]
WEIGHTS = [1.0, 1.0, 2.0, 2.0]


def series(values, labels=LABELS):
    return pandas.Series(values, index=labels)


def reordered(values):
    """Return a Series with the rows in reverse order."""
    return series(values)[::-1]


def raises_order_error(function, parameter, first):
    """Expect an error because the rows of a parameter are not in the order of `first`."""
    start = f"The '{parameter}' parameter of {function} must have its rows in the same order as '{first}'"
    return pytest.raises(ValueError, match=re.escape(start))
