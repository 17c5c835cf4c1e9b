"""Scores of recommenders over a catalog of items."""
