"""The values of queries that a search keeps: written where a fit is scored, read where the search ends.

scikit-learn brings numbers back from its workers, and no arrays: these go through files in a folder that the
workers share. Each file is read once and taken for what it says only if its score is that of the search.
"""

from collections.abc import Callable, Sequence
from contextlib import suppress
from copy import copy
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from sklearn.utils.metadata_routing import get_routing_for_object

from ..metrics import ListeningScorer, MetricValues, RankingScorer, ScoredQueries
from .numbered_model import NumberedModel
from .query_model import QueryScorer
from .unwrapping_scorer import UnwrappingScorer

NUMBERS = "query_numbers_"  # the name under which the numbers of the queries travel to the scorer


class KeptFit(NamedTuple):
    """What one fit gives the queries that it was tested on."""

    score: float
    scored: ScoredQueries  # whose ids are the numbers of the queries, ascending


class KeepingScorer:
    """A scorer that writes the value of each query under one metric into a folder, and returns the score.

    Parameters
    ----------
    scorer : callable
        The scorer, as a search calls it.
    metric : str
        Which of its metrics.
    folder : str
        The folder.
    """

    def __init__(self, scorer: Any, metric: str, folder: str):
        # An error of a scorer becomes nan in a search: what cannot be kept is refused before it begins.
        _change_inner(scorer, lambda inner: ListeningScorer(inner, id))
        self.scorer = scorer
        self.metric = metric
        self.folder = folder

    def __call__(self, model: NumberedModel, X: Any, y: Any = None, **metadata: Any) -> Any:
        """Return the score of a fit."""
        numbers = np.flatnonzero(np.bincount(metadata.pop(NUMBERS)))
        heard: list[ScoredQueries] = []
        scorer = _change_inner(self.scorer, lambda inner: ListeningScorer(inner, heard.append))
        try:
            score = scorer(model.estimator, X, y, **metadata)
        except Exception:
            _write_nothing(self._path(model.number))  # nor do the training rows write, scored after these
            raise
        of_metric = score[self.metric] if isinstance(score, dict) else score
        _write(self._path(model.number), numbers, of_metric, heard[0], self.metric)
        return score

    def _path(self, number: int) -> Path:
        return Path(self.folder, f"{number}.npy")

    def read(self, number: int) -> KeptFit | None:
        """Read what a fit has written; None if it was not scored."""
        return _read(self._path(number), self.metric)

    def get_metadata_routing(self) -> Any:
        """Request what the scorer requests, and the numbers of the queries."""
        routing = get_routing_for_object(self.scorer)
        routing.score.add_request(param=NUMBERS, alias=True)
        return routing


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


def _write(path: Path, numbers: np.ndarray, score: float, scored: ScoredQueries, metric: str) -> None:
    """Write what a fit gives its test queries, which are scored before those that it was trained on.

    What cannot be written is missing in the end, and the search says so: its scores do not depend on it.
    """
    values = scored.metrics[metric]
    above, below = values.sums or (None, None)
    known: dict[str, Any] = {
        "numbers": numbers,
        "sizes": scored.sizes,
        "n_relevant": scored.n_relevant,
        "values": values.values,
        "weights": values.weights,
        "above": above,
        "below": below,
        "defined": values.defined,
    }
    known = {name: each for name, each in known.items() if each is not None}
    table = np.empty(len(numbers), dtype=[(name, each.dtype) for name, each in known.items()])
    for name, each in known.items():
        table[name] = each
    try:
        with open(path, "xb") as file:
            for part in ([score, values.otherwise], list(values.options), table):
                np.save(file, part, allow_pickle=False)
    except FileExistsError:
        return
    except OSError:
        with suppress(OSError), open(path, "wb"):  # half a file cannot be read
            pass


def _write_nothing(path: Path) -> None:
    with suppress(OSError), open(path, "ab"):  # what is there already stays
        pass


def _read(path: Path, metric: str) -> KeptFit | None:
    if not path.exists() or not path.stat().st_size:
        return None
    with open(path, "rb") as file:
        (score, otherwise), options, table = (np.load(file, allow_pickle=False) for _ in range(3))
    known = {name: table[name].copy() for name in table.dtype.names}
    sums = (known["above"], known["below"]) if "above" in known else None
    of_queries = known["values"], known.get("weights"), sums, known.get("defined")
    values = MetricValues(*of_queries, float(otherwise), tuple(options.tolist()))
    scored = ScoredQueries(known["numbers"], known["sizes"], known["n_relevant"], {metric: values})
    return KeptFit(float(score), scored)


def read_fits(
    scorer: KeepingScorer, numbers: np.ndarray, scores: np.ndarray, error_score: Any
) -> Sequence[Sequence[KeptFit | None]] | None:
    """Read what fits have written; None if that is not what the scores of the search were made of.

    `numbers` and `scores` have a row for each candidate and a column for each fold; the number is -1 where
    there was no fit. A fit that failed has written nothing, and has the `error_score`.
    """
    fits = [[None if number < 0 else scorer.read(number) for number in row] for row in numbers.tolist()]
    for row, of_row, of_scores in zip(fits, numbers.tolist(), scores.tolist()):
        for fit, number, score in zip(row, of_row, of_scores):
            expected = error_score if fit is None else fit.score
            if number >= 0 and not (score == expected or np.isnan([score, expected]).all()):
                return None
    return fits
