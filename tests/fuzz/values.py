"""Pools of unusual values to draw from."""

import datetime
import decimal
import enum
import pathlib
import types
import uuid
from array import array
from collections import Counter, OrderedDict, UserList, deque
from decimal import Decimal
from fractions import Fraction
from importlib.util import find_spec
from unittest.mock import MagicMock

import numpy as np
from scipy import sparse

NAN, INF = float("nan"), float("inf")


class Fresh:
    """A value that is made at each draw, because it can be exhausted or is slow to compare."""

    def __init__(self, make):
        self.make = make


class OwnError(Exception):
    """The error that methods of the caller's objects raise."""


def fails(*args, **kwargs):
    raise OwnError("raised by the caller's own code")


def fails_by_value(*args, **kwargs):
    raise ValueError("raised by the caller's own code")


def odd(name, **methods):
    """Make an object of a new class with these methods."""
    return type(name, (), methods)()


class Color(enum.IntEnum):
    RED = 1
    BLUE = 2


class Named:
    """An object whose text is the name of a metric."""

    def __init__(self, name):
        self.name = name

    def __str__(self):
        return self.name


def itself():
    """Return a list that contains itself."""
    inner = []
    inner.append(inner)
    return inner


def deep(depth):
    """Return nested lists."""
    inner = 1
    for _ in range(depth):
        inner = [inner]
    return inner


NUMBERS = [0, 1, -1, 2, 3, 5, 10, 0.5, 1.5, -0.0, 1e-300, 5e-324, 1e300, 1.7e308, -1e308, NAN, INF, -INF]
NUMBERS += [True, False, np.True_, 2**31, 2**53 + 1, 2**62, 2**63 - 1, 2**63, -(2**63), 2**64, 10**400]
NUMBERS += [-(10**400)]
NUMBERS += [Decimal(1), Decimal("0.5"), Decimal("nan"), Decimal("snan"), Decimal("inf"), Decimal("1e999")]
NUMBERS += [Fraction(1, 3), Fraction(1, 10**400), Fraction(10**400), 1 - Fraction(1, 10**400), 1j]
NUMBERS += [complex(NAN, 1)]
NUMBERS += [np.int8(1), np.int64(2), np.uint64(2**64 - 1), np.float16(0.5), np.float32(1), np.float64(2)]
NUMBERS += [np.longdouble(1) / 3, np.longdouble("1e4000"), np.complex64(1j), np.float64(NAN), Color.RED]

TEXTS = ["", "a", "1", "nan", "linear", "macro", "average", "order", "best", "together", "predict", "auto"]
TEXTS += ["qid"]
TEXTS += ["relevant", "hits", "drop", "none", "None", "Macro", "\x00", "\ud800", "ndcg", "ndcg@10", "é" * 3]
TEXTS += [b"", b"1", b"linear", np.str_("macro"), np.str_("log2"), np.bytes_(b"a"), bytearray(b"1")]

NAMES = ["ndcg@", "ndcg@0", "ndcg@-1", "ndcg@1.5", "ndcg@１", "ndcg@10000000000000000000", "ndcg @ 3", "@"]  # noqa: RUF001
NAMES += ["(", "()"]
NAMES += ["precision@5(min_relevance=2", "precision@5(min_relevance=)", "precision@5min_relevance=2)"]
NAMES += ["precision"]
NAMES += ["precision@5((min_relevance=2))", "precision@5(min_relevance=2,)", "rbp(p=1e400)", "rbp(p=nan)"]
NAMES += ["map(denominator=[])", "map(denominator=hits)", "ndcg(gain=[0,1])", "ndcg(gain=0)"]
NAMES += ["err(max_grade=1e999)"]
NAMES += ["ndcg(zero_division=0.5)", "ndcg(average=None)", "ndcg(average=micro)", "recall@2(average=micro)"]
NAMES += ["map(average=geometric)", "spearman(average=geometric)", "trec_eval:gm_map"]
NAMES += ["ndcg\n"]
NAMES += ["NDCG@3", "ndcg@3 ", " ndcg@3", "neg_ndcg", "neg_bpr_loss", "bpr_loss", "fallout_loss@2"]
NAMES += ["neg_fallout_loss@2", "ｍap"]  # noqa: RUF001
NAMES += ["r2", "accuracy", "precision@2(k=3)", "precision@2(ties=best)", "group_auc@3", "ndcg_score"]
NAMES += ["judged@2", ""]
NAMES += ["err(gain=linear,max_grade=4)", "rbp(p=0.5)", "rbp(p=1_0)", "rbp(p=0x1)", "ndcg(gain='linear')"]
NAMES += ["p@5", "\ud800"]
NAMES += ["map(min_relevance=10000000000000000000000)", "map(min_relevance=1" + "0" * 400 + ")", "a" * 2000]
NAMES += ["ndcg@5@5"]

DATES = [datetime.date(2020, 1, 1), datetime.datetime(2020, 1, 1), datetime.timedelta(1), datetime.time(1)]
DATES += [datetime.datetime(2020, 1, 1, tzinfo=datetime.UTC), np.datetime64("2020-01-01")]
DATES += [np.timedelta64(1, "D")]
DATES += [np.datetime64("NaT", "s"), np.timedelta64("NaT", "D"), np.datetime64("NaT", "D")]

OBJECTS = [None, object(), object, int, list, np.ndarray, type, Exception("x"), NotImplemented, ..., len]
OBJECTS += [lambda: 1, lambda x: x, lambda *a, **k: None, lambda x: "high", fails, fails_by_value, np.sqrt]
OBJECTS += [types]
OBJECTS += [pathlib.Path("map"), pathlib.Path("group_auc"), Named("ndcg"), Named("r_precision")]
OBJECTS += [uuid.UUID(int=1)]
OBJECTS += [slice(1), range(3), range(0), np.dtype("f8"), np.random.default_rng(0), decimal.Context()]
OBJECTS += [{}, {0: 0, 1: 1, 2: 3}, {"a": 0.5}, {0: None}, {0: "a"}, set(), {0, 1}, frozenset([1])]
OBJECTS += [Counter("ab")]
OBJECTS += [OrderedDict(a=1), [], (), [[]], [None], [NAN], [0, 1, 3, 7, 15], [1, [2, 3]], [[1, 2], [3]]]
OBJECTS += [[[1], 2]]
OBJECTS += ["abc", ["a", "b"], [b"a"], [1, "1"], [(1, 2), (1, "a")], [(1, NAN), (2, None)], [1j]]
OBJECTS += [[object()]]
OBJECTS += [itself(), deep(40), deep(100), memoryview(b"abcd"), memoryview(array("d", [1, 2]))]
OBJECTS += [array("i", [1, 2])]
OBJECTS += [deque([1, 2]), UserList([1, 2]), MagicMock()]
OBJECTS += [types.SimpleNamespace(shape=(), index=1, columns=3)]
OBJECTS += [types.SimpleNamespace(shape=(3,), iloc=None), types.SimpleNamespace(shape=None, names=[1])]
OBJECTS += [odd("RaisesOnArray", __array__=fails), odd("RaisesOnLen", __len__=fails)]
OBJECTS += [odd("OnIter", __iter__=fails)]
OBJECTS += [odd("ByValue", __array__=fails_by_value), odd("LenByValue", __len__=fails_by_value)]
OBJECTS += [odd("IterByValue", __iter__=fails_by_value), odd("ReprFails", __repr__=fails)]
OBJECTS += [odd("StrFails", __str__=fails)]
OBJECTS += [odd("NegativeLen", __len__=lambda self: -1, __getitem__=lambda self, i: i)]
OBJECTS += [odd("TextLen", __len__=lambda self: "3")]
OBJECTS += [odd("LyingLen", __len__=lambda self: 4, __getitem__=fails)]
OBJECTS += [odd("NoArray", __array__=lambda self, *args, **kwargs: [1, 2])]
OBJECTS += [odd("Interface", __array_interface__={})]
OBJECTS += [odd("EqFails", __eq__=fails, __hash__=object.__hash__), odd("BoolFails", __bool__=fails)]
OBJECTS += [odd("EqIsArray", __eq__=lambda self, other: np.ones(2), __hash__=object.__hash__)]
OBJECTS += [odd("Unhashable", __hash__=None), odd("CallFails", __call__=fails)]
OBJECTS += [odd("AttributeFails", __getattr__=lambda self, name: fails() if name == "shape" else None)]
OBJECTS += [odd("Floats", __float__=lambda self: 1.0, __int__=lambda self: 1, __index__=lambda self: 1)]
OBJECTS += [Fresh(lambda: iter([1, 2])), Fresh(lambda: (i for i in "ab")), Fresh(lambda: map(fails, [1]))]
OBJECTS += [Fresh(lambda: zip([1], [2])), Fresh(lambda: iter(["ndcg", "map"]))]
OBJECTS += [Fresh(lambda: dict.fromkeys("ab").keys())]

ROW = np.arange(6.0)
ARRAYS = [ROW, ROW[::2], ROW[::-1], ROW.reshape(2, 3), ROW.reshape(2, 3).T, ROW.reshape(1, 2, 3)]
ARRAYS += [np.array(1.0)]
ARRAYS += [np.empty(0), np.empty((0, 3)), np.empty((3, 0)), np.array(None), np.array([None, 1])]
ARRAYS += [np.array("a")]
ARRAYS += [np.array(["linear"]), np.array(["macro", "micro"]), np.array([1, 2], dtype=object)]
ARRAYS += [np.ma.array([1, 2])]
ARRAYS += [np.ma.masked, np.ma.array(ROW, mask=ROW > 3), np.zeros(3, "V4")]
ARRAYS += [np.zeros(3, [("a", "f8"), ("b", "i4")])]
ARRAYS += [np.rec.array([(1, 2.0)]), np.array([1j, 2]), np.arange(4).astype("M8[D]")]
ARRAYS += [np.arange(4).astype("m8[s]")]
ARRAYS += [np.array(["NaT"], "M8[s]"), np.array([b"a"]), np.array(["a", "b"], np.dtypes.StringDType())]
ARRAYS += [np.eye(2)]
ARRAYS += [np.array([0, 1, 3], ">i4"), np.longdouble([0.25, 0.5]), np.float16([0, 0.5])]
ARRAYS += [np.array([True, False])]
ARRAYS += [np.eye(1, 2).view(np.matrix), np.broadcast_to(1.0, 4), np.array([[None]])]
ARRAYS += [np.array([[1, 2], [3, 4]], object)]
ARRAYS += [sparse.csr_array(np.eye(3)), sparse.coo_matrix([[1, 0]]), sparse.csc_array([[1j]])]
ARRAYS += [sparse.lil_array((2, 2))]
ARRAYS += [sparse.csr_array(np.array([[True]])), sparse.dok_array((2, 3)), sparse.coo_array(np.arange(3))]
ARRAYS += [sparse.dia_array(np.eye(2)), sparse.csr_array((0, 3))]

FRAMES = []
pandas = polars = pyarrow = None
if find_spec("pandas"):
    import pandas

    FRAMES += [pandas.Series(dtype=float), pandas.Series([1, 2, None], dtype="Int64"), pandas.NA]
    FRAMES += [pandas.NaT]
    FRAMES += [pandas.Series([1.0, 2], index=[0, 0]), pandas.Series([0, 0.5], dtype="Float64")]
    FRAMES += [pandas.Series(["a"])]
    FRAMES += [pandas.Series(["a", "b"], dtype="category"), pandas.Categorical(["a", None])]
    FRAMES += [pandas.Index([1, 2])]
    FRAMES += [pandas.DataFrame(), pandas.DataFrame({"a": [1, 2]})]
    FRAMES += [pandas.DataFrame({"a": [1], "b": ["x"]})]
    FRAMES += [pandas.DataFrame([[1, 2]], columns=["a", "a"])]
    FRAMES += [pandas.MultiIndex.from_tuples([(1, "a"), (1, "b")])]
    FRAMES += [pandas.Series([pandas.Interval(0, 1)]), pandas.period_range("2020", periods=2, freq="M")]
    FRAMES += [pandas.Timestamp("2020"), pandas.Timedelta(1), pandas.Series([[1], [2, 3]])]
    FRAMES += [pandas.Series([{1, 2}])]
    FRAMES += [pandas.arrays.SparseArray([0, 1]), pandas.Series([0.5, 0.25], index=["a", "b"])]
    FRAMES += [pandas.RangeIndex(3)]
    FRAMES += [pandas.DataFrame({"qid": [1, 1, 2], "a": [1, 2, 3]})]
    FRAMES += [pandas.DataFrame({"a": [1, 2]}).groupby("a")]
if find_spec("polars"):
    import polars

    FRAMES += [polars.Series([1, 2]), polars.Series([1, None]), polars.Series(["a"])]
    FRAMES += [polars.Series([[1], [2, 3]])]
    FRAMES += [polars.DataFrame({"a": [1, 2]}), polars.DataFrame(), polars.LazyFrame({"a": [1]})]
    FRAMES += [polars.col("a")]
    FRAMES += [polars.Series(["a", None], dtype=polars.Categorical)]
    FRAMES += [polars.Series([{"a": 1}]), polars.Series([Decimal(1)]), polars.Series([b"a"])]
    FRAMES += [polars.Float64]
if find_spec("pyarrow"):
    import pyarrow

    FRAMES += [pyarrow.array([1, 2]), pyarrow.array([1, None]), pyarrow.array(["a"])]
    FRAMES += [pyarrow.array([[1], [2, 3]])]
    FRAMES += [pyarrow.table({"a": [1, 2]}), pyarrow.chunked_array([[1], [2]]), pyarrow.scalar(1)]
    FRAMES += [pyarrow.nulls(2)]
    FRAMES += [pyarrow.array([{"a": 1}]), pyarrow.array([Decimal(1)])]
    FRAMES += [pyarrow.array(["a", "b"]).dictionary_encode()]

SCALARS = [*NUMBERS, *TEXTS, *DATES, None]
POOLS = [NUMBERS, TEXTS, NAMES, DATES, OBJECTS, OBJECTS, ARRAYS, FRAMES or ARRAYS]


def pick(random, pool):
    """Draw from a pool."""
    value = pool[int(random.random() * len(pool))]
    return value.make() if type(value) is Fresh else value


def anything(random):
    """Draw from all pools."""
    return pick(random, pick(random, POOLS))
