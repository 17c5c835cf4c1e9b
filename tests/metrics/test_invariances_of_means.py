"""Invariances of the means of all metrics on random data: weights, copies, parts and orders."""

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sklearn_rank import ranking_scores
from tests.helpers.random_rows import FEW, assert_same, draw_for, evaluate, per_query
from tests.helpers.table import BINARY, BY_ORDER, CUTOFFS, METRICS, SIGN

# The drawn rows are few: often no query has a value, all are relevant or most queries have one document.
pytestmark = [
    pytest.mark.thorough,
    pytest.mark.filterwarnings("ignore:.*no query has a value:UserWarning"),
    pytest.mark.filterwarnings("ignore::sklearn_rank.RankingWarning"),
]

FEWER = settings(FEW, max_examples=20)
ALL = pytest.mark.parametrize("stem", METRICS)
WEIGHTS = st.lists(st.integers(1, 3), min_size=4, max_size=4).map(np.array)


@ALL
def test_integer_weights_equal_repeated_queries(stem):
    @FEWER
    @given(draw_for(stem), WEIGHTS)
    def holds(rows, weights):
        y_true, y_score, groups = rows
        copies = [(copy, groups < 4) for copy in range(3)]
        kept = [mask & (weights[groups] > copy) for copy, mask in copies]
        repeated = [np.concatenate([column[mask] for mask in kept]) for column in (y_true, y_score)]
        names = np.concatenate([groups[mask] + 4 * copy for (copy, _), mask in zip(copies, kept)])
        assert_same(evaluate(stem, *rows, sample_weight=weights[groups]), evaluate(stem, *repeated, names))

    holds()


@ALL
def test_means_do_not_depend_on_scale_of_weights(stem):
    @FEWER
    @given(draw_for(stem), WEIGHTS, st.floats(1e-200, 1e200))
    def holds(rows, weights, scale):
        of_rows = weights[rows[2]]
        assert_same(
            evaluate(stem, *rows, sample_weight=scale * of_rows), evaluate(stem, *rows, sample_weight=of_rows)
        )
        equal = np.full(len(of_rows), scale)
        assert_same(evaluate(stem, *rows, sample_weight=equal), evaluate(stem, *rows))

    holds()


@ALL
def test_weight_of_zero_removes_query(stem):
    @FEWER
    @given(draw_for(stem), WEIGHTS)
    def holds(rows, weights):
        kept = rows[2] != rows[2][0]
        weights = weights[rows[2]] * kept
        if kept.any():
            fewer = [column[kept] for column in rows]
            expected = evaluate(stem, *fewer, sample_weight=weights[kept])
            assert_same(evaluate(stem, *rows, sample_weight=weights), expected)

    holds()


@ALL
def test_mean_of_disjoint_data_sets_is_weighted_mean(stem):
    @FEWER
    @given(draw_for(stem), st.sampled_from([1, 2, 3]))
    def holds(rows, cut):
        parts = [[column[mask] for column in rows] for mask in (rows[2] < cut, rows[2] >= cut)]
        values = [evaluate(stem, *part) for part in parts if len(part[0])]
        counts = [np.sum(~np.isnan(per_query(stem, *part))) for part in parts if len(part[0])]
        if sum(counts):
            expected = np.dot(np.nan_to_num(values), counts) / sum(counts)
            assert_same(evaluate(stem, *rows), expected)

    holds()


@ALL
def test_mean_of_duplicated_queries_is_unchanged(stem):
    @FEWER
    @given(draw_for(stem))
    def holds(rows):
        y_true, y_score, groups = (np.tile(column, 2) for column in rows)
        groups[len(rows[2]) :] += 10
        assert_same(evaluate(stem, y_true, y_score, groups), evaluate(stem, *rows))

    holds()


@ALL
def test_matrix_of_one_row_equals_one_query(stem):
    @FEWER
    @given(draw_for(stem))
    def holds(rows):
        y_true, y_score, groups = rows
        assert_same(evaluate(stem, [y_true], [y_score], None), evaluate(stem, y_true, y_score, 0 * groups))

    holds()


@pytest.mark.parametrize("stem", BINARY)
def test_min_relevance_equals_binary_labels(stem):
    @FEWER
    @given(draw_for(stem), st.sampled_from([0.5, 1, 2, 3.5]))
    def holds(rows, threshold):
        y_true, y_score, groups = rows
        ones = (y_true >= threshold).astype(int)
        expected = per_query(stem, ones, y_score, groups)
        assert_same(per_query(stem, *rows, min_relevance=threshold), expected)

    holds()


@pytest.mark.parametrize("stem", [stem for stem in BY_ORDER if stem not in ("judged", "spearman")])
def test_reversed_ideal_order_is_worst(stem):
    @FEWER
    @given(st.lists(st.integers(0, 4), min_size=1, max_size=5))
    def holds(labels):
        orders = np.array(list(permutations(labels)))
        ranks = np.tile(-np.arange(len(labels)), (len(orders), 1))
        for k in (None, 2) if stem in CUTOFFS else (None,):
            options = {} if k is None and METRICS[stem].cutoff != "required" else {"k": k or 3}
            values = SIGN[stem] * per_query(stem, orders, ranks, None, **options)
            reverse = SIGN[stem] * per_query(stem, [sorted(labels)], ranks[:1], None, **options)[0]
            assert np.isnan(values).all() or reverse == pytest.approx(values.min(), abs=1e-12)

    holds()


@FEWER
@given(draw_for("ndcg"), st.permutations(["ndcg@3", "map", "mrr", "group_auc", "recall@2"]))
def test_ranking_scores_do_not_depend_on_other_metrics(rows, names):
    y_true, y_score, groups = rows
    options = {"groups": groups, "zero_division": 0.0}
    together = ranking_scores(y_true, y_score, metrics=names, **options)
    for name in names:
        assert ranking_scores(y_true, y_score, metrics=[name], **options) == {name: together[name]}
