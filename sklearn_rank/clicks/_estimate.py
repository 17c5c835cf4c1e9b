"""Propensities of positions from click logs, and regression-EM, which also learns relevance."""

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
from ._read import ClickRows, PropensityCurve, PropensityEstimate, draw_weights, read_clicks, read_positions
from ._splits import compare_arms, harvest, read_arm

MAX_POSITIONS = 1000  # ratios of all pairs of positions are computed
NEEDED = {  # inputs of each method, and how to fix an error about a missing one
    "swaps": {"arm": "Pass a mask of the rows whose positions were drawn at random."},
    "harvest": {"documents": "Pass the document id of each row."},
    "em": {"X": "Pass the features of each row.", "estimator": "Pass a classifier of X."},
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
    n_resamples: int | None = None,
    confidence_level: float = 0.95,
    random_state: RandomState = 0,
    n_jobs: int | None = None,
    verbose: int = 0,
) -> PropensityCurve:
    """Estimate the probability that each position is examined, relative to the first.

    Parameters
    ----------
    clicks : array-like of shape (n_rows,)
        Clicks: 1 if the row was clicked, otherwise 0. Pass one row for each time that a document was
        displayed.
    positions : array-like of shape (n_rows,)
        Position of each row in the displayed ranking, starting at 1.
    groups : array-like of shape (n_rows,)
        Query id of each row, not a session id: documents are assumed to be equally relevant in all sessions
        of a query. Intervals are computed by resampling queries.
    documents : array-like of shape (n_rows,), default=None
        Document id of each row. Required for "harvest"; "swaps" uses it to check `arm`.
    method : {"swaps", "harvest", "em"}, default="swaps"
        How to estimate. "swaps" uses rows whose positions were drawn at random, see `arm`. "harvest" uses
        documents that had several positions for the same query, for example because the ranker changed. "em"
        also learns relevance, as a function of `X`.
    arm : array-like of shape (n_rows,), default=None
        Required for "swaps": whether the position of each row was drawn at random. Positions must have been
        drawn among the marked rows of the same ranking, as in shuffled rankings. If two positions were
        swapped with probability 1/2, mark both rows, also if they were not swapped. For several experiments,
        pass their numbers 1, 2, ..., and 0 for all other rows. Queries with the same marked positions are
        compared. A query must have equally many marked rows at each marked position. If the rankings of a
        query have several lengths or several shuffled parts, use one number per set of rows that were drawn
        together.
    X : array-like of shape (n_rows, n_features), default=None
        Required for "em": features that predict relevance and do not reveal the position.
    estimator : object, default=None
        Required for "em": a classifier with `predict_proba`, whose `fit` takes `sample_weight`, or a pipeline
        that ends with one. It should be flexible enough to learn relevance, because unlearned relevance
        biases the propensities.
    max_iter : int, default=100
        Maximum number of iterations of "em". Each iteration trains three models.
    n_resamples : int, default=None
        Number of resamples of queries for the intervals, from 100 to 10**7. If 0, there are no intervals. If
        `None`, it is 500, but 100 for "em", which trains about ten models per resample. With logistic
        regression and 2,000 rows, 100 resamples take about 5 s in one process.
    confidence_level : float, default=0.95
        Confidence level of the interval of each position.
    random_state : int, RandomState instance or None, default=0
        Seed of the resamples. If `None`, each call draws other resamples.
    n_jobs : int, default=None
        Number of processes for the resamples of "em", as in scikit-learn. It does not change the result.
    verbose : int, default=0
        Progress of the resamples of "em": if above 0, joblib prints messages.

    Returns
    -------
    PropensityCurve
        Propensities with confidence intervals, the positions that are connected, and the number of rows for
        each position.

    Raises
    ------
    ValueError
        If an argument is invalid, for example if `arm` is missing for "swaps", if `arm` marks different
        numbers of rows at the positions of a query, if clicks connect positions to several separate sets, or
        if a decision tree can predict the positions of other queries from `X`.

    Warns
    -----
    RankingWarning
        If "em" does not converge within `max_iter` iterations.

    See Also
    --------
    debias_clicks : Convert clicks to labels with these propensities.

    Notes
    -----
    All methods assume the position-based model: the probability of a click is the propensity of the position
    times the relevance of the document. If irrelevant documents are clicked more often at some positions than
    at others (trust bias), the propensities contain this effect. Clicks determine only the ratios of
    propensities.

    "swaps" and "harvest" maximize the likelihood of the positions of the clicks of an experiment, or of a
    document of a query. Position k has the share p_k n_k / sum_j(p_j n_j) of these clicks, with n_k rows at
    position k. The shares do not depend on relevance, so the estimate is consistent as the number of queries
    grows. For two positions, it is the ratio of their click rates. The estimates of Agarwal et al. (2019) for
    "harvest" use fewer pairs (PivotOne), or are consistent only if clicks are counted per display (AllPairs).

    For "harvest", relevance must be constant, and positions must not depend on the clicks of the same rows:
    the estimate is biased if the ranker moves up documents that were clicked in the log. Ratios are known for
    positions that clicks connect in both directions. The propensity of a position without a connection is
    nan.

    "em" is consistent if the classifier can represent relevance, and if positions are not a function of the
    features. As a check, a decision tree learns to predict positions from `X` on half of the queries. If it
    predicts at least 99% of the positions in the other half, `X` is rejected; a weaker dependence is not
    detected. The paper draws labels; here the classifier is trained on both labels, weighted by their
    probabilities. Iterations are accelerated by SQUAREM (Varadhan and Roland 2008): plain EM takes hundreds
    of trainings, and curves that are stopped earlier are too steep.

    Resamples give queries random weights (the Bayesian bootstrap), so positions stay connected and keep their
    clicks. Resamples of "em" start from the estimate and also pass the weights to the classifier. They end
    when an iteration changes each propensity by less than a fifth of its standard deviation over the first
    ten resamples. An interval is the propensity divided and multiplied by exp(t s), where s is the standard
    deviation of its logarithm over the resamples, and t is a quantile of Student's t distribution with
    n_queries - 1 degrees of freedom. Intervals reflect chance only, and are too narrow if the click model is
    wrong.

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
    The same documents at both positions, with three times as many clicks at the first:

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
    if n_resamples is None:
        n_resamples = 100 if method == "em" else 500
    check_resamples(n_resamples, or_none=True)
    if not (is_real(confidence_level) and 0 < confidence_level < 1):
        fail("confidence_level", "be a number above 0 and below 1", repr(confidence_level))
    random = check_random(random_state)
    given = {"clicks": clicks, "positions": positions, "groups": groups, "documents": documents}
    check_same_order(**given, arm=arm, X=X)
    clicked = read_clicks(clicks)
    places = read_positions(positions, clicked)
    n_positions = int(places.max())
    if n_positions > MAX_POSITIONS:
        fail("positions", f"not exceed {MAX_POSITIONS}", n_positions, "Drop the rows at higher positions.")
    rows = ClickRows(clicked, places, rank_ids(check_groups(groups, len(clicked))), n_positions)
    documents = None if documents is None else check_groups(documents, len(rows.codes), "documents")
    if method == "em":
        weights = [draw_weights(rows.codes, random) for _ in range(n_resamples)]
        found = estimate_em(rows, X, estimator, max_iter, weights, {"n_jobs": n_jobs, "verbose": verbose})
    elif method == "harvest":
        found = harvest(rows, rank_ids(np.asarray(documents)), n_resamples, random)
    else:
        found = compare_arms(rows, read_arm(arm, rows, documents), n_resamples, random)
    return _make_curve(found, method, float(confidence_level), int(rows.codes.max()) + 1)


def _check_given(method: str, given: Options) -> None:
    """Check that a method gets its inputs, and no inputs that only other methods use."""
    for name, value in given.items():
        if value is None and name in NEEDED[method]:
            fail(name, f"not be None if method={method!r}", None, NEEDED[method][name])
        if value is not None and name not in NEEDED[method] and name != "documents":  # logs have it
            other = next(other for other, names in NEEDED.items() if name in names)
            fix = f"To use it, pass method={other!r}."
            fail(name, f"be None if method={method!r}", type(value).__name__, fix)


def _make_curve(
    found: PropensityEstimate, method: str, confidence_level: float, n_groups: int
) -> PropensityCurve:
    """Return the curve with intervals that are symmetric on the logarithmic scale."""
    low, high = np.full((2, len(found.values)), np.nan)
    known = ~np.isnan(found.values)
    if len(found.resampled):
        from scipy.special import stdtrit  # imported here, so that the subpackage starts with numpy only

        spread = stdtrit(n_groups - 1, (1 + confidence_level) / 2) if n_groups > 1 else np.nan
        factors = np.exp(spread * np.log(found.resampled[:, known]).std(axis=0, ddof=1))
        low[known], high[known] = found.values[known] / factors, found.values[known] * factors
    details = found.n_observations, found.components, method, confidence_level, n_groups
    return PropensityCurve(found.values, low, high, *details)


MAX_CHECKED = 20_000  # rows for the check whether features reveal positions
MAX_ACCURACY = 0.99  # share of predictable positions from which relevance and propensity cannot be separated
LEAST = 1e-6  # bound of probabilities, so that none is exactly 0 or 1
MAX_LOGIT = 13.0  # bound of logits, so that no probability is exactly 0 or 1
MAX_STEPS = 100
TOLERANCE = 1e-3  # of the estimate: the largest relative change of a propensity in the last round
N_EXACT = 10  # resamples with this tolerance; later ones use a share of their standard deviation
SHARE = 0.2  # of the standard deviation


def estimate_em(
    rows: ClickRows,
    X: Features,
    estimator: Estimator,
    max_iter: int,
    weights: list[np.ndarray],
    parallel: Options,
) -> PropensityEstimate:
    """Estimate propensities, with relevance learned from features."""
    weights_name = _find_weights(estimator)
    check_entries(X, len(rows.clicks), "X")
    clicked = rows.tally(rows.clicks) > 0
    known = np.flatnonzero(clicked)
    if len(known) < 2:
        got = f"clicks at {len(known)} position{'s' * (len(known) != 1)}"
        fail("clicks", "contain clicks at two or more positions", got)
    if rows.clicks.all():
        fail("clicks", "contain rows without a click if method='em'", "a click in each row")
    _check_positions_hidden(rows, X)
    log = Log(rows, np.ones(len(rows.clicks)), partial(_train, X, estimator, weights_name))
    # Start with the click rates of positions; the position with the highest rate is always examined.
    rates = rows.tally(rows.clicks) / np.maximum(rows.tally(), 1)
    gamma = np.full(len(rows.clicks), min(max(float(rates.max()), LEAST), 1 - LEAST))
    best = _run(log, Fit(np.clip(rates / rates.max(), LEAST, 1 - LEAST), gamma, np.inf), max_iter)
    if best.moved >= TOLERANCE:
        warn_user(
            f"{name_call()}: after max_iter={max_iter} iterations, a propensity still changed by "
            f"{best.moved:.1%}, so the estimate has not converged. Increase max_iter.",
            RankingWarning,
        )
    drawn = _run_resamples(log, best, max_iter, weights, parallel)
    single = [(place + 1,) for place in np.flatnonzero(~clicked).tolist()]
    components = tuple(sorted([tuple((known + 1).tolist()), *single]))
    values, drawn = (np.where(clicked, each / each[..., known[:1]], np.nan) for each in (best.theta, drawn))
    return PropensityEstimate(values, drawn, rows.tally(), components)


def _find_weights(estimator: Estimator) -> str:
    """Return the name of the weights in `fit` of a classifier, with the prefixes of steps for a pipeline."""
    from sklearn.pipeline import Pipeline
    from sklearn.utils.validation import has_fit_parameter

    last, prefix = estimator, ""
    while isinstance(last, Pipeline):
        prefix, last = f"{prefix}{last.steps[-1][0]}__", last.steps[-1][1]
    needed = ("fit", "predict_proba", "get_params")
    is_model = not isinstance(last, type) and all(hasattr(last, name) for name in needed)
    if not is_model or not has_fit_parameter(last, "sample_weight"):
        rule = "be a classifier with predict_proba and sample_weight in fit, or a pipeline that ends with one"
        fail(
            "estimator",
            rule,
            repr(estimator),
            "Pass, for example, estimator=HistGradientBoostingClassifier().",
        )
    return f"{prefix}sample_weight"


def _check_positions_hidden(rows: ClickRows, X: Features) -> None:
    """Check that features do not reveal positions: a tree learns these on half of the queries."""
    from sklearn.tree import DecisionTreeClassifier
    from sklearn.utils import check_array

    try:
        features = check_array(X, accept_sparse="csr", dtype=np.float64, ensure_all_finite=False)
    except (TypeError, ValueError) as error:
        rule = "be a numeric array with one row of features per row of 'clicks'"
        fail("X", rule, f"{type(error).__name__}: {error}")
    order = np.random.RandomState(0).permutation(int(rows.codes.max()) + 1)
    codes = order[rows.codes]  # similar halves
    last = np.sort(codes)[min(MAX_CHECKED, len(codes)) - 1]
    learned, tested = (np.flatnonzero((codes <= last) & (codes % 2 == side)) for side in (0, 1))
    if not len(tested):  # there is one query
        return
    tree = DecisionTreeClassifier(random_state=0).fit(features[learned], rows.positions[learned])
    accuracy = float(np.mean(tree.predict(features[tested]) == rows.positions[tested]))
    if accuracy >= MAX_ACCURACY:
        got = f"features from which a decision tree predicts {accuracy:.0%} of the positions of other queries"
        fix = "Drop features that depend on it; they do not separate relevance from position."
        fail("X", "not reveal the position", got, fix)


class Log(NamedTuple):
    """Rows with their weights, and a function that trains a classifier on probabilities to attract."""

    rows: ClickRows
    weights: np.ndarray
    train: Callable[[np.ndarray, np.ndarray], np.ndarray]


class Fit(NamedTuple):
    """The state after some rounds."""

    theta: np.ndarray  # probability that each position is examined
    gamma: np.ndarray  # probability that each row attracts a click
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
    log: Log, best: Fit, max_iter: int, weights: list[np.ndarray], parallel: Options
) -> np.ndarray:
    """Return theta for random weights of the rows, starting from the estimate.

    After the first resamples, one stops when a round moves each propensity by much less than its standard
    error, which these estimate. Results do not depend on the number of processes.
    """
    from sklearn.utils.parallel import Parallel, delayed

    def run(some: list[np.ndarray], tolerance: np.ndarray | float) -> list[np.ndarray]:
        logs = (log._replace(weights=each) for each in some)
        fits = Parallel(**parallel)(delayed(_run)(each, best, max_iter, tolerance) for each in logs)
        return [fit.theta for fit in fits]

    drawn = run(weights[:N_EXACT], TOLERANCE)
    if len(weights) > N_EXACT:
        errors = np.log(drawn).std(axis=0, ddof=1)
        drawn += run(weights[N_EXACT:], np.maximum(TOLERANCE, SHARE * errors))
    return np.array(drawn).reshape(-1, len(best.theta))


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
        fail("estimator", "fit and predict 'X' without an error", f"{type(error).__name__}: {error}")
