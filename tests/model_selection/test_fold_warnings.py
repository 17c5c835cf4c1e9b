"""Warnings about labels of folds: one per call, before training, with the numbers of the folds."""

import warnings

import numpy as np
import pytest
from sklearn.linear_model import Ridge
from sklearn.model_selection import LeaveOneGroupOut

from sklearn_rank import (
    GridSearchCV,
    RankingWarning,
    cross_val_report,
    cross_val_score,
    cross_validate,
    learning_curve,
    map_scorer,
    ndcg_scorer,
    permutation_test_score,
    recall_at_k_scorer,
    validation_curve,
)
from sklearn_rank.model_selection import HalvingGridSearchCV

N_QUERIES = 20
X = np.random.default_rng(0).standard_normal((4 * N_QUERIES, 3))
GROUPS = np.repeat(np.arange(N_QUERIES), 4)
Y = np.tile([0, 1, 0, 2], N_QUERIES)
CV = [(np.flatnonzero(fold != GROUPS % 5), np.flatnonzero(fold == GROUPS % 5)) for fold in range(5)]
GRID = {"alpha": np.arange(1, 11)}
NOTHING = r"no document is relevant in the test sets of folds 0, 2 of 5 \(every label is 0\).*check_folds"
CALLS = {
    "cross_val_score": lambda y, **given: cross_val_score(Ridge(), X, y, **given),
    "cross_validate": lambda y, **given: cross_validate(Ridge(), X, y, return_train_score=True, **given),
    "validation_curve": lambda y, **given: validation_curve(
        Ridge(), X, y, param_name="alpha", param_range=[1, 2], **given
    ),
    "learning_curve": lambda y, **given: learning_curve(Ridge(), X, y, **given),
    "permutation_test_score": lambda y, **given: permutation_test_score(
        Ridge(), X, y, n_permutations=3, **given
    ),
    "GridSearchCV": lambda y, groups, **given: GridSearchCV(Ridge(), GRID, **given).fit(X, y, groups=groups),
    "HalvingGridSearchCV": lambda y, groups, **given: HalvingGridSearchCV(Ridge(), GRID, **given).fit(
        X, y, groups=groups
    ),
}


def list_warnings(call):
    """Return the messages that a call gives."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        call()
    return [str(each.message) for each in caught]


def without_relevant(*folds):
    """Return labels that are 0 in some folds."""
    return np.where(np.isin(GROUPS % 5, folds), 0, Y)


@pytest.mark.parametrize("n_jobs", [None, 2])
@pytest.mark.parametrize("function", CALLS)
def test_call_warns_once_about_folds_without_a_relevant_document(function, n_jobs, routing):
    y = without_relevant(0, 2)
    with pytest.warns(RankingWarning, match=rf"^{function}(\.fit)?: {NOTHING}") as caught:
        CALLS[function](y, groups=GROUPS, scoring=map_scorer(k=2), cv=CV, n_jobs=n_jobs)
    assert len(caught) == 1
    assert caught[0].filename == __file__


def test_cross_val_report_warns_once_about_folds_without_relevant():
    with pytest.warns(RankingWarning, match=f"^cross_val_report: {NOTHING}") as caught:
        cross_val_report(Ridge(), X, without_relevant(0, 2), groups=GROUPS, scoring=["map", "ndcg"], cv=CV)
    assert len(caught) == 1


@pytest.mark.parametrize("keep_queries", [False, True])
def test_search_that_keeps_queries_warns_once(keep_queries):
    search = GridSearchCV(Ridge(), GRID, scoring="map", cv=CV, keep_queries=keep_queries)
    found = list_warnings(lambda: search.fit(X, without_relevant(1), groups=GROUPS))
    assert len(found) == 1
    assert "in the test set of fold 1 of 5" in found[0]


def test_fold_warning_uses_min_relevance_of_the_scorer():
    options = {"groups": GROUPS, "cv": CV}
    y = np.where(GROUPS % 5 == 3, np.minimum(Y, 1), Y)
    assert list_warnings(lambda: cross_val_score(Ridge(), X, y, scoring=map_scorer(), **options)) == []
    with pytest.warns(RankingWarning, match=r"fold 3 of 5 \(no label is at least min_relevance=2\)"):
        cross_val_score(Ridge(), X, y, scoring=map_scorer(min_relevance=2), **options)
    with pytest.warns(RankingWarning, match=r"all 5 folds \(no label is .*Pass a lower threshold, .*=2\."):
        cross_val_score(Ridge(), X, y, scoring=map_scorer(min_relevance=3), **options)


def test_fold_warning_names_the_metrics_it_concerns():
    scoring = {"a": map_scorer(min_relevance=3), "b": ndcg_scorer(), "c": "neg_mean_squared_error"}
    with pytest.warns(RankingWarning, match=r"^cross_validate \(map\): no document is relevant") as caught:
        cross_validate(Ridge(), X, Y, groups=GROUPS, cv=CV, scoring=scoring)
    assert len(caught) == 1


@pytest.mark.parametrize(
    ("y", "scoring", "said"),
    [
        (
            np.where(GROUPS % 5 == 1, Y + 1, Y),
            "map",
            r"all documents are relevant in the test set of fold 1 of 5 \(",
        ),
        (
            np.where(GROUPS % 5 > 1, GROUPS + 1, Y),
            "ndcg",
            "equally relevant in the test sets of folds 2, 3, 4 of",
        ),
        (np.ones(len(Y)), "ndcg", "equally relevant in the test sets of all 5 folds,"),
        (Y, recall_at_k_scorer(k=4), "no query in the test sets of all 5 folds has more documents than k=4"),
    ],
    ids=["all", "equal", "log", "short"],
)
def test_search_warnings_about_labels_name_their_folds(y, scoring, said):
    search = GridSearchCV(Ridge(), GRID, scoring=scoring, cv=CV)
    with pytest.warns(RankingWarning, match=f"^GridSearchCV.*{said}") as caught:
        search.fit(X, y, groups=GROUPS)
    assert len(caught) == 1


def test_fold_warning_counts_queries_of_one_document_over_folds():
    groups = np.where(np.isin(GROUPS % 5, [0, 1]), np.arange(len(Y)) * 5 + GROUPS % 5, GROUPS)
    with pytest.warns(RankingWarning, match="32 of 32 queries in the test sets of folds 0, 1 of 5 have one"):
        cross_val_score(Ridge(), X, Y, groups=groups, scoring="ndcg", cv=CV)


def test_fold_warning_shortens_a_long_list_of_folds():
    y = np.where(GROUPS < 12, 0, Y)
    with pytest.warns(RankingWarning, match=r"of folds 0, 1, 2, 3, 4, 5, 6, 7, \.\.\. of 20 \(every"):
        cross_val_score(Ridge(), X, y, groups=GROUPS, scoring="ndcg", cv=LeaveOneGroupOut())


def test_cross_val_score_warns_once_about_folds_that_cut_queries():
    cv = [(np.arange(10, 80), np.arange(10)), CV[1], (np.arange(70), np.arange(70, 80))]
    with pytest.warns(UserWarning, match="cuts queries: in folds 0, 2 of 3, 2 of 6 test queries") as caught:
        cross_val_score(Ridge(), X, Y, groups=GROUPS, scoring="ndcg", cv=cv)
    assert len(caught) == 1


def test_search_scorer_warns_again_when_called_after_fit():
    search = GridSearchCV(Ridge(), GRID, scoring="map", cv=CV).fit(X, Y, groups=GROUPS)
    for call in (
        search.score,
        lambda *rows, groups: search.scorer_(search.best_estimator_, *rows, groups=groups),
    ):
        with pytest.warns(RankingWarning, match="no document is relevant in any query"):
            call(X, np.zeros(len(Y)), groups=GROUPS)


def test_cross_val_score_accepts_labels_of_two_columns():
    many = np.column_stack([Y, Y])
    assert len(cross_val_score(Ridge(), X, many, groups=GROUPS, scoring="r2", cv=CV)) == 5


class LastTestIsEmpty:
    """A splitter of a user whose last fold has no test set."""

    def get_n_splits(self, X=None, y=None, groups=None):
        return 2

    def split(self, X, y=None, groups=None):
        rows = np.arange(len(X))
        yield from [(rows[8:], rows[:8]), (rows, rows[:0])]


@pytest.mark.parametrize("function", CALLS)
def test_call_names_the_fold_with_an_empty_test_set(function):
    rule = f"'cv' parameter of {function} must have rows in each test set. Got none in fold 1 of 2"
    with pytest.raises(ValueError, match=rule):
        CALLS[function](Y, groups=GROUPS, scoring=map_scorer(k=2), cv=LastTestIsEmpty())


@pytest.mark.filterwarnings("ignore:.*")
def test_inner_search_names_the_fold_with_an_empty_test_set():
    search = GridSearchCV(Ridge(), GRID, scoring="map", cv=LastTestIsEmpty())
    with pytest.raises(ValueError, match=r"'cv' parameter of GridSearchCV must .* none in fold 1 of 2"):
        cross_val_score(search, X, Y, groups=GROUPS, cv=CV, error_score="raise")


def test_empty_test_set_gives_nan_for_scorers_of_scikit_learn():
    with pytest.warns(UserWarning, match="Scoring failed"):
        values = cross_val_score(Ridge(), X, Y, groups=GROUPS, cv=LastTestIsEmpty(), scoring="r2")
    assert np.isnan(values).tolist() == [False, True]
