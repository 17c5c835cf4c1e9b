"""Rows that are prepared once and scored many times have the values of rows that are scored at once."""

import numpy as np
import pytest

from sklearn_rank import RankingWarning, ndcg_scorer, ranking_scorer, recall_at_k_scorer
from tests.helpers.scorers import SCORERS


@pytest.mark.parametrize("weighted", [False, True], ids=["plain", "weighted"])
@pytest.mark.parametrize("scorer", SCORERS, ids=lambda scorer: scorer.describe())
def test_each_call_has_the_value_of_rows_scored_at_once(scorer, weighted, queries):
    y_true, y_score, groups = queries
    options = {"groups": groups}
    if weighted:
        options["sample_weight"] = np.unique(groups, return_inverse=True)[1] + 1.0
    rows = scorer.prepare_rows(y_true, **options)
    for scores in (y_score, -y_score, y_score.round(), y_score.astype("f4"), y_score):
        assert scorer.score_prepared(rows, scores) == scorer.score_rows(y_true, scores, **options)


def test_rows_are_checked_when_they_are_prepared(queries):
    y_true, _, groups = queries
    with pytest.raises(ValueError, match=r"'y_true' parameter of ndcg_scorer\(\).prepare_rows must"):
        ndcg_scorer().prepare_rows(-y_true, groups=groups)
    with pytest.raises(ValueError, match=r"'groups' parameter of ndcg_scorer\(\).prepare_rows must"):
        ndcg_scorer().prepare_rows(y_true, groups=groups[1:])


@pytest.mark.parametrize("bad", [lambda y: y[1:], lambda y: np.full_like(y, np.nan)], ids=["shape", "nan"])
def test_scores_are_checked_in_each_call(bad, queries):
    y_true, y_score, groups = queries
    rows = ndcg_scorer().prepare_rows(y_true, groups=groups)
    with pytest.raises(ValueError, match=r"'y_score' parameter of ndcg_scorer\(\).score_prepared must"):
        ndcg_scorer().score_prepared(rows, bad(y_score))


def test_each_call_warns_of_a_number_that_says_nothing():
    scorer = ranking_scorer(["map", "recall@5"])
    rows = scorer.prepare_rows([1, 0, 0, 1], groups=[0, 0, 1, 1])
    for scores in ([4, 3, 2, 1], [1, 2, 3, 4]):
        with pytest.warns(RankingWarning, match="no query has more documents than k=5"):
            scorer.score_prepared(rows, scores)
    assert recall_at_k_scorer(k=1).score_prepared(rows, [4, 3, 2, 1]) == 0.5
