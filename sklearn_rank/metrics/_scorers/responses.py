"""Scores of fitted models for scorers, also for rows that are prepared once and scored many times."""

from __future__ import annotations

from copy import copy
from functools import lru_cache, partial
from inspect import signature
from typing import Any, NamedTuple, NoReturn

import numpy as np
import sklearn.metrics
from sklearn.base import BaseEstimator, RegressorMixin, is_classifier
from sklearn.exceptions import NotFittedError
from sklearn.metrics import make_scorer
from sklearn.utils import get_tags

from ..._checks.arrays import read_array
from ..._checks.errors import fail, is_real, name_call
from ..._checks.types import RESPONSES, Arguments, Estimator, Features, Ids, Labels, Options
from ..._checks.warn import RankingWarning, warn_user
from ..._rows.bound import unwrap, with_groups
from ..._rows.inner_models import Wrapper
from ..._rows.needs import Needs

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
CHANGE_METHODS = {"loss", "probability", "voting"}  # parameters that decide which methods a classifier has
OF_PROBABILITIES = ("log_loss", "d2_log_loss_score")  # functions of scikit-learn whose parameter is y_pred
PREDICTS_CLASSES = (
    "{scorer}: {model}.predict returns classes, so most documents of a query are tied. Leave out "
    "response_method to rank by scores."
)
UNKNOWN_KIND = (
    "{scorer}: {model} has predict_proba, but scikit-learn finds no tag of a classifier, so predict is used. "
    "Put ClassifierMixin first: class {model}(ClassifierMixin, BaseEstimator)."
)
ONE_TARGET = "predict one score per row"
SEVERAL_TARGETS = "Fit and score one model per target."


def check_estimator(estimator: Estimator, response_method: Any) -> bool:
    """Check that a model has a method to call and, for "auto", that its predictions are scores.

    Return whether it is a classifier, which is slow to find for a pipeline.
    """
    methods = RESPONSES if response_method in ("auto", None) else _list_methods(response_method)
    if isinstance(estimator, type) or not any(callable(getattr(estimator, name, None)) for name in methods):
        got = repr(estimator) if isinstance(estimator, type) else _name(estimator)
        fail("estimator", f"be a model that has the method {' or '.join(methods)}", got)
    if response_method != "auto":
        return is_classifier(estimator)
    classifies = check_kind(estimator) == "classifier"
    if not (callable(getattr(estimator, "predict", None)) or classifies):
        fail("estimator", "be a classifier or have the method predict", _name(estimator))
    return classifies


def check_kind(estimator: Estimator) -> str | None:
    """Reject a model of a kind whose predictions are not scores; return the kind of others."""
    try:
        kind: str | None = get_tags(estimator).estimator_type
    except Exception as error:
        fail("estimator", "be a scikit-learn estimator", f"{_name(estimator)} ({error})")
    if kind in NOT_SCORES:
        fail("estimator", "predict scores", f"{_name(estimator)} ({NOT_SCORES[kind]})", FIXES[kind])
    return kind


def mark_positive(scorer: Any, y: Labels) -> Labels:
    """Return the labels to score by: with `pos_label`, 1 for this class, 0 for others and NaN for missing."""
    if scorer.pos_label is None or scorer.labels is not None or "pos_label" in (scorer.options or {}):
        return y
    labels = np.asarray(y)
    missing = [label is None or label != label for label in labels.ravel().tolist()]
    return np.where(np.reshape(missing, labels.shape), np.nan, labels == scorer.pos_label)


def check_response(scorer: Any, estimator: Estimator, y: Labels) -> None:
    """Raise an error before training on `y` if a scorer cannot use the predictions of a model."""
    is_auto = scorer.response_method == "auto"
    classifies = check_kind(estimator) == "classifier" if is_auto else is_classifier(estimator)
    labels = read_array(y, "y", "contain numbers or text", "Pass y=frame['label'].")
    if y is not None and labels.ndim == 1:
        found = labels.tolist() if classifies else []
        try:
            classes = {each for each in {*found} if each is not None and each == each}
        except (ArithmeticError, TypeError, ValueError) as error:
            fail("y", "contain numbers or text", f"labels that cannot be compared ({error})")
        choose_response(scorer, estimator, classifies, sorted(classes, key=str))


def find_response(scorer: Any, estimator: Estimator, groups: Ids) -> tuple[Any, Any]:
    """Return a fitted model that knows the ids of the rows, and the methods that a scorer calls on it."""
    classifies = check_estimator(estimator, scorer.response_method)
    return choose_response(scorer, with_groups(estimator, {"groups": groups}), classifies)


def choose_response(
    scorer: Any, estimator: Estimator, classifies: bool, classes: list[Any] | None = None
) -> tuple[Any, Any]:
    """Return the model and the methods that a scorer calls on it.

    Before training, `classes` are the labels. All scorers choose the response of a classifier here.
    """
    pos_label, is_of_groups = scorer.pos_label, isinstance(scorer.metrics, partial)
    if not classifies:
        if pos_label is not None and not is_of_groups:
            _called_as = scorer.describe()
            fail("pos_label", "be None unless the model is a classifier", repr(pos_label))
        if scorer.response_method in ("auto", None):
            _warn_of_unknown_kind(scorer, estimator)
            return estimator, "predict"
        return estimator, scorer.response_method
    _called_as = scorer.describe()
    found = _find_response(scorer, scorer.metrics.args[0] if is_of_groups else None)
    method = next((name for name in found.methods if callable(getattr(estimator, name, None))), None)
    if method is None and classes is not None and _can_gain(estimator, found.methods):
        return estimator, found.methods
    if method is None:
        remedy = "CalibratedClassifierCV(model)"
        remedy = "voting='soft'" if hasattr(_find_last(estimator).model, "voting") else remedy
        rule = f"have the method {' or '.join(found.methods)}"
        fail("estimator", rule, _name(estimator), f"Pass {remedy}.")
    if method == "predict" and found.ranks:
        if pos_label is not None:
            fail("response_method", "be 'auto' with pos_label", repr(scorer.response_method))
        text = PREDICTS_CLASSES.format(scorer=scorer.describe(), model=_name(estimator))
        warn_user(text, RankingWarning)
    if is_of_groups and pos_label is None and method != "predict":
        _check_positive(scorer, _read_classes(estimator) if classes is None else classes)
    if found.takes_any and pos_label is None:
        return estimator, found.methods
    classes = _read_classes(estimator) if classes is None else classes
    _check_classes(classes, pos_label, found)
    if method != "predict" and pos_label is not None:
        return ClassScores(estimator, method, pos_label), "predict"
    if method == "predict" or len(classes) == 2 or not found.ranks:
        return estimator, found.methods
    has_odds = callable(getattr(estimator, "predict_proba", None)) or _can_gain(estimator, SCORES[1:])
    if "predict_proba" not in found.methods or not has_odds:
        fix = "Classifiers with more than two grades are ranked by the expected grade."
        fail("estimator", "have the method predict_proba", _name(estimator), fix)
    return ClassScores(estimator, "predict_proba"), "predict"


def with_classes(scorer: Any, model: Estimator) -> Any:
    """Return a scorer whose function of probabilities knows all classes of a model: a fold can lack some."""
    if not isinstance(scorer.metrics, partial) or scorer.pos_label is not None:
        return scorer
    if not (is_classifier(model) and hasattr(model, "classes_")):
        return scorer
    function, given = _unwrap(scorer.metrics.args[0], scorer.options or {})
    is_known = any(function is getattr(sklearn.metrics, name) for name in OF_PROBABILITIES)
    if not is_known or "labels" in given:
        return scorer
    scorer = copy(scorer)
    scorer.options = {**(scorer.options or {}), "labels": np.asarray(model.classes_)}
    return scorer


def _warn_of_unknown_kind(scorer: Any, estimator: Estimator) -> None:
    """Warn if a model has probabilities, but scikit-learn does not know that it is a classifier."""
    if callable(getattr(estimator, "predict_proba", None)) and get_tags(estimator).estimator_type is None:
        warn_user(UNKNOWN_KIND.format(scorer=scorer.describe(), model=_name(estimator)), RankingWarning)


def _check_positive(scorer: Any, classes: list[Any]) -> None:
    """Check that the positive class of scikit-learn's function is that of the scores, the second of two."""
    function, given = _unwrap(scorer.metrics.args[0], scorer.options or {})
    name = getattr(function, "__name__", "")
    if len(classes) != 2 or getattr(sklearn.metrics, name, None) is not function:
        return
    takes: Arguments = signature(vars(sklearn.metrics)[name]).parameters
    positive = given.get("pos_label", takes["pos_label"].default if "pos_label" in takes else None)
    are_numbers = all(map(is_real, classes))
    if positive is not None and positive != classes[1] and (are_numbers or positive in classes):
        rule = f"be set, because {name} takes the class {positive!r} as positive"
        label = positive if positive in classes else classes[1]
        fix = f"Pass make_group_scorer({name}, pos_label={label!r})."
        fail("pos_label", rule, f"the classes {classes}", fix)


def _check_classes(classes: list[Any], pos_label: Any, found: Found) -> None:
    """Check that the metric can use these classes."""
    are_numbers = all(is_real(each) or isinstance(each, bool | np.bool_) for each in classes)
    if pos_label is not None and pos_label not in classes:
        fail("pos_label", f"be one of the classes {classes[:5]}", repr(pos_label))
    if pos_label is None and found.needs_class and not are_numbers:
        fix = f"Pass the class to rank first: pos_label={classes[0]!r}."
        fail("pos_label", "be set if classes are not numbers", f"the classes {classes[:5]}", fix)
    if len(classes) > 2 and not (found.ranks or found.takes_any):
        fix = 'To rank by the expected grade, pass a function of yours with response_method="auto".'
        if found.methods == ("predict",):
            fix = f"Pass functools.partial({found.name}, average='macro')."
        fail("score_func", f"be a function for {len(classes)} classes", found.name, fix)


class Found(NamedTuple):
    """The response of classifiers for a metric."""

    methods: tuple[str, ...]
    ranks: bool = True  # whether it takes one score per row
    takes_any: bool = False  # whether it takes any number and type of classes
    needs_class: bool = True  # whether its value depends on which class is positive
    name: str = ""


def _find_response(scorer: Any, score_func: Any) -> Found:
    """Find the response of classifiers: the user's choice, or that of scikit-learn for its function."""
    if scorer.response_method == "auto" or score_func is None:
        return Found(_list_methods(scorer.response_method))
    if scorer.response_method is not None:
        return Found(_list_methods(scorer.response_method), ranks=False, takes_any=True)
    options = dict(scorer.options or {})
    options.pop("average", None)  # over groups
    score_func, given = _unwrap(score_func, options)
    name = getattr(score_func, "__name__", repr(score_func))
    if getattr(sklearn.metrics, name, None) is not score_func:
        fix = 'Pass response_method="auto" if it takes scores, or "predict" if it takes classes.'
        fail("response_method", "be set for a classifier", f"None for {name}", fix)
    takes: Arguments = signature(vars(sklearn.metrics)[name]).parameters
    by_name = {"y_score": SCORES, "y_proba": SCORES[1:], "pred_decision": SCORES[:1]}
    methods = by_name.get([*takes][1], ("predict",))
    methods = SCORES[1:] if name in OF_PROBABILITIES or "multi_class" in given else methods
    average = given.get("average", takes["average"].default if "average" in takes else "binary")
    needs_class = "pos_label" in takes and (methods != ("predict",) or average == "binary")
    is_binary = needs_class or ("multi_class" in takes and "multi_class" not in given)
    return Found(methods, False, not is_binary or "labels" in given, needs_class, name)


def _unwrap(score_func: Any, options: Arguments) -> tuple[Any, Options]:
    """Return the function inside a partial, and its arguments."""
    given = dict(options)
    while isinstance(score_func, partial):
        score_func, given = score_func.func, {**score_func.keywords, **given}
    return score_func, given


def _can_gain(estimator: Any, methods: tuple[str, ...]) -> bool:
    """Return whether a model can have one of these methods after training, by its parts."""
    last = _find_last(estimator)
    if last.is_search:  # it can choose among models
        return True
    by_parts = bool(last.parts) and not hasattr(last.model, "voting")
    return by_parts and any(hasattr(type(last.model), name) for name in methods)


def _find_last(estimator: Any) -> Needs:
    """Return the model that predicts in pipelines and searches, or a search that can change its methods."""
    needs = Needs(unwrap(estimator))
    tuned = {name.rpartition("__")[2] for grid in needs.grids for name in grid}
    if needs.candidates or tuned & CHANGE_METHODS or not (needs.is_search or hasattr(needs.model, "steps")):
        return needs
    return _find_last(needs.model.estimator if needs.is_search else needs.model.steps[-1][1])


def _list_methods(response_method: Any) -> tuple[str, ...]:
    """Return the methods to call on a classifier."""
    if response_method == "auto":
        return SCORES
    return (response_method,) if isinstance(response_method, str) else tuple(response_method)


def _read_classes(estimator: Estimator) -> list[Any]:
    """Return the classes of a fitted classifier."""
    if not hasattr(estimator, "classes_"):
        raise NotFittedError(f"{name_call()} needs a fitted model. Got {estimator} instead.")
    if isinstance(estimator.classes_, list) and any(map(np.ndim, estimator.classes_)):
        _reject_targets(estimator)
    return list(np.asarray(estimator.classes_).tolist())


def predict_scores(model: Estimator, response_method: Any, X: Features, y: Labels) -> Any:
    """Return the response of a model that a scorer of scikit-learn passes to its function."""
    if response_method == "predict":  # faster than by a scorer of scikit-learn, with the same result
        return model.predict(X)
    methods = response_method if isinstance(response_method, str) else tuple(response_method)
    return _make_response_scorer(methods)(model, X, y)[0]


@lru_cache(maxsize=64)
def _make_response_scorer(methods: Any) -> Any:
    """Return a scorer that returns the response, in a tuple because scikit-learn multiplies it by 1."""
    return make_scorer(lambda y_true, y_score: (y_score,), response_method=methods)


def _name(model: Estimator) -> str:
    """Return the name of the class of the user's model."""
    return type(unwrap(model) if isinstance(model, Wrapper) else model).__name__


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
