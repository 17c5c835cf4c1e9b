"""Names that stand without a library: which libraries have them, and how they are written here."""

from .catalog import LIBRARIES
from .read import is_read, read_prefixed, split_name
from .spell import has_name, spell_name
from .table import Library


def find_meant(written: str) -> dict[str, list[str]]:
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
