"""Folds of whole queries inside a model that splits its training rows again, such as a stack or `LassoCV`."""

from typing import Any

from .._checks.warn import warn_user
from .._splitters.folds import spell_splitter
from .._splitters.group_kfold import BalancedGroupKFold

CUTS_INSIDE = (
    "{model}: cv={cv} splits the training rows again without query ids, so it cuts queries. {remedy}"
)
BY_SEARCH = "Choose what it chooses by GridSearchCV of sklearn_rank in its place."
BY_NUMBER = "Give it an int as cv: in the functions of sklearn_rank that means folds of whole queries."
BY_UPGRADE = "Upgrade scikit-learn: it passes ids in version 1.9 or later."


class InnerSplitter(BalancedGroupKFold):
    """A splitter that replaces the int, or None, that is `given` to a model as its `cv`."""

    def __init__(self, given: int | None):
        super().__init__(5 if given is None else int(given))
        self.given = given

    def __repr__(self) -> str:
        return repr(BalancedGroupKFold(self.n_splits))


def warn_of_cut(model: str, cv: Any, remedy: str = BY_SEARCH) -> None:
    """Warn that the inner folds of a model cut queries, and say what to do."""
    remedy = BY_UPGRADE if model == "TargetEncoder" else remedy
    warn_user(CUTS_INSIDE.format(model=model, cv=spell_splitter(cv), remedy=remedy))
