"""Standard errors and intervals, compared with separate formulas, scipy and statsmodels."""

import numpy as np
import pytest
from scipy import stats

from sklearn_rank import RankingReport, evaluate
from tests.helpers.public_calls import NAMES
from tests.helpers.table import METRICS

LEVELS = [0.8, 0.95, 0.99]
BOUNDED = [name for name in NAMES if np.isfinite(METRICS[name.partition("@")[0]].upper)]


def report_of(values, name="x", **options):
    """Make a report of one metric."""
    return RankingReport.from_values(np.arange(len(values)), {name: values}, **options)


def draw(n=40, seed=0):
    return np.random.default_rng(seed).random(n)


# ------------------------------------------------------------------ t


def test_report_interval_is_the_whole_range_when_level_rounds_to_1():
    assert report_of(draw(), confidence_level=1 - 1e-16).interval["x"] == (-np.inf, np.inf)
    assert report_of(draw(), "mrr", confidence_level=1 - 1e-16).interval["mrr"] == (0, 1)


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("n", [2, 5, 200])
def test_t_interval_matches_scipy(n, level):
    values = draw(n) * 10
    report = report_of(values, confidence_level=level)
    low, high = stats.ttest_1samp(values, 0).confidence_interval(level)
    assert report.standard_error["x"] == pytest.approx(stats.sem(values), rel=1e-12)
    assert report.interval["x"] == pytest.approx((low, high), rel=1e-12)


def test_report_interval_ignores_queries_without_a_value():
    values = np.append(draw(), [np.nan] * 7)
    whole, defined = report_of(values), report_of(values[:-7])
    assert whole.interval["x"] == pytest.approx(defined.interval["x"], rel=1e-13)
    assert (whole.n_queries, whole.n_defined["x"]) == (47, 40)


def test_weighted_report_matches_the_formula():
    values, weights = draw(), np.random.default_rng(1).integers(0, 4, 40)
    report = report_of(values, weights=weights)
    v, w = values[weights > 0], weights[weights > 0]
    mean = sum(w * v) / sum(w)
    e = w * (v - mean) / sum(w)
    error = np.sqrt(len(w) / (len(w) - 1) * sum(e**2))
    half = stats.t.ppf(0.975, sum(w) ** 2 / sum(w**2) - 1) * error
    assert report.mean["x"] == pytest.approx(mean, rel=1e-14)
    assert report.standard_error["x"] == pytest.approx(error, rel=1e-12)
    assert report.interval["x"] == pytest.approx((mean - half, mean + half), rel=1e-12)
    assert report.n_defined["x"] == len(w)
    assert report.moments["x"].n_effective == pytest.approx(sum(w) ** 2 / sum(w**2))


def test_report_n_effective_counts_queries_with_tiny_equal_weights():
    report = report_of([0.2, 0.6, np.nan], weights=[1e-300, 1e-300, 1])
    assert report.moments["x"].n_effective == 2


def test_report_interval_with_equal_weights_equals_unweighted():
    plain, weighted = report_of(draw()), report_of(draw(), weights=[7] * 40)
    assert weighted.interval["x"] == pytest.approx(plain.interval["x"], rel=1e-13)


@pytest.mark.parametrize("weighted", [False, True], ids=["plain", "weights"])
def test_report_interval_of_micro_average_matches_the_ratio_formula(queries, weighted):
    y_true, y_score, groups = queries
    ids, codes = np.unique(groups, return_inverse=True)
    w = np.arange(len(ids)) % 5 if weighted else np.ones(len(ids))
    options = {"sample_weight": w[codes]} if weighted else {}
    report = evaluate(
        y_true, y_score, groups=groups, metrics=["recall@3"], average="micro", ties="order", **options
    )
    above, below = np.zeros(len(ids)), np.zeros(len(ids))
    for place, query in enumerate(ids):
        labels = y_true[groups == query][np.argsort(-y_score[groups == query], kind="stable")] > 0
        above[place], below[place] = w[place] * labels[:3].sum(), w[place] * labels.sum()
    ratio = above.sum() / below.sum()
    e = (above - ratio * below) / below.sum()
    n = np.count_nonzero(below)
    error = np.sqrt(n / (n - 1) * (e**2).sum())
    half = stats.t.ppf(0.975, below.sum() ** 2 / (below**2).sum() - 1) * error
    assert report.mean["recall@3"] == pytest.approx(ratio, rel=1e-13)
    assert report.standard_error["recall@3"] == pytest.approx(error, rel=1e-11)
    assert report.interval["recall@3"] == pytest.approx((ratio - half, ratio + half), rel=1e-11)


def test_report_interval_uses_clusters_as_units():
    values, clusters = draw(), np.arange(40) % 9
    report = report_of(values, cluster=clusters)
    mean = values.mean()
    sums = np.array([sum(values[clusters == c] - mean) / 40 for c in range(9)])
    sizes = np.array([sum(clusters == c) for c in range(9)])
    error = np.sqrt(9 / 8 * sum(sums**2))
    half = stats.t.ppf(0.975, 40**2 / sum(sizes**2) - 1) * error
    assert report.mean["x"] == pytest.approx(mean, rel=1e-14)
    assert report.standard_error["x"] == pytest.approx(error, rel=1e-12)
    assert report.interval["x"] == pytest.approx((mean - half, mean + half), rel=1e-12)


@pytest.mark.parametrize("interval", ["t", "bootstrap"])
def test_report_interval_of_single_query_clusters_equals_unclustered(interval):
    options = {"interval": interval, "random_state": 0}
    by_cluster = report_of(draw(), cluster=np.arange(40)[::-1], **options)
    assert by_cluster.standard_error["x"] == pytest.approx(report_of(draw()).standard_error["x"], rel=1e-12)


@pytest.mark.parametrize("options", [{"weights": [1, 0, 0]}, {"cluster": ["a"] * 3}], ids=str)
@pytest.mark.parametrize("interval", ["t", "bootstrap"])
@pytest.mark.parametrize("name", ["x", "hit_rate@1"])
def test_report_interval_is_nan_with_one_unit(name, interval, options):
    report = report_of([1.0, 0.0, 1.0], name, interval=interval, **options)
    assert np.isnan([report.standard_error[name], *report.interval[name]]).all()
    assert not np.isnan(report.mean[name])


@pytest.mark.parametrize("interval", ["t", "bootstrap"])
def test_report_interval_of_equal_values_has_no_width(interval):
    assert report_of([0.5] * 30, interval=interval).interval == {"x": (0.5, 0.5)}


# ------------------------------------------------------------------ Wilson


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize(("hits", "n"), [(0, 10), (1, 25), (9, 20), (10, 10)])
def test_report_interval_of_hit_rate_is_wilson(hits, n, level):
    proportion = pytest.importorskip("statsmodels.stats.proportion")
    values = np.arange(n) < hits
    report = report_of(values, "hit_rate@5", confidence_level=level)
    expected = proportion.proportion_confint(hits, n, 1 - level, method="wilson")
    assert report.interval["hit_rate@5"] == pytest.approx(expected, abs=1e-12)


def test_wilson_interval_matches_a_value_computed_by_hand():
    # 3 hits in 12 queries, z = 1.959964: (0.25 + 0.16006) / 1.32012 -+ 1.959964 / 1.32012 * 0.16007
    low, high = report_of([1, 1, 1] + [0] * 9, "hit_rate@1").interval["hit_rate@1"]
    assert (low, high) == pytest.approx((0.0889, 0.5323), abs=5e-5)


def test_wilson_interval_of_only_misses_or_hits_matches_by_hand():
    # z = 1.959964, 10 queries: from 0 to z**2 / (10 + z**2) = 3.841459 / 13.841459
    end = 3.841459 / 13.841459
    none, all_hit = (report_of([value] * 10, "hit_rate@1").interval["hit_rate@1"] for value in (0, 1))
    assert none == pytest.approx((0, end), abs=1e-6)
    assert all_hit == pytest.approx((1 - end, 1), abs=1e-6)


def test_wilson_interval_is_only_for_binary_hit_rates():
    values = [0.0, 1.0, 0.5] * 10
    assert report_of(values, "hit_rate@5").interval["hit_rate@5"] == pytest.approx(
        report_of(values).interval["x"]
    )
    shares = [0.0, 1.0, 1.0] * 10
    assert report_of(shares, "mrr").interval["mrr"] != report_of(shares, "hit_rate@5").interval["hit_rate@5"]


def test_wilson_interval_replaces_the_bootstrap():
    values = [0, 1, 1] * 10
    bootstrap = report_of(values, "hit_rate@5", interval="bootstrap")
    assert bootstrap.interval == report_of(values, "hit_rate@5").interval


def test_wilson_interval_of_clusters_uses_the_effective_number():
    values, clusters = (draw(60) < 0.4).astype(float), np.arange(60) // 4
    report = report_of(values, "hit_rate@1", cluster=clusters)
    p = values.mean()
    n = p * (1 - p) / report.standard_error["hit_rate@1"] ** 2 * 15 / 14
    z = stats.norm.ppf(0.975)
    middle = (p + z**2 / (2 * n)) / (1 + z**2 / n)
    half = z / (1 + z**2 / n) * np.sqrt(p * (1 - p) / n + z**2 / (4 * n**2))
    assert report.interval["hit_rate@1"] == pytest.approx((middle - half, middle + half), rel=1e-12)


# ------------------------------------------------------------------ bootstrap


def slow_bootstrap(values, weights, n_resamples, seed):
    """Resample units one after another, and compute mean and standard error of each resample."""
    n = len(values)
    mean = np.average(values, weights=weights)
    e = weights * (values - mean) / weights.sum()
    error = np.sqrt(n / (n - 1) * sum(e**2))
    units = np.floor(n * np.random.RandomState(seed).random_sample((n_resamples, n))).astype(int)
    drawn = []
    for sample in units:
        v, w = values[sample], weights[sample]
        again = sum(v * w) / sum(w)
        own = np.sqrt(n / (n - 1) * sum((w * (v - again) / sum(w)) ** 2))
        drawn.append((again - mean) / own)
    low, high = np.quantile(drawn, [0.025, 0.975], method="weibull")
    return mean - high * error, mean - low * error


@pytest.mark.parametrize("weights", [np.ones(30), 1 + np.arange(30) % 4], ids=["plain", "weights"])
def test_bootstrap_interval_matches_a_slow_loop(weights):
    values = draw(30) ** 3
    report = report_of(values, weights=weights, interval="bootstrap", n_resamples=300, random_state=5)
    assert report.interval["x"] == pytest.approx(slow_bootstrap(values, weights, 300, 5), rel=1e-9)


def test_bootstrap_interval_draws_whole_clusters():
    values, clusters = draw(60) ** 3, np.arange(60) // 2
    options = {"interval": "bootstrap", "n_resamples": 300, "random_state": 5}
    got = report_of(values, cluster=clusters, **options).interval["x"]
    assert got == pytest.approx(report_of(values.reshape(30, 2).mean(axis=1), **options).interval["x"])


@pytest.mark.parametrize("seed", [0, np.random.RandomState(0)], ids=["int", "RandomState"])
def test_bootstrap_interval_is_reproducible_with_a_seed(seed):
    once = report_of(draw(), interval="bootstrap", random_state=seed).interval["x"]
    seed = np.random.RandomState(0) if isinstance(seed, np.random.RandomState) else seed
    assert report_of(draw(), interval="bootstrap", random_state=seed).interval["x"] == once
    assert report_of(draw(), interval="bootstrap", random_state=1).interval["x"] != once


def test_bootstrap_interval_is_drawn_when_the_report_is_made():
    seed = np.random.RandomState(0)
    reports = [report_of(draw(), interval="bootstrap", random_state=seed) for _ in range(2)]
    again = np.random.RandomState(0)
    expected = [report_of(draw(), interval="bootstrap", random_state=again).interval for _ in range(2)]
    assert [each.interval for each in reversed(reports)] == expected[::-1]


def test_bootstrap_interval_follows_skewed_values():
    values = draw(40) ** 8
    low, high = report_of(values, interval="bootstrap", random_state=0).interval["x"]
    assert high - values.mean() > 1.5 * (values.mean() - low)


def test_bootstrap_interval_does_not_depend_on_piece_size(monkeypatch):
    from sklearn_rank.reports import _intervals

    options = {"interval": "bootstrap", "n_resamples": 1000, "random_state": 0}
    whole = report_of(draw(), **options).interval["x"]
    monkeypatch.setattr(_intervals, "PIECE", 40 * 128)
    monkeypatch.setattr(_intervals, "STRIP", 40 * 3)
    assert report_of(draw(), **options).interval["x"] == pytest.approx(whole, rel=1e-12)


# ------------------------------------------------------------------ ranges and marks


@pytest.mark.parametrize("interval", ["t", "bootstrap"])
@pytest.mark.parametrize("name", BOUNDED)
def test_report_interval_stays_inside_the_range_of_the_metric(name, interval):
    entry = METRICS[name.partition("@")[0]]
    values = np.where(np.arange(6) < 3, entry.lower, entry.upper) if "hit" not in name else [0.5, 1.0] * 3
    low, high = report_of(values, name, interval=interval, random_state=0).interval[name]
    assert entry.lower <= low < high <= entry.upper


@pytest.mark.parametrize(
    ("name", "values", "expected"),
    [
        ("bpr_loss", [0, 5], (0, np.inf)),
        ("neg_bpr_loss", [0, -5], (-np.inf, 0)),
        ("kendall_tau", [-1, 1], (-1, 1)),
        ("neg_fallout_loss@5", [0, -1], (-1, 0)),
        ("fallout_loss@5", [0, 1], (0, 1)),
    ],
)
def test_report_interval_range_depends_on_losses_and_correlations(name, values, expected):
    low, high = report_of(values, name).interval[name]
    lower, upper = expected
    assert (low == lower) == np.isfinite(lower)
    assert (high == upper) == np.isfinite(upper)


@pytest.mark.parametrize(
    ("values", "small"),
    [
        (np.linspace(0.1, 0.9, 19), True),
        (np.linspace(0.1, 0.9, 20), False),
        ([0.0] * 30 + [0.5] * 4, True),
        ([0.0] * 30 + [0.5] * 5, False),
        ([1.0] * 30 + [0.5] * 4, True),
        ([1.0] * 30 + [0.5] * 5, False),
    ],
)
def test_report_is_small_sample_marks_intervals_small_distinct_values(values, small):
    assert report_of(values).is_small_sample["x"] == small


def test_report_is_small_sample_counts_clusters_as_units():
    assert report_of(draw(), cluster=np.arange(40) % 19).is_small_sample["x"]
    assert not report_of(draw(), cluster=np.arange(40) % 20).is_small_sample["x"]


def test_report_standard_error_is_infinite_when_squares_overflow():
    report = report_of([1e200, 2e200], "dcg")
    assert (report.mean["dcg"], report.standard_error["dcg"]) == (1.5e200, np.inf)
