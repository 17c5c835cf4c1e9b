"""`evaluate_runs` and the commands warn once of cutoffs above the lists of runs."""

import json
import warnings

import pytest

from sklearn_rank import RankingWarning, evaluate_runs

QUERIES = [f"q{number}" for number in range(12)]
QRELS = {query: {f"d{place}": int(place % 3 == 0) for place in range(30)} for query in QUERIES}
DEPTHS = {"long": 25, "ten": 10, "top": 10}
RUNS = {
    name: {query: {f"d{place}": float(-place) for place in range(depth)} for query in QUERIES}
    for name, depth in DEPTHS.items()
}
# By hand: 10 documents are relevant, every third one. The first 10 contain 4, the first 20 contain 7.
RECALL = {"long": 0.7, "ten": 0.4, "top": 0.4}
DIFFERENT = "lists of 'ten' have at most 10 documents, and those of 'long' 25, so recall@20 cannot compare"
SHALLOW = (
    "no list has more than 10 documents, so longer lists can have higher values of recall@20. Use cutoffs"
)
CASES = {
    ("long", "ten"): ("recall@20", DIFFERENT),
    ("ten", "top"): ("recall@20", SHALLOW),
    ("ten",): ("recall@20", SHALLOW),
    ("long", "top", "ten"): ("recall@10", ""),
    ("long",): ("recall@20", ""),
}


@pytest.fixture
def files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name, given in {"qrels": QRELS, **RUNS}.items():
        (tmp_path / f"{name}.json").write_text(json.dumps(given))


def compute(names, metric, qrels=QRELS):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        reports = evaluate_runs(qrels, {name: RUNS[name] for name in names}, metrics=[metric, "mrr"])
    assert all(each.filename == __file__ for each in caught)
    return {name: each.mean[metric] for name, each in reports.items()}, [str(each.message) for each in caught]


@pytest.mark.parametrize("names", CASES, ids=" ".join)
def test_evaluate_runs_compares_cutoffs_with_the_depth_of_runs(names):
    metric, text = CASES[names]
    means, notes = compute(names, metric)
    assert [note[: len(text) + 15] for note in notes] == [f"evaluate_runs: {text}"] * bool(text)
    if metric == "recall@20":
        assert means == pytest.approx({name: RECALL[name] for name in names})


@pytest.mark.parametrize("command", ["evaluate", "evaluate -q", "evaluate --confidence-level 0.9", "compare"])
@pytest.mark.parametrize("names", CASES, ids=" ".join)
def test_commands_compare_cutoffs_with_the_depth_of_runs(names, command, files, capsys):
    from sklearn_rank._cli import main

    metric, text = CASES[names]
    runs = [f"{name}.json" for name in names]
    if command == "compare" and len(runs) < 2:
        pytest.skip("compares several runs")
    assert main([*command.split(), "qrels.json", *runs, "-m", metric]) == 0
    assert [line[: len(text) + 23] for line in capsys.readouterr().err.splitlines()] == [
        f"sklearn-rank: warning: {text}"
    ] * bool(text)


def test_depth_does_not_matter_if_all_relevant_documents_are_retrieved():
    qrels = {query: {"d1": 1, "d2": 0, "d40": 0} for query in QUERIES}
    assert compute(["long", "ten"], "recall@20", qrels) == ({"long": 1, "ten": 1}, [])


def test_lists_that_look_cut_are_named_once():
    with pytest.warns(RankingWarning) as caught:
        evaluate_runs(QRELS, {"ten": RUNS["ten"]}, metrics=["ndcg@20", "recall@20", "map@15"])
    (text,) = (str(each.message) for each in caught)
    assert "ndcg@20, recall@20 and 1 others" in text
