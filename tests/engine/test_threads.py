"""Work shared between threads."""

import threading

import pytest

from sklearn_rank._engine.blocks import open_threads


def test_open_threads_of_one_is_builtin_map():
    with open_threads(1) as run:
        assert run is map


@pytest.mark.parametrize("n_threads", [2, 3, 8])
@pytest.mark.parametrize("n_items", [0, 1, 2, 100])
def test_open_threads_returns_results_in_order_of_items(n_threads, n_items):
    with open_threads(n_threads) as run:
        assert list(run(lambda i: i * i, range(n_items))) == [i * i for i in range(n_items)]
        assert list(run(str, range(n_items))) == [str(i) for i in range(n_items)]  # and again


@pytest.mark.parametrize("n_threads", [2, 3])
def test_open_threads_works_with_requested_number_of_threads(n_threads):
    all_here = threading.Barrier(n_threads)

    def work(item):
        all_here.wait(timeout=60)
        return threading.get_ident()

    with open_threads(n_threads) as run:
        workers = set(run(work, range(n_threads)))
    assert len(workers) == n_threads


def test_open_threads_raises_error_and_stops_early():
    both_here, begun = threading.Barrier(2), []

    def work(item):
        begun.append(item)
        if item < 2:
            both_here.wait(timeout=60)
            raise ArithmeticError("of one item")
        threading.Event().wait(0.05)

    with pytest.raises(ArithmeticError, match="of one item"), open_threads(2) as run:
        run(work, range(100))
    assert len(begun) < 50
