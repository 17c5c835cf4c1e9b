"""Scorers: objects, names and factories."""
