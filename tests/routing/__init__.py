"""Routing of ids to splitters, models and scorers."""
