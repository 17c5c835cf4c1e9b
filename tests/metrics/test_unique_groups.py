"""Query ids in the order of `average=None`, in their own type."""

import datetime

import numpy as np
import pytest

from sklearn_rank import catalog_coverage_score, mrr_score, unique_groups
from sklearn_rank._checks.codes import rank_ids
from sklearn_rank._checks.containers import take
from tests.helpers.ids import KINDS
from tests.helpers.naming import name_of


@pytest.mark.parametrize("kind", KINDS)
def test_unique_groups_are_ids_in_order_of_values(kind, queries):
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


def test_unique_groups_accept_arrow_string_view():
    pyarrow = pytest.importorskip("pyarrow")
    ids = pyarrow.array(["b", "a", "b"]).cast(pyarrow.string_view())
    assert unique_groups(ids).tolist() == ["a", "b"]
    assert catalog_coverage_score(ids, [3, 2, 1], groups=[1, 1, 2], k=1) == 0.5  # "b" is first in both
    with pytest.raises(NotImplementedError):  # tables are not supported
        take(pyarrow.table({"id": ids}), np.arange(2))


@pytest.mark.parametrize("ids", [[["b"], ["a"], ["b"]], np.array([["b"], ["a"], ["b"]])], ids=repr)
def test_unique_groups_of_column_are_flat(ids):
    assert unique_groups(ids).tolist() == ["a", "b"]


def test_unique_groups_of_categorical_are_sorted_labels():
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
def test_unique_groups_reject_ids_that_metrics_reject(ids):
    with pytest.raises(ValueError, match="'groups' parameter of mrr_score") as expected:
        mrr_score([1, 0], [2, 1], groups=ids)
    with pytest.raises(ValueError, match="'groups' parameter of unique_groups") as error:
        unique_groups(ids)
    if ids is not None:
        assert str(error.value) == str(expected.value).replace("mrr_score", "unique_groups")
