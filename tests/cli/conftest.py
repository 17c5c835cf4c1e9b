import pytest

from sklearn_rank import datasets
from sklearn_rank._cli import _files, main
from sklearn_rank.datasets import _pieces


@pytest.fixture
def run_command(capsys):
    """Run a command in this process; return its exit code, output and error output."""

    def run(*words):
        code = main([str(word) for word in words])
        printed = capsys.readouterr()
        return code, printed.out, printed.err

    return run


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """The working directory, with two runs and their judgments."""
    monkeypatch.chdir(tmp_path)
    judged = "q1 0 a 1\nq1 0 b 0\nq2 0 a 2\nq2 0 c 1\n"
    (tmp_path / "a.qrels").write_text(judged)
    (tmp_path / "b.qrels").write_text(f"{judged}q3 0 a 1\n")  # of a query that a.run lacks
    (tmp_path / "a.run").write_text("q1 Q0 b 1 2 a\nq1 Q0 a 2 1 a\nq2 Q0 a 1 5 a\nq2 Q0 z 2 4 a\n")
    (tmp_path / "b.run").write_text("q1 Q0 a 1 2 b\nq2 Q0 a 1 5 b\nq3 Q0 b 1 1 b\nq3 Q0 a 2 1 b\n")
    return tmp_path


@pytest.fixture
def pieces(monkeypatch):
    """Read small files in pieces; list the number of pieces of each file, or "whole" if it cannot be cut."""
    pytest.importorskip("pyarrow")
    counts = []

    def join_pieces(*arguments):
        try:
            found = join(*arguments)
        except ValueError:
            counts.append("whole")
            raise
        counts.append(len(found))
        return found

    join = datasets.join_pieces
    monkeypatch.setattr(datasets, "join_pieces", join_pieces)
    monkeypatch.setattr(_files, "LARGE", 0)
    monkeypatch.setattr(_pieces, "PIECE", 2**9)
    return counts
