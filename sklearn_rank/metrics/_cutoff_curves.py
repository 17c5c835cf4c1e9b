"""Curves of metrics over the cutoffs 1, 2, ..., created from the signatures of the metric functions."""

from collections.abc import Callable
from inspect import Parameter, Signature, signature
from typing import Any, NamedTuple

import numpy as np

from .._checks.options import check_choice, check_mean
from .._checks.rows import LabelRules
from .._checks.types import ArrayLike, PlainAverage, RatioDenominator
from ._binary import PRECISION, RECALL
from ._compute import bind, check_depth
from ._curves import CurveMean, CurveRequest, CurveSpread
from ._factory import read_arguments
from ._gain import NDCG
from ._map_and_mrr import MAP
from ._prepared_input import open_rows
from ._table import METRICS, Given, Metric, Rules

CURVE_STEMS = tuple(stem for stem, metric in METRICS.items() if metric.has_curve)
# Parameters with another type or default than those of the metric functions.
MAX_K = Parameter("max_k", Parameter.KEYWORD_ONLY, default=None, annotation="int | None")
TYPES = {"average": "PlainAverage | None", "denominator": "RatioDenominator"}

DOC = """Compute {metric} at every cutoff, in one pass.

The curve is a mean over queries; ``average="micro"`` is not supported.

Parameters
----------
{others}
    As in :func:`{function}`.{denominator}
average : {{"macro", "weighted"}} or None, default="macro"
    How to average over queries: "macro" gives each query the same weight, "weighted" weights queries by
    their number of rows. If `None`, return the value of each query, in the order of :func:`unique_groups`.
max_k : int, default=None
    Largest cutoff. If `None`, the number of documents of the longest query.

Returns
-------
k : ndarray of int of shape (max_k,)
    Cutoffs 1, 2, ..., `max_k`.
{stem} : ndarray of shape (max_k,), or (n_queries, max_k) with ``average=None``
    ``{function}(..., k=k)`` for each cutoff, including cutoffs beyond the end of a list.

Raises
------
ValueError
    If an argument is invalid, for example if `groups` is missing for 1-D input or if `y_true` contains NaN
    and ``unjudged="raise"``.

Examples
--------
>>> from sklearn_rank.metrics import {stem}_curve
>>> k, {stem} = {stem}_curve([[1, 0, 1]], [[3, 2, 1]])
>>> k, {stem}.round(3)
(array([1, 2, 3]), {shown})
"""
DENOMINATOR = """
denominator : {{"achievable", "relevant"}}, default="{default}"
    As in :func:`{function}`, without "hits"."""


def list_parameters(metric: Metric) -> dict[str, Parameter]:
    """Return the parameters of a curve: those of the metric function, with `max_k` instead of `k`."""
    parameters = (each for each in signature(metric.function).parameters.values() if each.name != "ideal")
    taken = [MAX_K if each.name == "k" else each for each in parameters]
    changed = [each.replace(annotation=TYPES.get(each.name, each.annotation)) for each in taken]
    return {each.name: each for each in changed}


def request_curve(metric: Metric, **given: Any) -> CurveRequest:
    """Check the options and rows of a curve over cutoffs."""
    rows = Given(*map(given.pop, Given._fields[:5]))
    sums = tuple(each for each in metric.denominators if each != "hits")  # "hits" is a mean over hits
    check_choice("denominator", given.get("denominator", "relevant"), sums)
    check_mean(**given)
    rules = Rules(*map(given.pop, Rules._fields))
    rules = rules._replace(zero_division=float(rules.zero_division))
    opened = open_rows(rows, LabelRules(rules.unjudged))
    max_k = given.pop("max_k")
    longest = min(opened.rows.longest, opened.rows.depth or opened.rows.longest)  # of lists that were cut
    k = longest if max_k is None else int(max_k)
    check_depth(f"{metric.stem}_curve", metric.stem, k, opened.rows)
    params = bind({**given, "k": k}, opened.rows)
    return CurveRequest(opened, rules, np.arange(1, k + 1), metric.formula, params, metric.stem)


class CurveMoments(NamedTuple):
    """The mean of a curve over queries and its standard error, which is nan for one query."""

    k: np.ndarray  # the cutoffs 1, 2, ...
    mean: np.ndarray
    standard_error: np.ndarray
    n_queries: int  # queries with a value and a positive weight
    n_effective: float  # number of equally weighted queries with the same information


def curve_moments(
    name: str,
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    y_score_other: ArrayLike | None = None,
    **options: object,
) -> CurveMoments:
    """Return the mean of a curve and its standard error over queries, without a matrix of their values.

    With e = w (v - m) / sum of w for each of n queries, the standard error is the root of n / (n - 1) sum of
    e**2. With `y_score_other`, v is the difference between the values of a query under both scores. Queries
    without a value under one of them are excluded.
    """
    metric = METRICS[check_choice("name", name, CURVE_STEMS)]
    arguments = read_arguments("curve_moments", list_parameters(metric), (y_true, y_score), options)
    check_choice("average", arguments["average"], ("macro", "weighted"))
    request = request_curve(metric, **arguments)
    curves = request.evaluate(request.opened.scores)
    if y_score_other is not None:
        other = request_curve(metric, **{**arguments, "y_score": y_score_other})
        # The same rows are in the same blocks. How a curve continues depends only on the labels.
        pairs = zip(curves, request.evaluate(other.opened.scores), strict=True)
        curves = (one._replace(values=one.values - less.values) for one, less in pairs)
    n_points = len(request.points)
    curve_mean, spread = CurveMean(len(request.opened.rows.queries.lengths)), CurveSpread(n_points)
    for weights, piece in request.weigh(request.cut(curves)):
        curve_mean.add(weights, piece)
        spread.add(weights, piece)
    mean, n, total = curve_mean.read(n_points), spread.n, curve_mean.weight
    request.warn(mean)
    if n < 2:
        return CurveMoments(request.points, mean, np.full(n_points, np.nan), n, float(n))
    standard_error = np.sqrt(n / (n - 1) * spread.around(mean)) / total
    return CurveMoments(request.points, mean, standard_error, n, total**2 / spread.weight)


def make_curve(metric: Metric, title: str, shown: str) -> Callable[..., tuple[np.ndarray, np.ndarray]]:
    """Create the function of a curve; its example prints the values `shown`."""
    name, takes = f"{metric.stem}_curve", list_parameters(metric)

    def curve(*places: object, **given: object) -> tuple[np.ndarray, np.ndarray]:
        _called_as = name
        request = request_curve(metric, **read_arguments(name, takes, places, given))
        return request.points, request.compute()

    curve.__name__ = curve.__qualname__ = name
    with_hits = "denominator" in takes and "hits" in metric.denominators
    words = {"function": metric.name, "stem": metric.stem, "metric": title, "shown": f"array([{shown}])"}
    own = ("average", "max_k", *["denominator"] * with_hits)
    words["others"] = ", ".join(each for each in takes if each not in own)
    default = takes["denominator"].default if with_hits else ""
    words["denominator"] = DENOMINATOR.format(default=default, **words) if with_hits else ""
    curve.__doc__ = DOC.format(**words)
    returns = "tuple[np.ndarray, np.ndarray]"
    curve.__signature__ = Signature(list(takes.values()), return_annotation=returns)  # type: ignore[attr-defined]
    # `typing.get_type_hints` looks up names in the module of the metric function.
    curve.__wrapped__ = metric.function  # type: ignore[attr-defined]
    types = {"average": PlainAverage | None, "denominator": RatioDenominator}
    curve.__annotations__ = {each.name: types.get(each.name, each.annotation) for each in takes.values()}
    curve.__annotations__["return"] = returns
    return curve


ndcg_curve = make_curve(NDCG, "NDCG", "1.   , 0.613, 0.92 ")
map_curve = make_curve(MAP, "mean average precision", "1.   , 0.5  , 0.833")
precision_curve = make_curve(PRECISION, "precision", "1.   , 0.5  , 0.667")
recall_curve = make_curve(RECALL, "recall", "0.5, 0.5, 1. ")
