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

PROSE = 40  # letters from which on a cell is a sentence
DECIMALS = 4  # of values in tables
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


def tabulate(columns: Mapping[str, list[Any]], caption: str, notes: tuple[str, ...] = ()) -> Table:
    """Return a table of names in the first column, and values with the usual decimals in the others."""
    from ..reports import Table

    (head, names), *others = columns.items()
    texts = {name: [f"{each:.{DECIMALS}f}" for each in cells] for name, cells in others}
    return Table(columns, {head: list(map(str, names)), **texts}, caption, notes)


def stack(tables: Mapping[str, Table]) -> Table:
    """Put the tables of several runs below each other, with a column of their names; one stays as it is."""
    from ..reports import Table

    first = next(iter(tables.values()))
    if len(tables) == 1:
        return first
    columns: dict[str, list[Any]] = {"run": []}
    texts: dict[str, list[str]] = {"run": []}
    for name, table in tables.items():
        for all_of, of_one in ((columns, table.columns), (texts, table.texts)):
            all_of["run"] += [name] * len(next(iter(of_one.values())))
            for key, values in of_one.items():
                all_of.setdefault(key, []).extend(values)
    captions = dict.fromkeys(table.caption for table in tables.values())
    notes = dict.fromkeys(note for table in tables.values() for note in table.notes)
    return Table(columns, texts, "; ".join(filter(None, captions)), tuple(notes))


def _list_columns(table: Table) -> dict[str, list[Any]]:
    """Return the columns as what Python writes: numbers and text."""
    return {
        name: [each.item() if hasattr(each, "item") else each for each in values]
        for name, values in table.columns.items()
    }


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
    """Write a table with a rule and bold heads, in the colours that the terminal has.

    One that is too wide is folded where it holds sentences, and else turned: its heads stand at the left.
    """
    from rich.box import SIMPLE_HEAD
    from rich.console import Console
    from rich.table import Table as RichTable
    from rich.text import Text

    width = os.get_terminal_size(sys.stdout.fileno()).columns
    texts = {name.strip(): list(map(str.strip, cells)) for name, cells in table.texts.items()}
    lefts = {name.strip() for name in table.texts if name.endswith(" ")}  # filled up to the right
    drawn = io.StringIO()
    console = Console(file=drawn, force_terminal=True, width=width, highlight=False, markup=False)
    parts: list[Any] = [Text(table.caption)] if table.caption else []
    has_prose = any(len(cell) > PROSE for cells in texts.values() for cell in cells)  # which can be folded
    turned = _measure(texts) > width and not has_prose
    for columns in _turn(texts, width) if turned else [texts]:
        look: dict[str, Any] = {
            "box": SIMPLE_HEAD,
            "pad_edge": False,
            "show_edge": False,
            "collapse_padding": True,
        }
        shown = RichTable(**look, header_style="bold", show_header=not turned)
        for place, name in enumerate(columns):
            is_left = place == 0 or name in lefts
            style = "bold" if turned and not place else ""
            side: Any = "left" if is_left else "right"
            shown.add_column(Text(name), justify=side, overflow="fold", style=style)
        for row in zip(*columns.values()):
            shown.add_row(*map(Text, row))
        parts.append(shown)
    for part in [*parts, *map(Text, table.notes)]:
        console.print(part)
    return "\n".join(line.rstrip() for line in drawn.getvalue().split("\n"))


def _measure(texts: Mapping[str, list[str]]) -> int:
    return sum(2 + max(map(len, (name, *cells))) for name, cells in texts.items())


def _turn(texts: Mapping[str, list[str]], width: int) -> list[dict[str, list[str]]]:
    """Turn rows into columns, so many beside each other as fit; the heads are the first column."""
    blocks: list[dict[str, list[str]]] = []
    for row in zip(*texts.values()):
        last = blocks[-1] if blocks else {}
        longer = {**last, str(len(last)): list(row)}
        if last and _measure(longer) <= width:
            blocks[-1] = longer
        else:
            blocks.append({"": list(texts), "1": list(row)})
    return blocks
