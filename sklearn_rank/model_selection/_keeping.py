"""How a search keeps the values of queries and reads them at its end."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any, NoReturn

import numpy as np

from .._checks.errors import fail
from .._routing.scorers import DefaultScorer, wrap_scorers
from ..metrics import RankingScorer, unique_groups
from ._call import Call
from ._kept_queries import KeptQueries
from ._kept_values import NUMBERS, KeepingScorer, NumberedModel, find_inner, keep_values


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
    """

    def __init__(self, scorer: KeepingScorer, key: str, ids: np.ndarray, dtype: str):
        self.scorer, self.key, self.ids, self.dtype = scorer, key, ids, dtype
        self._known: KeptQueries | None = None

    def read(self, results: Mapping[str, Any]) -> KeptQueries:
        """Read the values that the fits of a search kept."""
        if self._known is None:
            n_candidates, n_folds = scores_of_folds(results, self.key).shape
            fits = [
                [self.scorer.read(candidate * n_folds + fold) for fold in range(n_folds)]
                for candidate in range(n_candidates)
            ]
            self._known = KeptQueries(self.scorer.metric, self.key, self.ids, fits, self.dtype)
        return self._known


def scores_of_folds(results: Mapping[str, Any], key: str, side: str = "test") -> np.ndarray:
    """Return the scores of `cv_results_` on one side, of shape (n_candidates, n_folds)."""
    names = [f"split{fold}_{side}_{key}" for fold in range(len(results))]
    return np.column_stack([results[name] for name in names if name in results])


def find_kept(scoring: Any, refit: Any, named: Any, function: str) -> tuple[str, str]:
    """Return under which name the scores of the metric to keep are, and the name of the metric.

    It is the one that is `named`, or that of `refit`, or the only one.
    """
    several = scoring if isinstance(scoring, Mapping) else {}
    scorer = find_inner(scoring)
    if not (several or isinstance(scorer, RankingScorer)):
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
    return isinstance(scorer, RankingScorer)


def _refuse_scorer(scorer: Any, function: str) -> NoReturn:
    rule = "be a ranking scorer of this package, such as 'ndcg@10', where the values of queries are kept"
    fail("scoring", function, rule, "None" if isinstance(scorer, DefaultScorer) else repr(scorer))


@contextmanager
def open_keeper(call: Call, key: str, metric: str, dtype: str) -> Iterator[tuple[Call, Keeper]]:
    """Yield a call whose fits keep the values of queries, and their reader until the search ends."""
    several = isinstance(call.scoring, Mapping) and key in call.scoring
    numbers = np.asarray(call.codes, dtype=np.int32)  # rows of them are taken in each fold
    with keep_values() as search:
        scoring = wrap_scorers(call.scoring) if several else call.scoring  # others too see the user's model
        scorer = KeepingScorer(scoring[key] if several else scoring, metric, search)
        keeper = Keeper(scorer, key, unique_groups(call.ids["groups"]), dtype)
        yield (
            call._replace(
                estimator=NumberedModel(call.estimator),
                scoring={**scoring, key: scorer} if several else scorer,
                params={**call.params, NUMBERS: numbers},
            ),
            keeper,
        )
