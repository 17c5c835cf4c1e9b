"""Exposure: what rankings give to the owners of items."""
