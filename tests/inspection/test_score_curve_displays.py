"""Learning and validation curves of whole queries, drawn by scikit-learn's own displays."""

import sys

import numpy as np
import pytest
from sklearn.linear_model import Ridge
from sklearn.model_selection import LearningCurveDisplay, ValidationCurveDisplay

from sklearn_rank import learning_curve, ndcg_scorer, validation_curve
from sklearn_rank.inspection import QueryLearningCurveDisplay, QueryValidationCurveDisplay
from tests.helpers.pictures import read_axes, read_legend

pytestmark = pytest.mark.usefixtures("pyplot")
VALUES = {"param_name": "alpha", "param_range": [1, 1e3, 1e6]}


def test_a_learning_curve_over_queries(ranking_data):
    X, y, groups = ranking_data
    asked = {"groups": groups, "scoring": "ndcg@10", "cv": 3, "train_sizes": [5, 20, 40]}
    display = QueryLearningCurveDisplay.from_estimator(Ridge(), X, y, **asked)
    sizes, train, test = learning_curve(Ridge(), X, y, **asked)
    frame = display.to_frame()
    assert list(frame.columns) == ["train_size", "fold", "train_score", "test_score"]
    for name, scores in (("train_score", train), ("test_score", test)):
        table = frame.pivot(index="train_size", columns="fold", values=name)
        np.testing.assert_array_equal(table.to_numpy(), scores)
        assert table.index.tolist() == sizes.tolist()
    np.testing.assert_array_equal(display.lines_[1].get_ydata(), test.mean(axis=1))
    assert display.lines_[0].get_linestyle() != display.lines_[1].get_linestyle()
    assert read_axes(display) == ("Queries to learn from", "ndcg@10")
    assert read_legend(display) == ["Train", "Test"]
    assert isinstance(display, LearningCurveDisplay)
    assert display.figure_ is display.ax_.figure
    display.figure_.canvas.draw()
    assert all(float(tick).is_integer() for tick in display.ax_.get_xticks())


def test_a_validation_curve(ranking_data, pyplot):
    X, y, groups = ranking_data
    asked = {"groups": groups, "cv": 3, **VALUES}
    _, ax = pyplot.subplots()
    display = QueryValidationCurveDisplay.from_estimator(
        Ridge(), X, y, **asked, scoring=ndcg_scorer(k=5), ax=ax, line_kw={"ls": ":", "lw": 4}
    )
    train, test = validation_curve(Ridge(), X, y, **asked, scoring="ndcg@5")
    frame = display.to_frame()
    np.testing.assert_array_equal(frame["test_score"], test.ravel())
    np.testing.assert_array_equal(frame["train_score"], train.ravel())
    assert frame["alpha"].tolist() == np.repeat(VALUES["param_range"], 3).tolist()
    assert read_axes(display) == ("alpha", "ndcg@5")
    assert display.ax_ is ax
    assert [line.get_linestyle() for line in display.lines_] == [":", ":"]
    assert display.lines_[0].get_linewidth() == 4
    assert isinstance(display, ValidationCurveDisplay)


@pytest.mark.parametrize(
    ("options", "name"),
    [
        ({"scoring": "neg_fallout@5", "negate_score": True}, "fallout@5"),
        ({"scoring": "ndcg@5", "negate_score": True}, "negative ndcg@5"),
        ({"scoring": "ndcg@5", "score_name": "quality"}, "quality"),
        ({"scoring": lambda model, X, y: 0.5}, "<lambda>"),
        ({"scoring": None}, "score"),
    ],
)
def test_the_axis_has_the_name_of_the_score(options, name, ranking_data):
    X, y, groups = ranking_data
    display = QueryValidationCurveDisplay.from_estimator(
        Ridge(), X, y, groups=groups, cv=2, **VALUES, **options
    )
    assert read_axes(display)[1] == name


def test_scikit_learns_options_of_drawing():
    scores = np.array([[0.5, 0.6], [0.7, 0.8], [0.8, 0.8]])
    display = QueryLearningCurveDisplay(
        train_sizes=np.array([2, 10, 100]), train_scores=scores, test_scores=scores, score_name="map"
    )
    display.plot(std_display_style="errorbar", errorbar_kw={"capsize": 3})
    assert (display.lines_, len(display.errorbar_)) == (None, 2)
    assert display.ax_.get_xscale() == "log"
    display.figure_.canvas.draw()
    assert {"10", "100"} <= {label.get_text() for label in display.ax_.get_xticklabels()}
    display.plot(score_type="test", score_name="MAP", fill_between_kw={"alpha": 0.7})
    assert (len(display.lines_), display.fill_between_[0].get_alpha()) == (1, 0.7)
    assert read_axes(display) == ("Queries to learn from", "MAP")
    assert display.plot(std_display_style=None).fill_between_ is None


def test_integer_parameters_have_integer_ticks():
    scores = np.array([[0.5, 0.6], [0.7, 0.8]])
    display = QueryValidationCurveDisplay(
        param_name="max_depth", param_range=[1, 2], train_scores=scores, test_scores=scores
    ).plot()
    display.figure_.canvas.draw()
    assert all(float(tick).is_integer() for tick in display.ax_.get_xticks())


@pytest.mark.parametrize(
    ("display", "options"), [(QueryLearningCurveDisplay, {}), (QueryValidationCurveDisplay, VALUES)]
)
def test_what_is_missing_is_named(display, options, ranking_data, monkeypatch):
    X, y, groups = ranking_data
    with pytest.raises(ValueError, match=f"'groups' parameter of {display.__name__}.from_estimator"):
        display.from_estimator(Ridge(), X, y, groups=None, **options)
    with pytest.raises(ValueError, match="'ax' parameter"):
        display.from_estimator(Ridge(), X, y, groups=groups, scoring="map", cv=2, **options, ax="here")
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(ImportError, match=r"needs matplotlib: pip install sklearn-rank\[plots\]"):
        display.from_estimator(Ridge(), X, y, groups=groups, **options)
