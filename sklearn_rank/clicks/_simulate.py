"""Clicks drawn by a model of positions, for tests and examples."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from .._checks import explain_parameters
from .._checks.arrays import to_float
from .._checks.codes import find_edges, rank_ids
from .._checks.containers import check_same_order
from .._checks.errors import check_count, fail, is_real
from .._checks.options import check_random
from .._checks.rows import LabelRules, check_rows
from .._checks.types import ArrayLike, RandomState, Values
from ._read import PropensityCurve, look_up, read_by_position, read_shares, read_trust


@explain_parameters
def simulate_clicks(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    groups: ArrayLike,
    propensities: ArrayLike | Mapping[int, float] | None,
    noise: float = 0.0,
    trust: tuple[ArrayLike, ArrayLike] | None = None,
    k: int | None = None,
    random_state: RandomState = None,
) -> tuple[np.ndarray, np.ndarray]:
    """Draw clicks by the position-based model: a row is clicked if it is examined and attracts.

    Parameters
    ----------
    y_true : array-like of shape (n_rows,)
        Chance in [0, 1] that the row attracts when it is examined: 0 and 1, or grades over their highest.
    y_score : array-like of shape (n_rows,)
        Scores by which the list was sorted, higher first; rows of equal scores stand in random order.
    groups : array-like of shape (n_rows,)
        The list, or session, of each row, in any order and of any sortable type.
    propensities : array-like of shape (n_positions,), dict or None
        Chance that the positions 1, 2, ... are examined; None with `trust`. A dict, or a Series with an index
        other than the default, goes by its labels, the positions.
    noise : float, default=0.0
        Chance in [0, 1) that what does not attract by its label does nevertheless: the chance to attract is
        noise + (1 - noise) y_true.
    trust : tuple (alpha, beta) of array-like of shape (n_positions,), default=None
        Instead of `propensities` and `noise`: the chance of a click is alpha y_true + beta.
    k : int, default=None
        Rows that are displayed of each list; None for all.
    random_state : int, RandomState instance or None, default=None
        Seed of the order of equal scores and of the clicks.

    Returns
    -------
    clicks : ndarray of int of shape (n_rows,)
        1 where the row was clicked, else 0.
    positions : ndarray of int of shape (n_rows,)
        Place in the list, from 1 on; 0 where the row was not displayed.

    Raises
    ------
    ValueError
        If an argument breaks a rule above, or a list is longer than what is known of positions.

    References
    ----------
    Richardson, Dominowska and Ragno, "Predicting clicks: estimating the click-through rate for new ads", WWW
    2007.

    Examples
    --------
    >>> from sklearn_rank.clicks import simulate_clicks
    >>> clicks, positions = simulate_clicks(
    ...     [1, 0, 1], [0.2, 0.9, 0.5], groups=[7, 7, 7], propensities=[1, 1, 1], random_state=0
    ... )
    >>> clicks, positions
    (array([1, 0, 1]), array([3, 1, 2]))
    """
    check_same_order(y_true=y_true, y_score=y_score, groups=groups)
    if groups is None:
        fail("groups", "hold the list of each row", None)
    read_shares(y_true, "y_true")
    rows = check_rows(y_true, y_score, groups, None, LabelRules())
    if k is not None:
        check_count(k, 1, "k", " or None")
    random = check_random(random_state)
    codes = rank_ids(np.asarray(rows.groups))
    order = np.lexsort((random.random_sample(len(codes)), -rows.scores.values, codes))
    edges = find_edges(codes[order])
    positions = np.empty(len(codes), dtype=np.int64)  # position in the list, with tied scores in random order
    positions[order] = np.arange(len(codes)) - np.repeat(edges[:-1], np.diff(edges)) + 1
    if k is not None:
        positions[positions > k] = 0
    chances = _find_chances(rows.labels, positions, propensities, noise, trust)
    return ((random.random_sample(len(positions)) < chances) & (positions > 0)).astype(np.int64), positions


def _find_chances(
    attract: np.ndarray, positions: np.ndarray, propensities: Values, noise: Any, trust: object
) -> np.ndarray:
    """Return the probability of a click on each row, as if all were displayed."""
    if not (is_real(noise) and 0 <= to_float(noise) < 1):
        fail("noise", "be a number from 0 on and below 1", repr(noise))
    if (propensities is None) == (trust is None):
        fail("propensities", "be given, or 'trust', and not both", "both" if trust else None)
    if trust is not None:
        if noise:
            fail("noise", "be 0 with 'trust', whose beta says as much", repr(noise))
        alpha, beta = (look_up(values, positions, "trust") for values in read_trust(trust, positions))
        return alpha * attract + beta
    if isinstance(propensities, PropensityCurve):
        rule = "hold chances to be examined, and none relative to the first position"
        fail("propensities", rule, "a PropensityCurve")
    shares = read_by_position(propensities, "propensities")
    return look_up(shares, positions, "propensities") * (noise + (1 - noise) * attract)
