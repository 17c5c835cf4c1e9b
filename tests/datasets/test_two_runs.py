"""`from_two_runs` joins the scores of two runs by query and document."""

import gzip
import re

import numpy as np
import pandas as pd
import pytest

from sklearn_rank import RankingWarning, evaluate_runs
from sklearn_rank.datasets import from_two_runs
from sklearn_rank.metrics import (
    kendall_tau_ap_score,
    kendall_tau_score,
    overlap_at_k_score,
    rbo_score,
    spearman_score,
)

INF = float("inf")
ONE = {"q1": {"a": 3.0, "b": 2.0, "c": -1.0}, "q2": {"x": 1.0}}
OTHER = {"q1": {"b": 0.9, "a": 0.8, "d": 0.1}, "q2": {"y": 5.0}}
ONE_MORE, OTHER_MORE = ONE | {"q3": {"x": 1.0}}, OTHER | {"q4": {"x": 2.0}}
EITHER = [
    ("q1", "d", -INF, 0.1),
    ("q1", "c", -1, -INF),
    ("q1", "b", 2, 0.9),
    ("q1", "a", 3, 0.8),
    ("q2", "y", -INF, 5),
    ("q2", "x", 1, -INF),
]


def list_rows(*runs, **options):
    one, other, groups, items = from_two_runs(*runs, return_items=True, **options)
    return list(zip(groups.tolist(), items.tolist(), one.tolist(), other.tolist(), strict=True))


EXCLUDED = (
    "from_two_runs: 'run_b' lacks query 'q3', and 2 of 4 queries are in one run only, so they are excluded, "
    "also from fused runs. Pass queries='either' to count them as queries for which a run retrieved no "
    "document."
)


def test_rows_contain_documents_of_either_run():
    assert list_rows(ONE, OTHER) == EITHER


def test_from_two_runs_warns_once_about_queries_that_one_run_lacks():
    with pytest.warns(RankingWarning, match=f"^{re.escape(EXCLUDED)}$") as caught:
        assert list_rows(ONE_MORE, OTHER_MORE) == EITHER
    assert len(caught) == 1


def test_from_two_runs_names_the_run_that_lacks_a_query():
    with pytest.warns(RankingWarning, match="'run_a' lacks query 'q3', and 1 of 3"):
        from_two_runs(OTHER, ONE_MORE)


def test_rows_contain_queries_of_either_run():
    more = [("q3", "x", 1.0, -INF), ("q4", "x", -INF, 2.0)]
    assert list_rows(ONE_MORE, OTHER_MORE, queries="either") == EITHER + more


@pytest.mark.parametrize("is_swapped", [False, True])
def test_an_empty_result_in_one_run_keeps_the_query(is_swapped):
    runs = [ONE_MORE, OTHER | {"q3": {}}][:: -1 if is_swapped else 1]
    expected = ("q3", "x", -INF, 1.0) if is_swapped else ("q3", "x", 1.0, -INF)
    assert list_rows(*runs)[-1] == expected


def fuse(**options):
    """Add both scores of each document; those that a run lacks count as 0."""
    one, other, groups, items = from_two_runs(ONE_MORE, OTHER_MORE, return_items=True, **options)
    fused = sum(np.where(np.isfinite(scores), scores, 0) for scores in (one, other))
    return pd.DataFrame({"query": groups, "document": items, "score": fused})


def test_a_fused_run_retrieves_documents_for_queries_of_either_run():
    qrels = {"q1": {"a": 1, "c": 0}, "q2": {"y": 1, "x": 0}, "q3": {"x": 1, "y": 0}, "q4": {"x": 1, "y": 0}}
    report = evaluate_runs(qrels, {"fused": fuse(queries="either")}, metrics=["mrr"])["fused"]
    assert report.mean["mrr"] == 1


def test_rows_contain_documents_of_both_runs():
    assert list_rows(ONE, OTHER, documents="both") == EITHER[2:4]


def as_frame(run):
    rows = [(query, name, score) for query, scores in run.items() for name, score in scores.items()]
    return pd.DataFrame(rows, columns=["qid", "name", "score"])


def test_runs_can_have_different_forms(tmp_path):
    lines = [f"{query} Q0 {name} 0 {score} t" for query, name, score in as_frame(OTHER).to_numpy().tolist()]
    path = tmp_path / "other.run.gz"
    path.write_bytes(gzip.compress("\n".join(lines).encode()))
    assert list_rows(as_frame(ONE), path, columns={"document": "name"}) == EITHER


def test_scores_are_swapped_with_the_runs():
    one, other, _ = from_two_runs(ONE, OTHER)
    swapped = from_two_runs(OTHER, ONE)
    assert (swapped[0].tolist(), swapped[1].tolist()) == (other.tolist(), one.tolist())


@pytest.mark.filterwarnings("ignore:rbo_score")  # the lists are short
def test_agreement_of_two_runs_equals_hand_computed_values():
    one, other, groups = from_two_runs(ONE, OTHER)
    assert overlap_at_k_score(one, other, groups=groups, k=3, average=None).tolist() == [2 / 3, 0]
    # RBO with p = 0.5 down to depth 3: overlaps 0, 2/2, 2/3, and then 2/3 for ever.
    expected = 0.5 * (0 + 0.5 * 1 + 0.25 * 2 / 3) + 0.125 * 2 / 3
    assert rbo_score(one, other, groups=groups, k=3, p=0.5, average=None)[0] == pytest.approx(expected)
    both = from_two_runs(ONE, OTHER, documents="both")
    assert kendall_tau_score(*both[:2], groups=both[2]) == -1


@pytest.mark.parametrize("score", [kendall_tau_score, kendall_tau_ap_score, spearman_score])
def test_correlations_of_documents_of_one_run_name_the_fix(score):
    one, other, groups = from_two_runs(ONE, OTHER)
    with pytest.raises(ValueError, match=r"Got -inf .* from_two_runs\(run_a, run_b, documents='both'\)"):
        score(one, other, groups=groups)


@pytest.mark.parametrize(
    ("runs", "rule"),
    [
        (({"q1": 1}, OTHER), "'run_a' parameter of from_two_runs must map each query"),
        ((ONE, {"q1": {"a": np.nan}}), "'run_b' parameter of from_two_runs must have finite numbers"),
        ((ONE, {"q9": {"a": 1}}), "'run_a' parameter of from_two_runs must contain a query of 'run_b'"),
        ((ONE, {"q1": {1: 1}}), "'run_b' parameter of from_two_runs must contain document ids"),
        ((ONE, {}), "'run_b' parameter of from_two_runs must contain documents with scores"),
    ],
)
def test_errors_name_the_run(runs, rule):
    with pytest.raises(ValueError, match=rule):
        from_two_runs(*runs)


def test_documents_must_be_a_known_choice():
    with pytest.raises(ValueError, match="'documents' parameter of from_two_runs must be"):
        from_two_runs(ONE, OTHER, documents="all")
