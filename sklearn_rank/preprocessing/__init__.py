"""Transformers that work within queries."""

from ._within_groups import WithinGroupScaler

__all__ = ["WithinGroupScaler"]
