"""The immutable state of an evaluator, so that an error leaves the evaluator unchanged."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date
from functools import partial, reduce
from itertools import chain
from numbers import Number, Rational
from types import NoneType
from typing import Any, NamedTuple
from zlib import crc32

import numpy as np

from .._checks.arrays import is_sparse
from .._checks.codes import rank_ids
from .._checks.errors import fail, is_int, name_call, shorten
from .._checks.groups import check_groups
from .._checks.types import Options
from ..metrics import Counts, Facts, Given, Request, Tables, check_kept, pile
from ..reports import PairedMoments
from ._kept import KeptMoments, KeptValues, Pairs, add_sums, merge_named, sum_pairs
from ._parts import Batch, Run, Scoring, add_run, join_arrays, join_rows

Systems = Mapping[str | None, Any]  # scores or results by system; None for an unnamed system
Piles = Mapping[str, tuple[Counts, ...]]  # by metric


REMEDY = (
    "Sort the rows by query id, use keep_queries=True, or pass partition=(i, n) with another i for each "
    "evaluator if these share no ids."
)


Ranges = tuple[np.ndarray, ...]  # disjoint ranges of ids; each is the lowest and the highest id


def _extend(ranges: Ranges, ids: np.ndarray) -> Ranges:
    """Add sorted ids, which must be above all others, to ranges."""
    new = join_arrays([ids[:1], ids[-1:]])
    if not ranges:
        return (new,)
    codes = _code([*ranges, new])
    highest = int(codes[:-1, 1].argmax())
    if codes[-1, 0] <= codes[highest, 1]:
        got = f"{new.tolist()[0]!r} after {ranges[highest].tolist()[1]!r}"
        fail("groups", "contain ids above those of earlier updates, with keep_queries=False", got, REMEDY)
    return (*ranges[:highest], join_arrays([ranges[highest][:1], new[1:]]), *ranges[highest + 1 :])


def _join_apart(one: Ranges, other: Ranges) -> Ranges:
    """Join ranges, which must not overlap."""
    ranges = (*one, *other)
    if len(ranges) > 1:
        codes = _code(ranges)
        order = np.argsort(codes[:, 0])
        overlap = np.flatnonzero(codes[order[1:], 0] <= codes[order[:-1], 1])
        if len(overlap):
            low, high = (ranges[place].tolist() for place in order[overlap[0] :][:2])
            got = f"{low[0]!r} to {low[1]!r} and {high[0]!r} to {high[1]!r}"
            fail("other", "not overlap with the range of ids so far, with keep_queries=False", got, REMEDY)
    return ranges


def _code(ranges: Sequence[np.ndarray]) -> np.ndarray:
    """Return a row for each range, with the ranks of its ends among all ends."""
    ids = join_arrays(ranges)
    return rank_ids(check_groups(ids, len(ids))).reshape(-1, 2)


class State(NamedTuple):
    """Kept data of each system, the parts and ids so far, and properties that all updates share."""

    keeper: type[KeptValues] | type[KeptMoments]
    kept: Systems
    pairs: Pairs  # for moments of several systems
    ids: Mapping[int | None, Ranges]  # by partition, for moments
    runs: tuple[Run, ...] = ()
    systems: tuple[str | None, ...] | None = None
    weighted: bool | None = None
    counts: Mapping[str | None, Piles] = {}  # of metrics of all lists together, by system
    facts: Facts | None = None  # about the rows of all systems

    @property
    def n_queries(self) -> int:
        """Return the number of scored queries."""
        return next((each.n_queries for each in self.kept.values()), 0)

    def find_pairs(self) -> dict[tuple[str, str], dict[str, PairedMoments]]:
        """Return the paired moments of each two systems."""
        return {
            pair: {name: each.find_moments() for name, each in sums.items()}
            for pair, sums in self.pairs.items()
        }

    def note(self, systems: Sequence[str | None], weighted: bool) -> State:
        """Record systems and weights, which must be the same in all updates."""
        if self.systems is not None and set(systems) != set(self.systems):
            both = self.systems, systems
            before, now = ("an array" if None in each else ", ".join(map(repr, each)) for each in both)
            fail("y_score", f"be of the same systems in all updates ({shorten(before)})", now)
        if self.weighted is not None and weighted != self.weighted:
            fail("sample_weight", "be passed in all updates or in none", "updates with and without weights")
        return self._replace(systems=self.systems or tuple(systems), weighted=weighted)

    def add(self, batches: Mapping[str | None, Batch]) -> State:
        """Add scored queries."""
        kept: Systems = {name: self.keeper.of(each) for name, each in batches.items()}
        pairs = {} if self.keeper is KeptValues else sum_pairs(batches, kept)
        counts = {
            system: {name: (of_metric,) for name, of_metric in each.counts.items()}
            for system, each in batches.items()
        }
        facts = [_count_queries(batch) for batch in batches.values()]
        of_all = facts[0]._replace(retrieved=all(each.retrieved for each in facts))
        return self._merge_scored(State(self.keeper, kept, pairs, {}, counts=counts, facts=of_all))

    def _merge_scored(self, other: State) -> State:
        """Add the queries that another state has scored."""
        facts = self.facts.merge(other.facts) if self.facts and other.facts else self.facts or other.facts
        return self._replace(
            kept=merge_named(self.kept, other.kept, lambda one, two: one.merge(two)),
            pairs=merge_named(self.pairs, other.pairs, partial(merge_named, merge=add_sums)),
            counts=merge_named(self.counts, other.counts, partial(merge_named, merge=pile)),
            facts=facts,
        )

    def extend_ids(self, ids: np.ndarray, partition: int | None) -> State:
        """Record the ids of an update with moments."""
        self._check_one_way(bool(self.runs), True)
        if set(self.ids) - {partition}:
            raise ValueError(f"{name_call()} cannot be called after other partitions were merged.")
        return self._replace(ids={**self.ids, partition: _extend(self.ids.get(partition, ()), ids)})

    def _check_one_way(self, of_parts: bool, of_updates: bool) -> None:
        """Check that moments come from only sorted parts or only updates, so that ids are distinct."""
        if self.keeper is KeptMoments and of_parts and of_updates:
            rule = "be passed to all updates or to none, with keep_queries=False"
            fail("part", rule, "updates with and without it")

    def add_runs(self, runs: Sequence[Run], scoring: Scoring) -> State:
        """Add parts, and score the queries that they complete."""
        self._check_one_way(bool(runs), any(self.ids.values()))
        all_runs, complete = self.runs, []
        for run in runs:
            all_runs, found = add_run(all_runs, run)
            complete += found
        return self._replace(runs=all_runs).score(complete, scoring)

    def score(self, complete: Sequence[tuple[Given, ...]], scoring: Scoring) -> State:
        """Score queries whose rows are now complete."""
        pieces = [piece for query in complete for piece in query]
        return self.add(score_systems(scoring, join_rows(pieces))) if pieces else self

    def merge(self, other: State, scoring: Scoring) -> State:
        """Merge two states."""
        state = self
        if other.systems is not None and other.weighted is not None:
            state = self.note(other.systems, other.weighted)
        ids = {**other.ids, **self.ids}
        for partition in set(self.ids) & set(other.ids):
            if partition is not None:
                fail("other", "have a partition that was not merged before", f"partition {partition}")
            ids[None] = _join_apart(self.ids[None], other.ids[None])
        return state._replace(ids=ids).add_runs(other.runs, scoring)._merge_scored(other)


def _count_queries(batch: Batch) -> Facts:
    """Return facts about a batch, counting only kept queries, because parts can split queries."""
    sizes, facts = batch.found.sizes, batch.found.facts
    assert facts is not None and batch.found.lists is not None
    longest, cut = int(sizes.max(initial=0)), batch.found.lists.sum()
    return facts._replace(n_queries=len(sizes), n_single=int((sizes == 1).sum()), longest=longest, cut=cut)


def read_systems(given: Given) -> Given:
    """Return rows with scores by system, or under None if they have no name."""
    y_score = given.y_score
    if not isinstance(y_score, Mapping) or is_sparse(y_score):  # some sparse types are mappings
        return given._replace(y_score={None: y_score})
    if not y_score or not all(isinstance(name, str) for name in y_score):
        rule = "be scores or a dict of scores by system name"
        fail("y_score", rule, f"a dict with the keys {list(y_score)}")
    return given._replace(y_score=dict(y_score))


def score_systems(scoring: Scoring, rows: Given, tables: Tables | None = None) -> dict[str | None, Batch]:
    """Score whole queries by system; systems share the data that does not depend on scores."""
    batches: dict[str | None, Batch] = {}
    for name, of_system in rows.y_score.items():
        batch = scoring.score(rows._replace(y_score=of_system), tables)
        first = next(iter(batches.values()), batch).found
        shared = batch.found._replace(ids=first.ids, sizes=first.sizes, n_relevant=first.n_relevant)
        batches[name] = batch._replace(found=shared)
    return batches


def check_whole(requests: Sequence[Request]) -> None:
    """Check that no metric needs all rows at once."""
    check_kept(requests)
    for request in requests:
        if {"gain", "max_grade"} <= request.params.keys() and request.params["max_grade"] is None:
            fix = "Add the highest grade of all data, for example 'err(max_grade=4)'."
            fail("metrics", "contain max_grade if data are in parts", repr(request.name), fix)


def check_partition(partition: Any, keep_queries: bool) -> None:
    """Check `partition`: the number of this evaluator, and how many there are."""
    if partition is None:
        return
    if keep_queries:
        fail("partition", "be None with keep_queries=True", repr(partition))
    is_pair = isinstance(partition, tuple | list) and len(partition) == 2 and all(map(is_int, partition))
    if not is_pair or not 0 <= partition[0] < partition[1]:
        fail("partition", "be a pair of integers (i, n) with 0 <= i < n", repr(partition))


def find_checksums(fields: Options) -> dict[str, int]:
    """Return a checksum of each field of a pickled evaluator, and of each field of its state."""
    parts = {name: each for name, each in fields.items() if name not in ("_checksums", "_lock")}
    if isinstance(state := parts.get("_state"), State):
        parts |= {"_state": len(state), **{f"_state.{name}": each for name, each in state._asdict().items()}}
    return {name: _checksum(each) for name, each in parts.items()}


def _checksum(value: Any, start: int = 0) -> int:
    """Return a checksum of arrays, collections, numbers and text, and of the types of other objects."""
    if isinstance(value, np.ndarray):
        start = crc32(f"{value.dtype.str}{value.shape}".encode(), start)
        if not value.dtype.hasobject:
            return crc32(np.ascontiguousarray(value).reshape(-1).view(np.uint8).data, start)
        value = value.ravel().tolist()
    if isinstance(value, Mapping | tuple | list):
        start = crc32(f"{type(value).__qualname__}{len(value)}".encode(), start)
        parts = chain.from_iterable(value.items()) if isinstance(value, Mapping) else value
        return reduce(lambda found, each: _checksum(each, found), parts, start)
    if isinstance(value, Rational):  # the text of a long integer would be refused
        text = f"{value.numerator:x}/{value.denominator:x}"
    else:
        is_plain = isinstance(value, str | bytes | Number | np.generic | date | NoneType)
        text = repr(value) if is_plain else describe_option(value) if callable(value) else ""
    return crc32(f"{type(value).__qualname__}{text}".encode("utf-8", "surrogatepass"), start)


def describe_option(option: object) -> str:
    """Return text that is the same for equal options, also for functions, arrays and generators."""
    if isinstance(option, np.random.RandomState):
        return "RandomState"  # all are treated as equal, including pickled copies
    if callable(option):
        return f"{getattr(option, '__module__', '')}.{getattr(option, '__qualname__', option)}"
    return repr(option.tolist() if isinstance(option, np.ndarray) else option)
