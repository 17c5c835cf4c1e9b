"""Evaluation sets of folds."""

import pytest


@pytest.fixture
def held_out(ranking_data, folds):
    """One fold, and its test rows as an evaluation set."""
    (X, y, groups), (train, test) = ranking_data, folds[0]
    return [(train, test)], {"eval_set": [(X[test], y[test])], "eval_groups": [groups[test]]}
