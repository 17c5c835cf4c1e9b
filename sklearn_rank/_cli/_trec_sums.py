"""The last printed digit: values half way between two are added up in the order of trec_eval."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple

import numpy as np

from ._inputs import Rows
from ._trec_measures import LEVELS

EPSILON = 0.00001  # by which shares are smoothed
DIGITS = 10_000  # four decimals
DOUBT = 1e-7  # from the middle between two printed values, in units of the last digit


class Ranked(NamedTuple):
    """The documents of a query as they were retrieved, and how many were judged."""

    labels: list[float]
    level: float  # labels from here on are relevant
    relevant: int
    others: int  # that were judged
    strata: list[int]  # 0 in the pool, -1 outside; none where nothing asks for them


def settle(values: Mapping[str, np.ndarray], rows: Rows, level: float, judged_only: bool) -> None:
    """Replace values that are so near to the middle that the order of a sum decides how they are printed.

    Rows are in the order of queries, and equal scores in that of documents; values are by label.
    """
    starts = rows.starts
    ends = np.append(starts[1:], len(rows.queries))
    for label in values:
        measure, _, cutoff = label.rpartition("_") if label.startswith("map_cut_") else (label, "", "")
        if measure not in SUMS:
            continue
        in_doubt = np.abs(values[label] * DIGITS % 1 - 0.5) < DOUBT
        for query in np.flatnonzero(in_doubt).tolist():
            ranked = _rank(rows, slice(starts[query], ends[query]), level, judged_only)
            cut = ranked._replace(labels=ranked.labels[: int(cutoff)]) if cutoff else ranked
            values[label][query] = SUMS[measure](cut)


def _rank(rows: Rows, place: slice, level: float, judged_only: bool) -> Ranked:
    labels = rows.y_true[place]
    with np.errstate(over="ignore"):  # of scores beyond float32
        scores = rows.y_score[place].astype(np.float32)
    order = np.argsort(-scores, kind="stable")
    shown = order[rows.y_score[place][order] > -np.inf]
    ranked = labels[shown]
    if judged_only:
        shown, ranked = shown[ranked == ranked], ranked[ranked == ranked]
    relevant, judged = int((labels >= level).sum()), int((labels == labels).sum())
    strata = [] if rows.strata is None else rows.strata[place][shown].tolist()
    return Ranked(ranked.tolist(), level, relevant, judged - relevant, strata)


def _sum_precision(ranked: Ranked) -> float:
    """AP = sum of P@i over the ranks i of relevant documents / R."""
    return sum_in_order(_list_precision(ranked)) / ranked.relevant


def _list_precision(ranked: Ranked) -> list[float]:
    """List the precision at each relevant document."""
    ranks = [rank for rank, label in enumerate(ranked.labels, 1) if label >= ranked.level]
    return [found / rank for found, rank in enumerate(ranks, 1)]


def _sum_preferences(ranked: Ranked) -> float:
    """Bpref = sum over relevant documents of 1 - min(n, R) / min(N, R), n of N others above / R."""
    terms, above = [], 0
    best = min(ranked.others, ranked.relevant)
    for label in ranked.labels:
        if label >= ranked.level:
            terms.append(1 - min(above, ranked.relevant) / best if above else 1.0)
        elif label < ranked.level:
            above += 1
    return sum_in_order(terms) / ranked.relevant


def _sum_inferred(ranked: Ranked) -> float:
    """Infer AP = sum of E[P@i] over the ranks i of relevant documents / R, in trec_eval's operations."""
    terms = []
    found, judged, pooled = 0, 0, 0
    for above, (label, stratum) in enumerate(zip(ranked.labels, ranked.strata)):
        if label >= ranked.level:
            share = (found + EPSILON) / (judged + 2 * EPSILON)
            rest = above / (above + 1) * (pooled / above) * share if above else 0.0
            terms.append(1 / (above + 1) + rest)
            found += 1
        judged += label == label
        pooled += stratum == 0
    return sum_in_order(terms) / ranked.relevant


def _sum_levels(ranked: Ranked) -> float:
    """Add up the highest precision from each of 11 levels of recall on, the last level first."""
    precision = _list_precision(ranked)
    needed = [int(level * ranked.relevant + 0.9) for level in reversed(LEVELS)]
    return sum_in_order([max(precision[max(n - 1, 0) :], default=0.0) for n in needed]) / len(LEVELS)


def _combine(ranked: Ranked) -> float:
    """F = 2 P R / (P + R) of all that was retrieved."""
    found = len(_list_precision(ranked))
    precision, recall = found / len(ranked.labels), found / ranked.relevant
    return 2 * precision * recall / (precision + recall)


def sum_in_order(terms: list[float]) -> float:
    """Add up one after the other; `sum` of newer versions of Python is more exact."""
    total = 0.0
    for term in terms:
        total += term
    return total


SUMS: dict[str, Callable[[Ranked], float]] = {
    "map": _sum_precision,
    "map_cut": _sum_precision,
    "bpref": _sum_preferences,
    "infAP": _sum_inferred,
    "11pt_avg": _sum_levels,
    "set_F": _combine,
}
