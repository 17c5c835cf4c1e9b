"""A scorer of any metric per group."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from sklearn.metrics import make_scorer

from .._checks.errors import fail
from .._checks.options import check_choice, check_flag, check_options
from .._checks.types import ArrayLike, PlainAverage, Response
from ._group_score import group_score
from ._scorers.base import BaseScorer
from ._scorers.factories import check_labels_name, check_origins


class GroupScorer(BaseScorer):
    """Score a fitted model by any metric per group; made by `make_group_scorer`.

    Parameters
    ----------
    score_func : callable
        A function ``score_func(y_true, y_pred, **kwargs)``.
    kwargs : dict, default=None
        Further arguments of `score_func`.
    response_method : str or tuple of str, default="predict"
        Methods of the model to ask, the first that it has.
    greater_is_better : bool, default=True
        Whether to return the value or its negative.
    average : {"macro", "weighted"}, default="macro"
        Mean over groups.
    zero_division : {0.0, 1.0, nan}, default=nan
        Value of a group in which `score_func` is undefined.
    groups : str, default=None
        Name of an index level of X or y, or of a column of X, that holds the ids.
    score_request : dict, default=None
        What metadata routing should deliver, as set by `set_score_request`.
    labels : str, default=None
        Name of the labels to score by, as in :class:`RankingScorer`.
    """

    def __init__(
        self,
        score_func: Callable[..., float],
        kwargs: dict[str, Any] | None = None,
        response_method: Response | Sequence[Response] = "predict",
        greater_is_better: bool = True,
        average: PlainAverage = "macro",
        zero_division: float = np.nan,
        groups: str | None = None,
        score_request: dict[str, Any] | None = None,
        labels: str | None = None,
    ):
        self.score_func = score_func
        self.kwargs = kwargs
        self.response_method = response_method
        self.greater_is_better = greater_is_better
        self.average = average
        self.zero_division = zero_division
        self.groups = groups
        self.score_request = score_request
        self.labels = labels

    def describe(self, **changed: Any) -> str:
        """Return the call of the factory that makes this scorer."""
        own = {
            "greater_is_better": (self.greater_is_better, True),
            "average": (self.average, "macro"),
            "zero_division": (self.zero_division, np.nan),
        }
        arguments = {name: value for name, (value, default) in own.items() if repr(value) != repr(default)}
        arguments |= self.kwargs or {}
        name = getattr(self.score_func, "__name__", repr(self.score_func))
        return self.spell("make_group_scorer", name, arguments, "predict", changed)

    def _score(self, estimator: Any, X: Any, y_true: Any, groups: Any, sample_weight: Any) -> float:
        """Ask the model and compute the metric per group."""
        self.check_labels_unseen(estimator, self.response_method, X, y_true)
        options = {"average": self.average, "zero_division": self.zero_division, **(self.kwargs or {})}

        def compute(y_true: Any, y_pred: Any) -> Any:
            weights = {"sample_weight": sample_weight}
            return group_score(self.score_func, y_true, y_pred, groups=groups, **weights, **options)

        scorer = make_scorer(
            compute, response_method=self.response_method, greater_is_better=self.greater_is_better
        )
        return float(scorer(estimator, X, y_true))


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
) -> GroupScorer:
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
    GroupScorer
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
    check_labels_name(labels, groups, function)
    if "sample_weight" in kwargs:
        fail(
            "sample_weight", function, "come with the call: one weight per row", repr(kwargs["sample_weight"])
        )
    check_options(function, average=average, zero_division=zero_division)
    check_choice("average", average, ("macro", "weighted"), function)
    check_origins(groups, response_method, function, auto=False)
    return GroupScorer(
        score_func,
        kwargs or None,
        response_method,
        greater_is_better,
        average,
        zero_division,
        groups,
        labels=labels,
    )
