"""Data sets, and functions that turn lists and matrices into rows."""
