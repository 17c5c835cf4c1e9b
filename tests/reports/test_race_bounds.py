"""When a candidate of a race is worse beyond doubt, by hand."""

import numpy as np
import pytest

from sklearn_rank.reports import look
from sklearn_rank.reports._candidates import UnitTerms

# Differences of .2 and .05 between two candidates in two folds: their mean is .125, MS is
# (.075**2 + .075**2) / 2 = .005625 with one degree of freedom, and the standard error sqrt(2 MS / 2) = .075.
SCORES = np.array([[0.6, 0.5], [0.4, 0.45]])
T_1, T_99 = 6.313752, 1.660391  # what 5 % exceed, by tables


def make_units(standard_error, n=100):
    """Write units whose paired difference has a standard error."""
    each = standard_error * np.sqrt((n - 1) / n**2)
    residuals = np.column_stack([np.resize([each, -each], n), np.zeros(n)])
    return UnitTerms(residuals, residuals, SCORES.mean(axis=1), float(n))


@pytest.mark.parametrize(
    ("standard_error", "bound"),
    [
        (0.01, T_1 * 0.075),
        (0.08, T_1 * 0.075),  # larger than that of folds, with more degrees of freedom: the folds still bind
        (0.4, T_99 * 0.4),
        (None, T_1 * 0.075),
    ],
)
def test_a_difference_must_exceed_what_folds_and_what_queries_allow(standard_error, bound):
    found = look(SCORES, None if standard_error is None else make_units(standard_error), 0.05)
    assert found.leader == 0
    assert found.difference[1] == pytest.approx(0.125)
    assert found.bound[1] == pytest.approx(bound, rel=1e-6)
    assert not found.worse.any()


def test_folds_that_agree_leave_the_decision_to_the_queries():
    scores = np.array([[0.5, 0.6], [0.4, 0.5]])
    assert look(scores, make_units(0.05), 0.05).worse.tolist() == [False, True]
    assert look(scores, make_units(0.07), 0.05).worse.tolist() == [False, False]


def test_candidates_that_are_the_same_model_count_once():
    random = np.random.RandomState(0)
    scores = random.normal(0.5, 0.1, (3, 5))
    copies = np.repeat(scores, [1, 20, 7], axis=0)
    alone, found = (look(each, None, 0.01) for each in (scores, copies))
    np.testing.assert_allclose(found.bound, np.repeat(alone.bound, [1, 20, 7]))
    np.testing.assert_array_equal(found.worse, np.repeat(alone.worse, [1, 20, 7]))
