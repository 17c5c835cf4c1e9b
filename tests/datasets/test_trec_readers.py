"""The readers of TREC files by pyarrow and by Python return the same rows or raise the same error."""

import gzip
import io
import random
import re
import warnings

import numpy as np
import pytest

from sklearn_rank import from_run
from sklearn_rank.datasets import _file_bytes, _trec_arrow, _trec_files
from tests.datasets.test_runs import draw, write_qrels, write_run
from tests.fuzz import file_draws

pytestmark = pytest.mark.filterwarnings("ignore:.*the run has no document for")

# Texts that are inserted into a file or replace a part of it; the fuzzer of files uses the same.
PIECES = [*file_draws.PIECES, *(number.encode() for number in file_draws.NUMBERS)]


def spoil(data, rng):
    for _ in range(rng.randrange(3)):
        start = rng.randrange(len(data))
        end = start + rng.choice([0, 0, 1, 3, rng.randrange(40)])
        data = data[:start] + rng.choice(PIECES) + data[end:]
    return data


def read(data, qrels):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            rows = from_run(io.BytesIO(qrels), io.BytesIO(data), return_items=True)
        except ValueError as error:
            assert str(error).startswith("The '")
            assert "\n" not in str(error)
            return str(error)
    return [column.tolist() for column in np.nan_to_num(rows[:2], nan=-7)] + [
        *(column.tolist() for column in rows[2:]),
        [str(each.message) for each in caught],
    ]


@pytest.fixture(autouse=True)
def small_files_pay(monkeypatch):
    monkeypatch.setattr(_trec_arrow, "LARGE", 0)


def read_both(data, qrels, monkeypatch):
    fast = read(data, qrels)
    with monkeypatch.context() as patch:
        patch.setattr(_trec_files, "find_arrow", lambda n_bytes: None)
        return fast, read(data, qrels)


@pytest.mark.slow
@pytest.mark.parametrize("n_bytes", [2**22, 500])
@pytest.mark.parametrize("blank", [b" ", b"\t"])
def test_pyarrow_and_python_readers_agree_on_spoiled_files(n_bytes, blank, monkeypatch):
    pytest.importorskip("pyarrow")
    monkeypatch.setattr(_file_bytes, "BLOCK", n_bytes)
    rng = random.Random(n_bytes + ord(blank))
    kinds = set()
    for seed in range(4):
        run, qrels = (write(table) for write, table in zip((write_run, write_qrels), draw(seed, "unicode")))
        run, qrels = (each.replace(b" ", blank)[:3000].rpartition(b"\n")[0] for each in (run, qrels))
        for _ in range(60):
            fast, slow = read_both(spoil(run, rng), spoil(qrels, rng), monkeypatch)
            assert fast == slow
            kinds.add(type(fast))
    assert kinds == {str, list}


def test_from_run_reads_plain_files_with_pyarrow(monkeypatch):
    pytest.importorskip("pyarrow")
    monkeypatch.setattr(_trec_files, "_parse", lambda *given: pytest.fail("read by Python"))
    run, qrels = draw(0, "unicode")
    got = from_run(io.BytesIO(write_qrels(qrels)), io.BytesIO(write_run(run)), return_items=True)
    for one, other in zip(got, from_run(qrels, run, return_items=True)):
        np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize("arrow", [True, False])
def test_from_run_numbers_lines_across_blocks(arrow, monkeypatch):
    monkeypatch.setattr(_file_bytes, "BLOCK", 100)
    if not arrow:
        monkeypatch.setattr(_trec_files, "find_arrow", lambda n_bytes: None)
    lines = [f"q1 Q0 d{row} {row} {-row} t\n" for row in range(100)]
    lines[30] = "\n"
    with pytest.raises(ValueError, match=r"a second document 'd7' of query 'q1' in line 101 of"):
        from_run({"q1": {"d1": 1}}, io.BytesIO("".join([*lines, lines[7]]).encode()))
    lines[70] = "q1 Q0 d 1 high t\n"
    with pytest.raises(ValueError, match=r"in line 71 of an open file, 'q1 Q0 d 1 high t'"):
        from_run({"q1": {"d1": 1}}, io.BytesIO("".join(lines).encode()))


@pytest.mark.parametrize("width", [31, 32, 33, 90, 300])
@pytest.mark.parametrize("place", [0, 1, 29])
def test_from_run_reads_ids_longer_than_a_piece(width, place, monkeypatch):
    pytest.importorskip("pyarrow")
    monkeypatch.setattr(_trec_arrow, "PIECE", 64)
    names = [f"d{row}" for row in range(30)]
    names[place] = "x" * width
    data = "".join(f"q Q0 {name} {row} {-row} t\n" for row, name in enumerate(names)).encode()
    y_true, y_score, _, documents = from_run({"q": {names[place]: 1}}, io.BytesIO(data), return_items=True)
    expected = sorted(((name, -row) for row, name in enumerate(names)), reverse=True)
    assert list(zip(documents.tolist(), y_score.tolist())) == expected
    assert documents[y_true == 1].tolist() == [names[place]]


@pytest.mark.parametrize(
    "qrels",
    [{"q": {1: 1}}, {1: {"d": 1}}, {}, {"q": {b"d": 1}}, {"q": {"d": 1, 2: 1}}, {"r": {"d": 1}}],
    ids=["number", "number of a query", "nothing", "bytes", "both", "another query"],
)
def test_from_run_errors_do_not_depend_on_the_reader(qrels, monkeypatch):
    pytest.importorskip("pyarrow")
    found = []
    for find in (_trec_arrow.find_arrow, lambda n_bytes: None):
        monkeypatch.setattr(_trec_files, "find_arrow", find)
        with pytest.raises(ValueError, match="parameter of from_run must ") as caught:
            from_run(qrels, io.BytesIO(b"q Q0 d 1 1 t\n"))
        found.append(str(caught.value))
    assert found[0] == found[1]


def test_from_run_rejects_endless_lines(monkeypatch):
    monkeypatch.setattr(_file_bytes, "BLOCK", 100)
    with pytest.raises(
        ValueError, match=r"'run' .* have lines of at most 100 bytes.* in line 3 of an open file"
    ):
        from_run({"q": {"a": 1}}, io.BytesIO(b"q Q0 a 1 1 t\n\n" + b"q" * 1000))


@pytest.mark.parametrize("n_letters", [100, 101])
@pytest.mark.parametrize("before", [0, 60, 99])
def test_from_run_reads_lines_up_to_the_limit(n_letters, before, monkeypatch):
    monkeypatch.setattr(_file_bytes, "BLOCK", 100)
    line = b"q Q0 d 1 1 t"
    data = b"\n" * before + line.ljust(n_letters) + b"\n" + line.replace(b"d", b"e") + b"\n"
    if n_letters == 100:
        assert len(from_run({"q": {"a": 1, "d": 1}}, io.BytesIO(data))[0]) == 3
        return
    with pytest.raises(ValueError, match=f"have lines of at most 100 bytes.* in line {before + 1} of"):
        from_run({"q": {"a": 1}}, io.BytesIO(data))


@pytest.mark.parametrize("n_bytes", [1000, 20_000, 10**6])
def test_from_run_rejects_gzip_that_unpacks_to_too_much(n_bytes, monkeypatch):
    monkeypatch.setattr(_file_bytes, "BLOCK", 1000)
    data = b"q Q0 a 1 1 t\n".ljust(n_bytes, b"\n")
    packed = gzip.compress(data)
    if n_bytes < 1000 + 200 * len(packed):
        assert from_run({"q": {"a": 1}}, io.BytesIO(packed))[0].tolist() == [1]
        return
    rule = "'run' .* unpack to at most 200 times its size plus 1000 bytes"
    with pytest.raises(ValueError, match=rule):
        from_run({"q": {"a": 1}}, io.BytesIO(packed))


@pytest.mark.parametrize("arrow", [True, False])
def test_from_run_removes_byte_order_marks_of_joined_files(arrow, monkeypatch):
    line, mark = b"q Q0 d 1 2 t\n", "\ufeff".encode()
    monkeypatch.setattr(_file_bytes, "BLOCK", len(mark + line))
    if not arrow:
        monkeypatch.setattr(_trec_files, "find_arrow", lambda n_bytes: None)
    other = line.replace(b"d", b"e")
    rows = from_run({"q": {"d": 1}}, io.BytesIO(line + mark + other), queries="run")
    assert rows[2].tolist() == ["q", "q"]
    assert from_run({"q": {"d": 1}}, io.BytesIO(mark + line))[2].tolist() == ["q"]


def test_from_run_leaves_unbuffered_file_open(tmp_path):
    path = tmp_path / "run"
    path.write_bytes(b"q Q0 a 1 1 t\n")
    with open(path, "rb", buffering=0) as file:
        assert from_run({"q": {"a": 1}}, file)[0].tolist() == [1]
        assert not file.closed


def test_from_run_rejects_undecodable_text(tmp_path):
    path = tmp_path / "run"
    path.write_bytes(b"q Q0 \xe9 1 1 t\n")
    words = rf"'run' .* be text in the encoding .* in {re.escape(str(path))} instead"
    with open(path, encoding="utf-8") as file, pytest.raises(ValueError, match=words):
        from_run({"q": {"a": 1}}, file)


def test_from_run_error_truncates_long_ids():
    line = f"q Q0 {'d' * 10**5} 1 1 t\n".encode()
    with pytest.raises(
        ValueError, match=rf"Got a second document '{'d' * 60}\.\.\.' of query 'q' in line 2 of"
    ):
        from_run({"q": {"a": 1}}, io.BytesIO(2 * line))


@pytest.mark.parametrize("path", ["\0", "a\0b", "\ud800"])
def test_from_run_rejects_invalid_paths(path):
    with pytest.raises(ValueError, match="'run' parameter of from_run must be the path of a file"):
        from_run({"q": {"a": 1}}, path)


class Counts:
    """It reads something else than bytes."""

    def read(self, size):
        return 1


def test_from_run_rejects_readers_of_other_types():
    with pytest.raises(
        ValueError,
        match=r"'run' .* be a file whose read method returns bytes or text\. Got int in an open file",
    ):
        from_run({"q": {"a": 1}}, Counts())
