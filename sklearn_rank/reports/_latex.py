"""Tables in LaTeX, for the package booktabs."""

from __future__ import annotations

import re
from collections.abc import Sequence

COMMANDS = {"~": "asciitilde", "^": "asciicircum", "\\": "backslash", "<": "less", ">": "greater", "|": "bar"}
CHARACTERS = str.maketrans(
    {char: f"\\{char}" for char in "&%$#_{}"}
    | {char: f"\\text{command}{{}}" for char, command in COMMANDS.items()}
    | dict.fromkeys("\r\n", " ")
)


def write_cell(text: str) -> str:
    """Write the text of a cell, with the minus of negative numbers."""
    return re.sub(r"(?<![^ \[])-(?=\d)", "$-$", text.translate(CHARACTERS))


def write_latex(
    rows: Sequence[Sequence[str]], sides: str, comments: Sequence[str], below: Sequence[str] = ()
) -> str:
    """Write rows, the headers first, as a table below comments; `below` are lines of text at its end."""
    head, *body = [f"{' & '.join(row)} \\\\" for row in rows]
    lines = [f"% {line}" for line in comments if line]
    lines += [f"\\begin{{tabular}}{{{sides}}}", "\\toprule", head, "\\midrule", *body, "\\bottomrule"]
    lines += [f"\\multicolumn{{{len(sides)}}}{{l}}{{{write_cell(line)}}} \\\\" for line in below]
    return "\n".join([*lines, "\\end{tabular}"])
