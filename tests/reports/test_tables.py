"""Tables as text, HTML, Markdown, LaTeX and frames, and formats of numbers."""

import re
from html.parser import HTMLParser

import numpy as np
import pytest

import sklearn_rank.reports._tables as tables
from sklearn_rank import RankingReport
from sklearn_rank.reports import Table
from sklearn_rank.reports._tables import (
    Printed,
    decimals_of,
    make_frame,
    write,
    write_column,
    write_interval,
    write_signed,
)
from tests.helpers.forms import load
from tests.helpers.reports import split_by

TABLE = Table(
    {"name": ["a_1", "b|2"], "value": np.array([0.5, np.nan])},
    {"name": ["a_1", "b|2"], "value": ["0.50", "nan"]},
    "caption & <more>",
    ("a note", "50%"),
)
BARE = Table({"x": [1]}, {"x": ["1"]})


class Parts(HTMLParser):
    """It notes the text of each element."""

    def __init__(self, text):
        super().__init__()
        self.found = []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.tag = tag

    def handle_data(self, data):
        self.found.append((self.tag, data))


def test_table_text_has_aligned_columns():
    assert str(TABLE).split("\n") == [
        "caption & <more>",
        "name  value",
        "a_1    0.50",
        "b|2     nan",
        "a note",
        "50%",
    ]
    assert str(BARE) == "x\n1"


def test_table_html_escapes_the_text():
    assert Parts(TABLE._repr_html_()).found == [
        ("caption", "caption & <more>"),
        *[("th", each) for each in ("name", "value")],
        *[("td", each) for each in ("a_1", "0.50", "b|2", "nan")],
        *[("p", each) for each in ("a note", "50%")],
    ]
    assert "<caption>" not in BARE._repr_html_()


def test_table_html_aligns_numbers_right_without_wrapping():
    rows = re.findall(r"<tr>(.*?)</tr>", TABLE._repr_html_())
    for row in rows:
        styles = re.findall(r'style="(.*?)"', row)
        assert styles == ["text-align: left; white-space: nowrap", "text-align: right; white-space: nowrap"]


@pytest.mark.parametrize("text", ["<script>alert(1)</script>", 'a" onload="x', "a & b"])
def test_report_html_escapes_ids_and_names(text):
    report = RankingReport.from_values([text, "z"], {text: [0.5, 1]})
    for html in (
        report._repr_html_(),
        report.worst(text)._repr_html_(),
        split_by(report, [text, "z"])._repr_html_(),
    ):
        assert text not in html.replace("<p>", "") or "<" not in text
        assert text in [data for _, data in Parts(html).found]


def test_table_markdown_aligns_numbers_right():
    assert TABLE.to_markdown().split("\n") == [
        "caption & &lt;more>",
        "",
        "| name | value |",
        "| --- | ---: |",
        "| a_1 | 0.50 |",
        "| b\\|2 | nan |",
        "",
        "a note",
        "",
        "50%",
    ]
    assert BARE.to_markdown() == "| x |\n| --- |\n| 1 |"


def test_table_latex_uses_booktabs():
    assert TABLE.to_latex().split("\n") == [
        "% caption & <more>",
        "% a note",
        "% 50%",
        "\\begin{tabular}{lr}",
        "\\toprule",
        "name & value \\\\",
        "\\midrule",
        "a\\_1 & 0.50 \\\\",
        "b\\textbar{}2 & nan \\\\",
        "\\bottomrule",
        "\\end{tabular}",
    ]


def test_table_latex_escapes_special_characters():
    table = Table({}, {"a&b": ["50% of #1", "x_{i}^2", "~\\$"]})
    rows = table.to_latex().split("\n")
    assert "a\\&b \\\\" in rows
    assert "50\\% of \\#1 \\\\" in rows
    assert "x\\_\\{i\\}\\textasciicircum{}2 \\\\" in rows
    assert "\\textasciitilde{}\\textbackslash{}\\$ \\\\" in rows


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_table_to_frame_has_unrounded_values(library):
    load(library)
    frame = TABLE.to_frame(library)
    assert type(frame).__module__.startswith(library)
    assert list(frame["name"]) == ["a_1", "b|2"]
    assert next(iter(frame["value"])) == 0.5


def test_table_to_frame_uses_polars_when_pandas_is_missing(monkeypatch):
    load("pandas")
    load("polars")
    assert type(TABLE.to_frame()).__module__.startswith("pandas")
    monkeypatch.setattr(tables, "find_spec", lambda name: name == "polars")
    assert type(TABLE.to_frame()).__module__.startswith("polars")


def test_table_to_frame_error_shows_what_to_install(monkeypatch):
    def fail_to_import(name):
        raise ImportError(name)

    monkeypatch.setattr(tables, "find_spec", lambda name: None)
    monkeypatch.setattr(tables, "import_module", fail_to_import)
    with pytest.raises(ImportError, match=r"to_frame requires pandas. Install it: pip install pandas"):
        TABLE.to_frame()


@pytest.mark.parametrize("library", ["pyarrow", 7])
def test_make_frame_rejects_other_libraries(library):
    with pytest.raises(
        ValueError, match="'library' parameter of make_frame must be 'pandas', 'polars' or None"
    ):
        make_frame({}, library)


def test_printed_requires_a_table_method():
    with pytest.raises(NotImplementedError):
        Printed().table()


# ------------------------------------------------------------------ numbers


@pytest.mark.parametrize(
    ("interval", "decimals"),
    [
        ((0.4, 0.6), 2),
        ((0.41, 0.42), 4),
        ((0.81, 0.87), 3),
        ((-100, 100), 0),
        ((0, 30), 0),
        ((1.2, 3.4), 1),
        ((0.5, 0.5 + 1e-12), 8),
        ((0.5, 0.5), 4),
        ((np.nan, np.nan), 4),
        ((0, np.inf), 4),
    ],
)
def test_decimals_of_shows_two_digits_of_the_half_width(interval, decimals):
    assert decimals_of(interval) == decimals


def test_decimals_of_shows_two_digits_of_the_smallest_half_width():
    assert decimals_of((0.81, 0.87), (0.41, 0.42), (0.5, 0.5), (np.nan, np.nan)) == 4


@pytest.mark.parametrize(
    ("number", "decimals", "text", "signed"),
    [
        (0.41249, 3, "0.412", "+0.412"),
        (-0.41249, 3, "-0.412", "-0.412"),
        (0.0004, 3, "0.000", "0.000"),
        (-0.0004, 3, "0.000", "0.000"),
        (0.0, 2, "0.00", "0.00"),
        (np.nan, 3, "nan", "nan"),
        (np.inf, 3, "inf", "+inf"),
        (-np.inf, 3, "-inf", "-inf"),
        (123456.7, 0, "123457", "+123457"),
        (1.5e300, 0, "1.5e+300", "+1.5e+300"),
        (-1.5e15, 2, "-1.5e+15", "-1.5e+15"),
        (2e-12, 8, "2e-12", "+2e-12"),
        (-2e-12, 8, "-2e-12", "-2e-12"),
        (0.0, 8, "0.00000000", "0.00000000"),
    ],
)
def test_write_formats_numbers(number, decimals, text, signed):
    assert write(number, decimals) == text
    assert write_signed(number, decimals) == signed


def test_write_interval_formats_intervals():
    assert write_interval((0.1234, 0.5678), 2) == "[0.12, 0.57]"
    assert write_interval((-0.001, np.nan), 2, "*") == "[0.00, nan]*"


@pytest.mark.parametrize(
    ("values", "texts"),
    [
        (np.array([0.126, np.nan]), ["0.13", "nan"]),
        (np.array([1, 2]), ["1", "2"]),
        (np.array(["a", "b"]), ["a", "b"]),
        ([("a", 1), 2.5], ["('a', 1)", "2.5"]),
        (np.array(["2020-01-02"], dtype="M8[D]"), ["2020-01-02"]),
        (np.array(["2020-01-02"], dtype="M8[ns]"), ["2020-01-02"]),
        (
            np.array(["2020-01-02T03:30", "2020-01-02"], dtype="M8[us]"),
            ["2020-01-02T03:30", "2020-01-02"],
        ),
    ],
    ids=str,
)
def test_write_column_formats_columns(values, texts):
    assert write_column(values, 2) == texts


def test_report_rounds_a_mean_by_its_interval():
    values = 0.5 + np.random.default_rng(0).normal(size=100) / 10
    shown = str(RankingReport.from_values(np.arange(100), {"x": values})).split("\n")[2]
    half = 1.98 * values.std(ddof=1) / 10
    assert 0.01 < half < 0.1
    assert shown.split()[1] == f"{values.mean():.3f}"


def test_report_of_very_large_values_fits_a_terminal():
    report = RankingReport.from_values([1, 2, 3], {"dcg": [1e300, 2e300, 3e300]})
    assert max(map(len, str(report).split("\n")[:3])) < 100


def test_table_accepts_a_categorical_column():
    pd = load("pandas")
    values = pd.Categorical(["b", "a"])
    assert Table({"x": values}, {"x": write_column(values, 2)}).to_frame()["x"].tolist() == ["b", "a"]
    assert write_column(values, 2) == ["b", "a"]


@pytest.mark.parametrize("end", ["\n", "\r", "\r\n"])
def test_table_replaces_line_ends_in_cells(end):
    table = Table({}, {"name": [f"a{end}b"], "value": ["1"]})
    cell = f"a{' ' * len(end)}b"
    assert table.to_markdown().splitlines()[2] == f"| {cell} | 1 |"
    assert table.to_latex().splitlines()[4] == f"{cell} & 1 \\\\"
    assert str(table).splitlines()[1].split() == ["a", "b", "1"]
