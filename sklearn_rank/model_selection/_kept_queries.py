"""Per-query values of the candidates of a search.

scikit-learn collects numbers, not arrays, from its workers. So a score is a float that carries the values
of its queries. They are stored when the score is created or unpickled in the process of the search.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from copy import copy
from functools import partial
from typing import Any, NoReturn
from uuid import uuid4

import numpy as np

from .._checks.containers import take
from .._checks.errors import fail, shorten
from .._checks.types import AnyScorer, Arguments, Features, Labels
from .._checks.warn import RankingWarning, warn_user
from ..metrics import (
    FINGERPRINT,
    MetricValues,
    RankingScorer,
    ScoredQueries,
    is_ranking,
    unique_groups,
    with_callback,
)
from ..reports import ROUNDING, Candidates, RankingReport, Settings, find_precision, find_terms
from ._delivery.bound_parts import BoundScorer
from ._delivery.call import Call

LOST = (
    "keep_queries: the workers returned no per-query values for {n_lost} of {n_fits} fits, so their values "
    "are nan. Use a joblib backend that pickles scores, such as n_jobs=2 with loky."
)
_KEPT: dict[str, dict[int, ScoredQueries]] = {}  # by the key of a running search, and the number of the fit


def join_tests(
    scored: Sequence[ScoredQueries], queries: np.ndarray, folds: np.ndarray
) -> tuple[ScoredQueries, np.ndarray]:
    """Join the tests of each query, given the query and the fold of each test; return also its folds."""
    ids, places, counts = np.unique(queries, return_inverse=True, return_counts=True)
    order = np.argsort(places, kind="stable")
    firsts = np.cumsum(counts) - counts
    joined = np.full((len(ids), counts.max()), -1)
    joined[places[order], np.arange(len(order)) - np.repeat(firsts, counts)] = folds[order]
    parts = {name: [each.metrics[name] for each in scored] for name in scored[0].metrics}
    metrics = {name: _average(each, places, len(ids)) for name, each in parts.items()}
    sizes, n_relevant = (np.concatenate([each[i] for each in scored])[order[firsts]] for i in (1, 2))
    labels = _join_labels([each.labels for each in scored], places, firsts, order)
    found = ScoredQueries(ids, sizes, n_relevant, metrics, labels=labels)
    return found, joined[:, 0] if counts.max() == 1 else joined


def _join_labels(
    parts: Sequence[np.ndarray | None], places: np.ndarray, firsts: np.ndarray, order: np.ndarray
) -> np.ndarray | None:
    """Return the fingerprints of the labels of each query, from those of its tests.

    If the tests of a query have different rows, its fingerprint is that of all of them.
    """
    known = [each for each in parts if each is not None]
    if len(known) < len(parts):
        return None
    labels = np.concatenate(known)[order]
    found, firsts_of = labels[firsts], firsts[places[order]]
    names = ["hashes", "hashes_above", "n", "n_above"]
    apart = np.unique(places[order][labels[names] != labels[firsts_of][names]])
    for name in names:
        found[name][apart] = np.add.reduceat(labels[name], firsts)[apart]
    return found


def _average(parts: Sequence[MetricValues], places: np.ndarray, n_queries: int) -> MetricValues:
    """Average the values of a query over its tests, so that it counts once."""

    def mean(values: Sequence[Any]) -> Any:
        if values[0] is None:
            return None
        joined = np.concatenate(values)
        known = ~np.isnan(joined)
        n_known = np.bincount(places[known], minlength=n_queries)
        totals = np.bincount(places[known], joined[known], minlength=n_queries)
        return np.where(n_known > 0, totals / np.maximum(n_known, 1), np.nan)

    marks = [np.ones(len(each.values)) if each.defined is None else 1.0 * each.defined for each in parts]
    defined = mean(marks) > 0
    return parts[0]._replace(
        values=mean([each.values for each in parts]),
        weights=mean([each.weights for each in parts]),
        sums=parts[0].sums and tuple(mean([each.sums[i] for each in parts if each.sums]) for i in (0, 1)),
        defined=None if defined.all() else defined,
    )


class KeptQueries:
    """Out-of-fold values of one metric for each query and each candidate of a search.

    There is one value for each test of a query. With repeated folds, a query has several tests.

    Attributes
    ----------
    metric : str
        Name of the metric.
    key : str
        Name of the metric in `cv_results_`. For example, "score" means "mean_test_score".
    ids : ndarray of shape (n_queries,)
        Query ids, sorted.
    queries : ndarray of int of shape (n_tests,)
        Index into `ids` of the query of each test, in the order of folds.
    folds : ndarray of int of shape (n_tests,)
        Fold of each test, from 0.
    values : ndarray of shape (n_candidates, n_tests)
        Value of each test. NaN means that the metric is undefined, or that the fit failed or did not take
        place.
    tested : ndarray of bool of shape (n_candidates, n_tests)
        Whether the fit of the candidate took place and succeeded.
    """

    def __init__(
        self,
        metric: str,
        key: str,
        ids: np.ndarray,
        fits: Mapping[int, ScoredQueries],
        scores: np.ndarray,
        dtype: str,
    ):
        """Store the values of fits, numbered like `scores` of shape (n_candidates, n_folds)."""
        # A test is numbered by its fold and its query.
        numbers = {fit: fit % scores.shape[1] * len(ids) + fits[fit].ids for fit in fits}
        tests = np.unique(np.concatenate([np.empty(0, dtype=np.int64), *numbers.values()]))
        shape = len(scores), len(tests)
        like = next(iter(fits.values())).metrics[metric] if fits else MetricValues(np.empty(0))
        self.metric, self.key, self.ids = metric, key, ids
        self.folds, self.queries = np.divmod(tests, len(ids))
        self.values = np.full(shape, np.nan, dtype=dtype)
        self.tested = np.zeros(shape, dtype=bool)
        self._defined = np.ones(shape, dtype=bool)
        self._weights = None if like.weights is None else np.zeros(len(tests))
        self._sums = None if like.sums is None else np.zeros((2, *shape), dtype=dtype)
        self._facts = np.zeros((2, len(tests)), dtype=np.int64)  # sizes and numbers of relevant documents
        self._labels = np.zeros(len(tests), FINGERPRINT)
        self.like = like._replace(values=np.empty(0), weights=None, sums=None, defined=None)
        for fit, scored in fits.items():
            row, places = fit // scores.shape[1], np.searchsorted(tests, numbers[fit])
            found = scored.metrics[metric]
            self.values[row, places], self.tested[row, places] = found.values, True
            self._facts[:, places] = scored.sizes, scored.n_relevant
            if scored.labels is not None:
                self._labels[places] = scored.labels
            self._defined[row, places] = True if found.defined is None else found.defined
            if self._weights is not None:
                self._weights[places] = found.weights
            if self._sums is not None:
                self._sums[:, row, places] = found.sums
        self._labels["is_tied"] = False  # which depends on the candidate

    def __repr__(self) -> str:
        return f"<KeptQueries of {len(self.values)} candidates and {len(self.ids)} queries: {self.metric}>"

    def _of(self, candidate: int, places: np.ndarray) -> MetricValues:
        """Return the values of a candidate in some tests."""
        defined = self._defined[candidate, places]
        sums = None if self._sums is None else self._sums[:, candidate, places].astype(np.float64)
        return self.like._replace(
            values=self.values[candidate, places].astype(np.float64),
            weights=None if self._weights is None else self._weights[places],
            sums=None if sums is None else (sums[0], sums[1]),
            defined=None if defined.all() else defined,
            precision=find_precision(self.values.dtype),
        )

    def report(self, candidate: int, clusters: np.ndarray | None, settings: Settings) -> RankingReport:
        """Return the report of a candidate; `clusters` has an entry for each query."""
        places = np.flatnonzero(self.tested[candidate])
        sizes, n_relevant = self._facts[:, places]
        metrics, labels = {self.metric: self._of(candidate, places)}, self._labels[places]
        scored = ScoredQueries(self.ids, sizes, n_relevant, metrics, labels=labels)
        joined, folds = join_tests([scored], self.queries[places], self.folds[places])
        return RankingReport.from_values(
            take(self.ids, joined.ids),
            joined.metrics,
            sizes=joined.sizes,
            n_relevant=joined.n_relevant,
            folds=folds,
            cluster=None if clusters is None else clusters[joined.ids],
            label_fingerprints=joined.labels,
            **settings._asdict(),
        )

    def candidates(self, rows: np.ndarray, clusters: np.ndarray | None) -> Candidates:
        """Return the contribution of each test to the fold means of some candidates.

        Tests without a value for one candidate are excluded for all of them.
        """
        shared = np.flatnonzero(self.tested[rows].all(axis=0))
        above, below = (np.array(each) for each in zip(*(find_terms(self._of(row, shared)) for row in rows)))
        counted = (below > 0).all(axis=0)
        units = self.queries[shared] if clusters is None else clusters[self.queries[shared]]
        terms = above[:, counted], below[:, counted], self.folds[shared][counted], units[counted]
        return Candidates(*terms, max(ROUNDING, find_precision(self.values.dtype)))


Reader = Callable[[Arguments], KeptQueries]  # of kept values, by the `cv_results_` of a search


def list_ended(results: Arguments, key: str, kept: KeptQueries | None = None) -> np.ndarray:
    """List the candidates that reached the end of a search, without elimination, and did not fail.

    With `kept`, each fit must have kept values: a failed one can have the score `error_score`.
    """
    ended = np.isfinite(np.asarray(results[f"mean_test_{key}"]))
    if "iter" in results:  # successive halving
        rounds = np.asarray(results["iter"])
        ended &= rounds == rounds.max()
    rows = np.flatnonzero(ended)
    if kept is None:
        return rows
    n_tests = kept.tested[rows].sum(axis=1)
    return rows[(n_tests == n_tests.max(initial=0)) & (n_tests > 0)]


def count_started(results: Arguments) -> int:
    """Count the candidates that a search started with: after halving they have a row for each round."""
    return int((np.asarray(results["iter"]) == 0).sum()) if "iter" in results else len(results["params"])


def find_candidates(
    kept: KeptQueries, results: Arguments, clusters: np.ndarray | None
) -> tuple[np.ndarray, Candidates]:
    """Return the candidates that reached the end of a search, and each test's contribution to their means."""
    rows = list_ended(results, kept.key, kept)
    if not len(rows):
        fix = "To see why fits fail, pass error_score='raise' to the search."
        fail("estimator", "have a candidate with a score in every fold", "none", fix)
    candidates = kept.candidates(rows, clusters)
    units = np.unique(candidates.units)
    if len(units) < 2:
        parameter, units_of = ("groups", "queries") if clusters is None else ("cluster", "clusters")
        fail(parameter, f"contain at least two {units_of} with a value", len(units))
    return rows, candidates


def scores_of_folds(results: Arguments, key: str, side: str = "test") -> np.ndarray:
    """Return the test (or training) scores of `cv_results_`, of shape (n_candidates, n_folds)."""
    names = [f"split{fold}_{side}_{key}" for fold in range(len(results))]
    return np.column_stack([results[name] for name in names if name in results])


# ------------------------------------------------------------------ return of the values


class CarryingScore(float):
    """A score that carries the key of its search, the number of its fit, and the values of its queries."""

    carried: tuple[float, str, int, ScoredQueries]  # the score itself might carry warnings

    def __reduce__(self) -> Any:
        return _carry, self.carried


def _carry(score: float, search: str, fit: int, scored: ScoredQueries) -> CarryingScore:
    """Make a score, and store its values if the search runs in this process."""
    carrying = CarryingScore(score)
    carrying.carried = score, search, fit, scored
    if search in _KEPT:
        _KEPT[search][fit] = scored
    return carrying


class KeepingScorer(BoundScorer):
    """A scorer whose scores carry the value of each query under one of its metrics."""

    def __init__(self, bound: BoundScorer, metric: str, search: str):
        # Check the scorer before the search, because there its error would become nan.
        with_callback(bound.scorer, id)
        vars(self).update(vars(bound))
        self.metric, self.search = metric, search

    def __call__(self, bound: Any, X: Features, y: Labels = None, **params: Any) -> Any:
        """Return the score of a fit."""
        fit, bound.number = bound.number, None
        if fit is None:  # the training rows are scored after the test rows
            return super().__call__(bound, X, y, **params)
        reported: list[ScoredQueries] = []
        listening = copy(self)  # this one returns the score
        listening.scorer = with_callback(self.scorer, reported.append)
        score = BoundScorer.__call__(listening, bound, X, y, **params)
        of_metric = score[self.metric] if isinstance(score, dict) else score
        metrics = {self.metric: reported[0].metrics[self.metric]}
        numbers = bound.rows.codes[bound.numbers(X)]
        scored = reported[0]._replace(ids=np.flatnonzero(np.bincount(numbers)), metrics=metrics, facts=None)
        carrying = _carry(of_metric, self.search, fit, scored)
        return {**score, self.metric: carrying} if isinstance(score, dict) else carrying


def find_inner(scorer: AnyScorer) -> Any:
    """Return the user's scorer."""
    return scorer.scorer if isinstance(scorer, BoundScorer) else scorer


def find_kept(scoring: object, refit: object, named: object) -> tuple[str, str]:
    """Return the key of the scores of the metric to keep, and the name of the metric.

    The metric is the one that is `named`, or that of `refit`, or the only one.
    """
    several = scoring if isinstance(scoring, Mapping) else {}
    scorer = find_inner(scoring)
    if not (several or has_query_values(scorer)):
        _reject_scorer(scorer)
    single = not several and not isinstance(scorer.metrics, list | tuple)
    names = [each.name for each in scorer.list_requests()] if not several else list(several)
    key = named if isinstance(named, str) else names[0] if single else refit
    if not isinstance(key, str) or key not in names:
        rule = f"be the name of the metric to keep, one of {shorten(', '.join(map(repr, names)), 120)}"
        fail("keep_queries", rule, f"{named!r} with refit={refit!r}", f"Pass keep_queries={names[0]!r}.")
    if several:
        scorer = find_inner(several[key])
        if not has_query_values(scorer) or isinstance(scorer.metrics, list | tuple):
            _reject_scorer(scorer)
        return key, scorer.list_requests()[0].name
    return "score" if single else key, key


def has_query_values(scorer: AnyScorer) -> bool:
    """Return whether a scorer has a value for each query: of metrics by name, or of a function of groups."""
    return is_ranking(scorer) or (isinstance(scorer, RankingScorer) and isinstance(scorer.metrics, partial))


def _reject_scorer(scorer: AnyScorer) -> NoReturn:
    rule = "be a ranking scorer of sklearn_rank to keep per-query values"
    fail("scoring", rule, repr(scorer), 'Pass scoring="ndcg@10".')


@contextmanager
def keep_values(
    call: Call, key: str, metric: str, dtype: str, error_score: object
) -> Iterator[tuple[Call, Reader]]:
    """Yield a call whose fits keep the values of queries, and a reader of them that takes `cv_results_`.

    A failed fit, whose score is `error_score`, keeps no values. Warn about other fits without values.
    """
    several = isinstance(call.scoring, Mapping) and key in call.scoring
    ids = call.rows.columns["groups"] if call.rows is not None else []
    search = uuid4().hex
    scorer = KeepingScorer(call.scoring[key] if several else call.scoring, metric, search)
    scoring = {**call.scoring, key: scorer} if several else scorer
    fits = _KEPT[search] = {}

    def read(results: Arguments) -> KeptQueries:
        scores = scores_of_folds(results, key)
        without = np.reshape([fit not in fits for fit in range(scores.size)], scores.shape)
        lost = without & ~np.isnan(scores) & (scores != error_score)
        if lost.any():
            warn_user(LOST.format(n_lost=lost.sum(), n_fits=lost.size), RankingWarning)
        return KeptQueries(metric, key, unique_groups(ids), fits, scores, dtype)

    try:
        yield call._replace(scoring=scoring), read
    finally:
        del _KEPT[search]
