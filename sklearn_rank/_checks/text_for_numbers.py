"""Text or missing values where numbers belong: what may be meant, said in code for the message."""

import warnings
from contextlib import suppress
from typing import Any

import numpy as np

from .codes import MISSING_TYPES

MAX_WORDS, MAX_LETTERS = 4, 30  # that a message shows, and of each


def explain_text(array: np.ndarray, values: Any, parameter: str) -> str:
    """Say in code how text, or labels some of which are None or NA, become numbers."""
    if array.ndim == 0 and isinstance(values, str):
        return f": pass what the name stands for, as frame[{values[:MAX_LETTERS]!r}]"
    kinds = set(map(type, array.ravel().tolist()))
    missing = {kind for kind in kinds if kind.__name__ in MISSING_TYPES}
    if not missing.union(kind for kind in kinds if issubclass(kind, str | bytes)):
        return ""
    others = TypeError, OverflowError, np.exceptions.ComplexWarning  # what is no number; beyond the range
    with suppress(ValueError, *others), warnings.catch_warnings(), np.errstate(over="ignore"):
        if not missing or parameter == "y_true":
            warnings.simplefilter("error", np.exceptions.ComplexWarning)
            np.asarray(values, dtype=np.float64)
            how = f"numpy.asarray({parameter}, dtype=float)"
            return f": {how} " + ("makes NaN of what is missing" if missing else "reads numbers held as text")
    if parameter != "y_true":
        return ""
    if missing and not any(issubclass(kind, str | bytes) for kind in kinds):
        return ": y_true.astype(float) makes NaN of what is missing"
    kind = getattr(values, "dtype", None)
    if getattr(kind, "ordered", False) is True:  # of pandas
        return f": y_true.{'cat.' * hasattr(values, 'cat')}codes are the places of ordered categories, from 0"
    words = sorted({repr(word) for word in array.ravel().tolist() if isinstance(word, str | bytes)})
    if max(map(len, words)) > MAX_LETTERS:
        return ": text is no label"
    grades = ", ".join(f"{word}: {grade}" for grade, word in enumerate(words[:MAX_WORDS]))
    more = ", ..." * (len(words) > MAX_WORDS)
    return (
        f": numpy.asarray(y_true) == {words[-1]} says which are relevant, and "
        f"numpy.vectorize({{{grades}{more}}}.get)(y_true) gives grades"
    )
