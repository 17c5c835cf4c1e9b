"""What `scoring` may be, and scorers that ids reach."""

from collections.abc import Callable, Mapping
from copy import deepcopy
from difflib import get_close_matches
from inspect import signature
from typing import Any

import numpy as np
import sklearn
from sklearn.metrics import make_scorer
from sklearn.utils.metadata_routing import (
    MetadataRequest,
    MetadataRouter,
    get_routing_for_object,
    process_routing,
)

from .._checks.errors import fail
from .._models.parts import make_router
from ..metrics import METRICS, SHARED, BaseScorer, RankingScorer, find_meant, read_scorer

MADE_BY_SCIKIT_LEARN = type(make_scorer(max))  # they ask a model by its methods alone
SCIKIT_LEARN_VERSION = tuple(map(int, sklearn.__version__.split(".")[:2]))
MADE_OF_OURS = tuple(f"make_scorer({entry.function.__name__}," for entry in METRICS.values())


class EstimatorScore:
    """Score by the model's own `score`, with what that requests; what ``scoring=None`` means."""

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


class CallableScore:
    """A function of the user's as a scorer that gets the metadata its signature names."""

    def __init__(self, function: Callable[..., Any], requests: dict[str, Any]):
        self.function = function
        self.requests = requests

    def __repr__(self) -> str:
        return repr(self.function)

    def __call__(self, estimator: Any, X: Any, y: Any = None, **metadata: Any) -> Any:
        """Return ``function(estimator, X, y, **metadata)``."""
        return self.function(estimator, X, y, **metadata)

    def set_score_request(self, **requests: Any) -> "CallableScore":
        """Say what metadata routing should deliver."""
        self.requests = {**self.requests, **requests}
        return self

    def get_metadata_routing(self) -> MetadataRequest:
        """Return what the function gets."""
        request = MetadataRequest(owner=self)
        for name, alias in self.requests.items():
            request.score.add_request(param=name, alias=alias)
        return request


def resolve_scoring(scoring: Any, function: str) -> Any:
    """Turn names into scorers; None and callables stay as they are."""
    if isinstance(scoring, str):
        return read_scorer(scoring, function)
    if isinstance(scoring, list | tuple | set):
        return {name: read_scorer(name, function) for name in _check_names(scoring, function)}
    if isinstance(scoring, Mapping):
        if not list(scoring) or not all(isinstance(name, str) for name in scoring):
            fail("scoring", function, "have a name for each scorer, and at least one", repr(scoring))
        return {name: resolve_scoring(scorer, function) for name, scorer in scoring.items()}
    _check_no_function(scoring, function)
    if scoring is not None and not callable(scoring):
        fail("scoring", function, "be a scorer, the name of one, several of them, or None", repr(scoring))
    return scoring


def _check_no_function(scoring: Any, function: str) -> None:
    """Refuse what no model can be scored by, and say which scorer was meant."""
    meant = find_meant(scoring)
    if meant is not None:
        kind = "class" if isinstance(scoring, type) else "function"
        got = f"the {kind} {getattr(scoring, '__name__', repr(scoring))}"
        fail("scoring", function, f"be a scorer, which asks a model, as scoring={meant}", got)


def _check_names(scoring: Any, function: str) -> list[str]:
    """Check that a list holds names alone."""
    names = list(scoring)
    for each in names:
        _check_no_function(each, function)
    if not all(isinstance(name, str) for name in names):
        rule = 'be a dict where not all are names, as {"NDCG": ndcg_scorer(k=10), "MAP": "map"}'
        fail("scoring", function, rule, repr(scoring))
    if len(set(names)) < len(names) or not names:
        fail("scoring", function, "list names, at least one and each once", repr(scoring))
    return names


def check_single(scoring: Any, function: str) -> None:
    """Refuse several scorers where there is one score."""
    several = isinstance(scoring, RankingScorer) and not isinstance(scoring.metrics, str)
    if several or isinstance(scoring, list | tuple | set | Mapping):
        fail("scoring", function, "be one scorer: cross_validate takes several", repr(scoring))


def check_made(scoring: Any, y: Any, function: str) -> None:
    """Refuse scikit-learn's `make_scorer` of its own NDCG, which takes lists in two dimensions alone.

    From scikit-learn 1.9 on a scorer tells what its function takes, and so whether that is ours.
    """
    if SCIKIT_LEARN_VERSION < (1, 9) or getattr(y, "ndim", 1) != 1:
        return
    for scorer in list_scorers(scoring):
        name = repr(scorer).removeprefix("make_scorer(").partition(",")[0].rstrip(")")
        is_theirs = isinstance(scorer, MADE_BY_SCIKIT_LEARN) and groups_request(scorer, "none") == "none"
        if is_theirs and name in SHARED:
            rule = f"be this package's scorer, as scoring={name.removesuffix('_score')}_scorer(k=10)"
            fail("scoring", function, rule, f"scikit-learn's {name}, which takes lists of one length,")


def check_refit(refit: Any, scoring: Any, function: str) -> None:
    """Check that `refit` names one of several scorers."""
    names = list(scoring) if isinstance(scoring, list | tuple | set | Mapping) else []
    if isinstance(scoring, RankingScorer) and not isinstance(scoring.metrics, str):
        names = list(scoring.metrics)
    is_off = isinstance(refit, bool | np.bool_) and not refit
    if not names or callable(refit) or is_off or (isinstance(refit, str) and refit in names):
        return
    near = get_close_matches(str(refit), list(map(str, names)), cutoff=0.5) or names
    example = f"refit={near[0]!r}" if isinstance(refit, str) else f"refit={names[0]!r}"
    fail("refit", function, f"name one of several scorers, as {example}, or be False", repr(refit))


def list_scorers(scoring: Any) -> list[Any]:
    """List the scorers of one or of a dict."""
    return list(scoring.values()) if isinstance(scoring, Mapping) else [scoring]


def deliver_groups(scoring: Any, weights: Any = False) -> Any:
    """Make functions whose signature names `groups` or weights scorers that ask for them."""
    if isinstance(scoring, Mapping):
        return {name: deliver_groups(scorer, weights) for name, scorer in scoring.items()}
    if not callable(scoring):
        return scoring
    if hasattr(scoring, "get_metadata_routing"):
        # Before scikit-learn 1.9 a scorer does not tell what its function takes; ours it is known by name.
        hides_groups = repr(scoring).startswith(MADE_OF_OURS) and groups_request(scoring, False) is False
        return deepcopy(scoring).set_score_request(groups=True) if hides_groups else scoring
    try:
        names = signature(scoring).parameters
    except ValueError:  # built in
        return scoring
    known = {"groups": True, "sample_weight": weights}
    requests = {name: alias for name, alias in known.items() if name in names}
    return CallableScore(scoring, requests) if requests else scoring


def groups_request(scorer: Any, otherwise: Any) -> Any:
    """Return what a scorer requests as `groups`: True, False, an alias, or None where nobody has said."""
    if not hasattr(scorer, "get_metadata_routing"):
        return otherwise
    score = getattr(get_routing_for_object(scorer), "score", None)  # which a router has not
    return getattr(score, "requests", {}).get("groups", otherwise)


def copy_scorers(scoring: Any) -> Any:
    """Copy scorers, to change what they request; each that takes `groups`, and has not said no, gets them."""
    if isinstance(scoring, Mapping):
        return {name: copy_scorers(scorer) for name, scorer in scoring.items()}
    copied = deepcopy(scoring) if hasattr(scoring, "set_score_request") else scoring
    scorer = deliver_groups(copied, weights=None)
    asked = groups_request(scorer, False)
    wants = isinstance(scorer, BaseScorer) and scorer.groups is None and asked is False
    if asked is None or wants:
        scorer.set_score_request(groups=True)
    return scorer
