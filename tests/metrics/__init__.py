"""Metrics: what they mean, and what they say."""
