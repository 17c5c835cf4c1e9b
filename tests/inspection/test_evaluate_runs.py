"""`evaluate_runs` reports several runs, as `from_run` and `evaluate` report one."""

import pathlib

import numpy as np
import pandas as pd
import pytest

from sklearn_rank import RankingWarning, compare, evaluate, evaluate_runs, from_run
from sklearn_rank._cli import main
from sklearn_rank.datasets import _runs, to_run

METRICS = ["ndcg@5", "map", "infap"]


def draw(n_queries=25, n_documents=30):
    """Return judgments with unjudged and pooled documents, and two runs."""
    random = np.random.default_rng(0)
    qrels, runs = {}, {"bm25": {}, "dense": {}}
    for query in range(n_queries):
        names = [f"d{place}" for place in range(n_documents)]
        grades = random.integers(-1, 3, n_documents // 2)
        qrels[f"q{query}"] = dict(zip(names, grades.tolist()))
        for run in runs.values():
            chosen = random.choice(names, 12, replace=False)
            run[f"q{query}"] = dict(zip(chosen.tolist(), random.random(12).tolist()))
    return qrels, runs


def list_values(report):
    return {name: report.values[name].tolist() for name in report.values}


def test_reports_equal_those_of_single_runs():
    qrels, runs = draw()
    reports = evaluate_runs(qrels, runs, metrics=METRICS, ties="order", min_relevance=2)
    for name, run in runs.items():
        *rows, strata = from_run(qrels, run, queries="judged", return_strata=True)
        options = {"unjudged": "nonrelevant", "ties": "order", "min_relevance": 2}
        expected = evaluate(*rows[:2], groups=rows[2], strata=strata, metrics=METRICS, **options)
        assert list_values(reports[name]) == list_values(expected)


def test_means_equal_those_of_the_command_line(tmp_path, capsys):
    qrels, runs = draw()
    lines = [f"{query} 0 {name} {grade}\n" for query, each in qrels.items() for name, grade in each.items()]
    (tmp_path / "qrels.txt").write_text("".join(lines))
    for name, run in runs.items():
        rows = [(query, document, score) for query, each in run.items() for document, score in each.items()]
        queries, documents, scores = (list(column) for column in zip(*rows))
        to_run(scores, queries, documents, tmp_path / f"{name}.run")
    files = [str(tmp_path / name) for name in ("qrels.txt", "bm25.run", "dense.run")]
    options = [word for name in METRICS for word in ("-m", name)]
    assert main(["evaluate", "-c", *files, *options, "--format", "csv"]) == 0
    header, *printed, counts = capsys.readouterr().out.split()
    assert counts == "queries,25,25"
    assert header == "metric,bm25,dense"
    reports = evaluate_runs(files[0], dict(zip(runs, files[1:])), metrics=METRICS)
    for line in printed:
        metric, *values = line.split(",")
        found = [reports[name].mean[metric] for name in runs]
        assert found == pytest.approx([float(value) for value in values], abs=1e-12)


def test_identical_ids_are_ignored_in_all_runs():
    runs = {"x": {"q1": {"q1": 3.0, "a": 2.0}, "q2": {"b": 1.0, "a": 0.5}}}
    qrels = {"q1": {"a": 1}, "q2": {"b": 1}}
    assert evaluate_runs(qrels, runs, metrics=["mrr"], ignore_identical_ids=True)["x"].mean["mrr"] == 1
    assert evaluate_runs(qrels, runs, metrics=["mrr"])["x"].mean["mrr"] == 0.75


def test_large_files_are_read_in_pieces(tmp_path, monkeypatch):
    pytest.importorskip("pyarrow")
    qrels, runs = draw()
    lines = [
        f"{query} Q0 {name} 0 {score!r} t"
        for query, name, score in as_frame(runs["bm25"]).to_numpy().tolist()
    ]
    path = tmp_path / "bm25.run"
    path.write_text("\n".join(lines) + "\n")
    expected = evaluate_runs(qrels, {"bm25": runs["bm25"]}, metrics=METRICS)["bm25"]
    monkeypatch.setattr(_runs, "LARGE", 1)
    monkeypatch.setattr(_runs, "join_run", None)  # reads the whole file
    assert list_values(evaluate_runs(qrels, {"bm25": path}, metrics=METRICS)["bm25"]) == list_values(expected)


def as_frame(run):
    rows = [(query, name, score) for query, scores in run.items() for name, score in scores.items()]
    return pd.DataFrame(rows, columns=["query", "item", "mark"])


def test_runs_of_several_forms_share_names_of_columns_and_exclude():
    qrels, runs = draw()
    given = {"bm25": runs["bm25"], "dense": as_frame(runs["dense"])}
    columns, exclude = {"score": "mark"}, {"q3": ["d1", "d2"]}
    found = evaluate_runs(qrels, given, metrics=["map"], columns=columns, exclude=exclude, depth=5)
    for name, run in runs.items():
        rows = from_run(qrels, run, exclude=exclude, depth=5)
        expected = evaluate(*rows[:2], groups=rows[2], metrics=["map"], unjudged="nonrelevant")
        assert list_values(found[name]) == list_values(expected)


def test_judgments_can_be_an_iterator():
    qrels, runs = draw()

    class Judgment:
        def __init__(self, query_id, doc_id, relevance):
            self.query_id, self.doc_id, self.relevance = query_id, doc_id, relevance

    objects = (Judgment(query, name, grade) for query, each in qrels.items() for name, grade in each.items())
    assert (
        evaluate_runs(objects, runs, metrics=["map"])["dense"].mean
        == evaluate_runs(qrels, runs, metrics="map")["dense"].mean
    )


def test_queries_that_a_run_lacks_count_and_are_named():
    qrels = {"q1": {"a": 1}, "q2": {"a": 1}, "q3": {"b": 1, "c": 0}}
    runs = {"whole": {name: {"a": 2.0, "b": 1.0} for name in qrels}, "part": {"q1": {"a": 2.0, "b": 1.0}}}
    rule = "evaluate_runs for run 'part': the run has no document for 2 of 3 queries, such as 'q2'"
    with pytest.warns(RankingWarning, match=rule):
        reports = evaluate_runs(qrels, runs, metrics=["mrr"])
    assert {name: report.mean["mrr"] for name, report in reports.items()} == {"whole": 2.5 / 3, "part": 1 / 3}
    assert compare(reports).n_queries == 3


def test_queries_that_a_run_lacks_are_excluded_if_asked():
    qrels = {"q1": {"a": 1}, "q2": {"a": 1}}
    reports = evaluate_runs(qrels, {"part": {"q1": {"a": 2.0, "b": 1.0}}}, metrics=["mrr"], queries="both")
    assert reports["part"].ids.tolist() == ["q1"]


GRADES = {f"q{number}": {"a": 1, "b": 0, "c": 0} for number in range(20)}
SUSPICIOUS = {
    "ranks that contradict scores": (
        pd.DataFrame({"qid": "q1", "docno": ["a", "b"], "score": [2.0, 1.0], "rank": [2, 1]}),
        "the ranks in 'run' contradict",
    ),
    "ranks": (pd.DataFrame({"qid": "q1", "docno": ["a", "b"], "rank": [2, 1]}), "'run' has ranks and no"),
    "other ids": ({"q1": {"A": 2.0, "B": 1.0}}, "no document of 'run' is in 'qrels' for 1 of 1 queries"),
}


@pytest.mark.parametrize("case", SUSPICIOUS)
def test_evaluate_runs_warnings_name_the_run(case):
    run, fact = SUSPICIOUS[case]
    good = {name: dict(zip("abcdef", range(6, 0, -1))) for name in GRADES}
    with pytest.warns(RankingWarning) as caught:
        evaluate_runs(GRADES, {"good": good, "bad": run}, metrics=["recall@5"], queries="both")
    texts = [str(each.message) for each in caught]
    assert texts == [text for text in texts if text.startswith("evaluate_runs for run 'bad'")]
    assert any(fact in text for text in texts)


@pytest.mark.parametrize(
    ("runs", "rule"),
    [
        ([{"q1": {"a": 1}}], "'runs' parameter of evaluate_runs must be a mapping of names to runs"),
        ({}, "'runs' parameter of evaluate_runs must contain a run"),
        (
            {"y": {"q1": {"a": 1.0}}, "x": {1: {"a": 1.0}}},
            r"ids of the same type as 'runs\['x'\]', such as 1",
        ),
        (
            {"x": {"q1": 1}},
            r"'runs' parameter of evaluate_runs must be a mapping of names to runs. Got one run",
        ),
        (
            {"x": {"q9": {"a": 1}}},
            r"'runs\['x'\]' parameter of evaluate_runs must contain a query of 'qrels'",
        ),
    ],
)
def test_errors_name_the_run(runs, rule):
    with pytest.raises(ValueError, match=rule):
        evaluate_runs({"q1": {"a": 1}}, runs, metrics=["map"])


@pytest.mark.parametrize(
    ("option", "value"), [("queries", "all"), ("depth", 0), ("columns", 3), ("unjudged", "other")]
)
def test_invalid_options_raise_errors(option, value):
    with pytest.raises(ValueError, match=f"'{option}' parameter of evaluate_runs"):
        evaluate_runs({"q1": {"a": 1}}, {"x": {"q1": {"a": 1.0}}}, metrics=["map"], **{option: value})


@pytest.mark.parametrize("qrels", [{"q1": {"a": 1}}, "qrels.txt", pathlib.Path("qrels.txt")])
def test_evaluate_names_evaluate_runs_for_judgments(qrels):
    with pytest.raises(ValueError, match=r"sklearn_rank\.evaluate_runs\(qrels, {'name': run}, metrics="):
        evaluate(qrels, {"q1": {"a": 1.0}}, metrics=["map"])


def test_evaluate_names_evaluate_runs_for_frames_of_judgments():
    qrels = pd.DataFrame({"qid": ["q1"], "docno": ["a"], "label": [1]})
    with pytest.raises(ValueError, match=r"Pass one column.*evaluate_runs"):
        evaluate(qrels, qrels, metrics=["map"])


QRELS_BY_INTENT = "q1 1 a 1\nq1 2 b 1\nq1 2 c 0\nq2 1 a 2\nq2 3 b 1\n"
RUN = {"q1": {"a": 3.0, "x": 2.0, "b": 1.0}, "q2": {"c": 2.0, "b": 1.0}}


def test_metrics_of_intents_are_those_of_from_run(tmp_path):
    (tmp_path / "qrels").write_text(QRELS_BY_INTENT)
    names = ["alpha_ndcg@10", "subtopic_recall@2", "ndcg@10", "infap"]
    opposite = {query: {name: -score for name, score in each.items()} for query, each in RUN.items()}
    reports = evaluate_runs(tmp_path / "qrels", {"a": RUN, "b": opposite}, metrics=names)
    for name, run in {"a": RUN, "b": opposite}.items():
        intents, y_score, groups = from_run(tmp_path / "qrels", run, intents=True)
        best = np.fmax.reduce(intents, axis=1)
        options = {"metrics": names, "intents": intents, "strata": np.where(np.isnan(best), -1, 0)}
        expected = evaluate(best, y_score, groups=groups, unjudged="nonrelevant", **options)
        assert list_values(reports[name]) == list_values(expected)
    assert reports["a"].query("q1")["subtopic_recall@2"] == 0.5


def test_metrics_of_intents_equal_those_of_the_command_line(tmp_path, capsys):
    (tmp_path / "qrels").write_text(QRELS_BY_INTENT)
    lines = [
        f"{query} Q0 {name} 0 {score} a\n" for query, each in RUN.items() for name, score in each.items()
    ]
    (tmp_path / "a.run").write_text("".join(lines))
    names, files = ["alpha_ndcg@10", "map"], [tmp_path / "qrels", tmp_path / "a.run"]
    words = ["evaluate", *map(str, files), "-m", names[0], "-m", names[1], "--format", "csv"]
    assert main(words) == 0
    printed = dict(line.split(",") for line in capsys.readouterr().out.split()[1:-1])
    found = evaluate_runs(files[0], {"a": files[1]}, metrics=names)["a"].mean
    assert found == pytest.approx({name: float(value) for name, value in printed.items()}, abs=1e-12)


@pytest.mark.parametrize(
    ("metrics", "expected"),
    [
        ("alpha-ndcg@10", r'must be written "alpha_ndcg@10"'),
        ("catalog_coverage@10", "must depend only on labels and scores"),
    ],
)
def test_metrics_with_other_inputs_are_explained(metrics, expected):
    with pytest.raises(ValueError, match=f"'metrics' parameter of evaluate_runs {expected}"):
        evaluate_runs({"q": {"a": 1}}, {"a": {"q": {"a": 1.0}}}, metrics=metrics)


@pytest.mark.parametrize("metric", ["neg_bpr_loss", "pearson", "neg_log_loss", "roc_auc"])
def test_metrics_of_scores_need_a_score_for_all_judged_documents(metric):
    qrels, run = {"q": {"a": 1, "b": 0, "c": 0}}, {"q": {"a": 0.9, "b": 0.2}}
    with pytest.raises(ValueError, match=f"'metrics' parameter of evaluate_runs .* ranks .* Got '{metric}'"):
        evaluate_runs(qrels, {"x": run}, metrics=["mrr", metric])
    whole = {"q": {**run["q"], "c": 0.1}}
    assert evaluate_runs(qrels, {"x": whole}, metrics=["mrr", metric])["x"].mean["mrr"] == 1


def test_metrics_of_intents_need_subtopics():
    with pytest.raises(ValueError, match=r"'qrels' .* must be a file or a frame with subtopics. Got dict"):
        evaluate_runs({"q": {"a": 1}}, {"a": {"q": {"a": 1.0}}}, metrics="alpha_ndcg@10")
