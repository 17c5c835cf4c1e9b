"""What the rankers share: rows brought together by query, and the score."""

from typing import Any, NamedTuple

import numpy as np
from scipy.sparse import csr_matrix, issparse
from sklearn.utils import RegressorTags, column_or_1d

from .._checks.codes import MISSING_TYPES, rank_ids
from .._checks.containers import (
    as_numpy,
    check_entries,
    check_same_order,
    column_names,
    count_rows,
    resolve_groups,
    take,
)
from .._checks.errors import fail
from .._checks.foreign_arguments import explain_parameters
from .._checks.groups import check_groups
from .._checks.warn import warn_user
from .._checks.weights import check_constant, check_weights
from ..metrics import ndcg_score

IN_PIPELINES = (
    "A pipeline hands ids on to its steps only with sklearn.set_config(enable_metadata_routing=True); a "
    "scorer takes them always: ndcg_scorer()(model, X, y, groups=qid)"
)


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
    y = column_or_1d(y, warn=True) if y.ndim == 2 and y.shape[1] == 1 else y
    ids = resolve_groups(groups, X, row_data[f"{prefix}y"], function, parameter, columns=False)
    if ids is None:
        step = f"; in a pipeline {function.partition('.')[0].lower()}__{parameter}=qid"
        fail(
            parameter,
            function,
            f"hold the query id of each row, {parameter}=qid{'' if prefix else step}",
            None,
        )
    ids = check_groups(ids, n_rows, function, parameter)
    judged = np.flatnonzero(~np.isnan(y)) if y.dtype.kind == "f" else np.arange(n_rows)
    if not len(judged):
        fail(f"{prefix}y", function, "have a label that is not NaN", f"{n_rows} NaN")
    codes = rank_ids(ids[judged])
    order = np.argsort(codes, kind="stable")
    rows = judged[order]
    as_they_are = len(rows) == n_rows and bool((rows[1:] > rows[:-1]).all())
    moved = None if as_they_are else rows
    return QueryRows(moved, take(y, moved), codes[order], np.bincount(codes))


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


def warn_of_one_query(function: str, remedy: str) -> None:
    """Warn that rows came without ids where that is allowed."""
    warn_user(f"{function} got no query ids in 'groups': all rows are taken for one query. {remedy}")


def readable(X: Any) -> Any:
    """Return in another form what not all libraries read: lists, pyarrow, polars' categories and more."""
    if issparse(X):
        return csr_matrix(X)  # of sparse arrays, too
    X = np.asarray(X) if isinstance(X, list | tuple) else as_numpy(X)
    library = type(X).__module__.partition(".")[0]
    if library == "polars":
        kinds = {name: str(kind.base_type()) for name, kind in X.schema.items()}
        if not {"Categorical", "Enum"} & set(kinds.values()):
            return X
        frame = X.to_pandas()
        for name in (name for name, kind in kinds.items() if kind == "Enum"):
            frame[name] = frame[name].cat.as_unordered()  # LightGBM takes ordered ones for numbers
        return frame
    return X.to_pandas() if library == "pyarrow" else X


def name_columns(X: Any) -> list[Any] | None:
    """Return the names of the columns of a frame."""
    names = column_names(X)
    return None if names is None else list(names)


def check_columns(fitted: list[Any] | None, X: Any, function: str, parameter: str = "X") -> None:
    """Check that a frame has the columns of `fit`, in their order: not all libraries look.

    Names that are not all text, such as the numbers that pandas gives, only have to be in order.
    """
    names = name_columns(X)
    if fitted is None or names is None or names == fitted:
        return
    missing = [name for name in fitted if name not in names]
    unseen = [name for name in names if name not in fitted]
    are_text = all(isinstance(name, str) for name in [*fitted, *names])
    if (missing or unseen) and not are_text:
        return
    got = f"missing {missing[:5]}, unseen {unseen[:5]}" if missing or unseen else "another order"
    rule = "have the columns of fit, in their order, as X[model.feature_names_in_] has"
    fail(parameter, function, rule, got)


Mixin: Any = object  # type checkers then expect what the classes have that it is mixed into


class RankerMixin(Mixin):
    """What all rankers share: their score is their mean NDCG per query, and frames keep their columns."""

    __metadata_request__score = {"groups": True}  # noqa: RUF012 - scikit-learn's own way to declare requests
    needs_groups = True  # else, without ids, all rows are one query
    fits_with_routing = True  # metadata routing, where it is enabled, changes nothing in its `fit`
    _columns: list[Any] | None = None  # the names of the features of the last `fit`

    def __sklearn_tags__(self) -> Any:
        # For scikit-learn, what predicts a number per row is a regressor: it knows no rankers.
        tags = super().__sklearn_tags__()
        tags.estimator_type = "regressor"
        tags.regressor_tags = RegressorTags(poor_score=True)
        return tags

    @explain_parameters
    def score(self, X: Any, y: Any, *, groups: Any = None, sample_weight: Any = None) -> float:
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
        check_same_order(function, X=X, y=y, groups=groups, sample_weight=sample_weight)
        ids = resolve_groups(groups, X, y, function, columns=False)
        if ids is None and not self.needs_groups:
            warn_of_one_query(function, IN_PIPELINES)
            ids = np.zeros(count_rows(X, function))
        elif ids is None:
            fail("groups", function, f"hold the query id of each row, groups=qid. {IN_PIPELINES}", None)
        else:
            ids = check_groups(ids, count_rows(X, function), function)
        return ndcg_score(y, self.predict(X), groups=ids, sample_weight=sample_weight)
