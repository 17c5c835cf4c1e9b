"""Input that would give a plausible wrong number is refused, by name; what has a meaning is accepted."""

import datetime
import re
from decimal import Decimal
from functools import partial
from inspect import signature

import numpy as np
import pytest
from scipy import sparse
from table import BY_ORDER, CUTOFFS

from sklearn_rank.metrics import METRICS, ndcg_score, ranking_scores, recall_at_k_score

NAMES = [stem if entry.cutoff != "required" else f"{stem}@2" for stem, entry in METRICS.items()]
NAMES.remove("judged@2")  # of labels that are NaN alone
FUNCTIONS = {entry.function.__name__: entry.function for entry in METRICS.values()}
FUNCTIONS["ranking_scores"] = partial(ranking_scores, metrics=NAMES)
VALUED = [METRICS[stem].function.__name__ for stem in METRICS if stem not in BY_ORDER]
EVERY = pytest.mark.parametrize("function", FUNCTIONS)
GAIN = pytest.mark.parametrize(
    "function", [name for name, function in FUNCTIONS.items() if "gain" in signature(function).parameters]
)

GOOD = {"y_true": [1, 0, 2, 0], "y_score": [4.0, 3.0, 2.0, 1.0], "groups": [0, 0, 1, 1]}
ROWS = {"y_true": [[1, 0], [2, 0]], "y_score": [[4.0, 3.0], [2.0, 1.0]], "groups": None}
NAN, INF = float("nan"), float("inf")
NUMBERS = "be an array of real numbers, one per row"
MISSING = "not have missing ids"
ONE_TYPE = "hold ids of one type"


def assert_refused(function, arguments, parameter, rule, got):
    """Check that the error names the parameter, the function, the rule and what was got."""
    with pytest.raises((ValueError, TypeError)) as error:
        FUNCTIONS[function](**GOOD | arguments)
    head = f"The '{parameter}' parameter of {function} must "
    assert str(error.value).startswith(head + rule)
    assert re.search(rf"\. Got .*{got}.* instead\.$", str(error.value), re.DOTALL), str(error.value)


# ------------------------------------------------------------------ options

OPTIONS = {
    "k": ("be an int >= 1 or None", [0, -1, 1.5, 2.0, True, np.True_, "5", NAN, [2], np.array(2), 2**63]),
    "min_relevance": ("be a finite number > 0", [0, -1, NAN, INF, "1", None, True, [1]]),
    "gain": ("be 'linear', 'exponential'", ["log", b"linear", None, 2, True]),
    "discount": ("be 'log2', 'reciprocal', None", ["ln", b"log2", 2, [1, 0.5], True]),
    "ties": ("be one of 'average', 'order', 'best', 'worst'", ["random", None, 1, np.array(["best"])]),
    "zero_division": ("be 0.0, 1.0 or nan", ["warn", "nan", 0.5, -1, INF, True, [0]]),
    "average": ("be one of 'macro', 'micro', 'weighted', None", ["samples", "Macro", 1, False, ["macro"]]),
    "denominator": ("be one of 'achievable', 'relevant', 'hits'", ["k", None, 5]),
    "adaptive_k": ("be one of False, True", [1, 0, None, "yes"]),
    "unjudged": ("be one of 'raise', 'nonrelevant', 'drop', 'mean', 'median'", [None, "skip", 0, ["drop"]]),
    "max_grade": ("be a finite number > 0, or None", [0, -1, NAN, INF, "4", True]),
    "p": ("be a number above 0 and below 1", [0, 1, 1.5, -0.1, NAN, "0.8", True]),
}
BAD_OPTIONS = [
    pytest.param(function, option, value, rule, id=f"{function}-{option}={value!r}")
    for function in FUNCTIONS
    for option, (rule, values) in OPTIONS.items()
    for value in values
    if option in signature(FUNCTIONS[function]).parameters
]


@pytest.mark.parametrize(("function", "option", "value", "rule"), BAD_OPTIONS)
def test_an_option_out_of_its_range_is_refused_before_any_data(function, option, value, rule):
    unreadable = {"y_true": object(), "y_score": [NAN], "groups": [None, 1], "sample_weight": "x"}
    assert_refused(function, unreadable | {option: value}, option, rule, re.escape(repr(value)))


GAINS = {
    "short": ([0, 1], "none for 2"),
    "without a grade": ({0: 0, 1: 1}, "none for 2"),
    "falling": ([2, 1, 0], "2.* 1.* 0"),
    "negative": (lambda labels: labels - 1, "-1"),
    "nan": ([0, NAN, 1], "nan"),
    "infinite": ([0, 1, INF], "inf"),
    "infinite in sum": ([0, 1, 1e308], "e\\+308"),
    "strings": (["a", "b", "c"], ""),
    "complex": ([0, 1j, 2j], ""),
    "ragged": ([[0], [1, 2], [3]], ""),
    "one for all": (lambda labels: 1.0, "shape \\(\\)"),
    "too few": (lambda labels: labels[:-1], "shape \\(2,\\)"),
}
DISCOUNTS = {
    "one for all": (lambda ranks: 1.0, "shape \\(\\)"),
    "too few": (lambda ranks: ranks[1:], "shape \\(1,\\)"),
    "rising": (lambda ranks: ranks, "1.* 2"),
    "zero": (lambda ranks: 0 * ranks, "0"),
    "infinite": (lambda ranks: INF / ranks, "inf"),
    "complex": (lambda ranks: 1j / ranks, ""),
}


@pytest.mark.parametrize(("gain", "got"), GAINS.values(), ids=GAINS)
@GAIN
def test_a_gain_that_does_not_fit_the_labels_is_refused(function, gain, got):
    assert_refused(function, {"gain": gain}, "gain", "", got)


@pytest.mark.parametrize(("discount", "got"), DISCOUNTS.values(), ids=DISCOUNTS)
@GAIN
def test_a_discount_that_does_not_fit_the_ranks_is_refused(function, discount, got):
    assert_refused(function, {"discount": discount}, "discount", "", got)


@pytest.mark.parametrize("label", [1023, 1100, 2**40, 1e308])
@GAIN
def test_an_exponential_gain_that_overflows_is_refused(function, label):
    arguments = {"y_true": [label, 0, 1, 0], "gain": "exponential"}
    assert_refused(function, arguments, "gain", "give finite gains", re.escape(str(label)))


# ------------------------------------------------------------------ labels, scores and weights

NO_NUMBERS = {
    "an object": (object(), "object"),
    "strings": (["1", "0", "2", "0"], "<U1"),
    "a string among numbers": ([1, 0, "2", 0], "<U"),
    "bytes": ([b"1", b"0", b"2", b"0"], "S1"),
    "complex": ([1j, 0, 2, 0], "complex"),
    "None among numbers": ([1, None, 2, 0], "NoneType"),
    "dates": (np.arange(4).astype("M8[D]"), "datetime64"),
    "lists of different lengths": ([[1], [0, 2], [0]], "different lengths"),
    "sparse matrix": (sparse.csr_matrix([[1, 0, 2, 0]]), "csr_matrix"),
    "sparse array": (sparse.coo_array([[1, 0, 2, 0]]), "coo_array"),
    "masked": (np.ma.array([1, 0, 2, 0], mask=[0, 1, 0, 0]), "MaskedArray"),
    "three dimensions": (np.ones((2, 2, 1)), "3"),
}
WITHOUT_NAN = [(function, parameter) for function in FUNCTIONS for parameter in ("y_true", "y_score")]
WITHOUT_NAN.remove(("judged_at_k_score", "y_true"))  # NaN is what it counts
NANS = {
    "floats": [NAN, 0, 2, 0],
    "objects": np.array([1, 0, NAN, 0], dtype=object),
    "decimals": [Decimal(1), Decimal(0), Decimal(2), Decimal("nan")],
    "signaling decimals": [Decimal(1), Decimal(0), Decimal(2), Decimal("snan")],
}


@pytest.mark.parametrize("kind", NO_NUMBERS)
@pytest.mark.parametrize("parameter", ["y_true", "y_score", "sample_weight"])
@EVERY
def test_what_is_no_array_of_numbers_is_refused(function, parameter, kind):
    values, got = NO_NUMBERS[kind]
    rule = NUMBERS if kind != "three dimensions" else "have one dimension"
    assert_refused(function, {parameter: values}, parameter, rule, got)


@pytest.mark.parametrize("kind", NANS)
@pytest.mark.parametrize(("function", "parameter"), WITHOUT_NAN)
def test_nan_is_refused(function, parameter, kind):
    assert_refused(function, {parameter: NANS[kind]}, parameter, "not contain NaN", "1 NaN")


@pytest.mark.parametrize("dtype", ["Int64", "Float64", "boolean"])
@pytest.mark.parametrize(("function", "parameter"), WITHOUT_NAN)
def test_a_nullable_column_with_a_missing_value_is_refused(function, parameter, dtype):
    column = pytest.importorskip("pandas").Series([1, 0, None, 0], dtype=dtype)
    assert_refused(function, {parameter: column}, parameter, "", "(1 NaN|NAType)")


@pytest.mark.parametrize("label", [INF, -INF, -1, -1e-300, -(2**70)])
@EVERY
def test_a_label_that_is_negative_or_infinite_is_refused(function, label):
    assert_refused(function, {"y_true": [1, 0, label, 0]}, "y_true", "be finite and >= 0", "")


@pytest.mark.parametrize("parameter", ["y_true", "sample_weight"])
@EVERY
def test_a_number_beyond_the_float_range_is_refused(function, parameter):
    assert_refused(function, {parameter: [10**400] * 4}, parameter, "", "")


@pytest.mark.parametrize("parameter", ["y_true", "y_score"])
@EVERY
def test_a_column_vector_is_refused_with_the_way_out(function, parameter):
    column = np.reshape(GOOD[parameter], (4, 1))
    assert_refused(function, {parameter: column}, parameter, "be flat: pass it through .ravel", "4, 1")


@pytest.mark.parametrize("empty", [[], np.empty((0, 3)), np.empty((3, 0)), [[], []]], ids=repr)
@EVERY
def test_no_rows_at_all_are_refused(function, empty):
    arguments = {"y_true": empty, "y_score": empty, "groups": []}
    assert_refused(function, arguments, "y_true", "have at least one row", "shape")


@pytest.mark.parametrize("scores", [[1, 2, 3], [1] * 5, [], [[1, 2], [3, 4]], [[1, 2, 3, 4]]], ids=repr)
@EVERY
def test_scores_of_another_shape_are_refused(function, scores):
    got = re.escape(str(np.shape(scores)))
    assert_refused(function, {"y_score": scores}, "y_score", "have the shape of 'y_true', (4,)", got)


@pytest.mark.parametrize(
    ("weights", "rule", "got"),
    [
        ([-1, -1, 1, 1], "be finite and >= 0", "-1"),
        ([NAN, NAN, 1, 1], "be finite and >= 0", "nan"),
        ([1, 1, INF, INF], "be finite and >= 0", "inf"),
        ([0, 0, 0, 0], "not be all zero", "zeros"),
        ([1, 2, 1, 1], "be constant inside a query", "1.0 and 2.0"),
        ([1, 1, 1, 0], "be constant inside a query", "1.0 and 0.0"),
        ([1, 1], "have one entry per row, shape (4,)", "\\(2,\\)"),
        ([[1, 1, 1, 1]], "have one entry per row, shape (4,)", "\\(1, 4\\)"),
    ],
)
@EVERY
def test_weights_that_are_none_are_refused(function, weights, rule, got):
    assert_refused(function, {"sample_weight": weights}, "sample_weight", rule, got)


# ------------------------------------------------------------------ query ids

DAY = np.datetime64("2020-01-01")
NAT = np.datetime64("NaT", "D")
BAD_IDS = {
    "NaN": ([0.0, NAN, 1, 1], MISSING),
    "NaN among strings": (["a", NAN, "b", "b"], MISSING),
    "NaN among decimals": ([Decimal(0), Decimal("nan"), Decimal(1), Decimal(1)], MISSING),
    "NaN in a tuple": ([(0, 1.0), (0, NAN), (1, 1.0), (1, 1.0)], MISSING),
    "None": ([0, None, 1, 1], MISSING),
    "NaT": (np.array([DAY, NAT, DAY, DAY]), MISSING),
    "NaT in a list": ([DAY, NAT, DAY, DAY], MISSING),
    "NaT among objects": (np.array([DAY, NAT, DAY, DAY], dtype=object), MISSING),
    "masked": (np.ma.array([0, 0, 1, 1], mask=[0, 1, 0, 0]), ""),
    "1 and '1'": ([1, "1", 2, "2"], ONE_TYPE),
    "1 and '1' as objects": (np.array([1, "1", 2, "2"], dtype=object), ONE_TYPE),
    "True and 1": ([True, 1, 0, False], ONE_TYPE),
    "date and datetime": ([datetime.date.min, datetime.datetime.min] * 2, ONE_TYPE),
    "complex": (np.array([1j, 1j, 2, 2]), "hold ids of a sortable type"),
    "objects without an order": ([object(), object(), object(), object()], "hold ids of a sortable type"),
    "a signalling NaN": ([Decimal(0), Decimal("snan"), Decimal(1), Decimal(1)], MISSING),
    "frozensets": ([frozenset([i % 2]) for i in range(4)], "hold ids of a sortable type"),
    "lists": ([[0], [0], [1], [1]], "be one-dimensional"),
    "two dimensions": (np.zeros((4, 1)), "be one-dimensional"),
    "a number": (0, "be one-dimensional"),
    "a set": ({0, 1}, "be one-dimensional"),
    "a name": ("qid", "be the ids themselves here"),
    "sizes": ([2, 2], "have one id per row, 4"),
}


@pytest.mark.parametrize("kind", BAD_IDS)
@EVERY
def test_ids_that_name_no_queries_are_refused(function, kind):
    ids, rule = BAD_IDS[kind]
    assert_refused(function, {"groups": ids}, "groups", rule, "")


@pytest.mark.parametrize("dtype", ["Int64", "Float64", "boolean", "string", "category", "datetime64[s]"])
@EVERY
def test_a_column_of_ids_with_a_missing_value_is_refused(function, dtype):
    ids = pytest.importorskip("pandas").Series([1, 0, None, 0], dtype="Int64").astype(dtype)
    assert_refused(function, {"groups": ids}, "groups", MISSING, "")


@pytest.mark.parametrize(
    ("parameter", "rule"), [("groups", "be None where 'y_true' has two"), ("sample_weight", "have one entry")]
)
@EVERY
def test_rows_have_no_ids_and_no_weights_where_queries_are_rows(function, parameter, rule):
    assert_refused(function, ROWS | {parameter: [1, 1, 1, 1]}, parameter, rule, "")


# ------------------------------------------------------------------ what has a meaning


@pytest.mark.parametrize("k", [np.int64(1), np.uint8(2), 10**9, 2**62, None], ids=repr)
@pytest.mark.parametrize("stem", CUTOFFS)
def test_any_int_from_one_on_and_none_are_cutoffs(stem, k):
    assert METRICS[stem].function(**GOOD | {"y_score": [1, 2, 2, 1]}, k=k) > 0


@pytest.mark.parametrize("label", [0.5, 2**40, 1100, 1e300, np.float16(0.5)], ids=repr)
def test_any_finite_label_from_zero_on_is_a_linear_gain(label):
    assert ndcg_score([0, label], [2, 1]) == pytest.approx(1 / np.log2(3), abs=1e-12)


@pytest.mark.parametrize("stem", BY_ORDER)
def test_a_score_of_plus_infinity_ranks_first(stem):
    top, high = ({"y_score": [first, 3.0, 2.0, 1.0]} for first in (INF, 4.0))
    function = METRICS[stem].function
    assert function(**GOOD | top) == function(**GOOD | high)


@pytest.mark.parametrize("first", [INF, -INF, 2**70 + 1], ids=repr)
@pytest.mark.parametrize("function", [*VALUED, "ranking_scores"])
def test_a_score_without_a_value_is_refused_where_values_count(function, first):
    rule = "be finite" if abs(first) == INF else "hold numbers that float64 holds exactly"
    scores = [first, 3, 2, 1] if abs(first) == INF else [2**70 + i for i in (3, 2, 1, 0)]
    assert_refused(function, {"y_score": scores}, "y_score", f"{rule}: the value of", "")


@pytest.mark.parametrize("average", ["macro", "weighted", "micro"])
@pytest.mark.parametrize("scale", [5e-324, 1e-300, 1e300, 1e308])
def test_weights_of_any_size_weigh_alike(average, scale):
    arguments = {"y_true": [0, 1, 1, 1], "sample_weight": [scale] * 4}
    got = recall_at_k_score(**GOOD | arguments, k=1, average=average)
    assert got == pytest.approx({"macro": 1 / 4, "weighted": 1 / 4, "micro": 1 / 3}[average], abs=1e-12)


@pytest.mark.parametrize("bad", ["y_true", "y_score", "groups", "sample_weight"])
@EVERY
def test_refused_input_is_left_as_it_was(function, bad):
    arrays = {name: np.array(values, dtype=float) for name, values in GOOD.items()}
    arrays["sample_weight"] = np.ones(4)
    arrays[bad][1] = -1 if bad == "y_true" else NAN
    before = {name: array.copy() for name, array in arrays.items()}
    with pytest.raises(ValueError, match=bad):
        FUNCTIONS[function](**arrays)
    np.testing.assert_equal(arrays, before)
