"""Rare arguments that once ended in an error of numpy or Python, in a warning or without memory."""

import re
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from scipy import sparse
from sklearn.linear_model import Ridge
from sklearn.metrics import mean_absolute_error, mean_squared_error
from sklearn.naive_bayes import GaussianNB

from sklearn_rank import (
    GridSearchCV,
    GroupTimeSeriesSplit,
    LeaveLastOut,
    RankingEvaluator,
    RankingReport,
    TimeCut,
    catalog_coverage_score,
    compare,
    cross_val_score,
    evaluate,
    evaluate_runs,
    from_interactions,
    from_recommendations,
    from_run,
    from_score_matrix,
    group_score,
    ndcg_scorer,
    ranking_scorer,
    ranking_scores,
    train_test_split,
)
from sklearn_rank.clicks import debias_clicks, estimate_propensities
from sklearn_rank.datasets import make_ranking
from sklearn_rank.inspection import MetricDistributionDisplay
from sklearn_rank.metrics import (
    Missed,
    exposure_gini_loss,
    f1_at_k_score,
    insq_score,
    intent_aware_score,
    neg_exposure_gini_loss_scorer,
    rbo_score,
)
from sklearn_rank.rankers import PairwiseRanker
from tests.helpers.messages import ROWS

REPORT = RankingReport.from_values([1, 2, 3], {"mrr": [1, 0.5, 0.25]})
PAIR = {"a": REPORT, "b": RankingReport.from_values([1, 2, 3], {"mrr": [0.5, 0.5, 1]})}
CLICKS = {"clicks": [1, 0, 0, 1], "positions": [1, 2, 1, 2], "groups": [0, 0, 1, 1]}
LISTS = {"items": [1, 2], "y_score": [1, 2], "groups": [0, 0]}
TIMED = {"X": [[0], [1], [2]], "groups": [1, 2, 3], "times": [1, 2, 3]}
FITTED = {"X": TIMED["X"], "y": [1, 2, 1], "groups": TIMED["groups"]}
SCORED = {**FITTED, "scoring": "mrr", "cv": 3}
SEARCH = {"estimator": Ridge(), "param_grid": {}, "scoring": "mrr", "cv": 3}
ENDLESS: list = []
ENDLESS.append(ENDLESS)
RUNS = {"qrels": {"q": {"d": 1}}, "runs": {"one": {"q": {"d": 0.5}}}}
MATRIX = sparse.csr_array(np.eye(3))


def frames_of(**columns):
    """Return a frame of interactions with other columns, and one of recommended items."""
    pandas = pytest.importorskip("pandas")
    return [
        pandas.DataFrame({"user": [1, 2], "item": [1, 2], **more}) for more in (columns, {"score": [1, 2]})
    ]


REJECTED = {
    "values: a matrix as values": lambda: RankingReport.from_values([1, 2, 3], MATRIX),
    "ids: a matrix as ids": lambda: RankingReport.from_values(MATRIX, {"mrr": [1, 0.5, 0.25]}),
    "baseline: a matrix as baseline": lambda: compare({"a": REPORT, "b": REPORT}, baseline=MATRIX),
    "metrics: a number as metrics": lambda: evaluate_runs(**RUNS, metrics=3),
    "metrics: a mapping among metrics": lambda: evaluate_runs(**RUNS, metrics=["map", {}]),
    "n_splits: as many folds as times": lambda: [
        *TimeCut(2).split([[0]] * 3, groups=[1, 2, 3], times=[1, 1, 2])
    ],
    "n_splits: folds of one time": lambda: [*TimeCut(2).split([[0]] * 3, groups=[1, 2, 3], times=[1, 1, 1])],
    "metrics: void names": lambda: ranking_scores(**ROWS, metrics=np.array(["map"]).view("V12")),
    "confidence_level: a level that rounds to 1": lambda: RankingReport.from_values(
        [1, 2], {"mrr": [1, 0]}, confidence_level=1 - Fraction(1, 10**400)
    ),
    "desired_gain: a gain whose square is 0": lambda: insq_score(**ROWS, desired_gain=5e-324),
    "n_resamples: text as resamples": lambda: estimate_propensities(
        **CLICKS, method="harvest", documents=[1, 1, 1, 1], n_resamples="mrr"
    ),
    "propensities: no propensities": lambda: debias_clicks(CLICKS["clicks"], CLICKS["positions"], None),
    "propensities: propensities with lists as labels": lambda: debias_clicks(
        CLICKS["clicks"], CLICKS["positions"], sparse.dok_array([[0.5]])
    ),
    "catalog: a catalog without some items": lambda: catalog_coverage_score(**LISTS, catalog=1),
    "discount: a discount of another length": lambda: exposure_gini_loss(**LISTS, discount=len),
    "scores: lists in a matrix": lambda: from_score_matrix([[0.5], [1]], [[[0]], [[1, 2]]]),
    "seen: a matrix of another shape": lambda: from_score_matrix([[0.5], [1]], [[1], [0]], seen=[[1]]),
    "interactions: words as ratings": lambda: from_interactions(*frames_of(rating=["a", "b"])),
    "beta: a weight whose square is not a float": lambda: f1_at_k_score(**ROWS, k=1, beta=1e300),
    "relevant: a number": lambda: from_recommendations(np.array(7), [[1]]),
    "n_queries: more queries than memory": lambda: make_ranking(n_queries=2**62),
    "n_features: more features than memory": lambda: make_ranking(n_features=np.int64(2**62)),
    "n_grades: more grades than a float has": lambda: make_ranking(n_grades=2**63),
    "cuts: a date before all rows": lambda: [*TimeCut(cuts=[1]).split(**TIMED)],
    "cuts: an object of which each attribute is None": lambda: [
        *TimeCut(cuts=[type("", (), {"__getattr__": lambda *_: None})()]).split(**TIMED)
    ],
    "labels: the name of the ids": lambda: ndcg_scorer(labels="a", groups="a"),
    "labels: the name of the rows": lambda: ndcg_scorer(labels="X"),
    "cuts: no date": lambda: [*TimeCut(cuts=[]).split(**TIMED)],
    "test_size: test sets of all rows": lambda: [*TimeCut(test_size=3).split(**TIMED)],
    "test_size: test sets of all groups": lambda: [*GroupTimeSeriesSplit(2, test_size=2).split(**TIMED)],
    "gap: a gap of all groups": lambda: [*GroupTimeSeriesSplit(2, gap=3).split(**TIMED)],
    "test_size: test sets of more than all queries": lambda: train_test_split(
        TIMED["X"], groups=TIMED["groups"], test_size=2, train_size=2
    ),
    "margin: a margin beyond floats": lambda: compare(PAIR, margin=10**400),
    "margin: a margin of another metric": lambda: compare(PAIR, margin={"a": 0.5}),
    "margin: no margin of any metric": lambda: compare(PAIR, margin={}),
    "difference: a difference beyond floats": lambda: compare(PAIR).queries_needed(difference=10**400),
    "difference: a difference of another metric": lambda: compare(PAIR).queries_needed(difference={"a": 1}),
    "y: grades that are dicts": lambda: cross_val_score(Ridge(), **SCORED | {"y": [{}] * 3}),
    "y: classes that are dicts": lambda: cross_val_score(GaussianNB(), **SCORED | {"y": [{}] * 3}),
    "groups: complex ids": lambda: evaluate(**{**ROWS, "groups": [np.complex64(1j)] * 4}, metrics=["mrr"]),
    "groups: complex ids of a part": lambda: RankingEvaluator(["mrr"]).update([1], [0.5], [np.complex64(1j)]),
    "qrels: tuples of integers beyond 64 bits": lambda: from_run(
        pytest.importorskip("pandas").Series([(2**70, 1)], dtype="category"), {"q": {"d": 1}}
    ),
    "y: classes that are matrices": lambda: cross_val_score(
        GaussianNB(), **SCORED | {"y": np.array([0, 1, MATRIX], dtype=object)}
    ),
    "y: classes of other lengths": lambda: cross_val_score(
        GaussianNB(), **SCORED | {"y": [[0], [1, 2], [0]]}
    ),
    "y: a class that is a signaling NaN": lambda: cross_val_score(
        GaussianNB(), **SCORED | {"y": [0, 1, Decimal("sNaN")]}
    ),
    "scoring: an array as scoring": lambda: GridSearchCV(**SEARCH | {"scoring": np.ones(2)}).fit(**FITTED),
    "scoring: an endless list as scoring": lambda: GridSearchCV(**SEARCH | {"scoring": ENDLESS}).fit(
        **FITTED
    ),
    "cv: an endless list as folds": lambda: GridSearchCV(**SEARCH | {"cv": [ENDLESS]}).fit(**FITTED),
    "y: labels of bytes": lambda: cross_val_score(
        Ridge(), **SCORED | {"y": np.zeros(3).view("V8"), "cv": [([0], [1])]}
    ),
    "intent_weight: a dict as weights": lambda: intent_aware_score(
        "ndcg@2", np.eye(2), [1, 2], groups=[0, 0], intent_weight={0: 0.5, 1: 0.5}
    ),
    "metrics: a matrix as metrics": lambda: evaluate(**ROWS, metrics=sparse.dok_array((2, 3))),
    "margin: a matrix as margin": lambda: compare(PAIR, margin=sparse.dok_array((2, 3))),
    "reports: an array as reports": lambda: MetricDistributionDisplay.from_reports(np.ones(2), "mrr"),
    "reports: a matrix as reports": lambda: MetricDistributionDisplay.from_reports(
        sparse.dok_array((2, 3)), "mrr"
    ),
    "catalog: a frame as catalog": lambda: score_of_catalog(pytest.importorskip("polars")),
}


def score_of_catalog(polars):
    """Score lists by a scorer whose catalog is a frame of polars."""
    scorer = neg_exposure_gini_loss_scorer(k=2, catalog=polars.DataFrame({"item": [1, 2]}), items="item")
    frame = pytest.importorskip("pandas").DataFrame({"a": [0, 1], "item": [1, 2]})
    return scorer(Ridge().fit(frame, [1, 0]), frame, [1, 0], groups=[0, 0])


# Values of queries or rows that have no length, or that numpy cannot read.
WITHOUT_ROWS = {
    "masked": np.ma.masked,
    "0-d": np.array(1),
    "0-d object": np.array(None, dtype=object),
    "sparse": sparse.csr_array([[1.0]]),
    "sparse by keys": sparse.dok_array((2, 3)),
    "ragged": [[1, 2], [3]],
    "arrays in a list": [1, np.ones((1, 2))],
}
TAKE_ROWS = {
    "ids": lambda value: RankingReport.from_values(value, {"mrr": [1, 0]}),
    "sizes": lambda value: RankingReport.from_values([1, 2], {"mrr": [1, 0]}, sizes=value),
    "folds": lambda value: RankingReport.from_values([1, 2], {"mrr": [1, 0]}, folds=value),
    "label_fingerprints": lambda value: RankingReport.from_values(
        [1, 2], {"mrr": [1, 0]}, label_fingerprints=value
    ),
    "cluster": lambda value: evaluate(**ROWS, metrics=["mrr"], cluster=value),
    "labels": REPORT.by,
    "y_score": lambda value: RankingEvaluator(["mrr"]).update([1, 0], value, [1, 1]),
    "missed": lambda value: ranking_scores(**ROWS, metrics=["mrr"], missed=([0], value)),
    "groups": lambda value: Missed(value, []),
}
TAKE_NAMES = {
    "ranking_scores": lambda name: ranking_scores(**ROWS, metrics=["map", name]),
    "ranking_scorer": lambda name: ranking_scorer(["map", name]),
    "RankingEvaluator": lambda name: RankingEvaluator(["map", name]),
}


@pytest.mark.parametrize("name", REJECTED)
def test_rare_argument_raises_error_that_names_the_parameter(name):
    parameter, _, _ = name.partition(":")
    message = rf"The '{parameter}' parameter of .* must .* Got .* instead\. .+"
    with pytest.raises(ValueError, match=message):
        REJECTED[name]()


@pytest.mark.parametrize("refit", [ENDLESS, np.array(None, dtype=object)], ids=["endless", "0-d"])
def test_search_rejects_refit_that_cannot_be_searched_for_models(refit):
    with pytest.raises(ValueError, match="The 'refit' parameter of GridSearchCV must"):
        GridSearchCV(**SEARCH, refit=refit).fit(**FITTED)


@pytest.mark.parametrize("kind", WITHOUT_ROWS)
@pytest.mark.parametrize("parameter", TAKE_ROWS)
def test_value_without_rows_raises_error_that_names_the_parameter(parameter, kind):
    message = rf"The '{parameter}' parameter of .* must .* Got .* instead\."
    with pytest.raises(ValueError, match=message):
        TAKE_ROWS[parameter](WITHOUT_ROWS[kind])


@pytest.mark.parametrize(
    "value", [Decimal("sNaN"), memoryview(bytearray(b"map"))], ids=["sNaN", "memoryview"]
)
@pytest.mark.parametrize("call", TAKE_NAMES)
def test_name_without_a_hash_raises_error_about_metrics(call, value):
    with pytest.raises(ValueError, match=r"The 'metrics' parameter of .* must .* Got .* instead\."):
        TAKE_NAMES[call](value)


def test_margin_can_be_a_fraction():
    assert "Equivalence margin: 0.333333." in repr(compare(PAIR, margin=Fraction(1, 3)))
    assert "Equivalence margins: 0.333333 for mrr." in repr(compare(PAIR, margin={"mrr": Fraction(1, 3)}))


def test_json_keeps_settings_that_are_integers_of_numpy():
    given = {"random_state": np.int8(1), "n_resamples": np.int64(200), "interval": "bootstrap"}
    report = RankingReport.from_values([1, 2, 3], {"mrr": [1, 0.5, 0.25]}, **given)
    assert RankingReport.from_json(report.to_json()).interval == report.interval


def test_evaluate_compares_long_labels_with_a_fraction():
    labels = np.array(ROWS["y_true"], dtype=np.longdouble)
    found = evaluate(**{**ROWS, "y_true": labels}, metrics=["mrr"], min_relevance=Fraction(1, 2))
    assert found.mean == evaluate(**ROWS, metrics=["mrr"], min_relevance=0.5).mean


@pytest.mark.parametrize(
    ("options", "part", "kind"),
    [({}, 2**60, "parts"), ({"keep_queries": False, "partition": (12, 2**60)}, None, "partitions")],
)
def test_result_lists_the_first_missing_numbers_of_many(options, part, kind):
    evaluator = RankingEvaluator(["mrr"], **options).update(*ROWS.values(), part=part)
    text = f"requires all {kind}. Missing numbers: 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, ...."
    with pytest.raises(ValueError, match=re.escape(text)):
        evaluator.result()


def test_report_shows_level_that_is_a_fraction():
    report = RankingReport.from_values([1, 2, 3], {"mrr": [1, 0.5, 0.25]}, confidence_level=Fraction(9, 10))
    assert "90% confidence intervals" in repr(report)


def test_split_accepts_times_beyond_the_range_of_floats():
    times = np.longdouble([1, 2, 3, 4])
    times[3] *= np.longdouble("1e4000")
    [(train, test)] = LeaveLastOut().split([[0]] * 4, groups=[0, 0, 1, 1], times=times)
    assert (train.tolist(), test.tolist()) == ([0, 2], [1, 3])


@pytest.mark.skipif(not hasattr(np.dtypes, "StringDType"), reason="of numpy 2")
def test_json_keeps_clusters_that_are_text_of_any_length():
    cluster = np.array(["u", "u", "v"], np.dtypes.StringDType())
    report = RankingReport.from_values([1, 2, 3], {"mrr": [1, 0.5, 0.25]}, cluster=cluster)
    assert RankingReport.from_json(report.to_json()).interval == report.interval


def test_from_run_rejects_a_column_of_polars():
    polars = pytest.importorskip("polars")
    with pytest.raises(ValueError, match="The 'qrels' parameter of from_run must"):
        from_run(polars.Series([1.0, 2.0]), {"q": {"d": 1}})


def test_rbo_of_a_tiny_p_is_the_agreement_at_rank_1():
    scores = {"y_score_a": [3, 2, 1, 3, 2], "y_score_b": [3, 1, 2, 1, 2], "groups": [0, 0, 0, 1, 1]}
    assert rbo_score(**scores, k=3, p=5e-324) == pytest.approx(0.5)


@pytest.mark.parametrize(
    ("score_func", "y_pred"),
    [(mean_absolute_error, [1e308, 1e308, 0.5, 0.5]), (mean_squared_error, [1e200, 1, 0.5, 0.5])],
)
def test_mean_loss_of_a_group_is_infinite_as_in_scikit_learn(score_func, y_pred):
    found = group_score(score_func, [0.0] * 4, y_pred, groups=[0, 0, 1, 1], average=None)
    assert found.tolist() == [np.inf, score_func([0, 0], [0.5, 0.5])]


def test_from_interactions_reads_ratings_whose_sum_is_not_a_float():
    interactions, recommended = frames_of(rating=[1.7e308, 0.5])
    y_true, _, _ = from_interactions(interactions, recommended)
    assert y_true.tolist() == [1.7e308, 0.5]


def test_pairwise_ranker_rejects_labels_beyond_floats():
    y = np.array([1, 0, Decimal("1e4000")], dtype=object)
    with pytest.raises(ValueError, match="infinity"):
        PairwiseRanker(Ridge()).fit([[0], [1], [2]], y, groups=[1, 1, 1])
