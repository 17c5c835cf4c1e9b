"""What a search keeps of its candidates: the value of each query under one metric, of all folds together."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from .._checks.containers import take
from .._checks.errors import fail
from .._checks.types import Arguments
from ..metrics import MetricValues, ScoredQueries, scale_weights
from ..reports import (
    ROUNDING,
    Candidates,
    Contenders,
    RankingReport,
    Settings,
    find_contenders,
    find_precision,
    find_terms,
    sum_by_unit,
)


def join_folds(
    scored: Sequence[ScoredQueries], tested: Sequence[np.ndarray]
) -> tuple[ScoredQueries, np.ndarray, np.ndarray]:
    """Join the folds: what is known of each query, its folds, and which queries these are."""
    queries, places, counts = np.unique(np.concatenate(tested), return_inverse=True, return_counts=True)
    fold_of = np.repeat(np.arange(len(tested)), [len(each) for each in tested])
    order = np.argsort(places, kind="stable")
    firsts = np.cumsum(counts) - counts
    folds = np.full((len(queries), counts.max()), -1)
    folds[places[order], np.arange(len(order)) - np.repeat(firsts, counts)] = fold_of[order]
    first = order[firsts]

    metrics = {
        name: _average([each.metrics[name] for each in scored], places, len(queries))
        for name in scored[0].metrics
    }
    sizes, n_relevant = (np.concatenate([each[i] for each in scored])[first] for i in (1, 2))
    folds = folds[:, 0] if folds.shape[1] == 1 else folds
    return ScoredQueries(queries, sizes, n_relevant, metrics), folds, queries


def _average(parts: Sequence[MetricValues], places: np.ndarray, n_queries: int) -> MetricValues:
    """Average what a query has in each of its tests: it counts once."""

    def mean(values: Sequence[np.ndarray]) -> np.ndarray:
        joined = np.concatenate(values)
        known = ~np.isnan(joined)
        n_known = np.bincount(places[known], minlength=n_queries)
        totals = np.bincount(places[known], joined[known], minlength=n_queries)
        return np.where(n_known > 0, totals / np.maximum(n_known, 1), np.nan)

    values = mean([each.values for each in parts])
    weighted = any(each.weights is not None for each in parts)
    weights = mean([_or_ones(each.weights, each.values) for each in parts]) if weighted else None
    sums = None
    if all(each.sums is not None for each in parts):
        above, below = ([each.sums[i] for each in parts if each.sums is not None] for i in (0, 1))
        sums = mean(above), mean(below)
    marked = [_or_ones(each.defined, each.values) for each in parts]
    defined = mean([each.astype(np.float64) for each in marked]) > 0
    marked_or_none = None if defined.all() else defined
    return parts[0]._replace(values=values, weights=weights, sums=sums, defined=marked_or_none)


def _or_ones(known: np.ndarray | None, like: np.ndarray) -> np.ndarray:
    return np.ones(len(like)) if known is None else known


class KeptQueries:
    """The value of each query under one metric, for each candidate of a search, out of fold.

    Values are kept for each test of a query: of repeated folds it has several.

    Attributes
    ----------
    metric : str
        The name of the metric.
    key : str
        The name of its scores in `cv_results_`: those of "score" are under "mean_test_score".
    ids : ndarray of shape (n_queries,)
        The query ids, sorted.
    queries : ndarray of int of shape (n_tests,)
        Which of the `ids` each test is of, fold after fold.
    folds : ndarray of int of shape (n_tests,)
        The fold of each test, from 0.
    values : ndarray of shape (n_candidates, n_tests)
        NaN where a query has no value, and where a candidate was not tested or its fit failed.
    tested : ndarray of bool of shape (n_candidates, n_tests)
        Where a candidate was tested.

    Examples
    --------
    >>> from sklearn.linear_model import Ridge
    >>> from sklearn_rank import GridSearchCV
    >>> from sklearn_rank.datasets import make_ranking
    >>> X, y, qid = make_ranking(random_state=0)
    >>> search = GridSearchCV(Ridge(), {"alpha": [1, 1e3]}, scoring="map", keep_queries=True)
    >>> search.fit(X, y, groups=qid).kept_queries_
    <KeptQueries of 2 candidates and 100 queries: map>
    """

    def __init__(
        self,
        metric: str,
        key: str,
        ids: np.ndarray,
        fits: Sequence[Sequence[ScoredQueries | None]],
        dtype: str,
    ):
        known = [[fit for fit in of_fold if fit is not None] for of_fold in zip(*fits)]
        tested_by_fold = [
            np.unique(np.concatenate([fit.ids for fit in each] or [np.empty(0, dtype=np.int64)]))
            for each in known
        ]
        starts = np.cumsum([0, *map(len, tested_by_fold)])
        shape = len(fits), int(starts[-1])
        self.metric, self.key, self.ids = metric, key, ids
        self.queries = np.concatenate(tested_by_fold)
        self.folds = np.repeat(np.arange(len(known)), np.diff(starts))
        self.n_folds = len(known)
        self.values = np.full(shape, np.nan, dtype=dtype)
        self.tested = np.zeros(shape, dtype=bool)
        self._weights: np.ndarray | None = None
        self._sums: tuple[np.ndarray, np.ndarray] | None = None
        self._defined = np.ones(shape, dtype=bool)
        self._facts = np.zeros((2, shape[1]), dtype=np.int64)  # sizes and numbers of relevant documents
        self._like: MetricValues | None = None
        for candidate, of_candidate in enumerate(fits):
            for fold, fit in enumerate(of_candidate):
                if fit is not None:
                    places = starts[fold] + np.searchsorted(tested_by_fold[fold], fit.ids)
                    self._put(candidate, places, fit)
        if self._weights is not None:
            self._weights = scale_weights(self._weights)

    def _put(self, candidate: int, places: np.ndarray, scored: ScoredQueries) -> None:
        """Put what one fit has given its queries in its place."""
        metric = scored.metrics[self.metric]
        self._like = metric._replace(values=np.empty(0), weights=None, sums=None, defined=None)
        self.values[candidate, places] = metric.values
        self.tested[candidate, places] = True
        self._facts[:, places] = scored.sizes, scored.n_relevant
        if metric.defined is not None:
            self._defined[candidate, places] = metric.defined
        if metric.weights is not None:
            if self._weights is None:
                self._weights = np.zeros(self.values.shape[1])
            self._weights[places] = metric.weights
        if metric.sums is not None:
            if self._sums is None:
                self._sums = np.zeros_like(self.values), np.zeros_like(self.values)
            for kept, of_fit in zip(self._sums, metric.sums):
                kept[candidate, places] = of_fit

    def __repr__(self) -> str:
        return f"<KeptQueries of {len(self.values)} candidates and {len(self.ids)} queries: {self.metric}>"

    def _of(self, candidate: int, places: np.ndarray) -> MetricValues:
        """Return what a candidate gave in some tests."""
        values = self.values[candidate, places].astype(np.float64)
        weights = None if self._weights is None else self._weights[places]
        sums = None
        if self._sums is not None:
            above, below = (each[candidate, places].astype(np.float64) for each in self._sums)
            sums = above, below
        defined = self._defined[candidate, places]
        assert self._like is not None
        return self._like._replace(
            values=values,
            weights=weights,
            sums=sums,
            defined=None if defined.all() else defined,
            precision=find_precision(self.values.dtype),
        )

    @property
    def options(self) -> tuple[str, ...]:
        """Return with which options the metric was computed."""
        return () if self._like is None else self._like.options

    def report(self, candidate: int, clusters: np.ndarray | None, settings: Settings) -> RankingReport:
        """Return the report of a candidate; `clusters` are of all queries."""
        scored, tested, numbers = [], [], []  # without the folds whose fit failed
        for fold in range(self.n_folds):
            places = np.flatnonzero(self.tested[candidate] & (self.folds == fold))
            if len(places):
                metrics = {self.metric: self._of(candidate, places)}
                sizes, n_relevant = self._facts[:, places]
                scored.append(ScoredQueries(self.ids, sizes, n_relevant, metrics))
                tested.append(self.queries[places])
                numbers.append(fold)
        joined, folds, queries = join_folds(scored, tested)
        return RankingReport.from_values(
            take(self.ids, queries),
            joined.metrics,
            sizes=joined.sizes,
            n_relevant=joined.n_relevant,
            folds=np.array([*numbers, -1])[folds],
            clusters=None if clusters is None else clusters[queries],
            **settings._asdict(),
        )

    def candidates(self, rows: np.ndarray, clusters: np.ndarray | None) -> Candidates:
        """Return what each test adds to the fold means of some candidates, which have all tests in common.

        Tests without a value for one of them are left out of all.
        """
        shared = np.flatnonzero(self.tested[rows].all(axis=0))
        samples = [find_terms(self._of(row, shared)) for row in rows]
        above, below = (np.array(each) for each in zip(*samples))
        counted = (below > 0).all(axis=0)
        units = self.queries[shared] if clusters is None else clusters[self.queries[shared]]
        return Candidates(
            above[:, counted],
            below[:, counted],
            self.folds[shared][counted],
            units[counted],
            max(ROUNDING, find_precision(self.values.dtype)),
        )


def list_last_round(results: Arguments, key: str) -> np.ndarray:
    """List the candidates that reached the end of a search, and did not fail: all of a plain one."""
    ended = np.isfinite(np.asarray(results[f"mean_test_{key}"]))
    if "iter" in results:  # of a halving
        rounds = np.asarray(results["iter"])
        ended &= rounds == rounds.max()
    return np.flatnonzero(ended)


def count_started(results: Arguments) -> int:
    """Count the candidates that a search started with: those of a halving have a row for each round."""
    return int((np.asarray(results["iter"]) == 0).sum()) if "iter" in results else len(results["params"])


def list_complete(kept: KeptQueries, rows: np.ndarray) -> np.ndarray:
    """List those of some candidates none of whose fits failed: such a fit may have a score, `error_score`."""
    n_tests = kept.tested[rows].sum(axis=1)
    return rows[(n_tests == n_tests.max(initial=0)) & (n_tests > 0)]


def find_candidates(
    kept: KeptQueries, results: Arguments, clusters: np.ndarray | None, function: str
) -> tuple[np.ndarray, Candidates]:
    """Return the candidates that reached the end of a search, and what each test adds to their means."""
    rows = list_complete(kept, list_last_round(results, kept.key))
    if not len(rows):
        fail("estimator", function, "have a candidate with a score in every fold", "none")
    candidates = kept.candidates(rows, clusters)
    units = np.unique(candidates.units)
    if len(units) < 2:
        parameter, what = ("groups", "queries") if clusters is None else ("cluster", "clusters of queries")
        fail(parameter, function, f"hold two or more {what} that have a value", len(units))
    return rows, candidates


def compare_with_best(
    kept: KeptQueries,
    results: Arguments,
    clusters: np.ndarray | None,
    confidence_level: float,
    n_resamples: int,
    random_state: Any,
    function: str = "simplest",
) -> tuple[np.ndarray, Contenders]:
    """Return the candidates that reached the end, and how each differs from the best of the others."""
    rows, candidates = find_candidates(kept, results, clusters, function)
    found = find_contenders(
        sum_by_unit(candidates),
        confidence_level=confidence_level,
        n_resamples=n_resamples,
        random_state=random_state,
    )
    return rows, found


def standard_error_of(kept: KeptQueries, results: Arguments, row: int) -> float:
    """Return the standard error of the mean of a candidate, over queries."""
    rows, candidates = find_candidates(kept, results, None, "simplest")
    return sum_by_unit(candidates).standard_error(int(np.flatnonzero(rows == row)[0]))
