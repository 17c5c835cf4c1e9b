"""The values of trec_eval's measures, query by query, and what it prints of all queries."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from .._checks.warn import RankingWarning
from ..metrics import interpolated_precision_curve, ranking_scores, unique_groups
from ._inputs import Rows
from ._trec_measures import LEVELS, MEASURES
from ._trec_sums import SUMS, settle

LEAST = 0.00001  # what the program takes for 0 in a geometric mean
# Our names for its measures that are no ratios of counts; parameters as {}.
NAMES = {
    "map": "map(denominator=relevant)",
    "gm_map": "map(denominator=relevant)",
    "Rprec": "r_precision",
    "bpref": "bpref(unjudged=drop)",
    "gm_bpref": "bpref(unjudged=drop)",
    "recip_rank": "mrr",
    "ndcg": "ndcg",
    "ndcg_cut": "ndcg@{}",
    "map_cut": "map@{}(denominator=relevant)",
}
AT_CUTOFFS = ("P", "recall", "relative_P", "success")  # ratios of how many relevant documents are in the top


class Counts(NamedTuple):
    """What can be counted of each query; a query that is in the run and the judgements both."""

    retrieved: np.ndarray
    relevant: np.ndarray
    found: np.ndarray  # relevant and retrieved
    wrong: np.ndarray  # judged as not relevant, and retrieved


class Values(NamedTuple):
    """The values of what is asked for."""

    ids: list[str]
    of_queries: dict[str, np.ndarray]  # by the label of a line; those of the summary alone too
    n_queries: int  # what means are over
    n_relevant: int


def compute_values(
    rows: Rows, asked: Mapping[str, tuple[float, ...]], level: float, complete: bool, judged_only: bool
) -> Values:
    """Compute what is asked for of all queries that are in the run and the judgements both."""
    n_queries = len(unique_groups(rows.groups))
    n_relevant = int(np.count_nonzero(rows.y_true > 0))  # of any level, as the program counts with -c
    if complete:
        rows = _leave_out_missing(rows)
    ids = unique_groups(rows.groups)
    counts = _count(rows, ids, level, judged_only)
    if not complete:
        n_relevant = int(counts.relevant.sum())
    given = (rows.y_true, as_float32(rows.y_score))
    options: dict[str, Any] = {
        "groups": rows.groups,
        "min_relevance": level,
        "ties": "order",
        "unjudged": "drop" if judged_only else "nonrelevant",
        "average": None,
    }
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RankingWarning)  # the program has none
        of_names = _score(given, asked, options)
        of_levels = _interpolate(given, asked, options)
    settle(of_names, _list_sums(asked), *given, rows.groups, level, judged_only)
    values: dict[str, np.ndarray] = {}
    for name, parameters in asked.items():
        for parameter in parameters or (None,):
            label = name if parameter is None else MEASURES[name].label.format(name=name, value=parameter)
            if name in NAMES:
                found = of_names[NAMES[name].format(parameter)]
                values[label] = np.log(np.maximum(found, LEAST)) if MEASURES[name].is_geometric else found
            elif name in AT_CUTOFFS:
                hits = np.rint(of_names[f"precision@{parameter}"] * parameter)
                values[label] = _divide_hits(name, hits, parameter, counts)
            elif name == "iprec_at_recall":
                values[label] = of_levels[float(parameter or 0)]
            elif name == "11pt_avg":
                values[label] = _sum([of_levels[each] for each in reversed(LEVELS)]) / len(LEVELS)
            elif name not in ("runid", "num_q"):
                values[label] = _of_counts(name, counts)
    return Values(ids.tolist(), values, n_queries, n_relevant)


def as_float32(scores: np.ndarray) -> np.ndarray:
    """Return scores as the program holds them, so that they tie there; -inf is what was not retrieved."""
    limit = np.finfo(np.float32).max
    return np.where(np.isinf(scores), scores, np.clip(scores, -limit, limit)).astype(np.float32)


def _leave_out_missing(rows: Rows) -> Rows:
    """Leave out queries of which nothing was retrieved."""
    starts = np.flatnonzero(np.append(True, rows.groups[1:] != rows.groups[:-1]))
    is_there = np.logical_or.reduceat(rows.y_score > -np.inf, starts)
    kept = np.repeat(is_there, np.diff(np.append(starts, len(rows.groups))))
    return rows._replace(y_true=rows.y_true[kept], y_score=rows.y_score[kept], groups=rows.groups[kept])


def _count(rows: Rows, ids: np.ndarray, level: float, judged_only: bool) -> Counts:
    codes = np.cumsum(np.append(False, rows.groups[1:] != rows.groups[:-1]))
    is_retrieved = rows.y_score > -np.inf
    is_relevant, is_wrong = rows.y_true >= level, rows.y_true < level  # neither where not judged
    shown = is_retrieved & (is_relevant | is_wrong) if judged_only else is_retrieved
    return Counts(
        *(
            np.bincount(codes[mask], minlength=len(ids))
            for mask in (shown, is_relevant, is_relevant & is_retrieved, is_wrong & is_retrieved)
        )
    )


def _score(
    given: tuple[np.ndarray, np.ndarray], asked: Mapping[str, tuple[float, ...]], options: dict[str, Any]
) -> dict[str, np.ndarray]:
    """Compute all that has a name here in one pass."""
    names = [NAMES[name].format(each) for name in NAMES if name in asked for each in asked[name] or (None,)]
    names += [f"precision@{k}" for name in AT_CUTOFFS for k in asked.get(name, ())]
    return ranking_scores(*given, metrics=list(dict.fromkeys(names)), **options) if names else {}


def _list_sums(asked: Mapping[str, tuple[float, ...]]) -> dict[str, tuple[str, int | None]]:
    """List which values are sums that `settle` knows, by our names for them."""
    return {
        NAMES[name].format(each): (name, None if each is None else int(each))
        for name in SUMS
        if name in asked
        for each in asked[name] or (None,)
    }


def _interpolate(
    given: tuple[np.ndarray, np.ndarray], asked: Mapping[str, tuple[float, ...]], options: dict[str, Any]
) -> dict[float, np.ndarray]:
    """Compute interpolated precision at all recall levels."""
    levels = set(asked.get("iprec_at_recall", ())) | set(LEVELS if "11pt_avg" in asked else ())
    if not levels:
        return {}
    recall = sorted(levels)
    curves = interpolated_precision_curve(*given, recall_levels=recall, rounding="trec_eval_9", **options)[1]
    return dict(zip(recall, curves.T))


def _divide_hits(name: str, hits: np.ndarray, k: Any, counts: Counts) -> np.ndarray:
    if name == "success":
        return (hits > 0).astype(float)
    below = {"P": k, "recall": counts.relevant, "relative_P": np.minimum(k, counts.relevant)}[name]
    return hits / np.maximum(below, 1)


def _of_counts(name: str, counts: Counts) -> np.ndarray:
    """Compute what depends on the sets of documents alone."""
    retrieved, relevant, found, wrong = (each.astype(float) for each in counts)
    one = np.maximum  # a denominator of 0 has a numerator of 0
    precision, recall = found / one(retrieved, 1), found / one(relevant, 1)
    if name == "set_F":
        return 2 * precision * recall / np.where(found > 0, precision + recall, 1)
    return {
        "num_ret": retrieved,
        "num_rel": relevant,
        "num_rel_ret": found,
        "num_nonrel_judged_ret": wrong,
        "utility": found - (retrieved - found),
        "set_P": precision,
        "set_recall": recall,
        "set_relative_P": found / one(np.minimum(retrieved, relevant), 1),
        "set_map": found * found / one(retrieved * relevant, 1),
    }[name]


def _sum(values: Any) -> Any:
    """Add up one after the other, as the program does."""
    total = values[0]
    for each in values[1:]:
        total = total + each
    return total


def average(label: str, name: str, values: Values) -> float:
    """Return what the summary holds: a sum, a mean or a geometric mean."""
    if name == "num_q":
        return values.n_queries
    if name == "num_rel":
        return values.n_relevant
    of_queries = values.of_queries[label]
    total = float(np.add.accumulate(of_queries)[-1])
    if MEASURES[name].is_count:
        return total
    if MEASURES[name].is_geometric:  # a query that the run lacks has the least
        total += (values.n_queries - len(of_queries)) * float(np.log(LEAST))
        return float(np.exp(total / values.n_queries))
    return total / values.n_queries
