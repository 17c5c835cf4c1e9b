"""`estimate_propensities`: each method by hand and compared with independent optimizers, and errors."""

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.stats import t
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import KNeighborsClassifier

from sklearn_rank.clicks import debias_clicks, estimate_propensities, simulate_clicks
from sklearn_rank.clicks._read import ClickRows
from sklearn_rank.clicks._splits import ClickSums, Splits, count_splits, solve, solve_resamples
from tests.simulations.clicks import N_POSITIONS, PROPENSITIES, draw_log


def estimate(method, log=None, seed=0, **given):
    """Estimate from a drawn log."""
    log = draw_log(method, np.random.RandomState(seed), 60) if log is None else log
    return estimate_propensities(**({"method": method, "n_resamples": 0} | log | given))


# ---------------------------------------------------------------------------- swaps

SWAPPED = {
    "clicks": [1, 1, 1, 0, 1, 0, 0, 0, 1],
    "positions": [1, 1, 1, 1, 2, 2, 2, 2, 3],
    "groups": [1, 2, 3, 4, 1, 2, 3, 4, 1],
}


def test_swaps_propensity_of_one_experiment_is_ratio_of_click_rates():
    curve = estimate("swaps", SWAPPED, arm=[True] * 8 + [False])
    np.testing.assert_allclose(curve.propensities, [1, 1 / 3, np.nan], rtol=1e-9)
    np.testing.assert_array_equal(curve.n_observations, [4, 4, 0])
    assert curve.components == ((1, 2), (3,))
    assert (curve.method, curve.n_groups) == ("swaps", 4)


def test_swaps_propensities_use_ratio_of_each_experiment():
    # Documents in experiment 1 are twice as relevant as in experiment 2.
    rates = [(1, 1, 0.8), (1, 2, 0.4), (2, 1, 0.4), (2, 3, 0.1)]
    rows = [(arm, place, n, int(n < 100 * rate)) for arm, place, rate in rates for n in range(100)]
    arm, positions, groups, clicks = np.transpose(rows)
    curve = estimate("swaps", {"clicks": clicks, "positions": positions, "groups": groups}, arm=arm)
    np.testing.assert_allclose(curve.propensities, [1, 0.5, 0.25], rtol=1e-9)


def test_swaps_propensities_ignore_rows_outside_experiments():
    log = draw_log("swaps", np.random.RandomState(1), 30)
    arm = np.arange(len(log["clicks"])) < 3 * 30 * N_POSITIONS  # three of five lists of each query
    some = {name: np.asarray(log[name])[arm] for name in ("clicks", "positions", "groups", "arm")}
    whole = estimate("swaps", log, arm=arm)
    np.testing.assert_array_equal(whole.propensities, estimate("swaps", log | some).propensities)


def draw_lengths(n_lists, lengths):
    """Draw shuffled lists, of which those of two rows are eight times as relevant as longer ones."""
    lists = np.repeat(np.arange(n_lists), lengths)
    random = np.random.default_rng(0)
    relevant = (random.random(len(lists)) < np.where(np.repeat(lengths, lengths) == 2, 0.8, 0.1)).astype(
        float
    )
    clicks, positions = simulate_clicks(
        relevant, np.zeros(len(lists)), groups=lists, propensities=[1, 0.5, 0.33, 0.25], random_state=0
    )
    return lists, {"clicks": clicks, "positions": positions}


def test_swaps_propensities_compare_only_lists_of_equal_length():
    lists, log = draw_lengths(20_000, np.random.default_rng(1).choice([2, 4], 20_000))
    curve = estimate("swaps", log, groups=lists, arm=np.ones(len(lists), bool))
    np.testing.assert_allclose(curve.propensities, [1, 0.5, 0.33, 0.25], rtol=0.1)


def test_swaps_rejects_one_arm_for_lists_of_several_lengths():
    lengths = np.tile([2, 4], 10_000)
    lists, log = draw_lengths(20_000, lengths)
    log["groups"] = lists // 2
    message = (
        r"'arm' .* Got a query with 2 rows at position 1 and 1 at position 3 .* a number for each set of rows"
    )
    with pytest.raises(ValueError, match=message):
        estimate("swaps", log, arm=np.ones(len(lists), bool))
    curve = estimate("swaps", log, arm=np.repeat(lengths, lengths))
    np.testing.assert_allclose(curve.propensities, [1, 0.5, 0.33, 0.25], rtol=0.1)


def test_lowest_connected_position_has_propensity_one():
    later = SWAPPED | {"positions": np.array(SWAPPED["positions"]) + 1}
    curve = estimate("swaps", later, arm=[True] * 8 + [False])
    np.testing.assert_allclose(curve.propensities, [np.nan, 1, 1 / 3, np.nan], rtol=1e-9)


# ---------------------------------------------------------------------------- harvesting


def count_documents(log):
    """Return how often each document stood and was clicked at each position."""
    tables = np.zeros((2, np.max(log["documents"]) + 1, N_POSITIONS))
    cells = log["documents"], log["positions"] - 1
    np.add.at(tables[0], cells, 1)
    np.add.at(tables[1], cells, log["clicks"])
    return tables


def test_harvest_propensities_maximize_poisson_likelihood():
    log = draw_log("harvest", np.random.RandomState(2), 40)
    shown, clicked = count_documents(log)

    def find_loss(b):  # with the best rate of each document, sum(c) / sum(n p)
        means = shown * np.exp(np.append(0, b))
        rates = clicked.sum(axis=1) / means.sum(axis=1)
        means = means * rates[:, None]
        return means.sum() - (clicked * np.log(np.where(clicked > 0, means, 1))).sum()

    best = minimize(find_loss, np.zeros(N_POSITIONS - 1), method="BFGS", options={"gtol": 1e-7})
    curve = estimate("harvest", log)
    np.testing.assert_allclose(np.log(curve.propensities[1:]), best.x, atol=1e-5)


def test_harvest_propensity_of_two_positions_is_ratio_to_first():
    # Each document was once at each position: PivotOne is the ratio of their clicks.
    clicks = [1, 0, 1, 1, 1, 0, 0, 0]
    log = {"clicks": clicks, "positions": [1, 2] * 4, "groups": [1, 1, 1, 1, 2, 2, 2, 2]}
    curve = estimate("harvest", log, documents=list("aabbccdd"))
    np.testing.assert_allclose(curve.propensities, [1, 1 / 3], rtol=1e-9)


def test_harvest_treats_same_document_of_two_queries_as_different():
    log = {"clicks": [1, 0, 1, 1], "positions": [1, 2, 2, 1], "groups": [1, 2, 1, 2]}
    with pytest.raises(ValueError, match="no two positions that clicks connect"):
        estimate("harvest", log | {"groups": [1, 2, 3, 4]}, documents=list("aaaa"))
    curve = estimate("harvest", log, documents=list("aaaa"))
    np.testing.assert_allclose(curve.propensities, [1, 0.5], rtol=1e-8)


def test_harvest_error_names_unconnected_sets_of_positions():
    log = {"clicks": [1] * 8, "positions": [1, 2, 2, 1, 3, 4, 4, 3], "groups": [1] * 8}
    message = r"'positions' .* Got the separate sets \{1, 2\} and \{3, 4\} instead"
    with pytest.raises(ValueError, match=message):
        estimate("harvest", log, documents=list("aabbccdd"))


def test_harvest_propensity_is_nan_when_clicks_do_not_compare():
    # Documents at 1 and 2 are clicked only at 1: the likelihood grows as propensity 2 goes to 0.
    log = {"clicks": [1, 0, 1, 0, 1, 1], "positions": [1, 2, 1, 2, 1, 3], "groups": [1] * 6}
    curve = estimate("harvest", log, documents=list("aabbcc"))
    np.testing.assert_allclose(curve.propensities, [1, np.nan, 1])
    assert curve.components == ((1, 3), (2,))


def test_harvest_rejects_log_of_unchanged_ranker():
    log = {"clicks": [1, 1, 1, 0], "positions": [1, 2, 1, 2], "groups": [1, 1, 1, 1]}
    with pytest.raises(
        ValueError, match=r"'documents' .* log of a ranker that never changed has no such documents"
    ):
        estimate("harvest", log, documents=list("abab"))


# ---------------------------------------------------------------------------- intervals


@pytest.mark.parametrize("method", ["swaps", "harvest"])
def test_propensity_intervals_contain_estimate_and_are_one_at_first(method):
    log = draw_log(method, np.random.RandomState(0), 200)
    curve = estimate(method, log, n_resamples=100, random_state=0)
    assert (curve.low[0], curve.propensities[0], curve.high[0]) == (1, 1, 1)
    assert (curve.low[1:] < curve.propensities[1:]).all()
    np.testing.assert_allclose(curve.low * curve.high, curve.propensities**2, rtol=1e-12)


def test_resamples_solved_together_equal_resamples_solved_alone():
    log = draw_log("harvest", np.random.RandomState(0), 200)
    rows = ClickRows(log["clicks"], log["positions"], log["groups"], N_POSITIONS)
    splits = count_splits(log["documents"], int(log["documents"].max()) + 1, rows)
    splits = Splits(*(each[splits.find_informative()] for each in splits))
    random, whole = np.random.RandomState(0), splits.sum_up()
    drawn = [random.standard_exponential(len(whole.shown)) for _ in range(20)]
    drawn.append(np.full(len(whole.shown), 1e-3) + (np.arange(len(whole.shown)) < 100))  # far from the whole
    resampled = [ClickSums(whole.shown, whole.of_alike * each, each @ splits.clicked) for each in drawn]
    best = solve(whole)
    together = list(solve_resamples(whole, best, resampled))
    np.testing.assert_allclose(together, [solve(each, best) for each in resampled], rtol=0, atol=1e-6)
    for each, b in zip(resampled, together):  # for flat likelihoods
        shares = each.shown * np.exp(b)
        shares /= shares.sum(axis=1, keepdims=True)
        np.testing.assert_allclose(each.of_alike @ shares, each.at_positions, rtol=1e-6)


def test_propensity_intervals_widen_with_fewer_queries_and_more_level():
    log = draw_log("swaps", np.random.RandomState(0), 200)
    some = log["groups"] < 50
    few = log | {name: log[name][some] for name in ("clicks", "positions", "groups", "arm")}
    widths = []
    for rows, level in ((log, 0.8), (log, 0.95), (few, 0.95)):
        curve = estimate("swaps", rows, n_resamples=100, confidence_level=level, random_state=0)
        widths.append(np.log(curve.high / curve.low)[1:])
    assert (widths[0] < widths[1]).all()
    assert np.median(widths[2] / widths[1]) == pytest.approx(2, rel=0.3)


def test_propensity_intervals_treat_lists_of_one_query_as_one_unit():
    log = draw_log("swaps", np.random.RandomState(0), 40)
    once = {name: log[name] for name in ("clicks", "positions", "groups", "arm")}
    thrice = {name: np.tile(values, 3) for name, values in once.items()}
    curves = [estimate("swaps", rows, n_resamples=100, random_state=0) for rows in (once, thrice)]
    np.testing.assert_allclose(curves[1].high, curves[0].high, rtol=1e-9)


def test_propensity_interval_half_widths_are_student_t_quantiles():
    log = draw_log("swaps", np.random.RandomState(0), 20)
    half_widths = []
    for level in (0.5, 0.95):
        curve = estimate("swaps", log, n_resamples=100, random_state=0, confidence_level=level)
        half_widths.append(np.log(curve.high / curve.propensities)[1:])
    np.testing.assert_allclose(half_widths[1] / half_widths[0], t.ppf(0.975, 19) / t.ppf(0.75, 19))


def test_propensity_interval_is_nan_for_one_query():
    log = SWAPPED | {"groups": [1] * 9, "documents": ["a", "a", "b", "b"] * 2 + ["a"]}
    curve = estimate("harvest", log, n_resamples=100)
    assert np.isnan(curve.low).all() and np.isnan(curve.high).all()


def test_propensity_intervals_are_nan_without_resamples():
    curve = estimate("swaps")
    assert np.isnan([curve.low, curve.high]).all()


def test_propensity_curve_is_printed_as_table():
    curve = estimate("swaps", SWAPPED, arm=[True] * 8 + [False])
    assert str(curve).splitlines() == [
        "4 queries, method 'swaps', 95% confidence intervals",
        "position  propensity  95% CI            rows",
        "       1       1.000  [nan, nan]           4",
        "       2       0.333  [nan, nan]           4",
        "       3         nan  [nan, nan]           0",
    ]


# ---------------------------------------------------------------------------- order of rows, use of curves


@pytest.mark.parametrize("method", ["swaps", "harvest", "em"])
def test_propensities_do_not_depend_on_row_order(method):
    log = draw_log(method, np.random.RandomState(7), 40)
    order = np.random.RandomState(0).permutation(len(log["clicks"]))
    moved = {name: value[order] for name, value in log.items() if isinstance(value, np.ndarray)}
    np.testing.assert_allclose(
        estimate(method, log | moved).propensities, estimate(method, log).propensities, rtol=1e-3
    )


def test_debias_clicks_accepts_estimated_curve():
    log = draw_log("swaps", np.random.RandomState(0), 60)
    curve = estimate("swaps", log)
    expected = log["clicks"] / curve.propensities[log["positions"] - 1]
    np.testing.assert_array_equal(debias_clicks(log["clicks"], log["positions"], curve), expected)


@pytest.mark.parametrize("method", ["swaps", "harvest"])
def test_propensities_of_long_log_are_close_to_truth(method):
    log = draw_log(method, np.random.RandomState(11), 2000)
    curve = estimate(method, log, n_resamples=100, confidence_level=0.9973)  # 3 standard errors
    assert (curve.low <= PROPENSITIES).all()
    assert (curve.high >= PROPENSITIES).all()
    np.testing.assert_allclose(curve.propensities[:5], PROPENSITIES[:5], rtol=0.1)


@pytest.mark.slow
def test_em_propensities_of_long_log_are_close_to_truth():
    curve = estimate("em", draw_log("em", np.random.RandomState(11), 2000))
    np.testing.assert_allclose(curve.propensities, PROPENSITIES, rtol=0.15)


# ---------------------------------------------------------------------------- errors

LOG = SWAPPED | {"arm": [True] * 9}


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"clicks": [2] * 9}, "'clicks' .* must contain only 0 and 1"),
        ({"positions": [0] + [1] * 8}, "'positions' .* integers >= 1 .* If positions start at 0, add 1"),
        ({"groups": None}, "'groups' .* must contain the query id of each row"),
        ({"groups": [1, 2]}, "'groups' .* must have one id per row"),
        ({"documents": [1, 2]}, "'documents' .* must have one id per row"),
        ({"method": "magic"}, "'method' .* must be one of 'swaps', 'harvest', 'em'"),
        ({"arm": None}, "'arm' .* must not be None if method='swaps'.* positions were drawn at random"),
        ({"arm": [True]}, r"'arm' .* must have the shape of 'clicks', \(9,\)"),
        ({"arm": [0.5] * 9}, "'arm' .* experiment numbers >= 1 and 0 for rows in no experiment. Got 0.5 "),
        ({"arm": [-1] * 9}, "'arm' .* Got -1 "),
        ({"arm": [np.nan] * 9}, "'arm' .* Got nan "),
        ({"arm": [False] * 9}, "'arm' .* must mark rows at two or more positions .* Got no marked row"),
        ({"arm": [True] * 4 + [False] * 5}, "Got no two positions that clicks connect"),
        ({"X": [[1]] * 9}, "'X' .* must be None if method='swaps'.* pass method='em'"),
        ({"documents": list("abcdabcda"), "groups": [1] * 9, "positions": [1, 2, 1, 2, 1, 2, 1, 2, 1]},
         "'arm' .* Got documents that always have the same position"),
        ({"method": "harvest", "arm": None}, "'documents' .* must not be None .* document id of each row"),
        ({"method": "em", "arm": None}, "'X' .* must not be None if method='em'.* features of each row"),
        ({"max_iter": 0}, "'max_iter' .* must be an int >= 1"),
        ({"n_resamples": 20}, "'n_resamples' .* must be an int from 100 to"),
        ({"n_resamples": 2**31}, "'n_resamples' .* must be an int from 100 to"),
        ({"confidence_level": 95}, "'confidence_level' .* must be a number above 0 and below 1"),
        ({"random_state": "x"}, "'random_state' .* must be None"),
    ],
)  # fmt: skip
def test_estimate_propensities_rejects_invalid_log(given, message):
    with pytest.raises(ValueError, match=message) as caught:
        estimate_propensities(**(LOG | given))
    assert "of estimate_propensities must" in str(caught.value)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"estimator": None}, "'estimator' .* must not be None if method='em'.* classifier of X"),
        ({"estimator": LogisticRegression}, "'estimator' .* must be a classifier with predict_proba"),
        ({"estimator": KNeighborsClassifier()}, "'estimator' .* with predict_proba and sample_weight in fit"),
        ({"X": [[1.0]]}, "'X' .* must have one entry per row"),
        (
            {"X": [[np.nan]] * 9},
            "'estimator' .* must fit and predict 'X' without an error. Got ValueError",
        ),
        ({"clicks": [1] * 9}, "'clicks' .* must contain rows without a click .* Got a click in each row"),
        ({"X": [["a"]] * 9}, "'X' .* must be a numeric array with one row of features per row"),
        ({"clicks": [1, 1, 1, 1, 0, 0, 0, 0, 0]}, "'clicks' .* must contain clicks at two or more positions"),
    ],
)
def test_em_rejects_invalid_arguments(given, message):
    log = SWAPPED | {"method": "em", "X": np.zeros((9, 1)), "estimator": LogisticRegression()}
    with pytest.raises(ValueError, match=message):
        estimate_propensities(**(log | given))


def test_em_accepts_log_of_one_query():
    log = SWAPPED | {"method": "em", "X": np.zeros((9, 1)), "groups": [1] * 9}
    curve = estimate("em", log, estimator=LogisticRegression())
    assert curve.n_groups == 1


def test_estimate_propensities_rejects_too_large_table():
    n = 200_000
    log = {"clicks": np.ones(n), "positions": np.arange(n) % 1000 + 1, "groups": np.arange(n)}
    with pytest.raises(ValueError, match=r"must span at most 100,000,000 cells .* Got 200,000 by 1,000 "):
        estimate_propensities(**log, arm=np.ones(n))
    with pytest.raises(ValueError, match=r"'positions' .* must not exceed 1000. Got 1001 "):
        estimate_propensities([1], [1001], groups=[1], arm=[True])
