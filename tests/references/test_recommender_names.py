"""Metric names of recommenders and RecBole, compared with these libraries."""

import numpy as np
import pytest

from sklearn_rank.metrics._libraries.library_names import LIBRARIES
from tests.helpers.library_queries import FEW, Rows, list_stems, list_untested, make_rows, ours

pytestmark = [
    pytest.mark.filterwarnings("ignore::sklearn_rank.RankingWarning"),  # lists are shorter than 5
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),  # from these libraries
    pytest.mark.filterwarnings("ignore::FutureWarning"),
]
SEEDS = range(3)

# ------------------------------------------------------------------ recommenders


def ask_recommenders(function, options, rows):
    evaluation = pytest.importorskip("recommenders.evaluation.python_evaluation")
    pandas = pytest.importorskip("pandas")
    item = np.arange(len(rows.groups))
    liked, shown = rows.y_true >= 1, rows.y_score > -np.inf
    true = pandas.DataFrame({"userID": rows.groups, "itemID": item, "rating": rows.y_true})[liked]
    predicted = pandas.DataFrame({"userID": rows.groups, "itemID": item, "prediction": rows.y_score})[shown]
    return getattr(evaluation, function)(true, predicted, **options)


TOP = {"relevancy_method": "top_k"}
OF_RECOMMENDERS = {
    f"{function}{said}": (function, options)
    for function in ("precision_at_k", "recall_at_k", "r_precision_at_k", "map", "map_at_k", "ndcg_at_k")
    for said, options in {
        "": {},
        "@3": {"k": 3},
        "(k=1)": {"k": 1},
        "(k=5, relevancy_method='top_k')": {"k": 5, **TOP},
    }.items()
}
for kind in ("binary", "raw", "exp"):
    for logarithm in ("loge", "log2"):
        said = f"ndcg_at_k(k=4, score_type={kind}, discfun_type={logarithm})"
        options = {"k": 4, "score_type": kind, "discfun_type": logarithm}
        OF_RECOMMENDERS[said] = ("ndcg_at_k", options)
OF_RECOMMENDERS = {f"recommenders:{name}": asked for name, asked in OF_RECOMMENDERS.items()}


def make_users(labels, scores, seed):
    """Rows of users, some of whom have no recommendation, or some items that were not recommended."""
    rows = make_rows(labels, scores, seed)
    y_score = np.where((rows.groups % 5 == 4) | (np.arange(len(rows.groups)) % 7 == 0), -np.inf, rows.y_score)
    return rows._replace(y_score=y_score)


def counts(function, rows):
    """Tell whether a user counts there."""
    return (rows.y_true >= 1).any() and ((rows.y_score > -np.inf).any() or function == "ndcg_at_k")


@pytest.mark.parametrize(
    ("labels", "scores", "seed"), [("binary", "tied", 0), ("graded", "close", 1), ("graded", "untied", 2)]
)
@pytest.mark.parametrize("name", OF_RECOMMENDERS)
def test_recommenders_names_match_recommenders(name, labels, scores, seed):
    function, options = OF_RECOMMENDERS[name]
    rows = make_users(labels, scores, seed)
    values = dict(zip(np.unique(rows.groups), ours(name, rows, average=None)))
    for user in rows.each():
        value = values.pop(user.groups[0])
        if counts(function, user):
            expected = ask_recommenders(function, options, user)
            if function == "r_precision_at_k":
                expected = np.nan_to_num(expected)  # theirs is nan if the list has no hits
            assert value == pytest.approx(expected, abs=1e-12)
        else:
            assert np.isnan(value)
    assert values == {}
    if function != "r_precision_at_k":
        assert ours(name, rows) == pytest.approx(ask_recommenders(function, options, rows), abs=1e-12)


def test_recommenders_excludes_zeros_from_r_precision():
    rows = make_rows("binary", "untied", 0)
    rows = rows._replace(y_true=np.array([1.0, 0, 0, 1, 0]), y_score=np.array([2.0, 1, 3, 2, 1]))
    rows = rows._replace(groups=np.array([0, 0, 1, 1, 1]))
    assert ask_recommenders("r_precision_at_k", {}, rows) == 1.0
    assert ours("recommenders:r_precision_at_k", rows) == 0.5


# ------------------------------------------------------------------ RecBole


@pytest.fixture
def ask_recbole(monkeypatch):
    """Give the collector and the evaluator of RecBole what its models and data sets give them."""
    torch = pytest.importorskip("torch")
    for name, kind in {"float": np.float64, "bool": np.bool_}.items():
        monkeypatch.setattr(np, name, kind, raising=False)  # removed numpy names that RecBole uses
    evaluator = pytest.importorskip("recbole.evaluator.evaluator")
    collector = pytest.importorskip("recbole.evaluator.collector")

    def ask(metric, k, rows):
        users = rows.each()
        n_items = max(k, 12) + 1
        scores = torch.full((len(users), n_items), -np.inf, dtype=torch.float64)  # the first item is padding
        positive = []
        for place, user in enumerate(users):
            scores[place, 1 : len(user.groups) + 1] = torch.tensor(user.y_score)
            positive += [(place, item + 1) for item in np.flatnonzero(user.y_true >= 1)]
        config = {"metrics": [metric], "topk": [k], "device": "cpu", "metric_decimal_place": 15}
        config |= {"eval_args": {"mode": "full"}, "eval_type": None}
        of_batch = collector.Collector(config)
        of_batch.eval_batch_collect(scores, None, *torch.tensor(positive).T)
        [value] = evaluator.Evaluator(config).evaluate(of_batch.get_data_struct()).values()
        return float(value)

    return ask


METRICS = ("Hit", "MRR", "NDCG", "MAP", "Recall", "Precision")
OF_RECBOLE = {f"recbole:{name}{at}": (name, k) for name in METRICS for at, k in {"": 10, "@3": 3}.items()}
OF_RECBOLE |= {f"recbole:{name.lower()}@5": (name, 5) for name in METRICS}
OF_GAUC = {"recbole:GAUC": ("GAUC", 10), "recbole:gauc": ("GAUC", 10)}


def has_positive(user):
    return (user.y_true >= 1).any()


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("labels", ["binary", "graded"])
@pytest.mark.parametrize("name", OF_RECBOLE)
def test_recbole_names_match_recbole(name, labels, seed, ask_recbole):
    metric, k = OF_RECBOLE[name]
    rows = make_rows(labels, "untied", seed)
    answered = rows.keep(has_positive)
    expected = [ask_recbole(metric, k, user) for user in answered.each()]
    values = ours(name, rows, average=None)
    assert values[np.isfinite(values)] == pytest.approx(expected, abs=1e-12)
    assert ours(name, rows) == pytest.approx(ask_recbole(metric, k, answered), abs=1e-12)


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("scores", ["tied", "close", "untied"])
@pytest.mark.parametrize("name", OF_GAUC)
def test_recbole_gauc_matches_recbole(name, scores, seed, ask_recbole):
    rows = make_rows("binary", scores, seed)  # also users of one class
    assert ours(name, rows) == pytest.approx(ask_recbole(*OF_GAUC[name], rows), abs=1e-6)  # in float32


# ------------------------------------------------------------------ recorded

# Values of the libraries for four queries, to compare with if they are not installed; recorded from
# recommenders 1.2.1 and RecBole 1.2.1.
RECORDED = {
    "recommenders:precision_at_k": ("graded", 0.2),
    "recommenders:precision_at_k@3": ("graded", 0.555555555556),
    "recommenders:recall_at_k": ("graded", 1),
    "recommenders:recall_at_k@3": ("graded", 0.888888888889),
    "recommenders:r_precision_at_k": ("graded", 0.722222222222),
    "recommenders:r_precision_at_k@3": ("graded", 0.722222222222),
    "recommenders:map": ("graded", 0.740740740741),
    "recommenders:map@3": ("graded", 0.657407407407),
    "recommenders:map_at_k": ("graded", 0.740740740741),
    "recommenders:map_at_k@3": ("graded", 0.657407407407),
    "recommenders:ndcg_at_k": ("graded", 0.808751674698),
    "recommenders:ndcg_at_k@3": ("graded", 0.741382559198),
    "recommenders:ndcg_at_k(k=4, score_type=binary, discfun_type=loge)": ("graded", 0.808751674698),
    "recommenders:ndcg_at_k(k=4, score_type=raw, discfun_type=loge)": ("graded", 0.730995370574),
    "recommenders:ndcg_at_k(k=4, score_type=exp, discfun_type=loge)": ("graded", 0.694371400912),
    "recbole:Hit": ("untied", 1),
    "recbole:MRR": ("untied", 0.666666666667),
    "recbole:NDCG": ("untied", 0.808751674698),
    "recbole:MAP": ("untied", 0.740740740741),
    "recbole:Recall": ("untied", 1),
    "recbole:Precision": ("untied", 0.2),
    "recbole:hit@5": ("untied", 1),
    "recbole:mrr@5": ("untied", 0.666666666667),
    "recbole:ndcg@5": ("untied", 0.808751674698),
    "recbole:map@5": ("untied", 0.740740740741),
    "recbole:recall@5": ("untied", 1),
    "recbole:precision@5": ("untied", 0.4),
    "recbole:GAUC": ("untied", 0.6),
    "recbole:gauc": ("untied", 0.6),
}


@pytest.mark.parametrize("name", RECORDED)
def test_recommender_names_match_recorded_values(name):
    labels, expected = RECORDED[name]
    assert ours(name, FEW[labels]) == pytest.approx(expected, abs=1e-11)


@pytest.mark.parametrize("name", [name for name in RECORDED if name in OF_RECOMMENDERS])
def test_recommenders_still_returns_recorded_values(name):
    labels, expected = RECORDED[name]
    assert ask_recommenders(*OF_RECOMMENDERS[name], FEW[labels]) == pytest.approx(expected, abs=1e-11)


@pytest.mark.parametrize("name", [name for name in RECORDED if name not in OF_RECOMMENDERS])
def test_recbole_still_returns_recorded_values(name, ask_recbole):
    labels, expected = RECORDED[name]
    asked = (OF_RECBOLE | OF_GAUC)[name]
    assert ask_recbole(*asked, FEW[labels].keep(has_positive)) == pytest.approx(expected, abs=1e-6)


# ------------------------------------------------------------------ by hand

BY_HAND = [
    # The first user has two positives and AUC 1/2, the second AUC 0.
    ("recbole:gauc", [1, 1, 0, 1, 0, 0], [3, 1, 2, 1, 2, 3], [0, 0, 0, 1, 1, 1], 1 / 3),
    # The second user has no recommendation, the third no relevant item.
    ("recommenders:recall_at_k", [1, 0, 1, 0], [2, 1, -np.inf, 1], [0, 0, 1, 2], 1),
    ("recommenders:ndcg_at_k", [1, 0, 1, 0], [2, 1, -np.inf, 1], [0, 0, 1, 2], 1 / 2),
    ("recommenders:map@1", [1, 1, 1], [3, 2, 1], [0, 0, 0], 1 / 3),
    ("recommenders:map_at_k@1", [1, 1, 1], [3, 2, 1], [0, 0, 0], 1),
    ("recommenders:r_precision_at_k@1", [1, 1, 1], [3, 2, 1], [0, 0, 0], 1 / 3),
]


@pytest.mark.parametrize(("name", "y_true", "y_score", "groups", "expected"), BY_HAND)
def test_recommender_names_match_hand_computed_values(name, y_true, y_score, groups, expected):
    rows = Rows(*(np.array(values) for values in (y_true, y_score, groups)))
    assert ours(name, rows) == pytest.approx(expected, abs=1e-15)


# ------------------------------------------------------------------ coverage of the tables

ASKED = {"recommenders": [*OF_RECOMMENDERS], "recbole": [*OF_RECBOLE, *OF_GAUC]}


@pytest.mark.parametrize("prefix", ASKED)
def test_recommender_tables_are_compared_in_every_row_and_parameter(prefix):
    assert list_untested(prefix, ASKED[prefix]) == {}


@pytest.mark.parametrize("prefix", ASKED)
def test_recommender_tables_are_recorded_in_every_row(prefix):
    assert list_stems(prefix, RECORDED) == set(LIBRARIES[prefix].rows)
