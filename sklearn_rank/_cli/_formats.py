"""Tables as text, CSV, JSON, Markdown, LaTeX or HTML."""

from __future__ import annotations

import csv
import io
import json
import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .._checks.types import Options
    from ..reports import Comparison, RankingReport, SegmentReports, Table

    Shown = Comparison | RankingReport | SegmentReports[RankingReport] | Table

DECIMALS = 4  # in values of tables
FORMATS = ("table", "csv", "json", "markdown", "latex", "html")


def write_table(table: Shown, form: str) -> str:
    if form == "table":
        return f"{table}\n"
    if form in ("csv", "json"):
        columns = {
            name: [each.item() if hasattr(each, "item") else each for each in values]
            for name, values in table.table().columns.items()
        }
        return _write_csv(columns) if form == "csv" else _write_json(columns)
    if form == "html":
        return str(table.to_html())
    return f"{table.to_markdown() if form == 'markdown' else table.to_latex()}\n"


def tabulate(columns: Mapping[str, list[Any]], caption: str, notes: tuple[str, ...] = ()) -> Table:
    """Return a table with names in the first column and values with DECIMALS decimals in the others."""
    from ..reports import Table

    (head, names), *others = columns.items()
    texts = {name: [f"{each:.{DECIMALS}f}" for each in cells] for name, cells in others}
    return Table(columns, {head: list(map(str, names)), **texts}, caption, notes)


def stack(shown: Mapping[str, Shown]) -> Shown:
    """Stack the tables of several runs and add a column of run names. Return a single table unchanged."""
    from ..reports import Table

    if len(shown) == 1:
        return next(iter(shown.values()))
    tables = {name: each.table() for name, each in shown.items()}
    columns: dict[str, list[Any]] = {"run": []}
    texts: dict[str, list[str]] = {"run": []}
    for name, table in tables.items():
        for stacked, single in ((columns, table.columns), (texts, table.texts)):
            stacked["run"] += [name] * len(next(iter(single.values())))
            for key, values in single.items():
                stacked.setdefault(key, []).extend(values)
    captions = {name: table.caption for name, table in tables.items()}
    if len({*captions.values()}) > 1:
        captions = {name: f"{name}: {caption}" for name, caption in captions.items()}
    notes = dict.fromkeys(note for table in tables.values() for note in table.notes)
    caption = "; ".join(dict.fromkeys(filter(None, captions.values())))
    return Table(columns, texts, caption, tuple(notes), table.optional)


def _write_json(columns: Options) -> str:
    """Return a list of a dict for each row, with null for numbers that JSON does not support."""
    cells = [
        [None if isinstance(each, float) and not math.isfinite(each) else each for each in values]
        for values in columns.values()
    ]
    return json.dumps([dict(zip(columns, row)) for row in zip(*cells)], indent=1, ensure_ascii=False) + "\n"


def _write_csv(columns: Options) -> str:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(zip(*columns.values()))
    return text.getvalue()
