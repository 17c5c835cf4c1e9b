"""Comparisons of systems on different queries, such as those of users in the groups of an A/B test."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from scipy import stats

from .._checks.arrays import read_floats
from .._checks.errors import count_of, fail, is_real, kind_of, name_call
from .._checks.options import check_choice
from .._checks.types import Arguments, Values
from .._checks.warn import warn_user
from ..metrics import is_by_id, show_index, take_by_id
from ._equal import ROUNDING
from ._intervals import RatioEstimate, RatioTerms, estimate, find_terms, sum_clusters, welch
from ._match import Matched
from ._paired_queries import ComparedPair, Paired, list_scales
from ._paired_tests import t_test_of_errors
from ._reported_queries import SHOWN, show


class Arm(NamedTuple):
    """The mean of a system over its own units, which are queries or clusters of them."""

    mean: float  # with a covariate, at the mean of the covariate over the units of all systems
    variance: float  # of the mean; 0 if all values are equal
    df: float
    slope: float  # of the values on the covariate
    deviation: float  # standard deviation of the units' values, before the adjustment
    n_units: int


def make_arm(units: RatioTerms, covariate: RatioTerms | None = None, center: float = 0.0) -> Arm:
    """Return the mean of a ratio over units, with its HC2 variance, that of Welch's test without a covariate.

    The values of the units are u = R + n (a - R b) / sum(b), the delta method; they are the values themselves
    in a plain mean. With a covariate x, the mean is that of their regression at x = `center` (Lin 2013).
    """
    counted = units.below > 0
    found = estimate(units)
    n, u = found.n_units, found.n_units * found.residuals[counted]
    scale = n * units.above[counted] / units.below.sum() if n else u
    if u @ u <= ROUNDING**2 * (scale @ scale):  # all values are equal
        u = np.zeros(n)
    slope, squares, shift, x = 0.0, 1.0, 0.0, np.zeros(n)
    if covariate is not None:
        of_covariate = estimate(RatioTerms(*(each[counted] for each in covariate)))
        x, shift = n * of_covariate.residuals, center - of_covariate.ratio
        squares = float(x @ x)
        if squares > ROUNDING**2 * n * max(abs(of_covariate.ratio), abs(center)) ** 2:
            slope = float(x @ u / squares)
        else:  # the covariate is the same for all units
            x, squares = np.zeros(n), 1.0
    left = 1 - 1 / max(n, 1) - x**2 / squares  # of the leverage
    known = left > ROUNDING
    parts = (1 / max(n, 1) + shift * x / squares) * (u - slope * x)
    variance = float((parts[known] ** 2 / left[known]).sum())
    df = found.n_effective - 1 - (covariate is not None)
    deviation = float(np.sqrt(u @ u / (n - 1))) if n > 1 else np.nan
    return Arm(found.ratio + slope * shift, variance, df, slope, deviation, n)


UNKNOWN = "the variance is unknown, because all values of each system are equal, or there are too few"


def _find_error(pair: tuple[Arm, Arm], center: RatioEstimate | None) -> tuple[float, float]:
    """Return the standard error of a difference and its degrees of freedom; nan if they are unknown."""
    one, other = pair
    if not (one.df > 0 and other.df > 0) or one.variance + other.variance == 0:
        return np.nan, np.nan
    error, df = welch([one.variance, other.variance], [one.df, other.df])
    extra = 0.0 if center is None else (one.slope - other.slope) ** 2 * center.standard_error**2
    return float(np.sqrt(error**2 + extra)), df


def check_paired(paired: bool, test: str, missing: str, of_groups: Arguments) -> None:
    """Check the options that depend on whether the systems are compared on the same queries."""
    check_choice("paired", paired, (True, False))
    if paired:
        for name, value in of_groups.items():
            if value is not None:
                fail(name, "be None with paired=True", kind_of(value), "For an A/B test, pass paired=False.")
    elif test not in ("auto", "t"):
        fail("test", "be 'auto' or 't' with paired=False", repr(test))
    elif missing != "raise":
        fail("missing", "be 'raise' with paired=False", repr(missing), "Queries are not matched.")


def compare_groups(
    matched: Matched, comparisons: Sequence[ComparedPair], covariate: Values = None
) -> tuple[Paired, dict[str, np.ndarray]]:
    """Compare means of systems on different queries by Welch's t; return also columns of the table.

    With a covariate, its mean over all systems adds the square of the difference of the slopes times the
    variance of this mean. The units of a comparison are those of both systems.
    """
    queries, read = matched.queries, None
    if covariate is not None:
        read = {name: read_covariate(covariate, each.ids) for name, each in queries.items()}
    arms = {metric: _make_arms(matched, metric, read) for metric in matched.metrics}
    pairs = [(arms[metric][0][system], arms[metric][0][other]) for metric, system, other in comparisons]
    means, variances, counts, deviations = (
        np.array([[getattr(each, name) for each in pair] for pair in pairs])
        for name in ("mean", "variance", "n_units", "deviation")
    )
    found = [_find_error(pair, arms[each.metric][1]) for pair, each in zip(pairs, comparisons)]
    standard_error, df = np.array(found).T
    t = t_test_of_errors(means[:, 0] - means[:, 1], standard_error, df + 1)
    spread = np.sqrt(np.square(deviations).mean(axis=1))
    effect = np.divide(t.difference, spread, out=np.full(len(pairs), np.nan), where=spread > 0)
    undefined = (
        [np.isnan(queries[name].metrics[metric].values) for name in of] for metric, *of in comparisons
    )
    n_left_out = np.array([sum(map(np.count_nonzero, each)) for each in undefined])
    n, none = counts.sum(axis=1), np.zeros(len(pairs), dtype=np.int64)
    errors = np.sqrt(variances) if covariate is None else np.full(variances.shape, np.nan)
    share, n_differ = n / np.maximum(n + n_left_out, 1), np.full(len(pairs), np.inf)
    others = t, n_differ, none > 0, share, errors, *list_scales(matched, comparisons)
    unit = matched.unit[0], f"{matched.unit[1]} of both systems"
    statistics = Paired(means, n, df + 1, n_left_out, none, none, *others, unit, UNKNOWN)
    return statistics, {"effect": effect, "ties": none, "n": counts[:, 0], "other_n": counts[:, 1]}


def _make_arms(
    matched: Matched, metric: str, covariate: Mapping[str, np.ndarray] | None
) -> tuple[dict[str, Arm], RatioEstimate | None]:
    """Return the mean of one metric by system, and the mean of the covariate over all systems."""
    units, of_covariate = {}, {}
    for name, each in matched.queries.items():
        terms, weights = find_terms(each.metrics[metric]), each.metrics[metric].weights
        units[name] = sum_clusters(terms, each.clusters)
        if covariate is not None:
            below = (terms.below > 0) * (1.0 if weights is None else weights)
            of_covariate[name] = sum_clusters(RatioTerms(covariate[name] * below, below), each.clusters)
    if covariate is None:
        return {name: make_arm(each) for name, each in units.items()}, None
    center = estimate(RatioTerms(*map(np.concatenate, zip(*of_covariate.values()))))
    return {name: make_arm(each, of_covariate[name], center.ratio) for name, each in units.items()}, center


def read_covariate(covariate: Values, ids: np.ndarray) -> np.ndarray:
    """Return the covariate of each query."""
    rule = "be a mapping or pandas.Series of query id to a finite number"
    if not is_by_id(covariate):
        got = f"{kind_of(covariate)}{show_index(covariate)}"
        fail("covariate", rule, got, "Pass covariate=dict(zip(ids, values)).")
    found = read_floats(take_by_id(covariate, ids, "covariate"), (len(ids),), "covariate", rule)
    if n := int(np.count_nonzero(~np.isfinite(found))):
        fix = "Replace NaN by the mean of the other queries."
        fail("covariate", rule, f"NaN or inf for {count_of(n, 'query', 'queries')}", fix)
    return found


LEAST_RATIO_P = 0.001  # a mismatch of the ratio is reported below it


def warn_about_ratio(matched: Matched, expected_ratio: Any) -> None:
    """Warn if the numbers of units do not match the expected ratio, by the chi-square test."""
    rule = "be a dict of the name of each report to its expected share, a number above 0"
    names = matched.systems
    is_dict = isinstance(expected_ratio, Mapping) and set(expected_ratio) == set(names)
    if not (is_dict and all(is_real(each) and 0 < each < np.inf for each in expected_ratio.values())):
        fix = f"For equal shares, pass expected_ratio={dict.fromkeys(names[:2], 1)!r}."
        fail("expected_ratio", rule, repr(expected_ratio), fix)
    shares = np.array([expected_ratio[name] for name in names], dtype=float)
    counts = matched.count_units()
    p = stats.chisquare(counts, shares / shares.sum() * sum(counts)).pvalue
    if p < LEAST_RATIO_P:
        sizes = ", ".join(f"{n} in {show(name)}" for name, n in zip(names[:SHOWN], counts))
        fact = f"the numbers of {matched.unit[1]} do not match expected_ratio ({sizes}; p={p:.2g})"
        so = "so the groups can differ for other reasons than the systems"
        warn_user(f"{name_call()}: {fact}, {so}. Find the reason before you use the table.")
