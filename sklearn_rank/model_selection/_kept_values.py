"""The values of queries that a search keeps: they come back from the workers inside the scores.

scikit-learn collects numbers from its workers, but no arrays. So a score is a float that carries the values
of its queries. It delivers them when it is made or unpickled in the process of the search.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any, NoReturn
from uuid import uuid4

import numpy as np

from .._checks.errors import fail
from .._checks.types import AnyScorer, Arguments, Estimator, Features, Labels
from .._checks.warn import RankingWarning, warn_user
from ..metrics import RankingScorer, ScoredQueries, is_ranking, unique_groups
from ._calls.call import Call
from ._calls.grouped_model import GroupedModel
from ._calls.sample_model import QueryScorer
from ._calls.wrapped_scorers import DefaultScorer, UnwrappingScorer
from ._kept_queries import KeptQueries

NUMBERS = "query_numbers_"  # the parameter that passes query numbers to the scorer
LOST = (
    "keep_queries: the values of queries of {n_lost} of {n_fits} fits did not come back from the workers. "
    "Use a joblib backend that pickles scores, such as n_jobs=2 with loky."
)
_KEPT: dict[str, dict[int, ScoredQueries]] = {}  # by the key of a running search, and the number of the fit


class CarryingScore(float):
    """A score that carries the values of a fit's queries. Their ids are ascending numbers."""

    search: str
    number: int
    scored: ScoredQueries

    def __reduce__(self) -> Any:
        return _carry, (float(self), self.search, self.number, self.scored)


def _carry(score: float, search: str, number: int, scored: ScoredQueries) -> CarryingScore:
    """Make a score, and deliver its values if the search runs in this process."""
    carrying = CarryingScore(score)
    carrying.search, carrying.number, carrying.scored = search, number, scored
    if search in _KEPT:
        _KEPT[search][number] = scored
    return carrying


class KeepingScorer(UnwrappingScorer):
    """A scorer whose scores carry the value of each query under one of its metrics."""

    def __init__(self, scorer: UnwrappingScorer, metric: str, search: str):
        # Check the scorer before the search, because there its error would become nan.
        scorer.scorer.listen(id)
        super().__init__(scorer.scorer, scorer.ids, scorer.cautioned)
        self.metric = metric
        self.search = search

    def __call__(
        self, estimator: Estimator, X: Features, y: Labels = None, prepared: Any = None, **metadata: Any
    ) -> Any:
        """Return the score of a fit."""
        numbers = metadata.pop(NUMBERS)
        fit, estimator.number = estimator.number, None
        if fit is None:  # the training rows are scored after the test rows
            return super().__call__(estimator, X, y, **metadata)
        heard: list[ScoredQueries] = []
        listening = UnwrappingScorer(self.scorer.listen(heard.append), self.ids, self.cautioned)
        score = listening(estimator, X, y, **metadata)
        of_metric = score[self.metric] if isinstance(score, dict) else score
        metrics = {self.metric: heard[0].metrics[self.metric]}
        scored = heard[0]._replace(ids=np.flatnonzero(np.bincount(numbers)), metrics=metrics, facts=None)
        carrying = _carry(float(of_metric), self.search, fit, scored)
        return {**score, self.metric: carrying} if isinstance(score, dict) else carrying

    def read(self, number: int) -> ScoredQueries | None:
        """Return the values of a fit's test queries; None if it failed."""
        return _KEPT[self.search].get(number)

    def get_metadata_routing(self) -> Any:
        """Request what the scorer requests, and the numbers of the queries."""
        routing = super().get_metadata_routing()
        routing.score.add_request(param=NUMBERS, alias=True)
        return routing


@contextmanager
def keep_values() -> Iterator[str]:
    """Yield the key of a search, under which values are kept until it ends."""
    search = uuid4().hex
    _KEPT[search] = {}
    try:
        yield search
    finally:
        del _KEPT[search]


def find_inner(scorer: AnyScorer) -> Any:
    """Return the user's scorer."""
    while isinstance(scorer, QueryScorer | UnwrappingScorer):
        scorer = scorer.scorer
    return scorer


class Keeper:
    """What one fit of a search keeps, and how it is read.

    Parameters
    ----------
    scorer : KeepingScorer
        What keeps the values.
    key : str
        The name of the scores in `cv_results_`: "score", or that of one of several.
    ids : ndarray of shape (n_queries,)
        The query ids, sorted.
    dtype : str
        That of the values.
    error_score : float or "raise"
        The score of a fit that failed, which keeps no values.
    """

    def __init__(self, scorer: KeepingScorer, key: str, ids: np.ndarray, dtype: str, error_score: object):
        self.scorer, self.key, self.ids, self.dtype = scorer, key, ids, dtype
        self.error_score = error_score
        self._known: KeptQueries | None = None

    def read(self, results: Arguments) -> KeptQueries:
        """Read the values that the fits of a search kept. Warn of fits whose values did not come back."""
        if self._known is None:
            scores = scores_of_folds(results, self.key)
            n_candidates, n_folds = scores.shape
            fits = [
                [self.scorer.read(candidate * n_folds + fold) for fold in range(n_folds)]
                for candidate in range(n_candidates)
            ]
            without = np.array([[each is None for each in row] for row in fits])
            lost = without & ~np.isnan(scores) & (scores != self.error_score)
            if lost.any():
                message = LOST.format(n_lost=lost.sum(), n_fits=lost.size)
                warn_user(message, RankingWarning)
            self._known = KeptQueries(self.scorer.metric, self.key, self.ids, fits, self.dtype)
        return self._known


def scores_of_folds(results: Arguments, key: str, side: str = "test") -> np.ndarray:
    """Return the scores of `cv_results_` on one side, of shape (n_candidates, n_folds)."""
    names = [f"split{fold}_{side}_{key}" for fold in range(len(results))]
    return np.column_stack([results[name] for name in names if name in results])


def find_kept(scoring: Any, refit: object, named: Any, function: str) -> tuple[str, str]:
    """Return under which name the scores of the metric to keep are, and the name of the metric.

    It is the one that is `named`, or that of `refit`, or the only one.
    """
    several = scoring if isinstance(scoring, Mapping) else {}
    scorer = find_inner(scoring)
    if not (several or is_ranking(scorer)):
        _refuse_scorer(scorer, function)
    single = not several and isinstance(scorer.metrics, str)
    names = [scorer.metrics] if single else list(several or scorer.metrics)
    key = named if isinstance(named, str) else names[0] if single else refit
    if not isinstance(key, str) or key not in names:
        rule = f"name the metric to keep, {' or '.join(map(repr, names))}"
        fail("keep_queries", function, rule, f"{named!r}, with refit={refit!r}")
    if several:
        scorer = find_inner(several[key])
        if not (isinstance(scorer, RankingScorer) and isinstance(scorer.metrics, str)):
            _refuse_scorer(scorer, function)
        return key, scorer.metrics
    return "score" if single else key, key


def gives_values(scoring: Any, name: str | None) -> bool:
    """Tell whether a scorer gives values of queries, of several the one of a name."""
    scorer = find_inner(scoring.get(name) if isinstance(scoring, Mapping) else scoring)
    return is_ranking(scorer)


def _refuse_scorer(scorer: AnyScorer, function: str) -> NoReturn:
    rule = "be a ranking scorer of this package, such as 'ndcg@10', where the values of queries are kept"
    fail("scoring", function, rule, "None" if isinstance(scorer, DefaultScorer) else repr(scorer))


@contextmanager
def open_keeper(
    call: Call, key: str, metric: str, dtype: str, error_score: object
) -> Iterator[tuple[Call, Keeper]]:
    """Yield a call whose fits keep the values of queries, and their reader until the search ends."""
    several = isinstance(call.scoring, Mapping) and key in call.scoring
    numbers = np.asarray(call.codes, dtype=np.int32)  # rows of them are taken in each fold
    model = call.estimator if isinstance(call.estimator, GroupedModel) else GroupedModel(call.estimator, True)
    with keep_values() as search:
        scorer = KeepingScorer(call.scoring[key] if several else call.scoring, metric, search)
        scoring = {**call.scoring, key: scorer} if several else scorer
        params = {**call.params, NUMBERS: numbers}
        keeper = Keeper(scorer, key, unique_groups(call.ids["groups"]), dtype, error_score)
        yield call._replace(estimator=model, scoring=scoring, params=params), keeper
