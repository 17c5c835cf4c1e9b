"""Additions of version 10 of trec_eval. Expected values are computed here from its documented formulas."""

import math
import random

import numpy as np
import pytest

RUN = {"q1": "abcdefg", "q2": "hijk", "q3": "lm"}
GRADES = {
    "q1": {"a": 2, "c": 0, "d": 1, "g": 1, "z": 1},
    "q2": {"h": 0, "i": 0, "j": -1, "k": 3},
    "q3": {"l": 1, "m": 0},
}


@pytest.fixture
def files(folder):
    lines = [
        f"{query} Q0 {name} {rank} {9 - rank} x"
        for query, names in RUN.items()
        for rank, name in enumerate(names)
    ]
    (folder / "c.run").write_text("\n".join(lines) + "\n")
    lines = [f"{query} 0 {name} {grade}" for query, of in GRADES.items() for name, grade in of.items()]
    (folder / "c.qrels").write_text("\n".join(lines) + "\n")
    return "c.qrels", "c.run"


def read_values(out):
    return {tuple(line.split()[:2]): line.split()[2] for line in out.splitlines()}


def rbp(query):
    highest = max(GRADES[query].values())
    gains = [max(GRADES[query].get(name, 0), 0) / highest for name in RUN[query]]
    return 0.1 * sum(gain * 0.9**place for place, gain in enumerate(gains))


def rbp_resid(query):
    unjudged = [place for place, name in enumerate(RUN[query]) if GRADES[query].get(name, -1) < 0]
    return 0.1 * sum(0.9**place for place in unjudged) + 0.9 ** len(RUN[query]) if unjudged else 0.0


def unj_5(query):
    return sum(GRADES[query].get(name, -1) < 0 for name in RUN[query][:5]) / 5


@pytest.mark.parametrize(("name", "compute"), [("rbp", rbp), ("rbp_resid", rbp_resid), ("unj_5", unj_5)])
def test_evaluate_command_computes_measures_of_version_10(name, compute, files, run_command):
    words = ["--format", "trec_eval", "-q", "-l", "2", "-m", name.replace("_5", ".5")]
    code, out, err = run_command("evaluate", *files, *words)
    values = {query: compute(query) for query in RUN}
    values["all"] = sum(values.values()) / 3
    assert (code, err) == (0, "")
    assert read_values(out) == {(name, query): f"{value:.4f}" for query, value in values.items()}


def test_trec_eval_command_prints_new_measures_last_and_not_in_all_trec(files, run_command):
    words = ["--format", "trec_eval", "-m", "unj", "-m", "rbp", "-m", "map"]
    names = [name for name, _ in read_values(run_command("evaluate", *files, *words)[1])]
    assert names == ["map", "rbp", "unj_5", "unj_10", "unj_20"]
    names = [
        name for name, _ in read_values(run_command("evaluate", *files, *words[:2], "-m", "all_trec")[1])
    ]
    assert not {"rbp", "rbp_resid", "unj_5"} & set(names)


@pytest.mark.parametrize("name", ["rbp_resid", "unj"])
def test_trec_eval_command_rejects_unjudged_shares_of_judged_documents(name, files, run_command):
    code, _, err = run_command("evaluate", *files, "--format", "trec_eval", "-J", "-m", name)
    assert (code, "cannot be combined with -J" in err) == (2, True)


def interpolate(marks, n_relevant, level):
    """Return the highest precision at or below lround(level * R) relevant documents."""
    needed = math.floor(level * n_relevant + 0.5)
    if needed > sum(marks):
        return 0.0
    hits = np.cumsum(marks)
    return max(hit / rank for rank, hit in enumerate(hits.tolist(), 1) if hit >= needed)


@pytest.mark.parametrize("seed", range(3))
def test_rounding_of_version_10_changes_interpolated_precisions(seed, folder, run_command):
    rng = random.Random(seed)
    marks = {f"q{query}": [rng.random() < 0.4 for _ in range(12)] + [True] for query in range(8)}
    run = [f"{q} Q0 d{n} 0 {-n} x" for q, of in marks.items() for n in range(len(of))]
    qrels = [f"{q} 0 d{n} {int(mark)}" for q, of in marks.items() for n, mark in enumerate(of)]
    (folder / "c.run").write_text("\n".join(run))
    (folder / "c.qrels").write_text("\n".join([*qrels, *(f"{query} 0 missed 1" for query in marks)]))
    words = [
        "c.qrels",
        "c.run",
        "--format",
        "trec_eval",
        "-m",
        "iprec_at_recall.0.1,0.25,0.5",
        "-m",
        "11pt_avg",
    ]
    new = read_values(run_command("evaluate", *words, "--rounding", "trec_eval_10")[1])
    means = {
        level: sum(interpolate(of, sum(of) + 1, level) for of in marks.values()) / len(marks)
        for level in (0.1, 0.25, 0.5, *(n / 10 for n in range(11)))
    }
    for level in (0.1, 0.25, 0.5):
        assert new[f"iprec_at_recall_{level:.2f}", "all"] == f"{means[level]:.4f}"
    assert new["11pt_avg", "all"] == f"{sum(means[n / 10] for n in range(11)) / 11:.4f}"
    assert new != read_values(run_command("evaluate", *words)[1])


def write_close_scores(folder, step):
    """Write a run in which each document is above the next by a multiple of a small step, with ties."""
    rng = random.Random(0)
    scores = {query: [1 + step * rng.randrange(5) for _ in names] for query, names in RUN.items()}
    lines = [
        f"{query} Q0 {name} 0 {score!r} x"
        for query, names in RUN.items()
        for name, score in zip(names, scores[query])
    ]
    (folder / "c.run").write_text("\n".join(lines) + "\n")


@pytest.mark.parametrize(
    "words", [["-m", "all_trec", "--rounding", "trec_eval_10"], ["-m", "rbp", "-m", "unj"]]
)
def test_version_10_distinguishes_scores_that_are_equal_in_float32(words, files, folder, run_command):
    found = []
    for step in (1, 1e-9):
        write_close_scores(folder, step)
        found.append(run_command("evaluate", *files, "--format", "trec_eval", "-q", *words)[1])
    assert found[0] == found[1]
    assert found[0]


def test_evaluate_command_rejects_rounding_in_other_formats(files, run_command):
    code, _, err = run_command("evaluate", *files, "--rounding", "trec_eval_10")
    assert (code, "--rounding requires --format trec_eval" in err) == (2, True)


def test_evaluate_command_prints_the_first_word_of_a_tag(files, folder, run_command):
    lines = (folder / "c.run").read_text().replace(" x", " BM25 (k1=0.9, b=0.4)")
    (folder / "c.run").write_text(f"# made by a script\n{lines}# the end\n")
    words = ["--format", "trec_eval", "-m", "runid", "-m", "num_ret"]
    assert run_command("evaluate", *files, *words)[1].split() == [
        "runid",
        "all",
        "BM25",
        "num_ret",
        "all",
        "13",
    ]
