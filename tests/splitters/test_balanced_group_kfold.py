"""`BalancedGroupKFold`: whole queries in balanced folds."""

import numpy as np
import pytest
from sklearn.linear_model import Ridge
from sklearn.model_selection import cross_val_score

from sklearn_rank import BalancedGroupKFold, ndcg_score, ndcg_scorer
from sklearn_rank.datasets import make_ranking

SHUFFLE = pytest.mark.parametrize(
    "options", [{}, {"shuffle": True, "random_state": 0}], ids=["sorted", "shuffled"]
)
LABELS = {
    "grades": lambda y: y,
    "floats": lambda y: y / 7,
    "list": np.ndarray.tolist,
    "bools": lambda y: y > 0,
    "none": lambda y: None,
    "strings": lambda y: np.array(list("abcde"))[y],
    "two columns": lambda y: np.column_stack([y, y]),
}


def deal(groups, y=None, *, n_splits=5, **options):
    """Return the fold that each row is tested in; every row must be in just one."""
    folds = np.full(len(groups), -1)
    for fold, (_, test) in enumerate(BalancedGroupKFold(n_splits, **options).split(groups, y, groups)):
        assert (folds[test] == -1).all()
        folds[test] = fold
    return folds


def spread(folds, weights=None):
    """Return how far apart the totals of two folds are."""
    return np.ptp(np.bincount(folds, weights))


@pytest.fixture(params=["even", "skewed", "more folds than fit", "one giant"])
def data(request):
    """Labels, ids and a number of folds; the share of relevant documents differs between queries."""
    rng = np.random.default_rng(0)
    sizes, n_splits = {
        "even": (rng.integers(5, 31, 100), 5),
        "skewed": (rng.zipf(1.5, 300).clip(max=500), 4),
        "more folds than fit": (rng.integers(1, 9, 23), 10),
        "one giant": (np.append(rng.integers(1, 9, 50), 2000), 3),
    }[request.param]
    groups = np.repeat(rng.permutation(len(sizes)), sizes)
    y = rng.integers(1, 5, len(groups)) * (rng.random(len(groups)) < rng.random(len(sizes))[groups])
    order = rng.permutation(len(groups))
    return y[order], groups[order], n_splits


# ------------------------------------------------------------------ a partition into whole queries


@SHUFFLE
@pytest.mark.parametrize("labels", LABELS.values(), ids=LABELS)
def test_balanced_group_kfold_tests_each_row_once_in_whole_queries(labels, options, data):
    y, groups, n_splits = data
    folds = deal(groups, labels(y), n_splits=n_splits, **options)
    assert set(folds) == set(range(n_splits))
    assert all(len(set(folds[groups == query])) == 1 for query in np.unique(groups))


@SHUFFLE
def test_balanced_group_kfold_trains_on_other_rows_in_order(options, data):
    y, groups, n_splits = data
    for train, test in BalancedGroupKFold(n_splits, **options).split(y, y, groups):
        np.testing.assert_array_equal(np.sort(np.append(train, test)), np.arange(len(y)))
        assert (np.diff(train) > 0).all()
        assert (np.diff(test) > 0).all()


def test_balanced_group_kfold_can_leave_one_query_out():
    a, b, c = {frozenset(test) for _, test in BalancedGroupKFold(3).split([0] * 5, groups=list("bacab"))}
    assert {a, b, c} == {frozenset({0, 4}), frozenset({1, 3}), frozenset({2})}


# ------------------------------------------------------------------ balance


@SHUFFLE
@pytest.mark.parametrize("labels", LABELS.values(), ids=LABELS)
def test_rows_of_folds_differ_by_at_most_the_largest_query(labels, options, data):
    y, groups, n_splits = data
    folds = deal(groups, labels(y), n_splits=n_splits, **options)
    assert spread(folds) <= np.bincount(groups).max()


@SHUFFLE
def test_queries_of_folds_differ_by_at_most_one(options, data):
    y, groups, n_splits = data
    folds = deal(groups, y, n_splits=n_splits, **options)
    n_queries = sorted(len(np.unique(groups[folds == fold])) for fold in range(n_splits))
    if np.bincount(groups).max() > len(groups) / n_splits:  # a query that fills a fold is alone in it
        assert n_queries.pop(0) == 1
    assert np.ptp(n_queries) <= 1


@SHUFFLE
@pytest.mark.parametrize("labels", [LABELS["grades"], LABELS["floats"], LABELS["bools"], LABELS["list"]])
def test_relevant_documents_differ_by_at_most_those_of_one_query(labels, options, data):
    y, groups, n_splits = data
    folds = deal(groups, labels(y), n_splits=n_splits, **options)
    assert spread(folds, y > 0) <= np.bincount(groups, y > 0).max()


@pytest.mark.parametrize("seed", range(20))
def test_relevant_documents_differ_by_at_most_two_percent(seed):
    # A fold tests about 300 relevant documents, whose sampling error is 1 / sqrt(300), about 6%. Folds within
    # 2% are therefore as good as even; folds that balance only rows differ by more.
    _, y, groups = make_ranking(n_queries=200, random_state=seed)
    allowed = 0.02 * (y > 0).sum() / 5
    assert spread(deal(groups, y), y > 0) <= allowed < spread(deal(groups), y > 0)


def test_rows_that_divide_evenly_are_divided_evenly():
    groups = np.repeat(np.arange(8), [9, 9, 5, 5, 2, 2, 1, 1])
    assert np.bincount(deal(groups, n_splits=2)).tolist() == [17, 17]


def test_relevant_documents_that_divide_evenly_are_divided_evenly():
    groups, relevant = np.repeat(np.arange(8), 4), np.repeat([4, 4, 3, 3, 1, 1, 0, 0], 4)
    y = np.tile(np.arange(4), 8) < relevant
    assert np.bincount(deal(groups, y, n_splits=2), y).tolist() == [8, 8]


def test_balanced_group_kfold_balances_a_hundred_thousand_queries():
    _, y, groups = make_ranking(n_queries=100_000, n_documents=(1, 8), n_features=5, random_state=0)
    folds = deal(groups, y)
    assert (np.diff(folds)[np.diff(groups) == 0] == 0).all()
    assert spread(folds) <= 8
    assert spread(folds, y > 0) <= 8


# ------------------------------------------------------------------ dependence on order, labels and seeds


@SHUFFLE
def test_folds_do_not_depend_on_the_order_of_rows(options, data):
    y, groups, n_splits = data
    order = np.random.default_rng(1).permutation(len(y))
    got = deal(groups[order], y[order], n_splits=n_splits, **options)
    np.testing.assert_array_equal(got, deal(groups, y, n_splits=n_splits, **options)[order])


@pytest.mark.parametrize(
    ("options", "parameter"), [({"random_state": 0}, "random_state"), ({"shuffle": "yes"}, "shuffle")]
)
def test_balanced_group_kfold_rejects_random_state_without_shuffle(options, parameter):
    with pytest.raises(ValueError, match=f"'{parameter}' parameter of BalancedGroupKFold must be"):
        deal(np.arange(8), np.zeros(8), **options)


@pytest.mark.parametrize("form", [lambda y: y.astype(object), lambda y: y[:, None], lambda y: y.tolist()])
def test_folds_are_balanced_by_labels_in_any_form(form):
    _, y, groups = make_ranking(n_queries=60, n_documents=(1, 12), random_state=0)
    np.testing.assert_array_equal(deal(groups, form(y)), deal(groups, y))


def test_shuffled_folds_depend_on_random_state_only(data):
    y, groups, n_splits = data
    seeds = [0, 0, np.random.RandomState(0), 1]
    dealt = [deal(groups, y, n_splits=n_splits, shuffle=True, random_state=seed).tolist() for seed in seeds]
    assert dealt[0] == dealt[1] == dealt[2] != dealt[3]


def test_int_random_state_repeats_folds_and_generator_does_not(data):
    y, groups, _ = data
    for seed, repeats in ((0, True), (np.random.RandomState(0), False)):
        splitter = BalancedGroupKFold(3, shuffle=True, random_state=seed)
        one, other = ([test.tolist() for _, test in splitter.split(y, y, groups)] for _ in range(2))
        assert (one == other) is repeats


def test_non_numeric_labels_give_the_folds_of_no_labels(data):
    y, groups, n_splits = data
    got = deal(groups, LABELS["strings"](y), n_splits=n_splits)
    np.testing.assert_array_equal(got, deal(groups, n_splits=n_splits))


# ------------------------------------------------------------------ in scikit-learn


def test_scikit_learn_passes_ids_to_the_splitter_without_routing(ranking_data):
    X, y, groups = ranking_data
    expected = []
    for train, test in BalancedGroupKFold(4).split(X, y, groups):
        expected.append(Ridge().fit(X[train], y[train]).score(X[test], y[test]))
    assert cross_val_score(Ridge(), X, y, groups=groups, cv=BalancedGroupKFold(4)).tolist() == expected


def test_balanced_group_kfold_reads_ids_by_name(data_with_ids, folds):
    _, X, y = data_with_ids
    got = BalancedGroupKFold(3).split(X, y, "qid")
    assert [test.tolist() for _, test in got] == [test.tolist() for _, test in folds]


def test_balanced_group_kfold_reads_ids_by_name_for_scikit_learn(ranking_data, by_hand):
    pandas = pytest.importorskip("pandas")
    X, y, groups = ranking_data
    folds = BalancedGroupKFold(3).split(pandas.DataFrame(X, index=pandas.Index(groups, name="qid")), y, "qid")
    labels = pandas.Series(y, index=pandas.Index(groups, name="qid"))
    got = cross_val_score(Ridge(), X, labels, scoring=ndcg_scorer(groups="qid"), cv=list(folds))
    assert got.tolist() == by_hand(Ridge(), ndcg_score)


def test_balanced_group_kfold_get_n_splits_needs_no_data():
    assert BalancedGroupKFold(7).get_n_splits() == 7


def test_balanced_group_kfold_repr_is_code():
    splitter = BalancedGroupKFold(3, shuffle=True, random_state=0)
    assert repr(splitter) == "BalancedGroupKFold(n_splits=3, random_state=0, shuffle=True)"
    assert vars(eval(repr(splitter))) == vars(splitter)


# ------------------------------------------------------------------ errors


@pytest.mark.parametrize("n_splits", [1, 0, -2, 2.0, "3", True, None])
def test_balanced_group_kfold_rejects_invalid_n_splits(n_splits):
    with pytest.raises(ValueError, match="'n_splits' parameter of BalancedGroupKFold must be an int >= 2"):
        deal([0, 1, 2, 3], n_splits=n_splits)


def test_balanced_group_kfold_rejects_more_folds_than_queries():
    with pytest.raises(ValueError, match=r"'n_splits' .* not exceed the number of queries \(3\)\. Got 4"):
        deal([0, 0, 1, 1, 2], n_splits=4)


@pytest.mark.parametrize(
    ("groups", "rule"),
    [
        (None, "contain the query id of each row"),
        ([0, 1, 2], r"have one id per row \(4 rows\)"),
        ([0, 1, np.nan, 3], "not contain missing ids"),
        ([0, 1, "2", 3], "contain ids of one type"),
        ([[0, 0], [1, 1], [2, 2], [3, 3]], "be one-dimensional"),
        ("qid", "name an index level of X or y, or a column of X"),
    ],
)
def test_balanced_group_kfold_rejects_invalid_ids(groups, rule):
    with pytest.raises(ValueError, match=f"'groups' parameter of BalancedGroupKFold.* must {rule}"):
        list(BalancedGroupKFold(2).split(np.zeros((4, 1)), None, groups))


def test_balanced_group_kfold_rejects_labels_of_another_length():
    with pytest.raises(ValueError, match="'y' parameter of BalancedGroupKFold"):
        deal([0, 1, 2, 3], [0, 1, 1], n_splits=2)
