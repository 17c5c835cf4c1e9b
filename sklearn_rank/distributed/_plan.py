"""What is asked of rows by name."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from ..metrics import Given
from ._evaluator import RankingEvaluator


class Plan(NamedTuple):
    """Which columns are read, what scores them, and how."""

    names: Given
    make: Callable[..., RankingEvaluator]  # an evaluator, of a `partition` and in `n_jobs` threads
    keep: str
    together: bool  # whether the rows of each query are
    n_jobs: int | None
    max_memory: float | None
    progress: bool
    function: str
