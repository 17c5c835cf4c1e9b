"""The five metrics as one writes them by hand with numba: a compiled loop over queries without ties."""

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

from sklearn_rank._checks.codes import find_edges

from .workloads import Rows


@cache
def compile_loop() -> Any:
    """Compile the loop; numba is imported here, because it is optional."""
    from numba import njit

    @njit
    def compute(y_true: np.ndarray, y_score: np.ndarray, edges: np.ndarray) -> np.ndarray:
        """Return the sums of NDCG@10, AP, RR, AUC and recall@10 over queries, and the number with an AUC."""
        sums = np.zeros(6)
        for query in range(len(edges) - 1):
            labels = y_true[edges[query] : edges[query + 1]]
            ranked = labels[np.argsort(-y_score[edges[query] : edges[query + 1]])]
            n, n_relevant = len(ranked), np.sum(ranked > 0)
            if n_relevant == 0:
                continue
            ideal = np.sort(labels)[::-1]
            dcg, best, precisions, first, misses, pairs, in_top = 0.0, 0.0, 0.0, 0, 0, 0, 0
            found = 0
            for rank in range(1, n + 1):
                label = ranked[rank - 1]
                if rank <= 10:
                    dcg += (2.0**label - 1) / np.log2(rank + 1)
                    best += (2.0 ** ideal[rank - 1] - 1) / np.log2(rank + 1)
                if label > 0:
                    found += 1
                    precisions += found / rank
                    pairs += n - n_relevant - misses
                    first = first or rank
                    in_top += rank <= 10
                else:
                    misses += 1
            sums[0] += dcg / best
            sums[1] += precisions / n_relevant
            sums[2] += 1 / first
            sums[4] += in_top / n_relevant
            if n_relevant < n:
                sums[3] += pairs / (n_relevant * (n - n_relevant))
                sums[5] += 1
        return sums

    return compute


def numba_by_hand(rows: Rows) -> Callable[[], dict[str, float]]:
    """All five metrics by one compiled loop, without the time to compile it."""
    compute = compile_loop()

    def call() -> dict[str, float]:
        edges = find_edges(rows.groups)
        ndcg, precision, reciprocal, auc, recall, n_with_auc = compute(rows.y_true, rows.y_score, edges)
        means = np.array([ndcg, precision, reciprocal, recall]) / (len(edges) - 1)
        names = ["ndcg@10(gain=exponential)", "map", "mrr", "recall@10"]
        return {**dict(zip(names, means.tolist())), "group_auc": float(auc / n_with_auc)}

    call()
    return call
