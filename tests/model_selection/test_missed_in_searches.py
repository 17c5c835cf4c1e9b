"""Labels of documents that are not rows, in cross-validation, searches and permutation importance."""

import pickle

import numpy as np
import pytest
import sklearn.model_selection
from sklearn import config_context
from sklearn.linear_model import Ridge

import sklearn_rank as sr
from sklearn_rank.datasets import make_ranking
from sklearn_rank.metrics import Missed

X, Y, CODES = make_ranking(n_queries=30, n_documents=12, shuffle=True, random_state=0)
QID = np.array([f"q{code:02d}" for code in CODES])
ROWS = np.random.default_rng(0).random(len(Y)) < 0.6  # the documents that a first stage retrieved
MISSED = Missed(QID[~ROWS], Y[~ROWS])
XR, YR, QR = X[ROWS], Y[ROWS], QID[ROWS]
CV = sr.BalancedGroupKFold(3)


def expect(k=10):
    """Compute the scores of the folds by hand: models of the rows, all documents in the metric."""
    values = []
    for train, test in CV.split(XR, YR, QR):
        model = Ridge().fit(XR[train], YR[train])
        lost = ~ROWS & np.isin(QID, QR[test])
        labels = np.concatenate((YR[test], Y[lost]))
        scores = np.concatenate((model.predict(XR[test]), np.full(lost.sum(), -np.inf)))
        values.append(sr.ndcg_score(labels, scores, groups=np.concatenate((QR[test], QID[lost])), k=k))
    return values


@pytest.mark.parametrize("n_jobs", [None, 2])
def test_cross_val_score_counts_missed_documents(n_jobs):
    scorer = sr.ndcg_scorer(k=10, missed=MISSED)
    found = sr.cross_val_score(Ridge(), XR, YR, scoring=scorer, groups=QR, cv=CV, n_jobs=n_jobs)
    assert found.tolist() == expect()


def test_missed_scorer_works_after_pickling():
    scorer = pickle.loads(pickle.dumps(sr.ndcg_scorer(k=10, missed=MISSED)))
    found = sr.cross_val_score(Ridge(), XR, YR, scoring=scorer, groups=QR, cv=CV)
    assert found.tolist() == expect()


def test_scikit_learns_cross_val_score_counts_missed_documents_with_routing():
    with config_context(enable_metadata_routing=True):
        found = sklearn.model_selection.cross_val_score(
            Ridge(), XR, YR, scoring=sr.ndcg_scorer(k=10, missed=MISSED), params={"groups": QR}, cv=CV
        )
    assert found.tolist() == expect()


@pytest.mark.parametrize("keep_queries", [False, True])
def test_grid_search_counts_missed_documents(keep_queries):
    scorer = sr.ndcg_scorer(k=10, missed=MISSED)
    search = sr.GridSearchCV(Ridge(), {"alpha": [1.0]}, scoring=scorer, cv=CV, keep_queries=keep_queries)
    search.fit(XR, YR, groups=QR)
    assert search.cv_results_["mean_test_score"].tolist() == [pytest.approx(np.mean(expect()), rel=1e-15)]
    if keep_queries:
        assert (
            search.report(0).mean["ndcg@10"]
            < sr.cross_val_report(Ridge(), XR, YR, groups=QR, scoring=["ndcg@10"], cv=CV).mean["ndcg@10"]
        )


def test_cross_val_report_counts_missed_documents():
    report = sr.cross_val_report(Ridge(), XR, YR, groups=QR, scoring=["ndcg@10"], cv=CV, missed=MISSED)
    sizes = [len(np.unique(QR[test])) for _, test in CV.split(XR, YR, QR)]
    assert report.mean["ndcg@10"] == pytest.approx(np.average(expect(), weights=sizes), rel=1e-14)


def test_cross_val_score_raises_when_no_query_of_missed_has_rows():
    scorer = sr.ndcg_scorer(k=10, missed={"other": [1.0]})
    with pytest.raises(ValueError, match="must have query ids of 'groups'"):
        sr.cross_val_score(Ridge(), XR, YR, scoring=scorer, groups=QR, cv=CV)


def test_permutation_importance_counts_missed_documents_of_text_ids():
    model, scorer = Ridge().fit(XR, YR), sr.ndcg_scorer(k=10, missed=MISSED)
    found = sr.permutation_importance(model, XR, YR, groups=QR, scoring=scorer, n_repeats=2, random_state=0)
    plain = sr.permutation_importance(
        model, XR, YR, groups=QR, scoring=sr.ndcg_scorer(k=10), n_repeats=2, random_state=0
    )
    assert found.importances.shape == plain.importances.shape
    assert not np.allclose(found.importances, plain.importances)


def test_permutation_importance_raises_when_no_query_of_missed_has_rows():
    scorer = sr.ndcg_scorer(k=10, missed={"other": [1.0]})
    with pytest.raises(ValueError, match="'missed' parameter of permutation_importance must have query ids"):
        sr.permutation_importance(Ridge().fit(XR, YR), XR, YR, groups=QR, scoring=scorer)


def test_fit_of_a_search_shows_the_scorer_that_takes_missed():
    search = sr.GridSearchCV(Ridge(), {"alpha": [1.0]}, scoring="ndcg@10", cv=CV)
    with pytest.raises(
        ValueError, match=r"Got 'missed' instead. Pass the labels to the scorer: scoring=ndcg"
    ):
        search.fit(XR, YR, groups=QR, missed=MISSED)


def test_fit_warns_about_scores_of_relevant_documents_that_were_not_retrieved():
    with_scores = np.column_stack([X, np.where(ROWS | (Y == 0), X[:, 0], -np.inf)])
    ranker = pytest.importorskip("sklearn_rank.rankers").LGBMRanker(n_estimators=2, verbose=-1)
    with pytest.warns(sr.RankingWarning, match="fit: a column of X is -inf in .* rows, all of"):
        ranker.fit(with_scores, Y, groups=QID)
    with pytest.warns(sr.RankingWarning, match="cross_val_score: a column of X is -inf"):
        sr.cross_val_score(ranker, with_scores, Y, scoring="ndcg@10", groups=QID, cv=CV)


def test_fit_does_not_warn_about_infinite_features_of_documents_that_are_not_relevant():
    with_gaps = np.column_stack([X, np.where(ROWS, X[:, 0], -np.inf)])
    ranker = pytest.importorskip("sklearn_rank.rankers").LGBMRanker(n_estimators=2, verbose=-1)
    ranker.fit(with_gaps, Y, groups=QID)  # warnings are errors
