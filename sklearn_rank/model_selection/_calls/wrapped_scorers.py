"""Scorers around those of the user, which take what metadata routing passes to the scorers of a call."""

from collections.abc import Iterable, Mapping
from contextlib import nullcontext
from copy import copy
from functools import wraps
from typing import Any

from sklearn import config_context, get_config
from sklearn.utils.metadata_routing import (
    MetadataRequest,
    MetadataRouter,
    get_routing_for_object,
    process_routing,
)

from ..._checks.types import AnyScorer, Estimator, Features, Function, Labels, Scoring
from ..._routing.model_calls import DelegatingModel, unwrap_model, with_groups
from ..._routing.model_parts import make_router
from ...metrics import RankingScorer, is_ranking, score_model, without_cautions
from .scoring import MADE_BY_SCIKIT_LEARN, FunctionScorer, find_function

FOR_MODEL = "ids_"  # before the names of ids that a scorer requests to ask the model with, not to score by


class DefaultScorer:
    """What ``scoring=None`` means: the `score` of fitted clones of a model, with what the model requests.

    A `cautioned` scorer gives no cautions about the labels, because they were given before.
    """

    def __init__(self, estimator: Estimator, cautioned: bool = False):
        self.estimator = estimator
        self.cautioned = cautioned

    def __call__(self, estimator: Estimator, X: Features, y: Labels = None, **metadata: object) -> float:
        """Return ``estimator.score(X, y, **metadata)``, each under the name that the model's `score` has."""
        if metadata:
            metadata = process_routing(self, "score", **metadata).estimator.score
        with without_cautions() if self.cautioned else nullcontext():
            return estimator.score(X, y, **metadata)

    def get_metadata_routing(self) -> MetadataRouter:
        """Return what the model's `score` requests."""
        return make_router(self, self.estimator, "score")


class UnwrappingScorer:
    """A scorer of the user's that sees the user's model, and not the `DelegatingModel` around it.

    `ids` are the names of the ids that the model takes where it predicts: none for most models. A `cautioned`
    scorer gives no cautions about the labels, because they were given before.
    """

    def __init__(self, scorer: AnyScorer, ids: Iterable[str], cautioned: bool = False):
        self.scorer = scorer
        self.ids = tuple(ids)
        self.cautioned = cautioned and is_ranking(scorer)

    def __repr__(self) -> str:
        return repr(self.scorer)

    def __call__(
        self, estimator: Estimator, X: Features, y: Labels = None, prepared: Any = None, **metadata: object
    ) -> Any:
        """Return the score of the model inside; `prepared` are the rows as it knows them."""
        ids = {name: metadata.pop(FOR_MODEL + name, None) for name in self.ids}
        # Scorers of scikit-learn, and objects around them, take metadata with routing enabled only.
        is_theirs = isinstance(self.scorer, MADE_BY_SCIKIT_LEARN)
        is_ours = isinstance(self.scorer, RankingScorer | FunctionScorer)
        routing = is_theirs or (bool(metadata) and not is_ours) or getattr(estimator, "routing", True)
        users = getattr(estimator, "routing", get_config()["enable_metadata_routing"])
        is_wrapped = isinstance(estimator, DelegatingModel)
        model = estimator if is_theirs and not ids else unwrap_model(estimator)
        scorer = _restore(self.scorer, users) if is_theirs and not users else self.scorer
        silence = without_cautions() if self.cautioned else nullcontext()
        with config_context(enable_metadata_routing=routing), silence:
            model = with_groups(model, ids, users, check=not is_wrapped) if ids else model
            if prepared is not None:
                return score_model(scorer, model, X, y, prepared, metadata["groups"])
            return scorer(model, X, y, **metadata)

    def get_metadata_routing(self) -> Any:
        """Return what the scorer requests, and the ids that the model takes."""
        routing = get_routing_for_object(self.scorer)
        if isinstance(routing, MetadataRequest):
            for name in self.ids:
                routing.score.add_request(param=FOR_MODEL + name, alias=name)
        return routing


def with_routing(function: Function, routing: bool) -> Function:
    """Return a function that runs with metadata routing as the user has it."""

    @wraps(function)
    def run(*args: object, **params: object) -> Any:
        with config_context(enable_metadata_routing=routing):
            return function(*args, **params)

    return run


def _restore(scorer: AnyScorer, routing: bool) -> Any:
    """Return a scorer of `make_scorer` whose function runs with routing as the user has it."""
    function, restored = find_function(scorer), copy(scorer)
    held = {name: value for name, value in vars(scorer).items() if value is function}
    vars(restored).update({name: with_routing(value, routing) for name, value in held.items()})
    return restored


def wrap_scorers(scoring: Scoring, ids: Iterable[str] = (), cautioned: bool = False) -> AnyScorer:
    """Make scorers see the model inside a `DelegatingModel`, and ask it with the ids of these names.

    If `cautioned`, ranking scorers give no cautions, because the caller has given them.
    """
    if isinstance(scoring, Mapping):
        return {name: wrap_scorers(scorer, ids, cautioned) for name, scorer in scoring.items()}
    if isinstance(scoring, UnwrappingScorer) or not callable(scoring):
        return scoring
    # The functions of scikit-learn's own metrics read no configuration.
    is_theirs = str(getattr(find_function(scoring), "__module__", "")).startswith("sklearn.")
    return scoring if is_theirs and not ids else UnwrappingScorer(scoring, ids, cautioned)
