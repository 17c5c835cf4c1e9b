"""Red days of a gate for continuous integration: how often a retrained model fails it, with known truth."""

from typing import NamedTuple

import numpy as np
from numpy.random import RandomState
from scipy import stats

from .tables import Row

REPEATS, DAYS, N_QUERIES = 2000, 365, 1000
OF_SEED, OF_QUERY = (
    0.005,
    0.1,
)  # standard deviations of a model's mean by training seed, and of a query's value
LOSS = 0.03  # of a worse model
SEEDS = (1, 5)  # of the recorded baseline
RULES = {  # with the margin of the gate; a rule without one compares only the means
    "below the recorded mean": None,
    '"worse" alone': 0.0,
    '"worse", margin 0.005': 0.005,
    '"worse", margin 0.01': 0.01,
    '"worse", margin 0.02': 0.02,
}


class Year(NamedTuple):
    """Values by model and query, of the recorded baseline and of the models that are trained each day."""

    baseline: np.ndarray
    models: np.ndarray


def draw_year(random: RandomState, n_seeds: int, n_days: int = DAYS) -> Year:
    """Draw a year of models that differ only by their training seeds; the baseline is the mean of some."""
    values = random.normal(0.5, OF_QUERY, (n_seeds + n_days, N_QUERIES))
    values += random.normal(0, OF_SEED, (len(values), 1))
    return Year(values[:n_seeds].mean(axis=0), values[n_seeds:])


def find_intervals(year: Year) -> tuple[np.ndarray, np.ndarray]:
    """Return the difference of each model from the baseline, and half the width of its 95% interval."""
    apart = year.models - year.baseline
    error = apart.std(axis=1, ddof=1) / np.sqrt(N_QUERIES)
    return apart.mean(axis=1), stats.t.isf(0.025, N_QUERIES - 1) * error


def find_red(difference: np.ndarray, half: np.ndarray, margin: float | None) -> np.ndarray:
    """Return whether the gate is red on each day."""
    return difference < 0 if margin is None else (difference + half < 0) & (difference < -margin)


def count_red_days(n_seeds: int, repeats: int = REPEATS, seed: int = 0) -> np.ndarray:
    """Return the red days of each year by rule, and the share of days that are red after a loss.

    The shape is (2, n_rules, repeats).
    """
    random = RandomState([seed, n_seeds])
    found = np.empty((2, len(RULES), repeats))
    for repeat in range(repeats):
        difference, half = find_intervals(draw_year(random, n_seeds))
        for place, margin in enumerate(RULES.values()):
            found[0, place, repeat] = find_red(difference, half, margin).sum()
            found[1, place, repeat] = find_red(difference - LOSS, half, margin).mean()
    return found


def make_gate_rows(repeats: int, seed: int) -> list[Row]:
    """Simulate years of a gate: the mean of red days, those of the worst tenth of years, and the power."""
    cells: list[Row] = [[name] for name in RULES]
    for n_seeds in SEEDS:
        days, red = count_red_days(n_seeds, repeats, seed)
        for row, of_rule, share in zip(cells, days, red):
            row += [f"{of_rule.mean():.0f}", f"{np.quantile(of_rule, 0.9):.0f}", f"{share.mean():.0%}"]
    return cells
