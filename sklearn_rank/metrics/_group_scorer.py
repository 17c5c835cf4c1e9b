"""The factory of scorers of any metric per group."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np

from .._checks.errors import fail
from .._checks.options import check_choice, check_flag, check_options
from .._checks.types import ArrayLike, PlainAverage, Response
from ._group_score import group_score
from ._scorers.factories import keep_changed, make_scorer_of
from ._scorers.scorer import RankingScorer


def make_group_scorer(
    score_func: Callable[..., float],
    *,
    response_method: Response | Sequence[Response] = "predict",
    greater_is_better: bool = True,
    average: PlainAverage = "macro",
    zero_division: float = np.nan,
    groups: str | None = None,
    labels: str | ArrayLike | None = None,
    **kwargs: Any,
) -> RankingScorer:
    """Make a scorer of any metric per group, as scikit-learn's `make_scorer` does of all rows.

    Parameters
    ----------
    score_func : callable
        A function ``score_func(y_true, y_pred, **kwargs)`` that returns a number.
    response_method : {"predict", "predict_proba", "decision_function"} or list of them, default="predict"
        Methods of the model to ask, the first that it has.
    greater_is_better : bool, default=True
        Whether `score_func` is a score or a loss; of a loss the scorer returns the negative.
    average, zero_division
        As in :func:`group_score`; `average` may not be None.
    groups : str, default=None
        Name of an index level of X or y, or of a column of X, that holds the ids. None: they come as
        ``groups=`` with the call.
    labels : str or array-like, default=None
        Name of other labels than `y` to score by, see :class:`RankingScorer`. What is no text is an argument
        of `score_func`, as `log_loss` has it.
    **kwargs
        Further arguments of `score_func`.

    Returns
    -------
    RankingScorer
        A callable ``scorer(estimator, X, y, groups=ids)`` that returns a float.

    Raises
    ------
    ValueError
        If an argument breaks a rule above; the message names it.

    Examples
    --------
    >>> from sklearn.linear_model import LinearRegression
    >>> from sklearn.metrics import mean_absolute_error
    >>> from sklearn_rank import cross_val_score, make_group_scorer
    >>> from sklearn_rank.datasets import make_ranking
    >>> X, y, users = make_ranking(random_state=0)
    >>> scorer = make_group_scorer(mean_absolute_error, greater_is_better=False)
    >>> cross_val_score(LinearRegression(), X, y, scoring=scorer, groups=users).shape
    (5,)
    """
    function = "make_group_scorer"
    if not callable(score_func):
        fail("score_func", function, "be a function of y_true and y_pred", repr(score_func))
    check_flag(greater_is_better, "greater_is_better", function)
    if labels is not None and not isinstance(labels, str):
        kwargs, labels = {**kwargs, "labels": labels}, None
    if "sample_weight" in kwargs:
        fail(
            "sample_weight", function, "come with the call: one weight per row", repr(kwargs["sample_weight"])
        )
    check_options(function, average=average, zero_division=zero_division)
    check_choice("average", average, ("macro", "weighted"), function)
    given = {"average": average, "zero_division": zero_division}
    options = {**keep_changed(given, group_score), **kwargs}
    metric = partial(group_score, score_func)
    return make_scorer_of(
        function, metric, options, groups, response_method, greater_is_better, labels=labels
    )
