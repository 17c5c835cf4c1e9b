"""Labels that a scorer would refuse, so that each test with one would be nan: said before anything is trained."""

from contextlib import suppress
from typing import Any

import numpy as np
from sklearn.base import clone

from .._validation import fail
from ..metrics import RankingScorer


def find_refusing(scorers: list[RankingScorer], y: Any, n_rows: int) -> RankingScorer | None:
    """Return the first scorer that refuses some of these labels."""
    distinct = _distinct(flatten(y, n_rows)) if scorers else None
    if distinct is None:
        return None
    return next((scorer for scorer in scorers if not _takes(scorer, distinct)), None)


def refuse_labels(scorer: RankingScorer, labels: np.ndarray, function: str) -> None:
    """Raise what a scorer says of labels; of NaN, how it takes them."""
    distinct = _distinct(labels)
    n_nan = _count_nan(labels)
    dropping = clone(scorer).set_params(options={**(scorer.options or {}), "unjudged": "drop"})
    if n_nan and not _takes(scorer, np.array([np.nan])) and _takes(dropping, np.array([np.nan])):
        example = scorer.describe(unjudged="drop")
        rule = f"hold no NaN for {scorer.describe()}, unless 'unjudged' says what they mean, as scoring={example}"
        fail("y", function, rule, f"{n_nan} NaN of {len(labels)} labels")
    scorer.check_labels(distinct, f"{function}, by {scorer.describe()},")


def flatten(y: Any, n_rows: int) -> np.ndarray | None:
    """Return labels that are flat, or one column, as an array; None for others."""
    with suppress(Exception):  # whatever numpy does not read, the metric words
        labels = np.asarray(y)
        if labels.shape in ((n_rows,), (n_rows, 1)):
            return labels.ravel()
    return None


def _distinct(labels: np.ndarray | None) -> np.ndarray | None:
    if labels is None:
        return None
    try:
        return np.unique(labels)
    except TypeError:  # objects that do not compare
        return labels


def _takes(scorer: RankingScorer, labels: np.ndarray) -> bool:
    try:
        scorer.check_labels(labels, scorer.describe())
    except ValueError:
        return False
    return True


def _count_nan(labels: np.ndarray) -> int:
    """Count NaN among numbers."""
    try:
        return int(np.isnan(labels.astype(np.float64)).sum())
    except (TypeError, ValueError):
        return 0
