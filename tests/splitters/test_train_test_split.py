"""`train_test_split`: one split into two sets of whole queries."""

from collections import deque

import numpy as np
import pytest
import sklearn.model_selection as theirs
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from sklearn_rank import train_test_split
from sklearn_rank.datasets import make_ranking

SIZES = [None, 1, 2, 7, 0.1, 0.25, 0.3, 0.5, 0.75, 0.9, np.int64(3)]


@pytest.fixture(scope="module")
def skewed():
    """Labels and ids of 60 queries of Pareto sizes, rows shuffled."""
    rng = np.random.default_rng(0)
    groups = np.repeat(rng.permutation(60), np.minimum(5 * rng.pareto(1.5, 60) + 1, 500).astype(int))
    y = (rng.random(len(groups)) < rng.beta(1, 3, 60)[groups]).astype(int)
    order = rng.permutation(len(groups))
    return y[order], groups[order]


def sides(groups, *others, **options):
    """Return the rows of both sides."""
    return train_test_split(np.arange(len(groups)), *others, groups=groups, **options)[:2]


# ------------------------------------------------------------------ whole queries, of the requested number


@settings(max_examples=60, deadline=None, derandomize=True)
@given(
    st.lists(st.integers(-3, 9), min_size=2, max_size=50).filter(lambda ids: len(set(ids)) > 1),
    st.booleans(),
    st.integers(0, 9),
)
def test_train_test_split_keeps_queries_whole(groups, shuffle, seed):
    groups = np.array(groups)
    options = {"random_state": seed} if shuffle else {"shuffle": False}
    train, test = sides(groups, test_size=0.5, **options)
    assert sorted([*train, *test]) == list(range(len(groups)))
    assert not set(groups[train]) & set(groups[test])
    assert (np.diff(train) > 0).all() and (np.diff(test) > 0).all()


@pytest.mark.parametrize("shuffle", [True, False])
@pytest.mark.parametrize("train_size", SIZES, ids=repr)
@pytest.mark.parametrize("test_size", SIZES, ids=repr)
@pytest.mark.parametrize("n_queries", [2, 11])
def test_train_test_split_sizes_equal_scikit_learns_for_rows(n_queries, test_size, train_size, shuffle):
    sizes = {"test_size": test_size, "train_size": train_size, "shuffle": shuffle}
    ids = np.arange(n_queries)
    try:
        expected = [len(side) for side in theirs.train_test_split(ids, **sizes)]
    except ValueError:
        with pytest.raises(ValueError, match=r"'(test|train)_size' parameter of train_test_split must"):
            train_test_split(ids, groups=ids, **sizes)
        return
    groups = ids.repeat(3)
    assert [len(set(side)) for side in train_test_split(groups, groups=groups, **sizes)] == expected


def test_train_test_split_test_size_defaults_to_a_quarter():
    groups = np.arange(40).repeat(2)
    assert [len(side) for side in train_test_split(groups, groups=groups)] == [60, 20]


# ------------------------------------------------------------------ choice of queries


def test_train_test_split_balances_rows_and_relevant_documents(skewed):
    y, groups = skewed
    for seed in range(50):
        _, test = sides(groups, y, test_size=0.2, random_state=seed)
        assert abs(len(test) - 0.2 * len(y)) <= 0.5 * len(y) / 60
        assert abs(y[test].sum() - 0.2 * y.sum()) <= 0.5 * y.sum() / 60 + 1


def test_train_test_split_balances_by_stratify_or_the_second_array(skewed):
    y, groups = skewed
    options = {"groups": groups, "random_state": 0}
    by_second = train_test_split(groups, y, **options)[1]
    by_stratify = train_test_split(groups, stratify=y, **options)[1]
    np.testing.assert_array_equal(by_second, by_stratify)
    other = train_test_split(groups, y, stratify=1 - y, **options)[1]
    assert by_second.tolist() != other.tolist()


def test_train_test_split_balances_rows_only_without_labels(skewed):
    _, groups = skewed
    expected = sides(groups, random_state=0)[1]
    for other in (np.eye(len(groups), 2), [f"q{i}" for i in groups]):
        np.testing.assert_array_equal(sides(groups, other, random_state=0)[1], expected)


def test_train_test_split_does_not_depend_on_the_order_of_rows(skewed):
    y, groups = skewed
    order = np.random.default_rng(1).permutation(len(y))
    for seed in range(5):
        _, test = train_test_split(groups, y, groups=groups, random_state=seed)[:2]
        mixed = train_test_split(groups[order], y[order], groups=groups[order], random_state=seed)[1]
        assert set(test) == set(mixed)


def test_train_test_split_repeats_with_an_int_but_not_a_generator(skewed):
    _, groups = skewed
    tests = [tuple(sides(groups, random_state=seed)[1]) for seed in (0, 0, np.random.RandomState(0), 1)]
    assert tests[0] == tests[1] == tests[2] != tests[3]
    rng = np.random.RandomState(0)
    assert sides(groups, random_state=rng)[1].tolist() != sides(groups, random_state=rng)[1].tolist()


def test_train_test_split_draws_every_query_with_similar_frequency(skewed):
    groups = np.repeat(np.arange(40), np.arange(1, 41))
    drawn = np.zeros(40)
    for seed in range(200):
        drawn[np.unique(train_test_split(groups, groups=groups, random_state=seed)[1])] += 1
    # Each query is drawn in a quarter of 200 splits: 50, within five standard errors of 6.1.
    assert drawn.min() > 20 and drawn.max() < 80


def test_train_test_split_can_leave_queries_out_of_both_sets(skewed):
    y, groups = skewed
    train, test = train_test_split(groups, y, groups=groups, train_size=20, test_size=10, random_state=0)[:2]
    assert (len(set(train)), len(set(test)), set(train) & set(test)) == (20, 10, set())
    assert abs(len(test) / len(y) - 10 / 60) < 0.02
    assert abs(len(train) / len(y) - 20 / 60) < 0.02


def test_train_test_split_takes_first_queries_without_shuffling():
    groups = ["c", "a", "c", "b", "d", "a", "b"]
    options = {"groups": groups, "shuffle": False}
    assert train_test_split(groups, test_size=2, **options) == [["c", "a", "c", "a"], ["b", "d", "b"]]
    assert train_test_split(groups, train_size=1, test_size=1, **options) == [["c", "c"], ["a", "a"]]


# ------------------------------------------------------------------ types of arrays


def test_train_test_split_returns_ids_given_among_the_arrays():
    X, y, qid = make_ranking(n_queries=20, shuffle=True, random_state=0)
    assert len(train_test_split(X, y, groups=qid)) == 4
    found = train_test_split(X, y, qid, groups=qid, random_state=0)
    train, test = sides(qid, y, random_state=0)
    for whole, one, other in zip((X, y, qid), found[::2], found[1::2]):
        np.testing.assert_array_equal(one, whole[train])
        np.testing.assert_array_equal(other, whole[test])


KINDS = {
    "list": (lambda v: v.tolist(), list),
    "sequence": (lambda v: deque(v), list),
    "rows of several lengths": (lambda v: [[n] * n for n in v], list),
    "array": (lambda v: v, np.ndarray),
    "sparse": (lambda v: sparse.csr_array(v[:, None]), sparse.csr_array),
    "pandas": (lambda v: pytest.importorskip("pandas").DataFrame({"a": v}), "DataFrame"),
    "series": (lambda v: pytest.importorskip("pandas").Series(v), "Series"),
    "polars": (lambda v: pytest.importorskip("polars").DataFrame({"a": v}), "DataFrame"),
    "pyarrow": (lambda v: pytest.importorskip("pyarrow").table({"a": v}), "Table"),
}


@pytest.mark.parametrize("kind", KINDS)
def test_train_test_split_keeps_the_type_of_its_input(kind):
    make, kept = KINDS[kind]
    groups = np.array([3, 1, 2, 1, 3, 2])
    found = train_test_split(make(groups), groups=groups, test_size=1, random_state=0)
    plain = train_test_split(groups, groups=groups, test_size=1, random_state=0)
    for side, expected in zip(found, plain):
        assert isinstance(side, kept) if isinstance(kept, type) else type(side).__name__ == kept
        held = side.toarray() if kind == "sparse" else side["a"] if kind in ("polars", "pyarrow") else side
        held = list(map(len, side)) if kind.startswith("rows") else held
        np.testing.assert_array_equal(np.ravel(held), expected)


def test_train_test_split_keeps_the_index_of_frames():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"a": range(4)}, index=[9, 8, 7, 6])
    train, test = train_test_split(frame, groups=[1, 1, 2, 2], shuffle=False, test_size=1)
    assert (train.index.tolist(), test.index.tolist()) == ([9, 8], [7, 6])


def test_train_test_split_reads_ids_by_name(data_with_ids, ranking_data):
    _, X, y = data_with_ids
    _, _, groups = ranking_data
    got = train_test_split(X, y, np.arange(len(y)), groups="qid", random_state=0)
    expected = train_test_split(X, y, np.arange(len(y)), groups=groups, random_state=0)
    assert [rows.tolist() for rows in got[4:]] == [rows.tolist() for rows in expected[4:]]


# ------------------------------------------------------------------ errors


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"groups": None}, "'groups' .* must contain the query id of each row. .* Pass groups=qid"),
        ({"groups": [0, 0, 0, 0]}, "'groups' .* must contain at least two queries. Got 1"),
        ({"groups": [0, 1]}, r"'groups' .* must have one id per row \(4 rows\)"),
        ({"groups": "qid"}, "'groups' .* must name an index level of X or y, or a column of X"),
        *[({"test_size": size}, "'test_size' .* must be a float") for size in (0, 1.0, 0.0, -1, 4, 1.5, "2")],
        *[({"train_size": size}, "'train_size' .* must be a float") for size in (True, 4, [1], np.nan)],
        ({"test_size": 0.99}, "'test_size' .* must define two non-empty sets"),
        ({"train_size": 0.1, "test_size": 1}, "'test_size' .* must define two non-empty sets"),
        (
            {"train_size": 3, "test_size": 2},
            "'test_size' .* at most 4 queries in total. Got 3 training",
        ),
        ({"random_state": "seed"}, "'random_state' .* must be None, an int"),
        ({"random_state": 0, "shuffle": False}, "'random_state' .* must be None if shuffle=False"),
        ({"shuffle": "yes"}, "'shuffle' .* must be True or False"),
        ({"stratify": [1, 0]}, r"'stratify' .* must contain a number for each row.*shape \(4,\)"),
        ({"stratify": list("abcd")}, "'stratify' .* must contain a number for each row"),
        ({"stratify": [1, 0, 1, 0], "shuffle": False}, "'stratify' .* must be None if shuffle=False"),
    ],
    ids=repr,
)
def test_train_test_split_rejects_bad_options_by_name(options, message):
    given = {"groups": [0, 1, 2, 3]} | options
    with pytest.raises(ValueError, match=message):
        train_test_split(np.zeros((4, 1)), **given)


@pytest.mark.parametrize(
    ("arrays", "message"),
    [
        ([], "'arrays' parameter of train_test_split must be at least one array"),
        ([[1, 2, 3, 4], [1, 2]], "'arrays' .* as many rows as the first array \\(4 rows\\). Got 2 rows"),
        ([[1, 2, 3, 4], None], "'arrays' .* must have rows. Got None"),
        (["abcd"], "'arrays' .* must have rows. Got a str"),
    ],
    ids=repr,
)
def test_train_test_split_rejects_missing_and_mismatched_arrays(arrays, message):
    with pytest.raises(ValueError, match=message):
        train_test_split(*arrays, groups=[0, 1, 2, 3])


def test_train_test_split_keeps_arrow_columns():
    pyarrow = pytest.importorskip("pyarrow")
    table = pyarrow.table({"a": [1.0, 2, 3, 4], "y": [1, 0, 1, 0], "q": [1, 1, 2, 2]})
    parts = train_test_split(table.select(["a"]), table["y"], table["q"], groups=table["q"], random_state=0)
    assert [type(part) for part in parts[2:]] == [pyarrow.ChunkedArray] * 4
    assert sorted(parts[4].to_pylist() + parts[5].to_pylist()) == [1, 1, 2, 2]
