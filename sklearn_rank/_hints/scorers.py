"""The intended scorer for a metric function, for a factory that was not called, or for a class."""

from collections.abc import Callable, Mapping
from functools import partial
from inspect import Parameter, isclass, isfunction, signature
from typing import Any

import sklearn.metrics

# Functions without a factory of the same name, or whose argument is another function.
EXAMPLES = {
    **dict.fromkeys(("ranking_scores", "ranking_scorer"), 'ranking_scorer(["ndcg@10", "map"])'),
    **dict.fromkeys(("group_score", "make_group_scorer", "make_scorer"), "make_group_scorer(metric)"),
    "get_scorer": 'get_scorer("ndcg@10")',
    "RankingScorer": "ndcg_scorer(k=10)",
}
# Metrics of scikit-learn for classifiers, and the name of a metric for rankings.
OF_CLASSIFIERS = {
    "average_precision_score": "map",
    "roc_auc_score": "group_auc",
    "precision_score": "precision@10",
    "recall_score": "recall@10",
    **dict.fromkeys(("f1_score", "fbeta_score"), "f1@10"),
    **dict.fromkeys(("accuracy_score", "top_k_accuracy_score"), "hit_rate@1"),
    **dict.fromkeys(("balanced_accuracy_score", "brier_score_loss", "jaccard_score"), "ndcg@10"),
    **dict.fromkeys(("log_loss", "matthews_corrcoef"), "ndcg@10"),
}
SHARED = ("ndcg_score", "dcg_score")  # names of scikit-learn that are ours if queries have one length


def suggest_scorer(given: Any, metrics: Mapping[str, Any]) -> str | None:
    """Return code for the intended scorer, such as ndcg_scorer() for ndcg_score; None for a scorer."""
    options: dict[str, Any] = {}
    while isinstance(given, partial) and not given.args:
        given, options = given.func, {**given.keywords, **options}
    if not (isfunction(given) or isclass(given)):
        return None
    defined = getattr(given, "__globals__", {}).get("__name__", "")
    if hasattr(given, "__wrapped__") and not defined.startswith(("sklearn.", "sklearn_rank.")):
        return None  # a decorator of the caller changed it, perhaps into a scorer
    name, home = given.__name__, str(given.__module__)
    stem = name.removesuffix("_score")
    names = [name] if name.endswith("_scorer") else [f"{stem}_scorer", f"neg_{stem}_scorer"]
    factory = next((metrics[each] for each in names if each in metrics and each not in EXAMPLES), None)
    is_ours = home.startswith("sklearn_rank.")
    if factory is not None and (is_ours or (home.startswith("sklearn.metrics.") and name in SHARED)):
        return _spell(factory, options)
    if is_ours or home.startswith("sklearn.metrics."):
        return EXAMPLES.get(name) or _find_theirs(given)
    return None if isclass(given) else _find_own(given)


def find_for_rankings(metric: object) -> str | None:
    """Return the name of a ranking metric to use instead of scikit-learn's metric for classifiers."""
    name = getattr(metric, "__name__", "")
    return OF_CLASSIFIERS.get(name) if metric is getattr(sklearn.metrics, name, None) else None


def _find_own(metric: Callable[..., Any]) -> str | None:
    """Return code for a scorer that uses the caller's function; None if that could be a scorer itself."""
    names = list(signature(metric).parameters)
    if names[:1] != ["y_true"] or "X" in names:
        return None
    name = metric.__name__ if metric.__name__.isidentifier() else "metric"
    if "groups" in names:
        return f"lambda model, X, y, groups: {name}(y, model.predict(X), groups=groups)"
    return f"make_group_scorer({name})"


def _find_theirs(given: Callable[..., Any]) -> str:
    """Return code for a scorer, given a function of this package or scikit-learn that is not a scorer."""
    name, is_ours = given.__name__, given.__module__.startswith("sklearn_rank.")
    if is_ours or isclass(given) or next(iter(signature(given).parameters), None) != "y_true":
        return "ndcg_scorer(k=10)"
    theirs = sklearn.metrics.get_scorer_names()
    named = [each for each in (name.removesuffix("_score"), f"neg_{name}") if each in theirs]
    return f'"{named[0]}"' if named else f"sklearn.metrics.make_scorer({name})"


def _spell(factory: Callable[..., Any], options: dict[str, Any]) -> str:
    """Return the call of a factory, with its required arguments."""
    parameters = signature(factory).parameters.values()
    needed = [each.name for each in parameters if each.default is Parameter.empty]
    examples = {name: "10" if name == "k" else "..." for name in needed}
    known = {each.name for each in parameters}
    examples |= {name: repr(value) for name, value in options.items() if name in known}
    return f"{factory.__name__}({', '.join(f'{name}={text}' for name, text in examples.items())})"
