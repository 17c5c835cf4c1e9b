"""Errors for values that the fuzzer found, and notes on errors in the user's own functions."""

from functools import partial

import numpy as np
import pytest
from scipy import sparse
from sklearn.metrics import mean_absolute_error

from sklearn_rank import (
    BalancedGroupKFold,
    GroupTimeSeriesSplit,
    WithinGroupKFold,
    catalog_coverage_score,
    dcg_score,
    dcg_scorer,
    from_recommendations,
    from_score_matrix,
    group_score,
    intra_list_similarity_loss,
    make_group_scorer,
    map_score,
    neg_intra_list_similarity_loss_scorer,
    ranking_scores,
)
from sklearn_rank.datasets import make_ranking
from sklearn_rank.metrics import exposure_gini_loss, interpolated_precision_curve, novelty_score
from sklearn_rank.model_selection import check_folds
from tests.helpers import public_calls
from tests.helpers.naming import name_of
from tests.helpers.public_calls import Echo

NAN, INF = float("nan"), float("inf")
SPAN = np.timedelta64(3, "D")
ROWS = {"y_true": [1, 0], "y_score": [2, 1], "groups": [0, 0]}
ITEMS = {"items": ["a", "b"], "y_score": [2, 1], "groups": [0, 0]}
FEATURES = {"X": np.eye(2), "y_score": [2, 1], "groups": [0, 0]}
LISTS = {"recommended": [["a"]], "relevant": [["a"]]}
MATRICES = {"scores": [[1, 2]], "relevant": [[0, 1]]}
GROUPED = {"score_func": mean_absolute_error, "y_true": [1, 0], "y_pred": [1, 1], "groups": [0, 0]}
FOLDS = {"cv": 2, "X": np.eye(4), "y": [1, 1, 1, 1], "groups": [0, 0, 1, 1]}


class Named:
    """Its text is the name of a metric."""

    def __str__(self):
        return "r_precision"


class NoSplitter:
    split = None


def score(estimator, make=dcg_scorer, **options):
    return make(**options)(estimator, np.eye(2), [1, 0], groups=[0, 0])


def split(splitter, **rows):
    return list(splitter.split(**{"X": np.eye(4), "groups": [0, 0, 1, 1]} | rows))


def similarity_scorer(columns):
    return score(Echo(), neg_intra_list_similarity_loss_scorer, k=2, columns=columns)


RAGGED = [[1], [2, 3]]
STORED = sparse.eye_array(1)
MASKED = np.ma.array([1, 2], mask=[0, 1])
SPLIT = {"X": np.eye(4), "groups": [0, 0, 1, 1]}
TWO = [np.array(["log2"]), np.array(["cosine", "log2"])]
NO_FLAGS = [1, None, np.zeros(2)]
BAD_FEATURES = [
    [[1, NAN], [0, 1]],
    [["1", "2"], ["3", "4"]],
    np.ma.array(np.eye(2), mask=np.eye(2)),
    [1, 2],
    None,
    [[1j], [1]],
]
BAD_PAIRS = [lambda X: np.full((2, 2), NAN), lambda X: [["a", "b"], ["c", "d"]], lambda X: RAGGED]
NO_LISTS = [{"a"}, b"a", STORED, sparse.dok_array((1, 1)), np.ma.array([["a"]], mask=[[1]]), list, [list]]
NO_LISTS += [[sparse.dok_array((1, 1))]]
BAD_ITEMS = [[[np.zeros(2)]], [[[1]]], [[{}]]]
NO_FOLDS = [[([0, 1], [2, 9])], [([0, 1],)], [([0.5], [1])], [([0], [[1]])], [(["a"], [1])]]


def split_balanced(n_splits=2, **rows):
    return split(BalancedGroupKFold(n_splits), **rows)


def split_by_time(n_splits, **rows):
    return split(GroupTimeSeriesSplit(n_splits), times=[0, 1, 2, 3], **rows)


def split_at_random(random_state):
    return split(WithinGroupKFold(2, shuffle=True, random_state=random_state))


# Function, valid arguments, invalid values by parameter, and the name in messages if it differs.
REFUSED = [
    (ranking_scores, ROWS, {"metrics": [[Named()], STORED, list]}),
    (ranking_scores, ROWS | {"metrics": ["map"]}, {"n_jobs": [0, True, 1.5, "2", SPAN]}),
    (interpolated_precision_curve, ROWS, {"recall_levels": [RAGGED, {0: 1}]}),
    (
        catalog_coverage_score,
        ITEMS,
        {"catalog": [10**400, np.array("ab"), [[1]], SPAN], "y_score": [[], RAGGED]},
    ),
    (
        exposure_gini_loss,
        ITEMS,
        {"catalog": [{"a": 1}, [{}], [memoryview(bytearray(1))], np.eye(2), RAGGED], "discount": TWO},
    ),
    (novelty_score, ITEMS, {"popularity": [{"a": "0.5", "b": "1"}, {"a": 1j, "b": 1}, {"a": None, "b": 1}]}),
    (intra_list_similarity_loss, FEATURES, {"X": [*BAD_FEATURES, RAGGED], "similarity": [*BAD_PAIRS, *TWO]}),
    (from_recommendations, LISTS, {"recommended": [*NO_LISTS, *BAD_ITEMS], "relevant": NO_LISTS}),
    (from_recommendations, LISTS, {"relevant": [[{"a": grade}] for grade in ("1", -1, INF, 1j, 10**400)]}),
    (from_recommendations, LISTS, {"padding": [np.zeros(2), STORED], "return_items": NO_FLAGS}),
    (
        from_score_matrix,
        MATRICES,
        {"scores": [1j * STORED, sparse.coo_array([1, 2])], "return_items": NO_FLAGS},
    ),
    (
        group_score,
        GROUPED,
        {"y_true": ["ab", {0: 1, 1: 2}, STORED, MASKED, list], "y_pred": [RAGGED, 5, MASKED]},
    ),
    (group_score, GROUPED, {"score_func": [lambda y_true, y_pred: SPAN, None]}),
    (check_folds, FOLDS, {"cv": ["hits", [1], SPAN, 3.5, BalancedGroupKFold, NoSplitter(), *NO_FOLDS]}),
    (check_folds, FOLDS, {"y": [[[1], [1, 2], [1], [1]]], "min_relevance": [True, SPAN], "params": [[1], 5]}),
    (make_ranking, {}, {"random_state": ["a", -1, 1.5, SPAN], "n_documents": [2**63, SPAN, (1, 2**63)]}),
    (make_ranking, {}, {"noise": [SPAN, INF, 1e308, 10**400], "coef": NO_FLAGS, "shuffle": NO_FLAGS}),
    (score, {}, {"estimator": ["ridge", None, Echo, object(), 5]}, "dcg_scorer()"),
    (split_balanced, SPLIT, {"X": [list, np.ndarray, 5]}, "BalancedGroupKFold.split"),
    (split_by_time, SPLIT, {"n_splits": [np.uint64(2**64 - 1), 2**64]}, "GroupTimeSeriesSplit"),
    (split_balanced, SPLIT, {"n_splits": [SPAN, True, 2.0]}, "BalancedGroupKFold"),
    (split_at_random, {}, {"random_state": ["a", SPAN]}, "WithinGroupKFold"),
]
CASES = [
    pytest.param(call, good | {parameter: bad}, name, parameter, id=f"{name}-{parameter}={name_of(bad)[:40]}")
    for call, good, refused, name in ((*row, row[0].__name__)[:4] for row in REFUSED)
    for parameter, values in refused.items()
    for bad in values
]


@pytest.mark.parametrize(("call", "given", "name", "parameter"), CASES)
def test_functions_name_parameter_with_strange_value(call, given, name, parameter):
    public_calls.assert_rejected(call, name, given, parameter)


@pytest.mark.parametrize("columns", [[0, 5], ["a"]])
def test_list_scorer_rejects_missing_columns_of_array(columns):
    name = (
        r"'columns' parameter of neg_intra_list_similarity_loss_scorer\(.*\) must contain numbers of columns"
    )
    with pytest.raises(ValueError, match=name):
        similarity_scorer(columns)


def test_list_scorer_rejects_frame_without_feature_column():
    frame = pytest.importorskip("pandas").DataFrame({"qid": [0, 0]})
    scorer = neg_intra_list_similarity_loss_scorer(k=2, groups="qid")
    with pytest.raises(ValueError, match=r"'X' parameter of neg_intra_list_.* must have a feature column"):
        scorer(Echo(), frame, [1, 0])


# ------------------------------------------------------------------ errors in the user's functions


@pytest.mark.parametrize("option", ["gain", "discount"])
@pytest.mark.parametrize("function", [int, lambda values: values["x"]])
def test_error_in_custom_gain_or_discount_names_option(option, function):
    with pytest.raises((TypeError, IndexError)) as error:
        dcg_score(**ROWS, **{option: function})
    assert error.value.__notes__ == [f"The '{option}' parameter of dcg_score raised this error."]


def test_error_for_unreadable_array_keeps_its_cause():
    class Broken:
        def __array__(self, *args, **kwargs):
            raise KeyError("connection lost")

    with pytest.raises(
        ValueError, match=r"'y_score' parameter of map_score .* Got .*connection lost"
    ) as error:
        map_score([1, 0], Broken())
    assert isinstance(error.value.__context__, KeyError)


class Wordless(list):
    """It cannot be written out."""

    def __repr__(self):
        raise RuntimeError("too long")


@pytest.mark.parametrize("factory", [dcg_scorer, partial(make_group_scorer, mean_absolute_error)])
def test_scorers_do_not_format_rows(factory):
    rows = {"groups": Wordless([0, 0]), "sample_weight": Wordless([1, 1])}
    assert factory()(Echo(), Wordless([1.0, 2.0]), Wordless([1, 0]), **rows) >= 0


def test_group_time_series_split_rejects_huge_gap():
    with pytest.raises(ValueError, match=r"'gap' parameter of GroupTimeSeriesSplit must leave"):
        split(GroupTimeSeriesSplit(1, gap=2**64), times=[0, 1, 2, 3])


@pytest.mark.parametrize("labels", [[1j, 0, 1, 0], [10**400, 0, 1, 0], ["a", "b", "c", "d"]], ids=repr)
def test_balanced_group_k_fold_balances_rows_if_labels_are_no_floats(labels):
    folds = split(BalancedGroupKFold(2), y=labels)
    assert [test.tolist() for _, test in folds] == [test.tolist() for _, test in split(BalancedGroupKFold(2))]


class Moody(dict):
    """A mapping, an item and a model that answer no question."""

    def __contains__(self, item):
        raise RuntimeError("not today")

    __hash__ = object.__hash__
    __eq__ = __contains__

    def __sklearn_tags__(self):
        raise RuntimeError("not today")

    def predict(self, X):
        return X[:, 0]


def test_novelty_score_rejects_mapping_that_raises():
    with pytest.raises(ValueError, match=r"'popularity' parameter of novelty_score .* \(not today\)"):
        novelty_score(["a"], [1], groups=[0], popularity=Moody())


def test_from_recommendations_rejects_items_that_do_not_compare():
    with pytest.raises(ValueError, match="parameter of from_recommendations must"):
        from_recommendations([["a"]], [[Moody(), "a"]])


def test_scorer_rejects_model_whose_tags_raise():
    with pytest.raises(ValueError, match=r"'estimator' parameter of dcg_scorer.* must .*\(not today\)"):
        dcg_scorer()(Moody(), np.eye(2), [0, 1], groups=[0, 0])
