"""Rows, ids, options and containers: accepted and rejected input."""
