"""An evaluator, which makes a report of rows that come in parts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Literal, Self

import numpy as np

from .._checks.containers import count_rows
from .._checks.errors import check_count, fail, name_call
from .._checks.missed import Missed, MissedLabels, read_missed
from .._checks.options import check_choice
from .._checks.types import (
    ArrayLike,
    Discount,
    Features,
    Gain,
    Labels,
    MeanAverage,
    Options,
    RandomState,
    Table,
    TieRule,
    Unjudged,
)
from ..metrics import Given, Tables, build_requests, caution_facts, check_tables, conclude_lists, keep_plain
from ..reports import RankingReport, Settings, check_reported, check_settings, relate_reports
from ._kept import KeptMoments, KeptValues
from ._parts import Run, Scoring, find_missing_parts, read_part
from ._state import Ranges, State, check_partition, check_whole, describe_option, read_systems, score_systems

KEPT = {"queries": KeptValues, "moments": KeptMoments}
SHOWN = 10  # number of missing parts in errors


class RankingEvaluator:
    """Report metrics of rows that come in parts: one after another, or on several machines.

    Evaluators of the same options merge, in any order and any tree, and can be pickled at any time: a pickle
    is a checkpoint, from which the work goes on.

    Parameters
    ----------
    metrics : str or iterable of str
        As in :func:`ranking_scores`. ERR takes its highest grade in its name, ``"err(max_grade=4)"``, as no
        part knows that of all.
    keep : {"queries", "moments"}, default="queries"
        Keep the value of each query and its id, 8 bytes a query and metric, or sums alone, some hundred bytes
        a metric, and as many for each two systems. The reports of the latter have no `values`, and intervals
        by t; those of several systems compare, by t or signs.
    gain, discount, min_relevance, ties, unjudged, zero_division, target
        As in :func:`ranking_scores`. An evaluator with functions of yours is pickled where these are.
    average : {"macro", "weighted", "micro"}, default="macro"
        As in :func:`ranking_scores`, without None.
    confidence_level, interval, n_resamples, random_state
        As in :func:`evaluate`; ``interval="bootstrap"`` needs the value of each query.
    partition : tuple of int, default=None
        With ``keep="moments"``: ``(i, n)`` promises that this is the i-th of n evaluators, from 0 on, of
        which no two meet the same query. Without it ranges of ids must not overlap where evaluators merge.
    n_jobs : int, default=None
        Threads, as in :func:`ranking_scores`.

    See Also
    --------
    evaluate : The same report of rows that are together.

    Notes
    -----
    Sums are exact, and rounded once at the end: the same updates, merged in whatever order and tree, give
    the same bits. The means are those of :func:`evaluate` of all rows to the last bit wherever the values of
    the queries are. These depend on the rows of the query alone, but for a last digit or two (1e-15 in
    [-1, 1]) of sums over ranks, as in NDCG and MAP: numpy adds them in an order that depends on how long the
    other queries are that are computed with it. So other updates of the same rows may change these digits,
    and so may a cut of sorted rows that divides a query. Standard errors of moments are those of
    :func:`evaluate` to some twelve digits.

    What is of all lists together, such as the share of the catalog that is shown, is counted by item or
    owner, and the counts merge: the state grows with the number of items. Whole numbers are exact; sums of
    exposure, and of shares where scores are equal at the cutoff, keep all but the last digits.

    Warnings that every ranking has the same value are given by :meth:`result`, about all rows.

    Examples
    --------
    >>> from sklearn_rank import RankingEvaluator
    >>> one = RankingEvaluator(["ndcg@10", "mrr"], keep="moments")
    >>> other = RankingEvaluator(["ndcg@10", "mrr"], keep="moments")
    >>> _ = one.update([1, 0, 0, 2], [.4, .3, .1, .9], groups=["a", "a", "b", "b"])
    >>> _ = other.update([0, 1], [.2, .1], groups=["c", "c"])
    >>> report = one.merge(other).result()
    >>> report.n_queries, round(report.mean["mrr"], 3)
    (3, 0.833)
    """

    def __init__(
        self,
        metrics: str | Iterable[str],
        *,
        keep: Literal["queries", "moments"] = "queries",
        gain: Gain = "linear",
        discount: Discount = "log2",
        min_relevance: float = 1,
        ties: TieRule = "average",
        unjudged: Unjudged = "raise",
        zero_division: float | None = None,
        target: Labels = None,
        average: MeanAverage = "macro",
        confidence_level: float = 0.95,
        interval: Literal["t", "bootstrap"] = "t",
        n_resamples: int = 2000,
        random_state: RandomState = None,
        partition: tuple[int, int] | None = None,
        n_jobs: int | None = None,
    ):
        check_choice("keep", keep, ("queries", "moments"))
        if average is None:
            fail("average", "be 'macro', 'micro' or 'weighted'", None)
        if keep == "moments" and interval == "bootstrap":
            rule = "be 't' with keep='moments': the bootstrap needs the value of each query"
            fail("interval", rule, repr(interval))
        options = {
            "gain": gain,
            "discount": discount,
            "min_relevance": min_relevance,
            "ties": ties,
            "unjudged": unjudged,
            "zero_division": zero_division,
            "average": average,
        }
        self._settings = Settings(confidence_level, interval, n_resamples, random_state)
        check_settings(self._settings)
        metrics = [metrics] if isinstance(metrics, str) else metrics
        requests = build_requests(metrics, {**options, "target": target}, tables=True)
        check_reported(requests)
        check_whole(requests)
        check_partition(partition, keep)
        self._scoring = Scoring(requests, min_relevance, n_jobs)
        names = [request.name for request in requests]
        self._given: Options = {"metrics": names, "keep": keep, **options, "target": target}
        self._given |= self._settings._asdict() | {"partition": partition and partition[1]}
        self._partition = partition and partition[0]
        ids: dict[int | None, Ranges] = {} if partition is None else {self._partition: ()}
        self._state = State(KEPT[keep], {}, {}, ids)

    def __getstate__(self) -> Options:
        """Leave out the requests of metrics, which follow from the options."""
        return {**self.__dict__, "_scoring": self._scoring[1:]}

    def __setstate__(self, state: Options) -> None:
        self.__dict__.update(state)
        options = {name: self._given[name] for name in list(self._given)[2:10]}
        requests = build_requests(self._given["metrics"], options, tables=True)
        self._scoring = Scoring(requests, *state["_scoring"])

    def __repr__(self) -> str:
        names = ", ".join(self._given["metrics"])
        return f"<RankingEvaluator of {self._state.n_queries} queries: {names}>"

    def update(
        self,
        y_true: ArrayLike,
        y_score: ArrayLike | Mapping[str, ArrayLike],
        groups: ArrayLike,
        sample_weight: ArrayLike | None = None,
        *,
        items: ArrayLike | None = None,
        features: Features = None,
        popularity: Table = None,
        history: Table = None,
        intents: Labels = None,
        owners: ArrayLike | None = None,
        missed: MissedLabels | None = None,
    ) -> Self:
        """Score whole queries, whose rows may be in any order.

        Parameters
        ----------
        y_true : array-like of shape (n_rows,)
            Relevance labels, as in :func:`ranking_scores`.
        y_score : array-like of shape (n_rows,), or dict of str to these
            Predicted scores; of several systems by name, the same in all updates. With ``keep="moments"``
            there are sums of each two systems too: their number grows with the square of that of systems.
        groups : array-like of shape (n_rows,)
            Query ids. With ``keep="moments"`` they are above those of earlier updates.
        sample_weight : array-like of shape (n_rows,), default=None
            Query weights, repeated on each row of the query; in all updates or in none.
        items, features, popularity, history, intents, owners
            As in :func:`ranking_scores`, for the names that need them; `popularity` the same in all updates.
        missed
            As in :func:`ranking_scores`. It can contain queries of other updates, which are ignored.

        Returns
        -------
        RankingEvaluator
            Itself. Rows that raise an error leave it as it was; no rows change nothing.

        Raises
        ------
        ValueError
            If a query was met before, or an argument breaks a rule above.
        """
        found = read_missed(missed)
        found = None if found is None else found.of_parts()
        given = Given(y_true, y_score, groups, sample_weight, found)
        tables = Tables(items, features, popularity, history, intents, owners)
        check_tables(self._scoring.requests, given, tables)
        return self._add_queries(given, tables)

    def _add_queries(self, given: Given, tables: Tables | None = None) -> Self:
        """Score whole queries."""
        given = read_systems(given)
        if _count_rows(given) == 0:
            return self
        state = self._state.note(list(given.y_score), given.sample_weight is not None)
        batches = score_systems(self._scoring, given, tables)
        if state.keeper is KeptMoments:
            state = state.extend_ids(next(iter(batches.values())).found.ids, self._partition)
        self._state = state.add(batches)
        return self

    def update_sorted(
        self,
        y_true: ArrayLike,
        y_score: ArrayLike | Mapping[str, ArrayLike],
        groups: ArrayLike,
        *,
        part: int,
        sample_weight: ArrayLike | None = None,
    ) -> Self:
        """Score a part of rows that are sorted by query, and cut anywhere.

        The first and the last query of a part wait until its neighbours are there, in this evaluator or in
        one that is merged: the rest of their rows may be there. A query may go through many parts.

        Parameters
        ----------
        y_true, y_score, groups, sample_weight
            As in :meth:`update`; the ids ascend, in the part and from part to part.
        part : int
            The number of the part, from 0 on; parts come in any order, also those without rows.

        Returns
        -------
        RankingEvaluator
            Itself. Rows that raise an error leave it as it was.

        Raises
        ------
        ValueError
            If the ids do not ascend, a part was met before, or an argument breaks a rule above.
        """
        check_count(part, 0, "part")
        if others := [request.name for request in self._scoring.requests if request.metric.needs]:
            rule = "be of labels and scores alone; update takes others, with whole queries"
            fail("metrics", rule, repr(others))
        if self._given["partition"] is not None:
            fail("partition", "be None: parts are known by their number", repr(self._partition))
        return self._add_part(Given(y_true, y_score, groups, sample_weight), part)

    def _add_part(self, given: Given, part: int) -> Self:
        """Score a part of sorted rows."""
        given = read_systems(given)
        if _count_rows(given) == 0:
            self._state = self._state.add_runs([Run(part, part)], self._scoring)
            return self
        state = self._state.note(list(given.y_score), given.sample_weight is not None)
        # Also score incomplete queries, to raise errors in their rows now.
        batches = score_systems(self._scoring, given)
        run, n_queries = read_part(part, given)
        state = state.add_runs([run], self._scoring)
        if n_queries > 2:
            inner = np.arange(1, n_queries - 1)
            taken = {name: each._replace(found=each.found.take(inner)) for name, each in batches.items()}
            state = state.add(taken)
        self._state = state
        return self

    def merge(self, other: RankingEvaluator) -> Self:
        """Add what another evaluator knows.

        Parameters
        ----------
        other : RankingEvaluator
            Of the same options. It stays as it is.

        Returns
        -------
        RankingEvaluator
            Itself.

        Raises
        ------
        TypeError
            If `other` is no evaluator.
        ValueError
            If options, systems or weighting differ, or both met a query, a part or a partition.
        """
        return self._merge(other)

    def _merge(self, other: RankingEvaluator) -> Self:
        if not isinstance(other, RankingEvaluator):
            raise TypeError(f"{name_call()} needs a RankingEvaluator, not a {type(other).__name__}.")
        for name, option in self._given.items():
            if describe_option(option) != describe_option(other._given[name]):
                fail("other", "have the same options", f"{name}={other._given[name]!r} and {name}={option!r}")
        self._state = self._state.merge(other._state, self._scoring)
        return self

    def result(self) -> RankingReport | dict[str, RankingReport]:
        """Report what was met so far, or of several systems each by name; updates may follow.

        Returns
        -------
        RankingReport or dict of str to RankingReport
            As :func:`evaluate` makes it; with ``keep="moments"`` without the value of each query. Reports of
            several systems are compared by :func:`compare`, those of moments with each other alone.

        Raises
        ------
        ValueError
            If no query was met, or parts or partitions are missing; only the parts after the last cannot be.

        Examples
        --------
        >>> from sklearn_rank import RankingEvaluator, compare
        >>> evaluator = RankingEvaluator(["mrr"], keep="moments")
        >>> scores = {"old": [.1, .2, .3, .1, .5, .4], "new": [.2, .1, .3, .1, .4, .5]}
        >>> reports = evaluator.update([1, 0, 1, 0, 0, 1], scores, groups=[1, 1, 2, 2, 3, 3]).result()
        >>> found = compare(reports)
        >>> [found.columns[name].item() for name in ("mean", "other_mean", "wins", "ties")]
        [1.0, 0.6666666666666666, 2, 1]
        """
        return self._report()

    def _report(self) -> RankingReport | dict[str, RankingReport]:
        """Report the queries so far."""
        state = self._state
        partitions = sorted(set(range(self._given["partition"] or 0)) - set(state.ids))
        for kind, missing in ("parts", find_missing_parts(state.runs)), ("partitions", partitions):
            if missing:
                some = ", ".join(map(str, missing[:SHOWN])) + ", ..." * (len(missing) > SHOWN)
                raise ValueError(f"{name_call()} needs all {kind}, and {some} of them are missing.")
        state = state.score([edge for run in state.runs for edge in (run.left, run.right)], self._scoring)
        if not state.kept:
            raise ValueError(f"{name_call()} needs at least one query: call update before.")
        reports = {name: each.report(self._settings) for name, each in state.kept.items()}
        for name, counts in state.find_counts().items():
            reports[name].of_lists = conclude_lists(self._scoring.requests, counts)
        assert state.facts is not None
        caution_facts(state.facts, keep_plain(self._scoring.requests))
        relate_reports(reports, state.find_pairs())
        return reports.get(None, reports)


def _count_rows(given: Given) -> int:
    if given.groups is None:
        fail("groups", "hold the query id of each row", None)
    return max(count_rows(given.groups, "groups"), count_rows(given.y_true, "y_true"))


def make_evaluator(missed: Missed | None, *args: Any, **options: Any) -> RankingEvaluator:
    """Make an evaluator whose updates have the same labels of documents that are not rows."""
    evaluator = RankingEvaluator(*args, **options)
    if missed is not None:
        evaluator._scoring = evaluator._scoring._replace(missed=missed.of_parts())
    return evaluator
