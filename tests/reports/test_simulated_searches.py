"""What races, contenders and corrected scores promise; figures: `python -m tests.simulations searches`."""

import numpy as np
import pytest
from sklearn.base import clone

from sklearn_rank import GridSearchCV
from sklearn_rank.datasets import make_ranking
from sklearn_rank.model_selection import RacingGridSearchCV
from sklearn_rank.reports import find_contenders, sum_by_unit
from tests.simulations.choices import METRIC, N_FOLDS, TASKS, Data, read_searches, run_fits
from tests.simulations.optimism import EXPECTED_MAXIMUM, POPULATIONS, find_best_held, find_optimism
from tests.simulations.races import (
    SEEDED,
    Setting,
    find_drops,
    find_seeds,
    most,
    read_table,
    run_race,
    search_seeds,
    simulate_drops,
)


@pytest.mark.thorough
@pytest.mark.parametrize("name", SEEDED)
@pytest.mark.parametrize("seed", [0, 1])
def test_a_race_over_a_table_is_that_of_a_search(name, seed):
    if name == "LGBMRegressor":
        pytest.importorskip("lightgbm")
    race, search = run_race(find_seeds(name, seed)), search_seeds(RacingGridSearchCV, name, seed)
    assert race.n_fits == search.n_fits_
    assert race.fell_to.tolist() == search.cv_results_["fell_to"].tolist()
    assert race.best() == search.best_index_


def test_contenders_of_a_table_are_those_of_a_search():
    search = search_seeds(GridSearchCV, "ExtraTreeRegressor", 0, keep_queries=True, refit=False)
    units = sum_by_unit(read_table(search).candidates(slice(None), None))
    found = find_contenders(units, confidence_level=0.5, n_resamples=2000, random_state=0)
    assert 0 < found.stays.sum() < len(found.stays)
    assert set(np.flatnonzero(found.stays)) == set(search.contenders(0.5, n_resamples=2000))


@pytest.mark.thorough
def test_what_a_race_costs_and_chooses_is_read_from_the_grid_search():
    X, y, groups = make_ranking(60, 8, random_state=0)
    task, data = TASKS["pipeline"](), Data(X, y, groups, (X, y, groups))
    fits = run_fits(task, data, 0)
    found = read_searches(fits, 0)
    search = RacingGridSearchCV(clone(task.model), task.grid, scoring=METRIC, cv=N_FOLDS)
    search.fit(X, y, groups=groups)
    assert found["race"].n_fits == search.n_fits_ < found["grid"].n_fits == 200
    assert found["race"].true == fits.true[search.best_index_]
    assert found["random"].n_fits == search.n_fits_ // 5 * 5


@pytest.mark.thorough
@pytest.mark.parametrize("n_candidates", [2, 3, 12])
@pytest.mark.parametrize("of_folds", [0, 2, 4])
def test_a_named_equal_falls_in_one_race_of_twenty_at_most(n_candidates, of_folds):
    assert simulate_drops(Setting(n_candidates, 5, of_folds), 400).each <= most(400)


@pytest.mark.thorough
def test_a_race_by_queries_alone_drops_equals_that_differ_by_fold():
    assert simulate_drops(Setting(12, 5, 2), 100).named_by_queries > 0.4


@pytest.mark.thorough
def test_a_named_seed_of_a_tree_falls_in_one_race_of_twenty_at_most():
    found = find_drops("ExtraTreeRegressor", 40)
    assert found.named <= most(40)
    assert found.each <= 0.05 < found.some


@pytest.mark.thorough
@pytest.mark.parametrize("name", POPULATIONS)
def test_contenders_hold_the_best_in_19_of_20_searches(name):
    share, _ = find_best_held(name, 300, 200)
    assert share >= 1 - most(200)


@pytest.mark.thorough
@pytest.mark.parametrize("rho", [0.0, 0.9])
def test_the_best_of_noise_claims_what_theory_says_and_corrected_nothing(rho):
    found = find_optimism(rho, repeats=200)
    assert found.of_best == pytest.approx(EXPECTED_MAXIMUM * np.sqrt(1 - rho), abs=3 * found.error)
    assert abs(found.of_corrected) < 3 * found.error
    assert found.coverage > 0.93


@pytest.mark.thorough
def test_a_corrected_score_is_conservative_where_candidates_differ():
    found = find_optimism(0.0, 0.5, repeats=200)
    assert -0.35 < found.of_corrected < 0
