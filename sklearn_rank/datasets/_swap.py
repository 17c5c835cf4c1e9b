"""Signs that a run and its judgments were passed in the wrong order.

Metric functions look for fewer signs (metrics/_facts.py), because real labels are ordinary there.
"""

from typing import Any

import numpy as np

from .._checks.errors import fail
from .._checks.warn import RankingWarning, warn_user

# How the readers are called.
CALLS = {
    "from_run": "from_run(qrels, run)",
    "from_recommendations": "from_recommendations(relevant, recommended)",
    "from_interactions": "from_interactions(interactions, recommended)",
    "from_score_matrix": "from_score_matrix(relevant, scores)",
}
OTHER_NUMBER = {"score": "grade", "grade": "score"}
MANY_GRADES, FEW_SCORES = 20, 10  # distinct values
N_VALUES = 2**16  # of a matrix that are looked at


def fix_order(function: str) -> str:
    """Write the call with the truth first."""
    return f"If the arguments are swapped, pass {CALLS[function]}."


def refuse_other_side(given: Any, parameter: str, function: str) -> None:
    """Raise an error if `run` has a class for judgments, or judgments have a class for runs."""
    is_of_run = {"Run": True, "Qrels": False}.get(type(given).__name__)  # of ranx
    if is_of_run is None and hasattr(given, "qrels_iter"):  # of ir_datasets
        is_of_run = False
    if is_of_run is not None and is_of_run != (parameter == "run"):
        rule = "be a run, with scores" if parameter == "run" else "be judgments, with grades"
        fail(parameter, function, rule, f"a {type(given).__name__}", fix_order(function))


def check_swap(grades: np.ndarray, scores: np.ndarray, queries: np.ndarray, function: str) -> None:
    """Warn if grades look like scores, and scores like grades; `queries` are codes of the scores' rows."""
    if not look_like_scores(grades) or not _look_like_grades(scores, queries):
        return
    warn_user(
        f"{function}: the grades have {len(np.unique(grades))} distinct real values and the scores "
        f"{len(np.unique(scores))} integers, so they look swapped. {fix_order(function)}",
        RankingWarning,
    )


def look_like_scores(grades: np.ndarray) -> bool:
    """Return whether most grades are distinct real numbers; ordinary grades are few, or integers."""
    if (grades == np.floor(grades)).all():
        return False
    n_distinct = len(np.unique(grades))
    return n_distinct >= MANY_GRADES and 2 * n_distinct > len(grades)


def _look_like_grades(scores: np.ndarray, queries: np.ndarray) -> bool:
    """Return whether scores are a few integers, mostly tied within queries; ranks are not tied."""
    if (scores != np.floor(scores)).any() or len(np.unique(scores)) > FEW_SCORES:
        return False
    pairs = queries.astype(np.int64) * len(scores) + np.unique(scores, return_inverse=True)[1]
    return 2 * len(np.unique(pairs)) <= len(scores)


def check_matrices(relevant: Any, scores: Any) -> None:
    """Compare the first values of a matrix of grades, dense or sparse by row, and of one of scores."""
    grades, values = _first_values(relevant), _first_values(scores)
    grades = grades[grades != 0]
    is_below = bool(((grades < 0) & (grades != np.floor(grades))).any())
    if not (is_below or look_like_scores(grades)):
        return
    function = "from_score_matrix"
    if len(values) and np.isin(values, (0, 1)).all():
        got = "only 0 and 1, with real numbers as 'relevant',"
        fail("scores", function, "be what a model predicts", got, fix_order(function))
    check_swap(grades, values, np.zeros(len(values)), function)


def _first_values(matrix: Any) -> np.ndarray:
    stored = matrix.data if hasattr(matrix, "indptr") else matrix[: 1 + N_VALUES // max(1, matrix.shape[1])]
    values: np.ndarray = np.ravel(stored)[:N_VALUES].astype(np.float64)
    return values[np.isfinite(values)]
