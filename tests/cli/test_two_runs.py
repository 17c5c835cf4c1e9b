"""The commands queries-needed and rbo."""

import json

import pytest

from sklearn_rank import compare, evaluate, from_run

# The overlaps of q1 at depths 1 and 2 are 0 and 1/2. q2 is the same. q3 and q4 are in one run only.
TOPS = {"one": {"q1": "abc", "q2": "ab", "q3": "a"}, "two": {"q1": "bcd", "q2": "ab", "q4": "a"}}


@pytest.fixture
def two(folder):
    for name, tops in TOPS.items():
        rows = [(query, *row) for query, top in tops.items() for row in enumerate(top, 1)]
        lines = [f"{query} Q0 {document} {rank} {-rank} {name}\n" for query, rank, document in rows]
        (folder / f"{name}.run").write_text("".join(lines))
    (folder / "far.run").write_text("q9 Q0 a 1 1 far\n")


@pytest.mark.filterwarnings("ignore")
def test_rbo_command_computes_rbo_and_overlap_of_common_queries(two, run_command):
    # RBO at depth 2 is (1 - p) * (A1 + p * A2) + p**2 * A2 for the overlaps A1 and A2.
    p, shallow, deep = 0.5, 0, 1 / 2
    expected = [(1 - p) * (shallow + p * deep) + p**2 * deep, 1.0]
    words = ["one.run", "two.run", "-k", "2", "-p", "0.5", "--format", "json"]
    rows = json.loads(run_command("rbo", *words, "-q")[1])
    assert [row["query"] for row in rows] == ["q1", "q2", "all"]
    assert [row["rbo@2"] for row in rows] == pytest.approx([*expected, sum(expected) / 2])
    assert [row["overlap@2"] for row in rows] == pytest.approx([0.5, 1, 0.75])
    means = json.loads(run_command("rbo", *words)[1])
    names = "rbo@2", "overlap@2"
    assert means == [{"metric": name, "mean": rows[-1][name], "queries": 2} for name in names]


def test_rbo_command_warns_of_excluded_queries_without_python_code(two, run_command):
    err = run_command("rbo", "one.run", "two.run")[2]
    assert "2 of 4 queries are in one run only, so they are excluded" in err
    assert "queries=" not in err


@pytest.mark.filterwarnings("ignore")
def test_rbo_command_names_the_runs_by_their_tags(two, run_command):
    assert run_command("rbo", "one.run", "two.run")[1].splitlines()[0] == "2 queries, one and two, p=0.9"


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        ("one.run", 2, "rbo requires exactly two different runs, got one.run"),
        ("one.run one.run", 2, "rbo requires exactly two different runs, got one.run one.run"),
        ("", 2, "rbo requires exactly two different runs, got none"),
        ("one.run two.run -p 1", 2, "-p must be a number above 0 and below 1, got 1"),
        ("one.run two.run -k 0", 2, "argument -k: must be an integer >= 1, got '0'"),
        ("one.run nope.run", 1, "nope.run: No such file or directory"),
        ("one.run far.run", 1, "one.run: must contain a query of far.run, such as 'q9' (str), got"),
        ("one.run a.qrels", 1, "a.qrels:1: must have the fields query Q0 document rank score tag"),
    ],
)
def test_rbo_command_rejects_invalid_words_and_files(words, code, message, two, run_command):
    found, out, err = run_command("rbo", *words.split())
    assert (found, out) == (code, "")
    assert err.startswith(f"sklearn-rank: {message}")


AIMS = {
    "": {},
    "--difference 0.05 --power 0.9": {"difference": 0.05, "power": 0.9},
    "--margin 0.1": {"margin": 0.1},
}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("aim", AIMS)
def test_queries_needed_command_prints_the_table_of_the_comparison(aim, folder, run_command):
    reports = {}
    for name in ("a", "b"):
        y_true, y_score, groups = from_run("a.qrels", f"{name}.run", queries="judged")
        reports[name] = evaluate(
            y_true, y_score, groups=groups, metrics=["ndcg@10", "mrr"], unjudged="nonrelevant"
        )
    expected = compare(reports, baseline="b", random_state=0).queries_needed(**AIMS[aim])
    words = ["a.qrels", "a.run", "b.run", "-c", "-m", "ndcg@10", "-m", "mrr", "--baseline", "b"]
    code, out, _ = run_command("queries-needed", *words, *aim.split())
    assert (code, out) == (0, f"{expected}\n")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("a.run", "queries-needed requires a file of judgments and at least two runs"),
        ("a.run b.run -c --power 80", "--power must be between 0 and 1, such as 0.8, got 80.0"),
        ("a.run b.run -c --difference -1", "--difference must be a positive number, got -1.0"),
        (
            "a.run b.run --margin 1 --difference 1",
            "argument --difference: not allowed with argument --margin",
        ),
    ],
)
@pytest.mark.filterwarnings("ignore")
def test_queries_needed_command_rejects_invalid_options(words, message, folder, run_command):
    code, out, err = run_command("queries-needed", "a.qrels", *words.split())
    assert (code, out) == (2, "")
    assert f"sklearn-rank: {message}" in err
