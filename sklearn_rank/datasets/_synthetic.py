"""Synthetic queries, similar to `make_regression`."""

from __future__ import annotations

import numpy as np

from .._checks import explain_parameters
from .._checks.arrays import to_float
from .._checks.errors import check_count, fail, is_int, is_real
from .._checks.options import check_flag, check_random
from .._checks.types import RandomState


@explain_parameters
def make_ranking(
    n_queries: int = 100,
    n_documents: int | tuple[int, int] = (5, 30),
    n_features: int = 10,
    *,
    n_informative: int | None = None,
    n_grades: int = 5,
    noise: float = 1.0,
    shuffle: bool = False,
    coef: bool = False,
    random_state: RandomState = None,
) -> tuple[np.ndarray, ...]:
    """Generate a ranking problem with features, graded labels and query ids.

    A document's relevance is the sum of a linear function of its informative features, an offset of its
    query, which does not affect rankings, and noise. Quantiles of relevance over all documents become grades:
    each grade is half as frequent as the grade below.

    Parameters
    ----------
    n_queries : int, default=100
        Number of queries.
    n_documents : int or (int, int), default=(5, 30)
        Number of documents per query, or the inclusive range from which it is drawn for each query.
    n_features : int, default=10
        Number of features.
    n_informative : int, default=None
        Number of features that affect relevance, starting with the first. If `None`, min(5, n_features).
    n_grades : int, default=5
        Number of grades, from 2 to 1000; labels are 0, ..., n_grades - 1.
    noise : float, default=1.0
        Standard deviation of the noise; the standard deviation of the linear function is 1.
    shuffle : bool, default=False
        Whether to shuffle the rows, so that the rows of a query are not consecutive.
    coef : bool, default=False
        Whether to also return the coefficients.
    random_state : int, RandomState instance or None, default=None
        Seed of the random numbers. If `None`, each call returns other data.

    Returns
    -------
    X : ndarray of shape (n_rows, n_features)
        Standard normal features.
    y : ndarray of int of shape (n_rows,)
        Grades.
    groups : ndarray of int of shape (n_rows,)
        Query ids 0, ..., n_queries - 1.
    coef : ndarray of shape (n_features,)
        Coefficients; only with ``coef=True``.

    Examples
    --------
    >>> from sklearn_rank.datasets import make_ranking
    >>> X, y, groups = make_ranking(n_queries=3, n_documents=4, random_state=0)
    >>> X.shape, groups.tolist()
    ((12, 10), [0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2])
    """
    check_count(n_queries, 1, "n_queries")
    check_count(n_features, 1, "n_features")
    if not is_int(n_grades) or not 2 <= n_grades <= 1000:
        fail("n_grades", "be an int from 2 to 1000", repr(n_grades))
    low, high = _check_range(n_documents)
    if int(n_queries) * int(high) * int(n_features) >= 2**32:
        sizes = {"n_queries": n_queries, "n_documents": high, "n_features": n_features}
        largest = max(sizes, key=sizes.__getitem__)
        fail(largest, "be small enough for n_queries * n_documents * n_features < 2**32", sizes[largest])
    if n_informative is None:
        n_informative = min(5, n_features)
    if not is_int(n_informative) or not 1 <= n_informative <= n_features:
        fail("n_informative", f"be None or an int from 1 to n_features ({n_features})", repr(n_informative))
    if not (is_real(noise) and 0 <= to_float(noise) <= 1e100):
        fail("noise", "be a number from 0 to 1e100", repr(noise))
    check_flag(shuffle, "shuffle")
    check_flag(coef, "coef")
    rng = check_random(random_state)
    groups = np.repeat(np.arange(n_queries), rng.randint(low, high + 1, n_queries))
    X = rng.standard_normal((len(groups), n_features))
    weights = np.zeros(n_features)
    weights[:n_informative] = rng.standard_normal(n_informative)
    weights /= np.linalg.norm(weights)
    relevance = X @ weights + rng.standard_normal(n_queries)[groups] / 2
    relevance += float(noise) * rng.standard_normal(len(groups))
    shares = 0.5 ** np.arange(n_grades)
    edges = np.quantile(relevance, np.cumsum(shares / shares.sum())[:-1])
    y = np.searchsorted(edges, relevance)
    if shuffle:
        order = rng.permutation(len(groups))
        X, y, groups = X[order], y[order], groups[order]
    return (X, y, groups, weights) if coef else (X, y, groups)


def _check_range(n_documents: object) -> tuple[int, int]:
    """Return the lowest and the highest number of documents."""
    bounds = n_documents if isinstance(n_documents, tuple | list) else (n_documents, n_documents)
    if len(bounds) != 2 or not all(map(is_int, bounds)) or not 1 <= bounds[0] <= bounds[1] < 2**31:
        rule = "be an int >= 1 or a pair (lowest, highest) of such ints, below 2**31"
        fail("n_documents", rule, repr(n_documents))
    return bounds[0], bounds[1]
