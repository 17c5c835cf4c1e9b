"""The columns that scorers take, and calls of scorers with them.

The package relies on these private names of scikit-learn:

- `_score_func`, the function of a scorer of `make_scorer`. Without metadata routing, ids are passed to the
  function, because the scorer itself takes weights only.
- `_accept_sample_weight`, which searches call to find out whether a scorer takes the weights of `fit`. Our
  scorers define it.
- `_response_method`, the methods of a model that a scorer of `make_scorer` calls.
- `REQUESTS`, in which scikit-learn 1.6 finds the requests of a model that scores itself.
"""

from collections.abc import Mapping
from contextlib import nullcontext
from copy import copy
from functools import partial
from inspect import signature
from typing import Any

from sklearn import config_context
from sklearn.metrics import make_scorer

from .._checks.types import AnyScorer, Estimator, Features, Labels, Scoring
from .inner_models import read_requests

REQUESTS = ("_metadata_request", "_get_default_requests")
MADE_BY_SCIKIT_LEARN = type(make_scorer(max))  # the type of all scorers of `sklearn.metrics.make_scorer`


def list_scorers(scoring: Scoring) -> list[Any]:
    """List a single scorer, or the scorers of a dict."""
    return list(scoring.values()) if isinstance(scoring, Mapping) else [scoring]


def list_labels(scorer: AnyScorer) -> dict[str, str]:
    """Map names under which a scorer requests labels other than `y`, or strata, to their kind."""
    of_rows = scorer.names_of_rows if hasattr(type(scorer), "names_of_rows") else {}
    return dict(zip(of_rows.values(), of_rows))


def find_function(scorer: AnyScorer) -> AnyScorer:
    """Return the function of a scorer made by scikit-learn's `make_scorer`; None for any other scorer."""
    return getattr(scorer, "_score_func", None) if isinstance(scorer, MADE_BY_SCIKIT_LEARN) else None


def takes_classes(scorer: AnyScorer) -> bool:
    """Return whether a scorer made by scikit-learn's `make_scorer` gets predicted classes."""
    return getattr(scorer, "_response_method", None) == "predict"


def names_for(scorer: AnyScorer) -> dict[str, str]:
    """Return the columns that a scorer takes: parameter -> name. Undecided ids count as requested."""
    requests = read_requests(scorer, "score")
    if hasattr(type(scorer), "names_of_rows"):
        if scorer.groups is None and requests.get("groups") is False:
            requests["groups"] = True
    elif "groups" in _parameters_of(_find_plain_function(scorer)):
        requests.setdefault("groups", None)
    found = {}
    for name, alias in requests.items():
        if alias or (alias is None and name == "groups"):
            found[name] = alias if isinstance(alias, str) else name
    return found


def takes_weights(scorer: AnyScorer) -> bool:
    """Return whether a scorer takes weights that the caller passes to `fit` of a search."""
    if (request := read_requests(scorer, "score").get("sample_weight", False)) is not False:
        return request is None or request is True
    return "sample_weight" in _parameters_of(_find_plain_function(scorer))


def _find_plain_function(scorer: AnyScorer) -> AnyScorer:
    """Return the function that gets the columns of a scorer; None if the scorer makes requests itself."""
    return find_function(scorer) or (None if hasattr(scorer, "get_metadata_routing") else scorer)


def _parameters_of(function: Any) -> Any:
    try:
        return signature(function).parameters
    except (ValueError, TypeError):  # a built-in function, or none
        return {}


def call_scorer(scorer: AnyScorer, model: Estimator, X: Features, y: Labels = None, /, **given: Any) -> Any:
    """Call a scorer with the columns that it takes, by parameter."""
    if not isinstance(scorer, MADE_BY_SCIKIT_LEARN):
        # Objects around a scorer of scikit-learn pass columns on only with routing.
        routes = given and hasattr(scorer, "get_metadata_routing") and not hasattr(scorer, "names_of_rows")
        with config_context(enable_metadata_routing=True) if routes else nullcontext():
            return scorer(model, X, y, **given)
    weights = {name: value for name, value in given.items() if name == "sample_weight"}
    others = {name: value for name, value in given.items() if name not in weights}
    if others:
        scorer = copy(scorer)
        scorer._score_func = partial(scorer._score_func, **others)
    return scorer(model, X, y, **weights)
