"""Error rates of tables of comparisons with known truth, and power of the computed numbers of queries."""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.random import RandomState
from scipy.stats import norm

from sklearn_rank import Comparison, RankingReport, compare

from .tables import Row

REPEATS, N_RESAMPLES = 2000, 999
NOMINAL = 0.0646  # 0.05 plus three standard errors for 2,000 tables
METHODS: Mapping[str, dict[str, Any]] = {
    "t, Holm": {"test": "t", "correction": "holm"},
    "sign flips, max": {"test": "randomization", "correction": "max", "n_resamples": N_RESAMPLES},
}

Draw = Callable[[RandomState, tuple[int, ...]], np.ndarray]
# Differences of mean 0 between a system and the baseline.
DIFFERENCES: Mapping[str, Draw] = {
    "normal": lambda random, shape: random.normal(0, 0.2, shape),
    "heavy tails": lambda random, shape: random.standard_t(2, shape) / 10,
    "tenths, 40% of them 0": lambda random, shape: (
        random.choice([-0.2, -0.1, 0.1, 0.2], shape) * (random.uniform(size=shape) < 0.6)
    ),
    "exponential": lambda random, shape: (random.exponential(size=shape) - 1) / 5,
    "lognormal": lambda random, shape: (random.lognormal(size=shape) - np.exp(0.5)) / 10,
}
SYMMETRIC = ("normal", "heavy tails", "tenths, 40% of them 0")
OF_VERDICTS = ("normal", "tenths, 40% of them 0", "exponential", "lognormal")
SIZES = {"errors": (8, 20, 50), "verdicts": (20, 50, 200)}
MARGIN = 0.05


def make_report(values: np.ndarray) -> RankingReport:
    """Make a report from one column of values per metric."""
    ids = np.arange(len(values))
    return RankingReport.from_values(ids, {f"metric {j}": column for j, column in enumerate(values.T)})


def compare_drawn(systems: np.ndarray, method: str, random: RandomState, **options: Any) -> Comparison:
    """Compare systems, each an array of values by query and metric."""
    reports = {f"system {i}": make_report(values) for i, values in enumerate(systems)}
    return compare(reports, random_state=random, **METHODS[method], **options)


def find_errors(differences: str, method: str, n: int, repeats: int = REPEATS, seed: int = 0) -> float:
    """Return the share of tables of a baseline and five equal systems with a p-value of at most 0.05."""
    random = RandomState([seed, list(DIFFERENCES).index(differences), n])
    draw, wrong = DIFFERENCES[differences], 0
    for _ in range(repeats):
        base = random.normal(0.5, 0.2, (1, n, 1))
        systems = np.concatenate([base, base + draw(random, (5, n, 1))])
        found = compare_drawn(systems, method, random, baseline="system 0")
        wrong += (found.columns["p_corrected"] <= 0.05).any()
    return wrong / repeats


def is_false(verdict: str, difference: float) -> bool:
    """Return whether a verdict is false for a true difference."""
    by_less, small = "by less" in verdict, abs(difference) < MARGIN - 1e-12
    if verdict.startswith("better"):
        return difference <= 0 or (by_less and not small)
    if verdict.startswith("worse"):
        return difference >= 0 or (by_less and not small)
    if verdict == "equivalent":
        return not small
    return verdict == "no worse" and difference <= 1e-12 - MARGIN


def find_false_verdicts(
    differences: str, method: str, n: int, shift: float, repeats: int = REPEATS, seed: int = 0
) -> float:
    """Return the share of tables of three systems and three metrics, all pairs, with any false verdict.

    The second system is better than the first by the shift, and so is the third.
    """
    random = RandomState([seed, list(DIFFERENCES).index(differences), n])
    true = np.array([0.0, shift, shift])
    draw, wrong = DIFFERENCES[differences], 0
    for _ in range(repeats):
        base = random.normal(0.5, 0.2, (1, n, 3)) + [0, 0, 1]
        drawn = np.concatenate([np.zeros((1, n, 3)), draw(random, (2, n, 3))])
        found = compare_drawn(base + drawn + true[:, None, None], method, random, margin=MARGIN).columns
        places = [[int(name.split()[1]) for name in found[column]] for column in ("system", "other")]
        true_differences = true[places[0]] - true[places[1]]
        wrong += any(map(is_false, found["verdict"].tolist(), true_differences))
    return wrong / repeats


def find_power(
    n_comparisons: int, aim: str, power: float, repeats: int = REPEATS, seed: int = 0
) -> tuple[int, float]:
    """Return the number of queries from a large pilot, and the share of tables of this size that succeed.

    The aim is to detect a difference, or to show that two equal systems differ by less than a margin.
    """
    random = RandomState([seed, n_comparisons, int(100 * power)])
    value = 0.05

    def draw(n: int, shift: float) -> np.ndarray:
        base = random.normal(0.5, 0.2, (1, n, n_comparisons))
        return np.concatenate([base, base + random.normal(shift, 0.2, base.shape)])

    pilot = compare_drawn(draw(100_000, 0.0), "t, Holm", random)
    n = int(pilot.queries_needed(**{aim: value}, power=power).columns["n"][0])
    shift = value if aim == "difference" else 0.0
    succeeded = 0
    for _ in range(repeats):
        found = compare_drawn(draw(n, shift), "t, Holm", random, margin=value).columns
        low, high = found["low"][0], found["high"][0]
        succeeded += low > 0 if aim == "difference" else -value < low and high < value
    return n, succeeded / repeats


def find_range(n_pilot: int, repeats: int = REPEATS, seed: int = 0) -> float:
    """Return the share of pilots whose range contains the true number of queries."""
    random = RandomState([seed, n_pilot])

    def run_pilot(n: int) -> Mapping[str, np.ndarray]:
        base = random.normal(0.5, 0.2, (1, n, 1))
        systems = np.concatenate([base, base + random.normal(0, 0.2, base.shape)])
        return compare_drawn(systems, "t, Holm", random).queries_needed(difference=0.02).columns

    true = (0.2 / 0.02) ** 2 * (norm.isf(0.025) + norm.isf(0.2)) ** 2 + norm.isf(0.025) ** 2 / 2
    covered = 0
    for _ in range(repeats):
        found = run_pilot(n_pilot)
        covered += found["low"][0] <= true <= found["high"][0]
    return covered / repeats


def make_range_rows(repeats: int, seed: int) -> list[Row]:
    """Simulate how often the range of a pilot contains the true number of queries."""
    return [[f"{n} queries", write_share(find_range(n, repeats, seed))] for n in (20, 50, 200)]


def write_share(share: float, most: float = 1.0) -> str:
    """Format a share, in bold if it is above the maximum."""
    text = f"{share:.3f}"
    return text if share <= most else f"**{text}**"


def make_error_rows(repeats: int, seed: int) -> list[Row]:
    """Simulate errors of tables without any difference."""
    return [
        [name, method]
        + [write_share(find_errors(name, method, n, repeats, seed), NOMINAL) for n in SIZES["errors"]]
        for name in DIFFERENCES
        for method in METHODS
    ]


def make_verdict_rows(repeats: int, seed: int) -> list[Row]:
    """Simulate tables with false verdicts."""
    rows = []
    for name in OF_VERDICTS:
        for shift, true in ((0.0, "none"), (MARGIN, "the margin")):
            for method in METHODS:
                shares = [
                    find_false_verdicts(name, method, n, shift, repeats, seed) for n in SIZES["verdicts"]
                ]
                rows.append([name, true, method, *(write_share(share, NOMINAL) for share in shares)])
    return rows


def make_power_rows(repeats: int, seed: int) -> list[Row]:
    """Simulate whether the computed numbers of queries have the requested power."""
    rows = []
    for aim in ("difference", "margin"):
        for n_comparisons in (1, 9):
            for power in (0.5, 0.8, 0.9):
                n, share = find_power(n_comparisons, aim, power, repeats, seed)
                rows.append([f"{aim} of 0.05", str(n_comparisons), f"{power:g}", str(n), write_share(share)])
    return rows
