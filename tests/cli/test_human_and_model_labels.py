"""`--model-labels` combines the judgments of people and of a model."""

import json

import numpy as np
import pytest

from sklearn_rank import compare, evaluate, from_run


@pytest.fixture
def judged(tmp_path, monkeypatch):
    """The working directory, with two runs of 30 queries, all labeled by a model and 8 by people."""
    monkeypatch.chdir(tmp_path)
    random = np.random.RandomState(0)
    people, model, runs = [], [], {"a": [], "b": []}
    for query, document in np.ndindex(30, 6):
        label, pair = random.randint(3), f"q{query:02d} 0 d{document}"
        model.append(f"{pair} {label if random.uniform() < 0.8 else random.randint(3)}\n")
        people += [f"{pair} {label}\n"] * (query < 8)
        for name, lines in runs.items():
            lines.append(f"q{query:02d} Q0 d{document} 1 {label + random.normal():.4f} {name}\n")
    for name, lines in {"people.qrels": people, "model.qrels": model}.items():
        (tmp_path / name).write_text("".join(lines))
    for name, lines in runs.items():
        (tmp_path / f"{name}.run").write_text("".join(lines))
    return tmp_path


def combine(run):
    """Return the report of both files of judgments."""
    reports = []
    for qrels in ("people.qrels", "model.qrels"):
        y_true, y_score, groups = from_run(qrels, run)
        reports.append(
            evaluate(y_true, y_score, groups=groups, metrics=["map", "mrr"], unjudged="nonrelevant")
        )
    return reports[0].with_model_labels(reports[1])


WORDS = ["--model-labels", "model.qrels", "-m", "map", "-m", "mrr"]


def test_evaluate_command_prints_the_report_with_model_labels(judged, run_command):
    found = run_command("evaluate", "people.qrels", "a.run", *WORDS)
    assert found == (0, f"{combine('a.run')}\n", "")


def test_evaluate_command_writes_the_worth_of_model_labels(judged, run_command):
    rows = json.loads(run_command("evaluate", "people.qrels", "a.run", *WORDS, "--format", "json")[1])
    assert rows[0]["worth"] == combine("a.run").model_labels["map"].worth


def test_compare_command_uses_model_labels(judged, run_command):
    found = run_command("compare", "people.qrels", "a.run", "b.run", *WORDS)
    reports = {name: combine(f"{name}.run") for name in "ab"}
    assert found == (0, f"{compare(reports)}\n", "")


@pytest.mark.parametrize("option", ["", "-J"])
def test_model_labels_require_all_documents_of_some_query(option, judged, run_command):
    lines = (judged / "people.qrels").read_text().splitlines(keepends=True)
    (judged / "people.qrels").write_text("".join(line for line in lines if " d3 " not in line))
    found = run_command("evaluate", "people.qrels", "a.run", *WORDS, *option.split())
    rule = "must label all documents of a query, got fewer for each query than in model.qrels"
    fix = "Label fewer queries completely, or pass -M N if people labeled the top N"
    assert found == (1, "", f"sklearn-rank: people.qrels: {rule}. {fix}\n")


def test_model_labels_must_contain_all_queries_of_people(judged, run_command):
    words = ["evaluate", "model.qrels", "a.run", "-m", "map", "--model-labels", "people.qrels"]
    code, out, err = run_command(*words)
    assert (code, out) == (1, "")
    assert err.startswith("sklearn-rank: people.qrels: must contain all queries of the report, got 22 of 30")


@pytest.mark.parametrize("words", ["-q", "--by kind", "--format trec_eval"])
def test_model_labels_are_rejected_with_other_outputs(words, judged, run_command):
    code, _, err = run_command(
        "evaluate", "people.qrels", "a.run", "--model-labels", "model.qrels", *words.split()
    )
    assert code == 2
    assert "--model-labels cannot be combined with" in err
