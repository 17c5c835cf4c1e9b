"""Texts of figures are complete and inside the figure, and leave room for the axes."""

from itertools import pairwise

import numpy as np
import pytest

from sklearn_rank.inspection import (
    ContendersDisplay,
    MetricAtKDisplay,
    MetricDistributionDisplay,
    QueryDifferenceDisplay,
    TieRangeDisplay,
)
from sklearn_rank.inspection._plot._layout import shorten_names, wrap
from tests.helpers.drawings import DRAWINGS, draw_at_k, name_systems
from tests.helpers.figures import read_legend

pytestmark = pytest.mark.usefixtures("pyplot")
WITH_NAMES = ("GroupROC", "InterpolatedPrecision", "MetricAtK", "MetricDistribution")
EVERY = pytest.mark.parametrize("display", DRAWINGS)
SYSTEMS = pytest.mark.parametrize("n_systems", [1, 12])
LETTERS = pytest.mark.parametrize("n_letters", [3, 60])


def check_texts(display):
    """Check that all texts are inside the figure, and return the width and the height of the axes."""
    figure, ax = display.figure_, display.ax_
    figure.canvas.draw()
    legend = ax.get_legend()
    assert len(legend.get_texts()) == len(ax.get_legend_handles_labels()[1])
    for each in (legend.get_window_extent(), ax.xaxis.get_tightbbox(), ax.yaxis.get_tightbbox()):
        assert min(each.x0, each.y0) >= -1
        assert each.x1 <= figure.bbox.x1 + 1
        assert each.y1 <= figure.bbox.y1 + 1
    return ax.get_position().size


def check_rows(display):
    """Check that names of rows do not overlap."""
    boxes = [label.get_window_extent() for label in display.ax_.get_yticklabels()]
    assert all(upper.y0 >= lower.y1 for upper, lower in pairwise(boxes))


@EVERY
@pytest.mark.parametrize("n_queries", [1, pytest.param(100_000, marks=pytest.mark.slow)])
@SYSTEMS
@LETTERS
def test_display_has_room_for_all_texts(display, n_queries, n_systems, n_letters):
    names = name_systems(n_systems, n_letters)
    drawn = DRAWINGS[display](n_queries, names, n_documents=3)
    width, height = check_texts(drawn)
    assert width * height >= 0.4
    assert width >= 0.5
    if display.startswith(WITH_NAMES):
        legend = "".join(read_legend(drawn)).replace(" ", "")
        assert [name for name in names if name not in legend] == []
    if isinstance(drawn, ContendersDisplay | TieRangeDisplay):
        check_rows(drawn)


@EVERY
@SYSTEMS
@LETTERS
@pytest.mark.parametrize("shape", [(1, 1), (1, 2)])
def test_display_has_room_for_all_texts_on_given_axes(display, n_systems, n_letters, shape, pyplot):
    size = 4.8 * shape[1], 3.4 * shape[0]
    axes = pyplot.subplots(*shape, figsize=size, layout="constrained", squeeze=False)[1]
    drawn = DRAWINGS[display](30, name_systems(n_systems, n_letters), axes[0, -1])
    width, height = check_texts(drawn)
    assert width >= 0.5 / shape[1]
    assert height >= 0.4
    assert drawn.figure_.get_size_inches().tolist() == list(size)


@EVERY
def test_display_fits_axes_without_layout_engine(display, pyplot):
    _, ax = pyplot.subplots()
    DRAWINGS[display](30, ["bm25"], ax)
    assert ax.get_position().bounds == pyplot.figure().add_subplot().get_position().bounds


LONG_NAMES = {
    "marks": "a_metric_of_one_company_with_a_name_that_has_sixty_letters_x",
    "words": "share of sessions in which users bought one thing or another",
}


@pytest.mark.parametrize("metric", LONG_NAMES)
@pytest.mark.parametrize("names", [("a", "b"), name_systems(2, 60)], ids=["short systems", "long systems"])
@pytest.mark.parametrize("shape", [None, (1, 1), (2, 2)])
def test_titles_with_long_names_are_inside_the_figure(shape, names, metric, pyplot):
    name = LONG_NAMES[metric]
    difference = QueryDifferenceDisplay(name, range(9), np.linspace(-0.5, 1, 9), names=names)
    for display in (difference, MetricDistributionDisplay(name, {names[0]: [0.2, 0.4]})):
        ax = None if shape is None else pyplot.subplots(*shape, squeeze=False)[1][-1, 0]
        check_texts(display.plot(ax))


@pytest.mark.parametrize("style", ["default", "dark_background"])
def test_displays_draw_in_the_color_of_texts(style, pyplot):
    with pyplot.style.context(style):
        ink = {"default": "black", "dark_background": "white"}[style]
        assert QueryDifferenceDisplay("mrr", [1, 2], [0.5, -0.5]).plot().line_.get_color() == ink
        values = {"mrr": dict.fromkeys(("worst", "average", "best", "order"), 0.5)}
        assert TieRangeDisplay(values).plot().order_[0].get_color() == ink


@pytest.mark.parametrize("style", ["default", "dark_background"])
def test_curves_of_many_systems_differ_in_color_or_line_style(style, pyplot):
    with pyplot.style.context(style):
        lines = draw_at_k(3, name_systems(30, 3)).lines_
    assert len({(line.get_color(), line.get_linestyle()) for line in lines}) == 30


def test_legend_is_drawn_again_for_each_display_on_the_same_axes(pyplot):
    options = {"k": [1], "standard_error": {"a": [0.1]}, "n_effective": {"a": 5}}
    display = MetricAtKDisplay("ndcg", mean={"a": [0.5]}, **options).plot()
    again = display.plot(display.ax_, name="b")
    assert read_legend(again) == ["a", "95% confidence interval", "b"]


@pytest.mark.parametrize(
    ("names", "n_letters", "expected"),
    [
        (["bm25", "dense"], 5, ["bm25", "dense"]),
        (["run_of_may_bm25", "run_of_may_dense"], 8, ["…bm25", "…dense"]),
        (["bm25-tuned-on-2025", "dense-tuned-on-2025"], 9, ["bm25…2025", "dens…2025"]),
        (["a-very-long-name"], 8, ["a-ve…ame"]),
        (["abcdef1uvwxyz", "abcdef2uvwxyz"], 8, ["0 abc…yz", "1 abc…yz"]),
    ],
)
def test_shorten_names_keeps_names_distinct(names, n_letters, expected):
    assert shorten_names(names, n_letters) == expected


@pytest.mark.parametrize(
    ("text", "n_letters", "expected"),
    [
        ("one two three", 13, "one two three"),
        ("one two three", 8, "one two\nthree"),
        ("one\ntwo", 8, "one\ntwo"),
        ("bm25_with_stemming minus bm25", 12, "bm25_with_\nstemming\nminus bm25"),
        ("abcdefgh", 3, "abc\ndef\ngh"),
    ],
)
def test_wrap_breaks_lines_at_spaces_or_marks(text, n_letters, expected):
    assert wrap(text, n_letters) == expected
