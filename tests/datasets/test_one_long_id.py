"""One long id among many short ones: an array of text would take the space of the longest for each."""

import tracemalloc

import pytest

from sklearn_rank import evaluate_runs, from_recommendations, from_run, mrr_score, unique_groups

N_QUERIES, N_DOCUMENTS, LONG = 1_000, 100, "x" * 5_000
MOST = 5e8  # bytes; an array of text would take 2e9
RUN = {f"q{q}": {f"d{q}-{d}": -float(d) for d in range(N_DOCUMENTS)} for q in range(N_QUERIES)}
ROWS = N_QUERIES * N_DOCUMENTS


def replace_one(table, side):
    """Give a long id to the first document of the first or the last query."""
    query = list(table)[0 if side == "first" else -1]
    first, *others = table[query].items()
    return table | {query: dict([(LONG, first[1]), *others])}


def read_items(qrels, run):
    lists = {query: list(documents) for query, documents in run.items()}
    return from_recommendations(qrels, lists, return_items=True)[3].tolist()


def evaluate(qrels, run):
    return evaluate_runs(qrels, {"run": run}, metrics=["mrr"])["run"].mean["mrr"]


READERS = {
    "from_run": lambda qrels, run: len(from_run(qrels, run)[0]),
    "evaluate_runs": evaluate,
    "from_recommendations": read_items,
    "metric": lambda qrels, run: mrr_score([1, 0] * (ROWS // 2), range(ROWS), groups=join(run)),
    "unique_groups": lambda qrels, run: unique_groups(join(run)).tolist(),
}


def join(run):
    return [document for documents in run.values() for document in documents]


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::sklearn_rank.RankingWarning")
@pytest.mark.parametrize("side", ["first", "last"])
@pytest.mark.parametrize("name", READERS)
def test_readers_need_little_memory_for_one_long_id(name, side):
    run = replace_one(RUN, side)
    qrels = {query: dict.fromkeys(list(documents)[:3], 1) for query, documents in run.items()}
    expected = READERS[name]({query: dict.fromkeys(list(each)[:3], 1) for query, each in RUN.items()}, RUN)
    tracemalloc.start()
    found = READERS[name](qrels, run)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < MOST
    if isinstance(expected, list):
        changed = set(expected) ^ set(found)
        assert LONG in changed and len(changed) == 2 and len(found) == len(expected)
    else:
        assert found == expected


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::sklearn_rank.RankingWarning")
@pytest.mark.parametrize("name", ["from_run", "evaluate_runs", "from_recommendations"])
def test_readers_need_little_memory_for_one_long_id_in_judgments_only(name):
    qrels = {query: dict.fromkeys(list(documents)[:3], 1) for query, documents in RUN.items()}
    expected = READERS[name](qrels | {"q7": {**qrels["q7"], "x": 1}}, RUN)
    tracemalloc.start()
    found = READERS[name](qrels | {"q7": {**qrels["q7"], LONG: 1}}, RUN)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < MOST
    if isinstance(expected, list):
        assert [item.replace(LONG, "x") for item in found] == expected
    else:
        assert found == expected
