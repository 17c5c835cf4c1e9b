"""Files of large runs, which are joined in pieces and give exactly the rows of the whole file."""

from pathlib import Path

import numpy as np
import pytest

from sklearn_rank import RankingWarning, from_run
from sklearn_rank.datasets import _pieces, _runs

pytestmark = pytest.mark.filterwarnings("ignore:.*the run has no document for")

pytest.importorskip("pyarrow")
N_QUERIES = 40


@pytest.fixture
def whole(monkeypatch):
    """A call that reads files as a whole, where others read small ones in pieces too."""
    monkeypatch.setattr(_runs, "LARGE", 1)
    monkeypatch.setattr(_pieces, "PIECE", 2**9)

    def call(*files, **options):
        with monkeypatch.context() as patch:
            patch.setattr(_runs, "LARGE", 2**60)
            return from_run(*files, **options)

    return call


@pytest.fixture
def seen(monkeypatch):
    """The number of pieces of each file that was read in pieces."""
    found = []
    put_together = _pieces.put_together

    def count(pieces, *arguments):
        found.append(len(pieces))
        return put_together(pieces, *arguments)

    monkeypatch.setattr("sklearn_rank.datasets._runs.put_together", count)
    return found


def write_files(folder, seed, name="d{}"):
    """Write judgements and a run, whose queries are in no order and not all the same."""
    rng = np.random.default_rng(seed)
    lines, judged = [], []
    for query in rng.permutation(N_QUERIES):
        scores = np.sort(rng.normal(size=rng.integers(1, 60)).round(2))[::-1].tolist()
        documents = [name.format(number) for number in rng.permutation(80)]
        if query % 7:
            lines += [f"q{query} Q0 {each} 1 {score} x\n" for each, score in zip(documents, scores)]
        if query % 5:
            grades = rng.integers(-1, 3, size=20).tolist()
            of_query = zip(rng.permutation(documents)[:20], grades)
            judged += [f"q{query} 0 {each} {grade}\n" for each, grade in of_query]
    paths = folder / "a.qrels", folder / "a.run"
    for path, text in zip(paths, (judged, lines)):
        path.write_bytes("".join(text).encode())
    return [str(path) for path in paths]


@pytest.mark.parametrize(
    "options", [{}, {"queries": "judged"}, {"depth": 5}, {"queries": "judged", "depth": 1}]
)
@pytest.mark.parametrize("name", ["d{}", "a-name-of-more-than-eight-letters-{}", "é{}"])
def test_from_run_in_pieces_returns_rows_of_the_whole_file(name, options, whole, seen, tmp_path):
    files = write_files(tmp_path, 0, name)
    found = from_run(*files, return_items=True, **options)
    expected = whole(*files, return_items=True, **options)
    assert bool(seen) == ("é" not in name)  # also of judgments
    for one, other in zip(found, expected, strict=True):
        assert one.dtype.kind == other.dtype.kind
        np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize("seed", range(10))
def test_from_run_reads_large_files_in_many_pieces(seed, whole, seen, tmp_path):
    files = write_files(tmp_path, seed)
    for one, other in zip(from_run(*files), whole(*files), strict=True):
        np.testing.assert_array_equal(one, other)
    assert seen[0] > 10


def test_from_run_reads_in_pieces_when_few_documents_are_judged(whole, seen, tmp_path):
    qrels, run = write_files(tmp_path, 0)
    lines = Path(qrels).read_text().splitlines(keepends=True)
    Path(qrels).write_text("".join(line for line in lines if line.startswith("q1 ")))
    with open(qrels, "a") as file:
        file.writelines(f"q{query} 0 other{query} 1\n" for query in range(2, N_QUERIES))
    for one, other in zip(from_run(qrels, run), whole(qrels, run), strict=True):
        np.testing.assert_array_equal(one, other)
    assert seen[0] > 10


@pytest.mark.parametrize("write", [str.upper, "x{}".format])
def test_from_run_in_pieces_warns_about_ids_as_for_the_whole_file(write, whole, seen, tmp_path):
    qrels, run = write_files(tmp_path, 0)
    lines = [line.split() for line in Path(qrels).read_text().splitlines()]
    Path(qrels).write_text("".join(f"{query} 0 {write(each)} {grade}\n" for query, _, each, grade in lines))
    with pytest.warns(RankingWarning) as found:
        from_run(qrels, run)
    assert seen[0] > 10
    with pytest.warns(RankingWarning) as expected:
        whole(qrels, run)
    assert [str(each.message) for each in found] == [str(each.message) for each in expected]


def test_from_run_reads_pieces_when_only_one_has_non_ascii_ids(whole, seen, tmp_path):
    qrels, run = write_files(tmp_path, 0)
    with open(run, "a") as file:
        file.write("q0 Q0 é 1 2 x\nq0 Q0 d1 2 1 x\n")
    with open(qrels, "a") as file:
        file.write("q0 0 d1 1\n")
    found, expected = from_run(qrels, run, return_items=True), whole(qrels, run, return_items=True)
    assert "é" in found[3]
    assert seen[0] > 10
    for one, other in zip(found, expected, strict=True):
        np.testing.assert_array_equal(one, other)


def test_from_run_reads_the_file_whole_when_queries_is_run(whole, seen, tmp_path):
    files = write_files(tmp_path, 0)
    for one, other in zip(from_run(*files, queries="run"), whole(*files, queries="run"), strict=True):
        np.testing.assert_array_equal(one, other)
    assert seen == []


@pytest.mark.parametrize("form", ["open file", "dict"])
def test_from_run_reads_qrels_once_when_they_are_not_a_path(form, whole, seen, tmp_path):
    qrels, run = write_files(tmp_path, 0)
    expected = whole(qrels, run)
    with open(run, "a") as file:
        file.write("\n\n")  # not plain
    if form == "open file":
        with open(qrels, "rb") as given:
            found = from_run(given, run)
    else:
        given = {}
        for query, _, document, grade in map(str.split, Path(qrels).read_text().splitlines()):
            given.setdefault(query, {})[document] = int(grade)
        found = from_run(given, run)
    assert seen == []
    for one, other in zip(found, expected, strict=True):
        np.testing.assert_array_equal(one, other)


def test_from_run_in_pieces_raises_the_error_of_the_whole_file(whole, tmp_path):
    qrels, run = write_files(tmp_path, 0)
    with open(run, "a") as file:
        file.write("q1 Q0 d1 1 high x\n")
    with pytest.raises(ValueError) as found:
        from_run(qrels, run)
    with pytest.raises(ValueError) as expected:
        whole(qrels, run)
    assert str(found.value) == str(expected.value)
    assert "finite number as the score" in str(found.value)
