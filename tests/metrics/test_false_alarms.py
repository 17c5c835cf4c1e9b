"""Ordinary data, for which no warning about labels, scores or features is issued."""

import warnings
from collections import Counter

import numpy as np
import pytest
from sklearn.linear_model import Ridge

from sklearn_rank import RankingWarning, cross_val_score, evaluate, ranking_scores
from sklearn_rank.datasets import load_digits_ranking
from tests.helpers.table import METRICS

BY_ORDER = ["pairwise_accuracy", "kendall_tau", "kendall_tau_ap", "spearman"]
NAMES = [
    f"{stem}@3" if metric.cutoff == "required" else stem
    for stem, metric in METRICS.items()
    if stem not in ("rbp_residual_loss", "bpr_loss", "pearson")
]
LABELS = {
    "clicks": lambda rng, n: (rng.random(n) < rng.uniform(0.03, 0.4)).astype(int),
    "grades": lambda rng, n: np.minimum(rng.geometric(0.5, n) - 1, 4),
    "ratings": lambda rng, n: rng.integers(1, 6, n),
    "plays": lambda rng, n: rng.poisson(2.0, n),
    "seconds": lambda rng, n: np.where(rng.random(n) < 0.5, 0, rng.exponential(30, n)),
    "returns": lambda rng, n: 0.02 * rng.standard_normal(n),
}
SCORES = {
    "real": lambda rng, n: rng.standard_normal(n),
    "probabilities": lambda rng, n: rng.random(n),
    "float32": lambda rng, n: rng.random(n).astype(np.float32),
    "popularity": lambda rng, n: rng.poisson(40, n),
    "stars": lambda rng, n: rng.integers(1, 6, n),
    "rounded": lambda rng, n: rng.random(n).round(1),
    "constant": lambda rng, n: np.zeros(n),
}


def draw(seed):
    """Draw an ordinary data set: the kind of its labels, features, labels, scores and ids."""
    rng = np.random.default_rng(seed)
    kind, of_scores = rng.choice(list(LABELS)), rng.choice(list(SCORES))
    sizes = rng.integers(1, rng.integers(8, 40), rng.integers(30, 150)) + 1
    groups = np.repeat(rng.permutation(len(sizes)), sizes)
    n = len(groups)
    by_query = rng.integers(0, rng.integers(2, 20), len(sizes))[groups]  # for example a market
    X = np.column_stack([rng.standard_normal((n, 2)), np.ones(n), by_query, np.arange(n), groups % 7])
    order = rng.permutation(n) if rng.random() < 0.5 else np.arange(n)
    labels, scores = LABELS[kind](rng, n), SCORES[of_scores](rng, n)
    if kind != "clicks" and rng.random() < 0.3:
        scores = labels + rng.integers(0, 3, n)  # a good model
    return str(kind), X[order], labels[order], scores[order], groups[order]


def list_metrics(kind):
    """Return the metrics of a kind of labels, with a threshold where ratings need one."""
    if kind == "returns":
        return BY_ORDER
    least = 4 if kind == "ratings" else 1
    names = [name for name in NAMES if name not in BY_ORDER]
    takers = [name for name in names if "min_relevance" in METRICS[name.partition("@")[0]].defaults]
    return [f"{name}(min_relevance={least})" if name in takers else name for name in names]


def count_warnings(seed):
    """Count the warnings of one data set by their first words."""
    kind, X, y, y_score, groups = draw(seed)
    metrics = list_metrics(kind)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        ranking_scores(y, y_score, groups=groups, metrics=metrics)
        evaluate(y, y_score, groups=groups, metrics=metrics[:3])
        cross_val_score(Ridge(), X, y, groups=groups, scoring=metrics[0], cv=3)
    return Counter(str(each.message)[:90] for each in caught if each.category is RankingWarning)


@pytest.mark.parametrize("n_sets", [60, pytest.param(1000, marks=pytest.mark.slow)])
def test_ordinary_data_raises_no_warning(n_sets):
    assert sum(map(count_warnings, range(n_sets)), Counter()) == Counter()


def test_digits_data_raises_no_warning():
    X, y, groups = load_digits_ranking(return_X_y=True)
    metrics = list_metrics("grades")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        ranking_scores(y, X[:, 10], groups=groups, metrics=metrics)
        cross_val_score(Ridge(), X, y, groups=groups, scoring="map", cv=5)
