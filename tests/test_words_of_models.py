"""Messages of the functions and searches, of scorers and of models: they lead to what works, which is run."""

import re
import warnings
from functools import partial
from unittest.mock import MagicMock

import numpy as np
import pytest
import sklearn.metrics
import sklearn.model_selection
from rankers import LIBRARIES, OPTIONS, ours
from sklearn import config_context
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.ensemble import HistGradientBoostingRegressor, VotingRegressor
from sklearn.linear_model import Ridge
from sklearn.metrics import make_scorer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import sklearn_rank
from sklearn_rank.datasets import make_ranking
from sklearn_rank.metrics import METRICS, RankingScorer
from sklearn_rank.model_selection import HalvingGridSearchCV

X, Y, QID = make_ranking(n_queries=30, n_documents=(4, 14), n_features=4, random_state=0)
NEWEST = tuple(map(int, sklearn.__version__.split(".")[:2])) >= (1, 9)


class Counts(RegressorMixin, BaseEstimator):
    """A model that counts how often any is fitted."""

    n_fits = 0

    def __init__(self, a=1):
        self.a = a

    def fit(self, X, y, **params):
        Counts.n_fits += 1
        self.n_features_in_ = np.shape(X)[1]
        return self

    def predict(self, X):
        return X[:, 0]


def search(kind, **own):
    return lambda model, X, y, groups, **options: kind(model, **own, **options).fit(X, y, groups=groups)


# Each by its name in messages.
CALLS = {
    "cross_val_score": sklearn_rank.cross_val_score,
    "cross_validate": sklearn_rank.cross_validate,
    "learning_curve": sklearn_rank.learning_curve,
    "permutation_test_score": partial(sklearn_rank.permutation_test_score, n_permutations=2),
    "validation_curve": partial(sklearn_rank.validation_curve, param_name="a", param_range=[1]),
    "GridSearchCV": search(sklearn_rank.GridSearchCV, param_grid={}),
    "RandomizedSearchCV": search(sklearn_rank.RandomizedSearchCV, param_distributions={}, n_iter=1),
    "HalvingGridSearchCV": search(HalvingGridSearchCV, param_grid={}),
}
EVERY_CALL = pytest.mark.parametrize("function", CALLS)


def refused(function, **options):
    """Return the message of a call that trains nothing."""
    Counts.n_fits = 0
    given = {"model": Counts(), "X": X, "y": Y, "groups": QID, "scoring": "ndcg@10"} | options
    model, *rows = (given.pop(name) for name in ("model", "X", "y"))
    with pytest.raises(ValueError, match=" must ") as error:
        CALLS[function](model, *rows, **given)
    assert Counts.n_fits == 0
    return str(error.value)


# ------------------------------------------------------------------ what scoring may be


def meant_by(entry):
    factory = entry.prefix + entry.function.__name__.removesuffix("_score") + "_scorer"
    return f"{factory}({'k=10' if entry.cutoff == 'required' else ''})"


FUNCTIONS = [(entry.function, meant_by(entry)) for entry in METRICS.values()] + [
    (sklearn.metrics.ndcg_score, "ndcg_scorer()"),
    (sklearn.metrics.dcg_score, "dcg_scorer()"),
    (partial(sklearn_rank.ndcg_score, k=5), "ndcg_scorer(k=5)"),
    (partial(partial(sklearn_rank.precision_at_k_score, k=5), k=3), "precision_at_k_scorer(k=3)"),
    (sklearn_rank.ndcg_scorer, "ndcg_scorer()"),
    (sklearn_rank.recall_at_k_scorer, "recall_at_k_scorer(k=10)"),
    (sklearn_rank.neg_bpr_loss_scorer, "neg_bpr_loss_scorer()"),
    (RankingScorer, "ndcg_scorer(k=10)"),
    (sklearn_rank.get_scorer, 'get_scorer("ndcg@10")'),
    (sklearn.metrics.r2_score, '"r2"'),
    (sklearn.metrics.mean_squared_error, '"neg_mean_squared_error"'),
    (sklearn.metrics.mean_tweedie_deviance, "sklearn.metrics.make_scorer(mean_tweedie_deviance)"),
]


@pytest.mark.parametrize(("given", "meant"), FUNCTIONS, ids=str)
def test_a_function_as_scoring_is_answered_by_the_scorer_that_is_meant(given, meant):
    message = refused("cross_val_score", scoring=given)
    assert message.startswith("The 'scoring' parameter of cross_val_score must be a scorer")
    assert re.search(r"as scoring=(.*)\. Got", message)[1] == meant
    names = vars(sklearn.metrics) | {"sklearn": sklearn} | vars(sklearn_rank)
    scores = sklearn_rank.cross_val_score(Ridge(), X, Y, groups=QID, scoring=eval(meant, names))
    assert np.isfinite(scores).all()


@pytest.mark.parametrize(
    ("given", "meant"),
    [
        (sklearn_rank.ranking_scorer, 'ranking_scorer(["ndcg@10", "map"])'),
        (sklearn_rank.ranking_scores, 'ranking_scorer(["ndcg@10", "map"])'),
        (sklearn_rank.novelty_score, "novelty_scorer(k=10, items=..., popularity=...)"),
        (make_scorer, "make_group_scorer(metric)"),
        (lambda y_true, y_pred: 0.0, "make_group_scorer(metric)"),
    ],
    ids=str,
)
def test_of_what_needs_more_the_form_is_shown(given, meant):
    assert f"as scoring={meant}. Got the function" in refused("cross_validate", scoring=given)


def precision_of_mine(y_true, y_pred):
    return float(np.mean(y_true[np.argsort(-y_pred)[:3]] > 0))


def test_a_metric_of_the_users_own_is_taken_per_query():
    message = refused("cross_val_score", scoring=precision_of_mine)
    code = re.search(r"as scoring=(.*)\. Got the function precision_of_mine", message)[1]
    scorer = eval(code, vars(sklearn_rank) | {"precision_of_mine": precision_of_mine})
    assert np.isfinite(sklearn_rank.cross_val_score(Ridge(), X, Y, groups=QID, scoring=scorer)).all()


@EVERY_CALL
@pytest.mark.parametrize(
    "wrap", [lambda f: f, lambda f: {"a": f}, lambda f: ["map", f]], ids=["", "dict", "list"]
)
def test_every_function_and_search_answers(function, wrap):
    message = refused(function, scoring=wrap(sklearn_rank.ndcg_score))
    assert message.startswith(f"The 'scoring' parameter of {function} must be a scorer")
    assert "as scoring=ndcg_scorer()" in message


def test_functions_that_ask_a_model_stay_scorers():
    def mine(estimator, X, y_true):
        return 1.0

    for scoring in (mine, partial(mine), sklearn_rank.ndcg_scorer(), np.mean, max):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            sklearn_rank.cross_val_score(Ridge(), X, Y, groups=QID, scoring=scoring)


def test_a_list_of_names_and_scorers_shows_a_dict():
    message = refused("cross_validate", scoring=["map", sklearn_rank.ndcg_scorer()])
    code = re.search(r"as (\{.*\})\. Got", message)[1]
    scoring = eval(code, vars(sklearn_rank))
    assert "test_NDCG" in sklearn_rank.cross_validate(Ridge(), X, Y, groups=QID, scoring=scoring)


@pytest.mark.skipif(not NEWEST, reason="before, a scorer does not tell what its function takes")
def test_scikit_learns_ndcg_in_make_scorer_is_told_from_ours():
    message = refused("cross_val_score", scoring=make_scorer(sklearn.metrics.ndcg_score, k=3))
    assert (
        "scoring=ndcg_scorer(k=10). Got scikit-learn's ndcg_score, which takes lists of one length" in message
    )
    scores = sklearn_rank.cross_val_score(
        Ridge(), X, Y, groups=QID, scoring=make_scorer(sklearn_rank.ndcg_score)
    )
    assert np.isfinite(scores).all()


@EVERY_CALL
@pytest.mark.parametrize("scoring", ["ndgc@10", "NDCG", "precision@5(k=3)", "bpr_loss"])
def test_a_wrong_name_is_one_of_the_function_that_was_called(function, scoring):
    assert refused(function, scoring=scoring).startswith(f"The 'scoring' parameter of {function} must ")


@pytest.mark.parametrize(
    "scoring", [["ndcg@10", "map"], sklearn_rank.ranking_scorer(["ndcg@10", "map"])], ids=str
)
@pytest.mark.parametrize("refit", ["ndcg", "NDCG@10", True])
def test_refit_names_one_of_several_scorers(scoring, refit):
    kind = partial(sklearn_rank.GridSearchCV, Ridge(), {"alpha": [1, 2]}, scoring=scoring)
    with pytest.raises(
        ValueError, match=r"'refit' parameter of GridSearchCV must name .* as (.*), or be False"
    ) as error:
        kind(refit=refit).fit(X, Y, groups=QID)
    meant = re.search("refit='(.*)',", str(error.value))[1]
    assert meant == "ndcg@10"
    assert "alpha" in kind(refit=meant).fit(X, Y, groups=QID).best_params_


# ------------------------------------------------------------------ labels that a scorer refuses


def with_label(label, row=3):
    labels = Y.astype(object if isinstance(label, str) else float)
    labels[row] = label
    return labels


@EVERY_CALL
@pytest.mark.parametrize("error_score", [np.nan, "raise"])
def test_nan_is_refused_before_any_training_and_what_takes_it_is_shown(function, error_score):
    options = {} if function == "permutation_test_score" else {"error_score": error_score}
    message = refused(function, y=with_label(np.nan), **options)
    assert message.startswith(f"The 'y' parameter of {function} must hold no NaN for ndcg_scorer(k=10)")
    assert message.endswith(f"Got 1 NaN of {len(Y)} labels to test on instead.")
    scorer = eval(re.search(r"as scoring=(.*)\. Got", message)[1], vars(sklearn_rank))
    assert scorer.options == {"unjudged": "drop"}
    CALLS[function](Counts(), X, with_label(np.nan), groups=QID, scoring=scorer)


@EVERY_CALL
@pytest.mark.parametrize(("label", "got"), [(-1.0, "-1"), ("good", "good"), (np.inf, "inf")])
def test_other_labels_are_refused_by_the_metrics_own_rule(function, label, got):
    with pytest.raises(ValueError, match="must") as direct:
        sklearn_rank.ndcg_score(with_label(label), X[:, 0], groups=QID, k=10)
    rule = str(direct.value).partition(" must ")[2].partition(". Got")[0]
    message = refused(function, y=with_label(label))
    assert f"of {function}, by ndcg_scorer(k=10), must {rule}" in message


def test_of_several_scorers_the_one_that_refuses_is_named():
    for scoring in (["judged@10", "map"], {"a": "judged@10", "b": sklearn_rank.map_scorer()}):
        assert "for map_scorer(), unless" in refused("cross_validate", y=with_label(np.nan), scoring=scoring)
    shared = sklearn_rank.ranking_scorer(["judged@10", "map"])
    assert "scoring=ranking_scorer(metrics=['judged@10', 'map'], unjudged='drop')" in refused(
        "cross_validate", y=with_label(np.nan), scoring=shared
    )


def test_a_table_of_gains_without_a_grade_is_refused_too():
    message = refused("cross_val_score", scoring=sklearn_rank.ndcg_scorer(gain=[0, 1]))
    assert "'gain' parameter of cross_val_score, by ndcg_scorer(gain=[0, 1])," in message


@pytest.mark.parametrize(
    "scoring",
    ["judged@10", *(sklearn_rank.ndcg_scorer(unjudged=how) for how in ("drop", "mean", "nonrelevant"))],
    ids=str,
)
def test_scorers_that_take_nan_get_it(scoring):
    labels = with_label(np.nan)
    for y in (labels, labels[:, None] if NEWEST else labels, labels.astype(object)):
        Counts.n_fits = 0
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            scores = sklearn_rank.cross_val_score(
                Counts(), X, y[:, 0] if y.ndim == 2 else y, groups=QID, scoring=scoring
            )
        assert np.isfinite(scores).all()
        assert Counts.n_fits == 5


def test_labels_that_no_test_has_may_be_any():
    times, labels = np.arange(len(Y)), with_label(np.nan, 0)
    options = {"groups": QID, "params": {"times": times}, "scoring": "ndcg@10"}
    late = sklearn_rank.TimeCut(test_size=0.3)
    assert np.isfinite(sklearn_rank.cross_val_score(Counts(), X, labels, cv=late, **options)).all()
    tested = with_label(np.nan, len(Y) - 1)
    message = refused("cross_val_score", y=tested, cv=late, **options)
    n_tested = len(next(late.split(X, times=times))[1])
    assert f"Got 1 NaN of {n_tested} labels" in message


def test_without_labels_or_ranking_scorers_nothing_is_asked():
    def scorer(estimator, X, y=None):
        return 1.0

    assert (sklearn_rank.cross_val_score(Counts(), X, groups=QID, scoring=scorer) == 1).all()
    assert (
        sklearn_rank.cross_val_score(Counts(), X, with_label(np.nan), groups=QID, scoring=scorer) == 1
    ).all()


def test_a_ranker_may_train_on_labels_that_its_scorer_drops():
    scorer = sklearn_rank.ndcg_scorer(unjudged="drop")
    scores = sklearn_rank.cross_val_score(
        ours("PairwiseRanker"), X, with_label(np.nan), groups=QID, scoring=scorer
    )
    assert np.isfinite(scores).all()


# ------------------------------------------------------------------ models that ids do not reach


def theirs(name):
    return getattr(pytest.importorskip(LIBRARIES[name]), name)(**OPTIONS[name])


WRAPS = {
    "alone": lambda model: model,
    "in a pipeline": lambda model: make_pipeline(StandardScaler(), model),
    "in a search": lambda model: sklearn_rank.GridSearchCV(model, {}, scoring="ndcg@10"),
    "in a vote": lambda model: VotingRegressor([("ranker", model)]),
}


@pytest.mark.parametrize("name", LIBRARIES)
@pytest.mark.parametrize("wrap", WRAPS.values(), ids=WRAPS)
@pytest.mark.parametrize("function", ["cross_val_score", "GridSearchCV"])
def test_a_librarys_own_ranker_is_answered_by_ours(name, wrap, function, routing):
    message = refused(function, model=wrap(theirs(name)))
    assert message.startswith(f"The 'estimator' parameter of {function} must be this package's {name}")
    assert message.endswith(f"Got {LIBRARIES[name]}.{name} instead.")
    names = {}
    exec(re.search("from sklearn_rank.rankers import [A-Za-z]+", message)[0], names)
    scores = sklearn_rank.cross_val_score(names[name](**OPTIONS[name]), X, Y, groups=QID, scoring="ndcg@10")
    assert np.isfinite(scores).all()


def test_the_same_among_the_candidates_of_a_search():
    grid = sklearn_rank.GridSearchCV(
        make_pipeline(Ridge()), {"ridge": [Ridge(), theirs("LGBMRanker")]}, scoring="map"
    )
    with pytest.raises(ValueError, match="this package's LGBMRanker"):
        grid.fit(X, Y, groups=QID)


@pytest.mark.parametrize(("name", "param"), [("XGBRanker", "qid"), ("CatBoostRanker", "group_id")])
def test_ids_by_row_still_reach_those_that_take_them(name, param):
    scores = sklearn_rank.cross_val_score(
        theirs(name), X, Y, groups=QID, scoring="ndcg@10", params={param: QID}
    )
    assert np.isfinite(scores).all()


def test_ids_still_reach_one_that_requests_them(routing):
    with config_context(enable_metadata_routing=True):
        model = theirs("XGBRanker").set_fit_request(qid="groups")
    assert np.isfinite(sklearn_rank.cross_val_score(model, X, Y, groups=QID, scoring="ndcg@10")).all()


@pytest.mark.parametrize("kind", ["LGBMRegressor", "LGBMClassifier"])
def test_other_models_of_the_libraries_are_as_any(kind):
    lightgbm = pytest.importorskip("lightgbm")
    model = getattr(lightgbm, kind)(n_estimators=2, verbose=-1)
    assert np.isfinite(sklearn_rank.cross_val_score(model, X, Y, groups=QID, scoring="ndcg@10")).all()


@pytest.mark.parametrize("wrap", [lambda model: model, lambda model: make_pipeline(StandardScaler(), model)])
def test_what_answers_to_any_name_is_no_model(wrap):
    for options in ({"groups": QID, "scoring": "ndcg@10"}, {"scoring": "r2"}):
        with pytest.raises(
            ValueError, match=r"'estimator' parameter of cross_val_score must be a model.*Got a MagicMock"
        ):
            sklearn_rank.cross_val_score(wrap(MagicMock()), X, Y, **options)


@pytest.mark.parametrize(
    "scoring", [sklearn_rank.ndcg_scorer(), "ndcg@10", sklearn_rank.ndcg_scorer(groups="qid")]
)
def test_early_stopping_by_a_scorer_that_no_ids_reach_is_refused_before_training(scoring):
    model = make_pipeline(HistGradientBoostingRegressor(scoring=scoring, early_stopping=True))
    message = refused("cross_val_score", model=model)
    assert message.startswith(
        "The 'scoring' parameter of HistGradientBoostingRegressor must be no ranking scorer"
    )
    pytest.importorskip("lightgbm")
    code = re.search(r"sklearn_rank\.rankers\.LGBMRanker\(.*\)(?=\. Got)", message)[0]
    ranker = eval(code, vars(sklearn_rank) | {"sklearn_rank": sklearn_rank}).set_params(
        **OPTIONS["LGBMRanker"]
    )
    assert np.isfinite(sklearn_rank.cross_val_score(ranker, X, Y, groups=QID, scoring="ndcg@10")).all()
