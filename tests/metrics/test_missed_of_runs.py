"""Values with `missed` equal, to the last digit, those of all judged documents that `from_run` reads."""

import pickle

import numpy as np
import pytest
import sklearn.model_selection
from sklearn import config_context
from sklearn.base import BaseEstimator, RegressorMixin

import sklearn_rank as sr
from sklearn_rank.metrics import METRICS

pd = pytest.importorskip("pandas")

RNG = np.random.default_rng(0)
N_QUERIES, N_DOCUMENTS, DEPTH = 24, 40, 12
QRELS = {
    f"q{query:02d}": {
        f"d{document:02d}": int(grade)
        for document, grade in enumerate(RNG.integers(0, 4, N_DOCUMENTS) * RNG.integers(0, 2, N_DOCUMENTS))
        if RNG.random() < 0.6  # the others are not judged
    }
    for query in range(N_QUERIES)
}
RUN = pd.DataFrame(
    [
        {"qid": f"q{query:02d}", "docno": f"d{document:02d}", "score": float(DEPTH - rank)}
        for query in range(N_QUERIES)
        for rank, document in enumerate(RNG.permutation(N_DOCUMENTS)[:DEPTH])
    ]
)
*READ, DOCUMENTS, MISSED = sr.from_run(QRELS, RUN, queries="run", return_items=True, return_missed=True)
LABELS, _, QUERIES = READ
FRAME = pd.DataFrame({"qid": QUERIES, "docno": DOCUMENTS})
PREDICTED = RNG.normal(size=len(LABELS)).round(1)  # with some ties
ALL = dict(
    zip(("y_true", "y_score", "groups"), sr.from_run(QRELS, FRAME.assign(score=PREDICTED), queries="run"))
)
WEIGHT_OF = dict(zip(np.unique(QUERIES), RNG.random(N_QUERIES) + 0.5))
GIVEN = {"unjudged": "nonrelevant"}
PLAIN = [stem for stem, each in METRICS.items() if not each.needs and not each.uses_scores]
NAMES = [f"{stem}@5" if METRICS[stem].cutoff == "required" else stem for stem in PLAIN]
NAMES += [f"{stem}@{DEPTH}" for stem in PLAIN if METRICS[stem].cutoff != "none"]
OF_LIBRARIES = [
    "trec_eval:map",
    "trec_eval:ndcg_cut_10",
    "trec_eval:bpref",
    "lightgbm:ndcg@5",
    "recbole:mrr@5",
]
BY_MEAN = {
    "macro": NAMES,
    "weighted": NAMES,
    "micro": [name for name in NAMES if METRICS[name.partition("@")[0]].micro],
}


def shuffle(seed):
    """Return the rows of retrieved documents in another order, with their weights."""
    order = np.random.default_rng(seed).permutation(len(LABELS))
    return {"y_true": LABELS[order], "y_score": PREDICTED[order], "groups": QUERIES[order]}


def weigh(rows):
    """Return the weight of the query of each row."""
    return {"sample_weight": np.array([WEIGHT_OF[query] for query in rows["groups"]])}


def score(rows, names, **options):
    return sr.ranking_scores(**rows, metrics=names, **GIVEN, **options)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("average", BY_MEAN)
def test_means_with_missed_equal_those_of_all_judged_documents(average, weighted):
    names = BY_MEAN[average]
    expected = score(ALL, names, average=average, **(weigh(ALL) if weighted else {}))
    for rows in (shuffle(0), shuffle(1)):
        options = {"average": average, **(weigh(rows) if weighted else {})}
        for n_jobs in (None, 2):
            assert score(rows, names, missed=MISSED, n_jobs=n_jobs, **options) == expected


@pytest.mark.parametrize("n_jobs", [None, 2])
def test_values_of_queries_with_missed_equal_those_of_all_judged_documents(n_jobs):
    expected = score(ALL, NAMES, average=None)
    found = score(shuffle(0), NAMES, average=None, missed=MISSED, n_jobs=n_jobs)
    for name in NAMES:
        np.testing.assert_array_equal(found[name], expected[name], err_msg=name)


@pytest.mark.parametrize("average", [None, "macro"])
def test_metrics_of_libraries_with_missed_equal_those_of_all_judged_documents(average):
    frame = FRAME.assign(score=PREDICTED)  # the rows of a run are in the order that libraries use for ties
    *rows, missed = sr.from_run(QRELS, frame, queries="run", return_missed=True)
    given = dict(zip(("y_true", "y_score", "groups"), rows))
    expected = score(ALL, OF_LIBRARIES, average=average)
    for name, value in score(given, OF_LIBRARIES, average=average, missed=missed).items():
        np.testing.assert_array_equal(value, expected[name], err_msg=name)


@pytest.mark.parametrize("stem", PLAIN)
def test_functions_with_missed_equal_those_of_all_judged_documents(stem):
    metric = METRICS[stem]
    options = {"k": 7} if metric.cutoff == "required" else {}
    options |= GIVEN if "unjudged" in metric.defaults else {}
    expected = metric.function(**ALL, average=None, **options)
    found = metric.function(**shuffle(2), average=None, missed=MISSED, **options)
    rounding = 1e-15 if stem == "infap" else 0  # logarithms of numpy depend on the place in an array
    np.testing.assert_allclose(found, expected, rtol=rounding)


class ScoreOfColumn(RegressorMixin, BaseEstimator):
    """A model that returns a multiple of its first feature, so that the scores of all folds are known."""

    def __init__(self, factor=1.0):
        self.factor = factor

    def fit(self, X, y):
        self.is_fitted_ = True
        return self

    def predict(self, X):
        return self.factor * X[:, 0]


X = PREDICTED[:, None]
CV = sr.BalancedGroupKFold(3)
SCORER = sr.ndcg_scorer(k=10, missed=MISSED, **GIVEN)


def expect(factor=1.0):
    """Return the values of the folds, from the queries that `from_run` reads."""
    values = []
    for _, test in CV.split(X, LABELS, QUERIES):
        frame = FRAME.iloc[test].assign(score=factor * PREDICTED[test])
        labels, scores, queries = sr.from_run(QRELS, frame, queries="run")
        values.append(sr.ndcg_score(labels, scores, groups=queries, k=10, **GIVEN))
    return values


N_JOBS = [None, pytest.param(2, marks=pytest.mark.slow)]  # starting processes takes seconds


@pytest.mark.parametrize("n_jobs", N_JOBS)
def test_cross_val_score_with_missed_equals_values_of_all_judged_documents(n_jobs):
    scorer = pickle.loads(pickle.dumps(SCORER))
    given = {"groups": QUERIES, "scoring": scorer, "cv": CV, "n_jobs": n_jobs}
    assert sr.cross_val_score(ScoreOfColumn(), X, LABELS, **given).tolist() == expect()


@pytest.mark.parametrize("n_jobs", N_JOBS)
def test_grid_search_with_missed_equals_values_of_all_judged_documents(n_jobs):
    factors = [1.0, -1.0]
    search = sr.GridSearchCV(ScoreOfColumn(), {"factor": factors}, scoring=SCORER, cv=CV, n_jobs=n_jobs)
    results = search.fit(X, LABELS, groups=QUERIES).cv_results_
    folds = zip(*(results[f"split{fold}_test_score"].tolist() for fold in range(3)))
    assert [list(each) for each in folds] == [expect(factor) for factor in factors]


@pytest.mark.parametrize("n_jobs", N_JOBS)
def test_cross_val_score_of_scikit_learn_with_missed_equals_values_of_all_documents(n_jobs):
    given = {"params": {"groups": QUERIES}, "scoring": SCORER, "cv": CV, "n_jobs": n_jobs}
    with config_context(enable_metadata_routing=True):
        found = sklearn.model_selection.cross_val_score(ScoreOfColumn(), X, LABELS, **given)
    assert found.tolist() == expect()


KINDS = {
    "objects": lambda ids: np.array(ids, dtype=object),
    "pandas": pd.Series,
    "pandas text": lambda ids: pd.Series(ids, dtype="string"),
    "pandas category": lambda ids: pd.Series(ids, dtype="category"),
    "polars": lambda ids: pytest.importorskip("polars").Series(list(ids)),
    "polars category": lambda ids: (
        pytest.importorskip("polars").Series(list(ids)).cast(pytest.importorskip("polars").Categorical)
    ),
    "pyarrow": lambda ids: pytest.importorskip("pyarrow").array(list(ids)),
    "pyarrow chunks": lambda ids: pytest.importorskip("pyarrow").chunked_array(
        [list(ids[:9]), list(ids[9:])]
    ),
}


@pytest.mark.parametrize("kind", KINDS)
def test_scorers_with_missed_take_ids_of_any_library(kind):
    ids = KINDS[kind](QUERIES)
    given = {"scoring": SCORER, "cv": CV}
    assert sr.cross_val_score(ScoreOfColumn(), X, LABELS, groups=ids, **given).tolist() == expect()
    rows = {"y_true": LABELS, "y_score": PREDICTED, "groups": ids}
    assert score(rows, NAMES, missed=MISSED) == score(ALL, NAMES)
