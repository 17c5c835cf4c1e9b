"""Rows, ids, options and containers: what is read, and what is refused."""
