"""Long sums compared with exact sums, and equal values for all processor features that numpy uses."""

import json
import os
import subprocess
import sys
from fractions import Fraction
from math import fsum

import numpy as np
import pytest

from sklearn_rank import dcg_score, group_auc_score, map_score, mrr_score, ndcg_score, ranking_scores

pytestmark = pytest.mark.thorough

N_ROWS = 10_000_000
UNIT = 2.0**-53  # half of the distance from 1 to the next float


@pytest.fixture(scope="module")
def one_list():
    """Ten million documents of one query, best first, with grades 0 to 4."""
    grades = np.random.default_rng(0).integers(0, 5, N_ROWS).astype(np.int8)
    return grades[None], -np.arange(N_ROWS, dtype=np.float64)[None]


def test_dcg_and_ndcg_of_ten_million_documents_match_fsum(one_list):
    terms = one_list[0][0] / np.log2(np.arange(2.0, N_ROWS + 2))
    assert dcg_score(*one_list) == pytest.approx(fsum(terms), rel=100 * UNIT, abs=0)
    ideal = fsum(np.sort(one_list[0][0])[::-1] / np.log2(np.arange(2.0, N_ROWS + 2)))
    assert ndcg_score(*one_list) == pytest.approx(fsum(terms) / ideal, rel=200 * UNIT, abs=0)


def test_map_of_ten_million_documents_matches_fsum(one_list):
    hits = np.flatnonzero(one_list[0][0] >= 2)
    expected = fsum(np.arange(1, len(hits) + 1) / (hits + 1)) / len(hits)
    assert map_score(*one_list, min_relevance=2) == pytest.approx(expected, rel=100 * UNIT, abs=0)


@pytest.mark.parametrize("n_queries", [1, 20])
def test_map_of_tied_documents_matches_fsum(n_queries):
    size, n_ties = 8, 10_000  # documents of a tie, and ties of a query
    ranks = np.arange(1, size * n_ties + 1).reshape(n_ties, size)
    marks = np.random.default_rng(0).random(ranks.shape) < 0.3
    r = marks.sum(axis=1)[:, None]
    h = np.cumsum(r)[:, None] - r
    terms = r / size * (h + 1 + np.arange(size) * (r - 1) / (size - 1)) / ranks
    expected = fsum(terms.ravel()) / marks.sum()
    both = np.tile(marks.ravel(), (n_queries, 1)), np.tile(-(np.arange(ranks.size) // size), (n_queries, 1))
    found = map_score(*both, average=None)
    assert found.tolist() == pytest.approx([expected] * n_queries, rel=100 * UNIT, abs=0)


def test_group_auc_of_ten_million_documents_is_exact(one_list):
    relevant = one_list[0][0] >= 1
    n_above = int(np.cumsum(~relevant)[relevant].sum())  # pairs in the wrong order
    n_pairs = int(relevant.sum()) * int((~relevant).sum())
    value = group_auc_score(*one_list)
    assert value == float(1 - Fraction(n_above, n_pairs))


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("metric", [ndcg_score, map_score, mrr_score, group_auc_score])
def test_mean_of_a_million_queries_matches_fsum(metric, weighted):
    rng = np.random.default_rng(0)
    groups = np.repeat(np.arange(N_ROWS // 10), 10)
    y_true, y_score = rng.integers(0, 5, N_ROWS) * rng.integers(0, 2, N_ROWS), rng.standard_normal(N_ROWS)
    weights = rng.integers(1, 8, N_ROWS // 10) if weighted else np.ones(N_ROWS // 10)
    of_rows = weights[groups] if weighted else None
    values = metric(y_true, y_score, groups=groups, average=None, zero_division=0)
    expected = fsum(weights * values) / fsum(weights)
    got = metric(y_true, y_score, groups=groups, sample_weight=of_rows, zero_division=0)
    assert got == pytest.approx(expected, rel=2 * UNIT, abs=0)


# ------------------------------------------------------------------ processors

VALUES = """
import json
import numpy as np
from sklearn_rank import ranking_scores
rng = np.random.default_rng(0)
groups = np.repeat(np.arange(600), rng.integers(1, 300, 600))
grades = rng.integers(0, 5, len(groups))
values = {}
scores = {"tied": rng.integers(0, 20, len(groups)), "untied": rng.standard_normal(len(groups))}
for kind, y_score in scores.items():
    for labels in (grades, grades / 3):
        names = ["ndcg@10", "map", "mrr", "group_auc", "precision@5", "kendall_tau", "err(max_grade=4)"]
        found = ranking_scores(labels, y_score, groups=groups, metrics=names, zero_division=0, average=None)
        values |= {f"{name} {kind} {labels.dtype}": found[name].tolist() for name in names}
print(json.dumps(values))
"""


def run_without(features):
    """Compute values in a process whose numpy does not use some features of the processor."""
    environment = {**os.environ, "NPY_DISABLE_CPU_FEATURES": " ".join(features)}
    done = subprocess.run(
        [sys.executable, "-c", VALUES], env=environment, capture_output=True, text=True, check=True
    )
    return {name: np.array(values) for name, values in json.loads(done.stdout).items()}


def test_values_do_not_depend_on_processor_features():
    features = np.show_config(mode="dicts")["SIMD Extensions"].get("found", [])
    if not features:
        pytest.skip("numpy has one path here")
    expected = run_without([])
    for n_kept in range(len(features)):
        found = run_without(features[n_kept:])
        for name, values in expected.items():
            np.testing.assert_allclose(found[name], values, rtol=16 * UNIT, atol=0, err_msg=name)
            if name.startswith("precision"):
                np.testing.assert_array_equal(found[name], values)


@pytest.mark.parametrize("n_jobs", [1, 2, 3])
def test_repeats_and_threads_return_same_digits(n_jobs):
    rng = np.random.default_rng(0)
    groups = rng.permutation(np.repeat(np.arange(40_000), 10))
    y_true, y_score = rng.integers(0, 5, len(groups)), rng.standard_normal(len(groups)).round(1)
    names = ["ndcg@10", "map", "mrr", "group_auc", "recall@5"]
    first, second = (
        ranking_scores(y_true, y_score, groups=groups, metrics=names, n_jobs=jobs) for jobs in (None, n_jobs)
    )
    assert first == second
