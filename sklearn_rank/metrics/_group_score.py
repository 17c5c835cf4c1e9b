"""Scorers of functions of scikit-learn or of the user that are computed per group."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from inspect import Parameter, signature

import numpy as np

from .._checks import explain_parameters
from .._checks.errors import fail
from .._checks.options import check_choice, check_flag, check_options
from .._checks.types import ArrayLike, Function, Options, PlainAverage, ResponseMethod
from ._group_values import group_score
from ._scorers.factories import keep_changed, make_scorer_of
from ._scorers.scorer import RankingScorer

# Arguments that `make_scorer` of earlier versions of scikit-learn had, and their replacements.
FIXES = {
    "needs_proba": 'Pass response_method="predict_proba".',
    "needs_threshold": 'Pass response_method="auto".',
}


@explain_parameters
def make_group_scorer(
    score_func: Callable[..., float],
    *,
    response_method: ResponseMethod | None = None,
    greater_is_better: bool = True,
    average: PlainAverage = "macro",
    zero_division: float = np.nan,
    groups: str | None = None,
    labels: str | ArrayLike | None = None,
    **kwargs: object,
) -> RankingScorer:
    """Make a scorer that computes any metric per group, as scikit-learn's `make_scorer` does for all rows.

    Parameters
    ----------
    score_func : callable
        Function ``score_func(y_true, y_pred, **kwargs)`` that returns a number.
    response_method : {"auto", "predict", "predict_proba", "decision_function"}, list of them or None, \
default=None
        Method of the model that is called. For a list, the first method that the model has. "auto" means
        scores, as for rankings; see :class:`RankingScorer`. If `None`, it is `predict` for regressors and
        rankers. For classifiers, `None` is allowed for functions of scikit-learn, which get classes or scores
        as in scikit-learn.
    greater_is_better : bool, default=True
        Whether `score_func` is a score, not a loss. For a loss, the scorer returns the negated value.
    average, zero_division
        As in :func:`group_score`; `average` must not be None.
    groups : str, default=None
        Name of an index level of X or y, or of a column of X, that contains the ids. If `None`, pass them as
        ``groups=`` in the call.
    labels : str or array-like, default=None
        Name of labels to use instead of `y`; see :class:`RankingScorer`. Other values than str are passed to
        `score_func`, for example the `labels` of `log_loss`.
    **kwargs
        Additional arguments of `score_func`.

    Returns
    -------
    RankingScorer
        A callable ``scorer(estimator, X, y, groups=ids)`` that returns a float.

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
    if not callable(score_func):
        fail("score_func", "be a function of y_true and y_pred", repr(score_func))
    takes = _read_parameters(score_func, kwargs)
    check_flag(greater_is_better, "greater_is_better")
    if labels is not None and not isinstance(labels, str):
        kwargs, labels = {**kwargs, "labels": labels}, None
    if "sample_weight" in kwargs:
        fix = "Pass scorer(estimator, X, y, groups=qid, sample_weight=weights), with one weight per row."
        got = f"a {type(kwargs['sample_weight']).__name__}"
        fail("sample_weight", "be passed to the scorer", got, fix)
    check_options(average=average, zero_division=zero_division)
    check_choice("average", average, ("macro", "weighted"))
    options = {**keep_changed({"average": average, "zero_division": zero_division}, group_score), **kwargs}
    metric = partial(group_score, score_func)
    given = {"labels": labels, "pos_label": kwargs.get("pos_label")}
    if "pos_label" not in takes:  # labels are 1 for this class and 0 for others
        options.pop("pos_label", None)
    return make_scorer_of(metric, options, groups, response_method, greater_is_better, **given)


def _read_parameters(score_func: Function, kwargs: Options) -> Mapping[str, Parameter]:
    """Return the parameters of a function, which groups no rows and takes the other arguments."""
    name = getattr(score_func, "__name__", "score_func")
    if str(getattr(score_func, "__module__", "")).startswith("sklearn_rank."):
        from .. import metrics
        from .._hints.scorers import suggest_scorer

        fix = f"It groups rows itself. Pass scoring={suggest_scorer(score_func, vars(metrics))}."
        fail("score_func", "be a metric without groups", name, fix)
    try:
        takes = signature(score_func).parameters
    except (TypeError, ValueError):  # a built-in function
        return {}
    takes_any = any(each.kind is Parameter.VAR_KEYWORD for each in takes.values())
    unknown = [each for each in kwargs if each not in takes and each != "pos_label" and not takes_any]
    if unknown:
        raise TypeError(
            f"{name}() got an unexpected keyword argument {unknown[0]!r}. {FIXES.get(unknown[0], '')}"
        )
    return takes
