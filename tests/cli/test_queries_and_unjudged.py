"""Python and commands count judged queries that a run lacks, and ignore unjudged documents in bpref."""

import csv
import io
import json
import warnings

import pytest
from sklearn.base import BaseEstimator, RegressorMixin

from sklearn_rank import RankingEvaluator, RankingWarning, evaluate, evaluate_runs, from_run, ranking_scores
from sklearn_rank.metrics import bpref_score, bpref_scorer

# Two unjudged documents; the relevant A is above the other judged document B: bpref is 1.
QRELS, RUN = {"q": {"A": 1, "B": 0}}, {"q": {"u1": 4, "A": 3, "u2": 2, "B": 1}}
ROWS = {"unjudged": "nonrelevant"}


class Model(RegressorMixin, BaseEstimator):
    """A model that predicts its only feature."""

    def fit(self, X, y):
        return self

    def predict(self, X):
        return X[:, 0]


def score_by_evaluator(y_true, y_score, groups, name):
    evaluator = RankingEvaluator(metrics=[name], **ROWS)
    evaluator.update(y_true, y_score, groups=groups)
    return evaluator.result().mean[name]


DOORS = {
    "function": lambda y, s, g, name: bpref_score(y, s, groups=g, **ROWS),
    "ranking_scores": lambda y, s, g, name: ranking_scores(y, s, groups=g, metrics=[name], **ROWS)[name],
    "evaluate": lambda y, s, g, name: evaluate(y, s, groups=g, metrics=[name], **ROWS).mean[name],
    "evaluator": score_by_evaluator,
    "scorer": lambda y, s, g, name: bpref_scorer(**ROWS)(Model(), s[:, None], y, groups=g),
    "evaluate_runs": lambda y, s, g, name: evaluate_runs(QRELS, {"a": RUN}, metrics=[name])["a"].mean[name],
}
NAMES = ["bpref", "trec_eval:bpref", "ir_measures:Bpref", "ranx:bpref", "trec_eval:gm_bpref"]


@pytest.mark.parametrize("name", [*NAMES, "bpref(unjudged=nonrelevant)"])
@pytest.mark.parametrize("door", DOORS)
def test_bpref_ignores_unjudged_documents_in_all_entry_points(door, name):
    if door in ("evaluate", "evaluator", "evaluate_runs") and "gm_" in name:
        pytest.skip("reports have no geometric means")
    assert DOORS[door](*from_run(QRELS, RUN), name) == 1


@pytest.mark.parametrize("name", NAMES)
def test_evaluate_command_ignores_unjudged_documents_in_bpref(name, tmp_path, run_command):
    files = tmp_path / "a.json", tmp_path / "b.json"
    files[0].write_text(json.dumps(QRELS))
    files[1].write_text(json.dumps(RUN))
    assert run_command("evaluate", *files, "-m", name)[1].split()[-1] == "1.0000"


def test_metrics_of_all_documents_keep_their_rule():
    names = ["judged@2", "precision@1", "bpref"]
    assert list(evaluate_runs(QRELS, {"a": RUN}, metrics=names)["a"].mean.values()) == [0.5, 0, 1]


# ---------------------------------------------------------------------------- queries

# By hand: reciprocal ranks are 1/2, 1 and, for the query that a.run lacks, 0.
MEAN = 0.5
LACKS = (
    "the run has no document for 1 of 3 queries, such as 'q3', so each counts as a query without retrieved"
)


def read_means(text, form):
    rows = json.loads(text) if form == "json" else list(csv.DictReader(io.StringIO(text)))
    return {row["metric"]: float(row["a"]) for row in rows}


@pytest.mark.parametrize("form", ["json", "csv"])
@pytest.mark.parametrize("way", ["", "-c"])
def test_evaluate_command_counts_queries_that_a_run_lacks(way, form, folder, run_command):
    words = ["b.qrels", "a.run", *way.split(), "-m", "mrr", "--format", form]
    code, out, err = run_command("evaluate", *words)
    fix = "documents. Pass -c if that is intended, or --drop-missing to exclude them."
    assert (code, err) == (0, "" if way else f"sklearn-rank: warning: a.run: {LACKS} {fix}\n")
    assert read_means(out, form) == {"mrr": MEAN, "queries": 3}


def test_evaluate_command_excludes_queries_that_a_run_lacks_if_asked(folder, run_command):
    words = ["b.qrels", "a.run", "--drop-missing", "-m", "mrr", "--format", "json"]
    code, out, err = run_command("evaluate", *words)
    assert (code, err, read_means(out, "json")) == (0, "", {"mrr": 0.75, "queries": 2})


def test_evaluate_command_rejects_two_rules_for_queries(folder, run_command):
    code, _, err = run_command("evaluate", "a.qrels", "a.run", "-c", "--drop-missing")
    assert (code, "-c" in err, "--drop-missing" in err) == (2, True, True)


@pytest.mark.parametrize("form", ["table", "csv", "json", "markdown", "latex", "html"])
@pytest.mark.parametrize("command", ["evaluate", "evaluate --confidence-level 0.9", "ties", "rbo"])
def test_commands_show_the_number_of_queries_in_each_format(command, form, folder, run_command):
    folder.joinpath("c.run").write_text("".join(f"q1 Q0 d{n} 0 {-n} x\n" for n in range(90)))
    folder.joinpath("c.qrels").write_text("q1 0 d3 1\n")
    files = ["c.run", "b.run"] if command == "rbo" else ["c.qrels", "c.run"]
    out = run_command(*command.split(), *files, "--format", form)[1]
    in_columns = "n_defined" if "--confidence-level" in command else "queries"
    assert (in_columns if form in ("csv", "json") else "1 query") in out


@pytest.mark.parametrize(("options", "mean"), [({}, MEAN), ({"queries": "judged"}, MEAN)])
def test_from_run_counts_queries_that_a_run_lacks(options, mean, folder):
    with pytest.warns(RankingWarning, match=f"^from_run: {LACKS}"):
        y_true, y_score, groups = from_run("b.qrels", "a.run", **options)
    assert ranking_scores(y_true, y_score, groups=groups, metrics=["mrr"], **ROWS) == {"mrr": mean}


def test_from_run_says_that_lacking_queries_have_no_row(folder):
    with pytest.warns(RankingWarning, match="so each has no row. To exclude them, pass queries='both'"):
        groups = from_run("b.qrels", "a.run", return_missed=True)[2]
    assert set(groups.tolist()) == {"q1", "q2"}


def test_empty_lists_are_not_lacking():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        groups = from_run({"q1": {"a": 1}, "q2": {"a": 1}}, {"q1": {"a": 1.0}, "q2": {}})[2]
    assert groups.tolist() == ["q1", "q2"]


def test_runs_that_lack_queries_do_not_win(folder, run_command):
    out = run_command("evaluate", "b.qrels", "a.run", "b.run", "-m", "mrr", "--format", "json")[1]
    with pytest.warns(RankingWarning, match="for run 'a'"):
        reports = evaluate_runs("b.qrels", {"a": "a.run", "b": "b.run"}, metrics=["mrr"])
    assert json.loads(out)[0] == {
        "metric": "mrr",
        **{name: each.mean["mrr"] for name, each in reports.items()},
    }


@pytest.mark.parametrize("is_cut", [False, True], ids=["whole", "in pieces"])
def test_trec_eval_format_prints_judged_queries_that_the_run_lacks(is_cut, folder, run_command, request):
    if is_cut:
        request.getfixturevalue("pieces")
    words = ["b.qrels", "a.run", "--format", "trec_eval", "-q", "-c", "-m", "num_rel", "-m", "recip_rank"]
    code, out, err = run_command("evaluate", *words)
    rows = [line.split() for line in out.splitlines()]
    assert (code, err, [row[2] for row in rows if row[1] == "q3"]) == (0, "", ["1", "0.0000"])
    assert [row[1] for row in rows] == ["q1", "q1", "q2", "q2", "q3", "q3", "all", "all"]
    assert [row[2] for row in rows[-2:]] == ["4", "0.5000"]


def test_trec_eval_format_excludes_lacking_queries_by_default(folder, run_command):
    out = run_command("evaluate", "b.qrels", "a.run", "--format", "trec_eval", "-m", "recip_rank")[1]
    assert out.split() == ["recip_rank", "all", "0.7500"]
