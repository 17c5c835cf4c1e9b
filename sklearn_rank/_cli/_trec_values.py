"""The values of trec_eval's measures, query by query, and what it prints of all queries."""

from __future__ import annotations

import warnings
from argparse import Namespace
from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from .._checks.warn import RankingWarning
from ..metrics import infap_score, ranking_scores, take_logs
from ._errors import files_at_fault
from ._inputs import Inputs, Rows, read_rows, use_pieces
from ._trec_measures import COUNTED, MEASURES, POOLED, list_labels
from ._trec_sums import settle

GEOMETRIC = "gm_"  # before the name of what a geometric mean is of


class Values(NamedTuple):
    """The values of what is asked for."""

    ids: list[str]
    of_queries: dict[str, np.ndarray]  # by the label of a line; those of the summary alone too
    n_queries: int  # what means are over
    n_relevant: int


def evaluate_run(
    args: Namespace, inputs: Inputs, asked: Mapping[str, tuple[float, ...]]
) -> tuple[Values, str]:
    """Compute what is asked for of the run, and return its tag too."""

    def compute(rows: Rows) -> Values:
        return _compute(rows, asked, args.min_relevance, args.complete, args.judged_only)

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RankingWarning)  # the program has none
        found = use_pieces(args, inputs, compute, POOLED in asked)
    if found is not None:
        return _gather(found[0]), found[1]
    (path,) = inputs.runs.values()
    (rows,) = read_rows(args, inputs, tags=True, with_pool=POOLED in asked)
    with files_at_fault({"y_true": inputs.qrels, "y_score": path}), warnings.catch_warnings():
        warnings.simplefilter("ignore", RankingWarning)
        return compute(rows), rows.tag


def _gather(parts: list[Values]) -> Values:
    """Join the values of parts of the queries, in the order of their ids."""
    scored = [part for part in parts if part.ids]
    ids = [each for part in scored for each in part.ids]
    order = sorted(range(len(ids)), key=ids.__getitem__)
    of_queries = {
        label: np.concatenate([part.of_queries[label] for part in scored])[order]
        for label in scored[0].of_queries
    }
    n_queries, n_relevant = (sum(column) for column in zip(*(part[2:] for part in parts)))
    return Values([ids[place] for place in order], of_queries, n_queries, n_relevant)


def _compute(
    rows: Rows, asked: Mapping[str, tuple[float, ...]], level: float, complete: bool, judged_only: bool
) -> Values:
    """Compute what is asked for of all queries that are in the run and the judgements both."""
    n_queries = len(rows.starts)
    n_relevant = int(np.count_nonzero(rows.y_true > 0))  # of any level, as the program counts with -c
    if complete:
        rows = _leave_out_missing(rows)
        if not len(rows.queries):
            return Values([], {}, n_queries, n_relevant)
    ids = rows.ids
    values = _count(rows, len(ids), level, judged_only)
    if not complete:
        n_relevant = int(values["num_rel"].sum())
    values |= _score(rows, asked, level, judged_only)
    return Values(ids.tolist(), values, n_queries, n_relevant)


def _leave_out_missing(rows: Rows) -> Rows:
    """Leave out queries of which nothing was retrieved."""
    starts = rows.starts
    is_there = np.logical_or.reduceat(rows.y_score > -np.inf, starts)
    kept = np.repeat(is_there, np.diff(np.append(starts, len(rows.queries))))
    strata = None if rows.strata is None else rows.strata[kept]
    return rows._replace(
        y_true=rows.y_true[kept], y_score=rows.y_score[kept], queries=rows.queries[kept], strata=strata
    )


def _count(rows: Rows, n_queries: int, level: float, judged_only: bool) -> dict[str, np.ndarray]:
    """Count documents of each query."""
    codes = np.cumsum(np.append(False, rows.queries[1:] != rows.queries[:-1]))
    is_retrieved = rows.y_score > -np.inf
    is_relevant, is_wrong = rows.y_true >= level, rows.y_true < level  # neither where not judged
    masks = {
        "num_ret": is_retrieved & (is_relevant | is_wrong) if judged_only else is_retrieved,
        "num_rel": is_relevant,
        "num_rel_ret": is_relevant & is_retrieved,
        "num_nonrel_judged_ret": is_wrong & is_retrieved,
    }
    counts = {name: np.bincount(codes[mask], minlength=n_queries) for name, mask in masks.items()}
    counts["utility"] = 2 * counts["num_rel_ret"] - counts["num_ret"]  # relevant ones less the others
    return counts


def _score(
    rows: Rows, asked: Mapping[str, tuple[float, ...]], level: float, judged_only: bool
) -> dict[str, np.ndarray]:
    """Compute all measures that have a name, in one pass."""
    names = [name for name in asked if name not in (*COUNTED, POOLED)]
    labels = [label for name in names for label in list_labels(name, asked[name])]
    plain = list(dict.fromkeys(label.removeprefix(GEOMETRIC) for label in labels))
    values = {}
    if plain:
        found = ranking_scores(
            rows.y_true,
            rows.y_score,
            groups=rows.queries,
            metrics=[f"trec_eval:{label}" for label in plain],
            min_relevance=level,
            unjudged="drop" if judged_only else "nonrelevant",
            average=None,
        )
        values = dict(zip(plain, found.values()))
    if rows.strata is not None:
        values[POOLED] = _infer(rows, level, judged_only)
    settle(values, rows, level, judged_only)
    geometric = [label for label in labels if label.startswith(GEOMETRIC)]
    logs = {each: take_logs(values[each.removeprefix(GEOMETRIC)]) for each in geometric}
    return values | logs


def _infer(rows: Rows, level: float, judged_only: bool) -> np.ndarray:
    """Compute inferred AP; documents that were not judged are as good as not retrieved with -J."""
    with np.errstate(over="ignore"):  # of scores beyond float32
        scores = rows.y_score.astype(np.float32).astype(np.float64)
    scores[(scores == -np.inf) & (rows.y_score > -np.inf)] = np.finfo(np.float64).min
    if judged_only:
        scores[np.isnan(rows.y_true)] = -np.inf
    return infap_score(
        rows.y_true,
        scores,
        groups=rows.queries,
        strata=rows.strata,
        min_relevance=level,
        ties="order",
        average=None,
    )


def average(label: str, name: str, values: Values) -> float:
    """Return what the summary holds: a sum, a mean or a geometric mean."""
    if name == "num_q":
        return values.n_queries
    if name == "num_rel":
        return values.n_relevant
    of_queries = values.of_queries[label]
    total = float(np.add.accumulate(of_queries)[-1])  # one after the other, as the program does
    if MEASURES[name].is_count:
        return total
    if MEASURES[name].is_geometric:  # a query that the run lacks has the least
        total += (values.n_queries - len(of_queries)) * float(take_logs(0.0))
        return float(np.exp(total / values.n_queries))
    return total / values.n_queries


ALL = "all"


def print_values(values: Values, asked: Mapping[str, tuple[float, ...]], tag: str, by_query: bool) -> str:
    """Write the lines of a run."""
    labels = [(label, name) for name, parameters in asked.items() for label in list_labels(name, parameters)]
    lines = []
    if by_query:
        shown = [
            (f"{label:<22}\t", MEASURES[name].is_count, values.of_queries[label].tolist())
            for label, name in labels
            if MEASURES[name].of_queries
        ]
        for place, query in enumerate(values.ids):
            for head, is_count, column in shown:
                lines.append(f"{head}{query}\t{_write(column[place], is_count)}")
    for label, name in labels:
        found = tag if name == "runid" else _write(average(label, name, values), MEASURES[name].is_count)
        lines.append(f"{label:<22}\t{ALL}\t{found}")
    return "\n".join([*lines, ""])


def _write(value: float, is_count: bool) -> str:
    return str(int(value)) if is_count else f"{value:6.4f}"
