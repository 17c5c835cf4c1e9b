"""Metrics of other libraries under their own names: one table to read, explain and list the names."""
