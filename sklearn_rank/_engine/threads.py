"""Work side by side: numpy lets threads run while it calculates."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from concurrent.futures import Executor

Map = Callable[..., Iterable[Any]]  # Python's, or one like it


@contextmanager
def open_threads(n_threads: int) -> Iterator[Map]:
    """Give what applies a function to items as `map` does, in so many threads."""
    if n_threads < 2:
        yield map
        return
    from concurrent.futures import ThreadPoolExecutor  # takes long to import

    with ThreadPoolExecutor(n_threads - 1) as others:
        yield partial(_share, others, n_threads - 1)


def _share(
    others: Executor, n_others: int, function: Callable[[Any], Any], items: Iterable[Any]
) -> list[Any]:
    """Apply a function to items; the calling thread takes its share, as one that waits is woken too often."""
    items = list(items)
    results = [None] * len(items)
    ends = [None] * (n_others + 1)  # one for each thread
    waiting = deque([*enumerate(items), *ends])

    def work() -> None:
        for place, item in iter(waiting.popleft, None):
            try:
                results[place] = function(item)
            except BaseException:
                waiting.extendleft(ends)  # nothing more is begun
                raise

    futures = [others.submit(work) for _ in range(n_others)]
    work()
    for future in futures:
        future.result()
    return results
