"""Scorers that see a model and not the one that stands around it meanwhile."""

from collections.abc import Iterable, Mapping
from typing import Any

from sklearn import config_context
from sklearn.utils.metadata_routing import MetadataRequest, get_routing_for_object

from .._models.answers import with_groups
from ..metrics import BaseScorer
from .scoring import MADE_BY_SCIKIT_LEARN, CallableScore
from .wrapped_model import inside_model

IDS = "ids_"  # before the name of ids that a model wants where it predicts


class ModelScore:
    """A scorer that sees the model and not the one around it.

    Parameters
    ----------
    scorer : callable
        The scorer.
    ids : iterable of str
        The names of the ids that the model is asked with; none if it takes none where it predicts.
    """

    def __init__(self, scorer: Any, ids: Iterable[str]):
        self.scorer = scorer
        self.ids = tuple(ids)

    def __call__(self, estimator: Any, X: Any, y: Any = None, **metadata: Any) -> Any:
        """Return what the scorer says of the model."""
        ids = {name: metadata.pop(IDS + name, None) for name in self.ids}
        # Scikit-learn's scorers, and what is made of them, take metadata with routing enabled only.
        is_theirs = isinstance(self.scorer, MADE_BY_SCIKIT_LEARN)
        is_ours = isinstance(self.scorer, BaseScorer | CallableScore)
        routing = is_theirs or (bool(metadata) and not is_ours) or getattr(estimator, "routing", True)
        model = inside_model(estimator)
        with config_context(enable_metadata_routing=routing):
            return self.scorer(with_groups(model, ids) if ids else model, X, y, **metadata)

    def get_metadata_routing(self) -> Any:
        """Return what the scorer requests, and the ids that the model takes."""
        routing = get_routing_for_object(self.scorer)
        if isinstance(routing, MetadataRequest):
            for name in self.ids:
                routing.score.add_request(param=IDS + name, alias=name)
        return routing


def around_scorers(scoring: Any, ids: Iterable[str] = ()) -> Any:
    """Make scorers see the model and not the one around it, asked with ids under these names."""
    if isinstance(scoring, Mapping):
        return {name: around_scorers(scorer, ids) for name, scorer in scoring.items()}
    if not callable(scoring) or (isinstance(scoring, MADE_BY_SCIKIT_LEARN) and not ids):
        return scoring
    return ModelScore(scoring, ids)


def inside_scorers(scoring: Any) -> Any:
    """Return the scorers as they were."""
    if isinstance(scoring, Mapping):
        return {name: inside_scorers(scorer) for name, scorer in scoring.items()}
    return inside_scorers(scoring.scorer) if isinstance(scoring, ModelScore) else scoring
