"""Splitters that know the ids of the rows that they split."""

from collections.abc import Iterable
from typing import Any

from sklearn.utils.metadata_routing import MetadataRequest

from ..._checks.containers import take
from ..._checks.types import Arguments, Features, Labels, Splitter
from ..._rows.bound import RowTable, select
from ..._rows.inner_models import Wrapper, is_of_scikit_learn, read_requests, takes
from .._splitters.group_splits import as_splitter


class BoundSplitter(Wrapper):
    """Folds that get the ids of the rows; an int, or None, means folds of whole queries."""

    inner = "given"

    def __init__(self, given: Any, rows: RowTable, how: str):
        self.given, self.rows, self.how = given, rows, how
        self.cv: Any = as_splitter(given, rows.count())

    def __repr__(self) -> str:
        return repr(self.cv)

    def get_metadata_routing(self) -> MetadataRequest:
        """Request ids that are never passed, because TargetEncoder requires such a request."""
        request = MetadataRequest(owner=type(self).__name__)
        request.split.add_request(param="groups", alias=True)
        return request

    def get_n_splits(self, X: Features = None, y: Labels = None, groups: object = None) -> int:
        """Return the number of folds."""
        return int(self.cv.get_n_splits(self.rows.X, self.rows.y, self.rows.columns["groups"]))

    def split(self, X: Features, y: Labels = None, groups: object = None) -> Iterable[Any]:
        """Return the training and test rows of each fold."""
        rows, numbers = self.rows, self.rows.numbers(self.how, X, y, "The splitter")
        if self.how == "order":
            return split_rows(self.cv, X, y, rows.columns)
        X, y = (take(rows.X, numbers), y) if self.how == "rows" else (X, take(rows.y, numbers))
        return split_rows(self.cv, X, y, rows.take(numbers))


def list_columns(splitter: Splitter) -> dict[str, str]:
    """Return the columns that a splitter takes: what it requests, and ids if it takes any."""
    requests = read_requests(splitter, "split")
    if not is_of_scikit_learn(splitter) and takes(splitter, "split", "groups"):
        requests.setdefault("groups", True)
    asked = requests.items()
    return {name: alias if isinstance(alias, str) else name for name, alias in asked if alias is not False}


def split_rows(splitter: Splitter, X: Features, y: Labels, columns: Arguments) -> Any:
    """Return the folds of a splitter, which gets the columns that it takes."""
    return splitter.split(X, y, **select(columns, list_columns(splitter)))
