"""Metrics of scikit-learn or of the user, computed per group, and their scorers."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from inspect import Parameter, signature

import numpy as np
import sklearn.metrics as of_sklearn
from sklearn.utils import assert_all_finite

from .._checks import explain_parameters
from .._checks.arrays import UNMASK, flatten, is_masked, read_array
from .._checks.containers import check_same_order
from .._checks.errors import fail, is_real, kind_of
from .._checks.groups import check_groups
from .._checks.options import check_choice, check_flag, check_mean, check_options
from .._checks.rows import check_weights
from .._checks.types import ArrayLike, Function, Ids, Options, PlainAverage, ResponseMethod, Values
from .._engine.prepared import find_queries
from ._average import average_values, query_weights
from ._scorers.factories import keep_changed, make_scorer_of
from ._scorers.scorer import RankingScorer

# Arguments that `make_scorer` of earlier versions of scikit-learn had, and their replacements.
FIXES = {
    "needs_proba": 'Pass response_method="predict_proba".',
    "needs_threshold": 'Pass response_method="auto".',
}

# Functions that are undefined for one class, for one row, or if a denominator is 0. scikit-learn warns then,
# but a filter of warnings would affect all threads.
OF_TWO_CLASSES = [of_sklearn.roc_auc_score, of_sklearn.average_precision_score]
OF_TWO_ROWS = [of_sklearn.r2_score, of_sklearn.d2_absolute_error_score, of_sklearn.d2_log_loss_score]
OF_TWO_ROWS += [of_sklearn.d2_pinball_score, of_sklearn.d2_tweedie_score]
DIVIDING_BY_ZERO = [of_sklearn.f1_score, of_sklearn.fbeta_score, of_sklearn.jaccard_score]
DIVIDING_BY_ZERO += [of_sklearn.precision_score, of_sklearn.recall_score]


@explain_parameters
def group_score(
    score_func: Callable[..., float],
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    groups: ArrayLike,
    average: PlainAverage | None = "macro",
    zero_division: float = np.nan,
    sample_weight: ArrayLike | None = None,
    **kwargs: object,
) -> float | np.ndarray:
    """Compute any metric per group, such as RMSE, F1 or log loss per user, averaged over groups.

    Parameters
    ----------
    score_func : callable
        Function ``score_func(y_true, y_pred, **kwargs)`` that returns a number, such as the metrics of
        scikit-learn. If one of its parameters has the name of a parameter below, pass a
        ``functools.partial``.
    y_true : array-like of shape (n_rows,) or (n_rows, n_outputs)
        Labels in any form that `score_func` takes.
    y_pred : array-like of shape (n_rows,) or (n_rows, n_outputs)
        Predictions in any form that `score_func` takes.
    groups : array-like of shape (n_rows,)
        Group of each row. Groups can be of any sortable type, and rows can be in any order.
    average : {"macro", "weighted"} or None, default="macro"
        How to average over groups: "macro" gives each group the same weight, "weighted" weights groups by
        their number of rows. If `None`, return the value of each group, in the order of
        :func:`unique_groups`.
    zero_division : {0.0, 1.0, nan}, default=nan
        Value of a group in which `score_func` is undefined, which means that it returns `nan`. Functions of
        scikit-learn are also undefined if they return their own `zero_division`, and
        ``average_precision_score`` if there is no positive class. If `nan`, such groups are excluded from the
        mean. For `log_loss`, pass ``labels=[0, 1]``, because a group might contain one class only.
    sample_weight : array-like of shape (n_rows,), default=None
        Group weights. Repeat the weight of a group on each of its rows.
    **kwargs
        Additional arguments of `score_func`, the same for every group.

    Returns
    -------
    float or ndarray of shape (n_groups,)
        Value in the range of `score_func`. If every group is excluded, `nan` is returned with a warning.

    Raises
    ------
    ValueError
        If an argument is invalid, for example if `groups` contains missing ids. Errors of `score_func` are
        passed on with a note that names the group.

    Examples
    --------
    >>> from sklearn.metrics import mean_absolute_error
    >>> from sklearn_rank import group_score
    >>> y_true, y_pred, users = [3, 5, 1, 1], [2, 5, 1, 5], ["ann", "ann", "bob", "bob"]
    >>> group_score(mean_absolute_error, y_true, y_pred, groups=users, average=None)
    array([0.5, 2. ])
    """
    if not callable(score_func):
        fix = "Pass it first: group_score(score_func, y_true, y_pred, groups=qid)."
        fail("score_func", "be a function of y_true and y_pred", kind_of(score_func), fix)
    check_mean(average, zero_division=zero_division)
    check_same_order(y_true=y_true, y_pred=y_pred, groups=groups, sample_weight=sample_weight)
    y_true, y_pred = _read_rows(y_true, "y_true"), _read_rows(y_pred, "y_pred")
    n_rows = len(y_true)
    if len(y_pred) != n_rows:
        fail("y_pred", f"have as many rows as 'y_true' ({n_rows})", f"shape {y_pred.shape}")
    if n_rows == 0:
        fail("y_true", "have at least one row", "no rows")
    queries = find_queries(check_groups(groups, n_rows), n_rows)
    weights = query_weights(check_weights(sample_weight, n_rows, "row"), queries)
    values = np.full(len(queries.lengths), float(zero_division))
    score = partial(score_func, **kwargs)
    for group, (first, length) in enumerate(zip(queries.firsts, queries.lengths)):
        places = slice(first, first + length)
        rows = places if queries.rows is None else queries.rows[places]
        try:
            value = _compute_value(score, y_true[rows], y_pred[rows])
        except Exception as error:
            row = first if queries.rows is None else queries.rows[first]
            given: Ids = groups
            names = list(given) if len(getattr(given, "shape", ())) < 2 else flatten(np.asarray(given))
            error.add_note(f"This happened in group_score, in the group {names[row]!r}.")
            raise
        if value == value:
            values[group] = value
    return average_values(values, weights, queries, average)


def _read_rows(values: Values, parameter: str) -> np.ndarray:
    """Return an array of any type with rows; a column is flattened, to match flat arrays."""
    if is_masked(values):
        fail(parameter, "not have a mask", "a MaskedArray", UNMASK)
    rule = "be an array with one entry per row"
    array = read_array(values, parameter, rule)
    if array.ndim == 0:
        fail(parameter, rule, "None" if values is None else f"a {type(values).__name__}")
    return flatten(array)


def _compute_value(score: partial[float], y_true: np.ndarray, y_pred: np.ndarray) -> float:
    """Compute the value of one group, nan if it is undefined."""
    if _lacks_class_or_row(score, y_true, y_pred):
        assert_all_finite(y_true, input_name="y_true")
        assert_all_finite(y_pred, input_name="y_pred")
        return np.nan
    if score.func in DIVIDING_BY_ZERO and score.keywords.get("zero_division", "warn") == "warn":
        low, high = (_as_number(score(y_true, y_pred, zero_division=share)) for share in (0.0, 1.0))
        return low if low == high else np.nan
    return _as_number(score(y_true, y_pred))


def _lacks_class_or_row(score: partial[float], y_true: np.ndarray, y_pred: np.ndarray) -> bool:
    """Return whether a function of scikit-learn is undefined because a class or a row is missing."""
    if score.func in OF_TWO_ROWS:
        return len(y_true) < 2
    are_columns = y_true.size == y_pred.size == len(y_true)  # otherwise the function returns nan itself
    if score.func not in OF_TWO_CLASSES or not are_columns:
        return False
    first = y_true.flat[0]
    are_positive = score.func is of_sklearn.average_precision_score and first == score.keywords.get(
        "pos_label", 1
    )
    return not are_positive and bool(np.all(y_true == first))


def _as_number(value: object) -> float:
    """Return a result of the function as a float, after checking that it is a number."""
    if isinstance(value, np.ndarray) and value.ndim == 0:
        value = value.item()
    if not is_real(value) and not isinstance(value, bool | np.bool_):
        fail("score_func", "return a number", f"a {type(value).__name__}")
    return float(value)


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
