"""A permutation test of a model, with labels permuted within queries."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import sklearn.model_selection
from sklearn import config_context
from sklearn.utils.parallel import Parallel, delayed

from .._checks.containers import column_names, has_column, permute_column, permute_within, take
from .._checks.errors import check_count
from .._checks.options import check_random
from .._checks.types import (
    ArrayLike,
    Estimator,
    Features,
    Groups,
    Labels,
    Options,
    RandomState,
    Scorer,
    Splitter,
    Table,
)
from ..reports import find_scale, subtract_equal
from ._calls.call import Arguments, Call, prepare_call, run_call
from ._calls.scoring import check_single


def permutation_test_score(
    estimator: Estimator,
    X: Features,
    y: ArrayLike | None,
    *,
    groups: Groups = None,
    cv: Splitter = None,
    n_permutations: int = 100,
    n_jobs: int | None = None,
    random_state: RandomState = 0,
    verbose: int = 0,
    scoring: Scorer | None = None,
    params: Mapping[str, Any] | None = None,
) -> tuple[float, np.ndarray, float]:
    """Test whether a model ranks better than it would if labels meant nothing within their query.

    As :func:`sklearn.model_selection.permutation_test_score`, with labels permuted within queries, so that
    each keeps its own, and with the same folds each time. Without `groups` it is that function.

    Parameters
    ----------
    estimator, X, y, n_permutations, n_jobs, random_state, verbose
        As in scikit-learn.
    groups, cv, params
        As in :func:`cross_validate`.
    scoring : str, callable or None, default=None
        One scorer, or the name of one, such as "ndcg@10".

    Returns
    -------
    score : float
        The mean score of the folds.
    permutation_scores : ndarray of shape (n_permutations,)
        That of each permutation.
    pvalue : float
        The share of permutations, and of the labels as they are, that score no less than `score`; in
        [1 / (n_permutations + 1), 1], or nan if `score` is.

    Raises
    ------
    ValueError
        As :func:`cross_validate`.

    Examples
    --------
    >>> from sklearn.linear_model import Ridge
    >>> from sklearn_rank import permutation_test_score
    >>> from sklearn_rank.datasets import make_ranking
    >>> X, y, qid = make_ranking(random_state=0)
    >>> options = {"groups": qid, "scoring": "ndcg@10", "n_permutations": 19}
    >>> permutation_test_score(Ridge(), X, y, **options)[2]
    0.05
    """
    given = dict(locals())
    check_count(n_permutations, 1, "n_permutations")
    call = prepare_call(Arguments(estimator, X, y, groups, scoring, cv, params))
    check_single(scoring)
    codes = call.codes
    if codes is None:
        return run_call("permutation_test_score", call, given)
    options = {"scoring": call.scoring, "cv": call.cv, "params": call.params}
    with config_context(enable_metadata_routing=True):
        score = _mean_score(call.estimator, X, y, options)
        random = check_random(random_state)
        scores = Parallel(n_jobs=n_jobs, verbose=verbose)(
            delayed(_mean_score)(
                call.estimator,
                _permute_named(X, call, order),
                _permute_named(_permute(y, order), call, order),
                _permute_labels(options, call, order),
            )
            for order in (permute_within(codes, random) for _ in range(n_permutations))
        )
    permuted = np.array(scores)
    apart = subtract_equal(permuted, score, find_scale(permuted))
    p_value = (np.count_nonzero(apart >= 0) + 1) / (n_permutations + 1)
    return score, permuted, float("nan") if np.isnan(score) else float(p_value)


def _permute(y: Labels, order: np.ndarray) -> Features:
    """Return labels in another order; an index of pandas keeps its order, which is that of the rows."""
    permuted = take(y, order)
    return permuted.set_axis(y.index) if hasattr(y, "iloc") else permuted


def _permute_labels(options: Options, call: Call, order: np.ndarray) -> Options:
    """Return the options with labels to score by in the same order as those to train on."""
    permuted = {name: _permute(call.params[name], order) for name in call.labels}
    return {**options, "params": {**call.params, **permuted}} if permuted else options


def _permute_named(data: Table, call: Call, order: np.ndarray) -> Features:
    """Return data whose labels to score by agree with the permuted ones: a search inside compares them.

    A column is permuted, as they are; an index level, which also names the rows, loses its name.
    """
    for name in call.labels:
        names = getattr(getattr(data, "index", None), "names", None) or ()
        if name in names:
            level_names = [None if each == name else each for each in names]
            data = data.set_axis(data.index.set_names(level_names))
        elif has_column(data, name):
            data = permute_column(data, list(column_names(data)).index(name), order)
    return data


def _mean_score(estimator: Estimator, X: Features, y: Labels, options: Options) -> float:
    """Return the mean score of the folds."""
    scores = sklearn.model_selection.cross_val_score(estimator, X, y, error_score="raise", **options)
    return float(scores.mean())
