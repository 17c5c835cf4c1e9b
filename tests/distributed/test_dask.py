"""`evaluate` of Dask DataFrames, and searches over a cluster of Dask."""

import os
import subprocess
import sys
import time

import joblib
import numpy as np
import pytest
import sklearn
from sklearn.linear_model import Ridge

from sklearn_rank import GridSearchCV, RankingEvaluator, cross_val_score, evaluate, ranking_scores
from sklearn_rank.datasets import make_ranking
from tests.helpers.asking import ChecksIds

pandas = pytest.importorskip("pandas")
dask = pytest.importorskip("dask")
frames = pytest.importorskip("dask.dataframe")
distributed = pytest.importorskip("distributed")

METRICS = ["ndcg@10", "map", "mrr", "precision@5"]
NAMES = {"groups": "qid", "metrics": METRICS}
N_ROWS, N_QUERIES = 2000, 120


@pytest.fixture(scope="module")
def frame():
    """Rows sorted by query, of 1 to some 30 documents each; ids as numbers, text and categories."""
    random = np.random.default_rng(0)
    qid = np.sort(random.integers(0, N_QUERIES, N_ROWS))
    scores = random.normal(size=N_ROWS).round(1)
    frame = pandas.DataFrame({"qid": qid, "label": random.integers(0, 4, N_ROWS), "score": scores})
    frame["weight"] = 1.0 + frame.qid % 3
    frame["text"] = frame.qid.map("q{:04d}".format)
    frame["kind"] = frame.text.astype("category")
    return frame


@pytest.fixture(scope="module")
def shuffled(frame):
    return frame.sample(frac=1, random_state=0).reset_index(drop=True)


def cut(frame, *edges):
    """Make partitions that end at these rows."""
    edges = [0, *edges, len(frame)]
    parts = [frame.iloc[start:stop] for start, stop in zip(edges, edges[1:])]
    return frames.from_map(lambda part: part, parts, meta=frame.iloc[:0])


def report(data, names=NAMES, **options):
    return evaluate("label", "score", data=data, **names, **options)


def assert_same(found, expected):
    """Check means to the bit, and what is known of them."""
    assert found.mean == expected.mean
    assert found.n_queries == expected.n_queries
    assert found.standard_error == pytest.approx(expected.standard_error, rel=1e-12)
    if found.ids is None:
        return
    assert found.ids.tolist() == expected.ids.tolist()
    for name in METRICS:
        np.testing.assert_allclose(found.values[name], expected.values[name], rtol=0, atol=1e-15)


# ---------------------------------------------------------------------------- reports


@pytest.mark.parametrize("weights", [None, "weight"])
@pytest.mark.parametrize("ids", ["qid", "text", "kind"])
@pytest.mark.parametrize("keep", ["queries", "moments"])
@pytest.mark.parametrize("together", [True, False])
def test_the_report_is_that_in_memory(together, keep, ids, weights, frame, shuffled):
    names = {"groups": ids, "metrics": METRICS, "sample_weight": weights}
    data = frames.from_pandas(frame if together else shuffled, npartitions=9)
    assert_same(report(data, names, together=together, keep=keep), report(frame, names))
