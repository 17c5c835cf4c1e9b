"""Scorers of sampled negatives with a correction for sampling."""

import pickle
from copy import copy

import numpy as np
import pytest
from sklearn.linear_model import Ridge

from sklearn_rank import GridSearchCV, cross_val_score
from sklearn_rank.metrics import sampled_score, sampled_scorer
from sklearn_rank.model_selection import BalancedGroupKFold
from tests.helpers.naming import PUBLIC, name_of


@pytest.fixture
def sampled():
    """Return features, labels and users, each with one relevant item among twenty others."""
    rng = np.random.default_rng(0)
    users, y = np.repeat(np.arange(40), 21), np.tile([1] + [0] * 20, 40)
    X = rng.standard_normal((len(y), 3))
    X[:, 0] += y
    order = rng.permutation(len(y))
    return X[order], y[order], users[order]


@pytest.mark.parametrize(
    "n_items", [1000, dict.fromkeys(range(20), 500) | dict.fromkeys(range(20, 40), 2000)]
)
def test_sampled_scorer_equals_sampled_score_in_each_fold(n_items, sampled):
    X, y, users = sampled
    scorer = sampled_scorer(metric="ndcg@10", n_items=n_items, gamma=0.1)
    folds = list(BalancedGroupKFold(4).split(X, y, groups=users))
    found = cross_val_score(Ridge(), X, y, scoring=scorer, groups=users, cv=folds)
    for (train, test), value in zip(folds, found):
        y_score = Ridge().fit(X[train], y[train]).predict(X[test])
        options = {"groups": users[test], "metric": "ndcg@10", "n_items": n_items, "gamma": 0.1}
        assert value == sampled_score(y[test], y_score, **options)


def test_grid_search_accepts_sampled_scorer(sampled):
    X, y, users = sampled
    search = GridSearchCV(Ridge(), {"alpha": [1e-3, 1e6]}, scoring=sampled_scorer(n_items=500), cv=3)
    search.fit(X, y, groups=users)
    assert search.best_score_ == search.cv_results_["mean_test_score"].max()
    assert np.isfinite(search.cv_results_["mean_test_score"]).all()


def test_sampled_scorer_passes_sample_weight(sampled):
    X, y, users = sampled
    model, weights = Ridge().fit(X, y), 1.0 + users
    scorer = sampled_scorer(n_items=500, average="weighted")
    options = {"groups": users, "sample_weight": weights}
    expected = sampled_score(y, model.predict(X), n_items=500, average="weighted", **options)
    assert scorer(model, X, y, **options) == expected


SCORERS = [
    sampled_scorer(n_items=500),
    sampled_scorer(metric="mrr", n_items={"a": 3}, method="least_bias", replacement=False, groups="user"),
    sampled_scorer(n_items=9, gamma=0.5, zero_division=1.0, average="weighted", min_relevance=2),
    sampled_scorer(n_items=9, method="rank", response_method="predict"),
]


@pytest.mark.parametrize("make_copy", [copy, lambda scorer: pickle.loads(pickle.dumps(scorer))])
@pytest.mark.parametrize("scorer", SCORERS, ids=lambda scorer: scorer.describe())
def test_sampled_scorer_copy_and_description_are_equal(scorer, make_copy):
    assert repr(make_copy(scorer)) == repr(scorer)
    assert repr(eval(scorer.describe(), PUBLIC)) == repr(scorer)


@pytest.mark.parametrize(
    ("options", "parameter"),
    [
        ({"metric": "group_auc"}, "metric"),
        ({"n_items": [5, 6]}, "n_items"),
        ({"n_items": 1}, "n_items"),
        ({"n_items": None}, "n_items"),
        ({"n_items": 10**12}, "n_items"),
        ({"method": "em"}, "method"),
        ({"gamma": -1}, "gamma"),
        ({"prior": "flat"}, "prior"),
        ({"replacement": 1}, "replacement"),
        ({"min_relevance": 0}, "min_relevance"),
        ({"zero_division": 3}, "zero_division"),
        ({"average": None}, "average"),
        ({"groups": 3}, "groups"),
        ({"response_method": "transform"}, "response_method"),
    ],
    ids=name_of,
)
def test_sampled_scorer_rejects_invalid_options(options, parameter):
    with pytest.raises(ValueError, match=f"'{parameter}' parameter of sampled_scorer must"):
        sampled_scorer(**{"n_items": 100} | options)


@pytest.mark.parametrize(("n_items", "got"), [([5, 6], "list"), (100.0, "100.0")])
def test_sampled_scorer_n_items_must_be_int_or_mapping(n_items, got):
    rule = r"be an int >= 2, or a mapping or pandas\.Series of user id to int"
    with pytest.raises(ValueError, match=f"must {rule}.* Got {got}"):
        sampled_scorer(n_items=n_items)


@pytest.mark.parametrize("kind", ["dict", "series"])
def test_sampled_scorer_representation_shortens_long_n_items(kind):
    numbers = dict.fromkeys(range(1000), 9)
    if kind == "series":
        numbers = pytest.importorskip("pandas").Series(numbers)
    scorer = sampled_scorer(n_items=numbers)
    assert repr(scorer) == "sampled_scorer(n_items={0: 9, 1: 9, ... 1000 entries})"


def test_error_of_sampled_scorer_names_the_scorer(sampled):
    X, y, users = sampled
    scorer = sampled_scorer(n_items=2)
    with pytest.raises(ValueError, match=r"^The 'n_items' parameter of sampled_scorer\(n_items=2\) must be"):
        scorer(Ridge().fit(X, y), X, y, groups=users)
