"""Correlations and pairwise accuracy, which accept labels of any sign."""

import numpy as np
import pytest
from scipy import stats
from sklearn.linear_model import LinearRegression

from sklearn_rank import cross_val_score, get_scorer, ranking_scores
from sklearn_rank._engine.prepared import fill_unjudged, find_queries
from sklearn_rank.metrics import pearson_score, tie_report
from tests.helpers.table import ANY_SIGN, METRICS, SCORE_OF

PEERS = {"kendall_tau": stats.kendalltau, "spearman": stats.spearmanr, "pearson": stats.pearsonr}
KINDS = ["small integers", "int8", "floats", "quarters", "all below 0", "huge integers", "bools"]
pytestmark = pytest.mark.filterwarnings("ignore::sklearn_rank.RankingWarning")


def make_labels(kind, random, n):
    small = random.randint(-3, 4, n)
    return {
        "small integers": small,
        "int8": small.astype(np.int8),
        "floats": random.normal(size=n),
        "quarters": small / 2 - 0.25,
        "all below 0": small - 10,
        "huge integers": -(2**60) + 2**40 * small,
        "bools": small > 0,
    }[kind]


def make_rows(kind, seed, unretrieved=False):
    """Queries of 1 to 40 documents with ties of labels and of scores."""
    random = np.random.RandomState(seed)
    groups = np.repeat(np.arange(30), random.randint(1, 41, 30))
    n = len(groups)
    scores = [random.randint(-3, 4, n) / 2, random.normal(size=n)][seed % 2]
    if unretrieved:
        scores[random.randint(0, n, n // 5)] = -np.inf
    order = random.permutation(n)
    return make_labels(kind, random, n), scores, groups[order]


def pairwise_accuracy(labels, scores):
    """Count the pairs one by one."""
    above = labels[:, None] > labels
    right = (scores[:, None] > scores) + 0.5 * (scores[:, None] == scores)
    return (right * above).sum() / above.sum()


def ap_correlation(labels, scores):
    """Sum over pairs the mean of 1 / (rank - 1) of the lower document; equal scores are half right."""
    total = 0.0
    for label, score in zip(labels, scores):
        above = scores > score
        if above.any():
            weight = np.mean([1 / (rank - 1) for rank in range(above.sum() + 1, (scores >= score).sum() + 1)])
            total += weight * ((labels[above] > label).sum() - (labels[above] < label).sum())
    return total / (len(scores) - 1)


def by_definition(stem, labels, scores):
    if len(np.unique(labels)) < 2 or (stem in PEERS and len(np.unique(scores)) < 2):
        return np.nan
    if stem == "kendall_tau_ap":
        return ap_correlation(labels, scores)
    if stem == "pairwise_accuracy":
        return pairwise_accuracy(labels, scores)
    # scipy's means lose digits of huge numbers; dividing by a power of two is exact
    labels = (labels.astype(np.float64) - labels[0]) / 2**40 if labels.dtype == np.int64 else labels * 1.0
    return PEERS[stem](labels, scores).statistic


def test_metrics_with_signed_labels_are_correlations_and_pairs():
    assert ANY_SIGN == ["pairwise_accuracy", "spearman", "pearson", "kendall_tau", "kendall_tau_ap"]


@pytest.mark.parametrize("unretrieved", [False, True])
@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("stem", ANY_SIGN)
def test_signed_label_metrics_match_scipy_per_query(stem, kind, seed, unretrieved):
    unretrieved = unretrieved and stem != "pearson"  # it uses the values of scores
    labels, scores, groups = make_rows(kind, seed, unretrieved)
    got = SCORE_OF[stem](labels, scores, groups=groups, average=None)
    expected = [by_definition(stem, labels[groups == g], scores[groups == g]) for g in np.unique(groups)]
    np.testing.assert_allclose(got, expected, rtol=0, atol=1e-12)
    assert ranking_scores(labels, scores, groups=groups, metrics=[stem], average=None)[stem].tolist() == [
        pytest.approx(value, nan_ok=True) for value in got
    ]


@pytest.mark.parametrize("shift", [-(2**30), -7, -0.5, 100])
@pytest.mark.parametrize("kind", ["small integers", "int8", "all below 0", "quarters"])
@pytest.mark.parametrize("stem", ANY_SIGN)
def test_signed_label_metrics_do_not_depend_on_label_offset(stem, kind, shift):
    labels, scores, groups = make_rows(kind, 0)
    labels = labels.astype(np.float64)
    one, other = (SCORE_OF[stem](y, scores, groups=groups, average=None) for y in (labels, labels + shift))
    np.testing.assert_allclose(one, other, rtol=0, atol=1e-12)


@pytest.mark.parametrize("ties", ["order", "best", "worst"])
def test_pairwise_accuracy_of_signed_labels_supports_all_tie_rules(ties):
    labels, scores, groups = make_rows("small integers", 0)
    assert len(np.unique(scores)) < 10
    score = SCORE_OF["pairwise_accuracy"]
    below, above = (score(y, scores, groups=groups, ties=ties) for y in (labels, labels + 3))
    assert below == above


@pytest.mark.parametrize("stem", ANY_SIGN)
def test_signed_label_metrics_accept_one_row_per_query(stem):
    labels, scores = np.array([[-1.5, 0.5, 0], [2, -3, -3]]), np.array([[3.0, 1, 2], [1, 2, 3]])
    flat = SCORE_OF[stem](labels.ravel(), scores.ravel(), groups=[0, 0, 0, 1, 1, 1], average=None)
    np.testing.assert_array_equal(SCORE_OF[stem](labels, scores, average=None), flat)


@pytest.mark.parametrize(
    ("unjudged", "filled"),
    [
        ("nonrelevant", [-2.0, 0, -1, 3]),
        ("mean", [-2, 0, -1, 3]),
        ("median", [-2, -1, -1, 3]),
        ("drop", [-2, -1, 3]),
    ],
)
@pytest.mark.parametrize("stem", ANY_SIGN)
def test_unjudged_rules_apply_to_signed_labels(stem, unjudged, filled):
    labels, scores = [-2, np.nan, -1, 3], [1.0, 4, 2, 3]
    kept = scores if unjudged != "drop" else [1.0, 2, 3]
    one = SCORE_OF[stem]([labels, [np.nan] * 4], [scores, scores], unjudged=unjudged)
    assert one == SCORE_OF[stem]([filled], [kept])


@pytest.mark.parametrize(
    ("labels", "filled"),
    [
        ([-1, np.nan, 1e308, 1e308], 1e308 / 3 * 2),
        ([-1.7e308, np.nan, -1.7e308, 0], -1.7e308 / 3 * 2),
        ([np.finfo(float).max, np.nan, np.finfo(float).max, np.finfo(float).max], np.finfo(float).max),
        ([5e-324, np.nan, 5e-324, 5e-324], 5e-324),
    ],
)
def test_fill_unjudged_mean_of_huge_labels_is_finite(labels, filled):
    queries = find_queries(np.zeros(4, dtype=int), 4)
    got = fill_unjudged(np.array(labels), queries, "mean")
    np.testing.assert_allclose(got, [labels[0], filled, *labels[2:]], rtol=1e-15)
    rows = {"y_score": [1, 2, 3, 4], "groups": [1] * 4, "zero_division": 0}  # for queries of equal labels
    assert pearson_score(labels, **rows, unjudged="mean") == pearson_score(got, **rows)


@pytest.mark.parametrize("stem", ANY_SIGN)
def test_scorers_and_tie_report_accept_signed_labels(stem):
    random = np.random.RandomState(0)
    X, days = random.normal(size=(60, 2)), np.repeat(np.arange(6), 10)
    returns = X[:, 0] / 100 + random.normal(size=60) / 1000
    value = SCORE_OF[stem](returns, X[:, 0], groups=days)
    assert get_scorer(stem).score_rows(returns, X[:, 0], groups=days) == value
    if "ties" in METRICS[stem].defaults:
        assert tie_report(returns, X[:, 0], groups=days, metrics=[stem]).metrics[stem]["average"] == value
    assert (cross_val_score(LinearRegression(), X, returns, scoring=stem, groups=days, cv=3) > 0.5).all()
