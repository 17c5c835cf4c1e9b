"""Which scorer was meant by what is none: a metric function, a factory that was not called, a class."""

from collections.abc import Callable
from functools import partial
from importlib import import_module
from inspect import Parameter, isclass, isfunction, signature
from typing import Any

import sklearn.metrics

# Of what has no factory of the same name, or one whose argument is another function.
EXAMPLES = {
    "ranking_scores": 'ranking_scorer(["ndcg@10", "map"])',
    "ranking_scorer": 'ranking_scorer(["ndcg@10", "map"])',
    "get_scorer": 'get_scorer("ndcg@10")',
    "group_score": "make_group_scorer(metric)",
    "make_group_scorer": "make_group_scorer(metric)",
    "make_scorer": "make_group_scorer(metric)",
    "GroupScorer": "make_group_scorer(metric)",
    "RankingScorer": "ndcg_scorer(k=10)",
}
SHARED = ("ndcg_score", "dcg_score")  # of scikit-learn, which are ours for lists of one length


def find_meant(given: Any) -> str | None:
    """Return the code of the scorer that is meant, ndcg_scorer() by ndcg_score; None of what may be one."""
    options: dict[str, Any] = {}
    while isinstance(given, partial):
        given, options = given.func, {**given.keywords, **options}
    if not (isfunction(given) or isclass(given)):
        return None
    name, home = given.__name__, str(given.__module__)
    factory = _find_factory(name)
    is_ours = home.startswith("sklearn_rank.") or (home.startswith("sklearn.metrics.") and name in SHARED)
    if is_ours and factory is not None:
        return _spell(factory, options)
    if home.startswith(("sklearn_rank.", "sklearn.metrics.")) and name in EXAMPLES:
        return EXAMPLES[name]
    if isclass(given) or next(iter(signature(given).parameters), None) != "y_true":
        return None
    if not home.startswith("sklearn.metrics."):
        return f"make_group_scorer({name if name.isidentifier() else 'metric'})"
    theirs = sklearn.metrics.get_scorer_names()
    named = [each for each in (name.removesuffix("_score"), f"neg_{name}") if each in theirs]
    return f'"{named[0]}"' if named else f"sklearn.metrics.make_scorer({name})"


def _find_factory(name: str) -> Callable[..., Any] | None:
    """Return the factory of a metric function's scorers, or the one of this name."""
    stem = name.removesuffix("_score")
    names = [name] if name.endswith("_scorer") else [f"{stem}_scorer", f"neg_{stem}_scorer"]
    factories = vars(import_module("sklearn_rank.metrics"))
    return next((factories[each] for each in names if each in factories and each not in EXAMPLES), None)


def _spell(factory: Callable[..., Any], options: dict[str, Any]) -> str:
    """Write the call of a factory, with what it cannot do without."""
    parameters = signature(factory).parameters.values()
    needed = [each.name for each in parameters if each.default is Parameter.empty]
    examples = {name: "10" if name == "k" else "..." for name in needed}
    known = {each.name for each in parameters}
    examples |= {name: repr(value) for name, value in options.items() if name in known}
    return f"{factory.__name__}({', '.join(f'{name}={text}' for name, text in examples.items())})"
