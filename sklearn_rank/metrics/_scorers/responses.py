"""Scores of fitted models for scorers, also for rows that are prepared once and scored many times."""

from __future__ import annotations

from contextlib import suppress
from functools import partial
from inspect import signature
from typing import Any, NamedTuple, NoReturn

import numpy as np
import sklearn.metrics
from sklearn.base import BaseEstimator, RegressorMixin, is_classifier
from sklearn.exceptions import NotFittedError
from sklearn.metrics import make_scorer
from sklearn.utils import get_tags

from ..._checks.errors import fail, is_real, name_call
from ..._checks.types import RESPONSES, Arguments, Estimator, Features, Labels, Scores
from ..._checks.warn import RankingWarning, warn_user
from ..._rows.bound import unwrap_model
from ..._rows.inner_models import list_parts

NOT_SCORES = {
    "clusterer": "a clusterer, which predicts cluster numbers",
    "density_estimator": "a density estimator, which predicts component numbers",
    "outlier_detector": "an outlier detector, which predicts 1 and -1",
}
FIXES = {
    "clusterer": "Fit a regressor, a classifier or a ranker.",
    "density_estimator": "To rank by density, pass model.score_samples(X) to a metric function as y_score.",
    "outlier_detector": 'To rank inliers first, make the scorer with response_method="decision_function". To '
    "rank outliers first, pass -model.decision_function(X) to a metric function as y_score.",
}
HAS_NO_THRESHOLD = (
    ". TunedThresholdClassifierCV cannot use ranking scorers, because rankings do not depend on a threshold. "
    "Pass it a metric of decisions, such as scoring='f1'."
)
SCORES = ("decision_function", "predict_proba")  # of classifiers
OF_PROBABILITIES = ("log_loss", "d2_log_loss_score")  # functions of scikit-learn whose parameter is y_pred
PREDICTS_CLASSES = (
    "{scorer}: {model}.predict returns classes, so most documents of a query are tied. Leave out "
    "response_method to rank by scores."
)
ONE_TARGET = "predict one score per row"
SEVERAL_TARGETS = "Fit and score one model per target."


def check_estimator(estimator: Estimator, response_method: Any) -> None:
    """Check that a model has a method to call and, for "auto", that its predictions are scores."""
    methods = RESPONSES if response_method in ("auto", None) else _list_methods(response_method)
    if isinstance(estimator, type) or not any(callable(getattr(estimator, name, None)) for name in methods):
        got = repr(estimator) if isinstance(estimator, type) else _name(estimator)
        fail("estimator", f"be a model that has the method {' or '.join(methods)}", got)
    if response_method != "auto":
        return
    check_kind(estimator)
    if not (is_classifier(estimator) or callable(getattr(estimator, "predict", None))):
        fail("estimator", "be a classifier or have the method predict", _name(estimator))


def check_kind(estimator: Estimator) -> None:
    """Reject a model of a kind whose predictions are not scores."""
    try:
        kind = get_tags(estimator).estimator_type
    except Exception as error:
        fail("estimator", "be a scikit-learn estimator", f"{_name(estimator)} ({error})")
    if kind in NOT_SCORES:
        fail("estimator", "predict scores", f"{_name(estimator)} ({NOT_SCORES[kind]})", FIXES[kind])


def mark_positive(scorer: Any, y: Labels) -> Labels:
    """Return the labels to score by: with `pos_label`, 1 for this class, 0 for others and NaN for missing."""
    if scorer.pos_label is None or scorer.labels is not None or "pos_label" in (scorer.options or {}):
        return y
    labels = np.asarray(y)
    missing = [label is None or label != label for label in labels.ravel().tolist()]
    return np.where(np.reshape(missing, labels.shape), np.nan, labels == scorer.pos_label)


def check_response(scorer: Any, estimator: Estimator, y: Labels) -> None:
    """Raise an error before training on `y` if a scorer cannot use the predictions of a model."""
    if scorer.response_method == "auto":
        check_kind(estimator)
    labels = np.asarray(y)
    if y is not None and labels.ndim == 1 and _classifies(estimator):
        classes = {each for each in labels.tolist() if each is not None and each == each}
        choose_response(scorer, estimator, sorted(classes, key=str))


def choose_response(scorer: Any, estimator: Estimator, classes: list[Any] | None = None) -> tuple[Any, Any]:
    """Return the model and the methods that a scorer calls on it.

    Before training, `classes` are the labels. All scorers choose the response of a classifier here.
    """
    response_method, pos_label = scorer.response_method, scorer.pos_label
    function = scorer.metrics.args[0] if isinstance(scorer.metrics, partial) else None  # of groups
    if not _classifies(estimator):
        if pos_label is not None and function is None:
            fail("pos_label", "be None unless the model is a classifier", repr(pos_label))
        return estimator, "predict" if response_method in ("auto", None) else response_method
    found = _find_response(function, scorer.options or {}) if response_method is None else None
    methods = _list_methods(response_method) if found is None else found.methods
    method = next((name for name in methods if callable(getattr(estimator, name, None))), None)
    if method is None:
        if classes is not None and _can_gain(estimator, methods):
            return estimator, methods
        remedy = "voting='soft'" if hasattr(estimator, "voting") else "CalibratedClassifierCV(model)"
        fail("estimator", f"have the method {' or '.join(methods)}", _name(estimator), f"Pass {remedy}.")
    if method == "predict" and function is None:
        text = PREDICTS_CLASSES.format(scorer=scorer.describe(), model=_name(estimator))
        warn_user(text, RankingWarning)
    ranks = function is None or response_method == "auto"  # by one score per row
    is_binary = ranks if found is None else found.is_binary
    if not (is_binary or pos_label is not None):
        return estimator, methods
    classes = _read_classes(estimator) if classes is None else classes
    if pos_label is not None and pos_label not in classes:
        fail("pos_label", f"be one of the classes {classes[:5]}", repr(pos_label))
    needs_class = ranks or (found is not None and found.needs_class)
    if (
        needs_class
        and pos_label is None
        and not all(is_real(each) or isinstance(each, bool | np.bool_) for each in classes)
    ):
        fix = f"Pass the class to rank first: pos_label={classes[0]!r}."
        fail("pos_label", "be set if classes are not numbers", f"the classes {classes[:5]}", fix)
    if method == "predict":
        if pos_label is not None and function is None:
            fail("response_method", "be 'auto' with pos_label", repr(response_method))
        if found is not None and len(classes) > 2:
            _reject_function(function, classes)
        return estimator, methods
    if pos_label is not None:
        return ClassScores(estimator, method, pos_label), "predict"
    if len(classes) == 2:
        return estimator, methods
    if found is not None:
        _reject_function(function, classes)
    has_odds = callable(getattr(estimator, "predict_proba", None)) or _can_gain(estimator, SCORES[1:])
    if "predict_proba" not in methods or not has_odds:
        fix = "Classifiers with more than two grades are ranked by the expected grade."
        fail("estimator", "have the method predict_proba", _name(estimator), fix)
    return ClassScores(estimator, "predict_proba"), "predict"


class Found(NamedTuple):
    """The response of classifiers for a function of scikit-learn."""

    methods: tuple[str, ...]
    is_binary: bool  # whether the function takes two classes only
    needs_class: bool  # whether its value depends on which of them is positive


def _find_response(score_func: Any, options: Arguments) -> Found:
    """Find the response of classifiers for a function of scikit-learn; reject other functions."""
    given = {name: value for name, value in options.items() if name != "average"}  # over groups
    while isinstance(score_func, partial):
        score_func, given = score_func.func, {**score_func.keywords, **given}
    name = getattr(score_func, "__name__", repr(score_func))
    if getattr(sklearn.metrics, name, None) is not score_func:
        fix = 'Pass response_method="auto" if it takes scores, or "predict" if it takes classes.'
        fail("response_method", "be set for a classifier", f"None for {name}", fix)
    takes: Arguments = signature(vars(sklearn.metrics)[name]).parameters
    methods: tuple[str, ...]
    second = [*takes][1]
    if second == "y_proba" or name in OF_PROBABILITIES or "multi_class" in given:
        methods = ("predict_proba",)
    else:
        methods = {"y_score": SCORES, "pred_decision": SCORES[:1]}.get(second, ("predict",))
    average = given.get("average", takes["average"].default if "average" in takes else "binary")
    needs_class = "pos_label" in takes and (methods != ("predict",) or average == "binary")
    is_binary = needs_class or ("multi_class" in takes and "multi_class" not in given)
    return Found(methods, is_binary and "labels" not in given, needs_class)


def _can_gain(estimator: Any, methods: tuple[str, ...]) -> bool:
    """Return whether a model can have one of these methods after training, by its parts."""
    while hasattr(estimator, "steps"):
        estimator = estimator.steps[-1][1]
    kind = type(unwrap_model(estimator))
    by_parts = bool(list_parts(estimator)) and not hasattr(estimator, "voting")
    return by_parts and any(hasattr(kind, name) for name in methods)


def _list_methods(response_method: Any) -> tuple[str, ...]:
    """Return the methods to call on a classifier."""
    if response_method == "auto":
        return SCORES
    return (response_method,) if isinstance(response_method, str) else tuple(response_method)


def _classifies(estimator: Estimator) -> bool:
    """Return whether a model is a classifier; objects without the tags of scikit-learn are not."""
    with suppress(Exception):
        return bool(is_classifier(estimator))
    return False


def _read_classes(estimator: Estimator) -> list[Any]:
    """Return the classes of a fitted classifier."""
    if not hasattr(estimator, "classes_"):
        raise NotFittedError(f"{name_call()} needs a fitted model. Got {estimator} instead.")
    if isinstance(estimator.classes_, list) and any(map(np.ndim, estimator.classes_)):
        _reject_targets(estimator)
    return list(np.asarray(estimator.classes_).tolist())


def _reject_function(function: Any, classes: list[Any]) -> NoReturn:
    """Reject a function of scikit-learn that takes two classes only."""
    name = getattr(function, "__name__", "score_func")
    fix = 'For rankings by the expected grade, pass a function of yours with response_method="auto".'
    if name.startswith(("f1", "fbeta", "jaccard", "precision", "recall")):
        fix = f"Pass functools.partial({name}, average='macro')."
    fail("score_func", f"be a function for {len(classes)} classes", name, fix)


def predict_scores(model: Estimator, response_method: object, X: Features, y: Labels) -> Any:
    """Return the response of a model that a scorer of scikit-learn passes to its function."""
    responses = []

    def keep(y_true: Labels, y_score: Scores) -> float:
        responses.append(y_score)
        return 0.0

    make_scorer(keep, response_method=response_method)(model, X, y)
    return responses[0]


def _name(model: Estimator) -> str:
    """Return the name of the class of the user's model."""
    return type(unwrap_model(model)).__name__


def _reject_targets(estimator: Estimator) -> NoReturn:
    fail("estimator", ONE_TARGET, f"{_name(estimator)} with several targets", SEVERAL_TARGETS)


class ClassScores(RegressorMixin, BaseEstimator):
    """A classifier as a regressor: it predicts the expected grade, or the score of `pos_label`."""

    def __init__(self, classifier: Estimator, method: str, pos_label: Any = None):
        self.classifier, self.method, self.pos_label = classifier, method, pos_label

    def predict(self, X: Features) -> np.ndarray:
        """Return the score of each row."""
        odds = getattr(self.classifier, self.method)(X)
        classes = np.asarray(self.classifier.classes_)
        if np.ndim(odds) == 1:  # a decision for the second of two classes
            return np.where(classes[-1] == self.pos_label, odds, -odds)
        if self.pos_label is not None:
            return odds[:, classes == self.pos_label][:, 0]
        # If each row can have several labels, as in OneVsRestClassifier, probabilities do not add up to 1.
        if not np.allclose(np.sum(odds, axis=1), 1, atol=1e-3) and np.ndim(self.classifier.predict(X)) > 1:
            _reject_targets(self.classifier)
        return odds @ classes.astype(np.float64)
