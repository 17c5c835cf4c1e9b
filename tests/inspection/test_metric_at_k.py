"""Figures of metrics over the cutoff, with intervals."""

import numpy as np
import pytest
from scipy import stats

from sklearn_rank import recall_at_k_score
from sklearn_rank.inspection import MetricAtKDisplay
from sklearn_rank.metrics import map_curve, ndcg_curve
from tests.helpers.figures import read_axes, read_legend

pytestmark = pytest.mark.usefixtures("pyplot")


@pytest.fixture
def models(queries):
    """Labels and ids, and the scores of two models by name."""
    y_true, y_score, groups = queries
    noise = np.random.default_rng(2).standard_normal(len(y_true))
    return y_true, {"bm25": y_score, "model": y_score + noise}, groups


def interval(values, level):
    """Return mean and interval of the columns of a table of queries, by scipy."""
    mean, error = values.mean(axis=0), stats.sem(values, axis=0)
    return mean, error, *stats.t.interval(level, len(values) - 1, mean, error)


def check_rows(rows, values, level=0.95):
    assert rows["k"].tolist() == list(range(1, values.shape[1] + 1))
    for column, expected in zip(["mean", "standard_error", "low", "high"], interval(values, level)):
        np.testing.assert_allclose(rows[column], expected, rtol=1e-9, atol=1e-12)


def test_metric_at_k_display_draws_means_with_intervals(models):
    y_true, scores, groups = models
    display = MetricAtKDisplay.from_predictions(y_true, scores, groups=groups, max_k=8)
    frame = display.to_frame()
    for name, each in scores.items():
        _, values = ndcg_curve(y_true, each, groups=groups, max_k=8, average=None)
        check_rows(frame[frame["name"] == name], values)
    assert read_axes(display) == ("k", "ndcg@k")
    assert sorted(read_legend(display)) == ["95% confidence interval", "bm25", "model"]
    assert display.lines_[0].get_linestyle() != display.lines_[1].get_linestyle()
    np.testing.assert_array_equal(display.lines_[1].get_ydata(), display.mean["model"])
    edges = display.bands_[1].get_paths()[0].vertices[:, 1]
    assert (edges.min(), edges.max()) == (display.low["model"].min(), display.high["model"].max())
    display.figure_.canvas.draw()
    assert all(float(tick).is_integer() for tick in display.ax_.get_xticks())


def test_metric_at_k_display_draws_the_paired_difference(models):
    y_true, scores, groups = models
    arguments = {"groups": groups, "max_k": 6}
    display = MetricAtKDisplay.from_predictions(y_true, scores, **arguments, metric="map", difference=True)
    first, second = (map_curve(y_true, each, **arguments, average=None)[1] for each in scores.values())
    check_rows(display.to_frame(), second - first)
    assert read_axes(display) == ("k", "Difference in map@k")
    assert sorted(read_legend(display)) == ["95% confidence interval", "model \N{MINUS SIGN} bm25"]
    apart = MetricAtKDisplay.from_predictions(y_true, scores, **arguments, metric="map")
    width = np.subtract(*(next(iter(each.values())) for each in (display.high, display.low)))
    assert (width < sum(apart.high[name] - apart.low[name] for name in scores) / 2).all()


def test_metric_at_k_display_follows_options_and_confidence_level(models):
    y_true, scores, groups = models
    display = MetricAtKDisplay.from_predictions(
        y_true,
        scores["bm25"],
        groups=groups,
        metric="recall",
        max_k=5,
        options={"min_relevance": 2},
        ties="worst",
        confidence_level=0.8,
        color="red",
        band_kw={"alpha": 0.5},
    )
    arguments = {"groups": groups, "min_relevance": 2, "ties": "worst", "average": None}
    values = [recall_at_k_score(y_true, scores["bm25"], **arguments, k=k) for k in range(1, 6)]
    check_rows(display.to_frame(), np.transpose(values), 0.8)
    assert sorted(read_legend(display)) == ["80% confidence interval", "mean over 60 queries"]
    assert (display.lines_[0].get_color(), display.bands_[0].get_alpha()) == ("red", 0.5)


def test_metric_at_k_displays_share_axes(models, pyplot):
    y_true, scores, groups = models
    _, ax = pyplot.subplots()
    for name, each in scores.items():
        arguments = {"groups": groups, "metric": "precision", "max_k": 10, "name": name, "ax": ax}
        display = MetricAtKDisplay.from_predictions(y_true, each, **arguments)
    assert sorted(read_legend(display)) == ["95% confidence interval", "bm25", "model"]
    lines = [line for line in ax.lines if not line.get_label().startswith("_")]
    assert [line.get_linestyle() for line in lines] == ["-", "--"]
    both = MetricAtKDisplay.from_predictions(y_true, scores, groups=groups, max_k=1).plot(name="new")
    assert sorted(read_legend(both)) == ["95% confidence interval", "new bm25", "new model"]
    assert both.lines_[0].get_marker() == "o"


@pytest.mark.parametrize("metric", ["ndcg", "map", "precision", "recall", "f1", "hit_rate"])
def test_metric_at_k_display_draws_every_metric_with_a_curve(metric, models):
    y_true, scores, groups = models
    display = MetricAtKDisplay.from_predictions(y_true, scores, groups=groups, metric=metric)
    assert display.k[-1] == np.unique(groups, return_counts=True)[1].max()
    assert read_axes(display)[1] == f"{metric}@k"


def test_metric_at_k_display_has_no_interval_for_one_query():
    display = MetricAtKDisplay.from_predictions([[1, 0]], [[2, 1]])
    assert np.isnan(display.low[""]).all()
    assert read_legend(display) == ["mean over 1 query"]


@pytest.mark.parametrize(
    ("largest", "ticks"),
    [
        (1, [1]),
        (8, [1, 2, 3, 4, 5, 6, 7, 8]),
        (20, [1, 5, 10, 20]),
        (40, [1, 5, 10, 20, 40]),
        (100, [1, 10, 20, 50, 100]),
        (1000, [1, 100, 200, 500, 1000]),
    ],
)
def test_metric_at_k_display_has_ticks_at_usual_cutoffs(largest, ticks):
    k = range(1, largest + 1)
    values = {"a": np.linspace(0, 1, largest)}
    options = {"k": k, "mean": values, "standard_error": values, "n_effective": {"a": 5}}
    display = MetricAtKDisplay("ndcg", **options).plot()
    assert display.ax_.get_xticks().tolist() == ticks


ONE = {"k": [1], "mean": {"a": [1]}, "standard_error": {"a": [1]}, "n_effective": {"a": 5}}


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: MetricAtKDisplay("mrr", **ONE), "'metric' parameter of MetricAtKDisplay must be one of"),
        (lambda: MetricAtKDisplay("ndcg", **ONE, confidence_level=95), "'confidence_level' parameter"),
        (lambda: MetricAtKDisplay("ndcg", **ONE, difference=1), "'difference' parameter"),
        (lambda: MetricAtKDisplay("ndcg", **{**ONE, "mean": {"a": [1, 2]}}), "'mean' parameter"),
        (
            lambda: MetricAtKDisplay("ndcg", **{**ONE, "mean": {"b": [1]}}),
            "'standard_error' .* keys as 'mean'",
        ),
        (lambda: MetricAtKDisplay("ndcg", **{**ONE, "mean": {}}), "'mean' parameter .* non-empty dict"),
        (lambda: from_scores([2, 1], metric="ndcg@10"), "'metric' parameter"),
        (
            lambda: from_scores([2, 1], difference=True),
            "'y_score' parameter .* two models .* Got an object of type list",
        ),
        (
            lambda: from_scores({"a": [2, 1]}, difference=True),
            "'y_score' parameter .* Got a dict with 1 model instead",
        ),
        (lambda: from_scores({}), "'y_score' parameter"),
        (lambda: from_scores([2, 1], options=["gain"]), "'options' parameter"),
        (lambda: from_scores([2, 1], max_k=0), "'max_k' parameter of MetricAtKDisplay.from_predictions"),
        (lambda: from_scores([2, 1], average=None), "'average' parameter"),
        (lambda: from_scores([2, 1], name=3), "'name' parameter"),
    ],
)
def test_metric_at_k_display_rejects_invalid_input(call, message):
    with pytest.raises(ValueError, match=message):
        call()


def from_scores(y_score, **options):
    return MetricAtKDisplay.from_predictions([1, 0], y_score, **options)


@pytest.mark.parametrize("n_systems", [1, 3, 4])
def test_metric_at_k_display_has_bands_of_at_most_three_systems(n_systems):
    rng = np.random.default_rng(0)
    y_true = rng.integers(0, 2, (20, 5))
    scores = {f"s{i}": y_true + rng.normal(size=(20, 5)) for i in range(n_systems)}
    display = MetricAtKDisplay.from_predictions(y_true, scores)
    has_bands = n_systems < 4
    assert len(display.bands_) == n_systems * has_bands
    assert ("95% confidence interval" in read_legend(display)) == has_bands
    assert set(display.low) == set(scores)
