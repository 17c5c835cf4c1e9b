"""Figures of values of queries: their distribution, and the differences between two systems."""

import sys

import numpy as np
import pytest

from sklearn_rank import RankingReport, compare, ranking_scores, unique_groups
from sklearn_rank.inspection import GroupROCDisplay, MetricDistributionDisplay, QueryDifferenceDisplay
from sklearn_rank.reports import Comparison
from tests.helpers.figures import make_report, read_axes, read_legend

pytestmark = pytest.mark.usefixtures("pyplot")
NAMES = ("bm25", "model")


@pytest.fixture
def reports(queries):
    """Reports of two systems on the same queries, of which some have no value."""
    y_true, y_score, groups = queries
    y_true = np.where(np.isin(groups, ["q00", "q01"]), 0, y_true)
    noise = np.random.default_rng(1).standard_normal(len(y_true))
    options = {"groups": groups, "metrics": ["mrr", "ndcg@5"], "average": None, "zero_division": np.nan}
    values = [ranking_scores(y_true, scores, **options) for scores in (y_score, y_score + noise)]
    ids = unique_groups(groups)
    return [make_report(ids, mrr=each["mrr"], ndcg_at_5=each["ndcg@5"]) for each in values]


# ---------------------------------------------------------------------------- distributions


def test_metric_distribution_display_draws_shares_of_queries():
    report = make_report(range(6), mrr=[0, 0.5, np.nan, 1, 1, 0.5])
    display = MetricDistributionDisplay.from_report(report, "mrr", color="red")
    frame = display.to_frame()
    assert frame["name"].tolist() == ["all queries"] * 3
    assert frame["value"].tolist() == [0, 0.5, 1]
    np.testing.assert_allclose(frame["share"], [0.2, 0.6, 1], rtol=1e-15)
    assert display.n_undefined == {"all queries": 1}
    assert (display.share_at_0, display.share_at_1) == ({"all queries": 0.2}, {"all queries": 0.4})
    assert [mark.get_xydata().tolist() for mark in display.marks_] == [[[0, 0.2], [1, 0.6]]]
    assert display.lines_[0].get_color() == "red"
    assert read_legend(display) == ["all queries (5, 1 excluded): 20% are 0, 40% are 1"]
    assert read_axes(display) == ("mrr", "Share of queries")
    steps = display.lines_[0].get_xydata()
    np.testing.assert_allclose(steps[:, 1], [0, 0.2, 0.6, 1, 1], rtol=1e-15)
    assert steps[:, 0].tolist() == [0, 0, 0.5, 1, 1]


def test_metric_distribution_display_draws_segments(reports):
    report, _ = reports
    labels = np.where(np.arange(60) < 20, "head", "tail")
    display = MetricDistributionDisplay.from_report(report, "ndcg@5", by=dict(zip(report.ids, labels)))
    frame = display.to_frame()
    for name in ("head", "tail"):
        rows, values = frame[frame["name"] == name], report.values["ndcg@5"][labels == name]
        values = values[~np.isnan(values)]
        assert [np.mean(values <= each) for each in rows["value"]] == pytest.approx(rows["share"].tolist())
        assert len(rows) == len(np.unique(values))
    of_rows = MetricDistributionDisplay.from_report(
        report, "ndcg@5", by=np.repeat(labels, 2), groups=np.repeat(report.ids, 2)
    )
    assert of_rows.to_frame().equals(frame)
    assert len(display.lines_) == len(display.marks_) == 2
    head, tail = display.lines_
    assert head.get_linestyle() != tail.get_linestyle()
    assert display.marks_[0].get_marker() != display.marks_[1].get_marker()


def test_metric_distribution_display_draws_systems_on_given_axes(reports, pyplot):
    _, ax = pyplot.subplots()
    display = MetricDistributionDisplay.from_reports(dict(zip(NAMES, reports)), "mrr", ax=ax)
    assert [name for name in display.values] == list(NAMES)
    again = display.plot(ax=ax, name="again")
    assert [entry.partition(" (")[0] for entry in read_legend(again)] == [*NAMES, "again bm25", "again model"]
    assert len({line.get_linestyle() for line in ax.lines if len(line.get_xdata()) > 2}) == 4


def test_metric_distribution_display_has_no_marks_beyond_0_and_1():
    display = MetricDistributionDisplay("dcg@5", {"a": [0.5, 3.0], "b": [-1.0, 0.5], "none": [np.nan]}).plot()
    assert [mark.get_xydata().tolist() for mark in display.marks_] == [[[0, 0]], [[1, 1]], []]
    assert read_legend(display) == ["a (2)", "b (2)", "none (0, 1 excluded)"]
    assert len(display.to_frame()) == 4


# ---------------------------------------------------------------------------- differences


def read_heights(area):
    """Return the height of an area at each query, which is between two corners of the outline."""
    x, y = np.concatenate([path.vertices for path in area.get_paths()]).T
    places = np.arange(1, x.max() + 0.5)
    corners = [y[np.isclose(x, place - 0.5)] for place in places]
    ends = [y[np.isclose(x, place + 0.5)] for place in places]
    shared = [np.intersect1d(one, other) for one, other in zip(corners, ends)]
    return np.array([each[np.argmax(np.abs(each))] for each in shared])


def test_query_difference_display_sorts_and_counts_differences(reports):
    a, b = reports
    display = QueryDifferenceDisplay.from_reports(a, b, "ndcg@5", names=NAMES)
    frame = display.to_frame()
    expected = dict(zip(a.ids.tolist(), b.values["ndcg@5"] - a.values["ndcg@5"]))
    defined = {query: each for query, each in expected.items() if not np.isnan(each)}
    assert dict(zip(frame["query"], frame["difference"])) == defined
    assert frame["difference"].is_monotonic_decreasing
    assert display.n_undefined == 60 - len(defined) >= 2
    differences = np.array(list(defined.values()))
    wins, losses = (differences > 1e-12).sum(), (differences < -1e-12).sum()
    ties = len(defined) - wins - losses
    assert min(wins, losses, ties) > 0
    assert (display.n_wins, display.n_losses, display.n_ties) == (wins, losses, ties)
    legend = [
        f"model wins: {wins}",
        f"bm25 wins: {losses}",
        f"ties: {ties}",
        f"excluded: {display.n_undefined}",
    ]
    assert {*legend, f"mean: {differences.mean():+.3g}"} == set(read_legend(display))
    assert read_axes(display) == ("Queries, sorted by difference", "ndcg@5\nmodel \N{MINUS SIGN} bm25")
    heights = read_heights(display.wins_) + read_heights(display.losses_)
    np.testing.assert_allclose(heights, frame["difference"], atol=1e-12)
    assert display.line_.get_ydata()[0] == pytest.approx(differences.mean())


def test_query_difference_display_matches_queries_by_id():
    a = make_report(["x", "y", "z"], mrr=[0.5, 1, 0.25])
    b = make_report(["z", "x", "y"], mrr=[1, 0, 1])
    display = QueryDifferenceDisplay.from_reports(a, b, "mrr", color="green", line_kw={"lw": 3})
    assert display.ids.tolist() == ["z", "y", "x"]
    assert display.differences.tolist() == [0.75, 0, -0.5]
    colors = [area.get_facecolor()[0].tolist() for area in (display.wins_, display.losses_)]
    assert colors == [[0, 128 / 255, 0, 1]] * 2
    assert display.line_.get_linewidth() == 3
    assert display.names == ("a", "b")


def test_query_difference_display_accepts_tuple_ids():
    ids = np.empty(2, dtype=object)
    ids[:] = [("u", 1), ("u", 2)]
    a, b = make_report([0, 1], mrr=[1, 0]), make_report([0, 1], mrr=[0, 0.5])
    a.ids, b.ids = ids, ids[::-1]
    display = QueryDifferenceDisplay.from_reports(a, b, "mrr")
    assert dict(zip(display.to_frame()["query"], display.differences)) == {("u", 1): -0.5, ("u", 2): 0}


@pytest.mark.parametrize("metric", ["fallout_loss@5", "intra_list_similarity_loss@5"])
def test_query_difference_display_counts_lower_loss_as_win(metric):
    display = QueryDifferenceDisplay(metric, [1, 2, 3], [-0.1, -0.2, 0.1]).plot(name="change")
    assert (display.n_wins, display.n_losses) == (2, 1)
    assert read_heights(display.wins_).tolist() == [0, -0.1, -0.2]
    assert read_axes(display)[1] == f"{metric}\nchange"


def test_query_difference_display_accepts_undefined_differences_only():
    display = QueryDifferenceDisplay("mrr", [1], [np.nan]).plot()
    assert (len(display.ids), display.n_undefined) == (0, 1)


@pytest.mark.parametrize("differences", [[0.5, -0.5], [0.5], []])
def test_query_difference_display_has_integer_ticks(differences):
    display = QueryDifferenceDisplay("mrr", range(len(differences)), differences).plot()
    display.figure_.canvas.draw()
    assert all(float(tick).is_integer() for tick in display.ax_.get_xticks())


# ---------------------------------------------------------------------------- methods of reports

VALUES = {
    "a": {"mrr": [1, 0.5, np.nan, 0.25], "p@5": [0.2, 0.4, 0.2, 0]},
    "b": {"mrr": [0.5, 1, 1, 0.25], "p@5": [0.4, 0.4, 0, 0]},
}
REPORTS = {name: RankingReport.from_values(list("wxyz"), values) for name, values in VALUES.items()}


@pytest.mark.parametrize("draw", [QueryDifferenceDisplay.from_comparison, Comparison.plot])
@pytest.mark.parametrize(("metric", "shown"), [(None, "mrr"), ("p@5", "p@5")])
def test_comparison_is_drawn_like_its_reports(draw, metric, shown):
    comparison = compare(REPORTS, baseline="a")
    display = draw(comparison, metric, color="red")
    expected = QueryDifferenceDisplay.from_reports(*REPORTS.values(), shown, names=("a", "b"))
    assert display.to_frame().equals(expected.to_frame())
    assert (display.metric, display.names) == (shown, ("a", "b"))
    assert (display.n_wins, display.n_ties, display.n_losses) == (1, 1 + (shown == "p@5"), 1)
    assert display.wins_.get_facecolor()[0].tolist() == [1, 0, 0, 1]


def test_comparison_draws_the_named_pair_of_systems():
    third = RankingReport.from_values(list("wxyz"), {name: [1, 1, 1, 1] for name in ("mrr", "p@5")})
    comparison = compare({**REPORTS, "c": third})
    display = comparison.plot("p@5", system="c", other="b")
    assert display.names == ("b", "c")
    assert dict(zip(display.ids.tolist(), display.differences)) == {"w": 0.6, "x": 0.6, "y": 1, "z": 1}
    with pytest.raises(ValueError, match=r"'system' parameter of Comparison.plot must name one comparison"):
        comparison.plot()


@pytest.mark.parametrize(("metric", "shown"), [(None, "mrr"), ("p@5", "p@5")])
def test_report_is_drawn_as_the_distribution_of_a_metric(metric, shown):
    display = REPORTS["a"].plot(metric, color="red")
    expected = MetricDistributionDisplay(shown, {"all queries": VALUES["a"][shown]})
    assert display.to_frame().equals(expected.to_frame())
    assert display.metric == shown
    assert display.lines_[0].get_color() == "red"


def test_report_draws_segments():
    display = REPORTS["a"].plot("p@5", by={"w": "new", "x": "old", "y": "old", "z": "new"})
    assert {name: values.tolist() for name, values in display.values.items()} == {
        "new": [0, 0.2],
        "old": [0.2, 0.4],
    }


# ---------------------------------------------------------------------------- invalid input

ONE, OTHER = make_report(["x", "y"], mrr=[1, 0]), make_report(["x", "z", "w"], mrr=[1, 0, 0])
DIFFERENCES, DISTRIBUTION = QueryDifferenceDisplay.from_reports, MetricDistributionDisplay


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: DIFFERENCES(ONE, OTHER, "mrr"),
            "'b' .* contain the same queries as 'a'. Got 3 queries in only one",
        ),
        (
            lambda: DIFFERENCES(ONE, make_report(["x", "y", "q"], mrr=[1, 1, 1]), "mrr"),
            "'b' .* QueryDifferenceDisplay.from_reports .* Got 1 query in only one report, .* 'q', instead",
        ),
        (
            lambda: DIFFERENCES(ONE, ONE, "map"),
            "'metric' parameter .* of the report. Got 'map' instead. .* contains 'mrr'",
        ),
        (lambda: DIFFERENCES(ONE, ONE, ["mrr"]), "'metric' parameter"),
        (
            lambda: DIFFERENCES(ONE, [1, 2], "mrr"),
            "'b' parameter .* be a report .* Got an object of type list instead.*keep_queries=True",
        ),
        (
            lambda: QueryDifferenceDisplay.from_comparison({"a": ONE}),
            "'comparison' parameter .*from_comparison must be a Comparison. Got an object of type dict",
        ),
        (lambda: REPORTS["a"].plot("map"), "'metric' parameter of RankingReport.plot .* Got 'map' instead"),
        (lambda: DIFFERENCES(ONE, ONE, "mrr", names="ab"), "'names' parameter .* must be a pair of str"),
        (lambda: DIFFERENCES(ONE, ONE, "mrr", names=("a", 1)), "'names' parameter .* must be a pair of str"),
        (lambda: QueryDifferenceDisplay("mrr", [1], [1, 2]), "'ids' parameter"),
        (lambda: QueryDifferenceDisplay("mrr", [1], [[1]]), "'differences' parameter"),
        (
            lambda: DISTRIBUTION("mrr", {}),
            "'values' parameter of MetricDistributionDisplay must be a non-empty dict",
        ),
        (lambda: DISTRIBUTION("mrr", {"a": ["x"]}), "'values' parameter"),
        (
            lambda: DISTRIBUTION.from_reports([ONE], "mrr"),
            "'reports' parameter .* Got an object of type list",
        ),
        (lambda: DISTRIBUTION.from_reports({"a": ONE}, "map"), "'metric' parameter"),
        (lambda: DISTRIBUTION.from_report({"a": ONE}, "map"), "'report' parameter"),
    ],
)
def test_query_displays_reject_invalid_input(call, message):
    with pytest.raises(ValueError, match=message):
        call()


@pytest.mark.parametrize(
    "call",
    [
        lambda: GroupROCDisplay(fpr=[0, 1], tpr=[0, 1]).plot(),
        lambda: GroupROCDisplay.from_predictions([1, 0], [1, 0], groups=[0, 0]),
        lambda: MetricDistributionDisplay("mrr", {"a": [0, 1]}).plot(),
        lambda: QueryDifferenceDisplay.from_reports(ONE, ONE, "mrr"),
    ],
)
def test_displays_name_the_extra_without_matplotlib(call, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    monkeypatch.setitem(sys.modules, "matplotlib.pyplot", None)
    with pytest.raises(
        ImportError,
        match=r"Display\.\w+ requires matplotlib\. Install it: pip install 'sklearn-rank\[plots\]'",
    ):
        call()


def test_display_to_frame_uses_polars_without_pandas(monkeypatch):
    polars = pytest.importorskip("polars")
    monkeypatch.setitem(sys.modules, "pandas", None)
    assert isinstance(GroupROCDisplay(fpr=[0, 1], tpr=[0, 1]).to_frame(), polars.DataFrame)


def test_display_to_frame_error_shows_what_to_install(monkeypatch):
    for library in ("pandas", "polars"):
        monkeypatch.setitem(sys.modules, library, None)
    with pytest.raises(ImportError, match=r"GroupROCDisplay\.to_frame requires pandas. Install it: pip inst"):
        GroupROCDisplay(fpr=[0, 1], tpr=[0, 1]).to_frame()


# ---------------------------------------------------------------------------- many queries and systems


@pytest.mark.parametrize("n", [3, 100_000])
def test_displays_draw_at_most_2000_points(n):
    values = np.random.default_rng(0).normal(0.1, 0.3, n)
    difference = QueryDifferenceDisplay("mrr", np.arange(n), values).plot()
    assert len(difference.to_frame()) == n
    assert f"b wins: {(values > 0).sum():,}" in read_legend(difference)
    assert difference.line_.get_ydata()[0] == pytest.approx(values.mean())
    most = 2000 * 4 + 8  # corners of steps and of the line at 0
    assert len(difference.wins_.get_paths()[0].vertices) <= most
    steps = MetricDistributionDisplay("dcg", {"a": values}).plot().lines_[0].get_xydata()
    assert len(steps) == min(n, 2000) + 2
    shares = np.searchsorted(np.sort(values), steps[1:-1, 0], side="right") / n
    np.testing.assert_allclose(shares, steps[1:-1, 1])


def test_metric_distribution_display_has_systems_in_natural_order():
    reports = {name: make_report(range(3), mrr=[0, 0.5, 1]) for name in ("a1", "a10", "a2")}
    assert list(MetricDistributionDisplay.from_reports(reports, "mrr").values) == ["a1", "a2", "a10"]
