"""Runs are named by their tags, or else by their files."""

import gzip
import os
import threading

import pytest

LINES = "q1 Q0 a 1 2 {0}\nq2 Q0 a 1 5 {0}\n"


def list_names(run_command, *files):
    words = ["a.qrels", *files, "--drop-missing", "-m", "mrr", "--format", "csv"]
    code, out, err = run_command("evaluate", *words)
    assert (code, err) == (0, "")
    return out.splitlines()[0].split(",")[1:]


@pytest.fixture
def files(folder):
    (folder / "old.run").write_text(LINES.format("bm25"))
    (folder / "new.run").write_text(LINES.format("dense"))
    (folder / "other.run").write_text(LINES.format("bm25"))
    (folder / "metric.run").write_text(LINES.format("metric"))
    (folder / "more").mkdir()
    (folder / "more" / "old.run").write_text(LINES.format("bm25"))
    (folder / "old.txt").write_text(LINES.format("bm25"))
    (folder / "new.run.gz").write_bytes(gzip.compress((folder / "new.run").read_bytes()))
    (folder / "table.csv").write_text("query,document,score\nq1,a,1\n")


@pytest.mark.parametrize(
    ("runs", "names"),
    [
        (["old.run"], ["bm25"]),
        (["old.run", "new.run"], ["bm25", "dense"]),
        (["old.run", "new.run.gz"], ["bm25", "dense"]),
        (["old.run", "table.csv"], ["bm25", "table"]),
        (["old.run", "other.run", "new.run"], ["old", "other", "new"]),
        (["old.run", "old.txt"], ["old.run", "old.txt"]),
        (["old.run", "more/old.run"], ["old.run", "more/old.run"]),
        (["old.run", "metric.run"], ["old.run", "metric.run"]),
    ],
)
def test_runs_are_named_by_tags_unless_two_are_equal(runs, names, files, run_command):
    assert list_names(run_command, *runs) == names


@pytest.mark.skipif(not os.path.isdir("/dev/fd"), reason="no process substitution")
@pytest.mark.parametrize(
    ("tags", "names"), [(("one", "two"), ["one", "two"]), (("x", "x"), ["run 1", "run 2"])]
)
def test_runs_from_process_substitution_are_named_by_tags(tags, names, folder, run_command):
    ends = [os.pipe() for _ in tags]
    for (_, end), tag in zip(ends, tags):
        data = LINES.format(tag).encode()
        threading.Thread(target=lambda end=end, data=data: (os.write(end, data), os.close(end))).start()
    try:
        assert list_names(run_command, *(f"/dev/fd/{end}" for end, _ in ends)) == names
    finally:
        for end, _ in ends:
            os.close(end)


@pytest.mark.parametrize("baseline", ["dense", "new", "new.run"])
def test_compare_command_finds_the_baseline_by_tag_or_file(baseline, files, run_command):
    words = ["a.qrels", "old.run", "new.run", "-c", "-m", "mrr", "--baseline", baseline]
    code, out, _ = run_command("compare", *words)
    assert (code, out.splitlines()[0]) == (0, '2 queries, difference from "dense", paired t test')


@pytest.mark.parametrize("content", [b"", b"\x1f\x8b\x08\x00broken", b"q1 Q0 a 1 high x\n"])
def test_command_names_the_file_of_an_invalid_run(content, folder, run_command):
    (folder / "a.run").write_bytes(content)
    code, out, err = run_command("evaluate", "a.qrels", "a.run")
    assert (code, out) == (1, "")
    assert err.startswith("sklearn-rank: a.run:")
