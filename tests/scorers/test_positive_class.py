"""Functions of scikit-learn with a positive class: any two classes, and queries that lack one."""

from functools import partial

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import average_precision_score, brier_score_loss, hinge_loss

from sklearn_rank import (
    GridSearchCV,
    RankingWarning,
    cross_val_report,
    cross_val_score,
    group_score,
    make_group_scorer,
    map_scorer,
    permutation_importance,
)

FUNCTIONS = [average_precision_score, brier_score_loss]
CLASSES = [(0, 1), (1, 2), (0, 2), (-1, 1), (2, 10), ("a", "b"), (False, True)]
RANDOM = np.random.default_rng(0)
X, QUERIES = RANDOM.normal(size=(200, 2)), np.arange(200) % 20
IS_SECOND = (X[:, 0] + RANDOM.normal(size=200) > 0.3) & (QUERIES > 2)  # three queries have one class


def fit(classes):
    """Return a classifier of the second class, and the labels."""
    y = np.where(IS_SECOND, classes[1], classes[0])
    return LogisticRegression().fit(X, y), y


def average_queries(score_func, model, positive, y):
    """Return the mean over queries of a function of the positive class, and of the probability of it."""
    odds, hits = model.predict_proba(X)[:, list(model.classes_).index(positive)], y == positive
    queries = [np.flatnonzero(query == QUERIES) for query in np.unique(QUERIES)]
    known = [rows for rows in queries if score_func is brier_score_loss or hits[rows].any()]
    return np.mean([score_func(hits[rows], odds[rows]) for rows in known])


@pytest.mark.parametrize("classes", CLASSES, ids=str)
@pytest.mark.parametrize("place", [0, 1])
@pytest.mark.parametrize("score_func", FUNCTIONS)
def test_scorer_takes_scores_of_the_positive_class(score_func, place, classes):
    model, y = fit(classes)
    scorer = make_group_scorer(score_func, pos_label=classes[place])
    expected = average_queries(score_func, model, classes[place], y)
    assert scorer(model, X, y, groups=QUERIES) == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("classes", CLASSES, ids=str)
@pytest.mark.parametrize("options", [{}, {"response_method": "predict_proba"}], ids=str)
@pytest.mark.parametrize("score_func", FUNCTIONS)
def test_scorer_without_a_positive_class_takes_the_second_one_or_raises(score_func, options, classes):
    model, y = fit(classes)
    scorer = make_group_scorer(score_func, **options)
    try:
        found = scorer(model, X, y, groups=QUERIES)
    except ValueError as error:
        assert "pos_label" in str(error)
        assert classes not in [(0, 1), (-1, 1), (False, True)]
    else:
        assert found == pytest.approx(average_queries(score_func, model, classes[1], y), rel=1e-12)


@pytest.mark.parametrize("classes", CLASSES, ids=str)
@pytest.mark.parametrize("score_func", FUNCTIONS)
def test_scorer_rejects_the_first_class_in_a_partial(score_func, classes):
    model, y = fit(classes)
    fix = rf"Pass make_group_scorer\({score_func.__name__}, pos_label={classes[0]!r}\)\."
    with pytest.raises(ValueError, match=rf"'pos_label' parameter of .* must be set, because .* {fix}"):
        make_group_scorer(partial(score_func, pos_label=classes[0]))(model, X, y, groups=QUERIES)


@pytest.mark.parametrize("classes", [each for each in CLASSES if each != ("a", "b")], ids=str)
def test_losses_of_queries_with_one_class_are_those_of_the_class(classes):
    y, odds = np.where([0, 1, 0, 1], classes[1], classes[0]), [0.2, 0.9, 0.1, 0.5]
    options = {"groups": [0, 0, 1, 2], "average": None}
    brier = group_score(brier_score_loss, y, odds, **options)
    np.testing.assert_allclose(brier, [(0.2**2 + 0.1**2) / 2, 0.1**2, 0.5**2], rtol=1e-12)
    hinge = group_score(hinge_loss, y, [-2, 0.5, -1, 2], **options)
    np.testing.assert_allclose(hinge, [(0 + 0.5) / 2, 0, 0], rtol=1e-12)


class Unknown(BaseEstimator, ClassifierMixin):
    """A classifier whose mixin comes last, so scikit-learn does not know its kind."""

    def fit(self, X, y):
        """Fit a classifier."""
        self.model_ = LogisticRegression().fit(X, y)
        self.classes_ = self.model_.classes_
        return self

    def predict(self, X):
        """Return classes."""
        return self.model_.predict(X)

    def predict_proba(self, X):
        """Return probabilities."""
        return self.model_.predict_proba(X)


DATA = (X, IS_SECOND.astype(int))
CALLS = {
    "cross_val_score": lambda: cross_val_score(Unknown(), *DATA, groups=QUERIES, scoring="map", cv=3),
    "cross_val_report": lambda: cross_val_report(Unknown(), *DATA, groups=QUERIES, scoring=["map"], cv=3),
    "search": lambda: GridSearchCV(Unknown(), {}, scoring="map", cv=3).fit(*DATA, groups=QUERIES),
    "permutation_importance": lambda: permutation_importance(
        Unknown().fit(*DATA), *DATA, groups=QUERIES, scoring="map"
    ),
    "scorer": lambda: map_scorer()(Unknown().fit(*DATA), *DATA, groups=QUERIES),
}


@pytest.mark.parametrize("call", CALLS)
@pytest.mark.filterwarnings("ignore:.*scores look like classes")
def test_model_with_probabilities_that_is_no_classifier_gives_one_warning(call):
    with pytest.warns(RankingWarning, match="Unknown has predict_proba, but scikit-learn finds") as warned:
        CALLS[call]()
    assert sum("has predict_proba" in str(each.message) for each in warned) == 1
