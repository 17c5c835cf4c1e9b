"""Reading and checking of click logs and of values per position."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from .._checks.arrays import find_extremes, flatten, is_sparse, read_numbers, to_float
from .._checks.containers import count_rows, is_default_index, is_of_pandas, take
from .._checks.errors import fail, name_call
from .._checks.types import Values


class ClickRows(NamedTuple):
    """Checked rows: clicks, positions from 1, and queries as numbers."""

    clicks: np.ndarray
    positions: np.ndarray
    codes: np.ndarray
    n_positions: int

    def take(self, some: np.ndarray) -> ClickRows:
        return ClickRows(self.clicks[some], self.positions[some], self.codes[some], self.n_positions)

    def tally(self, weights: np.ndarray | None = None) -> np.ndarray:
        """Count the rows at each position, or sum their weights."""
        return np.bincount(self.positions - 1, weights, self.n_positions)


def draw_weights(codes: np.ndarray, random: np.random.RandomState) -> np.ndarray:
    """Return the random weight of the query of each row."""
    weights = random.standard_exponential(int(codes.max()) + 1)
    return np.asarray((weights / weights.mean())[codes])


class PropensityEstimate(NamedTuple):
    """The result of a method: propensities, those of resamples, and the observations behind them."""

    values: np.ndarray  # (n_positions,)
    resampled: np.ndarray  # (n_resamples, n_positions)
    n_observations: np.ndarray
    components: tuple[tuple[int, ...], ...]


MAX_POSITION = 2**31  # far above the length of any list; larger numbers are ids or times


def read_clicks(clicks: Values) -> np.ndarray:
    """Return the clicks of rows, 0.0 or 1.0."""
    values = flatten(read_numbers(clicks, "clicks"))
    if values.ndim != 1:
        fail("clicks", "be one-dimensional", f"shape {values.shape}")
    if not len(values):
        fail("clicks", "have at least one row", "no rows")
    invalid = values[~((values == 0) | (values == 1))]
    if len(invalid):
        fix = "Pass one row for each time that a document was displayed."
        fail("clicks", "contain only 0 and 1", invalid[0], fix)
    return values.astype(np.float64)


def read_positions(positions: Values, clicks: np.ndarray, lowest: int = 1) -> np.ndarray:
    """Return the positions of rows as integers; 0 means not displayed, if that is allowed."""
    values = flatten(read_numbers(positions, "positions"))
    if values.shape != clicks.shape:
        fail("positions", f"have the shape of 'clicks', {clicks.shape}", f"shape {values.shape}")
    least, most = map(to_float, find_extremes(values))
    rule = f"be integers >= {lowest} and below 2**31"
    fix = "Position 0 marks rows that were not displayed." if lowest == 0 else ""
    if not (least >= lowest and most < MAX_POSITION):  # or if one is NaN
        fix = "If positions start at 0, add 1." if least == 0 else fix
        fail("positions", rule, f"values from {least:g} to {most:g}", fix)
    whole = values.astype(np.int64)
    if (whole != values).any():
        fail("positions", rule, values[whole != values][0], fix)
    unseen = clicks[whole == 0].sum()
    if unseen:
        fix = "If positions start at 0, add 1."
        got = f"0 for {unseen:.0f} of {clicks.sum():.0f} clicks"
        fail("positions", "be at least 1 in rows with a click", got, fix)
    return whole


def read_shares(values: Values, parameter: str, fix: str = "") -> np.ndarray:
    """Return probabilities, one per position or row."""
    numbers = flatten(read_numbers(values, parameter))
    if numbers.dtype.kind == "O":  # ints beyond every dtype
        numbers = np.reshape(list(map(to_float, numbers.flat)), numbers.shape)
    with np.errstate(over="ignore"):  # a longdouble can be beyond the range
        shares = numbers.astype(np.float64)
    if shares.ndim != 1 or not len(shares):
        fail(parameter, "be one-dimensional and not empty", f"shape {shares.shape}")
    least, most = map(to_float, find_extremes(shares))
    if not (least >= 0 and most <= 1):  # or if one is NaN
        fail(parameter, "contain probabilities from 0 to 1", f"values from {least:g} to {most:g}", fix)
    return shares


def read_by_position(values: Values, parameter: str, fix: str = "") -> np.ndarray:
    """Return probabilities by position: by the keys of a mapping, the labels of pandas, or the order."""
    if isinstance(values, Mapping) and not is_sparse(values):  # some sparse types are mappings
        labels, entries = list(values), list(values.values())
    elif is_of_pandas(values) and not is_default_index(values.index):
        labels, entries = values.index.tolist(), values
    else:
        return read_shares(values, parameter, fix)
    places = {label: place for place, label in enumerate(labels)}
    numbers = range(1, len(labels) + 1)
    if set(places) != set(numbers):
        rule = f"have the positions 1 to {len(labels)} as labels of its {len(labels)} values"
        shown = ", ".join(map(repr, labels[:5]))
        got = f"the labels {shown}{', ...' if len(labels) > 5 else ''}"
        fail(parameter, rule, got, "To use the order of the values, pass an array or a list.")
    ordered = take(entries, np.array([places[number] for number in numbers], dtype=np.int64))
    return read_shares(ordered, parameter, fix)


def reject_values_of_rows(values: Values, parameter: str, positions: np.ndarray) -> None:
    """Raise an error if there is one value per row instead of one per position."""
    if isinstance(values, Mapping) or not hasattr(values, "__len__"):
        return
    n_rows, highest = len(positions), int(positions.max())
    if count_rows(values, parameter) == n_rows and n_rows > highest > 0:
        rule, got = f"have one value per position (1 to {highest})", f"one value per row ({n_rows})"
        fix = f"For values of rows, pass positions=None. For more positions, drop those after {highest}."
        fail(parameter, rule, got, fix)


def look_up(values: np.ndarray, positions: np.ndarray, parameter: str) -> np.ndarray:
    """Return the value of each row's position; 1 for rows without a position."""
    if positions.max() > len(values):
        if name_call() == "simulate_clicks":  # which computes positions
            rule = f"have a value for each of the {positions.max()} positions of the longest ranking"
            fix = f"To display fewer rows, pass k={len(values)}."
            fail(parameter, rule, f"{len(values)} values", fix)
        rule = f"not exceed {len(values)}, the number of positions in '{parameter}'"
        fix = f"Pass a value for each position: {parameter}=[1, 0.5, ...]."
        fail("positions", rule, positions.max(), fix)
    return np.append(1.0, values)[positions]


def read_trust(trust: object, positions: np.ndarray | None) -> tuple[np.ndarray, np.ndarray]:
    """Return alpha and beta, per position or row."""
    rule = "be a pair (alpha, beta) of arrays of the same length"
    if not isinstance(trust, tuple | list) or len(trust) != 2:
        fail("trust", rule, type(trust).__name__)
    read = read_shares if positions is None else read_by_position
    alpha, beta = (read(values, "trust") for values in trust)
    if alpha.shape != beta.shape:
        fail("trust", rule, f"{len(alpha)} and {len(beta)} values")
    if (alpha + beta).max() > 1 + 1e-12:
        fix = "It is the probability of a click on a relevant document."
        fail("trust", "have alpha + beta <= 1", (alpha + beta).max(), fix)
    return alpha, beta


@dataclass(frozen=True, eq=False)
class PropensityCurve:
    """Probability that each position is examined, relative to the first.

    Returned by :func:`estimate_propensities`; can be passed to :func:`debias_clicks`.

    Attributes
    ----------
    propensities : ndarray of float of shape (n_positions,)
        Propensities of the positions 1, 2, ..., relative to the first known position, whose propensity is 1.
        NaN for positions that are not connected to others.
    low, high : ndarray of float of shape (n_positions,)
        Ends of the confidence interval of each position; 1 for the first known position. NaN if intervals
        were not computed or if there is only one query.
    n_observations : ndarray of int of shape (n_positions,)
        Number of informative rows at each position.
    components : tuple of tuple of int
        Sets of positions whose ratios are known. A position that is not connected to others is a set of its
        own.
    method : str
        Method of the estimate.
    confidence_level : float
        Confidence level of the intervals.
    n_groups : int
        Number of queries that were resampled.

    Examples
    --------
    >>> from sklearn_rank.clicks import estimate_propensities
    >>> clicks, positions = [1, 1, 1, 0, 1, 0, 0, 0], [1, 1, 1, 1, 2, 2, 2, 2]
    >>> curve = estimate_propensities(clicks, positions, groups=[1, 2, 3, 4] * 2, arm=[True] * 8)
    >>> curve.propensities.round(3)
    array([1.   , 0.333])
    """

    propensities: np.ndarray
    low: np.ndarray
    high: np.ndarray
    n_observations: np.ndarray
    components: tuple[tuple[int, ...], ...]
    method: str
    confidence_level: float
    n_groups: int

    def __str__(self) -> str:
        """Return a table with one line per position."""
        level = f"{100 * self.confidence_level:.4g}%"
        lines = [f"{self.n_groups} queries, method {self.method!r}, {level} confidence intervals"]
        lines += [f"position  propensity  {f'{level} CI':14}    rows"]
        cells = zip(self.propensities, self.low, self.high, self.n_observations)
        for position, (value, low, high, n_rows) in enumerate(cells, start=1):
            lines.append(f"{position:8}  {value:10.3f}  {f'[{low:.3f}, {high:.3f}]':14}  {n_rows:6}")
        return "\n".join(lines)


def read_propensities(propensities: Values, positions: np.ndarray | None) -> np.ndarray:
    """Return propensities of positions, or of rows if there are no positions."""
    if not isinstance(propensities, PropensityCurve):
        fix = "Values of a PropensityCurve can exceed 1; pass the curve itself."
        if positions is None:
            return read_shares(propensities, "propensities", fix)
        reject_values_of_rows(propensities, "propensities", positions)
        return read_by_position(propensities, "propensities", fix)
    if positions is None:
        fix = "Pass the positions of the rows."
        fail("propensities", "have one value per row if positions=None", "a PropensityCurve", fix)
    used = np.unique(positions[positions > 0])
    known = propensities.propensities
    unknown = used[used <= len(known)]
    unknown = unknown[np.isnan(known[unknown - 1])]
    if len(unknown):
        fix = "That position is not connected to others; drop its rows."
        fail("propensities", "be known for the positions of all rows", f"nan at position {unknown[0]}", fix)
    return known
