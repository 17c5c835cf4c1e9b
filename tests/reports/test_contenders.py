"""Candidates not distinguishable from the best: by hand, by loops over pairs and flips, and in searches."""

from itertools import product
from math import ceil, inf, sqrt

import numpy as np
import pytest
from scipy import stats

from sklearn_rank import RepeatedBalancedGroupKFold, ndcg_scorer
from sklearn_rank.reports import find_contenders, fold_means, sum_by_unit
from sklearn_rank.reports._paired_tests import flip_signs
from tests.helpers.candidates import candidates_of, draw_candidates
from tests.helpers.search_kinds import EVERY_KIND, fit, make
from tests.helpers.searches import ALPHAS


def find(candidates, level=0.95, n_resamples=2000, random_state=0):
    """Return what decides."""
    return find_contenders(
        sum_by_unit(candidates), confidence_level=level, n_resamples=n_resamples, random_state=random_state
    )


# ------------------------------------------------------------------ the means of candidates


def test_sum_by_unit_averages_means_of_folds():
    candidates = candidates_of([[1, 2, 6], [0, 4, 8]], folds=[0, 0, 1], weights=[1, 3, 2])
    np.testing.assert_allclose(fold_means(candidates), [[7 / 4, 6], [3, 8]])
    units = sum_by_unit(candidates)
    np.testing.assert_allclose(units.means, [31 / 8, 11 / 2])
    np.testing.assert_allclose(units.terms.T, [[1 / 8, 6 / 8, 3], [0, 12 / 8, 4]])
    # Residuals: (value - mean) x share of the weight of the fold / number of folds.
    np.testing.assert_allclose(units.residuals[:, 1], [-5.5 / 8, -1.5 * 3 / 8, 2.5 / 2])
    assert units.n_effective == pytest.approx(1 / (1 / 64 + 9 / 64 + 16 / 64))
    assert units.standard_error(1) == pytest.approx(sqrt(1.5 * (5.5**2 / 64 + 4.5**2 / 64 + 2.5**2 / 4)))


@pytest.mark.parametrize("of", [None, 7])
@pytest.mark.parametrize("repeats", [1, 3])
@pytest.mark.parametrize("weights", [False, True])
def test_sum_by_unit_has_terms_that_add_up_to_means(weights, repeats, of):
    candidates = draw_candidates(0, repeats=repeats, of=of, weights=weights)
    units = sum_by_unit(candidates)
    assert len(units.terms) == (40 if of is None else of)
    np.testing.assert_allclose(units.terms.sum(axis=0), units.means, rtol=1e-13)
    np.testing.assert_allclose(units.means, fold_means(candidates).mean(axis=1))
    np.testing.assert_allclose(units.residuals.sum(axis=0), 0, atol=1e-14)


def test_sum_by_unit_has_standard_errors_of_cluster_means():
    values = np.random.RandomState(0).random((3, 40))
    units = sum_by_unit(candidates_of(values, folds=np.arange(40) // 10, units=np.repeat(np.arange(4), 10)))
    first, _, last = values.reshape(3, 4, 10).mean(axis=2)
    assert units.n_effective == pytest.approx(4)
    assert units.standard_error(0) == pytest.approx(stats.sem(first))
    squares = (units.residuals[:, 0] - units.residuals[:, 2]) ** 2
    assert np.sqrt(4 / 3 * squares.sum()) == pytest.approx(stats.sem(first - last))


def test_sum_by_unit_has_no_standard_error_with_one_unit():
    units = sum_by_unit(candidates_of([[0.3, 0.4], [0.1, 0.9]], units=[5, 5]))
    assert np.isnan(units.standard_error(0))
    np.testing.assert_allclose(units.means, [0.35, 0.5])


# ------------------------------------------------------------------ by hand


@pytest.mark.parametrize(
    ("differences", "statistic", "stays"),
    [
        ([1, 1, 1, 1, 2], 6.0, False),  # mean 1.2, standard error 0.2
        ([5, 0, 0, 0, 0], 1.0, True),  # mean 1, standard error 1
        ([-1, -1, -1, -1, -2], 0.0, True),
    ],
)
def test_find_contenders_enumerates_flips_of_five_queries(differences, statistic, stays):
    """Five times the residuals are 4, -1, -1, -1 and -1, in some order, up to sign.

    The sums S of the 32 flips are 8, 6, 4, 2, 0 with frequencies 1, 4, 6, 4, 1, and the same below 0;
    t = 2 S / sqrt(100 - S^2) is 2.67 once and 1.5 four times. The 29th of 32 is the fourth from above.
    """
    other = np.array([3, 1, 4, 1, 5])
    found = find(candidates_of([other + differences, other]), level=0.9)
    assert found.statistic[1] == pytest.approx(statistic)
    assert found.critical == pytest.approx([1.5, 1.5])
    assert found.stays[1] == stays


def test_find_contenders_eliminates_none_with_few_queries():
    for n, level, stays in [
        (3, 0.95, True),
        (5, 0.95, True),
        (6, 0.95, False),
        (4, 0.85, False),
        (4, 0.9, True),
    ]:
        steps = np.arange(n) % 2 * 0.01
        found = find(candidates_of([np.full(n, 9.0) + steps, np.zeros(n)]), level=level)
        assert found.stays.tolist() == [True, stays]


def test_find_contenders_eliminates_by_constant_difference():
    values = np.random.default_rng(0).random(30)
    found = find(candidates_of([values, values - 0.001, values]))
    assert found.statistic.tolist() == [0, inf, 0]
    assert found.stays.tolist() == [True, False, True]


def test_find_contenders_keeps_a_single_candidate():
    found = find(candidates_of([[0.1, 0.5, 0.2]]))
    assert (found.statistic.tolist(), found.stays.tolist()) == ([0], [True])


def test_find_contenders_treats_equal_candidates_alike():
    rng = np.random.default_rng(0)
    good = rng.random(50)
    bad = good - 0.3 - 0.1 * rng.random(50)
    found = find(candidates_of([good, bad, good, bad, np.nextafter(good, 1)]))
    assert found.stays.tolist() == [True, False, True, False, True]


# ------------------------------------------------------------------ by loops


def contend_by_loops(candidates, level, n_resamples, seed):
    """Return statistics and quantiles by loops over pairs and flips."""
    residuals = sum_by_unit(candidates).residuals
    means = fold_means(candidates).mean(axis=1)
    n, n_candidates = residuals.shape
    few = 2**n <= n_resamples
    if few:
        flips = list(product([1, -1], repeat=n))
    else:  # flips of the identity matrix are the signs themselves
        flips = np.concatenate(list(flip_signs(np.eye(n), n_resamples, np.random.RandomState(seed))))

    def studentize(mean, differences, total):
        square = n / (n - 1) * (sum(d * d for d in differences) - total * total / n)
        if square <= 1e-12:
            return 0.0 if abs(mean) < 1e-15 else mean * inf
        return mean / sqrt(square)

    statistic, critical = np.zeros(n_candidates), np.zeros(n_candidates)
    for i in range(n_candidates):
        largest = [0.0] * len(flips)
        for j in range(n_candidates):
            differences = residuals[:, j] - residuals[:, i]
            if j == i or not differences.any():
                continue
            statistic[i] = max(statistic[i], studentize(means[j] - means[i], differences, 0.0))
            for number, signs in enumerate(flips):
                total = (
                    float(signs @ differences) if not few else sum(s * d for s, d in zip(signs, differences))
                )
                largest[number] = max(largest[number], studentize(total, differences, total))
        rank = ceil(level * (len(flips) + (not few)) - 1e-9)
        too_few = few and (1 - level) * len(flips) + 1e-9 < 2
        critical[i] = inf if too_few or rank > len(flips) else sorted(largest)[rank - 1]
    return statistic, critical


@pytest.mark.slow
@pytest.mark.parametrize("level", [0.8, 0.95])
@pytest.mark.parametrize(
    "options",
    [
        {"n": 9},
        {"n": 9, "weights": True},
        {"n": 24, "of": 8},
        {"n": 40, "repeats": 2},
        {"n": 40, "weights": True, "n_folds": 5},
    ],
    ids=str,
)
def test_find_contenders_matches_loops_over_pairs_and_flips(options, level):
    stays = []
    for seed in range(4):
        candidates = draw_candidates(seed, **options)
        found = find(candidates, level=level, n_resamples=600, random_state=seed)
        statistic, critical = contend_by_loops(candidates, level, 600, seed)
        np.testing.assert_allclose(found.statistic, statistic, rtol=1e-9)
        np.testing.assert_allclose(found.critical, critical, rtol=1e-9)
        assert found.stays.tolist() == (statistic <= critical).tolist()
        assert found.stays[fold_means(candidates).mean(axis=1).argmax()]
        stays += found.stays.tolist()
    assert True in stays


def test_find_contenders_eliminates_some_drawn_candidates():
    stays = [find(draw_candidates(seed, n=40, repeats=2), n_resamples=600).stays.sum() for seed in range(4)]
    assert 4 <= sum(stays) < 20


def test_find_contenders_is_accurate_for_nearly_equal_candidates():
    rng = np.random.default_rng(1)
    values, small = rng.random(30), rng.normal(1, 1, 30)
    found = find(candidates_of([values, values + 1e-7 * small]))
    expected = 1e-7 * small.mean() / (1e-7 * small.std(ddof=1) / sqrt(30))
    assert found.statistic == pytest.approx([expected, 0], rel=1e-6)


@pytest.mark.parametrize("n", [9, 40])
def test_find_contenders_does_not_depend_on_candidate_order(n):
    candidates, order = draw_candidates(2, n=n, n_candidates=6), np.array([4, 0, 5, 2, 1, 3])
    found = find(candidates)
    moved = find(candidates._replace(above=candidates.above[order], below=candidates.below[order]))
    np.testing.assert_allclose(moved.statistic, found.statistic[order], rtol=1e-9)
    np.testing.assert_allclose(moved.critical, found.critical[order], rtol=1e-9)
    assert moved.stays.tolist() == found.stays[order].tolist()


def test_find_contenders_does_not_depend_on_query_difficulty():
    candidates = draw_candidates(3)
    harder = candidates._replace(above=candidates.above + np.random.default_rng(0).normal(0, 3, 40))
    found, shifted = find(candidates), find(harder)
    np.testing.assert_allclose(shifted.statistic, found.statistic, rtol=1e-9)
    np.testing.assert_allclose(shifted.critical, found.critical, rtol=1e-9)


def test_find_contenders_is_reproducible_with_a_seed():
    first, again, other = (
        find(draw_candidates(4), random_state=seed).critical.tolist() for seed in (0, 0, 1)
    )
    assert first == again != other


# ------------------------------------------------------------------ searches


@EVERY_KIND
@pytest.mark.parametrize("level", [0.05, 0.5, 0.95])
def test_search_contenders_begin_with_the_best_candidate(kind, level, ranking_data):
    search = fit(ranking_data, kind)
    found = search.contenders(level)
    assert found[0] == search.best_index_
    means = search.cv_results_["mean_test_score"][found]
    assert (np.diff(means) <= 0).all()
    rounds = search.cv_results_.get("iter", np.zeros(9))
    assert (rounds[found] == rounds.max()).all()


CV = RepeatedBalancedGroupKFold(n_splits=3, n_repeats=2, random_state=0)


@pytest.mark.parametrize("cv", [3, CV], ids=["folds", "repeats"])
@pytest.mark.parametrize("clustered", [False, True])
def test_search_contenders_use_kept_values_and_clusters(clustered, cv, ranking_data):
    cluster = np.arange(60) // 4 if clustered else np.arange(60)
    grid = {"alpha": [*ALPHAS, 1e-3, 1e4]}
    search = fit(ranking_data, cv=cv, grid=grid)
    kept = search.kept_queries_
    units = cluster[kept.queries]
    found = find(candidates_of(kept.values, kept.folds, units), level=0.6, random_state=5)
    options = {"cluster": dict(enumerate(cluster))} if clustered else {}
    got = search.contenders(0.6, random_state=5, **options)
    assert sorted(got) == np.flatnonzero(found.stays).tolist()


def test_search_contenders_use_weights_and_skip_undefined_queries(ranking_data):
    X, y, groups = ranking_data
    weight_of = 1.0 + np.arange(60) % 5
    scorer = ndcg_scorer(k=3, zero_division=np.nan).set_score_request(sample_weight=True)
    y = np.where(groups % 4 == 0, 0, y)
    search = make(scoring=scorer, keep_queries=True)
    search.fit(X, y, groups=groups, sample_weight=weight_of[groups])
    kept = search.kept_queries_
    known = ~np.isnan(kept.values[0])
    assert 0 < known.sum() < 60
    ids = kept.ids[kept.queries[known]]
    expected = candidates_of(kept.values[:, known], kept.folds[known], kept.queries[known], weight_of[ids])
    np.testing.assert_allclose(sum_by_unit(expected).means, search.cv_results_["mean_test_score"], rtol=1e-13)
    assert sorted(search.contenders(0.6)) == np.flatnonzero(find(expected, level=0.6).stays).tolist()
