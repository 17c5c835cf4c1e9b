"""Learning and validation curves over queries, drawn by the displays of scikit-learn."""

import sys

import numpy as np
import pytest
from scipy import stats
from sklearn.linear_model import Ridge
from sklearn.model_selection import LearningCurveDisplay, ValidationCurveDisplay

from sklearn_rank import GridSearchCV, learning_curve, ndcg_scorer, validation_curve
from sklearn_rank.inspection import QueryLearningCurveDisplay, QueryValidationCurveDisplay
from tests.helpers.figures import read_axes, read_legend

pytestmark = pytest.mark.usefixtures("pyplot")
VALUES = {"param_name": "alpha", "param_range": [1, 1e3, 1e6]}


def test_query_learning_curve_display_draws_scores_by_query_count(ranking_data):
    X, y, groups = ranking_data
    arguments = {"groups": groups, "scoring": "ndcg@10", "cv": 3, "train_sizes": [5, 20, 40]}
    display = QueryLearningCurveDisplay.from_estimator(Ridge(), X, y, **arguments)
    sizes, train, test = learning_curve(Ridge(), X, y, **arguments)
    frame = display.to_frame()
    assert list(frame.columns) == ["train_size", "fold", "train_score", "test_score"]
    for name, scores in (("train_score", train), ("test_score", test)):
        table = frame.pivot(index="train_size", columns="fold", values=name)
        np.testing.assert_array_equal(table.to_numpy(), scores)
        assert table.index.tolist() == sizes.tolist()
    np.testing.assert_array_equal(display.lines_[1].get_ydata(), test.mean(axis=1))
    assert display.lines_[0].get_linestyle() != display.lines_[1].get_linestyle()
    assert read_axes(display) == ("Number of training queries", "ndcg@10")
    assert read_legend(display) == ["Train", "Test"]
    assert isinstance(display, LearningCurveDisplay)
    assert display.figure_ is display.ax_.figure
    display.figure_.canvas.draw()
    assert all(float(tick).is_integer() for tick in display.ax_.get_xticks())


def test_query_validation_curve_display_draws_validation_scores(ranking_data, pyplot):
    X, y, groups = ranking_data
    arguments = {"groups": groups, "cv": 3, **VALUES}
    _, ax = pyplot.subplots()
    display = QueryValidationCurveDisplay.from_estimator(
        Ridge(), X, y, **arguments, scoring=ndcg_scorer(k=5), ax=ax, line_kw={"ls": ":", "lw": 4}
    )
    train, test = validation_curve(Ridge(), X, y, **arguments, scoring="ndcg@5")
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
def test_query_validation_curve_display_labels_axis_by_score(options, name, ranking_data):
    X, y, groups = ranking_data
    display = QueryValidationCurveDisplay.from_estimator(
        Ridge(), X, y, groups=groups, cv=2, **VALUES, **options
    )
    assert read_axes(display)[1] == name


def test_query_learning_curve_display_accepts_scikit_learn_options():
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
    assert read_axes(display) == ("Number of training queries", "MAP")
    unnamed = {"train_sizes": [2, 10], "train_scores": scores[:2], "test_scores": scores[:2]}
    assert read_axes(QueryLearningCurveDisplay(**unnamed).plot())[1] == "score"
    assert display.plot(std_display_style=None).fill_between_ is None


def test_query_validation_curve_display_has_integer_ticks():
    scores = np.array([[0.5, 0.6], [0.7, 0.8]])
    display = QueryValidationCurveDisplay(
        param_name="max_depth", param_range=[1, 2], train_scores=scores, test_scores=scores
    ).plot()
    display.figure_.canvas.draw()
    assert all(float(tick).is_integer() for tick in display.ax_.get_xticks())


# ------------------------------------------------------------------ differences to the best


def draw_differences(data, **options):
    X, y, groups = data
    arguments = {**VALUES, "scoring": "ndcg@10", "cv": 3, "difference": True, **options}
    return QueryValidationCurveDisplay.from_estimator(Ridge(), X, y, groups=groups, **arguments)


def half_widths_of(data, level, scoring="ndcg@10"):
    """Return half widths of the differences to the best, of folds that weigh the same, from kept values."""
    X, y, groups = data
    grid = {"alpha": VALUES["param_range"]}
    search = GridSearchCV(Ridge(), grid, scoring=scoring, cv=3, keep_queries=True).fit(X, y, groups=groups)
    values, folds = search.kept_queries_.values, search.kept_queries_.folds
    weights = 1 / (3 * np.bincount(folds)[folds])
    found = []
    for of_candidate in values:
        apart = of_candidate - values[search.best_index_]
        n, moved = len(apart), weights * (apart - weights @ apart)
        t = stats.t.ppf((1 + level) / 2, 1 / (weights @ weights) - 1)
        found.append(t * np.sqrt(n / (n - 1) * (moved @ moved)))
    return np.array(found)


def ends_of_band(display):
    """Return the lower and upper ends of the band at each value of the parameter."""
    corners = display.band_.get_paths()[0].vertices
    ends = [corners[np.isclose(corners[:, 0], value), 1] for value in display.param_range]
    return np.array([[each.min(), each.max()] for each in ends]).T


@pytest.mark.parametrize("level", [0.95, 0.5])
@pytest.mark.parametrize(
    ("options", "sign"), [({}, 1), ({"scoring": "neg_fallout@5", "negate_score": True}, -1)], ids=str
)
def test_query_validation_curve_display_draws_paired_differences(level, options, sign, ranking_data):
    display = draw_differences(ranking_data, confidence_level=level, **options)
    expected = half_widths_of(ranking_data, level, options.get("scoring", "ndcg@10"))
    np.testing.assert_allclose(display.half_width, expected, rtol=1e-9, atol=1e-15)
    means = sign * display.test_scores.mean(axis=1)
    np.testing.assert_allclose(ends_of_band(display), [means - expected, means + expected], atol=1e-12)
    best = display.ax_.get_lines()[-1].get_ydata()
    assert best[0] == best[1] == sign * display.test_scores.mean(axis=1).max()
    assert (display.fill_between_, display.errorbar_) == (None, None)
    assert read_legend(display) == ["Train", "Test", "difference from the best"]


def test_query_validation_curve_display_keeps_scores_with_differences(ranking_data):
    X, y, groups = ranking_data
    display = draw_differences(ranking_data)
    train, test = validation_curve(Ridge(), X, y, groups=groups, scoring="ndcg@10", cv=3, **VALUES)
    np.testing.assert_array_equal(display.train_scores, train)
    np.testing.assert_array_equal(display.test_scores, test)
    frame = display.to_frame()
    assert list(frame.columns) == ["alpha", "fold", "train_score", "test_score", "half_width"]
    assert frame["half_width"].tolist() == np.repeat(display.half_width, 3).tolist()


def test_query_validation_curve_display_styles_the_interval(ranking_data):
    display = draw_differences(ranking_data, score_type="test", fill_between_kw={"alpha": 0.6})
    assert display.band_.get_alpha() == 0.6
    assert len(display.lines_) == 1
    assert read_legend(display) == ["Test", "difference from the best"]


def test_query_validation_curve_display_omits_nan_intervals():
    scores = np.array([[0.5, 0.6], [0.7, 0.8], [np.nan, np.nan]])
    display = QueryValidationCurveDisplay(
        param_name="alpha",
        param_range=[1, 2, 3],
        train_scores=scores,
        test_scores=scores,
        half_width=[0.1, 0, np.nan],
    ).plot()
    display.figure_.canvas.draw()
    corners = np.concatenate([path.vertices for path in display.band_.get_paths()])
    assert set(corners[:, 0]) == {1, 2}
    assert display.ax_.get_lines()[-1].get_ydata()[0] == 0.75


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"score_type": "train"}, "score_type.*from_estimator must be 'test' or 'both' if differences"),
        (
            {"std_display_style": "errorbar"},
            "std_display_style.*from_estimator must be None if .* Got 'errorbar' instead",
        ),
        (
            {"scoring": "r2"},
            "scoring.*from_estimator must be a single ranking scorer.*if difference=True.*'r2'",
        ),
        ({"scoring": ["map", "mrr"]}, "scoring.*from_estimator must be a single ranking scorer"),
        ({"scoring": None}, "scoring.*from_estimator must be a single ranking scorer.*None"),
        ({"difference": 1}, "difference.*from_estimator must be"),
        ({"confidence_level": 95}, "confidence_level.*from_estimator must be between 0 and 1"),
    ],
    ids=str,
)
def test_query_validation_curve_display_rejects_invalid_differences(options, message, ranking_data):
    with pytest.raises(ValueError, match=f"The '{message}"):
        draw_differences(ranking_data, **options)


def test_query_validation_curve_display_rejects_short_half_width():
    scores = np.array([[0.5, 0.6], [0.7, 0.8]])
    with pytest.raises(ValueError, match=r"'half_width' parameter of QueryValidationCurveDisplay.*\(2,\)"):
        QueryValidationCurveDisplay(
            param_name="alpha", param_range=[1, 2], train_scores=scores, test_scores=scores, half_width=[0.1]
        )


@pytest.mark.parametrize(
    ("display", "options"), [(QueryLearningCurveDisplay, {}), (QueryValidationCurveDisplay, VALUES)]
)
def test_score_curve_displays_name_missing_arguments(display, options, ranking_data, monkeypatch):
    X, y, groups = ranking_data
    with pytest.raises(ValueError, match=f"'groups' parameter of {display.__name__}.from_estimator"):
        display.from_estimator(Ridge(), X, y, **options)
    with pytest.raises(ValueError, match="'ax' parameter"):
        display.from_estimator(Ridge(), X, y, groups=groups, scoring="map", cv=2, **options, ax="here")
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(
        ImportError, match=r"requires matplotlib\. Install it: pip install 'sklearn-rank\[plots\]'"
    ):
        display.from_estimator(Ridge(), X, y, groups=groups, **options)
