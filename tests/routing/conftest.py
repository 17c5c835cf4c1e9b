"""Rows for nested models."""

import numpy as np
import pytest

from tests.helpers.id_models import RequestingModel


@pytest.fixture
def rows(ranking_data):
    """Rows, labels, ids of queries and of users; no ids were seen yet."""
    X, y, groups = ranking_data
    RequestingModel.ids.clear()
    return X, y, groups, np.random.default_rng(0).integers(0, 20, len(y))
