"""Query ids of any type and in any order; their names never matter."""

from math import fsum, log2, sqrt

import numpy as np
import pytest

from sklearn_rank.metrics import group_auc_score, mrr_score, ranking_scores, unique_groups
from tests.helpers.ids import KINDS
from tests.helpers.table import BY_RULE, METRICS, SCORE_OF, WITH_TIES

ALL = pytest.mark.parametrize("stem", METRICS)

TRUTHS = {
    "numpy": ("numpy", lambda np, truths: truths),
    "list": ("numpy", lambda np, truths: truths.tolist()),
    "objects": ("numpy", lambda np, truths: truths.astype(object)),
    "nullable": ("pandas", lambda pd, truths: pd.Series(truths, dtype="boolean")),
    "polars": ("polars", lambda pl, truths: pl.Series(truths)),
    "pyarrow": ("pyarrow", lambda pa, truths: pa.array(truths)),
}


WITHOUT_ORDER = [(stem, ties) for stem, ties in BY_RULE if ties != {"ties": "order"}]


SCALE = {"err": {"max_grade": 4}}  # the default is the highest label of the rows


def per_query(stem, y_true, y_score, groups, **options):
    options |= SCALE.get(stem, {})
    return SCORE_OF[stem](y_true, y_score, groups=groups, average=None, **options)


def each_alone(stem, y_true, y_score, codes):
    """Score each query in a call of its own."""
    rows = [np.flatnonzero(codes == code) for code in sorted(set(codes.tolist()))]
    return [per_query(stem, y_true[r], y_score[r], np.zeros(len(r)))[0] for r in rows]


@pytest.fixture(scope="module")
def rows(queries):
    """Labels, scores and ids 0 to 59, in mixed order."""
    y_true, y_score, groups = queries
    return y_true, y_score, np.unique(groups, return_inverse=True)[1]


@pytest.fixture(scope="module")
def expected(rows):
    return {stem: each_alone(stem, *rows) for stem in METRICS}


# ------------------------------------------------------------------ types


@pytest.mark.parametrize("kind", KINDS)
@ALL
def test_metrics_accept_ids_of_any_type_and_sort_output(stem, kind, rows, expected):
    y_true, y_score, codes = rows
    library, build = KINDS[kind]
    got = per_query(stem, y_true, y_score, build(pytest.importorskip(library), codes))
    np.testing.assert_allclose(got, expected[stem], rtol=0, atol=1e-12)


@pytest.mark.parametrize("kind", TRUTHS)
def test_metrics_accept_bool_ids(kind, rows):
    y_true, y_score, codes = rows
    library, build = TRUTHS[kind]
    got = per_query("ndcg", y_true, y_score, build(pytest.importorskip(library), codes % 2 == 1))
    np.testing.assert_allclose(got, each_alone("ndcg", y_true, y_score, codes % 2), rtol=0, atol=1e-12)


@pytest.mark.parametrize(
    "ids", [[1, 1.0, 0], [0.0, -0.0, -1], [np.int8(1), np.uint64(1), 0], ["a", "a", " "]]
)
@pytest.mark.parametrize("container", [list, tuple, lambda ids: np.array(ids, dtype=object), np.array])
def test_equal_ids_name_one_query(container, ids):
    got = mrr_score([0, 1, 1], [2, 1, 1], groups=container(ids), average=None)
    np.testing.assert_array_equal(got, [1, 0.5])


def test_per_query_output_is_sorted_by_id():
    got = mrr_score([1, 0, 1, 0, 1], [2, 2, 1, 3, 2], groups=["b", "c", "c", "a", "a"], average=None)
    np.testing.assert_array_equal(got, [1 / 2, 1, 1 / 2])


@pytest.mark.parametrize("missing", [None, float("nan"), np.datetime64("NaT", "D")], ids=repr)
@pytest.mark.parametrize("ids", [lambda x: [("a", x), ("b", x)], lambda x: [("a", x), ("a", "x")]])
def test_ids_with_missing_part_are_rejected(ids, missing):
    with pytest.raises(ValueError, match="'groups' parameter of mrr_score must not contain missing ids"):
        mrr_score([1, 0], [2, 1], groups=ids(missing))


# ------------------------------------------------------------------ order and names


@ALL
def test_interleaved_rows_equal_concatenated_rows(stem, rows):
    y_true, y_score, codes = rows
    by_query = np.argsort(codes, kind="stable")
    ties = {"ties": "order"} if stem in WITH_TIES else {}
    concatenated = per_query(stem, y_true[by_query], y_score[by_query], codes[by_query], **ties)
    np.testing.assert_array_equal(per_query(stem, y_true, y_score, codes, **ties), concatenated)


@pytest.mark.parametrize(("stem", "ties"), WITHOUT_ORDER, ids=str)
def test_metrics_do_not_depend_on_order_of_grouped_rows(stem, ties, rows):
    y_true, y_score, codes = rows
    shuffled = np.random.default_rng(1).permutation(len(codes))
    got = per_query(stem, y_true[shuffled], y_score[shuffled], codes[shuffled], **ties)
    np.testing.assert_allclose(got, per_query(stem, *rows, **ties), rtol=0, atol=1e-12)


@pytest.mark.parametrize("average", ["macro", "weighted"])
@ALL
def test_metrics_do_not_depend_on_names_of_queries(stem, average, rows):
    y_true, y_score, codes = rows
    names = (codes * 7919 + 13) % 60_013  # distinct, in a different order
    function = SCORE_OF[stem]
    got = function(y_true, y_score, groups=names, average=average)
    assert got == pytest.approx(
        function(y_true, y_score, groups=codes, average=average), rel=1e-12, abs=1e-12
    )


@pytest.mark.parametrize("name", [0, -1.5, "q", b"q", np.datetime64("2020-01-01"), (1, "a")], ids=repr)
@ALL
def test_constant_group_equals_matrix_of_one_row(stem, name, rows):
    y_true, y_score, _ = rows
    function = SCORE_OF[stem]
    expected = function([y_true], [y_score])
    np.testing.assert_array_equal(function(y_true, y_score, groups=[name] * len(y_true)), expected)


# ------------------------------------------------------------------ structure


@ALL
def test_mean_of_disjoint_data_sets_is_weighted_mean(stem, rows):
    y_true, y_score, codes = rows
    function = SCORE_OF[stem]
    parts = [codes < 20, codes >= 20]
    means = [function(y_true[part], y_score[part], groups=codes[part]) for part in parts]
    n_defined = [np.isfinite(per_query(stem, y_true[p], y_score[p], codes[p])).sum() for p in parts]
    assert function(y_true, y_score, groups=codes) == pytest.approx(
        np.average(means, weights=n_defined), rel=1e-12, abs=1e-12
    )


@ALL
def test_mean_of_duplicated_queries_is_unchanged(stem, rows):
    y_true, y_score, codes = rows
    function = SCORE_OF[stem]
    twice = function(np.tile(y_true, 2), np.tile(y_score, 2), groups=np.concatenate((codes, codes + 60)))
    assert twice == pytest.approx(function(y_true, y_score, groups=codes), rel=1e-12, abs=1e-12)


# ------------------------------------------------------------------ required ids


def test_matrix_rows_need_no_ids():
    assert group_auc_score([[1, 0], [1, 0]], [[2, 1], [1, 2]]) == 0.5
    got = ranking_scores([[1, 0], [1, 0]], [[2, 1], [1, 2]], metrics=["mrr"])
    assert got == {"mrr": 0.75}


# ------------------------------------------------------------------ extremes

# One of two documents is relevant: values if it is first and if it is second.
OF_TWO = {
    "dcg": (1, 1 / log2(3)),
    "ndcg": (1, 1 / log2(3)),
    "map": (1, 1 / 2),
    "mrr": (1, 1 / 2),
    "precision": (1 / 2, 1 / 2),
    "recall": (1, 1),
    "f1": (2 / 3, 2 / 3),
    "hit_rate": (1, 1),
    "r_precision": (1, 0),
    "err": (1 / 16, 1 / 32),
    "rbp": (0.2, 0.16),
    "bpref": (1, 0),
    "fallout_loss": (1, 1),
    "judged": (1, 1),
    "group_auc": (1, 0),
    "pairwise_accuracy": (1, 0),
    "kendall_tau": (1, -1),
    "kendall_tau_ap": (1, -1),
    "spearman": (1, -1),
    "pearson": (1, -1),
}

# Every second document of 2 m is relevant: ranks 2, 4, ..., 2 m.
M = 100_000
EVERY_SECOND = {
    "dcg": fsum(1 / log2(2 * i + 1) for i in range(1, M + 1)),
    "ndcg": fsum(1 / log2(2 * i + 1) for i in range(1, M + 1))
    / fsum(1 / log2(i + 1) for i in range(1, M + 1)),
    "map": 1 / 2,
    "mrr": 1 / 2,
    "precision": 1 / 2,
    "recall": 1,
    "f1": 2 / 3,
    "hit_rate": 1,
    "r_precision": 1 / 2,
    "group_auc": (M - 1) / (2 * M),
    "pairwise_accuracy": (M - 1) / (2 * M),
    "err": fsum(0.5**i / (2 * i) for i in range(1, 60)),
    "rbp": 0.2 * 0.8 / (1 - 0.8**2),
    "bpref": (M - 1) / (2 * M),
    "fallout_loss": 1,
    "judged": 1,
    # m^2 of the m (2 m - 1) pairs have different labels; discordant pairs outnumber concordant ones by m
    "kendall_tau": -M / (sqrt(M**2) * sqrt(M * (2 * M - 1))),
    # relevant documents below j irrelevant ones add -j / (2 j - 1), irrelevant ones below them 1 / 2
    "kendall_tau_ap": ((M - 1) / 2 - fsum(j / (2 * j - 1) for j in range(1, M + 1))) / (2 * M - 1),
    "spearman": -sqrt(3 / ((2 * M) ** 2 - 1)),
    "pearson": -sqrt(3 / ((2 * M) ** 2 - 1)),
}


def whole_list(stem, length):
    """The cutoff at the end of a list, for metrics that need one."""
    return {"k": length} if METRICS[stem].cutoff == "required" else {}


@pytest.mark.filterwarnings("ignore:.*no query has more documents:sklearn_rank.RankingWarning")
@pytest.mark.parametrize("stem", OF_TWO)
def test_metrics_are_exact_for_100000_queries_of_two_documents(stem):
    rng = np.random.default_rng(0)
    is_first = rng.random(100_000) < 0.5
    groups, y_true = np.repeat(np.arange(100_000), 2), np.tile([1, 0], 100_000)
    y_score = rng.standard_normal(200_000)
    y_score[1::2] = y_score[::2] + np.where(is_first, -1, 1)
    mixed = rng.permutation(200_000)
    got = per_query(stem, y_true[mixed], y_score[mixed], groups[mixed], **whole_list(stem, 2))
    np.testing.assert_allclose(got, np.where(is_first, *OF_TWO[stem]), rtol=0, atol=1e-12)


@pytest.mark.parametrize("stem", EVERY_SECOND)
def test_metrics_are_exact_for_one_query_of_200000_documents(stem):
    ranks = np.random.default_rng(0).permutation(2 * M) + 1
    got = SCORE_OF[stem](ranks % 2 == 0, -ranks, groups=np.full(2 * M, "q"), **whole_list(stem, 2 * M))
    assert got == pytest.approx(EVERY_SECOND[stem], rel=1e-12, abs=1e-12)


@pytest.mark.parametrize(
    ("values", "kind"), [(["a", "a\0", "b"], "String"), ([1, 2, 2**100], "Int128"), ([1, 2, 2], "Int128")]
)
def test_ids_of_polars_keep_null_bytes_and_large_integers(values, kind):
    polars = pytest.importorskip("polars")
    ids = polars.Series(values, dtype=getattr(polars, kind))
    assert unique_groups(ids).tolist() == sorted(set(values))


@pytest.mark.parametrize("values", [[None], [None, "a"], ["a", None], ["", None], [None, None]], ids=str)
def test_missing_ids_of_polars_are_rejected(values):
    polars = pytest.importorskip("polars")
    with pytest.raises(ValueError, match="not contain missing ids"):
        unique_groups(polars.Series(values, dtype=polars.String))
