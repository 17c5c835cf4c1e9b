"""Write the tables about other libraries and the lists of scorers in the docs, from the tables of metrics.

``python -m tests.library_tables [--write]``
"""

import argparse
from math import nextafter
from pathlib import Path
from typing import Any

import sklearn_rank
from sklearn_rank import explain, get_scorer_names
from sklearn_rank.metrics import METRICS as ALL_METRICS
from sklearn_rank.metrics._explain import WORDS
from sklearn_rank.metrics._libraries import formulas
from sklearn_rank.metrics._libraries.library_names import (
    LIBRARIES,
    is_same,
    name_row,
    read_prefixed,
    spell_name,
    spell_options,
    spell_value,
)
from sklearn_rank.metrics._libraries.library_table import Library, Meaning, Row
from tests.helpers.pages import table_rows
from tests.helpers.table import METRICS
from tests.oracles.pages import write_between

DOCS = Path(__file__).resolve().parents[1] / "docs"
DIFFERS, SCORERS = DOCS / "my_number_differs", DOCS / "api" / "scorers.md"
# Libraries on the page of another one.
PAGES = {"mteb": "beir", "sentence_transformers": "beir", "mslr": "letor"}


def make_parts() -> dict[tuple[Path, str], str]:
    """Write all parts, by page and name of the part."""
    parts = {(DOCS / "other_libraries.md", "names"): make_overview()}
    parts[DIFFERS / "index.md", "conventions"] = make_conventions()
    parts |= {(SCORERS, "table of names"): make_scorer_names(), (SCORERS, "factories"): make_factories()}
    for prefix, library in LIBRARIES.items():
        page, of = DIFFERS / f"{name_page(prefix)}.md", f" of {library.title}" * (prefix in PAGES)
        parts[page, f"differences{of}"] = make_differences(prefix, library)
        parts[page, f"names{of}"] = make_names(prefix, library)
    return parts


def name_page(prefix: str) -> str:
    """Return the name of the page of a library."""
    return PAGES.get(prefix, prefix)


def mark(what: str) -> tuple[str, str]:
    """Return the marks before and after a part."""
    return f"<!-- begin of the {what} -->", f"<!-- end of the {what} -->"


# ---------------------------------------------------------------------------- scorers


def make_scorer_names() -> str:
    """Write the table of scorers by name. The table of all metrics has their descriptions."""
    of_function = {row[0]: row[2] for row in table_rows("metrics.md", "| function | scorer")}
    rows = []
    for name in get_scorer_names():
        stem, _, k = name.removeprefix("neg_").partition("@")
        metric = ALL_METRICS[stem]
        call = f"{metric.factory.__name__}({f'k={k}' if k else ''})"
        rows.append([f'`"{name}"`', f"`{call}`", of_function[f"`{metric.function.__name__}`"]])
    return f"::::{{div}} searchable\n{make_table(['name', 'factory', 'description'], rows)}\n::::"


def make_factories() -> str:
    """Write the list of the factories."""
    factories = [metric.factory.__name__ for metric in ALL_METRICS.values()]
    names = [name for name in factories if name in sklearn_rank.metrics.__all__]
    places = ["sklearn_rank" if name in sklearn_rank.__all__ else "sklearn_rank.metrics" for name in names]
    listed = "\n".join(f"   {place}.{name}" for place, name in zip(places, names))
    head = ".. autosummary::\n   :toctree: generated/\n   :nosignatures:"
    return f"```{{eval-rst}}\n{head}\n\n{listed}\n```"


# ---------------------------------------------------------------------------- names


def make_overview() -> str:
    """Write the table of the libraries' names for each metric."""
    titles = [
        f"[{library.title}](my_number_differs/{name_page(prefix)}.md)"
        for prefix, library in LIBRARIES.items()
    ]
    rows = []
    for stem, metric in METRICS.items():
        cells = [", ".join(names_of(library, stem)) for library in LIBRARIES.values()]
        if any(cells):
            rows.append([f"`{metric.name}`", *cells])
    return make_table(["here", *titles], rows)


def stem_of(row: Row) -> str:
    """Return the stem of the metric of a row."""
    return row.metric if isinstance(row.metric, str) else row.metric.stem


def names_of(library: Library, stem: str) -> list[str]:
    """Return the names of a metric in a library, without other names of the same variant."""
    found: dict[str, str] = {}
    for theirs, row in library.rows.items():
        if stem_of(row) == stem:
            plain = name_row(library, theirs) if set("@(") & set(theirs) else theirs
            found.setdefault(repr((row.parsed, row.cutoff)), plain)
    return list(found.values())


def make_names(prefix: str, library: Library) -> str:
    """Write the table of one library, with notes and unsupported names."""
    written = (
        f'Write names as `"{prefix}:..."`. Values are those of version {library.version}. '
        f"{describe_convention(library)}"
    )
    notes = [f"- {note}" for note in library.notes]
    reasons = list_reasons(library)
    parts = [written.rstrip(), make_table(["there", "here", "parameters"], list_rows(prefix, library))]
    parts += ["\n".join(notes)] if notes else []
    parts += ["Not available:", "\n".join(reasons)] if reasons else []
    return "\n\n".join(parts)


def list_rows(prefix: str, library: Library) -> list[list[str]]:
    """List the names of a library with ours and their parameters; names of one metric share a row."""
    names: dict[tuple[str, str], list[str]] = {}
    for theirs, row in library.rows.items():
        name = name_row(library, theirs)
        meaning = read_prefixed(f"{prefix}:{name}", "")
        ours = spell_name(meaning, library).removeprefix("neg_")  # the prefix is only for scorers
        here = f"`{ours}`" if meaning.metric.stem in METRICS else ours
        here += "".join(f", `{each}`" for each in list_exceptions(meaning, library))
        takes = [] if row.example else [f"`{each}`" for each in row.takes]
        also = [each for each, key in library.also.items() if key == theirs]
        names.setdefault((here, ", ".join(takes)), []).extend(f"`{each}`" for each in (name, *also))
    return [[", ".join(theirs), here, takes] for (here, takes), theirs in names.items()]


def list_exceptions(meaning: Meaning, library: Library) -> list[str]:
    """List the options that have our default although the library's convention differs."""
    defaults = meaning.metric.defaults
    options = {
        key: meaning.parsed[key] for key in library.convention if key in meaning.parsed and key in defaults
    }
    return [
        spell_options({key: value})
        for key, value in options.items()
        if value == defaults[key] != library.convention[key]
    ]


def list_reasons(library: Library) -> list[str]:
    """List the names without an equivalent, with the reasons."""
    reasons: dict[str, list[str]] = {}
    for theirs, why in library.without.items():
        reasons.setdefault(why, []).append(f"`{theirs}`")
    return [f"- {', '.join(theirs)}: {why}." for why, theirs in reasons.items()]


def describe_convention(library: Library) -> str:
    """Describe the options that all metrics of a library have in common."""
    common = [f"`{spell_options({key: value})}`" for key, value in library.convention.items()]
    common += ["scores rounded to float32"] if library.scores == "float32" else []
    return f"All metrics use {', '.join(common)}." if common else ""


# ---------------------------------------------------------------------------- differences

RULES = ("ties", "unjudged", "zero_division", "scores")  # these are last, in this order
IN_NAMES = (
    "discount",
    "rounding",
    "max_grade",
    "average",
    "weighted_by",
)  # the table of names already shows these
WITH_OPTIONS = ("letor_ndcg", "letor_mean_ndcg")  # formulas whose gain and discount are shown, too


def make_differences(prefix: str, library: Library) -> str:
    """Write the table of the options in which a library differs from our defaults."""
    names = {key: name_row(library, key) for key in list_distinct(library)}
    found: dict[tuple[str, str, str], list[str]] = {}
    for key, name in names.items():
        for change in list_changes(f"{prefix}:{name}", library.rows[key]):
            found.setdefault(change, []).append(name)
    if not found:
        return "None: its conventions are the defaults here."
    rows = [
        [
            f"`{option}`" if option != "scores" else option,
            theirs,
            ours,
            describe_where(where, [*names.values()]),
        ]
        for (option, theirs, ours), where in sorted(found.items(), key=lambda item: order_of(item[0][0]))
    ]
    return make_table(["option", library.title, "default here", "metrics"], rows)


def list_changes(name: str, row: Row) -> list[tuple[str, str, str]]:
    """List the options of a name that differ from our defaults: the option, their value, our value."""
    explanation, hidden = explain(name), () if stem_of(row) in WITH_OPTIONS else IN_NAMES
    options = {key: value for key, value in explanation.options.items() if key not in hidden}
    defaults = explanation.defaults
    k = options.pop("k", None)
    changes = [("k", f"{k} by default", "all documents")] if is_own(k, row) else []
    for option, value in options.items():
        if option in defaults and not is_same(value, defaults[option]):
            changes.append((option, describe_value(option, value), describe_value(option, defaults[option])))
    return changes


def is_own(k: int | None, row: Row) -> bool:
    """Return whether a cutoff is the library's default instead of a part of the name."""
    return k in (row.whole, row.parsed.get("k")) and k is not None


def list_distinct(library: Library) -> list[str]:
    """List the rows of a library, without further names of the same row."""
    first: dict[int, str] = {}
    for key, row in library.rows.items():
        first.setdefault(id(row), key)
    return list(first.values())


def order_of(option: str) -> int:
    """Return the sort key of an option."""
    return RULES.index(option) if option in RULES else -1


def describe_where(names: list[str], all_names: list[str]) -> str:
    """List the metrics in which an option differs."""
    others = [name for name in all_names if name not in names]
    few, before = (others, "all except ") if len(others) < len(names) else (names, "")
    return f"{before}{', '.join(f'`{name}`' for name in few)}" if others else "all"


def describe_value(option: str, value: Any) -> str:
    """Describe the value of an option."""
    if value != value:
        return "`nan`, undefined queries are excluded from the mean"
    if option == "min_relevance" and value != int(value):
        return f"labels above {nextafter(value, 0):g} are relevant"
    if option == "min_relevance":
        return f"labels >= {value} are relevant"
    meaning = WORDS.get(option, {}).get(value, "") if isinstance(value, str | float | int | None) else ""
    return ", ".join([f"`{spell_value(value)}`", *([meaning] if meaning else [])])


# ---------------------------------------------------------------------------- comparison of all libraries

SHORT = {
    "gain": {
        "linear": "label",
        "exponential": "2**label - 1",
        "lambda label: label >= 1": "1",
    },
    "ties": {"average": "mean", "order": "row order", "worst": "worst"},
    "zero_division": {"0.0": "0", "1.0": "1"},
    "denominator": {"achievable": "min(k, R)", "relevant": "R", "hits": "hits in the top k"},
    "adaptive_k": {"False": "k", "True": "n"},
    "min_relevance": {"1": ">= 1", "0.5000000000000001": "> 0.5"},
    "scores": {"given": "float64", "later_first": "float64"},
}
# The denominators in the formulas of recommenders, which have no options for them.
FIXED = {
    "retrieved_map": ("denominator", "relevant"),
    "retrieved_achievable_map": ("denominator", "achievable"),
}
FIXED |= {"retrieved_precision": ("adaptive_k", False)}
COLUMNS = {
    "gain": ("ndcg", "gain"),
    "ties": ("ndcg", "ties"),
    "no relevant document": ("ndcg", "zero_division"),
    "the same in AP": ("map", "zero_division"),
    "AP@k by": ("map", "denominator"),
    "P@k by": ("precision", "adaptive_k"),
    "relevant": ("map", "min_relevance"),
    "scores": ("ndcg", "scores"),
    "no cutoff": ("ndcg", "k"),
}


def make_conventions() -> str:
    """Write the table that compares the defaults of all libraries."""
    rows = [["here", *(describe_ours(stem, option) for stem, option in COLUMNS.values())]]
    for prefix, library in LIBRARIES.items():
        cells = [describe_theirs(prefix, library, stem, option) for stem, option in COLUMNS.values()]
        rows.append([f"[{library.title}]({name_page(prefix)}.md)", *cells])
    return make_table(["", *COLUMNS], rows)


def describe_ours(stem: str, option: str) -> str:
    """Describe our default of an option in a word."""
    return "all" if option == "k" else shorten(option, explain(f"{stem}@10").options[option])


def describe_theirs(prefix: str, library: Library, stem: str, option: str) -> str:
    """Describe an option in the metrics of a library that have a cutoff, in a word for each value."""
    rows = {
        key: library.rows[key]
        for key in list_distinct(library)
        if library.rows[key].cutoff != "none" and stem_of(library.rows[key]) in (stem, *of_retrieved(stem))
    }
    values: dict[str, None] = {}
    for key, row in rows.items():
        options = explain(f"{prefix}:{name_row(library, key)}").options
        options |= dict([FIXED[stem_of(row)]] if stem_of(row) in FIXED else [])
        if option == "k":
            cut = {"required": "in the name", "optional": str(row.whole or "all")}
            values[cut[row.cutoff]] = None
        else:
            values[shorten(option, options[option])] = None
    return " or ".join(values)


def of_retrieved(stem: str) -> list[str]:
    """Return the formulas of libraries that equal our metric if enough documents are retrieved."""
    names = (*FIXED, "letor_ndcg")
    return [each for each in names if hasattr(formulas, each) and each.endswith(f"_{stem}")]


def shorten(option: str, value: Any) -> str:
    """Describe a value in a word."""
    word = getattr(value, "__name__", str(value))
    return "excluded" if value != value else SHORT[option].get(word, word)


def make_table(header: list[str], rows: list[list[str]]) -> str:
    """Write a table in Markdown."""
    cells = [header, ["---"] * len(header), *rows]
    return "\n".join(f"| {' | '.join(row)} |" for row in cells)


def main() -> None:
    """Print the parts or write them into their pages."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", action="store_true", help="write the tables into the pages")
    write = parser.parse_args().write
    for (page, what), text in make_parts().items():
        if write:
            write_between(page, *mark(what), text)
        else:
            print(f"{page.name}, {what}:\n\n{text}\n")


if __name__ == "__main__":
    main()
