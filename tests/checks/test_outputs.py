"""Files are written as a whole or not at all, by every function and command that writes."""

import os
import resource
import signal
import stat
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pytest

from sklearn_rank import RankingReport, compare, from_run
from sklearn_rank._cli import main
from sklearn_rank.datasets import to_qrels, to_run

N = 5000
NOBODY = 65534  # a user without permissions
SCORES, QUERIES, DOCUMENTS = np.linspace(0, 1, N), np.arange(N) // 10, np.arange(N)
REPORT = RankingReport.from_values(range(8), {"mrr": [0.5, 1, 1, 0.5, 1, 0.25, 1, 0.5]})


def plot(path):
    folder = path.parent
    if not (folder / "a.run").exists():
        (folder / "a.qrels").write_text("q1 0 a 1\nq2 0 a 1\n")
        (folder / "a.run").write_text("q1 Q0 a 1 1 t\nq2 Q0 b 1 1 t\n")
    if main(["plot", str(folder / "a.qrels"), str(folder / "a.run"), "-o", str(path)]):
        raise OSError("exit code")


# The functions and commands that write a file, with its name.
WRITERS = {
    "to_run": (lambda path: to_run(SCORES, QUERIES, DOCUMENTS, path), "a.txt"),
    "to_run in gzip": (lambda path: to_run(SCORES, QUERIES, DOCUMENTS, path), "a.txt.gz"),
    "to_qrels": (lambda path: to_qrels(SCORES, QUERIES, DOCUMENTS, path), "a.txt"),
    "to_html of a report": (REPORT.to_html, "a.html"),
    "to_html of a comparison": (lambda path: compare({"a": REPORT, "b": REPORT}).to_html(path), "a.html"),
    "plot": (plot, "a.png"),
}
each_writer = pytest.mark.parametrize(("write", "name"), WRITERS.values(), ids=WRITERS)


@pytest.fixture(autouse=True)
def need_matplotlib():
    pytest.importorskip("matplotlib")


@pytest.fixture
def full_disk():
    """Limit the size of files to 1,000 bytes."""
    handler = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)

    def fill():
        resource.setrlimit(resource.RLIMIT_FSIZE, (1000, limits[1]))

    yield fill
    resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    signal.signal(signal.SIGXFSZ, handler)


@each_writer
def test_writer_leaves_an_existing_file_unchanged_when_the_disk_is_full(
    write, name, tmp_path, full_disk, capsys
):
    path = tmp_path / name
    write(path)
    path.write_bytes(b"old")
    before = sorted(tmp_path.iterdir())
    full_disk()
    with pytest.raises(OSError, match=r"File too large|exit code"):
        write(path)
    assert path.read_bytes() == b"old"
    assert sorted(tmp_path.iterdir()) == before
    assert ".tmp" not in capsys.readouterr().err


def test_writer_leaves_an_existing_file_unchanged_after_an_interrupt(tmp_path, monkeypatch):
    path = tmp_path / "a.run"
    path.write_bytes(b"old")

    def interrupt(number):
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "fsync", interrupt)
    with pytest.raises(KeyboardInterrupt):
        to_run([1], ["q"], ["a"], path)
    assert path.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [path]


@pytest.fixture
def read_only_folder():
    """Make a folder that the test cannot change later, even if it runs as root."""
    with TemporaryDirectory() as name:
        folder, user = Path(name), os.geteuid()

        def lock():
            folder.chmod(0o555)
            if user == 0:
                os.seteuid(NOBODY)

        yield folder, lock
        os.seteuid(user)
        folder.chmod(0o755)


@pytest.mark.parametrize("exists", [True, False])
@each_writer
def test_writer_changes_nothing_in_a_read_only_folder(write, name, exists, read_only_folder, capsys):
    folder, lock = read_only_folder
    path = folder / name
    write(path)
    path.write_bytes(b"old") if exists else path.unlink()
    before = {each: each.read_bytes() for each in folder.iterdir()}
    lock()
    with pytest.raises(OSError, match=r"Permission denied|exit code") as caught:
        write(path)
    assert {each: each.read_bytes() for each in folder.iterdir()} == before
    assert str(path) in str(caught.value) + capsys.readouterr().err


@each_writer
def test_writer_keeps_links_and_permissions(write, name, tmp_path):
    path, link = tmp_path / f"real_{name}", tmp_path / name
    path.write_bytes(b"old")
    path.chmod(0o640)
    link.symlink_to(path)
    write(link)
    assert link.is_symlink()
    assert path.read_bytes() not in (b"", b"old")
    assert stat.S_IMODE(path.stat().st_mode) == 0o640


@each_writer
def test_writer_names_the_path_in_errors(write, name, tmp_path, capsys):
    (tmp_path / name).mkdir()
    for path in (tmp_path / name, tmp_path / "missing" / name):
        if write is plot and path.parent != tmp_path:
            continue
        with pytest.raises(OSError, match=r"exit code|") as caught:
            write(path)
        assert str(path) in str(caught.value) + capsys.readouterr().err


def test_writers_write_to_devices():
    to_run([1], ["q"], ["a"], os.devnull)
    assert os.path.exists(os.devnull) and not os.path.isfile(os.devnull)


@pytest.mark.parametrize("word", ["\ud800", "a\udc80b"], ids=ascii)
@pytest.mark.parametrize("place", [1, 2])
def test_writers_reject_lone_surrogates_and_keep_the_file(word, place, tmp_path):
    path = tmp_path / "a.run"
    path.write_bytes(b"old")
    for writer in (to_run, to_qrels):
        given = [[1], ["q"], ["a"]]
        given[place] = [word]
        with pytest.raises(ValueError, match=r"must contain only non-empty UTF-8 text"):
            writer(*given, path)
    assert path.read_bytes() == b"old"


@pytest.mark.parametrize("query", ["#q", "\ufeffq", '{"q', "{}", "[{q", "[]"], ids=ascii)
@pytest.mark.parametrize("writer", [to_run, to_qrels])
def test_writers_reject_query_ids_that_files_cannot_contain(writer, query, tmp_path):
    with pytest.raises(ValueError, match=r"'groups' parameter of to_(run|qrels) must not begin with"):
        writer([1], [query], ["a"], tmp_path / "a")
    assert not list(tmp_path.iterdir())


IDS = [
    "q",
    "1#",
    "{q",
    "[q",
    "\u2028q",
    "é\x85",
    "a\ufeff",
    "'",
    '"',
    "q\x1b",
    "-1",
    ",",
    "\u200f",
    "\U0001f600",
]


@pytest.mark.parametrize("other", IDS, ids=ascii)
@pytest.mark.parametrize("query", IDS, ids=ascii)
def test_from_run_reads_back_any_ids_that_are_written(query, other, tmp_path):
    run, qrels = tmp_path / "a.run", tmp_path / "a.qrels"
    queries, documents = [query, query, f"{query}2"], [other, "#b", other]
    to_run([3, 2, 1], queries, documents, run)
    to_qrels([1, 0, 2], queries, documents, qrels)
    y_true, y_score, groups, items = from_run(qrels, run, return_items=True)
    rows = dict(zip(zip(groups.tolist(), items.tolist()), zip(y_true.tolist(), y_score.tolist())))
    assert rows == dict(zip(zip(queries, documents), [(1, 3), (0, 2), (2, 1)]))
