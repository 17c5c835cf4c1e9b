"""Tables in Markdown."""

from collections.abc import Sequence

Row = list[str]


def format_table(head: Sequence[str], rows: Sequence[Row]) -> str:
    """Write a table in Markdown."""
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines)
