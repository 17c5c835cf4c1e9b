"""Error rates of tables of comparisons with known truth, and power of the computed numbers of queries."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.random import RandomState
from scipy.stats import norm

from sklearn_rank import Comparison, RankingReport, compare

from .tables import Row

REPEATS = 2000
SIZES, SPARSE_SIZES = (3, 5, 8, 20, 50, 200), (20, 50, 200)
FEW = (0.5, 1, 2, 4, 6)  # expected numbers of queries that differ
NAMES = ("mrr", "map", "precision@1")  # metrics from 0 to 1
MARGIN = 0.05

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
CLUSTERED, WEIGHTED = "normal, clusters of 1 to 20", "normal, lognormal weights"
KINDS = (*DIFFERENCES, CLUSTERED, WEIGHTED)


def find_nominal(repeats: int = REPEATS) -> float:
    """Return 0.05 plus three standard errors: the largest share of false tables that can be due to chance."""
    return float(0.05 + 3 * np.sqrt(0.05 * 0.95 / repeats))


def make_report(values: np.ndarray, names: Sequence[str] = (), **options: Any) -> RankingReport:
    """Make a report from one column of values per metric."""
    names = names or [f"metric {j}" for j in range(values.shape[1])]
    return RankingReport.from_values(np.arange(len(values)), dict(zip(names, values.T)), **options)


def compare_drawn(
    systems: np.ndarray, names: Sequence[str] = (), columns: Mapping[str, Any] | None = None, **options: Any
) -> Comparison:
    """Compare systems, each an array of values by query and metric."""
    reports = {f"system {i}": make_report(each, names, **columns or {}) for i, each in enumerate(systems)}
    return compare(reports, n_resamples=999, **options)


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


def draw_differences(kind: str, n: int, random: RandomState) -> tuple[np.ndarray, dict[str, np.ndarray]]:
    """Draw differences of mean 0 of two systems from the first, and clusters or weights of queries."""
    if kind == CLUSTERED:  # half of the variance is between clusters
        clusters = np.repeat(np.arange(n), random.randint(1, 21, n))
        of_clusters = random.normal(0, 0.14, (2, n, 3))[:, clusters]
        return of_clusters + random.normal(0, 0.14, of_clusters.shape), {"cluster": clusters}
    if kind == WEIGHTED:
        return random.normal(0, 0.2, (2, n, 3)), {"weights": random.lognormal(size=n)}
    return DIFFERENCES[kind](random, (2, n, 3)), {}


def find_shares(
    kind: str, n: int, shift: float, repeats: int = REPEATS, seed: int = 0, **options: Any
) -> tuple[float, float]:
    """Return the share of tables in which all intervals are true, and of those with a false verdict.

    Three systems are compared by three metrics: the second and third are better by the shift than the first.
    """
    random = RandomState([seed, KINDS.index(kind), n])
    covered, false = 0, 0
    for _ in range(repeats):
        drawn, columns = draw_differences(kind, n, random)
        base = random.normal(0.5, 0.2, drawn[:1].shape)
        systems = np.concatenate([base, base + drawn + shift])
        found = compare_drawn(systems, columns=columns, margin=MARGIN, random_state=random, **options).columns
        true = shift * (found["other"] == "system 0")
        covered += not ((found["low"] > true + 1e-12) | (found["high"] < true - 1e-12)).any()
        false += any(map(is_false, found["verdict"].tolist(), true))
    return covered / repeats, false / repeats


def find_sparse_shares(
    n_differ: float, n: int, repeats: int = REPEATS, seed: int = 0
) -> tuple[float, float, float]:
    """Return the shares of tables as `find_shares`, and the share of undecided comparisons.

    By three metrics, two systems lose 1 on each query with probability n_differ / n, twice the margin.
    """
    random = RandomState([seed, int(10 * n_differ), n])
    true, shares = -n_differ / n, np.zeros(3)
    for _ in range(repeats):
        systems = (random.uniform(size=(3, n, 3)) >= [[[0.0]], [[-true]], [[-true]]]).astype(float)
        found = compare_drawn(
            systems, NAMES, baseline="system 0", margin=-true / 2, random_state=random
        ).columns
        shares[0] += not ((found["low"] > true + 1e-12) | (found["high"] < true - 1e-12)).any()
        shares[1] += any(each in ("better", "equivalent", "no worse") for each in found["verdict"].tolist())
        shares[2] += (found["verdict"] == "undecided").mean()
    return tuple((shares / repeats).tolist())


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

    pilot = compare_drawn(draw(100_000, 0.0))
    n = int(pilot.queries_needed(**{aim: value}, power=power).columns["n"][0])
    shift = value if aim == "difference" else 0.0
    succeeded = 0
    for _ in range(repeats):
        found = compare_drawn(draw(n, shift), margin=value, random_state=random).columns
        low, high = found["low"][0], found["high"][0]
        succeeded += low > 0 if aim == "difference" else -value < low and high < value
    return n, succeeded / repeats


def find_power_of_share(share: float, repeats: int = REPEATS, seed: int = 0) -> tuple[int, float]:
    """Return the number of queries from a pilot in which only a share has a value, and its true power."""
    random = RandomState([seed, int(100 * share)])
    value = 0.05

    def draw(n: int, shift: float) -> np.ndarray:
        base = np.where(random.uniform(size=(1, n, 1)) < share, random.normal(0.5, 0.2, (1, n, 1)), np.nan)
        return np.concatenate([base, base + random.normal(shift, 0.2, base.shape)])

    n = int(compare_drawn(draw(100_000, 0.0)).queries_needed(value).columns["n"][0])
    found = (compare_drawn(draw(n, value)).columns["low"][0] > 0 for _ in range(repeats))
    return n, sum(found) / repeats


def find_range(n_pilot: int, repeats: int = REPEATS, seed: int = 0) -> float:
    """Return the share of pilots whose range contains the true number of queries."""
    random = RandomState([seed, n_pilot])

    def run_pilot(n: int) -> Mapping[str, np.ndarray]:
        base = random.normal(0.5, 0.2, (1, n, 1))
        systems = np.concatenate([base, base + random.normal(0, 0.2, base.shape)])
        return compare_drawn(systems).queries_needed(difference=0.02).columns

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


def make_rule_rows(repeats: int, seed: int) -> list[Row]:
    """Simulate joint coverage and false verdicts of nine comparisons."""
    rows = []
    for kind in KINDS:
        for shift, truth in ((0.0, "none"), (MARGIN, "the margin")):
            shares = [find_shares(kind, n, shift, repeats, seed) for n in SIZES]
            rows.append([kind, truth, *(write_shares(*each, repeats) for each in shares)])
    return rows


def make_sparse_rows(repeats: int, seed: int) -> list[Row]:
    """Simulate tables in which few queries differ."""
    rows = []
    for n_differ in FEW:
        shares = [find_sparse_shares(n_differ, n, repeats, seed) for n in SPARSE_SIZES]
        cells = [f"{write_shares(*each[:2], repeats)}, {each[2]:.2f}" for each in shares]
        rows.append([f"{n_differ:g}", *cells])
    return rows


def write_shares(covered: float, false: float, repeats: int) -> str:
    """Format the share of tables that are covered, and of those with a false verdict."""
    nominal = find_nominal(repeats)
    coverage = f"{covered:.3f}" if 1 - covered <= nominal else f"**{covered:.3f}**"
    return f"{coverage}, {write_share(false, nominal)}"


def make_power_rows(repeats: int, seed: int) -> list[Row]:
    """Simulate whether the computed numbers of queries have the requested power."""
    rows = []
    for aim in ("difference", "margin"):
        for n_comparisons in (1, 9):
            for power in (0.5, 0.8, 0.9):
                n, share = find_power(n_comparisons, aim, power, repeats, seed)
                rows.append([f"{aim} of 0.05", str(n_comparisons), f"{power:g}", str(n), write_share(share)])
    return rows
