"""`evaluate` with `rows_adjacent=False`, which collects scattered rows of a query in files."""

import os
from contextlib import nullcontext

import numpy as np
import pytest

from sklearn_rank import evaluate
from sklearn_rank.distributed import ReadingPlan, _data, _sources
from sklearn_rank.metrics import Given
from tests.helpers.frames import IN_BATCHES, METRICS, STEP, arrow, cut, make_frame, pandas, write_file

pytestmark = pytest.mark.usefixtures("folder")  # checks that the folder is empty at the end

ROWS = {"groups": "qid", "metrics": METRICS, "rows_adjacent": False}


@pytest.fixture(scope="module")
def frame():
    """Rows in any order, with ids of several types."""
    frame = make_frame().sample(frac=1, random_state=0, ignore_index=True)
    frame["real"] = frame.qid / 4 - 3
    frame["day"] = pandas.Timestamp("2026-01-01") + pandas.to_timedelta(frame.qid, unit="D")
    frame["whole"] = frame.qid.astype(np.uint64) + 2**63
    return frame


@pytest.fixture
def small(monkeypatch):
    """Batches and files of few rows."""
    monkeypatch.setattr(_sources, "BATCH", STEP)
    monkeypatch.setattr(_data, "PIECE", 90)
    monkeypatch.setattr(_data, "MEMORY", 10**7)
    monkeypatch.setattr(_data, "SIZE_OF_ROW", 10**5)  # so that 1e7 bytes are a hundred rows


@pytest.mark.parametrize("ids", ["qid", "text"])
@pytest.mark.parametrize("keep", [True, False], ids=["queries", "moments"])
@pytest.mark.parametrize("form", IN_BATCHES)
def test_evaluate_scattered_rows_gives_the_report_of_arrays(form, keep, ids, frame, tmp_path, small):
    rows = {"sample_weight": frame.weight, "metrics": METRICS}
    expected = evaluate(frame.label, frame.score, groups=frame.qid, **rows)
    names = {"groups": ids, "sample_weight": "weight", "keep_queries": keep}
    data = IN_BATCHES[form](frame, tmp_path)
    found = evaluate("label", "score", data=data, **ROWS | names)
    assert found.mean == expected.mean
    assert found.n_queries == expected.n_queries
    assert found.standard_error == pytest.approx(expected.standard_error, rel=1e-12)
    if keep:
        assert found.ids.tolist() == sorted(set(frame[ids]))


@pytest.mark.slow
@pytest.mark.parametrize("ids", ["qid", "whole", "real", "day", "text"])
@pytest.mark.parametrize("step", [STEP, 2000])
def test_evaluate_scattered_rows_accepts_ids_of_any_type(ids, step, frame, small):
    expected = evaluate(frame.label, frame.score, groups=frame[ids], metrics=METRICS)
    found = evaluate("label", "score", data=cut(frame, step), **ROWS | {"groups": ids})
    assert found.mean == expected.mean
    assert np.array_equal(found.ids, expected.ids)


def test_evaluate_merges_ids_of_positive_and_negative_zero(small):
    data = {"qid": [0.0, 1.0, -0.0, 1.0], "label": [1, 0, 0, 1], "score": [0.1, 0.2, 0.3, 0.4]}
    assert evaluate("label", "score", data=iter([data]), **ROWS).n_queries == 2


def test_evaluate_scattered_rows_in_memory_gives_the_report_of_arrays(frame):
    expected = evaluate(frame.label, frame.score, groups=frame.qid, metrics=METRICS)
    assert evaluate("label", "score", data=frame, **ROWS).mean == expected.mean
    arrays = {"groups": frame.qid, "metrics": METRICS, "rows_adjacent": False}
    assert evaluate(frame.label, frame.score, **arrays).mean == expected.mean


@pytest.mark.parametrize("form", ["a file", "frames"])
def test_evaluate_scattered_rows_keeps_the_order_of_ties(form, frame, tmp_path, small):
    tied = frame.assign(score=frame.score.round())
    expected = evaluate(tied.label, tied.score, groups=tied.qid, metrics=METRICS, ties="order")
    options = {"ties": "order"}
    data = IN_BATCHES[form](tied, tmp_path)
    assert evaluate("label", "score", data=data, **ROWS | options).mean == expected.mean


@pytest.mark.parametrize("keep", [True, False], ids=["queries", "moments"])
def test_evaluate_scattered_rows_accepts_a_query_larger_than_the_memory(keep, frame, small):
    giant = frame.assign(qid=frame.qid.where(frame.qid % 3 > 0, 0))  # the query has a third of the rows
    expected = evaluate(giant.label, giant.score, groups=giant.qid, metrics=METRICS)
    options = {"keep_queries": keep}
    found = evaluate("label", "score", data=cut(giant), **ROWS | options)
    # The last digit of sums over hundreds of ranks depends on the other queries of the computation.
    assert found.mean == pytest.approx(expected.mean, abs=1e-15)
    assert found.n_queries == expected.n_queries


def test_evaluate_scattered_rows_writes_fewer_files_with_more_memory(
    frame, tmp_path, folder, small, monkeypatch
):
    seen = []

    def look(labels):
        seen.append(sum(len(files) for _, _, files in os.walk(folder)))
        return labels

    path = write_file(frame, tmp_path)
    for memory in (10**7, 10**8, 10**9):
        seen.append("with")
        monkeypatch.setattr(_data, "MEMORY", memory)
        evaluate("label", "score", data=path, **ROWS | {"gain": look})
    most, fewer, one = (int(seen[place + 1]) for place, each in enumerate(seen) if each == "with")
    assert most > 18 > 5 > fewer >= 1
    assert one == 0  # the file is read and removed before its rows are scored


def test_evaluate_scattered_rows_rejects_missing_ids(frame):
    rows = frame.assign(qid=frame.qid.where(frame.qid > 5))
    with pytest.raises(ValueError, match=r"The 'groups' parameter of evaluate must"):
        evaluate("label", "score", data=cut(rows), **ROWS)


def test_evaluate_scattered_rows_rejects_empty_data():
    with pytest.raises(ValueError, match=r"The 'data' parameter of evaluate must have rows"):
        evaluate("label", "score", data=iter([]), **ROWS)


REFUSED = {
    "no truth": ({"rows_adjacent": "no"}, "rows_adjacent", "be True or False"),
    "no truth of progress": ({"progress": 1}, "progress", "be True or False"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_evaluate_scattered_rows_rejects_invalid_options(case, frame):
    changes, parameter, rule = REFUSED[case]
    with pytest.raises(ValueError, match=rf"The '{parameter}' parameter of evaluate must {rule}"):
        evaluate("label", "score", data=cut(frame), **ROWS | changes)


# ---------------------------------------------------------------------------- columns of several types


@pytest.mark.parametrize("together", [True, False])
def test_evaluate_accepts_batches_with_other_dtypes_of_same_values(together, frame):
    ordered = frame.sort_values("qid", kind="stable")
    expected = evaluate(ordered.label, ordered.score, groups=ordered.qid, metrics=METRICS)
    kinds = {"qid": np.int16, "label": np.float64}
    batches = (each.astype(kinds) if place % 2 else each for place, each in enumerate(cut(ordered)))
    assert (
        evaluate("label", "score", data=batches, **ROWS | {"rows_adjacent": together}).mean == expected.mean
    )


@pytest.mark.parametrize("together", [True, False])
def test_evaluate_rejects_batches_with_inconsistent_column_types(together, frame):
    batches = iter([frame, frame.assign(label=frame.label + 0.5)])
    rule = r"'data' parameter of evaluate must have the same column types.*Got 'label' of double after int64"
    with pytest.raises(ValueError, match=rule):
        evaluate("label", "score", data=batches, **ROWS | {"rows_adjacent": together})


def test_evaluate_casts_files_to_the_types_of_the_first(frame, tmp_path):
    for place, kind in enumerate((np.int64, np.int16, np.float64)):
        part = frame.iloc[place * 700 : (place + 1) * 700].astype({"qid": kind})
        arrow.parquet.write_table(arrow.Table.from_pandas(part), tmp_path / f"{place}.parquet")
    expected = evaluate(frame.label, frame.score, groups=frame.qid, metrics=METRICS)
    assert evaluate("label", "score", data=tmp_path, **ROWS).mean == expected.mean


# ---------------------------------------------------------------------------- files

PLAN = ReadingPlan(Given("label", "score", "qid"), None, True, False, None, False)


@pytest.mark.skipif(
    not os.path.exists("/dev/full"), reason="writes to a device that is full, as Linux has it"
)
def test_evaluate_scattered_rows_error_names_tmpdir_when_disk_is_full(frame, tmp_path, monkeypatch):
    (tmp_path / "00000-00000.arrow").symlink_to("/dev/full")
    monkeypatch.setattr(_data, "UNKNOWN", 1)
    monkeypatch.setattr(_data, "TemporaryDirectory", lambda prefix: nullcontext(str(tmp_path)))
    source = _sources.open_source(iter([frame]), PLAN.names)
    said = rf"evaluate groups rows by query in temporary files in '{tmp_path}' \(set TMPDIR .*No space left"
    with pytest.raises(OSError, match=said):
        _data.evaluate_anywhere(source, PLAN)


def test_scatter_joins_files_of_several_processes_in_row_order(frame, tmp_path, monkeypatch):
    """Several processes here, one after the other: their files are joined in the order of the rows."""
    source = _sources.open_source(write_file(frame, tmp_path), PLAN.names)
    scatter = _data.Scatter(str(tmp_path), 2)
    work = {"stored": source.stored, "scatter": scatter, "plan": PLAN}
    parts = [_data._scatter_stored((place, (place, place + 1)), **work) for place in (5, 3, 11)]
    joined = [_data._join([part[number] for part in parts]) for number in (0, 1)]
    rows = pandas.concat([frame.iloc[place * 170 : place * 170 + 170] for place in (3, 5, 11)])
    for number, bucket in enumerate(joined):
        found = _data.read_bucket(bucket).to_pandas()
        expected = rows[rows.qid.isin(found.qid)]
        assert found.score.tolist() == expected.score.tolist()
        assert bucket.n_rows == len(found)
        assert not set(found.qid) & set(_data.read_bucket(joined[1 - number]).to_pandas().qid)
