"""What ``scoring=None`` means: the model's own `score`."""

from collections.abc import Mapping
from contextlib import nullcontext
from typing import Any

from sklearn.utils.metadata_routing import MetadataRouter, process_routing

from .._models.parts import is_of_scikit_learn, is_search, make_router
from ..metrics import RankingScorer, without_cautions
from .scoring import list_scorers, resolve_scoring
from .wrapped_model import unwrap_model


class DefaultScorer:
    """A scorer that returns the `score` of fitted clones of a model, called with what the model requests.

    A `cautioned` scorer gives no cautions about the labels, because they were given before.
    """

    def __init__(self, estimator: Any, cautioned: bool = False):
        self.estimator = estimator
        self.cautioned = cautioned

    def __call__(self, estimator: Any, X: Any, y: Any = None, **metadata: Any) -> float:
        """Return ``estimator.score(X, y, **metadata)``, each under the name that the model's `score` has."""
        if metadata:
            metadata = process_routing(self, "score", **metadata).estimator.score
        with without_cautions() if self.cautioned else nullcontext():
            return estimator.score(X, y, **metadata)

    def get_metadata_routing(self) -> MetadataRouter:
        """Return what the model's `score` requests."""
        return make_router(self, self.estimator, "score")


def list_rankings(scoring: Any, *models: Any) -> list[RankingScorer]:
    """List the ranking scorers. Without `scoring`, use the first model whose `score` is one."""
    if scoring is not None:
        return [scorer for scorer in list_scorers(scoring) if isinstance(scorer, RankingScorer)]
    own = (find_own_scorer(model) for model in models)
    return [scorer for scorer in own if scorer is not None][:1]


def find_own_scorer(model: Any) -> RankingScorer | None:
    """Return the ranking scorer that computes a model's own `score`; None if it is not known to be one."""
    model = unwrap_model(model)
    if isinstance(getattr(model, "own_metric", None), str):  # of a ranker of this package
        return RankingScorer(model.own_metric)
    if is_of_scikit_learn(model) and hasattr(model, "steps"):
        return find_own_scorer(model.steps[-1][1])
    return _find_scorer_of_search(model) if is_search(model) else None


def read_scoring(search: Any) -> Any:
    """Return the scorers of a search; in scikit-learn's own searches, names mean its own metrics."""
    scoring = getattr(search, "scoring", None)
    return resolve_scoring(scoring, type(search).__name__) if hasattr(search, "settles_ids") else scoring


def _find_scorer_of_search(search: Any) -> RankingScorer | None:
    """Return the ranking scorer that computes a search's `score`, else None."""
    scoring = read_scoring(search)
    if scoring is None:
        return find_own_scorer(getattr(search, "estimator", None))
    if isinstance(scoring, Mapping):
        name = getattr(search, "refit", None)
        scoring = scoring.get(getattr(name, "metric", name))
    return scoring if isinstance(scoring, RankingScorer) else None
