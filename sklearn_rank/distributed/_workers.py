"""Parallel work on many parts, and its progress."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from importlib import import_module
from itertools import pairwise
from typing import Any

import numpy as np

from .._checks.arrays import reuse_memory
from .._checks.options import count_jobs
from .._checks.types import Table

LEAST_ROWS = 2**22  # rows per worker: starting a process takes as long as these
SHARES = 4  # shares per process, so that all end at about the same time

Count = Callable[[int], Any]  # called with the number of finished rows


def count_workers(n_jobs: int | None, n_tasks: int, n_rows: int) -> int:
    """Return the number of processes for tasks."""
    most = min(n_tasks, n_rows // LEAST_ROWS)
    return 1 if most < 2 else min(count_jobs(n_jobs), most)


def share_out(sizes: Sequence[int], n_jobs: int | None) -> tuple[int, list[tuple[int, int]]]:
    """Return the number of workers, and spans of neighboring parts, of these sizes, for one task each."""
    n_workers = count_workers(n_jobs, len(sizes), sum(sizes))
    n_parts = SHARES * n_workers
    cuts = np.searchsorted(np.cumsum(sizes), sum(sizes) * np.arange(1, n_parts) / n_parts) + 1
    return n_workers, list(pairwise([0, *sorted({int(cut) for cut in cuts if cut < len(sizes)}), len(sizes)]))


def do_tasks(work: Callable[[Any], Any], tasks: Sequence[Any], n_workers: int) -> Iterator[Any]:
    """Yield the results of tasks: in order, or in any order from several processes."""
    if n_workers < 2:
        yield from map(partial(_do, work), tasks)
        return
    from joblib import Parallel, delayed

    run = Parallel(n_workers, backend="loky", return_as="generator_unordered", batch_size=1)
    yield from run(delayed(_do)(work, task) for task in tasks)


def _do(work: Callable[[Any], Any], task: object) -> Any:
    reuse_memory()
    return work(task)


@contextmanager
def open_bar(shown: bool, n_rows: int | None, what: str) -> Iterator[Count]:
    """Show a progress bar if `shown`; `n_rows` is the total, or None if unknown."""
    if not shown:
        yield lambda n: None
        return
    try:
        tqdm = import_module("tqdm.auto").tqdm
    except ImportError as error:
        raise ImportError("evaluate needs tqdm to show its progress: pip install tqdm") from error
    with tqdm(total=n_rows, desc=what, unit=" rows", unit_scale=True) as bar:
        yield bar.update


def read_ahead(tables: Iterator[Table]) -> Iterator[Any]:
    """Yield tables while the next one is read."""
    from concurrent.futures import ThreadPoolExecutor  # takes long to import

    with ThreadPoolExecutor(1) as reader:
        following = reader.submit(next, tables, None)
        while (table := following.result()) is not None:
            following = reader.submit(next, tables, None)
            yield table


def count_tables(tables: Iterable[Table], count: Count) -> Iterator[Any]:
    """Yield tables, and count the rows of each after its use."""
    for table in tables:
        yield table
        count(table.num_rows)
