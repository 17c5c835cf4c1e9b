"""Exact sums, compared with `math.fsum` and fractions, in any order, parts and merges."""

import pickle
from fractions import Fraction
from math import fsum, inf, isnan, ldexp, nan

import numpy as np
import pytest

from sklearn_rank.metrics._average import PIECE, ColumnSums, ExactSum, exact_dot

N = 3000


def of_any_exponent(rng, lowest, highest):
    return np.ldexp(rng.uniform(-1, 1, N), rng.integers(lowest, highest, N))


HOSTILE = {
    "between 0 and 1": lambda rng: rng.random(N),
    "0 and 1": lambda rng: rng.integers(0, 2, N).astype(float),
    "zeros of both signs": lambda rng: rng.choice([0.0, -0.0], N),
    "alternating ends of the range": lambda rng: np.resize([1e308, -1e308, 1.0], N),
    "largest floats that nearly cancel": lambda rng: np.resize(
        [1.7976931348623157e308, -1.797e308, 1e-320], N
    ),
    "subnormals": lambda rng: rng.integers(-(2**52), 2**52, N) * 5e-324,
    "around the smallest normal": lambda rng: rng.uniform(-4, 4, N) * 2.2250738585072014e-308,
    "cancelling": lambda rng: np.append(values := of_any_exponent(rng, -60, 60), -values[1:]),
    "1 and 2**-53": lambda rng: np.append(1.0, np.full(N, 2.0**-53)),  # each single addition is lost
    "1, half an ulp, and one more digit": lambda rng: np.array([1.0, 2.0**-53, 2.0**-1074]),
    "the whole range": lambda rng: of_any_exponent(rng, -1074, 1000),
    "large and small": lambda rng: rng.choice([1e300, -1e300, 1e-300, 3.0], N),
    "none": lambda rng: np.empty(0),
}
each_hostile = pytest.mark.parametrize("name", HOSTILE)


def total_of(exact):
    return ldexp(*exact.scaled())


def true_sum(values):
    return sum(map(Fraction, values.tolist()), Fraction(0))


def merge_at_random(rng, sums):
    """Merge in an order and a tree that chance chooses."""
    while len(sums) > 1:
        one = sums.pop(rng.integers(len(sums)))
        sums[rng.integers(len(sums))] += one
    return sums[0]


@each_hostile
def test_exact_sum_is_rounded_once(name):
    values = HOSTILE[name](np.random.default_rng(0))
    assert ExactSum(values).fraction() == true_sum(values)
    assert total_of(ExactSum(values)) == float(true_sum(values))


@pytest.mark.parametrize("name", [name for name in HOSTILE if name != "largest floats that nearly cancel"])
def test_exact_sum_equals_fsum(name):
    """But where partial sums of that one overflow."""
    values = HOSTILE[name](np.random.default_rng(1))
    assert total_of(ExactSum(values)) == fsum(values)


@each_hostile
@pytest.mark.parametrize("seed", range(5))
def test_exact_sum_does_not_depend_on_order_parts_or_merges(name, seed):
    rng = np.random.default_rng(seed)
    values = HOSTILE[name](np.random.default_rng(0))
    parts = np.split(rng.permutation(values), np.sort(rng.integers(0, len(values) + 1, 8)))
    merged = merge_at_random(rng, [ExactSum(part) for part in parts])
    assert merged.units == ExactSum(values).units
    assert merged.scaled() == ExactSum(values).scaled()


@pytest.mark.parametrize("seed", range(200))
def test_exact_sum_is_exact_for_any_exponents(seed):
    rng = np.random.default_rng(seed)
    lowest = int(rng.integers(-1074, 1000))
    values = of_any_exponent(rng, lowest, int(rng.integers(lowest + 1, 1024)))[: int(rng.integers(1, N))]
    assert ExactSum(values).fraction() == true_sum(values)


def test_exact_sum_adds_more_values_than_one_piece():
    values = np.random.default_rng(0).random(3 * PIECE + 1) - 0.25
    assert total_of(ExactSum(values)) == fsum(values)


@pytest.mark.parametrize("seed", range(20))
def test_exact_sum_rounds_correctly_near_middle_of_two_floats(seed):
    """Every digit decides, to the last of the smallest value."""
    rng = np.random.default_rng(seed)
    values = rng.random(N)
    middle = (Fraction(fsum(values)) + Fraction(np.nextafter(fsum(values), inf))) / 2
    while rest := middle - true_sum(values):
        values = np.append(values, float(rest))
    assert total_of(ExactSum(values)) == float(middle)  # rounded to even
    for beside in (-1e-300, 1e-300):
        assert total_of(ExactSum(rng.permutation(np.append(values, beside)))) == float(
            middle + Fraction(beside)
        )


def test_exact_sum_accepts_strided_array():
    values = np.random.default_rng(0).random(2 * N) - 0.5
    assert total_of(ExactSum(values[::2])) == fsum(values[::2])


def test_exact_sum_beyond_float_range_returns_exponent():
    total, exponent = ExactSum(np.full(2**20, 1.5e308)).scaled()
    assert Fraction(total) * 2**exponent == Fraction(1.5e308) * 2**20
    assert exponent > 0


@pytest.mark.parametrize(
    ("values", "expected"), [([1, inf], inf), ([-inf, 1e308], -inf), ([inf, -inf], nan), ([nan, 1], nan)]
)
def test_exact_sum_propagates_infinity_and_nan(values, expected):
    one, other = ExactSum(np.array(values[:1], float)), ExactSum(np.array(values[1:], float))
    with np.errstate(invalid="ignore"):
        one += other
    for exact in (one, ExactSum(np.array(values, float))):
        total, exponent = exact.scaled()
        assert exponent == 0
        assert total == expected or (isnan(total) and isnan(expected))


def test_exact_sum_is_small_and_continues_after_pickle():
    values = np.random.default_rng(0).random(10_000)
    state = pickle.dumps(ExactSum(values[:5000]), protocol=5)
    assert len(state) < 400
    exact = pickle.loads(state)
    exact.add(values[5000:])
    assert total_of(exact) == fsum(values)


@pytest.mark.parametrize("n_tiny", [0, 7])
@pytest.mark.parametrize("seed", range(5))
def test_column_sums_equal_fsum_in_any_order(seed, n_tiny):
    rng = np.random.default_rng(seed)
    values = rng.uniform(-1, 1, (2000, 30)) * rng.integers(0, 2, (2000, 30))
    values[:n_tiny] = np.ldexp(values[:n_tiny], -rng.integers(0, 1000, (n_tiny, 30)))
    sums = ColumnSums(2000)
    for rows in np.split(rng.permutation(2000), np.sort(rng.integers(0, 2001, 8))):
        sums.add(values[rows], np.ones(2))
    expected = [fsum(column) for column in values.T]
    assert sums.total().tolist() == [*expected, expected[-1], expected[-1]]


@pytest.mark.parametrize("scale", [1.0, 1e300, 1e-300])
@pytest.mark.parametrize("seed", range(5))
def test_exact_dot_is_exact(seed, scale):
    rng = np.random.default_rng(seed)
    one, other = rng.uniform(-1, 1, N) * scale, np.ldexp(rng.random(N), rng.integers(-60, 60, N))
    expected = sum((Fraction(a) * Fraction(b) for a, b in zip(one.tolist(), other.tolist())), Fraction(0))
    assert exact_dot(one, other) == expected


def test_exact_dot_of_no_products_is_zero():
    assert exact_dot(np.empty(0), np.empty(0)) == exact_dot(np.zeros(3), np.ones(3)) == 0
