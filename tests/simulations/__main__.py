"""Simulate what the statistics promise: python -m tests.simulations coverage comparisons [--repeats 2000].

Draws samples of queries anew from what is known, and counts how often an interval, a verdict or a number of
queries is right. A few minutes on one core, and the same figures at every run. `--write` puts the tables into
the docs.
"""

import argparse

from ..helpers.pages import ROOT
from ..oracles.pages import write_between
from . import coverage
from .tables import format_table

SIMULATIONS = ("coverage",)
SHORT = {  # what the page of decisions shows, at the least and the most units
    ("normal", "t"),
    ("reciprocal ranks", "t"),
    ("reciprocal ranks", "studentized"),
    ("60 % zeros", "t"),
    ("60 % zeros", "studentized"),
    ("hit rate .05", "t"),
    ("hit rate .05", "Wilson"),
    ("clusters of 10", "t"),
    ("clusters of 10, taken for independent", "t"),
    ("10 repeats, averaged first", "t"),
    ("10 repeats, taken for independent", "t"),
}


def main() -> None:
    """Read what to simulate, and print or write the tables."""
    parser = argparse.ArgumentParser(prog="python -m tests.simulations", description=__doc__)
    parser.add_argument("what", nargs="*", help=f"of {', '.join(SIMULATIONS)}; all by default")
    parser.add_argument("--repeats", type=int, default=coverage.REPEATS)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--write", action="store_true", help="into docs/trust.md and docs/decisions.md")
    asked = parser.parse_args()
    for what in asked.what or SIMULATIONS:
        pages = {"coverage": show_coverage}[what](asked.repeats, asked.seed)
        print(pages["trust.md"], flush=True)
        for page, table in pages.items() if asked.write else ():
            marks = (f"<!-- {word} of the {what} -->" for word in ("begin", "end"))
            write_between(ROOT / "docs" / page, *marks, table)


def show_coverage(repeats: int, seed: int) -> dict[str, str]:
    """Return the tables of coverage by page."""
    sizes = [f"{n} units" for n in coverage.N_UNITS]
    rows = coverage.make_rows(repeats, seed)
    short = [[*row[:3], row[-1]] for row in rows if tuple(row[:2]) in SHORT]
    head = ["values", "interval"]
    return {
        "trust.md": format_table([*head, *sizes], rows),
        "decisions.md": format_table([*head, sizes[0], sizes[-1]], short),
    }


if __name__ == "__main__":
    main()
