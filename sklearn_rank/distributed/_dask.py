"""Evaluation of Dask partitions: the worker of each computes a state, and a tree merges the states."""

from copy import copy
from functools import partial
from importlib import import_module
from typing import Any

from .._checks.errors import fail, kind_of
from .._checks.types import Table
from ..metrics import Given
from ._evaluator import RankingEvaluator
from ._sources import ReadingPlan, check_names, list_wanted

FAN_IN = 8  # states that one task merges
DECIDED_BY_DASK = {
    "n_jobs": (
        "be None for data of Dask",
        "Dask's scheduler decides how many partitions are scored at once.",
    ),
    "progress": ("be False for data of Dask", "Use dask.diagnostics.ProgressBar() instead."),
}


def evaluate_collection(data: Table, plan: ReadingPlan) -> RankingEvaluator:
    """Score the partitions of a Dask DataFrame; a process only loads the partitions it works on."""
    _check_options(plan)
    frame, by_index = _select(data, plan)
    if not plan.rows_adjacent:
        frame = (frame.reset_index() if by_index else frame).shuffle(on=plan.names.groups)
    frame = frame.optimize()  # this can join partitions if few columns are read
    parts = frame.to_delayed()
    delayed = import_module("dask").delayed
    score = delayed(partial(_score_partition, plan=plan), pure=False)
    merge = delayed(_merge, pure=False)
    states = [score(part, (number, len(parts))) for number, part in enumerate(parts)]
    while len(states) > 1:
        states = [merge(states[start : start + FAN_IN]) for start in range(0, len(states), FAN_IN)]
    whole: RankingEvaluator = states[0].compute()
    return whole


def _check_options(plan: ReadingPlan) -> None:
    """Check that no option is set that Dask decides, and no order of rows that its shuffle changes."""
    for parameter, (rule, fix) in DECIDED_BY_DASK.items():
        value = getattr(plan, parameter)
        if value is not None and (value or parameter != "progress"):
            fail(parameter, rule, repr(value), fix)
    by_order = [each.name for each in plan.make()._scoring.requests if each.rules.ties == "order"]
    if by_order and not plan.rows_adjacent:
        rule = "not be 'order' with rows_adjacent=False for data of Dask, whose shuffle changes the row order"
        fail("ties", rule, f"'order' for {by_order[0]!r}")


def _select(data: Table, plan: ReadingPlan) -> tuple[Any, bool]:
    """Return the needed columns, and whether ids are the index."""
    try:
        frames = import_module("dask.dataframe")
    except ImportError as error:
        needed = "evaluate needs dask.dataframe for data of Dask: pip install 'sklearn-rank[dask]'"
        raise ImportError(needed) from error
    if not isinstance(data, frames.DataFrame):
        fail("data", "be a DataFrame if it is a collection of Dask", kind_of(data))
    names = plan.names
    by_index = names.groups not in list(data.columns) and names.groups == data.index.name
    names = names._replace(groups=None) if by_index else names
    check_names(list(data.columns), names._asdict())
    return data[list_wanted(names)], by_index


def _score_partition(frame: Table, place: tuple[int, int], *, plan: ReadingPlan) -> RankingEvaluator:
    """Score the i-th of n partitions: a part of sorted rows, or whole queries after a shuffle."""
    _called_as = "evaluate"  # in errors
    names = plan.names
    if names.groups not in list(frame.columns):
        frame = frame.reset_index()
    given = Given(*(None if name is None else frame[name] for name in names))
    if plan.rows_adjacent:
        return plan.make(n_jobs=1)._add_part(given, place[0])
    return plan.make(partition=None if plan.keep_queries else place, n_jobs=1)._add_queries(given)


def _merge(states: list[RankingEvaluator]) -> RankingEvaluator:
    """Merge states without changing them, because Dask might use them again."""
    _called_as = "evaluate"  # in errors
    whole = copy(states[0])
    for other in states[1:]:
        whole._merge(other)
    return whole
