"""Rows from matrices of scores."""

import numpy as np
import pytest
from scipy import sparse

from sklearn_rank import from_recommendations, from_score_matrix, mrr_score, ndcg_score


def test_from_score_matrix_compares_large_integers_exactly():
    y_true, y_score, _ = from_score_matrix([[1, 0]], np.array([[2**60 + 1, 2**60]]))
    assert mrr_score([y_true], [y_score]) == 1


SCORES = np.array([[3.0, 2.0, 1.0, 0.0], [0.5, 4.0, 0.0, 0.1]])
GRADES = np.array([[0, 2, 0, 1], [1, 0, 0, 0]])
SEEN = np.array([[1, 0, 0, 0], [0, 1, 0, 0]])
KINDS = {"dense": np.asarray, "lists": np.ndarray.tolist, "csr": sparse.csr_array, "coo": sparse.coo_matrix}


@pytest.mark.parametrize("seen_kind", KINDS)
@pytest.mark.parametrize("kind", KINDS)
def test_from_score_matrix_returns_unseen_pairs_of_dense_scores(kind, seen_kind):
    got = from_score_matrix(KINDS[kind](GRADES), SCORES, seen=KINDS[seen_kind](SEEN), return_items=True)
    y_true, y_score, groups, items = got
    assert y_true.tolist() == [2, 0, 1, 1, 0, 0]
    assert y_score.tolist() == [2, 1, 0, 0.5, 0, 0.1]
    assert groups.tolist() == [0, 0, 0, 1, 1, 1]
    assert items.tolist() == [1, 2, 3, 0, 2, 3]


@pytest.mark.parametrize("kind", ["csr", "coo"])
def test_from_score_matrix_treats_unstored_pairs_as_not_retrieved(kind):
    y_true, y_score, groups = from_score_matrix(GRADES, KINDS[kind](SCORES))
    rows = sorted(zip(groups.tolist(), (-y_score).tolist(), y_true.tolist()))
    assert rows == [
        (0, -3, 0),
        (0, -2, 2),
        (0, -1, 0),
        (0, np.inf, 1),
        (1, -4, 0),
        (1, -0.5, 1),
        (1, -0.1, 0),
    ]


def test_from_score_matrix_rows_have_ndcg_of_the_matrix(queries):
    rng = np.random.default_rng(0)
    scores, grades = rng.standard_normal((20, 30)), rng.integers(0, 3, (20, 30))
    y_true, y_score, groups = from_score_matrix(grades, scores)
    assert ndcg_score(y_true, y_score, groups=groups, k=5) == ndcg_score(grades, scores, k=5)


def test_from_score_matrix_excludes_seen_items_even_when_relevant():
    y_true, _, _ = from_score_matrix([[1, 1]], [[2, 1]], seen=[[1, 0]])
    assert y_true.tolist() == [1]
    y_true, y_score, _ = from_score_matrix([[1, 0]], sparse.csr_array([[0.0, 1.0]]), seen=[[1, 0]])
    assert (y_true.tolist(), y_score.tolist()) == ([0], [1])


@pytest.mark.parametrize(
    ("matrices", "parameter"),
    [
        ({"scores": [1, 2]}, "scores"),
        ({"scores": [["a"]]}, "scores"),
        ({"relevant": [[1]]}, "relevant"),
        ({"relevant": None}, "relevant"),
        ({"seen": [[1], [0]]}, "seen"),
        ({"scores": np.ma.array(SCORES, mask=SEEN)}, "scores"),
        ({"relevant": [[1, 2], [3]]}, "relevant"),
    ],
    ids=str,
)
def test_from_score_matrix_rejects_inconsistent_matrices(matrices, parameter):
    given = {"scores": SCORES, "relevant": GRADES} | matrices
    with pytest.raises(ValueError, match=f"'{parameter}' parameter of from_score_matrix must"):
        from_score_matrix(**given)


def test_from_recommendations_rejects_frames_with_different_users():
    pandas = pytest.importorskip("pandas")
    shown = pandas.DataFrame([["x", "y"], ["z", "w"]], index=["ann", "bob"])
    wanted = pandas.DataFrame([["z"], ["y"]], index=["bob", "cat"])
    with pytest.raises(ValueError, match=r"'relevant' .* must have the same index as 'recommended'"):
        from_recommendations(wanted, shown)
    y_true, _, groups = from_recommendations(wanted.T.to_dict("list"), shown.T.to_dict("list"))
    assert sorted(set(groups[y_true > 0])) == ["bob", "cat"]
    assert list(from_recommendations(wanted.to_numpy(), shown)[0]) == [0, 0, 0, 0, 1, 1]  # by position


def test_from_score_matrix_retrieves_nothing_when_scores_are_empty():
    scores = sparse.coo_array((2, 3), dtype=np.int64)
    y_true, y_score, groups = from_score_matrix([[1, 0, 0], [0, 2, 0]], scores)
    assert [list(y_true), list(y_score), list(groups)] == [[1, 2], [-np.inf, -np.inf], [0, 1]]


@pytest.mark.parametrize("backend", ["numpy_nullable", "pyarrow"])
def test_from_score_matrix_reads_frames_with_other_dtype_backends(backend):
    pandas = pytest.importorskip("pandas")
    pytest.importorskip("pyarrow")
    frames = [pandas.DataFrame(each).convert_dtypes(dtype_backend=backend) for each in (GRADES, SCORES)]
    for one, other in zip(from_score_matrix(*frames), from_score_matrix(GRADES, SCORES), strict=True):
        np.testing.assert_array_equal(one, other)
