"""Names of systems in tables: letters, short names, and means in LaTeX with the letters of worse systems."""

import re
from collections.abc import Mapping, Sequence
from itertools import takewhile
from string import ascii_letters

import numpy as np

from ._pages import write_cell, write_latex
from ._tables import write

SHORT = 10  # letters of a name that is not shortened
CAPITALS = ascii_letters.swapcase()  # capital letters first


def give_letters(systems: Sequence[str], letters: str = CAPITALS) -> dict[str, str]:
    """Return a letter for each system, or a number if there are too many."""
    few = len(systems) <= len(letters)
    return dict(zip(systems, letters if few else map(str, range(1, len(systems) + 1))))


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
    comments: Sequence[str],
    has_letters: bool,
    baseline: str | None = None,
) -> str:
    """Write a row per system and a column per metric of `decimals`, below comments.

    Letters require the comparisons of all pairs. With a baseline, marks show what differs from it.
    """
    letters = give_letters(systems, ascii_letters)
    means, beaten = _read_rows(columns, decimals)
    few = len(systems) <= len(ascii_letters)
    kind = "letter" if few else "number"
    comment = f"The superscript {kind}s of a mean name the systems that are significantly worse."
    if baseline is not None:
        comment = f"Plus and minus: significantly better and worse than {baseline}, the only tested pairs."
    rows = [[kind, "system", *(write_cell(metric) for metric in decimals)]]
    for name in systems:
        cells = [letters[name], write_cell(name)]
        for metric in decimals:
            worse = beaten.get((metric, name), [])
            marks = ("" if few else ",").join(letters[other] for other in systems if other in worse)
            if baseline is not None:
                marks = "+" * (baseline in worse) + "-" * (name in beaten.get((metric, baseline), []))
            cells.append(write_cell(means[metric, name]) + (f"$^{{{marks}}}$" if marks else ""))
        rows.append(cells)
    if baseline is not None:
        rows = [row[1:] for row in rows]
    sides = f"{'ll' if baseline is None else 'l'}{'r' * len(decimals)}"
    return write_latex(rows, sides, (*comments, comment * has_letters))


def _read_rows(
    columns: Mapping[str, np.ndarray], decimals: Mapping[str, int]
) -> tuple[dict[tuple[str, str], str], dict[tuple[str, str], list[str]]]:
    """Return the mean of each system, in its first comparison, and the significantly worse systems."""
    means: dict[tuple[str, str], str] = {}
    beaten: dict[tuple[str, str], list[str]] = {}
    names = "metric", "system", "other", "mean", "other_mean", "verdict"
    for metric, *pair, mean, other_mean, verdict in zip(*(columns[name] for name in names)):
        for name, each in zip(pair, (mean, other_mean)):
            means.setdefault((metric, name), write(each, decimals[metric]))
        if verdict.startswith(("better", "worse")):
            best, worst = pair if verdict.startswith("better") else reversed(pair)
            beaten.setdefault((metric, best), []).append(worst)
    return means, beaten
