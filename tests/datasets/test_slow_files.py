"""Files of the same few bytes are rejected. A search that reads them repeatedly would take hours for 5 MB."""

import bz2
import gzip
import io
import random

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


def assert_rejected(call):
    with pytest.raises(ValueError, match=r"parameter of from_run must"):
        call()


@pytest.mark.thorough
@pytest.mark.parametrize("unit", UNITS.values(), ids=UNITS)
@pytest.mark.parametrize("start", STARTS.values(), ids=STARTS)
@pytest.mark.parametrize("side", GOOD)
@pytest.mark.filterwarnings("ignore::sklearn_rank.RankingWarning")
def test_from_run_rejects_many_equal_bytes(side, start, unit):
    text = start + unit * (N_BYTES // len(unit))
    files = {**GOOD, side: text}
    assert_rejected(lambda: from_run(*map(io.BytesIO, (files["qrels"], files["run"]))))


def test_from_run_rejects_random_bytes():
    text = random.Random(0).randbytes(N_BYTES)
    assert_rejected(lambda: from_run(io.BytesIO(GOOD["qrels"]), io.BytesIO(text)))


@pytest.mark.slow
@pytest.mark.parametrize("unit", [b"\0", b" ", b"\n", b"#\n"], ids=ascii)
@pytest.mark.parametrize("pack", [bz2.compress, gzip.compress], ids=["bz2", "gzip"])
def test_evaluate_command_rejects_a_bomb(tmp_path, monkeypatch, capsys, pack, unit):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.qrels").write_bytes(GOOD["qrels"])
    (tmp_path / "a.run").write_bytes(pack(unit * (10**8 // len(unit))))
    assert main(["evaluate", "a.qrels", "a.run"]) == 1
    assert capsys.readouterr().out == ""
