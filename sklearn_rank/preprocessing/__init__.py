"""Transformers that work within queries."""

from ._within_group_scaler import WithinGroupScaler

__all__ = ["WithinGroupScaler"]
