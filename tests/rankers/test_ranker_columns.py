"""Checks of rankers between `fit` and `predict`: columns, fitted state and positional arguments."""

import pickle

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.utils.validation import check_is_fitted

from sklearn_rank.datasets import make_ranking
from tests.helpers.rankers import BOOSTED, EVERY, ours

X, Y, GROUPS = make_ranking(n_queries=30, shuffle=True, random_state=0)
NAMES = [f"x{i}" for i in range(X.shape[1])]
LIBRARIES = pytest.mark.parametrize("library", ["pandas", "polars"])


def frame(library, X=X, names=NAMES):
    return pytest.importorskip(library).DataFrame(dict(zip(names, X.T)))


@LIBRARIES
@EVERY
def test_ranker_predict_and_score_reject_columns_in_another_order(name, library):
    model = ours(name).fit(frame(library), Y, groups=GROUPS)
    model.predict(frame(library))
    turned = frame(library)[NAMES[::-1]]
    with pytest.raises(ValueError, match=r"order|Feature names must be in the same order"):
        model.predict(turned)
    with pytest.raises(ValueError, match=r"order|Feature names must be in the same order"):
        model.score(turned, Y, groups=GROUPS)


@LIBRARIES
@BOOSTED
def test_ranker_predict_names_missing_and_unseen_columns(name, library):
    model = ours(name).fit(frame(library), Y, groups=GROUPS)
    other = frame(library, names=[*NAMES[:-1], "other"])
    rule = rf"'X' parameter of {name}\.predict must have the same columns as in fit"
    with pytest.raises(
        ValueError, match=rf"{rule}.*missing columns \['{NAMES[-1]}'\] and new columns \['other'\]"
    ):
        model.predict(other)


@BOOSTED
def test_ranker_fit_rejects_an_evaluation_set_with_other_columns(name):
    data = frame("pandas")
    with pytest.raises(
        ValueError, match=rf"'eval_X' parameter of {name}\.fit must have the same columns as in fit"
    ):
        ours(name).fit(data, Y, groups=GROUPS, eval_set=[(data[NAMES[::-1]], Y)], eval_groups=[GROUPS])


@BOOSTED
def test_columns_of_fit_survive_pickle_but_not_clone_or_refit(name):
    model = ours(name).fit(frame("pandas"), Y, groups=GROUPS)
    turned = frame("pandas")[NAMES[::-1]]
    with pytest.raises(ValueError, match="another order"):
        pickle.loads(pickle.dumps(model)).predict(turned)
    expected = ours(name).fit(turned, Y, groups=GROUPS).predict(turned)
    for other in (clone(model), model):
        np.testing.assert_array_equal(other.fit(turned, Y, groups=GROUPS).predict(turned), expected)


@EVERY
def test_ranker_fit_sets_feature_names_in(name):
    model = ours(name)
    assert not hasattr(model, "feature_names_in_")
    assert model.fit(frame("pandas"), Y, groups=GROUPS).feature_names_in_.tolist() == NAMES


def test_catboost_ranker_has_no_feature_names_for_arrays():
    model = ours("CatBoostRanker").fit(X, Y, groups=GROUPS)
    assert not hasattr(model, "feature_names_in_")


@EVERY
def test_ranker_methods_raise_before_fit(name):
    model = ours(name)
    for ask in (model.predict, lambda X: model.score(X, Y, groups=GROUPS), lambda X: check_is_fitted(model)):
        with pytest.raises(NotFittedError):
            ask(X)
    check_is_fitted(model.fit(X, Y, groups=GROUPS))


@EVERY
@pytest.mark.parametrize("method", ["fit", "score"])
def test_ranker_fit_and_score_reject_a_third_positional_argument(name, method):
    model = ours(name).fit(X, Y, groups=GROUPS)
    with pytest.raises(TypeError, match="takes 3 positional arguments but 4 were given"):
        getattr(model, method)(X, Y, np.ones(len(Y)))


def test_lightgbm_ranker_treats_polars_enums_as_categories():
    polars = pytest.importorskip("polars")
    levels = list("dacb")
    kinds = np.array(levels)[np.digitize(X[:, 0], np.quantile(X[:, 0], [0.25, 0.5, 0.75]))]
    numbers = {"numbers": X[:, 1]}
    enums = polars.DataFrame({"kind": polars.Series(kinds, dtype=polars.Enum(levels))} | numbers)
    pandas = pytest.importorskip("pandas")
    categories = pandas.DataFrame({"kind": pandas.Categorical(kinds, categories=levels)} | numbers)
    model = ours("LGBMRanker").fit(enums, Y, groups=GROUPS)
    expected = ours("LGBMRanker").fit(categories, Y, groups=GROUPS)
    np.testing.assert_array_equal(model.predict(enums), expected.predict(categories))
    splits = model.booster_.trees_to_dataframe()
    assert set(splits.loc[splits["split_feature"] == "kind", "decision_type"]) == {"=="}
