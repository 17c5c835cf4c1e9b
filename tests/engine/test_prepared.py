"""Prepared rows: the same values as rows that are read again for each array of scores."""

import numpy as np
import pytest

from sklearn_rank import ranking_scorer, ranking_scores
from sklearn_rank._engine import blocks, prepared
from sklearn_rank.metrics import RankingScorer, prepare_rows, score_prepared
from tests.helpers.table import METRICS, RULES

NAMES = [
    f"{metric.prefix}{stem}{'' if metric.cutoff == 'none' else '@5'}" for stem, metric in METRICS.items()
]
LABELS = {
    "grades": lambda rng, n: rng.integers(0, 5, n),
    "grades as floats": lambda rng, n: rng.integers(0, 5, n).astype(np.float32),
    "halves": lambda rng, n: rng.integers(0, 5, n) / 2,
    "beyond what a score holds": lambda rng, n: rng.choice([0, 1, 31], n),
}
SCORES = [
    lambda rng, n: rng.standard_normal(n),
    lambda rng, n: rng.integers(0, 4, n) / 2,
    lambda rng, n: np.zeros(n, dtype=np.float32),
    lambda rng, n: 1 + np.spacing(1) * rng.integers(0, 4, n),
]


def make(labels, n_queries=60):
    rng = np.random.default_rng(0)
    groups = np.repeat(rng.permutation(n_queries), rng.integers(1, 30, n_queries))
    rows = rng.permutation(len(groups))
    return rng, LABELS[labels](rng, len(groups)), groups[rows]


@pytest.mark.parametrize("labels", LABELS)
@pytest.mark.parametrize("ties", RULES)
def test_score_prepared_equals_score_rows_for_every_metric(labels, ties):
    rng, y_true, groups = make(labels)
    scorer = ranking_scorer([name for name in NAMES if name != "judged@5"], ties=ties, zero_division=0.0)
    prepared = prepare_rows(scorer, y_true, groups, None)
    for draw in [*SCORES, *SCORES]:
        y_score = draw(rng, len(y_true))
        assert score_prepared(scorer, prepared, y_score) == scorer.score_rows(y_true, y_score, groups=groups)


@pytest.mark.parametrize(("module", "name", "value"), [(prepared, "CHUNK_QUERIES", 9), (blocks, "STRIP", 20)])
def test_score_prepared_equals_score_rows_when_read_in_parts(module, name, value, monkeypatch):
    rng, y_true, groups = make("grades")
    scorer = ranking_scorer(NAMES, zero_division=0.0)
    expected = [scorer.score_rows(y_true, draw(rng, len(y_true)), groups=groups) for draw in SCORES]
    monkeypatch.setattr(module, name, value)
    rng, y_true, groups = make("grades")
    prepared = prepare_rows(scorer, y_true, groups, None)
    assert [score_prepared(scorer, prepared, draw(rng, len(y_true))) for draw in SCORES] == expected


@pytest.mark.parametrize("unjudged", ["nonrelevant", "drop", "mean", "median"])
def test_score_prepared_supports_unjudged_labels_and_weights(unjudged):
    rng, y_true, groups = make("grades")
    y_true = np.where(np.arange(len(y_true)) % 4 == 0, np.nan, y_true)
    weights = 1.0 + groups % 3
    scorer = ranking_scorer([*NAMES, "map(unjudged=drop)"], unjudged=unjudged, zero_division=0.0)
    prepared = prepare_rows(scorer, y_true, groups, weights)
    for draw in SCORES:
        y_score = draw(rng, len(y_true))
        expected = scorer.score_rows(y_true, y_score, groups=groups, sample_weight=weights)
        assert score_prepared(scorer, prepared, y_score) == expected


def test_score_prepared_supports_unretrieved_documents():
    rng, y_true, groups = make("grades")
    scorer = RankingScorer(["ndcg@5", "map", "recall@3"])
    prepared = prepare_rows(scorer, y_true, groups, None)
    for _ in range(2):
        y_score = rng.choice([-np.inf, -1.0, 0.5, 2.0], len(y_true))
        assert score_prepared(scorer, prepared, y_score) == scorer.score_rows(y_true, y_score, groups=groups)
        y_score = rng.standard_normal(len(y_true))
        assert score_prepared(scorer, prepared, y_score) == scorer.score_rows(y_true, y_score, groups=groups)


@pytest.mark.parametrize(
    ("y_score", "message"),
    [
        (
            [1.0, np.nan, 2.0],
            r"'y_score' parameter of score_prepared must not contain NaN. Got 1",
        ),
        (
            [1.0, 2.0],
            r"'y_score' parameter of .* must have the shape of 'y_true', \(3,\). Got shape \(2,\) instead",
        ),
        ([1.0, 2.0, "a"], r"'y_score' parameter of .* must be an array of real numbers"),
        ([[1.0, 2.0, 3.0]], r"must have the shape of 'y_true', \(3,\). Got shape \(1, 3\) instead"),
    ],
)
def test_score_prepared_checks_scores_each_time(y_score, message):
    scorer = RankingScorer("ndcg@5")
    prepared = prepare_rows(scorer, [0, 1, 2], [1, 1, 1], None)
    with pytest.raises(ValueError, match=message):
        score_prepared(scorer, prepared, y_score)


def test_score_prepared_rejects_infinite_scores_for_bpr_loss():
    scorer = RankingScorer("neg_bpr_loss")
    prepared = prepare_rows(scorer, [0, 1, 1], [1, 1, 1], None)
    with pytest.raises(
        ValueError,
        match=r"'y_score' parameter of .* must be finite\. Got .* instead\. bpr_loss is computed from",
    ):
        score_prepared(scorer, prepared, [1.0, -np.inf, 2.0])


def test_prepared_rows_do_not_change_with_given_labels():
    y_true, groups, y_score = np.array([0, 1, 2, 0]), np.array([1, 1, 2, 2]), [1.0, 2.0, 3.0, 4.0]
    scorer = RankingScorer("ndcg")
    prepared = prepare_rows(scorer, y_true, groups, None)
    before = scorer.score_rows(y_true, y_score, groups=groups)
    y_true[:], groups[:] = 1, 3
    assert score_prepared(scorer, prepared, y_score) == before


@pytest.mark.parametrize("average", ["macro", "weighted"])
def test_score_prepared_supports_several_tie_rules(average):
    rng, y_true, groups = make("grades")
    names = [f"ndcg@5(ties={rule})" for rule in RULES]
    scorer = ranking_scorer(names, average=average)
    prepared = prepare_rows(scorer, y_true, groups, None)
    for draw in SCORES:
        y_score = draw(rng, len(y_true))
        expected = ranking_scores(y_true, y_score, groups=groups, metrics=names, average=average)
        assert score_prepared(scorer, prepared, y_score) == expected
