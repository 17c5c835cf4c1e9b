"""Inferred AP from files, in which the qrels contain the documents of the pool."""

import json

import numpy as np
import pytest


def write_sampled(folder, name="s.run"):
    """Write judgments of which some have the grade -1, and a run; return the mean infAP of trec_eval."""
    pytrec_eval = pytest.importorskip("pytrec_eval")
    rng = np.random.default_rng(3)
    documents = [f"d{number:02}" for number in range(30)]
    qrels = {
        f"q{query}": {each: int(rng.choice([-1, 0, 1])) for each in rng.permutation(documents)[:15]}
        for query in range(8)
    }
    run = {query: {each: float(rng.permutation(1000)[0]) for each in documents[:25]} for query in qrels}
    lines = [f"{query} 0 {each} {grade}\n" for query, of in qrels.items() for each, grade in of.items()]
    (folder / "s.qrels").write_text("".join(lines))
    lines = [f"{query} Q0 {each} 1 {score} t\n" for query, of in run.items() for each, score in of.items()]
    (folder / name).write_text("".join(lines))
    values = pytrec_eval.RelevanceEvaluator(qrels, {"infAP"}).evaluate(run)
    return np.mean([each["infAP"] for each in values.values()])


@pytest.mark.parametrize("words", [["--ties", "order"], ["--ties", "order", "--confidence-level", "0.9"]])
def test_evaluate_command_counts_unpooled_as_not_relevant_for_infap(words, folder, run_command):
    expected = write_sampled(folder)
    out = run_command("evaluate", "s.qrels", "s.run", "-m", "infap", "-m", "map", *words, "--format", "json")[
        1
    ]
    first = json.loads(out)[0]
    assert next(value for value in first.values() if isinstance(value, float)) == pytest.approx(expected)


def test_evaluate_command_infap_of_each_query_matches_trec_eval(folder, run_command):
    expected = write_sampled(folder)
    out = run_command(
        "evaluate", "s.qrels", "s.run", "-m", "infap", "-q", "--ties", "order", "--format", "json"
    )[1]
    values = [row["infap"] for row in json.loads(out)]
    assert values[-1] == pytest.approx(expected)
    assert np.mean(values[:-1]) == pytest.approx(expected)


def test_compare_command_computes_infap_with_the_pool(folder, run_command):
    expected = write_sampled(folder)
    (folder / "t.run").write_text((folder / "s.run").read_text())
    out = run_command(
        "compare", "s.qrels", "s.run", "t.run", "-m", "infap", "--ties", "order", "--format", "json"
    )[1]
    (row,) = json.loads(out)
    assert (row["mean"], row["other_mean"]) == (pytest.approx(expected), pytest.approx(expected))


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["evaluate", "-J"], "-m infap cannot be combined with -J"),
        (["ties"], "its best order of tied documents is unknown"),
        (["plot", "--kind", "ties", "-o", "a.png"], "its best order of tied documents is unknown"),
    ],
)
def test_commands_reject_infap_when_the_pool_is_not_enough(words, message, folder, run_command):
    code, _, err = run_command(words[0], "a.qrels", "a.run", "-m", "infap", *words[1:])
    assert (code, message in err) == (2, True)
