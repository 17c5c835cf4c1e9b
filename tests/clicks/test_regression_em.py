"""Regression-EM: the maximum of the likelihood, and intervals for few clicks."""

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.special import stdtrit
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from sklearn_rank import RankingWarning
from tests.clicks.test_estimate_propensities import estimate
from tests.simulations.clicks import N_POSITIONS, draw_log


def test_em_reaches_maximum_of_likelihood():
    log = draw_log("em", np.random.RandomState(3), 100)
    X = np.column_stack([np.ones(len(log["X"])), log["X"]])
    clicks, places = log["clicks"], log["positions"] - 1

    def find_loss(parameters):  # the first position is examined for certain
        theta = 1 / (1 + np.exp(-np.append(13, parameters[3:])))
        chances = theta[places] / (1 + np.exp(-X @ parameters[:3]))
        return -np.log(np.where(clicks, chances, 1 - chances)).sum()

    best = minimize(find_loss, np.zeros(3 + N_POSITIONS - 1), method="BFGS", options={"gtol": 1e-4})
    expected = 1 / (1 + np.exp(-best.x[3:]))
    curve = estimate("em", log, estimator=LogisticRegression(C=1e6))
    np.testing.assert_allclose(curve.propensities[1:], expected, rtol=0.01)


def test_em_passes_weights_to_last_step_of_pipeline():
    log = draw_log("em", np.random.RandomState(4), 60)
    alone = estimate("em", log, estimator=LogisticRegression(C=1e6))
    scaled = estimate("em", log, estimator=make_pipeline(StandardScaler(), LogisticRegression(C=1e6)))
    np.testing.assert_allclose(scaled.propensities, alone.propensities, rtol=0.01)


def test_em_warns_when_not_converged():
    with pytest.warns(RankingWarning, match="after max_iter=1 iterations, a propensity still changed"):
        estimate("em", max_iter=1)


@pytest.mark.parametrize("tell", [lambda p: p, lambda p: -1 / p, lambda p: np.eye(N_POSITIONS)[p - 1]])
def test_em_rejects_features_that_reveal_position(tell):
    log = draw_log("em", np.random.RandomState(5), 60)
    X = np.column_stack([log["X"], tell(log["positions"])])
    with pytest.raises(ValueError, match=r"'X' .* must not reveal the position. .* tree predicts 100% of"):
        estimate("em", log | {"X": X})


@pytest.mark.thorough
def test_em_accepts_frame():
    pandas = pytest.importorskip("pandas")
    log = draw_log("em", np.random.RandomState(4), 60)
    frame = pandas.DataFrame(log["X"], columns=["title", "body"])
    expected = estimate("em", log).propensities
    np.testing.assert_allclose(estimate("em", log | {"X": frame}).propensities, expected, rtol=1e-3)


def test_em_propensity_is_nan_for_position_without_click():
    log = draw_log("em", np.random.RandomState(6), 60)
    clicks = np.where(log["positions"] == 4, 0, log["clicks"])
    curve = estimate("em", log | {"clicks": clicks})
    np.testing.assert_array_equal(np.flatnonzero(np.isnan(curve.propensities)), [3])
    assert curve.components == ((1, 2, 3, 5, 6, 7, 8, 9, 10), (4,))


# ---------------------------------------------------------------------------- intervals


@pytest.mark.thorough
def test_em_interval_of_position_with_one_click_has_plausible_width():
    log = draw_log("em", np.random.RandomState(0), 12)
    clicks, last = log["clicks"].copy(), np.flatnonzero(log["positions"] == N_POSITIONS)
    clicks[last] = np.arange(len(last)) == 0
    curve = estimate("em", log | {"clicks": clicks}, n_resamples=100, random_state=0)
    error = np.log(curve.high / curve.propensities)[-1] / stdtrit(12 - 1, 0.975)
    assert 0.8 < error < 2  # the logarithm of an exponential weight has the standard deviation 1.28


@pytest.mark.thorough
def test_em_intervals_are_reproducible_with_seed():
    log = draw_log("em", np.random.RandomState(0), 12)
    curves = [estimate("em", log, n_resamples=100, random_state=0) for _ in range(2)]
    assert (curves[0].low[1:] < curves[0].propensities[1:]).all()
    np.testing.assert_array_equal(curves[0].high, curves[1].high)


@pytest.mark.slow
def test_em_draws_100_resamples_by_default_and_the_same_in_processes():
    log = draw_log("em", np.random.RandomState(0), 12)
    curves = [
        estimate("em", log, random_state=0, **given)
        for given in ({"n_resamples": None}, {"n_resamples": 100, "n_jobs": 2})
    ]
    np.testing.assert_array_equal(curves[0].high, curves[1].high)


class Counting(LogisticRegression):
    """A classifier that counts its trainings."""

    fits = 0

    def fit(self, X, y, sample_weight=None):
        Counting.fits += 1
        return super().fit(X, y, sample_weight)


@pytest.mark.thorough
def test_em_resample_needs_about_ten_fits():
    log = draw_log("em", np.random.RandomState(0), 12) | {"estimator": Counting()}
    Counting.fits = 0
    estimate("em", log, n_resamples=100, random_state=0)
    assert Counting.fits < 1200
