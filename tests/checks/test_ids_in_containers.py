"""Ids in any container: equal values and folds, and models receive the container unchanged."""

import numpy as np
import pytest
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.linear_model import Ridge
from sklearn.model_selection import GroupKFold, GroupShuffleSplit

from sklearn_rank import BalancedGroupKFold, GridSearchCV, cross_val_score, mrr_score, ndcg_score, ndcg_scorer
from sklearn_rank._checks.codes import has_codes
from sklearn_rank.model_selection import check_folds
from tests.helpers.forms import load
from tests.helpers.ids import CONTAINERS


@pytest.fixture(scope="module")
def rows():
    """Features, labels and ids as text, in no order."""
    random = np.random.default_rng(0)
    codes = random.integers(0, 40, 400)
    X = random.standard_normal((400, 3))
    text = np.array([f"q{(code * 7) % 40}" for code in codes])
    return X, (X[:, 0] + random.standard_normal(400) > 0).astype(int), text.tolist()


@pytest.mark.parametrize("kind", CONTAINERS)
def test_values_and_folds_do_not_depend_on_id_container(kind, rows):
    library, build = CONTAINERS[kind]
    X, y, text = rows
    ids = build(pytest.importorskip(library), text)
    expected = mrr_score(y, X[:, 1], groups=np.array(text), average=None)
    np.testing.assert_array_equal(mrr_score(y, X[:, 1], groups=ids, average=None), expected)
    folds = list(BalancedGroupKFold(4).split(X, y, text))
    for (_, test), (_, same) in zip(folds, BalancedGroupKFold(4).split(X, y, ids), strict=True):
        np.testing.assert_array_equal(test, same)
    for (_, test), (_, same) in zip(folds, check_folds(BalancedGroupKFold(4), X, y, groups=ids), strict=True):
        np.testing.assert_array_equal(test, same)


@pytest.mark.slow
@pytest.mark.parametrize("cv", [None, GroupKFold(3), GroupShuffleSplit(2, random_state=0)], ids=str)
@pytest.mark.parametrize("kind", CONTAINERS)
def test_cross_val_score_accepts_ids_in_any_container(kind, cv, rows):
    library, build = CONTAINERS[kind]
    X, y, text = rows
    options = {"cv": cv, "scoring": ndcg_scorer(k=5), "error_score": "raise"}
    ids = build(load(library), text)
    got = cross_val_score(Ridge(), X, y, groups=ids, **options)
    np.testing.assert_array_equal(got, cross_val_score(Ridge(), X, y, groups=text, **options))


def test_cross_val_score_accepts_multiindex_as_ids(rows):
    pandas = pytest.importorskip("pandas")
    X, y, text = rows
    index = pandas.MultiIndex.from_arrays([text, [len(word) for word in text]])
    got = cross_val_score(Ridge(), X, y, groups=index, scoring="ndcg@5")
    np.testing.assert_array_equal(got, cross_val_score(Ridge(), X, y, groups=list(index), scoring="ndcg@5"))


class WantsCodes(RegressorMixin, BaseEstimator):
    """A model whose ids are still held as codes, or as text that Arrow holds."""

    def fit(self, X, y, groups=None):
        assert has_codes(groups)
        self.is_fitted_ = True
        return self

    def predict(self, X):
        return np.asarray(X["x0"])


def score_by_hand(X, y, text):
    """Return what a model that predicts the first feature scores in each fold."""
    folds = [test for _, test in OPTIONS["cv"].split(X, y, text)]
    return [ndcg_score(y[test], X[test, 0], groups=np.array(text)[test], k=5) for test in folds]


CODED = {
    "pandas categorical": ("pandas", lambda pd, text: pd.Series(text, dtype="category")),
    "pandas string": ("pandas", lambda pd, text: pd.Series(text, dtype="string[pyarrow]")),
    "polars categorical": ("polars", lambda pl, text: pl.Series(text, dtype=pl.Categorical)),
    "polars enum": ("polars", lambda pl, text: pl.Series(text, dtype=pl.Enum(sorted(set(text))))),
}
OPTIONS = {"cv": BalancedGroupKFold(3), "scoring": ndcg_scorer(k=5), "error_score": "raise"}


@pytest.mark.slow
@pytest.mark.parametrize("n_jobs", [1, 2])
@pytest.mark.parametrize("named", [True, False])
@pytest.mark.parametrize("kind", CODED)
def test_cross_val_score_passes_coded_id_columns_to_model_unchanged(kind, named, n_jobs, rows):
    library, build = CODED[kind]
    pytest.importorskip("pyarrow")
    X, y, text = rows
    module = load(library)
    ids = build(module, text)
    frame = module.DataFrame({"x0": X[:, 0], "qid": ids})
    got = cross_val_score(WantsCodes(), frame, y, groups="qid" if named else ids, n_jobs=n_jobs, **OPTIONS)
    np.testing.assert_array_equal(got, score_by_hand(X, y, text))


@pytest.mark.parametrize("labels", ["X", "y", "groups"])
@pytest.mark.parametrize("levels", [1, 2])
def test_cross_val_score_passes_categorical_index_to_model_unchanged(labels, levels, rows):
    pandas = pytest.importorskip("pandas")
    X, y, text = rows
    ids = pandas.CategoricalIndex(text, categories=sorted(set(text), reverse=True), name="qid")
    places = pandas.Index(np.arange(len(y))[::-1], name="place")
    index = ids if levels == 1 else pandas.MultiIndex.from_arrays([ids, places])
    frame = pandas.DataFrame({"x0": X[:, 0]}, index=index if labels == "X" else places)
    grades = pandas.Series(y, index=frame.index if labels != "y" else index)
    got = cross_val_score(WantsCodes(), frame, grades, groups=ids if labels == "groups" else "qid", **OPTIONS)
    np.testing.assert_array_equal(got, score_by_hand(X, y, text))


@pytest.mark.slow
def test_grid_search_accepts_categorical_index_as_ids():
    pandas = pytest.importorskip("pandas")
    random = np.random.default_rng(0)
    text = [f"q{code}" for code in random.integers(0, 30, 300)]
    X = pandas.DataFrame({"x0": random.standard_normal(300)}, index=pandas.CategoricalIndex(text, name="qid"))
    y = pandas.Series(random.integers(0, 3, 300), index=X.index)
    options = {"scoring": ndcg_scorer(k=5), "cv": BalancedGroupKFold(3), "n_jobs": 2}
    got = GridSearchCV(Ridge(), {"alpha": [0.1, 10]}, **options).fit(X, y, groups="qid")
    same = GridSearchCV(Ridge(), {"alpha": [0.1, 10]}, **options).fit(X, y, groups=np.array(text))
    np.testing.assert_array_equal(got.cv_results_["mean_test_score"], same.cv_results_["mean_test_score"])
    assert got.score(X, y, groups="qid") == same.score(X, y, groups=text)
