"""The commands compare, ties, metrics, explain and plot print the results of the functions."""

import json
from types import SimpleNamespace

import pytest

from sklearn_rank import compare, evaluate, explain, from_run
from sklearn_rank._cli._metrics import _describe
from sklearn_rank.metrics import tie_report
from tests.helpers.table import ALL_METRICS, METRICS

NAMES = ["ndcg@10", "mrr"]
METRIC_OPTIONS = [word for name in NAMES for word in ("-m", name)]
OPTIONS = {"unjudged": "nonrelevant", "metrics": NAMES}


def read(run, qrels="a.qrels"):
    y_true, y_score, groups = from_run(qrels, run)
    return {"y_true": y_true, "y_score": y_score, "groups": groups}


def report(run):
    return evaluate(**read(run), **OPTIONS)


WAYS = {
    "": {},
    "--baseline b": {"baseline": "b"},
    "--baseline b.run": {"baseline": "b"},
    "--test randomization --seed 3": {"test": "randomization", "random_state": 3},
    "--test sign --correction none": {"test": "sign", "correction": None},
    "--correction bonferroni --margin 0.1": {"correction": "bonferroni", "margin": 0.1},
    "--confidence-level 0.8": {"confidence_level": 0.8},
}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("form", ["table", "markdown", "latex", "html"])
@pytest.mark.parametrize("way", WAYS)
def test_compare_command_prints_the_comparison(way, form, folder, run_command):
    found = compare({"a": report("a.run"), "b": report("b.run")}, **WAYS[way])
    writers = {
        "table": found.__str__,
        "markdown": found.to_markdown,
        "latex": found.to_latex,
        "html": found.to_html,
    }
    words = ["a.qrels", "a.run", "b.run", "-c", *METRIC_OPTIONS, "--format", form, *way.split()]
    code, out, _ = run_command("compare", *words)
    assert (code, out.rstrip("\n")) == (0, writers[form]().rstrip("\n"))


@pytest.mark.filterwarnings("ignore")
def test_compare_command_averages_like_evaluate_command(folder, run_command):
    words = ["a.qrels", "a.run", "b.run", "-c", "-m", "f1@5(average=micro)", "--format", "json"]
    means, _ = json.loads(run_command("evaluate", *words)[1])
    (found,) = json.loads(run_command("compare", *words)[1])
    assert (found["mean"], found["other_mean"]) == pytest.approx((means["b"], means["a"]), rel=1e-12)


@pytest.mark.filterwarnings("ignore")
def test_compare_command_drops_missing_queries(folder, run_command):
    code, out, _ = run_command("compare", "b.qrels", "a.run", "b.run", "--drop-missing", *METRIC_OPTIONS)
    assert code == 0
    assert out.startswith('2 queries, difference from "a"')


@pytest.mark.filterwarnings("ignore")
def test_compare_command_lists_queries_that_changed_most(folder, run_command):
    found = compare({"a": report("a.run"), "b": report("b.run")})
    names = {"system": found.columns["system"][0], "other": found.columns["other"][0]}
    tables = [found, *(found.changes(metric, 1, **names) for metric in found.metrics)]
    code, out, _ = run_command(
        "compare", "a.qrels", "a.run", "b.run", "-c", *METRIC_OPTIONS, "--changes", "1"
    )
    assert (code, out) == (0, "\n".join(f"{each}\n" for each in tables))


def test_ties_command_prints_the_tie_report(folder, run_command):
    found = tie_report(**read("b.run", qrels="b.qrels"), **OPTIONS)
    out = run_command("ties", "b.qrels", "b.run", *METRIC_OPTIONS)[1]
    count, head, *lines, note = out.splitlines()
    assert count == "3 queries"
    assert [line.split() for line in lines] == [line.split() for line in str(found).splitlines()[1:-1]]
    assert head.split() == ["metric", "worst", "average", "best", "id", "order"]
    assert note == "33.3% of queries and 50% of documents have tied scores."
    rows = json.loads(run_command("ties", "b.qrels", "b.run", *METRIC_OPTIONS, "--format", "json")[1])
    assert [row.pop("queries") for row in rows] == [3] * len(rows)
    assert {row.pop("metric"): row for row in rows} == found.metrics


def test_ties_command_prints_several_runs(folder, run_command):
    words = ["b.qrels", "a.run", "b.run", "--drop-missing", "-m", "mrr"]
    rows = json.loads(run_command("ties", *words, "--format", "json")[1])
    assert [row["run"] for row in rows] == ["a", "b"]
    notes = run_command("ties", *words)[1].splitlines()[-2:]
    assert [note.split(" of ")[0] for note in notes] == ["a: 0%", "b: 33.3%"]


OF_INTENTS = ("alpha_ndcg", "nrbp", "err_ia", "subtopic_recall")


def test_metrics_command_lists_all_metrics(run_command):
    rows = json.loads(run_command("metrics", "--format", "json")[1])
    expected = [*METRICS.values(), *(ALL_METRICS[stem] for stem in OF_INTENTS)]
    assert [row["function"] for row in rows] == [metric.name for metric in expected]
    lines = run_command("metrics")[1].splitlines()
    assert sum(not line.startswith(" ") for line in lines) == len(expected) + 1
    assert max(map(len, lines)) <= 80


@pytest.mark.parametrize(
    ("word", "names"),
    [
        ("RECIPROCAL", ["err[@k]", "mrr[@k]", "err_ia[@k]"]),
        ("adaptive_k", ["precision@k"]),
        ("alpha", ["alpha_ndcg[@k]", "nrbp"]),
        ("bpref", ["bpref", "trec_eval:bpref", "trec_eval:gm_bpref", "ir_measures:Bpref", "ranx:bpref"]),
        ("xgboost", ["xgboost:ndcg", "xgboost:map", "xgboost:pre", "xgboost:auc"]),
    ],
)
def test_metrics_command_finds_metrics_by_word(word, names, run_command):
    rows = json.loads(run_command("metrics", word, "--format", "json")[1])
    assert [row["name"] for row in rows] == names


@pytest.mark.parametrize(
    ("summary", "description"),
    [
        ("Precision at k per query, averaged over queries.", "Precision at k"),
        ("Compute NDCG for each query and average it over queries.", "NDCG"),
        ("Compute mean average precision (MAP) over queries.", "Mean average precision (MAP)"),
        ("Compute the mean over intents, and average it over queries.", "Mean over intents"),
        ("Compute the share of users, averaged over queries.", "Share of users"),
        ("Compute the Gini coefficient of exposure.", "Gini coefficient of exposure"),
    ],
)
def test_metrics_command_describes_metrics_by_their_summaries(summary, description):
    assert _describe(SimpleNamespace(function=SimpleNamespace(__doc__=f"{summary}\n\nMore."))) == description


@pytest.mark.parametrize("name", ["ndcg@10", "trec_eval:map_cut_10"])
def test_explain_command_prints_the_explanation(name, run_command):
    given = f"{name}(unjudged=nonrelevant)" if ":" not in name else name  # the rule of the commands
    expected = str(explain(given)).replace(given, name)
    assert run_command("explain", name) == (0, f"{expected}\n", "")


@pytest.mark.parametrize("name", ["bpref", "trec_eval:bpref"])
def test_explain_command_describes_bpref_as_it_is_computed(name, run_command):
    words = " ".join(run_command("explain", name)[1].split())
    assert "'achievable', min(R, N), for R relevant and N other judged documents" in words
    assert "unjudged 'drop', documents with NaN labels are removed" in words


KINDS = {
    "cutoffs -m map": 2,
    "cutoffs -m ndcg --max-k 3": 2,
    "queries -m ndcg@3 -c": 2,
    "difference -m ndcg@3 -c": 2,
    "ties -m ndcg@3 -m mrr": 1,
    "recall -m map": 2,
}


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_plot_command_writes_figures(kind, folder, run_command):
    pytest.importorskip("matplotlib")
    runs = ["a.run", "b.run"][: KINDS[kind]]
    words = ["a.qrels", *runs, "--kind", *kind.split()]
    assert run_command("plot", *words, "-o", "a.png") == (0, "", "")
    assert (folder / "a.png").read_bytes().startswith(b"\x89PNG")
    assert run_command("plot", *words, "-o", "a.svg") == (0, "", "")
    text = (folder / "a.svg").read_text()
    assert "<svg" in text


def test_plot_command_ends_at_the_length_of_the_longest_run(folder, run_command):
    pytest.importorskip("matplotlib")
    lines = [f"q{query} Q0 a{rank} {rank} {-rank} a\n" for query in range(20) for rank in range(5)]
    (folder / "a.run").write_text("".join(lines))
    (folder / "a.qrels").write_text(
        "".join(f"q{query} 0 x{query} 1\nq{query} 0 a1 1\n" for query in range(20))
    )
    assert run_command("plot", "a.qrels", "a.run", "-m", "recall", "-o", "a.svg") == (0, "", "")
    assert run_command("plot", "a.qrels", "a.run", "-m", "recall", "-o", "a.svg", "--max-k", 6)[2] != ""


def test_plot_command_fails_when_the_folder_does_not_exist(folder, run_command):
    pytest.importorskip("matplotlib")
    code, out, err = run_command("plot", "a.qrels", "a.run", "-o", "nope/a.png")
    assert (code, out, err) == (1, "", "sklearn-rank: nope/a.png: No such file or directory\n")
