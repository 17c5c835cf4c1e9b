"""Data sets, and what turns lists and matrices into rows."""
