"""Folds of whole queries inside a model that splits its training rows again, such as a stack or `LassoCV`."""

from collections.abc import Iterator
from typing import Any

from sklearn.model_selection import check_cv
from sklearn.utils.metadata_routing import MetadataRequest

from .._checks.warn import warn_user
from .._splitters.folds import spell_splitter
from .._splitters.group_kfold import BalancedGroupKFold

CUTS_INSIDE = (
    "{model} splits its training rows again by cv={cv}, which cuts queries: no ids reach its folds{where}. "
    "{remedy}"
)
BY_SEARCH = "Choose what it chooses by GridSearchCV of sklearn_rank in its place."
BY_NUMBER = "Give it an int as cv: in the functions of sklearn_rank that means folds of whole queries."
BY_UPGRADE = "Upgrade scikit-learn: from 1.9 on ids reach it, in pipelines too."


class InnerSplitter:
    """A splitter that replaces the int, or None, that a model has as its `cv`.

    A warning names the `owner`, the model that had it.
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
        warn_of_cut(self.owner, self.given, " here")
        return check_cv(self.given, y, classifier=self.classifies).split(X, y)


def warn_of_cut(model: str, cv: Any, where: str = "", remedy: str = BY_SEARCH) -> None:
    """Warn that the inner folds of a model cut queries, and say what to do."""
    remedy = BY_UPGRADE if where or model == "TargetEncoder" else remedy
    warn_user(CUTS_INSIDE.format(model=model, cv=spell_splitter(cv), where=where, remedy=remedy))
