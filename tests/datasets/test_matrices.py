"""From matrices of scores to rows."""

import numpy as np
import pytest
from scipy import sparse

from sklearn_rank import from_recommendations, from_score_matrix, mrr_score, ndcg_score


def test_large_integer_scores_of_a_matrix_are_compared_exactly():
    y_true, y_score, _ = from_score_matrix([[1, 0]], np.array([[2**60 + 1, 2**60]]))
    assert mrr_score([y_true], [y_score]) == 1


SCORES = np.array([[3.0, 2.0, 1.0, 0.0], [0.5, 4.0, 0.0, 0.1]])
GRADES = np.array([[0, 2, 0, 1], [1, 0, 0, 0]])
SEEN = np.array([[1, 0, 0, 0], [0, 1, 0, 0]])
KINDS = {"dense": np.asarray, "lists": np.ndarray.tolist, "csr": sparse.csr_array, "coo": sparse.coo_matrix}


@pytest.mark.parametrize("seen_kind", KINDS)
@pytest.mark.parametrize("kind", KINDS)
def test_pairs_of_a_dense_matrix(kind, seen_kind):
    got = from_score_matrix(KINDS[kind](GRADES), SCORES, seen=KINDS[seen_kind](SEEN), return_items=True)
    y_true, y_score, groups, items = got
    assert y_true.tolist() == [2, 0, 1, 1, 0, 0]
    assert y_score.tolist() == [2, 1, 0, 0.5, 0, 0.1]
    assert groups.tolist() == [0, 0, 0, 1, 1, 1]
    assert items.tolist() == [1, 2, 3, 0, 2, 3]


@pytest.mark.parametrize("kind", ["csr", "coo"])
def test_pairs_that_a_sparse_matrix_does_not_store_were_not_retrieved(kind):
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


def test_values_equal_those_of_the_matrix(queries):
    rng = np.random.default_rng(0)
    scores, grades = rng.standard_normal((20, 30)), rng.integers(0, 3, (20, 30))
    y_true, y_score, groups = from_score_matrix(grades, scores)
    assert ndcg_score(y_true, y_score, groups=groups, k=5) == ndcg_score(grades, scores, k=5)


def test_seen_items_are_left_out_although_relevant():
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
def test_matrices_that_do_not_go_together_are_refused(matrices, parameter):
    given = {"scores": SCORES, "relevant": GRADES} | matrices
    with pytest.raises(ValueError, match=f"'{parameter}' parameter of from_score_matrix must"):
        from_score_matrix(**given)


def test_frames_whose_indexes_name_other_users_are_refused():
    pandas = pytest.importorskip("pandas")
    shown = pandas.DataFrame([["x", "y"], ["z", "w"]], index=["ann", "bob"])
    wanted = pandas.DataFrame([["z"], ["y"]], index=["bob", "cat"])
    with pytest.raises(ValueError, match=r"'relevant' .* must have the users of 'recommended' in its index"):
        from_recommendations(wanted, shown)
    y_true, _, groups = from_recommendations(wanted.T.to_dict("list"), shown.T.to_dict("list"))
    assert sorted(set(groups[y_true > 0])) == ["bob", "cat"]
    assert list(from_recommendations(wanted.to_numpy(), shown)[0]) == [0, 0, 0, 0, 1, 1]  # by position


def test_a_matrix_of_scores_without_entries_retrieves_nothing():
    scores = sparse.coo_array((2, 3), dtype=np.int64)
    y_true, y_score, groups = from_score_matrix([[1, 0, 0], [0, 2, 0]], scores)
    assert [list(y_true), list(y_score), list(groups)] == [[1, 2], [-np.inf, -np.inf], [0, 1]]


@pytest.mark.parametrize("backend", ["numpy_nullable", "pyarrow"])
def test_from_score_matrix_reads_frames_with_other_types(backend):
    pandas = pytest.importorskip("pandas")
    pytest.importorskip("pyarrow")
    frames = [pandas.DataFrame(each).convert_dtypes(dtype_backend=backend) for each in (GRADES, SCORES)]
    for one, other in zip(from_score_matrix(*frames), from_score_matrix(GRADES, SCORES), strict=True):
        np.testing.assert_array_equal(one, other)
