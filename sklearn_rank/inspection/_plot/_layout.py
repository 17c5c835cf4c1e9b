"""Room for the texts of a figure: its legend, the names of rows and the titles of axes, of any length.

A figure that a display created grows, so that no text needs to be shortened. On axes of the user, the texts of
the legend and their font become shorter instead.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from os.path import commonprefix
from textwrap import fill
from typing import TYPE_CHECKING, Any

from ..._checks.types import Options

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.legend import Legend

OWN = "sklearn_rank.figure"  # the `gid` of figures that displays create
NAMES = 0.42  # largest share of the width for names of rows
LEGEND = 0.42  # largest share of the height of the axes for a legend, on axes of the user
AXES = 0.42  # least share of the area for axes in figures that grow
LEAST_FONT = 3.5  # points
FEWEST_LETTERS = 8
SPACING = 1.0  # between columns of a legend, in font sizes
STYLE: Options = {"frameon": False, "borderaxespad": 0.2, "handlelength": 2.2, "columnspacing": SPACING}


def arrange_texts(ax: Axes, names: Sequence[str] = ()) -> None:
    """Place the legend above the axes, `names` at rows 0, 1, ... of the y-axis, and break long titles."""
    if (legend := ax.get_legend()) is not None:
        legend.remove()
    wrap_titles(ax)
    if names:
        place_names(ax, names)
    figure = ax.figure.figure  # of a subfigure, the figure that contains it
    if (engine := figure.get_layout_engine()) is not None:
        engine.execute(figure)
    can_grow = figure.get_gid() == OWN
    width, height = ax.get_window_extent().size  # without a legend
    taken = place_legend(ax, None if can_grow else LEGEND * height)
    labels = ax.get_yticklabels() if names else []
    tallest = 1.15 * max((label.get_window_extent().height for label in labels), default=0)
    if can_grow:
        around = figure.bbox.height - height + taken
        share = min(max(AXES * figure.bbox.width / width, 0.5), 0.8)  # of the height
        needed = max(around / (1 - share), around + tallest * (len(names) + 1))
        figure.set_figheight(max(figure.get_figheight(), needed / figure.dpi))
    elif tallest * len(names) > height - taken:
        size = labels[0].get_fontsize() * (height - taken) / (tallest * len(names))
        ax.tick_params(axis="y", labelsize=max(size, LEAST_FONT))


def measure_cell(ax: Axes) -> tuple[float, float]:
    """Return the width and height in pixels of the part of the figure that the axes and their texts share."""
    room, spec = ax.figure.bbox, ax.get_subplotspec()
    if spec is None:
        inside = ax.get_window_extent()
        return inside.x1 - room.x0, room.y1 - inside.y0
    grid = spec.get_gridspec()
    return room.width * len(spec.colspan) / grid.ncols, room.height * len(spec.rowspan) / grid.nrows


def wrap_titles(ax: Axes) -> None:
    """Break titles of axes that are longer than the axes into lines."""
    width, height = measure_cell(ax)
    for title, side, room in (
        (ax.xaxis.label, "width", 0.75 * width),
        (ax.yaxis.label, "height", 0.7 * height),
    ):
        text = title.get_text()

        def write(n_letters: int, title: Any = title, text: str = text, side: str = side) -> float:
            title.set_text(_wrap(text, n_letters))
            return float(getattr(title.get_window_extent(), side))

        _fit(write, text, room)


def place_names(ax: Axes, names: Sequence[str]) -> None:
    """Place the names of rows, and shorten them if they take too much of the width."""
    room = NAMES * measure_cell(ax)[0]

    def write(n_letters: int) -> float:
        ax.set_yticks(range(len(names)), shorten_lines(names, n_letters))
        return max(label.get_window_extent().width for label in ax.get_yticklabels())

    _fit(write, "\n".join(names), room)


def _wrap(text: str, n_letters: int) -> str:
    return "\n".join(fill(line, n_letters) for line in text.split("\n"))


def _fit(write: Callable[[int], float], text: str, room: float) -> None:
    """Write a text with fewer letters per line until it fits; `write` returns its length in pixels."""
    n_letters = max(map(len, text.split("\n")), default=0)
    while (length := write(max(n_letters, FEWEST_LETTERS))) > room and n_letters > FEWEST_LETTERS:
        n_letters = min(int(n_letters * room / length), n_letters - 1)


def shorten_lines(names: Sequence[str], n_letters: int) -> list[str]:
    """Shorten each line of the names; the same line has the same short form in all names."""
    rows = [name.split("\n") for name in names]
    for place in range(max(map(len, rows))):
        lines = list(dict.fromkeys(row[place] for row in rows if place < len(row)))
        short = dict(zip(lines, shorten_names(lines, n_letters)))
        rows = [[*row[:place], *map(short.get, row[place : place + 1]), *row[place + 1 :]] for row in rows]
    return ["\n".join(row) for row in rows]


def shorten_names(names: Sequence[str], n_letters: int) -> list[str]:
    """Shorten distinct names to at most `n_letters` letters: the same start and the middle are left out."""
    if max(map(len, names)) <= n_letters:
        return list(names)
    start = commonprefix(names) if len(names) > 1 else ""
    n_same = 1 + max(start.rfind(mark) for mark in " _-,/")  # whole words
    short = [_elide("…" * (n_same > 1) + name[n_same if n_same > 1 else 0 :], n_letters) for name in names]
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
    room = inside.x1 - ax.get_tightbbox().x0

    def write(texts: Sequence[str], n_columns: int, fontsize: str) -> Any:
        legend = ax.legend(
            handles,
            texts,
            ncols=n_columns,
            fontsize=fontsize,
            loc="lower left",
            bbox_to_anchor=(0, 1),
            **STYLE,
        )
        return legend.get_window_extent(), legend

    for fontsize in ("small", "x-small", "xx-small"):
        box, legend = write(labels, 1, fontsize)
        widths = [text.get_window_extent().width for text in legend.get_texts()]
        around = box.width - max(widths) + SPACING * legend.get_texts()[0].get_fontsize()
        for texts, n_columns in _propose(labels, max(widths), around, room, most is not None):
            box, legend = write(texts, n_columns, fontsize)
            if box.width <= room and (most is None or box.height <= most):
                break
        else:
            continue
        break
    if box.width > inside.width:  # it extends over the names of rows
        legend.set_loc("lower right")
        legend.set_bbox_to_anchor((1, 1), ax.transAxes)
    return float(box.height)


def _propose(
    labels: Sequence[str], widest: float, around: float, room: float, can_shorten: bool
) -> Iterator[tuple[list[str], int]]:
    """Yield texts of a legend and its number of columns, the best first."""
    longest = max(map(len, labels))
    n_columns = min(int(room / (around + widest)), len(labels))
    yield from ((list(labels), n) for n in range(n_columns, 0, -1))
    per_letter = widest / longest
    n_letters = max(int((room - around) / per_letter), FEWEST_LETTERS)
    if n_columns == 0:
        for share in (1, 0.9, 0.8, 0.7):
            yield [_wrap(label, int(share * n_letters)) for label in labels], 1
    for n in range(1, 5) if can_shorten else ():
        n_letters = int((0.95 * room / n - around) / per_letter)
        if n_letters > FEWEST_LETTERS:
            yield shorten_names(labels, n_letters), n
