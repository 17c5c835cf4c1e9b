"""Geometric means over queries: exp of the mean logarithm, with values raised to 0.00001."""

import math

import numpy as np
import pytest
from sklearn.exceptions import UndefinedMetricWarning
from sklearn.linear_model import Ridge

from sklearn_rank import (
    GridSearchCV,
    cross_val_report,
    diversity_score,
    diversity_scorer,
    evaluate,
    explain,
    get_scorer,
    group_auc_score,
    group_score,
    make_group_scorer,
    map_score,
    map_scorer,
    ranking_scores,
)
from sklearn_rank.datasets import make_ranking
from sklearn_rank.distributed import RankingEvaluator
from sklearn_rank.metrics import (
    alpha_ndcg_scorer,
    intent_aware_score,
    ndcg_curve,
    neg_average_popularity_loss_scorer,
    overlap_at_k_score,
    rbo_score,
    sampled_score,
    tie_report,
)
from tests.helpers.table import EXTRA_DATA_METRICS, METRICS

Y_TRUE, Y_SCORE = [[1, 0, 0], [0, 1, 0], [0, 0, 0]], [[3, 2, 1], [3, 2, 1], [3, 2, 1]]
X, Y, QID = make_ranking(n_queries=30, random_state=0)
SCORES = X[:, 0]
GEOMETRIC = [stem for stem, entry in METRICS.items() if entry.greater_is_better and entry.lower >= 0]
WITHOUT = [stem for stem in METRICS if stem not in GEOMETRIC]


def call(stem, **options):
    entry = METRICS[stem]
    k = {"k": 3} if entry.cutoff == "required" else {}
    y_true = np.minimum(Y, 1) if "min_relevance" in entry.defaults else Y
    return entry.function(y_true, SCORES, groups=QID, **k, **options)


def test_geometric_average_is_exp_of_mean_log_with_floor():
    expected = math.exp((math.log(1) + math.log(0.5) + math.log(0.00001)) / 3)
    assert map_score(Y_TRUE, Y_SCORE, average="geometric") == pytest.approx(expected, abs=1e-15)


def test_geometric_average_uses_sample_weight():
    got = map_score(Y_TRUE, Y_SCORE, average="geometric", sample_weight=[3, 1, 2])
    assert got == pytest.approx(math.exp((math.log(0.5) + 2 * math.log(0.00001)) / 6), abs=1e-15)


def test_geometric_average_ignores_query_of_weight_zero():
    assert map_score(Y_TRUE, Y_SCORE, average="geometric", sample_weight=[1, 0, 0]) == 1


@pytest.mark.parametrize(("value", "expected"), [(1.0, 0.5 ** (1 / 3)), (np.nan, 0.5 ** (1 / 2))])
def test_geometric_average_treats_undefined_query_by_zero_division(value, expected):
    got = map_score(Y_TRUE, Y_SCORE, average="geometric", zero_division=value)
    assert got == pytest.approx(expected, abs=1e-15)


def test_geometric_average_is_nan_with_warning_if_no_query_is_defined():
    with pytest.warns(UndefinedMetricWarning, match="group_auc_score is undefined"):
        assert np.isnan(group_auc_score([[1, 1]], [[1, 2]], average="geometric"))


@pytest.mark.parametrize("weights", [None, 1.0 + QID % 3])
@pytest.mark.parametrize("stem", GEOMETRIC)
def test_geometric_average_is_available_for_nonnegative_scores(stem, weights):
    values = call(stem, average=None)
    each = None if weights is None else weights[np.unique(QID, return_index=True)[1]]
    known = ~np.isnan(values)
    logs = np.log(np.maximum(values[known], 1e-5))
    expected = math.exp(np.average(logs, weights=None if each is None else each[known]))
    got = call(stem, average="geometric", sample_weight=weights)
    assert type(got) is float
    assert got == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("stem", WITHOUT)
def test_geometric_average_is_rejected_for_losses_and_signed_values(stem):
    is_loss = not METRICS[stem].greater_is_better
    why = "The geometric mean of a loss would" if is_loss else "Values can be negative"
    with pytest.raises(ValueError, match=rf"'average' parameter of \w+ must be .* Got 'geometric' .* {why}"):
        call(stem, average="geometric")


def test_geometric_average_is_rejected_for_signed_labels():
    with pytest.raises(ValueError, match=r"'average' parameter of dcg_score must .* signed=True"):
        METRICS["dcg"].function([[1, -1]], [[1, 2]], signed=True, average="geometric")


@pytest.mark.parametrize(
    "stem", [stem for stem, each in EXTRA_DATA_METRICS.items() if not each.greater_is_better]
)
def test_geometric_average_is_rejected_for_losses_without_labels(stem):
    entry = EXTRA_DATA_METRICS[stem]
    if not entry.per_query:
        assert "average" not in entry.defaults
        return
    rules = {**entry.defaults, "k": 2, "average": "geometric"}
    with pytest.raises(ValueError, match=r"'average' parameter of \w+ must be .* a loss"):
        entry.checked(rules)


def test_geometric_average_works_for_intents_lists_and_pairs():
    y_score, groups = [3, 2, 1, 1, 2, 3], [1, 1, 1, 2, 2, 2]
    intents = [[1, 0], [0, 1], [0, 0], [1, 0], [0, 0], [0, 1]]
    calls = [
        lambda **average: intent_aware_score("mrr", intents, y_score, groups=groups, **average),
        lambda **average: diversity_score(np.eye(6)[:, :3] + 1, y_score, groups=groups, k=2, **average),
        lambda **average: overlap_at_k_score(y_score, [3, 2, 1, 3, 2, 1], groups=groups, k=2, **average),
        lambda **average: rbo_score(y_score, [3, 2, 1, 3, 2, 1], groups=groups, k=3, p=0.1, **average),
    ]
    for score in calls:
        values = score(average=None)
        expected = math.exp(np.log(np.maximum(values, 1e-5)).mean())
        assert score(average="geometric") == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize(
    ("score", "name"),
    [
        (
            lambda: sampled_score([[1, 0]], [[2, 1]], n_items=5, metric="mrr", average="geometric"),
            "sampled_score",
        ),
        (lambda: group_score(np.dot, [1], [1], groups=[1], average="geometric"), "group_score"),
        (lambda: make_group_scorer(np.dot, average="geometric"), "make_group_scorer"),
        (lambda: ndcg_curve(Y, SCORES, groups=QID, max_k=2, average="geometric"), "ndcg_curve"),
        (lambda: evaluate(Y, SCORES, groups=QID, metrics=["ndcg"], average="geometric"), "evaluate"),
        (lambda: evaluate(Y, SCORES, groups=QID, metrics=["map(average=geometric)"]), "evaluate"),
        (lambda: evaluate(Y, SCORES, groups=QID, metrics=["trec_eval:gm_map"]), "evaluate"),
        (
            lambda: evaluate(
                Y, SCORES, groups=QID, metrics=["alpha_ndcg@2(average=geometric)"], intents=np.eye(len(Y))
            ),
            "evaluate",
        ),
        (lambda: RankingEvaluator(["ndcg"], average="geometric"), "RankingEvaluator"),
        (
            lambda: cross_val_report(Ridge(), X, Y, groups=QID, scoring=["ndcg"], average="geometric"),
            "cross_val_report",
        ),
    ],
)
def test_geometric_average_is_rejected_if_function_cannot_compute_it(score, name):
    with pytest.raises(ValueError, match=rf"'average' parameter of {name} must .*Got 'geometric'"):
        score()


def test_search_rejects_keep_queries_with_geometric_average():
    scoring = map_scorer(average="geometric")
    search = GridSearchCV(Ridge(), {"alpha": [1.0, 10.0]}, scoring=scoring, keep_queries=True)
    with pytest.raises(ValueError, match=r"Intervals and comparisons are of means.* call ranking_scores"):
        search.fit(X, Y, groups=QID)


def test_search_ranks_candidates_by_geometric_average():
    scoring = get_scorer("map(average=geometric)")
    search = GridSearchCV(Ridge(), {"alpha": [1.0, 10.0]}, scoring=scoring, cv=2).fit(X, Y, groups=QID)
    assert np.isfinite(search.cv_results_["mean_test_score"]).all()


def test_scorer_returns_geometric_average():
    model = Ridge().fit(X, Y)
    expected = map_score(Y, model.predict(X), groups=QID, average="geometric")
    assert get_scorer("map(average=geometric)")(model, X, Y, groups=QID) == expected


def test_ranking_scores_accepts_geometric_average_in_name():
    got = ranking_scores(Y, SCORES, groups=QID, metrics=["map(average=geometric)", "map"])
    assert (
        got["map(average=geometric)"] == map_score(Y, SCORES, groups=QID, average="geometric") != got["map"]
    )


def test_tie_report_has_geometric_average_for_each_rule():
    report = tie_report(Y, SCORES.round(), groups=QID, metrics=["map"], average="geometric")
    for rule in ("worst", "average", "best", "order"):
        expected = map_score(Y, SCORES.round(), groups=QID, ties=rule, average="geometric")
        assert report.metrics["map"][rule] == expected


def test_explain_mentions_geometric_average():
    assert "the geometric mean over queries" in repr(explain("map(average=geometric)"))


def test_geometric_average_does_not_depend_on_row_order():
    order = np.random.RandomState(0).permutation(len(Y))
    one = map_score(Y, SCORES, groups=QID, average="geometric")
    assert map_score(Y[order], SCORES[order], groups=QID[order], average="geometric") == one


def test_intent_aware_score_accepts_geometric_average_in_name():
    y_true, y_score, groups = [[1, 0], [0, 1], [0, 1], [1, 0]], [2, 1, 1, 2], ["a", "a", "b", "b"]
    name = "mrr(average=geometric)"
    values = intent_aware_score("mrr", y_true, y_score, groups=groups, average=None)
    expected = np.exp(np.log(values).mean())
    assert intent_aware_score(name, y_true, y_score, groups=groups) == pytest.approx(expected, abs=1e-15)


def test_scorers_without_labels_accept_geometric_average_unless_loss():
    assert "geometric" in repr(diversity_scorer(k=2, average="geometric"))
    assert "geometric" in repr(alpha_ndcg_scorer(average="geometric"))
    with pytest.raises(
        ValueError, match=r"'average' parameter of neg_average_popularity_loss_scorer must .* a loss"
    ):
        neg_average_popularity_loss_scorer(items="item", popularity={"a": 1}, k=2, average="geometric")
