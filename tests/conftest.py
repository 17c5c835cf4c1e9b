"""Data that several files test on."""

import numpy as np
import pytest

from sklearn_rank.datasets import make_ranking


@pytest.fixture(scope="session")
def queries():
    """Shuffled rows of 60 queries: labels 0 to 4, scores with ties, string ids."""
    rng = np.random.default_rng(0)
    groups = np.array([f"q{i:02d}" for i in range(60)])[rng.integers(0, 60, 700)]
    y_true = rng.integers(0, 5, 700) * (rng.random(700) < 0.4)
    y_score = (rng.standard_normal(700) + 0.5 * y_true).round(1)
    return y_true, y_score, groups


@pytest.fixture(scope="session")
def ranking_data():
    """Features, grades and ids of 60 queries, rows shuffled."""
    return make_ranking(n_queries=60, n_documents=(4, 14), n_features=5, shuffle=True, random_state=0)
