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
    ndcg_scorer,
)
from sklearn_rank.datasets import make_ranking
from sklearn_rank.preprocessing import WithinGroupScaler

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


def test_with_groups_raises_for_unjudged_rows_by_default():
    message = (
        r"^The 'y' parameter of WithGroups.fit must not contain NaN .* Got 60 NaN .*missing_labels='drop'"
    )
    n_unjudged = len(Y) - len(JUDGED)
    with pytest.raises(ValueError, match=message.replace("60", str(n_unjudged))):
        WithGroups(Ridge()).fit(X, UNJUDGED, groups=GROUPS)


OTHER_FORMS = {
    "array": UNJUDGED,
    "list": [None if np.isnan(label) else label for label in UNJUDGED],
    "masked": np.ma.masked_invalid(UNJUDGED),
    "series": pd.Series(UNJUDGED).astype("Int64"),
}


@pytest.mark.parametrize("form", OTHER_FORMS)
def test_with_groups_drop_fits_on_judged_rows_and_predicts_all(form):
    weights = np.arange(1.0, len(Y) + 1)
    model = WithGroups(Ridge(), missing_labels="drop")
    model = model.fit(X, OTHER_FORMS[form], groups=GROUPS, sample_weight=weights)
    expected = Ridge().fit(X[JUDGED], Y[JUDGED], sample_weight=weights[JUDGED]).predict(X)
    np.testing.assert_allclose(model.predict(X), expected)


def test_with_groups_drop_fits_parts_with_the_ids_of_judged_rows():
    model = WithGroups(scaled(), missing_labels="drop").fit(X, UNJUDGED, groups=GROUPS)
    by_hand = WithGroups(scaled()).fit(X[JUDGED], Y[JUDGED], groups=GROUPS[JUDGED])
    np.testing.assert_array_equal(model.predict(X, groups=GROUPS), by_hand.predict(X, groups=GROUPS))


@pytest.mark.parametrize("other", ["y", "groups"])
def test_with_groups_drop_raises_if_rows_are_in_another_order(other):
    rows = {"y": pd.Series(UNJUDGED), "groups": pd.Series(GROUPS)}
    rows[other] = rows[other].sample(frac=1, random_state=0)
    with pytest.raises(ValueError, match=f"'{other}' parameter .* must have its rows in the same order as"):
        WithGroups(Ridge(), missing_labels="drop").fit(pd.DataFrame(X), **rows)


def test_with_groups_drop_raises_if_all_rows_are_unjudged():
    with pytest.raises(ValueError, match="must contain at least one label"):
        WithGroups(Ridge(), missing_labels="drop").fit(X, np.full(len(Y), np.nan), groups=GROUPS)


def test_with_groups_pass_keeps_unjudged_rows():
    with pytest.raises(ValueError, match="Input y contains NaN"):
        WithGroups(Ridge(), missing_labels="pass").fit(X, UNJUDGED, groups=GROUPS)


def test_with_groups_rejects_unknown_missing_labels():
    with pytest.raises(ValueError, match="'missing_labels' parameter of WithGroups must be one of"):
        WithGroups(Ridge(), missing_labels="zero").fit(X, Y, groups=GROUPS)


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


def test_with_groups_of_a_transformer_supports_set_output():
    model = make_pipeline(WithGroups(StandardScaler()), Ridge()).set_output(transform="pandas")
    frame = pd.DataFrame(X, columns=list("abcd"))
    transformed = model.fit(frame, Y)[:-1].transform(frame)
    assert list(transformed.columns) == list(model[0].get_feature_names_out()) == list("abcd")


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


def test_with_groups_score_rejects_unjudged_rows():
    model = WithGroups(scaled(), missing_labels="drop").fit(X, UNJUDGED, groups=GROUPS)
    with pytest.raises(ValueError, match=r"parameter of WithGroups\.score must not contain NaN") as error:
        model.score(X, UNJUDGED, groups=GROUPS)
    assert "ndcg_scorer(unjudged='drop')(model, X, y, groups=qid)" in str(error.value)
    assert ndcg_scorer(unjudged="drop")(model, X, UNJUDGED, groups=GROUPS) > 0


def test_with_groups_methods_raise_for_ids_passed_otherwise():
    model = WithGroups(scaled())
    with pytest.raises(ValueError, match=r"WithGroups.fit must .* Got qid= instead. Pass groups=qid"):
        model.fit(X, Y, qid=GROUPS)
    model.fit(X, Y, groups=GROUPS)
    with pytest.raises(ValueError, match=r"WithGroups.predict must .* Got qid= instead. Pass groups=qid"):
        model.predict(X, qid=GROUPS)
    with pytest.raises(TypeError, match=r"^WithGroups.predict\(\) takes 2 .* groups=qid"):
        model.predict(X, GROUPS)
