"""`evaluate` of Parquet by a reader and a scorer or in processes: reports, progress bars and errors."""

import os
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pytest

from sklearn_rank import evaluate
from sklearn_rank.distributed import _workers
from tests.helpers.frames import METRICS, cut, make_frame, pandas, write_file, write_folder

pytest.importorskip("joblib", minversion="1.4")
pytestmark = pytest.mark.usefixtures("folder")  # checks that the folder is empty at the end

ROWS = {"groups": "qid", "metrics": METRICS, "n_jobs": 3}
each_kind_of_workers = pytest.mark.parametrize("n_jobs", [1, 2, 3])  # one, one that reads ahead, processes


@pytest.fixture(scope="module")
def frame():
    return make_frame()


@pytest.fixture
def small(monkeypatch):
    """Workers for few rows already."""
    monkeypatch.setattr(_workers, "LEAST_ROWS", 100)


def shuffle(frame):
    return frame.sample(frac=1, random_state=0, ignore_index=True)


@pytest.mark.slow
@pytest.mark.parametrize("keep", [True, False], ids=["queries", "moments"])
@pytest.mark.parametrize("write", [write_file, write_folder])
@pytest.mark.parametrize("together", [True, False])
@pytest.mark.parametrize("n_jobs", [2, 3])
def test_evaluate_with_workers_gives_the_report_of_one_worker(
    n_jobs, together, write, keep, frame, tmp_path, small
):
    path = write(frame if together else shuffle(frame), tmp_path)
    names = {"sample_weight": "weight", "keep_queries": keep, "rows_adjacent": together}
    one = evaluate("label", "score", data=path, **ROWS | names | {"n_jobs": None})
    found = evaluate("label", "score", data=path, **ROWS | names | {"n_jobs": n_jobs})
    assert found.mean == one.mean
    assert found.n_queries == one.n_queries == frame.qid.nunique()
    assert found.standard_error == pytest.approx(one.standard_error, rel=1e-12)


@pytest.mark.slow
@pytest.mark.parametrize("together", [True, False])
def test_evaluate_with_workers_advances_the_generator_of_the_caller(together, frame, tmp_path, small):
    options = {"interval": "bootstrap", "n_resamples": 200}
    here, there = np.random.RandomState(5), np.random.RandomState(5)
    rows = {"groups": frame.qid, "metrics": METRICS, "random_state": here}
    expected = evaluate(frame.label, frame.score, **rows, **options)
    path = write_file(frame if together else shuffle(frame), tmp_path)
    data = {"data": path, "rows_adjacent": together, "random_state": there}
    found = evaluate("label", "score", **data, **options, **ROWS)
    for name in METRICS:
        assert found.interval[name] == pytest.approx(expected.interval[name], rel=1e-12)
    assert here.random_sample() == there.random_sample()


def test_evaluate_with_three_jobs_scores_in_processes(frame, tmp_path, small):
    here = os.getpid()

    def fail_here(labels):
        assert os.getpid() != here
        return labels

    evaluate("label", "score", data=write_file(frame, tmp_path), gain=fail_here, **ROWS)


def test_evaluate_with_two_jobs_scores_in_this_process(frame, tmp_path, small):
    here = os.getpid()

    def fail_elsewhere(labels):
        assert os.getpid() == here
        return labels

    evaluate("label", "score", data=write_file(frame, tmp_path), gain=fail_elsewhere, **ROWS | {"n_jobs": 2})


def test_read_ahead_reads_exactly_one_table_ahead():
    begun = [threading.Event() for _ in range(5)]

    def read():
        for number, event in enumerate(begun):
            event.set()
            yield number

    for number in _workers.read_ahead(read()):
        assert begun[min(number + 1, 4)].wait(timeout=60)
        assert not any(event.is_set() for event in begun[number + 2 :])


@pytest.mark.parametrize("n_long", [200, 900, 2000])
def test_evaluate_with_workers_joins_a_query_across_row_groups(n_long, frame, tmp_path, small):
    rows = frame.assign(qid=np.where(np.arange(len(frame)) < n_long, 0, frame.qid + 1))
    expected = evaluate(rows.label, rows.score, groups=rows.qid, metrics=METRICS)
    found = evaluate("label", "score", data=write_folder(rows, tmp_path), **ROWS)
    assert found.n_queries == expected.n_queries
    assert found.mean == pytest.approx(expected.mean, abs=1e-15)


def test_evaluate_with_workers_keeps_the_order_of_ties(frame, tmp_path, small):
    tied = shuffle(frame.assign(score=frame.score.round()))
    expected = evaluate(tied.label, tied.score, groups=tied.qid, metrics=METRICS, ties="order")
    data = write_file(tied, tmp_path)
    found = evaluate("label", "score", data=data, rows_adjacent=False, ties="order", **ROWS)
    assert found.mean == expected.mean


def test_evaluate_with_workers_reads_small_files_in_this_process(frame, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "joblib", None)  # joblib would start processes
    expected = evaluate(frame.label, frame.score, groups=frame.qid, metrics=METRICS)
    assert evaluate("label", "score", data=write_file(frame, tmp_path), **ROWS).mean == expected.mean


@pytest.mark.parametrize("n_parts", [1, 2, 3, 7])
def test_share_out_balances_adjacent_row_groups(n_parts, monkeypatch):
    monkeypatch.setattr(_workers, "LEAST_ROWS", 1)
    monkeypatch.setattr(_workers, "SHARES", 1)
    sizes = np.random.default_rng(0).integers(0, 100, 60).tolist()
    n_workers, spans = _workers.share_out(sizes, n_parts)
    rows = [sum(sizes[start:stop]) for start, stop in spans]
    assert n_workers == len(spans) == n_parts
    assert [0, *(stop for _, stop in spans)] == [*(start for start, _ in spans), 60]
    assert max(rows) - min(rows) <= 2 * 100


def test_share_out_makes_no_empty_share():
    assert _workers.share_out([5], 2) == (1, [(0, 1)])
    assert _workers.share_out([], 2)[0] == 1


# ---------------------------------------------------------------------------- errors


@pytest.mark.slow
@pytest.mark.parametrize("together", [True, False])
def test_evaluate_with_workers_raises_errors_of_processes(together, frame, tmp_path, small):
    path = write_file(frame.assign(score=frame.score.where(frame.qid < 100)), tmp_path)
    with pytest.raises(ValueError, match=r"The 'y_score' parameter of evaluate must"):
        evaluate("label", "score", data=path, rows_adjacent=together, **ROWS)


@pytest.mark.slow
@pytest.mark.parametrize("together", [True, False])
def test_evaluate_with_workers_works_again_after_a_killed_process(together, frame, tmp_path, small):
    here = os.getpid()

    def kill(labels):
        if os.getpid() != here:
            os.kill(os.getpid(), signal.SIGKILL)
        return labels

    path = write_file(frame, tmp_path)
    with pytest.raises(Exception, match="worker process managed by the executor was unexpectedly terminated"):
        evaluate("label", "score", data=path, rows_adjacent=together, gain=kill, **ROWS)
    expected = evaluate(frame.label, frame.score, groups=frame.qid, metrics=METRICS)
    assert evaluate("label", "score", data=path, rows_adjacent=together, **ROWS).mean == expected.mean


def test_read_ahead_stops_its_thread_at_the_end_and_on_error():
    def read():
        yield from range(3)
        raise OSError("the line is dead")

    before = set(threading.enumerate())
    with pytest.raises(OSError, match="the line is dead"):
        list(_workers.read_ahead(read()))
    assert list(_workers.read_ahead(iter(range(3)))) == [0, 1, 2]
    assert list(_workers.read_ahead(iter([]))) == []
    assert set(threading.enumerate()) <= before


@pytest.mark.parametrize("together", [True, False])
def test_evaluate_with_workers_raises_the_error_of_a_batch(together, frame):
    def read():
        yield from list(cut(frame))[:5]
        raise OSError("the line is dead")

    with pytest.raises(OSError, match="the line is dead"):
        evaluate("label", "score", data=read(), rows_adjacent=together, **ROWS)


RUN = """
import sys, tempfile
from sklearn_rank import evaluate
from sklearn_rank.distributed import _workers
_workers.LEAST_ROWS = 2**20
path, tempfile.tempdir, n_jobs, limit = sys.argv[1:]
if int(limit):
    import resource
    resource.setrlimit(resource.RLIMIT_FSIZE, (int(limit), int(limit)))
print("begun", flush=True)
evaluate("label", "score", groups="qid", metrics=["ndcg"], data=path, rows_adjacent=False, n_jobs=int(n_jobs))
"""


def run(path, folder, n_jobs, limit=0):
    arguments = [sys.executable, "-c", RUN, str(path), str(folder), str(n_jobs), str(limit)]
    return subprocess.Popen(arguments, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def write_many(folder, n_rows=5_000_000):
    """Write rows that take a second or two, in several row groups."""
    frame = pandas.DataFrame({"qid": np.random.default_rng(0).integers(0, n_rows // 50, n_rows)})
    frame["label"], frame["score"] = frame.qid % 3, np.arange(n_rows) / n_rows
    frame.to_parquet(folder / "rows.parquet", row_group_size=2**18)
    return folder / "rows.parquet"


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="limits the size of files as Linux does")
@each_kind_of_workers
def test_evaluate_with_workers_leaves_no_file_when_disk_is_full(n_jobs, tmp_path, folder):
    process = run(write_many(tmp_path), folder, n_jobs, limit=2**17)
    _, errors = process.communicate(timeout=120)
    assert process.returncode == 1
    assert "evaluate groups rows by query in temporary files" in errors
    assert "TMPDIR" in errors


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="sends the signal of Ctrl-C as Unix does")
@each_kind_of_workers
def test_evaluate_with_workers_leaves_no_file_after_ctrl_c(n_jobs, tmp_path, folder):
    process = run(write_many(tmp_path), folder, n_jobs)
    process.stdout.readline()
    while not any(files for _, _, files in os.walk(folder)):
        assert process.poll() is None
        time.sleep(0.01)
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=60)
    assert "KeyboardInterrupt" in errors


# ---------------------------------------------------------------------------- progress bars


@each_kind_of_workers
@pytest.mark.parametrize("together", [True, False])
def test_progress_bar_counts_all_rows(together, n_jobs, frame, tmp_path, small, capsys):
    pytest.importorskip("tqdm")
    path = write_file(frame, tmp_path)
    evaluate("label", "score", data=path, progress=True, rows_adjacent=together, **ROWS | {"n_jobs": n_jobs})
    names = ["scoring"] if together else ["grouping rows by query", "scoring"]
    bars = [line.rpartition("\r")[2] for line in capsys.readouterr().err.rstrip("\n").split("\n")]
    assert [bar.partition(":")[0] for bar in bars] == names
    assert all("100%" in bar and "2.00k/2.00k" in bar for bar in bars)


def test_progress_bar_counts_rows_of_a_stream(frame, capsys):
    pytest.importorskip("tqdm")
    evaluate("label", "score", data=cut(frame), progress=True, **ROWS)
    assert "scoring: 2.00k rows" in capsys.readouterr().err


def test_progress_names_tqdm_when_it_is_not_installed(frame, monkeypatch):
    monkeypatch.setitem(sys.modules, "tqdm.auto", None)
    with pytest.raises(ImportError, match=r"evaluate needs tqdm to show its progress: pip install tqdm"):
        evaluate("label", "score", data=cut(frame), progress=True, **ROWS)


def test_evaluate_shows_no_progress_bar_by_default(frame, capsys):
    evaluate("label", "score", data=cut(frame), **ROWS)
    assert capsys.readouterr().err == ""
