"""Ranking metrics for scikit-learn."""

from .metrics import *  # noqa: F403
