"""Names of systems in tables: letters, short names, and means in LaTeX with the letters of worse systems."""

import re
from collections.abc import Mapping, Sequence
from itertools import takewhile
from string import ascii_letters
from typing import Any

import numpy as np

from ._pages import write_cell, write_latex
from ._tables import write

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
    """Replace the words that distinct names all begin with by a mark."""
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


def write_letters(
    systems: Sequence[str],
    columns: Mapping[str, np.ndarray],
    decimals: Mapping[str, int],
    facts: Sequence[str],
    *,
    lower: Sequence[str],
    has_letters: bool,
    baseline: str | None,
) -> str:
    """Write a row per system and a column per metric of `decimals`; the best means are bold.

    Letters require the comparisons of all pairs. With a baseline, marks show what differs from it. The
    caption consists of the facts and an explanation of the marks. `lower` are metrics of which lower values
    are better.
    """
    letters, (means, beaten) = give_letters(systems, ascii_letters), _read_rows(columns)
    few = len(systems) <= len(ascii_letters)
    kind, between = ("letter", "") if few else ("number", ",")
    explained = f"Superscript {kind}s name the systems that are significantly worse."
    if baseline is not None:
        explained = f"Plus and minus: significantly better and worse than {baseline}, the only tested pairs."
    rows = [[kind, "system", *map(write_cell, decimals)]]
    for name in systems:
        rows.append([letters[name], write_cell(name)])
        for metric, digits in decimals.items():
            marks = between.join(letters[other] for other in systems if (metric, name, other) in beaten)
            if baseline is not None:
                signs = {"+": (metric, name, baseline), "-": (metric, baseline, name)}
                marks = "".join(sign for sign, pair in signs.items() if pair in beaten)
            best = (np.fmin if metric in lower else np.fmax).reduce([means[metric, each] for each in systems])
            text, bold = (write(each, digits) for each in (means[metric, name], best))
            cell = f"\\textbf{{{write_cell(text)}}}" if text == bold != "nan" else write_cell(text)
            rows[-1].append(cell + (f"$^{{{marks}}}$" if marks else ""))
    if baseline is not None:
        rows = [row[1:] for row in rows]
    caption = " ".join([*facts, *[explained] * has_letters, "Bold: the best mean."])
    return write_latex(rows, "l" * (1 + (baseline is None)) + "r" * len(decimals), caption=caption)


def _read_rows(
    columns: Mapping[str, np.ndarray],
) -> tuple[dict[tuple[str, str], float], set[tuple[str, str, str]]]:
    """Return the mean of each system in its first comparison, and significantly better and worse systems."""
    means: dict[tuple[str, str], float] = {}
    beaten = set()
    names = "metric", "system", "other", "mean", "other_mean", "verdict"
    for metric, system, other, mean, other_mean, verdict in zip(*(columns[name].tolist() for name in names)):
        means.setdefault((metric, system), mean)
        means.setdefault((metric, other), other_mean)
        if verdict.startswith(("better", "worse")):
            beaten.add((metric, system, other) if verdict.startswith("better") else (metric, other, system))
    return means, beaten
