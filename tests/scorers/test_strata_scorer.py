"""Scorers of stratified judgments: strata are passed with the call, by name, or in the data."""

import pickle
from copy import copy

import numpy as np
import pytest
import sklearn.model_selection
from sklearn import config_context
from sklearn.linear_model import Ridge

from sklearn_rank import BalancedGroupKFold, GridSearchCV, cross_val_score, permutation_importance
from sklearn_rank.metrics import infap_score, infap_scorer

OPTIONS = {"min_relevance": 2, "prior_precision": 1 / 3}


@pytest.fixture(scope="module")
def data(ranking_data):
    """Features, grades, ids, strata, and the grades that were drawn."""
    X, y, groups = ranking_data
    rng = np.random.default_rng(1)
    strata = rng.integers(-1, 2, len(y))
    drawn = np.where((strata < 0) | (rng.random(len(y)) < 0.3), np.nan, y)
    return X, y, groups, strata, drawn


def by_hand(data):
    X, y, groups, strata, drawn = data
    for train, test in BalancedGroupKFold(3).split(X, y, groups=groups):
        y_score = Ridge().fit(X[train], y[train]).predict(X[test])
        yield infap_score(drawn[test], y_score, groups=groups[test], strata=strata[test], **OPTIONS)


def test_infap_scorer_equals_infap_score(data):
    X, y, groups, strata, drawn = data
    model = Ridge().fit(X, y)
    expected = infap_score(drawn, model.predict(X), groups=groups, strata=strata, **OPTIONS)
    assert infap_scorer(strata="pool", **OPTIONS)(model, X, drawn, groups=groups, strata=strata) == expected


def test_cross_val_score_passes_strata_and_labels_to_infap_scorer(data, routing):
    X, y, groups, strata, drawn = data
    scorer = infap_scorer(strata="pool", labels="drawn", **OPTIONS)
    params = {"pool": strata, "drawn": drawn}
    got = cross_val_score(Ridge(), X, y, scoring=scorer, groups=groups, cv=3, params=params)
    assert got.tolist() == list(by_hand(data))


def test_scikit_learn_cross_val_score_passes_strata_by_routing(data):
    X, y, groups, strata, drawn = data
    scorer = infap_scorer(strata="strata", labels="drawn", **OPTIONS)
    params = {"groups": groups, "strata": strata, "drawn": drawn}
    with config_context(enable_metadata_routing=True):
        got = sklearn.model_selection.cross_val_score(
            Ridge(), X, y, scoring=scorer, cv=BalancedGroupKFold(3), params=params
        )
    assert got.tolist() == list(by_hand(data))


def test_grid_search_fit_passes_strata_to_infap_scorer(data, routing):
    X, y, groups, strata, drawn = data
    scorer = infap_scorer(strata="pool", labels="drawn", **OPTIONS)
    search = GridSearchCV(Ridge(), {"alpha": [1.0]}, scoring=scorer, cv=3)
    search.fit(X, y, groups=groups, pool=strata, drawn=drawn)
    assert search.best_score_ == pytest.approx(np.mean(list(by_hand(data))), abs=1e-12)


@pytest.mark.parametrize("level", [True, False], ids=["index level", "column"])
def test_infap_scorer_reads_strata_from_column_or_index(level, data, routing):
    pandas = pytest.importorskip("pandas")
    X, y, groups, strata, drawn = data
    frame = pandas.DataFrame(X, columns=list("vwxyz"))
    if level:
        frame.index = pandas.Index(strata, name="pool")
    else:
        frame["pool"] = strata
    scorer = infap_scorer(strata="pool", labels="drawn", **OPTIONS)
    params = {"drawn": drawn}
    got = cross_val_score(Ridge(), frame, y, scoring=scorer, groups=groups, cv=3, params=params)
    for value, (train, test) in zip(got, BalancedGroupKFold(3).split(X, y, groups=groups)):
        y_score = Ridge().fit(frame.iloc[train], y[train]).predict(frame.iloc[test])
        given = {"groups": groups[test], "strata": strata[test], **OPTIONS}
        assert value == infap_score(drawn[test], y_score, **given)


def test_infap_scorer_error_without_strata_names_them(data):
    X, y, groups, _, drawn = data
    model = Ridge().fit(X, y)
    with pytest.raises(ValueError, match="requires the strata 'pool'"):
        infap_scorer(strata="pool")(model, X, drawn, groups=groups)


def test_infap_scorer_can_be_copied_pickled_and_printed():
    scorer = infap_scorer(strata="pool", ties="order", labels="drawn")
    copies = copy(scorer), pickle.loads(pickle.dumps(scorer))
    assert {each.describe() for each in (scorer, *copies)} == {
        "infap_scorer(strata='pool', ties='order', labels='drawn')"
    }


@pytest.mark.parametrize(
    ("strata", "rule"),
    [
        *[
            (strata, "be the name of the strata, such as 'strata'. Got .* Pass the strata themselves")
            for strata in ("", 3, np.zeros(3))
        ],
        *[(strata, "be a name that no other input has") for strata in ("groups", "drawn")],
        ("qid", "differ from 'groups', the name of the query ids"),
    ],
)
def test_infap_scorer_rejects_strata_name_already_in_use(strata, rule):
    with pytest.raises(ValueError, match=f"'strata' parameter of infap_scorer must {rule}"):
        infap_scorer(strata=strata, groups="qid", labels="drawn")


def test_infap_scorer_rejects_best_ties():
    with pytest.raises(
        ValueError, match="'ties' parameter of infap_scorer must be one of 'average', 'order'"
    ):
        infap_scorer(strata="pool", ties="best")


def test_permutation_importance_requires_strata_of_scorer(data):
    X, y, groups, *_ = data
    with pytest.raises(ValueError, match="permutation_importance requires the strata 'pool'"):
        permutation_importance(Ridge().fit(X, y), X, y, groups=groups, scoring=infap_scorer(strata="pool"))
