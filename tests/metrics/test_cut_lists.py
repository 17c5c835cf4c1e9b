"""Lists that were cut at k: warnings from the rows alone, errors if the depth is known."""

import numpy as np
import pytest

import sklearn_rank as sr

RNG = np.random.default_rng(0)
N_USERS, N_ITEMS, DEPTH = 60, 200, 10
SCORES = RNG.random((N_USERS, N_ITEMS))
RELEVANT = (RNG.random((N_USERS, N_ITEMS)) < 0.05).astype(float)
LABELS, VALUES, USERS = sr.from_score_matrix(RELEVANT, SCORES, k=DEPTH)
CUT = {"y_true": LABELS, "y_score": VALUES, "groups": USERS}
*ROWS, MISSED = sr.from_score_matrix(RELEVANT, SCORES, k=DEPTH, return_missed=True)
KNOWN = {**dict(zip(("y_true", "y_score", "groups"), ROWS)), "missed": MISSED}


@pytest.mark.parametrize(
    "name", ["group_auc", "pairwise_accuracy", "kendall_tau", "spearman", "fallout_loss@5"]
)
def test_metrics_of_all_documents_warn_when_lists_are_cut(name):
    with pytest.warns(sr.RankingWarning, match="the lists look cut at 10 documents, because no query"):
        sr.ranking_scores(**CUT, metrics=[name])


@pytest.mark.parametrize("name", ["ndcg@100", "recall@50", "map@11"])
def test_metrics_warn_when_the_cutoff_is_beyond_the_lists(name):
    with pytest.warns(sr.RankingWarning, match="the lists look cut at 10 documents"):
        sr.ranking_scores(**CUT, metrics=[name])


@pytest.mark.parametrize("name", ["ndcg@10", "recall@5", "map", "ndcg", "rbp", "r_precision", "mrr"])
def test_metrics_of_the_top_do_not_warn_when_lists_are_cut(name):
    sr.ranking_scores(**CUT, metrics=[name])  # warnings are errors


@pytest.mark.parametrize(
    ("name", "rule"),
    [
        ("group_auc", "must be None for group_auc, which needs all documents. Got lists cut at 10"),
        ("ndcg@100", "must have lists of at least k=100 documents. Got lists cut at 10 documents"),
        ("map", "must be None for map without a cutoff. Got lists cut at 10 documents"),
    ],
)
def test_metrics_raise_when_the_known_depth_is_too_small(name, rule):
    with pytest.raises(ValueError, match="'missed' parameter of ranking_scores") as error:
        sr.ranking_scores(**KNOWN, metrics=[name])
    assert rule in str(error.value)


def test_ndcg_up_to_the_known_depth_equals_that_of_all_pairs():
    labels, scores, users = sr.from_score_matrix(RELEVANT, SCORES)
    assert sr.ndcg_score(**KNOWN, k=10) == pytest.approx(
        sr.ndcg_score(labels, scores, groups=users, k=10), rel=1e-14
    )


def test_negated_scores_of_documents_that_were_not_retrieved_raise():
    with pytest.raises(ValueError, match=r"Got inf for relevant rows only instead\. If scores were negated"):
        sr.ndcg_score(LABELS, -VALUES, groups=USERS, k=5)


@pytest.mark.parametrize("seed", range(20))
def test_complete_rows_give_no_false_alarm(seed):
    rng = np.random.default_rng(seed)
    n_queries, n_rows = rng.integers(2, 60), rng.integers(20, 600)
    queries, labels = (
        rng.integers(0, n_queries, n_rows),
        rng.integers(0, 3, n_rows) * (rng.random(n_rows) < 0.5),
    )
    scores = rng.normal(size=n_rows)
    scores[rng.random(n_rows) < rng.random() / 2] = -np.inf
    labels[:2], scores[:2] = (1, 0), (1.0, 0.5)
    sr.ranking_scores(labels, scores, groups=queries, metrics=["group_auc", "ndcg@50", "recall@100"])


def test_few_lists_are_not_taken_to_be_cut():
    few = np.isin(USERS, np.unique(USERS)[:8])
    sr.ndcg_score(LABELS[few], VALUES[few], groups=USERS[few], k=100)  # warnings are errors


def test_known_depth_is_checked_when_nothing_was_missed():
    relevant = np.zeros_like(RELEVANT)
    relevant[np.arange(N_USERS), np.argsort(-SCORES)[:, 4]] = 1
    labels, scores, users, missed = sr.from_score_matrix(relevant, SCORES, k=DEPTH, return_missed=True)
    with pytest.raises(ValueError, match="be None for group_auc_score, which needs all documents"):
        sr.group_auc_score(labels, scores, groups=users, missed=missed)


CURVES = {
    "ndcg_curve": ({"max_k": 50}, "have lists of at least k=50 documents"),
    "group_roc_curve": ({}, "be None for group_roc_curve, which needs all documents"),
    "interpolated_precision_curve": ({}, "be None for interpolated_precision_curve without a cutoff"),
}


@pytest.mark.parametrize("name", CURVES)
def test_curves_raise_when_the_known_depth_is_too_small(name):
    given, rule = CURVES[name]
    with pytest.raises(ValueError, match=rule):
        getattr(sr.metrics, name)(**KNOWN, **given)


@pytest.mark.parametrize(
    ("name", "given", "warning"),
    [
        ("group_roc_curve", {}, "the lists look cut at 10 documents, because"),
        ("ndcg_curve", {"max_k": 11}, "the lists look cut at 10 documents, so the value at k=11 is too low"),
        ("recall_curve", {}, "the lists look cut at 10 documents"),
    ],
)
def test_curves_warn_when_lists_look_cut(name, given, warning):
    with pytest.warns(sr.RankingWarning, match=f"{name}: {warning}"):
        getattr(sr.metrics, name)(**CUT, **given)


def test_curves_up_to_the_length_of_lists_that_look_cut_do_not_warn():
    sr.metrics.ndcg_curve(**CUT, max_k=DEPTH)  # warnings are errors


def test_ndcg_curve_ends_at_the_known_depth():
    k, _ = sr.metrics.ndcg_curve(**KNOWN)
    assert k[-1] == DEPTH


def test_lists_of_different_lengths_with_missed_documents_are_not_cut():
    qrels = {f"q{i}": {"d0": 1, "d1": 1} for i in range(9)}
    run = {f"q{i}": {"d1": 1.0, "d2": 0.5} for i in range(9)}
    labels, scores, queries, missed = sr.from_run(qrels, run, return_missed=True)
    given = {"unjudged": "nonrelevant", "missed": missed}
    assert sr.recall_at_k_score(labels, scores, groups=queries, k=10, **given) == 0.5


def spoil(n_rows):
    """Return the cut lists with rows that are neither retrieved nor relevant."""
    users = np.random.default_rng(1).choice(np.unique(USERS), n_rows)
    labels, scores = np.append(LABELS, np.zeros(n_rows)), np.append(VALUES, np.full(n_rows, -np.inf))
    return {"y_true": labels, "y_score": scores, "groups": np.append(USERS, users)}


@pytest.mark.parametrize("n_rows", [1, 5, 60])
def test_metrics_of_all_documents_do_not_warn_if_others_have_no_rank(n_rows):
    sr.group_auc_score(**spoil(n_rows))  # the rows might be complete: warnings are errors


@pytest.mark.parametrize("n_rows", [1, 5, 60])
def test_irrelevant_rows_do_not_silence_the_warning_about_cutoffs(n_rows):
    with pytest.warns(sr.RankingWarning, match="the lists look cut at 10 documents, so"):
        sr.ndcg_score(**spoil(n_rows), k=50)


def make_lists(lengths, n_rows=8):
    """Return queries of several rows, with these numbers of ranked rows."""
    ranks = np.concatenate([np.where(np.arange(n_rows) < n, np.arange(n_rows), np.inf) for n in lengths])
    labels = np.tile([1.0, 0.0] * (n_rows // 2), len(lengths))
    return {"y_true": labels, "y_score": -ranks, "groups": np.repeat(np.arange(len(lengths)), n_rows)}


# Numbers of ranked documents of queries of eight rows: the depth is the largest if most lists have it.
@pytest.mark.parametrize(
    ("lengths", "is_cut"),
    [
        ([5] * 10, True),
        ([5] * 9, False),  # too few
        ([5] * 6 + [4] * 4, True),
        ([5] * 5 + [4] * 5, False),  # not most
        ([5] * 10 + [6], False),  # longer than most
        ([5] * 10 + [8], False),
        ([8] * 30 + [7], False),  # one document of one query has no rank
        ([8] * 30 + [7] * 12, False),
        ([1] * 10, False),
    ],
)
def test_lists_look_cut_if_none_is_longer_and_most_are_as_long(lengths, is_cut):
    given = {**make_lists(lengths), "metrics": ["group_auc", "ndcg@7"]}
    if is_cut:
        with pytest.warns(sr.RankingWarning, match=f"the lists look cut at {max(lengths)} documents"):
            sr.ranking_scores(**given)
    else:
        sr.ranking_scores(**given)  # warnings are errors


@pytest.mark.parametrize("seed", range(10))
def test_queries_of_relevant_documents_that_all_lack_scores_give_no_warning(seed):
    rng = np.random.default_rng(seed)
    queries = np.repeat(np.arange(40), 15)
    share = rng.choice([0.02, 1.0], 40)[queries]  # documents are all relevant, or almost none
    labels = (rng.random(len(queries)) < share).astype(float)
    scores = np.where(share == 1, -np.inf, rng.random(len(queries)))
    labels[:2] = 0, 1
    sr.ranking_scores(labels, scores, groups=queries, metrics=["group_auc", "ndcg@50"])


def test_lists_of_missed_documents_of_unknown_depth_look_cut_at_their_most_common_length():
    *rows, missed = sr.from_score_matrix(RELEVANT, SCORES, k=DEPTH, return_missed=True)
    missed = dict(zip(missed.ids, ([0.0, 1.0] for _ in missed.ids)))  # some are not relevant
    given = {**dict(zip(("y_true", "y_score", "groups"), rows)), "missed": missed}
    sr.recall_at_k_score(**given, k=DEPTH)
    with pytest.warns(sr.RankingWarning, match="the lists look cut at 10 documents, so the value at k=11"):
        sr.recall_at_k_score(**given, k=11)


def catch_cuts(report):
    """Return the texts of the warnings about cut lists that a function gives."""
    with pytest.warns(sr.RankingWarning) as caught:
        report()
    return [str(each.message).partition(": ")[2].partition(":")[0].partition(",")[0] for each in caught]


CAUTIONS = ["the lists look cut at 10 documents"] * 2


@pytest.mark.parametrize("keep", [True, False], ids=["queries", "moments"])
@pytest.mark.parametrize("n_updates", [1, 30])
def test_evaluator_warns_once_about_lists_that_are_cut(keep, n_updates):
    evaluator = sr.RankingEvaluator(["group_auc", "ndcg@100"], keep_queries=keep)
    for users in np.array_split(np.unique(USERS), n_updates):
        rows = np.isin(USERS, users)
        evaluator.update(LABELS[rows], VALUES[rows], USERS[rows])  # warnings are errors
    assert catch_cuts(evaluator.result) == CAUTIONS


def test_evaluator_of_sorted_parts_counts_the_rows_of_split_queries_once():
    evaluator, order = sr.RankingEvaluator(["group_auc"]), np.argsort(USERS, kind="stable")
    for part, rows in enumerate(np.array_split(order, 25)):
        evaluator.update(LABELS[rows], VALUES[rows], USERS[rows], part=part)
    with pytest.warns(sr.RankingWarning, match="the lists look cut at 10 documents"):
        evaluator.result()


def test_evaluator_does_not_warn_about_complete_rows_in_parts():
    evaluator, rng = sr.RankingEvaluator(["group_auc", "ndcg@100"]), np.random.default_rng(0)
    for query in range(40):
        scores = np.where(rng.random(30) < 0.5, rng.random(30), -np.inf)
        evaluator.update(rng.integers(0, 2, 30), scores, np.full(30, query))
    evaluator.result()  # warnings are errors


def test_evaluate_warns_once_about_lists_of_a_file_that_are_cut(tmp_path):
    table = pytest.importorskip("pyarrow").table({"y": LABELS, "s": VALUES, "q": USERS}).sort_by("q")
    pytest.importorskip("pyarrow.parquet").write_table(table, tmp_path / "rows.parquet", row_group_size=50)
    given = {"data": tmp_path / "rows.parquet", "groups": "q"}
    assert catch_cuts(lambda: sr.evaluate("y", "s", metrics=["group_auc", "ndcg@100"], **given)) == CAUTIONS


def test_evaluator_knows_the_depth_of_missed_documents():
    # All lists are shorter than the depth.
    evaluator = sr.RankingEvaluator(["recall@10"])
    for query in range(20):
        missed = sr.metrics.Missed([query], [1.0], depth=10)
        evaluator.update([1, 0, 0], [3, 2, 1], [query] * 3, missed=missed)
    assert evaluator.result().mean["recall@10"] == 0.5  # warnings are errors


def test_highest_scores_of_any_documents_can_be_inf():
    labels, scores = np.tile([1.0, 0.0], 30), np.tile([np.inf, np.inf, 1.0], 20)
    value = sr.recall_at_k_score(labels, scores, groups=np.arange(60) // 6, k=4)
    assert value == pytest.approx(2 / 3)


def test_infinite_scores_of_relevant_rows_are_accepted_if_most_others_are_relevant():
    scores = np.where(np.arange(40) % 4 == 0, np.inf, -np.arange(40.0))
    labels = np.where(np.arange(40) % 8 == 1, 0, 1)
    assert sr.precision_at_k_score(labels, scores, groups=np.repeat([0, 1], 20), k=5) == 1.0
