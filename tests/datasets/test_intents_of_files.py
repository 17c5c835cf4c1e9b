"""Judgments of several intents in files, frames and tables."""

import io
import json

import numpy as np
import pytest

from sklearn_rank import from_run
from sklearn_rank._cli import main

QRELS = b"1 1 a 1\n1 10 a 2\n1 2 b 1\n1 10 c -1\n2 1 a 1\n2 3 e 2\n2 3 f 0\n"
RUN = b"1 Q0 x 1 9 t\n1 Q0 b 2 8 t\n2 Q0 f 1 3 t\n2 Q0 a 2 2 t\n"
EXPECTED = {  # intents of query 1 are 1, 2 and 10; those of query 2 are 1 and 3
    ("1", "x"): [np.nan] * 3,
    ("1", "c"): [0, 0, np.nan],
    ("1", "b"): [0, 1, 0],
    ("1", "a"): [1, 0, 2],
    ("2", "f"): [0, 0, 0],
    ("2", "e"): [0, 2, 0],
    ("2", "a"): [1, 0, 0],
}


def test_from_run_returns_a_column_for_each_intent_of_a_query():
    y_true, y_score, groups, items = from_run(
        io.BytesIO(QRELS), io.BytesIO(RUN), intents=True, return_items=True
    )
    assert list(zip(groups.tolist(), items.tolist())) == list(EXPECTED)
    np.testing.assert_array_equal(y_true, list(EXPECTED.values()))
    assert y_score.tolist() == [9, -np.inf, 8, -np.inf, 3, -np.inf, 2]


@pytest.mark.parametrize("name", ["intent", "subtopic", "aspect"])
def test_from_run_reads_intents_of_frames_and_tables(name):
    pandas = pytest.importorskip("pandas")
    rows = [line.split() for line in QRELS.decode().splitlines()]
    frame = pandas.DataFrame(rows, columns=["qid", name, "docno", "label"]).astype({"label": int})
    columns = {"intent": name}
    for given in (frame, io.BytesIO(frame.to_csv(index=False).encode())):
        y_true = from_run(given, io.BytesIO(RUN), columns=columns, intents=True)[0]
        np.testing.assert_array_equal(y_true, list(EXPECTED.values()))


@pytest.mark.parametrize(
    ("qrels", "expected"),
    [
        (b"1 0 a 1\n1 0 b 1\n", "contain several subtopics .* Got only '0'"),
        (QRELS + b"1 2 b 0\n", "each document once per subtopic. Got a second document 'b' .* in line 8"),
        (b'{"1": {"a": 1}}', "be a TREC file or a table with subtopics. Got JSON"),
        (b"qid,docno,label\n1,a,1\n", "have one column 'intent'"),
    ],
)
def test_from_run_rejects_judgments_without_intents(qrels, expected):
    with pytest.raises(ValueError, match=expected):
        from_run(io.BytesIO(qrels), io.BytesIO(RUN), intents=True)


@pytest.mark.parametrize("option", ["return_strata", "return_missed"])
def test_from_run_rejects_intents_with_options_of_single_labels(option):
    with pytest.raises(ValueError, match=r"'intents' .* be False with return_strata or return_missed"):
        from_run(io.BytesIO(QRELS), io.BytesIO(RUN), intents=True, **{option: True})


def test_from_run_rejects_intents_of_dicts():
    with pytest.raises(ValueError, match=r"'qrels' .* be a file or a frame with subtopics. Got dict"):
        from_run({"1": {"a": 1}}, io.BytesIO(RUN), intents=True)


def test_commands_use_intents_in_reports_and_comparisons(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.qrels").write_bytes(QRELS)
    (tmp_path / "a.run").write_bytes(RUN)
    (tmp_path / "b.run").write_bytes(RUN.replace(b" x ", b" a "))
    words = ["a.qrels", "a.run", "b.run", "-m", "subtopic_recall@2", "--format", "json"]
    assert main(["compare", *words]) == 0
    (row,) = json.loads(capsys.readouterr().out)
    assert sorted((row["mean"], row["other_mean"])) == pytest.approx([5 / 12, 3 / 4])
    assert main(["evaluate", *words, "--confidence-level", "0.9"]) == 0
    assert [row["mean"] for row in json.loads(capsys.readouterr().out)] == pytest.approx([5 / 12, 3 / 4])


@pytest.mark.parametrize(
    ("command", "words", "expected"),
    [
        ("ties", [], "metrics of several intents are not supported here"),
        ("evaluate", ["-J"], "-J cannot be combined with metrics of several intents"),
        ("evaluate", ["-m", "novelty"], "-m must depend only on labels and scores"),
    ],
)
def test_commands_reject_options_without_a_meaning_for_intents(command, words, expected, tmp_path, capsys):
    (tmp_path / "a.qrels").write_bytes(QRELS)
    (tmp_path / "a.run").write_bytes(RUN)
    files = [str(tmp_path / "a.qrels"), str(tmp_path / "a.run")]
    assert main([command, *files, "-m", "alpha_ndcg@10", *words]) == 2
    assert expected in capsys.readouterr().err
