"""What a report holds, and how its intervals are made."""

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from .._checks.errors import fail, is_real
from .._checks.options import check_choice, check_random, check_resamples


class Settings(NamedTuple):
    """The options of intervals, as `evaluate` takes them."""

    confidence_level: float = 0.95
    interval: str = "t"
    n_resamples: int = 2000
    random_state: Any = None


class Wanted(NamedTuple):
    """What a report is to hold: metrics, with the options of `ranking_scores`, and how it is made."""

    metrics: Any
    options: Mapping[str, Any]
    settings: Settings
    cluster: Any = None
    n_jobs: int | None = None


def check_level(confidence_level: Any, function: str) -> None:
    """Check a level of confidence, which is a share and no percentage."""
    if not (is_real(confidence_level) and 0 < confidence_level < 1):
        rule = "be a share between 0 and 1, such as 0.95"
        fail("confidence_level", function, rule, repr(confidence_level))


def check_settings(settings: Settings, function: str) -> Settings:
    """Check the options of intervals."""
    check_level(settings.confidence_level, function)
    check_choice("interval", settings.interval, ("t", "bootstrap"), function)
    check_resamples(settings.n_resamples, function)
    if settings.random_state is not None:
        check_random(settings.random_state, function)
    return settings


def draw_random(settings: Settings) -> np.random.RandomState:
    """Return the generator of a report."""
    return check_random(settings.random_state, "RankingReport")
