"""A log of visits."""

import numpy as np
import pytest


@pytest.fixture
def visits(ranking_data):
    """Features, grades, users in mixed order, and the time of each row, some of them equal."""
    X, y, users = ranking_data
    return X, y, users, np.random.default_rng(1).integers(0, 300, len(y))
