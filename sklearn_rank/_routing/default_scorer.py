"""What ``scoring=None`` means: the model's own `score`."""

from typing import Any

from sklearn.utils.metadata_routing import MetadataRouter, process_routing

from .._models.parts import make_router


class DefaultScorer:
    """A scorer that returns the `score` of fitted clones of a model, called with what the model requests."""

    def __init__(self, estimator: Any):
        self.estimator = estimator

    def __call__(self, estimator: Any, X: Any, y: Any = None, **metadata: Any) -> float:
        """Return ``estimator.score(X, y, **metadata)``, each under the name that the model's `score` has."""
        if metadata:
            metadata = process_routing(self, "score", **metadata).estimator.score
        return estimator.score(X, y, **metadata)

    def get_metadata_routing(self) -> MetadataRouter:
        """Return what the model's `score` requests."""
        return make_router(self, self.estimator, "score")
