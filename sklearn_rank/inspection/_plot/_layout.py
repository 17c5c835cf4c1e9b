"""Room for the texts of a figure: its legend, the names of rows and the titles of axes, of any length.

A figure that a display created grows with its legend. On axes of the user, the texts of the legend and their
font become smaller instead.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ..._checks.outputs import escape_math
from ..._checks.types import Options
from ...reports import cut_start

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.legend import Legend

OWN = "sklearn_rank.figure"  # the `gid` of figures that displays create
NAMES = 0.45  # largest share of the width for names of rows
LEGEND = 0.42  # largest share of the height of the axes for a legend, on axes of the user
AXES = 0.42  # least share of the area for axes in figures that grow
MARKS = " _,/-"  # after which lines can break
LEAST_FONT = 3.5  # points
FEWEST_LETTERS = 8
FONTS = "small", "x-small", "xx-small"  # of legends; each is 0.83 times as large as the one before
SPACING = 1.0  # between columns of a legend, in font sizes
STYLE: Options = {"frameon": False, "borderaxespad": 0.2, "handlelength": 2.2, "columnspacing": SPACING}


def arrange_texts(ax: Axes, names: Sequence[str] = ()) -> None:
    """Place the legend above the axes, `names` at rows 0, 1, ... of the y-axis, and break long titles."""
    if (legend := ax.get_legend()) is not None:
        legend.remove()
    wrap_titles(ax, place_names(ax, names) if names else 0.0)
    figure = ax.figure.figure  # of a subfigure, the figure that contains it
    if (engine := figure.get_layout_engine()) is not None:
        engine.execute(figure)
    can_grow = figure.get_gid() == OWN
    inside = ax.get_window_extent()  # without a legend
    width, height = inside.size
    above = np.inf if engine is not None else ax.figure.bbox.y1 - inside.y1
    taken = place_legend(ax, None if can_grow else min(LEGEND * height, above))
    labels = ax.get_yticklabels() if names else []
    tallest = 1.15 * max((label.get_window_extent().height for label in labels), default=0)
    if can_grow:
        around = figure.bbox.height - height + taken
        share = min(max(AXES * figure.bbox.width / width, 0.5), 0.8)  # of the height
        needed = max(around / (1 - share), around + tallest * (len(names) + 1))
        figure.set_figheight(max(figure.get_figheight(), needed / figure.dpi))
    elif tallest * len(names) > height - taken:
        size = float(labels[0].get_fontsize()) * (height - taken) / (tallest * len(names))
        ax.tick_params(axis="y", labelsize=max(size, LEAST_FONT))


def measure_cell(ax: Axes) -> tuple[float, float]:
    """Return the width and height in pixels of the part of the figure that the axes and their texts share."""
    room, spec = ax.figure.bbox, ax.get_subplotspec()
    if spec is None:
        inside = ax.get_window_extent()
        return inside.x1 - room.x0, room.y1 - inside.y0
    grid = spec.get_gridspec()
    return room.width * len(spec.colspan) / grid.ncols, room.height * len(spec.rowspan) / grid.nrows


def wrap_titles(ax: Axes, taken: float) -> None:
    """Break titles of axes into lines that are not longer than the axes; names take a part of the width.

    If the lines do not fit into a figure without a layout engine, their font becomes smaller, and then each
    line of the title is shortened.
    """
    width, height = measure_cell(ax)
    rooms = (ax.xaxis.label, "width", 0.85 * (width - taken)), (ax.yaxis.label, "height", 0.7 * height)
    for title, side, room in rooms:
        text = title.get_text()

        def write(lines: str, title: Any = title, side: str = side) -> float:
            title.set_text(escape_math(lines))
            return float(getattr(title.get_window_extent(), side))

        for fontsize in (title.get_fontsize(), *FONTS):
            title.set_fontsize(fontsize)
            _fit(lambda n_letters: write(wrap(text, n_letters)), text, room)  # noqa: B023
            if not text or _has_room(ax, "y0" if side == "width" else "x0"):
                break
        else:
            _fit(lambda n_letters: write(shorten_lines([text], n_letters)[0]), text, room)  # noqa: B023


def _has_room(ax: Axes, edge: str) -> bool:
    """Return whether the texts at an edge of the axes are in the figure, or a layout engine moves them."""
    box = None if ax.figure.figure.get_layout_engine() else ax.get_tightbbox()
    return box is None or getattr(box, edge) >= getattr(ax.figure.bbox, edge)


def place_names(ax: Axes, names: Sequence[str]) -> float:
    """Place the names of rows, shorten them if they take too much of the width, and return their width."""
    room = NAMES * measure_cell(ax)[0]
    return _fit(lambda n_letters: _write_names(ax, shorten_lines(names, n_letters)), "\n".join(names), room)


def fit_names(ax: Axes, names: Sequence[str]) -> bool:
    """Return whether the names of rows have room without being shortened."""
    return _write_names(ax, names) <= NAMES * measure_cell(ax)[0]


def _write_names(ax: Axes, names: Sequence[str]) -> float:
    ax.set_yticks(range(len(names)), list(map(escape_math, names)))
    return max(label.get_window_extent().width for label in ax.get_yticklabels())


def wrap(text: str, n_letters: int) -> str:
    """Break lines with more than `n_letters` letters at spaces, and words at marks or anywhere."""
    lines = []
    for given in text.split("\n"):
        lines.append("")
        for word in re.findall("[^ ]+ *| +", given):
            parts = [word]
            if len(word.rstrip()) > n_letters:
                parts = re.findall(f"[^{MARKS}]*[{MARKS}]|[^{MARKS}]+", word)
                lines += [""] * bool(lines[-1])
            for part in parts:
                for start in range(0, len(part), n_letters):
                    piece = part[start : start + n_letters]
                    if lines[-1] and len(lines[-1] + piece.rstrip()) > n_letters:
                        lines.append("")
                    lines[-1] += piece
    return "\n".join(line.strip() for line in lines)


def _fit(write: Callable[[int], float], text: str, room: float) -> float:
    """Write a text with fewer letters per line until it fits; return its length in pixels."""
    n_letters = max(map(len, text.split("\n")), default=0)
    while (length := write(max(n_letters, FEWEST_LETTERS))) > room and n_letters > FEWEST_LETTERS:
        n_letters = min(int(n_letters * room / length), n_letters - 1)
    return length


def shorten_lines(names: Sequence[str], n_letters: int) -> list[str]:
    """Shorten each line of the names; the same line has the same short form in all names."""
    rows = [name.split("\n") for name in names]
    for place in range(max(map(len, rows))):
        lines = list(dict.fromkeys(row[place] for row in rows if place < len(row)))
        short = dict(zip(lines, shorten_names(lines, n_letters)))
        for row in rows:
            row[place : place + 1] = [short[line] for line in row[place : place + 1]]
    return ["\n".join(row) for row in rows]


def shorten_names(names: Sequence[str], n_letters: int) -> list[str]:
    """Shorten distinct names to at most `n_letters` letters: the same start and the middle are left out."""
    if max(map(len, names)) <= n_letters:
        return list(names)
    short = [_elide(name, n_letters) for name in cut_start(names, "…")]
    if len(set(short)) < len(set(names)):
        return [f"{i} {_elide(name, n_letters - 1 - len(str(i)))}" for i, name in enumerate(names)]
    return short


def _elide(name: str, n_letters: int) -> str:
    """Replace the middle of a long name by an ellipsis."""
    n_start = n_letters // 2
    n_end = max(n_letters - n_start - 1, 0)
    return name if len(name) <= n_letters else f"{name[:n_start]}…{name[len(name) - n_end :]}"


def place_legend(ax: Axes, most: float | None) -> float:
    """Place the legend above the axes, at most `most` pixels high if possible, and return its height."""
    handles, labels = ax.get_legend_handles_labels()
    if not labels:
        return 0.0
    inside = ax.get_window_extent()
    around = ax.get_tightbbox()
    room = inside.width if around is None else inside.x1 - around.x0

    def write(texts: Sequence[str], n_columns: int, fontsize: str) -> Legend:
        style = STYLE | {"ncols": n_columns, "fontsize": fontsize}
        return ax.legend(
            handles, list(map(escape_math, texts)), loc="lower left", bbox_to_anchor=(0, 1), **style
        )

    legend = write(labels, 1, FONTS[0])
    for texts, n_columns, fontsize in _propose(legend, labels, room, can_shorten=most is not None):
        legend = write(texts, n_columns, fontsize)
        box = legend.get_window_extent()
        if box.width <= room and (most is None or box.height <= most):
            break
    if box.width > inside.width:  # it extends over the names of rows
        legend.set_loc("lower right")
        legend.set_bbox_to_anchor((1, 1), ax.transAxes)
    return float(box.height)


def _propose(
    legend: Legend, labels: Sequence[str], room: float, can_shorten: bool
) -> Iterator[tuple[list[str], int, str]]:
    """Yield texts of a legend, its number of columns and its font size, the best first."""
    written = legend.get_texts()
    widths = [text.get_window_extent().width for text in written]
    widest = max(widths)
    around = legend.get_window_extent().width - widest  # the margins and the line of an entry
    column = around + SPACING * float(written[0].get_fontsize()) * legend.figure.dpi / 72
    per_letter = widest / max(map(len, labels))
    n_columns = min(int(room / (column + sum(widths) / len(widths))), len(labels))
    yield from ((list(labels), n, FONTS[0]) for n in range(n_columns, 0, -1))
    for share in (1, 0.9, 0.8, 0.7):
        n_letters = max(int(share * (room - around) / per_letter), FEWEST_LETTERS)
        yield [wrap(label, n_letters) for label in labels], 1, FONTS[0]
    for n in range(1, 5) if can_shorten else ():
        for fontsize, scale in zip(FONTS, (1, 0.83, 0.69)):
            n_letters = int((0.95 * room / n - scale * column) / (scale * per_letter))
            yield shorten_names(labels, max(n_letters, FEWEST_LETTERS)), n, fontsize
