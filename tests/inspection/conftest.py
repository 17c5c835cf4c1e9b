"""A fixture that draws figures without a screen and closes them after each test."""

import pytest


@pytest.fixture
def pyplot():
    """Matplotlib without a screen."""
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    yield plt
    plt.close("all")
