"""Rankers, and what they stop by."""
