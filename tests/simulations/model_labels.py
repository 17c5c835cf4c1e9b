"""Coverage and width of intervals from few human labels and many labels of a model, with known truth."""

from collections.abc import Callable, Mapping
from typing import NamedTuple

import numpy as np
from numpy.random import RandomState
from scipy import stats

from sklearn_rank import RankingReport, compare

from .coverage import POPULATIONS
from .tables import Row

REPEATS = 2000
SIZES = ((8, 200), (20, 200), (50, 1000))  # queries labeled by people, and by the model
N_USERS, PER_USER, N_ALONE = 20, 20, 60
AGREES = 0.85  # share of queries on which a model has the values of people

Drawn = tuple[np.ndarray, np.ndarray]  # values of people and of the model
Draw = Callable[[RandomState, int], Drawn]


def draw_normal(correlation: float) -> Draw:
    """Return a function that draws values of people, and of a model that gives higher values."""
    apart = np.sqrt(1 - correlation**2)

    def draw(random: RandomState, n: int) -> Drawn:
        human, noise = random.normal(0, 0.2, (2, n))
        return human + 0.5, correlation * human + apart * noise + 0.6

    return draw


def draw_agreeing(name: str) -> Draw:
    """Return a function that draws values of a population, and of a model that often agrees."""
    draw_values = POPULATIONS[name].draw

    def draw(random: RandomState, n: int) -> Drawn:
        human, other = (draw_values(random, n)["values"] for _ in range(2))
        return human, np.where(random.uniform(size=n) < AGREES, human, other)

    return draw


JUDGES: Mapping[str, tuple[float, Draw]] = {
    "normal, correlation 0.5": (0.5, draw_normal(0.5)),
    "normal, correlation 0.9": (0.5, draw_normal(0.9)),
    **{
        f"{name}, 85% agree": (POPULATIONS[name].mean, draw_agreeing(name))
        for name in ("60% zeros", "reciprocal ranks")
    },
}


class Found(NamedTuple):
    """Means over draws."""

    coverage: float
    plug_in: float  # coverage of PPI++ with normal quantiles
    alone: float  # coverage of the interval without the model
    worth: float  # median


def plug_in(human: np.ndarray, labeled: np.ndarray, others: np.ndarray) -> tuple[float, float]:
    """Return the interval of PPI++ for a mean, with the best slope in [0, 1]."""
    n, rest = len(human), len(others)
    values = np.concatenate((labeled, others))
    slope = np.clip(np.cov(human, labeled)[0, 1] / (1 + n / rest) / values.var(ddof=1), 0, 1)
    mean = human.mean() + slope * (others.mean() - labeled.mean())
    variance = (human - slope * labeled).var() / n + slope**2 * others.var() / rest
    half = stats.norm.isf(0.025) * np.sqrt(variance)
    return mean - half, mean + half


def make_report(values: np.ndarray, clusters: np.ndarray | None = None) -> RankingReport:
    """Make a report with the positions of the queries as ids."""
    return RankingReport.from_values(np.arange(len(values)), {"value": values}, cluster=clusters)


def cover(name: str, n: int, n_model: int, repeats: int = REPEATS, seed: int = 0) -> Found:
    """Return how often intervals contain the truth, and the typical worth of the model's labels."""
    truth, draw = JUDGES[name]
    random = RandomState([seed, list(JUDGES).index(name), n])
    inside, worth = np.empty((repeats, 3), dtype=bool), np.empty(repeats)
    for repeat in range(repeats):
        human, judged = draw(random, n_model)
        alone = make_report(human[:n])
        both = alone.with_model_labels(make_report(judged))
        ends = both.interval["value"], plug_in(human[:n], judged[:n], judged[n:]), alone.interval["value"]
        inside[repeat] = [low <= truth <= high for low, high in ends]
        worth[repeat] = both.model_labels["value"].worth
    return Found(*inside.mean(axis=0), float(np.nanmedian(worth)))  # nan if all values of people are equal


def make_judge_rows(repeats: int, seed: int) -> list[Row]:
    """Simulate intervals of queries."""
    rows = []
    for name in JUDGES:
        for n, n_model in SIZES:
            found = cover(name, n, n_model, repeats, seed)
            shares = [f"{share:.3f}" for share in found[:3]]
            rows.append([name, f"{n} of {n_model:,}", *shares, f"{found.worth:.0f}"])
    return rows


def draw_users(random: RandomState, n: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Draw queries of users, who differ in their values and in the errors of the model."""
    clusters = np.repeat(np.arange(n), random.randint(1, PER_USER + 1, n))
    users = random.normal(0, 0.15, (2, n))[:, clusters]
    human, error = users + random.normal(0, 0.1, users.shape)
    return human + 0.5, human + error + 0.6, clusters


def cover_users(way: str, repeats: int = REPEATS, seed: int = 0) -> float:
    """Return how often an interval contains the truth if people label users, or random queries of users."""
    random, covered = RandomState([seed, list(WAYS).index(way)]), 0
    for _ in range(repeats):
        human, judged, clusters = draw_users(random, 10 * N_USERS)
        places = np.arange(np.searchsorted(clusters, N_USERS))
        if way == "single queries":
            places = np.sort(random.permutation(len(human))[:N_ALONE])
        known = None if way == "users, treated as queries" else clusters
        few = RankingReport.from_values(
            places, {"value": human[places]}, cluster=None if known is None else known[places]
        )
        low, high = few.with_model_labels(make_report(judged, known)).interval["value"]
        covered += low <= 0.5 <= high
    return covered / repeats


WAYS = {
    "users": f"all queries of {N_USERS} of {10 * N_USERS} users",
    "users, treated as queries": "the same, without clusters",
    "single queries": f"{N_ALONE} random queries of {10 * N_USERS} users",
}


def make_user_rows(repeats: int, seed: int) -> list[Row]:
    """Simulate intervals of queries that belong to users."""
    return [[label, f"{cover_users(way, repeats, seed):.3f}"] for way, label in WAYS.items()]


SHIFT = 0.02  # true difference of two systems


def draw_systems(random: RandomState, n: int) -> np.ndarray:
    """Draw two systems, and a model that judges values well and differences less well.

    The rows are human values of the first and the second system, and the model's values of both.
    """
    base, noise = random.normal(0.5, 0.2, n), random.normal(0.1, 0.05, n)
    human = base + random.normal([[0], [SHIFT]], 0.07, (2, n))
    return np.vstack((human, human + noise + random.normal(0, 0.07, (2, n))))


def subtract_widths(human: np.ndarray, judged: np.ndarray) -> float:
    """Return the width of the difference of two means that are each adjusted by their own slope."""
    n, n_model = human.shape[1], judged.shape[1]
    slopes = [np.cov(y, x[:n])[0, 1] / x[:n].var(ddof=1) for y, x in zip(human, judged)]
    parts = [slope * x for x, slope in zip(judged, slopes)]
    residuals = [y - part[:n] for y, part in zip(human, parts)]
    variance = (residuals[1] - residuals[0]).var(ddof=2) / n + (parts[1] - parts[0]).var(ddof=1) / n_model
    return float(2 * stats.t.isf(0.025, n - 2) * np.sqrt(variance))


def compare_drawn(reports: Mapping[str, RankingReport]) -> tuple[bool, float]:
    """Return whether the interval of the difference contains the truth, and its width."""
    found = compare(reports, baseline="old").columns
    low, high = found["low"][0], found["high"][0]
    return bool(low <= SHIFT <= high), high - low


def cover_differences(n: int, n_model: int, repeats: int = REPEATS, seed: int = 0) -> np.ndarray:
    """Return coverage and width with the model's labels, width by subtraction, and both by people alone."""
    random, found = RandomState([seed, n]), np.empty((repeats, 5))
    for repeat in range(repeats):
        drawn = draw_systems(random, n_model)
        alone = {name: make_report(values[:n]) for name, values in zip(("old", "new"), drawn)}
        models = (make_report(values) for values in drawn[2:])
        both = {name: each.with_model_labels(model) for (name, each), model in zip(alone.items(), models)}
        by_hand = subtract_widths(drawn[:2, :n], drawn[2:])
        found[repeat] = *compare_drawn(both), by_hand, *compare_drawn(alone)
    return found.mean(axis=0)


def make_difference_rows(repeats: int, seed: int) -> list[Row]:
    """Simulate comparisons of two systems."""
    rows = []
    for n, n_model in SIZES[1:]:
        found = cover_differences(n, n_model, repeats, seed)
        rows.append([f"{n} of {n_model:,}", *(f"{number:.3f}" for number in found)])
    return rows
