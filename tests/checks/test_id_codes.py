"""Codes of ids in any container, compared with numpy.unique on the plain list of ids."""

import datetime
from decimal import Decimal
from fractions import Fraction
from uuid import UUID

import numpy as np
import pytest

from sklearn_rank._checks.codes import encode_ids, rank_ids
from sklearn_rank._checks.groups import check_groups
from tests.helpers.ids import CONTAINERS

N_ROWS = 20_000  # several parts, and too many to be sorted


def draw_labels(kind, random):
    """Return different labels of a kind, in no order."""
    labels = LABELS[kind](random)
    random.shuffle(labels)
    return labels


def random_text(random, letters, n=80):
    return sorted({"".join(random.choice(letters, random.integers(1, 30))) for _ in range(n)})


LABELS = {
    "user-0001": lambda random: [f"user-{i:04d}" for i in range(300)],
    "of any length": lambda random: random_text(random, list("ab1")),
    "of any letter": lambda random: random_text(random, list("aé中\U0001f600~ \t")),
    "hexadecimal": lambda random: [random.bytes(16).hex() for _ in range(100)],
    "one": lambda random: ["q"],
    "a blank one": lambda random: ["b", "a", " "],
    "ending in a null": lambda random: ["a", "a\0", "a\0b", "b"],
}
TRIMMED = ["strings", "big-endian strings", "every second string", "numpy's strings in a list", "polars"]


@pytest.mark.parametrize("labels", LABELS)
@pytest.mark.parametrize("kind", CONTAINERS)
def test_text_ids_have_codes_of_sorted_labels_in_any_container(kind, labels):
    library, build = CONTAINERS[kind]
    if kind in TRIMMED and labels == "ending in a null":
        pytest.skip("numpy's fixed-width strings end at the last letter")
    random = np.random.default_rng(len(labels))
    labels = draw_labels(labels, random)
    text = [labels[code] for code in random.integers(0, len(labels), N_ROWS)]
    rank = {label: place for place, label in enumerate(sorted(set(text)))}
    ids = check_groups(build(pytest.importorskip(library), text), N_ROWS)
    np.testing.assert_array_equal(rank_ids(ids), [rank[label] for label in text])


MORE = [[], ["a\0", "a"], ["a\0b"], ["\0", "\0\0"], ["a" * 30], ["a" * 1000, " "], ["\U0001f600"], ["\udc80"]]


@pytest.mark.parametrize("more", MORE, ids=ascii)
def test_check_groups_sorts_thousands_of_texts_like_python(more):
    text = [*map(str, range(N_ROWS)), *more]
    np.random.default_rng(0).shuffle(text)
    rank = {label: place for place, label in enumerate(sorted(text))}
    np.testing.assert_array_equal(check_groups(text, len(text)), [rank[label] for label in text])


SPREAD = np.array([*range(40), 2**62, -(2**62)])
PLAIN = {
    "ints far apart": lambda codes: codes * 2**50,
    "int8": lambda codes: (codes - 100).astype(np.int8),
    "uint64": lambda codes: codes.astype(np.uint64) * np.uint64(2**57),
    "both ends of int64": lambda codes: SPREAD[codes % len(SPREAD)],
    "truth values": lambda codes: codes % 2 == 1,
    "floats": lambda codes: codes / 7,
    "zeros of both signs": lambda codes: np.where(codes % 2, 0.0, -0.0) * codes,
    "bytes": lambda codes: np.char.encode(codes.astype(str)),
    "bytes beyond ASCII": lambda codes: np.array([bytes([c % 200 + 50, c // 3]) for c in codes.tolist()]),
    "datetime64": lambda codes: np.datetime64("2020-01-01") + codes,
    "no letter at all": lambda codes: np.full(len(codes), ""),
}


@pytest.mark.parametrize("kind", PLAIN)
@pytest.mark.parametrize("n_rows", [0, 1, 2, 50, N_ROWS])
def test_rank_ids_of_arrays_equals_numpy_unique(kind, n_rows):
    ids = PLAIN[kind](np.random.default_rng(n_rows).integers(0, 110, n_rows))
    expected = np.unique(ids, return_inverse=True)[1]
    np.testing.assert_array_equal(rank_ids(ids), expected)
    codes, n_codes = encode_ids(ids)
    assert codes.max(initial=-1) < n_codes
    np.testing.assert_array_equal(rank_ids(codes), expected)


OBJECTS = {
    "ints": lambda code: code,
    "ints that no dtype holds": lambda code: 10**30 + code,
    "ints and floats": lambda code: float(code) if code % 3 else code // 2,
    "numpy's ints": np.int32,
    "ints of several widths": lambda code: (np.int8, np.uint64, int)[code % 3](code // 3),
    "floats of several precisions": lambda code: (np.float32, float)[code % 2]((code // 2) / 10),
    "ints and fractions": lambda code: Fraction(code // 2) if code % 2 else code // 2,
    "bytes": lambda code: b"%d\0" % code,
    "UUID": lambda code: UUID(int=code * 7919),
    "Decimal": lambda code: Decimal(code) / 8,
    "dates": lambda code: datetime.date(2020, 1, 1) + datetime.timedelta(code),
    "datetime64": lambda code: np.datetime64("2020-01-01") + code,
    "tuples": lambda code: (code // 9, f"q{code % 9}"),
    "tuples of several lengths": lambda code: tuple(range(code % 7)),
    "tuples of several types": lambda code: ((np.float32, float)[code % 2](code // 2 / 10), "a"),
    "tuples in tuples": lambda code: ((code // 9, code % 9), "a"),
    "lists in tuples": lambda code: (code // 9, [code % 9]),
}


@pytest.mark.parametrize("kind", OBJECTS)
def test_check_groups_of_objects_returns_codes_of_sorted_labels(kind):
    codes = np.random.default_rng(0).integers(0, 90, 500).tolist()
    ids = [OBJECTS[kind](code) for code in codes]
    exact = [as_exact(each) for each in ids]
    distinct = sorted(exact)
    distinct = [each for place, each in enumerate(distinct) if place == 0 or each != distinct[place - 1]]
    np.testing.assert_array_equal(check_groups(ids, len(ids)), [distinct.index(each) for each in exact])


def as_exact(label):
    """Return a label with Python's numbers in place of numpy's."""
    if isinstance(label, tuple):
        return tuple(map(as_exact, label))
    return label.item() if isinstance(label, np.number) else label


class Upper(str):
    """Text that compares without its case."""

    def __eq__(self, other):
        return self.lower() == other.lower()

    def __ne__(self, other):
        return not self == other

    def __lt__(self, other):
        return self.lower() < other.lower()

    __hash__ = str.__hash__


class Unhashed(Upper):
    __hash__ = None


@pytest.mark.parametrize("kind", [Upper, Unhashed])
def test_check_groups_compares_objects_by_equality_and_not_by_hash(kind):
    assert check_groups(list(map(kind, ["b", "A", "a", "B", "a"])), 5).tolist() == [1, 0, 0, 1, 0]


@pytest.mark.parametrize("ids", [[1, True], [Decimal(1), 1], [0, False, 2], ["a", b"a"]], ids=repr)
def test_check_groups_rejects_equal_ids_of_two_types(ids):
    with pytest.raises(ValueError, match="contain ids of one type"):
        check_groups(ids, len(ids))


@pytest.mark.parametrize("label", [1j, object(), {1: 2}, frozenset([1])], ids=type)
def test_check_groups_rejects_single_id_without_order(label):
    with pytest.raises(ValueError, match="contain ids of a sortable type"):
        check_groups([label] * 3, 3)


# ------------------------------------------------------------------ columns of codes


def test_check_groups_rejects_single_category_without_order():
    ids = pytest.importorskip("pandas").Categorical([object()] * 3)
    with pytest.raises(ValueError, match="contain ids of a sortable type"):
        check_groups(ids, 3)


def test_check_groups_ignores_unused_categories():
    pandas = pytest.importorskip("pandas")
    ids = pandas.Categorical(["b", "a"], categories=[1, "b", (2,), "a"])
    assert check_groups(ids, 2).tolist() == [1, 0]
    with pytest.raises(ValueError, match=r"contain ids of one type\. Got int and str"):
        check_groups(pandas.Categorical(["b", 1], categories=[1, "b"]), 2)


MISSING = {
    "pandas categorical": ("pandas", lambda pd: pd.Categorical(["a", None, "b"])),
    "pandas categorical of ints": ("pandas", lambda pd: pd.Series([1, None, 2], dtype="category")),
    "pandas default": ("pandas", lambda pd: pd.Series(["a", None, "b"])),
    "pandas string": ("pandas", lambda pd: pd.Series(["a", None, "b"], dtype="string")),
    "pandas index of two levels": (
        "pandas",
        lambda pd: pd.MultiIndex.from_arrays([["a", "b", "c"], [1.0, float("nan"), 2.0]]),
    ),
    "polars": ("polars", lambda pl: pl.Series(["a", None, "b"])),
    "polars categorical": ("polars", lambda pl: pl.Series(["a", None, "b"], dtype=pl.Categorical)),
    "pyarrow": ("pyarrow", lambda pa: pa.array(["a", None, "b"])),
    "pyarrow dictionary": ("pyarrow", lambda pa: pa.array(["a", None, "b"]).dictionary_encode()),
    "missing in the dictionary": (
        "pyarrow",
        lambda pa: pa.DictionaryArray.from_arrays(pa.array([0, 1, 2]), pa.array(["a", None, "b"])),
    ),
    "NaN in the dictionary": (
        "pyarrow",
        lambda pa: pa.DictionaryArray.from_arrays(pa.array([0, 1, 2]), pa.array([1, float("nan"), 2])),
    ),
}


@pytest.mark.parametrize("kind", MISSING)
def test_check_groups_rejects_missing_codes(kind):
    library, build = MISSING[kind]
    with pytest.raises(ValueError, match="'groups' parameter of check_groups must not contain missing ids"):
        check_groups(build(pytest.importorskip(library)), 3)


OF_TYPES = {
    "intervals": lambda pd, codes: pd.interval_range(0, 9),
    "periods": lambda pd, codes: pd.period_range("2020-01", periods=9, freq="M"),
    "dates": lambda pd, codes: pd.date_range("2020-01-01", periods=9),
    "dates of a zone": lambda pd, codes: pd.date_range("2020-01-01", periods=9, tz="Europe/Berlin"),
    "floats": lambda pd, codes: pd.Index([i / 7 for i in range(9)]),
    "truth values": lambda pd, codes: pd.Index([False, True]),
    "tuples": lambda pd, codes: pd.Index([(i // 3, str(i % 3)) for i in range(9)], tupleize_cols=False),
}


@pytest.mark.parametrize("kind", OF_TYPES)
def test_check_groups_keeps_label_order_of_categories(kind):
    pandas = pytest.importorskip("pandas")
    codes = np.random.default_rng(0).integers(0, 9, 50)
    labels = OF_TYPES[kind](pandas, codes)
    codes %= len(labels)
    backwards = pandas.Categorical.from_codes(len(labels) - 1 - codes, labels[::-1])
    np.testing.assert_array_equal(rank_ids(check_groups(backwards, 50)), rank_ids(codes))


@pytest.mark.parametrize("levels", [[[0, 1], "ab"], [[1, 0], "ba", [2.5, 0.5]]], ids=str)
def test_check_groups_of_multiindex_equals_codes_of_tuples(levels):
    pandas = pytest.importorskip("pandas")
    random = np.random.default_rng(0)
    index = pandas.MultiIndex(list(map(list, levels)), [random.integers(0, 2, 60) for _ in levels])
    tuples = index.tolist()
    expected = [sorted(set(tuples)).index(each) for each in tuples]
    np.testing.assert_array_equal(check_groups(index, 60), expected)
