"""Errors for options out of range, in functions and in scorer factories."""

import re
from fractions import Fraction
from functools import partial

import numpy as np
import pytest
from sklearn.metrics import mean_absolute_error

import sklearn_rank
from sklearn_rank import ndcg_score, ndcg_scorer, ranking_scorer, ranking_scores, recall_at_k_score
from sklearn_rank.metrics import RankingScorer
from tests.helpers import public_calls
from tests.helpers.public_calls import FUNCTIONS, GOOD, LISTS, MADE_WITH, UNREADABLE, has_parameter, list_bad
from tests.helpers.scorers import CUTOFF, FACTORIES, NAMES, REQUIRED, WITH_K
from tests.helpers.table import METRICS, SCORE_OF, WITH_TIES

NAN, INF = float("nan"), float("inf")
GAIN = pytest.mark.parametrize(
    "function", [name for name in FUNCTIONS if has_parameter(FUNCTIONS[name], "gain")]
)


def assert_refused(function, arguments, parameter, rule, got):
    public_calls.assert_rejected(FUNCTIONS[function], function, GOOD | arguments, parameter, rule, got)


SPAN = np.timedelta64(3, "D")  # numpy calls it an integer
TINY = Fraction(1, 10**400)  # 0 as a float
TWO_WORDS = [np.array(["hits"]), np.array(["hits", "best"])]
NO_COUNTS = [0, -1, 1.5, 2.0, True, np.True_, "5", NAN, [2], np.array(2), 10**400, SPAN]
OPTIONS = {
    "k": ("be an int >= 1 or None", [*NO_COUNTS, 2**63]),
    "max_k": ("be an int >= 1 or None", [*NO_COUNTS, 2**31]),
    "recall_levels": ("be an int >= 2", [1, 2**31, 10**400, "all", [], [[0, 1]], [1j], SPAN]),
    "false_positive_rates": ("be an int >= 2", [None, 1, 2**31, [], SPAN]),
    "min_relevance": ("be a finite number > 0", [0, -1, NAN, INF, "1", None, True, [1], TINY, 10**400, SPAN]),
    "gain": ("be 'linear', 'exponential'", ["log", b"linear", None, 2, True, bytearray(b"1"), np.array(1.0)]),
    "discount": ("be 'log2', 'reciprocal', None", ["ln", b"log2", 2, [1, 0.5], True]),
    "ties": ("be one of 'average', 'order', 'best', 'worst'", ["random", None, 1, *TWO_WORDS]),
    "zero_division": ("be 0.0, 1.0 or nan", ["warn", "nan", 0.5, -1, INF, True, [0], 10**400, SPAN]),
    "average": (
        "be one of 'macro', 'micro', 'weighted', 'geometric', None",
        ["samples", "Macro", 1, False, ["macro"]],
    ),
    "denominator": ("be one of 'achievable', 'relevant', 'hits'", ["k", None, 5, *TWO_WORDS]),
    "adaptive_k": ("be one of False, True", [1, 0, None, "yes"]),
    "signed": ("be one of False, True", [1, 0, None, "yes", -1]),
    "multiple": ("be a number from 0.01 to 10**6", [0, -1, 0.001, 2e6, NAN, INF, "2", None, True, SPAN]),
    "unjudged": ("be one of 'raise', 'nonrelevant', 'drop', 'mean', 'median'", [None, "skip", 0, ["drop"]]),
    "max_grade": ("be a finite number > 0 or None", [0, -1, NAN, INF, "4", True]),
    "p": ("be a number above 0 and below 1", [0, 1, 1.5, -0.1, NAN, "0.8", True, TINY, 1 - TINY, SPAN]),
}
OWN_RULES = {
    ("interpolated_precision_curve", "ties"): "be one of 'together', 'order', 'best', 'worst'",
    ("map_curve", "denominator"): "be one of 'achievable', 'relevant'",
    ("recall_curve", "denominator"): "be one of 'relevant', 'achievable'",
    ("recall_at_k_score", "denominator"): "be one of 'relevant', 'achievable'",
    ("bpref_score", "denominator"): "be one of 'achievable', 'relevant'",
}
BAD_OPTIONS = list_bad(FUNCTIONS, OPTIONS)
# Scorer factories with their required options.
MAKERS = {factory.__name__: (factory, MADE_WITH.get(factory.__name__, {})) for factory in FACTORIES.values()}
MAKERS["ranking_scorer"] = sklearn_rank.ranking_scorer, {"metrics": ["dcg@2", "map", "rbp"]}
MAKERS["make_group_scorer"] = sklearn_rank.make_group_scorer, {"score_func": mean_absolute_error}
OF_ITEMS = {"k": 2, "items": "item"}
MAKERS["catalog_coverage_scorer"] = sklearn_rank.catalog_coverage_scorer, OF_ITEMS
MAKERS["neg_exposure_gini_loss_scorer"] = sklearn_rank.metrics.neg_exposure_gini_loss_scorer, OF_ITEMS
MAKERS["novelty_scorer"] = sklearn_rank.metrics.novelty_scorer, OF_ITEMS | {"popularity": {"a": 0.5}}
MAKERS["neg_intra_list_similarity_loss_scorer"] = sklearn_rank.neg_intra_list_similarity_loss_scorer, {"k": 2}
OF_POPULARITY = OF_ITEMS | {"popularity": {"a": 0.5}}
OF_HISTORY = {"k": 2, "history": (np.eye(2), ["a", "b"])}
MAKERS["personalization_scorer"] = sklearn_rank.metrics.personalization_scorer, OF_ITEMS
MAKERS["neg_average_popularity_loss_scorer"] = (
    sklearn_rank.metrics.neg_average_popularity_loss_scorer,
    OF_POPULARITY,
)
MAKERS["tail_share_scorer"] = sklearn_rank.metrics.tail_share_scorer, OF_POPULARITY
MAKERS["diversity_scorer"] = sklearn_rank.diversity_scorer, {"k": 2}
MAKERS["neg_calibration_loss_scorer"] = sklearn_rank.metrics.neg_calibration_loss_scorer, OF_HISTORY
MAKERS["serendipity_scorer"] = sklearn_rank.metrics.serendipity_scorer, OF_HISTORY
MAKERS["sampled_scorer"] = sklearn_rank.metrics.sampled_scorer, {"n_items": 9}
OF_FACTORIES = {option: values for option, (_, values) in OPTIONS.items()}
OF_FACTORIES["average"] = [*OF_FACTORIES["average"], None]
OF_FACTORIES |= {"groups": ["", b"qid"], "response_method": ["score", b"predict", None, np.array(["auto"])]}
OF_FACTORIES |= {"items": ["", 5, None], "similarity": ["jaccard", *TWO_WORDS]}
OF_FACTORIES |= {"columns": [[], "f1", [[0]], [1.5], [[0], [1, 2]], np.array(1)]}
OF_FACTORIES |= {"popularity": [None, 0.5, [("a", 0.5)]], "greater_is_better": [1, None, "yes"]}
OF_FACTORIES |= {
    "score_func": ["r2", None],
    "metrics": ["map", b"map", 5, ["r2"], [5], ["map", "map"], [], None],
}
BAD_IN_FACTORIES = [
    pytest.param(factory, option, value, id=f"{factory}-{option}={value!r}")
    for factory, (make, _) in MAKERS.items()
    for option, values in OF_FACTORIES.items()
    for value in values
    if has_parameter(make, option) and not (option == "zero_division" and value is None)
    if (factory, str(value)) != ("ranking_scorer", "map")  # it also accepts one name
]


@pytest.mark.parametrize(("function", "option", "value", "rule"), BAD_OPTIONS)
def test_functions_reject_invalid_option_before_reading_data(function, option, value, rule):
    rule = OWN_RULES.get((function, option), rule)
    got = re.escape(repr(value)[:15])  # long values are shortened
    assert_refused(function, UNREADABLE | {option: value}, option, rule, got)


@pytest.mark.parametrize(
    ("option", "taken", "refused"),
    [("k", 1, True), ("k", 1, 1.0), ("min_relevance", 1, True), ("zero_division", 0.0, False)],
)
def test_invalid_option_is_rejected_after_equal_valid_one(option, taken, refused):
    """What was checked is remembered, by type and value."""
    calls = [partial(recall_at_k_score, k=1), partial(ranking_scores, metrics=["recall@1"])]
    for call in calls[: 1 if option == "k" else 2]:
        call(**GOOD, **{option: taken})
        with pytest.raises(ValueError, match=f"'{option}' parameter of .* Got {refused}"):
            call(**GOOD, **{option: refused})


@pytest.mark.parametrize("option", ["name", "shared", "function"])
def test_scorer_with_unknown_option_raises_type_error(option):
    scorer = RankingScorer("ndcg@10", {option: 1})
    with pytest.raises(TypeError, match=f"has no option '{option}'"):
        scorer.score_rows(GOOD["y_true"], GOOD["y_score"], groups=GOOD["groups"])


def test_zero_division_of_minus_zero_returns_positive_zero():
    for zero in (-0.0, 0.0, -0.0):
        value = ndcg_score([[0, 0]], [[1, 2]], average=None, zero_division=zero)[0]
        assert not np.signbit(value)


def test_ranking_scores_check_names_before_options():
    with pytest.raises(ValueError, match=r"'metrics' parameter .* name a metric"):
        ranking_scores(**GOOD, metrics=["ndcg@5", "nonsense"], average="micro")


GAINS = {
    "short": ([0, 1], "none for label 2"),
    "without a grade": ({0: 0, 1: 1}, "none for label 2"),
    "falling": ([2, 1, 0], "2 for label 0 and 1 for label 1"),
    "negative": (lambda labels: labels - 1, "-1"),
    "nan": ([0, NAN, 1], "nan"),
    "infinite": ([0, 1, INF], "inf"),
    "beyond the range": ([0, 1, 10**400], "000"),
    "infinite in sum": ([0, 1e308, 1.2e308], "e\\+308"),
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
def test_functions_reject_gain_that_does_not_fit_labels(function, gain, got):
    assert_refused(function, {"gain": gain}, "gain", "", got)


@pytest.mark.parametrize(("discount", "got"), DISCOUNTS.values(), ids=DISCOUNTS)
@GAIN
def test_functions_reject_discount_that_does_not_fit_ranks(function, discount, got):
    assert_refused(function, {"discount": discount}, "discount", "", got)


@pytest.mark.parametrize("label", [1023, 1100, 2**40, 1e308])
@GAIN
def test_functions_reject_exponential_gain_that_overflows(function, label):
    arguments = {"y_true": [label, label, 1, 0], "gain": "exponential"}
    assert_refused(function, arguments, "gain", "give gains with a finite sum", re.escape(str(label)))


@GAIN
def test_functions_reject_labels_without_a_finite_sum(function):
    arguments = {"y_true": [1e308, 0, 1e308, 0], "gain": "linear"}
    assert_refused(function, arguments, "y_true", "have a finite sum", re.escape("1e+308"))


# ------------------------------------------------------------------ factories of scorers


@pytest.mark.parametrize(("factory", "option", "value"), BAD_IN_FACTORIES)
def test_scorer_factories_reject_option_out_of_range(factory, option, value):
    make, required = MAKERS[factory]
    got = "" if option in ("groups", "metrics", "popularity") else re.escape(repr(value)[:40])
    public_calls.assert_rejected(make, factory, required | {option: value}, option, "", got)


# ------------------------------------------------------------------ checks before computation


def record(calls):
    """Return what notes that it is called, as a gain, discount, similarity or metric."""
    return lambda *arguments: calls.append(arguments)


BAD_ROWS = {
    "labels": {"y_true": [1, 0, -1, 0]},
    "scores": {"y_score": [4, NAN, 2, 1]},
    "ids": {"groups": [0, None, 1, 1]},
    "weights": {"sample_weight": [1, 2, 1, 1]},
    "an option": {"zero_division": 2},
    "a name": {"metrics": ["dcg", "map", "x"]},
}
CALLED_BACK = [
    pytest.param(function, option, bad, id=f"{name}-{option}-{kind}")
    for name, function in {**FUNCTIONS, **LISTS, "group_score": sklearn_rank.group_score}.items()
    for option in ("gain", "discount", "similarity", "score_func")
    for kind, bad in BAD_ROWS.items()
    if has_parameter(function, option) and has_parameter(function, next(iter(bad)))
    if (option, kind) != ("score_func", "labels")  # labels can have any value there
]


@pytest.mark.parametrize(("function", "option", "bad"), CALLED_BACK)
def test_callables_are_not_called_when_rows_are_rejected(function, option, bad):
    calls = []
    given = {name: values for name, values in GOOD.items() if has_parameter(function, name)} | bad
    given |= {"y_pred": GOOD["y_score"]} if option == "score_func" else {}
    with pytest.raises(ValueError, match=f"'{next(iter(bad))}' parameter of"):
        function(**given, **{option: lambda *arguments: calls.append(arguments)})
    assert calls == []


# ------------------------------------------------------------------ errors of factories


BAD = [(stem, "k", k) for stem in WITH_K for k in (0, -1, True, 1.5, "5", np.nan)]
BAD += [(stem, "ties", "random") for stem in WITH_TIES] + [(stem, "average", None) for stem in METRICS]
BAD += [(stem, "groups", np.zeros(3)) for stem in METRICS]
BAD += [
    (stem, "labels", labels) for stem in METRICS for labels in (np.zeros(3), "", 1, "groups", "sample_weight")
]
BAD += [("ndcg", "gain", "quadratic"), ("dcg", "gain", None), ("ndcg", "discount", "ln")]
BAD += [("ndcg", "average", "micro"), ("map", "min_relevance", 0), ("map", "denominator", "R")]
BAD += [("recall", "denominator", "hits"), ("bpref", "denominator", "hits"), ("r_precision", "multiple", 0)]
BAD += [
    ("mrr", "zero_division", 0.5),
    ("precision", "adaptive_k", "yes"),
    ("map", "response_method", "score"),
    ("map", "response_method", []),
    ("map", "response_method", [["predict"]]),
    ("map", "zero_division", None),
    ("map", "zero_division", False),
    ("map", "min_relevance", True),
]


@pytest.mark.parametrize(("stem", "parameter", "value"), BAD)
def test_metric_scorer_factories_reject_invalid_option(stem, parameter, value):
    factory = FACTORIES[stem]
    with pytest.raises(ValueError, match=f"'{parameter}' parameter of {factory.__name__} must"):
        factory(**{**CUTOFF[stem], parameter: value})


@pytest.mark.parametrize(
    ("metrics", "options", "parameter"),
    [
        (["ndgc@10"], {}, "metrics"),
        ("ndgc@10", {}, "metrics"),
        ([], {}, "metrics"),
        (5, {}, "metrics"),
        (["r2"], {}, "metrics"),
        (NAMES, {"average": None}, "average"),
        (NAMES, {"average": "micro"}, "average"),
        (["map"], {"gain": "quadratic"}, "gain"),
        (NAMES, {"groups": np.zeros(3)}, "groups"),
    ],
)
def test_ranking_scorer_rejects_invalid_options(metrics, options, parameter):
    with pytest.raises(ValueError, match=f"'{parameter}' parameter of ranking_scorer must"):
        ranking_scorer(metrics, **options)


@pytest.mark.parametrize("request_", [{"groups": 5}, {"sample_weight": ""}, {"groups": ["qid"]}], ids=str)
def test_set_score_request_accepts_only_bool_none_or_name(request_):
    with pytest.raises(ValueError, match="set_score_request must be True, False, None or a name"):
        ndcg_scorer().set_score_request(**request_)


def test_ranking_scorer_class_rejects_unknown_option(model, ranking_data):
    X, y, groups = ranking_data
    with pytest.raises(TypeError, match="has no option 'tie'"):
        RankingScorer("ndcg", {"tie": "best"})(model, X, y, groups=groups)


@pytest.mark.filterwarnings("ignore:.*no query has more documents:sklearn_rank.RankingWarning")
@pytest.mark.parametrize("k", [2**62, 2**63 - 1, np.int64(2**62)])
@pytest.mark.parametrize("stem", [stem for stem in WITH_K if stem not in ("precision", "f1")])
def test_scorer_factories_accept_large_cutoffs(stem, k, model, ranking_data):
    X, y, groups = ranking_data
    expected = SCORE_OF[stem](y, model.predict(X), groups=groups, k=k)
    sign = 1 if METRICS[stem].greater_is_better else -1
    assert FACTORIES[stem](k=k)(model, X, y, groups=groups) == sign * expected


@pytest.mark.parametrize("stem", REQUIRED)
def test_scorer_factories_of_metrics_at_k_require_k(stem):
    with pytest.raises(TypeError, match="'k'"):
        FACTORIES[stem]()


@pytest.mark.parametrize(
    "name", [np.array(["map", "mrr"], dtype=object), ["map"], (["map"],), {"map": 1}], ids=repr
)
def test_metrics_that_are_not_hashable_raise_error_with_example(name):
    with pytest.raises(ValueError, match=r"'metrics' .* names of metrics\. Got .* Pass \"ndcg@10\""):
        ranking_scores([[1, 0]], [[2, 1]], metrics=[name, "mrr@3"])


def test_error_shows_value_of_several_lines_in_one_line():
    with pytest.raises(
        ValueError, match=r"Got array\(\[\[1., 0.\], \[0., 1.\]\]\) instead\. Pass gain='linear'\.$"
    ):
        ndcg_score([[1, 0]], [[2, 1]], gain=np.eye(2))
