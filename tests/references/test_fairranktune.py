"""Exposure by owner, compared with FairRankTune for rankings of all items."""

import numpy as np
import pytest

from sklearn_rank.metrics import exposure_by_owner, exposure_parity_score, exposure_ratio_score

N_ITEMS = 12
CASES = pytest.mark.parametrize("seed", range(40))


@pytest.fixture
def library():
    """Return the metrics of FairRankTune."""
    pytest.importorskip("pandas")
    return pytest.importorskip("FairRankTune").Metrics


@pytest.fixture
def drawn(seed, library):
    """Draw one to five rankings of the same items, in our form and in theirs."""
    import pandas

    rng = np.random.default_rng(seed)
    n_rankings, n_owners = int(rng.integers(1, 6)), int(rng.integers(2, 5))
    owners = np.concatenate((np.arange(n_owners), rng.integers(0, n_owners, N_ITEMS - n_owners)))
    y_score, relevance = rng.random((2, n_rankings, N_ITEMS))
    orders = np.argsort(-y_score, axis=1)
    ours = {
        "y_score": y_score.ravel(),
        "groups": np.repeat(np.arange(n_rankings), N_ITEMS),
        "owners": np.tile(owners, n_rankings),
    }
    by_rank = {
        "rankings": pandas.DataFrame(orders.T),
        "relevance": pandas.DataFrame(np.take_along_axis(relevance, orders, axis=1).T),
    }
    return relevance.ravel(), ours, by_rank, dict(enumerate(owners.tolist()))


def assert_same_table(values, of_owners):
    assert list(of_owners) == sorted(of_owners)
    np.testing.assert_allclose(values, list(of_owners.values()), rtol=1e-12)


@CASES
def test_fairranktune_exp_equals_exposure_parity(drawn, library):
    _, ours, theirs, owner_of = drawn
    ratio, of_owners = library.EXP(theirs["rankings"], owner_of, "MinMaxRatio")
    table = exposure_by_owner(None, **ours)
    n_rankings = theirs["rankings"].shape[1]
    assert_same_table(table["exposure"] / table["n_rows"] * n_rankings, of_owners)
    assert exposure_parity_score(None, **ours) == pytest.approx(ratio, rel=1e-12)


@CASES
def test_fairranktune_expu_equals_exposure_by_utility(drawn, library):
    relevance, ours, theirs, owner_of = drawn
    ratio, of_owners = library.EXPU(theirs["rankings"], owner_of, theirs["relevance"], "MinMaxRatio")
    table = exposure_by_owner(relevance, **ours)
    assert_same_table(table["exposure"] / table["utility"], of_owners)
    assert exposure_ratio_score(relevance, **ours) == pytest.approx(ratio, rel=1e-12)


@CASES
def test_fairranktune_expru_of_expected_clicks_equals_impact(drawn, library):
    relevance, ours, theirs, owner_of = drawn
    clicks = theirs["relevance"].mul(1 / np.log2(np.arange(N_ITEMS) + 2), axis=0)
    ratio, of_owners = library.EXPRU(theirs["rankings"], owner_of, theirs["relevance"], clicks, "MinMaxRatio")
    impact = exposure_by_owner(relevance, **ours)["impact"]
    theirs_to_one = np.array(list(of_owners.values())) / of_owners[0]
    np.testing.assert_allclose(impact / impact[0], theirs_to_one, rtol=1e-12)
    assert exposure_ratio_score(relevance, **ours, disparate="impact") == pytest.approx(ratio, rel=1e-12)


@CASES
def test_fairranktune_erbe_erbp_and_erbr_equal_rbp_exposure(drawn, library):
    relevance, ours, theirs, owner_of = drawn
    options = {"browsing_model": "rbp", "p": 0.7}
    table = exposure_by_owner(relevance, **ours, **options)
    exposure, n_rankings = 0.3 * table["exposure"], theirs["rankings"].shape[1]
    _, equal = library.ERBE(theirs["rankings"], owner_of, 0.7, "MinMaxRatio")
    assert_same_table(exposure, equal)
    parity, by_row = library.ERBP(theirs["rankings"], owner_of, 0.7, "MinMaxRatio")
    assert_same_table(exposure / table["n_rows"] * n_rankings, by_row)
    assert exposure_parity_score(None, **ours, **options) == pytest.approx(parity, rel=1e-12)
    ratio, by_utility = library.ERBR(theirs["rankings"], owner_of, theirs["relevance"], 0.7, "MinMaxRatio")
    assert_same_table(exposure / table["utility"], by_utility)
    assert exposure_ratio_score(relevance, **ours, **options) == pytest.approx(ratio, rel=1e-12)


@CASES
def test_fairranktune_awrf_equals_parity_with_rbp_browsing(drawn, library):
    """It takes the probability to stop, and has no target."""
    _, ours, theirs, owner_of = drawn
    ratio, of_owners = library.AWRF(theirs["rankings"], owner_of, 0.3, "MinMaxRatio")
    table = exposure_by_owner(None, **ours, browsing_model="rbp", p=0.7)
    n_rankings = theirs["rankings"].shape[1]
    assert_same_table(100 * 0.3 * table["exposure"] / table["n_rows"] * n_rankings, of_owners)
    assert exposure_parity_score(None, **ours, browsing_model="rbp", p=0.7) == pytest.approx(ratio, rel=1e-12)
