"""The types of what many functions take, for type checkers and editors; at run time the other files check.

A `zero_division` is a float: 0.0, 1.0 and nan are the values it may have, and `Literal` holds no float.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Literal, Protocol, TypeAlias, get_args

import numpy as np


class SupportsArray(Protocol):
    """What numpy reads by itself: arrays, columns, frames, tensors."""

    def __array__(self) -> Any: ...


class SequenceNotText(Protocol):
    """Lists, tuples, ranges: what can hold any object. Text holds text alone."""

    def __len__(self) -> int: ...
    def __getitem__(self, place: int, /) -> Any: ...
    def __contains__(self, value: object, /) -> bool: ...


ArrayLike: TypeAlias = SupportsArray | SequenceNotText
ById: TypeAlias = ArrayLike | Mapping[Any, Any]  # one entry per query, by query id; or one per row
Groups: TypeAlias = ArrayLike | str | None  # ids, or a name to read them by

TieRule: TypeAlias = Literal["average", "order", "best", "worst"]
ListTieRule: TypeAlias = Literal["average", "order"]  # at the cutoff of a list
Unjudged: TypeAlias = Literal["raise", "nonrelevant", "drop", "mean", "median"]
UnjudgedIntent: TypeAlias = Literal["raise", "nonrelevant"]  # of lists that several intents share
Normalize: TypeAlias = Literal["ideal", "bound"]  # by the best list of a query, or by one that none exceeds
Average: TypeAlias = Literal["macro", "weighted", "geometric"]  # of scores that are never negative
PlainAverage: TypeAlias = Literal["macro", "weighted"]  # of values of any sign, of losses and of curves
RatioAverage: TypeAlias = Literal["macro", "weighted", "micro", "geometric"]  # of what is a ratio of counts
MeanAverage: TypeAlias = Literal["macro", "weighted", "micro"]  # of losses that are one, and in reports
Denominator: TypeAlias = Literal["achievable", "relevant", "hits"]
RatioDenominator: TypeAlias = Literal["relevant", "achievable"]
MaxGrade: TypeAlias = float | Literal["query"] | None  # of the scale, or of each query
Gain: TypeAlias = (
    Literal["linear", "exponential"]
    | Callable[[np.ndarray], Any]
    | Sequence[float]
    | Mapping[Any, float]
    | np.ndarray
)
Discount: TypeAlias = Literal["log2", "reciprocal"] | Callable[[np.ndarray], Any] | None
Browsing: TypeAlias = Literal["log2", "reciprocal", "rbp", "cascade"] | Callable[[np.ndarray], Any] | None
Response: TypeAlias = Literal["predict", "predict_proba", "decision_function"]
RESPONSES = sorted(get_args(Response))
ResponseMethod: TypeAlias = Literal["auto"] | Response | Sequence[Response]
Scorer: TypeAlias = str | Callable[..., Any]  # or the name of one
Scoring: TypeAlias = Scorer | Iterable[str] | Mapping[str, Any] | None
RandomState: TypeAlias = int | np.random.RandomState | None

# What is not checked by type checkers, as it may come from any library: aliases that say what is meant.
Features: TypeAlias = Any  # a matrix, frame or sparse matrix of one row per document
Labels: TypeAlias = Any  # relevance of each row
Scores: TypeAlias = Any  # a score of each row, higher first
Estimator: TypeAlias = Any  # a model, or a part of one
Ids: TypeAlias = Any  # an id of each row: of its query, user, item or owner
Weights: TypeAlias = Any  # a weight of each row or query
Splitter: TypeAlias = Any  # how rows are split: a splitter, a number of folds or a list of them
Table: TypeAlias = Any  # a frame, column, table or array of any library
Axes: TypeAlias = Any  # axes of matplotlib
Values: TypeAlias = Any  # anything that numpy reads as numbers
AnyScorer: TypeAlias = Any  # a scorer of this package, of scikit-learn, or any function of a model, X and y
Options: TypeAlias = dict[str, Any]  # values by name
Arguments: TypeAlias = Mapping[str, Any]  # likewise, to be read only
Function: TypeAlias = Callable[..., Any]
