"""Work on many parts, in processes if there are several workers, and how far it is."""

from __future__ import annotations

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

LEAST_ROWS = 2**22  # for a worker of its own: starting a process takes as long as these
SHARES = 4  # of a process, so that none waits long for the last

Count = Callable[[int], Any]  # told how many rows are done


def count_workers(n_jobs: int | None, n_tasks: int, n_rows: int) -> int:
    """Return in how many processes so many tasks are done."""
    most = min(n_tasks, n_rows // LEAST_ROWS)
    return 1 if most < 2 else min(count_jobs(n_jobs), most)


def share_out(sizes: Sequence[int], n_jobs: int | None) -> tuple[int, list[tuple[int, int]]]:
    """Return how many work on neighbours of these sizes, and which go together to one of them."""
    n_workers = count_workers(n_jobs, len(sizes), sum(sizes))
    n_parts = SHARES * n_workers
    cuts = np.searchsorted(np.cumsum(sizes), sum(sizes) * np.arange(1, n_parts) / n_parts) + 1
    return n_workers, list(pairwise([0, *sorted({int(cut) for cut in cuts if cut < len(sizes)}), len(sizes)]))


def do_tasks(work: Callable[[Any], Any], tasks: Sequence[Any], n_workers: int) -> Iterator[Any]:
    """Yield what is made of the tasks: in their order, or from several processes in any order."""
    if n_workers < 2:
        yield from map(partial(_do, work), tasks)
        return
    from joblib import Parallel, delayed

    run = Parallel(n_workers, backend="loky", return_as="generator_unordered", batch_size=1)
    yield from run(delayed(_do)(work, task) for task in tasks)


def _do(work: Callable[[Any], Any], task: Any) -> Any:
    reuse_memory()
    return work(task)


@contextmanager
def open_bar(asked: bool, n_rows: int | None, what: str) -> Iterator[Count]:
    """Show how many rows are done, if asked for; `n_rows` where it is known how many there are."""
    if not asked:
        yield lambda n: None
        return
    try:
        tqdm = import_module("tqdm.auto").tqdm
    except ImportError as error:
        raise ImportError("evaluate shows its progress by tqdm: pip install tqdm") from error
    with tqdm(total=n_rows, desc=what, unit=" rows", unit_scale=True) as bar:
        yield bar.update


def read_ahead(tables: Iterator[Table]) -> Iterator[Any]:
    """Yield tables, the next of which is read meanwhile."""
    from concurrent.futures import ThreadPoolExecutor  # takes long to import

    with ThreadPoolExecutor(1) as reader:
        following = reader.submit(next, tables, None)
        while (table := following.result()) is not None:
            following = reader.submit(next, tables, None)
            yield table


def count_tables(tables: Iterable[Table], count: Count) -> Iterator[Any]:
    """Yield tables, and count the rows of those that are done with."""
    for table in tables:
        yield table
        count(table.num_rows)
