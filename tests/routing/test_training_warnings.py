"""Messages about models that do not get ids, and the fixes that they show, which are run."""

import re
from unittest.mock import MagicMock

import numpy as np
import pytest
from sklearn import config_context
from sklearn.base import BaseEstimator, RegressorMixin, clone
from sklearn.ensemble import VotingRegressor
from sklearn.linear_model import Ridge
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import sklearn_rank
from tests.helpers.model_errors import QID, X, Y, error_message
from tests.helpers.rankers import LIBRARIES, OPTIONS


def theirs(name):
    return getattr(pytest.importorskip(LIBRARIES[name]), name)(**OPTIONS[name])


WRAPS = {
    "alone": lambda model: model,
    "in a pipeline": lambda model: make_pipeline(StandardScaler(), model),
    "in a search": lambda model: sklearn_rank.GridSearchCV(model, {}, scoring="ndcg@10"),
    "in a vote": lambda model: VotingRegressor([("ranker", model)]),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", LIBRARIES)
@pytest.mark.parametrize("wrap", WRAPS.values(), ids=WRAPS)
@pytest.mark.parametrize("function", ["cross_val_score", "GridSearchCV"])
def test_error_for_a_librarys_own_ranker_shows_ours(name, wrap, function, routing):
    message = error_message(function, model=wrap(theirs(name)))
    assert f"'estimator' parameter of {function} must be a ranker that takes 'groups'." in message
    assert f"Got {LIBRARIES[name]}.{name} instead." in message
    names = {}
    exec(re.search("from sklearn_rank.rankers import [A-Za-z]+", message)[0], names)
    scores = sklearn_rank.cross_val_score(names[name](**OPTIONS[name]), X, Y, groups=QID, scoring="ndcg@10")
    assert np.isfinite(scores).all()


def test_search_error_for_a_candidate_of_a_library_shows_our_ranker():
    grid = sklearn_rank.GridSearchCV(
        make_pipeline(Ridge()), {"ridge": [Ridge(), theirs("LGBMRanker")]}, scoring="map"
    )
    with pytest.raises(
        ValueError, match=r"be a ranker that takes 'groups'. .* from sklearn_rank.rankers import LGBMRanker"
    ):
        grid.fit(X, Y, groups=QID)


@pytest.mark.parametrize(("name", "param"), [("XGBRanker", "qid"), ("CatBoostRanker", "group_id")])
def test_library_rankers_get_row_ids_from_params(name, param):
    scores = sklearn_rank.cross_val_score(
        theirs(name), X, Y, groups=QID, scoring="ndcg@10", params={param: QID}
    )
    assert np.isfinite(scores).all()


def test_library_ranker_gets_ids_that_it_requests(routing):
    with config_context(enable_metadata_routing=True):
        model = theirs("XGBRanker").set_fit_request(qid="groups")
    assert np.isfinite(sklearn_rank.cross_val_score(model, X, Y, groups=QID, scoring="ndcg@10")).all()


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["LGBMRegressor", "LGBMClassifier"])
def test_other_models_of_lightgbm_are_accepted(kind):
    lightgbm = pytest.importorskip("lightgbm")
    model = getattr(lightgbm, kind)(n_estimators=2, verbose=-1)
    assert np.isfinite(sklearn_rank.cross_val_score(model, X, Y, groups=QID, scoring="ndcg@10")).all()


@pytest.mark.parametrize("wrap", [lambda model: model, lambda model: make_pipeline(StandardScaler(), model)])
def test_cross_val_score_rejects_a_magic_mock_as_model(wrap):
    for options in ({"groups": QID, "scoring": "ndcg@10"}, {"scoring": "r2"}):
        with pytest.raises(
            ValueError, match=r"'estimator' parameter of cross_val_score must be an estimator.*Got MagicMock"
        ):
            sklearn_rank.cross_val_score(wrap(MagicMock()), X, Y, **options)


# ------------------------------------------------------------------ valid models are accepted


class Holder(RegressorMixin, BaseEstimator):
    """A model of the user's that takes ids and trains a library's ranker by them."""

    def __init__(self, ranker=None):
        self.ranker = ranker

    def fit(self, X, y, groups=None):
        order = np.argsort(groups, kind="stable")
        sizes = np.unique(groups, return_counts=True)[1]
        self.ranker_ = clone(self.ranker).fit(X[order], y[order], group=sizes)
        return self

    def predict(self, X):
        return self.ranker_.predict(X)


def test_own_model_can_pass_ids_to_a_librarys_ranker():
    model = Holder(theirs("LGBMRanker"))
    options = {"groups": QID, "scoring": "ndcg@10", "error_score": "raise"}
    for each in (model, make_pipeline(StandardScaler(), model)):
        assert np.isfinite(sklearn_rank.cross_val_score(each, X, Y, **options)).all()
    for grid in ({"ranker__num_leaves": [3, 5]}, {"ranker": [theirs("LGBMRanker")]}):
        search = sklearn_rank.GridSearchCV(model, grid, scoring="ndcg@10", error_score="raise")
        assert np.isfinite(search.fit(X, Y, groups=QID).best_score_)


def test_xgboosts_own_ranker_reads_ids_from_its_qid_column():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(X, columns=list("abcd")).assign(qid=QID)
    scores = sklearn_rank.cross_val_score(theirs("XGBRanker"), frame, Y, groups=QID, scoring="ndcg@10")
    assert np.isfinite(scores).all()


class ScoresItself(Holder):
    """A model that takes ids, with parameters named as those of HistGradientBoosting."""

    def __init__(self, scoring="ndcg@10", early_stopping=True):
        self.scoring = scoring
        self.early_stopping = early_stopping

    def fit(self, X, y, groups=None):
        self.ranker_ = Ridge().fit(X, y)
        self.score_ = sklearn_rank.get_scorer(self.scoring)(self.ranker_, X, y, groups=groups)
        return self


def test_early_stopping_parameter_of_own_models_is_left_alone():
    scores = sklearn_rank.cross_val_score(ScoresItself(), X, Y, groups=QID, scoring="map")
    assert np.isfinite(scores).all()
