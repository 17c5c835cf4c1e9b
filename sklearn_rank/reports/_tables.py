"""Tables as text, HTML, Markdown, LaTeX and frames."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape
from importlib import import_module
from importlib.util import find_spec
from math import floor, inf, isfinite, log10
from string import ascii_letters
from typing import Any

import numpy as np

from .._checks.errors import fail, name_call
from .._checks.types import Arguments, Values

LINE_ENDS = dict.fromkeys("\r\n", " ")  # they would end a row of a table
LATEX = str.maketrans(
    {char: f"\\{char}" for char in "&%$#_{}"}
    | LINE_ENDS
    | {"~": "\\textasciitilde{}", "^": "\\textasciicircum{}", "\\": "\\textbackslash{}"}
)
MOST_DECIMALS = 8
LARGE = 1e15  # larger numbers have an exponent
MARK = "*"  # the footnote mark of an interval
CATALOG_NOTES = {  # of counts of a report over a catalog of items
    "n_repeats": "Test pairs that are also training pairs, excluded",
    "n_new_items": "Test pairs of items outside the catalog, counted as missed",
    "n_new_users": "Test users without training pairs",
    "n_finished_users": "Test users of whom all pairs were excluded",
}


class Printed:
    """An object that is displayed as its `table()`."""

    def table(self) -> Table:
        """Return the printed table."""
        raise NotImplementedError

    def __str__(self) -> str:
        table, ends = self.table(), str.maketrans(LINE_ENDS)
        widths = [max(map(len, column)) for column in zip(*table._rows)]
        lines = [
            "  ".join([first.ljust(widths[0]), *map(str.rjust, others, widths[1:])])
            for first, *others in table._rows
        ]
        lines = [line.translate(ends).rstrip() for line in lines]
        return "\n".join([*filter(None, [table.caption]), *lines, *table.notes])

    def _repr_html_(self) -> str:
        table = self.table()
        first, *rows = table._rows
        head, body = _html_row("th", first), "".join(_html_row("td", row) for row in rows)
        caption = f"<caption>{escape(table.caption)}</caption>" if table.caption else ""
        notes = "".join(f"<p>{escape(note)}</p>" for note in table.notes)
        return f"<table>{caption}<thead>{head}</thead><tbody>{body}</tbody></table>{notes}"

    def to_markdown(self) -> str:
        """Return the table in Markdown, with right-aligned numbers."""
        table, cells = self.table(), str.maketrans({"|": "\\|"} | LINE_ENDS)
        head, *body = [f"| {' | '.join(cell.translate(cells) for cell in row)} |" for row in table._rows]
        rule = "|".join(["", " --- ", *[" ---: "] * (len(table.texts) - 1), ""])
        caption = [table.caption, ""] if table.caption else []
        notes = [line for note in table.notes for line in ("", note)]
        return "\n".join([*caption, head, rule, *body, *notes])

    def to_latex(self) -> str:
        """Return the table in LaTeX. It requires the package booktabs."""
        table = self.table()
        rows = [[cell.translate(LATEX) for cell in row] for row in table._rows]
        return write_latex(rows, f"l{'r' * (len(table.texts) - 1)}", (table.caption, *table.notes))

    def to_frame(self, library: str | None = None) -> Any:
        """Return the columns of the table as a data frame.

        Parameters
        ----------
        library : {"pandas", "polars"} or None, default=None
            Library of the frame. If `None`, pandas is used, or polars if pandas is not installed.

        Returns
        -------
        DataFrame
            The columns of the table, with numbers that are not rounded.
        """
        return make_frame(self.table().columns, library)


@dataclass(frozen=True)
class Table(Printed):
    """Table of a report or comparison, as numbers and as text.

    Attributes
    ----------
    columns : dict of str to sequence
        Numbers and names by column, not rounded.
    texts : dict of str to list of str
        Printed cells by column header.
    caption : str
        Line above the table.
    notes : tuple of str
        Footnotes, one per line.
    """

    columns: Arguments
    texts: Mapping[str, Sequence[str]]
    caption: str = ""
    notes: tuple[str, ...] = ()

    @property
    def _rows(self) -> list[tuple[str, ...]]:
        """Return the column headers and the rows, as printed."""
        return [tuple(self.texts), *zip(*self.texts.values())]

    def table(self) -> Table:
        """Return the table itself."""
        return self


def write_latex(rows: Sequence[Sequence[str]], sides: str, comments: Sequence[str]) -> str:
    """Write rows, the headers first, as a booktabs table below comments."""
    head, *body = [f"{' & '.join(row)} \\\\" for row in rows]
    lines = [f"% {line}" for line in comments if line]
    lines += [f"\\begin{{tabular}}{{{sides}}}", "\\toprule", head, "\\midrule"]
    return "\n".join([*lines, *body, "\\bottomrule", "\\end{tabular}"])


def write_letters(
    systems: Sequence[str],
    columns: Mapping[str, np.ndarray],
    decimals: Mapping[str, int],
    comments: Sequence[str],
    has_letters: bool,
) -> str:
    """Write a row per system and a column per metric of `decimals`, below comments."""
    few = len(systems) <= len(ascii_letters)
    letters = dict(zip(systems, ascii_letters if few else map(str, range(1, len(systems) + 1))))
    means, beaten = _read_rows(columns, decimals)
    kind = "letter" if few else "number"
    comment = f"The superscript {kind}s of a mean name the systems that are significantly worse."
    rows = [[kind, "system", *(metric.translate(LATEX) for metric in decimals)]]
    for name in systems:
        cells = [letters[name], name.translate(LATEX)]
        for metric in decimals:
            worse = beaten.get((metric, name), [])
            marks = ("" if few else ",").join(letters[other] for other in systems if other in worse)
            cells.append(means[metric, name] + (f"$^{{{marks}}}$" if marks else ""))
        rows.append(cells)
    return write_latex(rows, f"ll{'r' * len(decimals)}", (*comments, comment * has_letters))


def _read_rows(
    columns: Mapping[str, np.ndarray], decimals: Mapping[str, int]
) -> tuple[dict[tuple[str, str], str], dict[tuple[str, str], list[str]]]:
    """Return the mean of each system, in its first comparison, and the significantly worse systems."""
    means: dict[tuple[str, str], str] = {}
    beaten: dict[tuple[str, str], list[str]] = {}
    names = "metric", "system", "other", "mean", "other_mean", "verdict"
    for metric, *pair, mean, other_mean, verdict in zip(*(columns[name] for name in names)):
        for name, each in zip(pair, (mean, other_mean)):
            means.setdefault((metric, name), write(each, decimals[metric]))
        if verdict.startswith(("better", "worse")):
            best, worst = pair if verdict.startswith("better") else reversed(pair)
            beaten.setdefault((metric, best), []).append(worst)
    return means, beaten


def _html_row(tag: str, cells: tuple[str, ...]) -> str:
    """Return a row in HTML, with right-aligned numbers that do not wrap, whatever the style of the page."""
    sides = ["left", *["right"] * (len(cells) - 1)]
    styles = [f"text-align: {side}; white-space: nowrap" for side in sides]
    written = [f'<{tag} style="{style}">{escape(cell)}</{tag}>' for style, cell in zip(styles, cells)]
    return f"<tr>{''.join(written)}</tr>"


def make_frame(columns: Arguments, library: str | None) -> Any:
    if library not in (None, "pandas", "polars"):
        fail("library", "be 'pandas', 'polars' or None", repr(library))
    name = library or ("pandas" if find_spec("pandas") or not find_spec("polars") else "polars")
    try:
        module = import_module(name)
    except ImportError as error:
        raise ImportError(f"{name_call()} requires {name}. Install it: pip install {name}") from error
    # Frames read an array of tuples as a matrix, but not a list of tuples.
    arrays = {key: each for key, each in columns.items() if isinstance(each, np.ndarray)}
    lists = {key: list(each) for key, each in arrays.items() if each.dtype.kind == "O"}
    return module.DataFrame({**columns, **lists})


def import_displays() -> Any:
    """Import the subpackage of displays at their first use, because it imports this subpackage."""
    return import_module("sklearn_rank.inspection")


def decimals_of(*intervals: tuple[float, float]) -> int:
    """Return the number of decimals for means with these intervals: two digits of the smallest half width."""
    halves = [(high - low) / 2 for low, high in intervals]
    known = [half for half in halves if isfinite(half) and half > 0]
    return int(np.clip(1 - floor(log10(min(known))), 0, MOST_DECIMALS)) if known else 4


def write_level(confidence_level: float) -> str:
    """Return a confidence level as a percentage, such as "95%"."""
    return f"{100 * confidence_level:g}%"


def write(number: float, decimals: int) -> str:
    """Write a number; a rounded 0 has no sign, and very large or very small numbers have an exponent."""
    vanishes = decimals == MOST_DECIMALS and 0 < abs(number) < 10.0**-decimals
    text = f"{number:.3g}" if vanishes or LARGE <= abs(number) < inf else f"{number:.{decimals}f}"
    return text.removeprefix("-") if float(text) == 0 else text


def write_signed(number: float, decimals: int) -> str:
    text = write(number, decimals)
    return f"+{text}" if number > 0 and float(text) != 0 else text


def write_interval(interval: tuple[float, float], decimals: int, mark: str = "") -> str:
    low, high = (write(end, decimals) for end in interval)
    return f"[{low}, {high}]{mark}"


def write_column(values: Values, decimals: int) -> list[str]:
    """Write a column: floats with this number of decimals, dates as short as possible, the rest by `str`."""
    if not isinstance(values, np.ndarray):
        return list(map(str, values))
    if values.dtype.kind == "f":
        return [write(value, decimals) for value in values.tolist()]
    if values.dtype.kind == "M":
        return np.datetime_as_string(values, unit="auto").tolist()
    return list(map(str, values.tolist()))


def count_queries(number: int) -> str:
    """Return a number of queries as text, such as "1 query"."""
    return "1 query" if number == 1 else f"{number} queries"
