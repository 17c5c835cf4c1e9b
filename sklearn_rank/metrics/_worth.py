"""What documents are worth by their label, and how much of it counts by their rank."""

import numpy as np

from .._checks.types import MaxGrade
from .._engine.ranked import Block


def find_worth(block: Block, min_relevance: float, max_grade: MaxGrade) -> np.ndarray:
    """Return what each document is worth, 0 to 1: is it relevant, or how high is its grade."""
    if max_grade is None:
        return block.marks(min_relevance)
    if max_grade != "query":
        return block.labels / max_grade
    highest = block.best_labels(1)
    return block.labels / np.where(highest > 0, highest, 1)


def add_weighted(values: np.ndarray, weights: np.ndarray, k: int | None, block: Block) -> np.ndarray:
    """Sum the expected value at each rank up to k times the weight of the rank."""
    expected = block.expected(values)
    return (expected * weights[: expected.shape[1]])[:, :k].sum(axis=1)
