"""Arguments and names that have another name or position in other libraries."""

import re
from collections.abc import Mapping, Sequence
from importlib import import_module
from inspect import Parameter, signature
from itertools import chain
from typing import Any

from . import list_near

BY_ROW = "groups=qid, the query id of each row"
OF_SIZES = "numpy.repeat(numpy.arange(len(sizes)), sizes)"
BY_SET = "eval_groups=[qid_held_out], a list with the query ids of each evaluation set"

# Names of the ids in other libraries, and how to pass ids here.
OTHER_NAMES_OF_GROUPS = {
    "group": f"{BY_ROW}, or groups={OF_SIZES}",
    **dict.fromkeys(("qid", "group_id", "query_id", "query", "queries"), BY_ROW),
}

# Other parameters: our name, and how to pass them.
PARAMETERS = {name: ("groups", how) for name, how in OTHER_NAMES_OF_GROUPS.items()} | {
    "eval_group": ("eval_groups", f"{BY_SET}, or eval_groups=[{OF_SIZES}]"),
    "eval_qid": ("eval_groups", BY_SET),
    "eval_group_id": ("eval_groups", BY_SET),
    "group_weight": ("sample_weight", "sample_weight=weights, that of each query repeated on its rows"),
    "sample_weight_eval_set": (
        "eval_sample_weight",
        "eval_sample_weight=[weights], a list with an entry per set",
    ),
}


BY_NAMES, BY_NAME = ("metrics", 'metrics=["ndcg@10"]'), ("scoring", 'scoring="ndcg@10"')
CUTOFF = ("k", "k=10"), ("max_k", "max_k=10"), BY_NAMES, BY_NAME
# Names that are used elsewhere: what can be meant, in this order, and how to pass it.
MEANT = {
    **dict.fromkeys(
        ("metric", "metrics", "scoring", "measures", "scorer", "scorers", "eval_metric"), (BY_NAMES, BY_NAME)
    ),
    **dict.fromkeys(("k", "at", "at_k", "top", "topk", "top_k", "n", "cutoff"), CUTOFF),
    **dict.fromkeys(("y_pred", "y_scores", "preds", "predictions", "scores"), (("y_score", "y_score="),)),
    **dict.fromkeys(("weight", "weights"), (("sample_weight", "sample_weight="),)),
    **dict.fromkeys(("relevance_level", "relevance_threshold"), (("min_relevance", "min_relevance="),)),
    **dict.fromkeys(("n_folds", "nfold", "folds"), (("n_splits", "n_splits=5"), ("cv", "cv=5"))),
    **dict.fromkeys(("fit_params", "fit_kwargs"), (("params", "params={...}"),)),
    "alpha": (("confidence_level", "confidence_level=0.95"),),
    "seed": (("random_state", "random_state=0"),),
}


def explain_positional(called: str, n_given: int, parameters: Mapping[str, Parameter]) -> str:
    """Return how to pass arguments after the last positional parameter."""
    names = [each.name for each in parameters.values() if each.kind is Parameter.POSITIONAL_OR_KEYWORD]
    given = f"takes {len(names)} positional arguments but {n_given} were given"
    return f"{called}() {given}. Pass arguments after {names[-1]} by name, for example groups=qid."


def explain_unknown(called: str, name: str, parameters: Mapping[str, Parameter], model: object = None) -> str:
    """Return what an unknown argument of a call means here, or "" to leave the error to others.

    `called` is the name of the function, or of a method and the class of its `model`.
    """
    ours, how = PARAMETERS.get(name, (name, ""))
    if ours == "groups" and called.endswith("_scorer"):
        fix = "Pass the query ids to the function that uses the scorer: cross_val_score(..., groups=qid)."
        return f"{called} takes no {name!r}. {fix}"
    if how and ours in parameters:
        return f"{called} takes no {name!r}. Did you mean {how}?"
    if ours == "groups" and model is not None:
        return f"{called} takes no {name!r}: it predicts each row on its own. Call {called}(X)."
    if called.endswith(".fit") and (message := _explain_in_fit(name, model)):
        return message
    if any(each.kind is Parameter.VAR_KEYWORD for each in parameters.values()):
        return ""
    meant = [how for ours, how in MEANT.get(name, ()) if ours in parameters]
    meant += [f"{near}=" for near in list_near(name, parameters)]
    if meant:
        return f"{called} takes no {name!r}. Did you mean {meant[0]}?"
    return f"{called}() got an unexpected keyword argument {name!r}."


def _explain_in_fit(name: str, model: Any) -> str:
    """Return where an argument of `fit` belongs: to the constructor, or to the library's own ranker."""
    kind = type(model)
    if name in {*model.get_params(deep=False), *signature(kind).parameters}:
        return f"{kind.__name__}.fit takes no {name!r}. Pass it to the constructor instead."
    replaced = [each for each in kind.__mro__ if "fit" in vars(each)][1:]
    if not replaced or name not in signature(vars(replaced[0])["fit"]).parameters:
        return ""
    library = replaced[0].__module__.partition(".")[0]
    return (
        f"{kind.__name__}.fit takes no {name!r}, as it sorts rows by query. Sort them yourself and use "
        f"the library's own ranker: {library}.{kind.__name__}(...).fit(..., {name}=...)."
    )


PACKAGE = "sklearn_rank"
# Names in other libraries, and our names.
OTHER_NAMES = {
    "ndcg_at_k": "ndcg_score",
    "ndcg": "ndcg_score",
    "dcg_at_k": "dcg_score",
    "map_at_k": "map_score",
    "mapk": "map_score",
    "mean_average_precision": "map_score",
    "average_precision": "map_score",
    "mean_reciprocal_rank": "mrr_score",
    "reciprocal_rank": "mrr_score",
    "mrr": "mrr_score",
    "hit_rate": "hit_rate_at_k_score",
    "hit_rate_at_k": "hit_rate_at_k_score",
    "gauc": "group_auc_score",
    "auc_score": "group_auc_score",
    "gini_score": "exposure_gini_score",
    "coverage_score": "catalog_coverage_score",
}
# Metrics of scikit-learn whose mean over queries has a name here.
BY_QUERY = {
    "auc": "group_auc_score",
    "roc_auc_score": "group_auc_score",
    "average_precision_score": "map_score",
}


def find_name(name: str, public: list[str], rooms: Sequence[str]) -> str:
    """Return where a name is, or which names are similar; "" if there are none."""
    places = [PACKAGE, *(f"{PACKAGE}.{room}" for room in rooms)]
    names_in = {place: getattr(import_module(place), "__all__", ()) for place in places}
    home = next((place for place, names in names_in.items() if name in names), None)
    if home is not None:
        return f": it is in {home}, from {home} import {name}"
    for theirs in map(import_module, ("sklearn.model_selection", "sklearn.metrics")):
        if name in theirs.__all__:
            ours = f". For the mean over queries there is {BY_QUERY[name]}" if name in BY_QUERY else ""
            return f": it is scikit-learn's, from {theirs.__name__} import {name}{ours}"
    known = dict.fromkeys(chain(public, *names_in.values()))
    near = list_near(name, known)
    # Names that are similar even without the ending `_score`, which most metrics have.
    near = [each for each in near if list_near(_cut_end(name), [_cut_end(each)], 0.5)]
    near = [OTHER_NAMES[name]] if name in OTHER_NAMES else near
    return f". Did you mean {' or '.join(near)}?" if near else ""


def _cut_end(name: str) -> str:
    return re.sub(r"_?scor[a-z]*$", "", name)
