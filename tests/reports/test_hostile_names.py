"""Names of systems, runs, files and ids with controls, markup or formulas in every printed form."""

import re

import pytest

from sklearn_rank import RankingReport, compare
from sklearn_rank._cli import main
from sklearn_rank.reports import Table

NAMES = {
    "formula": r"$\undefined$",
    "half a formula": r"a$\frac{$b",
    "escape": "a\x1b[31mred",
    "title of a terminal": "\x1b]0;title\x07",
    "C1 control": "a\x9b31m",
    "lone surrogate": "a\udc80\ud800",
    "direction": "a\u202eb",
    "script": "<script>alert(1)</script>",
    "link": "[a](javascript:alert(1))",
    "image": "![a](http://example.org/a.png)",
    "rows": "a\n| b | c |\r\n# d",
    "null": "a\0b",
    "separator": "a\u2028b",
}
UNPRINTABLE = re.compile("[\0-\x08\x0b-\x1f\x7f-\x9f\u2028\u202e\ud800-\udfff]")
IDS = list(range(8))


def make_reports(name):
    values = [0.5, 1, 1, 0.5, 1, 0.25, 1, 0.5]
    return {
        each: RankingReport.from_values(IDS, {"mrr": values[::step]}) for each, step in ((name, 1), ("b", -1))
    }


def make_table(name):
    return Table({"name": [name], name: [1.0]}, {"name": [name], name: ["1.0"]}, name, (name,), names=(name,))


FORMS = {
    "repr": repr,
    "_repr_html_": lambda table: table._repr_html_(),
    "to_markdown": lambda table: table.to_markdown(),
    "to_latex": lambda table: table.to_latex(),
    "to_html": lambda table: table.to_html(title="a"),
}
MAKERS = {
    "Comparison": lambda name: compare(make_reports(name)),
    "Table": make_table,
    "by a label": lambda name: make_reports(name)["b"].by(dict(zip(IDS, [name, "b"] * 4))),
    "queries": lambda name: RankingReport.from_values([name, "b"], {"mrr": [0.5, 1]}).worst("mrr"),
}


@pytest.mark.parametrize("name", NAMES.values(), ids=NAMES)
@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)
@pytest.mark.parametrize("make", MAKERS.values(), ids=MAKERS)
@pytest.mark.filterwarnings("ignore::UserWarning")
def test_printed_forms_contain_no_controls_and_no_markup(make, form, name):
    text = form(make(name))
    assert not UNPRINTABLE.search(text)
    if form not in (FORMS["repr"], FORMS["to_latex"]):
        assert "<script" not in text
    if form is FORMS["to_markdown"]:
        assert "](" not in text


@pytest.mark.parametrize("form", ["table", "markdown", "latex", "html"])
@pytest.mark.parametrize("name", NAMES.values(), ids=NAMES)
@pytest.mark.parametrize("command", ["evaluate", "compare", "rbo"])
def test_commands_print_no_controls_of_tags(command, name, form, tmp_path, monkeypatch, capsysbinary):
    monkeypatch.chdir(tmp_path)
    tag = re.sub("[\n\r\0\u2028]", "", name).encode("utf-8", "replace")
    lines = b"q1 0 a 1\nq2 0 a 1\nq2 0 b 1\n"
    (tmp_path / "a.qrels").write_bytes(lines)
    for run, word in (("a.run", tag), ("b.run", b"b")):
        (tmp_path / run).write_bytes(b"q1 Q0 a 1 1 %b\nq2 Q0 b 1 1 %b\nq2 Q0 a 2 0 %b\n" % (word, word, word))
    files = ["a.run", "b.run"] if command == "rbo" else ["a.qrels", "a.run", "b.run"]
    code = main([command, *files, "--format", form])
    out, err = (text.decode() for text in capsysbinary.readouterr())
    assert code == 0, err
    assert not UNPRINTABLE.search(out + err)


@pytest.mark.parametrize("name", NAMES.values(), ids=NAMES)
def test_errors_and_warnings_contain_no_controls(name):
    with pytest.raises(ValueError) as caught:
        compare(make_reports(name), baseline=name + "\x1b")
    assert not UNPRINTABLE.search(str(caught.value))


@pytest.mark.parametrize("name", NAMES.values(), ids=NAMES)
@pytest.mark.parametrize("kind", ["difference", "queries", "cutoffs", "ties", "recall"])
def test_figures_show_names_as_text(kind, name, tmp_path):
    pytest.importorskip("matplotlib")
    import sklearn_rank.inspection as shown

    reports = make_reports(name)
    rows = {"y_true": [1, 0, 1, 0], "y_score": [1, 2, 2, 2], "groups": [1, 1, 2, 2], "name": name}
    displays = {
        "difference": lambda: shown.QueryDifferenceDisplay.from_reports(
            *reports.values(), "mrr", names=list(reports)
        ),
        "queries": lambda: shown.MetricDistributionDisplay.from_reports(reports, "mrr"),
        "cutoffs": lambda: shown.MetricAtKDisplay.from_predictions(**rows, metric="ndcg"),
        "ties": lambda: shown.TieRangeDisplay.from_predictions(**rows, metrics=["mrr"]),
        "recall": lambda: shown.InterpolatedPrecisionDisplay.from_predictions(**rows),
    }
    display = displays[kind]()
    display.figure_.savefig(tmp_path / "a.svg")
    texts = [
        text.get_text() for text in display.figure_.findobj(match=lambda each: hasattr(each, "get_text"))
    ]
    assert not any(UNPRINTABLE.search(text) for text in texts)
    assert not any(re.search(r"(?<!\\)\$", text) for text in texts if "10^" not in text)
