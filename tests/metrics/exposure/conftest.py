"""Rows of several owners with ties, and all orders of tied rows."""

from itertools import groupby, permutations, product

import numpy as np
import pytest

from sklearn_rank.metrics import (
    amortized_exposure_loss,
    awrf_score,
    exposure_by_owner,
    exposure_parity_score,
    exposure_ratio_score,
)

FUNCTIONS = {
    "amortized_exposure_loss": amortized_exposure_loss,
    "awrf_score": lambda *rows, **options: awrf_score(*rows, **{"target": "candidates", **options}),
    "exposure_by_owner": lambda *rows, **options: exposure_by_owner(*rows, **options)["exposure"],
    "exposure_parity_score": exposure_parity_score,
    "exposure_ratio_score": exposure_ratio_score,
}
EVERY = pytest.mark.parametrize("name", FUNCTIONS)


def call(name, rows, **changed):
    """Call a function with rows, some of them changed, and options."""
    given = {**rows, **changed}
    return FUNCTIONS[name](given.pop("y_true"), given.pop("y_score"), **given)


@pytest.fixture
def owned():
    """Rows of three queries and three owners, some scores equal, one row not retrieved."""
    rng = np.random.default_rng(3)
    y_score = rng.integers(0, 3, 14).astype(float)
    y_score[4] = -np.inf
    return {
        "y_true": rng.integers(0, 3, 14).astype(float),
        "y_score": y_score,
        "groups": np.array(list("uvwuvwuvwuvwuv")),
        "owners": np.array(["ann", "bob", "eve"])[rng.integers(0, 3, 14)],
    }


def orders_of(rows, query):
    """Yield the rows of a query under every order of equal scores."""
    inside = [row for row in np.flatnonzero(rows["groups"] == query) if rows["y_score"][row] > -np.inf]
    inside.sort(key=lambda row: -rows["y_score"][row])
    runs = [list(run) for _, run in groupby(inside, key=lambda row: rows["y_score"][row])]
    for order in product(*(permutations(run) for run in runs)):
        yield sum(order, ())


def expose(rows, worth, stop=lambda label: 0.0, k=None):
    """Return the exposure of each row, the mean over all orders, one document after another."""
    exposure = np.zeros(len(rows["y_score"]))
    for query in np.unique(rows["groups"]):
        orders = list(orders_of(rows, query))
        for order in orders:
            looks = 1.0
            for rank, row in enumerate(order[:k], 1):
                exposure[row] += looks * worth(rank) / len(orders)
                looks *= 1 - stop(rows["y_true"][row])
    return exposure
