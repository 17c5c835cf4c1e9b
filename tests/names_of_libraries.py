"""The names of other libraries as a page, written from the table by which these names are read.

``python -m tests.names_of_libraries [--write docs/other_libraries.md]``
"""

import argparse
from pathlib import Path

from sklearn_rank.metrics import METRICS
from sklearn_rank.metrics._libraries.catalog import LIBRARIES
from sklearn_rank.metrics._libraries.read import name_row, read_prefixed
from sklearn_rank.metrics._libraries.spell import spell_name, spell_options
from sklearn_rank.metrics._libraries.table import Library, Meaning
from tests.oracles.pages import write_between

BEGIN, END = "<!-- begin of the names -->", "<!-- end of the names -->"


def make_page() -> str:
    """Write an overview of all libraries, and a part on each."""
    parts = [make_part(prefix, library) for prefix, library in LIBRARIES.items()]
    return "\n\n".join([make_overview(), *parts])


def make_overview() -> str:
    """Write which names stand for which of our metrics."""
    header = ["here", *(library.title for library in LIBRARIES.values())]
    rows = []
    for stem, metric in METRICS.items():
        cells = [", ".join(names_of(library, stem)) for library in LIBRARIES.values()]
        if any(cells):
            rows.append([f"`{metric.name}`", *cells])
    return make_table(header, rows)


def names_of(library: Library, stem: str) -> list[str]:
    """Return under which names a library has one of our metrics, one of those for the same."""
    found: dict[str, str] = {}
    for theirs, row in library.rows.items():
        if row.stem == stem:
            plain = name_row(library, theirs) if set("@(") & set(theirs) else theirs
            found.setdefault(repr((row.said, row.cutoff)), plain)
    return list(found.values())


def make_part(prefix: str, library: Library) -> str:
    """Write the table of one library, and what it does not say."""
    written = f'Written `"{prefix}:..."`, as version {library.version} computes it. {say_convention(library)}'
    notes = [f"- {note}" for note in library.notes]
    reasons = list_reasons(library)
    parts = [
        f"### {library.title}",
        written.rstrip(),
        make_table(["there", "here", "parameters"], list_rows(prefix, library)),
    ]
    parts += ["\n".join(notes)] if notes else []
    parts += ["Not here:", "\n".join(reasons)] if reasons else []
    return "\n\n".join(parts)


def list_rows(prefix: str, library: Library) -> list[list[str]]:
    """List the names of a library beside ours, and their parameters; names of the same metric together."""
    names: dict[tuple[str, str], list[str]] = {}
    for theirs, row in library.rows.items():
        name = name_row(library, theirs)
        meaning = read_prefixed(f"{prefix}:{name}", "", "")
        ours = spell_name(meaning, library).removeprefix("neg_")  # of scorers alone
        here = f"`{ours}`" if meaning.metric.stem in METRICS else ours
        here += "".join(f", `{each}`" for each in list_exceptions(meaning, library))
        takes = [] if row.example else [f"`{each}`" for each in row.takes]
        also = [each for each, key in library.also.items() if key == theirs]
        names.setdefault((here, ", ".join(takes)), []).extend(f"`{each}`" for each in (name, *also))
    return [[", ".join(theirs), here, takes] for (here, takes), theirs in names.items()]


def list_exceptions(meaning: Meaning, library: Library) -> list[str]:
    """List what is as by default here, though not for the library's other metrics."""
    defaults = meaning.metric.defaults
    kept = {key: meaning.said[key] for key in library.convention if key in meaning.said and key in defaults}
    return [
        spell_options({key: value})
        for key, value in kept.items()
        if value == defaults[key] != library.convention[key]
    ]


def list_reasons(library: Library) -> list[str]:
    """List what has no equivalent here, and why."""
    reasons: dict[str, list[str]] = {}
    for theirs, why in library.without.items():
        reasons.setdefault(why, []).append(f"`{theirs}`")
    return [f"- {', '.join(theirs)}: {why}." for why, theirs in reasons.items()]


def say_convention(library: Library) -> str:
    """Say what holds for all metrics of a library."""
    said = [f"`{spell_options({key: value})}`" for key, value in library.convention.items()]
    said += ["scores rounded to float32"] if library.held == "float32" else []
    return f"For all of them: {', '.join(said)}." if said else ""


def make_table(header: list[str], rows: list[list[str]]) -> str:
    """Write a table."""
    cells = [header, ["---"] * len(header), *rows]
    return "\n".join(f"| {' | '.join(row)} |" for row in cells)


def main() -> None:
    """Print the page, or write it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", type=Path, help="a page with the marks of the names")
    arguments = parser.parse_args()
    if arguments.write:
        write_between(arguments.write, BEGIN, END, make_page())
    else:
        print(make_page())


if __name__ == "__main__":
    main()
