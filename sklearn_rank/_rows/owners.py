"""The table of owners: how the model around a part treats the rows that the part gets."""

from collections.abc import Callable
from typing import Any, NamedTuple

from sklearn.frozen import FrozenEstimator

from .._checks.errors import fail
from .inner_models import OUTPUTS, is_pairwise

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

    applies: Callable[[Any], bool]  # to the `Needs` of a model
    fix: str


def _takes_ids_for_labels(needs: Any) -> bool:
    """Return whether the transformer of labels takes ids."""
    transformers = [part for part in needs.parts if part.model is needs.model.transformer]
    return any(part.asks("fit", *OUTPUTS) for part in transformers)


_ALL_COLUMNS = Exclusion(
    lambda needs: needs.model.max_features != 1.0 or needs.model.bootstrap_features or needs.model.warm_start,
    "Leave out max_features, bootstrap_features and warm_start.",
)
_OWN_PREDICTIONS = Exclusion(
    lambda needs: needs.model.passthrough or needs.model.cv == "prefit",
    "Leave out passthrough and cv='prefit'.",
)
_TRUE_LABELS = Exclusion(lambda needs: needs.model.cv is not None, "Leave out cv.")
EXCEPTIONS = {
    "BaggingRegressor": _ALL_COLUMNS,
    "BaggingClassifier": _ALL_COLUMNS,
    "StackingRegressor": _OWN_PREDICTIONS,
    "StackingClassifier": _OWN_PREDICTIONS,
    "RegressorChain": _TRUE_LABELS,
    "ClassifierChain": _TRUE_LABELS,
    "RANSACRegressor": Exclusion(
        lambda needs: (
            needs.model.min_samples is None or needs.model.is_data_valid or needs.model.is_model_valid
        ),
        "Pass min_samples, and leave out is_data_valid and is_model_valid.",
    ),
    "CalibratedClassifierCV": Exclusion(
        lambda needs: isinstance(needs.model.estimator, FrozenEstimator), "Calibrate outside of the call."
    ),
    "TransformedTargetRegressor": Exclusion(
        _takes_ids_for_labels, "Use a transformer of labels that takes no ids."
    ),
}


def find_how(needs: Any) -> str | None:
    """Return how a model treats the rows of its parts; None if that is not known."""
    kind = type(needs.model)
    declared = getattr(kind, DECLARED, None)
    if declared is not None:
        if declared not in ("order", "rows", "y"):
            fail(DECLARED, f"be 'order', 'rows' or 'y' in {kind.__name__}", repr(declared))
        return str(declared)
    # A subclass without own methods for rows is its base.
    rows = {"fit", "fit_transform", "score", *OUTPUTS}
    found = (base for base in kind.__mro__ if _is_known_owner(base) or vars(base).keys() & rows)
    first = next(found, object)
    how, exception = OWNERS.get(first.__name__), EXCEPTIONS.get(first.__name__)
    if how is None or not _is_known_owner(first) or (exception is not None and exception.applies(needs)):
        return None
    return None if how == "rows" and is_pairwise(needs.model) else how


def _is_known_owner(base: type) -> bool:
    library = base.__module__.partition(".")[0]
    return library == "sklearn" or (library == "imblearn" and base.__name__ == "Pipeline")
