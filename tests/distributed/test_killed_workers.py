"""Workers that are killed, and files that change while they are read: the same result or one clear error."""

import os

import numpy as np
import pytest
from joblib.externals.loky.process_executor import TerminatedWorkerError
from sklearn.base import BaseEstimator, RegressorMixin

from sklearn_rank import cross_val_score, evaluate

RANDOM = np.random.RandomState(0)
N = 4000
ROWS = {"label": RANDOM.randint(0, 3, N), "score": RANDOM.uniform(size=N), "qid": np.arange(N) // 10}
NAMES = {"y_true": "label", "y_score": "score", "groups": "qid", "metrics": ["ndcg@10", "map"]}


class Killed(RegressorMixin, BaseEstimator):
    """A model whose training ends its process, unless that is the process of the test."""

    def __init__(self, parent=None):
        self.parent = parent

    def fit(self, X, y):
        if os.getpid() != self.parent:
            os._exit(1)
        return self

    def predict(self, X):
        return np.asarray(X)[:, 0]


@pytest.mark.slow
def test_cross_val_score_raises_an_error_if_a_worker_is_killed():
    X, y, groups = ROWS["score"][:, None], ROWS["label"], ROWS["qid"]
    given = {"scoring": "ndcg@10", "cv": 2, "groups": groups}
    with pytest.raises(
        TerminatedWorkerError, match="worker process managed by the executor was unexpectedly"
    ):
        cross_val_score(Killed(os.getpid()), X, y, n_jobs=2, **given)
    assert np.isfinite(cross_val_score(Killed(os.getpid()), X, y, **given)).all()


def kill_once(rows, marker):
    """Return rows, after ending the process at the first call in a worker of Dask."""
    if not marker.exists():
        marker.touch()
        os._exit(1)
    return rows


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_dask_returns_the_same_bits_if_a_worker_is_killed(tmp_path):
    pandas, dask = pytest.importorskip("pandas"), pytest.importorskip("dask.dataframe")
    distributed = pytest.importorskip("distributed")
    frame = pandas.DataFrame(ROWS)
    expected = evaluate(**{**NAMES, "y_true": frame.label, "y_score": frame.score, "groups": frame.qid})
    options = {"n_workers": 2, "threads_per_worker": 1, "dashboard_address": None, "processes": True}
    with distributed.LocalCluster(**options) as cluster, distributed.Client(cluster) as client:
        parts = dask.from_pandas(frame, npartitions=4)
        data = parts.map_partitions(kill_once, tmp_path / "killed", meta=frame.iloc[:0])
        found = evaluate(**NAMES, data=data)
        client.close()
    assert (tmp_path / "killed").exists()
    assert found.mean == expected.mean
    assert found.interval == expected.interval


@pytest.mark.parametrize("change", ["cut", "removed"])
def test_evaluate_raises_an_error_if_a_file_changes_while_it_is_read(change, tmp_path):
    pyarrow, parquet = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    paths = [tmp_path / "a.parquet", tmp_path / "b.parquet"]
    for number, path in enumerate(paths):
        rows = {**ROWS, "qid": ROWS["qid"] + number * N}
        parquet.write_table(pyarrow.table(rows), path, row_group_size=500)

    def read():
        """Yield the rows of both files, and change the second file after the first rows."""
        for path in paths:
            with parquet.ParquetFile(path) as file:
                yield from file.iter_batches(500)
            if change == "removed":
                paths[1].unlink(missing_ok=True)
            else:
                os.truncate(paths[1], 1000)

    with pytest.raises((OSError, ValueError), match=r"b\.parquet|Parquet"):
        evaluate(**NAMES, data=read())
