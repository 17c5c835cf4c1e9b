"""`duplicates="max"`: several chunks of a document count as the best one."""

import re

import numpy as np
import pandas as pd
import pytest

from sklearn_rank import evaluate_runs, from_embeddings, from_run
from sklearn_rank._cli import main
from sklearn_rank.datasets import _embedding_search, _runs, from_recommendations, from_two_runs

QRELS = {"q1": {"a": 1, "b": 0, "e": 2}, "q2": {"d": 1}}
BEST = {"q1": {"a": 0.9, "b": 0.8, "c": 0.7}, "q2": {"a": 0.3, "d": 0.2}}  # score of the best chunk
LINES = [
    *[("q1", "a", 0.75), ("q1", "b", 0.8), ("q1", "a", 0.9), ("q1", "a", -0.5), ("q1", "c", 0.7)],
    *[("q2", "d", 0.1), ("q2", "a", 0.3), ("q2", "d", 0.2)],
]


def write_run(path, lines=LINES):
    path.write_text("".join(f"{query} Q0 {name} 0 {score} t\n" for query, name, score in lines))
    return path


def make_frame(lines=LINES):
    return pd.DataFrame(lines, columns=["query", "document", "score"])


def assert_same(found, expected):
    for one, other in zip(found, expected, strict=True):
        np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize("depth", [None, 1, 2])
@pytest.mark.parametrize("queries", ["both", "judged", "run"])
def test_from_run_keeps_the_best_chunk(queries, depth, tmp_path):
    options = {"queries": queries, "depth": depth, "return_items": True, "return_strata": True}
    expected = from_run(QRELS, BEST, **options)
    for run in (make_frame(), write_run(tmp_path / "a.run")):
        assert_same(from_run(QRELS, run, duplicates="max", **options), expected)


def test_from_run_keeps_the_highest_grade():
    rows = [("q1", "a", 0), ("q1", "a", 1), ("q1", "b", -1), ("q1", "b", 0), ("q1", "e", 2), ("q2", "d", 1)]
    qrels = pd.DataFrame(rows, columns=["query", "document", "grade"])
    assert_same(from_run(qrels, BEST, duplicates="max"), from_run(QRELS, BEST))


def test_from_run_merges_chunks_of_a_large_file(tmp_path, monkeypatch):
    monkeypatch.setattr(_runs, "LARGE", 1)
    (tmp_path / "qrels").write_text("q1 0 a 1\nq1 0 b 0\nq1 0 e 2\nq2 0 d 1\n")
    found = from_run(tmp_path / "qrels", write_run(tmp_path / "a.run"), duplicates="max")
    assert_same(found, from_run(QRELS, BEST))


def test_excluded_and_identical_documents_lose_all_chunks():
    run = make_frame([*LINES, ("q2", "q2", 5.0), ("q2", "q2", 6.0)])
    options = {"exclude": {"q1": ["a"]}, "ignore_identical_ids": True}
    assert_same(from_run(QRELS, run, duplicates="max", **options), from_run(QRELS, BEST, **options))


def test_evaluate_runs_counts_documents_after_merging():
    names = ["precision@2", "ndcg@3", "map"]
    reports = evaluate_runs(QRELS, {"a": make_frame(), "b": BEST}, metrics=names, duplicates="max")
    assert reports["a"].mean == reports["b"].mean
    assert reports["a"].query("q1")["precision@2"] == 0.5  # of a and b, not of two chunks of a


# ------------------------------------------------------------------ from_embeddings


def draw(n_documents=12, n_chunks=60, seed=0):
    """Return judgments, vectors of queries and chunks with many ties, and the document of each chunk."""
    random = np.random.default_rng(seed)
    names = np.array([f"d{place:02}" for place in range(n_documents)])
    owners = random.choice(names, n_chunks)
    qrels = {place: {str(name): 1 for name in random.choice(owners, 4)} for place in range(5)}
    return qrels, random.integers(-2, 3, (5, 3)).astype(float), random.integers(-2, 3, (n_chunks, 3)), owners


@pytest.mark.parametrize("block", [(256, 16384), (2, 7), (1, 1)])
@pytest.mark.parametrize("k", [1, 5, 100])
@pytest.mark.parametrize("n_documents", [1, 3, 12])
def test_from_embeddings_retrieves_k_documents(n_documents, k, block, monkeypatch):
    monkeypatch.setattr(_embedding_search, "BLOCK", block)
    qrels, queries, chunks, owners = draw(n_documents)
    best = {}
    for place, row in enumerate(queries @ chunks.T):
        for owner, score in zip(owners.tolist(), row.tolist(), strict=True):
            of_query = best.setdefault(place, {})
            of_query[owner] = max(of_query.get(owner, -np.inf), score)
    options = {"similarity": "dot", "duplicates": "max", "return_items": True}
    found = from_embeddings(qrels, queries, chunks, document_ids=owners, k=k, **options)
    assert_same(found, from_run(qrels, best, queries="both", depth=k, return_items=True))


def test_from_embeddings_returns_missed_documents_of_chunks():
    qrels, queries, chunks, owners = draw()
    options = {"document_ids": owners, "k": 2, "duplicates": "max"}
    rows = from_embeddings(qrels, queries, chunks, **options)
    *found, missed = from_embeddings(qrels, queries, chunks, **options, return_missed=True)
    assert len(missed) == np.isneginf(rows[1]).sum() > 0
    assert len(found[0]) == 10


# ------------------------------------------------------------------ errors


def call_from_run(**options):
    return from_run(QRELS, make_frame(), **options)


def call_with_grades(**options):
    qrels = pd.DataFrame({"query": ["q1"] * 2, "document": ["a"] * 2, "grade": [1, 1]})
    return from_run(qrels, BEST, **options)


def call_evaluate_runs(**options):
    return evaluate_runs(QRELS, {"bm25": make_frame()}, metrics=["map"], **options)["bm25"].mean


def call_from_embeddings(**options):
    ids = {"query_ids": ["q1"], "document_ids": ["a", "a"]}
    return from_embeddings(QRELS, [[1.0, 0.0]], np.eye(2), **ids, **options)


CALLS = [call_from_run, call_with_grades, call_evaluate_runs, call_from_embeddings]


@pytest.mark.parametrize("call", CALLS)
def test_error_of_a_repeated_document_shows_the_option(call):
    with pytest.raises(ValueError, match="chunks of a document, pass duplicates='max'") as caught:
        call()
    [fix] = re.findall(r"pass (duplicates='max')\.", str(caught.value))
    assert call(**eval(f"dict({fix})"))


@pytest.mark.parametrize("call", CALLS)
def test_readers_reject_other_ways_to_merge(call):
    with pytest.raises(ValueError, match=r"'duplicates' .* must be one of 'raise', 'max'. Got 'mean'"):
        call(duplicates="mean")


def test_readers_without_the_option_do_not_suggest_it():
    for call in (
        lambda: from_recommendations({"u": ["a"]}, {"u": ["a", "a"]}),
        lambda: from_two_runs(make_frame(), BEST),
    ):
        with pytest.raises(ValueError, match="once per") as caught:
            call()
        assert "duplicates" not in str(caught.value)


# ------------------------------------------------------------------ command line


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.qrels").write_text("q1 0 a 1\nq1 0 b 0\nq1 0 e 2\nq2 0 d 1\n")
    write_run(tmp_path / "chunks.run")
    best = [(query, name, score) for query, each in BEST.items() for name, score in each.items()]
    write_run(tmp_path / "best.run", best)
    make_frame().to_csv(tmp_path / "chunks.csv", index=False)
    return tmp_path


@pytest.mark.parametrize(
    "command",
    [
        "evaluate a.qrels {} -m ndcg@2 -m map -q",
        "evaluate a.qrels {} -M 2 -m map",
        "evaluate a.qrels {} -m map -m P.5 --format trec_eval",
        "ties a.qrels {} -m map",
    ],
)
@pytest.mark.parametrize("run", ["chunks.run", "chunks.csv"])
def test_commands_count_the_best_chunk(command, run, folder, capsys):
    outputs = []
    for words in (command.format("best.run"), f"{command.format(run)} --duplicates max"):
        assert main(words.split()) == 0
        outputs.append(capsys.readouterr().out.replace("chunks", "best"))
    assert outputs[0] == outputs[1]


def test_command_shows_the_option_for_a_repeated_document(folder, capsys):
    words = ["evaluate", "a.qrels", "chunks.run", "-m", "map"]
    assert main(words) == 1
    error = capsys.readouterr().err
    assert "chunks.run:3: must contain each document once per query" in error
    [fix] = re.findall(r"of a document, pass (.*)\n", error)
    assert main([*words, *fix.split()]) == 0


def test_command_without_the_option_does_not_suggest_it(folder, capsys):
    assert main(["rbo", "chunks.run", "best.run"]) == 1
    assert "--duplicates" not in capsys.readouterr().err
