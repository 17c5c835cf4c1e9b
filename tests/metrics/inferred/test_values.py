"""Inferred average precision: hand-computed values, all orders of ties, strata and many samples."""

import numpy as np
import pytest
from scipy.stats import hypergeom

from sklearn_rank import evaluate, map_score, ranking_scores
from sklearn_rank.metrics import infap_score
from tests.metrics.inferred.reference import over_orders

NAN = np.nan
CLOSE = 1e-12


def score(y_true, y_score=None, **options):
    """Compute the value of one list; in the order of the rows unless there are scores."""
    y_score = -np.arange(len(y_true)) if y_score is None else y_score
    if "strata" in options:
        options["strata"] = [options["strata"]]
    return infap_score([y_true], [y_score], **options)


# ------------------------------------------------------------------ by hand, up to smoothing by 1e-5


def test_infap_infers_undrawn_documents_from_judged_ones():
    # Above rank 4, one of two judged documents is relevant: E[P@4] = (1 + 3 * 1/2) / 4.
    assert score([1, NAN, 0, 1]) == pytest.approx((1 + 2.5 / 4) / 2, abs=CLOSE)


def test_infap_counts_documents_in_no_pool_as_nonrelevant():
    # Above rank 4, two of three documents are pooled: E[P@4] = (1 + 2 * 1/2) / 4.
    assert score([1, NAN, 0, 1], strata=[0, -1, 0, 0]) == pytest.approx((1 + 2 / 4) / 2, abs=CLOSE)


@pytest.mark.parametrize(("prior", "expected"), [(0.5, 1.5 / 2), (0.25, 1.25 / 2)])
def test_infap_uses_prior_precision_when_no_document_above_is_judged(prior, expected):
    assert score([NAN, 1], prior_precision=prior) == pytest.approx(expected, abs=CLOSE)


def test_infap_scales_judged_documents_by_sampling_rate_of_stratum():
    # Stratum 0 has 1 relevant document; in stratum 1 the judged one represents all 4: R = 1 + 4.
    y_true, strata = [1, 1, NAN, NAN, NAN], [0, 1, 1, 1, 1]
    at_two = (1 + 1 * (1 + 1e-5) / (1 + 2e-5)) / 2
    assert score(y_true, strata=strata) == pytest.approx((1 * 1 + 4 * at_two) / 5, abs=CLOSE)


def test_infap_counts_unretrieved_documents_in_their_stratum():
    # In stratum 1, 1 of 3 documents is judged and 2 are unretrieved: R = 1 + 3.
    at_two = (1 + 1 * (1 + 1e-5) / (1 + 2e-5)) / 2
    got = score([1, 1, NAN, NAN], [2, 1, -np.inf, -np.inf], strata=[0, 1, 1, 1])
    assert got == pytest.approx((1 + 3 * at_two) / 4, abs=CLOSE)


def test_infap_equals_average_precision_when_all_is_judged():
    rng = np.random.default_rng(0)
    y_true, y_score = rng.integers(0, 2, (50, 30)), rng.normal(size=(50, 30))
    of_all = map_score(y_true, y_score, average=None)
    np.testing.assert_allclose(infap_score(y_true, y_score, average=None), of_all, rtol=0, atol=1e-5)


def test_infap_counts_labels_from_min_relevance_as_relevant():
    got = score([1, NAN, 2, 3], min_relevance=2)
    assert got == score([0, NAN, 1, 1])


@pytest.mark.parametrize("y_true", [[NAN, NAN], [0, NAN], [0, 0]])
def test_infap_uses_zero_division_without_relevant_documents(y_true):
    assert score(y_true, zero_division=1.0) == 1.0
    assert score(y_true, strata=[0, 3], zero_division=1.0) == 1.0


def test_infap_uses_zero_division_when_no_document_is_pooled():
    assert score([NAN, NAN], strata=[NAN, -7], zero_division=1.0) == 1.0


# ------------------------------------------------------------------ definition over all orders of ties


def draw_lists(seed, n_lists=300, n_strata=3):
    rng = np.random.default_rng(seed)
    for _ in range(n_lists):
        n = rng.integers(1, 8)
        strata = rng.integers(-1, n_strata, n)
        y_true = np.where((rng.random(n) < 0.4) | (strata < 0), NAN, rng.integers(0, 3, n))
        y_score = np.where(rng.random(n) < 0.2, -np.inf, rng.integers(0, 3, n))
        yield y_true, y_score, strata


@pytest.mark.parametrize("n_strata", [1, 3])
@pytest.mark.parametrize("prior", [1 / 2, 1 / 3])
def test_infap_of_ties_is_mean_over_all_orders(n_strata, prior):
    lists = list(draw_lists(n_strata, n_strata=n_strata))
    values = [over_orders(*each, prior) for each in lists]
    expected = [NAN if of_list[0] is None else np.mean(of_list) for of_list in values]
    y_true, y_score, strata = (np.concatenate(column) for column in zip(*lists))
    groups = np.repeat(np.arange(len(lists)), [len(each[0]) for each in lists])
    options = {"strata": strata, "prior_precision": prior, "zero_division": NAN, "average": None}
    got = infap_score(y_true, y_score, groups=groups, **options)
    np.testing.assert_allclose(got, expected, rtol=0, atol=CLOSE)


@pytest.mark.parametrize("strata", [None, [0, 0, 1, 1, 0, -1]])
def test_infap_with_input_order_ties_equals_distinct_scores(strata):
    y_true = [NAN, 1, 0, 1, 1, NAN]
    options = {} if strata is None else {"strata": strata}
    got = score(y_true, np.zeros(6), ties="order", **options)
    assert got == score(y_true, -np.arange(6), **options)


@pytest.mark.parametrize("n_judged", [1, 3, 150, 297, 300])
@pytest.mark.parametrize("n_above", [0, 2, 40])
def test_infap_of_long_tie_is_mean_of_hypergeometric_counts(n_judged, n_above):
    # One tie of 300 documents, in which 1 of 3 judged documents is relevant, below others that are not.
    n = 300
    in_tie = np.where(np.arange(n) < n_judged, np.arange(n) % 3 == 0, NAN)
    n_others, n_relevant = n_judged - 1, np.nansum(in_tie) - 1
    precisions = []
    for i in range(n):
        d = np.arange(n_others + 1)
        shares = (d * n_relevant / max(n_others, 1) + 1e-5) / (n_above + d + 2e-5)
        precisions.append(
            (1 + hypergeom.pmf(d, n - 1, n_others, i) @ shares * (n_above + i)) / (n_above + i + 1)
        )
    y_score = np.concatenate([np.ones(n_above), np.zeros(n)])
    got = score(np.concatenate([np.zeros(n_above), in_tie]), y_score)
    assert got == pytest.approx(np.mean(precisions), rel=1e-11)


@pytest.mark.slow
def test_infap_of_long_tie_is_mean_of_sampled_orders():
    rng = np.random.default_rng(1)
    n = 300
    strata = rng.integers(0, 2, n)
    y_true = np.where(rng.random(n) < 0.5, NAN, rng.random(n) < 0.2)
    y_score = np.where(np.arange(n) < 10, 1.0, 0.0)
    orders = y_score + rng.random((4000, n)) / 2
    drawn = infap_score(np.tile(y_true, (4000, 1)), orders, strata=np.tile(strata, (4000, 1)), average=None)
    standard_error = drawn.std() / np.sqrt(len(drawn))
    assert abs(score(y_true, y_score, strata=strata) - drawn.mean()) < 3 * standard_error


# ------------------------------------------------------------------ strata


@pytest.fixture
def rows():
    lists = list(draw_lists(5, n_lists=60))
    y_true, y_score, strata = (np.concatenate(column) for column in zip(*lists))
    return y_true, y_score, strata, np.repeat(np.arange(60), [len(each[0]) for each in lists])


def values(rows, **options):
    y_true, y_score, strata, groups = rows
    return infap_score(y_true, y_score, groups=groups, strata=strata, average=None, **options)


def test_infap_with_one_stratum_equals_infap_without_strata(rows):
    y_true, y_score, strata, groups = rows
    kept = strata >= 0
    inside = y_true[kept], y_score[kept], np.full(kept.sum(), 7), groups[kept]
    without = infap_score(*inside[:2], groups=inside[3], average=None)
    np.testing.assert_allclose(values(inside), without, rtol=0, atol=CLOSE)


def test_infap_does_not_depend_on_stratum_names(rows):
    y_true, y_score, strata, groups = rows
    named = np.where(strata < 0, NAN, np.array([2.0**40, 3, 11])[strata])
    np.testing.assert_array_equal(values((y_true, y_score, named, groups)), values(rows))


def test_infap_does_not_depend_on_row_order(rows):
    order = np.random.default_rng(0).permutation(len(rows[0]))
    moved = tuple(column[order] for column in rows)
    np.testing.assert_allclose(values(moved), values(rows), rtol=0, atol=CLOSE)


def test_infap_strata_are_separate_for_each_query(rows):
    y_true, y_score, strata, groups = rows
    own = np.where(strata < 0, -1, strata + 3 * groups)
    np.testing.assert_array_equal(values((y_true, y_score, own, groups)), values(rows))


def test_infap_of_matrix_rows_equals_flat_rows():
    rng = np.random.default_rng(2)
    y_true = np.where(rng.random((9, 12)) < 0.4, NAN, rng.integers(0, 2, (9, 12)))
    y_score, strata = rng.normal(size=(9, 12)), rng.integers(0, 2, (9, 12))
    flat = {"groups": np.repeat(np.arange(9), 12), "strata": strata.ravel()}
    got = infap_score(y_true.ravel(), y_score.ravel(), **flat)
    assert infap_score(y_true, y_score, strata=strata) == pytest.approx(got, abs=CLOSE)


# ------------------------------------------------------------------ errors


@pytest.mark.parametrize(
    ("strata", "rule"),
    [
        ([0, 0.5, 1], "contain integers, or NaN for documents outside the pool. Got 0.5"),
        ([0, np.inf, 1], "contain integers"),
        ([0, 10**400, 1], "contain integers"),
        (np.longdouble([0, "1e4000", 1]), "contain integers"),
        ([0, 1], r"have the same shape as 'y_true', \(3,\). Got shape \(2,\)"),
        (["a", "b", "c"], "be an array of real numbers"),
        ([0, -1, 0], "contain the stratum of each judged document. Got none for 1 of them"),
        ([0, NAN, 0], "contain the stratum of each judged document"),
    ],
)
def test_infap_rejects_invalid_strata(strata, rule):
    with pytest.raises(ValueError, match=f"'strata' parameter of infap_score must {rule}"):
        infap_score([1, 0, NAN], [3, 2, 1], groups=[1, 1, 1], strata=strata)


@pytest.mark.parametrize("ties", ["best", "worst"])
def test_infap_with_strata_rejects_best_and_worst_ties(ties):
    with pytest.raises(ValueError, match="must be one of 'average', 'order' with strata"):
        score([1, 0], strata=[0, 0], ties=ties)


def test_infap_rejects_labels_beyond_float_range():
    with pytest.raises(ValueError, match="'y_true' parameter of infap_score must be finite"):
        infap_score([10**400, 0], [2, 1], groups=[1, 1], strata=[0, 0])


def test_infap_rejects_strata_in_different_order():
    pandas = pytest.importorskip("pandas")
    y_true, strata = pandas.Series([1, 0], index=["a", "b"]), pandas.Series([0, 1], index=["b", "a"])
    with pytest.raises(ValueError, match="'strata' parameter of infap_score must"):
        infap_score(y_true, [2, 1], groups=[1, 1], strata=strata)


# ------------------------------------------------------------------ many samples


def draw_samples(rates, n_samples, n=1000, seed=3):
    """Judge a pool many times: of each stratum, the first documents being the first, a share at random."""
    rng = np.random.default_rng(seed)
    truth = (rng.random(n) < np.linspace(0.6, 0.02, n)).astype(float)
    y_score = rng.normal(size=n) * n / 6 - np.arange(n)
    strata = np.arange(n) * len(rates) // n
    labels = np.tile(truth, (n_samples, 1))
    for stratum, rate in enumerate(rates):
        members = np.flatnonzero(strata == stratum)
        for row in labels:
            row[rng.permutation(members)[round(rate * len(members)) :]] = NAN
    given = labels, np.tile(y_score, (n_samples, 1)), np.tile(strata, (n_samples, 1))
    return map_score([truth], [y_score]), given


@pytest.mark.parametrize("rates", [[0.3], [1, 0.3, 0.1]])
def test_infap_mean_over_samples_is_close_to_full_map(rates):
    expected, (y_true, y_score, strata) = draw_samples(rates, 300)
    assert infap_score(y_true, y_score, strata=strata) == pytest.approx(expected, abs=0.005)


def test_infap_overestimates_uneven_sampling_without_strata():
    expected, (y_true, y_score, _) = draw_samples([1, 0.3, 0.1], 300)
    assert infap_score(y_true, y_score) > expected + 0.03


# ---------------------------------------------------------------------------- strata by name

STRATIFIED = {"y_true": [1, NAN, 0, 1], "y_score": [4, 3, 2, 1], "groups": [7] * 4}


def test_ranking_scores_and_evaluate_pass_strata_to_infap():
    strata = [0, -1, 0, 0]
    expected = infap_score(**STRATIFIED, strata=strata)
    names = {"metrics": ["infap", "map"], "unjudged": "nonrelevant", "strata": strata}
    assert expected != infap_score(**STRATIFIED)
    assert ranking_scores(**STRATIFIED, **names)["infap"] == expected
    assert evaluate(**STRATIFIED, **names).mean["infap"] == expected


def test_evaluate_reads_strata_from_data_column():
    data = {**STRATIFIED, "pool": [0, -1, 0, 0]}
    rows = {name: name for name in STRATIFIED}
    report = evaluate(**rows, data=data, strata="pool", metrics=["infap"])
    assert report.mean["infap"] == infap_score(**STRATIFIED, strata=data["pool"])


def test_ranking_scores_rejects_strata_that_no_metric_uses():
    with pytest.raises(
        ValueError,
        match="'strata' parameter of ranking_scores must be None unless a metric in 'metrics' uses it",
    ):
        ranking_scores(**STRATIFIED, metrics=["map"], unjudged="nonrelevant", strata=[0, -1, 0, 0])


def test_ranking_scores_rejects_strata_with_best_ties():
    with pytest.raises(
        ValueError, match="'ties' parameter of ranking_scores must be one of 'average', 'order'"
    ):
        ranking_scores(**STRATIFIED, metrics=["infap"], ties="best", strata=[0, -1, 0, 0])
