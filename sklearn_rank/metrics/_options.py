"""What metric functions take by name beside `average`, for the overloads with ``average=None``.

An overload with another `average` is written out, as editors show that one; the other names its keywords by
one of these. A metric with an option of its own has its own, beside its function.
"""

from typing import Required, TypedDict

from .._checks.types import ArrayLike, Discount, Gain, ListTieRule, TieRule, Unjudged, UnjudgedIntent


class RowOptions(TypedDict, total=False):
    """Data beside labels and scores."""

    groups: ArrayLike | None
    sample_weight: ArrayLike | None


class LabelOptions(RowOptions, total=False):
    """Of correlations."""

    unjudged: Unjudged
    zero_division: float


class RankOptions(LabelOptions, total=False):
    """Of what depends on ranks."""

    ties: TieRule


class BinaryOptions(RankOptions, total=False):
    """Of relevant documents and others."""

    min_relevance: float


class BinaryToOptions(BinaryOptions, total=False):
    """Of these with a cutoff or without."""

    k: int | None


class BinaryAtOptions(BinaryOptions, total=False):
    """Of these with a cutoff."""

    k: Required[int]


class GainOptions(RowOptions, total=False):
    """Of graded documents."""

    k: int | None
    gain: Gain
    discount: Discount
    ties: TieRule
    unjudged: Unjudged


class ListOptions(TypedDict, total=False):
    """Of lists without labels."""

    groups: Required[ArrayLike]
    k: int | None
    ties: ListTieRule
    zero_division: float
    sample_weight: ArrayLike | None


class IntentOptions(TypedDict, total=False):
    """Of queries with several intents."""

    groups: Required[ArrayLike]
    ties: ListTieRule
    unjudged: UnjudgedIntent
    zero_division: float
    sample_weight: ArrayLike | None
