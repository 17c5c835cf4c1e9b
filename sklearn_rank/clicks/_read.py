"""Reading and checking of click logs and of what is given by position."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from .._checks.arrays import find_extremes, flatten, read_numbers, to_float
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
        """Take some rows."""
        return ClickRows(self.clicks[some], self.positions[some], self.codes[some], self.n_positions)

    def tally(self, weights: np.ndarray | None = None) -> np.ndarray:
        """Count the rows at each position, or sum their weights."""
        return np.bincount(self.positions - 1, weights, self.n_positions)


def draw_weights(codes: np.ndarray, random: np.random.RandomState) -> np.ndarray:
    """Return the random weight of the query of each row."""
    return np.asarray(random.standard_exponential(int(codes.max()) + 1)[codes])


class PropensityEstimate(NamedTuple):
    """The result of a method: propensities, those of resamples, and the observations behind them."""

    values: np.ndarray  # (n_positions,)
    resampled: np.ndarray  # (n_resamples, n_positions)
    n_observations: np.ndarray
    components: tuple[tuple[int, ...], ...]


MAX_POSITION = 2**31  # far above the length of any list; larger numbers are ids or times


def read_clicks(clicks: Any) -> np.ndarray:
    """Return the clicks of rows, 0.0 or 1.0."""
    values = flatten(read_numbers(clicks, "clicks"))
    if values.ndim != 1:
        fail("clicks", "have one entry per row", f"shape {values.shape}")
    if not len(values):
        fail("clicks", "have at least one row", "no row")
    strange = values[~((values == 0) | (values == 1))]
    if len(strange):
        rule = "be 0 or 1 in each row; a document that is shown again has a row for each time"
        fail("clicks", rule, strange[0])
    return values.astype(np.float64)


def read_positions(positions: Any, clicks: np.ndarray, lowest: int = 1) -> np.ndarray:
    """Return the positions of rows as integers; 0 means not displayed, if that is allowed."""
    values = flatten(read_numbers(positions, "positions"))
    if values.shape != clicks.shape:
        fail("positions", f"have one entry per row, shape {clicks.shape}", f"shape {values.shape}")
    least, most = map(to_float, find_extremes(values))
    first = "from 1 on, 0 where a row was not displayed" if lowest == 0 else "from 1 on"
    rule = f"be whole numbers {first} (and below 2**31)"
    if not (least >= lowest and most < MAX_POSITION):  # or if one is NaN
        rule += ": add 1 to positions that count from 0" if least == 0 else ""
        fail("positions", rule, f"{least} to {most}")
    whole = values.astype(np.int64)
    if (whole != values).any():
        fail("positions", rule, values[whole != values][0])
    unseen = clicks[whole == 0].sum()
    if unseen:
        rule = (
            "be 1 or more where there is a click: what is not displayed is not clicked; add 1 to "
            "positions that count from 0"
        )
        fail("positions", rule, f"0 in {unseen:.0f} rows with a click")
    return whole


def read_shares(values: Values, parameter: str, more: str = "") -> np.ndarray:
    """Return probabilities, one per position or row."""
    numbers = flatten(read_numbers(values, parameter))
    if numbers.dtype.kind == "O":  # ints beyond every dtype
        numbers = np.reshape(list(map(to_float, numbers.flat)), numbers.shape)
    with np.errstate(over="ignore"):  # a longdouble can be beyond the range
        shares = numbers.astype(np.float64)
    if shares.ndim != 1 or not len(shares):
        fail(parameter, "have one dimension and an entry", f"shape {shares.shape}")
    least, most = map(to_float, find_extremes(shares))
    if not (least >= 0 and most <= 1):  # or if one is NaN
        fail(parameter, f"hold probabilities in [0, 1]{more}", f"{least} to {most}")
    return shares


def read_by_position(values: Values, parameter: str, more: str = "") -> np.ndarray:
    """Return probabilities by position: by the keys of a mapping, the labels of pandas, or the order."""
    if isinstance(values, Mapping):
        labels, entries = list(values), list(values.values())
    elif is_of_pandas(values) and not is_default_index(values.index):
        labels, entries = values.index.tolist(), values
    else:
        return read_shares(values, parameter, more)
    places = {label: place for place, label in enumerate(labels)}
    numbers = range(1, len(labels) + 1)
    if set(places) != set(numbers):
        rule = (
            f"have the positions 1 to {len(labels)} as its labels, each once: it has {len(labels)} "
            "entries (an array or a list goes by order)"
        )
        shown = ", ".join(map(repr, labels[:5]))
        fail(parameter, rule, f"the labels {shown}{', ...' if len(labels) > 5 else ''}")
    ordered = take(entries, np.array([places[number] for number in numbers], dtype=np.int64))
    return read_shares(ordered, parameter, more)


def check_not_of_rows(values: Values, parameter: str, positions: np.ndarray) -> None:
    """Check that values of positions do not have as many entries as there are rows."""
    if isinstance(values, Mapping) or not hasattr(values, "__len__"):
        return
    n_rows, highest = len(positions), int(positions.max())
    if count_rows(values, parameter) == n_rows and n_rows > highest > 0:
        rule = (
            f"have one entry for each of the positions 1, 2, ..., the highest of which is {highest} (cut it "
            "there if more are known), or one for each row where positions=None"
        )
        fail(parameter, rule, f"{n_rows}, as many as rows,")


def look_up(values: np.ndarray, positions: np.ndarray, parameter: str) -> np.ndarray:
    """Return the value of each row's position; 1 for rows without a position."""
    if positions.max() > len(values):
        if name_call() == "simulate_clicks":  # where positions are drawn
            rule = "have an entry for each position of the longest list, or 'k' be at most their number"
            fail(parameter, rule, f"{len(values)} for {positions.max()} positions")
        rule = f"not go beyond the {len(values)} positions that '{parameter}' is known of"
        fail("positions", rule, positions.max())
    return np.append(1.0, values)[positions]


def read_trust(trust: object, positions: np.ndarray | None) -> tuple[np.ndarray, np.ndarray]:
    """Return alpha and beta, per position or row."""
    rule = "be a pair (alpha, beta) of as many numbers each"
    if not isinstance(trust, tuple | list) or len(trust) != 2:
        fail("trust", rule, type(trust).__name__)
    read = read_shares if positions is None else read_by_position
    alpha, beta = (read(values, "trust") for values in trust)
    if alpha.shape != beta.shape:
        fail("trust", rule, f"{len(alpha)} and {len(beta)} numbers")
    if (alpha + beta).max() > 1 + 1e-12:
        rule = "have alpha + beta <= 1, the chance of a click on a relevant document"
        fail("trust", rule, (alpha + beta).max())
    return alpha, beta


@dataclass(frozen=True, eq=False)
class PropensityCurve:
    """How likely a position is to be examined, relative to the first.

    Made by :func:`estimate_propensities`; :func:`debias_clicks` takes it.

    Attributes
    ----------
    propensities : ndarray of float of shape (n_positions,)
        Of the positions 1, 2, ..., relative to the first that is known, which has 1. NaN where a position is
        connected with no other.
    low, high : ndarray of float of shape (n_positions,)
        Ends of the intervals, each of one position alone; NaN without intervals, and with one query. Those of
        the position that has 1 are 1.
    n_observations : ndarray of int of shape (n_positions,)
        Rows of each position that say something of it.
    components : tuple of tuple of int
        Positions whose ratios are known, together; a position that is connected with no other is alone.
    method : str
        How it was estimated.
    confidence_level : float
        Of the intervals.
    n_groups : int
        Number of queries, which were resampled.

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
        lines = [
            f"{self.n_groups} queries, method {self.method!r}, {100 * self.confidence_level:.4g} % intervals"
        ]
        lines += ["position  propensity  interval        rows"]
        cells = zip(self.propensities, self.low, self.high, self.n_observations)
        for position, (value, low, high, n_rows) in enumerate(cells, start=1):
            lines.append(f"{position:8}  {value:10.3f}  {f'[{low:.3f}, {high:.3f}]':14}  {n_rows:6}")
        return "\n".join(lines)


def read_propensities(propensities: Values, positions: np.ndarray | None) -> np.ndarray:
    """Return propensities of positions, or of rows if there are no positions."""
    if not isinstance(propensities, PropensityCurve):
        more = "; a PropensityCurve, which may exceed 1, goes in itself"
        if positions is None:
            return read_shares(propensities, "propensities", more)
        check_not_of_rows(propensities, "propensities", positions)
        return read_by_position(propensities, "propensities", more)
    if positions is None:
        rule = "have one entry per row where 'positions' is None"
        fail("propensities", rule, "a PropensityCurve, which has one per position")
    used = np.unique(positions[positions > 0])
    known = propensities.propensities
    unknown = used[used <= len(known)]
    unknown = unknown[np.isnan(known[unknown - 1])]
    if len(unknown):
        rule = "be known at all positions of the rows; those that are connected with no other are not"
        fail("propensities", rule, f"nan at position {unknown[0]}")
    return known
