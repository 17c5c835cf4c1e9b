"""Transformers that work within queries."""

from typing import TYPE_CHECKING, Any

from .._checks import find_missing
from ._within_group_scaler import WithinGroupScaler

__all__ = ["WithinGroupScaler"]


if not TYPE_CHECKING:  # pragma: no branch - type checkers read the names above

    def __getattr__(name: str) -> Any:
        """Raise an error that gives the location of a name."""
        return find_missing(__name__, name, __all__)
