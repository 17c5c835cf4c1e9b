"""Invariances of all metrics on random data with negative, huge, tied and integer scores."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import ndcg_score as sklearn_ndcg_score

from sklearn_rank import (
    group_auc_score,
    hit_rate_at_k_score,
    map_score,
    mrr_score,
    ndcg_score,
    precision_at_k_score,
    r_precision_score,
    recall_at_k_score,
)
from sklearn_rank.metrics import kendall_tau_score
from tests.helpers.random_rows import FEW, assert_same, draw_for, per_query, queries
from tests.helpers.table import BY_ORDER, CUTOFFS, METRICS, SIGN, WITH_TIES

# The drawn rows are few: often all are relevant or most queries have one document.
pytestmark = [pytest.mark.thorough, pytest.mark.filterwarnings("ignore::sklearn_rank.RankingWarning")]
ALL = pytest.mark.parametrize("stem", METRICS)


# ------------------------------------------------------------------ order and names


@ALL
def test_metrics_do_not_depend_on_row_order(stem):
    @FEW
    @given(draw_for(stem), st.randoms(), st.sampled_from(["average", "best", "worst"]))
    def holds(rows, random, ties):
        options = {"ties": ties} if stem in WITH_TIES else {}
        order = list(range(len(rows[0])))
        random.shuffle(order)
        shuffled = (values[order] for values in rows)
        assert_same(per_query(stem, *shuffled, **options), per_query(stem, *rows, **options))

    holds()


@ALL
def test_metrics_do_not_depend_on_query_names(stem):
    @FEW
    @given(draw_for(stem))
    def reverses(rows):
        y_true, y_score, groups = rows
        assert_same(per_query(stem, y_true, y_score, -groups), per_query(stem, *rows)[::-1])

    @FEW
    @given(draw_for(stem))
    def keeps(rows):
        y_true, y_score, groups = rows
        for names in (groups.astype(str), groups.astype("M8[D]"), groups * 1e300, groups - 2):
            assert_same(per_query(stem, y_true, y_score, names), per_query(stem, *rows))

    reverses()
    keeps()


@ALL
def test_metrics_compute_each_query_independently(stem):
    @FEW
    @given(draw_for(stem))
    def holds(rows):
        values = per_query(stem, *rows)
        for group, value in zip(np.unique(rows[2]), values):
            assert_same(per_query(stem, *(column[rows[2] == group] for column in rows)), [value])

    holds()


# ------------------------------------------------------------------ scores


@pytest.mark.parametrize("stem", BY_ORDER)
def test_metrics_do_not_change_under_increasing_transform_of_scores(stem):
    @FEW
    @given(queries())
    def holds(rows):
        y_true, y_score, groups = rows
        ranks = np.unique(y_score, return_inverse=True)[1]
        for transformed in (ranks, 3 * ranks - 1000, np.arctan(ranks), np.exp(ranks - 700.0)):
            assert_same(per_query(stem, y_true, transformed, groups), per_query(stem, *rows))

    holds()


@pytest.mark.parametrize("stem", WITH_TIES)
def test_tie_rules_order_metric_values(stem):
    @FEW
    @given(queries())
    def holds(rows):
        rules = ("worst", "average", "order", "best")
        worst, average, order, best = (SIGN[stem] * per_query(stem, *rows, ties=rule) for rule in rules)
        for middle in (average, order):
            np.testing.assert_array_less(np.nan_to_num(worst), np.nan_to_num(middle) + 1e-9)
            np.testing.assert_array_less(np.nan_to_num(middle), np.nan_to_num(best) + 1e-9)

    holds()


@FEW
@given(queries())
def test_reversed_scores_reverse_group_auc_and_kendall_tau(rows):
    y_true, y_score, groups = rows
    ranks = np.unique(y_score, return_inverse=True)[1]
    assert_same(per_query("group_auc", y_true, -ranks, groups), 1 - per_query("group_auc", *rows))
    assert_same(per_query("kendall_tau", y_true, -ranks, groups), -per_query("kendall_tau", *rows))


# ------------------------------------------------------------------ labels


@ALL
def test_metrics_treat_bool_labels_as_ones(stem):
    @FEW
    @given(draw_for(stem))
    def holds(rows):
        y_true, y_score, groups = rows
        forms = [(y_true > 1).astype(dtype) for dtype in (bool, int, float)]
        for form in forms:
            assert_same(per_query(stem, form, y_score, groups), per_query(stem, forms[2], y_score, groups))

    holds()


@FEW
@given(queries(), st.floats(1e-3, 1e3))
def test_ndcg_does_not_depend_on_label_scale(rows, scale):
    y_true, y_score, groups = rows
    assert_same(per_query("ndcg", scale * y_true, y_score, groups), per_query("ndcg", *rows))


@FEW
@given(queries(max_grade=1))
def test_ndcg_of_binary_labels_does_not_depend_on_gain(rows):
    assert_same(per_query("ndcg", *rows, gain="exponential"), per_query("ndcg", *rows))


# ------------------------------------------------------------------ structure


@ALL
def test_metrics_of_disjoint_parts_equal_metrics_of_whole(stem):
    @FEW
    @given(draw_for(stem), st.sampled_from([1, 2, 3]))
    def holds(rows, cut):
        values = per_query(stem, *rows)
        inside = np.unique(rows[2]) < cut
        for part, queries_inside in ((rows[2] < cut, inside), (rows[2] >= cut, ~inside)):
            if part.any():
                assert_same(per_query(stem, *(column[part] for column in rows)), values[queries_inside])

    holds()


@pytest.mark.parametrize("stem", [stem for stem in CUTOFFS if stem not in ("precision", "f1")])
def test_cutoff_beyond_list_changes_nothing(stem):
    @FEW
    @given(queries(), st.integers(24, 10**12))
    def holds(rows, k):
        assert_same(per_query(stem, *rows, k=k), per_query(stem, *rows, k=len(rows[0])))
        if METRICS[stem].cutoff == "optional":
            assert_same(per_query(stem, *rows, k=k), per_query(stem, *rows))

    holds()


UNCHANGED_BELOW = ("ndcg", "map", "mrr", "hit_rate", "recall", "r_precision", "err", "rbp", "insq", "dcg")


@pytest.mark.parametrize("stem", UNCHANGED_BELOW)
def test_irrelevant_documents_at_bottom_change_nothing(stem):
    @FEW
    @given(queries(), st.integers(1, 5), st.sampled_from([1, 3, None]))
    def holds(rows, n_more, k):
        y_true, y_score, groups = rows
        ranks = np.unique(y_score, return_inverse=True)[1]
        more = np.repeat(np.unique(groups), n_more)
        longer = (
            np.concatenate((y_true, np.zeros(len(more)))),
            np.concatenate((ranks, np.full(len(more), -1.0))),
            np.concatenate((groups, more)),
        )
        options = {"k": k} if METRICS[stem].cutoff != "none" else {}
        if METRICS[stem].cutoff == "required":
            options = {"k": k or len(longer[0])}
        assert_same(per_query(stem, *longer, **options), per_query(stem, *rows, **options))

    holds()


@ALL
def test_metric_values_are_within_declared_range(stem):
    @FEW
    @given(draw_for(stem))
    def holds(rows):
        values = per_query(stem, *rows)
        values = values[~np.isnan(values)]
        assert (values >= METRICS[stem].lower).all()
        assert (values <= METRICS[stem].upper).all()

    holds()


@pytest.mark.parametrize("stem", BY_ORDER)
def test_metrics_of_many_tied_documents_are_within_range(stem):
    for n in (99, 289):
        labels = np.tril(np.ones((n, n), dtype=int))  # 1, 2, ... n relevant documents
        options = {} if METRICS[stem].cutoff == "none" else {"k": n}
        values = per_query(stem, labels, np.zeros((n, n)), None, **options)
        values = values[~np.isnan(values)]
        assert (values >= METRICS[stem].lower).all()
        assert (values <= METRICS[stem].upper).all()


ONE_IS_BEST = ["ndcg", "map", "mrr", "recall", "hit_rate", "r_precision", "bpref"]
ONE_IS_BEST += ["group_auc", "pairwise_accuracy"]


@pytest.mark.parametrize("stem", ONE_IS_BEST)
def test_perfect_ranking_scores_one(stem):
    @FEW
    @given(queries())
    def holds(rows):
        options = {"k": len(rows[0])} if stem == "recall" else {}
        values = per_query(stem, rows[0], rows[0], rows[2], **options)
        np.testing.assert_allclose(values[~np.isnan(values)], 1, rtol=0, atol=1e-12)

    holds()


MONOTONE = [stem for stem in METRICS if stem not in ("judged", "pearson", "bpr_loss", "spearman")]


@pytest.mark.parametrize("stem", MONOTONE)
def test_moving_better_document_up_never_lowers_metric(stem):
    @FEW
    @given(st.lists(st.integers(0, 4), min_size=2, max_size=12), st.data())
    def holds(labels, data):
        upper = data.draw(st.integers(0, len(labels) - 2))
        lower = data.draw(st.integers(upper + 1, len(labels) - 1))
        swapped = list(labels)
        swapped[upper], swapped[lower] = labels[lower], labels[upper]
        if labels[lower] < labels[upper]:
            labels, swapped = swapped, labels
        k = {} if METRICS[stem].cutoff == "none" else {"k": data.draw(st.sampled_from([1, 3, 20]))}
        ranks, groups = -np.arange(len(labels)), np.zeros(len(labels))
        before, after = (SIGN[stem] * per_query(stem, y, ranks, groups, **k) for y in (labels, swapped))
        assert np.isnan(before).all() or (after >= before - 1e-12).all()

    holds()


# ------------------------------------------------------------------ relations between metrics


@FEW
@given(queries(), st.integers(1, 12))
def test_metrics_satisfy_known_identities(rows, k):
    y_true, y_score, groups = rows
    rows = {"groups": groups, "average": None}
    n_relevant = np.array([(y_true[groups == group] >= 1).sum() for group in np.unique(groups)])
    precision = precision_at_k_score(y_true, y_score, k=k, **rows)
    assert_same(k * precision, n_relevant * recall_at_k_score(y_true, y_score, k=k, **rows))
    first = precision_at_k_score(y_true, y_score, k=1, **rows)
    assert_same(first, hit_rate_at_k_score(y_true, y_score, k=1, **rows))
    assert_same(first, mrr_score(y_true, y_score, k=1, **rows))
    r_precision, ap = r_precision_score(y_true, y_score, **rows), map_score(y_true, y_score, **rows)
    for index, group in enumerate(np.unique(groups)):
        one = groups == group
        if n_relevant[index]:
            at_r = precision_at_k_score([y_true[one]], [y_score[one]], k=int(n_relevant[index]))
            assert r_precision[index] == pytest.approx(at_r, abs=1e-12)
        if n_relevant[index] == 1:
            assert ap[index] == pytest.approx(mrr_score([y_true[one]], [y_score[one]]), abs=1e-12)


@FEW
@given(queries(max_grade=1))
def test_pairwise_metrics_agree_with_auc_for_two_grades(rows):
    y_true, y_score, groups = rows
    auc = group_auc_score(y_true, y_score, groups=groups, average=None)
    assert_same(per_query("pairwise_accuracy", *rows), auc)
    tau = kendall_tau_score(y_true, y_score, groups=groups, average=None)
    known = ~np.isnan(tau)
    assert (np.sign(np.round(tau[known], 9)) == np.sign(np.round(2 * auc[known] - 1, 9))).all()


@FEW
@given(queries())
def test_ndcg_of_one_query_equals_scikit_learn(rows):
    y_true, y_score, _ = rows
    ranks = np.unique(y_score, return_inverse=True)[1]
    if len(y_true) > 1:
        expected = sklearn_ndcg_score([y_true], [ranks])
        assert ndcg_score([y_true], [y_score]) == pytest.approx(expected, abs=1e-12)
