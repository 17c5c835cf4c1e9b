"""Propensities of positions from click logs, and regression-EM, which learns relevance too."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Literal, NamedTuple

import numpy as np

from .._checks import explain_parameters
from .._checks.codes import rank_ids
from .._checks.containers import check_entries, check_same_order, take
from .._checks.errors import check_count, fail, is_real, name_call
from .._checks.groups import check_groups
from .._checks.options import check_choice, check_random, check_resamples
from .._checks.types import ArrayLike, Estimator, Features, Options, RandomState
from .._checks.warn import RankingWarning, warn_user
from ._read import ClickRows, PropensityCurve, PropensityEstimate, read_clicks, read_positions
from ._splits import compare_arms, harvest, read_arm

MAX_POSITIONS = 1000  # ratios of all pairs of positions are computed
NEEDED = {
    "swaps": {"arm": "say which rows stood at a position that was drawn at random"},
    "harvest": {"documents": "hold the document of each row"},
    "em": {"X": "hold the features of each row", "estimator": "be a classifier of X"},
}


@explain_parameters
def estimate_propensities(
    clicks: ArrayLike,
    positions: ArrayLike,
    *,
    groups: ArrayLike,
    documents: ArrayLike | None = None,
    method: Literal["swaps", "harvest", "em"] = "swaps",
    arm: ArrayLike | None = None,
    X: Features = None,
    estimator: Estimator = None,
    max_iter: int = 100,
    n_resamples: int = 500,
    confidence_level: float = 0.95,
    random_state: RandomState = None,
) -> PropensityCurve:
    """Estimate how likely each position is to be examined, relative to the first.

    Parameters
    ----------
    clicks : array-like of shape (n_rows,)
        1 where the row was clicked, else 0; a row for each document that was displayed, each time.
    positions : array-like of shape (n_rows,)
        Where it stood, from 1 on.
    groups : array-like of shape (n_rows,)
        Query id of each row: not of the session, as a document is as relevant to a query in all sessions.
        Queries are resampled.
    documents : array-like of shape (n_rows,), default=None
        Document of each row; needed for "harvest".
    method : {"swaps", "harvest", "em"}, default="swaps"
        "swaps": rows whose positions were drawn at random, see `arm`. "harvest": the same document of a query
        at several positions, as after a change of the ranker. "em": relevance is a function of `X`, learned
        along.
    arm : array-like of shape (n_rows,), default=None
        For "swaps": True where the position was drawn at random among those of the rows of a list that are
        True, as in shuffled lists; or the number of the experiment, 1, 2, ..., and 0 for none. Where two
        positions were swapped with chance 1/2, both rows belong to it whether they were swapped or not.
        Queries are compared where the same set of positions is marked. A query has as many marked rows at
        each of its positions; where its lists have several lengths, or several parts of a list were shuffled,
        the rows that were drawn together have a number of their own.
    X : array-like of shape (n_rows, n_features), default=None
        For "em": numbers that say how relevant a row is, and do not tell its position.
    estimator : object, default=None
        For "em": a classifier of scikit-learn's kind with `predict_proba`, whose `fit` takes `sample_weight`,
        or a pipeline that ends with one. It should be able to learn relevance; what it cannot learn goes into
        the propensities.
    max_iter : int, default=100
        For "em": most rounds, with three trainings each.
    n_resamples : int, default=500
        Resamples of queries for the intervals, from 100 to 10**7; 0 for no intervals. "em" trains some ten
        models in each.
    confidence_level : float, default=0.95
        Of the intervals, each of one position alone.
    random_state : int, RandomState instance or None, default=None
        Seed of the resamples.

    Returns
    -------
    PropensityCurve
        Propensities with their intervals, the positions that are connected, and the rows that tell of each.

    Raises
    ------
    ValueError
        If an argument breaks a rule above; if a query of an arm has more marked rows at one position than at
        another; if positions fall into several sets without a connection; or, for
        "em", if a tree reads the position of rows of other queries from `X`.

    Warns
    -----
    RankingWarning
        If "em" stops before propensities stay.

    See Also
    --------
    debias_clicks : Labels out of clicks, with these propensities.

    Notes
    -----
    All methods take the position-based model for true: the chance of a click is the propensity of the
    position times the relevance of the document. What is clicked without being relevant at some positions
    more than at others (trust bias) goes into the propensities. The level is not known from clicks alone,
    only ratios.

    "swaps" and "harvest" maximize the likelihood of how the clicks of an experiment, or of a document of a
    query, split over the positions at which it stood: p_k n_k / sum_j(p_j n_j). Relevance falls out of it, so
    that there are no parameters of documents that would bias it: it is consistent as queries grow in number.
    With two positions it is the ratio of the click rates. Agarwal et al. (2019) harvest by PivotOne, ratios
    to the first position of the documents that stood at both, which is consistent too and leaves out all
    other pairs; and by AllPairs, which is consistent where clicks are counted per display of each document,
    and not where they are pooled. The likelihood of splits uses all pairs, and needs neither weights nor
    parameters of pairs.

    For "harvest" relevance has to be constant, and positions may not follow from the clicks of the same rows:
    a ranker that moves up what was clicked in the log biases. Positions that clicks connect in both
    directions have known ratios; the propensity of one that is connected with no other is nan.

    "em" is consistent if the classifier can express relevance, and each row's position is not a function of
    its features. Half of the queries train a tree that reads positions from `X`; where it knows at least 99 %
    of those in the other half, `X` is refused. A weaker dependence is not seen. Where the paper draws labels,
    the classifier is trained on both with their chances as weights; rounds are accelerated by SQUAREM
    (Varadhan and Roland 2008), as plain ones take hundreds of trainings, and curves that are stopped before
    are too steep.

    Resamples weight queries at random (the Bayesian bootstrap), so that positions stay connected and keep
    their clicks. Those of "em" start from the estimate, the weights go to the classifier too, and they end
    when a round changes each propensity by less than a fifth of its standard deviation over the resamples so
    far. An interval is the propensity divided and multiplied by exp(t s), where s is the standard deviation
    of its logarithm over the resamples and t a quantile of Student's distribution with a degree of freedom
    for each query but one. It is of chance alone, and too narrow where the model of clicks is wrong.

    References
    ----------
    Joachims, Swaminathan and Schnabel, "Unbiased learning-to-rank with biased feedback", WSDM 2017, for
    swaps.

    Agarwal, Zaitsev, Wang, Li, Najork and Joachims, "Estimating position bias without intrusive
    interventions", WSDM 2019, for harvesting.

    Wang, Golbandi, Bendersky, Metzler and Najork, "Position bias estimation for unbiased learning to rank in
    personal search", WSDM 2018, for regression-EM.

    Varadhan and Roland, "Simple and globally convergent methods for accelerating the convergence of any EM
    algorithm", Scandinavian Journal of Statistics 2008.

    Rubin, "The Bayesian bootstrap", Annals of Statistics 1981.

    Examples
    --------
    The same documents at both positions, twice as many clicks at the first:

    >>> from sklearn_rank.clicks import estimate_propensities
    >>> clicks, positions = [1, 1, 0, 1, 1, 0, 0, 0], [1, 1, 2, 2, 1, 1, 2, 2]
    >>> queries, documents = [1, 1, 1, 1, 2, 2, 2, 2], ["a", "a", "a", "a", "b", "b", "b", "b"]
    >>> curve = estimate_propensities(
    ...     clicks, positions, groups=queries, documents=documents, method="harvest", n_resamples=0
    ... )
    >>> curve.propensities.round(3)
    array([1.   , 0.333])
    """
    check_choice("method", method, tuple(NEEDED))
    _check_given(method, {"arm": arm, "documents": documents, "X": X, "estimator": estimator})
    check_count(max_iter, 1, "max_iter")
    check_resamples(n_resamples, or_none=True)
    if not (is_real(confidence_level) and 0 < confidence_level < 1):
        fail("confidence_level", "be a share between 0 and 1, such as 0.95", repr(confidence_level))
    random = check_random(random_state)
    given = {"clicks": clicks, "positions": positions, "groups": groups, "documents": documents}
    check_same_order(**given, arm=arm, X=X)
    made = read_clicks(clicks)
    places = read_positions(positions, made)
    n_positions = int(places.max())
    if n_positions > MAX_POSITIONS:
        fail("positions", f"not exceed {MAX_POSITIONS}: leave out the rows beyond", n_positions)
    rows = ClickRows(made, places, rank_ids(check_groups(groups, len(made))), n_positions)
    documents = None if documents is None else check_groups(documents, len(rows.codes), "documents")
    if method == "em":
        found = estimate_em(rows, X, estimator, max_iter, n_resamples, random)
    elif method == "harvest":
        found = harvest(rows, rank_ids(np.asarray(documents)), n_resamples, random)
    else:
        found = compare_arms(rows, read_arm(arm, rows, documents), n_resamples, random)
    return _make_curve(found, method, float(confidence_level), int(rows.codes.max()) + 1)


def _check_given(method: str, given: Options) -> None:
    """Check that a method gets its inputs, and no inputs that only other methods use."""
    for name, value in given.items():
        if value is None and name in NEEDED[method]:
            fail(name, f"{NEEDED[method][name]} where method={method!r}", None)
        if value is not None and name not in NEEDED[method] and name != "documents":  # logs have it
            others = " and ".join(repr(other) for other, names in NEEDED.items() if name in names)
            fail(name, f"be None where method={method!r}; it belongs to {others}", type(value).__name__)


def _make_curve(
    found: PropensityEstimate, method: str, confidence_level: float, n_groups: int
) -> PropensityCurve:
    """Return the curve with intervals that are symmetric on the scale of logarithms."""
    low, high = np.full((2, len(found.values)), np.nan)
    known = ~np.isnan(found.values)
    if len(found.resampled):
        from scipy.special import stdtrit  # imported here, so that the subpackage starts with numpy only

        spread = stdtrit(n_groups - 1, (1 + confidence_level) / 2) if n_groups > 1 else np.nan
        factors = np.exp(spread * np.log(found.resampled[:, known]).std(axis=0, ddof=1))
        low[known], high[known] = found.values[known] / factors, found.values[known] * factors
    known_to = found.n_observations, found.components, method, confidence_level, n_groups
    return PropensityCurve(found.values, low, high, *known_to)


MAX_CHECKED = 20_000  # rows for the check whether features reveal positions
MAX_ACCURACY = 0.99  # share of predictable positions from which relevance and propensity cannot be separated
LEAST = 1e-6  # bound of probabilities, so that none is exactly 0 or 1
MAX_LOGIT = 13.0  # bound of logits, so that no probability is exactly 0 or 1
MAX_STEPS = 100
TOLERANCE = 1e-3  # of the estimate: the largest relative change of a propensity in the last round
N_EXACT = 10  # resamples with that tolerance; for later ones it is a share of the standard deviation so far
SHARE = 0.2  # that share


def estimate_em(
    rows: ClickRows,
    X: Features,
    estimator: Estimator,
    max_iter: int,
    n_resamples: int,
    random: np.random.RandomState,
) -> PropensityEstimate:
    """Estimate propensities, with relevance learned from features."""
    weights_name = _find_weights(estimator)
    check_entries(X, len(rows.clicks), "X")
    clicked = rows.tally(rows.clicks) > 0
    known = np.flatnonzero(clicked)
    if len(known) < 2:
        fail("clicks", "hold clicks at two positions or more", f"clicks at {len(known)}")
    if rows.clicks.all():
        fail("clicks", "hold rows without a click where method='em'", "a click in each row")
    _check_positions_hidden(rows, X)
    log = Log(rows, np.ones(len(rows.clicks)), partial(_train, X, estimator, weights_name))
    # Start with the click rates of positions; the position with the highest rate is always examined.
    rates = rows.tally(rows.clicks) / np.maximum(rows.tally(), 1)
    gamma = np.full(len(rows.clicks), min(max(float(rates.max()), LEAST), 1 - LEAST))
    best = _run(log, Fit(np.clip(rates / rates.max(), LEAST, 1 - LEAST), gamma, np.inf), max_iter)
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
    """Return the name of the weights in a classifier's `fit`; for a pipeline it has the prefix of steps."""
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


def _check_positions_hidden(rows: ClickRows, X: Features) -> None:
    """Check that features do not reveal positions: a tree learns these on half of the queries."""
    from sklearn.tree import DecisionTreeClassifier
    from sklearn.utils import check_array

    try:
        features = check_array(X, accept_sparse="csr", dtype=np.float64, ensure_all_finite=False)
    except (TypeError, ValueError) as error:
        fail("X", "hold numbers, a row of features for each row", f"what is refused: {error}")
    order = np.random.RandomState(0).permutation(int(rows.codes.max()) + 1)
    codes = order[rows.codes]  # similar halves
    last = np.sort(codes)[min(MAX_CHECKED, len(codes)) - 1]
    learned, tested = (np.flatnonzero((codes <= last) & (codes % 2 == side)) for side in (0, 1))
    if not len(tested):  # there is one query
        return
    tree = DecisionTreeClassifier(random_state=0).fit(features[learned], rows.positions[learned])
    accuracy = float(np.mean(tree.predict(features[tested]) == rows.positions[tested]))
    if accuracy >= MAX_ACCURACY:
        rule = (
            "not tell the position: relevance and propensity cannot be told apart then; leave out features "
            "that are made of it"
        )
        fail("X", rule, f"features by which a tree knows {accuracy:.0%} of the positions of other queries")


class Log(NamedTuple):
    """Rows with their weights, and a function that trains a classifier on probabilities to attract."""

    rows: ClickRows
    weights: np.ndarray
    train: Callable[[np.ndarray, np.ndarray], np.ndarray]


class Fit(NamedTuple):
    """The state after some rounds."""

    theta: np.ndarray  # chance of each position to be examined
    gamma: np.ndarray  # chance of each row to attract
    moved: float  # largest relative change of theta in the last round


def _run(log: Log, fit: Fit, max_iter: int, tolerance: np.ndarray | float = TOLERANCE) -> Fit:
    """Repeat rounds of two steps and a long one in their direction (SQUAREM), until theta is stable.

    Plain EM takes hundreds of steps here, and stopping early is biased: low positions stay too low.
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
    """Return theta for random weights of the queries, starting from the estimate.

    A resample stops when a round moves each propensity by much less than its standard error.
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
    """Find the best theta for gamma; then train the classifier on the probability of each row to attract."""
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
    """Train the classifier on the probability of each row to attract, and return its predictions.

    Each row is used twice, as one that attracts and one that does not, weighted by the probabilities. The
    paper draws labels instead, whose noise would hide whether the rounds converge.
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
