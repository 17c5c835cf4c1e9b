"""Cross-validation with scikit-learn's signatures, whose `groups` reach splitter, model and scorer."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

import numpy as np
from sklearn import config_context

from .._checks.errors import fail
from .._checks.types import ArrayLike, Estimator, Features, Groups, Options, Scorer, Scoring, Splitter
from .._routing.model_calls import answers_by_groups, unwrap_model
from ._calls.call import Arguments, prepare_call, run_call
from ._calls.sample_model import call_on_rows
from ._calls.scoring import check_single
from ._splitters.group_kfold import RepeatedBalancedGroupKFold
from ._splitters.times import TimedSplitter

OF_CALLS = ("estimator", "X", "y", "groups", "scoring", "cv", "params")


def cross_validate(
    estimator: Estimator,
    X: Features,
    y: ArrayLike | None = None,
    *,
    groups: Groups = None,
    scoring: Scoring = None,
    cv: Splitter = None,
    n_jobs: int | None = None,
    verbose: int = 0,
    params: Mapping[str, Any] | None = None,
    pre_dispatch: int | str = "2*n_jobs",
    return_train_score: bool = False,
    return_estimator: bool = False,
    return_indices: bool = False,
    error_score: float | Literal["raise"] = np.nan,
) -> Options:
    """Evaluate metrics by cross-validation between queries.

    As :func:`sklearn.model_selection.cross_validate`, except for the parameters below.

    Parameters
    ----------
    estimator, X, y, n_jobs, verbose, pre_dispatch, return_train_score, return_estimator, return_indices, \
error_score
        As in scikit-learn.
    groups : array-like of shape (n_rows,) or str, default=None
        Query id of each row, or the name of an index level of X or y or of a column of X. They reach the
        splitter, every `fit` and `score` that takes `groups`, and the scorers. A column stays a feature, on
        which the model trains.
    scoring : str, list of str, callable, dict or None, default=None
        As in scikit-learn; names of ranking metrics such as "ndcg@10" too.
    cv : int, splitter, iterable or None, default=None
        None and an int mean :class:`BalancedGroupKFold` where there are `groups`. Another splitter that cuts
        queries gets a warning.
    params : dict, default=None
        Parameters of `fit`, as in scikit-learn with or without metadata routing, and labels that scorers ask
        for by name.

    Returns
    -------
    dict of str to ndarray of shape (n_splits,)
        As in scikit-learn.

    Raises
    ------
    ValueError
        If a ranking scorer has no ids, ids are missing or of mixed types, or the estimator refuses routing.

    Examples
    --------
    >>> from sklearn.linear_model import Ridge
    >>> from sklearn_rank import cross_validate
    >>> from sklearn_rank.datasets import make_ranking
    >>> X, y, qid = make_ranking(random_state=0)
    >>> results = cross_validate(Ridge(), X, y, groups=qid, scoring=["ndcg@10", "map"], cv=3)
    >>> sorted(results)
    ['fit_time', 'score_time', 'test_map', 'test_ndcg@10']
    """
    return validate_each(locals())


def validate_each(given: Mapping[str, Any]) -> Options:
    """Fit and score a model on each split, for a function that messages speak of."""
    call = prepare_call(Arguments(**{name: given[name] for name in OF_CALLS}))
    results = run_call("cross_validate", call, given)
    if "estimator" in results:
        results["estimator"] = [unwrap_model(model) for model in results["estimator"]]
    return results


def cross_val_score(
    estimator: Estimator,
    X: Features,
    y: ArrayLike | None = None,
    *,
    groups: Groups = None,
    scoring: Scorer | None = None,
    cv: Splitter = None,
    n_jobs: int | None = None,
    verbose: int = 0,
    params: Mapping[str, Any] | None = None,
    pre_dispatch: int | str = "2*n_jobs",
    error_score: float | Literal["raise"] = np.nan,
) -> np.ndarray:
    """Evaluate one metric by cross-validation between queries.

    As :func:`sklearn.model_selection.cross_val_score`, except for the parameters below.

    Parameters
    ----------
    estimator, X, y, n_jobs, verbose, pre_dispatch, error_score
        As in scikit-learn.
    groups, cv, params
        As in :func:`cross_validate`.
    scoring : str, callable or None, default=None
        One scorer, or the name of one, such as "ndcg@10".

    Returns
    -------
    ndarray of shape (n_splits,)
        The score of each fold.

    Raises
    ------
    ValueError
        As :func:`cross_validate`.

    Examples
    --------
    >>> from sklearn.linear_model import Ridge
    >>> from sklearn_rank import cross_val_score, ndcg_scorer
    >>> from sklearn_rank.datasets import make_ranking
    >>> X, y, qid = make_ranking(random_state=0)
    >>> scores = cross_val_score(Ridge(), X, y, scoring=ndcg_scorer(k=10), groups=qid)
    >>> len(scores)
    5
    """
    given = dict(locals())
    call = prepare_call(Arguments(estimator, X, y, groups, scoring, cv, params))
    check_single(scoring)
    return run_call("cross_val_score", call, given)


def cross_val_predict(
    estimator: Estimator,
    X: Features,
    y: ArrayLike | None = None,
    *,
    groups: Groups = None,
    cv: Splitter = None,
    n_jobs: int | None = None,
    verbose: int = 0,
    params: Mapping[str, Any] | None = None,
    pre_dispatch: int | str = "2*n_jobs",
    method: str = "predict",
) -> Any:
    """Predict each row by a model that was trained on other queries.

    As :func:`sklearn.model_selection.cross_val_predict`, except for the parameters below.

    Parameters
    ----------
    estimator, X, y, n_jobs, verbose, pre_dispatch, method
        As in scikit-learn.
    groups, cv, params
        As in :func:`cross_validate`.

    Returns
    -------
    ndarray
        As in scikit-learn.

    Raises
    ------
    ValueError
        As :func:`cross_validate`.

    Examples
    --------
    >>> from sklearn.linear_model import Ridge
    >>> from sklearn_rank import cross_val_predict
    >>> from sklearn_rank.datasets import make_ranking
    >>> X, y, qid = make_ranking(random_state=0)
    >>> cross_val_predict(Ridge(), X, y, groups=qid).shape == y.shape
    True
    """
    given = dict(locals())
    call = prepare_call(Arguments(estimator, X, y, groups, None, cv, params, scores=False))
    repeats = isinstance(cv, RepeatedBalancedGroupKFold) and cv.n_repeats != 1
    if repeats or isinstance(cv, TimedSplitter):  # scikit-learn wants each row once
        name = type(cv).__name__
        rule = (
            f"test each row once, as cv=5 does; of {name} fit and predict one split after another: {{split}}"
        )
        split = (
            f"for train, test in cv.split(X, y, groups=qid{', times=times' * isinstance(cv, TimedSplitter)})"
        )
        fail("cv", rule.format(split=split), name)
    if call.codes is not None and answers_by_groups(unwrap_model(call.estimator)):
        with config_context(enable_metadata_routing=True):
            call, given["X"] = call_on_rows(call, X, y)
    return run_call("cross_val_predict", call, given)
