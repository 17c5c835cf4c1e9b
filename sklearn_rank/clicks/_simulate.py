"""Simulated clicks from a position-based model, for tests and examples."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from .._checks import explain_parameters
from .._checks.arrays import to_float
from .._checks.codes import find_places, rank_ids
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
    """Simulate clicks with the position-based model.

    A row is clicked if its position is examined and the row attracts a click.

    Source: Richardson, Dominowska and Ragno, "Predicting clicks: estimating the click-through rate for new
    ads", WWW 2007.

    Parameters
    ----------
    y_true : array-like of shape (n_rows,)
        Probability that the row attracts a click when it is examined, from 0 to 1: binary labels, or grades
        divided by the highest grade.
    y_score : array-like of shape (n_rows,)
        Scores of the displayed ranking. Rows with equal scores are in random order.
    groups : array-like of shape (n_rows,)
        Session id of each row, as in :func:`snips_score`.
    propensities : array-like of shape (n_positions,), dict or None
        As in :func:`debias_clicks`; `None` if `trust` is passed.
    noise : float, default=0.0
        Probability, below 1, that a row attracts a click in spite of its label. In total, this probability is
        noise + (1 - noise) y_true.
    trust : tuple (alpha, beta) of array-like of shape (n_positions,), default=None
        Model to use instead of `propensities` and `noise`: the probability of a click is alpha y_true + beta.
    k : int, default=None
        Number of rows that are displayed in each session. If `None`, all are displayed.
    random_state : int, RandomState instance or None, default=None
        Seed of the order of equal scores and of the clicks. If `None`, each call draws other clicks.

    Returns
    -------
    clicks : ndarray of int of shape (n_rows,)
        1 if the row was clicked, otherwise 0.
    positions : ndarray of int of shape (n_rows,)
        Position in the ranking, starting at 1; 0 if the row was not displayed.

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
        fail("groups", "contain the session id of each row", None)
    read_shares(y_true, "y_true")
    rows = check_rows(y_true, y_score, groups, None, LabelRules())
    if k is not None:
        check_count(k, 1, "k", " or None")
    random = check_random(random_state)
    codes = rank_ids(np.asarray(rows.groups))
    order = np.lexsort((random.random_sample(len(codes)), -rows.scores.values, codes))
    positions = np.empty(len(codes), dtype=np.int64)  # in the ranking, with tied scores in random order
    positions[order] = find_places(codes[order]) + 1
    if k is not None:
        positions[positions > k] = 0
    probabilities = _find_probabilities(rows.labels, positions, propensities, noise, trust)
    is_clicked = (random.random_sample(len(positions)) < probabilities) & (positions > 0)
    return is_clicked.astype(np.int64), positions


def _find_probabilities(
    attract: np.ndarray, positions: np.ndarray, propensities: Values, noise: object, trust: object
) -> np.ndarray:
    """Return the probability of a click on each row, as if all were displayed."""
    if not (is_real(noise) and 0 <= to_float(noise) < 1):
        fail("noise", "be a number >= 0 and below 1", repr(noise))
    if (propensities is None) == (trust is None):
        fail("propensities", "be passed if and only if trust=None", "both" if trust else "neither")
    if trust is not None:
        if noise:
            fail("noise", "be 0 if 'trust' is passed", repr(noise), "Add the noise to beta of 'trust'.")
        alpha, beta = (look_up(values, positions, "trust") for values in read_trust(trust, positions))
        return alpha * attract + beta
    if isinstance(propensities, PropensityCurve):
        fix = "If the first position is always examined, pass curve.propensities."
        fail("propensities", "be absolute probabilities", "a PropensityCurve", fix)
    shares = read_by_position(propensities, "propensities")
    return look_up(shares, positions, "propensities") * (noise + (1 - noise) * attract)
