"""The table of owners: how the model around a part treats the rows that the part gets."""

from collections.abc import Callable
from typing import Any, NamedTuple

from .._checks.errors import fail
from .._checks.types import Estimator
from .inner_models import OUTPUTS, is_frozen, is_pairwise
from .needs import Needs

ORDER = """Pipeline FeatureUnion ColumnTransformer TransformedTargetRegressor VotingRegressor VotingClassifier
MultiOutputRegressor MultiOutputClassifier RegressorChain ClassifierChain OneVsRestClassifier RFE
SelectFromModel OutputCodeClassifier FixedThresholdClassifier FrozenEstimator AdaBoostClassifier"""
ROWS = """GridSearchCV RandomizedSearchCV HalvingGridSearchCV HalvingRandomSearchCV StackingRegressor
StackingClassifier BaggingRegressor BaggingClassifier CalibratedClassifierCV TunedThresholdClassifierCV
OneVsOneClassifier AdaBoostRegressor SelfTrainingClassifier RANSACRegressor"""
Y = "RFECV SequentialFeatureSelector"
OWNERS = {name: how for how, names in (("order", ORDER), ("rows", ROWS), ("y", Y)) for name in names.split()}
# They reject parameters of `fit` without metadata routing, so their parts get them in another way.
BY_ROUTING = """FixedThresholdClassifier TunedThresholdClassifierCV OneVsOneClassifier OneVsRestClassifier
OutputCodeClassifier ClassifierChain RFECV SelfTrainingClassifier SequentialFeatureSelector"""
DECLARED = "__sklearn_rank_rows__"  # the attribute of a class of another library: one of the three words


class Exclusion(NamedTuple):
    """Settings with which a class of the table does something else with rows or columns, and the fix."""

    applies: Callable[[Any], bool]
    fix: str


_ALL_COLUMNS = Exclusion(
    lambda model: model.max_features != 1.0 or model.bootstrap_features or model.warm_start,
    "Leave out max_features, bootstrap_features and warm_start.",
)
_OWN_PREDICTIONS = Exclusion(
    lambda model: model.passthrough or model.cv == "prefit", "Leave out passthrough and cv='prefit'."
)
_TRUE_LABELS = Exclusion(lambda model: model.cv is not None, "Leave out cv.")
EXCEPTIONS = {
    "BaggingRegressor": _ALL_COLUMNS,
    "BaggingClassifier": _ALL_COLUMNS,
    "StackingRegressor": _OWN_PREDICTIONS,
    "StackingClassifier": _OWN_PREDICTIONS,
    "RegressorChain": _TRUE_LABELS,
    "ClassifierChain": _TRUE_LABELS,
    "RANSACRegressor": Exclusion(
        lambda model: model.min_samples is None or model.is_data_valid or model.is_model_valid,
        "Pass min_samples, and leave out is_data_valid and is_model_valid.",
    ),
    "CalibratedClassifierCV": Exclusion(
        lambda model: is_frozen(model.estimator), "Calibrate outside of the call."
    ),
    "TransformedTargetRegressor": Exclusion(
        lambda model: model.transformer is not None and Needs(model.transformer).asks("fit", *OUTPUTS),
        "Use a transformer of labels that takes no ids.",
    ),
}


def how_of(model: Estimator) -> str | None:
    """Return how a model treats the rows of its parts; None if that is not known."""
    declared = getattr(type(model), DECLARED, None)
    if declared is not None:
        if declared not in ("order", "rows", "y"):
            fail(DECLARED, f"be 'order', 'rows' or 'y' in {type(model).__name__}", repr(declared))
        return str(declared)
    kind = _find_kind(type(model))
    exception = EXCEPTIONS.get(kind.__name__) if kind is not None else None
    if kind is None or (exception is not None and exception.applies(model)):
        return None
    how = OWNERS.get(kind.__name__)
    return None if how == "rows" and is_pairwise(model) else how


def _find_kind(kind: Any) -> Any:
    """Return the class of the table: a subclass that overrides no method for rows counts as its base."""
    for base in kind.__mro__:
        if base.__module__.startswith("sklearn."):
            return base
        if base.__module__.startswith("imblearn.") and base.__name__ == "Pipeline":
            return base
        if vars(base).keys() & {"fit", "fit_transform", "score", *OUTPUTS}:
            return None
    return None
