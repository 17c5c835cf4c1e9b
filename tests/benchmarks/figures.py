"""Time every display with 100,000 queries, from its arguments to a saved figure."""

import warnings
from functools import partial
from importlib.util import find_spec
from io import BytesIO
from time import process_time

from ..helpers.drawings import DRAWINGS, name_systems

BEGIN, END = "<!-- begin of the figures -->", "<!-- end of the figures -->"
N_QUERIES = 100_000


def format_table(repeats: int, n_queries: int = N_QUERIES) -> str:
    """Return the table: CPU seconds, the best of `repeats` calls, of drawing and of saving as PNG."""
    if find_spec("matplotlib") is None:
        return "matplotlib is not installed."
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    lines = [f"| {n_queries:,} queries | compute and draw, s | save, s |", "|---|---|---|"]
    for name, draw in DRAWINGS.items():
        found = [_time(partial(draw, n_queries, name_systems(1, 3))) for _ in range(repeats)]
        drawn, saved = map(min, zip(*found))
        lines.append(f"| `{name}` | {drawn:.2f} | {saved:.2f} |")
        plt.close("all")
    return "\n".join(lines)


def _time(draw: partial) -> tuple[float, float]:
    """Return the seconds of drawing and of saving a display."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of labels and scores that are random
        start = process_time()
        display = draw()
    drawn = process_time()
    display.figure_.savefig(BytesIO())
    return drawn - start, process_time() - drawn
