"""`evaluate` with names of columns, for frames and for rows that are read in batches."""

import sys
import threading

import numpy as np
import pytest

from sklearn_rank import RankingEvaluator, evaluate
from sklearn_rank.distributed import _data, _sources
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
    evaluator = RankingEvaluator(METRICS, keep_queries=keep)
    found = evaluator.read(data, "label", "score", **names).result()
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

    def spy(self, batch_size, columns):
        read.append(columns)
        return iter_batches(self, batch_size, columns=columns)

    monkeypatch.setattr(parquet.ParquetFile, "iter_batches", spy)
    evaluate("label", "score", groups="qid", metrics=METRICS, data=write_file(frame, tmp_path))
    assert read == [["label", "score", "qid"]]


def test_evaluate_of_parquet_treats_missing_labels_as_unjudged(frame, tmp_path):
    labels = frame.label.where(frame.label > 0)
    path = write_file(frame.assign(label=labels), tmp_path)
    options = {"metrics": METRICS, "unjudged": "nonrelevant"}
    expected = evaluate(labels, frame.score, groups=frame.qid, **options)
    assert evaluate("label", "score", groups="qid", data=path, **options).mean == expected.mean


def shuffle(frame):
    return frame.sample(frac=1, random_state=0, ignore_index=True)


@pytest.mark.parametrize("form", IN_BATCHES)
def test_evaluate_of_few_rows_accepts_any_order(form, frame, expected, tmp_path):
    data = IN_BATCHES[form](shuffle(frame), tmp_path)
    rows = {"groups": "text", "sample_weight": "weight", "metrics": METRICS}
    assert evaluate("label", "score", data=data, **rows).mean == expected.mean


@pytest.mark.parametrize("form", ["a file", "frames"])
def test_evaluate_of_batches_names_the_fix_for_scattered_rows(form, frame, tmp_path, monkeypatch):
    monkeypatch.setattr(_sources, "BATCH", STEP)
    data = IN_BATCHES[form](shuffle(frame), tmp_path)
    with pytest.raises(ValueError, match=r"'groups' .* of evaluate must .*a second time.*ORDER BY qid"):
        evaluate("label", "score", groups="qid", metrics=METRICS, data=data)


@pytest.mark.parametrize("form", ["a file", "frames"])
def test_evaluate_of_batches_rejects_a_query_in_two_places(form, frame, tmp_path, monkeypatch):
    monkeypatch.setattr(_sources, "BATCH", STEP)
    rows = pandas.concat((frame, frame.iloc[:1]))
    with pytest.raises(ValueError, match="Got 0 a second time"):
        evaluate("label", "score", groups="qid", metrics=METRICS, data=IN_BATCHES[form](rows, tmp_path))


def test_evaluator_of_moments_rejects_batches_with_descending_ids(frame, monkeypatch):
    monkeypatch.setattr(_sources, "BATCH", 5)
    backwards = (frame[frame.qid == query] for query in (5, 3))
    evaluator = RankingEvaluator(METRICS, keep_queries=False)
    with pytest.raises(ValueError, match="contain ids above those of earlier updates"):
        evaluator.read(backwards, "label", "score", groups="qid")
    assert repr(evaluator).startswith("<RankingEvaluator of 0 queries")


def test_evaluator_reads_files_one_after_another(frame, tmp_path):
    evaluator = RankingEvaluator(METRICS)
    for number, part in enumerate((frame[frame.qid < 50], frame[frame.qid >= 50])):
        path = tmp_path / f"{number}.parquet"
        part.to_parquet(path)
        assert evaluator.read(path, "label", "score", groups="qid") is evaluator
    expected = evaluate(frame.label, frame.score, groups=frame.qid, metrics=METRICS)
    assert evaluator.result().mean == expected.mean


def test_evaluator_read_requires_groups(frame):
    with pytest.raises(ValueError, match=r"'groups' parameter of RankingEvaluator.read must be the name"):
        RankingEvaluator(METRICS).read(frame, "label", "score", groups=None)


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
    "no such cluster": ({"cluster": "session"}, "cluster", "name a column of 'data'"),
    "clusters of batches": ({"cluster": "user", "data": iter([])}, "cluster", "be None if rows are read in"),
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


@pytest.mark.parametrize("ids", ["qid", "whole", "real", "day", "text"])
def test_evaluate_of_batches_accepts_ids_of_any_type(ids, frame, monkeypatch):
    monkeypatch.setattr(_sources, "BATCH", STEP)
    day = pandas.Timestamp("2026-01-01") + pandas.to_timedelta(frame.qid, unit="D")
    rows = frame.assign(real=frame.qid / 4 - 3, day=day, whole=frame.qid.astype(np.uint64) + 2**63)
    expected = evaluate(rows.label, rows.score, groups=rows[ids], metrics=METRICS)
    found = evaluate("label", "score", data=cut(rows), groups=ids, metrics=METRICS)
    assert found.mean == expected.mean
    assert np.array_equal(found.ids, expected.ids)


def test_evaluate_accepts_batches_with_other_dtypes_of_same_values(frame, expected):
    kinds = {"qid": np.int16, "label": np.float64}
    batches = (each.astype(kinds) if place % 2 else each for place, each in enumerate(cut(frame)))
    rows = {"groups": "qid", "sample_weight": "weight", "metrics": METRICS}
    assert evaluate("label", "score", data=batches, **rows).mean == expected.mean


def test_evaluate_rejects_batches_with_inconsistent_column_types(frame):
    batches = iter([frame, frame.assign(label=frame.label + 0.5)])
    rule = r"'data' parameter of evaluate must have the same column types.*Got 'label' of double after int64"
    with pytest.raises(ValueError, match=rule):
        evaluate("label", "score", data=batches, groups="qid", metrics=METRICS)


def test_evaluate_casts_files_to_the_types_of_the_first(frame, tmp_path):
    for place, kind in enumerate((np.int64, np.int16, np.float64)):
        part = frame.iloc[place * 700 : (place + 1) * 700].astype({"qid": kind})
        parquet.write_table(arrow.Table.from_pandas(part), tmp_path / f"{place}.parquet")
    expected = evaluate(frame.label, frame.score, groups=frame.qid, metrics=METRICS)
    assert evaluate("label", "score", data=tmp_path, groups="qid", metrics=METRICS).mean == expected.mean


# ---------------------------------------------------------------------------- threads and progress bars


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_evaluate_of_a_file_gives_the_same_report_with_threads(n_jobs, frame, tmp_path, monkeypatch):
    monkeypatch.setattr(_sources, "BATCH", STEP)
    rows = {"groups": "qid", "metrics": METRICS, "interval": "bootstrap", "n_resamples": 200}
    here, there = np.random.RandomState(5), np.random.RandomState(5)
    expected = evaluate("label", "score", data=frame, random_state=here, **rows)
    path = write_file(frame, tmp_path)
    found = evaluate("label", "score", data=path, random_state=there, n_jobs=n_jobs, **rows)
    for name in METRICS:
        assert found.interval[name] == pytest.approx(expected.interval[name], rel=1e-12)
    assert here.random_sample() == there.random_sample()


def test_read_ahead_reads_exactly_one_table_ahead():
    begun = [threading.Event() for _ in range(5)]

    def read():
        for number, event in enumerate(begun):
            event.set()
            yield number

    for number in _data._read_ahead(read()):
        assert begun[min(number + 1, 4)].wait(timeout=60)
        assert not any(event.is_set() for event in begun[number + 2 :])


def test_read_ahead_stops_its_thread_at_the_end_and_on_error():
    def read():
        yield from range(3)
        raise OSError("the line is dead")

    before = set(threading.enumerate())
    with pytest.raises(OSError, match="the line is dead"):
        list(_data._read_ahead(read()))
    assert list(_data._read_ahead(iter(range(3)))) == [0, 1, 2]
    assert list(_data._read_ahead(iter([]))) == []
    assert set(threading.enumerate()) <= before


def test_evaluate_raises_the_error_of_an_iterator(frame):
    def read():
        yield from list(cut(frame))[:5]
        raise OSError("the line is dead")

    with pytest.raises(OSError, match="the line is dead"):
        evaluate("label", "score", groups="qid", metrics=METRICS, data=read())


@pytest.mark.parametrize("form", ["a file", "frames"])
def test_progress_bar_counts_all_rows(form, frame, tmp_path, capsys, monkeypatch):
    pytest.importorskip("tqdm")
    monkeypatch.setattr(_sources, "BATCH", STEP)
    data, evaluator = IN_BATCHES[form](frame, tmp_path), RankingEvaluator(METRICS)
    evaluator.read(data, "label", "score", groups="qid", progress=True)
    bar = capsys.readouterr().err.rpartition("\r")[2]
    assert bar.startswith("scoring: 100%" if form == "a file" else "scoring: 2.00k rows")


def test_progress_names_tqdm_when_it_is_not_installed(frame, monkeypatch):
    monkeypatch.setitem(sys.modules, "tqdm.auto", None)
    with pytest.raises(ImportError, match="needs tqdm to show its progress: pip install tqdm"):
        RankingEvaluator(METRICS).read(cut(frame), "label", "score", groups="qid", progress=True)


def test_evaluator_read_shows_no_progress_bar_by_default(frame, capsys):
    RankingEvaluator(METRICS).read(cut(frame), "label", "score", groups="qid")
    assert capsys.readouterr().err == ""


def test_evaluator_read_rejects_progress_that_is_not_a_flag(frame):
    with pytest.raises(ValueError, match=r"'progress' parameter of RankingEvaluator.read must be True or F"):
        RankingEvaluator(METRICS).read(cut(frame), "label", "score", groups="qid", progress=1)
