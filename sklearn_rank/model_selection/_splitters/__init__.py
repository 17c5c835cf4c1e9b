"""Splitters of rows by query, user and time."""
