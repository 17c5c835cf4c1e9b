"""Time the assignment of queries to folds: python -m tests.benchmarks.fold_assignment [--queries 1000000].

The sizes of queries follow a Pareto distribution.
"""

import argparse
from collections.abc import Callable, Iterable
from time import perf_counter
from typing import Any

import numpy as np
from sklearn.model_selection import GroupKFold

from sklearn_rank import BalancedGroupKFold, train_test_split


def draw(n_queries: int) -> tuple[np.ndarray, np.ndarray]:
    """Return labels and ids; the share of relevant documents differs between queries."""
    rng = np.random.default_rng(0)
    sizes = np.minimum(5 * rng.pareto(1.5, n_queries) + 1, 20_000).astype(int)
    groups = np.repeat(np.arange(n_queries), sizes)
    return (rng.random(len(groups)) < rng.beta(1, 3, n_queries)[groups]).astype(int), groups


def main() -> None:
    """Print the seconds of each splitter, and the spread of rows and relevant documents over test sets."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--queries", type=int, default=1_000_000)
    n_queries = parser.parse_args().queries
    y, groups = draw(n_queries)
    print(f"{n_queries:,} queries, {len(y):,} rows")

    def split_once() -> Iterable[Any]:
        return [train_test_split(np.arange(len(y)), y, groups=groups, test_size=0.2, random_state=0)[:2]]

    ways: dict[str, Callable[[], Iterable[Any]]] = {"train_test_split": split_once}
    for cv in (GroupKFold(), BalancedGroupKFold(), BalancedGroupKFold(shuffle=True, random_state=0)):
        ways[repr(cv)] = lambda cv=cv: cv.split(y, y, groups)
    for name, split in ways.items():
        start = perf_counter()
        tests = [test for _, test in split()]
        seconds = perf_counter() - start
        rows, relevant = [len(test) for test in tests], [int(y[test].sum()) for test in tests]
        balance = f"spread of {np.ptp(rows)} rows and {np.ptp(relevant)} relevant documents"
        if len(tests) == 1:
            balance = (
                f"{rows[0] / len(y):.3%} of the rows, {relevant[0] / y.sum():.3%} of the relevant documents"
            )
        print(f"{name}: {seconds:.1f} s; {balance}")


if __name__ == "__main__":
    main()
