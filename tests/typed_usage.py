"""User code that type checkers read and a test runs, with the expected types.

Functions `reject_*` are not run. mypy finds an error in each line with ``type: ignore``, because strict mypy
reports ignores that are not needed.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Literal, assert_type

import numpy as np
from sklearn.linear_model import LogisticRegression, Ridge

from sklearn_rank import (
    BalancedGroupKFold,
    GridSearchCV,
    GroupTimeSeriesSplit,
    LeaveLastOut,
    RandomizedSearchCV,
    RankingReport,
    RepeatedBalancedGroupKFold,
    TimeCut,
    WithinGroupKFold,
    catalog_coverage_score,
    cross_val_predict,
    cross_val_score,
    cross_validate,
    dcg_scorer,
    err_score,
    evaluate,
    from_recommendations,
    from_run,
    get_scorer_names,
    group_auc_score,
    group_auc_scorer,
    group_score,
    insq_score,
    insq_scorer,
    intra_list_similarity_loss,
    learning_curve,
    make_group_scorer,
    map_score,
    map_scorer,
    ndcg_score,
    ndcg_scorer,
    neg_intra_list_similarity_loss_scorer,
    permutation_importance,
    precision_at_k_score,
    precision_at_k_scorer,
    ranking_scorer,
    ranking_scores,
    rbp_residual_loss,
    rbp_score,
    train_test_split,
)
from sklearn_rank.clicks import (
    debias_clicks,
    estimate_propensities,
    simulate_clicks,
    snips_score,
)
from sklearn_rank.datasets import make_ranking
from sklearn_rank.metrics import (
    RankingScorer,
    TieReport,
    alpha_ndcg_score,
    alpha_ndcg_scorer,
    calibration_loss,
    err_ia_score,
    infap_score,
    infap_scorer,
    intent_aware_score,
    interpolated_precision_curve,
    map_curve,
    ndcg_curve,
    novelty_score,
    nrbp_score,
    overlap_at_k_score,
    ranks,
    rbo_score,
    sampled_score,
    sampled_scorer,
    serendipity_score,
    subtopic_recall_score,
    tie_report,
)
from sklearn_rank.model_selection import HalvingGridSearchCV
from sklearn_rank.rankers import PairwiseRanker, as_eval_metric

if TYPE_CHECKING:
    import polars

X, y, qid = make_ranking(n_queries=20, n_features=3, random_state=0)
Folds = Iterator[tuple[np.ndarray, np.ndarray]]


def call_metrics() -> None:
    y_score = X[:, 0]
    mean: float = ndcg_score(y, y_score, groups=qid, k=10, gain="exponential")
    by_query: np.ndarray = group_auc_score(y > 0, y_score, groups=qid, average=None)
    assert 0 <= mean <= 1 and by_query.shape == (20,)
    own_gain: float = ndcg_score(y, y_score, groups=qid, gain=np.sqrt, discount=None)
    by_table: float = ndcg_score(y, y_score, groups=qid, gain=[0, 1, 3, 7, 15])
    lists: float = precision_at_k_score([[1, 0, 2]], [[0.3, 0.2, 0.1]], k=2, min_relevance=2)
    assert own_gain and by_table and lists == 0
    error: float = group_score(mean_error, y, y_score, groups=qid)
    assert error > 0
    values = assert_type(ranking_scores(y, y_score, groups=qid, metrics=["map", "mrr"]), dict[str, float])
    assert list(values) == ["map", "mrr"]
    many = ranking_scores(y, y_score, groups=qid, metrics=["map"], average=None)
    assert assert_type(many, dict[str, np.ndarray])["map"].shape == (20,)
    report = assert_type(tie_report(y, y_score, groups=qid, metrics=["map"]), TieReport)
    assert_type(report.metrics["map"]["best"], float)
    cutoffs, curve = ndcg_curve(y, y_score, groups=qid, max_k=5)
    assert assert_type(cutoffs, np.ndarray).shape == curve.shape
    labels, scores, users = from_recommendations({"ann": ["b"]}, {"ann": ["a", "b"]})
    assert ndcg_score(labels, scores, groups=users) > 0
    labels, *_ = from_run({"q": {"a": 1}}, {"q": {"a": 2.0, "b": 1.0}}, queries="judged", depth=1)
    assert labels.shape == (1,)


def call_metrics_with_every_option() -> None:
    y_score = X[:, 0]
    assert_type(ndcg_score(y, y_score, groups=qid), float)
    assert_type(ndcg_score(y, y_score, groups=qid, average="weighted", zero_division=np.nan), float)
    assert_type(ndcg_score(y, y_score, groups=qid, k=3, average=None, discount=np.reciprocal), np.ndarray)
    assert_type(precision_at_k_score(y, y_score, groups=qid, k=3, average="micro"), float)
    assert_type(precision_at_k_score(y, y_score, groups=qid, k=3, average="geometric"), float)
    assert_type(ndcg_score(y, y_score, groups=qid, average="geometric"), float)
    assert_type(precision_at_k_score(y, y_score, groups=qid, k=3, average=None, adaptive_k=True), np.ndarray)
    assert_type(map_score(y, y_score, groups=qid, denominator="hits", ties="order"), float)
    assert_type(err_score(y, y_score, groups=qid, gain={0: 0, 1: 0.1, 2: 0.2, 3: 0.3, 4: 0.4}), float)
    assert_type(group_auc_score(y, y_score, groups=qid, average="weighted", weighted_by="relevant"), float)
    assert_type(rbp_score(y, y_score, groups=qid, max_grade="query"), float)
    assert_type(insq_score(y, y_score, groups=qid, desired_gain=2, max_grade=4, average=None), np.ndarray)
    drawn = np.where(np.arange(len(y)) % 3 == 0, np.nan, y)
    assert_type(rbp_residual_loss(drawn, y_score, groups=qid, p=0.9), float)
    assert_type(
        infap_score(drawn, y_score, groups=qid, strata=np.zeros(len(y)), prior_precision=1 / 3), float
    )
    assert_type(infap_score(drawn, y_score, groups=qid, average=None, ties="worst"), np.ndarray)
    assert_type(group_score(mean_error, y, y_score, groups=qid, average=None), np.ndarray)
    items, share = np.arange(len(y)), dict.fromkeys(range(len(y)), 0.5)
    assert_type(novelty_score(items, y_score, groups=qid, k=3, popularity=share), float)
    assert_type(novelty_score(items, y_score, groups=qid, popularity=share, average=None), np.ndarray)
    assert_type(intra_list_similarity_loss(X, y_score, groups=qid, k=3, ties="order"), float)
    assert_type(serendipity_score(y, y_score, groups=qid, X=X, history=(X, qid), average=None), np.ndarray)
    assert_type(calibration_loss(X - X.min(), y_score, groups=qid, history=(X - X.min(), qid)), float)
    one = np.isin(items, np.unique(qid, return_index=True)[1])  # relevant item per user
    assert_type(sampled_score(one, y_score, groups=qid, n_items=99, metric="mrr", method="rank"), float)
    n_items = dict.fromkeys(qid.tolist(), 99)
    assert_type(sampled_score(one, y_score, groups=qid, n_items=n_items, average=None), np.ndarray)
    assert_type(catalog_coverage_score(items, y_score, groups=qid, k=3, catalog=len(y)), float)
    levels, precision = interpolated_precision_curve(y, y_score, groups=qid, ties="together", rounding="up")
    assert levels.shape == precision.shape
    for average in (None, "macro"):
        either = group_auc_score(y > 0, y_score, groups=qid, average=read_average(average))
        assert_type(either, float | np.ndarray)


def read_average(average: object) -> Literal["macro"] | None:
    return "macro" if average else None


def call_metrics_with_any_array() -> None:
    y_score = X[:, 0]
    assert ndcg_score(y.tolist(), tuple(y_score), groups=list(map(str, qid))) > 0
    assert ndcg_score([[0, 1]], ((0.1, 0.2),)) == 1
    assert ndcg_score(array("d", [0, 1]), range(2), groups=("ann", "ann")) == 1
    assert ndcg_score([True, False], np.array([2, 1], np.float32), groups=[(1, "a"), (1, "a")]) == 1


def call_metrics_with_columns(frame: polars.DataFrame) -> None:
    assert_type(ndcg_score(frame["y"], frame["y_score"], groups=frame["qid"]), float)
    assert_type(ndcg_score(frame, frame), float)


def reject_wrong_options() -> None:
    ndcg_score(y, y, ties="bets")  # type: ignore[call-overload]
    ndcg_score(y, y, ties="bets", average=None)  # type: ignore[call-overload]
    ndcg_score(y, y, unjudged="ignore")  # type: ignore[call-overload]
    ndcg_score(y, y, average="mean")  # type: ignore[call-overload]
    ndcg_score(y, y, average="micro")  # type: ignore[call-overload]
    group_score(mean_error, y, y, groups=qid, average="geometric")  # type: ignore[call-overload]
    ndcg_score(y, y, gain="exp")  # type: ignore[arg-type]
    ndcg_score(y, y, gain=2)  # type: ignore[call-overload]
    ndcg_score(y, y, discount="log")  # type: ignore[call-overload]
    ndcg_score(y, y, zero_division="nan")  # type: ignore[call-overload]
    ndcg_score(y, y, min_relevance=2)  # type: ignore[call-overload]
    ndcg_score(y, y, min_relevance=2, average=None)  # type: ignore[call-overload]
    ndcg_score(y, y, k="10")  # type: ignore[call-overload]
    precision_at_k_score(y, y)  # type: ignore[call-overload]
    precision_at_k_score(y, y, average=None)  # type: ignore[call-overload]
    map_score(y, y, denominator="found")  # type: ignore[call-overload]
    group_auc_score(y, y, weighted_by="row")  # type: ignore[call-overload]
    novelty_score(y, y, groups=qid, popularity={}, ties="best")  # type: ignore[call-overload]
    map_curve(y, y, denominator="hits")  # type: ignore[arg-type]
    interpolated_precision_curve(y, y, ties="average")  # type: ignore[arg-type]
    interpolated_precision_curve(y, y, rounding="down")  # type: ignore[arg-type]
    tie_report(y, y, metrics=["map"], average=None)  # type: ignore[arg-type]
    as_eval_metric("map", library="sklearn")  # type: ignore[call-overload]


def reject_wrong_data() -> None:
    ndcg_score(3, y)  # type: ignore[call-overload]
    ndcg_score(y, None)  # type: ignore[call-overload]
    ndcg_score({1, 2}, y)  # type: ignore[call-overload]
    ndcg_score(y, (score for score in y))  # type: ignore[call-overload]
    ndcg_score(y, y, groups=5)  # type: ignore[call-overload]
    ndcg_score(y, y, groups="qid")  # type: ignore[call-overload]
    ndcg_score(y, y, sample_weight=1.0)  # type: ignore[call-overload]
    ndcg_curve(y, y, groups="qid")  # type: ignore[arg-type]


def reject_wrong_values() -> None:
    a: str = ndcg_score([[1]], [[1]])  # type: ignore[assignment]
    b: float = ndcg_score([[1]], [[1]], average=None)  # type: ignore[assignment]
    c: np.ndarray = ndcg_score([[1]], [[1]])  # type: ignore[assignment]
    d: float = group_score(mean_error, y, y, groups=qid, average=None)  # type: ignore[assignment]
    ranking_scores(y, y, metrics=["map"])["map"].shape  # type: ignore[attr-defined]  # noqa: B018
    ranking_scores(y, y, metrics=["map"], average=None)["map"].hex()  # type: ignore[attr-defined]
    print(a, b, c, d)


def reject_wrong_scorers() -> None:
    model = Ridge()
    ndcg_scorer(sample_weight=y)  # type: ignore[call-arg]
    ndcg_scorer(average=None)  # type: ignore[arg-type]
    ndcg_scorer(groups=qid)  # type: ignore[arg-type]
    ndcg_scorer(response_method="predict_log_proba")  # type: ignore[arg-type]
    ndcg_scorer(ties="bets")  # type: ignore[arg-type]
    map_scorer(denominator="found")  # type: ignore[arg-type]
    group_auc_scorer(average="micro")  # type: ignore[arg-type]
    precision_at_k_scorer()  # type: ignore[call-arg]
    ranking_scorer(["map"], unjudged="ignore")  # type: ignore[arg-type]
    make_group_scorer(mean_error, response_method="transform")  # type: ignore[arg-type]
    neg_intra_list_similarity_loss_scorer(k=3, similarity="dot")  # type: ignore[arg-type]
    ndcg_scorer()(model, X, y, group=qid)  # type: ignore[call-arg]
    ndcg_scorer()(model, X, y, groups=5)  # type: ignore[arg-type]
    ndcg_scorer().score_rows(y, y, groups="qid")  # type: ignore[arg-type]


def learn_from_clicks() -> None:
    chances, propensities = y / 4, 1 / np.arange(1, 101)
    drawn = simulate_clicks(chances, X[:, 0], groups=qid, propensities=propensities, random_state=0)
    clicks, positions = assert_type(drawn, tuple[np.ndarray, np.ndarray])
    labels = assert_type(debias_clicks(clicks, positions, propensities, clip=0.01), np.ndarray)
    value, error = assert_type(snips_score(labels, X[:, 0], groups=qid, k=3), tuple[float, float])
    assert value > 0 and error > 0
    scorer = assert_type(dcg_scorer(k=3, signed=True, labels="debiased"), RankingScorer)
    assert cross_val_score(Ridge(), X, y, scoring=scorer, groups=qid, cv=2, params={"debiased": labels}).all()
    curve = estimate_propensities(
        [1, 0, 1, 1],
        [1, 2, 1, 2],
        groups=[1, 1, 1, 1],
        documents=["a", "b", "b", "a"],
        method="harvest",
        n_resamples=0,
    )
    assert len(curve.propensities)


def name_intents() -> None:
    intents = np.column_stack([y, y > 1])
    ranking_scores(y, X[:, 0], groups=qid, metrics=["alpha_ndcg@2"], intents=intents)
    report = evaluate(y, X[:, 0], groups=qid, metrics=["alpha_ndcg@2"], intents=intents)
    assert_type(report, RankingReport)


def serve_several_intents() -> None:
    intents = np.stack([y > 1, y < 2], axis=1)
    assert_type(alpha_ndcg_score(intents, X[:, 0], groups=qid, k=3, normalize="bound"), float)
    assert_type(nrbp_score(intents, X[:, 0], groups=qid, beta=0.8, average=None), np.ndarray)
    assert_type(err_ia_score(intents, X[:, 0], groups=qid, intent_weight=[1, 2]), float)
    assert_type(subtopic_recall_score(intents, X[:, 0], groups=qid, k=3, average=None), np.ndarray)
    assert_type(intent_aware_score("map", intents, X[:, 0], groups=qid, unjudged="drop"), float)
    scorer = assert_type(alpha_ndcg_scorer(k=3, intents="intents"), RankingScorer)
    assert cross_val_score(Ridge(), X, y, scoring=scorer, groups=qid, cv=2, params={"intents": intents}).all()


def compare_two_rankings() -> None:
    assert_type(ranks(X[:, 0], groups=qid, ties="best"), np.ndarray)
    assert_type(rbo_score(y, X[:, 0], groups=qid, k=5, p=0.5, ties="b", variant="max"), float)
    assert_type(overlap_at_k_score(y, X[:, 0], groups=qid, k=5, average=None), np.ndarray)


def reject_wrong_clicks() -> None:
    debias_clicks(y, y, {"1": 0.5})  # type: ignore[arg-type]
    estimate_propensities(y, y, groups=qid, method="swap")  # type: ignore[arg-type]
    dcg_scorer(labels=3)  # type: ignore[arg-type]
    rbo_score(y, X[:, 0], groups=qid)  # type: ignore[call-overload]
    ranks(X[:, 0], groups=qid, ties="mean")  # type: ignore[arg-type]


def reject_wrong_selection() -> None:
    cross_val_score(Ridge(), X, y, groups=5)  # type: ignore[arg-type]
    cross_val_score(Ridge(), X, y, scoring=["map", "mrr"])  # type: ignore[arg-type]
    cross_validate(Ridge(), X, y, error_score="nan")  # type: ignore[arg-type]
    a: str = cross_val_score(Ridge(), X, y)  # type: ignore[assignment]
    BalancedGroupKFold("3")  # type: ignore[arg-type]
    BalancedGroupKFold(3).split(X, y, groups=5)  # type: ignore[arg-type]
    permutation_importance(Ridge(), X, y, groups=qid, scoring=3)  # type: ignore[arg-type]
    PairwiseRanker(Ridge()).fit(X, y, groups=5)  # type: ignore[arg-type]
    GridSearchCV(Ridge(), {}).fit(X, y, groups=5)  # type: ignore[arg-type]
    print(a)


def mean_error(y_true: np.ndarray, y_pred: np.ndarray) -> float:
    return float(np.abs(y_true - y_pred).mean())


def call_scorers() -> None:
    model = Ridge().fit(X, y)
    scorer = assert_type(ndcg_scorer(k=10), RankingScorer)
    weighted = assert_type(scorer.set_score_request(sample_weight=True), RankingScorer)
    value: float = weighted(model, X, y, groups=qid)
    value += weighted(model, X, y, groups=qid, sample_weight=np.ones(len(y)))
    assert_type(precision_at_k_scorer(k=3, average="micro", response_method=["predict"]), RankingScorer)
    assert_type(map_scorer(response_method="predict_proba", groups="qid", denominator="hits"), RankingScorer)
    assert_type(neg_intra_list_similarity_loss_scorer(k=3, columns=[0, 1], ties="order"), RankingScorer)
    assert_type(insq_scorer(k=10, desired_gain=3), RankingScorer)
    assert_type(infap_scorer(ties="worst"), RankingScorer)
    assert_type(infap_scorer(strata="pool", ties="order"), RankingScorer)
    assert_type(sampled_scorer(metric="ndcg@5", n_items=9, prior=np.reciprocal), RankingScorer)
    values: dict[str, float] = ranking_scorer(["map", "mrr"])(model, X, y, groups=qid)
    assert value > 0 and len(values) == 2
    of_groups = assert_type(make_group_scorer(mean_error, greater_is_better=False), RankingScorer)
    assert of_groups(model, X, y, groups=qid) < 0
    assert "map" in assert_type(get_scorer_names(), list[str])
    importance = permutation_importance(model, X, y, groups=qid, scoring="map", random_state=0)
    assert importance.importances_mean.shape == (3,)
    name: str = as_eval_metric("map@10", library="lightgbm").name
    assert name == "map_scorer(k=10)"


def split_rows() -> None:
    folds: Folds = BalancedGroupKFold(3, shuffle=True, random_state=0).split(X, y, groups=qid)
    assert_type(next(folds), tuple[np.ndarray, np.ndarray])
    assert_type(BalancedGroupKFold(3).get_n_splits(), int)
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
    call_metrics_with_every_option()
    call_metrics_with_any_array()
    call_scorers()
    learn_from_clicks()
    compare_two_rankings()
    serve_several_intents()
    name_intents()
    split_rows()
    validate_models()
    search_models()
    train_rankers()
