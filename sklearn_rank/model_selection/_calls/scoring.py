"""Reading, checks and wrapping of `scoring`, so that its scorers get the ids of the rows."""

from collections.abc import Iterable, Mapping
from contextlib import nullcontext
from copy import copy
from functools import partial, wraps
from inspect import signature
from types import FunctionType
from typing import Any

import sklearn
import sklearn.metrics
from sklearn import config_context, get_config
from sklearn.metrics import make_scorer
from sklearn.utils.metadata_routing import MetadataRequest, get_routing_for_object, process_routing

from ... import metrics
from ..._checks.errors import fail
from ..._checks.types import AnyScorer, Estimator, Features, Function, Ids, Labels, Options, Scoring, Weights
from ..._checks.warn import running_call, send_warnings
from ..._routing.model_calls import DelegatingModel, unwrap_model, with_groups
from ..._routing.model_parts import is_of_scikit_learn, is_search, make_router
from ...metrics import (
    METRICS,
    RankingScorer,
    is_ranking,
    read_scorer,
    score_model,
    unique_groups,
    without_cautions,
)
from .._catalog.catalog_scorer import CatalogScorer

MADE_BY_SCIKIT_LEARN = type(make_scorer(max))  # the type of all scorers of `sklearn.metrics.make_scorer`
SCIKIT_LEARN_VERSION = tuple(map(int, sklearn.__version__.split(".")[:2]))
FOR_MODEL = "ids_"  # prefix of ids that a scorer requests for the model's methods, not for the metric


class FunctionScorer:
    """A scorer around a user's function ``(estimator, X, y, ...)``, which has no requests itself.

    `requests` contains what metadata routing should pass, by the names in the function's signature.
    """

    def __init__(self, function: Function, requests: Options):
        self.function = function
        self.requests = requests

    def __repr__(self) -> str:
        return repr(self.function)

    def __call__(self, estimator: Estimator, X: Features, y: Labels = None, **metadata: object) -> Any:
        """Return ``function(estimator, X, y, **metadata)``."""
        return self.function(estimator, X, y, **metadata)

    def set_score_request(self, **requests: object) -> "FunctionScorer":
        """Set the metadata that routing passes."""
        self.requests = {**self.requests, **requests}
        return self

    def get_metadata_routing(self) -> MetadataRequest:
        """Return the requests for the function."""
        request = MetadataRequest(owner=self)
        for name, alias in self.requests.items():
            request.score.add_request(param=name, alias=alias)
        return request


def resolve_scoring(scoring: Scoring) -> AnyScorer:
    """Replace names by scorers; return None and callables unchanged."""
    if isinstance(scoring, str):
        return read_scorer(scoring)
    if isinstance(scoring, list | tuple | set):
        return {name: read_scorer(name) for name in _check_names(scoring)}
    if isinstance(scoring, Mapping):
        if not list(scoring) or not all(isinstance(name, str) for name in scoring):
            fail("scoring", "be a dict of scorers by name, with at least one scorer", repr(scoring))
        return {name: resolve_scoring(scorer) for name, scorer in scoring.items()}
    _check_no_function(scoring)
    if scoring is not None and not callable(scoring):
        fail("scoring", "be a scorer, a name, a list or dict of them, or None", repr(scoring))
    return scoring


def _check_no_function(scoring: Scoring) -> None:
    """Reject functions and classes that are not scorers, such as metrics, and suggest a scorer."""
    if not isinstance(scoring, FunctionType | partial | type):
        return
    from ..._hints.scorers import suggest_scorer

    suggested = suggest_scorer(scoring, vars(metrics))
    if suggested is not None:
        kind = "class" if isinstance(scoring, type) else "function"
        got = f"the {kind} {getattr(scoring, '__name__', repr(scoring))}"
        fail("scoring", "be a scorer", got, f"Pass scoring={suggested}.")


def _check_names(scoring: Any) -> list[str]:
    """Check that a list contains only names."""
    names = list(scoring)
    for each in names:
        _check_no_function(each)
    if not all(isinstance(name, str) for name in names):
        fix = 'To name other scorers, pass a dict: scoring={"NDCG": ndcg_scorer(k=10), "MAP": "map"}.'
        fail("scoring", "contain only names if it is a list", repr(scoring), fix)
    if len(set(names)) < len(names) or not names:
        fail("scoring", "be a list of at least one name, without repeats", repr(scoring))
    return names


def check_single(scoring: Scoring) -> None:
    """Reject several scorers if the function returns one score."""
    if list_names(scoring):
        fail("scoring", "be one scorer", repr(scoring), "For several, use cross_validate.")


def find_function(scorer: AnyScorer) -> AnyScorer:
    """Return the function of a scorer made by scikit-learn's `make_scorer`; None for any other scorer.

    Such a scorer has no public attribute for its function: it is the only callable attribute.
    """
    functions = vars(scorer).values() if isinstance(scorer, MADE_BY_SCIKIT_LEARN) else ()
    return next(filter(callable, functions), None)


def reject_scikit_learns_ndcg(scoring: Scoring, y: Labels) -> None:
    """Reject scorers of scikit-learn's NDCG or DCG for 1-D labels: they take one row per query."""
    if getattr(y, "ndim", 1) != 1:
        return
    for metric in map(find_function, list_scorers(scoring)):
        for name in ("ndcg_score", "dcg_score"):
            if metric is vars(sklearn.metrics)[name]:
                rule, got = "take one label per row", f"scikit-learn's {name}, which takes one query per row,"
                fail("scoring", rule, got, f"Pass scoring={name.removesuffix('_score')}_scorer(k=10).")


def list_names(scoring: Scoring) -> list[str]:
    """List the names of several scores; return an empty list for one score."""
    if is_ranking(scoring) and not isinstance(scoring.metrics, str):
        return list(scoring.metrics)
    return list(scoring) if isinstance(scoring, list | tuple | set | Mapping) else []


def list_scorers(scoring: Scoring) -> list[AnyScorer]:
    """List a single scorer, or the scorers of a dict."""
    return list(scoring.values()) if isinstance(scoring, Mapping) else [scoring]


def check_missed(scoring: Scoring, ids: Ids) -> None:
    """Check that labels of documents that are not rows belong to queries of the data."""
    for scorer in list_scorers(scoring):
        if isinstance(scorer, RankingScorer) and scorer.missed is not None and scorer.groups is None:
            scorer.missed.find(unique_groups(ids))


def deliver_groups(scoring: Any, weights: Weights = False) -> Any:
    """Make a function whose signature names `groups` or `sample_weight` a scorer that requests them."""
    if isinstance(scoring, Mapping):
        return {name: deliver_groups(scorer, weights) for name, scorer in scoring.items()}
    if not callable(scoring):
        return scoring
    if hasattr(scoring, "get_metadata_routing"):
        # Before scikit-learn 1.9 scorers do not request what their functions take; we know it for ours.
        function = find_function(scoring)
        is_ours = any(function is metric.function for metric in METRICS.values())
        hides_groups = is_ours and groups_request(scoring, False) is False
        return copy(scoring).set_score_request(groups=True) if hides_groups else scoring
    try:
        names = signature(scoring).parameters
    except ValueError:  # a built-in function
        return scoring
    known = {"groups": True, "sample_weight": weights}
    requests = {name: alias for name, alias in known.items() if name in names}
    return FunctionScorer(scoring, requests) if requests else scoring


def groups_request(scorer: AnyScorer, otherwise: object) -> Any:
    """Return a scorer's request for `groups`: True, False, an alias, or None if it is undecided.

    Return `otherwise` for a scorer without a parameter `groups`.
    """
    if not hasattr(scorer, "get_metadata_routing"):
        return otherwise
    score = getattr(get_routing_for_object(scorer), "score", None)  # a router has none
    return getattr(score, "requests", {}).get("groups", otherwise)


def list_labels(scorer: AnyScorer) -> dict[str, str]:
    """Map names under which a scorer requests labels other than `y`, or owners, to their kind."""
    requested = scorer.names_of_rows if isinstance(scorer, RankingScorer) else {}
    return {name: kind for kind, name in requested.items()}


def copy_scorers(scoring: Scoring) -> AnyScorer:
    """Copy scorers to change their requests, and request `groups` unless a request forbids it."""
    if isinstance(scoring, Mapping):
        return {name: copy_scorers(scorer) for name, scorer in scoring.items()}
    scorer = copy(scoring) if hasattr(scoring, "set_score_request") else scoring
    scorer = deliver_groups(scorer, weights=None)
    requested = groups_request(scorer, False)
    wants = isinstance(scorer, RankingScorer) and scorer.groups is None and requested is False
    if requested is None or wants:
        scorer.set_score_request(groups=True)
    return scorer


def list_rankings(scoring: Scoring, *models: object) -> list[RankingScorer]:
    """List the ranking scorers. Without `scoring`, use the first model whose `score` is one."""
    if scoring is not None:
        return [scorer for scorer in list_scorers(scoring) if is_ranking(scorer)]
    own = (find_own_scorer(model) for model in models)
    return [scorer for scorer in own if scorer is not None][:1]


def find_own_scorer(model: Estimator) -> RankingScorer | None:
    """Return the ranking scorer that computes a model's own `score`; None if it is not known to be one."""
    model = unwrap_model(model)
    if isinstance(getattr(model, "own_metric", None), str):  # a ranker of this package
        return RankingScorer(model.own_metric)
    if is_of_scikit_learn(model) and hasattr(model, "steps"):
        return find_own_scorer(model.steps[-1][1])
    if not is_search(model):
        return None
    scoring = read_scoring(model)
    if scoring is None:
        return find_own_scorer(getattr(model, "estimator", None))
    if isinstance(scoring, Mapping):
        name = getattr(model, "refit", None)
        scoring = scoring.get(getattr(name, "metric", name))
    return scoring if is_ranking(scoring) else None


def read_scoring(search: Estimator) -> AnyScorer:
    """Return the scorers of a search; in scikit-learn's own searches, names mean its own metrics."""
    scoring = getattr(search, "scoring", None)
    return resolve_scoring(scoring) if hasattr(search, "settles_ids") else scoring


class DefaultScorer:
    """The scorer for ``scoring=None``: the `score` of a fitted model, with the metadata that it requests.

    A `cautioned` scorer issues no cautions about the labels, because the call has issued them.
    """

    def __init__(self, estimator: Estimator, cautioned: bool = False):
        self.estimator = estimator
        self.cautioned = cautioned
        self.running_call = running_call()  # which shows each warning once

    def __call__(self, estimator: Estimator, X: Features, y: Labels = None, **metadata: object) -> Any:
        """Return ``estimator.score(X, y, **metadata)``, with the names of the model's `score`."""
        if metadata:
            metadata = process_routing(self, "score", **metadata).estimator.score
        with without_cautions() if self.cautioned else nullcontext():
            return send_warnings(self.running_call, lambda: estimator.score(X, y, **metadata))

    def get_metadata_routing(self) -> Any:
        """Return the requests of the model's `score`."""
        return make_router(self, self.estimator, "score")


class UnwrappingScorer:
    """A user's scorer that gets the user's model instead of the `DelegatingModel` around it.

    `ids` are the names of the ids that the model takes when it predicts; most models take none. A `cautioned`
    scorer issues no cautions about the labels, because the call has issued them.
    """

    def __init__(self, scorer: AnyScorer, ids: Iterable[str], cautioned: bool = False):
        self.scorer = scorer
        self.ids = tuple(ids)
        self.cautioned = cautioned and is_ranking(scorer)
        self.running_call = running_call()  # which shows each warning once

    def __repr__(self) -> str:
        return repr(self.scorer)

    def __call__(
        self, estimator: Estimator, X: Features, y: Labels = None, prepared: Any = None, **metadata: object
    ) -> Any:
        """Return the score of the model inside; `prepared` are the rows in its own form."""

        def score(model: Estimator) -> Any:
            if prepared is not None:
                return score_model(scorer, model, X, y, prepared, metadata["groups"])
            return scorer(model, X, y, **metadata)

        ids = {name: metadata.pop(FOR_MODEL + name, None) for name in self.ids}
        # Scorers of scikit-learn, and objects around them, take metadata only with routing enabled.
        is_theirs = isinstance(self.scorer, MADE_BY_SCIKIT_LEARN)
        is_ours = isinstance(self.scorer, RankingScorer | FunctionScorer)
        routing = is_theirs or (bool(metadata) and not is_ours) or getattr(estimator, "routing", True)
        users = getattr(estimator, "routing", get_config()["enable_metadata_routing"])
        is_wrapped = isinstance(estimator, DelegatingModel)
        if isinstance(self.scorer, CatalogScorer):
            metadata["seen"] = getattr(estimator, "seen", {}).get(self.scorer.columns)
        model = estimator if is_theirs and not ids else unwrap_model(estimator)
        scorer = _restore(self.scorer, users) if is_theirs and not users else self.scorer
        silence = without_cautions() if self.cautioned else nullcontext()
        with config_context(enable_metadata_routing=routing), silence:
            model = with_groups(model, ids, users, check=not is_wrapped) if ids else model
            return send_warnings(self.running_call, lambda: score(model))

    def get_metadata_routing(self) -> Any:
        """Return the requests of the scorer, and those for the ids that the model takes."""
        routing = get_routing_for_object(self.scorer)
        if isinstance(routing, MetadataRequest):
            for name in self.ids:
                routing.score.add_request(param=FOR_MODEL + name, alias=name)
        return routing


def with_routing(function: Function, routing: bool) -> Function:
    """Return a function that runs with the user's setting of metadata routing."""

    @wraps(function)
    def run(*args: object, **params: object) -> Any:
        with config_context(enable_metadata_routing=routing):
            return function(*args, **params)

    return run


def _restore(scorer: AnyScorer, routing: bool) -> Any:
    """Return a scorer of `make_scorer` whose function runs with the user's setting of routing."""
    function, restored = find_function(scorer), copy(scorer)
    functions = {name: value for name, value in vars(scorer).items() if value is function}
    vars(restored).update({name: with_routing(value, routing) for name, value in functions.items()})
    return restored


def wrap_scorers(scoring: Scoring, ids: Iterable[str] = (), cautioned: bool = False) -> AnyScorer:
    """Make scorers call the model inside a `DelegatingModel`, with the ids of these names.

    If `cautioned`, ranking scorers give no cautions, because the caller has given them.
    """
    if isinstance(scoring, Mapping):
        return {name: wrap_scorers(scorer, ids, cautioned) for name, scorer in scoring.items()}
    if isinstance(scoring, UnwrappingScorer) or not callable(scoring):
        return scoring
    # The functions of scikit-learn's own metrics read no configuration.
    is_theirs = str(getattr(find_function(scoring), "__module__", "")).startswith("sklearn.")
    return scoring if is_theirs and not ids else UnwrappingScorer(scoring, ids, cautioned)
