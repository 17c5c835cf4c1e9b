"""Options of a call that all metrics fix otherwise raise an error; if some do, there is one warning."""

import json
import warnings

import pytest

from sklearn_rank import (
    RankingEvaluator,
    RankingWarning,
    evaluate,
    evaluate_runs,
    map_score,
    ranking_scorer,
    ranking_scores,
)

Y_TRUE, Y_SCORE, QID = [0, 1, 2, 1, 0], [3, 3, 1, 2, 2], [1, 1, 1, 2, 2]
ROWS = {"y_true": Y_TRUE, "y_score": Y_SCORE, "groups": QID}
QRELS, RUN = {"q": {"a": 1, "b": 0}}, {"q": {"a": 1.0, "b": 1.0}}
DOORS = {
    "ranking_scores": lambda names, **options: ranking_scores(**ROWS, metrics=names, **options),
    "evaluate": lambda names, **options: evaluate(**ROWS, metrics=names, **options),
    "RankingEvaluator": lambda names, **options: RankingEvaluator(metrics=names, **options),
    "ranking_scorer": lambda names, **options: ranking_scorer(names, **options),
    "evaluate_runs": lambda names, **options: evaluate_runs(
        QRELS, {"a": RUN, "b": RUN}, metrics=names, **options
    ),
}
FIXED = [
    ("ranx:f1", "min_relevance", 2, 1),
    ("ranx:f1", "ties", "worst", "order"),
    ("mrr(ties=worst)", "ties", "best", "worst"),
    ("trec_eval:map", "zero_division", 1.0, 0.0),
    ("lightgbm:ndcg@2", "gain", [0, 1, 3], "exponential"),
    ("ranx:map", "unjudged", "drop", "nonrelevant"),
]


@pytest.mark.parametrize(("name", "option", "value", "fixed"), FIXED)
@pytest.mark.parametrize("door", DOORS)
def test_option_that_each_metric_fixes_otherwise_is_rejected(door, name, option, value, fixed):
    rule = rf"The '{option}' parameter of {door} must be left out, because '.*' sets {option}={fixed!r}\. Got"
    with pytest.raises(ValueError, match=rule):
        DOORS[door]([name], **{option: value})


@pytest.mark.parametrize("door", DOORS)
def test_option_that_some_metrics_fix_otherwise_is_named_once(door):
    with pytest.warns(RankingWarning) as caught:
        DOORS[door](["ranx:f1", "ranx:map", "map"], ties="worst")
    text = "ties='worst' does not apply to all metrics: 'ranx:f1' sets ties='order', and so do 1 other names."
    assert [str(each.message) for each in caught if "does not apply" in str(each.message)] == [text]


@pytest.mark.filterwarnings("ignore:ties='worst' does not apply")
def test_option_applies_to_the_other_metrics():
    found = ranking_scores(**ROWS, metrics=["ranx:map", "map"], ties="worst")
    assert found["map"] == map_score(**ROWS, ties="worst")
    assert found["ranx:map"] == map_score(**ROWS, ties="order")


@pytest.mark.parametrize(
    ("names", "options"),
    [
        (["mrr(ties=worst)", "mrr"], {"ties": "best"}),
        (["trec_eval:map"], {"min_relevance": 2}),
        (["trec_eval:map"], {"unjudged": "drop"}),
        (["ranx:bpref", "bpref"], {"unjudged": "mean"}),
        (["lightgbm:ndcg@2"], {"gain": "exponential"}),
        (["trec_eval:gm_map"], {"average": None}),
        (["ndcg", "map"], {"gain": "exponential", "min_relevance": 2, "ties": "order"}),
    ],
)
def test_options_that_apply_or_are_set_in_the_name_give_no_warning(names, options):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        ranking_scores(**ROWS, metrics=names, **options)


@pytest.mark.parametrize(
    ("words", "rule"),
    [
        ("-m ranx:f1 -l 2", "-l must be left out, because 'ranx:f1' sets min_relevance=1, got 2"),
        (
            "-m ranx:map --ties worst",
            "--ties must be left out, because 'ranx:map' sets ties='order', got 'worst'",
        ),
        ("-m ranx:map -J", "-J must be left out, because 'ranx:map' sets unjudged='nonrelevant', got 'drop'"),
    ],
)
def test_evaluate_command_rejects_options_that_metrics_fix(words, rule, tmp_path, capsys):
    from sklearn_rank._cli import main

    files = tmp_path / "qrels.json", tmp_path / "run.json"
    for path, given in zip(files, (QRELS, RUN)):
        path.write_text(json.dumps(given))
    assert main(["evaluate", *map(str, files), *words.split()]) == 2
    assert capsys.readouterr().err.startswith(f"sklearn-rank: {rule}")
