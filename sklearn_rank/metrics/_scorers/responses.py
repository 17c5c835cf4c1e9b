"""Scores of fitted models for scorers, also for rows that are prepared once and scored many times."""

from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, RegressorMixin, is_classifier
from sklearn.exceptions import NotFittedError
from sklearn.metrics import make_scorer
from sklearn.utils import get_tags

from ..._checks.errors import fail, is_real, name_call
from ..._checks.types import RESPONSES, Estimator, Features, Labels, Scores
from ..._rows.bound import unwrap_model

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
ONE_TARGET = "predict one score per row"
SEVERAL_TARGETS = "Fit and score one model per target."


def check_estimator(estimator: Estimator, response_method: Any) -> None:
    """Check that a model has a method to call and, for "auto", that its predictions are scores."""
    requested = [response_method] if isinstance(response_method, str) else response_method
    methods = RESPONSES if requested == ["auto"] else requested
    if isinstance(estimator, type) or not any(callable(getattr(estimator, name, None)) for name in methods):
        got = repr(estimator) if isinstance(estimator, type) else _name(estimator)
        fail("estimator", f"be a model that has the method {' or '.join(methods)}", got)
    if requested != ["auto"]:
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


def choose_response(estimator: Estimator, response_method: object) -> tuple[Any, Any]:
    """Return the model and the methods to call on it."""
    if response_method != "auto":
        return estimator, response_method
    if not is_classifier(estimator):
        return estimator, "predict"
    if not hasattr(estimator, "classes_"):
        raise NotFittedError(f"{name_call()} needs a fitted model. Got {estimator} instead.")
    if isinstance(estimator.classes_, list) and any(map(np.ndim, estimator.classes_)):
        _reject_targets(estimator)
    classes = np.asarray(estimator.classes_)
    if not all(is_real(each) or isinstance(each, bool | np.bool_) for each in classes.tolist()):
        rarer = f"{classes.tolist()[1]!r}" if len(classes) == 2 else ""
        other = f' To rank by the probability of {rarer}, pass response_method="predict_proba".' * bool(rarer)
        fix = f"Train it on numeric grades.{other}"
        fail("estimator", "have numeric grades as classes", f"{classes}", fix)
    if len(classes) == 2:
        return estimator, ("decision_function", "predict_proba")
    if not hasattr(estimator, "predict_proba"):
        fix = "Classifiers with more than two grades are ranked by the expected grade."
        fail("estimator", "have the method predict_proba", _name(estimator), fix)
    return ExpectedGrade(estimator), "predict"


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


def _reject_targets(estimator: Estimator) -> None:
    fail("estimator", ONE_TARGET, f"{_name(estimator)} with several targets", SEVERAL_TARGETS)


class ExpectedGrade(RegressorMixin, BaseEstimator):
    """A classifier of grades used as a regressor, which predicts the expected grade."""

    def __init__(self, classifier: Estimator):
        self.classifier = classifier

    def predict(self, X: Features) -> np.ndarray:
        """Return the expected grade of each row."""
        odds = self.classifier.predict_proba(X)
        # If each row can have several labels, as in OneVsRestClassifier, probabilities do not add up to 1.
        if not np.allclose(np.sum(odds, axis=1), 1, atol=1e-3) and np.ndim(self.classifier.predict(X)) > 1:
            _reject_targets(self.classifier)
        return odds @ np.asarray(self.classifier.classes_, dtype=np.float64)
