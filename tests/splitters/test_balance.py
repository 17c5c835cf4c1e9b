"""Balance of whole queries over folds, compared with GroupKFold and StratifiedGroupKFold."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.model_selection import GroupKFold, StratifiedGroupKFold

from sklearn_rank import BalancedGroupKFold, RepeatedBalancedGroupKFold, train_test_split

N_DRAWS, N_QUERIES = 67, 60  # draws of each distribution, 201 in all
OURS = {
    "sorted": lambda seed: BalancedGroupKFold(),
    "shuffled": lambda seed: BalancedGroupKFold(shuffle=True, random_state=seed),
    "repeated": lambda seed: RepeatedBalancedGroupKFold(n_repeats=1, random_state=seed),
}
ALL = OURS | {"rows": lambda seed: GroupKFold(), "labels": lambda seed: StratifiedGroupKFold()}
EACH = pytest.mark.parametrize("name", OURS)


def draw(seed, alpha, n_queries=N_QUERIES):
    """Return labels and ids: Pareto sizes, and a share of relevant documents that differs between queries."""
    rng = np.random.default_rng(seed)
    sizes = np.minimum(5 * rng.pareto(alpha, n_queries) + 1, 2000).astype(int)
    groups = np.repeat(np.arange(n_queries), sizes)
    return (rng.random(len(groups)) < rng.beta(1, 3, n_queries)[groups]).astype(int), groups


def totals(cv, y, groups):
    """Return rows and relevant documents of each test."""
    tests = [test for _, test in cv.split(np.zeros(len(y)), y, groups)]
    return np.array([[len(test), y[test].sum()] for test in tests])


@pytest.fixture(scope="module", params=[1.0, 1.5, 2.5], ids="Pareto {}".format)
def spreads(request):
    """Spread between the folds' rows and relevant documents, relative to their means, for each draw."""
    found = {name: [] for name in ALL}
    for seed in range(N_DRAWS):
        y, groups = draw(seed, request.param)
        for name, make in ALL.items():
            dealt = totals(make(seed), y, groups)
            found[name].append(np.ptp(dealt, axis=0) / dealt.mean(axis=0))
    return {name: np.array(values).T for name, values in found.items()}


# ------------------------------------------------------------------ over many draws


@pytest.mark.slow
@EACH
def test_rows_are_as_even_as_with_group_k_fold(name, spreads):
    assert spreads[name][0].mean() <= 1.05 * spreads["rows"][0].mean()


@pytest.mark.slow
@EACH
def test_relevant_documents_are_as_even_as_with_stratified_folds(name, spreads):
    # StratifiedGroupKFold has less even rows: it balances labels at their cost if one query has half of all.
    assert spreads[name][1].mean() <= 1.1 * spreads["labels"][1].mean()
    assert spreads[name][0].mean() < 0.95 * spreads["labels"][0].mean()


@pytest.mark.slow
@EACH
def test_relevant_documents_are_more_even_than_with_group_k_fold(name, spreads):
    assert spreads[name][1].mean() < 0.8 * spreads["rows"][1].mean()


@pytest.mark.slow
def test_rows_are_never_less_even_than_with_group_k_fold(spreads):
    assert (spreads["sorted"][0] <= spreads["rows"][0]).all()


@pytest.mark.slow
@EACH
def test_relevant_documents_are_more_even_than_with_stratified_folds(name):
    theirs, ours = [], []
    for seed in range(20):
        y, groups = draw(seed, 4.0, 200)
        theirs.append(np.ptp(totals(StratifiedGroupKFold(), y, groups)[:, 1]))
        ours.append(np.ptp(totals(OURS[name](seed), y, groups)[:, 1]))
    assert np.mean(ours) < 0.5 * np.mean(theirs)


# ------------------------------------------------------------------ one query that dominates


@EACH
def test_dominating_query_has_its_own_fold(name):
    groups = np.repeat(np.arange(51), [600] + [8] * 50)
    dealt = totals(OURS[name](0), groups % 2, groups)[:, 0]
    assert sorted(dealt) == [96, 96, 104, 104, 600]


def test_train_test_split_trains_on_a_dominating_query():
    groups = np.repeat(np.arange(51), [600] + [8] * 50)
    for seed in range(50):
        train, _ = train_test_split(groups, groups=groups, random_state=seed)
        assert 0 in train


# ------------------------------------------------------------------ small examples


@EACH
def test_relevant_documents_are_balanced_if_sizes_are_equal(name):
    # Eight queries of four rows, with 4, 4, 3, 3, 1, 1, 0 and 0 relevant ones: two folds of eight each.
    groups = np.repeat(np.arange(8), 4)
    y = np.tile(np.arange(4), 8) < np.repeat([4, 4, 3, 3, 1, 1, 0, 0], 4)
    cv = OURS[name](0)
    cv.n_splits = 2
    assert totals(cv, y, groups).tolist() == [[16, 8], [16, 8]]


@EACH
def test_numbers_of_queries_are_balanced_after_rows(name):
    # Six rows in both folds can be 3 + 3 and 2 + 2 + 1 + 1, or 3 + 2 + 1 twice, which balances queries.
    groups = np.repeat(np.arange(6), [3, 3, 2, 2, 1, 1])
    cv = OURS[name](0)
    cv.n_splits = 2
    tests = [groups[test] for _, test in cv.split(groups, None, groups)]
    assert [len(test) for test in tests] == [6, 6]
    assert [len(np.unique(test)) for test in tests] == [3, 3]


# ------------------------------------------------------------------ different folds for different seeds


def test_repeats_differ_for_queries_of_distinct_sizes():
    groups = np.repeat(np.arange(40), np.arange(1, 41))
    cv = RepeatedBalancedGroupKFold(4, n_repeats=50, random_state=0)
    tests = [frozenset(groups[test].tolist()) for _, test in cv.split(groups, None, groups)]
    assert len(set(tests)) == 200
    together = np.zeros((40, 40))
    for test in tests:
        members = sorted(test)
        together[np.ix_(members, members)] += 1
    # In random folds, two queries are together in 9 / 39 of 50 repeats: 11.5, with a standard deviation of 3.
    assert (together[~np.eye(40, dtype=bool)] < 30).all()
    assert {len(test) for _, test in cv.split(groups, None, groups)} == {205}


# ------------------------------------------------------------------ any ids


@pytest.mark.slow
@settings(max_examples=100, deadline=None, derandomize=True)
@given(st.lists(st.tuples(st.integers(0, 12), st.booleans()), min_size=10, max_size=80), st.integers(2, 4))
def test_folds_are_never_larger_than_with_group_k_fold(rows, n_splits):
    groups, y = map(np.array, zip(*rows))
    if len(np.unique(groups)) < n_splits:
        return
    theirs = totals(GroupKFold(n_splits), y, groups)[:, 0]
    ours = totals(BalancedGroupKFold(n_splits), y, groups)[:, 0]
    assert ours.max() <= theirs.max() and ours.min() >= theirs.min()


@pytest.mark.slow
@settings(max_examples=60, deadline=None, derandomize=True)
@given(
    st.lists(st.tuples(st.integers(0, 12), st.booleans()), min_size=10, max_size=60),
    st.permutations(range(60)),
)
def test_folds_do_not_depend_on_the_order_of_rows(rows, order):
    groups, y = map(np.array, zip(*rows))
    order = np.array([row for row in order if row < len(y)])
    if len(np.unique(groups)) < 3:
        return
    for cv in (BalancedGroupKFold(3), RepeatedBalancedGroupKFold(3, n_repeats=2, random_state=0)):
        mixed = cv.split(order, y[order], groups[order])
        for (_, test), (_, mixed_test) in zip(cv.split(y, y, groups), mixed):
            assert sorted(order[mixed_test]) == test.tolist()
