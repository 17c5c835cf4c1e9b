"""Propensities by regression-EM: relevance is what a classifier makes of the features."""

from __future__ import annotations

from typing import Any

import numpy as np

from .._checks.containers import check_entries, take
from .._checks.errors import fail
from ._log import FUNCTION, Estimate, Rows

MAX_CHECKED = 20_000  # rows by which it is seen whether features tell positions
TOLD = 0.99  # share of the positions that features tell, from which on the two cannot be told apart
LEAST = 1e-6  # of a chance, so that none is exactly 0 or 1


def estimate_em(
    rows: Rows, X: Any, estimator: Any, n_iter: int, n_resamples: int, random: np.random.RandomState
) -> Estimate:
    """Estimate with relevance learned from features."""
    _check_estimator(estimator)
    check_entries(X, len(rows.clicks), FUNCTION, "X")
    clicked = rows.tally(rows.clicks) > 0
    known = np.flatnonzero(clicked)
    if len(known) < 2:
        fail("clicks", FUNCTION, "hold clicks at two positions or more", f"clicks at {len(known)}")
    _check_not_told(rows, X)
    values = _run(rows, X, estimator, n_iter, random)
    drawn = np.empty((n_resamples, rows.n_positions))
    for each in drawn:
        some = _resample(rows.codes, random)
        each[:] = _run(rows.take(some), take(X, some), estimator, n_iter, random, values)
    alone = [(place + 1,) for place in np.flatnonzero(~clicked).tolist()]
    components = tuple(sorted([tuple((known + 1).tolist()), *alone]))
    values, drawn = (np.where(clicked, each / each[..., known[:1]], np.nan) for each in (values, drawn))
    return Estimate(values, drawn, rows.tally(), components)


def _check_estimator(estimator: Any) -> None:
    """Check that a classifier is given."""
    needed = ("fit", "predict_proba", "get_params")
    if isinstance(estimator, type) or not all(hasattr(estimator, name) for name in needed):
        rule = "be a classifier with predict_proba, such as HistGradientBoostingClassifier()"
        fail("estimator", FUNCTION, rule, repr(estimator))


def _check_not_told(rows: Rows, X: Any) -> None:
    """Check that positions are no function of the features: a tree learns them on half of the queries."""
    from sklearn.tree import DecisionTreeClassifier
    from sklearn.utils import check_array

    try:
        features = check_array(X, accept_sparse="csr", dtype=np.float64, ensure_all_finite=False)
    except (TypeError, ValueError) as error:
        fail("X", FUNCTION, "hold numbers, a row of features for each row", f"what is refused: {error}")
    codes = np.random.RandomState(0).permutation(int(rows.codes.max()) + 1)[
        rows.codes
    ]  # halves that are alike
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
        fail(
            "X",
            FUNCTION,
            rule,
            f"features by which a tree knows {told:.0%} of the positions of other queries",
        )


def _run(
    rows: Rows,
    X: Any,
    estimator: Any,
    n_iter: int,
    random: np.random.RandomState,
    start: np.ndarray | None = None,
) -> np.ndarray:
    """Return the propensities of all positions after some rounds.

    Of a row without a click it is not known whether it was not examined or does not attract: both have the
    chance that the last round gives them.
    """
    places, shown = rows.positions - 1, np.maximum(rows.tally(), 1)
    rates = rows.tally(rows.clicks) / shown
    theta = rates / rates.max() if start is None else start
    theta = np.minimum(theta, 1 - LEAST)
    gamma = np.full(len(places), min(max(float(rates.max()), LEAST), 1 - LEAST))
    for _ in range(n_iter):
        examined = theta[places]
        neither = 1 - examined * gamma
        attracts = np.where(rows.clicks > 0, 1.0, (1 - examined) * gamma / neither)
        looked = np.where(rows.clicks > 0, 1.0, examined * (1 - gamma) / neither)
        theta = np.clip(rows.tally(looked) / shown, LEAST, 1 - LEAST)
        gamma = np.clip(_predict(X, attracts, estimator, random), LEAST, 1 - LEAST)
    return theta


def _predict(X: Any, attracts: np.ndarray, estimator: Any, random: np.random.RandomState) -> np.ndarray:
    """Train the classifier on chances to be relevant, and return its own.

    A classifier that takes weights gets each row as relevant and as not, weighted by the chances; another
    gets labels that are drawn by them, as in the paper.
    """
    from sklearn.base import clone
    from sklearn.utils.validation import has_fit_parameter

    n = len(attracts)
    model = clone(estimator)
    if has_fit_parameter(model, "sample_weight"):
        twice = np.concatenate([np.arange(n), np.arange(n)])
        labels, weights = np.repeat([1, 0], n), np.concatenate([attracts, 1 - attracts])
        some = weights > 0
        model.fit(take(X, twice[some]), labels[some], sample_weight=weights[some])
    else:
        labels = (random.random_sample(n) < attracts).astype(np.int64)
        if len(np.unique(labels)) == 1:  # a classifier needs two
            return np.full(n, float(labels[0]))
        model.fit(X, labels)
    return np.asarray(model.predict_proba(X))[:, list(model.classes_).index(1)]


def _resample(codes: np.ndarray, random: np.random.RandomState) -> np.ndarray:
    """Return the rows of as many queries as there are, drawn with replacement."""
    order = np.argsort(codes, kind="stable")
    sizes = np.bincount(codes)
    starts = np.cumsum(sizes) - sizes
    drawn = random.randint(0, len(sizes), len(sizes))
    counts = sizes[drawn]
    within = np.arange(counts.sum()) - np.repeat(np.cumsum(counts) - counts, counts)
    return order[np.repeat(starts[drawn], counts) + within]
