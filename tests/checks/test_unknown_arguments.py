"""Errors about arguments of functions and constructors that have another name elsewhere."""

import pytest
from sklearn.linear_model import LogisticRegression, Ridge

import sklearn_rank as sr
from sklearn_rank._checks import explain_parameters
from sklearn_rank.datasets import make_ranking
from sklearn_rank.model_selection import WithinGroupKFold
from sklearn_rank.rankers import PairwiseRanker
from sklearn_rank.reports import compare

X, Y, QID = make_ranking(n_queries=20, random_state=0)
SCORES = X[:, 0]


def fit_search():
    return sr.GridSearchCV(Ridge(), {"alpha": [1, 2]}, scoring="ndcg@10").fit(X, Y, groups=QID)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: sr.ndcg_score(Y, SCORES, qid=QID),
            "ndcg_score has no parameter 'qid'. Pass groups=qid, the query id of each row.",
        ),
        (
            lambda: sr.ndcg_score(Y, y_pred=SCORES),
            "ndcg_score has no parameter 'y_pred'. Pass y_score=scores.",
        ),
        (lambda: sr.ndcg_score(Y, SCORES, top=5), "ndcg_score has no parameter 'top'. Pass k=10."),
        (lambda: sr.metrics.map_curve(Y, SCORES, k=5), "map_curve has no parameter 'k'. Pass max_k=10."),
        (lambda: sr.ndcg_scorer(topk=5), "ndcg_scorer has no parameter 'topk'. Pass k=10."),
        (
            lambda: sr.ndcg_scorer(qid=QID),
            "ndcg_scorer has no parameter 'qid'. Pass the query ids to the function that uses the scorer: "
            "cross_val_score(..., groups=qid).",
        ),
        (
            lambda: sr.evaluate(Y, SCORES, groups=QID, metric="map"),
            "evaluate has no parameter 'metric'. Pass metrics=[\"ndcg@10\"].",
        ),
        (
            lambda: sr.cross_val_report(Ridge(), X, Y, groups=QID, metrics="map"),
            "cross_val_report has no parameter 'metrics'. Pass scoring=\"ndcg@10\".",
        ),
        (
            lambda: sr.cross_val_score(Ridge(), X, Y, groups=QID, metrics="map"),
            "cross_val_score has no parameter 'metrics'. Pass scoring=\"ndcg@10\".",
        ),
        (
            lambda: sr.learning_curve(Ridge(), X, Y, groups=QID, sizes=[3]),
            "learning_curve() got an unexpected keyword argument 'sizes'. "
            "Did you mean 'train_sizes' or 'times'?",
        ),
        (lambda: compare({}, alpha=0.1), "compare has no parameter 'alpha'. Pass confidence_level=0.95."),
        (lambda: compare({}, qid=QID), "compare() got an unexpected keyword argument 'qid'."),
        (
            lambda: WithinGroupKFold(n_folds=3),
            "WithinGroupKFold has no parameter 'n_folds'. Pass n_splits=5.",
        ),
        (
            lambda: sr.GridSearchCV(Ridge(), {}, metric="map"),
            "GridSearchCV has no parameter 'metric'. Pass scoring=\"ndcg@10\".",
        ),
        (
            lambda: sr.GridSearchCV(Ridge(), {}, qid=QID),
            "GridSearchCV() got an unexpected keyword argument 'qid'.",
        ),
        (
            lambda: fit_search().report(0, alpha=0.1),
            "GridSearchCV.report has no parameter 'alpha'. Pass confidence_level=0.95.",
        ),
    ],
)
def test_unknown_argument_suggests_the_right_one(call, message):
    with pytest.raises(TypeError) as error:
        call()
    assert str(error.value) == message


@pytest.mark.parametrize(
    "call",
    [
        lambda: sr.ndcg_score(Y, SCORES, QID),
        lambda: sr.evaluate(Y, SCORES, QID),
        lambda: sr.evaluate(*sr.from_run({"q": {"d": 1}}, {"q": {"d": 1.0}})),
    ],
)
def test_third_positional_argument_raises_error_that_names_groups(call):
    message = r"takes 2 positional arguments but \d were given\. Pass arguments after y_score by name, for "
    with pytest.raises(TypeError, match=message + r"example groups=qid\.$"):
        call()


def test_missing_argument_raises_python_error():
    with pytest.raises(TypeError, match=r"^ndcg_score\(\) missing 1 required positional argument"):
        sr.ndcg_score(Y, groups=QID)
    with pytest.raises(TypeError, match=r"^ndcg_curve\(\) missing a required argument"):
        sr.metrics.ndcg_curve(Y, groups=QID)
    with pytest.raises(TypeError, match=r"^GridSearchCV\.__init__\(\) missing 1 required"):
        sr.GridSearchCV(Ridge())
    with pytest.raises(TypeError, match=r"^report has no parameter 'alpha'"):
        sr.GridSearchCV.report(alpha=0.1)


def test_ranker_explains_unknown_arguments_of_its_methods():
    model = PairwiseRanker(LogisticRegression()).fit(X, Y, groups=QID)
    expected = {
        "qid": "PairwiseRanker.predict has no parameter 'qid', because it scores each row separately. Call "
        "PairwiseRanker.predict(X).",
        "other": "PairwiseRanker.predict() got an unexpected keyword argument 'other'.",
    }
    for name, message in expected.items():
        with pytest.raises(TypeError) as error:
            model.predict(X, **{name: QID})
        assert str(error.value) == message
    with pytest.raises(TypeError, match=r"'estimator'\. Pass it to the constructor"):
        model.fit(X, Y, groups=QID, estimator=Ridge())
    with pytest.raises(TypeError, match=r"^PairwiseRanker\.fit\(\) got an unexpected keyword .* 'other'\.$"):
        model.fit(X, Y, groups=QID, other=1)


def test_methods_that_accept_any_argument_leave_errors_to_others():
    @explain_parameters
    def predict(self, X, **params):
        return params

    assert predict(Ridge(), X, other=1) == {"other": 1}
    with pytest.raises(TypeError, match="has no parameter 'qid'"):
        predict(Ridge(), X, qid=QID)


@pytest.mark.parametrize(
    ("call", "fix"),
    [
        (lambda: sr.ranking_scores(Y, SCORES, "map", groups=QID), 'for example metrics=["ndcg@10"].'),
        (lambda: sr.precision_at_k_score(Y, SCORES, 5, groups=QID), "for example k=10."),
        (lambda: sr.metrics.ranks(SCORES, Y, groups=QID), "Pass arguments after y_score by name."),
        (lambda: compare("a", "b"), 'Pass compare({"name_a": report_a, "name_b": report_b}).'),
        (lambda: sr.RankingEvaluator(["map"], k=3), "has no parameter 'k'. Pass metrics=[\"ndcg@10\"]."),
    ],
)
def test_positional_argument_error_names_parameter_not_yet_passed(call, fix):
    with pytest.raises(TypeError) as error:
        call()
    assert str(error.value).endswith(fix)
