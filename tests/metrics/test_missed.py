"""Judged documents that are not rows: metrics with `missed` equal those of rows with the score -inf."""

import numpy as np
import pytest

from sklearn_rank.metrics import METRICS, Missed

PLAIN = {stem: each for stem, each in METRICS.items() if not each.needs and not each.uses_scores}
RNG = np.random.default_rng(0)
N_QUERIES, N_DOCUMENTS, DEPTH = 30, 25, 8


def make_rows():
    """Return all judged pairs, of which the best DEPTH per query were retrieved, with some ties."""
    queries = np.repeat([f"q{i:02d}" for i in range(N_QUERIES)], N_DOCUMENTS)
    labels = RNG.integers(0, 4, len(queries)) * (RNG.random(len(queries)) < 0.3)
    scores = RNG.normal(size=len(queries)).round(1)
    ranks = np.argsort(np.argsort(-scores.reshape(N_QUERIES, -1), axis=1), axis=1).ravel()
    return queries, labels.astype(float), scores, ranks < DEPTH


QUERIES, LABELS, SCORES, SHOWN = make_rows()
ROWS = {"y_true": LABELS[SHOWN], "y_score": SCORES[SHOWN], "groups": QUERIES[SHOWN]}
MISSED = Missed(QUERIES[~SHOWN], LABELS[~SHOWN])
ALL = {
    "y_true": np.concatenate((LABELS[SHOWN], LABELS[~SHOWN])),
    "y_score": np.concatenate((SCORES[SHOWN], np.full((~SHOWN).sum(), -np.inf))),
    "groups": np.concatenate((QUERIES[SHOWN], QUERIES[~SHOWN])),
}


def options(metric, **others):
    """Return options that the metric requires."""
    return {"k": 10, **others} if metric.cutoff == "required" else others


@pytest.mark.parametrize("average", [None, "macro", "weighted"])
@pytest.mark.parametrize("stem", PLAIN)
def test_missed_equals_rows_with_the_score_inf(stem, average):
    metric = PLAIN[stem]
    given = options(metric, average=average)
    assert np.array_equal(
        metric.function(**ROWS, missed=MISSED, **given), metric.function(**ALL, **given), equal_nan=True
    )
