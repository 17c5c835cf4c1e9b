"""Scores of recommenders over a catalog: equal to a loop over users, whatever method the model has."""

import numpy as np
import pytest
import sklearn
import sklearn.model_selection
from sklearn.base import BaseEstimator

import sklearn_rank as sr
from sklearn_rank.model_selection import RecordSeen, catalog_scorer

pandas = pytest.importorskip("pandas")
RNG = np.random.default_rng(0)
N_ROWS = 3000
LOG = pandas.DataFrame(
    {"user": RNG.integers(0, 80, N_ROWS), "item": [f"i{code:02d}" for code in RNG.zipf(1.4, N_ROWS) % 60]}
)
USERS, ONES = LOG["user"].to_numpy(), np.ones(N_ROWS)
FOLDS = sklearn.model_selection.KFold(3, shuffle=True, random_state=0)


class Counts(BaseEstimator):
    """A recommender that ranks items by their count, plus noise by user; `answer` is its method."""

    def __init__(self, answer="score_items", noise=0.0):
        self.answer = answer
        self.noise = noise

    def fit(self, X, y=None):
        self.items_, counts = np.unique(X["item"], return_counts=True)
        random = np.random.default_rng(len(X))
        self.scores_ = counts + self.noise * random.normal(size=(200, len(counts)))
        return self

    def __getattr__(self, name):
        if name in ("score_items", "recommend", "predict") and name == self.__dict__.get("answer"):
            return getattr(self, f"_{name}")
        raise AttributeError(name)

    def _score_items(self, users):
        return self.scores_[users]

    def _recommend(self, users, k):
        order = np.argsort(-self.scores_[users], axis=1, kind="stable")[:, :k]
        return self.items_[order], np.take_along_axis(self.scores_[users], order, axis=1)

    def _predict(self, X):
        return self.scores_[X["user"].to_numpy(), np.searchsorted(self.items_, X["item"])]


def loop(model, train, test, k, exclude, metric):
    """Compute a metric by a loop over users and a stable sort of all items."""
    seen = train.groupby("user")["item"].agg(set).to_dict()
    values = []
    for user, rows in test.groupby("user"):
        known = seen.get(user, set()) if exclude else set()
        wanted = set(rows["item"]) - known
        if not wanted:
            continue
        order = [
            item
            for item in model.items_[np.argsort(-model.scores_[user], kind="stable")]
            if item not in known
        ]
        hits = np.array([item in wanted for item in order[:k]])
        if metric == "recall":
            values.append(hits.sum() / len(wanted))
        else:
            discounts = 1 / np.log2(np.arange(k) + 2)
            values.append(discounts[: len(hits)] @ hits / discounts[: len(wanted)].sum())
    return np.mean(values)


@pytest.mark.parametrize("seen", ["exclude", "include"])
@pytest.mark.parametrize("metric", ["ndcg", "recall"])
@pytest.mark.parametrize("answer", ["score_items", "recommend", "predict"])
def test_catalog_scorer_equals_a_loop_over_users(answer, metric, seen):
    train, test = LOG[:2000], LOG[2000:]
    model = RecordSeen(Counts(answer, noise=0.5)).fit(train)
    found = catalog_scorer(f"{metric}@10", seen=seen)(model, test)
    assert found == pytest.approx(
        loop(model.estimator_, train, test, 10, seen == "exclude", metric), rel=1e-12
    )


def expect_folds(noise=0.5):
    """Compute the scores of the folds by the loop."""
    values = []
    for train, test in FOLDS.split(LOG):
        model = Counts(noise=noise).fit(LOG.iloc[train])
        values.append(loop(model, LOG.iloc[train], LOG.iloc[test], 10, True, "ndcg"))
    return values


@pytest.mark.filterwarnings("ignore:.*tests training pairs again")
@pytest.mark.parametrize("n_jobs", [None, 2])
def test_cross_val_score_records_training_pairs(n_jobs):
    scorer = catalog_scorer("ndcg@10")
    found = sr.cross_val_score(
        Counts(noise=0.5), LOG, ONES, scoring=scorer, groups=USERS, cv=FOLDS, n_jobs=n_jobs
    )
    assert found == pytest.approx(expect_folds(), rel=1e-12)


def test_scikit_learns_cross_val_score_takes_recorded_models():
    found = sklearn.model_selection.cross_val_score(
        RecordSeen(Counts(noise=0.5)), LOG, ONES, scoring=catalog_scorer("ndcg@10"), cv=FOLDS
    )
    assert found == pytest.approx(expect_folds(), rel=1e-12)


@pytest.mark.filterwarnings("ignore:.*tests training pairs again")
@pytest.mark.parametrize("n_jobs", [None, 2])
def test_grid_search_tunes_a_recommender_by_its_catalog_score(n_jobs):
    grid, scorer = {"noise": [0.0, 0.5]}, catalog_scorer("ndcg@10")
    search = sr.GridSearchCV(Counts(), grid, scoring=scorer, cv=FOLDS, n_jobs=n_jobs)
    search.fit(LOG, ONES, groups=USERS)
    assert search.cv_results_["mean_test_score"][1] == pytest.approx(np.mean(expect_folds()), rel=1e-12)


def test_catalog_scorer_rejects_unknown_training_pairs_with_the_fix():
    with pytest.raises(ValueError, match=r"'seen' parameter of catalog_scorer .* fit RecordSeen\(model\)"):
        sklearn.model_selection.cross_val_score(
            Counts(), LOG, ONES, scoring=catalog_scorer("ndcg@10"), cv=FOLDS, error_score="raise"
        )


def test_catalog_scorer_counts_new_items_as_missed_and_can_exclude_new_users():
    train = pandas.DataFrame({"user": [0, 0, 1], "item": ["a", "b", "a"]})
    test = pandas.DataFrame({"user": [1, 1, 2], "item": ["b", "new", "a"]})
    model = RecordSeen(Counts()).fit(train)
    # User 1 finds "b" and misses "new"; user 2 is new and finds "a".
    assert catalog_scorer("recall@2")(model, test) == pytest.approx((1 / 2 + 1) / 2)
    assert catalog_scorer("recall@2", new_users="exclude")(model, test) == pytest.approx(1 / 2)


def test_catalog_scorer_excludes_users_whose_items_were_all_seen():
    train = pandas.DataFrame({"user": [0, 1], "item": ["a", "b"]})
    test = pandas.DataFrame({"user": [0, 1], "item": ["a", "a"]})
    model = RecordSeen(Counts()).fit(train)
    assert catalog_scorer("recall@1")(model, test) == 1.0
    assert catalog_scorer("recall@1", zero_division=0.0)(model, test) == 0.5


def test_catalog_scorer_computes_metrics_of_lists():
    model = RecordSeen(Counts(noise=5.0)).fit(LOG[:2000])
    found = catalog_scorer(["recall@5", "catalog_coverage@5"])(model, LOG[2000:])
    assert 0 < found["catalog_coverage@5"] <= 1


@pytest.mark.parametrize(
    ("metrics", "rule"),
    [
        ("ndcg", "must have a cutoff. Got 'ndcg' instead. For example, pass ndcg@10."),
        (3, 'must be a name with a cutoff, such as "ndcg@10", or a list of names. Got 3'),
        (sr.ndcg_score, 'must be a name with a cutoff, such as "ndcg@10", or a list of names. Got <function'),
        (
            ["diversity@5"],
            "must be computed from labels, scores, items and popularity. Got 'diversity@5', of feat",
        ),
        (["novelty@5"], "'popularity' parameter of catalog_scorer must be set for 'novelty@5'"),
        (["judged@5"], "must depend on the relevant items in the top k"),
        (["fallout_loss@5"], "must depend on the relevant items in the top k"),
        ("ndgc@10", "did you mean ndcg?"),
    ],
)
def test_catalog_scorer_rejects_metrics_without_a_top(metrics, rule):
    with pytest.raises(ValueError, match="parameter of catalog_scorer") as error:
        catalog_scorer(metrics)
    assert rule in str(error.value)


@pytest.mark.parametrize(
    ("scores", "rule"),
    [(np.zeros((3, 1)), "return scores of shape"), (np.full((200, 60), np.nan), "return scores without NaN")],
)
def test_catalog_scorer_rejects_invalid_answers(scores, rule):
    model = RecordSeen(Counts()).fit(LOG)
    model.estimator_.score_items = lambda users: scores[: len(users), : len(model.estimator_.items_)]
    with pytest.raises(ValueError, match=rule):
        catalog_scorer("ndcg@5", seen="include")(model, LOG)


def test_catalog_scorer_rejects_models_without_a_method():
    model = RecordSeen(Counts("none")).fit(LOG)
    with pytest.raises(ValueError, match=r"have the method score_items or recommend or predict\. Got Counts"):
        catalog_scorer("ndcg@5")(model, LOG)


def test_catalog_scorer_rejects_frames_without_its_columns():
    model = Counts().fit(LOG)
    with pytest.raises(ValueError, match="'user' parameter of catalog_scorer must be the name of a"):
        catalog_scorer("ndcg@5", user="customer", seen="include")(model, LOG)


def test_catalog_scorer_shows_its_changed_options():
    assert repr(catalog_scorer(["ndcg@5"], seen="include")) == "catalog_scorer(['ndcg@5'], seen='include')"


def test_record_seen_predicts_with_its_recommender():
    model = RecordSeen(Counts("predict")).fit(LOG)
    assert model.predict(LOG[:5]).tolist() == model.estimator_.predict(LOG[:5]).tolist()


def test_catalog_scorer_rejects_other_columns_than_those_recorded():
    model = RecordSeen(Counts()).fit(LOG)
    with pytest.raises(ValueError, match="be the same column, as 'item', in RecordSeen and the scorer"):
        catalog_scorer("ndcg@5", user="customer")(model, LOG)


class Fixed(BaseEstimator):
    """A recommender that ranks the items of its catalog in their order."""

    def __init__(self, items=tuple(range(100))):
        self.items = items

    def fit(self, X, y=None):
        self.items_ = np.array(self.items)
        return self

    def score_items(self, users):
        return np.tile(-np.arange(float(len(self.items_))), (len(users), 1))


def frame(users, items):
    return pandas.DataFrame({"user": users, "item": items})


SEEN = RecordSeen(Fixed()).fit(frame([1, 2], [0, 1]))


def test_catalog_coverage_is_the_share_of_all_items():
    assert catalog_scorer("catalog_coverage@2", seen="include")(SEEN, frame([1, 2], [50, 60])) == 2 / 100
    assert catalog_scorer("catalog_coverage@2")(SEEN, frame([1, 1], [501, 502])) == 2 / 100


@pytest.mark.parametrize(("users", "items"), [(["1", "2"], [1, 0]), ([1, 2], ["1", "0"])])
def test_catalog_scorer_rejects_ids_of_another_type(users, items):
    with pytest.raises(ValueError, match="parameter of catalog_scorer must contain ids of one type"):
        catalog_scorer("recall@1")(SEEN, frame(users, items))


def test_catalog_scorer_finds_dates_of_another_unit():
    days = np.array(["2026-01-01", "2026-01-02"], dtype="M8[s]")
    model = RecordSeen(Fixed(items=(0, 1))).fit(frame(days, [0, 1]))
    assert catalog_scorer("recall@1")(model, frame(days.astype("M8[ns]"), [1, 0])) == 1.0


@pytest.mark.parametrize("items", [(0, 1, 2, 9), (0, 1, 2)])
def test_catalog_scorer_removes_seen_pairs_of_items_outside_the_catalog(items):
    model = RecordSeen(Fixed(items)).fit(frame([1, 1], [0, 9]))
    assert catalog_scorer("recall@3")(model, frame([1, 1], [9, 1])) == 1.0


ANSWERS = {
    "one row": (lambda users, k: ([[0, 1]], [[2.0, 1.0]]), "return items and scores of shape"),
    "an item twice": (lambda users, k: ([[0, 0]] * len(users), [[2.0, 1.0]] * len(users)), "each item once"),
    "items only": (lambda users, k: [[0, 1]] * len(users), "return items and scores of shape"),
    "ragged": (
        lambda users, k: ([[0], [1, 2]], [[1.0], [2.0, 1.0]]),
        "return items and scores from recommend",
    ),
    "an unknown item": (
        lambda users, k: ([[-5]] * len(users), [[1.0]] * len(users)),
        "recommend items of its",
    ),
}


@pytest.mark.parametrize("case", ANSWERS)
def test_catalog_scorer_rejects_invalid_lists(case):
    model, (answer, rule) = Fixed().fit(None), ANSWERS[case]
    model.recommend = answer
    scorer = catalog_scorer("recall@2", seen="include", response_method="recommend")
    with pytest.raises(ValueError, match=rule):
        scorer(model, frame([1, 2, 3], [0, 0, 0]))


def test_catalog_scorer_rejects_repeated_catalog_items():
    with pytest.raises(ValueError, match="have different ids in its attribute items_"):
        catalog_scorer("recall@1", seen="include")(Fixed((0, 0, 1)).fit(None), frame([1], [1]))


def test_catalog_scorer_rejects_models_without_a_catalog():
    model = Fixed().fit(None)
    del model.items_
    with pytest.raises(ValueError, match="have the attribute items_, the ids of all items"):
        catalog_scorer("recall@1", seen="include")(model, frame([1], [1]))


def test_catalog_scorer_rejects_test_sets_without_a_scored_user():
    with pytest.raises(ValueError, match="contain a user who is scored"):
        catalog_scorer("recall@5", new_users="exclude")(SEEN, frame([7], [1]))


@pytest.mark.parametrize("y", [[1, 1], np.ones((2, 2))])
def test_catalog_scorer_rejects_labels_of_another_shape(y):
    with pytest.raises(ValueError, match=r"'y' parameter of catalog_scorer must have one label per row of X"):
        catalog_scorer("recall@1")(SEEN, frame([1, 2, 2], [1, 0, 3]), y)


def test_catalog_scorer_takes_arrays_with_column_numbers():
    train, test = np.array([[0, 5], [1, 6]]), np.array([[0, 6], [1, 5]])
    model = RecordSeen(Fixed((5, 6)), user=0, item=1).fit(train)
    assert catalog_scorer("recall@1", user=0, item=1)(model, test) == 1.0
    with pytest.raises(ValueError, match="be the number of a column of X, which has no column names"):
        catalog_scorer("recall@1", seen="include")(model.estimator_, test)


def test_record_seen_fits_models_that_take_features_only():
    class OnlyX(Fixed):
        def fit(self, X):
            return super().fit(X)

    assert RecordSeen(OnlyX()).fit(LOG).estimator_.items_.shape == (100,)


@pytest.mark.filterwarnings("ignore:.*tests training pairs again")
def test_cross_val_score_records_training_pairs_with_routing():
    with sklearn.config_context(enable_metadata_routing=True):
        found = sr.cross_val_score(
            Counts(noise=0.5), LOG, ONES, scoring=catalog_scorer("ndcg@10"), groups=USERS, cv=FOLDS
        )
    assert found == pytest.approx(expect_folds(), rel=1e-12)


def test_catalog_scorer_rejects_a_value_per_user():
    with pytest.raises(ValueError, match="A scorer returns one number per metric"):
        catalog_scorer("ndcg@2", average=None)


@pytest.mark.parametrize("dtype", ["f2", "f4", ">f4", "f8"])
@pytest.mark.parametrize(("item", "k", "recall"), [(1, 2, 0.5), (1, 3, 1), (3, 4, 1), (4, 5, 0), (4, 6, 0)])
def test_catalog_scorer_finds_tied_and_lowest_scores_of_any_dtype(dtype, item, k, recall):
    lowest = np.finfo(dtype).min
    model = Fixed(items=range(6)).fit(None)
    model.score_items = lambda users: np.array([[3, 2, 2, lowest, -np.inf, -np.inf]] * len(users), dtype)
    scorer = catalog_scorer(f"recall@{k}", seen="include")
    assert scorer(model, frame([1, 2], [item, item])) == recall


@pytest.mark.filterwarnings("ignore:.*tests training pairs again")
def test_catalog_scorer_works_among_scorers_that_take_weights():
    class Weighted(Counts):
        def fit(self, X, y=None, sample_weight=None):
            return super().fit(X, y)

    def count_rows(model, X, y, sample_weight=None):
        return float(len(X))

    scorer = catalog_scorer("ndcg@10")
    assert scorer.__name__ == "ndcg@10"
    found = sr.cross_validate(
        Weighted(noise=0.5),
        LOG,
        ONES,
        scoring={"catalog": scorer, "rows": count_rows},
        groups=USERS,
        cv=FOLDS,
        params={"sample_weight": ONES},
        error_score="raise",
    )
    assert found["test_catalog"] == pytest.approx(expect_folds(), rel=1e-12)
