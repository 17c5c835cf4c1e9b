"""Rows sorted by query: for training of the boosting libraries, and for scorers on evaluation sets."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from scipy.sparse import csr_matrix, issparse
from sklearn.utils import column_or_1d

from .._checks.arrays import flatten, is_complex, is_masked
from .._checks.codes import MISSING_TYPES, first_rows, rank_ids
from .._checks.containers import as_numpy, check_entries, count_rows, resolve_groups, take
from .._checks.errors import fail, name_call
from .._checks.groups import check_groups, take_ids
from .._checks.rows import check_constant, check_weights
from .._checks.types import Features, Ids, Labels, Options, Scores, Weights
from ..metrics import RankingScorer, caution_labels, keep_label_metrics, prepare_rows, without_cautions

OF_SCIKIT_LEARN = (
    "Without metadata routing, scikit-learn's functions pass no groups to fit: use those of sklearn_rank, "
    "such as sklearn_rank.cross_val_score."
)


class RankingData(NamedTuple):
    """A data set in the caller's order: the training rows or an evaluation set."""

    X: Features
    y: Labels
    groups: Ids
    row_data: Options  # other data of each row, such as weights, by name
    labels: Mapping[str, Any] = {}  # labels other than y that scorers request, by name


class QueryRows(NamedTuple):
    """The rows sorted by query; in training, only the judged rows."""

    rows: np.ndarray | None  # row numbers sorted by query; None if all rows already are
    labels: np.ndarray  # in that order, as are `codes`
    codes: np.ndarray  # the query of each row, from 0
    sizes: np.ndarray
    ids: np.ndarray  # the id of each query

    @property
    def firsts(self) -> np.ndarray:
        """Return the index of the first row of each query."""
        firsts: np.ndarray = np.cumsum(self.sizes) - self.sizes
        return firsts


def group_rows(
    groups: Ids, X: Features, row_data: Options, prefix: str = "", *, unjudged: bool = False
) -> QueryRows:
    """Sort rows by query, keeping their order; keep rows without a label only if `unjudged`."""
    parameter, n_rows = f"{prefix}groups", count_rows(X, f"{prefix}X")
    for name, values in row_data.items():
        if name.endswith("sample_weight"):
            check_weights(values, n_rows, "row", name)
        elif values is not None:
            check_entries(values, n_rows, name)
    y = as_labels(row_data[f"{prefix}y"], f"{prefix}y")
    y = column_or_1d(y, warn=True) if y.ndim == 2 and y.shape[1] == 1 else y
    ids = resolve_groups(groups, X, row_data[f"{prefix}y"], parameter, columns=False)
    if ids is None:
        step = (
            f", or {name_call().partition('.')[0].lower()}__{parameter}=qid to a pipeline. {OF_SCIKIT_LEARN}"
        )
        fix = f"Pass {parameter}=qid{'.' if prefix else step}"
        fail(parameter, "contain the query id of each row", None, fix)
    given, ids = ids, check_groups(ids, n_rows, parameter)
    kept = np.flatnonzero(~np.isnan(y)) if y.dtype.kind == "f" else np.arange(n_rows)
    if not len(kept):
        fail(f"{prefix}y", "contain a label that is not NaN", f"{n_rows} NaN")
    kept = np.arange(n_rows) if unjudged else kept
    codes = rank_ids(ids[kept])
    order = np.argsort(codes, kind="stable")
    rows = kept[order]
    as_they_are = len(rows) == n_rows and bool((rows[1:] > rows[:-1]).all())
    moved = None if as_they_are else rows
    names = take_ids(given, kept[first_rows(codes)])
    return QueryRows(moved, take(y, moved), codes[order], np.bincount(codes), names)


def as_labels(y: Labels, parameter: str = "y") -> np.ndarray:
    """Return labels as an array, with NaN for missing ones."""
    rule = "contain numbers, or NaN for unjudged documents"
    try:
        labels = np.ma.filled(y.astype(np.float64), np.nan) if is_masked(y) else np.asarray(y)
        if labels.dtype == object:
            missing = [type(label).__name__ in MISSING_TYPES for label in labels.ravel().tolist()]
            labels = np.where(np.reshape(missing, labels.shape), np.nan, labels)
            with np.errstate(over="ignore"):  # infinite labels are rejected
                labels = labels if is_complex(labels) else labels.astype(np.float64)
    except (TypeError, ValueError, OverflowError) as error:
        fail(parameter, rule, f"other values ({error})")
    if is_complex(labels):
        fail(parameter, rule, "complex numbers")
    if labels.dtype.kind not in "biuf":
        fail(parameter, rule, f"dtype {labels.dtype}")
    return labels


def take_queries(X: Features, queries: QueryRows) -> tuple[Any, np.ndarray]:
    """Return features and labels sorted by query; labels of unjudged documents are 0."""
    return take(as_readable(X), queries.rows), show_labels(queries.labels)


def show_labels(labels: np.ndarray) -> np.ndarray:
    """Return labels for the libraries: 0 if a document is unjudged."""
    missing = np.isnan(labels)
    return np.where(missing, 0, labels) if missing.any() else labels


def weigh_queries(
    weights: Weights,
    queries: QueryRows,
    n_rows: int,
    parameter: str = "sample_weight",
    fix: str = "Weights apply to queries, not to documents.",
) -> np.ndarray | None:
    """Return the weight of each query from weights of rows, which must be the same within a query."""
    checked = check_weights(weights, n_rows, "row", parameter)
    if checked is None:
        return None
    in_order = take(checked, queries.rows)
    check_constant(in_order, queries.firsts, queries.sizes, parameter, fix)
    return in_order[queries.firsts]


def as_readable(X: Features) -> Any:
    """Return features in a form that all libraries read; convert lists, pyarrow and polars' categories."""
    if issparse(X):
        return csr_matrix(X)  # also for sparse arrays
    X = np.asarray(X) if isinstance(X, list | tuple) else as_numpy(X)
    library = type(X).__module__.partition(".")[0]
    if library == "polars":
        kinds = {name: str(kind.base_type()) for name, kind in X.schema.items()}
        if not {"Categorical", "Enum"} & set(kinds.values()):
            return X
        frame = X.to_pandas()
        for name in (name for name, kind in kinds.items() if kind == "Enum"):
            frame[name] = frame[name].cat.as_unordered()  # LightGBM reads ordered ones as numbers
        return frame
    return X.to_pandas() if library == "pyarrow" else X


class EvalRows(NamedTuple):
    """Rows of one evaluation set, sorted by query."""

    labels: np.ndarray  # NaN for unjudged documents
    codes: np.ndarray  # the query of each row
    weights: Weights = None  # used by scorers that request them
    ids: np.ndarray | None = None  # the id of each query
    others: Mapping[str, Any] = {}  # labels that scorers request by name

    def score(self, scorer: RankingScorer, y_score: Scores) -> Scores:
        """Return the value of a scorer for a model's scores, without cautions, which came before training."""
        weights = self.weights if weighs(scorer) else None
        with without_cautions():
            return scorer.score_rows(
                self.labels_of(scorer), y_score, groups=self.name_rows(scorer), sample_weight=weights
            )

    def labels_of(self, scorer: RankingScorer) -> np.ndarray:
        return self.labels if scorer.labels is None else self.others[scorer.labels]

    def name_rows(self, scorer: RankingScorer) -> np.ndarray:
        """Return the query of each row: its id if the scorer looks up labels by id, otherwise its code."""
        return self.codes if scorer.missed is None or self.ids is None else self.ids[self.codes]

    def equals(self, other: EvalRows) -> bool:
        """Return whether labels, NaN included, queries and weights are equal."""
        pairs = zip([self.labels, *self.others.values()], [other.labels, *other.others.values()])
        same_labels = all(np.array_equal(*pair, equal_nan=True) for pair in pairs)
        same_queries = np.array_equal(self.codes, other.codes)
        return same_labels and same_queries and np.array_equal(self.weights, other.weights)


def weighs(scorer: RankingScorer) -> bool:
    """Return whether a scorer requests weights, by `set_score_request`."""
    return bool(scorer.get_metadata_routing().score.requests["sample_weight"])


def read_eval_rows(
    sets: Sequence[RankingData], scorers: Sequence[RankingScorer], *, training: bool = False
) -> list[EvalRows]:
    """Return the rows that scorers score after each round: evaluation sets or training rows.

    Warnings concern evaluation sets, because training rows do not decide when training stops.
    """
    prefix, found = "" if training else "eval_", []
    label, weight = f"{prefix}y", f"{prefix}sample_weight"
    for X, y, groups, row_data, given in sets if scorers else []:
        weights = row_data.get(weight) if any(map(weighs, scorers)) else None
        queries = group_rows(groups, X, {label: y, weight: weights}, prefix, unjudged=not training)
        weigh_queries(weights, queries, count_rows(X), weight, "Scorers take one weight per query.")
        weights = None if weights is None else take(flatten(np.asarray(weights)), queries.rows)
        others = {name: take(values, queries.rows) for name, values in given.items()}
        rows = EvalRows(queries.labels, queries.codes, weights, queries.ids, others)
        for scorer in scorers:
            labels = rows.labels_of(scorer)
            check_judged(label if scorer.labels is None else "eval_labels", labels, [scorer])
            prepared = prepare_rows(
                scorer, labels, rows.name_rows(scorer), weights if weighs(scorer) else None
            )
            if not training:
                caution_labels(prepared, keep_label_metrics(scorer.list_requests()))
        found.append(rows)
    return found


def check_judged(
    parameter: str, labels: np.ndarray, scorers: Sequence[RankingScorer], where: str = ""
) -> None:
    """Check that no label is missing if a scorer rejects missing labels."""
    n_missing = np.isnan(labels).sum()
    for scorer in scorers if n_missing else []:
        if scorer.unjudged == "raise":
            as_0 = scorer.describe(unjudged="nonrelevant")
            rule = f"not contain NaN{where} when the eval_metric has unjudged='raise'"
            fix = f"If NaN means \"not judged\", pass eval_metric={as_0} (count as 0) or unjudged='drop'."
            if ":" in str(scorer.metrics):  # another library's metric, which has no such option
                fix = "Remove the rows whose label is NaN."
            fail(parameter, rule, f"{n_missing} NaN", fix)
