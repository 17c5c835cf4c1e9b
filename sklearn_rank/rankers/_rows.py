"""What the rankers share: rows brought together by query, and the score."""

from typing import Any, NamedTuple

import numpy as np
from scipy.sparse import csr_matrix, issparse
from sklearn.utils import RegressorTags

from .._data import as_numpy, check_entries, count_rows, resolve_groups, take
from .._validation import MISSING_TYPES, check_constant, check_groups, check_weights, fail
from .._warn import warn_user
from ..metrics import ndcg_score


class QueryRows(NamedTuple):
    """The judged rows of each query, one query after another."""

    rows: np.ndarray | None  # their stable order; None where that is all rows as they are
    labels: np.ndarray  # of each, in that order
    codes: np.ndarray  # the query of each
    sizes: np.ndarray


def group_rows(function: str, groups: Any, X: Any, row_data: dict[str, Any], prefix: str = "") -> QueryRows:
    """Bring the rows of each query together, stably, and leave out those without a label."""
    parameter, n_rows = f"{prefix}groups", count_rows(X, function, f"{prefix}X")
    for name, values in row_data.items():
        if values is not None:
            check_entries(values, n_rows, function, name)
    y = as_labels(row_data[f"{prefix}y"], function, f"{prefix}y")
    ids = resolve_groups(groups, X, row_data[f"{prefix}y"], function, parameter, columns=False)
    ids = check_groups(ids, n_rows, function, parameter)
    judged = np.flatnonzero(~np.isnan(y)) if y.dtype.kind == "f" else np.arange(n_rows)
    if not len(judged):
        fail(f"{prefix}y", function, "have a label that is not NaN", f"{n_rows} NaN")
    _, codes, sizes = np.unique(ids[judged], return_inverse=True, return_counts=True)
    order = np.argsort(codes, kind="stable")
    rows = judged[order]
    as_they_are = len(rows) == n_rows and bool((rows[1:] > rows[:-1]).all())
    moved = None if as_they_are else rows
    return QueryRows(moved, take(y, moved), codes[order], sizes)


def as_labels(y: Any, function: str, parameter: str = "y") -> np.ndarray:
    """Return labels as an array, NaN where missing."""
    rule = "hold numbers, NaN where not judged"
    try:
        is_masked = isinstance(y, np.ma.MaskedArray)
        labels = np.ma.filled(y.astype(np.float64), np.nan) if is_masked else np.asarray(y)
        if labels.dtype == object:
            missing = [type(label).__name__ in MISSING_TYPES for label in labels.ravel().tolist()]
            labels = np.where(np.reshape(missing, labels.shape), np.nan, labels).astype(np.float64)
    except (TypeError, ValueError, OverflowError) as error:
        fail(parameter, function, rule, f"what is none ({error})")
    if labels.dtype.kind not in "biuf":
        fail(parameter, function, rule, f"dtype {labels.dtype}")
    return labels


def take_queries(X: Any, queries: QueryRows) -> tuple[Any, np.ndarray]:
    """Return features and labels of the judged rows, one query after another."""
    return take(readable(X), queries.rows), queries.labels


def weigh_queries(
    function: str, weights: Any, queries: QueryRows, n_rows: int, parameter: str = "sample_weight"
) -> np.ndarray | None:
    """Return the weight of each query from weights by row."""
    checked = check_weights(weights, n_rows, "row", function, parameter)
    if checked is None:
        return None
    in_order = take(checked, queries.rows)
    firsts = np.cumsum(queries.sizes) - queries.sizes
    check_constant(in_order, firsts, queries.sizes, function, parameter)
    return in_order[firsts]


# Features, labels, ids and, by name, what else is given of each row.
EvalSet = tuple[Any, Any, Any, dict[str, Any]]


def check_eval_sets(function: str, eval_set: Any, eval_groups: Any, **given: Any) -> list[EvalSet]:
    """Return the features, the labels, the ids and what else is given of each evaluation set."""
    given = {name: values for name, values in given.items() if values is not None}
    if eval_set is None:
        for name in [*(["eval_groups"] if eval_groups is not None else []), *given]:
            fail(name, function, "come with 'eval_set'", f"{name!r} alone")
        return []
    is_pair = isinstance(eval_set, tuple) and len(eval_set) == 2 and not isinstance(eval_set[0], tuple)
    sets = [eval_set] if is_pair else list(eval_set)
    if any(not isinstance(pair, list | tuple) or len(pair) != 2 for pair in sets):
        kinds = ", ".join(type(pair).__name__ for pair in sets)
        fail("eval_set", function, "be a list of pairs (X, y)", kinds)
    for name, values in {"eval_groups": eval_groups, **given}.items():
        if not isinstance(values, list | tuple) or len(values) != len(sets):
            got = len(values) if isinstance(values, list | tuple) else type(values).__name__
            fail(name, function, f"be a list with an entry per evaluation set, {len(sets)}", got)
    row_data = [{name: values[i] for name, values in given.items()} for i in range(len(sets))]
    return [(X, y, ids, data) for (X, y), ids, data in zip(sets, eval_groups, row_data)]


def warn_of_one_query(function: str) -> None:
    """Warn that rows came without ids where that is allowed."""
    message = f"{function} got no query ids in 'groups': all rows are taken for one query."
    warn_user(message)


def readable(X: Any) -> Any:
    """Return in another form what not all libraries read: pyarrow, polars' categories, other arrays."""
    if issparse(X):
        return csr_matrix(X)  # of sparse arrays, too
    X = as_numpy(X)
    library = type(X).__module__.partition(".")[0]
    if library == "polars":
        has_categories = {str(kind.base_type()) for kind in X.schema.values()} & {"Categorical", "Enum"}
        return X.to_pandas() if has_categories else X
    return X.to_pandas() if library == "pyarrow" else X


Mixin: Any = object  # type checkers then expect what the classes have that it is mixed into


class ScoresByNDCG(Mixin):
    """The `score` of a ranker: its mean NDCG per query."""

    needs_groups = True  # else, without ids, all rows are one query
    fits_with_routing = True  # metadata routing, where it is enabled, changes nothing in its `fit`

    def __sklearn_tags__(self) -> Any:
        # For scikit-learn, what predicts a number per row is a regressor: it knows no rankers.
        tags = super().__sklearn_tags__()
        tags.estimator_type = "regressor"
        tags.regressor_tags = RegressorTags(poor_score=True)
        return tags

    def score(self, X: Any, y: Any, groups: Any = None, sample_weight: Any = None) -> float:
        """Return the mean NDCG of the queries, by `ndcg_score` with its defaults.

        Parameters
        ----------
        X : array-like of shape (n_rows, n_features)
            Features.
        y : array-like of shape (n_rows,)
            Grades >= 0.
        groups : array-like of shape (n_rows,) or str
            Query id of each row, or the name of an index level of X or y.
        sample_weight : array-like of shape (n_rows,), default=None
            Query weights, repeated on each row of the query.

        Returns
        -------
        float
            NDCG in [0, 1].

        Raises
        ------
        ValueError
            If ids are missing.
        """
        function = f"{type(self).__name__}.score"
        ids = resolve_groups(groups, X, y, function, columns=False)
        if ids is None and not self.needs_groups:
            warn_of_one_query(function)
            ids = np.zeros(count_rows(X, function))
        else:
            ids = check_groups(ids, count_rows(X, function), function)
        return ndcg_score(y, self.predict(X), groups=ids, sample_weight=sample_weight)


class BoostedRanker(ScoresByNDCG):
    """What the rankers of the boosting libraries share."""

    def predict(self, X: Any, *args: Any, **options: Any) -> np.ndarray:
        """Score documents; higher is better.

        Parameters
        ----------
        X : array-like of shape (n_rows, n_features)
            Features.
        *args, **options
            As in the library.

        Returns
        -------
        ndarray of shape (n_rows,)
            Scores.
        """
        return super().predict(readable(X), *args, **options)
