"""An evaluator for data in parts."""

from __future__ import annotations

from collections.abc import Mapping
from copy import copy
from functools import partial, reduce
from itertools import islice
from threading import RLock
from typing import Any, Literal, Self

import numpy as np

from .._checks import explain_parameters
from .._checks.containers import count_rows
from .._checks.errors import check_count, fail, kind_of, name_call, renamed, shorten
from .._checks.missed import Missed, MissedLabels, read_missed
from .._checks.options import check_flag, pick
from .._checks.types import (
    ArrayLike,
    Discount,
    Features,
    Gain,
    Labels,
    MeanAverage,
    Metrics,
    Options,
    RandomState,
    Table,
    TieRule,
    Unjudged,
)
from ..metrics import (
    SHARED,
    Counts,
    Given,
    Tables,
    caution_facts,
    check_tables,
    conclude_lists,
    keep_label_metrics,
    read_entries,
    read_labels,
    request_entries,
)
from ..reports import RankingReport, Settings, check_reported, check_settings, relate_reports
from ._data import read_queries, score_partitions
from ._kept import KeptMoments, KeptValues
from ._parts import Run, Scoring, find_missing_parts, read_part
from ._state import (
    Ranges,
    State,
    check_partition,
    check_whole,
    describe_option,
    find_checksums,
    read_systems,
    score_systems,
)

SHOWN = 10  # number of missing parts in errors


class RankingEvaluator:
    """Evaluator for data in parts, which are processed one after another or on several machines.

    Evaluators with the same options can be merged, in any order. An evaluator can be pickled at any time, as
    a checkpoint from which evaluation continues. Threads can share an evaluator; their updates wait for each
    other.

    Parameters
    ----------
    metrics : str, scorer, list of these, or dict of str to name or scorer
        As in :func:`ranking_scores`. The name of ERR must contain the highest grade of all data, for example
        ``"err(max_grade=4)"``.
    keep_queries : bool, default=True
        Whether to keep the value and the id of each query (8 bytes per query and metric). If `False`, only
        moments are kept, which are sums (some hundred bytes per metric, and per metric and pair of systems).
        Reports of moments have no `values`, their intervals use the t distribution, and they can be
        compared by t or sign tests.
    gain, discount, min_relevance, ties, unjudged, zero_division
        As in :func:`ranking_scores`. An evaluator with your own functions can only be unpickled if these can
        be imported.
    average : {"macro", "weighted", "micro"}, default="macro"
        As in :func:`ranking_scores`, except `None`.
    confidence_level, interval, n_resamples, random_state
        As in :func:`evaluate`. ``interval="bootstrap"`` requires ``keep_queries=True``.
    partition : tuple of int, default=None
        Number of this evaluator and number of all evaluators, ``(i, n)`` with ``0 <= i < n``, for
        ``keep_queries=False``. Each query must be passed to only one of these evaluators. If `None`, the id
        ranges of merged evaluators must not overlap.
    n_jobs : int, default=None
        Number of threads, as in :func:`ranking_scores`.

    See Also
    --------
    evaluate : Compute the same report from all data at once.

    Notes
    -----
    Sums are exact and rounded once at the end, so the order in which the same updates are merged does not
    affect the result. If the values of all queries are equal to those of :func:`evaluate`, the means are also
    equal, to the last bit. The value of a query can differ in the last one or two digits (1e-15 in [-1, 1])
    if it is a sum over ranks, as in NDCG and MAP. The reason is that numpy adds numbers in an order that
    depends on the lengths of the other queries in the same update or part. Standard errors of moments are
    equal to those of :func:`evaluate` to about twelve digits.

    Metrics over the rankings of all queries together, such as catalog coverage, are computed from counts by
    item. The counts are merged, so the state grows with the number of items. Counts are exact. Sums
    of exposure, and of shares if scores are tied at the cutoff, are exact except for the last digits.

    The warnings that every ranking has the same value, and that lists look cut, are issued by
    :meth:`result`, for all data.

    Examples
    --------
    >>> from sklearn_rank import RankingEvaluator
    >>> one = RankingEvaluator(["ndcg@10", "mrr"], keep_queries=False)
    >>> other = RankingEvaluator(["ndcg@10", "mrr"], keep_queries=False)
    >>> _ = one.update([1, 0, 0, 2], [0.4, 0.3, 0.1, 0.9], groups=["a", "a", "b", "b"])
    >>> _ = other.update([0, 1], [0.2, 0.1], groups=["c", "c"])
    >>> report = one.merge(other).result()
    >>> report.n_queries, round(report.mean["mrr"], 3)
    (3, 0.833)
    """

    @explain_parameters
    def __init__(
        self,
        metrics: Metrics,
        *,
        keep_queries: bool = True,
        gain: Gain = "linear",
        discount: Discount = "log2",
        min_relevance: float = 1,
        ties: TieRule = "average",
        unjudged: Unjudged = "raise",
        zero_division: float | None = None,
        average: MeanAverage = "macro",
        confidence_level: float = 0.95,
        interval: Literal["t", "bootstrap"] = "t",
        n_resamples: int = 2000,
        random_state: RandomState = 0,
        partition: tuple[int, int] | None = None,
        n_jobs: int | None = None,
    ):
        check_flag(keep_queries, "keep_queries")
        if average is None:
            fail("average", "be 'macro', 'micro' or 'weighted'", None)
        if not keep_queries and interval == "bootstrap":
            fix = "The bootstrap requires keep_queries=True."
            fail("interval", "be 't' with keep_queries=False", repr(interval), fix)
        options = pick(SHARED, locals())
        self._settings = check_settings(Settings(confidence_level, interval, n_resamples, random_state))
        entries = read_entries(metrics)
        requests = request_entries(entries, options, tables=True)
        check_reported(requests)
        check_whole(requests)
        check_partition(partition, keep_queries)
        self._scoring = Scoring(requests, min_relevance, n_jobs)
        self._given: Options = {"metrics": entries, "keep_queries": keep_queries, **options}
        self._given |= self._settings._asdict() | {"partition": partition and partition[1]}
        self._partition = partition and partition[0]
        ids: dict[int | None, Ranges] = {} if partition is None else {self._partition: ()}
        self._state = State(KeptValues if keep_queries else KeptMoments, {}, {}, ids)
        self._lock = RLock()  # of `_state`, which threads replace

    def __getattr__(self, name: str) -> Any:
        if name == "update_sorted":
            raise AttributeError("RankingEvaluator.update_sorted was removed. Call update(..., part=i).")
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

    def __copy__(self) -> RankingEvaluator:
        new = object.__new__(type(self))
        new.__dict__.update(self.__dict__, _lock=RLock())
        return new

    def __getstate__(self) -> Options:
        """Leave out the lock, and the requests of metrics, which follow from the options; add checksums."""
        state = {**self.__dict__, "_scoring": self._scoring[1:], "_lock": None}
        return {**state, "_checksums": find_checksums(state)}

    def __setstate__(self, state: Options) -> None:
        """Read what :meth:`__getstate__` returned, unchanged and from the same version."""
        fields = dict(state) if isinstance(state, dict) else {}
        sums = fields.pop("_checksums", None)
        known = {name: each for name, each in sums.items() if type(each) is int} if type(sums) is dict else {}
        found = find_checksums(fields)
        if not found or known != found:
            wrong = next((name for name in [*found, *known] if known.get(name) != found.get(name)), "_state")
            rule = f"have the pickled contents in the field {wrong!r}"
            fail("state", rule, "other contents", "Load another checkpoint, or evaluate again.")
        self.__dict__.update(fields)
        options = {name: self._given[name] for name in list(self._given)[2:9]}
        requests = request_entries(self._given["metrics"], options, tables=True)
        self._scoring = Scoring(requests, *fields["_scoring"])
        self._lock = RLock()

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
        labels: Mapping[str, ArrayLike] | None = None,
        missed: MissedLabels | None = None,
        part: int | None = None,
    ) -> Self:
        """Add complete queries, with rows in any order, or a part of rows that are sorted by query id.

        Parameters
        ----------
        y_true : array-like of shape (n_rows,)
            Relevance labels, as in :func:`ranking_scores`.
        y_score : array-like of shape (n_rows,), or dict of str to these
            Predicted scores, or the scores of several systems by name. The names must be the same in all
            updates. With ``keep_queries=False``, sums are also kept for each pair of systems.
        groups : array-like of shape (n_rows,)
            Query id of each row. With ``keep_queries=False``, ids must be above those of earlier updates.
        sample_weight : array-like of shape (n_rows,), default=None
            Query weights: repeat the weight of a query on each of its rows. Pass them in all updates or
            never.
        items, features, popularity, history, intents, labels
            As in :func:`ranking_scores`, for metrics that need them. `popularity` must be the same in all
            updates.
        missed
            As in :func:`ranking_scores`. It can contain queries of other updates, which are ignored.
        part : int, default=None
            Number of a part of sorted rows, at least 0. Ids must be in increasing order, within a part and
            from part to part. The first and the last query of a part can continue in the neighboring parts.
            They are scored when these parts are added to this evaluator or to one that is merged with it.
            Parts can be added in any order. Parts without rows must be added too. `missed` and metrics that
            need more than labels and scores require complete queries.

        Returns
        -------
        RankingEvaluator
            This evaluator. It is not changed if an error is raised, or if complete queries have no rows.
        """
        found = read_missed(missed)
        found = None if found is None else found.of_parts()
        given = Given(
            y_true, y_score, groups, sample_weight, found, read_labels(self._given["metrics"], labels)
        )
        tables = Tables(items, features, popularity, history, intents)
        if part is not None:
            self._check_part(part, found)
        check_tables(self._scoring.requests, given, tables)
        with self._lock:
            return self._add_queries(given, tables) if part is None else self._add_part(given, part)

    def read(
        self,
        data: Table,
        y_true: str,
        y_score: str,
        groups: str,
        sample_weight: str | None = None,
        *,
        labels: Mapping[str, str] | None = None,
        progress: bool = False,
    ) -> Self:
        """Add the queries of files or other data that are read in batches, or of a Dask DataFrame.

        Parameters
        ----------
        data : path, frame, dataset, reader, LazyFrame, iterator of frames or Dask DataFrame
            As in :func:`evaluate`. The rows of each query must be adjacent in data of at least 2**20 rows.
            With ``keep_queries=False``, ids must then be in increasing order.
        y_true, y_score, groups, sample_weight : str
            Names of columns, as in :func:`evaluate`.
        labels : dict of str to str, default=None
            Names of columns by the names under which scorers request labels, if these differ.
        progress : bool, default=False
            Whether to show the number of scored rows with tqdm.

        Returns
        -------
        RankingEvaluator
            This evaluator. It is not changed if an error is raised.
        """
        check_flag(progress, "progress")
        if groups is None:
            fail("groups", "be the name of the column of query ids in 'data'", None, "Pass groups='qid'.")
        others = read_labels(self._given["metrics"], labels, data)
        names = Given(y_true, y_score, groups, sample_weight, None, others)
        with self._lock:
            reader = copy(self)
            if hasattr(data, "__dask_graph__"):
                reader._merge(reader._read_partitions(data, names, progress))
            else:
                for given in read_queries(data, names, self._scoring.n_jobs, progress):
                    reader._add_queries(given)
            self._state = reader._state
        return self

    def _read_partitions(self, data: Table, names: Given, progress: bool) -> RankingEvaluator:
        """Score the partitions of a Dask DataFrame as parts of sorted rows."""
        by_dask = "Dask's scheduler decides how many partitions are scored at once."
        if self._scoring.n_jobs is not None:
            fail("n_jobs", "be None for data of Dask", repr(self._scoring.n_jobs), by_dask)
        if progress:
            fail("progress", "be False for data of Dask", True, "Use dask.diagnostics.ProgressBar() instead.")
        self._check_part(0, None)
        part = copy(self)
        part._state = State(part._state.keeper, {}, {}, {None: ()})
        part._scoring = part._scoring._replace(n_jobs=1)
        evaluator: RankingEvaluator = score_partitions(data, names, partial(_score_part, part), _merge_all)
        return evaluator

    def _check_part(self, part: int, missed: Missed | None) -> None:
        """Check that sorted parts are possible with the arguments."""
        check_count(part, 0, "part", " or None")
        whole = "Omit part, and pass complete queries."
        requests = self._scoring.requests
        if others := [each.name for each in requests if each.metric.needs not in ((), ("labels",))]:
            fail("metrics", "depend only on labels and scores if 'part' is passed", repr(others), whole)
        if missed is not None:
            fail("missed", "be None if 'part' is passed", "labels", whole)
        if self._given["partition"] is not None:
            fail("partition", "be None if 'part' is passed", repr(self._partition))

    def _add_queries(self, given: Given, tables: Tables | None = None) -> Self:
        """Score complete queries."""
        given = read_systems(given)
        if _count_rows(given) == 0:
            return self
        state = self._state.note(list(given.y_score), given.sample_weight is not None)
        batches = score_systems(self._scoring, given, tables)
        if state.keeper is KeptMoments:
            state = state.extend_ids(next(iter(batches.values())).found.ids, self._partition)
        self._state = state.add(batches)
        return self

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
        """Add the queries and parts of another evaluator.

        Parameters
        ----------
        other : RankingEvaluator
            Evaluator with the same options. It is not changed.

        Returns
        -------
        RankingEvaluator
            This evaluator.

        Raises
        ------
        TypeError
            If `other` is not an evaluator.
        ValueError
            If options, systems or the use of weights differ, or if both contain the same query, part or
            partition.
        """
        with renamed("groups", "other"):
            return self._merge(other)

    def _merge(self, other: RankingEvaluator) -> Self:
        if not isinstance(other, RankingEvaluator):
            raise TypeError(f"{name_call()} requires a RankingEvaluator. Got {kind_of(other)} instead.")
        for name, option in self._given.items():
            if describe_option(option) != describe_option(other._given[name]):
                got = f"{name}={shorten(repr(other._given[name]))} and {name}={shorten(repr(option))}"
                fail("other", "have the same options", got)
        with self._lock:
            self._state = self._state.merge(other._state, self._scoring)
        return self

    def result(self) -> RankingReport | dict[str, RankingReport]:
        """Return the report of all data so far. More data can be added afterwards.

        Returns
        -------
        RankingReport or dict of str to RankingReport
            Report as from :func:`evaluate`, or the reports by system name if there are several systems. With
            ``keep_queries=False``, it has no values of queries. Compare systems with :func:`compare`; reports
            of moments can only be compared with reports of the same evaluator.

        Raises
        ------
        ValueError
            If no query was added, if parts or partitions are missing, or if all labels of `missed` are of
            other queries. A missing last part is not detected.

        Examples
        --------
        >>> from sklearn_rank import RankingEvaluator, compare
        >>> evaluator = RankingEvaluator(["mrr"], keep_queries=False)
        >>> scores = {"old": [0.1, 0.2, 0.3, 0.1, 0.5, 0.4], "new": [0.2, 0.1, 0.3, 0.1, 0.4, 0.5]}
        >>> reports = evaluator.update([1, 0, 1, 0, 0, 1], scores, groups=[1, 1, 2, 2, 3, 3]).result()
        >>> found = compare(reports)
        >>> [found.columns[name].item() for name in ("mean", "other_mean", "wins", "ties")]
        [1.0, 0.6666666666666666, 2, 1]
        """
        return self._report()

    def _report(self) -> RankingReport | dict[str, RankingReport]:
        """Report the queries so far."""
        state = self._state
        partitions = (each for each in range(self._given["partition"] or 0) if each not in state.ids)
        for kind, numbers in ("parts", find_missing_parts(state.runs)), ("partitions", partitions):
            if missing := list(islice(numbers, SHOWN + 1)):
                some = ", ".join(map(str, missing[:SHOWN])) + ", ..." * (len(missing) > SHOWN)
                raise ValueError(f"{name_call()} requires all {kind}. Missing numbers: {some}.")
        state = state.score([edge for run in state.runs for edge in (run.left, run.right)], self._scoring)
        if not state.kept:
            raise ValueError(f"{name_call()} requires at least one query. Call update first.")
        reports = {name: each.report(self._settings) for name, each in state.kept.items()}
        for name, piles in state.counts.items():
            counts = {metric: reduce(Counts.merge, each) for metric, each in piles.items()}
            reports[name].list_metrics = conclude_lists(self._scoring.requests, counts)
        assert state.facts is not None
        n_met = state.facts.cut.n_met
        missed = self._scoring.missed
        if state.facts.has_missed and not n_met:
            if missed is not None:
                missed.reject_unmet()
            _called_as = "RankingEvaluator.update"  # in errors
            fix = "Check that 'missed' and 'groups' contain the same query ids."
            fail("missed", "have query ids of 'groups'", "labels of other queries only", fix)
        if missed is not None:
            reports[None].n_without_rows = len(missed.ids) - n_met
        caution_facts(state.facts, keep_label_metrics(self._scoring.requests))
        relate_reports(reports, state.find_pairs())
        return reports.get(None, reports)


def _count_rows(given: Given) -> int:
    if given.groups is None:
        fail("groups", "contain the query id of each row", None)
    return max(count_rows(given.groups, "groups"), count_rows(given.y_true, "y_true"))


def _score_part(empty: RankingEvaluator, given: Given, part: int) -> RankingEvaluator:
    """Score a part of sorted rows."""
    _called_as = "evaluate"  # in errors
    return copy(empty)._add_part(given, part)


def _merge_all(evaluators: list[RankingEvaluator]) -> RankingEvaluator:
    """Merge evaluators without changing them, because Dask might use them again."""
    _called_as = "evaluate"  # in errors
    whole = copy(evaluators[0])
    for other in evaluators[1:]:
        whole._merge(other)
    return whole


def report_data(data: Table, names: Given, metrics: Any, options: Options) -> RankingReport:
    """Report data that are read in batches."""
    evaluator = RankingEvaluator(metrics, **options)
    if (missed := read_missed(names.missed)) is not None:
        evaluator._scoring = evaluator._scoring._replace(missed=missed.of_parts())
    evaluator.read(data, *names.of_rows().values(), labels=names.labels)
    if evaluator._state.systems is None:
        fail("data", "have rows", "no rows")
    report = evaluator._report()
    assert isinstance(report, RankingReport)  # there is one system
    return report
