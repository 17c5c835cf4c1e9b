"""Threads that share an evaluator: no update and no merge is lost."""

import copy
import pickle
import sys
from concurrent.futures import ThreadPoolExecutor
from functools import partial

import pytest

from sklearn_rank import RankingEvaluator

N_THREADS = 8


@pytest.fixture(autouse=True)
def switch_often():
    """Make threads alternate as often as possible."""
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(interval)


def update(shared, number):
    shared.update([1, 0], [0.5, 0.1 * (number % 9)], [number, number])


def update_part(shared, number):
    shared.update([1, 0, 0], [0.5, 0.4, 0.1], [2 * number, 2 * number, 2 * number + 1], part=number)


def merge(shared, number):
    update(other := RankingEvaluator(["mrr"], keep_queries=shared._given["keep_queries"]), number)
    shared.merge(other)


def copy_while_updating(shared, number):
    update(shared, number)
    if number % 10 == 0:
        assert copy.deepcopy(shared).result().n_queries >= 1
        assert pickle.loads(pickle.dumps(shared)).result().n_queries >= 1


# How a thread adds data, whether values of queries are kept, and the number of queries that each call adds.
CALLS = [
    (update, True, 1),
    (update_part, True, 2),
    (update_part, False, 2),
    (merge, True, 1),
    (merge, False, 1),
    (copy_while_updating, True, 1),
]


@pytest.mark.parametrize(
    ("n_updates", "n_repetitions"),
    [(10, 1), pytest.param(200, 20, marks=pytest.mark.thorough)],
    ids=["quick", "thorough"],
)
@pytest.mark.parametrize(("add", "keep", "n_queries"), CALLS)
def test_evaluator_shared_by_threads_keeps_all_queries(add, keep, n_queries, n_updates, n_repetitions):
    numbers = range(N_THREADS * n_updates)
    for _ in range(n_repetitions):
        shared = RankingEvaluator(["mrr"], keep_queries=keep)
        with ThreadPoolExecutor(N_THREADS) as threads:
            list(threads.map(partial(add, shared), numbers))
        assert shared.result().n_queries == n_queries * len(numbers)


def test_evaluators_that_merge_each_other_in_threads_do_not_wait_forever():
    pairs = [[RankingEvaluator(["mrr"]) for _ in range(2)] for _ in range(50)]
    with ThreadPoolExecutor(2) as threads:
        for one, other in pairs:
            both = threads.submit(one.merge, other), threads.submit(other.merge, one)
            assert [each.result(timeout=10) for each in both] == [one, other]
