"""Large files are scored in pieces as they are read, and the output is the same."""

import gzip
from pathlib import Path

import pytest

from sklearn_rank._cli import _files
from tests.cli.test_trec_eval_format import draw, write

OPTIONS = ["--format", "trec_eval", "-m", "all_trec", "-q", "-c"]


@pytest.fixture
def files(tmp_path):
    return write(tmp_path, *draw(0))


def compare(run_command, monkeypatch, qrels, run):
    """Return what is printed; the same whether files are read in pieces or as a whole."""
    found = run_command("evaluate", qrels, run, *OPTIONS)
    with monkeypatch.context() as patch:
        patch.setattr(_files, "LARGE", 2**40)
        assert run_command("evaluate", qrels, run, *OPTIONS) == found
    return found


def rewrite(path, change):
    """Change the lines of a file."""
    lines = Path(path).read_text().splitlines()
    Path(path).write_bytes(("\n".join(change(lines)) + "\n").encode())


def test_evaluate_command_reads_a_plain_file_in_several_pieces(pieces, files, run_command, monkeypatch):
    assert compare(run_command, monkeypatch, *files)[0] == 0
    assert pieces[0] > 10


def lines_of_one_query(lines):
    return [f"q0 Q0 d{place} 1 {place / 7} mine" for place in range(300)]


def longer_names(lines):
    return [line.replace(" d", " a-name-of-more-than-eight-letters-") for line in lines]


def names_beyond_ascii(lines):
    return [line.replace(" d1", " é1") for line in lines]


def with_tabs(lines):
    return [line.replace(" ", "\t") for line in lines]


def with_returns(lines):
    return [line + "\r" for line in lines]


def without_queries_of_judgements(lines):
    return [line for line in lines if line[:2] in ("q1", "q2")] + ["other Q0 d1 1 3 mine"]


@pytest.mark.slow
@pytest.mark.parametrize(
    "change",
    [
        lines_of_one_query,
        longer_names,
        names_beyond_ascii,
        with_tabs,
        with_returns,
        without_queries_of_judgements,
    ],
)
def test_evaluate_command_reads_variants_of_plain_files_in_pieces(
    change, pieces, files, run_command, monkeypatch
):
    rewrite(files[1], change)
    if change is longer_names:
        rewrite(files[0], change)
    assert compare(run_command, monkeypatch, *files)[0] == 0
    assert pieces[0] != "whole"


def with_a_query_in_two_places(lines):
    return [*lines[5:], *lines[:5]]


def with_blank_lines(lines):
    return [*lines[:50], "", *lines[50:]]


def with_two_blanks(lines):
    return [*lines[:50], lines[50].replace(" ", "  "), *lines[51:]]


def with_ranks_that_contradict(lines):
    return ["q0 Q0 d1 1 0.5 mine", "q0 Q0 d2 2 0.7 mine", *(line for line in lines if line[:3] != "q0 ")]


@pytest.mark.slow
@pytest.mark.parametrize(
    "change",
    [with_a_query_in_two_places, with_blank_lines, with_two_blanks, with_ranks_that_contradict],
)
def test_evaluate_command_reads_irregular_files_whole(change, pieces, files, run_command, monkeypatch):
    rewrite(files[1], change)
    code, _, errors = compare(run_command, monkeypatch, *files)
    assert (code, pieces) == (0, ["whole"])
    assert ("contradict" in errors) == (change is with_ranks_that_contradict)


def with_a_document_twice(lines):
    return [*lines, lines[-1]]


def with_a_word_for_a_score(lines):
    return [*lines[:80], "q9 Q0 d1 1 high mine", *lines[80:]]


def with_no_query_of_the_judgements(lines):
    return [f"x{line}" for line in lines]


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (with_a_document_twice, "a second document"),
        (with_a_word_for_a_score, "a.run:81"),
        (with_no_query_of_the_judgements, "must contain a query of"),
    ],
)
def test_evaluate_command_in_pieces_prints_errors_of_whole_files(
    change, words, pieces, files, run_command, monkeypatch
):
    rewrite(files[1], change)
    code, printed, error = compare(run_command, monkeypatch, *files)
    assert (code, printed, pieces) == (1, "", ["whole"])
    assert words in error


def test_evaluate_command_rejects_repeats_in_an_unused_query(pieces, files, run_command, monkeypatch):
    rewrite(files[0], lambda lines: [*lines, "unasked 0 d1 1", "unasked 0 d1 1"])
    code, _, error = compare(run_command, monkeypatch, *files)
    assert code == 1
    assert "'unasked'" in error


def test_evaluate_command_reads_gzip_files_in_pieces(pieces, files, run_command, monkeypatch):
    text = Path(files[1]).read_bytes()
    with gzip.open(files[1] + ".gz", "wb") as packed:
        packed.write(text)
    assert compare(run_command, monkeypatch, files[0], files[1] + ".gz")[0] == 0
    assert pieces[0] != "whole"


def test_evaluate_command_in_pieces_reads_an_unterminated_last_line(pieces, files, run_command, monkeypatch):
    text = Path(files[1]).read_bytes()
    Path(files[1]).write_bytes(text.rstrip(b"\n"))
    assert compare(run_command, monkeypatch, *files)[0] == 0
    assert pieces[0] > 10


def test_evaluate_command_in_pieces_warns_once_when_none_is_relevant(pieces, files, run_command, monkeypatch):
    rewrite(files[0], lambda lines: [line.rsplit(" ", 1)[0] + " 0" for line in lines])
    _, _, warned = compare(run_command, monkeypatch, *files)
    assert warned.count("none is relevant") == 1
    assert pieces[0] > 10


WAYS = ["", "-q", "-c -q", "-M 3 --format json", "--confidence-level 0.9", "-l 2 --ties order"]


@pytest.mark.parametrize("way", WAYS)
def test_evaluate_command_in_pieces_prints_all_formats_alike(way, pieces, files, run_command, monkeypatch):
    words = ["evaluate", *files, "-m", "ndcg@10", "-m", "map", *way.split()]
    words += [] if "--ties" in way else ["-m", "trec_eval:P_5"]
    found = run_command(*words)
    with monkeypatch.context() as patch:
        patch.setattr(_files, "LARGE", 2**40)
        assert run_command(*words) == found
    assert found[0] == 0
    assert pieces[0] > 10


def test_compare_command_reads_several_runs_in_pieces(pieces, files, run_command, monkeypatch):
    words = ["compare", files[0], files[1], files[1] + ".2", "-m", "map"]
    Path(words[3]).write_bytes(Path(files[1]).read_bytes())
    found = run_command(*words)
    with monkeypatch.context() as patch:
        patch.setattr(_files, "LARGE", 2**40)
        assert run_command(*words) == found
    assert len(pieces) == 2
