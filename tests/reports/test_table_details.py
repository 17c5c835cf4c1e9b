"""Details of printed tables: natural order, missing intervals, short ids, narrow terminals."""

import os
import sys

import numpy as np
import pytest

from sklearn_rank import RankingReport, compare
from tests.helpers.reports import A, B, column, compare_values, report_of, split_by

NAMES = [f"a{i}" for i in range(1, 12)]


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (sorted(NAMES), NAMES),
        (NAMES[::-1], NAMES[::-1]),  # an order of the user
        (["a10", "a9"], ["a10", "a9"]),  # the difference is that of the second
        (["10", "9", "a"], ["9", "10", "a"]),  # numbers first
        (["1", "10 b", "2 a"], ["1", "2 a", "10 b"]),
    ],
)
def test_compare_puts_sorted_names_into_natural_order(given, expected):
    assert list(compare({name: report_of(A) for name in given}, test="sign").systems) == expected


def test_segments_are_in_natural_order():
    labels = {i: f"segment {i % 11 + 1}" for i in range(50)}
    names = [f"segment {i}" for i in range(1, 12)]
    assert list(report_of(A).by(labels)) == names
    assert compare_values(A, B).by(labels).columns["segment"].tolist() == names
    assert report_of(A).by(labels)["segment 10"].n_queries == 4


def test_labels_of_rows_that_differ_in_a_query_show_how_to_count_some_rows():
    report = report_of([0.5, 1.0])
    with pytest.raises(ValueError, match=r"in 1 of 2 queries .* only its rows count if .* evaluate\(numpy\."):
        report.by(["new", "old", "new"], groups=[0, 0, 1])


def test_report_of_one_query_has_no_interval():
    report = report_of([0.5])
    texts = report.table().texts
    assert (texts["95% CI"], texts["SE"], texts["mean"]) == ([""], [""], ["0.5000"])
    assert report.table().notes == ("One query has no interval.",)
    assert "nan" not in str(report)


def test_report_of_one_cluster_has_no_interval():
    assert report_of([0.5, 1], cluster=[0, 0]).table().notes == ("One cluster has no interval.",)


@pytest.mark.filterwarnings("ignore:The mean of .* is undefined")
def test_report_without_values_has_neither_interval_nor_note():
    report = report_of([np.nan, np.nan])
    assert report.table().texts["95% CI"] == [""]
    assert report.table().notes == ()


def test_segment_of_one_query_has_no_interval():
    table = split_by(report_of(A[:5]), ["x", *"yyyy"]).table()
    row = table.texts["segment"].index("x")
    assert table.texts["95% CI"][row] == ""
    assert "[" not in table.texts["vs. rest (95% CI)"][row]
    assert "One query has no interval." in table.notes


def test_comparison_of_one_query_has_neither_interval_nor_p():
    found = compare_values([0.5], [0.75])
    assert "nan" not in str(found)
    assert "too narrow" not in str(found)
    assert column(found, "why") == "one query has no interval"


@pytest.mark.parametrize(
    ("ids", "shown"),
    [
        (["a-long-common-start-1", "a-long-common-start-2"], ["...1", "...2"]),
        (["query 1", "query 2"], ["query 1", "query 2"]),  # short
        (["first of many words", "second of many words "], ["first of many words", "second of ma...ords "]),
    ],
)
def test_largest_changes_omit_the_same_start_of_ids(ids, shown):
    values = {"a": [0.5, 0.5], "b": [0.25, 1.0]}
    reports = {name: RankingReport.from_values(ids, {"mrr": each}) for name, each in values.items()}
    note = f"Largest changes of mrr: worse {shown[0]} (-0.250); better {shown[1]} (+0.500)."
    assert compare(reports).table().notes[-1] == note


@pytest.mark.parametrize("columns", ["40", "200"])
def test_texts_wrap_at_the_width_of_the_terminal(columns, monkeypatch):
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    monkeypatch.setattr(sys.stdout, "fileno", lambda: 1)
    monkeypatch.setattr(os, "get_terminal_size", lambda file: os.terminal_size((int(columns), 20)))
    table = compare_values(A, B, margin=0.3).table()
    rows = table._fit_lines()
    longest = max(len(line) for line in str(table).splitlines() if line not in rows)
    assert 35 < longest <= int(columns)
    assert (longest > 80) == (columns == "200")


def test_texts_wrap_at_80_without_a_standard_output(monkeypatch):
    table = compare_values(A, B, margin=0.3).table()
    expected = str(table)
    monkeypatch.setattr(sys, "stdout", None)
    assert str(table) == expected
