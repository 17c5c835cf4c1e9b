"""Files of the same few bytes, which a search could read repeatedly, are rejected in a second of CPU time."""

import bz2
import gzip
import io
import random
import time

import pytest

from sklearn_rank import from_run
from sklearn_rank._cli import main

N_BYTES = 5_000_000
GOOD = {"qrels": b"q1 0 a 1\n", "run": b"q1 Q0 a 1 0.5 t\n"}
UNITS = {
    **{ascii(unit): unit for unit in (b" ", b"\n", b"\t", b"\r", b"\v", b"\0", b"a", b"#", b'"', b"\xff")},
    **{ascii(unit): unit for unit in (b"\r\n", b" \n", b"#\n", b"\xef\xbb\xbf", b"\xef\xbb\xbf#\n", b"a\n")},
    **{ascii(unit): unit for unit in (b"{", b"[", b"[{", b'{"a":', b"a ", b"a,")},
}
STARTS = {"nothing": b"", "an object": b"{", "a list": b"[", "a table": b"query,document,score\n"}


def assert_rejected_soon(call):
    start = time.thread_time()
    with pytest.raises(ValueError, match=r"parameter of from_run must"):
        call()
    assert time.thread_time() - start < 1


@pytest.mark.thorough
@pytest.mark.parametrize("unit", UNITS.values(), ids=UNITS)
@pytest.mark.parametrize("start", STARTS.values(), ids=STARTS)
@pytest.mark.parametrize("side", GOOD)
@pytest.mark.filterwarnings("ignore::sklearn_rank.RankingWarning")
def test_from_run_rejects_many_equal_bytes_in_a_second(side, start, unit):
    text = start + unit * (N_BYTES // len(unit))
    files = {**GOOD, side: text}
    assert_rejected_soon(lambda: from_run(*map(io.BytesIO, (files["qrels"], files["run"]))))


def test_from_run_rejects_random_bytes_in_a_second():
    text = random.Random(0).randbytes(N_BYTES)
    assert_rejected_soon(lambda: from_run(io.BytesIO(GOOD["qrels"]), io.BytesIO(text)))


@pytest.mark.slow
@pytest.mark.parametrize("unit", [b"\0", b" ", b"\n", b"#\n"], ids=ascii)
@pytest.mark.parametrize("pack", [bz2.compress, gzip.compress], ids=["bz2", "gzip"])
def test_evaluate_command_rejects_a_bomb_in_seconds(tmp_path, monkeypatch, capsys, pack, unit):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.qrels").write_bytes(GOOD["qrels"])
    (tmp_path / "a.run").write_bytes(pack(unit * (10**8 // len(unit))))
    start = time.process_time()
    code = main(["evaluate", "a.qrels", "a.run"])
    assert time.process_time() - start < 5
    assert (code, capsys.readouterr().out) == (1, "")
