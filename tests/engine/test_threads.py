"""Work that is shared between threads."""

import threading

import pytest

from sklearn_rank._engine.packed import open_threads


def test_one_thread_is_the_map_of_python():
    with open_threads(1) as run:
        assert run is map


@pytest.mark.parametrize("n_threads", [2, 3, 8])
@pytest.mark.parametrize("n_items", [0, 1, 2, 100])
def test_results_stand_in_the_order_of_the_items(n_threads, n_items):
    with open_threads(n_threads) as run:
        assert list(run(lambda i: i * i, range(n_items))) == [i * i for i in range(n_items)]
        assert list(run(str, range(n_items))) == [str(i) for i in range(n_items)]  # and once more


@pytest.mark.parametrize("n_threads", [2, 3])
def test_so_many_work_at_a_time_the_calling_one_among_them(n_threads):
    all_here = threading.Barrier(n_threads)

    def work(item):
        all_here.wait(timeout=60)
        return threading.get_ident()

    with open_threads(n_threads) as run:
        workers = set(run(work, range(n_threads)))
    assert len(workers) == n_threads
    assert threading.get_ident() in workers


@pytest.mark.slow
@pytest.mark.parametrize("in_caller", [True, False])
def test_an_error_is_raised_and_nothing_begun_after_it(in_caller):
    both_here, later, begun = threading.Barrier(2), threading.Event(), []

    def work(item):
        begun.append(item)
        both_here.wait(timeout=60)
        if (threading.current_thread() is threading.main_thread()) == in_caller:
            threading.Timer(1.5, later.set).start()  # long after this thread has said so
            raise ArithmeticError("of one item")
        later.wait(timeout=60)

    with pytest.raises(ArithmeticError, match="of one item"), open_threads(2) as run:
        run(work, range(100))
    assert sorted(begun) == [0, 1]
