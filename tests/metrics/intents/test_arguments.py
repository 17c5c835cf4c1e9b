"""Labels of intents in all containers, options and errors."""

import warnings

import numpy as np
import pytest
from scipy import sparse

from sklearn_rank.metrics import (
    alpha_ndcg_score,
    err_ia_score,
    intent_aware_score,
    intent_aware_scorer,
    nrbp_score,
    subtopic_recall_score,
)


def ndcg_ia(*rows, **options):
    return intent_aware_score("ndcg@2", *rows, **options)


def subtopic_recall(*rows, **options):
    return subtopic_recall_score(*rows, **{"k": 2} | options)


FUNCTIONS = {
    "alpha_ndcg_score": alpha_ndcg_score,
    "err_ia_score": err_ia_score,
    "subtopic_recall_score": subtopic_recall,
    "nrbp_score": nrbp_score,
    "intent_aware_score": ndcg_ia,
}
LABELS = np.array([[1, 0, 0], [0, 1, 0], [1, 1, 0], [0, 0, 1], [0, 0, 0]])
SCORES = np.array([0.1, 0.2, 0.3, 0.5, 0.6])
GROUPS = np.array(["a", "a", "a", "b", "b"])

by_name = pytest.mark.parametrize("name", FUNCTIONS)


def score(name, y_true=LABELS, y_score=SCORES, groups=GROUPS, **options):
    return FUNCTIONS[name](y_true, y_score, groups=groups, **options)


@by_name
@pytest.mark.parametrize(
    "form",
    [
        np.ndarray.tolist,
        lambda labels: labels > 0,
        lambda labels: labels.astype(np.int8),
        np.asfortranarray,
        lambda labels: labels.astype(object),
        sparse.csr_array,
        sparse.coo_matrix,
    ],
)
def test_intent_metrics_accept_labels_in_any_container(name, form):
    assert score(name, form(LABELS)) == score(name)


@by_name
def test_intent_metrics_accept_label_frames_and_check_row_order(name):
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(LABELS, columns=["car", "cat", "system"], index=list("vwxyz"))
    groups = pandas.Series(GROUPS, index=frame.index)
    assert score(name, frame, groups=groups) == score(name)
    with pytest.raises(
        ValueError, match=r"'groups' parameter of .* must have its rows in the same order as 'y_true'"
    ):
        score(name, frame, groups=groups.sort_index(ascending=False))


def test_intent_weight_with_names_must_match_label_columns():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(LABELS, columns=["car", "cat", "system"])
    weights = pandas.Series([3, 2, 1], index=frame.columns)
    expected = score("err_ia_score", intent_weight=[3, 2, 1])
    assert score("err_ia_score", frame, intent_weight=weights) == expected
    in_rows = pandas.DataFrame([[3, 2, 1]] * 5, columns=frame.columns)
    assert score("err_ia_score", frame, intent_weight=in_rows) == expected
    for other in (weights[::-1], in_rows[["system", "cat", "car"]]):
        with pytest.raises(
            ValueError, match="'intent_weight' parameter of err_ia_score must have its columns"
        ):
            score("err_ia_score", frame, intent_weight=other)


@by_name
def test_intent_metrics_reject_or_zero_unjudged_labels(name):
    labels = np.where(LABELS.sum(axis=0) < 2, np.nan, LABELS)
    with pytest.raises(ValueError, match=f"'y_true' parameter of {name} must not contain NaN"):
        score(name, labels)
    assert score(name, labels, unjudged="nonrelevant") == score(name, np.nan_to_num(labels))


def test_intent_aware_score_drops_unjudged_documents_per_intent():
    labels = [[1, np.nan], [np.nan, 1], [1, 1]]
    got = intent_aware_score("mrr", labels, [1, 3, 2], groups=[0] * 3, unjudged="drop")
    assert got == 1
    got = intent_aware_score("mrr", labels, [1, 3, 2], groups=[0] * 3, unjudged="nonrelevant")
    assert got == 0.75


def test_intent_aware_score_ignores_unjudged_intents():
    labels = np.array([[1.0, np.nan], [0, np.nan]])
    for unjudged in ("nonrelevant", "drop"):
        got = intent_aware_score("err(gain=linear)", labels, [2, 1], groups=[0, 0], unjudged=unjudged)
        assert got == 1


@by_name
def test_intent_metrics_use_zero_division_without_relevant_documents(name):
    labels = LABELS * (GROUPS == "a")[:, None]
    values = {given: score(name, labels, zero_division=given, average=None)[1] for given in (0.0, 1.0)}
    assert values == {0.0: 0.0, 1.0: 1.0}
    assert score(name, labels, zero_division=np.nan) == score(name, labels, average=None)[0]


@pytest.mark.parametrize("name", [name for name in FUNCTIONS if name != "err_ia_score"])
def test_intent_metrics_apply_min_relevance(name):
    metric = {
        "intent_aware_score": lambda **options: intent_aware_score("map", 2 * LABELS, SCORES, **options)
    }
    function = metric.get(name, lambda **options: score(name, 2 * LABELS, **options))
    assert function(groups=GROUPS, min_relevance=2) == function(groups=GROUPS)
    assert function(groups=GROUPS, min_relevance=3) == 0


@pytest.mark.parametrize("name", ["alpha_ndcg_score", "err_ia_score"])
@pytest.mark.parametrize("normalize", ["ideal", "bound"])
def test_normalized_intent_metrics_are_one_if_all_intents_are_covered(name, normalize):
    for k in (2, None):
        got = score(name, np.ones((5, 2)), k=k, normalize=normalize)
        assert got == pytest.approx(1, abs=1e-15)


def test_alpha_ndcg_bound_uses_cutoff_beyond_list_length():
    got = alpha_ndcg_score([[1]], [1], groups=[0], k=2, normalize="bound")
    assert got == pytest.approx(1 / (1 + 0.5 / np.log2(3)))


def test_intent_metrics_distinguish_many_intents_and_grades():
    rng = np.random.default_rng(0)
    labels = rng.integers(0, 5, (40, 70))
    scores, groups = rng.random(40), np.repeat([0, 1], 20)
    in_order = [err_ia_score(labels, scores, groups=groups, k=3, normalize="ideal")]
    order = rng.permutation(40)
    in_order.append(err_ia_score(labels[order], scores[order], groups=groups[order], k=3, normalize="ideal"))
    assert in_order[0] == pytest.approx(in_order[1], abs=1e-14)
    relevant = labels > 0
    assert 0 < alpha_ndcg_score(relevant, scores, groups=groups, k=3) <= 1


def test_intent_aware_score_reads_options_in_metric_name():
    got = intent_aware_score("precision@2(min_relevance=2)", 2 * LABELS, SCORES, groups=GROUPS)
    assert got == intent_aware_score("precision@2", LABELS, SCORES, groups=GROUPS)


def test_intent_aware_score_rejects_options_set_by_the_metric_name():
    message = (
        r"'min_relevance' parameter of intent_aware_score must be left out.* sets min_relevance=2\. Got 9"
    )
    with pytest.raises(ValueError, match=message):
        intent_aware_score("precision@2(min_relevance=2)", LABELS, SCORES, groups=GROUPS, min_relevance=9)


# ---------------------------------------------------------------------------- errors


@by_name
@pytest.mark.parametrize(
    ("given", "parameter", "rule"),
    [
        ({"y_true": [1, 0, 1, 0, 1]}, "y_true", "have one row per document and one column per intent"),
        ({"y_true": np.zeros((5, 0))}, "y_true", "have one row per document"),
        ({"y_true": np.zeros((5, 1, 1))}, "y_true", "have one dimension, or two"),
        ({"y_true": [["a", "b"]] * 5}, "y_true", "be an array of real numbers"),
        ({"y_true": LABELS[:4]}, "y_score", r"have one score per row of 'y_true' \(4 rows\). Got 5 scores"),
        ({"y_true": LABELS.T}, "y_score", r"have one score per row of 'y_true' \(3 rows\)"),
        ({"y_true": LABELS - 1}, "y_true", "be finite and non-negative"),
        ({"y_true": np.where(LABELS, np.inf, 0)}, "y_true", "be finite"),
        (
            {"y_score": [1, 2, 3, 4]},
            "y_score",
            r"have one score per row of 'y_true' \(5 rows\). Got 4 scores",
        ),
        ({"y_score": [1, 2, np.nan, 4, 5]}, "y_score", "not contain NaN"),
        ({"y_score": LABELS}, "y_score", "be (flat|a 1-D array)"),
        ({"groups": None}, "groups", "contain the query id of each row"),
        ({"groups": ["a"] * 4}, "groups", "have one"),
        ({"sample_weight": [1, 2, 1, 1, 1]}, "sample_weight", "be the same for all rows of a query"),
        ({"average": "micro"}, "average", "be 'macro', 'weighted', 'geometric' or None"),
        ({"average": "mean"}, "average", "be one of"),
        ({"zero_division": 0.5}, "zero_division", "be 0.0, 1.0 or nan"),
        ({"ties": "best"}, "ties", "be one of 'average', 'order' for metrics of several intents"),
        ({"ties": "random"}, "ties", "be one of"),
        ({"unjudged": "zero"}, "unjudged", "be one of"),
    ],
)
def test_intent_metrics_name_invalid_argument(name, given, parameter, rule):
    with pytest.raises(ValueError, match=f"'{parameter}' parameter of {name} must {rule}"):
        score(name, **given)


@by_name
def test_intent_metrics_name_position_of_invalid_label(name):
    labels = LABELS.astype(float)
    labels[3, 1] = -3
    with pytest.raises(ValueError, match=r"Got -3.0 at y_true\[3, 1\] instead"):
        score(name, labels)


@pytest.mark.parametrize(
    ("name", "options", "parameter"),
    [
        *[
            (name, {"alpha": alpha}, "alpha")
            for name in ("alpha_ndcg_score", "nrbp_score")
            for alpha in (-0.1, 1.1, np.nan, "a", True)
        ],
        *[("nrbp_score", {"beta": beta}, "beta") for beta in (0, 1, -1, np.inf, None)],
        *[
            (name, {"normalize": "best"}, "normalize")
            for name in ("alpha_ndcg_score", "nrbp_score", "err_ia_score")
        ],
        *[(name, {"k": 0}, "k") for name in ("alpha_ndcg_score", "err_ia_score", "subtopic_recall_score")],
        *[(name, {"k": 10**7, "normalize": "bound"}, "k") for name in ("alpha_ndcg_score", "err_ia_score")],
        ("subtopic_recall_score", {"k": None}, "k"),
        ("alpha_ndcg_score", {"discount": "log"}, "discount"),
        ("alpha_ndcg_score", {"min_relevance": 0}, "min_relevance"),
        ("err_ia_score", {"gain": "log"}, "gain"),
        ("err_ia_score", {"gain": [0, 2]}, "gain"),
        ("err_ia_score", {"max_grade": 0.5}, "max_grade"),
        *[(name, {"unjudged": "drop"}, "unjudged") for name in FUNCTIONS if name != "intent_aware_score"],
        ("err_ia_score", {"intent_weight": [1, 2]}, "intent_weight"),
        ("err_ia_score", {"intent_weight": [1, -2, 1]}, "intent_weight"),
        ("err_ia_score", {"intent_weight": [1, np.nan, 1]}, "intent_weight"),
        ("err_ia_score", {"intent_weight": [0, 0, 0]}, "intent_weight"),
        ("err_ia_score", {"intent_weight": [[1, 1, 1]] * 3 + [[0, 0, 0]] * 2}, "intent_weight"),
        ("err_ia_score", {"intent_weight": [[1, 1, 1]] * 4 + [[1, 2, 1]]}, "intent_weight"),
        ("intent_aware_score", {"intent_weight": "even"}, "intent_weight"),
    ],
    ids=str,
)
def test_intent_metrics_name_invalid_option(name, options, parameter):
    with pytest.raises(ValueError, match=f"'{parameter}' parameter of {name} must"):
        score(name, **options)


@pytest.mark.parametrize(
    ("metric", "parameter", "rule"),
    [
        (None, "metric", "be the name of a metric"),
        (["ndcg"], "metric", "be the name of a metric"),
        ("ndgc", "metric", "name"),
        ("mrr(ties=worst)", "ties", "be one of 'average', 'order' for metrics of several intents"),
        ("precision@3(average=micro)", "average", "be 'macro'"),
        (
            "group_auc(weighted_by=relevant,average=weighted)",
            "metric",
            "not weight queries by relevant documents",
        ),
        (
            "err(max_grade=0.5)",
            "max_grade",
            r"be at least the highest label\. Got .* for label 1.0 at y_true\[0, 0\]",
        ),
    ],
)
def test_intent_aware_score_rejects_unsupported_metric(metric, parameter, rule):
    with pytest.raises(ValueError, match=f"'{parameter}' parameter of intent_aware_score must.*{rule}"):
        intent_aware_score(metric, LABELS, SCORES, groups=GROUPS)


@pytest.mark.parametrize("name", ["trec_eval:gm_map", "map(average=geometric)", "map(average=weighted)"])
def test_intent_aware_score_returns_values_when_average_is_none(name):
    values = intent_aware_score(name, LABELS, SCORES, groups=GROUPS, average=None, ties="order")
    expected = intent_aware_score("map", LABELS, SCORES, groups=GROUPS, average=None, ties="order")
    np.testing.assert_array_equal(values, expected)


def test_intent_aware_scorer_rejects_list_of_metrics():
    with pytest.raises(
        ValueError, match="'metric' parameter of intent_aware_scorer must be the name of a metric"
    ):
        intent_aware_scorer(["ndcg"])


def test_intent_aware_score_accepts_signed_labels_if_metric_does():
    labels = LABELS - 0.5
    got = intent_aware_score("pairwise_accuracy", labels, SCORES, groups=GROUPS)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert got == intent_aware_score("pairwise_accuracy", LABELS, SCORES, groups=GROUPS)
