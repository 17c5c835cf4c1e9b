"""Arguments and names that have other names or positions in other libraries."""

import re
from collections.abc import Iterable, Mapping, Sequence
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
    **{name: f"groups={name}, the user id of each row" for name in ("user", "users", "user_id", "user_ids")},
}
# Other parameters: our name, and how to pass them.
PARAMETERS = {name: ("groups", how) for name, how in OTHER_NAMES_OF_GROUPS.items()} | {
    "eval_group": ("eval_groups", f"{BY_SET}, or eval_groups=[{OF_SIZES}]"),
    "eval_qid": ("eval_groups", BY_SET),
    "eval_group_id": ("eval_groups", BY_SET),
    "group_weight": ("sample_weight", "sample_weight=weights, the weight of the query of each row"),
    "sample_weight_eval_set": (
        "eval_sample_weight",
        "eval_sample_weight=[weights], a list with one entry per set",
    ),
}


BY_NAMES, BY_NAME = ("metrics", 'metrics=["ndcg@10"]'), ("scoring", 'scoring="ndcg@10"')
WITH_MISSED = "ndcg_scorer(k=10, missed=missed)"
CUTOFF = ("k", "k=10"), ("max_k", "max_k=10"), BY_NAMES, BY_NAME
# Names that are used elsewhere: the parameters to suggest, in this order, and how to pass each.
SUGGESTED = {
    **dict.fromkeys(
        ("metric", "metrics", "scoring", "measures", "scorer", "scorers", "eval_metric"), (BY_NAMES, BY_NAME)
    ),
    **dict.fromkeys(("k", "at", "at_k", "top", "topk", "top_k", "n", "cutoff"), CUTOFF),
    **dict.fromkeys(
        ("y_pred", "y_scores", "preds", "predictions", "scores"), (("y_score", "y_score=scores"),)
    ),
    **dict.fromkeys(("weight", "weights"), (("sample_weight", "sample_weight=weights"),)),
    **dict.fromkeys(("relevance_level", "relevance_threshold"), (("min_relevance", "min_relevance=1"),)),
    **dict.fromkeys(("n_folds", "nfold", "folds"), (("n_splits", "n_splits=5"), ("cv", "cv=5"))),
    **dict.fromkeys(("fit_params", "fit_kwargs"), (("params", "params={...}"),)),
    "beyond": (("variant", "variant='ext'"),),
    "goal": (("desired_gain", "desired_gain=1.0"),),
    "clusters": (("cluster", "cluster=users"),),
    "item_ids": (("items", "items=items"),),
    "keep": (("keep_queries", "keep_queries=False"),),
    "keep_queries": (("data", "it to RankingEvaluator(metrics, keep_queries=False).read(data, ...)"),),
    "progress": (("data", "it to RankingEvaluator(metrics).read(data, ..., progress=True)"),),
    **dict.fromkeys(("together", "rows_adjacent"), (("data", "data sorted by query id: ORDER BY qid"),)),
    "missed": (("scoring", f"scoring={WITH_MISSED}"),),
    "alpha": (("confidence_level", "confidence_level=0.95"),),
    "seed": (("random_state", "random_state=0"),),
    "needs_proba": (("response_method", 'response_method="predict_proba"'),),
    "needs_threshold": (("response_method", 'response_method="decision_function"'),),
}


FIRST = {"metrics": '["ndcg@10", "map"]', "reports": '{"name_a": report_a, "name_b": report_b}'}
BY_NAME_ONLY = ("groups=qid", 'metrics=["ndcg@10"]', 'metric="ndcg@10"', "k=10")  # the most likely first


def find_other_name(names: Iterable[str]) -> str:
    """Return the first name that means `groups` in another library, or ""."""
    return next((name for name in names if name in OTHER_NAMES_OF_GROUPS), "")


def explain_param(name: str) -> str:
    """Return how to pass an entry of `params` that neither a model nor a scorer takes, or ""."""
    if name in OTHER_NAMES_OF_GROUPS:
        return f"Pass {OTHER_NAMES_OF_GROUPS[name]}."
    if name == "missed":
        return f"Pass the labels to the scorer: scoring={WITH_MISSED}."
    return "Only splitters by time, such as cv=TimeCut(), take times." if name == "times" else ""


def explain_positional(called: str, n: int, parameters: Mapping[str, Parameter], named: Iterable[str]) -> str:
    """Return how to pass arguments after the last positional parameter; `named` are passed by name."""
    kinds = {each.name: each.kind for each in parameters.values()}
    names = [name for name, kind in kinds.items() if kind is Parameter.POSITIONAL_OR_KEYWORD]
    takes, were = "argument" + "s" * (len(names) != 1), "was" if n == 1 else "were"
    start = f"{called}() takes {len(names)} positional {takes} but {n} {were} given."
    if first := FIRST.get("".join(names)):  # several values for the only parameter
        return f"{start} Pass {called}({first})."
    left = {name for name, kind in kinds.items() if kind is Parameter.KEYWORD_ONLY} - {*named}
    left -= {"groups"} if called.endswith("_scorer") else set()  # there it is a name
    shown = next((f", for example {text}" for text in BY_NAME_ONLY if text.split("=")[0] in left), "")
    return f"{start} Pass arguments{f' after {names[-1]}' if names else ''} by name{shown}."


def explain_unknown(called: str, name: str, parameters: Mapping[str, Parameter], model: object = None) -> str:
    """Return the error for an unknown argument of a call, or "" if the call accepts any argument.

    `called` is the name of the function, or of a method and the class of its `model`.
    """
    ours, how = PARAMETERS.get(name, (name, ""))
    if ours == "groups" and called.endswith("_scorer"):
        fix = "Pass the query ids to the function that uses the scorer: cross_val_score(..., groups=qid)."
        return f"{called} has no parameter {name!r}. {fix}"
    if how and ours in parameters:
        return f"{called} has no parameter {name!r}. Pass {how}."
    if ours == "groups" and model is not None and "X" in parameters:
        why = "because it scores each row separately"
        return f"{called} has no parameter {name!r}, {why}. Call {called}(X)."
    explained = _explain_in_fit(name, model) if called.endswith(".fit") else ""
    if explained or any(each.kind is each.VAR_KEYWORD for each in parameters.values()):
        return explained
    for suggested, how in SUGGESTED.get(name, ()):
        if suggested in parameters:
            return f"{called} has no parameter {name!r}. Pass {how}."
    near = " or ".join(map(repr, list_near(name, parameters)))
    unknown = f"{called}() got an unexpected keyword argument {name!r}."
    return f"{unknown} Did you mean {near}?" if near else unknown


def _explain_in_fit(name: str, model: Any) -> str:
    """Return where an argument of `fit` belongs: to the constructor, or to the library's own ranker."""
    kind = type(model)
    if name in {*model.get_params(deep=False), *signature(kind).parameters}:
        return f"{kind.__name__}.fit has no parameter {name!r}. Pass it to the constructor instead."
    replaced = [each for each in kind.__mro__ if "fit" in vars(each)][1:]
    if not replaced or name not in signature(vars(replaced[0])["fit"]).parameters:
        return ""
    library = replaced[0].__module__.partition(".")[0]
    return (
        f"{kind.__name__}.fit has no parameter {name!r}, because it sorts rows by query. Sort the rows "
        f"yourself and use the library's ranker: {library}.{kind.__name__}(...).fit(..., {name}=...)."
    )


PACKAGE = "sklearn_rank"
# Names in other libraries, and our names.
OTHER_NAMES = {
    **dict.fromkeys(("ndcg_at_k", "ndcg"), "ndcg_score"),
    "dcg_at_k": "dcg_score",
    **dict.fromkeys(("map_at_k", "mapk", "mean_average_precision", "average_precision"), "map_score"),
    **dict.fromkeys(("mean_reciprocal_rank", "reciprocal_rank", "mrr"), "mrr_score"),
    **dict.fromkeys(("hit_rate", "hit_rate_at_k"), "hit_rate_at_k_score"),
    **dict.fromkeys(("gauc", "per_user_auc", "auc_score"), "group_auc_score"),
    "nugget_recall": "subtopic_recall_score",
    "gini_score": "exposure_gini_loss",
    "coverage_score": "catalog_coverage_score",
}
# Names that other libraries have, and code that does the same.
LIFT = "lambda y, score: y[score >= numpy.quantile(score, 0.9)].mean() / y.mean()"
LIFT_SCORER = f'make_group_scorer({LIFT}, response_method="auto")'
FUSION = (
    "a, b, groups = from_two_runs(run_a, run_b); "
    "fused = numpy.nansum([1 / (60 + ranks(each, groups=groups)) for each in (a, b)], axis=0)"
)
FOLD = ", ".join(f'"Fold1/{each}.txt"' for each in ("train", "vali", "test"))
RECIPES = {
    **dict.fromkeys(("lift", "lift_score"), f"group_score({LIFT}, y_true, y_score, groups=qid)"),
    "lift_scorer": LIFT_SCORER,
    "revenue": "dcg_score(revenue, y_score, groups=qid, k=10, discount=None)",
    **dict.fromkeys(("rrf", "fuse", "fusion", "reciprocal_rank_fusion"), FUSION),
    **dict.fromkeys(("load_mslr", "load_letor"), f"load_svmlight_ranking([{FOLD}], return_source=True)"),
    "context_precision": 'map_score(y_true, y_score, groups=qid, k=5, denominator="hits")',
    "context_recall": "recall_at_k_score(y_true, y_score, groups=qid, k=5)",
}
# Public names of earlier versions: what to use instead.
OF_ARRAYS = "pass the arrays of sklearn_rank.{} to sklearn.model_selection.{}"
REMOVED = {
    "QueryLearningCurveDisplay": OF_ARRAYS.format("learning_curve", "LearningCurveDisplay"),
    "QueryValidationCurveDisplay": OF_ARRAYS.format("validation_curve", "ValidationCurveDisplay"),
    "f1_curve": 'call MetricAtKDisplay.from_predictions(..., metric="f1").to_frame()',
    "hit_rate_curve": 'call MetricAtKDisplay.from_predictions(..., metric="hit_rate").to_frame()',
    "PropensityCurve": "use the result of estimate_propensities",
    "Explanation": "use the result of explain",
    "conventions": 'pass a name such as metrics=["lightgbm:ndcg@10"]; explain(name) shows its options',
}
OLD_LOSSES = ("exposure_gini", "average_popularity", "fallout_at_k", "intra_list_similarity")
for each in OLD_LOSSES:
    REMOVED[f"{each}_score"] = f"use {each}_loss"
    REMOVED[f"neg_{each}_scorer"] = f"use neg_{each}_loss_scorer"
# Metrics of scikit-learn whose mean over queries has a name here.
BY_QUERY = {
    "auc": "group_auc_score",
    "roc_auc_score": "group_auc_score",
    "average_precision_score": "map_score",
}


def find_name(name: str, public: list[str], subpackages: Sequence[str]) -> str:
    """Return where to import a name from, or which names are similar; "" if there are none."""
    if name in REMOVED:
        return f", because it was removed. Instead, {REMOVED[name]}"
    if name in RECIPES:
        return f". Use {RECIPES[name]}"
    places = [PACKAGE, *(f"{PACKAGE}.{each}" for each in subpackages)]
    names_in = {place: getattr(import_module(place), "__all__", ()) for place in places}
    home = next((place for place, names in names_in.items() if name in names), None)
    if home is not None:
        return f". Import it from {home}: from {home} import {name}"
    for theirs in map(import_module, ("sklearn.model_selection", "sklearn.metrics")):
        if name in theirs.__all__:
            ours = f". For the mean over queries, use {BY_QUERY[name]}" if name in BY_QUERY else ""
            return f". It is part of scikit-learn: from {theirs.__name__} import {name}{ours}"
    known = dict.fromkeys(chain(public, *names_in.values()))
    near = list_near(name, known)
    # Names that are similar even without the ending `_score`, which most metrics have.
    near = [each for each in near if list_near(_cut_end(name), [_cut_end(each)], 0.5)]
    near = [OTHER_NAMES[name]] if name in OTHER_NAMES else near
    return f". Did you mean {' or '.join(near)}?" if near else ""


def _cut_end(name: str) -> str:
    return re.sub(r"_?scor[a-z]*$", "", name)
