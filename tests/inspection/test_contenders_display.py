"""The display of the candidates of a search shows the values of the search."""

import sys

import numpy as np
import pytest
from sklearn.linear_model import Ridge
from sklearn.pipeline import Pipeline
from sklearn.tree import DecisionTreeRegressor

from sklearn_rank import GridSearchCV
from sklearn_rank.datasets import make_ranking
from sklearn_rank.inspection import ContendersDisplay
from sklearn_rank.model_selection import HalvingGridSearchCV
from tests.helpers.figures import read_axes, read_legend

pytestmark = pytest.mark.usefixtures("pyplot")
TREE = DecisionTreeRegressor(random_state=0)
GRID = {"max_depth": [1, 2, 4, None], "min_samples_leaf": [1, 300]}


@pytest.fixture(scope="module")
def data():
    return make_ranking(n_queries=60, n_documents=(5, 12), n_features=5, random_state=0)


def fit(data, grid, kind=GridSearchCV, **options):
    X, y, groups = data
    return kind(TREE, grid, **{"scoring": "ndcg@10", "keep_queries": True, **options}).fit(
        X, y, groups=groups
    )


@pytest.fixture(scope="module")
def search(data):
    return fit(data, GRID)


def read_bars(display):
    """Return the places, the marks and the ends of what is drawn, from top to bottom; nan for no interval."""
    drawn = []
    for bars in display.bars_:
        marks, _, (lines,) = bars.lines
        for x, y, segment in zip(*marks.get_data(), lines.get_segments()):
            drawn.append((y, x, *(segment[:, 0] if len(segment) else (np.nan, np.nan))))
    return np.array(sorted(drawn))


@pytest.mark.parametrize("options", [{}, {"confidence_level": 0.5}, {"random_state": 3, "n_resamples": 200}])
def test_contenders_display_shows_numbers_of_the_search(options, search):
    display = ContendersDisplay.from_search(search, **options)
    rows, found = search.compare_with_best(**options)
    order = np.argsort(-search.cv_results_["mean_test_score"][rows], kind="stable")
    assert display.candidates.tolist() == rows[order].tolist()
    for name in ("difference", "low", "high"):
        np.testing.assert_array_equal(getattr(display, name), getattr(found, name)[order])
    np.testing.assert_array_equal(display.is_contender, found.stays[order])
    contenders = search.contenders(**options)
    assert display.candidates[display.is_contender].tolist() == contenders.tolist()
    assert 0 < len(contenders) < len(rows)


def test_contenders_display_passes_clusters_to_the_search(search):
    cluster = dict(enumerate(np.arange(60) % 12))
    display = ContendersDisplay.from_search(search, cluster=cluster)
    found = search.compare_with_best(cluster=cluster)[1]
    np.testing.assert_array_equal(np.sort(display.low), np.sort(found.low))
    assert not np.array_equal(np.sort(display.low), np.sort(search.compare_with_best()[1].low))


def test_contenders_display_draws_marks_and_intervals(search):
    display = ContendersDisplay.from_search(search)
    places, marks, low, high = read_bars(display).T
    assert places.tolist() == list(range(8))
    np.testing.assert_allclose(marks, display.difference, atol=1e-15)
    np.testing.assert_allclose(low, display.low, atol=1e-15)
    np.testing.assert_allclose(high, display.high, atol=1e-15)
    assert ((high >= 0) == display.is_contender).all()
    inside, outside = (bars.lines[0] for bars in display.bars_)
    assert len(inside.get_xdata()) == display.is_contender.sum()
    assert (inside.get_markerfacecolor(), outside.get_markerfacecolor()) == ("C0", "none")
    assert display.line_.get_xdata() == [0, 0]


def test_contenders_display_draws_the_lead_of_the_best_from_0(data):
    display = ContendersDisplay.from_search(fit(data, {"min_samples_leaf": [300, 1]}))
    assert display.low[0] > 0  # the best candidate is distinguishable from the others
    _, marks, low, high = read_bars(display).T
    assert (marks[0], low[0]) == (0, 0)
    assert high[0] == pytest.approx(display.high[0])
    np.testing.assert_allclose([low[1], high[1]], [display.low[1], display.high[1]])


def test_contenders_display_labels_axes_and_candidates(search):
    display = ContendersDisplay.from_search(search)
    titles = [" ".join(each.split()) for each in read_axes(display)]
    assert titles == ["Difference in ndcg@10 from the best candidate", "max_depth, min_samples_leaf"]
    assert read_legend(display) == ["not distinguishable from the best", "worse than the best"]
    assert display.ax_.yaxis_inverted()
    params = search.cv_results_["params"]
    assert [label.get_text() for label in display.ax_.get_yticklabels()] == [
        f"{params[row]['max_depth']}, {params[row]['min_samples_leaf']}" for row in display.candidates
    ]
    assert display.names == [
        f"max_depth={params[row]['max_depth']}, min_samples_leaf={params[row]['min_samples_leaf']}"
        for row in display.candidates
    ]


@pytest.mark.parametrize(
    ("grid", "names"),
    [
        ({"max_depth": [2, 3], "min_samples_leaf": [5]}, ["max_depth=2", "max_depth=3"]),
        ({"max_depth": [2, 2]}, ["max_depth=2"]),
        ({"max_depth": [2]}, ["max_depth=2"]),
        ({}, ["unchanged parameters"]),
        ([{"max_depth": [2]}, {}], ["max_depth=2", "unchanged parameters"]),
        ([{"max_depth": [2]}, {"ccp_alpha": [1 / 3]}], ["max_depth=2", "ccp_alpha=0.3333"]),
        ({"ccp_alpha": [0.012345, 0.012346]}, ["ccp_alpha=0.012345", "ccp_alpha=0.012346"]),
    ],
    ids=str,
)
def test_contenders_display_names_candidates_by_differing_parameters(grid, names, data):
    assert set(ContendersDisplay.from_search(fit(data, grid)).names) == set(names)


def test_contenders_display_names_models_by_class_if_distinct(data):
    models = [Ridge(), DecisionTreeRegressor(max_depth=1), DecisionTreeRegressor(max_depth=2)]
    X, y, groups = data
    search = GridSearchCV(Pipeline([("model", Ridge())]), {"model": models}, scoring="map", keep_queries=True)
    display = ContendersDisplay.from_search(search.fit(X, y, groups=groups))
    trees = {f"model=DecisionTreeRegressor(max_depth={depth})" for depth in (1, 2)}
    assert set(display.names) == {"model=Ridge", *trees}
    labels = {label.get_text() for label in display.ax_.get_yticklabels()}
    assert labels == {name.removeprefix("model=") for name in display.names}
    assert read_axes(display)[1] == "model"


def test_contenders_display_names_models_of_a_class_by_what_varies(data):
    models = [TREE, DecisionTreeRegressor(random_state=0, min_samples_leaf=9, max_depth=3)]
    X, y, groups = data
    search = GridSearchCV(Pipeline([("model", Ridge())]), {"model": models}, scoring="map", keep_queries=True)
    display = ContendersDisplay.from_search(search.fit(X, y, groups=groups))
    each = ("max_depth=None, min_samples_leaf=1", "max_depth=3, min_samples_leaf=9")
    assert set(display.names) == {f"model=DecisionTreeRegressor({params})" for params in each}


def test_contenders_display_lists_only_drawn_kinds_in_the_legend(data):
    display = ContendersDisplay.from_search(fit(data, {"max_depth": [2]}))
    assert read_legend(display) == ["not distinguishable from the best"]


@pytest.mark.parametrize(("most", "n_drawn"), [(1, 1), (3, 3), (8, 8), (100, 8), (None, 8)])
def test_contenders_display_draws_at_most_max_candidates(most, n_drawn, search):
    display, full = (ContendersDisplay.from_search(search, max_candidates=each) for each in (most, None))
    np.testing.assert_array_equal(display.candidates, full.candidates[:n_drawn])
    np.testing.assert_array_equal(display.high, full.high[:n_drawn])  # of comparisons with all candidates
    assert (f"Best {n_drawn} of 8 candidates" in read_axes(display)[1]) == (n_drawn < 8)
    assert len(read_bars(display)) == n_drawn


def test_contenders_display_draws_the_last_round_of_halving(data):
    search = fit(data, GRID, HalvingGridSearchCV)
    display = ContendersDisplay.from_search(search)
    assert sorted(display.candidates) == search.compare_with_best()[0].tolist()
    assert read_axes(display)[1].startswith(f"Best {len(display.names)} of 8 candidates")
    assert len(display.names) < 8


def test_contenders_display_omits_infinite_intervals():
    search = fit(make_ranking(n_queries=3, n_documents=8, random_state=0), GRID, cv=3)
    display = ContendersDisplay.from_search(search)
    assert np.isinf(display.low).any()
    display.figure_.canvas.draw()
    _, marks, low, high = read_bars(display).T
    np.testing.assert_array_equal(marks, display.difference)
    known = np.isfinite(display.low) & np.isfinite(display.high)
    np.testing.assert_array_equal(np.isfinite(low), known)
    assert (low[known] <= high[known]).all()
    assert np.isfinite(display.ax_.get_xlim()).all()


def test_contenders_display_draws_given_numbers_and_makes_a_frame(pyplot):
    _, ax = pyplot.subplots()
    display = ContendersDisplay(
        "map",
        ["a", "b"],
        [4, 2],
        difference=[0, -0.2],
        low=[-0.1, np.nan],
        high=[0.3, np.inf],
        is_contender=[True, False],
    )
    assert display.plot(ax, line_kw={"c": "red", "ms": 9}) is display
    assert (display.ax_, display.figure_) == (ax, ax.figure)
    assert [bars.lines[0].get_color() for bars in display.bars_] == ["red", "red"]
    assert display.bars_[0].lines[0].get_markersize() == 9
    np.testing.assert_allclose(read_bars(display), [[0, 0, -0.1, 0.3], [1, -0.2, np.nan, np.nan]])
    frame = display.to_frame()
    assert list(frame.columns) == ["candidate", "name", "difference", "low", "high", "is_contender"]
    assert frame["candidate"].tolist() == [4, 2]
    assert frame["is_contender"].tolist() == [True, False]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"max_candidates": 0}, "max_candidates.*from_search must be an int >= 1 or None"),
        ({"confidence_level": 95}, "confidence_level.*from_search must be between 0 and 1"),
        ({"n_resamples": 5}, "n_resamples.*from_search must be an int from 100"),
        ({"random_state": "a"}, "random_state.*from_search must be"),
        (
            {"cluster": dict.fromkeys(range(60), 0)},
            "cluster.*must contain at least two clusters with a value",
        ),
        ({"ax": "here"}, "ax.*ContendersDisplay.from_search must be matplotlib Axes or None"),
    ],
    ids=str,
)
def test_contenders_display_rejects_invalid_arguments(options, message, search):
    with pytest.raises(ValueError, match=f"The '{message}"):
        ContendersDisplay.from_search(search, **options)


def test_contenders_display_rejects_searches_without_kept_values(data, monkeypatch):
    with pytest.raises(
        ValueError, match=r"'search' .* must be a search of sklearn_rank.*of type Ridge.*keep_queries=True"
    ):
        ContendersDisplay.from_search(Ridge())
    search = fit(data, {"max_depth": [1, 2]}, keep_queries=False)
    with pytest.raises(ValueError, match=r"from_search requires the per-query values .* keep_queries=True"):
        ContendersDisplay.from_search(search)
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(
        ImportError, match=r"requires matplotlib\. Install it: pip install 'sklearn-rank\[plots\]'"
    ):
        ContendersDisplay.from_search(search)


def test_contenders_display_rejects_inconsistent_lengths():
    numbers = {"difference": [0, -1], "low": [0, 0], "high": [0, 0], "is_contender": [True, False]}
    with pytest.raises(ValueError, match=r"'candidates' parameter of ContendersDisplay.*shape \(2,\)"):
        ContendersDisplay("map", ["a", "b"], [0], **numbers)
    with pytest.raises(ValueError, match=r"'low' parameter of ContendersDisplay.*shape \(2,\)"):
        ContendersDisplay("map", ["a", "b"], [0, 1], **{**numbers, "low": [0]})
    with pytest.raises(ValueError, match=r"'parameters' parameter .* have one dict per name \(2 names\)"):
        ContendersDisplay("map", ["a", "b"], [0, 1], **numbers, parameters=[{}])
