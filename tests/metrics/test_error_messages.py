"""Error messages of metrics: the rule, the value and the code that fixes it."""

import time

import numpy as np
import pytest

import sklearn_rank
from sklearn_rank import (
    get_scorer,
    group_score,
    ndcg_score,
    ranking_scorer,
    ranking_scores,
    unique_groups,
)
from sklearn_rank.metrics import tie_report
from tests.helpers.messages import ROWS, assert_message

# ------------------------------------------------------------------ invalid options in names

INVALID_OPTIONS = [
    ("ndcg@10(gain=[0,1,3])", "must contain parameters as (name=value)"),
    ("ndcg(discount=<lambda>)", "must contain parameters as (name=value)"),
    ("ndcg@10(gain=(0, 1, 3))", "must be written as ndcg or ndcg@10, with parameters"),
    ("ndcg@10(k=5)", "must contain only parameters of ndcg_score"),
    ("ndcg@10(groups=qid)", "must contain only parameters of ndcg_score"),
    ("ndcg@10(average=None)", "must not contain average=None"),
]


@pytest.mark.parametrize(("name", "words"), INVALID_OPTIONS)
def test_get_scorer_error_explains_invalid_options_in_name(name, words):
    assert_message(lambda: get_scorer(name), "'scoring' parameter of get_scorer", words, f"Got {name!r}")


@pytest.mark.parametrize(("name", "words"), INVALID_OPTIONS)
def test_metric_name_error_explains_invalid_options(name, words):
    for function in (ranking_scores, tie_report):
        assert_message(lambda: function(**ROWS, metrics=[name]), words)  # noqa: B023 - called at once
    assert_message(lambda: ranking_scorer([name]), words)


# ------------------------------------------------------------------ sizes, ids and scores of wrong shape

SIZES = "groups=numpy.repeat(numpy.arange(len(sizes)), sizes)."


@pytest.mark.parametrize("sizes", [[3, 1], np.array([1, 1, 2]), (4,)], ids=repr)
@pytest.mark.parametrize(
    "call",
    [
        lambda sizes: ndcg_score(**ROWS | {"groups": sizes}),
        lambda sizes: group_score(lambda a, b: 0.0, [1] * 4, [1] * 4, groups=sizes),
        lambda sizes: sklearn_rank.model_selection.check_folds(2, np.eye(4), [1] * 4, groups=sizes),
        lambda sizes: list(sklearn_rank.BalancedGroupKFold(2).split(np.eye(4), groups=sizes)),
        lambda sizes: sklearn_rank.train_test_split(np.eye(4), groups=sizes),
    ],
)
def test_group_sizes_error_shows_ids_that_they_make(call, sizes):
    rule = f"have one id per row (4 rows). Got {len(sizes)} id"
    assert_message(lambda: call(sizes), rule, "They look like group sizes, as LightGBM takes them.", SIZES)
    assert len(np.repeat(np.arange(len(sizes)), sizes)) == 4


MOST = np.uint64(2**64 - 1)  # 1 + MOST is beyond its type


@pytest.mark.parametrize("groups", [[0, 4], [1, 2], [2, 2.0], ["a", "b"], [-1, 5], [], [1, MOST]], ids=repr)
def test_ids_of_different_length_are_not_treated_as_sizes(groups):
    with pytest.raises(
        ValueError,
        match=r"have one id per row \(4 rows\)\. Got [0-9] ids? instead\. Pass groups=frame\['qid'\]\.$",
    ):
        ndcg_score(**ROWS | {"groups": groups})


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_frame_passed_as_column_raises_error_with_fix(library):
    frame = pytest.importorskip(library).DataFrame({"user": [1, 1, 2, 2], "day": [1, 1, 2, 2]})
    words = "Got shape (4, 2) instead. Pass one column, frame['qid'], or pairs, list(zip(frame['user'], "
    assert_message(lambda: ndcg_score(**ROWS | {"groups": frame}), "be one-dimensional", words)
    assert ndcg_score(**ROWS | {"groups": list(zip(frame["user"], frame["day"]))}) == ndcg_score(**ROWS)
    words = "If each row of 'y_true' is a document, pass its column of labels, frame['label']"
    assert_message(
        lambda: ndcg_score(**ROWS | {"y_true": frame}), "be None if 'y_true' has two dimensions", words
    )


def test_name_passed_as_column_raises_error_with_fix():
    said = "Pass the column itself: frame['label']."
    assert_message(lambda: ndcg_score("label", "score", groups="qid"), said)


@pytest.mark.parametrize(
    "groups",
    [
        np.array(["a", "b", "b", "a"]),
        ["a", "b", "b", "a"],
        [1, 2, 2, 1],
        np.array([1, 2, 2, 1]),
        [(1, "a"), (1, "b"), (1, "b"), (1, "a")],
    ],
    ids=repr,
)
def test_query_weights_error_shows_row_weights(groups):
    weights = np.array([1.0, 3.0])
    rows = {"y_true": [0, 0, 2, 1], "y_score": [4, 3, 2, 1], "groups": groups}
    remedy = "[weight_of[query] for query in groups]"
    words = f"Repeat the weight of each query on its rows: {remedy}."
    assert_message(
        lambda: ndcg_score(**rows, sample_weight=weights),
        "have one entry per row (4 rows). Got 2 entries",
        words,
    )
    by_query = ndcg_score(**rows, average=None)
    by_row = eval(remedy, {"weight_of": dict(zip(unique_groups(groups), weights)), "groups": groups})
    assert by_row == [1.0, 3.0, 3.0, 1.0]
    assert ndcg_score(**rows, sample_weight=by_row) == pytest.approx(by_query @ weights / 4, abs=1e-12)


def test_class_probabilities_error_shows_one_column():
    scores = np.full((4, 2), 0.5)
    words = "Of predict_proba, pass one column: y_score[:, 1]"
    assert_message(
        lambda: ndcg_score(**ROWS | {"y_score": scores}), "have the shape of 'y_true', (4,)", words
    )


def test_grade_probabilities_error_shows_expected_grade():
    scores = np.full((4, 3), 1 / 3)
    words = (
        "Got shape (4, 3) instead. If its columns are probabilities of grades, pass y_score @ model.classes_."
    )
    assert_message(
        lambda: ndcg_score(**ROWS | {"y_score": scores}), "have the shape of 'y_true', (4,)", words
    )


FROM_RUN = "sklearn_rank.from_run(qrels=qrels, run=run)"


def test_qrels_dict_error_suggests_from_run():
    qrels = {"q": {"d": 1}}
    assert_message(lambda: ranking_scores(qrels, qrels, metrics=["map"]), "Got a dict instead", FROM_RUN)


def test_frame_with_text_error_suggests_one_column_and_from_run():
    frame = pytest.importorskip("pandas").DataFrame({"qid": [1, 1, 2, 2], "docno": list("abcd"), "label": 1})
    words = "Got a frame with the columns ['qid', 'docno', 'label'] instead. Pass one column."
    assert_message(lambda: ndcg_score(**ROWS | {"y_true": frame}), words, FROM_RUN)


def test_error_for_weights_by_query_shows_weights_by_row():
    with pytest.raises(ValueError, match=r"one entry per row .*Got a dict.* \[weight_of\[query\] for"):
        ndcg_score(**ROWS, sample_weight={0: 1, 1: 2})


LONG_NAMES = ["a" * 10**6, "ndcg@" + "1" * 10**6, f"ndcg@10({'a=1,' * 10**5})", "trec_eval:" + "a" * 10**6]


@pytest.mark.parametrize("name", LONG_NAMES, ids=lambda name: name[:12])
@pytest.mark.parametrize(
    "call",
    [
        lambda name: sklearn_rank.ranking_scores([1], [1], groups=[1], metrics=[name]),
        lambda name: sklearn_rank.evaluate([1], [1], groups=[1], metrics=name),
        lambda name: sklearn_rank.RankingEvaluator([name]),
        lambda name: sklearn_rank.get_scorer(name),
        sklearn_rank.metrics.explain,
    ],
    ids=["ranking_scores", "evaluate", "RankingEvaluator", "get_scorer", "explain"],
)
def test_long_names_of_metrics_are_rejected_soon(call, name):
    start = time.thread_time()
    with pytest.raises(ValueError, match=r"parameter of \w+ must .{1,350}$"):
        call(name)
    assert time.thread_time() - start < 1
