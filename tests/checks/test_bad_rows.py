"""Errors for labels, scores, weights and ids that would give a plausible wrong value."""

import datetime
import re
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from scipy import sparse

import sklearn_rank
from tests.helpers import public_calls
from tests.helpers.naming import name_of
from tests.helpers.public_calls import (
    CALLS,
    FUNCTIONS,
    GOOD,
    ID_CALLS,
    LISTS,
    SCORERS,
    TIME_CALLS,
    WEIGHTED_LISTS,
)
from tests.helpers.scorers import FACTORIES
from tests.helpers.table import ANY_SIGN, BY_ORDER, METRICS, SCORE_OF

SIGNED = [name for stem in ANY_SIGN for name in (SCORE_OF[stem].__name__, FACTORIES[stem]().describe())]
VALUED = [METRICS[stem].function.__name__ for stem in METRICS if stem not in BY_ORDER]
EVERY = pytest.mark.parametrize("function", CALLS)

ROWS = {"y_true": [[1, 0], [2, 0]], "y_score": [[4.0, 3.0], [2.0, 1.0]], "groups": None}
NAN, INF = float("nan"), float("inf")
SPAN = np.timedelta64(1, "D")  # numpy calls it an integer
NUMBERS = "be an array of real numbers"
MISSING = "not contain missing ids"
ONE_TYPE = "contain ids of one type"
EMPTY = "not contain empty ids"


class Closed:
    """An object that cannot be converted or compared."""

    def answer(self, *args, **kwargs):
        raise RuntimeError("closed")

    __array__ = __eq__ = __ne__ = __lt__ = answer
    __hash__ = None


def assert_rejected(name, arguments, parameter, rule, got):
    public_calls.assert_rejected(CALLS[name], name, GOOD | arguments, parameter, rule, got)


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
    "spans of time among numbers": (np.array([1, SPAN, 2, 0], dtype=object), "timedelta64"),
    "an array that cannot be read": (Closed(), "cannot convert .closed"),
    "numbers that a sort does not compare": ([1, Decimal("0.1"), 2, np.longdouble(4)], "other values"),
    "numbers that do not compare": ([Decimal("0.1"), np.longdouble(1) / 3, 2**70, 0], "other values"),
    "a fraction of no number": ([Fraction(SPAN), 0, 2, 0], "not numbers"),
}
DENSE = "be a dense array"
OTHER_RULES = {"sparse matrix": DENSE, "sparse array": DENSE, "masked": "be an array without masked entries"}
OTHER_RULES["three dimensions"] = "have one dimension, or two dimensions with one row per query"
WITHOUT_NAN = [(function, parameter) for function in CALLS for parameter in ("y_true", "y_score")]
# These metrics count NaN labels.
RESIDUAL = "rbp_residual_loss", "neg_rbp_residual_loss_scorer()"
for judged in ("judged_at_k_score", "judged_at_k_scorer(k=2)", "infap_score", "infap_scorer()", *RESIDUAL):
    WITHOUT_NAN.remove((judged, "y_true"))
NANS = {
    "floats": [NAN, 0, 2, 0],
    "objects": np.array([1, 0, NAN, 0], dtype=object),
    "decimals": [Decimal(1), Decimal(0), Decimal(2), Decimal("nan")],
    "numbers beyond the range of floats": [10**400, NAN, 2, 0],
    "signaling decimals": [Decimal(1), Decimal(0), Decimal(2), Decimal("snan")],
}


@pytest.mark.parametrize("kind", NO_NUMBERS)
@pytest.mark.parametrize("parameter", ["y_true", "y_score", "sample_weight"])
@EVERY
def test_functions_reject_values_that_are_no_array_of_numbers(function, parameter, kind):
    values, got = NO_NUMBERS[kind]
    rule = OTHER_RULES.get(kind, NUMBERS)
    assert_rejected(function, {parameter: values}, parameter, rule, got)


WITHOUT_FIX = {"an array that cannot be read"} | {
    kind for kind in NO_NUMBERS if "compare" in kind or "fraction" in kind
}


@pytest.mark.parametrize("kind", sorted(NO_NUMBERS.keys() - WITHOUT_FIX))
@pytest.mark.parametrize("parameter", ["y_true", "y_score", "sample_weight"])
def test_errors_about_values_that_are_no_numbers_end_with_a_fix(parameter, kind):
    rows = {"y_true": [1, 0, 2, 0], "y_score": [4, 3, 2, 1], "groups": [0, 0, 1, 1]}
    with pytest.raises(ValueError, match=r" instead\. [A-Z].*\.$"):
        sklearn_rank.ndcg_score(**rows | {parameter: NO_NUMBERS[kind][0]})


@pytest.mark.parametrize("parameter", ["y_true", "y_score", "groups", "sample_weight"])
@EVERY
@pytest.mark.filterwarnings("ignore::sklearn_rank.RankingWarning")
def test_functions_accept_masked_arrays_without_masked_entries(function, parameter):
    values = {"sample_weight": [1, 1, 2, 2]} | GOOD
    call = CALLS[function]
    masked = {parameter: np.ma.array(values[parameter], mask=[0, 0, 0, 0])}
    given = {parameter: np.array(values[parameter])}
    assert repr(call(**GOOD | masked)) == repr(call(**GOOD | given))


@pytest.mark.parametrize("kind", NANS)
@pytest.mark.parametrize(("function", "parameter"), WITHOUT_NAN)
def test_functions_reject_nan(function, parameter, kind):
    assert_rejected(function, {parameter: NANS[kind]}, parameter, "not contain NaN", "1 NaN")


@pytest.mark.parametrize("dtype", ["Int64", "Float64", "boolean"])
@pytest.mark.parametrize(("function", "parameter"), WITHOUT_NAN)
def test_functions_reject_nullable_column_with_missing_value(function, parameter, dtype):
    column = pytest.importorskip("pandas").Series([1, 0, None, 0], dtype=dtype)
    assert_rejected(function, {parameter: column}, parameter, "", "(1 NaN|NAType)")


@pytest.mark.parametrize("label", [INF, -INF, -1, -1e-300, -(2**70), np.longdouble("1e4000")])
@pytest.mark.parametrize("function", [name for name in CALLS if name not in SIGNED])
def test_functions_reject_negative_or_infinite_label(function, label):
    assert_rejected(
        function, {"y_true": [1, 0, label, 0]}, "y_true", "be finite and non-negative", r"y_true\[2\]"
    )


@pytest.mark.parametrize("label", [INF, -INF, np.longdouble("1e4000")])
@pytest.mark.parametrize("function", SIGNED)
def test_signed_label_metrics_reject_infinite_label(function, label):
    assert_rejected(function, {"y_true": [1, 0, label, 0]}, "y_true", "be finite", r"y_true\[2\]")


@pytest.mark.parametrize("parameter", ["y_true", "sample_weight"])
@EVERY
def test_functions_reject_number_beyond_float_range(function, parameter):
    assert_rejected(function, {parameter: [10**400] * 4}, parameter, "", "")


@pytest.mark.parametrize("parameter", ["y_true", "y_score"])
@pytest.mark.parametrize("function", FUNCTIONS)
def test_functions_reject_column_without_ids(function, parameter):
    given = {parameter: np.reshape(GOOD[parameter], (4, 1)), "groups": None}
    assert_rejected(
        function, given, parameter, "have one row per query, or be passed with groups=qid", "4, 1"
    )


@pytest.mark.parametrize("empty", [[], np.empty((0, 3)), np.empty((3, 0)), [[], []]], ids=repr)
@EVERY
def test_functions_reject_empty_rows(function, empty):
    arguments = {"y_true": empty, "y_score": empty, "groups": []}
    assert_rejected(function, arguments, "y_true", "have at least one row", "shape")


@pytest.mark.parametrize("scores", [[1, 2, 3], [1] * 5, [], [[1, 2], [3, 4]], [[1, 2, 3, 4]]], ids=repr)
@EVERY
def test_functions_reject_scores_of_different_shape(function, scores):
    got = re.escape(str(np.shape(scores)))
    assert_rejected(function, {"y_score": scores}, "y_score", "have the shape of 'y_true', (4,)", got)


@pytest.mark.parametrize(
    ("weights", "rule", "got"),
    [
        ([-1, -1, 1, 1], "be finite and non-negative", "-1"),
        ([NAN, NAN, 1, 1], "be finite and non-negative", "nan"),
        ([1, 1, INF, INF], "be finite and non-negative", "inf"),
        ([0, 0, 0, 0], "contain a value above 0", "zeros"),
        ([1e308, 1e308, 1, 1], "be at most 1e+300", r"1e\+308"),
        ([1, 2, 1, 1], "be the same for all rows of a query", "1.0 and 2.0"),
        ([1, 1, 1, 0], "be the same for all rows of a query", "1.0 and 0.0"),
        ([1, 1], "have one entry per row (4 rows)", "2 entries"),
        ([[1, 1, 1, 1]], "have one entry per row (4 rows)", "shape \\(1, 4\\)"),
    ],
)
@EVERY
def test_functions_reject_invalid_weights(function, weights, rule, got):
    assert_rejected(function, {"sample_weight": weights}, "sample_weight", rule, got)


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
    "complex": (np.array([1j, 1j, 2, 2]), "contain ids of a sortable type"),
    "objects without an order": ([object(), object(), object(), object()], "contain ids of a sortable type"),
    "a signalling NaN": ([Decimal(0), Decimal("snan"), Decimal(1), Decimal(1)], MISSING),
    "frozensets": ([frozenset([i % 2]) for i in range(4)], "contain ids of a sortable type"),
    "lists": ([[0, 0], [0, 0], [1, 1], [1, 1]], "be one-dimensional"),
    "arrays": ([np.zeros(2)] * 4, "be one-dimensional"),
    "an array among numbers": ([0, np.zeros(2), 1, 1], ONE_TYPE),
    "a span of time among numbers": ([0, SPAN, 1, 1], ONE_TYPE),
    "a span of time in a tuple": ([(0, SPAN), (0, 1), (1, 1), (1, 1)], "contain ids of a sortable type"),
    "a fraction of no number": (
        [Fraction(SPAN), Fraction(1), Fraction(2), Fraction(2)],
        "contain ids of a sortable",
    ),
    "objects that do not compare": (
        [Closed(), Closed(), Closed(), Closed()],
        "contain ids of a sortable type",
    ),
    "an array that cannot be read": (Closed(), "contain ids"),
    "empty text": (["a", "a", "", ""], EMPTY),
    "empty text in an array": (np.array(["a", "a", "", ""]), EMPTY),
    "empty bytes": ([b"a", b"a", b"", b""], EMPTY),
    "two dimensions": (np.zeros((4, 2)), "be one-dimensional"),
    "a row": (np.zeros((1, 4)), "be one-dimensional"),
    "a number": (0, "be one-dimensional"),
    "a set": ({0, 1}, "be one-dimensional"),
    "a name": ("qid", "be an array of ids, not a name"),
    "sizes": ([2, 2], "have one id per row (4 rows)"),
}


@pytest.mark.parametrize("kind", BAD_IDS)
@EVERY
def test_functions_reject_invalid_ids(function, kind):
    ids, rule = BAD_IDS[kind]
    if kind == "a name" and function in SCORERS:
        rule = "name an index level of X or y, or a column of X"
    assert_rejected(function, {"groups": ids}, "groups", rule, "")


@pytest.mark.parametrize("dtype", ["Int64", "Float64", "boolean", "string", "category", "datetime64[s]"])
@EVERY
def test_functions_reject_id_column_with_missing_value(function, dtype):
    ids = pytest.importorskip("pandas").Series([1, 0, None, 0], dtype="Int64").astype(dtype)
    assert_rejected(function, {"groups": ids}, "groups", MISSING, "")


@pytest.mark.parametrize(
    ("parameter", "rule"), [("groups", "be None if 'y_true' has two"), ("sample_weight", "have one entry")]
)
@pytest.mark.parametrize("function", FUNCTIONS)
def test_functions_reject_ids_and_row_weights_for_matrix_rows(function, parameter, rule):
    assert_rejected(function, ROWS | {parameter: [1, 1, 1, 1]}, parameter, rule, "")


# ------------------------------------------------------------------ calls without labels

NAMED = [kind for kind in BAD_IDS if kind != "a name"]  # these functions accept names
BAD_WEIGHTS = [[-1, -1, 1, 1], [NAN, NAN, 1, 1], [INF] * 4, [0] * 4, [1, 2, 1, 1], [1, 1], [[1] * 4]]
BAD_WEIGHTS += ["1111", [1j] * 4, ["1"] * 4]
BAD_SCORES = [values for values, _ in NO_NUMBERS.values()] + [*NANS.values(), [], np.eye(4), 3, None]


@pytest.mark.parametrize("scores", BAD_SCORES, ids=name_of)
@pytest.mark.parametrize("function", LISTS)
def test_list_metrics_reject_invalid_scores(function, scores):
    given = {"y_score": scores, "groups": GOOD["groups"]}
    public_calls.assert_rejected(LISTS[function], function, given, "y_score")


@pytest.mark.parametrize("kind", BAD_IDS)
@pytest.mark.parametrize("function", LISTS)
def test_list_metrics_reject_invalid_ids(function, kind):
    ids, rule = BAD_IDS[kind]
    given = {"y_score": GOOD["y_score"], "groups": ids}
    public_calls.assert_rejected(LISTS[function], function, given, "groups", rule)


@pytest.mark.parametrize("weights", BAD_WEIGHTS, ids=repr)
@pytest.mark.parametrize("function", [*WEIGHTED_LISTS, "group_score"])
def test_list_metrics_and_group_score_reject_invalid_weights(function, weights):
    given = {"groups": GOOD["groups"], "sample_weight": weights}
    given |= {} if function == "group_score" else {"y_score": GOOD["y_score"]}
    public_calls.assert_rejected((LISTS | ID_CALLS)[function], function, given, "sample_weight")


@pytest.mark.parametrize("kind", NAMED)
@pytest.mark.parametrize("function", ID_CALLS)
def test_functions_of_ids_reject_invalid_ids(function, kind):
    ids, rule = BAD_IDS[kind]
    public_calls.assert_rejected(ID_CALLS[function], function, {"groups": ids}, "groups", rule)


@pytest.mark.parametrize("kind", NAMED)
@pytest.mark.parametrize("function", TIME_CALLS)
def test_functions_of_times_reject_invalid_times(function, kind):
    times, rule = BAD_IDS[kind]
    rule = re.sub(r"\bid(s?)\b", r"time\1", rule)
    public_calls.assert_rejected(TIME_CALLS[function], function, {"groups": times}, "times", rule)


@pytest.mark.parametrize("first", [INF, -INF, 2**70 + 1], ids=repr)
@pytest.mark.parametrize("function", [*VALUED, "ranking_scores", "tie_report"])
def test_metrics_that_use_score_values_reject_inexact_scores(function, first):
    rule = "be finite" if abs(first) == INF else "be exactly representable in float64"
    scores = [first, 3, 2, 1] if abs(first) == INF else [2**70 + i for i in (3, 2, 1, 0)]
    assert_rejected(function, {"y_score": scores}, "y_score", rule, "")


@pytest.mark.parametrize("bad", ["y_true", "y_score", "groups", "sample_weight"])
@EVERY
def test_rejected_input_is_not_modified(function, bad):
    arrays = {name: np.array(values, dtype=float) for name, values in GOOD.items()}
    arrays["sample_weight"] = np.ones(4)
    arrays[bad][1] = -INF if bad == "y_true" else NAN
    before = {name: array.copy() for name, array in arrays.items()}
    with pytest.raises(ValueError, match=bad):
        CALLS[function](**arrays)
    np.testing.assert_equal(arrays, before)
