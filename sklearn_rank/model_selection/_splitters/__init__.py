"""Splits that know queries, users and time."""
