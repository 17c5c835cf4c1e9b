"""Names of intent metrics, in one call with metrics of labels and scores."""

import numpy as np
import pytest

from sklearn_rank import cross_val_report, evaluate, get_scorer, ranking_scorer, ranking_scores
from sklearn_rank.metrics import (
    alpha_ndcg_score,
    err_ia_score,
    nrbp_score,
    subtopic_recall_score,
)
from tests.helpers.table import EXTRA_DATA_METRICS

STEMS = ["alpha_ndcg", "err_ia", "subtopic_recall", "nrbp"]
NAMES = [stem if stem == "nrbp" else f"{stem}@3" for stem in STEMS]


@pytest.fixture
def given():
    """Seven queries of five rows, in a mixed order, with ties; to the last one nothing is relevant."""
    rng = np.random.default_rng(0)
    groups = rng.permutation(np.repeat(np.arange(7), 5))
    labels = rng.integers(0, 4, (35, 3)) * (groups < 6)[:, None]
    return {
        "y_true": labels.max(axis=1),
        "y_score": rng.integers(0, 4, 35),
        "groups": groups,
        "intents": labels,
    }


def rows_of(given, *names):
    return {name: given[name] for name in ("y_true", "y_score", "groups", *names)}


def needed(given, name):
    """What a name needs beside labels and scores."""
    return rows_of(given, *EXTRA_DATA_METRICS[name.partition("@")[0].removeprefix("neg_")].needs)


def call(given, name, **options):
    """Compute by the function what a name with a cutoff stands for."""
    stem, _, k = name.partition("@")
    metric = EXTRA_DATA_METRICS[stem]
    options |= {"k": int(k)} if k else {}
    return metric.function(given["intents"], given["y_score"], groups=given["groups"], **options)


def test_names_of_intent_metrics_are_all_tested():
    others = {stem for stem, metric in EXTRA_DATA_METRICS.items() if "intents" in metric.needs}
    assert others == {*STEMS, "intent_aware"}


@pytest.mark.parametrize("name", NAMES)
def test_ranking_scores_by_name_equal_metric_function(name, given):
    assert ranking_scores(**needed(given, name), metrics=[name]) == {name: call(given, name)}


def test_ranking_scores_mix_metrics_and_keep_order_of_names(given):
    last = "mrr(min_relevance=2)"
    names = ["nrbp", "ndcg@3", *[name for name in NAMES if name != "nrbp"], last]
    found = ranking_scores(**given, metrics=names)
    assert list(found) == names
    assert {name: found[name] for name in NAMES} == {name: call(given, name) for name in NAMES}
    plain = ranking_scores(**rows_of(given), metrics=["ndcg@3", last])
    assert {name: found[name] for name in plain} == plain


@pytest.mark.parametrize("average", ["weighted", None])
@pytest.mark.parametrize("name", NAMES)
def test_ranking_scores_share_average_ties_weights_and_zero_division(name, average, given):
    weights = given["groups"] + 1.0
    options = {"average": average, "ties": "order", "zero_division": 1.0, "sample_weight": weights}
    found = ranking_scores(**needed(given, name), metrics=[name], **options)
    np.testing.assert_array_equal(found[name], call(given, name, **options))


@pytest.mark.parametrize("name", ["alpha_ndcg@3", "err_ia@3"])
def test_ranking_scores_apply_unjudged_to_intents(name, given):
    given["intents"] = np.where(given["intents"] == 1, np.nan, given["intents"])
    with pytest.raises(ValueError, match="'intents' parameter of ranking_scores must not contain NaN"):
        ranking_scores(**needed(given, name), metrics=[name])
    found = ranking_scores(**needed(given, name), metrics=[name], unjudged="nonrelevant")
    assert found == {name: call(given, name, unjudged="nonrelevant")}
    in_name = f"{name}(unjudged=nonrelevant)"
    assert ranking_scores(**needed(given, name), metrics=[in_name]) == {in_name: found[name]}


def test_metric_names_accept_options_of_intent_metrics(given):
    names = ["alpha_ndcg@2(alpha=0.3, normalize=bound, discount=reciprocal, min_relevance=2)"]
    names += ["err_ia(gain=linear, max_grade=5, normalize=ideal)", "nrbp(beta=.8, zero_division=nan)"]
    names += ["subtopic_recall@1(average=weighted)"]
    labels = given["intents"], given["y_score"]
    rows = {"groups": given["groups"]}
    assert list(ranking_scores(**given, metrics=names).values()) == [
        alpha_ndcg_score(
            *labels, **rows, k=2, alpha=0.3, normalize="bound", discount="reciprocal", min_relevance=2
        ),
        err_ia_score(*labels, **rows, gain="linear", max_grade=5, normalize="ideal"),
        nrbp_score(*labels, **rows, beta=0.8, zero_division=np.nan),
        subtopic_recall_score(*labels, **rows, k=1, average="weighted"),
    ]


def test_ranking_scores_pass_min_relevance_but_not_gain_or_discount(given):
    names = ["alpha_ndcg@3", "err_ia@3"]
    options = {"gain": "exponential", "discount": "reciprocal", "min_relevance": 2}
    found = ranking_scores(**rows_of(given, "intents"), metrics=names, **options)
    assert found == {
        "alpha_ndcg@3": call(given, "alpha_ndcg@3", min_relevance=2),
        "err_ia@3": call(given, "err_ia@3"),
    }


def test_intent_names_do_not_depend_on_row_order(given):
    mixed = np.random.default_rng(3).permutation(35)
    other = {name: each[mixed] for name, each in given.items()}
    expected = ranking_scores(**given, metrics=NAMES)
    assert ranking_scores(**other, metrics=NAMES) == pytest.approx(expected, abs=1e-12)


# ------------------------------------------------------------------ errors


@pytest.mark.parametrize("name", NAMES)
def test_ranking_scores_require_inputs_of_metric_names(name, given):
    needs = EXTRA_DATA_METRICS[name.partition("@")[0]].needs
    for need in needs:
        lacking = rows_of(given) | {"items": given["groups"]}
        with pytest.raises(
            ValueError,
            match=f"'{need}' parameter of ranking_scores must be set for '{name}'.* [Pp]ass {need}=",
        ):
            ranking_scores(**lacking, metrics=[name])
    words = ", ".join(f"{need}=..." for need in needs)
    with pytest.raises(
        ValueError, match=rf"must be passed with the inputs of the metric.*ranking_scores\(..., {words}\)"
    ):
        ranking_scores(**rows_of(given), metrics=[name])


@pytest.mark.parametrize(
    ("table", "takers"),
    [
        ("intents", "alpha_ndcg, nrbp, err_ia, subtopic_recall"),
    ],
)
def test_ranking_scores_reject_inputs_that_no_name_uses(table, takers, given):
    rule = f"'{table}' parameter of ranking_scores must be None unless a metric .* uses it.*: {takers}."
    with pytest.raises(ValueError, match=rule):
        ranking_scores(**rows_of(given, table), metrics=["ndcg@3"])


FRAME = "have its rows in the same order as 'y_true'"
WRONG = {
    "a row is missing": (
        {"intents": np.ones((34, 3))},
        "intents",
        r"have one row per score \(35 scores\). Got 34 rows",
    ),
    "one column": ({"intents": np.ones(35)}, "intents", r".*numpy.reshape\(intents, \(-1, 1\)\)"),
    "below 0": ({"intents": -np.ones((35, 3))}, "intents", r"be finite and non-negative.*intents\[0, 0\]"),
    "text": ({"intents": "text"}, "intents", ""),
    "not judged": ({"intents": np.full((35, 3), np.nan)}, "intents", "not contain NaN"),
    "a best order": ({"ties": "best"}, "ties", "be one of 'average', 'order'"),
    "labels left out": ({"unjudged": "drop"}, "unjudged", "be one of 'raise', 'nonrelevant'"),
    "averages": ({"average": ["macro", "micro"]}, "average", "be one of"),
    "an array": ({"average": np.array(["macro", "micro"])}, "average", "be one of"),
    "a ratio of sums": (
        {"average": "micro"},
        "average",
        "be 'macro', 'weighted', 'geometric' or None with 'alpha_ndcg",
    ),
    "labels of other rows": ({"y_true": [1, 0]}, "y_score", ""),
}


@pytest.mark.parametrize(("change", "parameter", "rule"), WRONG.values(), ids=WRONG)
def test_ranking_scores_errors_name_arguments_of_call(change, parameter, rule, given):
    with pytest.raises(ValueError, match=f"'{parameter}' parameter of ranking_scores must {rule}"):
        ranking_scores(**(given | change), metrics=["alpha_ndcg@3", "err_ia@3"])


@pytest.mark.parametrize("known", ["y_true", "y_score", "groups"])
def test_ranking_scores_reject_intents_in_different_order(known, given):
    pandas = pytest.importorskip("pandas")
    given |= {known: pandas.Series(given[known]), "intents": pandas.DataFrame(given["intents"])[::-1]}
    rule = f"'intents' parameter of ranking_scores must have its rows in the same order as '{known}'"
    with pytest.raises(ValueError, match=rule):
        ranking_scores(**rows_of(given, "intents"), metrics=["alpha_ndcg@3"])


OF_NAMES = {
    "alpha_ndcg@0": r"be written as alpha_ndcg or alpha_ndcg@10, with",
    "subtopic_recall": "have a cutoff, such as subtopic_recall@10",
    "nrbp@5": "have no cutoff",
    "alpha_ndcg@3(foo=1)": r"contain only parameters of alpha_ndcg_score. Got .* Did you mean",
    "alpha_ndcg(k=3)": 'be written "alpha_ndcg@3"',
    "alpha-nDCG@3": 'be written "alpha_ndcg@3"',
    "nrbp_score": 'be written "nrbp"',
    "neg_err_ia@3": 'be "err_ia@3", without "neg_"',
    "err_ia@3(gain=[0, 1])": r"contain parameters as \(name=value\)",
    "err_ia(intent_weight=2)": "contain only parameters of err_ia_score",
    "alpha_ndcg@3(average=None)": "not contain average=None",
    "intent_aware@3": r"depend only on labels and scores.*values of intent_aware_score\(",
    "rbo@10": r"depend only on labels and scores.*values of rbo_score\(",
    "overlap@10": r"depend only on labels and scores.*values of overlap_at_k_score\(",
}


@pytest.mark.parametrize(("name", "rule"), OF_NAMES.items(), ids=OF_NAMES)
def test_invalid_metric_name_error_suggests_valid_form(name, rule, given):
    with pytest.raises(ValueError, match=f"'metrics' parameter of ranking_scores must {rule}"):
        ranking_scores(**given, metrics=[name, *NAMES])


SCORERS = ["alpha_ndcg@5", "nrbp", "subtopic_recall", "serendipity"]
WITHOUT_TABLES = {
    "get_scorer": get_scorer,
    "ranking_scorer": lambda name: ranking_scorer([name]),
    "cross_val_report": lambda name: cross_val_report(None, None, None, groups=None, scoring=[name]),
}


@pytest.mark.parametrize("function", WITHOUT_TABLES)
@pytest.mark.parametrize("name", SCORERS)
def test_functions_of_labels_and_scores_suggest_scorer_factory(function, name):
    stem = name.partition("@")[0]
    scorer = rf"{EXTRA_DATA_METRICS[stem.removeprefix('neg_')].factory.__name__}\(\.\.\.\)"
    rule = rf"of {function} must depend only on labels and scores.* Use the scorer {scorer}, or"
    with pytest.raises(ValueError, match=rule):
        WITHOUT_TABLES[function](name)


def test_evaluate_equals_ranking_scores_for_intents(given):
    assert evaluate(**given, metrics=NAMES).mean.items() <= ranking_scores(**given, metrics=NAMES).items()
