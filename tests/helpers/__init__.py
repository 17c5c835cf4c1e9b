"""Helpers for tests of several folders."""
