"""NaN scores: the hint depends on the metric, and rows that are removed can have them."""

import numpy as np
import pytest
from scipy.stats import kendalltau, pearsonr, spearmanr

from sklearn_rank import RankingEvaluator, evaluate, ranking_scores
from sklearn_rank.metrics import _table
from tests.helpers.table import METRICS, SCORE_OF

NAN = np.nan
Y_TRUE, Y_SCORE, QID = np.array([3.0, 1, 2, 0, 1]), np.array([1.0, 2, NAN, 3, 0]), np.ones(5, dtype=int)
KEPT = ~np.isnan(Y_SCORE)
OF_ALL = [stem for stem, each in METRICS.items() if each.uses_scores or stem in _table.OF_PAIRS]
OF_TOP = ["ndcg", "map", "mrr", "rbp", "bpref", "err", "dcg"]


def compute(stem, y_true, y_score, **options):
    return SCORE_OF[stem](y_true, y_score, groups=np.ones(len(y_true), dtype=int), **options)


@pytest.mark.parametrize("stem", OF_ALL)
def test_hint_for_nan_scores_is_to_drop_rows_if_all_documents_are_compared(stem):
    with pytest.raises(ValueError, match=r"not contain NaN\. Got 1 NaN instead\. Drop these rows: let keep"):
        compute(stem, Y_TRUE, Y_SCORE)
    with pytest.raises(ValueError, match="Drop these rows"):
        ranking_scores(Y_TRUE, Y_SCORE, groups=QID, metrics=["map", stem])


@pytest.mark.parametrize("stem", OF_TOP)
def test_hint_for_nan_scores_is_minus_inf_if_lists_are_ranked(stem):
    with pytest.raises(ValueError, match=r"If NaN means not retrieved, pass numpy\.where"):
        compute(stem, Y_TRUE, Y_SCORE)


@pytest.mark.parametrize("stem", ["pearson", "bpr_loss"])
def test_hint_for_infinite_scores_is_to_drop_rows(stem):
    with pytest.raises(ValueError, match=r"be finite\. Got -inf instead.*Drop these rows: let keep"):
        compute(stem, Y_TRUE, np.where(KEPT, Y_SCORE, -np.inf))


@pytest.mark.parametrize(
    ("stem", "theirs"), [("kendall_tau", kendalltau), ("spearman", spearmanr), ("pearson", pearsonr)]
)
def test_hint_gives_the_value_of_scipy_without_the_rows(stem, theirs):
    expected = theirs(Y_TRUE[KEPT], Y_SCORE[KEPT])[0]
    assert compute(stem, Y_TRUE[KEPT], Y_SCORE[KEPT]) == pytest.approx(expected)


WITH_DROP = [stem for stem, each in METRICS.items() if not each.nan_rule]


@pytest.mark.parametrize("stem", WITH_DROP)
def test_dropped_rows_can_have_a_nan_score(stem):
    labels = np.where(KEPT, Y_TRUE, NAN)
    expected = compute(stem, Y_TRUE[KEPT], Y_SCORE[KEPT])
    assert compute(stem, labels, Y_SCORE, unjudged="drop") == pytest.approx(expected)


DOORS = {
    "ranking_scores": lambda *rows: ranking_scores(*rows, groups=QID, metrics=["map"], unjudged="drop")[
        "map"
    ],
    "evaluate": lambda *rows: evaluate(*rows, groups=QID, metrics=["map"], unjudged="drop").mean["map"],
    "evaluator": lambda *rows: (
        RankingEvaluator(metrics=["map"], unjudged="drop").update(*rows, groups=QID).result().mean["map"]
    ),
}


@pytest.mark.parametrize("door", DOORS)
def test_dropped_rows_can_have_a_nan_score_in_each_entry_point(door):
    labels = np.where(KEPT, Y_TRUE, NAN)
    assert DOORS[door](labels, Y_SCORE) == compute("map", Y_TRUE[KEPT], Y_SCORE[KEPT])


@pytest.mark.parametrize("others", [["judged@2"], ["map(unjudged=nonrelevant)"]])
def test_rows_that_another_metric_keeps_need_a_score(others):
    labels = np.where(KEPT, Y_TRUE, NAN)
    with pytest.raises(ValueError, match="not contain NaN"):
        ranking_scores(labels, Y_SCORE, groups=QID, metrics=["map", *others], unjudged="drop")


def test_judged_rows_need_a_score():
    with pytest.raises(ValueError, match="not contain NaN"):
        compute("map", Y_TRUE, Y_SCORE, unjudged="drop")
