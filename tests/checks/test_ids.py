"""Ids in any container: the codes are those of numpy.unique on the plain list of labels."""

import datetime
from decimal import Decimal
from fractions import Fraction
from uuid import UUID

import numpy as np
import pytest
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.linear_model import Ridge
from sklearn.model_selection import GroupKFold, GroupShuffleSplit

from sklearn_rank import (
    BalancedGroupKFold,
    GridSearchCV,
    catalog_coverage_score,
    check_folds,
    cross_val_score,
    mrr_score,
    ndcg_score,
    ndcg_scorer,
    unique_groups,
)
from sklearn_rank._checks.codes import encode_ids, holds_codes, rank_ids
from sklearn_rank._checks.containers import take
from sklearn_rank._checks.groups import check_groups
from tests.checks.test_groups import KINDS
from tests.helpers.forms import load
from tests.helpers.naming import name_of

N_ROWS = 6000  # more than are sorted sooner than packed


def draw_labels(kind, random):
    """Return different labels of a kind, in no order."""
    labels = LABELS[kind](random)
    random.shuffle(labels)
    return labels


def random_text(random, letters, n=80):
    return sorted({"".join(random.choice(letters, random.integers(0, 30))) for _ in range(n)})


LABELS = {
    "user-0001": lambda random: [f"user-{i:04d}" for i in range(300)],
    "of any length": lambda random: random_text(random, list("ab1")),
    "of any letter": lambda random: random_text(random, list("aé中\U0001f600~ \t")),
    "hexadecimal": lambda random: [random.bytes(16).hex() for _ in range(100)],
    "one": lambda random: ["q"],
    "an empty one": lambda random: ["", "a", " "],
    "ending in a null": lambda random: ["a", "a\0", "a\0b", "b"],
}

# From text to the same text in a container: kind -> (library, builder).
CONTAINERS = {
    "list": ("numpy", lambda np, text: text),
    "tuple": ("numpy", lambda np, text: tuple(text)),
    "objects": ("numpy", lambda np, text: np.array(text, dtype=object)),
    "strings": ("numpy", lambda np, text: np.array(text)),
    "big-endian strings": (
        "numpy",
        lambda np, text: (words := np.array(text)).astype(words.dtype.newbyteorder()),
    ),
    "every second string": ("numpy", lambda np, text: np.repeat(np.array(text), 2)[::2]),
    "strings of variable width": ("numpy", lambda np, text: np.array(text, np.dtypes.StringDType())),
    "numpy's strings in a list": ("numpy", lambda np, text: list(map(np.str_, text))),
    "pandas default": ("pandas", lambda pd, text: pd.Series(text, index=range(len(text), 0, -1))),
    "pandas object": ("pandas", lambda pd, text: pd.Series(text, dtype=object)),
    "pandas string": ("pandas", lambda pd, text: pd.Series(text, dtype="string")),
    "pandas string, python": ("pandas", lambda pd, text: pd.Series(text, dtype="string[python]")),
    "pandas array of strings": ("pandas", lambda pd, text: pd.array(text, dtype="string")),
    "pandas index": ("pandas", lambda pd, text: pd.Index(text)),
    "pandas categorical": ("pandas", lambda pd, text: pd.Categorical(text)),
    "pandas categorical series": ("pandas", lambda pd, text: pd.Series(text, dtype="category")),
    "pandas categorical index": ("pandas", lambda pd, text: pd.CategoricalIndex(text)),
    "ordered categories in another order": (
        "pandas",
        lambda pd, text: pd.Categorical(text, ["unused", *dict.fromkeys(text), "zzz"], ordered=True),
    ),
    "polars": ("polars", lambda pl, text: pl.Series(text)),
    "polars categorical": ("polars", lambda pl, text: pl.Series(text, dtype=pl.Categorical)),
    "polars enum": (
        "polars",
        lambda pl, text: pl.Series(text, dtype=pl.Enum(["unused", *dict.fromkeys(text), "zzz"])),
    ),
    "pyarrow": ("pyarrow", lambda pa, text: pa.array(text)),
    "pyarrow large": ("pyarrow", lambda pa, text: pa.array(text, pa.large_string())),
    "pyarrow views": ("pyarrow", lambda pa, text: pa.array(text, pa.string_view())),
    "pyarrow chunks": ("pyarrow", lambda pa, text: pa.chunked_array([text[:99], text[99:]], pa.string())),
    "pyarrow dictionary": ("pyarrow", lambda pa, text: pa.array(text).dictionary_encode()),
    "pyarrow dictionary in chunks": (
        "pyarrow",
        lambda pa, text: pa.chunked_array(
            [pa.array(part).dictionary_encode() for part in (text[:99], text[99:])]
        ),
    ),
    "a dictionary with repeats": (
        "pyarrow",
        lambda pa, text: pa.DictionaryArray.from_arrays(
            pa.array([2 * (row % len(text)) for row in range(len(text))], pa.int32()),
            pa.array([label for label in text for _ in range(2)]),
        ),
    ),
    "a dictionary of Arrow in pandas": (
        "pandas",
        lambda pd, text: pd.Series(
            (pa := pytest.importorskip("pyarrow")).array(text).dictionary_encode(),
            dtype=pd.ArrowDtype(pa.dictionary(pa.int32(), pa.string())),
        ),
    ),
}
TRIMMED = ["strings", "big-endian strings", "every second string", "numpy's strings in a list", "polars"]


@pytest.mark.parametrize("labels", LABELS)
@pytest.mark.parametrize("kind", CONTAINERS)
def test_text_in_any_container_has_the_codes_of_its_sorted_labels(kind, labels):
    library, build = CONTAINERS[kind]
    if kind in TRIMMED and labels == "ending in a null":
        pytest.skip("numpy's fixed-width strings end at the last letter")
    random = np.random.default_rng(len(labels))
    labels = draw_labels(labels, random)
    text = [labels[code] for code in random.integers(0, len(labels), N_ROWS)]
    rank = {label: place for place, label in enumerate(sorted(set(text)))}
    ids = check_groups(build(pytest.importorskip(library), text), N_ROWS, "f")
    np.testing.assert_array_equal(rank_ids(ids), [rank[label] for label in text])


@pytest.mark.parametrize("more", [[], ["a\0", "a"], ["a" * 1000, ""], ["\U0001f600"]], ids=repr)
def test_thousands_of_different_texts_are_sorted_as_python_sorts(more):
    text = [*map(str, range(N_ROWS)), *more]
    np.random.default_rng(0).shuffle(text)
    rank = {label: place for place, label in enumerate(sorted(text))}
    np.testing.assert_array_equal(check_groups(text, len(text), "f"), [rank[label] for label in text])


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
def test_arrays_have_the_codes_of_numpy(kind, n_rows):
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
def test_objects_have_the_codes_of_their_sorted_labels(kind):
    codes = np.random.default_rng(0).integers(0, 90, 500).tolist()
    ids = [OBJECTS[kind](code) for code in codes]
    exact = [as_exact(each) for each in ids]
    distinct = sorted(exact)
    distinct = [each for place, each in enumerate(distinct) if place == 0 or each != distinct[place - 1]]
    np.testing.assert_array_equal(check_groups(ids, len(ids), "f"), [distinct.index(each) for each in exact])


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
def test_objects_are_equal_as_they_say_and_not_as_their_hash_says(kind):
    assert check_groups(list(map(kind, ["b", "A", "a", "B", "a"])), 5, "f").tolist() == [1, 0, 0, 1, 0]


@pytest.mark.parametrize("ids", [[1, True], [Decimal(1), 1], [0, False, 2], ["a", b"a"]], ids=repr)
def test_ids_of_two_types_are_refused_although_they_are_equal(ids):
    with pytest.raises(ValueError, match="hold ids of one type"):
        check_groups(ids, len(ids), "f")


@pytest.mark.parametrize("label", [1j, object(), {1: 2}, frozenset([1])], ids=type)
def test_an_id_without_an_order_is_refused_although_it_is_the_only_one(label):
    with pytest.raises(ValueError, match="hold ids of a sortable type"):
        check_groups([label] * 3, 3, "f")


# ------------------------------------------------------------------ columns that hold codes


def test_a_single_category_without_an_order_is_refused():
    ids = pytest.importorskip("pandas").Categorical([object()] * 3)
    with pytest.raises(ValueError, match="hold ids of a sortable type"):
        check_groups(ids, 3, "f")


def test_categories_that_do_not_occur_may_be_of_any_type():
    pandas = pytest.importorskip("pandas")
    ids = pandas.Categorical(["b", "a"], categories=[1, "b", (2,), "a"])
    assert check_groups(ids, 2, "f").tolist() == [1, 0]
    with pytest.raises(ValueError, match=r"hold ids of one type\. Got int and str"):
        check_groups(pandas.Categorical(["b", 1], categories=[1, "b"]), 2, "f")


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
def test_a_missing_code_is_a_missing_id(kind):
    library, build = MISSING[kind]
    with pytest.raises(ValueError, match="'groups' parameter of f must not have missing ids"):
        check_groups(build(pytest.importorskip(library)), 3, "f")


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
def test_categories_of_any_type_keep_the_order_of_their_labels(kind):
    pandas = pytest.importorskip("pandas")
    codes = np.random.default_rng(0).integers(0, 9, 50)
    labels = OF_TYPES[kind](pandas, codes)
    codes %= len(labels)
    backwards = pandas.Categorical.from_codes(len(labels) - 1 - codes, labels[::-1])
    np.testing.assert_array_equal(rank_ids(check_groups(backwards, 50, "f")), rank_ids(codes))


@pytest.mark.parametrize("levels", [[[0, 1], "ab"], [[1, 0], "ba", [2.5, 0.5]]], ids=str)
def test_an_index_of_levels_has_the_codes_of_its_tuples(levels):
    pandas = pytest.importorskip("pandas")
    random = np.random.default_rng(0)
    index = pandas.MultiIndex(list(map(list, levels)), [random.integers(0, 2, 60) for _ in levels])
    tuples = index.tolist()
    expected = [sorted(set(tuples)).index(each) for each in tuples]
    np.testing.assert_array_equal(check_groups(index, 60, "f"), expected)


# ------------------------------------------------------------------ where ids go


@pytest.fixture(scope="module")
def rows():
    """Features, labels and ids as text, in no order."""
    random = np.random.default_rng(0)
    codes = random.integers(0, 40, 400)
    X = random.standard_normal((400, 3))
    text = np.array([f"q{(code * 7) % 40}" for code in codes])
    return X, (X[:, 0] + random.standard_normal(400) > 0).astype(int), text.tolist()


@pytest.mark.parametrize("kind", CONTAINERS)
def test_values_and_folds_do_not_depend_on_the_container(kind, rows):
    library, build = CONTAINERS[kind]
    X, y, text = rows
    ids = build(pytest.importorskip(library), text)
    expected = mrr_score(y, X[:, 1], groups=np.array(text), average=None)
    np.testing.assert_array_equal(mrr_score(y, X[:, 1], groups=ids, average=None), expected)
    folds = list(BalancedGroupKFold(4).split(X, y, text))
    for (_, test), (_, same) in zip(folds, BalancedGroupKFold(4).split(X, y, ids), strict=True):
        np.testing.assert_array_equal(test, same)
    for (_, test), (_, same) in zip(folds, check_folds(BalancedGroupKFold(4), X, y, groups=ids), strict=True):
        np.testing.assert_array_equal(test, same)


@pytest.mark.parametrize("cv", [None, GroupKFold(3), GroupShuffleSplit(2, random_state=0)], ids=str)
@pytest.mark.parametrize("kind", CONTAINERS)
def test_cross_validation_takes_ids_of_any_container(kind, cv, rows):
    library, build = CONTAINERS[kind]
    X, y, text = rows
    options = {"cv": cv, "scoring": ndcg_scorer(k=5), "error_score": "raise"}
    ids = build(load(library), text)
    got = cross_val_score(Ridge(), X, y, groups=ids, **options)
    np.testing.assert_array_equal(got, cross_val_score(Ridge(), X, y, groups=text, **options))


def test_cross_validation_takes_an_index_of_several_levels(rows):
    pandas = pytest.importorskip("pandas")
    X, y, text = rows
    index = pandas.MultiIndex.from_arrays([text, [len(word) for word in text]])
    got = cross_val_score(Ridge(), X, y, groups=index, scoring="ndcg@5")
    np.testing.assert_array_equal(got, cross_val_score(Ridge(), X, y, groups=list(index), scoring="ndcg@5"))


class WantsCodes(RegressorMixin, BaseEstimator):
    """A model whose ids are still held as codes, or as text that Arrow holds."""

    def fit(self, X, y, groups=None):
        assert holds_codes(groups)
        self.is_fitted_ = True
        return self

    def predict(self, X):
        return np.asarray(X["x0"])


def score_by_hand(X, y, text):
    """Return what a model that predicts the first feature scores in each fold."""
    folds = [test for _, test in OPTIONS["cv"].split(X, y, text)]
    return [ndcg_score(y[test], X[test, 0], groups=np.array(text)[test], k=5) for test in folds]


CODED = {
    "pandas categorical": ("pandas", lambda pd, text: pd.Series(text, dtype="category")),
    "pandas string": ("pandas", lambda pd, text: pd.Series(text, dtype="string[pyarrow]")),
    "polars categorical": ("polars", lambda pl, text: pl.Series(text, dtype=pl.Categorical)),
    "polars enum": ("polars", lambda pl, text: pl.Series(text, dtype=pl.Enum(sorted(set(text))))),
}
OPTIONS = {"cv": BalancedGroupKFold(3), "scoring": ndcg_scorer(k=5), "error_score": "raise"}


@pytest.mark.parametrize("n_jobs", [1, 2])
@pytest.mark.parametrize("named", [True, False])
@pytest.mark.parametrize("kind", CODED)
def test_ids_in_a_column_keep_their_form(kind, named, n_jobs, rows):
    library, build = CODED[kind]
    pytest.importorskip("pyarrow")
    X, y, text = rows
    module = load(library)
    ids = build(module, text)
    frame = module.DataFrame({"x0": X[:, 0], "qid": ids})
    got = cross_val_score(WantsCodes(), frame, y, groups="qid" if named else ids, n_jobs=n_jobs, **OPTIONS)
    np.testing.assert_array_equal(got, score_by_hand(X, y, text))


@pytest.mark.parametrize("labels", ["X", "y", "groups"])
@pytest.mark.parametrize("levels", [1, 2])
def test_categories_in_an_index_keep_their_form(labels, levels, rows):
    pandas = pytest.importorskip("pandas")
    X, y, text = rows
    ids = pandas.CategoricalIndex(text, categories=sorted(set(text), reverse=True), name="qid")
    places = pandas.Index(np.arange(len(y))[::-1], name="place")
    index = ids if levels == 1 else pandas.MultiIndex.from_arrays([ids, places])
    frame = pandas.DataFrame({"x0": X[:, 0]}, index=index if labels == "X" else places)
    grades = pandas.Series(y, index=frame.index if labels != "y" else index)
    got = cross_val_score(WantsCodes(), frame, grades, groups=ids if labels == "groups" else "qid", **OPTIONS)
    np.testing.assert_array_equal(got, score_by_hand(X, y, text))


def test_a_search_takes_categories_of_an_index():
    pandas = pytest.importorskip("pandas")
    random = np.random.default_rng(0)
    text = [f"q{code}" for code in random.integers(0, 30, 300)]
    X = pandas.DataFrame({"x0": random.standard_normal(300)}, index=pandas.CategoricalIndex(text, name="qid"))
    y = pandas.Series(random.integers(0, 3, 300), index=X.index)
    options = {"scoring": ndcg_scorer(k=5), "cv": BalancedGroupKFold(3), "n_jobs": 2}
    got = GridSearchCV(Ridge(), {"alpha": [0.1, 10]}, **options).fit(X, y, groups="qid")
    same = GridSearchCV(Ridge(), {"alpha": [0.1, 10]}, **options).fit(X, y, groups=np.array(text))
    np.testing.assert_array_equal(got.cv_results_["mean_test_score"], same.cv_results_["mean_test_score"])
    assert got.score(X, y, groups="qid") == same.score(X, y, groups=text)


# ------------------------------------------------------------------ the ids in the order of average=None


@pytest.mark.parametrize("kind", KINDS)
def test_unique_groups_are_the_ids_in_the_order_of_the_values(kind, queries):
    library, build = KINDS[kind]
    y_true, y_score, names = queries
    codes = rank_ids(names)
    ids = build(pytest.importorskip(library), codes)
    found = unique_groups(ids)
    values = mrr_score(y_true, y_score, groups=ids, average=None)
    assert found.shape == values.shape
    by_id = dict(zip(found, values))
    given = list(np.asarray(ids) if hasattr(ids, "__array__") else ids)
    for code, each in zip(codes[:200].tolist(), given):
        assert by_id[each] == values[code]


@pytest.mark.parametrize(
    ("ids", "dtype", "expected"),
    [
        ([3, 1, 3], "int64", [1, 3]),
        ([2**63, 2**63 + 1, -1], "O", [-1, 2**63, 2**63 + 1]),
        ([0.5, 0.25, 0.5], "float64", [0.25, 0.5]),
        ([True, False], "bool", [False, True]),
        ([1, 0.5], "O", [0.5, 1]),
        (["b", "a", "b"], "<U1", ["a", "b"]),
        (["b", "a\0"], "O", ["a\0", "b"]),
        ([b"b\0", b"a"], "O", [b"a", b"b\0"]),
        ([("b", 1), ("a", 2)], "O", [("a", 2), ("b", 1)]),
        ([np.int16(2), np.int16(1)], "int16", [1, 2]),
        (np.array([2, 1], dtype=np.uint8), "uint8", [1, 2]),
        (
            np.array(["2020-02", "2020-01"], "M8[M]"),
            "M8[M]",
            [datetime.date(2020, 1, 1), datetime.date(2020, 2, 1)],
        ),
        (
            [np.datetime64("2020-02"), np.datetime64("2020-01")],
            "M8[M]",
            [datetime.date(2020, 1, 1), datetime.date(2020, 2, 1)],
        ),
        ([], "int64", []),
    ],
    ids=repr,
)
def test_unique_groups_keep_the_type_of_the_ids(ids, dtype, expected):
    found = unique_groups(ids)
    assert found.dtype == dtype
    assert found.tolist() == expected


def test_unique_groups_of_a_column_whose_rows_arrow_cannot_take():
    pyarrow = pytest.importorskip("pyarrow")
    ids = pyarrow.array(["b", "a", "b"]).cast(pyarrow.string_view())
    assert unique_groups(ids).tolist() == ["a", "b"]
    assert catalog_coverage_score(ids, [3, 2, 1], groups=[1, 1, 2], k=1) == 0.5  # "b" stands first in both
    with pytest.raises(NotImplementedError):  # of a table, which no array is
        take(pyarrow.table({"id": ids}), np.arange(2))


@pytest.mark.parametrize("ids", [[["b"], ["a"], ["b"]], np.array([["b"], ["a"], ["b"]])], ids=repr)
def test_unique_groups_of_a_column_are_flat(ids):
    assert unique_groups(ids).tolist() == ["a", "b"]


def test_unique_groups_of_a_categorical_are_its_labels_in_their_own_order():
    pandas = pytest.importorskip("pandas")
    ids = pandas.Categorical(["low", "high", "low"], categories=["low", "mid", "high"], ordered=True)
    assert unique_groups(ids).tolist() == ["high", "low"]


class NegativeLength:
    def __len__(self):
        return -1


@pytest.mark.parametrize(
    "ids",
    [None, "qid", 5, NegativeLength(), [[1, 1], [2, 2]], [1, "1"], [1, None], np.zeros((2, 2))],
    ids=name_of,
)
def test_unique_groups_refuse_what_a_metric_refuses(ids):
    with pytest.raises(ValueError, match="'groups' parameter of mrr_score") as expected:
        mrr_score([1, 0], [2, 1], groups=ids)
    with pytest.raises(ValueError, match="'groups' parameter of unique_groups") as error:
        unique_groups(ids)
    if ids is not None:
        assert str(error.value) == str(expected.value).replace("mrr_score", "unique_groups")
