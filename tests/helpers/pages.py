"""The README and the docs, and the tables in them."""

import itertools
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
BUILT = ("_build", "auto_examples", "generated")  # folders that Sphinx creates
PAGES = [ROOT / "README.md", *sorted(p for p in (ROOT / "docs").rglob("*.md") if not {*BUILT} & {*p.parts})]


def table_rows(page, header):
    """Return the cells of the table whose first line begins with `header`."""
    lines = (ROOT / "docs" / page).read_text().splitlines()
    start = next(i for i, line in enumerate(lines) if line.startswith(header)) + 2
    rows = itertools.takewhile(lambda line: line.startswith("|"), lines[start:])
    return [[cell.strip() for cell in row.strip("|").split("|")] for row in rows]
