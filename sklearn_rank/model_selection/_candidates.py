"""Searches over models of which some take ids and others do not."""

from collections.abc import Mapping
from typing import Any

from sklearn.base import clone
from sklearn.utils.metadata_routing import MetadataRequest, get_routing_for_object

from ._requests import request_undecided_groups


def searches_models(grid: Any) -> bool:
    """Tell whether a grid, or a list of grids, has models among its values."""
    grids = [grid] if isinstance(grid, Mapping) else grid
    values = [options for grid in grids for options in grid.values() if isinstance(options, list | tuple)]
    return any(hasattr(option, "fit") for options in values for option in options)


class Candidate:
    """A model whose steps a search replaces: it asks for ids, and hands them on if the steps now take them.

    scikit-learn settles what a search passes to `fit` once, by the model before any step is replaced.
    """

    def __init__(self, estimator: Any, decide: bool):
        self.estimator = estimator
        self.decide = decide  # request ids where nobody has said yes or no

    def __getattr__(self, name: str) -> Any:
        if name == "estimator":  # not there yet, while unpickled
            raise AttributeError(name)
        return getattr(self.estimator, name)

    def __sklearn_clone__(self) -> "Candidate":
        return Candidate(clone(self.estimator), self.decide)

    def set_params(self, **params: Any) -> "Candidate":
        """Set parameters of the model, its steps among them."""
        self.estimator.set_params(**params)
        return self

    def fit(self, X: Any, y: Any = None, groups: Any = None, **params: Any) -> "Candidate":
        """Fit the model, with the ids if it takes them."""
        if self.decide:
            request_undecided_groups(self.estimator)
        self.estimator.fit(X, y, **params, **self._taken("fit", groups))
        return self

    def score(self, X: Any, y: Any = None, groups: Any = None, **params: Any) -> float:
        """Score the model, with the ids if it takes them."""
        return self.estimator.score(X, y, **params, **self._taken("score", groups))

    def get_metadata_routing(self) -> MetadataRequest:
        """Request ids beside what the model requests."""
        request = MetadataRequest(owner=self)
        routing = get_routing_for_object(self.estimator)
        for method in ("fit", "score"):
            own = getattr(getattr(routing, method, None), "requests", {})
            for name, alias in {**own, "groups": True}.items():
                getattr(request, method).add_request(param=name, alias=alias)
        return request

    def _taken(self, method: str, groups: Any) -> dict[str, Any]:
        """Return the ids as an argument of a method that takes them, else nothing."""
        takes = get_routing_for_object(self.estimator).consumes(method, ["groups"])
        return {"groups": groups} if groups is not None and takes else {}
