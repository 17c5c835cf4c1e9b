"""Fitted models that predict with ids, and the requests of models for ids."""

from copy import deepcopy

import numpy as np
import pytest
from scipy.sparse import csr_array
from sklearn import config_context
from sklearn.ensemble import AdaBoostRegressor
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.metadata_routing import MetadataRouter
from sklearn_rank._routing.model_calls import DelegatingModel, with_groups
from sklearn_rank._routing.model_parts import is_pairwise, list_routed, read_router, read_routing

from sklearn_rank._checks.containers import take, take_columns
from sklearn_rank.preprocessing import WithinGroupScaler

X = np.array([[1.0, 4.0], [2.0, 3.0], [5.0, 1.0], [9.0, 0.0], [3.0, 3.0], [7.0, 2.0]])
Y, IDS = np.array([0, 1, 0, 1, 1, 0]), np.array([0, 0, 1, 1, 2, 2])


@pytest.mark.parametrize(
    "method", ["predict", "predict_proba", "predict_log_proba", "decision_function", "score"]
)
def test_with_groups_methods_pass_ids(method):
    with config_context(enable_metadata_routing=True):
        model = make_pipeline(WithinGroupScaler(), LogisticRegression()).fit(X, Y, groups=IDS)
        given = {"y": Y} if method == "score" else {}
        expected = getattr(model, method)(X, groups=IDS, **given)
    asked = with_groups(model, {"groups": IDS})
    np.testing.assert_array_equal(getattr(asked, method)(X, **given), expected)
    assert len(asked) == 2
    assert asked[-1] is model[-1]


def test_with_groups_has_only_the_methods_of_the_model():
    asked = with_groups(make_pipeline(WithinGroupScaler(), GaussianNB()), {"groups": IDS})
    assert hasattr(asked, "predict_proba")
    assert not hasattr(asked, "decision_function")


def test_with_groups_returns_models_without_ids_unchanged():
    model = make_pipeline(StandardScaler(), Ridge())
    assert with_groups(model, {"groups": IDS}) is model


def test_delegating_model_predicts_as_its_model():
    model = Ridge().fit(X, Y)
    asked = DelegatingModel(model)
    asked.estimator = model
    np.testing.assert_array_equal(asked.predict(X), asked.estimator.predict(X))


def test_read_router_finds_routers_with_parts_without_routing():
    with config_context(enable_metadata_routing=True):
        pipeline = make_pipeline(StandardScaler(), AdaBoostRegressor())
        assert read_routing(pipeline) is None
        assert isinstance(read_router(pipeline)[0], MetadataRouter)
        assert read_router(AdaBoostRegressor())[0] is None


def test_read_router_returns_stand_ins_that_can_be_copied():
    with config_context(enable_metadata_routing=True):
        _, stand_ins = read_router(make_pipeline(StandardScaler(), Ridge(2.0)))
    assert deepcopy(stand_ins)[1].alpha == 2.0


def test_list_routed_includes_undecided_requests():
    # If ids are passed, scikit-learn raises an error that names the undecided requests.
    class Undecided(Ridge):
        def fit(self, X, y, groups=None):
            return super().fit(X, y)

    with config_context(enable_metadata_routing=True):
        for model in (Undecided(), make_pipeline(Undecided())):
            assert list_routed(model, "fit", ["groups", "user"]) == ["groups"]


def test_take_returns_rows_of_an_array_api_array():
    xp = pytest.importorskip("array_api_strict")
    rows = take(xp.asarray(X), np.array([2, 0]))
    assert isinstance(rows, type(xp.asarray(X)))
    np.testing.assert_array_equal(np.asarray(rows), X[[2, 0]])


def test_models_without_tags_are_not_pairwise():
    assert not is_pairwise(object())


@pytest.mark.parametrize("form", ["frame", "sparse", "list"])
def test_take_columns_returns_the_columns(form):
    make = {
        "frame": lambda X: pytest.importorskip("pandas").DataFrame(X),
        "sparse": csr_array,
        "list": np.ndarray.tolist,
    }
    taken = take_columns(make[form](X), np.array([1, 0]))
    taken = taken.toarray() if form == "sparse" else np.asarray(taken)
    np.testing.assert_array_equal(taken, X[:, [1, 0]])
