"""Scores over a catalog: equal to scores of all pairs of users and items, which a loop over users lists."""

from functools import cache
from itertools import product

import numpy as np
import pytest
from sklearn.base import BaseEstimator

import sklearn_rank as sr
from sklearn_rank.model_selection import RecordSeen, catalog_scorer
from sklearn_rank.model_selection._catalog import catalog_scorer as module

pandas = pytest.importorskip("pandas")
RNG = np.random.default_rng(0)
N_ROWS = 900
LOG = pandas.DataFrame({"user": RNG.integers(0, 60, N_ROWS), "item": RNG.zipf(1.3, N_ROWS) % 40})
LOG["user"] -= 20 * (np.arange(N_ROWS) < 550) * (LOG["user"] >= 40)  # some users are new later
LOG["item"] += 100 * (np.arange(N_ROWS) % 30 == 29) * (np.arange(N_ROWS) > 500)  # as are some items
POPULARITY = (LOG.groupby("item")["user"].nunique() / 60).to_dict()
FOLDS = [(np.arange(500), np.arange(500, 700)), (np.arange(600), np.arange(600, 900))]
LABEL_STEMS = ("dcg", "ndcg", "err", "map", "mrr", "precision", "recall", "f1", "hit_rate", "rbp", "insq")
LABEL_METRICS = [f"{stem}@5" for stem in LABEL_STEMS]
ITEM_METRICS = ["catalog_coverage@5", "neg_exposure_gini_loss@5", "personalization@5"]
POPULARITY_METRICS = ["novelty@5", "neg_average_popularity_loss@5", "tail_share@5"]
METRICS = LABEL_METRICS + ITEM_METRICS + POPULARITY_METRICS


class Recommender(BaseEstimator):
    """Popularity, factors or neighbors; scores differ, unless `ties`, and `answer` is the only method."""

    def __init__(self, kind="popularity", answer="score_items", ties=False):
        self.kind = kind
        self.answer = answer
        self.ties = ties

    def fit(self, X, y=None):
        self.items_, columns = np.unique(X["item"], return_inverse=True)
        matrix = np.zeros((60, len(self.items_)))
        matrix[X["user"], columns] = 1
        counts = matrix.sum(axis=0)
        if self.kind == "popularity":
            self.scores_ = np.tile(counts, (60, 1))
        elif self.kind == "factors":
            left, values, right = np.linalg.svd(matrix, full_matrices=False)
            self.scores_ = left[:, :4] * values[:4] @ right[:4]
        else:
            similarity = matrix.T @ matrix / np.sqrt(np.outer(counts, counts))
            self.scores_ = matrix @ np.where(similarity > 0.2, similarity, 0)
        self.scores_ = np.round(self.scores_, 6)
        if not self.ties:
            self.scores_ += 1e-8 * np.arange(len(counts))
        return self

    def __getattr__(self, name):
        if name in ("score_items", "recommend", "predict") and name == self.__dict__.get("answer"):
            return getattr(self, f"_{name}")
        raise AttributeError(name)

    def _score_items(self, users):
        return self.scores_[users]

    def _recommend(self, users, k):
        order = np.argsort(-self.scores_[users], axis=1)[:, :k]
        return self.items_[order], np.take_along_axis(self.scores_[users], order, axis=1)

    def _predict(self, X):
        return self.scores_[X["user"], np.searchsorted(self.items_, X["item"])]


def score_by_loop(model, train, test, seen, new_users):
    """List all items for each user, and score these rows.

    Users without relevant items count only in metrics of items, and items outside the catalog only in others.
    """
    known = train.groupby("user")["item"].agg(set).to_dict()
    rows, of_labels = [], []
    for user, held_out in test.groupby("user")["item"].agg(set).items():
        if user not in known and new_users == "exclude":
            continue
        hidden = known.get(user, set()) if seen == "exclude" else set()
        scores = dict(zip(model.items_.tolist(), model.scores_[user]))
        listed = (set(scores) | held_out) - hidden
        found = [(user, item, float(item in held_out), scores.get(item, -np.inf)) for item in listed]
        rows += [row for row in found if row[3] > -np.inf]
        of_labels += found if held_out - hidden else []
    users, _, labels, scores = map(np.array, zip(*of_labels))
    values = sr.ranking_scores(labels, scores, groups=users, metrics=LABEL_METRICS)
    users, items, labels, scores = map(np.array, zip(*rows))
    size = f"(catalog={len(model.items_)})"
    names = [name if name == "personalization@5" else name + size for name in ITEM_METRICS]
    tables = {"items": items, "popularity": POPULARITY}
    names += POPULARITY_METRICS
    others = sr.ranking_scores(labels, scores, groups=users, metrics=names, **tables)
    return values | dict(zip(ITEM_METRICS + POPULARITY_METRICS, others.values()))


@pytest.mark.filterwarnings("ignore:.*tests training pairs again")
@pytest.mark.parametrize(("seen", "new_users"), product(["exclude", "include"], repeat=2))
def test_search_equals_a_loop_for_all_models_answers_and_metrics(seen, new_users):
    grid = {
        "kind": ["popularity", "factors", "neighbors"],
        "answer": ["score_items", "recommend", "predict"],
    }
    scorer = catalog_scorer(METRICS, seen=seen, new_users=new_users, popularity=POPULARITY)
    search = sr.GridSearchCV(Recommender(), grid, scoring=scorer, cv=FOLDS, n_jobs=2, refit=False)
    found = search.fit(LOG, groups=LOG["user"]).cv_results_
    for fold, (train, test) in enumerate(FOLDS):
        for candidate, params in enumerate(found["params"]):
            model = Recommender(**params).fit(LOG.iloc[train])
            expected = score_by_loop(model, LOG.iloc[train], LOG.iloc[test], seen, new_users)
            values = {name: found[f"split{fold}_test_{name}"][candidate] for name in METRICS}
            assert values == pytest.approx(expected, rel=1e-12), (params, fold)


@cache
def expect_folds():
    """Score factors in each fold by the loop."""
    models = [Recommender("factors").fit(LOG.iloc[train]) for train, _ in FOLDS]
    return [
        score_by_loop(model, LOG.iloc[train], LOG.iloc[test], "exclude", "include")
        for model, (train, test) in zip(models, FOLDS)
    ]


@pytest.mark.filterwarnings("ignore:.*tests training pairs again")
@pytest.mark.parametrize("metric", METRICS)
def test_cross_val_score_equals_a_loop(metric):
    scorer = catalog_scorer(metric, **({"popularity": POPULARITY} if metric in POPULARITY_METRICS else {}))
    found = sr.cross_val_score(Recommender("factors"), LOG, groups=LOG["user"], scoring=scorer, cv=FOLDS)
    assert found == pytest.approx([expected[metric] for expected in expect_folds()], rel=1e-12)


@pytest.mark.parametrize("answer", ["score_items", "predict"])
@pytest.mark.parametrize("kind", ["popularity", "neighbors"])
def test_catalog_scorer_averages_over_ties_like_all_pairs(kind, answer):
    train, test = (LOG.iloc[rows] for rows in FOLDS[0])
    model = RecordSeen(Recommender(kind, answer, ties=True)).fit(train)
    found = catalog_scorer(METRICS, popularity=POPULARITY)(model, test)
    expected = score_by_loop(model.estimator_, train, test, "exclude", "include")
    assert found == pytest.approx(expected, rel=1e-12)


def test_catalog_scorer_never_asks_for_more_than_a_block_of_users(monkeypatch):
    model, sizes = RecordSeen(Recommender("factors")).fit(LOG), []
    expected = catalog_scorer("ndcg@5", seen="include")(model, LOG)
    monkeypatch.setattr(module, "CELLS", 10 * len(model.estimator_.items_))
    score_items = model.estimator_.score_items
    model.estimator_.answer = None
    model.estimator_.score_items = lambda users: sizes.append(len(users)) or score_items(users)
    assert catalog_scorer("ndcg@5", seen="include")(model, LOG) == expected
    assert sizes == [10] * 6


def test_catalog_scorer_rejects_ties_that_would_fill_the_memory(monkeypatch):
    model = RecordSeen(Recommender("popularity")).fit(LOG)
    model.estimator_.scores_[:] = 0
    monkeypatch.setattr(module, "MOST_TIED", 1000)
    with pytest.raises(ValueError, match=r"return scores with few ties.*Break ties in score_items"):
        catalog_scorer("ndcg@5", seen="include")(model, LOG)
