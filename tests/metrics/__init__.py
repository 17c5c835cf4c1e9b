"""Metrics: values and messages."""
