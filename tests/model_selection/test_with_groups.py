"""`WithGroups`: a model whose methods pass ids to the parts that request them."""

import pickle

import numpy as np
import pandas as pd
import pytest
import sklearn
from sklearn.base import BaseEstimator, RegressorMixin, TransformerMixin, clone
from sklearn.decomposition import PCA
from sklearn.ensemble import ExtraTreesRegressor, GradientBoostingRegressor, StackingRegressor
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from sklearn_rank import (
    BalancedGroupKFold,
    GridSearchCV,
    RankingWarning,
    WithGroups,
    cross_val_score,
)
from sklearn_rank.datasets import make_ranking
from sklearn_rank.preprocessing import WithinGroupScaler
from sklearn_rank.rankers import PairwiseRanker

X, Y, GROUPS = make_ranking(n_queries=30, n_features=4, random_state=0)
Y = Y.astype(float)
UNJUDGED = np.where(np.arange(len(Y)) % 5 == 0, np.nan, Y)
JUDGED = np.flatnonzero(~np.isnan(UNJUDGED))
SCALED = WithinGroupScaler().fit_transform(X, groups=GROUPS)


class ByUser(RegressorMixin, BaseEstimator):
    """A model that returns the ids it gets in `predict` under the name "user"."""

    __metadata_request__fit = {"groups": "user"}  # noqa: RUF012
    __metadata_request__predict = {"groups": "user"}  # noqa: RUF012

    def fit(self, X, y, groups=None):
        self.seen_ = np.asarray(groups)
        return self

    def predict(self, X, groups=None):
        return np.asarray(groups, dtype=float)


def scaled(model=None):
    return make_pipeline(WithinGroupScaler(), Ridge() if model is None else model)


def test_with_groups_predict_passes_ids():
    model = WithGroups(scaled()).fit(X, Y, groups=GROUPS)
    np.testing.assert_array_equal(model.predict(X, groups=GROUPS), Ridge().fit(SCALED, Y).predict(SCALED))


def test_with_groups_score_passes_ids():
    model = WithGroups(scaled()).fit(X, Y, groups=GROUPS)
    assert model.score(X, Y, groups=GROUPS) == Ridge().fit(SCALED, Y).score(SCALED, Y)


def test_with_groups_score_takes_weights():
    weights = np.arange(1.0, len(Y) + 1)
    model = WithGroups(scaled()).fit(X, Y, groups=GROUPS)
    expected = Ridge().fit(SCALED, Y).score(SCALED, Y, sample_weight=weights)
    assert model.score(X, Y, groups=GROUPS, sample_weight=weights) == expected


@pytest.mark.parametrize("method", ["predict_proba", "decision_function"])
def test_with_groups_classifier_methods_pass_ids(method):
    model = WithGroups(scaled(LogisticRegression())).fit(X, Y > 1, groups=GROUPS)
    expected = getattr(LogisticRegression().fit(SCALED, Y > 1), method)(SCALED)
    np.testing.assert_array_equal(getattr(model, method)(X, groups=GROUPS), expected)


@pytest.mark.parametrize("method", ["fit_transform", "transform"])
def test_with_groups_transform_passes_ids(method):
    model = WithGroups(WithinGroupScaler()).fit(X, groups=GROUPS)
    np.testing.assert_array_equal(getattr(model, method)(X, groups=GROUPS), SCALED)


def test_with_groups_fit_passes_parameters_to_steps():
    weights = np.arange(1.0, len(Y) + 1)
    model = WithGroups(scaled()).fit(X, Y, groups=GROUPS, ridge__sample_weight=weights)
    expected = Ridge().fit(SCALED, Y, sample_weight=weights).predict(SCALED)
    np.testing.assert_array_equal(model.predict(X, groups=GROUPS), expected)


def test_with_groups_methods_read_ids_by_name():
    frame = pd.DataFrame(X, index=pd.Index(GROUPS, name="qid"))
    model = WithGroups(scaled()).fit(frame, Y, groups="qid")
    np.testing.assert_allclose(model.predict(frame, groups="qid"), Ridge().fit(SCALED, Y).predict(SCALED))


def test_with_groups_methods_pass_ids_with_routing_enabled():
    with sklearn.config_context(enable_metadata_routing=True):
        model = WithGroups(scaled()).fit(X, Y, groups=GROUPS)
        predicted = model.predict(X, groups=GROUPS)
    np.testing.assert_array_equal(predicted, Ridge().fit(SCALED, Y).predict(SCALED))


def test_with_groups_passes_ids_of_another_name():
    users = GROUPS + 100
    model = WithGroups(ByUser()).fit(X, Y, groups=GROUPS, user=users)
    np.testing.assert_array_equal(model.estimator_.seen_, users)
    np.testing.assert_array_equal(model.predict(X, groups=GROUPS, user=users), users)


@pytest.mark.parametrize("method", ["fit", "predict", "score"])
def test_with_groups_methods_raise_without_ids(method):
    model = WithGroups(scaled())
    model = model if method == "fit" else model.fit(X, Y, groups=GROUPS)
    rows = (X,) if method == "predict" else (X, Y)
    message = rf"^The 'groups' parameter of WithGroups.{method} must .* for WithinGroupScaler"
    with pytest.raises(ValueError, match=message):
        getattr(model, method)(*rows)


def test_with_groups_fit_raises_if_ids_are_lost():
    model = WithGroups(GradientBoostingRegressor(init=scaled()))
    with pytest.raises(ValueError, match="GradientBoostingRegressor, which calls WithinGroupScaler"):
        model.fit(X, Y, groups=GROUPS)


def test_with_groups_predict_needs_no_ids_if_the_model_does_not():
    model = WithGroups(Ridge()).fit(X, Y, groups=GROUPS)
    np.testing.assert_array_equal(model.predict(X), Ridge().fit(X, Y).predict(X))


def test_with_groups_predict_needs_no_ids_if_the_index_has_them():
    frame = pd.DataFrame(X, index=pd.Index(GROUPS, name="qid"))
    model = WithGroups(make_pipeline(WithinGroupScaler(groups="qid"), Ridge())).fit(frame, Y)
    np.testing.assert_allclose(model.predict(frame), Ridge().fit(SCALED, Y).predict(SCALED))


def test_with_groups_predict_checks_the_number_of_ids():
    model = WithGroups(scaled()).fit(X, Y, groups=GROUPS)
    with pytest.raises(ValueError, match=r"^The 'groups' parameter of WithGroups.predict must"):
        model.predict(X, groups=GROUPS[:-1])


def test_with_groups_fit_keeps_queries_whole_in_a_stack():
    members = [("trees", ExtraTreesRegressor(5, random_state=0)), ("ridge", Ridge())]
    stack = StackingRegressor(members, final_estimator=Ridge(), cv=3)
    folds = list(BalancedGroupKFold(3).split(X, Y, GROUPS))
    expected = clone(stack).set_params(cv=folds).fit(X, Y).predict(X)
    model = WithGroups(stack).fit(X, Y, groups=GROUPS)
    np.testing.assert_allclose(model.predict(X), expected)
    assert model.estimator_.cv == 3


def test_with_groups_pickle_contains_no_private_objects():
    members = [("a", "drop"), ("b", Ridge())]
    for model in (scaled(), StackingRegressor(members, cv=3)):
        fitted = WithGroups(model).fit(X, Y, groups=GROUPS)
        assert b"_routing" not in pickle.dumps(fitted)


def test_search_over_with_groups_equals_search_over_the_model():
    options = {"scoring": "ndcg@5", "cv": 3}
    search = GridSearchCV(WithGroups(scaled()), {"estimator__ridge__alpha": [1, 1000]}, **options)
    plain = GridSearchCV(scaled(), {"ridge__alpha": [1, 1000]}, **options).fit(X, Y, groups=GROUPS)
    scores = search.fit(X, Y, groups=GROUPS).cv_results_["mean_test_score"]
    np.testing.assert_array_equal(scores, plain.cv_results_["mean_test_score"])
    by_best = search.best_estimator_.predict(X, groups=GROUPS)
    np.testing.assert_array_equal(by_best, plain.predict(X, groups=GROUPS))


def test_with_groups_of_a_search_predicts_by_its_best_model():
    search = GridSearchCV(scaled(), {"ridge__alpha": [1, 1000]}, scoring="ndcg@5", cv=3)
    model = WithGroups(search).fit(X, Y, groups=GROUPS)
    expected = clone(search).fit(X, Y, groups=GROUPS).predict(X, groups=GROUPS)
    np.testing.assert_array_equal(model.predict(X, groups=GROUPS), expected)


def test_with_groups_is_a_step_of_a_pipeline():
    inside = make_pipeline(WithGroups(WithinGroupScaler()), WithGroups(Ridge()))
    scores = cross_val_score(inside, X, Y, groups=GROUPS, scoring="ndcg@5", cv=3)
    expected = cross_val_score(scaled(), X, Y, groups=GROUPS, scoring="ndcg@5", cv=3)
    np.testing.assert_array_equal(scores, expected)


def test_with_groups_passes_unjudged_rows_to_the_model():
    with pytest.raises(ValueError, match="Input y contains NaN"):
        WithGroups(Ridge()).fit(X, UNJUDGED, groups=GROUPS)
    model = WithGroups(PairwiseRanker(LogisticRegression(), max_pairs=None)).fit(X, UNJUDGED, groups=GROUPS)
    expected = PairwiseRanker(LogisticRegression(), max_pairs=None).fit(
        X[JUDGED], Y[JUDGED], groups=GROUPS[JUDGED]
    )
    np.testing.assert_allclose(model.predict(X), expected.predict(X))


class Doubles(TransformerMixin, BaseEstimator):
    """A transformer whose `fit_transform` differs from `transform`, as that of `TargetEncoder` does."""

    def fit(self, X, y=None):
        return self

    def transform(self, X):
        return X

    def fit_transform(self, X, y=None):
        return 2 * X


def test_with_groups_fit_transform_is_that_of_the_model():
    np.testing.assert_array_equal(WithGroups(Doubles()).fit_transform(X, Y), 2 * X)
    np.testing.assert_array_equal(WithGroups(Doubles()).fit_transform(X, Y, groups=GROUPS), 2 * X)
    model = WithGroups(make_pipeline(WithinGroupScaler(), PCA(2, random_state=0)))
    np.testing.assert_allclose(model.fit_transform(X, groups=GROUPS), model.transform(X, groups=GROUPS))


def test_with_groups_keeps_the_output_container_of_a_transformer():
    model = make_pipeline(WithGroups(StandardScaler().set_output(transform="pandas")), Ridge())
    frame = pd.DataFrame(X, columns=list("abcd"))
    transformed = model.fit(frame, Y)[:-1].transform(frame)
    assert list(transformed.columns) == list(model[0].estimator_.get_feature_names_out()) == list("abcd")


def test_with_groups_fits_fewer_queries_than_folds_by_default():
    rows = GROUPS < 2
    model = WithGroups(scaled()).fit(X[rows], Y[rows], groups=GROUPS[rows])
    assert len(model.predict(X, groups=GROUPS)) == len(X)


def test_with_groups_fit_warns_about_folds_of_an_inner_search():
    few = np.where(GROUPS < 3, Y, 0)
    search = GridSearchCV(Ridge(), {"alpha": [1, 2]}, scoring="map", cv=10)
    with pytest.warns(RankingWarning, match="of 10 folds of GridSearchCV inside the model") as caught:
        WithGroups(search).fit(X, few, groups=GROUPS)
    assert len(caught) == 1


def test_with_groups_methods_raise_for_ids_passed_otherwise():
    model = WithGroups(scaled())
    with pytest.raises(ValueError, match=r"WithGroups.fit must .* Got qid= instead. Pass groups=qid"):
        model.fit(X, Y, qid=GROUPS)
    model.fit(X, Y, groups=GROUPS)
    with pytest.raises(ValueError, match=r"WithGroups.predict must .* Got qid= instead. Pass groups=qid"):
        model.predict(X, qid=GROUPS)
    with pytest.raises(TypeError, match=r"^WithGroups.predict\(\) takes 2 .* groups=qid"):
        model.predict(X, GROUPS)
