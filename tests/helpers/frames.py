"""Rows with named columns, in the forms that `evaluate` accepts."""

import numpy as np
import pytest

pandas = pytest.importorskip("pandas")
arrow = pytest.importorskip("pyarrow")
compute = pytest.importorskip("pyarrow.compute")
dataset = pytest.importorskip("pyarrow.dataset")
parquet = pytest.importorskip("pyarrow.parquet")

METRICS = ["ndcg@10", "map", "mrr"]
N_ROWS, STEP = 2000, 130


def make_frame():
    """Return rows sorted by query, with about 17 documents per query and ids of several types."""
    random = np.random.default_rng(0)
    qid = np.sort(random.integers(0, 120, N_ROWS))
    scores = random.normal(size=N_ROWS).round(1)
    frame = pandas.DataFrame({"qid": qid, "label": random.integers(0, 4, N_ROWS), "score": scores})
    frame["weight"] = 1.0 + frame.qid % 3
    frame["user"] = frame.qid // 10
    frame["text"] = frame.qid.map("q{:04d}".format)
    return frame


def write_folder(frame, folder):
    """Write files whose boundaries split queries."""
    for start in range(0, len(frame), 300):
        part = arrow.Table.from_pandas(frame.iloc[start : start + 300], preserve_index=False)
        parquet.write_table(part, folder / f"{start:05d}.parquet", row_group_size=70)
    return folder


def write_file(frame, folder):
    path = folder / "rows.parquet"
    parquet.write_table(arrow.Table.from_pandas(frame), path, row_group_size=170)
    return str(path)


def cut(frame, step=STEP):
    return (frame.iloc[start : start + step] for start in range(0, len(frame), step))


def encode_runs(frame, folder):
    table = arrow.Table.from_pandas(frame)
    for name in ("qid", "text"):
        runs = compute.run_end_encode(table[name])
        table = table.set_column(table.column_names.index(name), name, runs)
    return table.to_reader(STEP)


IN_MEMORY = {
    "pandas": lambda frame, folder: frame,
    "polars": lambda frame, folder: pytest.importorskip("polars").DataFrame(frame),
    "pyarrow": lambda frame, folder: arrow.Table.from_pandas(frame),
    "a dict": lambda frame, folder: dict(frame),
}
IN_BATCHES = {
    "a file": write_file,
    "a folder": write_folder,
    "a dataset": lambda frame, folder: dataset.dataset(write_folder(frame, folder)),
    "a filtered dataset": lambda frame, folder: dataset.dataset(write_folder(frame, folder)).filter(
        dataset.field("label") >= 0
    ),
    "a reader": lambda frame, folder: arrow.Table.from_pandas(frame).to_reader(STEP),
    "runs of ids": encode_runs,
    "frames": lambda frame, folder: cut(frame),
    "frames of polars": lambda frame, folder: map(pytest.importorskip("polars").DataFrame, cut(frame)),
    "a lazy frame": lambda frame, folder: pytest.importorskip("polars").LazyFrame(frame),
    "dicts": lambda frame, folder: map(dict, cut(frame)),
    "categories": lambda frame, folder: (each.astype({"text": "category"}) for each in cut(frame)),
    "queries in many batches": lambda frame, folder: cut(frame, 2),
    "one row at a time": lambda frame, folder: cut(frame, 1),
}
