"""Unjudged documents (NaN labels) under every rule and in every metric."""

import numpy as np
import pytest

from sklearn_rank import (
    dcg_score,
    err_score,
    ndcg_score,
    precision_at_k_score,
    ranking_scorer,
    ranking_scores,
)
from tests.helpers.scorers import CUTOFF, FACTORIES
from tests.helpers.table import METRICS, SCORE_OF, WITH_TIES, with_unjudged

WITH_RULE = [stem for stem, entry in METRICS.items() if not entry.nan_rule]
ALL = pytest.mark.parametrize("stem", WITH_RULE)
OF_JUDGED = ["bpref"]


@pytest.fixture
def unjudged(queries):
    """Return rows of which about a third are not judged, the first of each query always is."""
    y_true, y_score, groups = queries
    missing = np.random.default_rng(5).random(len(y_true)) < 0.35
    missing[np.unique(groups, return_index=True)[1]] = False
    return np.where(missing, np.nan, y_true), y_score, groups


def per_query(stem, rows, **options):
    y_true, y_score, groups = rows
    options = {"ties": "worst"} | options if stem in WITH_TIES else options
    return SCORE_OF[stem](y_true, y_score, groups=groups, average=None, **options)


def filled(rows, value_of):
    """Give the NaN labels of each query what a function of its judged labels says."""
    y_true, y_score, groups = rows
    y_true = y_true.copy()
    for group in np.unique(groups):
        inside = groups == group
        y_true[inside & np.isnan(y_true)] = value_of(y_true[inside & ~np.isnan(y_true)])
    return y_true, y_score, groups


@pytest.mark.parametrize(
    ("rule", "value_of"), [("nonrelevant", lambda labels: 0), ("mean", np.mean), ("median", np.median)]
)
@pytest.mark.parametrize("stem", [stem for stem in WITH_RULE if stem not in OF_JUDGED])
def test_unjudged_rule_fills_labels(stem, rule, value_of, unjudged):
    expected = per_query(stem, filled(unjudged, value_of))
    np.testing.assert_allclose(per_query(stem, unjudged, unjudged=rule), expected, atol=1e-12)


@ALL
def test_unjudged_drop_removes_documents_from_ranking(stem, unjudged):
    judged = tuple(values[~np.isnan(unjudged[0])] for values in unjudged)
    np.testing.assert_allclose(
        per_query(stem, unjudged, unjudged="drop"), per_query(stem, judged), atol=1e-12
    )


@pytest.mark.parametrize("rule", ["nonrelevant", "mean", "median"])
@pytest.mark.parametrize("stem", OF_JUDGED)
def test_metrics_of_judged_documents_ignore_others_under_each_rule(stem, rule, unjudged):
    judged = tuple(values[~np.isnan(unjudged[0])] for values in unjudged)
    np.testing.assert_allclose(per_query(stem, unjudged, unjudged=rule), per_query(stem, judged), atol=1e-12)


@ALL
def test_unjudged_documents_are_rejected_without_rule(stem, unjudged):
    rule = "must not contain NaN when unjudged='raise'"
    with pytest.raises(ValueError, match=rule):
        per_query(stem, unjudged)


@pytest.mark.parametrize("rule", ["raise", "nonrelevant", "drop", "mean", "median"])
@ALL
def test_unjudged_rule_changes_nothing_when_all_are_judged(stem, rule, queries):
    np.testing.assert_array_equal(per_query(stem, queries, unjudged=rule), per_query(stem, queries))


def test_unjudged_drop_differs_from_unretrieved():
    y_true, y_score = [np.nan, 0, 1, np.nan, 1], [5, 4, 3, 2, -np.inf]
    assert precision_at_k_score([y_true], [y_score], k=5, adaptive_k=True, unjudged="drop") == 1 / 2
    assert precision_at_k_score([y_true], [y_score], k=5, adaptive_k=True, unjudged="nonrelevant") == 1 / 4


@pytest.mark.parametrize("rule", ["nonrelevant", "drop", "mean", "median"])
def test_query_without_judgment_has_no_relevant_document(rule):
    y_true, groups = [np.nan, np.nan, 1, 0], [0, 0, 1, 1]
    got = ndcg_score(y_true, [2, 1, 3, 1], groups=groups, unjudged=rule, zero_division=np.nan, average=None)
    np.testing.assert_array_equal(got, [np.nan, 1])


def test_metrics_are_zero_when_nothing_is_judged():
    y_true = [np.nan, np.nan]
    for gain in ("linear", "exponential", [0, 1], lambda labels: labels):
        assert dcg_score([y_true], [[2, 1]], gain=gain, unjudged="drop") == 0
    assert err_score([y_true], [[2, 1]], unjudged="drop") == 0


def test_unjudged_median_of_even_number_is_mean_of_middle_labels():
    assert ndcg_score([[0, 4, 1, 2, np.nan]], [[4, 3, 2, 1, 9]], unjudged="median", k=1) == 1.5 / 4


def test_invalid_labels_are_rejected_with_unjudged_documents():
    with pytest.raises(ValueError, match=r"'y_true' parameter of ndcg_score must be finite and non-negative"):
        ndcg_score([[np.nan, -1]], [[1, 2]], unjudged="drop")


@ALL
def test_scorer_applies_unjudged_rule(stem, model, ranking_data):
    X, y, groups = ranking_data
    y = with_unjudged(y)
    options = CUTOFF[stem]
    got = FACTORIES[stem](unjudged="drop", **options)(model, X, y, groups=groups)
    value = SCORE_OF[stem](y, model.predict(X), groups=groups, unjudged="drop", **options)
    assert got == (value if METRICS[stem].greater_is_better else -value)


def test_ranking_scorer_applies_unjudged_rule(model, ranking_data):
    X, y, groups = ranking_data
    y = with_unjudged(y)
    names = ["ndcg@5", "map"]
    got = ranking_scorer(names, unjudged="mean")(model, X, y, groups=groups)
    assert got == ranking_scores(y, model.predict(X), groups=groups, metrics=names, unjudged="mean")
