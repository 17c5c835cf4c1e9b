"""Rankers and early stopping."""
