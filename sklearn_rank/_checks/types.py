"""Types of common arguments, for type checkers and editors; other files check values at run time.

A `zero_division` is a float, 0.0, 1.0 or nan, because `Literal` cannot contain floats.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Literal, Protocol, TypeAlias, get_args

import numpy as np


class SupportsArray(Protocol):
    """Objects that numpy converts by itself: arrays, columns, frames, tensors."""

    def __array__(self) -> Any: ...


class SequenceNotText(Protocol):
    """Sequences of any objects, such as lists, tuples and ranges, but not text."""

    def __len__(self) -> int: ...
    def __getitem__(self, place: int, /) -> Any: ...
    def __contains__(self, value: object, /) -> bool: ...


ArrayLike: TypeAlias = SupportsArray | SequenceNotText
ById: TypeAlias = ArrayLike | Mapping[Any, Any]  # one entry per query, by query id; or one per row
Groups: TypeAlias = ArrayLike | str | None  # ids, or a name to read them by

TieRule: TypeAlias = Literal["average", "order", "best", "worst"]
ListTieRule: TypeAlias = Literal["average", "order"]  # at the cutoff of a list
Unjudged: TypeAlias = Literal["raise", "nonrelevant", "drop", "mean", "median"]
UnjudgedIntent: TypeAlias = Literal["raise", "nonrelevant"]  # for rankings that several intents share
Normalize: TypeAlias = Literal["ideal", "bound"]  # by the best ranking of a query, or by an upper bound
Average: TypeAlias = Literal["macro", "weighted", "geometric"]  # for scores that are never negative
PlainAverage: TypeAlias = Literal["macro", "weighted"]  # for values of any sign, for losses and for curves
RatioAverage: TypeAlias = Literal["macro", "weighted", "micro", "geometric"]  # for ratios of counts
MeanAverage: TypeAlias = Literal["macro", "weighted", "micro"]  # for losses that are ratios, and in reports
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
Response: TypeAlias = Literal["predict", "predict_proba", "decision_function"]
RESPONSES = sorted(get_args(Response))
ResponseMethod: TypeAlias = Literal["auto"] | Response | Sequence[Response]
Scorer: TypeAlias = str | Callable[..., Any]  # a scorer or its name
Scoring: TypeAlias = Scorer | Iterable[str] | Mapping[str, Any] | None
Metrics: TypeAlias = Scorer | Iterable[Scorer] | Mapping[str, Scorer]
RandomState: TypeAlias = int | np.random.RandomState | None

# Types that are not checked, because values can come from any library. The aliases name the content.
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
Arguments: TypeAlias = Mapping[str, Any]  # read-only values by name
Function: TypeAlias = Callable[..., Any]
