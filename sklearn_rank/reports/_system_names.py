"""Names of systems in tables: their natural order, letters and short names."""

import re
from collections.abc import Mapping, Sequence
from itertools import takewhile
from string import ascii_letters
from typing import Any

SHORT = 10  # letters of a name that is not shortened
ENDS = " _,/-"  # of words in ids and names
CAPITALS = ascii_letters.swapcase()  # capital letters first


def give_letters(systems: Sequence[str], letters: str = CAPITALS) -> dict[str, str]:
    """Return a letter for each system, or a number if there are too many."""
    few = len(systems) <= len(letters)
    return dict(zip(systems, letters if few else map(str, range(1, len(systems) + 1))))


def order_naturally(name: object) -> list[tuple[bool, int, str]]:
    """Return the key that sorts a2 before a10, and numbers before other names."""
    parts = filter(None, re.split("([0-9]+)", str(name)))
    return [(False, int(part), "") if part.isdecimal() else (True, 0, part) for part in parts]


def sort_naturally(systems: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return several systems in natural order if they are sorted by name, as names of files often are."""
    if len(systems) < 3 or list(systems) != sorted(systems):
        return systems
    return {name: systems[name] for name in sorted(systems, key=order_naturally)}


def cut_start(names: Sequence[str], mark: str = "...") -> list[str]:
    """Replace the words that distinct names all begin with by a mark.

    Words end at a space or one of a few signs, so "k1=20" is not cut after "k1=2".
    """
    first, last = min(names), max(names)
    n_same = next((place for place, (one, other) in enumerate(zip(first, last)) if one != other), 0)
    n_words = 1 + max(first.rfind(end, 0, n_same) for end in ENDS)
    return [mark + name[n_words:] for name in names] if n_words > len(mark) else list(names)


def shorten_names(systems: Sequence[str]) -> dict[str, str]:
    """Return short names: without the words that all begin and end with, or letters for long names."""
    if max(map(len, systems)) <= SHORT:
        return dict(zip(systems, systems))
    words = [re.findall(r"[^\W_]+|[\W_]+", name) for name in systems]
    n_first = _count_same(words)
    n_last = _count_same([each[n_first:][::-1] for each in words])
    parts = [each[n_first : len(each) - n_last] for each in words]
    names = [re.sub(r"^[\W_]+|[\W_]+$", "", "".join(each)) for each in parts]
    if len({*names}) == len(names) and all(0 < len(name) <= SHORT for name in names):
        return dict(zip(systems, names))
    letters = give_letters(systems)
    some = {name: name if len(name) <= SHORT else letters[name] for name in systems}
    return some if len({*some.values()}) == len(systems) else letters


def _count_same(words: Sequence[Sequence[str]]) -> int:
    """Count the first words that all have in common."""
    return len(list(takewhile(lambda some: len({*some}) == 1, zip(*words))))
