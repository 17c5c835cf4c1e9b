"""Tables as text, HTML, Markdown, LaTeX and frames."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape
from importlib import import_module
from importlib.util import find_spec
from itertools import chain, zip_longest
from math import floor, inf, isfinite, log10
from textwrap import wrap
from typing import Any

import numpy as np

from .._checks.errors import WIDTH, check_count, fail, name_call
from .._checks.outputs import escape_markdown, find_width, make_line, replace_file
from .._checks.types import Arguments, Options, Values
from ._intervals import Interval
from ._pages import draw_figures, write_cell, write_latex, write_page
from ._traits import Traits

WHOLE_WORDS: Any = {"break_long_words": False, "break_on_hyphens": False}
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

    def __repr__(self) -> str:
        table = self.table()
        width = find_width(WIDTH)
        caption, *notes = (wrap(text, width, **WHOLE_WORDS) for text in (table.caption, *table._lines_below))
        return "\n".join([*caption, *table._fit_lines(), *chain.from_iterable(notes)])

    def _repr_html_(self) -> str:
        table = self.table()
        first, *rows = table._rows
        sides = ["left" if is_left else "right" for is_left in table._is_left.values()]
        head, body = _html_row("th", first, sides), "".join(_html_row("td", row, sides) for row in rows)
        caption = f"<caption>{escape(table.caption)}</caption>" if table.caption else ""
        notes = "".join(f"<p>{escape(note)}</p>" for note in table._lines_below)
        return f"<table>{caption}<thead>{head}</thead><tbody>{body}</tbody></table>{notes}"

    def _list_figures(self) -> list[Options]:
        """Return the arguments of `plot`, if any, for each figure of a page."""
        return [{}]

    def to_html(self, path: Any = None, *, title: str | None = None) -> str | None:
        """Write a page in HTML: the table, the versions of the libraries, and a figure if there is one.

        The page is one file. Its colors are those of the reader's system, light or dark. The figure requires
        matplotlib.

        Parameters
        ----------
        path : path-like, default=None
            File to write. If `None`, the page is returned as text.
        title : str, default=None
            Title of the page. If `None`, the caption of the table.

        Returns
        -------
        str or None
            The page, if `path` is `None`.
        """
        title = None if title is None else make_line(title)
        heading = "" if title is None else f"<h1>{escape(title)}</h1>"
        figures = draw_figures(getattr(self, "plot", None), self._list_figures())
        body = f"{heading}{self._repr_html_()}{figures}"
        page = write_page(title or self.table().caption or type(self).__name__, body)
        if path is None:
            return page
        with replace_file(path) as file:
            file.write(page.encode())
        return None

    def to_markdown(self) -> str:
        """Return the table in Markdown, with right-aligned numbers."""
        table = self.table()
        rows = [[escape_markdown(cell).replace("|", "\\|") for cell in row] for row in table._rows]
        head, *body = [f"| {' | '.join(row)} |" for row in rows]
        rule = "|".join(["", *(" --- " if is_left else " ---: " for is_left in table._is_left.values()), ""])
        caption = [escape_markdown(table.caption), ""] if table.caption else []
        notes = [line for note in table._lines_below for line in ("", escape_markdown(note))]
        return "\n".join([*caption, head, rule, *body, *notes])

    def to_latex(self) -> str:
        """Return the table in LaTeX. It requires the package booktabs."""
        table = self.table()
        rows = [list(map(write_cell, row)) for row in table._rows]
        sides = "".join("l" if is_left else "r" for is_left in table._is_left.values())
        return write_latex(rows, sides, (table.caption, *table.notes), table.names)

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


@dataclass(frozen=True, repr=False)
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
    optional : tuple of str
        Headers of columns that text omits, in this order, if it is wider than 80 characters. If it is still
        too wide, names take several lines. Frames, HTML, Markdown and LaTeX have all columns.
    left : tuple of str
        Headers of columns that are aligned to the left, in addition to the first.
    names : tuple of str
        Full names of the short names in the table, one per line below the notes.
    """

    columns: Arguments
    texts: Mapping[str, Sequence[str]]
    caption: str = ""
    notes: tuple[str, ...] = ()
    optional: tuple[str, ...] = ()
    left: tuple[str, ...] = ()
    names: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        texts = {make_line(name): [make_line(cell) for cell in cells] for name, cells in self.texts.items()}
        printed = {"texts": texts, "caption": make_line(self.caption)}
        for name in ("notes", "names"):
            printed[name] = tuple(map(make_line, getattr(self, name)))
        for name, value in printed.items():
            object.__setattr__(self, name, value)

    @property
    def _rows(self) -> list[tuple[str, ...]]:
        """Return the column headers and the rows, as printed."""
        return [tuple(self.texts), *zip(*self.texts.values())]

    @property
    def _lines_below(self) -> tuple[str, ...]:
        return *self.notes, *self.names

    @property
    def _is_left(self) -> dict[str, bool]:
        """Return whether each column is aligned to the left."""
        return {name: not place or name in self.left for place, name in enumerate(self.texts)}

    @staticmethod
    def _fits(widths: Mapping[str, int]) -> bool:
        """Return whether a table with columns of these widths fits."""
        return sum(widths.values()) + 2 * (len(widths) - 1) <= WIDTH

    def _measure(self) -> dict[str, int]:
        """Return the width of each column, without optional columns if the text is too wide."""
        widths = {name: max(map(len, (name, *cells))) for name, cells in self.texts.items()}
        for name in self.optional:
            if not self._fits(widths):
                widths.pop(name, None)
        return widths

    def _narrow(self, widths: Mapping[str, int]) -> dict[str, int]:
        """Return widths at which names are broken between words, to fit if possible."""
        least = {
            name: max(map(len, " ".join([name, *self.texts[name]]).split()))
            for name in list(widths)[1:]
            if self._has_names(name)
        }
        narrow = dict(widths)
        while not self._fits(narrow) and any(narrow[name] > width for name, width in least.items()):
            narrow[max(least, key=lambda name: narrow[name] - least[name])] -= 1
        return narrow

    def _has_names(self, column: str) -> bool:
        return isinstance(next(iter(self.columns.get(column, ())), None), str)

    def _fit_lines(self) -> list[str]:
        """Return the lines of text. If it is too wide, names are broken or have lines of their own."""
        natural = self._measure()
        first, *others = natural
        tried = [self._narrow(natural), self._narrow(natural | {first: 0})][: 1 + self._has_names(first)]
        widths = next(filter(self._fits, tried), natural)
        is_apart = widths[first] < natural[first]
        pads = [(str.ljust if self._is_left[name] else str.rjust, width) for name, width in widths.items()]
        lines: list[str] = []
        head = ""
        for row in zip(*((name, *self.texts[name]) for name in widths)):
            name, *cells = row
            if is_apart:
                lines += wrap(name, WIDTH) if lines and name not in ("", head) else []
                head, name = name or head, ""
            broken = (wrap(cell, widths[each], **WHOLE_WORDS) for each, cell in zip(others, cells))
            for parts in zip_longest([name], *broken, fillvalue=""):
                lines.append("  ".join(pad(part, width) for part, (pad, width) in zip(parts, pads)).rstrip())
        return lines

    def table(self) -> Table:
        """Return the table itself."""
        return self


def _html_row(tag: str, cells: Sequence[str], sides: Sequence[str]) -> str:
    """Return a row in HTML, with aligned cells that do not wrap, whatever the style of the page."""
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


def decimals_of(*intervals: tuple[float, float]) -> int:
    """Return the number of decimals for means with these intervals: two digits of the smallest half width."""
    halves = [(high - low) / 2 for low, high in intervals]
    known = [half for half in halves if isfinite(half) and half > 0]
    return int(np.clip(1 - floor(log10(min(known))), 0, MOST_DECIMALS)) if known else 4


def share_decimals(
    intervals: Mapping[str, Sequence[Interval]], traits: Mapping[str, Traits], digits: int | None = None
) -> dict[str, int]:
    """Return the printed decimals of each metric, the same for all metrics with values in [-1, 1]."""
    if digits is not None:
        check_count(digits, 0, "digits")
        return dict.fromkeys(intervals, digits)
    shared = [name for name in intervals if traits[name].lower >= -1 and traits[name].upper <= 1]
    decimals = {name: decimals_of(*each) for name, each in intervals.items()}
    return decimals | dict.fromkeys(shared, decimals_of(*chain(*(intervals[name] for name in shared))))


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
    return "1 query" if number == 1 else f"{number:,} queries"
