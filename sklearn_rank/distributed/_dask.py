"""Partitions of Dask: one state of each, made where the partition is, and a tree that merges them."""

from __future__ import annotations

from copy import copy
from functools import partial
from importlib import import_module
from typing import Any, NamedTuple

from .._checks.errors import fail
from .._checks.types import Ids, Table
from ..metrics import Given
from ._evaluator import RankingEvaluator
from ._sources import ReadingPlan, check_names, list_wanted

FAN_IN = 8  # states that one task merges
DECIDED_BY_DASK = {
    "n_jobs": "be None where 'data' is of Dask: its scheduler decides how many partitions are scored at once",
    "max_memory": "be None where 'data' is of Dask: each partition is scored at once",
    "progress": "be False where 'data' is of Dask, which shows its own: with dask.diagnostics.ProgressBar()",
}


class Place(NamedTuple):
    """Which of how many partitions this is, and between which ids it stands where Dask knows that."""

    number: int
    n_partitions: int
    divisions: tuple[Any, Any] | None = None


def evaluate_collection(data: Table, plan: ReadingPlan) -> RankingEvaluator:
    """Score the partitions of a Dask DataFrame; no process holds more of them than it works on."""
    _check_asked(plan)
    frame, by_index = _select(data, plan)
    if not plan.together:
        frame = (frame.reset_index() if by_index else frame).shuffle(on=plan.names.groups)
    frame = frame.optimize()  # which may join partitions, where few columns of them are read
    parts = frame.to_delayed()
    knows_ids = by_index and plan.together and frame.known_divisions
    delayed = import_module("dask").delayed
    score = delayed(partial(_score_partition, plan=plan), pure=False)
    merge = delayed(partial(_merge, function=plan.function), pure=False)
    states = []
    for number, part in enumerate(parts):
        divisions = frame.divisions[number : number + 2] if knows_ids else None
        states.append(score(part, Place(number, len(parts), divisions)))
    while len(states) > 1:
        states = [merge(states[start : start + FAN_IN]) for start in range(0, len(states), FAN_IN)]
    whole: RankingEvaluator = states[0].compute()
    return whole


def _check_asked(plan: ReadingPlan) -> None:
    """Check that nothing is asked of what Dask decides, and no order of rows that its shuffle moves."""
    for parameter, rule in DECIDED_BY_DASK.items():
        asked = getattr(plan, parameter)
        if asked is not None and (asked or parameter != "progress"):
            fail(parameter, plan.function, rule, repr(asked))
    by_order = [each.name for each in plan.make()._scoring.requests if each.rules.ties == "order"]
    if by_order and not plan.together:
        rule = "not be 'order' with together=False where 'data' is of Dask, whose shuffle moves rows"
        fail("ties", plan.function, rule, f"'order' for {by_order[0]!r}")


def _select(data: Table, plan: ReadingPlan) -> tuple[Any, bool]:
    """Return the columns that are asked for, and whether ids are the index."""
    try:
        frames = import_module("dask.dataframe")
    except ImportError as error:
        raise ImportError(
            "evaluate reads data of Dask by dask.dataframe: pip install 'sklearn-rank[dask]'"
        ) from error
    if not isinstance(data, frames.DataFrame):
        rule = "be a DataFrame, of what Dask has: its columns are taken by name"
        fail("data", plan.function, rule, type(data).__name__)
    names = plan.names
    by_index = names.groups not in list(data.columns) and names.groups == data.index.name
    names = names._replace(groups=None) if by_index else names
    check_names(list(data.columns), names._asdict(), plan.function)
    return data[list_wanted(names)], by_index


def _score_partition(frame: Table, place: Place, *, plan: ReadingPlan) -> RankingEvaluator:
    """Score a partition: a part of sorted rows, or whole queries that were brought together."""
    names, function = plan.names, plan.function
    if names.groups not in list(frame.columns):
        frame = frame.reset_index()
    given = Given(*(None if name is None else frame[name] for name in names))
    if plan.together:
        found = plan.make(n_jobs=1)._add_part(given, place.number, function)
        _check_divisions(frame[names.groups], place, function)
        return found
    partition = place[:2] if plan.keep == "moments" else None
    return plan.make(partition=partition, n_jobs=1)._add_queries(given, function)


def _check_divisions(ids: Ids, place: Place, function: str) -> None:
    """Check that ids, which ascend, are between the divisions of their partition."""
    if place.divisions is None or not len(ids):
        return
    low, high = place.divisions
    first, last = ids.iloc[0], ids.iloc[-1]
    if not (low <= first and last <= high):
        got = f"ids from {first} to {last} in partition {place.number}, whose divisions are {low} and {high},"
        fail("data", function, "have partitions with the ids that their divisions say", got)


def _merge(states: list[RankingEvaluator], *, function: str) -> RankingEvaluator:
    """Merge states, which stay as they are: Dask may use them once more."""
    whole = copy(states[0])
    for other in states[1:]:
        whole._merge(other, function)
    return whole
