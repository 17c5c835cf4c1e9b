"""Searches with failed fits: kept values and errors."""

import numpy as np
import pytest
from sklearn.linear_model import Ridge

from sklearn_rank import RankingWarning
from sklearn_rank.model_selection import _kept_queries
from tests.helpers.search_kinds import exact_results, fit, make

# ------------------------------------------------------------------ failed fits


class Fails(Ridge):
    """A model that fails with, or without, the rows of query 7; the ids are its last feature."""

    def __init__(self, when=None, alpha=1.0):
        self.when = when
        super().__init__(alpha=alpha)

    def fit(self, X, y):
        if self.when == "always" or (self.when == "without 7" and 7 not in X[:, -1]):
            raise ValueError("no fit")
        return super().fit(X, y)

    def predict(self, X):
        if self.when == "to predict 7" and 7 in X[:, -1]:
            raise ValueError("no prediction")
        return super().predict(X)


FAILING = pytest.mark.filterwarnings(
    "ignore::sklearn.exceptions.FitFailedWarning", "ignore:Scoring failed", "ignore:One or more"
)


def fit_failing(rows, *whens, kind="grid", **options):
    X, y, groups = rows
    rows = np.column_stack([X, groups]), y, groups
    return fit(rows, kind, model=Fails(), grid={"when": [None, *whens], "alpha": [1.0, 1e3]}, **options)


@FAILING
@pytest.mark.parametrize("train", [False, True], ids=["", "train scores"])
@pytest.mark.parametrize("error_score", [np.nan, 0.0])
@pytest.mark.parametrize("when", ["always", "without 7", "to predict 7"])
def test_search_keeps_no_values_of_failed_fits(when, error_score, train, ranking_data):
    options = {"error_score": error_score, "return_train_score": train}
    search = fit_failing(ranking_data, when, **options)
    assert exact_results(search) == exact_results(
        fit_failing(ranking_data, when, **options, keep_queries=False)
    )
    kept = search.kept_queries_
    scored = kept.tested.sum(axis=1)
    failing = search.cv_results_["param_when"] == when
    assert (scored[~failing] == 60).all()
    of_seven = kept.tested[:, kept.ids[kept.queries] == 7][:, 0]
    assert of_seven.tolist() == (~failing).tolist()
    assert np.isnan(kept.values[failing][:, kept.ids[kept.queries] == 7]).all()
    assert set(search.contenders()) <= set(np.flatnonzero(~failing))
    assert search.corrected_score().n_left_out == 2
    if when == "always":
        assert scored[failing].tolist() == [0, 0]
        with pytest.raises(
            ValueError,
            match=r"'candidate' parameter of .*report must have at least one successful fit",
        ):
            search.report(int(np.flatnonzero(failing)[0]))
    else:
        assert 30 < search.report(int(np.flatnonzero(failing)[0])).n_queries < 60


@FAILING
def test_compare_drops_queries_of_failed_fits_with_missing_drop(ranking_data):
    search = fit_failing(ranking_data, "without 7")
    place = search.cv_results_["params"].index({"when": "without 7", "alpha": 1.0})
    with pytest.raises(ValueError, match="missing"):
        search.compare(0, place)
    with pytest.warns(RankingWarning, match="missing='drop' excluded 20 of 60 queries"):
        found = search.compare(0, place, missing="drop")
    assert found.n_queries == search.report(place).n_queries


def test_search_frees_kept_queries_after_a_failed_fit(ranking_data):
    with pytest.raises(ValueError, match="no fit"):
        fit_failing(ranking_data, "always", error_score="raise")
    assert fit_failing(ranking_data, error_score="raise").kept_queries_.tested.all()
    assert _kept_queries._KEPT == {}


@FAILING
@pytest.mark.parametrize("error_score", [np.nan, 0.0])
def test_search_raises_if_all_fits_fail(error_score, ranking_data):
    X, y, groups = ranking_data
    search = make(model=Fails(), grid={"when": ["always"]}, keep_queries=True, error_score=error_score)
    with pytest.raises(ValueError, match="All the 3 fits failed"):
        search.fit(X, y, groups=groups)


class FailsOnMany(Ridge):
    """A model that does not predict in the last round of a halving, which has the most rows."""

    def predict(self, X):
        if len(X) > 150:
            raise ValueError("too many")
        return super().predict(X)


@FAILING
@pytest.mark.parametrize("error_score", [np.nan, 0.0])
@pytest.mark.parametrize("method", ["contenders", "corrected_score"])
def test_search_methods_raise_if_all_fits_of_the_last_round_fail(method, error_score, ranking_data):
    search = fit(ranking_data, "halving grid", model=FailsOnMany(), refit=False, error_score=error_score)
    with pytest.raises(ValueError, match=r"'estimator' parameter of HalvingGridSearchCV must have a can"):
        getattr(search, method)()


@pytest.mark.parametrize("method", ["contenders", "corrected_score"])
def test_search_methods_raise_without_a_score_in_every_fold(method, ranking_data):
    X, y, groups = ranking_data
    rows = X, np.where(groups < 6, y, 0), groups
    with pytest.warns(UserWarning):  # by the metric and by scikit-learn
        search = fit(
            rows, scoring="group_auc", cv=[(np.flatnonzero(groups <= 50), np.flatnonzero(groups > 50))]
        )
    with pytest.raises(ValueError, match=r"GridSearchCV must have a candidate with a score in every fold"):
        getattr(search, method)()


@pytest.mark.parametrize("method", ["predict", "predict_proba", "transform"])
def test_search_without_refit_explains_the_missing_method_in_the_cause(ranking_data, method):
    search = fit(ranking_data, "grid", refit=False)
    with pytest.raises(AttributeError) as caught:
        getattr(search, method)
    if method == "predict":
        assert "`refit=False`. predict is available only after refitting" in str(caught.value.__cause__)
