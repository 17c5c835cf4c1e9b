"""Parts of the data: batches of scored queries, and sorted rows that are split anywhere."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from .._checks.arrays import flatten, read_numbers
from .._checks.codes import as_array, find_edges, first_rows, rank_ids
from .._checks.containers import count_rows
from .._checks.errors import fail
from .._checks.groups import check_groups, take_ids
from .._checks.missed import Missed
from .._checks.types import Ids
from ..metrics import Counts, Given, Request, ScoredQueries, Tables, score_queries

SHOWN = 3  # number of ids in errors
BY_ID = "Sort all rows by query id, for example with data.sort_values('qid'), or pass complete queries."
SORT = (
    "Sort the rows once: duckdb.sql(\"COPY (FROM 'rows.parquet' ORDER BY qid) TO 'sorted.parquet'\"). "
    "Or pass all rows in one frame."
)
TOGETHER = "have the rows of each query in a single update or part, or in adjacent rows of 'data'"


class Batch(NamedTuple):
    """Scored queries."""

    found: ScoredQueries
    counts: Mapping[str, Counts] = {}  # of metrics of all lists together


class Scoring(NamedTuple):
    """The options of scoring."""

    requests: Sequence[Request]
    min_relevance: float
    n_jobs: int | None
    missed: Missed | None = None  # labels of documents that are not rows, for updates without their own

    def score(self, given: Given, tables: Tables | None = None) -> Batch:
        """Score whole queries. All weights can be 0, because other batches can have other weights."""
        without_weight = False
        given = given._replace(missed=self.missed if given.missed is None else given.missed)
        if given.sample_weight is not None:
            weights = flatten(read_numbers(given.sample_weight, "sample_weight"))
            if without_weight := not weights.any():
                given = given._replace(sample_weight=np.ones(weights.shape))
        least, n_jobs = self.min_relevance, self.n_jobs
        found = score_queries(self.requests, given, least, None, n_jobs, tables, is_part=True)
        if without_weight:
            none = np.zeros(len(found.ids))
            metrics = {name: each._replace(weights=none) for name, each in found.metrics.items()}
            found = found._replace(metrics=metrics)
        return Batch(found, found.counts)


def join_arrays(arrays: Sequence[np.ndarray]) -> np.ndarray:
    """Join arrays; use objects for different types, because numpy would convert or round numbers."""
    if len({each.dtype.kind for each in arrays}) == 1:
        return np.concatenate(arrays)
    return as_array([value for each in arrays for value in each.tolist()])


def check_apart(ids: np.ndarray, others: np.ndarray) -> None:
    """Check that no query occurs in both arrays of sorted ids."""
    few, many = sorted((ids, others), key=len)
    if not len(few):
        return
    check_groups(join_arrays([few[:1], many[:1]]), 2)
    if few.dtype.kind != many.dtype.kind:
        few, many = few.astype(object), many.astype(object)
    twice = few[many[np.searchsorted(many, few).clip(max=len(many) - 1)] == few]
    if len(twice):
        some = ", ".join(map(repr, twice[:SHOWN].tolist())) + ", ..." * (len(twice) > SHOWN)
        fail("groups", TOGETHER, f"{some} a second time", SORT)


def join_batches(batches: Sequence[Batch]) -> Batch:
    """Join batches of distinct queries, sorted by their ids."""
    if len(batches) == 1:
        return batches[0]
    found = [each.found for each in batches]
    ids = join_arrays([each.ids for each in found])
    order = first_rows(rank_ids(check_groups(ids, len(ids))))
    joined: dict[tuple[int, ...], np.ndarray] = {}

    def join(arrays: Sequence[np.ndarray]) -> np.ndarray:
        """Join arrays; those that metrics share are joined once."""
        key = tuple(map(id, arrays))
        if key not in joined:
            joined[key] = np.concatenate(arrays)[order]
        return joined[key]

    everywhere = [np.ones(len(each.ids), dtype=bool) for each in found]
    metrics = {}
    for name, one in found[0].metrics.items():
        same: list[Any] = [each.metrics[name] for each in found]
        sums = defined = None
        if any(each.defined is not None for each in same):
            defined = join([n if each.defined is None else each.defined for each, n in zip(same, everywhere)])
        if one.sums is not None:
            sums = join([each.sums[0] for each in same]), join([each.sums[1] for each in same])
        weights = None if one.weights is None else join([each.weights for each in same])
        values = join([each.values for each in same])
        metrics[name] = one._replace(values=values, weights=weights, sums=sums, defined=defined)
    sizes, n_relevant = (np.concatenate([each[place] for each in found])[order] for place in (1, 2))
    of_labels = [each.labels for each in found if each.labels is not None]
    labels = np.concatenate(of_labels)[order] if len(of_labels) == len(found) else None
    return Batch(ScoredQueries(ids[order], sizes, n_relevant, metrics, labels=labels))


def join_rows(pieces: Sequence[Given]) -> Given:
    """Concatenate rows that have scores by system."""
    labels, scores, groups, weights, _, others = zip(*pieces)
    of_systems = {name: join_arrays([each[name] for each in scores]) for name in scores[0]}
    of_queries = None if weights[0] is None else join_arrays(weights)
    columns = {name: join_arrays([each[name] for each in others]) for name in others[0]}
    return Given(join_arrays(labels), of_systems, join_arrays(groups), of_queries, labels=columns)


Query = tuple[Given, ...]  # the pieces of its rows


class Run(NamedTuple):
    """Neighboring parts, with the rows of their first and last query, which can continue in other parts.

    If all rows belong to one query, only `left` contains them. Both are empty for parts without rows.
    """

    first: int
    last: int
    left: Query = ()
    right: Query = ()


def read_part(part: int, rows: Given) -> tuple[Run, int]:
    """Read rows sorted by query; return a run of their first and last query, and the number of queries."""
    heads = _find_heads(rows.groups)
    labels = flatten(read_numbers(rows.y_true, "y_true"))
    scores = {name: flatten(read_numbers(each, "y_score")) for name, each in rows.y_score.items()}
    weights = None
    if rows.sample_weight is not None:
        weights = flatten(read_numbers(rows.sample_weight, "sample_weight"))
    others = {name: flatten(read_numbers(each, "labels")) for name, each in rows.labels.items()}

    def take(start: int, stop: int) -> tuple[Given]:
        span = slice(start, stop)  # copied to free the other rows
        of_systems = {name: each[span].copy() for name, each in scores.items()}
        taken = None if weights is None else weights[span].copy()
        columns = {name: each[span].copy() for name, each in others.items()}
        ids = take_ids(rows.groups, np.arange(start, stop))
        return (Given(labels[span].copy(), of_systems, ids, taken, labels=columns),)

    n, last = len(labels), len(heads) - 1
    left = take(0, int(heads[1]) if last else n)
    return Run(part, part, left, take(int(heads[last]), n) if last else ()), len(heads)


def _find_heads(groups: Ids) -> np.ndarray:
    """Return the first row of each query, after checking that ids ascend."""
    ids = check_groups(groups, count_rows(groups, "groups"))
    heads = find_edges(ids)[:-1]
    wrong = np.flatnonzero(ids[heads[1:]] <= ids[heads[:-1]])
    if len(wrong):
        one, other = take_ids(groups, heads[wrong[0] :][:2]).tolist()
        fail("groups", "be sorted in increasing order", f"{other!r} after {one!r}", BY_ID)
    return heads


def join_runs(one: Run, other: Run) -> tuple[Run, list[Query]]:
    """Join neighbors; return the joined run, and the queries that are now complete."""
    both = Run(one.first, other.last)
    if not one.left or not other.left:
        return both._replace(left=one.left or other.left, right=one.right or other.right), []
    before, after = one.right or one.left, other.left
    ids = join_arrays([before[-1].groups[:1], after[0].groups[:1]])
    codes = rank_ids(check_groups(ids, 2))
    if codes[0] > codes[1]:
        got = f"{ids[:1].tolist()[0]!r} in part {one.last} before {ids[1:].tolist()[0]!r} in the next part"
        fail("groups", "increase from part to part", got, BY_ID)
    if codes[0] == codes[1]:
        left = one.left if one.right else before + after
        right = other.right if other.right or not one.right else before + after
        complete = [before + after] if one.right and other.right else []
        return both._replace(left=left, right=right), complete
    complete = [before] * bool(one.right) + [after] * bool(other.right)
    return both._replace(left=one.left, right=other.right or after), complete


def add_run(runs: tuple[Run, ...], run: Run) -> tuple[tuple[Run, ...], list[Query]]:
    """Add a run to others and join neighbors; each part must occur once."""
    twice = [each for each in runs if each.first <= run.last and run.first <= each.last]
    if twice:
        number = max(twice[0].first, run.first)
        fail("part", "be a different number for each part", f"{number} a second time")
    complete: list[Query] = []
    others = []
    for each in runs:
        if each.last + 1 == run.first:
            run, found = join_runs(each, run)
        elif run.last + 1 == each.first:
            run, found = join_runs(run, each)
        else:
            others.append(each)
            continue
        complete += found
    return tuple(sorted([*others, run], key=lambda each: each.first)), complete


def find_missing_parts(runs: tuple[Run, ...]) -> Iterator[int]:
    """Yield the missing part numbers below the last part; there can be any number."""
    for end, run in zip([-1, *(run.last for run in runs)], runs):
        yield from range(end + 1, run.first)
