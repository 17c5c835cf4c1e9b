"""How much worse a ranker is without what a feature tells."""

from collections.abc import Mapping
from copy import deepcopy
from typing import Any, NamedTuple

import numpy as np
from scipy.sparse import csr_matrix, hstack, issparse
from sklearn import config_context, get_config
from sklearn.utils import Bunch
from sklearn.utils.metadata_routing import get_routing_for_object
from sklearn.utils.parallel import Parallel, delayed
from sklearn.utils.random import sample_without_replacement

from .._data import check_entries, count_rows, permute_within, resolve_groups, take
from .._options import check_flag, check_random
from .._validation import check_count, check_groups, fail, read_array
from ..metrics import GroupedScorer
from ..model_selection._requests import request_undecided_groups
from ..model_selection._routing import check_model
from ..model_selection._scoring import EstimatorScore, copy_scorers, resolve_scoring

ONLY = ""  # the name of a scorer that stands alone


def permutation_importance(
    estimator: Any,
    X: Any,
    y: Any,
    *,
    groups: Any = None,
    scoring: Any = None,
    n_repeats: int = 5,
    n_jobs: int | None = None,
    random_state: Any = None,
    sample_weight: Any = None,
    max_samples: float = 1.0,
    within_groups: bool = False,
) -> Any:
    """Measure how much a fitted model's score falls when a feature is permuted.

    As :func:`sklearn.inspection.permutation_importance` [1]_, with ids that reach the scorers.

    Parameters
    ----------
    estimator : object
        A fitted model.
    X : ndarray, frame or sparse matrix of shape (n_rows, n_features)
        Features, best of queries that the model was not trained on.
    y : array-like of shape (n_rows,)
        Relevance labels.
    groups : array-like of shape (n_rows,) or str
        Query id of each row, or the name of an index level of X or y or of a column of X.
    scoring : str, list of str, callable, dict or None, default=None
        As in :func:`cross_validate`; None is the model's own `score`.
    n_repeats : int, default=5
        Number of permutations of each feature.
    n_jobs : int, default=None
        Number of features to permute in parallel.
    random_state : int, RandomState instance or None, default=None
        Seed of the permutations.
    sample_weight : array-like of shape (n_rows,), default=None
        Weights for the scorers.
    max_samples : int or float, default=1.0
        Queries to draw in each repeat, whole and without replacement: a number, or a share in (0, 1].
    within_groups : bool, default=False
        Permute within queries only. A feature that is the same for all documents of a query then has no
        importance, and none is confused by values of other queries.

    Returns
    -------
    Bunch or dict of str to Bunch
        `importances`, ndarray of shape (n_features, n_repeats): the score on the queries drawn minus the one
        with the feature permuted. `importances_mean` and `importances_std`, ndarray of shape (n_features,).
        A dict by the names of the scores where `scoring` has several.

    Raises
    ------
    ValueError
        If a ranking scorer has no ids, or an option is out of its range.

    References
    ----------
    .. [1] L. Breiman, Random forests, Machine Learning 45, 2001.

    Examples
    --------
    >>> from sklearn.linear_model import Ridge
    >>> from sklearn_rank import permutation_importance
    >>> from sklearn_rank.datasets import make_ranking
    >>> X, y, qid = make_ranking(n_features=3, random_state=0)
    >>> model = Ridge().fit(X, y)
    >>> result = permutation_importance(model, X, y, groups=qid, scoring="ndcg@10", random_state=0)
    >>> result.importances.shape
    (3, 5)
    """
    function = "permutation_importance"
    check_count(n_repeats, 1, "n_repeats", function)
    check_flag(within_groups, "within_groups", function)
    check_model(estimator, function)
    scorers = _resolve(scoring, function)
    if groups is None:
        names = [scorer.groups for scorer in scorers.values() if isinstance(scorer, GroupedScorer)]
        groups = next((name for name in names if name is not None), None)
    ids = check_groups(resolve_groups(groups, X, y, function), count_rows(X, function), function)
    check_entries(y, len(ids), function, "y")
    if any(scorer is None for scorer in scorers.values()):
        estimator = _request_ids(estimator, function)
        own = EstimatorScore(estimator)
        scorers = {name: own if scorer is None else scorer for name, scorer in scorers.items()}
    codes = np.unique(ids, return_inverse=True)[1]
    n_queries = _count_queries(max_samples, int(codes.max()) + 1, function)
    X = X if hasattr(X, "shape") else read_array(X, "X", function, "have rows and columns")
    if len(X.shape) != 2:
        fail("X", function, "have rows and columns", f"shape {X.shape}")
    random = check_random(random_state, function)
    repeats = [_draw(codes, n_queries, within_groups, random) for _ in range(n_repeats)]
    data = Data(X, y, ids, sample_weight)
    with config_context(enable_metadata_routing=True):
        bases = [_score(scorers, estimator, data.take(repeat.rows)) for repeat in repeats]
        permuted = Parallel(n_jobs=n_jobs)(
            delayed(_score_permuted)(scorers, estimator, data, feature, repeats)
            for feature in range(X.shape[1])
        )
    results = {}
    for name in bases[0]:
        falls = [[base[name] - score[name] for base, score in zip(bases, scores)] for scores in permuted]
        mean, std = np.mean(falls, axis=1), np.std(falls, axis=1)
        results[name] = Bunch(importances_mean=mean, importances_std=std, importances=np.array(falls))
    return results[ONLY] if list(results) == [ONLY] else results


def _request_ids(estimator: Any, function: str) -> Any:
    """Let the model's own `score` get the ids wherever it takes them, as where the user has routing off."""
    if not hasattr(estimator, "score"):
        fail("scoring", function, "be given for a model that has no score", None)
    if get_config()["enable_metadata_routing"]:
        return estimator
    with config_context(enable_metadata_routing=True):
        try:
            return request_undecided_groups(deepcopy(estimator))
        except NotImplementedError:  # of a model that refuses routing
            return estimator


def _resolve(scoring: Any, function: str) -> dict[str, Any]:
    """Return scorers by name, the only one under a name of its own; None is the model's own score."""
    with config_context(enable_metadata_routing=True):
        scoring = copy_scorers(resolve_scoring(scoring, function))
    return dict(scoring) if isinstance(scoring, Mapping) else {ONLY: scoring}


class Data(NamedTuple):
    """Rows and what scorers get of them."""

    X: Any
    y: Any
    groups: np.ndarray
    sample_weight: Any

    def take(self, rows: np.ndarray | None) -> "Data":
        """Take some of the rows."""
        return Data(*(take(values, rows) for values in self))


class Repeat(NamedTuple):
    """Rows that were drawn, None for all, and the order to permute a feature's values by."""

    rows: np.ndarray | None
    order: np.ndarray


def _count_queries(max_samples: Any, n_queries: int, function: str) -> int:
    """Return how many queries to draw."""
    is_share = isinstance(max_samples, float | np.floating) and 0 < max_samples <= 1
    if not is_share:
        check_count(max_samples, 1, "max_samples", function, " or a float in (0, 1]")
        if max_samples > n_queries:
            fail("max_samples", function, f"not exceed the number of queries, {n_queries}", max_samples)
    return max(1, int(max_samples * n_queries)) if is_share else int(max_samples)


def _draw(codes: np.ndarray, n_queries: int, within_groups: bool, random: np.random.RandomState) -> Repeat:
    """Draw queries, and a permutation of their rows."""
    rows = None
    if n_queries <= codes.max():
        drawn = sample_without_replacement(codes.max() + 1, n_queries, random_state=random)
        rows = np.flatnonzero(np.isin(codes, drawn))
        codes = codes[rows]
    return Repeat(rows, permute_within(codes if within_groups else np.zeros_like(codes), random))


def _score(scorers: dict[str, Any], estimator: Any, data: Data) -> dict[str, float]:
    """Return the values of all scorers by name."""
    values: dict[str, float] = {}
    for name, scorer in scorers.items():
        metadata = {} if data.sample_weight is None else {"sample_weight": data.sample_weight}
        if _takes_groups(scorer):
            metadata["groups"] = data.groups
        value = scorer(estimator, data.X, data.y, **metadata)
        values |= value if isinstance(value, Mapping) else {name: value}
    return values


def _takes_groups(scorer: Any) -> bool:
    """Tell whether a scorer is to be called with ids."""
    if isinstance(scorer, GroupedScorer):
        return True
    try:
        return bool(get_routing_for_object(scorer).consumes("score", ["groups"]))
    except NotImplementedError:  # of a model that refuses routing
        return False


def _score_permuted(
    scorers: dict[str, Any], estimator: Any, data: Data, feature: int, repeats: list[Repeat]
) -> list[dict[str, float]]:
    """Score with one feature permuted, for each repeat."""
    scores = []
    for rows, order in repeats:
        drawn = data.take(rows)
        permuted = _permute_column(drawn.X, feature, order)
        scores.append(_score(scorers, estimator, drawn._replace(X=permuted)))
    return scores


def _permute_column(X: Any, feature: int, order: np.ndarray) -> Any:
    """Return a copy of an array or a frame with one column in another order."""
    if hasattr(X, "with_columns"):  # polars
        return X.with_columns(X[X.columns[feature]][order])
    if hasattr(X, "set_column"):  # pyarrow
        return X.set_column(feature, X.column_names[feature], X.column(feature).take(order))
    if issparse(X):
        X = X.tocsr()
        column = csr_matrix(X[:, [feature]].toarray()[order])
        return hstack([X[:, :feature], column, X[:, feature + 1 :]], format="csr")
    permuted = X.copy()
    if hasattr(X, "isetitem"):  # pandas
        permuted.isetitem(feature, X.iloc[order, feature].array)
    else:
        permuted[:, feature] = X[order, feature]
    return permuted
