"""The last printed digit of a sum: values half way between two are added up in the order of trec_eval."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

DIGITS = 10_000  # four decimals
DOUBT = 1e-7  # from the middle between two printed values, in units of the last digit


def settle(
    values: Mapping[str, np.ndarray],
    names: Mapping[str, tuple[str, int | None]],
    y_true: np.ndarray,
    scores: np.ndarray,
    groups: np.ndarray,
    level: float,
    judged_only: bool,
) -> None:
    """Replace values that are so near to the middle that the order of a sum decides how they are printed.

    Rows are in the order of queries, and equal scores in that of documents. `names` says which values are
    sums, by label: the measure and its cutoff.
    """
    starts = np.flatnonzero(np.append(True, groups[1:] != groups[:-1]))
    ends = np.append(starts[1:], len(groups))
    for label, (measure, cutoff) in names.items():
        in_doubt = np.abs(values[label] * DIGITS % 1 - 0.5) < DOUBT
        for query in np.flatnonzero(in_doubt).tolist():
            rows = slice(starts[query], ends[query])
            labels, of_query = y_true[rows], scores[rows]
            order = np.argsort(-of_query, kind="stable")
            ranked = labels[order][of_query[order] > -np.inf]
            if judged_only:
                ranked = ranked[ranked == ranked]
            relevant, judged = int((labels >= level).sum()), int((labels == labels).sum())
            values[label][query] = SUMS[measure](ranked[:cutoff].tolist(), level, relevant, judged - relevant)


def _sum_precision(ranked: list[float], level: float, relevant: int, others: int) -> float:
    """AP = sum of P@i over the ranks i of relevant documents / R."""
    total, found = 0.0, 0
    for rank, label in enumerate(ranked, 1):
        if label >= level:
            found += 1
            total += found / rank
    return total / relevant


def _sum_preferences(ranked: list[float], level: float, relevant: int, others: int) -> float:
    """Bpref = sum over relevant documents of 1 - min(n, R) / min(N, R), n of N others above / R."""
    total, above = 0.0, 0
    for label in ranked:
        if label >= level:
            total += 1 - min(above, relevant) / min(others, relevant) if above else 1
        elif label < level:
            above += 1
    return total / relevant


SUMS: dict[str, Callable[[list[float], float, int, int], float]] = {
    "map": _sum_precision,
    "map_cut": _sum_precision,
    "bpref": _sum_preferences,
}
