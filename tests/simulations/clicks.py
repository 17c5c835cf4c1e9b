"""Estimates of DCG from simulated logs of clicks, and curves of propensities."""

from typing import Any, NamedTuple

import numpy as np
from numpy.random import RandomState
from scipy.special import stdtrit
from sklearn.linear_model import LogisticRegression

from sklearn_rank.clicks import debias_clicks, estimate_propensities, simulate_clicks, snips_score

from .tables import Row

N_POSITIONS = 10
PROPENSITIES = 1 / np.arange(1, N_POSITIONS + 1)
TRUST = (PROPENSITIES * (0.98 - 0.6 / np.arange(1, 11)), PROPENSITIES * 0.6 / np.arange(1, 11))
POLICIES = ("a good ranker", "a random order", "a bad ranker")
METHODS = ("swaps", "harvest", "em")
N_QUERIES, N_SESSIONS = 100, 3  # sizes of a log for estimates of DCG


class World(NamedTuple):
    """Queries of ten documents: true labels, and scores of two rankers."""

    groups: np.ndarray
    y_true: np.ndarray
    y_score: np.ndarray  # scores of the evaluated ranker
    logged: np.ndarray  # scores of the ranker that made the log

    def repeat(self, n_sessions: int) -> "World":
        """Return the rows with each query repeated."""
        return World(*(np.tile(each, n_sessions) for each in self))

    def lists(self, n_sessions: int) -> np.ndarray:
        """Return the id of the ranking of each row after `repeat`."""
        n_queries = int(self.groups.max()) + 1
        return np.concatenate([self.groups + n_queries * session for session in range(n_sessions)])


def draw_world(random: RandomState, n_queries: int, policy: str) -> World:
    """Draw documents, 30% of them relevant, and scores that correlate with relevance to a varying degree."""
    shape = n_queries * N_POSITIONS
    y_true = (random.random_sample(shape) < 0.3).astype(float)
    effect = {"a good ranker": 1.5, "a random order": 0.0, "a bad ranker": -1.5}[policy]
    y_score = y_true + random.standard_normal(shape)
    logged = effect * y_true + random.standard_normal(shape)
    return World(np.repeat(np.arange(n_queries), N_POSITIONS), y_true, y_score, logged)


def find_discounts(groups: np.ndarray, y_score: np.ndarray) -> np.ndarray:
    """Return the DCG row_discounts of each row, computed by hand for rows sorted by query."""
    table = y_score.reshape(-1, N_POSITIONS)
    ranks = (-table).argsort(axis=1).argsort(axis=1) + 1
    return 1 / np.log2(ranks + 1).ravel()


# ---------------------------------------------------------------------------- values


def estimate_values(policy: str, repeats: int, seed: int) -> dict[str, np.ndarray]:
    """Draw logs of the same queries; return for each estimate the true value and the value of each log."""
    random = RandomState([seed, POLICIES.index(policy)])
    world = draw_world(random, N_QUERIES, policy)
    discounts = find_discounts(world.groups, world.y_score)
    log, lists = world.repeat(N_SESSIONS), world.lists(N_SESSIONS)
    row_discounts, n_lists = np.tile(discounts, N_SESSIONS), N_QUERIES * N_SESSIONS
    found: dict[str, list[float]] = {
        name: [] for name in ("raw", "ips", "trust", "naive", "clicked", "snips")
    }
    found |= {"ratios": [], "clipped": []}
    for _ in range(repeats):
        given: dict[str, Any] = {"groups": lists, "random_state": random}
        clicks, positions = simulate_clicks(log.y_true, log.logged, propensities=PROPENSITIES, **given)
        labels = debias_clicks(clicks, positions, PROPENSITIES)
        found["raw"].append(clicks @ row_discounts / n_lists)
        found["ips"].append(labels @ row_discounts / n_lists)
        above, below = (np.bincount(log.groups, each) for each in (labels * row_discounts, labels))
        found["snips"].append(above.sum() / below.sum())
        found["ratios"].append(np.mean(above[below > 0] / below[below > 0]))
        of_lists = np.bincount(lists, labels * row_discounts)
        found["clicked"].append(of_lists[np.bincount(lists, clicks) > 0].mean())
        clipped = clicks / np.maximum(np.append(1, PROPENSITIES)[positions], 0.25)
        found["clipped"].append(clipped @ row_discounts / n_lists)
        clicks, positions = simulate_clicks(log.y_true, log.logged, propensities=None, trust=TRUST, **given)
        labels = debias_clicks(clicks, positions, None, trust=TRUST)
        found["trust"].append(labels @ row_discounts / n_lists)
        found["naive"].append(debias_clicks(clicks, positions, sum(TRUST)) @ row_discounts / n_lists)
    truth = world.y_true @ discounts
    per_query, per_relevant = truth / N_QUERIES, truth / world.y_true.sum()
    true = dict.fromkeys(found, per_query) | {"snips": per_relevant, "ratios": per_relevant}
    return {name: np.array([true[name], *values]) for name, values in found.items()}


def measure_bias(values: np.ndarray) -> tuple[float, float, float, float]:
    """Return the truth, which comes first, the mean, the bias and its standard error."""
    truth, found = values[0], values[1:]
    return truth, found.mean(), found.mean() - truth, found.std(ddof=1) / np.sqrt(len(found))


ESTIMATES = {
    "raw": "raw clicks",
    "ips": "click / propensity",
    "clicked": "click / propensity, rankings with a click",
    "clipped": "clipped at 0.25",
    "snips": "`snips_score`",
    "ratios": "mean of ratios per query",
    "naive": "trust bias, click / propensity",
    "trust": "trust bias, (click - beta) / alpha",
}


def make_value_rows(repeats: int, seed: int) -> list[Row]:
    """Return a row for each policy and estimate; a bias of more than 3 standard errors is bold."""
    rows = []
    for policy in POLICIES:
        found = estimate_values(policy, repeats, seed)
        for name, label in ESTIMATES.items():
            truth, mean, bias, error = measure_bias(found[name])
            text = f"{bias:+.4f} ({error:.4f})"
            text = f"**{text}**" if abs(bias) > 3 * error else text
            rows.append([policy, label, f"{truth:.3f}", f"{mean:.3f}", text])
    return rows


# ---------------------------------------------------------------------------- curves


def draw_log(method: str, random: RandomState, n_queries: int) -> dict[str, Any]:
    """Draw a log that a method can use, as the arguments of `estimate_propensities`."""
    world = draw_world(random, n_queries, "a good ranker")
    documents = np.arange(len(world.groups))
    more: dict[str, Any] = {}
    n_sessions = 5
    log, lists = world.repeat(n_sessions), world.lists(n_sessions)
    if method == "swaps":  # all rankings are shuffled
        logged = np.zeros(len(lists))
        more = {"arm": np.ones(len(lists), dtype=bool)}
    elif method == "harvest":  # two rankers alternate, with three rankings of the first
        other = world.y_true + random.standard_normal(len(documents))
        logged = np.concatenate([world.logged, other, world.logged, other, world.logged])
        more = {"documents": np.tile(documents, n_sessions)}
    else:  # relevance depends on features, and rankings vary slightly
        X = random.standard_normal((len(documents), 2))
        chances = 1 / (1 + np.exp(-(X @ [1.0, 0.5] - 0.5)))
        log = log._replace(y_true=np.tile(chances, n_sessions))
        logged = np.tile(X[:, 0], n_sessions) + random.standard_normal(len(lists))
        more = {"X": np.tile(X, (n_sessions, 1)), "estimator": LogisticRegression()}
    clicks, positions = simulate_clicks(
        log.y_true, logged, groups=lists, propensities=PROPENSITIES, random_state=random
    )
    given = {"clicks": clicks, "positions": positions, "groups": log.groups, "method": method}
    return given | more | {"random_state": random}


def estimate_curves(method: str, n_queries: int, repeats: int, seed: int, n_resamples: int) -> np.ndarray:
    """Return propensities and interval limits of each log, of shape (repeats, 3, positions)."""
    random = RandomState([seed, METHODS.index(method), n_queries])
    curves = [
        estimate_propensities(**draw_log(method, random, n_queries), n_resamples=n_resamples)
        for _ in range(repeats)
    ]
    return np.array([[curve.propensities, curve.low, curve.high] for curve in curves])


def make_curve_rows(repeats: int, seed: int, sizes: dict[str, tuple[int, int, int]]) -> list[Row]:
    """Return a row for each method: the largest bias over the positions, and coverage at positions 2 to 10.

    `sizes` has queries, maximum repeats and resamples of each method.
    """
    rows = []
    for method, (n_queries, most, n_resamples) in sizes.items():
        drawn = min(repeats, most)
        curves = estimate_curves(method, n_queries, drawn, seed, n_resamples)[..., 1:]
        values, low, high = np.moveaxis(curves, 1, 0)
        true = PROPENSITIES[1:]
        known = ~np.isnan(values)  # a position with few clicks can have no estimate
        bias = np.nanmean(values, axis=0) / true - 1
        error = np.nanstd(values, axis=0, ddof=1) / true / np.sqrt(known.sum(axis=0))
        worst = int(np.abs(bias / error).argmax())
        covered = ((low <= true) & (high >= true)).sum(axis=0) / known.sum(axis=0)
        cells = [f"{bias[worst]:+.3f} ({error[worst]:.3f}), at {worst + 2}"]
        shares = [f"{share:.3f}" for share in (covered.min(), covered.mean())]
        cells += shares if n_resamples else ["", ""]
        rows.append([method, f"{n_queries}", f"{drawn:,}", *cells])
    return rows


# ---------------------------------------------------------------------------- intervals of values

N_CURVE_QUERIES, N_TRUE = 200, 200_000
CURVE_SIZES = {  # queries, maximum number of logs, resamples
    "swaps": (200, 500, 200),
    "harvest": (300, 500, 200),
    "em": (60, 60, 100),  # each interval needs almost a thousand fits
}


def find_true_means(seed: int) -> tuple[float, float]:
    """Return mean DCG per query and per relevant document, over many queries."""
    world = draw_world(RandomState([seed, 99]), N_TRUE, "a good ranker")
    total = float(world.y_true @ find_discounts(world.groups, world.y_score))
    return total / N_TRUE, total / float(world.y_true.sum())


def cover_values(repeats: int, seed: int, n_queries: int = N_CURVE_QUERIES) -> dict[str, float]:
    """Return the coverage of 95% intervals of values, with known and estimated propensities.

    Each query has five rankings. Propensities are estimated from the two rankings that are shuffled.
    """
    random = RandomState([seed, 98])
    mean, per_relevant = find_true_means(seed)
    covered = dict.fromkeys(["mean, known", "mean, estimated", "snips, known", "snips, estimated"], 0)
    for _ in range(repeats):
        world = draw_world(random, n_queries, "a good ranker")
        log, lists = world.repeat(5), world.lists(5)
        shuffled = lists >= 3 * n_queries
        clicks, positions = simulate_clicks(
            log.y_true,
            np.where(shuffled, 0.0, log.logged),
            groups=lists,
            propensities=PROPENSITIES,
            random_state=random,
        )
        curve = estimate_propensities(clicks, positions, groups=log.groups, arm=shuffled, n_resamples=0)
        row_discounts = find_discounts(lists, log.y_score)
        for name, propensities in (("known", PROPENSITIES), ("estimated", curve)):
            labels = debias_clicks(clicks, positions, propensities)
            values = np.bincount(log.groups, labels * row_discounts) / 5
            error = values.std(ddof=1) / np.sqrt(n_queries)
            spread = stdtrit(n_queries - 1, 0.975)
            covered[f"mean, {name}"] += abs(values.mean() - mean) <= spread * error
            value, error = snips_score(labels, log.y_score, groups=lists, cluster=log.groups)
            covered[f"snips, {name}"] += abs(value - per_relevant) <= spread * error
    return {name: count / repeats for name, count in covered.items()}


def make_cover_rows(repeats: int, seed: int) -> list[Row]:
    """Return a row for each value with its coverage."""
    found = cover_values(repeats, seed)
    labels = {"mean": "mean DCG of `click / propensity`", "snips": "`snips_score`"}
    return [
        [labels[value], *(f"{found[f'{value}, {known}']:.3f}" for known in ("known", "estimated"))]
        for value in labels
    ]
