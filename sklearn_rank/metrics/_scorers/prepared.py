"""Rows that are prepared once and scored many times: after each tree, or with each feature permuted."""

from typing import Any

from ..._checks.containers import check_same_order
from ..._checks.types import Estimator, Features, Ids, Labels, Scores, Weights
from ..._engine.prepared import PreparedRows
from ..._routing.model_calls import with_groups
from .._compute import compute_prepared, prepare
from .responses import check_estimator, predict_scores
from .scorer import RankingScorer


def prepare_rows(
    scorer: RankingScorer, y_true: Labels, groups: Ids, sample_weight: Weights, function: str
) -> PreparedRows:
    """Check labels, ids and weights for a scorer, and arrange them; scores come later."""
    requests = scorer.list_requests(function)
    return prepare(function, requests, y_true, groups, sample_weight)


def score_prepared(scorer: RankingScorer, rows: PreparedRows, y_score: Scores, function: str) -> Scores:
    """Score what a model has predicted for prepared rows: a float, or a dict of them by name."""
    return scorer.name_values(compute_prepared(function, scorer.list_requests(function), rows, y_score))


def ask_model(scorer: RankingScorer, estimator: Estimator, X: Features, y_true: Labels, groups: Ids) -> Any:
    """Return by what a scorer would rank the rows: the answer of a fitted model."""
    call = scorer.describe()
    check_estimator(estimator, scorer.response_method, call)
    model, response_method = scorer.choose_response(with_groups(estimator, {"groups": groups}))
    y_score = predict_scores(model, response_method, X, y_true)
    check_same_order(call, y_true=y_true, y_score=y_score)
    return y_score


def score_model(
    scorer: RankingScorer, estimator: Estimator, X: Features, y_true: Labels, rows: PreparedRows, groups: Ids
) -> Any:
    """Ask a fitted model for predictions of prepared rows, those of `y_true`, and score them."""
    y_score = ask_model(scorer, estimator, X, y_true, groups)
    return score_prepared(scorer, rows, y_score, scorer.describe())
