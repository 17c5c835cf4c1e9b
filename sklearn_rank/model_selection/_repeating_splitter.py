"""The same folds each time, for what asks a splitter for its folds again and again."""

from collections.abc import Iterator
from typing import Any

from sklearn.utils.metadata_routing import MetadataRequest, get_routing_for_object


class RepeatingSplitter:
    """A splitter that yields the folds of its first split each time, even if another one draws them."""

    def __init__(self, splitter: Any):
        self.splitter = splitter
        self.folds: list[Any] | None = None

    def get_metadata_routing(self) -> MetadataRequest:
        """Request what the splitter requests."""
        return get_routing_for_object(self.splitter)

    def get_n_splits(self, X: Any = None, y: Any = None, **params: Any) -> int:
        """Return the splitter's number of folds."""
        return self.splitter.get_n_splits(X, y, **params)

    def split(self, X: Any, y: Any = None, **params: Any) -> Iterator[Any]:
        """Yield the folds."""
        if self.folds is None:
            self.folds = list(self.splitter.split(X, y, **params))
        yield from self.folds
