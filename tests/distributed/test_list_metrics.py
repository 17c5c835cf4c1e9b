"""Evaluators of metrics of lists and intents, including metrics of all lists together."""

import pickle
import random

import numpy as np
import pytest
from sklearn.exceptions import UndefinedMetricWarning

from sklearn_rank import RankingEvaluator, evaluate
from tests.helpers.table import EXTRA_DATA_METRICS

N_QUERIES = 60
GRADES = {"err_ia": "max_grade=2"}
NAMES = [
    f"{stem}@3" + (f"({GRADES[stem]})" if stem in GRADES else "")
    for stem, metric in EXTRA_DATA_METRICS.items()
    if metric.named and metric.cutoff != "none"
]
UNWEIGHTED = [stem for stem, metric in EXTRA_DATA_METRICS.items() if "sample_weight" not in metric.defaults]
OF_ITEMS = ["catalog_coverage@3", "exposure_gini_loss@3", "personalization@3"]


@pytest.fixture
def rows():
    """Queries of several lengths, with ties, and all that stands beside labels and scores."""
    random_state = np.random.RandomState(0)
    lengths = random_state.randint(2, 9, N_QUERIES)
    groups = np.repeat([f"q{each:03d}" for each in range(N_QUERIES)], lengths)
    n_rows = len(groups)
    features = random_state.randint(0, 2, (n_rows, 3)) + 0.25
    return {
        "y_true": random_state.randint(0, 3, n_rows),
        "y_score": random_state.randint(0, 5, n_rows).astype(float),
        "groups": groups,
        "items": np.concatenate([random_state.permutation(20)[:length] for length in lengths]),
        "features": features,
        "intents": random_state.randint(0, 2, (n_rows, 2)),
        "popularity": {item: 1 / (2 + item) for item in range(20)},
        "history": (features, groups),
    }


def cut(rows, n_parts=7):
    """Cut rows into parts of whole queries."""
    of_part = np.unique(rows["groups"], return_inverse=True)[1] * n_parts // N_QUERIES
    whole = ("popularity", "history")
    return [
        {name: each if name in whole else each[of_part == part] for name, each in rows.items()}
        for part in range(n_parts)
    ]


def score_parts(rows, names, seed=0, **options):
    """Return an evaluator of each part."""
    parts = [RankingEvaluator(names, **options).update(**part) for part in cut(rows)]
    random.Random(seed).shuffle(parts)
    return parts


def merge_tree(evaluators, seed):
    """Merge evaluators in any order and tree, through pickles."""
    draw = random.Random(seed)
    waiting = list(evaluators)
    while len(waiting) > 1:
        one, other = (waiting.pop(draw.randrange(len(waiting))) for _ in range(2))
        waiting.append(pickle.loads(pickle.dumps(one)).merge(other))
    return waiting[0]


def assert_equal(found, expected, rtol=1e-12):
    assert list(found.list_metrics) == list(expected.list_metrics)
    for name in expected.list_metrics:
        np.testing.assert_allclose(
            found.list_metrics[name], expected.list_metrics[name], rtol=rtol, err_msg=name
        )
    for name in expected.metrics:
        np.testing.assert_allclose(found.mean[name], expected.mean[name], rtol=rtol, err_msg=name)


def test_list_metric_names_cover_metrics_of_items():
    assert len(NAMES) >= 11 and {*OF_ITEMS} <= set(NAMES)


@pytest.mark.parametrize("keep", [True, False], ids=["queries", "moments"])
@pytest.mark.parametrize("name", NAMES)
def test_evaluator_of_parts_gives_list_metrics_of_all_rows(name, keep, rows):
    needed = {*EXTRA_DATA_METRICS[name.partition("@")[0]].needs, "y_true", "y_score", "groups"}
    rows = {key: each for key, each in rows.items() if key in needed}
    expected = evaluate(**rows, metrics=["mrr", name])
    parts = [
        RankingEvaluator(
            ["mrr", name], keep_queries=keep, **({"partition": (i, 7)} if not keep else {})
        ).update(**part)
        for i, part in enumerate(cut(rows))
    ]
    assert_equal(merge_tree(parts, 1).result(), expected)


@pytest.mark.parametrize("seed", range(3))
def test_evaluator_list_metrics_do_not_depend_on_merge_order(seed, rows):
    expected = evaluate(**rows, metrics=["ndcg@3", *NAMES])
    assert_equal(merge_tree(score_parts(rows, ["ndcg@3", *NAMES], seed), seed).result(), expected)


@pytest.mark.parametrize("seed", range(3))
def test_evaluator_list_metrics_are_exact_without_ties(seed, rows):
    names = ["mrr", "catalog_coverage@2", "exposure_gini_loss@2", "personalization@2"]
    rows = {key: each for key, each in rows.items() if key in ("y_true", "y_score", "groups", "items")}
    expected = evaluate(**rows, metrics=names, ties="order")
    found = merge_tree(score_parts(rows, names, seed, ties="order"), seed).result()
    assert found.list_metrics == expected.list_metrics


def test_evaluator_counts_list_metrics_of_each_system(rows):
    names = ["mrr", *OF_ITEMS]
    rows = {key: each for key, each in rows.items() if key in ("y_true", "groups", "items", "y_score")}
    systems = {"new": rows["y_score"], "old": -rows["y_score"]}
    evaluator = RankingEvaluator(names)
    for part in cut(rows):
        score = part.pop("y_score")
        evaluator.update(y_score={"new": score, "old": -score}, **part)
    for system, report in evaluator.result().items():
        assert_equal(report, evaluate(**rows | {"y_score": systems[system]}, metrics=names))


def test_evaluator_merges_counts_of_similar_sizes():
    evaluator = RankingEvaluator(["mrr", "catalog_coverage@1", "personalization@1"])
    n_items = 0
    for query, length in enumerate([500, *[3] * 60, 4, 5]):
        items = np.arange(n_items, n_items + length)
        evaluator.update(items == items[0], -items, groups=np.full(length, query), items=items)
        n_items += length if query % 2 else 0
    sizes = [len(each.ids) for each in evaluator._state.counts[None]["catalog_coverage@1"]]
    assert sizes == sorted(sizes, reverse=True) and sizes[0] >= 500 and len(sizes) <= 5
    n_shown = 1 + len(range(1, 63, 2))
    assert evaluator.result().list_metrics["catalog_coverage@1"] == n_shown / max(500, n_items)


def test_evaluator_negates_list_metrics_with_prefix_neg(rows):
    parts = score_parts(
        {k: rows[k] for k in ("y_true", "y_score", "groups", "items")}, ["mrr", "neg_exposure_gini_loss@3"]
    )
    assert merge_tree(parts, 0).result().list_metrics["neg_exposure_gini_loss@3"] < 0


def test_evaluator_counts_nothing_when_update_raises(rows):
    first, second = cut({k: rows[k] for k in ("y_true", "y_score", "groups", "items")}, 2)
    evaluator = RankingEvaluator(["mrr", "catalog_coverage@1"]).update(**first)
    before = evaluator.result().list_metrics
    with pytest.raises(ValueError, match=r"'items' .*not repeat an item within a query"):
        evaluator.update(**second | {"items": np.zeros(len(second["items"]))})
    assert evaluator.result().list_metrics == before


def test_evaluator_result_warns_when_list_metric_is_undefined():
    evaluator = RankingEvaluator(["mrr", "personalization@1"]).update(
        [1, 0], [2, 1], groups=[1, 1], items=[1, 2]
    )
    with pytest.warns(UndefinedMetricWarning, match=r"RankingEvaluator\.result"):
        assert np.isnan(evaluator.result().list_metrics["personalization@1"])


def test_evaluator_result_rejects_catalog_smaller_than_seen_items(rows):
    few = {k: rows[k] for k in ("y_true", "y_score", "groups", "items")}
    with pytest.raises(ValueError, match=r"'catalog' parameter of RankingEvaluator.result must be at least"):
        merge_tree(score_parts(few, ["mrr", "catalog_coverage@1(catalog=19)"]), 0).result()


@pytest.mark.parametrize(
    ("metrics", "given", "match"),
    [
        (
            ["mrr", "catalog_coverage@1"],
            {},
            "'items' parameter of RankingEvaluator.update must be set for 'catalog_coverage@1'",
        ),
        (["mrr"], {"items": [1, 2]}, "'items' parameter of RankingEvaluator.update must be None"),
        (
            ["mrr", "exposure_gini_loss@1"],
            {"items": [1, 2], "sample_weight": [1, 1]},
            "'sample_weight' .* be None",
        ),
    ],
)
def test_evaluator_update_rejects_missing_and_unused_arguments(metrics, given, match):
    with pytest.raises(ValueError, match=match):
        RankingEvaluator(metrics).update([1, 0], [2, 1], groups=[1, 1], **given)


@pytest.mark.parametrize(
    ("metrics", "match"),
    [
        (
            ["catalog_coverage@1"],
            "'metrics' parameter of RankingEvaluator must contain a metric that has a value per query",
        ),
        (["mrr", "err_ia"], "Add the highest grade of all data"),
    ],
)
def test_evaluator_rejects_invalid_list_metrics(metrics, match):
    with pytest.raises(ValueError, match=match):
        RankingEvaluator(metrics)


def test_evaluator_update_with_part_rejects_metrics_of_items():
    with pytest.raises(
        ValueError,
        match=r"'metrics' parameter of RankingEvaluator must depend only on labels",
    ):
        RankingEvaluator(["mrr", "novelty@1"]).update([1], [1], groups=[1], part=0)
