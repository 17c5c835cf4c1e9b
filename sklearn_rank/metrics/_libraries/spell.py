"""How metrics of other libraries are written as ours, and which libraries have a name."""

from collections.abc import Mapping
from typing import Any

from .read import LIBRARIES, is_read, name_row, read_prefixed, split_name
from .table import Library, Meaning


def spell_name(meaning: Meaning, library: Library) -> str:
    """Write our name for a metric, without what holds for all metrics of the library.

    Where a name cannot hold a value it is a call; of a metric without a name here it is the formula in words.
    """
    metric, k, changed = meaning.metric, meaning.said.get("k"), _find_changed(meaning, library)
    if metric.is_foreign:
        return str(metric.formula.__doc__).splitlines()[0].rstrip(".")
    if not has_name(meaning, library):
        return f"{metric.name}({spell_options({**({} if k is None else {'k': k}), **changed})})"
    params = ", ".join(f"{key}={_short(value)}" for key, value in sorted(changed.items()))
    return f"{metric.prefix}{metric.stem}{'' if k is None else f'@{k}'}{f'({params})' if params else ''}"


def has_name(meaning: Meaning, library: Library) -> bool:
    """Tell whether a name of ours can say it."""
    values = _find_changed(meaning, library).values()
    held = all(isinstance(value, str | bool | int | float | None) for value in values)
    return held and not meaning.metric.is_foreign


def _find_changed(meaning: Meaning, library: Library) -> dict[str, Any]:
    """Return what is neither our default nor holds for all metrics of the library."""
    usual = meaning.metric.defaults, library.convention
    changed = {
        key: value
        for key, value in meaning.said.items()
        if key != "k" and not any(key in each and is_same(value, each[key]) for each in usual)
    }
    if meaning.said.get("k") is None and changed.get("denominator") == "relevant":
        del changed["denominator"]  # of whole lists min(k, R) is R
    return changed


def spell_options(options: Mapping[str, Any]) -> str:
    """Write options as arguments of a call."""
    return ", ".join(f"{key}={spell_value(value)}" for key, value in options.items())


def spell_value(value: Any) -> str:
    """Write a value; a function by its name."""
    return getattr(value, "__name__", None) or repr(value)


def _short(value: Any) -> str:
    """Write a value as names have it."""
    return f"{value:.17g}" if isinstance(value, float) else str(value)


def is_same(value: Any, other: Any) -> bool:
    """Tell whether two values of an option are the same; NaN is."""
    return value is other or bool(value == other) or (value != value and other != other)


def list_names() -> dict[str, str]:
    """List the names of all libraries with what they are here; parameters may stand behind them."""
    names = {}
    for prefix, library in LIBRARIES.items():
        for stem in library.rows:
            name = f"{prefix}:{name_row(library, stem)}"
            names[name] = spell_name(read_prefixed(name, "", ""), library).removeprefix(
                "neg_"
            )  # of scorers alone
    return names


def find_libraries(written: str) -> dict[str, list[str]]:
    """Return the libraries that mean the same by a name, by our name for it.

    What has no name of ours stands by the name with its library. Letters may be of any case; of a name with
    letters of both, a library that spells it so goes before others.
    """
    exact = {prefix: written for prefix in LIBRARIES if is_read(f"{prefix}:{written}")}
    of_both = written != written.lower() and written != written.upper()
    names = exact if exact and of_both else exact | _find_in_any_case(written)
    found: dict[str, list[str]] = {}
    for prefix in (each for each in LIBRARIES if each in names):
        library, name = LIBRARIES[prefix], f"{prefix}:{names[prefix]}"
        meaning = read_prefixed(name, "", "")
        ours = spell_name(meaning, library) if has_name(meaning, library) else name
        found.setdefault(ours, []).append(library.title)
    return found


def _find_in_any_case(written: str) -> dict[str, str]:
    """Return by library the name that differs in the case of its letters alone."""
    found = {}
    for prefix, library in LIBRARIES.items():
        name = _spell_stem(library, written)
        if name and is_read(f"{prefix}:{name}"):
            found[prefix] = name
    return found


def _spell_stem(library: Library, written: str) -> str:
    """Write the stem of a name as the library does; nothing where it has none like it."""
    stem = split_name(library, written)[0]
    known = {each.lower(): each for each in (*library.also, *library.rows)}
    return known[stem.lower()] + written[len(stem) :] if stem.lower() in known else ""


def find_reason(written: str) -> str:
    """Say why a metric of another library is not here, or how its name is whole; nothing of other names."""
    for prefix, library in LIBRARIES.items():
        if written in library.without:
            return f"{library.title}'s {written} is not here: {library.without[written]}"
        row = library.rows.get(written)
        if row is not None and row.example:
            return f'{library.title} has {written} as "{prefix}:{row.example}"'
    return ""
