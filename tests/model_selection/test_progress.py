"""Progress of searches: callbacks of scikit-learn 1.9 or later, and `verbose` on every version."""

import pytest
from sklearn.linear_model import LinearRegression, Ridge
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from sklearn_rank import GridSearchCV, RandomizedSearchCV, cross_validate
from sklearn_rank.model_selection import HalvingGridSearchCV

PIPELINE = make_pipeline(StandardScaler(), Ridge())
SEARCHES = {
    "grid": lambda **options: GridSearchCV(PIPELINE, {"ridge__alpha": [1, 2]}, cv=3, **options),
    "models": lambda **options: GridSearchCV(
        PIPELINE, {"ridge": [Ridge(), LinearRegression()]}, cv=3, **options
    ),
    "randomized": lambda **options: RandomizedSearchCV(
        PIPELINE, {"ridge__alpha": [1, 2, 3]}, n_iter=2, cv=3, **options
    ),
    "halving": lambda **options: HalvingGridSearchCV(
        PIPELINE, {"ridge__alpha": [1, 2]}, cv=3, factor=2, min_resources=30, **options
    ),
}
SEARCH = pytest.mark.parametrize("name", SEARCHES)


@SEARCH
def test_search_progress_bar_reaches_100_percent(name, routing, ranking_data, capsys):
    callback = pytest.importorskip("sklearn.callback")
    pytest.importorskip("rich")
    X, y, groups = ranking_data
    search = SEARCHES[name](scoring="ndcg@3").set_callbacks(callback.ProgressBar())
    search.fit(X, y, groups=groups)
    first = capsys.readouterr().out.splitlines()[0]
    assert type(search).__name__ in first
    assert "100%" in first
    plain = SEARCHES[name](scoring="ndcg@3").fit(X, y, groups=groups)
    assert search.best_score_ == plain.best_score_


@SEARCH
def test_search_verbose_prints_one_line_per_fit(name, routing, ranking_data, capsys):
    X, y, groups = ranking_data
    search = SEARCHES[name](scoring="ndcg@3", verbose=2).fit(X, y, groups=groups)
    lines = [line for line in capsys.readouterr().out.splitlines() if line.startswith("[CV] END")]
    assert len(lines) == len(search.cv_results_["params"]) * 3


def test_cross_validate_verbose_prints_scores(ranking_data, capsys):
    X, y, groups = ranking_data
    cross_validate(Ridge(), X, y, groups=groups, scoring="ndcg@3", cv=2, verbose=3)
    assert capsys.readouterr().out.count("score=") == 2
