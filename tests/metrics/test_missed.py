"""Judged documents that are not rows: metrics with `missed` equal those of rows with the score -inf."""

import copy

import numpy as np
import pytest

import sklearn_rank as sr
from sklearn_rank.metrics import METRICS, Missed

PLAIN = {stem: each for stem, each in METRICS.items() if not each.needs and not each.uses_scores}
RNG = np.random.default_rng(0)
N_QUERIES, N_DOCUMENTS, DEPTH = 30, 25, 10


def make_rows():
    """Return all judged pairs with some ties; the best DEPTH pairs per query were retrieved."""
    queries = np.repeat([f"q{i:02d}" for i in range(N_QUERIES)], N_DOCUMENTS)
    labels = RNG.integers(0, 4, len(queries)) * (RNG.random(len(queries)) < 0.3)
    scores = RNG.normal(size=len(queries)).round(1)
    ranks = np.argsort(np.argsort(-scores.reshape(N_QUERIES, -1), axis=1), axis=1).ravel()
    return queries, labels.astype(float), scores, ranks < DEPTH


QUERIES, LABELS, SCORES, SHOWN = make_rows()
ROWS = {"y_true": LABELS[SHOWN], "y_score": SCORES[SHOWN], "groups": QUERIES[SHOWN]}
MISSED = Missed(QUERIES[~SHOWN], LABELS[~SHOWN])
ALL = {
    "y_true": np.concatenate((LABELS[SHOWN], LABELS[~SHOWN])),
    "y_score": np.concatenate((SCORES[SHOWN], np.full((~SHOWN).sum(), -np.inf))),
    "groups": np.concatenate((QUERIES[SHOWN], QUERIES[~SHOWN])),
}


def options(metric, **others):
    """Return options that the metric requires."""
    return {"k": 10, **others} if metric.cutoff == "required" else others


@pytest.mark.parametrize("average", [None, "macro", "weighted"])
@pytest.mark.parametrize("stem", PLAIN)
def test_missed_equals_rows_with_the_score_inf(stem, average):
    metric = PLAIN[stem]
    given = options(metric, average=average)
    assert np.array_equal(
        metric.function(**ROWS, missed=MISSED, **given), metric.function(**ALL, **given), equal_nan=True
    )


@pytest.mark.parametrize("stem", [stem for stem, each in PLAIN.items() if each.micro])
def test_missed_equals_rows_with_the_score_inf_in_micro_averages(stem):
    metric = PLAIN[stem]
    given = options(metric, average="micro")
    assert metric.function(**ROWS, missed=MISSED, **given) == metric.function(**ALL, **given)


@pytest.mark.parametrize("stem", PLAIN)
def test_missed_documents_have_the_weight_of_their_query(stem):
    metric, weight_of = PLAIN[stem], dict(zip(np.unique(QUERIES), RNG.random(N_QUERIES) + 0.5))
    of_rows, of_all = (np.array([weight_of[query] for query in each["groups"]]) for each in (ROWS, ALL))
    with_missed = metric.function(**ROWS, missed=MISSED, sample_weight=of_rows, **options(metric))
    expected = metric.function(**ALL, sample_weight=of_all, **options(metric))
    assert np.array_equal(with_missed, expected, equal_nan=True)


IDS = {
    "int": lambda codes: codes * 3,
    "text": lambda codes: np.array([f"q{code}" for code in codes]),
    "objects": lambda codes: np.array([f"q{code}" for code in codes], dtype=object),
    "tuples": lambda codes: [("a", int(code)) for code in codes],
    "dates": lambda codes: np.datetime64("2026-01-01") + codes.astype("m8[D]"),
    "pandas text": lambda codes: pytest.importorskip("pandas").Series([f"q{code}" for code in codes]),
    "pandas category": lambda codes: pytest.importorskip("pandas").Categorical([f"q{c}" for c in codes]),
    "polars": lambda codes: pytest.importorskip("polars").Series([f"q{code}" for code in codes]),
    "pyarrow": lambda codes: pytest.importorskip("pyarrow").array([f"q{code}" for code in codes]),
}


@pytest.mark.parametrize("kind", IDS)
@pytest.mark.parametrize("of_missed", ["same kind", "mapping"])
def test_missed_finds_queries_by_ids_of_any_type(kind, of_missed):
    codes = np.unique(QUERIES, return_inverse=True)[1]
    make = IDS[kind]
    missed = Missed(make(codes[~SHOWN]), LABELS[~SHOWN])
    if of_missed == "mapping":
        names = make(np.arange(N_QUERIES))
        names = names.to_pylist() if hasattr(names, "to_pylist") else list(names)
        missed = {name: LABELS[~SHOWN][codes[~SHOWN] == code] for code, name in enumerate(names)}
    given = {**ROWS, "groups": make(codes[SHOWN])}
    expected = sr.ndcg_score(**ALL, k=10)
    assert sr.ndcg_score(**given, k=10, missed=missed) == expected


def test_missed_is_looked_up_by_id_when_rows_are_shuffled():
    order = RNG.permutation(SHOWN.sum())
    shuffled = {name: values[order] for name, values in ROWS.items()}
    with_missed = sr.map_score(**shuffled, missed=MISSED, average=None)
    assert np.array_equal(with_missed, sr.map_score(**ALL, average=None))


def test_missed_leaves_out_queries_without_rows():
    missed = {"q00": [1.0], "other": [1.0, 1.0]}
    expected = sr.recall_at_k_score(**ROWS, k=5, missed={"q00": [1.0]}, average=None)
    assert np.array_equal(sr.recall_at_k_score(**ROWS, k=5, missed=missed, average=None), expected)


def test_missed_changes_recall_of_a_hand_computed_case():
    # One of three relevant documents is retrieved, and one of two.
    found = sr.recall_at_k_score(
        [1, 0, 1], [3, 2, 1], groups=["a", "a", "b"], k=10, missed={"a": [1, 1], "b": [1]}, average=None
    )
    assert found.tolist() == [1 / 3, 1 / 2]


ERRORS = {
    "no id is known": ({"x": [1.0]}, "must have query ids of 'groups'. Got 'x'"),
    "ids of another type": (
        {1: [1.0]},
        "must have query ids of the type of 'groups'. Got 1 for 'groups' with 'q00'",
    ),
    "a number": ({"q00": 1.0}, "Pass a list: {'q00': [1.0]}"),
    "grades by document": ({"q00": {"d1": 2}}, "Pass the labels alone"),
    "a list": ([1.0, 2.0], "be a mapping of query id to a list of labels, or a pair"),
    "a label below 0": ({"q00": [-1.0]}, "must have labels >= 0. Got -1"),
    "NaN": ({"q00": [np.nan]}, "must contain finite labels, one per query id. Got nan"),
    "a set": ({"q00": {1.0}}, "Got a set for 'q00' instead. Pass a list with one label per document"),
    "text": ({"q00": "1"}, "Got a str for 'q00' instead. Pass a list with one label per document"),
    "two dimensions": ({"q00": [[1.0, 1.0]]}, "Got a list for 'q00' instead. Pass a list with one label"),
    "lists of two lengths": (
        {"q00": [[1.0], [1.0, 2.0]]},
        "Got a list for 'q00' instead. Pass a list with one",
    ),
    "document ids": ({"q00": ["d1", "d2"]}, "Got text for 'q00' instead. Pass labels, not document ids"),
    "pairs": ([("q00", 1.0)], "pass missed=tuple(zip(*pairs))"),
    "a swapped pair": (([1.0], ["q00"]), "Got the labels ['q00'] instead. Pass numbers as labels."),
    "a pair of numbers": ((1.0, 2.0), "Got a pair with 1.0 instead."),
    "ids of several types": (
        {"q00": [1.0], 1: [1.0]},
        "'missed' parameter of ndcg_score must contain ids of",
    ),
    "a name": ("label", "Got a str instead."),
    "too few ids": ((["q00"], [1.0, 2.0]), "must have one id per"),
    "too many ids": ((["q00"], []), "must have one id per"),
}


@pytest.mark.parametrize("case", ERRORS)
def test_missed_of_a_wrong_form_is_an_error_with_the_right_form(case):
    missed, message = ERRORS[case]
    with pytest.raises(ValueError) as error:
        sr.ndcg_score(**ROWS, k=10, missed=missed)
    assert message in str(error.value)


OF_PANDAS = {
    "labels": (lambda frame: frame.set_index("q")["l"], "pass missed=(series.index, series)."),
    "lists": (lambda frame: frame.groupby("q")["l"].apply(list), "pass missed=series.to_dict()."),
    "two levels": (
        lambda frame: frame.set_index(["q", "d"])["l"],
        "pass missed=(series.index.get_level_values(0), series).",
    ),
    "groups": (lambda frame: frame.groupby("q")["l"], "Pass missed=grouped.apply(list).to_dict()."),
    "a frame": (lambda frame: frame, "Pass two columns: missed=(frame['qid'], frame['label'])."),
    "index": (lambda frame: frame.set_index("q").index, "Got an Index instead."),
}


@pytest.mark.parametrize("kind", OF_PANDAS)
def test_missed_of_pandas_is_an_error_that_shows_the_right_form(kind):
    make, fix = OF_PANDAS[kind]
    frame = pytest.importorskip("pandas").DataFrame({"q": ["q00", "q01"], "d": ["x", "y"], "l": [1.0, 1.0]})
    with pytest.raises(ValueError) as error:
        sr.ndcg_score(**ROWS, k=10, missed=make(frame))
    assert str(error.value).endswith(fix)


def test_missed_takes_the_pairs_that_its_errors_show():
    frame = pytest.importorskip("pandas").DataFrame({"q": ["q00", "q01", "q00"], "l": [1.0, 1.0, 2.0]})
    series = frame.set_index("q")["l"]
    forms = [
        {"q00": [1.0, 2.0], "q01": [1.0]},
        (series.index, series),
        (frame["q"], frame["l"]),
        frame.groupby("q")["l"].apply(list).to_dict(),
        tuple(zip(*[("q00", 1.0), ("q01", 1.0), ("q00", 2.0)])),
    ]
    values = {sr.ndcg_score(**ROWS, k=10, missed=each) for each in forms}
    assert len(values) == 1
    assert values != {sr.ndcg_score(**ROWS, k=10)}


def test_metrics_warn_if_missed_labels_look_like_document_ids():
    missed = {query: [101, 2044, 17] for query in np.unique(QUERIES)}
    with pytest.warns(sr.RankingWarning, match=r"most labels of 'missed' are above ten times .* \(3\)"):
        sr.ndcg_score(**ROWS, k=10, missed=missed)


@pytest.mark.parametrize("labels", [[20, 3, 1], [25.5, 40.5]])
def test_metrics_do_not_warn_if_missed_labels_are_high_grades_or_amounts(labels):
    rows = {**ROWS, "y_true": ROWS["y_true"] / 3}
    sr.ndcg_score(**rows, k=10, missed={"q00": labels})  # warnings are errors


def test_errors_about_labels_name_missed():
    with pytest.raises(ValueError, match=r"Got 3\.0 for label 4\.0 of 'missed' instead"):
        sr.err_score(**ROWS, max_grade=3, missed={"q00": [4.0]})


@pytest.mark.parametrize(
    ("name", "given"),
    [("cross_val_score", {"X": None}), ("permutation_importance", {}), ("GridSearchCV", {})],
)
def test_functions_without_missed_show_the_scorer_that_takes_it(name, given):
    with pytest.raises(TypeError, match=rf"{name} has no .* Pass scoring=ndcg_scorer\(k=10, missed=missed\)"):
        getattr(sr, name)(None, **given, missed=MISSED)


def test_missed_without_groups_is_an_error():
    with pytest.raises(ValueError, match="must be None without 'groups'"):
        sr.ndcg_score([[1, 0]], [[2, 1]], missed={0: [1.0]})


def test_missed_is_rejected_by_metrics_of_intents():
    inputs = {"intents": np.ones((SHOWN.sum(), 2))}
    with pytest.raises(ValueError, match="'missed' parameter of ranking_scores must be None for metrics of"):
        sr.ranking_scores(**ROWS, metrics=["alpha_ndcg@5"], missed=MISSED, **inputs)


def test_from_run_with_missed_has_the_values_of_all_judged_documents():
    qrels = {"a": {"x": 2, "y": 1, "z": 0}, "b": {"u": 1}, "c": {"v": 1}}
    run = {"a": {"x": 0.1, "w": 0.3}, "b": {"u": 0.5}}
    given = {"queries": "run", "return_items": True, "return_strata": True}
    *rows, documents, strata, missed = sr.from_run(qrels, run, **given, return_missed=True)
    assert documents.tolist() == ["x", "w", "u"]
    assert strata.tolist() == [0, -1, 0]
    assert repr(missed) == "<Missed: 2 labels of 1 queries>"
    assert missed.depth is None
    labels, scores, groups, _ = sr.from_run(qrels, run, queries="run", return_items=True)
    for name in ("ndcg", "map", "recall@2"):
        found = sr.ranking_scores(
            *rows[:2], groups=rows[2], metrics=[name], unjudged="nonrelevant", missed=missed
        )
        assert found == sr.ranking_scores(
            labels, scores, groups=groups, metrics=[name], unjudged="nonrelevant"
        )


def test_readers_of_recommendations_return_missed_items():
    relevant, recommended = {"ann": {"y"}, "bob": {"v", "z"}}, {"ann": ["x", "y"], "bob": ["z"]}
    *rows, missed = sr.from_recommendations(relevant, recommended, return_missed=True)
    assert len(rows[0]) == 3
    values = sr.recall_at_k_score(*rows[:2], groups=rows[2], k=2, average=None, missed=missed)
    assert values.tolist() == [1.0, 0.5]


def test_from_score_matrix_returns_missed_items_with_depth_and_number_of_items():
    scores, relevant = RNG.random((20, 50)), (RNG.random((20, 50)) < 0.1).astype(float)
    *rows, missed = sr.from_score_matrix(relevant, scores, k=5, return_missed=True)
    assert (missed.depth, missed.n_items) == (5, 50)
    found = sr.ranking_scores(
        *rows[:2], groups=rows[2], metrics=["ndcg@5", "recall@5", "map@5"], missed=missed
    )
    (*rows,) = sr.from_score_matrix(relevant, scores)
    assert found == pytest.approx(
        sr.ranking_scores(*rows[:2], groups=rows[2], metrics=["ndcg@5", "recall@5", "map@5"])
    )


def report_in_batches(tmp_path, missed=MISSED):
    """Evaluate a Parquet file, whose rows are read in batches."""
    frame = pytest.importorskip("pandas").DataFrame(
        {"y": LABELS[SHOWN], "s": SCORES[SHOWN], "q": QUERIES[SHOWN]}
    )
    pytest.importorskip("pyarrow")
    frame.sort_values("q", kind="stable").to_parquet(tmp_path / "rows.parquet")
    names = {"data": tmp_path / "rows.parquet", "groups": "q"}
    return sr.evaluate("y", "s", metrics=["ndcg@10", "map"], missed=missed, **names)


def test_evaluate_takes_missed_for_rows_in_batches(tmp_path):
    expected = sr.ranking_scores(**ALL, metrics=["ndcg@10", "map"])
    assert report_in_batches(tmp_path).mean == pytest.approx(expected, rel=1e-14)


def test_evaluate_rejects_missed_of_other_queries_for_rows_in_batches(tmp_path):
    with pytest.raises(ValueError, match="'missed' parameter of evaluate must have query ids of 'groups'"):
        report_in_batches(tmp_path, {"other": [1.0]})


def test_report_of_batches_counts_queries_of_missed_without_rows(tmp_path):
    missed = {"q00": [1.0], "x": [1.0], "y": [1.0]}
    assert report_in_batches(tmp_path, missed).n_without_rows == 2


@pytest.mark.parametrize("keep", [True, False], ids=["queries", "moments"])
def test_evaluator_rejects_missed_of_other_queries_in_the_report(keep):
    evaluator, half = sr.RankingEvaluator(["mrr"], keep_queries=keep), ROWS["groups"] < "q15"
    for rows in (half, ~half):
        evaluator.update(*(values[rows] for values in ROWS.values()), missed={"other": [1.0]})
    match = "'missed' parameter of RankingEvaluator.update must have query ids of 'groups'"
    with pytest.raises(ValueError, match=match):
        evaluator.result()


def test_evaluator_takes_missed_that_only_one_update_meets():
    evaluator, half = sr.RankingEvaluator(["recall@5"]), ROWS["groups"] < "q15"
    for rows in (half, ~half):
        evaluator.update(*(values[rows] for values in ROWS.values()), missed={"q29": [1.0]})
    expected = sr.recall_at_k_score(**ROWS, k=5, missed={"q29": [1.0]})
    assert evaluator.result().mean["recall@5"] == pytest.approx(expected, rel=1e-14)


def test_missed_of_readers_can_be_of_queries_without_rows_only():
    qrels, run = {"a": {"x": 1, "y": 0}, "b": {"u": 1}}, {"a": {"x": 0.5, "y": 0.7}, "b": {}}
    labels, scores, queries, missed = sr.from_run(qrels, run, return_missed=True)
    report = sr.evaluate(labels, scores, groups=queries, metrics=["mrr"], missed=missed)
    assert (report.mean["mrr"], report.n_without_rows) == (0.5, 1)


@pytest.mark.parametrize("name", ["pearson", "bpr_loss"])
def test_missed_is_rejected_by_metrics_of_the_values_of_scores(name):
    with pytest.raises(
        ValueError, match="'missed' parameter of ranking_scores must be None for metrics of the val"
    ):
        sr.ranking_scores(**ROWS, metrics=[name], missed=MISSED)


def test_evaluator_takes_missed_in_each_update():
    evaluator, half = sr.RankingEvaluator(["ndcg@10", "map"]), ROWS["groups"] < "q15"
    for rows in (half, ~half):
        evaluator.update(*(values[rows] for values in ROWS.values()), missed=MISSED)
    assert evaluator.result().mean == pytest.approx(
        sr.ranking_scores(**ALL, metrics=["ndcg@10", "map"]), rel=1e-14
    )


@pytest.mark.parametrize("columns", [{}, {"cluster": QUERIES[SHOWN] > "q15"}])
def test_evaluate_with_missed_has_the_means_of_all_documents(columns):
    report = sr.evaluate(**ROWS, metrics=["ndcg@10", "recall@5"], missed=MISSED, **columns)
    assert report.mean == sr.ranking_scores(**ALL, metrics=["ndcg@10", "recall@5"])


def test_curves_with_missed_equal_those_of_all_documents():
    for curve in (sr.metrics.ndcg_curve, sr.metrics.group_roc_curve, sr.metrics.interpolated_precision_curve):
        given = {"max_k": DEPTH} if curve is sr.metrics.ndcg_curve else {}
        found, expected = curve(**ROWS, missed=MISSED, **given), curve(**ALL, **given)
        assert np.array_equal(found[1], expected[1], equal_nan=True)


def test_tie_report_with_missed_equals_that_of_all_documents():
    given = {"metrics": ["ndcg@10", "map"]}
    assert sr.metrics.tie_report(**ROWS, missed=MISSED, **given) == sr.metrics.tie_report(**ALL, **given)


def test_evaluate_prints_the_number_of_queries_of_missed_without_rows():
    missed = {"q00": [1.0], "x": [1.0], "y": [1.0]}
    report = sr.evaluate(**ROWS, metrics=["ndcg@10"], missed=missed)
    assert report.n_without_rows == 2
    assert str(report).endswith("Excluded: 2 queries of `missed` without rows.")


@pytest.mark.parametrize("name", ["depth", "n_items"])
def test_missed_rejects_counts_below_1(name):
    with pytest.raises(ValueError, match=f"'{name}' parameter of Missed must be an int >= 1 or None. Got 0"):
        Missed(["a"], [1.0], **{name: 0})


def test_missed_rejects_a_table_of_labels():
    with pytest.raises(ValueError, match=r"'labels' parameter of Missed must contain .* Got shape \(1, 2\)"):
        Missed(["a"], [[1.0, 0.0]])


def test_missed_has_a_length_and_is_shared_by_copies():
    assert len(MISSED) == (~SHOWN).sum()
    assert copy.deepcopy(MISSED) is MISSED


@pytest.mark.parametrize("missed", [{}, Missed([], [])])
def test_missed_without_labels_changes_nothing(missed):
    assert sr.ndcg_score(**ROWS, k=5, missed=missed) == sr.ndcg_score(**ROWS, k=5)


def test_scorer_warns_when_missed_has_no_label_of_its_queries():
    scorer = sr.ndcg_scorer(k=5, missed={"another": [1.0]})
    with pytest.warns(sr.RankingWarning, match="No id of 'missed' is in 'groups'"):
        assert scorer.score_rows(**ROWS) == sr.ndcg_score(**ROWS, k=5)


def test_from_score_matrix_with_missed_rejects_data_without_retrieved_items():
    with pytest.raises(ValueError, match="'return_missed' parameter of from_score_matrix must be False"):
        sr.from_score_matrix([[1.0, 0.0]], [[-np.inf, -np.inf]], return_missed=True)


def test_missed_pair_in_another_order_is_an_error():
    frame = pytest.importorskip("pandas").DataFrame({"q": ["q00", "q01"], "l": [0.0, 1.0]})
    with pytest.raises(ValueError, match="must have its rows in the same order"):
        sr.recall_at_k_score(**ROWS, k=5, missed=(frame.q, frame.l.sort_values(ascending=False)))
