"""The warning about grades that were divided by the highest one, for metrics with a threshold."""

import json
import pickle
from functools import partial
from inspect import signature

import numpy as np
import pytest
from sklearn.linear_model import Ridge

import sklearn_rank
from sklearn_rank import RankingEvaluator, RankingWarning, cross_val_report, cross_val_score, evaluate_runs
from sklearn_rank._cli import main
from sklearn_rank.inspection import GroupROCDisplay, InterpolatedPrecisionDisplay, TieRangeDisplay
from sklearn_rank.metrics import group_roc_curve, interpolated_precision_curve, map_curve, tie_report
from tests.helpers.table import METRICS

Y = np.tile([0, 0.25, 1, 0.5, 0, 0.75], 4)
SCORES, QUERIES = np.tile(np.arange(6.0), 4), np.repeat(np.arange(4), 6)
X = np.column_stack([SCORES, np.arange(24) % 5])
ROWS = {"y_true": Y, "y_score": SCORES, "groups": QUERIES}
MODEL = Ridge().fit(X, SCORES)
FRACTIONS = (
    "labels are between 0 and 1, but only documents with the label 1 are relevant.*, because min_relevance "
    "was left out. Pass the lowest relevant label, for example min_relevance=0.5"
)
BINARY = [stem for stem, metric in METRICS.items() if "min_relevance" in metric.defaults and not metric.needs]


def nested(values):
    return {str(q): {str(d): float(v) for d, v in enumerate(values[q == QUERIES])} for q in range(4)}


def update_in_parts(min_relevance=None, parts=(slice(0, 12), slice(12, 24))):
    options = {} if min_relevance is None else {"min_relevance": min_relevance}
    evaluator = RankingEvaluator(["map", "ndcg"], **options)
    for part in parts:
        evaluator.update(Y[part], SCORES[part], groups=QUERIES[part])
    return evaluator.result()


def run_command(folder, min_relevance=None):
    for name, values in (("qrels", Y), ("run", SCORES)):
        (folder / f"{name}.json").write_text(json.dumps(nested(values)))
    level = [] if min_relevance is None else ["-l", str(min_relevance)]
    main(["evaluate", *level, "-m", "map", *(str(folder / f"{name}.json") for name in ("qrels", "run"))])


def search(**options):
    scorer = sklearn_rank.map_scorer(**options)
    return sklearn_rank.GridSearchCV(Ridge(), {"alpha": [1]}, scoring=scorer, cv=2).fit(X, Y, groups=QUERIES)


CALLS = {
    "ranking_scores": partial(sklearn_rank.ranking_scores, **ROWS, metrics=["map", "ndcg"]),
    "name of trec_eval": partial(sklearn_rank.ranking_scores, **ROWS, metrics=["trec_eval:map"]),
    "evaluate": partial(sklearn_rank.evaluate, **ROWS, metrics=["map"]),
    "tie_report": partial(tie_report, **ROWS, metrics=["map"]),
    "map_curve": partial(map_curve, **ROWS),
    "interpolated_precision_curve": partial(interpolated_precision_curve, **ROWS),
    "group_roc_curve": partial(group_roc_curve, **ROWS),
    "one query": partial(sklearn_rank.map_score, [Y[:6]], [SCORES[:6]]),
    "evaluate_runs": partial(evaluate_runs, nested(Y), {"run": nested(SCORES)}, metrics=["map"]),
    "RankingEvaluator": update_in_parts,
    "cross_val_report": partial(cross_val_report, Ridge(), X, Y, groups=QUERIES, scoring=["map"], cv=2),
    "scorer": lambda **options: sklearn_rank.map_scorer(**options)(MODEL, X, Y, groups=QUERIES),
    "pickled scorer": lambda **options: pickle.loads(pickle.dumps(sklearn_rank.map_scorer(**options)))(
        MODEL, X, Y, groups=QUERIES
    ),
    "ranking_scorer": lambda **options: sklearn_rank.ranking_scorer(["map", "mrr"], **options)(
        MODEL, X, Y, groups=QUERIES
    ),
    "cross_val_score": lambda **options: cross_val_score(
        Ridge(), X, Y, groups=QUERIES, scoring=sklearn_rank.map_scorer(**options), cv=2
    ),
    "search": search,
}
DISPLAYS = {
    "GroupROCDisplay": GroupROCDisplay.from_predictions,
    "InterpolatedPrecisionDisplay": InterpolatedPrecisionDisplay.from_predictions,
    "TieRangeDisplay": partial(TieRangeDisplay.from_predictions, metrics=["map"]),
}


@pytest.mark.parametrize("stem", BINARY)
def test_binary_metric_warns_if_only_the_highest_grade_is_relevant(stem):
    metric = METRICS[stem]
    options = {"k": 3} if metric.cutoff == "required" else {}
    with pytest.warns(RankingWarning, match=f"^{metric.function.__name__}: {FRACTIONS}") as caught:
        value = metric.function(**ROWS, **options)
    assert len(caught) == 1
    assert metric.function(**ROWS, **options, min_relevance=1) == value
    metric.function(**ROWS, **options, min_relevance=0.5)


@pytest.mark.parametrize("name", CALLS)
def test_functions_warn_unless_min_relevance_is_given(name):
    with pytest.warns(RankingWarning, match=FRACTIONS) as caught:
        CALLS[name]()
    assert len(caught) == 1
    CALLS[name](min_relevance=1)
    CALLS[name](min_relevance=0.5)


@pytest.mark.parametrize("name", DISPLAYS)
def test_displays_warn_unless_min_relevance_is_given(name):
    pytest.importorskip("matplotlib").use("Agg")
    with pytest.warns(RankingWarning, match=FRACTIONS):
        DISPLAYS[name](**ROWS)
    DISPLAYS[name](**ROWS, min_relevance=1)


def test_command_line_warns_unless_a_level_is_given(tmp_path, capfd):
    run_command(tmp_path)
    error = capfd.readouterr().err
    assert "labels are between 0 and 1" in error
    assert "for example -l 0.5, or -l 1 if" in error
    run_command(tmp_path, 1)
    assert capfd.readouterr().err == ""


def test_cross_val_score_accepts_min_relevance_in_a_name():
    options = {"groups": QUERIES, "cv": 2}
    assert len(cross_val_score(Ridge(), X, Y, scoring="map(min_relevance=1)", **options)) == 2
    with pytest.warns(RankingWarning, match=r"in the test sets of all 2 folds.*min_relevance"):
        cross_val_score(Ridge(), X, Y, scoring="map", **options)


ORDINARY = {
    "two classes": (Y == 1).astype(float),
    "booleans": Y == 1,
    "whole grades": Y * 4,
    "ratings": 0.5 + 4.5 * Y,
    "a grade above 1": np.where(Y == 0.75, 2, Y),
    "unjudged": np.where(Y == 0.25, np.nan, Y == 1),
}


@pytest.mark.filterwarnings("ignore:.*every ranking has the same value")
@pytest.mark.parametrize("name", ORDINARY)
def test_ordinary_labels_cause_no_warning(name):
    rows = ROWS | {"y_true": ORDINARY[name], "unjudged": "mean" if name == "unjudged" else "raise"}
    sklearn_rank.ranking_scores(**rows, metrics=["map", "mrr", "ndcg", "group_auc"])


@pytest.mark.parametrize("metric", ["ndcg", "dcg@5", "ranx:map", "rbp(max_grade=1)"])
def test_metrics_without_a_choice_of_threshold_cause_no_warning(metric):
    sklearn_rank.ranking_scores(**ROWS, metrics=[metric])


def test_evaluator_does_not_warn_if_another_part_has_higher_grades():
    evaluator = RankingEvaluator(["map"])
    evaluator.update(Y, SCORES, groups=QUERIES)
    evaluator.update(Y * 4, SCORES, groups=QUERIES + 10)
    evaluator.result()


def test_default_threshold_is_printed_and_compared_as_1():
    options = sklearn_rank.evaluate(Y == 1, SCORES, groups=QUERIES, metrics=["map"])
    given = sklearn_rank.evaluate(Y == 1, SCORES, groups=QUERIES, metrics=["map"], min_relevance=1)
    assert str(sklearn_rank.compare({"a": options, "b": given}))
    assert "min_relevance: 'float' = 1," in str(signature(sklearn_rank.map_score))
