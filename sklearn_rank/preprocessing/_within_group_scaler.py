"""Scaling of features within each query."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, OneToOneFeatureMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from .._checks.codes import rank_ids
from .._checks.containers import as_numpy, check_same_order, resolve_groups
from .._checks.errors import name_call
from .._checks.groups import check_groups
from .._checks.options import check_choice
from .._checks.types import ArrayLike, Features, Ids

WITHOUT_GROUPS = (
    "{call} received no query ids. Pass groups=qid, or put the ids into the index of a frame and call "
    "WithinGroupScaler(groups='qid'). For a pipeline, use sklearn_rank.cross_val_score(..., groups=qid) or "
    "sklearn_rank.WithGroups(pipeline).fit(X, y, groups=qid)."
)


class WithinGroupScaler(OneToOneFeatureMixin, TransformerMixin, BaseEstimator):
    """Transformer that scales each feature within each query.

    Each query is scaled by its own documents, in training and in prediction.

    Parameters
    ----------
    method : {"standard", "rank"}, default="standard"
        How to scale. "standard" subtracts the mean of the query and divides by its standard deviation, as
        :class:`sklearn.preprocessing.StandardScaler` does for all rows; a feature that is constant in a query
        becomes 0. "rank" computes the share of the other documents of the query with a lower value; equal
        values count half. The lowest value becomes 0, the highest 1, and the value of a single document 0.5.
    groups : str, default=None
        Name of the index level of X that contains the query ids; the `groups` of the methods are then
        ignored. If `None`, pass query ids as `groups` to `fit_transform` and `transform`, which request them
        from metadata routing.

    Attributes
    ----------
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of shape (n_features,)
        Names of the features, if X has them.

    Notes
    -----
    Missing values (NaN) stay missing. They are excluded from means, standard deviations and ranks.

    If query ids are in the index, an earlier step of a pipeline must not convert the frame to an array. Make
    the scaler the first step, or call ``set_output(transform="pandas")`` on the earlier step.

    Examples
    --------
    >>> from sklearn_rank.preprocessing import WithinGroupScaler
    >>> X, groups = [[1.0], [3.0], [10.0], [40.0]], ["shoes", "shoes", "hats", "hats"]
    >>> WithinGroupScaler().fit_transform(X, groups=groups).ravel()
    array([-1.,  1., -1.,  1.])
    """

    __metadata_request__fit = {"groups": True}  # noqa: RUF012 - scikit-learn's convention
    __metadata_request__transform = {"groups": True}  # noqa: RUF012

    def __init__(self, method: str = "standard", *, groups: str | None = None):
        self.method = method
        self.groups = groups

    def fit(self, X: Features, y: ArrayLike | None = None, groups: ArrayLike | None = None) -> Self:
        """Check options and features, without learning from them.

        Parameters
        ----------
        X, y, groups
            As in :meth:`fit_transform`; only checked.

        Returns
        -------
        WithinGroupScaler
            This scaler.
        """
        self._check_fit(X, groups)
        return self

    def fit_transform(
        self, X: Features, y: ArrayLike | None = None, groups: ArrayLike | None = None
    ) -> Features:
        """Scale each feature within each query.

        Parameters
        ----------
        X : array-like of shape (n_rows, n_features)
            Features.
        y : object
            Ignored.
        groups : array-like of shape (n_rows,), default=None
            Query id of each row, in any order. If `None`, ids are read from the index.

        Returns
        -------
        ndarray of shape (n_rows, n_features)
            Scaled features; a frame if requested by ``set_output``.
        """
        features, codes = self._check_fit(X, groups)
        if codes is None:
            raise ValueError(WITHOUT_GROUPS.format(call=name_call()))
        return self._scale(features, codes)

    def transform(self, X: Features, groups: ArrayLike | None = None) -> Features:
        """Scale each feature within each query.

        Parameters
        ----------
        X, groups
            As in :meth:`fit_transform`.

        Returns
        -------
        ndarray of shape (n_rows, n_features)
            Scaled features; a frame if requested by ``set_output``.
        """
        check_is_fitted(self)
        features = self._check_features(X, reset=False)
        return self._scale(features, self._read_codes(X, len(features), groups))

    def _check_fit(self, X: Features, groups: Ids) -> tuple[np.ndarray, np.ndarray | None]:
        """Check options, features and ids; return the features and, if there are ids, their codes."""
        check_choice("method", self.method, ("standard", "rank"))
        features = self._check_features(X, reset=True)
        if groups is None and self.groups is None:
            return features, None
        return features, self._read_codes(X, len(features), groups)

    def _scale(self, features: np.ndarray, codes: np.ndarray) -> np.ndarray:
        return _standardize(features, codes) if self.method == "standard" else _rank(features, codes)

    def _read_codes(self, X: Features, n_rows: int, groups: Ids) -> np.ndarray:
        """Return the code of each row's query."""
        groups = groups if self.groups is None else self.groups
        if groups is None:
            raise ValueError(WITHOUT_GROUPS.format(call=name_call()))
        check_same_order(X=X, groups=groups)
        ids = check_groups(resolve_groups(groups, X, None, columns=False), n_rows)
        return rank_ids(ids)

    def _check_features(self, X: Features, reset: bool) -> np.ndarray:
        dtypes = [np.float64, np.float32]
        X = as_numpy(X)
        return validate_data(self, X, dtype=dtypes, ensure_all_finite="allow-nan", reset=reset)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags


def _standardize(X: np.ndarray, codes: np.ndarray) -> np.ndarray:
    """Subtract the mean of each query and divide by its standard deviation, ignoring NaN."""
    order = np.argsort(codes, kind="stable")
    firsts = np.flatnonzero(np.diff(codes[order], prepend=-1))
    sizes = np.diff(firsts, append=len(codes))
    rows = X[order].astype(np.float64)
    known = ~np.isnan(rows)
    counts = np.maximum(np.add.reduceat(known, firsts, axis=0, dtype=np.float64), 1)
    lowest = np.minimum.reduceat(np.where(known, rows, np.inf), firsts, axis=0)
    highest = np.maximum.reduceat(np.where(known, rows, -np.inf), firsts, axis=0)
    varies = lowest < highest  # otherwise, only rounding errors are left after centering
    # Powers of 2 change no digit, and sums of numbers below 1 do not overflow.
    powers = -np.frexp(np.where(varies, np.maximum(-lowest, highest), 1))[1]
    lowest, highest = np.ldexp(lowest, powers), np.ldexp(highest, powers)
    rows = np.ldexp(rows, np.repeat(powers, sizes, axis=0))
    means = np.add.reduceat(np.where(known, rows, 0), firsts, axis=0) / counts
    spans = np.where(varies, highest - lowest, 1)  # squares of multiples of it neither overflow nor vanish
    centered = (rows - np.repeat(means, sizes, axis=0)) / np.repeat(spans, sizes, axis=0)
    squares = np.add.reduceat(np.where(known, centered**2, 0), firsts, axis=0)
    deviations = np.where(varies, np.sqrt(squares / counts), 1)
    centered = np.where(np.repeat(varies, sizes, axis=0), centered, np.where(known, 0, np.nan))
    result = np.empty_like(X)
    result[order] = centered / np.repeat(deviations, sizes, axis=0)
    return result


def _rank(X: np.ndarray, codes: np.ndarray) -> np.ndarray:
    """Return the share of the other documents of the query with a lower value; equal values count half."""
    result = np.full_like(X, np.nan)
    for column, ranks in zip(X.T, result.T):
        known = np.flatnonzero(~np.isnan(column))
        order = known[np.lexsort((column[known], codes[known]))]
        ranks[order] = _rank_sorted(column[order], codes[order])
    return result


def _rank_sorted(values: np.ndarray, codes: np.ndarray) -> np.ndarray:
    """Return the shares of `_rank` for values that are sorted within their queries."""
    if not len(values):
        return values
    new_query = np.diff(codes, prepend=-1) != 0
    new_value = new_query | np.append(True, values[1:] != values[:-1])
    starts = np.flatnonzero(new_query)
    sizes = np.diff(starts, append=len(values))
    ties = np.flatnonzero(new_value)
    n_tied = np.diff(ties, append=len(values))
    below = np.repeat(ties, n_tied) - np.repeat(starts, sizes)
    others_equal = np.repeat(n_tied, n_tied) - 1
    others = np.repeat(sizes, sizes) - 1
    return np.where(others > 0, (below + others_equal / 2) / np.maximum(others, 1), 0.5)
