"""Figures of curves averaged over queries, and of ranges of values due to ties."""

import numpy as np
import pytest
from sklearn.cluster import KMeans
from sklearn.linear_model import LogisticRegression, Ridge

from sklearn_rank import ndcg_score, unique_groups
from sklearn_rank.inspection import (
    GroupROCDisplay,
    InterpolatedPrecisionDisplay,
    MetricAtKDisplay,
    TieRangeDisplay,
)
from sklearn_rank.metrics import group_roc_curve, interpolated_precision_curve, tie_report
from tests.helpers.figures import read_axes, read_legend

pytestmark = pytest.mark.usefixtures("pyplot")


@pytest.fixture
def with_empty(queries):
    """The queries, three of them without anything relevant."""
    y_true, y_score, groups = queries
    return np.where(np.isin(groups, ["q00", "q01", "q02"]), 0, y_true), y_score, groups


# ---------------------------------------------------------------------------- ROC


def test_group_roc_display_draws_the_mean_of_defined_groups(with_empty):
    y_true, y_score, groups = with_empty
    display = GroupROCDisplay.from_predictions(y_true, y_score, groups=groups, name="bm25")
    fpr, tpr = group_roc_curve(y_true, y_score, groups=groups, average=None)
    marked = [y_true[groups == each] >= 1 for each in np.unique(groups)]
    n_left_out = sum(each.all() or not each.any() for each in marked)
    assert n_left_out >= 3
    frame = display.to_frame()
    assert list(frame.columns) == ["fpr", "tpr"]
    np.testing.assert_array_equal(frame["fpr"], np.arange(101) / 100)
    np.testing.assert_allclose(frame["tpr"], np.nanmean(tpr, axis=0), rtol=1e-14)
    assert (display.n_groups, display.n_left_out) == (60 - n_left_out, n_left_out)
    np.testing.assert_array_equal(display.line_.get_xydata(), np.transpose([fpr, display.tpr]))
    assert read_legend(display) == [f"bm25 ({60 - n_left_out} groups, {n_left_out} excluded)"]
    assert read_axes(display) == ("False positive rate", "Mean true positive rate")
    assert display.figure_ is display.ax_.figure


def test_group_roc_display_passes_weights_and_options(queries):
    y_true, y_score, groups = queries
    weights = np.unique(groups, return_inverse=True)[1] + 1.0  # weights of queries, repeated on their rows
    options = {"groups": groups, "min_relevance": 2, "false_positive_rates": 11, "sample_weight": weights}
    display = GroupROCDisplay.from_predictions(y_true, y_score, **options)
    np.testing.assert_array_equal(display.tpr, group_roc_curve(y_true, y_score, **options)[1])


def test_group_roc_displays_share_axes_in_different_styles(queries, pyplot):
    y_true, y_score, groups = queries
    _, ax = pyplot.subplots()
    first = GroupROCDisplay.from_predictions(y_true, y_score, groups=groups, ax=ax, color="red", lw=3)
    second = GroupROCDisplay.from_predictions(
        y_true, -y_score, groups=groups, ax=ax, name="reversed", plot_chance_level=True
    )
    assert first.ax_ is second.ax_ is ax
    assert (first.line_.get_color(), first.line_.get_linewidth()) == ("red", 3)
    assert first.line_.get_linestyle() != second.line_.get_linestyle()
    assert first.chance_level_ is None
    assert list(second.chance_level_.get_xdata()) == [0, 1]
    assert read_legend(second)[-1] == "random scores"
    assert second.plot(name="again").ax_ is not ax
    assert read_legend(second)[0].startswith("again (")


def test_group_roc_display_has_a_legend_without_counts():
    assert read_legend(GroupROCDisplay(fpr=[0, 1], tpr=[0.5, 1]).plot()) == ["mean over groups"]
    assert read_legend(GroupROCDisplay(fpr=[0, 1], tpr=[0.5, 1], n_groups=1).plot()) == ["mean over 1 group"]


# ---------------------------------------------------------------------------- interpolated precision


def test_interpolated_precision_display_draws_a_sample_and_the_mean(queries):
    y_true, y_score, groups = queries
    display = InterpolatedPrecisionDisplay.from_predictions(
        y_true, y_score, groups=groups, n_queries=7, random_state=0
    )
    recall, values = interpolated_precision_curve(y_true, y_score, groups=groups, average=None)
    frame = display.to_frame()
    mean = frame[frame["query"].isna()]
    np.testing.assert_array_equal(mean["recall"], recall)
    np.testing.assert_allclose(mean["precision"], values.mean(axis=0), rtol=1e-14)
    ids = unique_groups(groups).tolist()
    sampled = frame["query"].dropna().unique()
    assert len(sampled) == 7
    for each in sampled:
        rows = frame[frame["query"] == each]
        np.testing.assert_array_equal(rows["precision"], values[ids.index(each)])
    assert len(display.sample_lines_) == 7
    assert display.line_.get_linewidth() > display.sample_lines_[0].get_linewidth()
    assert read_legend(display) == ["mean over 60 queries", "sample of 7 queries"]
    assert read_axes(display) == ("Recall", "Interpolated precision")
    again = InterpolatedPrecisionDisplay.from_predictions(
        y_true, y_score, groups=groups, n_queries=7, random_state=0
    )
    np.testing.assert_array_equal(again.sample_ids, display.sample_ids)


def test_interpolated_precision_display_draws_all_defined_queries(with_empty):
    y_true, y_score, groups = with_empty
    options = {"groups": groups, "zero_division": np.nan, "recall_levels": [0, 0.5, 1]}
    display = InterpolatedPrecisionDisplay.from_predictions(
        y_true, y_score, **options, n_queries=100, name="bm25", sample_kw={"c": "green"}, color="k"
    )
    _, values = interpolated_precision_curve(y_true, y_score, **options, average=None)
    defined = ~np.isnan(values[:, 0])
    np.testing.assert_array_equal(display.sample, values[defined])
    np.testing.assert_array_equal(display.sample_ids, unique_groups(groups)[defined])
    assert read_legend(display) == [f"bm25 (mean over {defined.sum()} queries)", "each query"]
    assert (display.line_.get_color(), display.sample_lines_[3].get_color()) == ("k", "green")


def test_interpolated_precision_display_accepts_2d_labels():
    display = InterpolatedPrecisionDisplay.from_predictions([[1, 0]], [[2, 1]], n_queries=0)
    assert (display.sample_lines_, read_legend(display)) == ([], ["mean over 1 query"])
    display = InterpolatedPrecisionDisplay.from_predictions([[1, 0], [0, 1]], [[2, 1], [2, 1]], n_queries=1)
    assert read_legend(display) == ["mean over 2 queries", "sample of 1 query"]
    assert set(display.sample_ids) <= {0, 1}


def test_interpolated_precision_displays_share_the_legend_entry_of_samples(queries):
    y_true, y_score, groups = queries
    options = {"groups": groups, "n_queries": 7}
    first = InterpolatedPrecisionDisplay.from_predictions(y_true, y_score, **options, name="a")
    options |= {"name": "b", "ax": first.ax_}
    second = InterpolatedPrecisionDisplay.from_predictions(y_true, -y_score, **options)
    means = [f"{name} (mean over 60 queries)" for name in "ab"]
    assert read_legend(second) == [means[0], "sample of 7 queries", means[1]]


# ---------------------------------------------------------------------------- ties


def test_tie_range_display_draws_worst_to_best_order(queries):
    y_true, y_score, groups = queries
    names = ["ndcg@5", "map"]
    report = tie_report(y_true, y_score, groups=groups, metrics=names)
    display = TieRangeDisplay.from_report(report, color="red", average_kw={"marker": "s"})
    frame = display.to_frame()
    assert list(frame["metric"]) == names
    for rule in ("worst", "average", "best", "order"):
        assert frame[rule][0] == ndcg_score(y_true, y_score, groups=groups, k=5, ties=rule)
    segments = [segment[:, 0].tolist() for segment in display.lines_[0].get_segments()]
    assert segments == frame[["worst", "best"]].to_numpy().tolist()
    np.testing.assert_array_equal(display.average_[0].get_xdata(), frame["average"])
    np.testing.assert_array_equal(display.order_[0].get_xdata(), frame["order"])
    assert display.average_[0].get_marker() == "s"
    assert display.lines_[0].get_color()[0].tolist() == [1, 0, 0, 1]
    assert [label.get_text() for label in display.ax_.get_yticklabels()] == names
    assert read_legend(display) == ["worst to best order of ties", "average over orders", "row order"]


def test_tie_range_display_draws_a_second_system_below_the_first(queries, pyplot):
    y_true, y_score, groups = queries
    _, ax = pyplot.subplots()
    options = {"groups": groups, "metrics": ["mrr", "map"], "ax": ax}
    TieRangeDisplay.from_predictions(y_true, y_score, **options, name="bm25")
    display = TieRangeDisplay.from_predictions(y_true, -y_score, **options, name="model")
    labels = [label.get_text() for label in ax.get_yticklabels()]
    assert labels == ["mrr\nbm25", "map\nbm25", "mrr\nmodel", "map\nmodel"]
    assert display.average_[0].get_ydata().tolist() == [2, 3]
    assert len(read_legend(display)) == 3


def test_tie_range_display_has_an_axis_for_each_range():
    low, high = ({rule: size for rule in ("worst", "average", "order", "best")} for size in (0.5, 3.0))
    display = TieRangeDisplay({"ndcg@5": low, "dcg@5": high, "a system": low, "dcg@10": high}).plot()
    TieRangeDisplay({"dcg@3": high}, name="new").plot(display.ax_)
    axes = display.figure_.axes
    assert [ax.get_xlabel() for ax in axes] == ["Value of the metric", "Value of dcg"]
    assert [line.get_ydata().tolist() for line in display.average_] == [[0, 2], [1, 3]]
    assert [line.axes for line in display.order_] == axes
    assert len(axes[1].collections) == 2
    assert [label.get_text() for label in axes[0].get_yticklabels()][-1] == "dcg@3\nnew"


# ---------------------------------------------------------------------------- fitted models

OF_PREDICTIONS = {
    GroupROCDisplay: {"min_relevance": 2},
    InterpolatedPrecisionDisplay: {"n_queries": 5, "random_state": 0},
    MetricAtKDisplay: {"metric": "map", "max_k": 3},
    TieRangeDisplay: {"metrics": ["mrr", "ndcg@5"]},
}
WITH_OPTIONS = pytest.mark.parametrize(("display", "options"), OF_PREDICTIONS.items(), ids=str)


@WITH_OPTIONS
def test_displays_from_estimator_draw_its_predictions(display, options, model, ranking_data, pyplot):
    X, y, groups = ranking_data
    _, ax = pyplot.subplots()
    drawn = display.from_estimator(model, X, y, groups=groups, ax=ax, **options)
    expected = display.from_predictions(y, model.predict(X), groups=groups, **options)
    assert drawn.ax_ is ax
    assert (
        drawn.to_frame()
        .drop(columns="name", errors="ignore")
        .equals(expected.to_frame().drop(columns="name", errors="ignore"))
    )


@WITH_OPTIONS
def test_displays_from_estimator_draw_scores_of_classifiers(display, options, ranking_data):
    X, y, groups = ranking_data
    classifier = LogisticRegression().fit(X, y >= 2)
    drawn = display.from_estimator(classifier, X, y, groups=groups, name="a", **options)
    scores = classifier.decision_function(X)
    expected = display.from_predictions(y, scores, groups=groups, name="a", **options)
    assert drawn.to_frame().equals(expected.to_frame())


@pytest.mark.parametrize(("name", "shown"), [(None, "Ridge"), ("linear", "linear")])
def test_displays_from_estimator_show_the_name_of_the_model(name, shown, ranking_data):
    X, y, groups = ranking_data
    drawn = MetricAtKDisplay.from_estimator(Ridge().fit(X, y), X, y, groups=groups, name=name)
    assert read_legend(drawn)[0] == shown


@WITH_OPTIONS
def test_displays_from_estimator_reject_invalid_input(display, options, model, ranking_data):
    X, y, groups = ranking_data
    with pytest.raises(ValueError, match=f"'groups' parameter of {display.__name__}.from_estimator"):
        display.from_estimator(model, X, y, **options)
    with pytest.raises(ValueError, match=f"'estimator' parameter of {display.__name__}.* predict scores"):
        display.from_estimator(KMeans(2).fit(X), X, y, groups=groups, **options)
    with pytest.raises(ValueError, match=r"'name' parameter of \w+.from_estimator"):
        display.from_estimator(model, X, y, groups=groups, name=3, **options)


# ---------------------------------------------------------------------------- invalid input


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: GroupROCDisplay(fpr=[0, 1], tpr=[0]), "'tpr' parameter of GroupROCDisplay must be a 1-D"),
        (lambda: GroupROCDisplay(fpr=0.5, tpr=[0]), "'fpr' parameter of GroupROCDisplay must be a 1-D"),
        (lambda: GroupROCDisplay(fpr=[0], tpr=[0], name=1), "'name' parameter of GroupROCDisplay"),
        (lambda: GroupROCDisplay(fpr=[0], tpr=[0]).plot(ax=3), "'ax' parameter of GroupROCDisplay.plot"),
        (lambda: GroupROCDisplay(fpr=[0], tpr=[0]).plot(name=3), "'name' parameter of GroupROCDisplay.plot"),
        (lambda: GroupROCDisplay.from_predictions([1], [1], name=3), "'name' parameter"),
        (
            lambda: InterpolatedPrecisionDisplay.from_predictions([1], [1], n_queries=-1),
            "'n_queries' parameter",
        ),
        (
            lambda: InterpolatedPrecisionDisplay(recall=[0], precision=[1], sample=[[1, 2]]),
            "'sample' parameter of InterpolatedPrecisionDisplay",
        ),
        (
            lambda: InterpolatedPrecisionDisplay(recall=[0], precision=[1], sample=[[1]], sample_ids=[1, 2]),
            "'sample_ids' parameter",
        ),
        (
            lambda: TieRangeDisplay({}),
            "'values' parameter of TieRangeDisplay must be a non-empty dict of metrics",
        ),
        (lambda: TieRangeDisplay({"map": {"worst": 1}}), "{'worst': 1} for 'map' instead"),
        (
            lambda: TieRangeDisplay.from_report("map"),
            "'report' parameter .* must be a TieReport. Got an object of type str instead. Pass tie_report",
        ),
    ],
)
def test_curve_displays_reject_invalid_input(call, message):
    with pytest.raises(ValueError, match=message):
        call()
