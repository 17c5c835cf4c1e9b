"""Pictures are drawn without a screen, and closed after each test."""

import pytest


@pytest.fixture
def pyplot():
    """Matplotlib without a screen."""
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    yield plt
    plt.close("all")
