"""Splitters that know the ids of the rows that they split."""

from collections.abc import Iterator
from typing import Any

import numpy as np
from sklearn.utils.metadata_routing import MetadataRequest

from ..._checks.containers import count_rows, take
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

    def split(self, X: Features, y: Labels = None, groups: object = None) -> Iterator[Any]:
        """Yield the training and test rows of each fold."""
        rows, n_rows = self.rows, count_rows(X)
        if self.how == "order":
            if n_rows != rows.count():
                raise RuntimeError("The rows changed before the folds, so their ids are not known.")
            yield from split_rows(self.cv, X, y, rows.columns)
            return
        numbers = np.asarray(np.asarray(X)[:, 0] if self.how == "rows" else y).astype(int)
        X = take(rows.X, numbers) if self.how == "rows" else X
        y = take(rows.y, numbers) if self.how == "y" else y
        yield from split_rows(self.cv, X, y, rows.take(numbers))


def split_rows(splitter: Splitter, X: Features, y: Labels, columns: Arguments) -> Any:
    """Yield the folds of a splitter, which gets what it requests, and ids if it takes any."""
    requests = read_requests(splitter, "split")
    if takes(splitter, "split", "groups") and not is_of_scikit_learn(splitter):
        requests.setdefault("groups", True)
    asked = requests.items()
    names = {name: alias if isinstance(alias, str) else name for name, alias in asked if alias is not False}
    return splitter.split(X, y, **select(columns, names))
