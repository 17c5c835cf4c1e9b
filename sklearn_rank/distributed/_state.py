"""What an evaluator knows: states are values, so that an error leaves the evaluator as it was."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import reduce
from typing import Any, NamedTuple

import numpy as np

from .._checks.errors import fail, is_int
from ..metrics import Counts, Facts, Given, Request, Tables, check_kept, pile
from ..reports import PairedMoments
from ._batches import Batch, Scoring
from ._id_ranges import IdRanges
from ._kept import KeptMoments, KeptQueries
from ._kept_pairs import Pairs, merge_pairs, sum_pairs
from ._parts import Rows, Run, add_run

Kept = KeptQueries | KeptMoments
Systems = Mapping[str | None, Any]  # scores, or what was made of them, by system; None where it has no name
Piles = Mapping[str, tuple[Counts, ...]]  # by metric


class State(NamedTuple):
    """What is kept of each system, which parts and ids were met, and what all updates have in common."""

    keeper: type[KeptQueries] | type[KeptMoments]
    kept: Systems
    pairs: Pairs  # of moments of several systems
    ids: Mapping[int | None, IdRanges]  # by partition; of moments
    runs: tuple[Run, ...] = ()
    systems: tuple[str | None, ...] | None = None
    weighted: bool | None = None
    counts: Mapping[str | None, Piles] = {}  # of metrics of all lists together, by system
    facts: Facts | None = None  # about the rows of all systems

    @property
    def n_queries(self) -> int:
        """Return how many queries are scored."""
        return next((each.n_queries for each in self.kept.values()), 0)

    def find_pairs(self) -> dict[tuple[str, str], dict[str, PairedMoments]]:
        """Return what is known of each two systems."""
        return {
            pair: {name: each.find_moments(self.kept[pair[0]].exponent) for name, each in sums.items()}
            for pair, sums in self.pairs.items()
        }

    def find_counts(self) -> dict[str | None, dict[str, Counts]]:
        """Return the counts of all lists, by system and metric."""
        return {
            system: {name: reduce(Counts.merge, each) for name, each in piles.items()}
            for system, piles in self.counts.items()
        }

    def note(self, systems: Sequence[str | None], weighted: bool, function: str) -> State:
        """Note what all updates must have in common."""
        if self.systems is not None and set(systems) != set(self.systems):
            names = ", ".join(map(repr, self.systems)) if None not in self.systems else "an array"
            rule = f"be of the same systems in all updates, {names}"
            fail(
                "y_score",
                function,
                rule,
                ", ".join(map(repr, systems)) if None not in systems else "an array",
            )
        if self.weighted is not None and weighted != self.weighted:
            fail("sample_weight", function, "be given in all updates or in none", "both")
        return self._replace(systems=self.systems or tuple(systems), weighted=weighted)

    def add(self, batches: Mapping[str | None, Batch], function: str) -> State:
        """Add scored queries."""
        kept: Systems = {name: self.keeper.of(each, function) for name, each in batches.items()}
        pairs = {} if self.keeper is KeptQueries else sum_pairs(batches, kept)
        counts = {
            system: {name: (of_metric,) for name, of_metric in each.counts.items()}
            for system, each in batches.items()
        }
        facts = [_count_queries(batch) for batch in batches.values()]
        of_all = facts[0]._replace(retrieved=all(each.retrieved for each in facts))
        return self._merge_kept(kept, pairs, function)._merge_counts(counts)._merge_facts(of_all)

    def _merge_facts(self, facts: Facts | None) -> State:
        if self.facts is None or facts is None:
            return self._replace(facts=self.facts or facts)
        return self._replace(facts=self.facts.merge(facts))

    def _merge_counts(self, counts: Mapping[str | None, Piles]) -> State:
        if not self.counts or not counts:
            return self._replace(counts=self.counts or counts)
        merged = {
            system: {name: pile(each, counts[system][name]) for name, each in of_system.items()}
            for system, of_system in self.counts.items()
        }
        return self._replace(counts=merged)

    def _merge_kept(self, kept: Systems, pairs: Pairs, function: str) -> State:
        if not self.kept or not kept:
            return self._replace(kept=self.kept or kept, pairs=self.pairs or pairs)
        merged = {name: each.merge(kept[name], function) for name, each in self.kept.items()}
        return self._replace(kept=merged, pairs=merge_pairs(self.pairs, pairs))

    def extend_ids(self, ids: np.ndarray, partition: int | None, function: str) -> State:
        """Note the ids of an update of moments."""
        self._check_one_way(bool(self.runs), True, function)
        if set(self.ids) - {partition}:
            raise ValueError(f"{function} must not be called after other partitions were merged.")
        ranges = self.ids.get(partition, IdRanges()).extend(ids, function)
        return self._replace(ids={**self.ids, partition: ranges})

    def _check_one_way(self, of_parts: bool, of_updates: bool, function: str) -> None:
        """Check that moments are of sorted parts alone, or of updates alone: else ids are not known apart."""
        if self.keeper is KeptMoments and of_parts and of_updates:
            rule = "come by update or by update_sorted alone with keep='moments', which knows no ids"
            fail("groups", function, rule, "both")

    def add_runs(self, runs: Sequence[Run], scoring: Scoring, function: str) -> State:
        """Add parts, and the queries that are complete by them."""
        self._check_one_way(bool(runs), any(each.ranges for each in self.ids.values()), function)
        all_runs, complete = self.runs, []
        for run in runs:
            all_runs, found = add_run(all_runs, run, function)
            complete += found
        return self._replace(runs=all_runs).score(complete, scoring, function)

    def score(self, complete: Sequence[tuple[Rows, ...]], scoring: Scoring, function: str) -> State:
        """Score queries that have waited for their rows."""
        pieces = [piece for query in complete for piece in query]
        if not pieces:
            return self
        rows = Rows.join(pieces)
        return self.add(score_systems(scoring, rows.scores, rows, function), function)

    def merge(self, other: State, scoring: Scoring, function: str) -> State:
        """Return what both know."""
        state = self
        if other.systems is not None and other.weighted is not None:
            state = self.note(other.systems, other.weighted, function)
        ids = {**other.ids, **self.ids}
        for partition in set(self.ids) & set(other.ids):
            if partition is not None:
                fail("other", function, "be of another partition", f"partition {partition} a second time")
            ids[None] = self.ids[None].merge(other.ids[None], function)
        state = state._replace(ids=ids).add_runs(other.runs, scoring, function)
        state = state._merge_kept(other.kept, other.pairs, function)._merge_counts(other.counts)
        return state._merge_facts(other.facts)


def _count_queries(batch: Batch) -> Facts:
    """Return facts about a batch, with counts of the queries that are kept: parts are cut anywhere."""
    sizes, facts = batch.found.sizes, batch.found.facts
    assert facts is not None
    longest = int(sizes.max(initial=0))
    return facts._replace(n_queries=len(sizes), n_single=int((sizes == 1).sum()), longest=longest)


def read_systems(y_score: Any, function: str) -> Systems:
    """Return scores by system, or under None where they have no name."""
    if not isinstance(y_score, Mapping):
        return {None: y_score}
    if not y_score or not all(isinstance(name, str) for name in y_score):
        fail("y_score", function, "be scores, or a dict of names of systems to scores", repr(list(y_score)))
    return dict(y_score)


def score_systems(
    scoring: Scoring, scores: Systems, rows: Rows, function: str, tables: Tables | None = None
) -> dict[str | None, Batch]:
    """Score whole queries, by system; systems share what is not their own."""
    batches: dict[str | None, Batch] = {}
    for name, of_system in scores.items():
        given = Given(rows.labels, of_system, rows.groups, rows.weights)
        batch = scoring.score(function, given, tables)
        first = next(iter(batches.values()), batch).found
        shared = batch.found._replace(ids=first.ids, sizes=first.sizes, n_relevant=first.n_relevant)
        batches[name] = batch._replace(found=shared)
    return batches


def check_whole(requests: Sequence[Request], function: str) -> None:
    """Check that no metric asks for what only all rows together know."""
    check_kept([request.rules.average for request in requests], function)
    for request in requests:
        stops = request.params.get("browsing", "cascade") == "cascade"  # where grades are looked at
        if stops and {"gain", "max_grade"} <= request.params.keys() and request.params["max_grade"] is None:
            rule = f"name the highest grade that {request.name!r} may meet, which no part knows of all"
            fail("metrics", function, f"{rule}: as 'err(max_grade=4)'", repr(request.name))


def check_partition(partition: Any, keep: str, function: str) -> None:
    """Check which of how many evaluators this is."""
    if partition is None:
        return
    if keep == "queries":
        fail("partition", function, "be None with keep='queries', which knows all ids", repr(partition))
    is_pair = isinstance(partition, tuple | list) and len(partition) == 2 and all(map(is_int, partition))
    if not is_pair or not 0 <= partition[0] < partition[1]:
        fail("partition", function, "be (i, n), ints with 0 <= i < n", repr(partition))


def find_difference(one: Mapping[str, Any], other: Mapping[str, Any]) -> str | None:
    """Return the name of an option that differs; functions, arrays and generators by what they say."""
    return next((name for name in one if _describe(one[name]) != _describe(other[name])), None)


def _describe(option: Any) -> str:
    if isinstance(option, np.random.RandomState):
        return "RandomState"  # one is like another, and like its pickle
    if callable(option):
        return f"{getattr(option, '__module__', '')}.{getattr(option, '__qualname__', option)}"
    return repr(option.tolist() if isinstance(option, np.ndarray) else option)
