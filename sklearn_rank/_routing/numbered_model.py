"""A model that knows which fit of a search it is."""

from typing import Any

from sklearn.base import clone
from sklearn.utils.metadata_routing import get_routing_for_object

from .wrapped_model import WrappedModel


class NumberedModel(WrappedModel):
    """A model whose clones are numbered in the order in which they are made.

    A search clones its model once for each fit: candidate after candidate, and of each fold after fold. The
    number goes with the clone to the process that fits it.

    Parameters
    ----------
    estimator : object
        The model.
    number : int, default=-1
        How many clones of the same model were made before this one.
    """

    def __init__(self, estimator: Any, number: int = -1):
        self.estimator = estimator
        self.number = number
        self.n_clones = 0

    def __sklearn_clone__(self) -> "NumberedModel":
        model = NumberedModel(clone(self.estimator), self.n_clones)
        self.n_clones += 1
        return model

    def fit(self, X: Any, y: Any = None, **params: Any) -> "NumberedModel":
        """Fit the model."""
        self.estimator.fit(X, y, **params)
        return self

    def get_metadata_routing(self) -> Any:
        """Request what the model requests."""
        return get_routing_for_object(self.estimator)
