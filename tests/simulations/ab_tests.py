"""Coverage of 95% intervals of A/B tests and of metrics over all lists, and of t that is watched."""

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.random import RandomState
from scipy import stats

from sklearn_rank import RankingReport, compare, evaluate
from sklearn_rank.metrics import MetricValues

from .coverage import is_nominal
from .tables import Row

REPEATS, N_RESAMPLES = 2000, 200
MOST_BOOTSTRAPPED = 200  # samples of users, because the bootstrap is slow

# ---------------------------------------------------------------------------- users in two groups


class Users(NamedTuple):
    """Users of one group: their values, and what else a report and a comparison take."""

    values: Any
    covariate: np.ndarray | None = None
    clusters: np.ndarray | None = None


Draw = Callable[[RandomState, int, bool], Users]  # takes the number of users, and whether they are the first


def draw_normal(random: RandomState, n: int, first: bool) -> Users:
    """Draw values with a standard deviation of 1."""
    return Users(random.normal(0, 1, n))


def draw_unequal(random: RandomState, n: int, first: bool) -> Users:
    """Draw values with twice the standard deviation in the first group."""
    return Users(random.normal(0, 2 if first else 1, n))


def draw_skewed(random: RandomState, n: int, first: bool) -> Users:
    """Draw lognormal values."""
    return Users(random.lognormal(0, 1, n))


def draw_correlated(random: RandomState, n: int, first: bool) -> Users:
    """Draw values with a standard deviation of 1, and a covariate with correlation 0.56."""
    past = random.normal(0, 1, n)
    return Users(0.56 * past + random.normal(0, np.sqrt(1 - 0.56**2), n), past)


def draw_uncovered(random: RandomState, n: int, first: bool) -> Users:
    """Draw the same values without the covariate."""
    return Users(draw_correlated(random, n, first).values)


def draw_slopes(random: RandomState, n: int, first: bool) -> Users:
    """Draw values whose slope on a skewed covariate is 2 in the first group and 0.5 in the second."""
    past = random.exponential(size=n) - 1
    return Users((2 if first else 0.5) * past + random.normal(0, 1, n), past)


def draw_impressions(random: RandomState, n: int, first: bool) -> Users:
    """Draw clicks among 1 to 20 impressions of each user, whose rate differs between users."""
    shown = random.randint(1, 21, n).astype(float)
    clicks = random.binomial(shown.astype(int), random.beta(1, 3, n)).astype(float)
    return Users(MetricValues(clicks / shown, sums=(clicks, shown)))


def draw_each_impression(random: RandomState, n: int, first: bool) -> Users:
    """Draw the same clicks, with each impression as a unit."""
    sums = draw_impressions(random, n, first).values.sums
    clicks, shown = (each.astype(int) for each in sums)
    return Users(np.concatenate([np.arange(b) < a for a, b in zip(clicks, shown)]).astype(float))


def draw_queries(random: RandomState, n: int, first: bool) -> Users:
    """Draw 1 to 20 queries of each user; half of the variance is between users."""
    clusters = np.repeat(np.arange(n), random.randint(1, 21, n))
    return Users(random.normal(0, 1, n)[clusters] + random.normal(0, 1, len(clusters)), clusters=clusters)


def draw_each_query(random: RandomState, n: int, first: bool) -> Users:
    """Draw the same queries, without users."""
    return Users(draw_queries(random, n, first).values)


def compare_users(one: Users, other: Users) -> tuple[float, float]:
    """Return the interval of the difference."""
    reports, covariate, n = {}, {}, 0
    for name, users in (("one", one), ("other", other)):
        values = users.values
        size = len(values.values if isinstance(values, MetricValues) else values)
        ids = np.arange(n, n + size)
        clusters = None if users.clusters is None else [f"{name} {each}" for each in users.clusters]
        reports[name] = RankingReport.from_values(ids, {"value": values}, cluster=clusters)
        covariate |= {} if users.covariate is None else dict(zip(ids.tolist(), users.covariate))
        n += size
    found = compare(reports, paired=False, covariate=covariate or None).columns
    return float(found["low"][0]), float(found["high"][0])


def compare_pooled(one: Users, other: Users) -> tuple[float, float]:
    """Return the interval of Student's t with a common variance."""
    interval = stats.ttest_ind(other.values, one.values).confidence_interval(0.95)
    return float(interval.low), float(interval.high)


class Setting(NamedTuple):
    """A way to draw users and to compare them; the true difference is 0."""

    draw: Draw
    sizes: tuple[int, int]
    method: str
    compare: Callable[[Users, Users], tuple[float, float]] = compare_users


SETTINGS: Mapping[str, Setting] = {
    "normal": Setting(draw_normal, (50, 50), "Welch"),
    "twice the deviation in the smaller group": Setting(draw_unequal, (20, 180), "Welch"),
    "twice the deviation in the smaller group, pooled": Setting(
        draw_unequal, (20, 180), "t, pooled", compare_pooled
    ),
    "lognormal, equal groups": Setting(draw_skewed, (100, 100), "Welch"),
    "lognormal": Setting(draw_skewed, (20, 180), "Welch"),
    "covariate, correlation 0.56, ignored": Setting(draw_uncovered, (50, 50), "Welch"),
    "covariate, correlation 0.56": Setting(draw_correlated, (50, 50), "adjusted"),
    "covariate, other slope in each group": Setting(draw_slopes, (30, 90), "adjusted"),
    "clicks of users": Setting(draw_impressions, (100, 100), "delta method"),
    "clicks, impressions as units": Setting(draw_each_impression, (100, 100), "Welch"),
    "1 to 20 queries of each user, as clusters": Setting(draw_queries, (40, 40), "Welch"),
    "1 to 20 queries of each user, as units": Setting(draw_each_query, (40, 40), "Welch"),
}


def cover_difference(name: str, repeats: int = REPEATS, seed: int = 0) -> tuple[float, float]:
    """Return the share of intervals that contain the true difference, 0, and their mean width."""
    draw, sizes, _, find_interval = SETTINGS[name]
    random = RandomState([seed, list(SETTINGS).index(name)])
    ends = np.array(
        [find_interval(draw(random, sizes[0], True), draw(random, sizes[1], False)) for _ in range(repeats)]
    )
    return float(((ends[:, 0] <= 0) & (ends[:, 1] >= 0)).mean()), float((ends[:, 1] - ends[:, 0]).mean())


def make_group_rows(repeats: int, seed: int) -> list[Row]:
    """Simulate A/B tests; coverage that is not nominal is bold."""
    rows = []
    for name, setting in SETTINGS.items():
        share, width = cover_difference(name, repeats, seed)
        written = f"{share:.3f}" if is_nominal(share) else f"**{share:.3f}**"
        sizes = f"{setting.sizes[0]} + {setting.sizes[1]}"
        rows.append([name.removesuffix(", pooled"), sizes, setting.method, written, f"{width:.2f}"])
    return rows


# ---------------------------------------------------------------------------- t that is watched

WATCHED = {"normal": draw_normal, "lognormal": draw_skewed}


def watch(name: str, repeats: int = REPEATS, seed: int = 0, first: int = 20, last: int = 1000) -> float:
    """Return the share of runs in which an interval of the mean misses it at some n from first to last."""
    random = RandomState([seed, list(WATCHED).index(name)])
    n = np.arange(1, last + 1)
    mean = np.exp(0.5) if name == "lognormal" else 0.0
    critical = stats.t.isf(0.025, np.maximum(n - 1, 1))
    missed = 0
    for _ in range(repeats):
        values = WATCHED[name](random, last, True).values - mean
        means = np.cumsum(values) / n
        squares = np.maximum(np.cumsum(values**2) / n - means**2, 0) / np.maximum(n - 1, 1)
        missed += bool((np.abs(means) > np.sqrt(squares) * critical)[first - 1 :].any())
    return missed / repeats


def make_watch_rows(repeats: int, seed: int) -> list[Row]:
    """Simulate intervals that are looked at after each user."""
    return [[name, f"{watch(name, repeats, seed):.3f}"] for name in WATCHED]


# ---------------------------------------------------------------------------- metrics over all lists

N_ITEMS, K = 500, 10
LISTS = ("catalog_coverage@10(catalog=500)", "exposure_gini_loss@10(catalog=500)")
N_USERS = (50, 200, 1000)


def draw_lists(random: RandomState, n: int) -> np.ndarray:
    """Draw the items of n users, each with a taste and a bias towards popular items."""
    popularity = -1.3 * np.log(np.arange(1, N_ITEMS + 1))
    return np.argsort(-(popularity + random.gumbel(size=(n, N_ITEMS))), axis=1)[:, :K]


def report_lists(items: np.ndarray) -> RankingReport:
    """Report the lists of users."""
    n = len(items)
    rows = {"y_true": items.ravel() % 2, "y_score": np.tile(np.arange(K, 0, -1), n)}
    rows |= {"groups": np.repeat(np.arange(n), K), "items": items.ravel()}
    return evaluate(**rows, metrics=["mrr", *LISTS])


def bootstrap_lists(items: np.ndarray, random: RandomState) -> np.ndarray:
    """Return percentile intervals of both metrics, from users that are drawn with replacement."""
    drawn = []
    for _ in range(N_RESAMPLES):
        counts = np.sort(
            np.bincount(items[random.randint(len(items), size=len(items))].ravel(), minlength=N_ITEMS)
        )
        i = 2 * np.arange(1, N_ITEMS + 1) - N_ITEMS - 1
        drawn.append(((counts > 0).mean(), i @ counts / (N_ITEMS * counts.sum())))
    return np.quantile(drawn, (0.025, 0.975), axis=0)


def cover_lists(n: int, repeats: int = REPEATS, seed: int = 0) -> dict[str, tuple[float, float, float]]:
    """Return for each metric its mean over samples of n users, and the coverage of jackknife and bootstrap.

    The intervals are of the mean over samples of as many users.
    """
    random = RandomState([seed, n])
    values, ends, drawn = [], [], []
    n_drawn = min(repeats, MOST_BOOTSTRAPPED)
    for repeat in range(repeats):
        items = draw_lists(random, n)
        report = report_lists(items)
        values.append([report.list_metrics[name] for name in LISTS])
        ends.append([report.list_metrics_interval[name] for name in LISTS])
        if repeat < n_drawn:
            drawn.append(bootstrap_lists(items, random))
    true = np.mean(values, axis=0)
    low, high = np.array(ends).transpose(2, 0, 1)
    by_bootstrap = np.array(drawn).transpose(1, 0, 2)
    jackknife = ((low <= true) & (true <= high)).mean(axis=0)
    bootstrap = ((by_bootstrap[0] <= true) & (true <= by_bootstrap[1])).mean(axis=0)
    return {name: (true[j], jackknife[j], bootstrap[j]) for j, name in enumerate(LISTS)}


def make_list_rows(repeats: int, seed: int) -> list[Row]:
    """Simulate intervals of metrics over all lists."""
    rows = []
    for n in N_USERS:
        for name, (mean, jackknife, bootstrap) in cover_lists(n, repeats, seed).items():
            shown = name.partition("(")[0]
            rows.append([shown, f"{n:,}", f"{mean:.3f}", f"{jackknife:.3f}", f"{bootstrap:.3f}"])
    return rows
