"""Rows that are prepared once and scored many times: after each tree, or with each feature permuted."""

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from sklearn.metrics import make_scorer

from ..._checks.containers import check_same_order
from ..._engine.prepared import PreparedRows
from ..._models.answers import with_groups
from .._compute import compute_prepared, prepare
from .responses import check_estimator
from .scorer import RankingScorer


def prepare_rows(
    scorer: RankingScorer, y_true: Any, groups: Any, sample_weight: Any, function: str
) -> PreparedRows:
    """Check labels, ids and weights for a scorer, and arrange them; scores come later."""
    requests = scorer.list_requests(function)
    return prepare(function, requests, y_true, groups, sample_weight)


def score_prepared(scorer: RankingScorer, rows: PreparedRows, y_score: Any, function: str) -> Any:
    """Score what a model has predicted for prepared rows: a float, or a dict of them by name."""
    return scorer._name(_compute_array(scorer, rows, y_score, function))


def ask_model(scorer: RankingScorer, estimator: Any, X: Any, y_true: Any, groups: Any) -> Any:
    """Return by what a scorer would rank the rows: the answer of a fitted model."""
    answers = []

    def keep(y_true: Any, y_score: Any) -> float:
        check_same_order(scorer.describe(), y_true=y_true, y_score=y_score)
        answers.append(y_score)
        return 0.0

    _make_scorer_of(scorer, estimator, groups, keep)(X, y_true)
    return answers[0]


def score_model(
    scorer: RankingScorer, estimator: Any, X: Any, y_true: Any, rows: PreparedRows, groups: Any
) -> Any:
    """Ask a fitted model for predictions of prepared rows, those of `y_true`, and score them."""

    def compute(y_true: Any, y_score: Any) -> np.ndarray:
        check_same_order(scorer.describe(), y_true=y_true, y_score=y_score)
        return _compute_array(scorer, rows, y_score, scorer.describe())

    return scorer._name(_make_scorer_of(scorer, estimator, groups, compute)(X, y_true))


def _make_scorer_of(
    scorer: RankingScorer, estimator: Any, groups: Any, compute: Callable[..., Any]
) -> Callable[..., Any]:
    """Make what asks a model as a scorer does, and applies a function to labels and answers."""
    check_estimator(estimator, scorer.response_method, scorer.describe())
    model, response_method = scorer.choose_response(with_groups(estimator, {"groups": groups}))
    return partial(make_scorer(compute, response_method=response_method), model)


def _compute_array(scorer: RankingScorer, rows: PreparedRows, y_score: Any, function: str) -> np.ndarray:
    """Return an array, as scikit-learn multiplies what a metric returns by a sign."""
    return np.array(compute_prepared(function, scorer.list_requests(function), rows, y_score))
