"""Models that split their training rows again: stacks, searches, RFECV, LassoCV and others.

Whether a model does, whether scikit-learn hands ids to its folds, and a warning where it does not.
"""

from inspect import signature
from typing import Any

from .._checks.errors import is_int, is_real
from .._models.parts import (
    is_frozen,
    is_stack,
    list_parts,
    read_parameters,
    read_router,
)
from .inner_splitter import BY_NUMBER, BY_SEARCH, InnerSplitter, warn_of_cut


def warn_of_inner_cuts(model: Any, reached: bool) -> None:
    """Warn of a model whose inner folds cut queries, as no ids reach them, or not even the model."""
    if getattr(model, "settles_ids", False):
        return
    cv = read_parameters(model).get("cv")
    if leaves_out_rows(model) or (is_real(cv) and not is_int(cv)):
        remedy = BY_NUMBER if reached and hands_ids_to_folds(model) else BY_SEARCH
        warn_of_cut(type(model).__name__, cv, remedy)
    elif has_own_folds(model) and not (reached and hands_ids_to_folds(model)):
        warn_of_cut(type(model).__name__, model.cv)


def has_own_folds(model: Any) -> bool:
    """Tell whether a model splits its training rows into as many folds as an int says, or by default."""
    cv = read_parameters(model).get("cv", "none")
    if not (is_int(cv) or (cv is None and _splits_by_default(model))):
        return False
    parts = list_parts(model)
    return not parts or not all(map(is_frozen, parts))


def _splits_by_default(model: Any) -> bool:
    """Tell whether ``cv=None`` means folds; in a chain it means none, and only scikit-learn's are known."""
    theirs = [kind for kind in type(model).__mro__ if kind.__module__.startswith("sklearn.")]
    takes_cv = any("cv" in signature(kind).parameters for kind in theirs)
    return takes_cv and not leaves_out_rows(model) and not hasattr(model, "order")


def leaves_out_rows(model: Any) -> bool:
    """Tell whether a model leaves out single rows by a formula, in place of folds: RidgeCV by default."""
    parameters = read_parameters(model)
    return "gcv_mode" in parameters and parameters.get("cv") is None


def splits_by_members(model: Any) -> bool:
    """Tell whether a model splits by `cross_val_predict` of its members, which then have to take the ids."""
    return is_stack(model) or getattr(model, "ensemble", None) is False  # of CalibratedClassifierCV


def hands_ids_to_folds(model: Any) -> bool:
    """Tell whether scikit-learn hands ids to the folds of a model; to be called with routing enabled."""
    if is_stack(model):
        return True
    router, _ = read_router(model, cv=InnerSplitter(model.cv))
    requests = [getattr(getattr(pair.router, "split", None), "requests", {}) for _, pair in router or ()]
    return any(request.get("groups") is True for request in requests)
