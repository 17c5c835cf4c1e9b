"""Suggestions in errors. Files of this folder are imported when an error needs them."""

from collections.abc import Iterable


def list_near(name: str, known: Iterable[str], cutoff: float = 0.6) -> list[str]:
    """List the names most similar to a name, at most three."""
    from difflib import get_close_matches

    return get_close_matches(name, list(known), cutoff=cutoff)
