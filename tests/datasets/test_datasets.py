"""Data sets: digits as a retrieval task, and synthetic queries."""

import sys

import numpy as np
import pytest

from sklearn_rank import ndcg_score
from sklearn_rank.datasets import load_digits_ranking, make_ranking


@pytest.fixture(scope="module")
def digits():
    return load_digits_ranking()


# ------------------------------------------------------------------ digits


def test_load_digits_ranking_has_a_row_per_query_and_candidate(digits):
    assert digits.data.shape == (9600, len(digits.feature_names)) == (9600, 12)
    assert digits.target.shape == digits.groups.shape == (9600,)
    np.testing.assert_array_equal(np.unique(digits.groups, return_counts=True)[1], np.full(240, 40))
    assert "240 queries" in digits.DESCR


def test_load_digits_ranking_has_finite_features_and_three_grades(digits):
    assert np.isfinite(digits.data).all()
    assert digits.target.dtype.kind == "i"
    assert np.unique(digits.target).tolist() == [0, 1, 2]


def test_load_digits_ranking_gives_top_grade_to_a_tenth_of_rows(digits):
    assert np.mean(digits.target == 2) == pytest.approx(0.1, abs=0.01)


def test_load_digits_ranking_is_deterministic(digits):
    np.random.seed(1)  # noqa: NPY002 - the global state plays no part
    again = load_digits_ranking()
    for name in ("data", "target", "groups"):
        np.testing.assert_array_equal(again[name], digits[name])


def test_load_digits_ranking_returns_tuple_when_return_x_y(digits):
    X, y, groups = load_digits_ranking(return_X_y=True)
    np.testing.assert_array_equal(X, digits.data)
    np.testing.assert_array_equal(y, digits.target)
    np.testing.assert_array_equal(groups, digits.groups)


def test_load_digits_ranking_returns_frame_when_as_frame(digits):
    pandas = pytest.importorskip("pandas")
    bunch = load_digits_ranking(as_frame=True)
    X, y, groups = load_digits_ranking(return_X_y=True, as_frame=True)
    pandas.testing.assert_frame_equal(X, pandas.DataFrame(digits.data, columns=digits.feature_names))
    pandas.testing.assert_series_equal(y, pandas.Series(digits.target, name="grade"))
    pandas.testing.assert_series_equal(groups, pandas.Series(digits.groups, name="qid"))
    assert X.equals(bunch.data) and y.equals(bunch.target) and groups.equals(bunch.groups)


def test_load_digits_ranking_error_shows_how_to_install_pandas(monkeypatch):
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(ImportError, match="pip install pandas"):
        load_digits_ranking(as_frame=True)


def test_load_digits_ranking_grades_near_images_higher(digits):
    distance = digits.data[:, digits.feature_names.index("euclidean")]
    by_distance = ndcg_score(digits.target, -distance, groups=digits.groups, k=10)
    by_chance = ndcg_score(digits.target, np.zeros(9600), groups=digits.groups, k=10)
    assert by_distance > by_chance + 0.3


# ------------------------------------------------------------------ synthetic queries


def test_make_ranking_returns_features_grades_and_ids():
    X, y, groups = make_ranking(n_queries=30, n_features=7, n_grades=4, random_state=0)
    assert X.shape == (len(y), 7)
    assert y.shape == groups.shape
    assert np.unique(y).tolist() == [0, 1, 2, 3]
    assert np.unique(groups).tolist() == list(range(30))


def test_make_ranking_fixes_or_draws_the_number_of_documents():
    _, _, fixed = make_ranking(n_queries=50, n_documents=6, random_state=0)
    _, _, drawn = make_ranking(n_queries=500, n_documents=(2, 4), random_state=0)
    assert np.bincount(fixed).tolist() == [6] * 50
    assert np.unique(np.bincount(drawn)).tolist() == [2, 3, 4]


def test_make_ranking_halves_the_frequency_with_each_grade():
    _, y, _ = make_ranking(n_queries=600, n_documents=10, n_grades=4, random_state=0)
    assert np.bincount(y) == pytest.approx([3200, 1600, 800, 400], abs=1)


@pytest.mark.parametrize("shuffle", [False, True])
def test_make_ranking_is_reproducible_with_a_seed(shuffle):
    first, again = (make_ranking(shuffle=shuffle, random_state=3) for _ in range(2))
    other = make_ranking(shuffle=shuffle, random_state=4)
    assert all(np.array_equal(a, b) for a, b in zip(first, again))
    assert not np.array_equal(first[0][:5], other[0][:5])


def test_make_ranking_advances_a_random_state():
    state = np.random.RandomState(3)
    first, second = make_ranking(random_state=state), make_ranking(random_state=state)
    np.testing.assert_array_equal(first[0], make_ranking(random_state=3)[0])
    assert not np.array_equal(first[0][:5], second[0][:5])


def test_make_ranking_shuffles_whole_rows():
    X, y, groups = make_ranking(random_state=0)
    rows = make_ranking(shuffle=True, random_state=0)
    order = np.lexsort(X.T)
    shuffled = np.lexsort(rows[0].T)
    assert (groups[1:] >= groups[:-1]).all()
    assert (rows[2][1:] < rows[2][:-1]).any()
    for before, after in zip((X, y, groups), rows):
        np.testing.assert_array_equal(before[order], after[shuffled])


@pytest.mark.parametrize("shuffle", [False, True])
def test_make_ranking_is_ranked_perfectly_by_coef_without_noise(shuffle):
    X, y, groups, coef = make_ranking(noise=0, coef=True, shuffle=shuffle, random_state=0)
    values = ndcg_score(y, X @ coef, groups=groups, average=None, zero_division=1.0)
    np.testing.assert_allclose(values, 1, atol=1e-12)


def test_make_ranking_is_ranked_worse_by_coef_with_more_noise():
    scores = []
    for noise in (0, 1, 10):
        X, y, groups, coef = make_ranking(n_queries=300, noise=noise, coef=True, random_state=0)
        scores.append(ndcg_score(y, X @ coef, groups=groups))
    assert scores[0] > scores[1] > scores[2]


def test_make_ranking_makes_first_features_informative():
    *_, coef = make_ranking(n_features=8, n_informative=3, coef=True, random_state=0)
    assert (coef[:3] != 0).all()
    assert coef[3:].tolist() == [0] * 5
    assert np.linalg.norm(coef) == pytest.approx(1, abs=1e-15)


@pytest.mark.parametrize(
    ("parameter", "value"),
    [
        ("n_queries", 0),
        ("n_queries", 2.0),
        ("n_documents", 0),
        ("n_documents", True),
        ("n_documents", 2.5),
        ("n_documents", "5"),
        ("n_documents", (0, 3)),
        ("n_documents", (3, 2)),
        ("n_documents", (3,)),
        ("n_features", 0),
        ("n_informative", 0),
        ("n_informative", 11),
        ("n_grades", 1),
        ("noise", -1),
        ("noise", np.nan),
        ("noise", np.inf),
        ("noise", "1"),
    ],
)
def test_make_ranking_rejects_parameters_out_of_range(parameter, value):
    with pytest.raises(ValueError, match=f"'{parameter}' parameter of make_ranking must"):
        make_ranking(**{parameter: value})
