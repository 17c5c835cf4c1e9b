"""Propensities by regression-EM: relevance is what a classifier makes of the features."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import NamedTuple

import numpy as np

from .._checks.containers import check_entries, take
from .._checks.errors import fail, name_call
from .._checks.types import Estimator, Features
from .._checks.warn import RankingWarning, warn_user
from ._read import ClickRows, PropensityEstimate

MAX_CHECKED = 20_000  # rows by which it is seen whether features tell positions
TOLD = 0.99  # share of the positions that features tell, from which on the two cannot be told apart
LEAST = 1e-6  # of a chance, so that none is exactly 0 or 1
MAX_LOGIT = 13.0  # likewise
MAX_STEPS = 100
TOLERANCE = 1e-3  # of the estimate: the largest relative change of a propensity in the last round
N_EXACT = 10  # resamples as exact as that; then changes are compared with the standard deviation so far
SHARE = 0.2  # of that standard deviation


def estimate_em(
    rows: ClickRows,
    X: Features,
    estimator: Estimator,
    max_iter: int,
    n_resamples: int,
    random: np.random.RandomState,
) -> PropensityEstimate:
    """Estimate with relevance learned from features."""
    weights_name = _find_weights(estimator)
    check_entries(X, len(rows.clicks), "X")
    clicked = rows.tally(rows.clicks) > 0
    known = np.flatnonzero(clicked)
    if len(known) < 2:
        fail("clicks", "hold clicks at two positions or more", f"clicks at {len(known)}")
    if rows.clicks.all():
        fail("clicks", "hold rows without a click where method='em'", "a click in each row")
    _check_not_told(rows, X)
    log = Log(rows, np.ones(len(rows.clicks)), partial(_train, X, estimator, weights_name))
    # Click rates of positions are the start, the highest of which is examined for certain.
    rates = rows.tally(rows.clicks) / np.maximum(rows.tally(), 1)
    gamma = np.full(len(rows.clicks), min(max(float(rates.max()), LEAST), 1 - LEAST))
    start = Fit(np.clip(rates / rates.max(), LEAST, 1 - LEAST), gamma, np.inf)
    best = _run(log, start, max_iter)
    if best.moved >= TOLERANCE:
        warn_user(
            f"{name_call()} stopped after max_iter={max_iter} rounds; in the last one a propensity changed "
            f"by {best.moved:.1%}: it has not come to its end.",
            RankingWarning,
        )
    drawn = _run_resamples(log, best, max_iter, n_resamples, random)
    alone = [(place + 1,) for place in np.flatnonzero(~clicked).tolist()]
    components = tuple(sorted([tuple((known + 1).tolist()), *alone]))
    values, drawn = (np.where(clicked, each / each[..., known[:1]], np.nan) for each in (best.theta, drawn))
    return PropensityEstimate(values, drawn, rows.tally(), components)


def _find_weights(estimator: Estimator) -> str:
    """Check that a classifier takes weights, and return their name; that of the last step of a pipeline."""
    from sklearn.pipeline import Pipeline
    from sklearn.utils.validation import has_fit_parameter

    last, prefix = estimator, ""
    while isinstance(last, Pipeline):
        prefix, last = f"{prefix}{last.steps[-1][0]}__", last.steps[-1][1]
    needed = ("fit", "predict_proba", "get_params")
    is_model = not isinstance(last, type) and all(hasattr(last, name) for name in needed)
    if not is_model or not has_fit_parameter(last, "sample_weight"):
        rule = (
            "be a classifier with predict_proba, whose fit takes sample_weight, or a pipeline that ends with "
            "one, such as HistGradientBoostingClassifier()"
        )
        fail("estimator", rule, repr(estimator))
    return f"{prefix}sample_weight"


def _check_not_told(rows: ClickRows, X: Features) -> None:
    """Check that positions are no function of the features: a tree learns them on half of the queries."""
    from sklearn.tree import DecisionTreeClassifier
    from sklearn.utils import check_array

    try:
        features = check_array(X, accept_sparse="csr", dtype=np.float64, ensure_all_finite=False)
    except (TypeError, ValueError) as error:
        fail("X", "hold numbers, a row of features for each row", f"what is refused: {error}")
    order = np.random.RandomState(0).permutation(int(rows.codes.max()) + 1)
    codes = order[rows.codes]  # halves that are alike
    last = np.sort(codes)[min(MAX_CHECKED, len(codes)) - 1]
    learned, tested = (np.flatnonzero((codes <= last) & (codes % 2 == side)) for side in (0, 1))
    if not len(tested):  # of one query
        return
    tree = DecisionTreeClassifier(random_state=0).fit(features[learned], rows.positions[learned])
    told = float(np.mean(tree.predict(features[tested]) == rows.positions[tested]))
    if told >= TOLD:
        rule = (
            "not tell the position: relevance and propensity cannot be told apart then; leave out features "
            "that are made of it"
        )
        got = f"features by which a tree knows {told:.0%} of the positions of other queries"
        fail("X", rule, got)


class Log(NamedTuple):
    """Rows with their weights, and how a classifier is trained on the chance of each to attract."""

    rows: ClickRows
    weights: np.ndarray
    train: Callable[[np.ndarray, np.ndarray], np.ndarray]


class Fit(NamedTuple):
    """Where the rounds have come to."""

    theta: np.ndarray  # chance of each position to be examined
    gamma: np.ndarray  # chance of each row to attract
    moved: float  # largest relative change of theta in the last round


def _run(log: Log, fit: Fit, max_iter: int, tolerance: np.ndarray | float = TOLERANCE) -> Fit:
    """Repeat rounds of two steps and a long one in their direction (SQUAREM), until theta stays.

    By itself EM takes hundreds of steps here, and to stop early biases: low positions stay too low.
    """
    for _ in range(max_iter):
        before = fit.theta
        first = _step(log, fit)
        second = _step(log, first)
        here, there, beyond = (np.log(each.gamma / (1 - each.gamma)) for each in (fit, first, second))
        change = there - here
        bend = beyond - there - change
        length = max(1.0, float(np.sqrt((change @ change) / max(bend @ bend, LEAST))))
        far = np.clip(here + 2 * length * change + length**2 * bend, -MAX_LOGIT, MAX_LOGIT)
        fit = _step(log, Fit(second.theta, 1 / (1 + np.exp(-far)), np.inf))
        moved = np.abs(np.log(fit.theta / before))
        fit = fit._replace(moved=float(moved.max()))
        if (moved < tolerance).all():
            break
    return fit


def _run_resamples(
    log: Log, best: Fit, max_iter: int, n_resamples: int, random: np.random.RandomState
) -> np.ndarray:
    """Return theta where each query has a random weight, starting from the estimate.

    A round that moves a propensity by much less than its standard error says nothing more of that error.
    """
    drawn = np.empty((n_resamples, len(best.theta)))
    tolerance = np.full(len(best.theta), TOLERANCE)
    for n, each in enumerate(drawn):
        if n >= N_EXACT:
            tolerance = np.maximum(TOLERANCE, SHARE * np.log(drawn[:n]).std(axis=0, ddof=1))
        weights = random.standard_exponential(int(log.rows.codes.max()) + 1)  # of queries
        weights = np.asarray((weights / weights.mean())[log.rows.codes])
        each[:] = _run(log._replace(weights=weights), best, max_iter, tolerance).theta
    return drawn


def _step(log: Log, fit: Fit) -> Fit:
    """Find the best theta for gamma; then train a classifier on the chance of each row to attract."""
    theta = _maximize_theta(log, fit)
    examined = theta[log.rows.positions - 1]
    of_others = (1 - examined) * fit.gamma / (1 - examined * fit.gamma)
    gamma = log.train(np.where(log.rows.clicks > 0, 1.0, of_others), log.weights)
    return Fit(theta, np.clip(gamma, LEAST, 1 - LEAST), np.inf)


def _maximize_theta(log: Log, fit: Fit) -> np.ndarray:
    """Maximize the likelihood of the clicks at each position, concave in theta, by Newton's method."""
    theta, rows = fit.theta, log.rows
    clicks = rows.clicks * log.weights
    for _ in range(MAX_STEPS):
        examined = theta[rows.positions - 1]
        unclicked = np.where(rows.clicks > 0, 0.0, fit.gamma / (1 - examined * fit.gamma))
        slope = rows.tally(clicks / examined - log.weights * unclicked)
        curve = rows.tally(clicks / examined**2 + log.weights * unclicked**2)
        new = np.clip(theta + slope / np.maximum(curve, LEAST), theta / 2, (1 + theta) / 2)
        new = np.clip(new, LEAST, 1 - LEAST)
        if np.abs(new - theta).max() < LEAST:
            break
        theta = new
    return theta


def _train(
    X: Features, estimator: Estimator, weights_name: str, attracts: np.ndarray, weights: np.ndarray
) -> np.ndarray:
    """Train the classifier on the chance of each row to attract, and return its own.

    Each row is one that attracts and one that does not, weighted by the chances. Labels drawn by them, as in
    the paper, are their mean with noise, by which one cannot tell whether the rounds have come to an end.
    """
    from sklearn.base import clone

    n = len(attracts)
    of_labels = np.concatenate([attracts * weights, (1 - attracts) * weights])
    some = np.flatnonzero(of_labels)
    labels = (some < n).astype(np.int64)
    try:
        model = clone(estimator).fit(take(X, some % n), labels, **{weights_name: of_labels[some]})
        return np.asarray(model.predict_proba(X))[:, 1]
    except (ValueError, TypeError, IndexError) as error:
        rule = "be able to train on 'X' and 'clicks', and to predict"
        fail("estimator", rule, f"{type(error).__name__}: {error}")
