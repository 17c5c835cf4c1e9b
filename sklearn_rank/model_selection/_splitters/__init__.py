"""Splitters by query, user and time."""
