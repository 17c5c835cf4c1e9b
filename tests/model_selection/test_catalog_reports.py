"""Reports and warnings about scores over a catalog, ids of users and items, and models of other packages."""

import re
from pathlib import Path

import numpy as np
import pytest
from scipy.sparse import csr_array, csr_matrix

import sklearn_rank as sr
from sklearn_rank import LeaveLastOut, TimeCut
from sklearn_rank.model_selection import RecordSeen, catalog_scorer
from tests.model_selection.test_catalog_scorer import Fixed, frame

pandas = pytest.importorskip("pandas")
PAGE = Path(__file__).parents[2] / "docs" / "recommender_from_a_log.md"
# The model ranks items 0, 1, 2. In the test set, user 1 repeats item 0 and has item 2, and user 2 only
# repeats item 1; user 3 is new and has item 0, and item 9, which is outside the catalog.
LOG = frame([1, 2, 1, 1, 2, 3, 3], [0, 1, 0, 2, 1, 0, 9])
FOLDS = [(np.arange(2), np.arange(2, 7))]
REPEATS = "ignore:.*tests training pairs again"


def report(metrics, **options):
    model = Fixed((0, 1, 2))
    call = {"scoring": metrics, "groups": LOG["user"], "cv": FOLDS, **options}
    return sr.cross_val_report(model, LOG, None, **call)


@pytest.mark.filterwarnings(REPEATS)
def test_cross_val_report_counts_pairs_and_users_of_a_catalog():
    found = report(catalog_scorer("recall@1"))
    assert found.catalog_counts == {
        "n_repeats": 2,
        "n_new_users": 1,
        "n_new_items": 1,
        "n_finished_users": 1,
    }
    assert found.ids.tolist() == [1, 3]
    # Without item 0, user 1 gets item 1 and has item 2; user 3 gets item 0, one of two.
    assert found.values["recall@1"].tolist() == [0.0, 0.5]
    assert str(found).splitlines()[-4:] == [
        "Test pairs that are also training pairs, excluded: 2.",
        "Test users without training pairs: 1.",
        "Test pairs of items outside the catalog, counted as missed: 1.",
        "Test users of whom all pairs were excluded: 1.",
    ]


@pytest.mark.filterwarnings(REPEATS)
def test_cross_val_report_leaves_out_new_users_and_counts_of_zero():
    found = report(catalog_scorer("recall@1", new_users="exclude"))
    assert found.catalog_counts["n_new_items"] == 0
    assert found.ids.tolist() == [1]
    assert "outside the catalog" not in str(found)


@pytest.mark.filterwarnings(REPEATS)
def test_cross_val_report_takes_models_that_record_pairs():
    call = {"scoring": catalog_scorer("recall@1"), "groups": LOG["user"], "cv": FOLDS}
    found = sr.cross_val_report(RecordSeen(Fixed((0, 1, 2))), LOG, None, **call)
    assert found.values["recall@1"].tolist() == [0.0, 0.5]


def test_cross_val_score_names_the_scorer_if_x_lacks_a_column():
    scorer = catalog_scorer("recall@1", user="customer")
    with pytest.raises(ValueError, match="'user' parameter of catalog_scorer must be the name of a column"):
        sr.cross_val_score(Fixed(), LOG, groups=LOG["user"], scoring=scorer, cv=FOLDS)


def test_cross_val_report_includes_repeats_on_request():
    found = report(catalog_scorer("recall@1", seen="include"))
    assert found.values["recall@1"].tolist() == [0.5, 0.0, 0.5]
    assert found.catalog_counts["n_repeats"] == 0


@pytest.mark.filterwarnings(REPEATS)
def test_cross_val_report_keeps_users_with_nothing_to_find_if_they_have_a_value():
    found = report(catalog_scorer("recall@1", zero_division=0.0))
    assert found.values["recall@1"].tolist() == [0.0, 0.0, 0.5]


@pytest.mark.filterwarnings(REPEATS)
def test_cross_val_report_averages_metrics_of_lists_over_folds():
    found = report(catalog_scorer(["recall@1", "catalog_coverage@1"]))
    assert found.list_metrics == {"catalog_coverage@1": 2 / 3}  # items 1, 0 and 0
    assert found.metrics == ("recall@1",)


@pytest.mark.filterwarnings(REPEATS)
def test_cross_val_report_averages_users_over_folds():
    log = frame([1, 2, 1, 2, 1, 2], [1, 2, 0, 2, 2, 1])
    folds = [(np.arange(2), np.arange(2, 4)), (np.arange(2), np.arange(4, 6))]
    metrics = catalog_scorer("recall@1")
    found = sr.cross_val_report(Fixed((0, 1, 2)), log, None, groups=log["user"], scoring=metrics, cv=folds)
    assert found.values["recall@1"].tolist() == [0.5, 0.0]
    assert found.catalog_counts["n_repeats"] == 1


@pytest.mark.parametrize(
    "option", [{"gain": "exponential"}, {"labels": np.ones(7)}, {"response_method": "predict"}]
)
def test_cross_val_report_rejects_options_of_a_catalog_scorer(option):
    with pytest.raises(
        ValueError, match=rf"'{next(iter(option))}' parameter of cross_val_report must be left"
    ):
        report(catalog_scorer("recall@1"), **option)


@pytest.mark.parametrize(
    ("cv", "text"),
    [
        (TimeCut(cuts=[2]), r"TimeCut\(.*\) tests training pairs again: 2 of 5 test pairs"),
        (LeaveLastOut(), r"LeaveLastOut\(.*\) tests training pairs again: 1 of 3 test pairs"),
    ],
)
def test_cross_val_score_warns_about_repeated_pairs(cv, text):
    call = {"groups": LOG["user"], "cv": cv, "params": {"times": np.arange(7)}}
    with pytest.warns(UserWarning, match=text):
        sr.cross_val_score(Fixed((0, 1, 2)), LOG, scoring=catalog_scorer("recall@1"), **call)


def test_cross_val_score_warns_about_repeated_pairs_once():
    scoring = {"one": catalog_scorer("recall@1"), "other": catalog_scorer("ndcg@1")}
    with pytest.warns(UserWarning) as caught:
        sr.cross_validate(Fixed((0, 1, 2)), LOG, groups=LOG["user"], scoring=scoring, cv=FOLDS)
    assert len(caught) == 1


def test_catalog_scorer_rejects_test_sets_of_repeats_only():
    model = RecordSeen(Fixed((0, 1, 2))).fit(LOG)
    with pytest.raises(ValueError, match="contain a pair that is not in the training set"):
        catalog_scorer("recall@1")(model, LOG)


# ------------------------------------------------------------------ ids


def test_catalog_scorer_reads_integer_labels_of_frames():
    log = pandas.DataFrame({7: [0, 0, 1], 0: [5, 6, 5]})  # users in column 7, items in column 0
    model = RecordSeen(Fixed((5, 6)), user=7, item=0).fit(log)
    test = pandas.DataFrame({0: [6], 7: [1]})
    assert catalog_scorer("recall@1", user=7, item=0)(model, test) == 1.0
    with pytest.raises(ValueError, match="'user' parameter of catalog_scorer must be the name of a column"):
        catalog_scorer("recall@1", user=1, item=0, seen="include")(model.estimator_, test)


def test_catalog_scorer_reads_columns_of_lists_without_changing_ids():
    large = 2**53
    model = RecordSeen(Fixed((large, large + 1)), user=0, item=1).fit([[0.5, large]])
    assert catalog_scorer("recall@1", user=0, item=1)(model, [[0.5, large + 1]]) == 1.0


def test_catalog_scorer_rejects_sparse_interactions():
    with pytest.raises(ValueError, match="'X' parameter of catalog_scorer must have a column of users"):
        catalog_scorer("recall@1", user=0, item=1, seen="include")(Fixed(), csr_array(np.eye(2)))


def test_catalog_scorer_distinguishes_integers_above_the_range_of_floats():
    large = 2**53
    model = Fixed((large + 1, large))
    assert catalog_scorer("recall@1", seen="include")(model.fit(None), frame([1], [large + 1])) == 1.0
    assert catalog_scorer("recall@1", seen="include")(model.fit(None), frame([1], [large])) == 0.0


def test_catalog_scorer_rejects_floats_that_round_integers():
    model = Fixed((2**53 + 1, 2)).fit(None)
    with pytest.raises(ValueError, match=r"have exact ids. Got the float 9007199254740992 and integers"):
        catalog_scorer("recall@1", seen="include")(model, frame([1], [2.0**53]))
    assert catalog_scorer("recall@2", seen="include")(model, frame([1], [2.0])) == 1.0


def test_catalog_scorer_rejects_recommended_floats_that_round_integers():
    model = Fixed((2**53 + 1, 2)).fit(None)
    model.recommend = lambda users, k: ([[2**53 + 1, np.nan]] * len(users), [[1.0, -np.inf]] * len(users))
    scorer = catalog_scorer("recall@1", seen="include", response_method="recommend")
    with pytest.raises(ValueError, match="'estimator' parameter of catalog_scorer must have exact ids"):
        scorer(model, frame([1], [2]))


@pytest.mark.parametrize("items", [[1.0, np.nan, np.nan], ["a", None]])
def test_catalog_scorer_rejects_missing_ids_in_the_catalog(items):
    model = Fixed().fit(None)
    model.items_ = items
    with pytest.raises(ValueError, match="'items_' parameter of catalog_scorer must not contain missing ids"):
        catalog_scorer("recall@1", seen="include")(model, frame([1], [1]))


# ------------------------------------------------------------------ models


class Pairs(Fixed):
    """A model that predicts pairs by the position of the item, and remembers them."""

    score_items = property()

    def predict(self, X):
        self.pairs = X
        items = X["item"] if hasattr(X, "columns") else X[:, 1]
        return -np.array([self.items.index(item) for item in items], dtype=float)


def test_catalog_scorer_rejects_other_columns_for_predict():
    test = frame([1], [0]).assign(time=3)
    with pytest.raises(
        ValueError, match=r"have only the columns \('user', 'item'\) for predict. Got \['user'"
    ):
        catalog_scorer("recall@1", seen="include")(Pairs().fit(None), test)


def test_catalog_scorer_rejects_predictions_of_another_size():
    model = Pairs((0, 1)).fit(None)
    model.predict = lambda X: np.zeros(3)
    with pytest.raises(ValueError, match="predict one score for each of 2 pairs"):
        catalog_scorer("recall@1", seen="include")(model, frame([1], [0]))


def test_catalog_scorer_keeps_the_columns_of_frames_for_predict():
    model, test = Pairs((5, 6)).fit(None), frame([1, 2], [5, 6])[["item", "user"]]
    assert catalog_scorer("recall@1", seen="include")(model, test) == 0.5
    assert model.pairs.columns.tolist() == ["item", "user"]
    assert model.pairs.to_numpy().tolist() == [[5, 1], [6, 1], [5, 2], [6, 2]]


def test_catalog_scorer_predicts_frames_of_their_library():
    polars = pytest.importorskip("polars")
    model = Pairs((5, 6)).fit(None)
    assert catalog_scorer("recall@1", seen="include")(model, polars.DataFrame(frame([1, 2], [5, 6]))) == 0.5
    assert isinstance(model.pairs, polars.DataFrame)


def test_catalog_scorer_keeps_ids_of_several_types_in_arrays_for_predict():
    model = Pairs(("a", "b")).fit(None)
    scorer = catalog_scorer("recall@1", user=0, item=1, seen="include")
    assert scorer(model, np.array([[1, "a"], [2, "b"]], dtype=object)) == 0.5
    assert model.pairs.tolist() == [[1, "a"], [1, "b"], [2, "a"], [2, "b"]]


class Neighbors:
    """A model with the methods of the package implicit: items that users of the same items have."""

    def fit(self, user_items):
        assert isinstance(user_items, csr_matrix)
        self.similarity = (user_items.T @ user_items).toarray()

    def recommend(self, userid, user_items, N=10, filter_already_liked_items=True, filter_items=None):
        assert user_items.shape == (len(userid), len(self.similarity))
        assert not filter_already_liked_items
        scores = (user_items @ self.similarity).astype(np.float32)
        order = np.argsort(-scores, axis=1, kind="stable")[:, :N]
        scores = np.take_along_axis(scores, order, axis=1)
        lowest = np.finfo(np.float32).min
        return np.where(scores > 0, order, -1), np.where(scores > 0, scores, lowest)


def read_class(name):
    """Execute the class of this name on the page, with the imports before it."""
    code = "\n".join(re.findall(r"^(?:>>>|\.\.\.) ?(.*)", PAGE.read_text(), re.MULTILINE))
    imports = re.findall(r"^(?:from|import) .*", code, re.MULTILINE)
    (source,) = re.findall(rf"^class {name}\(.*\n(?:(?: .*)?\n)*", code, re.MULTILINE)
    found = {}
    exec("\n".join([*imports, source]), found)
    return found[name]


def test_page_translates_ids_for_models_of_implicit():
    log = frame([7, 7, 8, 8, 9], ["b", "a", "b", "c", "d"])
    model = RecordSeen(read_class("Implicit")(Neighbors())).fit(log)
    # User 7 gets c and user 8 gets a, by b; nobody shares an item with user 9; user 10 is new.
    test = frame([7, 8, 9, 10], ["c", "a", "a", "b"])
    assert catalog_scorer("recall@1")(model, test) == 2 / 4
    items, scores = model.estimator_.recommend(np.array([10, 7]), 3)
    assert np.isneginf(scores[0]).all()
    assert items[1].tolist() == ["b", "a", "c"]


@pytest.mark.filterwarnings(REPEATS)
def test_grid_search_clones_models_of_implicit():
    items = np.random.default_rng(0).integers(0, 12, 24)
    log = frame(np.repeat(np.arange(4), 6), [f"i{item}" for item in items])
    train, test = np.arange(0, 24, 2), np.arange(1, 24, 2)
    implicit, scorer = read_class("Implicit"), catalog_scorer("recall@5")
    search = sr.GridSearchCV(implicit(None), {"model": [Neighbors()]}, scoring=scorer, cv=[(train, test)])
    search.fit(log, groups=log["user"])
    model = RecordSeen(implicit(Neighbors())).fit(log.iloc[train])
    assert search.best_score_ == scorer(model, log.iloc[test]) > 0
