"""The look after each fold of a race: by hand, beside scipy, and where there is nothing to tell."""

from itertools import pairwise

import numpy as np
import pytest
from scipy import stats

from sklearn_rank.reports._candidates import Candidates, fold_means, sum_by_unit
from sklearn_rank.reports._race import interaction, look

N_QUERIES = 40


def make_candidates(values, n_folds=4, units=None):
    """Return candidates whose queries are tested once, a quarter of them in each fold."""
    values = np.asarray(values, dtype=float)
    folds = np.repeat(np.arange(n_folds), values.shape[1] // n_folds)
    units = np.arange(values.shape[1]) if units is None else units
    return Candidates(values, np.ones_like(values), folds, units)


@pytest.fixture
def values():
    """Values of five candidates that share the difficulty of the queries."""
    random = np.random.RandomState(0)
    means = np.array([[0.5], [0.5], [0.48], [0.3], [0.1]])
    return means + random.normal(0, 0.2, N_QUERIES) + random.normal(0, 0.05, (5, N_QUERIES))


def test_the_interaction_of_a_table_of_two_by_two():
    # Grand mean 2.75, of rows 1.5 and 4, of columns 2 and 3.5: each cell is off by .25, with 1 degree.
    assert interaction(np.array([[1.0, 2.0], [3.0, 5.0]])) == pytest.approx(4 * 0.25**2)


def test_no_interaction_where_folds_and_candidates_add_up():
    assert interaction(np.add.outer([0.1, 0.2, 0.4], [0.0, 0.3, 0.1])) == pytest.approx(0, abs=1e-30)


def test_the_variance_over_queries_is_that_of_the_paired_t_test(values):
    candidates = make_candidates(values)
    flat = np.repeat(fold_means(candidates).mean(axis=1)[:, np.newaxis], 4, axis=1)  # no interaction
    found = look(flat, sum_by_unit(candidates), level=0.01)
    for place in range(1, 5):
        other = values[found.leader] - values[place]
        test = stats.ttest_1samp(other, 0, alternative="greater")
        error = stats.sem(other)
        assert found.difference[place] == pytest.approx(other.mean())
        if place != found.leader:
            assert found.bound[place] == pytest.approx(stats.t.isf(0.01, N_QUERIES - 1) * error)
            assert found.worse[place] == (test.pvalue < 0.01)


def test_a_fold_with_a_model_of_its_own_counts_if_it_varies_more(values):
    candidates = make_candidates(values)
    scores = fold_means(candidates) + np.array([[0.2, -0.2, 0.2, -0.2]]) * np.eye(5)[:, [0]]
    found = look(scores, sum_by_unit(candidates), level=0.01)
    bound = stats.t.isf(0.01, 3 * 4) * np.sqrt(2 * interaction(scores) / 4)
    others = np.arange(5) != found.leader
    np.testing.assert_allclose(found.bound[others], bound)
    assert not found.worse[1:3].any()


def test_without_values_of_queries_the_folds_decide(values):
    scores = fold_means(make_candidates(values))
    found = look(scores, None, level=0.01)
    np.testing.assert_allclose(found.bound, stats.t.isf(0.01, 12) * np.sqrt(2 * interaction(scores) / 4))
    assert found.worse.tolist() == (found.difference > found.bound).tolist()
    assert found.worse[4]


@pytest.mark.parametrize(
    "units", [None, sum_by_unit(make_candidates(np.full((3, 8), 0.5)))], ids=["folds", "queries"]
)
@pytest.mark.parametrize("level", [0.01, 0.0])
def test_equal_candidates_are_never_worse(units, level):
    found = look(np.full((3, 4), 0.5), units, level)
    assert not found.worse.any()
    assert found.leader == 0
    assert found.equivalent(1e-9)


def test_clusters_are_units(values):
    clusters = np.repeat(np.arange(4), 10)
    units = sum_by_unit(make_candidates(values, units=clusters))
    assert units.n_effective == pytest.approx(4)
    of_clusters = values.reshape(5, 4, 10).mean(axis=2)
    assert np.sqrt(units.squared_error(0, 4)) == pytest.approx(stats.sem(of_clusters[0] - of_clusters[4]))
    assert units.standard_error(2) == pytest.approx(stats.sem(of_clusters[2]))


def test_equivalence_is_a_matter_of_difference_and_bound(values):
    candidates = make_candidates(values[:3])
    found = look(fold_means(candidates), sum_by_unit(candidates), level=0.01)
    others = np.arange(3) != found.leader
    needed = (found.difference + found.bound)[others].max()
    assert found.equivalent(needed * 1.001)
    assert not found.equivalent(needed * 0.999)


def test_means_are_those_of_folds_and_add_up_over_units(values):
    sizes = [4, 16, 8, 12]
    candidates = make_candidates(values)._replace(folds=np.repeat(np.arange(4), sizes))
    starts = np.cumsum([0, *sizes])
    expected = [np.mean([row[a:b].mean() for a, b in pairwise(starts)]) for row in values]
    units = sum_by_unit(candidates)
    np.testing.assert_allclose(units.means, expected)
    np.testing.assert_allclose(units.terms.sum(axis=0), expected)
    np.testing.assert_allclose(units.residuals.sum(axis=0), 0, atol=1e-15)
    weights = 1 / (4 * np.repeat(sizes, sizes))
    assert units.n_effective == pytest.approx(1 / (weights @ weights))


def test_one_unit_has_no_standard_error():
    units = sum_by_unit(make_candidates([[0.5], [0.6]], n_folds=1))
    assert np.isnan(units.standard_error(0))
    assert np.isnan(units.squared_error(0, 1))
