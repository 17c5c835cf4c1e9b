"""Scorers: values, objects, ids from any source and any kind of model."""

import pickle
from copy import copy, deepcopy
from html import unescape

import numpy as np
import pytest
from sklearn import config_context
from sklearn.base import BaseEstimator, clone
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression, Ridge, RidgeClassifier
from sklearn.model_selection import GroupKFold, cross_val_score, cross_validate
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

import sklearn_rank
from sklearn_rank import (
    BalancedGroupKFold,
    GridSearchCV,
    get_scorer,
    ndcg_score,
    ndcg_scorer,
    ranking_scorer,
    ranking_scores,
)
from sklearn_rank.metrics import RankingScorer, alpha_ndcg_scorer
from tests.helpers.naming import PUBLIC
from tests.helpers.scorers import CUTOFF, FACTORIES, NAMES, SCORERS, requests
from tests.helpers.table import BY_RULE, METRICS, SCORE_OF


def weigh(groups):
    """Weights that are constant inside a query."""
    return np.random.default_rng(0).random(groups.max() + 1)[groups]


def score_folds(folds, data, *, train_weight=None, test_weight=None):
    """NDCG of each fold, by hand."""
    X, y, groups = data
    ones = np.ones(len(y))
    before, after = (ones if weight is None else weight for weight in (train_weight, test_weight))
    fits = [Ridge().fit(X[rows], y[rows], before[rows]) for rows, _ in folds]
    return [
        ndcg_score(y[rows], fit.predict(X[rows]), groups=groups[rows], sample_weight=after[rows])
        for fit, (_, rows) in zip(fits, folds)
    ]


# ------------------------------------------------------------------ values


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize(("stem", "ties"), BY_RULE, ids=str)
def test_scorer_equals_metric_of_predictions(stem, ties, weighted, routing, model, ranking_data):
    X, y, groups = ranking_data
    X = X.round()  # ties predictions
    given = {"groups": groups, "sample_weight": weigh(groups) if weighted else None}
    got = FACTORIES[stem](**ties, **CUTOFF[stem])(model, X, y, **given)
    value = SCORE_OF[stem](y, model.predict(X), **ties, **CUTOFF[stem], **given)
    assert got == (value if METRICS[stem].greater_is_better else -value)
    assert type(got) is float


@pytest.mark.parametrize(
    ("stem", "options"),
    [
        ("ndcg", {"gain": "exponential", "discount": "reciprocal", "k": 4}),
        ("ndcg", {"gain": [0, 1, 5, 9, 9]}),
        ("ndcg", {"gain": np.sqrt}),
        ("dcg", {"discount": None, "average": "weighted"}),
        ("map", {"denominator": "hits", "min_relevance": 2, "k": 3}),
        ("mrr", {"min_relevance": 4, "zero_division": np.nan}),
        ("precision", {"adaptive_k": True, "k": 9}),
        ("recall", {"average": "micro", "min_relevance": 3, "k": 2}),
        ("hit_rate", {"min_relevance": 4, "zero_division": 1.0, "k": 2}),
        ("group_auc", {"average": "weighted", "zero_division": 0.0, "min_relevance": 3}),
    ],
)
def test_scorer_passes_options_to_metric(stem, options, model, ranking_data):
    X, y, groups = ranking_data
    got = FACTORIES[stem](**options)(model, X, y, groups=groups)
    assert got == SCORE_OF[stem](y, model.predict(X), groups=groups, **options)


def test_ranking_scorer_returns_dict_of_floats_in_order(routing, model, ranking_data):
    X, y, groups = ranking_data
    got = ranking_scorer(NAMES)(model, X, y, groups=groups)
    assert list(got.items()) == [(name, get_scorer(name)(model, X, y, groups=groups)) for name in NAMES]
    assert {type(value) for value in got.values()} == {float}


def test_ndcg_scorer_rejects_unfitted_classifier(ranking_data):
    X, y, groups = ranking_data
    with pytest.raises(NotFittedError, match=r"ndcg_scorer\(\) needs a fitted model"):
        ndcg_scorer()(LogisticRegression(), X, y > 1, groups=groups)


def test_ranking_scorer_passes_options_to_metrics(model, ranking_data):
    X, y, groups = ranking_data
    options = {"gain": "exponential", "min_relevance": 3, "zero_division": 1.0, "average": "weighted"}
    got = ranking_scorer(NAMES, **options)(model, X, y, groups=groups)
    assert got == ranking_scores(y, model.predict(X), groups=groups, metrics=NAMES, **options)


# ------------------------------------------------------------------ sources of query ids


@pytest.mark.parametrize("scorer", SCORERS, ids=repr)
def test_scorer_error_without_ids_shows_how_to_pass_them(scorer, routing, model, ranking_data):
    X, y, _ = ranking_data
    scorer = copy(scorer)
    scorer.groups = None
    with pytest.raises(ValueError, match=r"pass groups=qid.*the same name in sklearn_rank") as error:
        scorer(model, X, y)
    assert str(error.value).startswith(f"{scorer.describe()} received no query ids. ")
    assert "'How to pass query ids' in the docs" in str(error.value)
    assert len(str(error.value)) <= 350


def test_call_error_without_ids_is_the_call_with_ids(ranking_data):
    X, y, _ = ranking_data
    search = GridSearchCV(Ridge(), {"alpha": [1]}, scoring="ndcg@10")
    for call, name in (
        (lambda: sklearn_rank.cross_val_score(Ridge(), X, y, scoring=ndcg_scorer(k=10)), "cross_val_score"),
        (lambda: search.fit(X, y), "GridSearchCV.fit"),
    ):
        with pytest.raises(ValueError, match=r"^The 'groups' parameter of") as error:
            call()
        required = f"The 'groups' parameter of {name} is required by ndcg_scorer(k=10). "
        assert str(error.value) == f"{required}Pass the query id of each row: {name}(..., groups=qid)."


def test_scikit_learn_without_routing_returns_nan_and_shows_message(ranking_data):
    X, y, groups = ranking_data
    with pytest.warns(UserWarning, match=r"ndcg_scorer\(k=3\) received no query ids.*groups=qid"):
        scores = cross_val_score(Ridge(), X, y, scoring=ndcg_scorer(k=3), groups=groups, cv=GroupKFold())
    assert np.isnan(scores).all()


@pytest.mark.parametrize(
    ("library", "make"), [("pandas", "DataFrame"), ("polars", "DataFrame"), ("pyarrow", "table")]
)
def test_scorer_reads_ids_from_column(library, make, routing, ranking_data):
    X, y, groups = ranking_data
    columns = {**{f"x{i}": X[:, i] for i in range(X.shape[1])}, "qid": groups}
    frame = getattr(pytest.importorskip(library), make)(columns)
    model = Ridge().fit(frame, y)
    expected = ndcg_score(y, model.predict(frame), groups=groups, k=3)
    assert ndcg_scorer(k=3, groups="qid")(model, frame, y) == expected
    assert ndcg_scorer(k=3)(model, frame, y, groups="qid") == expected


@pytest.mark.parametrize("place", ["X", "y", "one level of X"])
def test_scorer_reads_ids_from_index_level(place, routing, model, ranking_data):
    pandas = pytest.importorskip("pandas")
    X, y, groups = ranking_data
    expected = ndcg_score(y, model.predict(X), groups=groups)
    index = pandas.Index([f"q{i}" for i in groups], name="qid")
    if place == "y":
        y = pandas.Series(y, index=index)
    else:
        levels = pandas.MultiIndex.from_arrays([range(len(y)), index], names=["row", "qid"])
        X = pandas.DataFrame(X, index=index if place == "X" else levels)
    assert ndcg_scorer(groups="qid")(model, X, y) == expected


def test_scorer_with_ids_in_index_needs_no_routing(ranking_data):
    pandas = pytest.importorskip("pandas")
    X, y, groups = ranking_data
    labels = pandas.Series(y, index=pandas.Index(groups, name="qid"))
    folds = list(BalancedGroupKFold(3).split(X, y, groups))
    got = cross_val_score(Ridge(), X, labels, scoring=ndcg_scorer(groups="qid"), cv=folds)
    assert got.tolist() == score_folds(folds, ranking_data)


def test_scorer_error_for_unknown_id_name_lists_places(model, ranking_data):
    X, y, _ = ranking_data
    with pytest.raises(ValueError, match=r"'groups' parameter of ndcg_scorer.* an index level of X or y"):
        ndcg_scorer(groups="query")(model, X, y)


def test_scorer_raises_type_error_for_unknown_keyword(model, ranking_data):
    X, y, groups = ranking_data
    with pytest.raises(TypeError, match=r"ndcg_scorer\(k=3\) takes 'groups' and 'sample_weight'. Got 'qid'"):
        ndcg_scorer(k=3)(model, X, y, groups=groups, qid=groups)


# ------------------------------------------------------------------ predictions of the model


@pytest.mark.parametrize(
    ("model", "method", "answer"),
    [
        (LogisticRegression(), "auto", lambda fit, X: fit.decision_function(X)),
        (GaussianNB(), "auto", lambda fit, X: fit.predict_proba(X)[:, 1]),
        (
            make_pipeline(StandardScaler(), LogisticRegression()),
            "auto",
            lambda fit, X: fit.decision_function(X),
        ),
        (make_pipeline(StandardScaler(), Ridge()), "auto", lambda fit, X: fit.predict(X)),
        (LogisticRegression(), "predict", lambda fit, X: fit.predict(X)),
        (LogisticRegression(), "predict_proba", lambda fit, X: fit.predict_proba(X)[:, 1]),
        (GaussianNB(), ("decision_function", "predict_proba"), lambda fit, X: fit.predict_proba(X)[:, 1]),
    ],
)
@pytest.mark.filterwarnings("ignore:.*(predict returns|scores look like) classes:sklearn_rank.RankingWarning")
def test_scorer_uses_response_method_of_binary_model_or_regressor(model, method, answer, ranking_data):
    X, y, groups = ranking_data
    fit = clone(model).fit(X, y > 1)
    X = 20 * X  # ties probabilities near 1, but not decisions
    got = ndcg_scorer(response_method=method)(fit, X, y, groups=groups)
    assert got == ndcg_score(y, answer(fit, X), groups=groups)


@pytest.mark.filterwarnings("ignore:.*equally relevant:sklearn_rank.RankingWarning")
@pytest.mark.parametrize("grades", [[0, 1, 2, 3, 4], [0, 1, 1, 5, 20], [3, 3, 3, 3, 3]])
@pytest.mark.parametrize("steps", [[], [StandardScaler()]], ids=["alone", "pipeline"])
def test_scorer_uses_expected_grade_of_classifier(steps, grades, ranking_data):
    X, y, groups = ranking_data
    y = np.array(grades)[y]
    fit = make_pipeline(*steps, DecisionTreeClassifier(max_depth=3)).fit(X, y)
    expected = ndcg_score(y, fit.predict_proba(X) @ np.unique(y), groups=groups)
    assert ndcg_scorer()(fit, X, y, groups=groups) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize(
    ("model", "labels", "rule"),
    [
        (
            GaussianNB(),
            ["bad", "fair", "good", "fine", "best"],
            "'pos_label' .* must be set if classes are not numbers",
        ),
        (RidgeClassifier(), [0, 1, 2, 3, 4], "'estimator' .* must have the method predict_proba"),
    ],
)
def test_scorer_rejects_classifier_without_expected_grade(model, labels, rule, ranking_data):
    X, y, groups = ranking_data
    fit = clone(model).fit(X, np.array(labels)[y])
    with pytest.raises(ValueError, match=rule):
        ndcg_scorer()(fit, X, y, groups=groups)


# ------------------------------------------------------------------ metadata routing


@pytest.mark.parametrize(
    ("groups", "asked", "expected"),
    [
        (None, {}, {"groups": True, "sample_weight": False}),
        ("qid", {}, {"groups": False, "sample_weight": False}),
        (None, {"sample_weight": True}, {"groups": True, "sample_weight": True}),
        (None, {"sample_weight": "w", "groups": "ids"}, {"groups": "ids", "sample_weight": "w"}),
    ],
)
def test_scorer_requests_ids_by_default_and_weights_on_demand(groups, asked, expected, routing):
    scorer = ndcg_scorer(groups=groups)
    assert scorer.set_score_request(**asked) is scorer
    assert requests(scorer) == expected


def test_scorer_requests_are_combined():
    scorer = ndcg_scorer().set_score_request(sample_weight=True).set_score_request(groups="ids")
    assert requests(scorer) == {"groups": "ids", "sample_weight": True}


@pytest.mark.parametrize(
    ("asked", "ids", "weights"),
    [
        ({"sample_weight": True}, "groups", "sample_weight"),
        ({"sample_weight": "w", "groups": "ids"}, "ids", "w"),
    ],
    ids=["names", "aliases"],
)
def test_routing_passes_requested_metadata_to_scorer(asked, ids, weights, ranking_data):
    X, y, groups = ranking_data
    folds = list(BalancedGroupKFold(3).split(X, y, groups))
    scorer = ndcg_scorer().set_score_request(**asked)
    with config_context(enable_metadata_routing=True):
        model = Ridge().set_fit_request(sample_weight=False)
        params = {ids: groups, weights: weigh(groups)}
        got = cross_validate(model, X, y, scoring=scorer, cv=folds, params=params)["test_score"]
    assert got.tolist() == score_folds(folds, ranking_data, test_weight=weigh(groups))


def test_scorer_does_not_receive_model_weights_without_request(ranking_data):
    X, y, groups = ranking_data
    weights = np.random.default_rng(0).random(len(y))
    folds = list(BalancedGroupKFold(3).split(X, y, groups))
    with config_context(enable_metadata_routing=True):
        model = Ridge().set_fit_request(sample_weight=True)
        params = {"groups": groups, "sample_weight": weights}
        got = cross_validate(model, X, y, scoring=ndcg_scorer(), cv=folds, params=params)["test_score"]
    assert got.tolist() == score_folds(folds, ranking_data, train_weight=weights)


class OnlyProbabilities(BaseEstimator):
    """A model that has probabilities, and does not say that it is a classifier."""

    def fit(self, X, y):
        return self

    def predict_proba(self, X):
        return np.ones((len(X), 2)) / 2


def test_scorer_rejects_model_without_predict_that_is_no_classifier():
    rule = r"'estimator' parameter of ndcg_scorer\(\) must be a classifier or have the method predict"
    with pytest.raises(ValueError, match=rf"{rule}\. Got OnlyProbabilities"):
        ndcg_scorer()(OnlyProbabilities(), [[1], [2]], [0, 1], groups=[1, 1])


# ------------------------------------------------------------------ objects


@pytest.mark.parametrize("make_copy", [copy, lambda scorer: pickle.loads(pickle.dumps(scorer))])
@pytest.mark.parametrize("scorer", SCORERS, ids=repr)
def test_scorer_copy_has_same_parameters_requests_and_values(scorer, make_copy, model, ranking_data):
    X, y, groups = ranking_data
    again = make_copy(scorer)
    assert vars(again) == vars(scorer)
    assert repr(again) == repr(scorer)
    assert requests(again) == requests(scorer)
    assert again(model, X, y, groups=groups) == scorer(model, X, y, groups=groups)


@pytest.mark.parametrize("scorer", SCORERS, ids=repr)
def test_clones_of_search_share_scorer(scorer):
    search = GridSearchCV(Ridge(), {"alpha": [1]}, scoring=scorer)
    assert deepcopy(scorer) is clone(search).scoring is clone(clone(search)).scoring is scorer


def test_search_parameters_exclude_scorer_parameters():
    search = GridSearchCV(Ridge(), {"alpha": [1]}, scoring=ndcg_scorer())
    assert [name for name in search.get_params() if name.startswith("scoring")] == ["scoring"]


def test_search_set_params_changes_scorer():
    search = GridSearchCV(Ridge(), {"alpha": [1]}, scoring=ndcg_scorer())
    assert "ndcg@3" in repr(search.set_params(scoring=ndcg_scorer(k=3)))


@pytest.mark.parametrize("inputs", [{"group": "qid"}, {"owners": "seller"}])
def test_ranking_scorer_rejects_unknown_inputs(inputs):
    with pytest.raises(TypeError, match=f"unexpected keyword argument '{next(iter(inputs))}'"):
        RankingScorer("ndcg@10", **inputs)


def test_score_rows_rejects_scorer_that_needs_intents():
    scorer = alpha_ndcg_scorer(alpha=0.3)
    with pytest.raises(TypeError, match=r"^alpha_ndcg_scorer\(alpha=0\.3\) scores fitted models only"):
        scorer.score_rows([0, 1], [1, 2], groups=[0, 0])


def test_scorer_copy_requests_do_not_change_original():
    scorer = ndcg_scorer().set_score_request(groups="ids")
    copy(scorer).set_score_request(groups=False, sample_weight=True)
    assert requests(scorer) == {"groups": "ids", "sample_weight": False}


@pytest.mark.parametrize("scorer", [*SCORERS, ndcg_scorer(zero_division=np.nan)], ids=repr)
def test_scorer_description_is_code_that_makes_it(scorer):
    made = eval(scorer.describe(), {**PUBLIC, "nan": np.nan})
    made.score_request = scorer.score_request
    assert repr(made) == repr(scorer)


def test_scorer_representations_name_metric():
    scorer = ndcg_scorer(k=10)
    assert repr(scorer) == "RankingScorer(metrics='ndcg@10')"
    assert f">{scorer!r}</pre>" in unescape(scorer._repr_html_())
    shown = scorer._repr_mimebundle_(include=None, exclude=None)
    assert shown == {"text/plain": repr(scorer), "text/html": scorer._repr_html_()}


def test_scorer_html_escapes_parameters():
    assert "<b>" not in ndcg_scorer(k=10, groups="<b>")._repr_html_()


@pytest.mark.parametrize("scorer", SCORERS, ids=repr)
def test_scorer_representation_shows_requests(scorer):
    assert "sample_weight" in repr(copy(scorer).set_score_request(sample_weight="weight"))
