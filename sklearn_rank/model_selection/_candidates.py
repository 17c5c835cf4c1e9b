"""Searches over models of which some take ids and others do not."""

from collections.abc import Iterable, Mapping
from typing import Any

from sklearn.base import clone
from sklearn.utils.metadata_routing import MetadataRequest, get_routing_for_object

from ._query_samples import QueryScore
from ._requests import request, request_params, request_undecided_groups
from ._wrapped import WrappedModel


class Candidate(WrappedModel):
    """A model whose steps a search replaces: it asks for metadata, and hands on what its steps now take.

    scikit-learn settles what a search passes to `fit` once, by the model before any step is replaced.

    Parameters
    ----------
    estimator : object
        The model.
    decide : bool
        Whether to request what nobody has said yes or no to, as where the user has routing off.
    names : iterable of str
        The parameters of `fit` other than ids, as the user gave them.
    weigh : bool
        Whether the model's own `score` gets the weights too.
    """

    def __init__(self, estimator: Any, decide: bool, names: Iterable[str] = (), weigh: bool = False):
        self.estimator = estimator
        self.decide = decide
        self.names = list(names)
        self.weigh = weigh

    def __sklearn_clone__(self) -> "Candidate":
        return Candidate(clone(self.estimator), self.decide, self.names, self.weigh)

    def fit(self, X: Any, y: Any = None, groups: Any = None, **params: Any) -> "Candidate":
        """Fit the model, with the ids if it takes them."""
        if self.decide:
            request_undecided_groups(self.estimator)
            params = request_params("fit", self.estimator, {}, None, params, False)
        self.estimator.fit(X, y, **params, **self._taken("fit", groups))
        return self

    def score(self, X: Any, y: Any = None, groups: Any = None, **params: Any) -> float:
        """Score the model, with the ids if it takes them."""
        for name in params:
            request(self.estimator, "score", name, True)
        return self.estimator.score(X, y, **params, **self._taken("score", groups))

    def get_metadata_routing(self) -> MetadataRequest:
        """Request ids, and for `fit` what the user gave it."""
        requests = MetadataRequest(owner=self)
        for name in ("groups", *(["sample_weight"] if self.weigh else [])):
            requests.score.add_request(param=name, alias=True)
        for name in ("groups", *self.names):
            requests.fit.add_request(param=name, alias=True)
        return requests

    def _taken(self, method: str, groups: Any) -> dict[str, Any]:
        """Return the ids as an argument of a method that takes them, else nothing."""
        takes = get_routing_for_object(self.estimator).consumes(method, ["groups"])
        return {"groups": groups} if groups is not None and takes else {}


class CandidateScore:
    """A scorer that sees the model and not the candidate around it."""

    def __init__(self, scorer: Any):
        self.scorer = scorer

    def __call__(self, estimator: Any, X: Any, y: Any = None, **metadata: Any) -> Any:
        """Return what the scorer says of the model."""
        model = estimator.estimator if isinstance(estimator, Candidate) else estimator
        return self.scorer(model, X, y, **metadata)

    def get_metadata_routing(self) -> Any:
        """Return what the scorer requests."""
        return get_routing_for_object(self.scorer)


def around_scorers(scoring: Any) -> Any:
    """Make scorers see the model and not the candidate around it."""
    if isinstance(scoring, Mapping):
        return {name: CandidateScore(scorer) for name, scorer in scoring.items()}
    return CandidateScore(scoring)


def inside_scorers(scoring: Any) -> Any:
    """Return the scorers as they were."""
    if isinstance(scoring, Mapping):
        return {name: inside_scorers(scorer) for name, scorer in scoring.items()}
    return inside_scorers(scoring.scorer) if isinstance(scoring, CandidateScore | QueryScore) else scoring
