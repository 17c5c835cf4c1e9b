"""Construction of scorers. Options are checked here, because cross-validation turns later errors into nan."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from functools import partial
from inspect import signature
from typing import TYPE_CHECKING, Any

import numpy as np

from ..._checks.errors import fail, is_int, name_call
from ..._checks.missed import read_missed
from ..._checks.options import check_options, is_same
from ..._checks.types import RESPONSES, Function, Ids, Labels, Options
from .._names import build_requests, parse_name
from .._table import Metric

if TYPE_CHECKING:
    from .scorer import RankingScorer

RESERVED_NAMES = ("X", "y", "groups", "sample_weight")  # arguments of scorers and of `fit`
ORIGINS = ("groups", "response_method", "pos_label", "strata", "intents", "items", "columns", "labels")
ONE_NUMBER = "A scorer returns one number. Pass average='macro'."


def build_scorer(
    metric: Metric,
    groups: Ids,
    labels: Labels,
    response_method: object,
    k: Any = None,
    missed: object = None,
    pos_label: object = None,
    **options: object,
) -> RankingScorer:
    """Build the scorer of one row of the table under its name, such as ndcg@10."""
    check_options(k=k)
    of_all = "set_" * (metric.cutoff == "required")
    name = metric.prefix + (of_all + metric.stem if k is None else f"{metric.stem}@{int(k)}")
    given: Options = {"groups": groups, "labels": labels, "response_method": response_method}
    given |= {"missed": missed, "pos_label": pos_label}
    return build_scorer_of_names(metric.factory, metric.function, name, options, **given)


def build_scorer_of_names(
    factory: Callable[..., RankingScorer], defaults_of: Function, metrics: Any, options: Options, **given: Any
) -> RankingScorer:
    """Build the scorer of one name or of several."""
    changed = keep_changed(options, defaults_of)
    if changed.get("average", "macro") is None:
        fail("average", "not be None", None, ONE_NUMBER)
    single = isinstance(metrics, str)
    for request in build_requests([metrics] if single else metrics, changed, shared=not single):
        check_direction(request.name, "metrics")
    return make_scorer_of(metrics, changed, **given)


def build_function_scorer(
    metric: Function, check: Callable[[Options], Any], greater_is_better: bool = True, /, **given: object
) -> RankingScorer:
    """Build the scorer of a metric function with other inputs than labels and scores."""
    origins = {name: given.pop(name) for name in ORIGINS if name in given}
    if given.get("average", "macro") is None:
        fail("average", "not be None", None, ONE_NUMBER)
    check(given)
    return make_scorer_of(metric, keep_changed(given, metric), greater_is_better=greater_is_better, **origins)


def make_scorer_of(
    metrics: Any,
    options: Options,
    groups: Ids,
    response_method: Any,
    greater_is_better: bool = True,
    missed: Any = None,
    pos_label: Any = None,
    **origins: Any,
) -> RankingScorer:
    """Check where ids, inputs and responses come from, and make the scorer."""
    from .scorer import RankingScorer

    check_origins(groups, response_method, optional=name_call() == "make_group_scorer")
    for kind, origin in origins.items():
        others = [each for other, each in origins.items() if other != kind and isinstance(each, str)]
        _check_origin(kind, origin, groups, others)
    given = {kind: each for kind, each in origins.items() if each is not None or kind == "columns"}
    given |= {"greater_is_better": greater_is_better, "missed": read_missed(missed), "pos_label": pos_label}
    return RankingScorer(metrics, options or None, groups, response_method, **given)


def read_theirs(entry: object, names: Mapping[str, str]) -> RankingScorer:
    """Return a scorer per group for one of scikit-learn, or for its name; `names` have a value per query."""
    import sklearn.metrics

    from .._group_values import group_score
    from .scorer import RankingScorer

    name = next((n for n in names if entry == n or repr(entry) == repr(sklearn.metrics.get_scorer(n))), None)
    if name is None:
        fix = f"Others: make_group_scorer(f). These are {', '.join(names)}."
        fail("metrics", "contain scorers of scikit-learn with a value for each query", repr(entry), fix)
    metric = partial(group_score, getattr(sklearn.metrics, names[name]))
    response: Any = "predict" if name == "accuracy" else None
    return RankingScorer(metric, None, None, response, greater_is_better=not name.startswith("neg_"))


def check_direction(name: str, parameter: str) -> None:
    """Reject a loss that is not negated, because scorers are maximized."""
    metric, _ = parse_name(name, parameter)
    if metric.prefix and not name.startswith(metric.prefix):
        fix = f'Write "{metric.prefix}{name}", because scorers are maximized.'
        fail(parameter, "be negated in a scorer", repr(name), fix)


def check_origins(groups: Ids, response_method: Any, optional: bool = False) -> None:
    """Check where a scorer reads ids, and which methods of a model it calls."""
    if groups is not None and not (isinstance(groups, str) and groups):
        got = repr(groups) if isinstance(groups, str) else type(groups).__name__
        fix = "Pass the ids themselves when scoring: cross_val_score(..., groups=qid)."
        fail("groups", "be the name of an index level or of a column of X", got, fix)
    methods = [response_method] if isinstance(response_method, str) else response_method
    is_list = isinstance(methods, list | tuple) and len(methods) > 0
    known = is_list and all(isinstance(method, str) and method in RESPONSES for method in methods)
    is_auto = isinstance(response_method, str) and response_method == "auto"
    if not (known or is_auto or (optional and response_method is None)):
        names = ", ".join(map(repr, RESPONSES))
        rule = f"be 'auto', one of {names} or a list of them"
        fail("response_method", rule, repr(response_method))


def _check_origin(kind: str, origin: Any, groups: Ids, others: Collection[str]) -> None:
    """Check where an input of the metric comes from."""
    if kind == "columns":
        is_list = isinstance(origin, list | tuple) or (isinstance(origin, np.ndarray) and origin.ndim == 1)
        names = list(origin) if is_list else [None]
        are_columns = all(is_int(name) or isinstance(name, str | tuple) for name in names)
        if not (origin is None or (names and are_columns)):
            fail("columns", "be a list of names or numbers of columns of X, or None", repr(origin))
    elif kind == "items":
        if not (isinstance(origin, str) and origin):
            fail("items", "be the name of an index level of X or y, or of a column of X", repr(origin))
    elif kind == "intents" and not isinstance(origin, str):
        names = list(origin) if isinstance(origin, list | tuple) else []
        are_names = all(isinstance(name, str) for name in names) and len(set(names)) == len(names)
        if not (names and are_names):
            got = repr(origin) if isinstance(origin, list) else type(origin).__name__
            fix = 'Pass the labels themselves when scoring: params={"intents": labels}.'
            fail("intents", "be the name of the labels of intents, or a list of columns of X", got, fix)
    elif origin is not None:
        _check_name(kind, origin, groups, others)


def _check_name(kind: str, name: object, groups: Ids, others: Collection[str]) -> None:
    """Check the name under which labels or strata are passed."""
    example = "debiased" if kind == "labels" else kind
    if not (isinstance(name, str) and name):
        got = repr(name) if isinstance(name, str) else type(name).__name__
        fix = f"Pass the {kind} themselves when scoring: params={{{example!r}: {kind}}}."
        fail(kind, f"be the name of the {kind}, such as {example!r}", got, fix)
    if name in RESERVED_NAMES or name in others:
        fail(kind, "be a name that no other input has", repr(name), f"Pass {kind}={example!r}.")
    if name == groups:
        fail(kind, "differ from 'groups', the name of the query ids", repr(name), f"Pass {kind}={example!r}.")


def keep_changed(options: Options, function: Function) -> Options:
    """Return the options that differ from the defaults of the function."""
    defaults = signature(function).parameters
    return {name: value for name, value in options.items() if not is_same(value, defaults[name].default)}
