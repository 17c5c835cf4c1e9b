"""Tables as text for a terminal, as CSV, JSON, Markdown and LaTeX."""

from __future__ import annotations

import csv
import io
import json
import math
import os
import sys
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ..reports import Table

FORMATS = ("table", "csv", "json", "markdown", "latex")


def write_table(table: Table, form: str) -> str:
    """Write a table."""
    if form == "table":
        return _write_rich(table) if _is_for_people() else f"{table}\n"
    if form == "csv":
        return _write_csv(table)
    if form == "json":
        return json.dumps(_list_records(table), indent=1, ensure_ascii=False) + "\n"
    return f"{table.to_markdown() if form == 'markdown' else table.to_latex()}\n"


def stack(tables: Mapping[str, Table], head: str = "run") -> Table:
    """Put the tables of several runs below each other, with a column of their names; one stays as it is."""
    from ..reports import Table

    first = next(iter(tables.values()))
    if len(tables) == 1:
        return first
    columns: dict[str, list[Any]] = {head: []}
    texts: dict[str, list[str]] = {head: []}
    for name, table in tables.items():
        for all_of, of_one in ((columns, table.columns), (texts, table.texts)):
            all_of[head] += [name] * len(next(iter(of_one.values())))
            for key, values in of_one.items():
                all_of.setdefault(key, []).extend(values)
    captions = dict.fromkeys(table.caption for table in tables.values())
    notes = dict.fromkeys(note for table in tables.values() for note in table.notes)
    return Table(columns, texts, "; ".join(filter(None, captions)), tuple(notes))


def _list_columns(table: Table) -> dict[str, list[Any]]:
    """Return the columns as what Python writes: numbers and text."""
    return {
        name: values.tolist() if hasattr(values, "tolist") else [_plain(each) for each in values]
        for name, values in table.columns.items()
    }


def _plain(value: Any) -> Any:
    return value.item() if hasattr(value, "item") else value


def _list_records(table: Table) -> list[dict[str, Any]]:
    """Return a dict a row; what is no number is None, as JSON has it."""
    columns = _list_columns(table)
    rows = [dict(zip(columns, row)) for row in zip(*columns.values())]
    return [
        {
            key: None if isinstance(each, float) and not math.isfinite(each) else each
            for key, each in row.items()
        }
        for row in rows
    ]


def _write_csv(table: Table) -> str:
    columns = _list_columns(table)
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(zip(*columns.values()))
    return text.getvalue()


# ---------------------------------------------------------------------------- terminals


def _is_for_people() -> bool:
    """Tell whether the output is a terminal that shows more than letters, and rich is installed."""
    plain = "NO_COLOR" in os.environ or os.environ.get("TERM") == "dumb"
    if plain or not sys.stdout.isatty():
        return False
    try:
        import rich.table  # noqa: F401
    except ImportError:
        return False
    return True


def _write_rich(table: Table) -> str:
    """Write a table with rules and bold heads, in the colours that the terminal has; cells are folded."""
    from rich.box import SIMPLE_HEAD
    from rich.console import Console
    from rich.table import Table as RichTable
    from rich.text import Text

    width = os.get_terminal_size(sys.stdout.fileno()).columns
    console = Console(file=io.StringIO(), force_terminal=True, width=width, highlight=False, markup=False)
    shown = RichTable(box=SIMPLE_HEAD, header_style="bold", pad_edge=False, show_edge=False)
    for place, name in enumerate(table.texts):
        shown.add_column(Text(name), justify="right" if place else "left", overflow="fold")
    for row in zip(*table.texts.values()):
        shown.add_row(*map(Text, row))
    for part in (table.caption, shown, *table.notes):
        if part:
            console.print(part)
    text: str = console.file.getvalue()  # type: ignore[attr-defined]
    return "\n".join(line.rstrip() for line in text.split("\n"))
