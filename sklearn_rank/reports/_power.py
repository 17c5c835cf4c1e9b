"""Numbers of queries that a test needs, from the deviations of compared queries."""

from collections.abc import Callable, Mapping, Sequence

import numpy as np
from scipy import stats

from .._checks.arrays import to_float
from .._checks.containers import is_filled_mapping
from .._checks.errors import fail, is_real
from .._checks.types import Options
from ._paired_queries import Paired
from ._reported_queries import list_names
from ._tables import Table, write_level

# With this probability, by the chi-square distribution of the variance, the result is between 0.61 and 1.43
# times the true number for a pilot of 20 queries, and between 0.87 and 1.13 for 200.
PILOT_LEVEL = 0.8
MOST = 2.0**50  # queries; the search ends there
AIM, PART = 0.01, 0.02  # the difference to detect of values from -1 to 1; of others, as a part of the mean
KEYS = "segment", "metric", "system", "other"


def tabulate_needed(
    columns: Mapping[str, np.ndarray], paired: Paired, levels: tuple[np.ndarray, float], aims: Options
) -> Table:
    """Return a table of the number of units that each comparison needs; `aims` has the rest of the arguments.

    The levels are that of each t test, and that of a single comparison.
    """
    counts, share, unit = paired.counts, paired.share, paired.unit[1]
    difference, margin = aims["difference"], aims["margin"]
    of_values, of_alone = (queries_needed(paired.deviation, counts, level=each, **aims) for each in levels)
    n, low, high = divide_by_share(of_values, counts, share)
    alone = divide_by_share(of_alone, counts, share)[0]
    kept = {name: columns[name] for name in KEYS if name in columns}
    numbers = {"n": n, "low": low, "high": high, "n_with_value": of_values[0], "level": levels[0]}
    numbers |= {"n_alone": alone} | ({"detected": difference} if margin is None else {})
    texts = {name.replace("other", "baseline"): list(map(str, each)) for name, each in kept.items()}
    aim, notes = "detect a difference", []
    if margin is not None:
        aim = f"show equivalence within {margin:g}"
    elif (difference == difference[0]).all():
        aim += f" of {difference[0]:g}"
    else:
        texts["difference"] = list(map("{:.3g}".format, difference))
    texts[unit] = list(map("{:,.0f}".format, n))
    texts[f"{write_level(PILOT_LEVEL)} CI"] = list(map("[{:,.0f}, {:,.0f}]".format, low, high))
    if (share < 1).any():
        texts["with a value"] = list(map("{:,.0f}".format, of_values[0]))
    texts["level"] = list(map("{:.2g}".format, levels[0]))
    if len(counts) > 1:
        texts["alone"] = list(map("{:,.0f}".format, alone))
        notes = ["level: The corrected significance level.", "alone: The number for a single comparison."]
    if (share < 1).any():
        notes += [f"with a value: The {unit} with a value in both systems. The difference is of their mean."]
    if margin is None and np.isnan(difference).any():
        notes += ["nan: The mean of the baseline is not clearly above 0. Pass the difference to detect."]
    caption = f"{unit} needed to {aim}, power {write_level(aims['power'])}"
    return Table(kept | numbers, texts, caption, tuple(notes))


def check_by_metric(parameter: str, given: object, metrics: Sequence[str]) -> None:
    """Check a positive number, or positive numbers of some metrics."""
    rule = "be a positive number, a dict of metrics to positive numbers, or None"
    numbers = given if isinstance(given, Mapping) else {metrics[0]: given}
    if not is_filled_mapping(numbers):
        fail(parameter, rule, "{}", f"Pass {parameter}=0.01.")
    for name, each in numbers.items():
        if name not in metrics:
            of_metrics = f"have compared metrics as keys ({list_names(metrics)})"
            fail(parameter, of_metrics, repr(name), f"Pass {parameter}={{{metrics[0]!r}: 0.01}}.")
        if given is not None and not (is_real(each) and 0 < to_float(each) < np.inf):
            fail(parameter, rule, repr(given), f"Pass {parameter}=0.01.")


def check_aims(difference: object, power: object, margin: object, metrics: Sequence[str]) -> None:
    """Check the arguments of `Comparison.queries_needed`."""
    if isinstance(difference, Mapping):
        check_by_metric("difference", difference, metrics)
    numbers = {"difference": None if isinstance(difference, Mapping) else difference, "margin": margin}
    for name, value in numbers.items():
        if value is not None and not (is_real(value) and 0 < to_float(value) < np.inf):
            fail(name, "be a positive number", repr(value), f"Pass {name}=0.01.")
    if not (is_real(power) and 0 < power < 1):
        fail("power", "be between 0 and 1, such as 0.8", repr(power))
    if margin is not None and difference is not None:
        fix = f"To show equivalence, pass margin={margin!r} alone."
        fail("difference", "be None if 'margin' is given", repr(difference), fix)


def find_aims(paired: Paired, critical: np.ndarray) -> np.ndarray:
    """Return the difference to detect in each comparison; nan without a baseline clearly above 0."""
    mean, error = paired.means[:, 1], paired.errors[:, 1]
    part = np.array([float(f"{PART * each:.2g}") for each in mean.tolist()])
    is_known = paired.has_ratio & (mean > critical * error)
    return np.where(paired.span <= 2, AIM, np.where(is_known, part, np.nan))


def queries_needed(
    standard_deviation: np.ndarray,
    n_pilot: np.ndarray,
    *,
    difference: float | np.ndarray = 0.01,
    power: float = 0.8,
    level: float | np.ndarray = 0.05,
    margin: float | None = None,
) -> list[np.ndarray]:
    """Return the number of queries with which a two-sided paired t test detects a difference at the level.

    With a `margin`, return the number with which two one-sided tests at half the level show that two equal
    systems are equivalent. The second and third array are the results at the ends of the 80% chi-square
    interval of the standard deviation, which was estimated from `n_pilot` queries. A result is inf if no
    number is sufficient, and nan if the standard deviation or the difference is nan.
    """
    deviation = np.asarray(standard_deviation, dtype=float)
    df = np.asarray(n_pilot) - 1.0
    tails = [0.5 + PILOT_LEVEL / 2, 0.5 - PILOT_LEVEL / 2]
    ends = [deviation * np.sqrt(df / stats.chi2.ppf(tail, df)) for tail in tails]
    find = power_of_difference if margin is None else power_of_equivalence
    target = difference if margin is None else margin
    return [_smallest_n(find, target, sd, power, level) for sd in [deviation, *ends]]


def divide_by_share(found: Sequence[np.ndarray], counts: np.ndarray, share: np.ndarray) -> list[np.ndarray]:
    """Return a number of queries with a value and its interval as numbers of all queries.

    `share` is the share of queries with a value, and `counts` their number in the pilot. As logarithms,
    its binomial error and the error of the standard deviation add as squares.
    """
    z = stats.norm.isf(0.5 - PILOT_LEVEL / 2)
    with np.errstate(divide="ignore", invalid="ignore"):  # numbers can be nan or inf
        error = z * np.sqrt((1 - share) / counts)
        ratios = [np.exp(np.hypot(np.log(end / found[0]), error)) for end in found[1:]]
        numbers = found[0] / share
        every = numbers, numbers / ratios[0], numbers * ratios[1]
        return [np.ceil(np.where(np.isnan(each), n, each).round(6)) for each, n in zip(every, found)]


def power_of_difference(n: np.ndarray, effect: np.ndarray, level: float | np.ndarray) -> np.ndarray:
    """Return the power of the two-sided t test, by the noncentral t; `effect` is in standard deviations."""
    critical = stats.t.isf(level / 2, n - 1)
    return 1 - _chance_below(critical, n, effect) + _chance_below(-critical, n, effect)


def power_of_equivalence(n: np.ndarray, effect: np.ndarray, level: float | np.ndarray) -> np.ndarray:
    """Return the least power of two one-sided tests of equal systems; the margin is in deviations."""
    return 1 - 2 * _chance_below(stats.t.isf(level / 2, n - 1), n, effect)


def _chance_below(critical: np.ndarray, n: np.ndarray, effect: np.ndarray) -> np.ndarray:
    """Return the noncentral t distribution function; scipy can fail if it is less than 1e-15."""
    with np.errstate(all="ignore"):
        return np.nan_to_num(stats.nct.cdf(critical, n - 1, effect * np.sqrt(n)))


def _smallest_n(
    find_power: Callable[..., np.ndarray],
    target: float | np.ndarray,
    deviation: np.ndarray,
    power: float,
    level: float | np.ndarray,
) -> np.ndarray:
    """Return the smallest n with the power, by doubling n and then by bisection."""
    known = (deviation > 0) & ~np.isnan(target)
    effect = target / np.where(known, deviation, 1.0)
    low, high = np.ones_like(effect), np.full_like(effect, 2.0)

    def suffices(n: np.ndarray) -> np.ndarray:
        return find_power(n, effect, level) >= power

    while (more := ~suffices(high) & (high < MOST)).any():
        low, high = np.where(more, high, low), np.where(more, 2 * high, high)
    found = suffices(high)
    while (high - low > 1).any():
        middle = np.ceil((low + high) / 2)
        enough = suffices(middle)
        low, high = np.where(enough, low, middle), np.where(enough, middle, high)
    return np.where(known, np.where(found, high, np.inf), np.nan)
