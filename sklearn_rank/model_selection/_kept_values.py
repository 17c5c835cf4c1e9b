"""The values of queries that a search keeps: they come back from the workers inside the scores.

scikit-learn collects numbers from its workers, but no arrays. So a score is a float that carries the values
of its queries. It delivers them when it is made or unpickled in the process of the search.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from copy import copy
from typing import Any
from uuid import uuid4

import numpy as np
from sklearn.base import clone
from sklearn.utils.metadata_routing import get_routing_for_object

from .._models.answers import DelegatingModel
from .._routing.scorers import UnwrappingScorer
from ..metrics import ListeningScorer, RankingScorer, ScoredQueries
from ._sample_model import QueryScorer

NUMBERS = "query_numbers_"  # the parameter that passes query numbers to the scorer
_KEPT: dict[str, dict[int, ScoredQueries]] = {}  # by the key of a running search, and the number of the fit


class NumberedModel(DelegatingModel):
    """A model whose clones are numbered in the order in which they are made, from 0.

    A search clones its model once for each fit: first all folds of a candidate, then the next candidate. The
    clone takes its number to the process that fits it.
    """

    is_scored = False

    def __init__(self, estimator: Any, number: int = -1):
        self.estimator = estimator
        self.number = number
        self.n_clones = 0

    def __sklearn_clone__(self) -> "NumberedModel":
        model = NumberedModel(clone(self.estimator), self.n_clones)
        self.n_clones += 1
        return model

    def fit(self, X: Any, y: Any = None, **params: Any) -> "NumberedModel":
        """Fit the model."""
        self.estimator.fit(X, y, **params)
        return self

    def get_metadata_routing(self) -> Any:
        """Request what the model requests."""
        return get_routing_for_object(self.estimator)


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


class KeepingScorer:
    """A scorer whose scores carry the value of each query under one of its metrics."""

    def __init__(self, scorer: Any, metric: str, search: str):
        # Check the scorer before the search, because there its error would become nan.
        _change_inner(scorer, lambda inner: ListeningScorer(inner, id))
        self.scorer = scorer
        self.metric = metric
        self.search = search

    def __call__(self, model: NumberedModel, X: Any, y: Any = None, **metadata: Any) -> Any:
        """Return the score of a fit."""
        numbers = metadata.pop(NUMBERS)
        if model.is_scored:  # the training rows are scored after the test rows
            return self.scorer(model.estimator, X, y, **metadata)
        model.is_scored = True
        heard: list[ScoredQueries] = []
        scorer = _change_inner(self.scorer, lambda inner: ListeningScorer(inner, heard.append))
        score = scorer(model.estimator, X, y, **metadata)
        of_metric = score[self.metric] if isinstance(score, dict) else score
        metrics = {self.metric: heard[0].metrics[self.metric]}
        scored = heard[0]._replace(ids=np.flatnonzero(np.bincount(numbers)), metrics=metrics, facts=None)
        carrying = _carry(float(of_metric), self.search, model.number, scored)
        return {**score, self.metric: carrying} if isinstance(score, dict) else carrying

    def read(self, number: int) -> ScoredQueries | None:
        """Return the values of a fit's test queries; None if it failed."""
        return _KEPT[self.search].get(number)

    def get_metadata_routing(self) -> Any:
        """Request what the scorer requests, and the numbers of the queries."""
        routing = get_routing_for_object(self.scorer)
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


def find_inner(scorer: Any) -> Any:
    """Return the user's scorer."""
    while isinstance(scorer, KeepingScorer | QueryScorer | UnwrappingScorer):
        scorer = scorer.scorer
    return scorer


def _change_inner(scorer: Any, change: Callable[[RankingScorer], Any]) -> Any:
    """Return a scorer with another one inside."""
    if not isinstance(scorer, QueryScorer | UnwrappingScorer):
        return change(scorer)
    changed = copy(scorer)
    changed.scorer = _change_inner(scorer.scorer, change)
    return changed
