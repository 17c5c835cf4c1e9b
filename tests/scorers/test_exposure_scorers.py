"""Scorers of exposure: owners are passed with the call, by name, or in the data."""

import pickle
from copy import copy

import numpy as np
import pytest
import sklearn.model_selection
from sklearn import config_context
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.linear_model import Ridge
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import sklearn_rank
from sklearn_rank import (
    BalancedGroupKFold,
    GridSearchCV,
    cross_val_score,
    cross_validate,
    permutation_importance,
    permutation_test_score,
)
from sklearn_rank.metrics import (
    amortized_exposure_loss,
    awrf_score,
    awrf_scorer,
    exposure_parity_score,
    exposure_parity_scorer,
    exposure_ratio_score,
    exposure_ratio_scorer,
    neg_amortized_exposure_loss_scorer,
)
from tests.helpers.naming import PUBLIC, name_of

TARGET = {"a": 1, "b": 2, "c": 1}
PAIRS = [
    (exposure_parity_scorer(k=5), exposure_parity_score, {"k": 5}, 1),
    (exposure_ratio_scorer(log=True), exposure_ratio_score, {"log": True}, 1),
    (awrf_scorer(target=TARGET, browsing_model="cascade", p=0.9), awrf_score,
     {"target": TARGET, "browsing_model": "cascade", "p": 0.9}, 1),
    (neg_amortized_exposure_loss_scorer(k=5), amortized_exposure_loss, {"k": 5}, -1),
]  # fmt: skip
EVERY = pytest.mark.parametrize(
    ("scorer", "function", "options", "sign"), PAIRS, ids=[pair[1].__name__ for pair in PAIRS]
)


class FirstFeature(RegressorMixin, BaseEstimator):
    """It predicts the first feature, whatever it is trained on."""

    def fit(self, X, y):
        self.is_fitted_ = True
        return self

    def predict(self, X):
        return X[:, 0]


@pytest.fixture(scope="module")
def data(ranking_data):
    """Features, grades, ids, and the owner of each row."""
    X, y, groups = ranking_data
    return X, y, groups, np.array(list("abc"))[np.random.default_rng(1).integers(0, 3, len(y))]


def by_hand(data, function, options, sign):
    """Train and score fold after fold."""
    X, y, groups, owners = data
    values = []
    for train, test in BalancedGroupKFold(3).split(X, y, groups=groups):
        y_score = Ridge().fit(X[train], y[train]).predict(X[test])
        given = {"groups": groups[test], "owners": owners[test], **options}
        values.append(sign * function(y[test], y_score, **given))
    return values


@EVERY
def test_exposure_scorer_equals_exposure_function(scorer, function, options, sign, data):
    X, y, groups, owners = data
    model = Ridge().fit(X, y)
    expected = sign * function(y, model.predict(X), groups=groups, owners=owners, **options)
    assert scorer(model, X, y, groups=groups, owners=owners) == expected


@EVERY
def test_cross_val_score_passes_owners_to_exposure_scorer(scorer, function, options, sign, data, routing):
    X, y, groups, owners = data
    got = cross_val_score(Ridge(), X, y, scoring=scorer, groups=groups, cv=3, params={"owners": owners})
    assert got.tolist() == by_hand(data, function, options, sign)


def test_scikit_learn_cross_val_score_passes_owners_by_routing(data):
    X, y, groups, owners = data
    scorer, *others = PAIRS[0]
    with config_context(enable_metadata_routing=True):
        got = sklearn.model_selection.cross_val_score(
            Ridge(),
            X,
            y,
            scoring=scorer,
            cv=BalancedGroupKFold(3),
            params={"groups": groups, "owners": owners},
        )
    assert got.tolist() == by_hand(data, *others)


def test_cross_validate_combines_exposure_scorers_with_ndcg(data, routing):
    X, y, groups, owners = data
    scoring = {"awrf": awrf_scorer(target="candidates"), "parity": PAIRS[0][0], "ndcg": "ndcg@5"}
    given = {"groups": groups, "cv": 3, "params": {"owners": owners}}
    results = cross_validate(Ridge(), X, y, scoring=scoring, **given)
    assert results["test_parity"].tolist() == by_hand(data, *PAIRS[0][1:])
    assert (
        results["test_ndcg"].tolist()
        == cross_val_score(Ridge(), X, y, scoring="ndcg@5", groups=groups, cv=3).tolist()
    )


def test_grid_search_fit_passes_owners_to_exposure_scorer(data, routing):
    X, y, groups, owners = data
    scorer = PAIRS[3][0]
    model = make_pipeline(StandardScaler(), Ridge())
    search = GridSearchCV(model, {"ridge__alpha": [1.0, 1e4]}, scoring=scorer, cv=3)
    search.fit(X, y, groups=groups, owners=owners)
    expected = cross_val_score(
        make_pipeline(StandardScaler(), Ridge(1.0)), X, y, scoring=scorer, groups=groups, cv=3,
        params={"owners": owners},
    )  # fmt: skip
    assert search.cv_results_["mean_test_score"][0] == pytest.approx(expected.mean(), abs=1e-12)
    fitted = search.best_estimator_
    assert search.score(X, y, groups=groups, owners=owners) == scorer(
        fitted, X, y, groups=groups, owners=owners
    )


@pytest.mark.parametrize("level", [True, False], ids=["index level", "column"])
def test_exposure_scorer_reads_owners_from_column_or_index(level, data, routing):
    pandas = pytest.importorskip("pandas")
    X, y, groups, owners = data
    frame = pandas.DataFrame(X, columns=list("vwxyz"))
    if level:
        frame.index = pandas.Index(owners, name="seller")
    else:
        frame["seller"] = owners == "a"  # also a feature
    scorer = exposure_parity_scorer(k=5, owners="seller")
    got = cross_val_score(Ridge(), frame, y, scoring=scorer, groups=groups, cv=3)
    for value, (train, test) in zip(got, BalancedGroupKFold(3).split(X, y, groups=groups)):
        y_score = Ridge().fit(frame.iloc[train], y[train]).predict(frame.iloc[test])
        of_test = owners[test] if level else owners[test] == "a"
        assert value == exposure_parity_score(None, y_score, groups=groups[test], owners=of_test, k=5)


def test_permutation_test_score_does_not_permute_owners(data, routing):
    """Labels of no use to the metric may be permuted: the value with each of the permutations is the same."""
    X, y, groups, owners = data
    scorer = exposure_parity_scorer(k=5)
    score, permuted, _ = permutation_test_score(
        FirstFeature(), X, y, scoring=scorer, groups=groups, cv=3, n_permutations=3, params={"owners": owners}
    )
    np.testing.assert_allclose(permuted, score, rtol=1e-12)


def test_exposure_scorer_accepts_owner_shares(data):
    X, y, groups, owners = data
    shares = (owners[:, None] == np.array(list("abc"))).astype(float)
    scorer, *others = PAIRS[0]
    got = cross_val_score(Ridge(), X, y, scoring=scorer, groups=groups, cv=3, params={"owners": shares})
    np.testing.assert_allclose(got, by_hand(data, *others), rtol=1e-12)


def test_exposure_scorer_weights_queries_by_sample_weight(data):
    X, y, groups, owners = data
    model, weights = Ridge().fit(X, y), 1.0 + (groups % 3)
    scorer = neg_amortized_exposure_loss_scorer()
    given = {"groups": groups, "owners": owners, "sample_weight": weights}
    assert scorer(model, X, y, **given) == -amortized_exposure_loss(y, model.predict(X), **given)


# ------------------------------------------------------------------ errors


def test_exposure_scorer_error_without_owners_shows_how_to_pass_them(data):
    X, y, groups, _ = data
    with pytest.raises(ValueError, match=r"requires the owners 'owners'.*params=\{'owners': owners\}"):
        PAIRS[0][0](Ridge().fit(X, y), X, y, groups=groups)
    with pytest.raises(ValueError, match="requires the owners 'seller'"):
        cross_val_score(Ridge(), X, y, scoring=exposure_parity_scorer(owners="seller"), groups=groups)


def test_exposure_scorer_rejects_owners_of_different_length(data):
    X, y, groups, owners = data
    with pytest.raises(
        ValueError, match=f"'owners' parameter of .* must have one entry per row of X .{len(y)} rows."
    ):
        PAIRS[0][0](Ridge().fit(X, y), X, y, groups=groups, owners=owners[1:])


def test_ndcg_scorer_rejects_owners(data):
    X, y, groups, owners = data
    with pytest.raises(TypeError, match=r"takes 'groups' and 'sample_weight'\. Got 'owners'"):
        sklearn_rank.ndcg_scorer()(Ridge().fit(X, y), X, y, groups=groups, owners=owners)
    with pytest.raises(TypeError, match=r"takes 'groups', 'sample_weight' and 'owners'\. Got 'labels'"):
        PAIRS[0][0](Ridge().fit(X, y), X, y, groups=groups, labels=y)


def test_permutation_importance_rejects_owners_from_call(data):
    X, y, groups, _ = data
    with pytest.raises(ValueError, match="Owners cannot be passed to permutation_importance"):
        permutation_importance(Ridge().fit(X, y), X, y, scoring=PAIRS[0][0], groups=groups)


@pytest.mark.parametrize("make_copy", [copy, lambda scorer: pickle.loads(pickle.dumps(scorer))])
@pytest.mark.parametrize("scorer", [pair[0] for pair in PAIRS], ids=lambda scorer: scorer.metrics.__name__)
def test_exposure_scorer_copy_and_description_are_equal(scorer, make_copy):
    assert repr(make_copy(scorer)) == repr(scorer)
    assert repr(eval(scorer.describe(), PUBLIC)) == repr(scorer)


@pytest.mark.parametrize(
    ("factory", "options", "parameter"),
    [
        (exposure_parity_scorer, {"k": 0}, "k"),
        (exposure_parity_scorer, {"log": "no"}, "log"),
        (exposure_ratio_scorer, {"disparate": "x"}, "disparate"),
        (exposure_ratio_scorer, {"p": 0.5}, "p"),
        (exposure_ratio_scorer, {"browsing_model": "x"}, "browsing_model"),
        (exposure_ratio_scorer, {"max_grade": 3}, "max_grade"),
        (exposure_ratio_scorer, {"ties": "best"}, "ties"),
        (exposure_ratio_scorer, {"unjudged": "x"}, "unjudged"),
        (exposure_ratio_scorer, {"owners": ["a", "b"]}, "owners"),
        (exposure_ratio_scorer, {"owners": "groups"}, "owners"),
        (exposure_ratio_scorer, {"owners": "qid", "groups": "qid"}, "owners"),
        (exposure_ratio_scorer, {"groups": 3}, "groups"),
        (awrf_scorer, {"target": "x"}, "target"),
        (awrf_scorer, {"target": TARGET, "base": 1}, "base"),
        (awrf_scorer, {"target": TARGET, "average": None}, "average"),
        (awrf_scorer, {"target": TARGET, "zero_division": 2}, "zero_division"),
        (neg_amortized_exposure_loss_scorer, {"gain": "x"}, "gain"),
    ],
    ids=name_of,
)
def test_exposure_scorer_factories_reject_invalid_options(factory, options, parameter):
    with pytest.raises(ValueError, match=f"'{parameter}' parameter of {factory.__name__} must"):
        factory(**options)
