"""A user's code, which type checkers read and a test runs: what has a type, and which."""

from collections.abc import Iterator
from typing import Any, assert_type

import numpy as np
from sklearn.linear_model import LogisticRegression, Ridge

from sklearn_rank import (
    BalancedGroupKFold,
    GridSearchCV,
    GroupTimeSeriesSplit,
    LeaveLastOut,
    RandomizedSearchCV,
    RepeatedBalancedGroupKFold,
    TimeCut,
    WithinGroupKFold,
    conventions,
    cross_val_predict,
    cross_val_score,
    cross_validate,
    from_recommendations,
    get_scorer_names,
    group_auc_score,
    group_score,
    learning_curve,
    make_group_scorer,
    ndcg_curve,
    ndcg_score,
    ndcg_scorer,
    permutation_importance,
    precision_at_k_score,
    ranking_scorer,
    ranking_scores,
    tie_report,
    train_test_split,
)
from sklearn_rank.datasets import make_ranking
from sklearn_rank.metrics import GroupScorer, RankingScorer, TieReport
from sklearn_rank.model_selection import HalvingGridSearchCV
from sklearn_rank.rankers import PairwiseRanker, as_eval_metric

X, y, qid = make_ranking(n_queries=20, n_features=3, random_state=0)
Folds = Iterator[tuple[np.ndarray, np.ndarray]]


def call_metrics() -> None:
    y_score = X[:, 0]
    mean: float = ndcg_score(y, y_score, groups=qid, k=10, gain="exponential")
    by_query: np.ndarray = group_auc_score(y > 0, y_score, groups=qid, average=None)
    assert 0 <= mean <= 1 and by_query.shape == (20,)
    preset: float = ndcg_score(y, y_score, groups=qid, **conventions.LIGHTGBM["ndcg"])
    own_gain: float = ndcg_score(y, y_score, groups=qid, gain=np.sqrt, discount=None)
    by_table: float = ndcg_score(y, y_score, groups=qid, gain=[0, 1, 3, 7, 15])
    lists: float = precision_at_k_score([[1, 0, 2]], [[0.3, 0.2, 0.1]], k=2, min_relevance=2)
    assert preset and own_gain and by_table and lists == 0
    error: float = group_score(mean_error, y, y_score, groups=qid)
    assert error > 0
    values = assert_type(ranking_scores(y, y_score, groups=qid, metrics=["map", "mrr"]), dict[str, Any])
    assert list(values) == ["map", "mrr"]
    report = assert_type(tie_report(y, y_score, groups=qid, metrics=["map"]), TieReport)
    assert_type(report.metrics["map"]["best"], float)
    ranks, curve = ndcg_curve(y, y_score, groups=qid, max_k=5)
    assert assert_type(ranks, np.ndarray).shape == curve.shape
    labels, scores, users = from_recommendations({"ann": ["a", "b"]}, {"ann": ["b"]})
    assert_type(labels, np.ndarray)
    assert ndcg_score(labels, scores, groups=users) > 0


def mean_error(y_true: np.ndarray, y_pred: np.ndarray) -> float:
    return float(np.abs(y_true - y_pred).mean())


def call_scorers() -> None:
    model = Ridge().fit(X, y)
    scorer = assert_type(ndcg_scorer(k=10), RankingScorer)
    weighted = assert_type(scorer.set_score_request(sample_weight=True), RankingScorer)
    value: float = weighted(model, X, y, groups=qid)
    values: dict[str, float] = ranking_scorer(["map", "mrr"])(model, X, y, groups=qid)
    assert value > 0 and len(values) == 2
    of_groups = assert_type(make_group_scorer(mean_error, greater_is_better=False), GroupScorer)
    assert of_groups(model, X, y, groups=qid) < 0
    assert "map" in assert_type(get_scorer_names(), list[str])
    importance = permutation_importance(model, X, y, groups=qid, scoring="map", random_state=0)
    assert importance.importances_mean.shape == (3,)
    name: str = as_eval_metric("map@10", library="lightgbm").name
    assert name == "map_scorer(k=10)"


def split_rows() -> None:
    folds: Folds = BalancedGroupKFold(3, shuffle=True, random_state=0).split(X, y, groups=qid)
    assert_type(next(folds), tuple[np.ndarray, np.ndarray])
    for splitter in (GroupTimeSeriesSplit(2), WithinGroupKFold(2), LeaveLastOut(), TimeCut(cuts=[1, 2])):
        count: int = splitter.get_n_splits(X, y, qid)
        assert count > 0
    repeated: Folds = RepeatedBalancedGroupKFold(3, n_repeats=2, random_state=0).split(X, y, groups=qid)
    assert_type(next(repeated), tuple[np.ndarray, np.ndarray])
    X_train, X_test = train_test_split(X, groups=qid, test_size=0.5, random_state=0)
    assert len(X_train) + len(X_test) == len(X)


def validate_models() -> None:
    scores = cross_val_score(Ridge(), X, y, scoring=ndcg_scorer(k=10), groups=qid, cv=2)
    assert_type(scores, np.ndarray)
    results = cross_validate(Ridge(), X, y, scoring=["map", "mrr"], groups=qid, cv=2)
    assert assert_type(results, dict[str, Any])["test_map"].shape == (2,)
    predicted: np.ndarray = cross_val_predict(Ridge(), X, y, groups=qid, cv=2)
    assert predicted.shape == y.shape
    sizes, _, on_test = learning_curve(Ridge(), X, y, groups=qid, scoring="map", cv=2)[:3]
    assert len(sizes) == len(on_test)


def search_models() -> None:
    grid = {"alpha": [1.0, 100.0]}
    search = GridSearchCV(Ridge(), grid, scoring="ndcg@10", cv=2).fit(X, y, groups=qid)
    assert_type(search, GridSearchCV)
    assert_type(search.score(X, y, groups=qid), float)
    best: float = search.best_score_
    assert best > 0
    drawn = RandomizedSearchCV(Ridge(), grid, n_iter=1, scoring="map", cv=2, random_state=0)
    assert_type(drawn.fit(X, y, groups=qid), RandomizedSearchCV)
    assert_type(HalvingGridSearchCV(Ridge(), grid, scoring="map"), HalvingGridSearchCV)


def train_rankers() -> None:
    ranker = PairwiseRanker(LogisticRegression(), max_pairs=50, random_state=0).fit(X, y, groups=qid)
    assert_type(ranker, PairwiseRanker)
    assert_type(ranker.predict(X), np.ndarray)
    assert_type(ranker.score(X, y, groups=qid), float)


def main() -> None:
    call_metrics()
    call_scorers()
    split_rows()
    validate_models()
    search_models()
    train_rankers()
