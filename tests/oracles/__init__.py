"""Comparison of this package with other libraries on generated data."""
