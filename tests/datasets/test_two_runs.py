"""`from_two_runs` joins the scores of two runs by query and document."""

import gzip

import numpy as np
import pandas as pd
import pytest

from sklearn_rank.datasets import from_two_runs
from sklearn_rank.metrics import (
    kendall_tau_ap_score,
    kendall_tau_score,
    overlap_at_k_score,
    rbo_score,
    spearman_score,
)

INF = float("inf")
ONE = {"q1": {"a": 3.0, "b": 2.0, "c": -1.0}, "q2": {"x": 1.0}, "q3": {"x": 1.0}}
OTHER = {"q1": {"b": 0.9, "a": 0.8, "d": 0.1}, "q2": {"y": 5.0}, "q4": {"x": 1.0}}
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


def test_rows_contain_documents_of_either_run_for_common_queries():
    assert list_rows(ONE, OTHER) == EITHER


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
