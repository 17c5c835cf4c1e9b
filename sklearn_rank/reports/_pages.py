"""Tables in LaTeX, and pages in HTML with a table and its figure."""

import re
from collections.abc import Iterable, Sequence
from datetime import date
from html import escape
from importlib import import_module
from importlib.util import find_spec
from io import StringIO
from platform import python_version
from typing import Any

from .._checks.types import Options

COMMANDS = {"~": "asciitilde", "^": "asciicircum", "\\": "backslash", "<": "less", ">": "greater", "|": "bar"}
CHARACTERS = str.maketrans(
    {char: f"\\{char}" for char in "&%$#_{}"}
    | {char: f"\\text{command}{{}}" for char, command in COMMANDS.items()}
    | dict.fromkeys("\r\n", " ")
)
LIBRARIES = {"sklearn-rank": "sklearn_rank", "scikit-learn": "sklearn", "numpy": "numpy", "scipy": "scipy"}
STYLE = """
:root { color-scheme: light dark; }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 75rem; margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.4rem; }
main { overflow-x: auto; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
caption { text-align: left; padding-bottom: 0.5rem; max-width: calc(100vw - 2rem); }
th, td { padding: 0.25rem 0.75rem; border-bottom: 1px solid; }
svg { display: block; max-width: 100%; min-width: 36rem; height: auto; fill: currentColor; }
footer { margin-top: 2rem; font-size: 0.85rem; opacity: 0.7; }
"""


def write_cell(text: str) -> str:
    """Write the text of a cell, with the minus of negative numbers."""
    return re.sub(r"(?<![^ \[])-(?=\d)", "$-$", text.translate(CHARACTERS))


def write_latex(
    rows: Sequence[Sequence[str]],
    sides: str,
    comments: Sequence[str] = (),
    below: Sequence[str] = (),
    caption: str = "",
) -> str:
    """Write rows, the headers first, as a table below comments; `below` are lines of text at its end.

    With a caption, it is a floating table.
    """
    head, *body = [f"{' & '.join(row)} \\\\" for row in rows]
    lines = [f"% {line}" for line in comments if line]
    lines += [f"\\begin{{tabular}}{{{sides}}}", "\\toprule", head, "\\midrule", *body, "\\bottomrule"]
    lines += [f"\\multicolumn{{{len(sides)}}}{{l}}{{{write_cell(line)}}} \\\\" for line in below]
    lines += ["\\end{tabular}"]
    if caption:
        start = ["\\begin{table}", "\\centering", f"\\caption{{{write_cell(caption)}}}"]
        lines = [*start, *lines, "\\end{table}"]
    return "\n".join(lines)


def write_page(title: str, body: str) -> str:
    """Return a complete page without links to other files."""
    versions = ", ".join(f"{name} {import_module(module).__version__}" for name, module in LIBRARIES.items())
    made = f"{date.today().isoformat()}. Python {python_version()}, {versions}."
    return f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>{escape(title)}</title>
<style>{STYLE}</style>
</head>
<body>
<main>{body}</main>
<footer>{made}</footer>
</body>
</html>
"""


def draw_figures(plot: Any, figures: Iterable[Options]) -> str:
    """Return SVG of each figure that `plot` draws; empty if matplotlib is not installed.

    Black and white become the colors of the page, which can be dark.
    """
    if plot is None or not find_spec("matplotlib"):
        return ""
    from matplotlib import rc_context
    from matplotlib.figure import Figure

    found = []
    for options in figures:
        figure, drawn = Figure(figsize=(8, 4.5), layout="constrained"), StringIO()
        plot(ax=figure.add_subplot(), **options)
        with rc_context({"svg.hashsalt": "page"}):  # the same ids in each run
            figure.savefig(drawn, format="svg", transparent=True, metadata={"Date": None})
        svg = re.sub(r"^.*?(?=<svg)", "", drawn.getvalue(), flags=re.DOTALL)
        found.append(svg.replace("#000000", "currentColor").replace("#ffffff", "Canvas"))
    return "".join(found)
