"""All kinds of classifiers with all kinds of scorers: the value by hand, or an error before training."""

import warnings
from functools import partial

import numpy as np
import pytest
import sklearn.metrics
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.calibration import CalibratedClassifierCV
from sklearn.ensemble import StackingClassifier, VotingClassifier
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.metrics import average_precision_score, f1_score, log_loss, make_scorer, roc_auc_score
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils import all_estimators

import sklearn_rank
from sklearn_rank import (
    RankingWarning,
    WithGroups,
    cross_val_predict,
    cross_val_report,
    cross_val_score,
    get_scorer,
    group_score,
    make_group_scorer,
    ranking_scorer,
    ranking_scores,
)
from sklearn_rank.metrics import (
    group_auc_score,
    group_auc_scorer,
    map_scorer,
    ndcg_scorer,
    precision_at_k_score,
)

RNG = np.random.default_rng(0)
QID = np.repeat(np.arange(24), 5)
X = np.abs(RNG.normal(size=(120, 3)))
GRADES = np.clip(X @ [1, 1, 0] + RNG.normal(size=120) / 2, 0.5, 2.4).round().astype(int)
CLICKS = (GRADES > 1).astype(int)
WORDS = np.where(CLICKS, "bought", "won't")
TARGETS = {"clicks": CLICKS, "words": WORDS, "grades": GRADES}
PARTS = [np.flatnonzero(QID % 2 == 0), np.flatnonzero(QID % 2 == 1)]
FOLDS = [(PARTS[1], PARTS[0]), (PARTS[0], PARTS[1])]
NOT_PLAIN = {
    "ClassifierChain",
    "MultiOutputClassifier",
    "FixedThresholdClassifier",
    "TunedThresholdClassifierCV",
}


def make_model(kind):
    """Make a small model of a class, around logistic regression if it needs a model."""
    model = LogisticRegression()
    for given in (
        {},
        {"estimator": model},
        {"estimators": [("a", model), ("b", DecisionTreeClassifier(max_depth=2, random_state=0))]},
    ):
        try:
            made = kind(**given)
        except (TypeError, FutureWarning):  # needs other parameters, or is deprecated
            continue
        small = {
            "random_state": 0,
            "max_iter": 50,
            "n_estimators": 5,
            "cv": 2,
            "radius": 9.0,
            "min_categories": 9,
        }
        known = {name for name in small if name in made.get_params(deep=False)}
        return made.set_params(**{name: small[name] for name in known})
    return None


def list_models():
    kinds = dict(all_estimators("classifier"))
    found = {name: make_model(kind) for name, kind in kinds.items() if name not in NOT_PLAIN}
    model = LogisticRegression()
    found |= {
        "pipeline": make_pipeline(StandardScaler(), model),
        "search": GridSearchCV(model, {"C": [0.1, 1]}, cv=2),
        "soft vote": VotingClassifier([("a", model)], voting="soft"),
        "calibrated": CalibratedClassifierCV(LinearSVC(), cv=2),
        "stack": StackingClassifier([("a", model)], cv=2),
    }
    return {name: made for name, made in found.items() if made is not None}


MODELS = list_models()


def score_by_hand(model, rows, target, positive):
    """Return the scores that rank by hand; None if the classifier has none."""
    has_decision = len(model.classes_) == 2 and hasattr(model, "decision_function")
    if not (has_decision or hasattr(model, "predict_proba")):
        return None
    values = model.classes_ == positive if positive is not None else np.asarray(model.classes_)
    if not has_decision:
        return model.predict_proba(rows) @ values.astype(float)
    return model.decision_function(rows) * (-1 if positive == model.classes_[0] else 1)


def is_trainable(model, y):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return [
                WithGroups(model).fit(X[train], y[train], groups=QID[train]).estimator_ for train, _ in FOLDS
            ]
        except (ValueError, IndexError):
            return None


SCORERS = {
    "factory": lambda positive: group_auc_scorer(pos_label=positive),
    "name": lambda positive: get_scorer("group_auc", pos_label=positive),
    "several": lambda positive: ranking_scorer("group_auc", pos_label=positive),
    "probability": lambda positive: group_auc_scorer(
        pos_label=positive, response_method=["decision_function", "predict_proba"]
    ),
    "function": lambda positive: make_group_scorer(
        lambda y, s: roc_auc_score(y, s) if len(set(y)) > 1 else np.nan,
        response_method="auto",
        **({} if positive is None else {"pos_label": positive}),
    ),
}


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning", "ignore::FutureWarning")
@pytest.mark.filterwarnings("ignore:.*cuts queries")
@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("name", MODELS)
def test_scorers_rank_classifiers_by_scores_or_reject_them_before_training(name, target):
    model, y = MODELS[name], TARGETS[target]
    fitted = is_trainable(model, y)
    if fitted is None:
        pytest.skip("scikit-learn cannot train it on this data")
    positive = "bought" if target == "words" else None
    labels = y if positive is None else y == positive
    by_hand = [score_by_hand(each, X[test], y, positive) for each, (_, test) in zip(fitted, FOLDS)]
    for kind, make in SCORERS.items():
        if target == "grades" and kind in ("function", "probability"):
            continue
        call = partial(cross_val_score, model, X, y, groups=QID, scoring=make(positive), cv=FOLDS)
        if by_hand[0] is None:
            with pytest.raises(
                ValueError, match="'estimator' parameter of cross_val_score must have the method"
            ):
                call()
            continue
        undefined = {"zero_division": np.nan} if kind == "function" else {}
        expected = [
            group_auc_score(labels[test], scores, groups=QID[test], **undefined)
            for scores, (_, test) in zip(by_hand, FOLDS)
        ]
        np.testing.assert_allclose(call(), expected, err_msg=kind)


# ------------------------------------------------------------------ functions of scikit-learn


THEIRS = {name: sklearn.metrics.get_scorer(name) for name in sklearn.metrics.get_scorer_names()}
THEIRS = {
    name: scorer
    for name, scorer in THEIRS.items()
    if not scorer._kwargs
    and not any(word in name for word in ("likelihood", "poisson", "gamma"))
    and not scorer._score_func.__module__.startswith("sklearn.metrics.cluster")
}


class Recorder(ClassifierMixin, BaseEstimator):
    """A classifier whose methods return different responses."""

    classes_ = np.array([0, 1])

    def fit(self, X, y):
        return self

    def predict(self, X):
        return (X[:, 0] > 1).astype(int)

    def decision_function(self, X):
        return X[:, 1] - 1

    def predict_proba(self, X):
        return np.column_stack([1 - X[:, 2] / 9, X[:, 2] / 9])


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.UndefinedMetricWarning")
@pytest.mark.parametrize("name", THEIRS)
def test_group_scorer_passes_what_scikit_learn_passes(name):
    scorer, model = THEIRS[name], Recorder()
    got = []
    for passed in (scorer._score_func, THEIRS[name]._score_func):
        options = {} if scorer._sign > 0 else {"greater_is_better": False}
        got.append(make_group_scorer(passed, **options)(model, X, CLICKS, groups=np.zeros(120)))
    assert got[0] == got[1] == pytest.approx(scorer(model, X, CLICKS), nan_ok=True)


def sum_top(y_true, y_score):
    return y_true[np.argsort(-y_score, kind="stable")[:2]].sum()


def test_group_scorer_of_own_function_requires_a_response_for_classifiers():
    scorer = make_group_scorer(sum_top)
    with pytest.raises(ValueError, match=r"'response_method' .* Pass response_method=.auto. .* or .predict."):
        cross_val_score(LogisticRegression(), X, CLICKS, groups=QID, scoring=scorer, cv=FOLDS)
    assert len(cross_val_score(Ridge(), X, CLICKS, groups=QID, scoring=scorer, cv=FOLDS)) == 2


@pytest.mark.parametrize("response", ["auto", "predict"])
def test_group_scorer_of_own_function_uses_the_response(response):
    model = LogisticRegression().fit(X, CLICKS)
    scores = model.decision_function(X) if response == "auto" else model.predict(X)
    expected = group_score(sum_top, CLICKS, scores, groups=QID)
    assert make_group_scorer(sum_top, response_method=response)(model, X, CLICKS, groups=QID) == expected


# ------------------------------------------------------------------ errors before training


class Untrainable(LogisticRegression):
    """A classifier whose training fails the test."""

    def fit(self, X, y):
        raise AssertionError("trained")


MISTAKES = {
    "text classes": (WORDS, "group_auc", r"'pos_label' .* Pass the class to rank first: pos_label='bought'"),
    "unknown class": (WORDS, map_scorer(pos_label="sold"), r"'pos_label' .* be one of the classes"),
    "probability": (WORDS, ndcg_scorer(response_method="predict_proba"), "'pos_label' .* must be set"),
    "decisions of grades": (
        GRADES,
        ndcg_scorer(response_method="decision_function"),
        "have the method predict_proba",
    ),
    "auc of grades": (GRADES, make_group_scorer(roc_auc_score), "be a function for 3 classes"),
    "f1 of grades": (GRADES, make_group_scorer(f1_score), r"partial\(f1_score, average='macro'\)"),
    "ap of words": (WORDS, make_group_scorer(average_precision_score), "'pos_label' .* must be set"),
    "f1 of words": (WORDS, make_group_scorer(f1_score), "'pos_label' .* must be set"),
    "made by scikit-learn": (
        CLICKS,
        make_scorer(precision_at_k_score, k=5),
        r"Pass scoring=precision_at_k_scorer\(k=10\)",
    ),
    "several in a dict": (
        CLICKS,
        {"a": ranking_scorer(["ndcg", "map"])},
        r"contain scorers of one metric if it is a dict",
    ),
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_cross_validate_rejects_classifier_before_training(mistake):
    y, scoring, rule = MISTAKES[mistake]
    with pytest.raises(ValueError, match=rule):
        sklearn_rank.cross_validate(Untrainable(), X, y, groups=QID, scoring=scoring, cv=FOLDS)


def test_hard_votes_are_rejected_before_training():
    model = VotingClassifier([("a", Untrainable())])
    with pytest.raises(
        ValueError, match=r"decision_function or predict_proba\. Got VotingClassifier .* voting='soft'"
    ):
        cross_val_score(model, X, CLICKS, groups=QID, scoring="ndcg@5", cv=FOLDS)


VOTE = VotingClassifier([("a", Untrainable())])
AROUND_VOTES = {
    "pipeline": make_pipeline(StandardScaler(), VOTE),
    "search": GridSearchCV(VOTE, {}, cv=2),
    "own search": sklearn_rank.GridSearchCV(VOTE, {}, cv=2),
    "search in a pipeline": make_pipeline(StandardScaler(), GridSearchCV(VOTE, {}, cv=2)),
    "pipeline in a search": GridSearchCV(make_pipeline(StandardScaler(), VOTE), {}, cv=2),
}


@pytest.mark.parametrize("around", AROUND_VOTES)
def test_hard_votes_inside_a_model_are_rejected_before_training(around):
    with pytest.raises(ValueError, match=r"must have the method decision_function .* Pass voting='soft'"):
        cross_val_score(AROUND_VOTES[around], X, CLICKS, groups=QID, scoring="ndcg@5", cv=FOLDS)


def test_searches_that_choose_how_to_vote_are_trained():
    vote = VotingClassifier([("a", LogisticRegression())])
    search = GridSearchCV(vote, {"voting": ["soft"]}, cv=2)
    values = cross_val_score(search, X, CLICKS, groups=QID, scoring="ndcg@3", cv=FOLDS)
    assert np.isfinite(values).all()


@pytest.mark.parametrize("depth", [0, 1])
def test_scorer_of_a_search_in_a_pipeline_is_checked_before_training(depth):
    search = GridSearchCV(Untrainable(), {}, scoring=make_scorer(precision_at_k_score, k=5), cv=2)
    model = make_pipeline(StandardScaler(), search)
    model = make_pipeline(model) if depth else model
    with pytest.raises(ValueError, match=r"'scoring' .* must rank by scores.*=precision_at_k_scorer"):
        cross_val_score(model, X, CLICKS, groups=QID, scoring="ndcg@5", cv=FOLDS)


@pytest.mark.parametrize("positive", [0, 1])
def test_regressors_take_no_class(positive):
    with pytest.raises(ValueError, match=r"'pos_label' .* be None unless the model is a classifier"):
        cross_val_score(Ridge(), X, CLICKS, groups=QID, scoring=ndcg_scorer(pos_label=positive), cv=FOLDS)


def test_group_scorer_rejects_metrics_of_this_package():
    with pytest.raises(ValueError, match=r"'score_func' .* Pass scoring=group_auc_scorer\(\)"):
        make_group_scorer(group_auc_score)


@pytest.mark.parametrize(("name", "fix"), [("needs_proba", '"predict_proba"'), ("needs_threshold", '"auto"')])
def test_group_scorer_rejects_arguments_of_earlier_scikit_learn(name, fix):
    with pytest.raises(TypeError, match=f"unexpected keyword argument '{name}'. Pass response_method={fix}"):
        make_group_scorer(roc_auc_score, **{name: True})


def test_group_scorer_of_log_loss_gets_probabilities():
    model = LogisticRegression().fit(X, CLICKS)
    expected = group_score(log_loss, CLICKS, model.predict_proba(X)[:, 1], groups=QID, labels=[0, 1])
    assert make_group_scorer(log_loss, labels=[0, 1])(model, X, CLICKS, groups=QID) == pytest.approx(expected)


# ------------------------------------------------------------------ reports and classes


def test_report_ranks_by_the_given_class():
    report = cross_val_report(
        LogisticRegression(), X, WORDS, groups=QID, scoring=["map"], cv=FOLDS, pos_label="bought"
    )
    scores = np.empty(120)
    for train, test in FOLDS:
        scores[test] = LogisticRegression().fit(X[train], WORDS[train]).predict_proba(X[test])[:, 0]
    expected = ranking_scores(WORDS == "bought", scores, groups=QID, metrics=["map"])
    assert report.mean["map"] == pytest.approx(expected["map"])


CLASSES = LogisticRegression().fit(X[QID > 8], CLICKS[QID > 8]).predict(X)


@pytest.mark.parametrize("kind", [int, bool, np.int8])
def test_metrics_warn_of_predicted_classes(kind):
    with pytest.warns(RankingWarning, match="scores look like classes that a classifier predicts"):
        ranking_scores(CLICKS, CLASSES.astype(kind), groups=QID, metrics=["map"])


@pytest.mark.parametrize("scores", [CLASSES.astype(float), CLICKS, CLASSES + 2, CLASSES * np.arange(120)])
def test_metrics_do_not_warn_of_other_scores(scores):
    ranking_scores(CLICKS, scores, groups=QID, metrics=["map"])


def test_scorer_warns_once_if_predict_is_requested():
    model = LogisticRegression().fit(X, CLICKS)
    with pytest.warns(RankingWarning, match="LogisticRegression.predict returns classes") as shown:
        ndcg_scorer(response_method="predict")(model, X, CLICKS, groups=QID)
    assert len(shown) == 1


def test_cross_val_predict_warns_of_classes():
    with pytest.warns(RankingWarning, match="LogisticRegression.predict returns classes"):
        cross_val_predict(LogisticRegression(), X, CLICKS, groups=QID, cv=FOLDS)
    cross_val_predict(LogisticRegression(), X, CLICKS, groups=QID, cv=FOLDS, method="predict_proba")
    cross_val_predict(Ridge(), X, CLICKS, groups=QID, cv=FOLDS)


def test_scorer_of_a_class_rejects_predict():
    model = LogisticRegression().fit(X, CLICKS)
    scorer = ndcg_scorer(response_method="predict", pos_label=1)
    with pytest.raises(ValueError, match=r"must be 'auto' with pos_label\. Got 'predict' instead"):
        scorer(model, X, CLICKS, groups=QID)


def test_group_scorer_finds_the_response_of_a_partial_function():
    model = LogisticRegression().fit(X, GRADES)
    macro = partial(f1_score, average="macro")
    expected = group_score(macro, GRADES, model.predict(X), groups=QID)
    assert make_group_scorer(macro)(model, X, GRADES, groups=QID) == expected


def test_scorer_accepts_stacks_in_pipelines_before_training():
    stack = StackingClassifier([("tree", DecisionTreeClassifier(random_state=0))], cv=2)
    model = make_pipeline(StandardScaler(), stack)
    values = cross_val_score(model, X, CLICKS, groups=QID, cv=FOLDS, scoring="ndcg@3")
    assert np.isfinite(values).all()
