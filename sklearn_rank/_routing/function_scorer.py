"""Functions of the user's as scorers that can request ids and weights."""

from collections.abc import Callable
from typing import Any

from sklearn.utils.metadata_routing import MetadataRequest


class FunctionScorer:
    """A scorer around a function ``(estimator, X, y, ...)`` of the user's, which has no requests itself.

    `requests` contains what metadata routing should pass, by the names in the function's signature.
    """

    def __init__(self, function: Callable[..., Any], requests: dict[str, Any]):
        self.function = function
        self.requests = requests

    def __repr__(self) -> str:
        return repr(self.function)

    def __call__(self, estimator: Any, X: Any, y: Any = None, **metadata: Any) -> Any:
        """Return ``function(estimator, X, y, **metadata)``."""
        return self.function(estimator, X, y, **metadata)

    def set_score_request(self, **requests: Any) -> "FunctionScorer":
        """Say what metadata routing should deliver."""
        self.requests = {**self.requests, **requests}
        return self

    def get_metadata_routing(self) -> MetadataRequest:
        """Return what the function gets."""
        request = MetadataRequest(owner=self)
        for name, alias in self.requests.items():
            request.score.add_request(param=name, alias=alias)
        return request
