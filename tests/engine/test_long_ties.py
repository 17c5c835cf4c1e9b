"""Ties of many documents: products that are exact."""

from fractions import Fraction
from math import comb

import numpy as np
import pytest

from sklearn_rank._engine import ties


def find_means(values, k):
    """Return the mean products of 1, ..., k values, exactly: elementary symmetric polynomials."""
    sums = [Fraction(1)] + [Fraction(0)] * k
    for value in map(Fraction, values):
        for j in range(k, 0, -1):
            sums[j] += value * sums[j - 1]
    return [float(sums[j] / comb(len(values), j)) for j in range(1, k + 1)]


@pytest.mark.parametrize("n", [16, 23, 24, 25, 40, 41, 100])
@pytest.mark.parametrize("choices", [[0.5, 1], [0, 1, 0.25], [0.1, 0.2, 0.3, 0.9], [1], [0]], ids=str)
def test_mean_products_of_halves_are_exact(n, choices, monkeypatch):
    monkeypatch.setattr(ties, "LONG", 16)
    values = np.random.RandomState(n).choice(np.array(choices, dtype=float), (3, n))
    values[1, -n // 4 :] = values[2, -1:] = np.nan
    found = ties.mean_products(values, 2)
    for row, means in zip(values, found):
        assert means[:2] == pytest.approx(find_means(row[~np.isnan(row)], 2), rel=1e-14)


@pytest.mark.parametrize("n", [512, 1001, 4096])
def test_mean_products_of_long_rows_are_exact(n):
    values = np.random.RandomState(n).choice([0.5, 0.75, 1], n)
    assert ties.mean_products(values[None], 60)[0, :60] == pytest.approx(find_means(values, 60), rel=1e-12)
