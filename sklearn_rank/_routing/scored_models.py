"""Checks, before training, that a scorer can score a model."""

from typing import Any

import sklearn.metrics
from sklearn.base import is_regressor

from .._checks.errors import fail
from .._models.kinds import name_model
from .._models.parts import ANSWERS
from ..metrics import BaseScorer
from .scoring import MADE_BY_SCIKIT_LEARN, find_function, list_scorers

# Metrics of scikit-learn for classifiers, and the name of a metric of rankings.
OF_CLASSIFIERS = {
    "average_precision_score": "map",
    "roc_auc_score": "group_auc",
    "precision_score": "precision@10",
    "recall_score": "recall@10",
    "f1_score": "f1@10",
    "fbeta_score": "f1@10",
    "accuracy_score": "hit_rate@1",
    "top_k_accuracy_score": "hit_rate@1",
    "balanced_accuracy_score": "ndcg@10",
    "brier_score_loss": "ndcg@10",
    "jaccard_score": "ndcg@10",
    "log_loss": "ndcg@10",
    "matthews_corrcoef": "ndcg@10",
}


def check_scored(estimator: Any, scoring: Any, function: str) -> None:
    """Check that scorers accept the predictions of a model."""
    for scorer in list_scorers(scoring):
        if isinstance(scorer, BaseScorer):
            scorer.check_kind(estimator, function)
        elif isinstance(scorer, MADE_BY_SCIKIT_LEARN):
            _check_classifies(estimator, scorer, function)


def _check_classifies(estimator: Any, scorer: Any, function: str) -> None:
    """Reject a scorer for classifiers if the model predicts real numbers, as regressors and rankers do."""
    try:
        if not is_regressor(estimator):
            return
    except Exception:  # for an object without scikit-learn's tags
        return
    metric, methods = find_function(scorer), _find_methods(scorer)
    name = getattr(metric, "__name__", "")
    if name in OF_CLASSIFIERS and metric is getattr(sklearn.metrics, name, None):
        rule = f"be a metric for {name_model(estimator)}, which predicts real numbers"
        got = f"{name}, a metric for classifiers,"
        fix = f'Pass scoring="{OF_CLASSIFIERS[name]}", the mean over queries.'
        fail("scoring", function, rule, got, fix)
    if "predict" in methods:  # which any regressor has once it is fitted; a stack does not show it before
        return
    if methods and not any(callable(getattr(estimator, method, None)) for method in methods):
        rule = f"use a method that {name_model(estimator)} has"
        fail("scoring", function, rule, f"{scorer!r}", 'Pass scoring="ndcg@10".')


def _find_methods(scorer: Any) -> tuple[str, ...]:
    """Return the model methods that a scikit-learn scorer calls; no public attribute contains them."""
    held = [(each,) if isinstance(each, str) else each for each in vars(scorer).values()]
    names = (each for each in held if isinstance(each, tuple | list) and each)
    return next((tuple(each) for each in names if all(name in ANSWERS for name in each)), ())
