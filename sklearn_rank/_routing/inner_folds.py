"""Models that split their training rows again: stacks, searches, RFECV, LassoCV and others."""

from collections.abc import Iterator
from copy import copy
from inspect import signature
from typing import Any

from sklearn.base import is_classifier
from sklearn.model_selection import check_cv
from sklearn.utils.metadata_routing import MetadataRequest, MetadataRouter

from .._checks.errors import is_int, is_real
from .._checks.warn import warn_user
from .._models.parts import is_of_scikit_learn, list_parts, read_parameters, read_routing_through
from .._splitters.balanced import BalancedGroupKFold

CUTS = (
    "{model} splits its training rows again by cv={cv}, which cuts queries: no ids reach its folds{where}. "
    "{remedy}"
)
BY_SEARCH = "Choose what it chooses by GridSearchCV of sklearn_rank in its place."
BY_NUMBER = "Give it an int as cv: in the functions of sklearn_rank that means folds of whole queries."
BY_UPGRADE = "Upgrade scikit-learn: from 1.9 on ids reach it, in pipelines too."


class InnerFolds:
    """Folds of whole queries in the place of an int or None that a model has as `cv`.

    Parameters
    ----------
    given : int or None
        What the model had.
    owner : str
        The model's name, for a warning.
    classifies : bool
        Whether it is a classifier.
    """

    def __init__(self, given: int | None, owner: str, classifies: bool):
        self.given = given
        self.owner = owner
        self.classifies = classifies

    @property
    def n_splits(self) -> int:
        """The number of folds."""
        return 5 if self.given is None else int(self.given)

    def __repr__(self) -> str:
        return repr(BalancedGroupKFold(self.n_splits))

    def get_metadata_routing(self) -> MetadataRequest:
        """Request `groups`."""
        request = MetadataRequest(owner=self)
        request.split.add_request(param="groups", alias=True)
        return request

    def get_n_splits(self, X: Any = None, y: Any = None, groups: Any = None) -> int:
        """Return the number of folds."""
        return self.n_splits

    def split(self, X: Any, y: Any = None, groups: Any = None) -> Iterator[Any]:
        """Yield folds of whole queries; where no ids come, those of scikit-learn, with a warning."""
        if groups is not None:
            return BalancedGroupKFold(self.n_splits).split(X, y, groups)
        warn_cut(self.owner, self.given, " here")
        return check_cv(self.given, y, classifier=self.classifies).split(X, y)


def warn_cut(model: str, cv: Any, where: str = "", remedy: str = BY_SEARCH) -> None:
    """Warn that a model cuts queries, and say what to do."""
    remedy = BY_UPGRADE if where or model == "TargetEncoder" else remedy
    warn_user(CUTS.format(model=model, cv=cv, where=where, remedy=remedy))


def warn_of_cuts(model: Any, reached: bool) -> None:
    """Warn of a model that splits its training rows again where no ids reach its folds, or even the model."""
    if getattr(model, "settles_ids", False):
        return
    cv = getattr(model, "cv", None)
    if leaves_out_rows(model) or (is_real(cv) and not is_int(cv)):
        warn_cut(type(model).__name__, cv, remedy=BY_NUMBER if reached and reach_folds(model) else BY_SEARCH)
    elif has_own_folds(model) and not (reached and reach_folds(model)):
        warn_cut(type(model).__name__, model.cv)


def has_own_folds(model: Any) -> bool:
    """Tell whether a model splits its training rows into as many folds as an int says, or by default."""
    cv = read_parameters(model).get("cv", "none") if hasattr(model, "cv") else "none"
    if not (is_int(cv) or (cv is None and _splits_by_default(model))):
        return False
    parts = list_parts(model)
    return not parts or not all(map(is_frozen, parts))


def _splits_by_default(model: Any) -> bool:
    """Tell whether None as `cv` means folds: of chains it means none, of others' own models nobody knows."""
    theirs = [kind for kind in type(model).__mro__ if kind.__module__.startswith("sklearn.")]
    takes_cv = any("cv" in signature(kind).parameters for kind in theirs)
    return takes_cv and not leaves_out_rows(model) and not hasattr(model, "order")


def leaves_out_rows(model: Any) -> bool:
    """Tell whether a model leaves out single rows by a formula, in place of folds: RidgeCV by default."""
    return hasattr(model, "gcv_mode") and getattr(model, "cv", None) is None


def is_frozen(model: Any) -> bool:
    """Tell whether a model is fitted already, and stays as it is."""
    return type(model).__name__ == "FrozenEstimator" and is_of_scikit_learn(model)


def is_stack(model: Any) -> bool:
    """Tell whether a model is fitted to what its members predict of the rows of other folds."""
    is_one = all(hasattr(model, name) for name in ("estimators", "final_estimator", "cv"))
    return is_one and not isinstance(model.cv, str)


def asks_members(model: Any) -> bool:
    """Tell whether ids reach the folds of a model by way of its members alone."""
    return is_stack(model) or getattr(model, "ensemble", None) is False  # of CalibratedClassifierCV


def make_inner_folds(model: Any) -> InnerFolds:
    """Make the folds of whole queries that stand in for those of a model."""
    classifier = next((part for part in (model, *list_parts(model)) if _classifies(part)), None)
    return InnerFolds(model.cv, type(model).__name__, classifier is not None)


def _classifies(model: Any) -> bool:
    try:
        return bool(is_classifier(model))
    except Exception:  # whatever a model without tags raises
        return False


def reach_folds(model: Any) -> bool:
    """Tell whether scikit-learn hands ids to the folds of a model; asked with routing enabled."""
    if is_stack(model):
        return True
    trial = copy(model)
    trial.cv = make_inner_folds(model)
    routing = read_routing_through(trial)
    if not isinstance(routing, MetadataRouter):
        return False
    requests = [getattr(getattr(pair.router, "split", None), "requests", {}) for _, pair in routing]
    return any(request.get("groups") is True for request in requests)
