"""Objects at a prompt, in 80 columns, in LaTeX and as a page."""

import json
import re
import subprocess
from shutil import which

import numpy as np
import pytest

import sklearn_rank
from sklearn_rank import RankingReport, compare, explain
from sklearn_rank.metrics import tie_report
from sklearn_rank.reports import Table
from sklearn_rank.reports._system_names import shorten_names
from tests.helpers.reports import A, B, C, compare_values, drop_values, join_lines, report_of, split_by

LONG = [f"run-of-the-system-{word}-with-1000-documents" for word in ("bm25", "dense", "hybrid")]
METRICS = {"ndcg@10": A, "mrr@10": B}


def compare_long(n_systems, **options):
    random = np.random.RandomState(0)
    names = LONG[:n_systems] + [f"another-long-name-{i}-of-a-system" for i in range(n_systems - len(LONG))]
    noise = {name: random.uniform(-0.1, 0.1, 50) for name in names}
    reports = {
        name: report_of({metric: np.clip(values + each, 0, 1) for metric, values in METRICS.items()})
        for name, each in noise.items()
    }
    return compare(reports, **options)


PRINTED = {
    "report": report_of(METRICS),
    "worst": report_of(METRICS).worst("ndcg@10"),
    "segments": split_by(report_of(METRICS), ["x", "y"] * 25),
    "two systems": compare_long(2),
    "six systems": compare_long(6),
    "six systems, baseline": compare_long(6, baseline=LONG[1]),
    "segments of systems": compare_long(3).by({i: "ab"[i % 2] for i in range(50)}),
    "segments of long names": compare_long(3, margin=0.2).by(
        {i: f"segment {i % 2} of queries" for i in range(50)}
    ),
    "differences below the margin": compare(
        {"a": report_of({"recall@100": 0.98 * A}), "b": report_of({"recall@100": A})}, margin=0.02
    ),
    "worst of many metrics": report_of({f"ndcg@{k}": A for k in range(1, 20)}).worst("ndcg@9"),
    "needed": compare_long(6).queries_needed(),
    "changes": compare_long(2).changes("ndcg@10"),
    "ties": tie_report([1, 0], [1, 1], groups=[1, 1], metrics=["ndcg"]),
    "explanation": explain("ndcg@10"),
    "explanation of a long call": explain("trec_eval:map_cut_10"),
}


@pytest.mark.parametrize("printed", PRINTED.values(), ids=PRINTED)
def test_repr_is_the_printed_text(printed):
    assert repr(printed) == str(printed)
    assert len(repr(printed).splitlines()) > 2


@pytest.mark.parametrize("printed", PRINTED.values(), ids=PRINTED)
def test_printed_lines_fit_80_columns(printed):
    assert max(map(len, str(printed).splitlines())) <= 80


@pytest.mark.parametrize("printed", PRINTED.values(), ids=PRINTED)
def test_notebooks_show_every_printed_object(printed):
    assert re.match("<(table|pre)", printed._repr_html_())


# ------------------------------------------------------------------ names of systems


@pytest.mark.parametrize(
    ("names", "expected"),
    [
        (["a", "ten letter"], ["a", "ten letter"]),
        (LONG, ["bm25", "dense", "hybrid"]),
        (["elevenchars", "other words"], ["A", "B"]),
        (["common-words-", "common-words-more"], ["A", "B"]),  # one has no other word
        (["runs/bm25_a.txt", "runs/bm25_b.txt"], ["a", "b"]),
        (["one.dense.run", "two.dense.run"], ["one", "two"]),
        (["a system - x", "a system + x"], ["A", "B"]),
        (["linear", "stronger penalty"], ["linear", "B"]),
        (["stronger penalty", "A"], ["A", "B"]),
    ],
)
def test_shorten_names_keeps_the_words_that_differ(names, expected):
    assert shorten_names(names) == dict(zip(names, expected))


def test_more_than_52_long_names_become_numbers():
    names = [f"{'x' * i}-{'y' * i}" for i in range(5, 60)]
    assert list(shorten_names(names).values()) == list(map(str, range(1, 56)))


def test_full_names_are_listed_below_the_table():
    found = compare_long(2)
    assert found.table().names == (f"bm25: {LONG[0]}", f"dense: {LONG[1]}")
    for text in (str(found), found.to_markdown(), found._repr_html_(), found.to_latex("comparisons")):
        assert f"dense: {LONG[1]}" in text.rpartition("Largest changes")[2]


def test_caption_of_changes_has_the_short_name():
    assert 'worse with "dense"' in compare_long(2).changes("ndcg@10").caption


# ------------------------------------------------------------------ tables


def test_text_omits_optional_columns_only_if_it_is_too_wide():
    texts = {"a": ["x" * 60], "b": ["y" * 20], "c": ["z"], "d": ["w"]}
    table = Table({}, texts, optional=("b", "d"))
    assert str(table).split() == ["a", "c", "d", "x" * 60, "z", "w"]
    assert "y" * 20 in table.to_markdown()


def test_names_are_broken_between_words_if_a_table_is_too_wide():
    columns = {"a": ["x" * 70, "y"], "why": ["one two three", "three"]}
    assert str(Table(columns, columns)).splitlines() == [
        f"a{' ' * 69}       why",
        f"{'x' * 70}   one two",
        f"{' ' * 70}     three",
        f"y{' ' * 69}     three",
    ]


def test_first_names_have_lines_of_their_own_if_a_table_is_too_wide():
    texts = {"query": ["x" * 90, "y", "y", ""], "mrr": ["0.5", "1.0", "0.2", "0.1"]}
    lines = ["  mrr", "x" * 80, "x" * 10, "  0.5", "y", "  1.0", "  0.2", "  0.1"]
    assert str(Table(texts, texts)).splitlines() == lines


def test_columns_can_be_aligned_to_the_left():
    table = Table({}, {"a": ["1"], "b": ["2"], "c": ["3"]}, left=("c",))
    assert str(Table({}, {"a": ["1"], "long": ["x"]}, left=("long",))) == "a  long\n1  x"
    assert "| --- | ---: | --- |" in table.to_markdown().replace("  ", " ")
    assert "tabular}{lrl}" in table.to_latex()
    assert table._repr_html_().count("text-align: right") == 2


def test_captions_and_notes_are_wrapped_between_words():
    table = Table({}, {"a": ["1"]}, "word " * 30, ("a-b " * 30, "x" * 90))
    lines = str(table).splitlines()
    assert [len(line) for line in lines] == [79, 69, 1, 1, 79, 39, 90]


def test_digits_sets_the_decimals():
    assert list(report_of(METRICS).table(digits=1).texts["mean"]) == [f"{A.mean():.1f}", f"{B.mean():.1f}"]
    assert compare_values(A, B).table(digits=1).texts["mean"] == [f"{A.mean():.1f}", f"{B.mean():.1f}"]
    segments = split_by(report_of(A), ["x", "y"] * 25).table(digits=1)
    assert set(map(len, segments.texts["mean"])) == {3}
    with pytest.raises(ValueError, match=r"'digits' parameter of RankingReport\.table must be an int >= 0"):
        report_of(METRICS).table(digits=-1)


def test_means_of_one_column_have_the_same_decimals():
    found = compare(
        {name: report_of({"mrr": each, "map": each**9}) for name, each in {"a": A, "b": B}.items()}
    )
    assert {len(text.partition(".")[2]) for text in found.table().texts["mean"]} == {3}


def test_reasons_are_grouped_and_at_most_three_are_noted():
    found = compare_values(A, B, C, np.roll(A, 1))
    notes = [note for note in found.table().notes if note.startswith("Undecided (")]
    assert len(notes) == 3
    assert notes[0] == f"Undecided (b vs. a): {found.columns['why'][0]}."
    n = len(set(found.columns["why"].tolist()) - {""}) - 3
    assert f"For {n} more reasons" in join_lines(found)
    few = compare_values(*(each[:1] for each in (A, B, C)))
    assert "Undecided (b vs. a, c vs. a, c vs. b): one query has no interval." in few.table().notes


# ------------------------------------------------------------------ LaTeX, JSON


def test_latex_of_comparisons_is_the_printed_table():
    found = compare_values(A, B, C)
    rows = found.to_latex("comparisons", digits=2).splitlines()
    head = "metric & system & vs. & mean & difference (95\\% CI) & relative (95\\% CI) & p & effect"
    assert head in "\n".join(rows)
    low, high, difference = (found.columns[name][0] for name in ("low", "high", "difference"))
    (row,) = [row for row in rows if " & b & a & " in row]
    assert f"{B.mean():.2f} & {difference:+.2f} [{low:.2f}, {high:.2f}]" in row.replace("$-$", "-")


def test_latex_caption_names_test_correction_queries_and_seed():
    found = compare_values(A, B, C, baseline="a", margin=0.1, options={"cluster": np.arange(50) // 2})
    (caption,) = [line for line in found.to_latex().splitlines() if line.startswith("\\caption")]
    assert caption == (
        "\\caption{Paired t test over 50 queries in 25 clusters; p and intervals adjusted for 2 comparisons "
        "by the largest \\textbar{}t\\textbar{} under random signs, at most 10,000 sign flips with "
        f"random\\_state=0, 95\\% confidence level (sklearn-rank {sklearn_rank.__version__}). Plus and "
        "minus: significantly better and worse than a, the only tested pairs. Bold: the best mean.}"
    )
    letters = compare_values(A, B, C).to_latex()
    assert "Superscript letters name the systems that are significantly worse." in letters


@pytest.mark.filterwarnings("ignore:The mean of .* is undefined")
@pytest.mark.parametrize(("name", "best"), [("x", [0.9, 0.91]), ("log_loss", [0.1])])
def test_latex_prints_the_best_means_in_bold(name, best):
    values = [np.full(50, each) for each in (0.1, 0.9, 0.91)]
    values[2][0] = np.nan
    rows = compare_values(*values, values[0] * np.nan, name=name).to_latex(digits=1).splitlines()
    bold = [row.split("\\textbf{")[1][:3] for row in rows if "textbf" in row]
    assert bold == [f"{each:.1f}" for each in best]
    assert sum(" & nan" in row for row in rows) == 1


def test_latex_marks_what_differs_from_the_baseline():
    rows = compare_values(A, A + 0.1 + C / 99, A - 0.1 + C / 99, B, baseline="a", name="x").to_latex()
    marks = {
        row.split(" & ")[0]: row.count("^{+}") - row.count("^{-}") for row in rows.splitlines() if "&" in row
    }
    assert marks == {"system": 0, "a": 0, "b": 1, "c": -1, "d": 0}


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (
            {"test": "wilcoxon"},
            "Wilcoxon's signed-rank test over 50 queries; p adjusted for 3 comparisons by Holm, 95%",
        ),
        (
            {"test": "randomization", "correction": None},
            "not adjusted for 3 comparisons, at most 10,000 sign flips",
        ),
        ({"test": "t", "confidence_level": 0.9}, "by Holm, intervals by Bonferroni, 90% confidence level"),
    ],
)
def test_summarize_names_test_and_correction(options, words):
    assert words in compare_values(A, B, C, **options).summarize()


def test_latex_digits_sets_the_decimals_of_means():
    assert f"& {A.mean():.1f} \\\\" in compare_values(A, B).to_latex(digits=1)


def test_latex_escapes_signs_that_text_fonts_lack():
    table = Table({}, {"p": ["<0.001", "-1 [-2, 3]", "a-1 | b > c"]})
    written = ["\\textless{}0.001", "$-$1 [$-$2, 3]", "a-1 \\textbar{} b \\textgreater{} c"]
    assert [f"{cell} \\\\" for cell in written] == table.to_latex().splitlines()[4:7]


@pytest.mark.slow
@pytest.mark.skipif(not which("pdflatex"), reason="pdflatex is not installed")
def test_latex_can_be_compiled(tmp_path):
    odd = dict.fromkeys(["a_b & 50% #1 $x$ {y} ~^ \\ <z>|", "plain"], report_of(METRICS))
    comparisons = [compare_long(6), compare_long(2), compare(odd)]
    tables = [found.to_latex(layout) for found in comparisons for layout in ("letters", "comparisons")]
    printed = [PRINTED[name].to_latex() for name in ("report", "worst", "segments", "needed", "changes")]
    body = "\n\n".join([*tables, *printed, PRINTED["segments of systems"].to_latex("comparisons")])
    page = f"\\documentclass{{article}}\\usepackage{{booktabs}}\\begin{{document}}{body}\\end{{document}}"
    (tmp_path / "page.tex").write_text(page)
    command = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "page.tex"]
    assert subprocess.run(command, cwd=tmp_path, capture_output=True).returncode == 0


def test_latex_rejects_other_layouts():
    with pytest.raises(ValueError, match=r"'layout' parameter .* must be one of 'letters', 'comparisons'"):
        compare_values(A, B).to_latex("means")


def test_comparison_to_dict_can_be_written_as_json():
    found = compare_values(A, A, B)
    content = json.loads(json.dumps(found.to_dict(), allow_nan=False))
    assert content["systems"] == ["a", "b", "c"]
    assert (content["test"], content["confidence_level"], content["n_queries"]) == ("auto", 0.95, 50)
    assert [row["system"] + row["other"] for row in content["comparisons"]] == ["ba", "ca", "cb"]
    assert content["comparisons"][1]["difference"] == pytest.approx(B.mean() - A.mean())


# ------------------------------------------------------------------ pages


class Drawn(RankingReport):
    def plot(self, ax):
        ax.plot([0, 1], color="black")
        ax.set_title("a figure")
        ax.legend(["a curve"])


def test_page_has_title_date_versions_and_table(tmp_path):
    report = report_of(METRICS)
    assert report.to_html(tmp_path / "page.html", title="NDCG & <MRR>") is None
    page = (tmp_path / "page.html").read_text()
    assert page.startswith("<!DOCTYPE html>")
    assert "<title>NDCG &amp; &lt;MRR&gt;</title>" in page
    assert f"<h1>NDCG &amp; &lt;MRR&gt;</h1>{report._repr_html_()}" in page
    assert re.search(rf"\d{{4}}-\d\d-\d\d.*numpy {re.escape(np.__version__)}", page)
    assert "color-scheme: light dark" in page


def test_page_title_is_the_caption():
    assert "<title>50 queries, 95% confidence intervals over queries</title>" in report_of(A).to_html()
    assert "<title>Table</title>" in Table({}, {"a": ["1"]}).to_html()


def test_page_has_the_figure_in_the_colors_of_the_page():
    pytest.importorskip("matplotlib")
    report = Drawn.from_values(range(50), METRICS)
    page = report.to_html()
    assert page.count("<svg") == 1
    assert "stroke: currentColor" in page
    assert "fill: Canvas" in page
    assert "#000000" not in page
    assert "#ffffff" not in page


def test_page_has_no_figure_without_matplotlib_or_values(monkeypatch):
    moments = drop_values(Drawn.from_values(range(50), METRICS))
    assert "<svg" not in moments.to_html()
    monkeypatch.setattr("sklearn_rank.reports._pages.find_spec", lambda name: None)
    assert "<svg" not in Drawn.from_values(range(50), METRICS).to_html()


def test_page_of_a_comparison_draws_each_pair():
    pytest.importorskip("matplotlib")
    found, drawn = compare_values(A, B, C), []
    found.plot = lambda ax, **pair: drawn.append(pair)
    assert found.to_html().count("<svg") == 3
    assert drawn[0] == {"system": "b", "other": "a"}
    reports = {"a": report_of(A), "b": RankingReport.from_values(range(50, 100), {"mrr": B})}
    assert compare(reports, paired=False)._list_figures() == []


def test_names_are_short_if_no_names_fit():
    metric = "a metric with a name of more than eighty letters, so that no short name of a system is enough"
    names = ["a long name", "another name"]
    found = compare(dict(zip(names, [report_of(A, metric), report_of(B, metric)])))
    assert found.table().texts["system"] == ["a long", "another"]
