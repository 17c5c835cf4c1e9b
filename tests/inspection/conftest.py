"""A fixture that draws figures without a screen."""

import pytest


@pytest.fixture
def pyplot():
    """Matplotlib without a screen."""
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    return plt
