"""Coverage of contenders and bias of corrected scores. Numbers: `python -m tests.simulations searches`."""

import numpy as np
import pytest

from tests.simulations.optimism import EXPECTED_MAXIMUM, POPULATIONS, find_best_held, find_optimism


@pytest.mark.thorough
@pytest.mark.parametrize("name", POPULATIONS)
def test_contenders_include_the_best_in_95_percent_of_searches(name):
    share, _ = find_best_held(name, 300, 200)
    assert share >= 0.95 - 3 * np.sqrt(0.95 * 0.05 / 200)


@pytest.mark.thorough
@pytest.mark.parametrize("rho", [0.0, 0.9])
def test_corrected_score_removes_the_optimism_of_noise(rho):
    found = find_optimism(rho, repeats=200)
    assert found.of_best == pytest.approx(EXPECTED_MAXIMUM * np.sqrt(1 - rho), abs=3 * found.error)
    assert abs(found.of_corrected) < 3 * found.error
    assert found.coverage > 0.93


@pytest.mark.thorough
def test_corrected_score_is_conservative_when_candidates_differ():
    found = find_optimism(0.0, 0.5, repeats=200)
    assert -0.35 < found.of_corrected < 0
