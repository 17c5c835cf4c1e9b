"""Checks of what the caller gave: rows, options and containers, and how errors and warnings are worded."""
