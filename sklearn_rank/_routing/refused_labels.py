"""Labels that a scorer refuses are an error before any training.

A test with one such label would have nan as its score, after all the time that its model took.
"""

from collections.abc import Iterable, Sequence
from contextlib import suppress
from typing import Any

import numpy as np
from sklearn.base import clone

from .._checks.arrays import is_complex
from .._checks.errors import fail
from ..metrics import RankingScorer

NAN = np.array([np.nan])


def check_tested_labels(
    folds: Iterable[Any],
    scorers: Sequence[RankingScorer],
    y: Any,
    n_rows: int,
    function: str,
    parameter: str = "y",
) -> None:
    """Raise an error if the scorers reject a label of a test set; labels of other rows can be any."""
    labels = flat_labels(y, n_rows)
    if labels is None or not scorers:
        return
    in_test = np.zeros(n_rows, dtype=bool)
    for _, test in folds:
        in_test[test] = True
    for scorer in scorers:
        if in_test.any() and not _takes(scorer, labels[in_test]):
            _refuse_labels(scorer, labels, in_test, function, parameter)


def flat_labels(y: Any, n_rows: int) -> np.ndarray | None:
    """Return labels that are flat, or one column, as an array; None for others."""
    with suppress(Exception):  # of what numpy does not read, which scikit-learn words
        labels = np.asarray(y)
        if labels.shape in ((n_rows,), (n_rows, 1)):
            return labels.ravel()
    return None


def _takes(scorer: RankingScorer, labels: np.ndarray) -> bool:
    try:
        scorer.check_labels(labels, "")
    except Exception:  # of a gain that the caller gave, too
        return False
    return True


def _refuse_labels(
    scorer: RankingScorer, labels: np.ndarray, in_test: np.ndarray, function: str, parameter: str
) -> None:
    """Raise a scorer's own error about the labels of the tests; of NaN, say which option takes them."""
    n_nan, tested = 0, labels[in_test]
    with suppress(TypeError, ValueError, OverflowError):  # of text, or of integers beyond floats
        n_nan = 0 if is_complex(tested) else int(np.isnan(tested.astype(np.float64)).sum())
    dropping = clone(scorer).set_params(options={**(scorer.options or {}), "unjudged": "drop"})
    if n_nan and not _takes(scorer, NAN) and _takes(dropping, NAN):
        name, example = scorer.describe(), scorer.describe(unjudged="drop")
        rule = f"hold no NaN for {name}, unless its 'unjudged' says what they mean, as scoring={example}"
        fail(parameter, function, rule, f"{n_nan} NaN of {len(tested)} labels to test on")
    highest = tested.max() if tested.dtype.kind in "biuf" else np.nan
    if _takes(
        scorer, np.array([highest])
    ):  # instead of labels that no test has, so that the error names the right row
        tested = np.where(in_test, labels, highest)
    try:
        scorer.check_labels(tested, f"{function}, by {scorer.describe()},")
    except ValueError as error:
        raise ValueError(str(error).replace("y_true", parameter)) from None
