"""Rows of a matrix of scores that a cutoff k needs: values at k equal those of the whole matrix."""

import tracemalloc
from functools import partial

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

from sklearn_rank import (
    RankingWarning,
    catalog_coverage_score,
    from_score_matrix,
    hit_rate_at_k_score,
    intra_list_similarity_loss,
    map_score,
    mrr_score,
    ndcg_score,
    recall_at_k_score,
)
from sklearn_rank.datasets import _score_matrix
from sklearn_rank.metrics import exposure_gini_loss, fallout_at_k_loss, novelty_score
from tests.helpers.table import CUTOFFS, METRICS, RULES

N_USERS, N_ITEMS, K = 40, 60, 10
INF = np.inf
LEFT_OUT = {"fallout_loss"}  # divides by the documents that are not relevant


def draw_scores(kind, random):
    """Return scores of users and items."""
    scores = random.standard_normal((N_USERS, N_ITEMS))
    few = random.random((N_USERS, N_ITEMS)) < 0.2
    return {
        "no ties": scores,
        "float32": scores.astype(np.float32),
        "float16": scores.astype(np.float16),
        "ties": scores.round(0),
        "one score for all": np.zeros_like(scores),
        "ints": (10 * scores).astype(np.int8),
        "unsigned ints": random.integers(0, 30, scores.shape).astype(np.uint16),
        "ints beyond the floats": random.integers(0, 30, scores.shape) + 2**60,
        "truth values": scores > 1,
        "few retrieved": np.where(few, scores.round(1), -INF),
        "infinite": np.where(few, INF, scores.round(1)),
        "csr": sparse.csr_array(np.where(few, scores.round(1), 0)),
        "csc of ints": sparse.csc_array(np.where(few, random.integers(1, 4, scores.shape), 0)),
        "coo of hardly any": sparse.coo_array(np.where(scores > 2, scores, 0)),
    }[kind]


KINDS = ["no ties", "float32", "float16", "ties", "one score for all", "ints", "unsigned ints"]
KINDS += ["ints beyond the floats", "truth values", "few retrieved", "infinite", "csr", "csc of ints"]
KINDS += ["coo of hardly any"]
READ = {"dense": np.asarray, "csr": sparse.csr_array}
EVERY_KIND = pytest.mark.parametrize("kind", KINDS)


@pytest.fixture(scope="module")
def pairs():
    """Grades 0 to 3 of some items, and which are seen; some users have nothing relevant, or all seen."""
    random = np.random.default_rng(0)
    grades = random.integers(1, 4, (N_USERS, N_ITEMS)) * (random.random((N_USERS, N_ITEMS)) < 0.1)
    grades[::7] = 0
    seen = random.random((N_USERS, N_ITEMS)) < 0.3
    seen[5, 3:] = True
    seen[6] = True
    return grades, seen


def both(kind, grades, **more):
    """Return the rows at k and all rows, for which the values have to be the same."""
    scores = draw_scores(kind, np.random.default_rng(1))
    return from_score_matrix(grades, scores, k=K, **more), from_score_matrix(grades, scores, **more)


def assert_same(score, rows, whole, **options):
    got, expected = (score(*each[:2], groups=each[2], **options) for each in (rows, whole))
    np.testing.assert_allclose(got, expected, rtol=0, atol=1e-12)


@pytest.mark.thorough
@pytest.mark.parametrize("matrices", READ)
@pytest.mark.parametrize("with_seen", [False, True])
@pytest.mark.parametrize("ties", RULES)
@EVERY_KIND
def test_from_score_matrix_at_k_keeps_every_metric_at_a_cutoff(kind, ties, with_seen, matrices, pairs):
    grades, seen = (READ[matrices](each) for each in pairs)
    rows, whole = both(kind, grades, **({"seen": seen} if with_seen else {}))
    assert len(rows[0]) <= len(whole[0])
    for stem in set(CUTOFFS) - LEFT_OUT:
        options = {"ties": ties} if "ties" in METRICS[stem].defaults else {}
        for k in (1, 3, K):
            for average in ("macro", None):
                assert_same(METRICS[stem].function, rows, whole, k=k, average=average, **options)


@pytest.mark.parametrize("stem", ["precision", "recall", "f1"])
@EVERY_KIND
def test_from_score_matrix_at_k_keeps_micro_averages(stem, kind, pairs):
    assert_same(METRICS[stem].function, *both(kind, pairs[0], seen=pairs[1]), k=K, average="micro")


OPTIONS = {
    "a gain of what is not relevant": (ndcg_score, {"gain": [1, 2, 5, 6]}),
    "exponential gain": (ndcg_score, {"gain": "exponential"}),
    "relevant from label 2": (recall_at_k_score, {"min_relevance": 2}),
    "all relevant": (map_score, {"denominator": "relevant"}),
    "hits": (map_score, {"denominator": "hits"}),
    "short lists": (METRICS["precision"].function, {"adaptive_k": True}),
    "undefined": (ndcg_score, {"zero_division": np.nan}),
}


@pytest.mark.parametrize("option", OPTIONS)
@EVERY_KIND
def test_from_score_matrix_at_k_keeps_values_with_metric_options(option, kind, pairs):
    score, options = OPTIONS[option]
    assert_same(score, *both(kind, pairs[0], seen=pairs[1]), k=K, **options)


@pytest.mark.thorough
@pytest.mark.parametrize("unjudged", ["nonrelevant", "drop"])
@EVERY_KIND
def test_from_score_matrix_at_k_keeps_values_with_missing_labels(unjudged, kind, pairs):
    grades = np.where(np.random.default_rng(2).random(pairs[0].shape) < 0.3, np.nan, pairs[0])
    rows, whole = both(kind, grades, seen=pairs[1])
    for stem in set(CUTOFFS) - LEFT_OUT:
        options = {"unjudged": unjudged} if "unjudged" in METRICS[stem].defaults else {}
        assert_same(METRICS[stem].function, rows, whole, k=K, **options)


CATALOG = {"catalog": N_ITEMS}
FEATURES = np.random.default_rng(3).standard_normal((N_ITEMS, 4))
OF_ITEMS = {
    "coverage": partial(catalog_coverage_score, **CATALOG),
    "exposure": partial(exposure_gini_loss, **CATALOG, discount="log2"),
    "novelty": partial(novelty_score, popularity={item: 1 / (item + 2) for item in range(N_ITEMS)}),
    "similarity": lambda items, *rows, **options: intra_list_similarity_loss(
        FEATURES[items], *rows, **options
    ),
}


@pytest.mark.parametrize("ties", ["average", "order"])
@pytest.mark.parametrize("score", OF_ITEMS)
@EVERY_KIND
def test_from_score_matrix_at_k_keeps_metrics_of_items(score, ties, kind, pairs):
    values = [
        OF_ITEMS[score](items, y_score, groups=users, k=K, ties=ties)
        for _, y_score, users, items in both(kind, pairs[0], seen=pairs[1], return_items=True)
    ]
    assert values[0] == pytest.approx(values[1], abs=1e-12)


# ------------------------------------------------------------------ metrics that depend on excluded pairs


def test_from_score_matrix_at_k_increases_fallout(pairs):
    rows, whole = both("no ties", pairs[0])
    every = fallout_at_k_loss(*whole[:2], groups=whole[2], k=K)
    with pytest.warns(RankingWarning, match="fallout_at_k_loss: the lists look cut at"):
        assert fallout_at_k_loss(*rows[:2], groups=rows[2], k=K) > every


def test_from_score_matrix_at_k_weights_users_by_kept_rows(pairs):
    rows, whole = both("no ties", pairs[0], seen=pairs[1])
    values = [mrr_score(*each[:2], groups=each[2], k=K, average="weighted") for each in (rows, whole)]
    per_user = mrr_score(*whole[:2], groups=whole[2], k=K, average=None)
    for value, (_, _, users) in zip(values, (rows, whole)):
        assert value == pytest.approx(np.average(per_user, weights=np.unique(users, return_counts=True)[1]))
    assert values[0] != pytest.approx(values[1], abs=1e-3)


@pytest.mark.parametrize("unjudged", ["mean", "median"])
def test_from_score_matrix_at_k_imputes_labels_from_kept_rows(unjudged):
    scores, grades = [[4, 3, 2, 1, 0]], [[np.nan, 2, 0, 0, 0]]
    rows, whole = from_score_matrix(grades, scores, k=2), from_score_matrix(grades, scores)
    values = [ndcg_score(*each[:2], groups=each[2], k=2, unjudged=unjudged) for each in (rows, whole)]
    typical = [np.nanmean(each[0]) if unjudged == "mean" else np.nanmedian(each[0]) for each in (rows, whole)]
    expected = [ndcg_score([[each, 2, 0]], [[4, 3, 2]], k=2) for each in typical]
    assert values == pytest.approx(expected)
    assert values[0] != pytest.approx(values[1], abs=1e-3)


def test_from_score_matrix_at_k_infers_catalog_from_kept_rows(pairs):
    scores = np.tile(np.arange(N_ITEMS), (N_USERS, 1))  # the same ranking for all users
    _, y_score, users, items = from_score_matrix(np.zeros_like(scores), scores, k=K, return_items=True)
    assert catalog_coverage_score(items, y_score, groups=users, k=K) == 1
    assert catalog_coverage_score(items, y_score, groups=users, k=K, catalog=N_ITEMS) == K / N_ITEMS


# ------------------------------------------------------------------ rows that are returned


def rows_of(*matrices, **options):
    y_true, y_score, groups, items = from_score_matrix(*matrices, return_items=True, **options)
    return list(zip(groups.tolist(), items.tolist(), y_score.tolist(), y_true.tolist()))


FORMS = {
    "dense": np.array,
    "frame": lambda rows: pytest.importorskip("pandas").DataFrame(rows),
    "csr": sparse.csr_array,
    "csc": sparse.csc_array,
    "coo": sparse.coo_matrix,
    "bsr": lambda rows: sparse.bsr_array(np.array(rows)),
}
EVERY_FORM = pytest.mark.parametrize("form", FORMS)


@EVERY_FORM
def test_from_score_matrix_keeps_ties_at_k_and_relevant_items_below(form):
    scores = FORMS[form]([[9, 5, 5, 5, 1, 2], [3, 8, 7, 6, 2, 1]])
    relevant = FORMS[form]([[0, 0, 3, 0, 0, 2], [0, 0, 0, 0, 0, 1]])
    assert rows_of(relevant, scores, k=2) == [
        *[(0, 0, 9, 0), (0, 1, 5, 0), (0, 2, 5, 3), (0, 3, 5, 0), (0, 5, -INF, 2)],
        *[(1, 1, 8, 0), (1, 2, 7, 0), (1, 5, -INF, 1)],
    ]


@EVERY_FORM
def test_from_score_matrix_skips_seen_items_when_it_takes_the_top_k(form):
    scores, relevant = FORMS[form]([[9, 8, 7, 6, 5]]), FORMS[form]([[1, 0, 0, 0, 1]])
    seen = FORMS[form]([[1, 1, 0, 0, 0]])
    assert rows_of(relevant, scores, seen=seen, k=1) == [(0, 2, 7, 0), (0, 4, -INF, 1)]


@EVERY_FORM
def test_from_score_matrix_adds_best_nonrelevant_to_relevant_top_k(form):
    scores, relevant = (
        FORMS[form]([[9, 8, 7, 6, 5], [5, 6, 7, 8, 9]]),
        FORMS[form]([[1, 1, 0, 1, 0], [0] * 5]),
    )
    assert rows_of(relevant, scores, k=2) == [
        *[(0, 0, 9, 1), (0, 1, 8, 1), (0, 2, 7, 0), (0, 3, -INF, 1)],
        *[(1, 3, 8, 0), (1, 4, 9, 0)],
    ]


@pytest.mark.parametrize("form", ["dense", "csr"])
def test_from_score_matrix_does_not_warn_for_perfect_top_k(form):
    relevant = FORMS[form](np.eye(4))
    y_true, y_score, groups = from_score_matrix(relevant, FORMS[form](np.eye(4) + 1), k=1)
    assert hit_rate_at_k_score(y_true, y_score, groups=groups, k=1) == 1  # and no warning


def test_from_score_matrix_keeps_at_most_k_items_without_retrieval():
    scores, relevant = np.full((1, 1000), -INF), np.zeros((1, 1000))
    scores[0, 500], relevant[0, 900] = 1, 1
    assert rows_of(relevant, scores, k=2) == [
        (0, 0, -INF, 0),
        (0, 1, -INF, 0),
        (0, 500, 1, 0),
        (0, 900, -INF, 1),
    ]


@EVERY_KIND
@pytest.mark.parametrize("k", [N_ITEMS, N_ITEMS + 1, 2**40])
def test_from_score_matrix_keeps_all_pairs_when_k_covers_all_items(k, kind, pairs):
    scores = draw_scores(kind, np.random.default_rng(1))
    got = from_score_matrix(pairs[0], scores, seen=pairs[1], k=k, return_items=True)
    whole = from_score_matrix(pairs[0], scores, seen=pairs[1], return_items=True)
    for one, other in zip(got, whole, strict=True):
        np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize("k", [None, 3])
@EVERY_KIND
def test_from_score_matrix_rows_do_not_depend_on_chunk_size(kind, k, pairs, monkeypatch):
    scores = draw_scores(kind, np.random.default_rng(1))
    together = from_score_matrix(pairs[0], scores, seen=pairs[1], k=k, return_items=True)
    monkeypatch.setattr(_score_matrix, "CHUNK_CELLS", 100)
    apart = from_score_matrix(pairs[0], scores, seen=pairs[1], k=k, return_items=True)
    for place, (one, other) in enumerate(zip(together, apart, strict=True)):
        if place == 1 and kind == "ints beyond the floats":  # ranks among the users of a chunk
            one, other = (np.lexsort((each, apart[2])) for each in (one, other))
        np.testing.assert_array_equal(one, other)


@pytest.mark.thorough
@pytest.mark.parametrize("k", [None, 1])
def test_from_score_matrix_separates_integers_equal_as_floats(k, monkeypatch):
    monkeypatch.setattr(_score_matrix, "CHUNK_CELLS", 2)
    scores = np.array([[2**60, 2**60 + 1], [3, 2]])
    y_true, y_score, groups = from_score_matrix([[0, 1], [1, 0]], scores, k=k)
    assert mrr_score(y_true, y_score, groups=groups) == 1


@pytest.mark.parametrize("k", [None, 3])
@pytest.mark.parametrize(
    ("dtype", "expected"), [("f4", "f4"), ("f8", "f8"), ("f2", "f8"), ("i4", "f8"), ("?", "f8")]
)
@pytest.mark.parametrize("form", ["dense", "csr"])
def test_from_score_matrix_keeps_float32_scores(form, dtype, expected, k, pairs):
    if form == "csr" and dtype == "f2":
        pytest.skip("scipy has no sparse matrices of float16")
    scores = np.random.default_rng(0).integers(0, 2, (N_USERS, N_ITEMS)).astype(dtype)
    y_true, y_score, groups = from_score_matrix(pairs[0], FORMS[form](scores), k=k)
    assert (y_true.dtype, y_score.dtype, groups.dtype) == (np.float64, expected, np.int64)


@pytest.mark.parametrize("k", [None, 2])
def test_from_score_matrix_sums_duplicates_without_changing_input(k):
    given = {name: repeated(values) for name, values in {"scores": [1, 1, 3], "relevant": [1, 1, 0]}.items()}
    assert rows_of(**given, k=k) == [(0, 0, 2, 2), (0, 1, 3, 0)]
    assert [matrix.data.tolist() for matrix in given.values()] == [[1, 1, 3], [1, 1, 0]]


@pytest.mark.parametrize("k", [None, 2])
@pytest.mark.parametrize("form", [np.zeros, sparse.csr_array])
@pytest.mark.parametrize(("n_users", "n_items"), [(0, 3), (0, 0), (3, 0)])
def test_from_score_matrix_returns_no_rows_when_matrix_is_empty(n_users, n_items, form, k):
    columns = from_score_matrix(form((n_users, n_items)), form((n_users, n_items)), k=k, return_items=True)
    assert [len(column) for column in columns] == [0, 0, 0, 0]


def repeated(values):
    """Return a row of two items, the first of which is stored twice."""
    return sparse.csr_array((values, [0, 0, 1], [0, 3]), shape=(1, 2))


# ------------------------------------------------------------------ invalid input


@pytest.mark.parametrize("k", [None, 1, 5])
@pytest.mark.parametrize("form", ["dense", "csr"])
def test_from_score_matrix_rejects_nan_scores_of_unseen_items(form, k):
    scores = FORMS[form]([[1.0, 2.0, 3.0], [1.0, np.nan, 3.0]])
    relevant = FORMS[form]([[1, 0, 0], [0, 0, 1]])
    rule = (
        "'scores' parameter of from_score_matrix must not contain NaN. Got NaN for user 1 and item 1 instead"
    )
    with pytest.raises(ValueError, match=rule):
        from_score_matrix(relevant, scores, k=k)
    rows = rows_of(relevant, scores, seen=FORMS[form]([[0, 0, 0], [0, 1, 0]]), k=k)
    assert [row for row in rows if row[0] == 1][-1] == (1, 2, 3, 1)


@pytest.mark.parametrize("k", [0, -1, 1.5, True, "10", [10], np.nan], ids=repr)
def test_from_score_matrix_rejects_cutoffs_that_are_not_positive_ints(k):
    with pytest.raises(ValueError, match=r"'k' parameter of from_score_matrix must be an int >= 1 or None"):
        from_score_matrix([[1]], [[1]], k=k)


# ------------------------------------------------------------------ memory


@pytest.mark.thorough
def test_from_score_matrix_needs_less_memory_than_the_matrix():
    random = np.random.default_rng(0)
    scores = random.standard_normal((20_000, 3_000), dtype=np.float32)
    relevant = sparse.random(*scores.shape, density=0.001, format="csr", random_state=0)
    tracemalloc.start()
    y_true, y_score, groups = from_score_matrix(relevant, scores, k=10)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < scores.nbytes / 2
    assert len(y_true) == len(y_score) == len(groups) < 20_000 * 14


def test_from_score_matrix_names_users_by_index_of_frame():
    scores = pd.DataFrame([[1.0, 2.0], [3.0, 4.0]], index=[7, 3])
    assert from_score_matrix([[0, 1], [1, 0]], scores)[2].tolist() == [7, 7, 3, 3]


def test_from_score_matrix_rejects_index_with_repeated_user():
    scores = pd.DataFrame([[1.0, 2.0], [3.0, 4.0]], index=["ann", "ann"])
    with pytest.raises(ValueError, match=r"'scores' .* have an index with each user once. Got 'ann'.* twice"):
        from_score_matrix([[0, 1], [1, 0]], scores)


@pytest.mark.parametrize("name", ["relevant", "seen"])
def test_from_score_matrix_rejects_frames_of_other_users(name):
    scores = pd.DataFrame([[1.0, 2.0], [3.0, 4.0]], index=["ann", "bob"])
    given = {"relevant": [[0, 1], [1, 0]]} | {name: pd.DataFrame(np.eye(2), index=["cat", "dan"])}
    with pytest.raises(ValueError, match=rf"'{name}' .* have the same index as 'scores'"):
        from_score_matrix(scores=scores, **given)
