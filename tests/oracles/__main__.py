"""Compare with all installed oracles: python -m tests.oracles [--write docs/trust.md].

The table shows the number of compared values and the largest absolute difference. With --files, it compares
trec_eval on generated files, by name and option, and shows relative differences.
"""

import argparse
from pathlib import Path

from . import runs
from .compare import compare
from .pages import write_between
from .table import ORACLES

BEGIN, END = "<!-- begin of the oracles -->", "<!-- end of the oracles -->"
HEADER = """\
| oracle | version | data sets | metrics | values | largest difference | allowed |
|---|---|---|---|---|---|---|"""


def make_table() -> str:
    """Compare with all oracles and format the results."""
    lines, sums = [HEADER], [0, 0]
    for name, oracle in ORACLES.items():
        if not oracle.is_installed:
            continue
        found = [compare(oracle, row) for row in oracle.rows]
        n_values, largest = sum(row.n_values for row in found), max(row.largest for row in found)
        cells = [name, oracle.version, max(row.n_data for row in found), len(found), f"{n_values:,}"]
        cells += [f"{largest:.0e}", f"{oracle.tolerance:.0e}"]
        lines.append(f"| {' | '.join(map(str, cells))} |")
        print(lines[-1], flush=True)
        sums = [sums[0] + len(found), sums[1] + n_values]
    return "\n".join([*lines, f"| all | | | {sums[0]} | {sums[1]:,} | | |"])


def main() -> None:
    """Print the table or write it into a page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", type=Path, help="page to write the table into")
    parser.add_argument("--files", action="store_true", help="compare only trec_eval, on generated files")
    arguments = parser.parse_args()
    if arguments.files:
        marks, table = (runs.BEGIN, runs.END), runs.make_table()
        print(table)
    else:
        marks, table = (BEGIN, END), make_table()
        print(table.splitlines()[-1])
    if arguments.write:
        write_between(arguments.write, *marks, table)


if __name__ == "__main__":
    main()
