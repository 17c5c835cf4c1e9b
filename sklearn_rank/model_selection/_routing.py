"""How query ids reach splitter, model and scorer: scikit-learn's metadata routing, opened for one call.

Opening it changes what other fit parameters mean. Where the user has routing off, each of them is requested,
on a clone, by just the estimators that would have received it.
"""

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from sklearn import config_context, get_config
from sklearn.base import clone
from sklearn.utils.metadata_routing import get_routing_for_object

from .._data import check_entries, count_rows, resolve_groups
from .._options import check_params
from .._validation import check_groups, fail
from ..metrics import GroupedScorer, RankingScorer
from ._folds import as_splitter
from ._requests import nested, request_params, request_undecided_groups
from ._scoring import (
    EstimatorScore,
    copy_scorers,
    deliver_groups,
    groups_request,
    list_scorers,
    resolve_scoring,
)
from ._whole_queries import WholeQueries

REFUSES_ROUTING = """{estimator} refuses scikit-learn's metadata routing, by which query ids reach a scorer.
Let the ids travel in the data and keep routing off:
  X = X.set_index(pandas.Index(qid, name="qid"))
  scoring, cv = ndcg_scorer(k=10, groups="qid"), BalancedGroupKFold()
  sklearn.model_selection.cross_val_score(model, X, y, scoring=scoring, cv=cv, groups=qid)"""


class Call(NamedTuple):
    """What to call scikit-learn's function with, and whether with routing enabled."""

    estimator: Any
    scoring: Any
    cv: Any
    params: dict[str, Any]
    routing: bool


def prepare(
    function: str,
    estimator: Any,
    X: Any,
    y: Any,
    groups: Any,
    scoring: Any,
    cv: Any,
    params: Mapping[str, Any] | None,
    weights_reach_scorers: bool = False,
) -> Call:
    """Make `groups` reach splitter, model and scorer; without any, leave the call as it is."""
    check_model(estimator, function)
    params = check_params(params, function)
    scoring = resolve_scoring(scoring, function)
    groups = _find_groups(function, groups, params, scoring, X, y)
    user_routing = get_config()["enable_metadata_routing"]
    if groups is None:
        return Call(estimator, scoring, cv, params, user_routing)
    cv = as_splitter(cv, count_rows(X, function), function)
    aliases = ["groups", *list_aliases(scoring)]
    with config_context(enable_metadata_routing=True):
        check_routing(estimator)
        if user_routing:
            scoring = deliver_groups(scoring)
            params = {**dict.fromkeys(aliases, groups), **params}
        else:
            estimator, scoring = request_undecided_groups(clone(estimator)), copy_scorers(scoring)
            params = {name: value for name, value in params.items() if name not in aliases}
            params = request_params(function, estimator, scoring, cv, params, weights_reach_scorers)
        if scoring is None and hasattr(estimator, "score"):
            scoring = EstimatorScore(estimator, weigh=user_routing or weights_reach_scorers)
    ranks = any(isinstance(scorer, RankingScorer) for scorer in list_scorers(scoring))
    cv = cv if isinstance(cv, WholeQueries) else WholeQueries(cv, ranks)
    return Call(estimator, scoring, cv, {**params, "groups": groups}, routing=True)


def check_model(estimator: Any, function: str) -> None:
    """Check what would fail far from here."""
    if isinstance(estimator, type):
        fail("estimator", function, f"be a model, such as {estimator.__name__}()", "its class")
    if not callable(getattr(estimator, "fit", None)):
        fail("estimator", function, "be a model, with the method fit", repr(estimator))


def check_routing(estimator: Any) -> None:
    """Check that no estimator refuses routing; the innermost one that does is to blame."""
    for candidate in reversed([estimator, *nested(estimator)]):
        try:
            get_routing_for_object(candidate)
        except NotImplementedError as error:
            raise ValueError(REFUSES_ROUTING.format(estimator=type(candidate).__name__)) from error


def _find_groups(function: str, groups: Any, params: dict[str, Any], scoring: Any, X: Any, y: Any) -> Any:
    """Find the ids: given, among `params`, or by the name that a scorer reads them by."""
    if groups is not None and params.get("groups") is not None:
        fail("groups", function, "be given once, as an argument or in 'params'", "both")
    rankings = [scorer for scorer in list_scorers(scoring) if isinstance(scorer, GroupedScorer)]
    names = [scorer.groups for scorer in rankings]
    aliased = [params.get(alias) for alias in list_aliases(scoring)]
    candidates = (groups, params.get("groups"), *names, *aliased)
    found = next((candidate for candidate in candidates if candidate is not None), None)
    if found is None and rankings:
        raise ValueError(rankings[0].explain_groups())
    if found is None:
        return None
    ids = resolve_groups(found, X, y, function)
    n_rows = count_rows(X, function)
    check_groups(ids, n_rows, function)
    if y is not None:
        check_entries(y, n_rows, function, "y")
    shape = getattr(y, "shape", ())
    if rankings and len(shape) > 1:
        fail("y", function, "be flat: pass it through .ravel(), or take its one column", f"shape {shape}")
    return _as_rows(ids)


def _as_rows(ids: Any) -> Any:
    """Return ids that scikit-learn can take rows of: pandas' index and numpy's strings may refuse."""
    if isinstance(ids, list | tuple) or hasattr(ids, "iloc"):
        return ids
    ids = np.asarray(ids)
    return ids.astype(object) if ids.dtype.kind == "T" else ids


def list_aliases(scoring: Any) -> list[str]:
    """List the names under which scorers ask for ids, other than `groups`."""
    asked = [groups_request(scorer, None) for scorer in list_scorers(scoring)]
    return [alias for alias in asked if isinstance(alias, str)]
