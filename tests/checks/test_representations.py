"""Numbers in any container and of any type: equal values, and no changed input."""

import array
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest

from sklearn_rank import group_auc_score, mrr_score, ndcg_score, precision_at_k_score, recall_at_k_score
from sklearn_rank.metrics import ranking_scores
from tests.helpers.table import BY_ORDER, BY_RULE, METRICS, SCORE_OF

ALL = pytest.mark.parametrize("stem", METRICS)
DTYPES = ["i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f2", "f4", "f8", "g", ">i4", ">u8", ">f4", ">f8"]

# Containers of the ints 0 to 99: kind -> (library, builder).
KINDS = {
    "list": ("numpy", lambda np, ints: ints.tolist()),
    "list of floats": ("numpy", lambda np, ints: ints.astype(float).tolist()),
    "list of numpy numbers": ("numpy", lambda np, ints: list(ints.astype(np.float32))),
    "tuple": ("numpy", lambda np, ints: tuple(ints.tolist())),
    "array of the standard library": ("numpy", lambda np, ints: array.array("d", ints)),
    "memory view": ("numpy", lambda np, ints: memoryview(ints.astype(np.float32))),
    "every second": ("numpy", lambda np, ints: np.repeat(ints, 2)[::2]),
    "reversed view": ("numpy", lambda np, ints: ints[::-1].copy()[::-1]),
    "column of a C array": ("numpy", lambda np, ints: np.column_stack([ints, ints])[:, 1]),
    "broadcast row": ("numpy", lambda np, ints: np.broadcast_to(ints, (2, len(ints)))[1]),
    "objects: ints": ("numpy", lambda np, ints: np.array(ints.tolist(), dtype=object)),
    "objects: Decimal": ("numpy", lambda np, ints: np.array([Decimal(int(i)) for i in ints])),
    "objects: Fraction": ("numpy", lambda np, ints: np.array([Fraction(int(i)) for i in ints])),
    "objects: ints, floats and Decimal": (
        "numpy",
        lambda np, ints: np.array([(int, float, Decimal)[i % 3](int(i)) for i in ints], dtype=object),
    ),
    "series with an odd index": ("pandas", lambda pd, ints: pd.Series(ints, index=ints[::-1] - 7)),
    "series of objects": ("pandas", lambda pd, ints: pd.Series(ints, dtype=object)),
    "index": ("pandas", lambda pd, ints: pd.Index(ints)),
    "nullable ints": ("pandas", lambda pd, ints: pd.Series(ints, dtype="Int64")),
    "nullable unsigned ints": ("pandas", lambda pd, ints: pd.Series(ints, dtype="UInt8")),
    "nullable floats": ("pandas", lambda pd, ints: pd.Series(ints, dtype="Float32")),
    "categorical of ints": ("pandas", lambda pd, ints: pd.Categorical(ints)),
    "sparse column": ("pandas", lambda pd, ints: pd.Series(pd.arrays.SparseArray(ints))),
    "polars ints": ("polars", lambda pl, ints: pl.Series(ints, dtype=pl.Int16)),
    "polars floats": ("polars", lambda pl, ints: pl.Series(ints, dtype=pl.Float32)),
    "polars decimals": ("polars", lambda pl, ints: pl.Series(ints).cast(pl.Decimal(10, 2))),
    "pyarrow ints": ("pyarrow", lambda pa, ints: pa.array(ints, pa.uint8())),
    "pyarrow floats": ("pyarrow", lambda pa, ints: pa.array(ints.astype(float))),
    "pyarrow chunks": ("pyarrow", lambda pa, ints: pa.chunked_array([ints[:100], ints[100:]])),
    "pyarrow decimals": ("pyarrow", lambda pa, ints: pa.array([Decimal(int(i)) for i in ints])),
}

TRUTHS = {
    "numpy": ("numpy", lambda np, truths: truths),
    "list": ("numpy", lambda np, truths: truths.tolist()),
    "objects": ("numpy", lambda np, truths: truths.astype(object)),
    "nullable": ("pandas", lambda pd, truths: pd.Series(truths, dtype="boolean")),
    "polars": ("polars", lambda pl, truths: pl.Series(truths)),
    "pyarrow": ("pyarrow", lambda pa, truths: pa.array(truths)),
}

GRIDS = {
    "list of lists": ("numpy", lambda np, grid: grid.tolist()),
    "list of arrays": ("numpy", lambda np, grid: list(grid)),
    "Fortran order": ("numpy", lambda np, grid: np.asfortranarray(grid)),
    "transposed view": ("numpy", lambda np, grid: grid.T.copy().T),
    "strided view": ("numpy", lambda np, grid: np.repeat(np.repeat(grid, 2, axis=0), 3, axis=1)[::2, ::3]),
    "reversed view": ("numpy", lambda np, grid: grid[::-1, ::-1].copy()[::-1, ::-1]),
    "frame": ("pandas", lambda pd, grid: pd.DataFrame(grid, index=np.arange(len(grid)) // 2)),
    "frame of mixed types": (
        "pandas",
        lambda pd, grid: pd.DataFrame(grid).astype({0: "float32", 1: "Int64", 2: object}),
    ),
    "polars frame": ("polars", lambda pl, grid: pl.DataFrame(grid)),
}


@pytest.fixture(scope="module")
def rows():
    """Labels 0 to 4, tied scores 0 to 99, ids and a weight 1 to 3 per query."""
    rng = np.random.default_rng(0)
    groups = rng.integers(0, 20, 300)
    return rng.integers(0, 5, 300), rng.integers(0, 100, 300), groups, 1 + groups % 3


@pytest.fixture(scope="module")
def grids():
    """Labels and tied scores of 30 queries of 12 documents."""
    rng = np.random.default_rng(0)
    return rng.integers(0, 5, (30, 12)), rng.integers(0, 100, (30, 12))


def score(stem, y_true, y_score, groups, weights=None, **options):
    return SCORE_OF[stem](y_true, y_score, groups=groups, sample_weight=weights, **options)


def score_as_floats(stem, y_true, y_score, groups, weights=None):
    numbers = (np.array(values, dtype=np.float64) for values in (y_true, y_score))
    return score(stem, *numbers, groups, weights)


# ------------------------------------------------------------------ containers and types


@pytest.mark.parametrize("kind", KINDS)
@ALL
def test_metrics_do_not_depend_on_number_container(stem, kind, rows):
    library, build = KINDS[kind]
    module = pytest.importorskip(library)
    y_true, y_score, groups, weights = rows
    got = score(stem, build(module, y_true), build(module, y_score), groups, build(module, weights))
    assert got == score_as_floats(stem, *rows)


@ALL
def test_metrics_of_fractions_in_float32_are_those_in_float64(stem, rows):
    _, y_score, groups, weights = rows
    y_true = np.random.default_rng(1).uniform(0, 3, len(groups)).astype(np.float32)
    got = score(stem, y_true, y_score, groups, weights)
    assert got == score_as_floats(stem, y_true, y_score, groups, weights)


@pytest.mark.parametrize("dtype", DTYPES)
@ALL
def test_metrics_do_not_depend_on_number_dtype(stem, dtype, rows):
    y_true, y_score, groups, weights = rows
    got = score(stem, y_true.astype(dtype), y_score.astype(dtype), groups, weights.astype(dtype))
    assert got == score_as_floats(stem, *rows)


@pytest.mark.filterwarnings("ignore:.*scores look like classes")
@pytest.mark.parametrize("kind", TRUTHS)
@ALL
def test_metrics_treat_bools_as_zeros_and_ones(stem, kind, rows):
    library, build = TRUTHS[kind]
    module = pytest.importorskip(library)
    y_true, y_score, groups, _ = rows
    got = score(stem, build(module, y_true > 2), build(module, y_score > 50), groups)
    assert got == score_as_floats(stem, y_true > 2, y_score > 50, groups)


@pytest.mark.parametrize("dtype", [np.float16, np.float32])
@ALL
def test_metrics_of_short_floats_equal_their_float64_copies(stem, dtype, rows):
    y_true, y_score, groups, _ = rows
    y_true, y_score = (y_true / 3).astype(dtype), (y_score / 7).astype(dtype)
    assert score(stem, y_true, y_score, groups) == score_as_floats(stem, y_true, y_score, groups)


@pytest.mark.parametrize("dtype", ["i1", "u1", "f2", "f4", "g"])
@ALL
def test_metrics_return_builtin_float_for_any_dtype(stem, dtype, rows):
    y_true, y_score, groups, weights = rows
    assert type(score(stem, y_true.astype(dtype), y_score.astype(dtype), groups, weights)) is float


@pytest.mark.parametrize("kind", GRIDS)
@ALL
def test_metrics_of_matrix_in_any_layout_equal_flat_rows(stem, kind, grids):
    library, build = GRIDS[kind]
    module = pytest.importorskip(library)
    got = score(stem, *(build(module, grid) for grid in grids), None, average=None)
    flat = score(stem, *(grid.ravel() for grid in grids), np.repeat(np.arange(30), 12), average=None)
    np.testing.assert_array_equal(got, flat)


# ------------------------------------------------------------------ memory


@pytest.fixture(params=["read-only", "memmap"])
def locked(request, rows, tmp_path):
    """The rows in memory that cannot be written to."""
    arrays = [values.astype(np.float64) for values in rows]
    if request.param == "memmap":
        for name, values in enumerate(arrays):
            values.tofile(tmp_path / str(name))
        return [np.memmap(tmp_path / str(name), dtype=np.float64, mode="r") for name in range(4)]
    for values in arrays:
        values.flags.writeable = False
    return arrays


@pytest.mark.parametrize(("stem", "ties"), BY_RULE, ids=str)
def test_metrics_accept_read_only_memory(stem, ties, locked, rows):
    assert score(stem, *locked, **ties) == score(stem, *rows, **ties)


@pytest.mark.parametrize(("stem", "ties"), BY_RULE, ids=str)
def test_metrics_do_not_modify_input(stem, ties, rows):
    arrays = [values.astype(np.float64) for values in rows]
    if stem in BY_ORDER:
        arrays[1][::7] = -np.inf
    before = [values.copy() for values in arrays]
    score(stem, *arrays, **ties)
    np.testing.assert_equal(arrays, before)


def test_ranking_scores_do_not_modify_input(grids):
    arrays = [grid.astype(np.float64) for grid in grids]
    before = [values.copy() for values in arrays]
    ranking_scores(*arrays, groups=None, metrics=["ndcg@3", "map", "group_auc"], gain="exponential")
    np.testing.assert_equal(arrays, before)


# ------------------------------------------------------------------ scores count by order only

INCREASING = {
    "scaled and shifted": lambda s: 3 * s + 7,
    "all negative": lambda s: s - 1000,
    "all huge": lambda s: (s - 50) * 1e306,
    "all tiny": lambda s: s * 1e-300,
    "all subnormal": lambda s: s * 5e-324,
    "neighbouring floats": lambda s: 1 + s * np.finfo(float).eps,
    "exponential": np.exp,
    "arctan": np.arctan,
    "ranks": lambda s: np.unique(s, return_inverse=True)[1],
    "infinite at the top": lambda s: np.where(s == s.max(), np.inf, s),
    "int64 beyond 2**53": lambda s: s + 2**60,
    "negative int64 beyond 2**53": lambda s: s - 2**62,
    "largest int64": lambda s: s - 99 + (2**63 - 1),
    "smallest int64": lambda s: s + np.iinfo(np.int64).min,
    "uint64": lambda s: s.astype(np.uint64) + np.uint64(2**63 + 5),
    "big-endian int64": lambda s: (s + 2**60).astype(">i8"),
    "list of ints beyond 2**53": lambda s: (s + 2**60).tolist(),
    "list of ints that no dtype holds": lambda s: [2**70 + i for i in s.tolist()],
    "list of ints that no float holds": lambda s: [10**400 + i for i in s.tolist()],
    "list of ints from below 0 to beyond 2**63": lambda s: [2**63 + i if i else -1 for i in s.tolist()],
    "Decimal beyond the digits of a float": lambda s: [Decimal(int(i)).scaleb(-25) + 1 for i in s],
    "Fraction": lambda s: [1 + Fraction(int(i), 10**30) for i in s],
}


@pytest.mark.parametrize("transform", INCREASING)
@pytest.mark.parametrize("stem", BY_ORDER)
def test_increasing_transform_of_scores_changes_nothing(stem, transform, rows):
    y_true, y_score, groups, _ = rows
    transformed = INCREASING[transform](y_score)
    assert score(stem, y_true, transformed, groups) == score(stem, y_true, y_score, groups)


@pytest.mark.parametrize(
    ("low", "high"),
    [
        (0.5, 0.5 + 1e-12),
        (0.0, 5e-324),
        (-5e-324, 0.0),
        (1e300, np.nextafter(1e300, np.inf)),
        (2**53, 2**53 + 1),
    ],
)
def test_adjacent_scores_are_not_tied(low, high):
    assert mrr_score([[0, 1]], [[low, high]]) == 1
    assert mrr_score([[1, 0]], [[low, high]]) == 1 / 2


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64, np.longdouble, object])
def test_zero_and_minus_zero_are_tied(dtype):
    y_score = np.array([0.0, -0.0], dtype=dtype)
    assert mrr_score([[0, 1]], [y_score]) == mrr_score([[1, 0]], [y_score]) == 3 / 4


def test_integers_among_floats_are_compared_exactly():
    assert mrr_score([[1, 0, 0]], [[2**53, 2**53 + 1, 0.5]]) == 1 / 2


def test_long_doubles_are_compared_in_their_own_precision():
    y_score = np.array([1, 1 + np.finfo(np.longdouble).eps], dtype=np.longdouble)
    assert mrr_score([[0, 1]], [y_score]) == 1


# ------------------------------------------------------------------ one group of a million rows


@pytest.mark.slow
@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.int32, np.int64, np.uint64])
def test_metrics_are_exact_for_million_rows_in_one_group(dtype):
    ranks = np.random.default_rng(0).permutation(10**6) + 1
    y_true, y_score, groups = ranks % 2 == 0, (10**6 - ranks).astype(dtype), np.zeros(10**6)
    assert precision_at_k_score(y_true, y_score, groups=groups, k=1001) == 500 / 1001
    assert recall_at_k_score(y_true, y_score, groups=groups, k=1001) == 500 / 500_000
    assert mrr_score(y_true, y_score, groups=groups) == 1 / 2
    auc = group_auc_score(y_true, y_score, groups=groups)
    assert auc == pytest.approx((500_000 - 1) / 10**6, abs=1e-12)


@pytest.mark.slow
@pytest.mark.parametrize("value", [0, -7.5, True, 2**60])
def test_metrics_are_exact_for_million_tied_scores_in_one_group(value):
    y_true, y_score, groups = np.arange(10**6) % 4 == 0, np.full(10**6, value), np.zeros(10**6)
    assert precision_at_k_score(y_true, y_score, groups=groups, k=10) == pytest.approx(1 / 4, abs=1e-12)
    assert group_auc_score(y_true, y_score, groups=groups) == pytest.approx(1 / 2, abs=1e-12)
    assert ndcg_score(y_true, y_score, groups=groups, k=10) == pytest.approx(1 / 4, abs=1e-12)
