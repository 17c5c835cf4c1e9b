"""Values logged at the best iteration: equal to the scorer for every option of every metric."""

import numpy as np
import pytest

import sklearn_rank.rankers
from sklearn_rank.datasets import make_ranking
from tests.helpers.rankers import LIBRARIES, best
from tests.helpers.table import METRICS

X, Y, GROUPS = make_ranking(n_queries=40, n_documents=(4, 12), n_features=5, shuffle=True, random_state=0)
Y = np.where(GROUPS % 9 == 4, 0, Y).astype(float)  # queries without a relevant document
Y[GROUPS % 9 == 5] = 3  # queries whose documents are all relevant
UNJUDGED = np.where(np.random.default_rng(0).random(len(Y)) < 0.25, np.nan, Y)
HELD_OUT = GROUPS % 3 == 0

# Values of each option of the metric functions other than the default; a metric uses those that it accepts.
VALUES = {
    "k": [1, 3, None],
    "gain": ["linear", "exponential", [0, 1, 2, 9, 20], np.sqrt],
    "discount": ["log2", "reciprocal", None, np.sqrt],
    "min_relevance": [2, 3],
    "denominator": ["achievable", "relevant", "hits"],
    "signed": [True],
    "adaptive_k": [True],
    "multiple": [0.5, 2.0],
    "max_grade": [4],
    "p": [0.5],
    "ideal": ["full"],
    "beta": [2.0],
    "max_fpr": [0.25],
    "desired_gain": [2.0],
    "prior_precision": [0.2],
    "weighted_by": ["rows", "relevant"],
    "ties": ["average", "order", "best", "worst"],
    "unjudged": ["nonrelevant", "drop", "mean", "median"],
    "zero_division": [0.0, 1.0, np.nan],
    "average": ["macro", "micro", "weighted", "geometric"],
    "missed": [{query: [1, 0, 3] for query in range(0, 40, 2)}],
}
EXHAUSTIVE = pytest.mark.parametrize(
    "name",
    ["LGBMRanker", *(pytest.param(name, marks=pytest.mark.slow) for name in ("XGBRanker", "CatBoostRanker"))],
)
NOT_OPTIONS = ("y_true", "y_score", "groups", "strata", "sample_weight")


def list_scorers(stem):
    """List scorers of a metric, each with one option other than the default."""
    metric = METRICS[stem]
    needed = {"k": 3} if metric.cutoff == "required" else {}
    unjudged = {"unjudged": "nonrelevant"} if "unjudged" in metric.defaults else {}
    scorers = {}
    for option in [name for name in metric.defaults if name not in NOT_OPTIONS]:
        for value in VALUES[option]:  # add new options to VALUES
            given = needed | unjudged | {option: value}
            if option == "weighted_by":
                given["average"] = "weighted"
            if option == "ideal":
                given["k"] = 3
            try:
                scorer = metric.factory(**given)
                scorer.score_rows(Y, -Y, groups=GROUPS)
            except ValueError:  # the metric does not accept the value
                continue
            scorers[scorer.describe()] = scorer
    assert len(scorers) > 1
    return list(scorers.values())


def stopping(name, metrics, **options):
    """Return a ranker of few trees that stops by metrics, as many as its library takes."""
    pytest.importorskip(LIBRARIES[name])
    shared = {
        "LGBMRanker": {"n_estimators": 4, "min_child_samples": 2, "verbose": -1, "n_jobs": 1},
        "XGBRanker": {"n_estimators": 4, "max_depth": 3, "n_jobs": 1},
        "CatBoostRanker": {
            "iterations": 4,
            "depth": 3,
            "learning_rate": 0.5,
            "verbose": False,
            "allow_writing_files": False,
            "thread_count": 1,
        },
    }[name]
    waits = "early_stopping_round" if name == "LGBMRanker" else "early_stopping_rounds"
    metrics = metrics if name == "LGBMRanker" else metrics[0]
    given = shared | {waits: 4, "eval_metric": metrics} | options
    return getattr(sklearn_rank.rankers, name)(**given)


def check_logged(model, scorers, rows, labels, **weights):
    """Check what is logged at the best iteration against scorers that score the model."""
    for scorer in scorers:
        values, i = best(model, scorer)
        expected = scorer(model, X[rows], labels[rows], groups=GROUPS[rows], **weights)
        assert values[i] == pytest.approx(expected, rel=1e-6, abs=1e-12), scorer


def list_batches(name, scorers):
    """Return scorers together where a library takes several, else one by one."""
    return [scorers] if name == "LGBMRanker" else [[scorer] for scorer in scorers]


@pytest.mark.filterwarnings("ignore::sklearn_rank.RankingWarning")  # some options are uninformative
@pytest.mark.parametrize("stem", METRICS)
@EXHAUSTIVE
def test_logged_value_equals_the_scorer_on_held_out_queries(name, stem):
    for scorers in list_batches(name, list_scorers(stem)):
        model = stopping(name, scorers, validation_fraction=0.4).fit(X, UNJUDGED, groups=GROUPS)
        check_logged(model, scorers, np.isin(GROUPS, model.validation_groups_), UNJUDGED)


@pytest.mark.filterwarnings("ignore::sklearn_rank.RankingWarning")
@pytest.mark.parametrize("stem", METRICS)
@EXHAUSTIVE
def test_logged_value_equals_the_scorer_on_an_evaluation_set(name, stem):
    sets = {"eval_X": (X[HELD_OUT],), "eval_y": (UNJUDGED[HELD_OUT],), "eval_groups": [GROUPS[HELD_OUT]]}
    for scorers in list_batches(name, list_scorers(stem)):
        model = stopping(name, scorers)
        model.fit(X[~HELD_OUT], UNJUDGED[~HELD_OUT], groups=GROUPS[~HELD_OUT], **sets)
        check_logged(model, scorers, HELD_OUT, UNJUDGED)


@pytest.mark.filterwarnings("ignore::sklearn_rank.RankingWarning")
@pytest.mark.parametrize(
    "ids", [GROUPS + 1000, np.array([f"q{code}" for code in GROUPS])], ids=["int", "text"]
)
@EXHAUSTIVE
def test_held_out_queries_look_up_missed_labels_by_id(name, ids):
    scorer = sklearn_rank.ndcg_scorer(k=3, missed={query: [3, 3] for query in np.unique(ids).tolist()})
    model = stopping(name, [scorer], validation_fraction=0.4).fit(X, Y, groups=ids)
    rows = np.isin(ids, model.validation_groups_)
    values, i = best(model, scorer)
    expected = scorer(model, X[rows], Y[rows], groups=ids[rows])
    assert values[i] == pytest.approx(expected, rel=1e-6)
    assert expected < sklearn_rank.ndcg_scorer(k=3)(model, X[rows], Y[rows], groups=ids[rows])
