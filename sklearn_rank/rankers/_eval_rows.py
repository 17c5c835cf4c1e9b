"""Rows of evaluation sets: as scorers see them, and as boosting libraries do."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np

from .._checks.arrays import flatten
from .._checks.containers import count_rows, take
from .._checks.errors import fail
from ..metrics import RankingScorer, caution_labels, prepare_rows, score_prepared
from ._query_rows import RankingData, group_rows, show_labels, weigh_queries


class EvalRows:
    """Rows of one evaluation set, prepared the first time that a scorer scores them."""

    def __init__(self, labels: Any, codes: np.ndarray, weights: Any = None):
        self.labels = labels  # NaN where not judged
        self.codes = codes  # of the queries
        self.weights = weights  # used by scorers that request them
        self._prepared: dict[tuple[str, bool], Any] = {}  # by scorer
        self._shown_as: dict[Any, np.ndarray] = {}  # by dtype

    @cached_property
    def shown(self) -> np.ndarray:
        """Return the labels that a library gets."""
        return show_labels(self.labels)

    def show_as(self, dtype: Any) -> np.ndarray:
        """Return these labels in the dtype of a library, which asks for it after each tree."""
        if dtype not in self._shown_as:
            self._shown_as[dtype] = self.shown.astype(dtype)
        return self._shown_as[dtype]

    @cached_property
    def sizes(self) -> np.ndarray:
        """Return the number of rows of each query."""
        return np.bincount(self.codes)

    def prepare(self, scorer: RankingScorer) -> Any:
        """Check labels and weights for a scorer, and keep what does not depend on scores."""
        function = f"{scorer.describe()}.score_rows"
        key = function, weighs(scorer)
        if key not in self._prepared:
            weights = self._weights_for(scorer)
            self._prepared[key] = prepare_rows(scorer, self.labels, self.codes, weights, function)
        return self._prepared[key]

    def caution(self, scorer: RankingScorer, function: str) -> None:
        """Warn if every ranking of these rows has the same value."""
        caution_labels(function, self.prepare(scorer), scorer.list_requests(function))

    def score(self, scorer: RankingScorer, y_score: Any) -> Any:
        """Return the value of a scorer for the scores that a model gives these rows."""
        if not self.is_plain or type(y_score) is not np.ndarray or type(scorer) is not RankingScorer:
            weights = self._weights_for(scorer)
            return scorer.score_rows(self.labels, y_score, groups=self.codes, sample_weight=weights)
        return score_prepared(scorer, self.prepare(scorer), y_score, f"{scorer.describe()}.score_rows")

    def _weights_for(self, scorer: RankingScorer) -> Any:
        return self.weights if weighs(scorer) else None

    @property
    def is_plain(self) -> bool:
        """Return whether all values are plain arrays, without an index or a mask."""
        return all(type(values) is np.ndarray for values in (self.labels, self.weights) if values is not None)

    def equals(self, other: EvalRows) -> bool:
        """Return whether labels, queries and weights are equal."""
        pairs = (
            (self.labels, other.labels),
            (self.codes, other.codes),
            (self.weights, other.weights),
        )
        return all(are_equal(mine, theirs) for mine, theirs in pairs)


def are_equal(one: Any, other: Any) -> bool:
    """Return whether two arrays are equal, NaN included, or both None."""
    if one is None or other is None:
        return one is other
    return np.array_equal(one, other, equal_nan=one.dtype.kind == "f")


def weighs(scorer: RankingScorer) -> bool:
    """Return whether a scorer requests weights, by `set_score_request`."""
    return bool(scorer.get_metadata_routing().score.requests["sample_weight"])


def read_eval_rows(
    function: str, sets: Sequence[RankingData], scorers: Sequence[RankingScorer], *, training: bool = False
) -> list[EvalRows]:
    """Return the rows that scorers score after each round: evaluation sets or training rows.

    Warnings concern evaluation sets, because training rows do not decide when training stops.
    """
    prefix, found = "" if training else "eval_", []
    label, weight = f"{prefix}y", f"{prefix}sample_weight"
    for X, y, groups, row_data in sets if scorers else []:
        weights = row_data.get(weight) if any(map(weighs, scorers)) else None
        queries = group_rows(function, groups, X, {label: y, weight: weights}, prefix, unjudged=not training)
        check_judged(function, label, queries.labels, scorers)
        n_rows = count_rows(X, function)
        weigh_queries(function, weights, queries, n_rows, weight, "Scorers take one weight per query.")
        weights = None if weights is None else take(flatten(np.asarray(weights)), queries.rows)
        rows = EvalRows(queries.labels, queries.codes, weights)
        for scorer in scorers:
            if type(scorer) is RankingScorer and not training:
                rows.caution(scorer, f"{function} ({scorer.describe()})")
        found.append(rows)
    return found


def check_judged(
    function: str, parameter: str, labels: np.ndarray, scorers: Sequence[RankingScorer], where: str = ""
) -> None:
    """Check that no label is missing if a scorer rejects missing labels."""
    n_missing = np.isnan(labels).sum()
    for scorer in scorers if n_missing else []:
        if scorer.unjudged == "raise":
            as_0 = scorer.describe(unjudged="nonrelevant")
            rule = f"not contain NaN{where} when the eval_metric has unjudged='raise'"
            fix = f"If NaN means not judged, pass eval_metric={as_0} (count as 0), or unjudged='drop'."
            if ":" in scorer.metrics:  # the name of another library's metric, which takes no such option
                fix = "Leave out the rows whose label is NaN."
            fail(parameter, function, rule, f"{n_missing} NaN", fix)
