"""Coverage of the best candidate by contenders, and bias of corrected scores, with known truth."""

from collections.abc import Callable, Mapping
from typing import NamedTuple

import numpy as np
from numpy.random import RandomState

from sklearn_rank.reports import Candidates, correct_score, find_contenders, fold_means, sum_by_unit

from .comparisons import write_share
from .tables import Row

REPEATS, N_CANDIDATES, N_FOLDS = 500, 24, 5
N_FLIPS, N_RESAMPLES = 999, 1000
LEAST = 0.921  # with a coverage of 95%, the share in 500 searches is lower in 2 of 1,000 runs
PER_CLUSTER = 10
EXPECTED_MAXIMUM = 2.249  # expected maximum of 50 standard normal values

Draw = Callable[[RandomState, tuple[int, ...]], np.ndarray]


class Population(NamedTuple):
    """A distribution of values; `draw` has mean 0 and a standard deviation of about 1."""

    means: np.ndarray
    draw: Draw = RandomState.standard_normal
    of_models: float = 0.05  # standard deviation of the true means of models of folds
    shares: tuple[float, ...] = (1, 1, 1, 1, 1)  # relative sizes of folds
    n_clusters: int = 0  # clusters have ten queries each


def draw_zeros(random: RandomState, shape: tuple[int, ...]) -> np.ndarray:
    """Draw values that are mostly 0, as if candidates agreed on most queries."""
    return random.choice([-2.0, -1.0, 1.0, 2.0], shape) * (random.uniform(size=shape) < 0.3)


def draw_exponential(random: RandomState, shape: tuple[int, ...]) -> np.ndarray:
    """Draw skewed values, whose differences are symmetric."""
    return random.exponential(size=shape) - 1


def draw_opposed(random: RandomState, shape: tuple[int, ...]) -> np.ndarray:
    """Draw skewed values, mirrored for every second candidate."""
    return draw_exponential(random, shape) * np.resize([1.0, -1.0], shape[0])[:, np.newaxis]


EQUAL, LADDER = np.zeros(N_CANDIDATES), np.linspace(0, -0.5, N_CANDIDATES)
ONE_BETTER = np.r_[0.1, np.zeros(N_CANDIDATES - 1)]
POPULATIONS: Mapping[str, Population] = {
    "all equal in every fold": Population(EQUAL, of_models=0),
    "all equal, except within folds": Population(EQUAL),
    "one better by 0.1": Population(ONE_BETTER),
    "from 0 to -0.5": Population(LADDER),
    "heavy tails (t with 3)": Population(EQUAL, lambda random, shape: random.standard_t(3, shape) / 1.7),
    "70% zeros": Population(EQUAL, draw_zeros),
    "exponential": Population(EQUAL, draw_exponential),
    "folds of unequal sizes": Population(EQUAL, shares=(1, 2, 3, 4, 5)),
    "clusters of 10": Population(EQUAL, n_clusters=PER_CLUSTER),
    "exponential, half of them mirrored": Population(EQUAL, draw_opposed),
}
SIZES = (30, 300)


def assign_folds(n: int, shares: tuple[float, ...], random: RandomState) -> np.ndarray:
    """Return the fold of each of n queries, in ascending order."""
    ends = np.round(np.cumsum(shares) / np.sum(shares) * n).astype(int)
    return np.repeat(np.arange(len(shares)), np.diff(ends, prepend=0))


def draw_candidates(population: Population, n: int, random: RandomState) -> tuple[Candidates, np.ndarray]:
    """Draw candidates on n queries, and return them with the true mean of each candidate."""
    folds, k = assign_folds(n, population.shares, random), len(population.means)
    models = population.means[:, np.newaxis] + random.normal(0, 1, (k, N_FOLDS)) * population.of_models
    values = models[:, folds] + random.normal(0, 1, n) + population.draw(random, (k, n))
    units = np.arange(n)
    if population.n_clusters:
        units = random.permutation(n) // population.n_clusters
        values += population.draw(random, (k, n))[:, units]
    return Candidates(values, np.ones_like(values), folds, units), models.mean(axis=1)


def find_best_held(name: str, n: int, repeats: int = REPEATS, seed: int = 0) -> tuple[float, float]:
    """Return the share of searches whose contenders include the truly best, and their mean number."""
    random = RandomState([seed, list(POPULATIONS).index(name), n])
    covered, n_contenders = 0, 0
    for _ in range(repeats):
        candidates, true = draw_candidates(POPULATIONS[name], n, random)
        found = find_contenders(
            sum_by_unit(candidates), confidence_level=0.95, n_resamples=N_FLIPS, random_state=random
        )
        covered += found.stays[true.argmax()]
        n_contenders += found.stays.sum()
    return covered / repeats, n_contenders / repeats


def make_contender_rows(repeats: int, seed: int) -> list[Row]:
    """Simulate how often the contenders include the truly best candidate."""
    rows = []
    for name in POPULATIONS:
        found = [find_best_held(name, n, repeats, seed) for n in SIZES]
        cells = [f"{write_least(share)}, {number:.1f}" for share, number in found]
        rows.append([name, *cells])
    return rows


def write_least(share: float) -> str:
    """Format a share, in bold if it is below the minimum."""
    text = write_share(share)
    return text if share >= LEAST else f"**{text}**"


class Optimism(NamedTuple):
    """Means over many searches, in standard errors of the mean of a candidate."""

    of_best: float  # the best score minus the true value of its candidate
    of_corrected: float
    error: float  # the standard error of this mean over searches
    coverage: float
    half_width: float


def find_optimism(
    rho: float, step: float = 0.0, repeats: int = REPEATS, n: int = 300, k: int = 50, seed: int = 0
) -> Optimism:
    """Simulate the differences of the best score and of the corrected score from the true score.

    Values of candidates have the correlation rho over queries. Each candidate is worse than the previous one
    by `step` standard errors.
    """
    random = RandomState([seed, int(100 * rho), int(100 * step)])
    folds, units = assign_folds(n, (1,) * N_FOLDS, random), np.arange(n)
    true, one = -step * np.arange(k) / np.sqrt(n), np.ones((k, n))
    found = np.empty((repeats, 4))
    for repeat in range(repeats):
        values = np.sqrt(rho) * random.normal(size=n) + np.sqrt(1 - rho) * random.normal(size=(k, n))
        candidates = Candidates(values + true[:, np.newaxis], one, folds, units)
        best = fold_means(candidates).mean(axis=1).argmax()
        corrected = correct_score(
            "value",
            candidates,
            n_left_out=0,
            n_resamples=N_RESAMPLES,
            confidence_level=0.95,
            random_state=random,
        )
        low, high = corrected.interval
        differences = np.array([corrected.best_score, corrected.score]) - true[best]
        found[repeat] = *differences * np.sqrt(n), low <= true[best] <= high, (high - low) / 2 * np.sqrt(n)
    of_best, of_corrected, coverage, half_width = found.mean(axis=0)
    error = found[:, 1].std(ddof=1) / np.sqrt(repeats)
    return Optimism(of_best, of_corrected, error, coverage, half_width)


OPTIMISM = [(rho, step) for step in (0.0, 0.1, 0.5) for rho in (0.0, 0.5, 0.9)]


def make_optimism_rows(repeats: int, seed: int) -> list[Row]:
    """Simulate the optimism of the best of 50 candidates, with fewer repeats if candidates differ."""
    rows = []
    for rho, step in OPTIMISM:
        found = find_optimism(rho, step, max(2, repeats // 4) if step else repeats, seed=seed)
        theory = f"{EXPECTED_MAXIMUM * np.sqrt(1 - rho):.2f}" if not step else ""
        candidates = f"each worse by {step:g}" if step else "equal"
        measured = [f"{found.of_best:.2f}", f"{found.of_corrected:.2f} ± {found.error:.2f}"]
        rows.append([candidates, f"{rho:g}", theory, *measured, write_share(found.coverage)])
    return rows
