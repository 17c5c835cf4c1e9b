"""Exposure of the owners of items in rankings."""
