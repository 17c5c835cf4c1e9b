"""Coverage of intervals of A/B tests. All numbers: `python -m tests.simulations ab_tests`."""

import pytest

from tests.simulations.ab_tests import SETTINGS, cover_difference, cover_lists, watch
from tests.simulations.coverage import is_nominal

pytestmark = pytest.mark.thorough

TOO_NARROW = {
    "twice the deviation in the smaller group, pooled": 0.78,
    "lognormal": 0.92,
    "clicks, impressions as units": 0.76,
    "1 to 20 queries of each user, as units": 0.6,
}


@pytest.mark.parametrize("name", [name for name in SETTINGS if name not in TOO_NARROW])
def test_difference_of_groups_has_nominal_coverage(name):
    share, _ = cover_difference(name)
    assert is_nominal(share), share


@pytest.mark.parametrize("name", TOO_NARROW)
def test_difference_of_groups_undercovers_with_another_variance_or_unit(name):
    assert cover_difference(name)[0] < TOO_NARROW[name]


def test_covariate_of_correlation_056_narrows_the_interval_by_a_sixth():
    widths = [cover_difference(f"covariate, correlation 0.56{word}")[1] for word in ("", ", ignored")]
    assert [round(width, 2) for width in widths] == [0.66, 0.79]


def test_watched_interval_misses_in_four_of_ten_runs():
    assert 0.4 < watch("normal") < 0.47


def test_jackknife_covers_metrics_of_all_lists_and_bootstrap_does_not():
    for _, jackknife, bootstrap in cover_lists(200, repeats=1000).values():
        assert jackknife > 0.93
        assert bootstrap < 0.05
