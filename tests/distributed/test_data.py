"""`evaluate` with names of columns, for frames and for rows that are read in batches."""

import sys

import numpy as np
import pytest

from sklearn_rank import evaluate
from sklearn_rank.distributed import _sources
from tests.helpers.frames import (
    IN_BATCHES,
    IN_MEMORY,
    METRICS,
    N_ROWS,
    STEP,
    arrow,
    cut,
    make_frame,
    pandas,
    parquet,
    write_file,
    write_folder,
)


@pytest.fixture(scope="module")
def frame():
    return make_frame()


@pytest.fixture
def expected(frame):
    return evaluate(frame.label, frame.score, groups=frame.qid, metrics=METRICS, sample_weight=frame.weight)


@pytest.mark.parametrize("ids", ["qid", "text"])
@pytest.mark.parametrize("keep", [True, False], ids=["queries", "moments"])
@pytest.mark.parametrize("form", [*IN_MEMORY, *IN_BATCHES])
def test_evaluate_of_data_gives_the_report_of_arrays(form, keep, ids, frame, expected, tmp_path, monkeypatch):
    monkeypatch.setattr(_sources, "BATCH", STEP)
    data = (IN_MEMORY | IN_BATCHES)[form](frame, tmp_path)
    names = {"groups": ids, "sample_weight": "weight"}
    found = evaluate("label", "score", metrics=METRICS, data=data, keep_queries=keep, **names)
    assert found.mean == expected.mean
    assert found.n_queries == expected.n_queries
    assert found.standard_error == pytest.approx(expected.standard_error, rel=1e-12)
    if not keep:
        assert found.ids is None
    else:
        assert found.ids.tolist() == sorted(set(frame[ids]))
        for name in METRICS:
            np.testing.assert_allclose(found.values[name], expected.values[name], rtol=0, atol=1e-15)


def test_evaluate_of_batches_accepts_an_iterator_of_metrics(frame, expected):
    options = {"groups": "qid", "sample_weight": "weight", "data": cut(frame)}
    assert evaluate("label", "score", metrics=iter(METRICS), **options).mean == expected.mean


def test_evaluate_of_arrays_keeps_moments(frame):
    rows = {"groups": frame.qid, "metrics": METRICS}
    found = evaluate(frame.label, frame.score, keep_queries=False, **rows)
    assert found.mean == evaluate(frame.label, frame.score, **rows).mean
    assert found.ids is None


@pytest.mark.parametrize("form", IN_MEMORY)
def test_evaluate_of_frame_reads_clusters_from_a_column(form, frame, tmp_path):
    rows = {"groups": frame.qid, "metrics": METRICS}
    expected = evaluate(frame.label, frame.score, cluster=frame.user, **rows)
    data = IN_MEMORY[form](frame, tmp_path)
    found = evaluate("label", "score", groups="qid", metrics=METRICS, cluster="user", data=data)
    assert found.interval == expected.interval


def test_evaluate_of_parquet_reads_only_named_columns(frame, tmp_path, monkeypatch):
    read = []
    iter_batches = parquet.ParquetFile.iter_batches

    def spy(self, batch_size, row_groups, columns):
        read.append(columns)
        return iter_batches(self, batch_size, row_groups, columns)

    monkeypatch.setattr(parquet.ParquetFile, "iter_batches", spy)
    evaluate("label", "score", groups="qid", metrics=METRICS, data=write_file(frame, tmp_path))
    assert read == [["label", "score", "qid"]]


def test_evaluate_of_parquet_treats_missing_labels_as_unjudged(frame, tmp_path):
    labels = frame.label.where(frame.label > 0)
    path = write_file(frame.assign(label=labels), tmp_path)
    options = {"metrics": METRICS, "unjudged": "nonrelevant"}
    expected = evaluate(labels, frame.score, groups=frame.qid, **options)
    assert evaluate("label", "score", groups="qid", data=path, **options).mean == expected.mean


@pytest.mark.parametrize("form", ["a file", "frames"])
def test_evaluate_of_batches_rejects_a_query_in_two_places(form, frame, tmp_path):
    rows = pandas.concat((frame.iloc[100:], frame.iloc[:100]))
    rows = pandas.concat((rows, rows.iloc[:1]))
    data = write_file(rows, tmp_path) if form == "a file" else iter([rows, rows])
    with pytest.raises(ValueError, match=r"a second time"):
        evaluate("label", "score", groups="qid", metrics=METRICS, data=data)


def test_evaluate_of_batches_rejects_descending_ids_for_moments(frame):
    with pytest.raises(ValueError, match="contain ids above those of earlier updates"):
        backwards = (frame[frame.qid == query] for query in (5, 3))
        evaluate("label", "score", groups="qid", metrics=METRICS, data=backwards, keep_queries=False)


class NoFrame:
    """Neither a frame nor a file."""


REFUSED = {
    "no file": ({"data": "no such file"}, "data", "be an existing file or folder"),
    "no form": ({"data": NoFrame()}, "data", "be a frame, a Parquet file"),
    "a list": ({"data": [1, 2]}, "data", "be a frame, a Parquet file"),
    "a column of a frame": ({"data": pandas.Series([1, 2])}, "data", "be a frame, a Parquet file"),
    "ERR": ({"metrics": ["err"], "data": iter([])}, "metrics", "contain max_grade"),
    "no frames": ({"data": iter([5])}, "data", "yield frames"),
    "nothing": ({"data": iter([])}, "data", "have rows"),
    "no groups": ({"groups": None}, "groups", "be the name of the column of query ids"),
    "no such column": ({"groups": "query"}, "groups", "name a column of 'data'.*Its columns are 'qid'"),
    "a column": ({"groups": np.arange(N_ROWS)}, "groups", "name a column of 'data'.*Got an ndarray"),
    "no metric": ({"metrics": ["ndgc@10"], "data": iter([])}, "metrics", "name a metric"),
    "no option": ({"ties": "bets", "data": iter([])}, "ties", "be one of"),
    "a percentage": ({"confidence_level": 95, "data": iter([])}, "confidence_level", "be between 0 and 1"),
    "nothing kept": ({"keep_queries": "no", "data": iter([])}, "keep_queries", "be True or False"),
    "no such cluster": ({"cluster": "session"}, "cluster", "name a column of 'data'"),
    "clusters of moments": ({"cluster": "user", "keep_queries": False}, "cluster", "be None"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_evaluate_of_data_rejects_invalid_arguments(case, frame):
    changes, parameter, rule = REFUSED[case]
    call = {"groups": "qid", "metrics": METRICS, "data": frame} | changes
    with pytest.raises(ValueError, match=rf"The '{parameter}' parameter of evaluate must {rule}"):
        evaluate("label", "score", **call)


def test_evaluate_of_parquet_rejects_unknown_columns(frame, tmp_path):
    path = write_file(frame, tmp_path)
    with pytest.raises(
        ValueError,
        match=r"'y_score' parameter of evaluate must name a column of 'data'.*Its columns are 'qid'",
    ):
        evaluate("label", "prediction", groups="qid", metrics=METRICS, data=path)


def test_evaluate_rejects_files_that_are_not_parquet(frame, tmp_path):
    path = tmp_path / "rows.csv"
    frame.to_csv(path)
    rule = r"'data' parameter of evaluate must be in Parquet format if it is a file.*rows.csv"
    with pytest.raises(ValueError, match=rule):
        evaluate("label", "score", groups="qid", metrics=METRICS, data=path)


def test_evaluate_accepts_a_list_of_files(frame, expected, tmp_path):
    paths = sorted(write_folder(frame, tmp_path).iterdir())
    rows = {"groups": "qid", "sample_weight": "weight", "metrics": METRICS}
    assert evaluate("label", "score", data=paths, **rows).mean == expected.mean


def test_evaluate_rejects_a_folder_without_parquet_files(tmp_path):
    with pytest.raises(ValueError, match=r"contain files with the ending .parquet"):
        evaluate("label", "score", groups="qid", metrics=METRICS, data=tmp_path)


def test_evaluate_rejects_files_without_pyarrow(frame, tmp_path, monkeypatch):
    path = write_file(frame, tmp_path)
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(
        ValueError, match=r"'data' parameter of evaluate must be a frame in memory if pyarrow is not"
    ):
        evaluate("label", "score", groups="qid", metrics=METRICS, data=path)


@pytest.mark.parametrize("kind", ["string_view", "large_string", "binary"])
def test_evaluate_accepts_ids_of_any_arrow_text_type(kind, frame, expected):
    table = arrow.Table.from_pandas(frame)
    ids = table["text"].cast("binary" if kind == "binary" else "string").cast(kind)
    table = table.set_column(table.column_names.index("text"), "text", ids)
    options = {"groups": "text", "sample_weight": "weight", "metrics": METRICS}
    assert evaluate("label", "score", data=table.to_reader(STEP), **options).mean == expected.mean
