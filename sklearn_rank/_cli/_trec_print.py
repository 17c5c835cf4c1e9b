"""What trec_eval prints: a line a measure and query, then those of all queries."""

from __future__ import annotations

from collections.abc import Mapping

from ._trec_measures import MEASURES, list_labels
from ._trec_values import Values, average

ALL = "all"


def print_values(values: Values, asked: Mapping[str, tuple[float, ...]], tag: str, by_query: bool) -> str:
    """Write the lines of a run."""
    labels = [(label, name) for name, parameters in asked.items() for label in list_labels(name, parameters)]
    lines = []
    if by_query:
        shown = [
            (f"{label:<22}\t", MEASURES[name].is_count, values.of_queries[label].tolist())
            for label, name in labels
            if MEASURES[name].of_queries
        ]
        for place, query in enumerate(values.ids):
            for head, is_count, column in shown:
                lines.append(f"{head}{query}\t{_write(column[place], is_count)}")
    for label, name in labels:
        found = tag if name == "runid" else _write(average(label, name, values), MEASURES[name].is_count)
        lines.append(f"{label:<22}\t{ALL}\t{found}")
    return "\n".join([*lines, ""])


def _write(value: float, is_count: bool) -> str:
    return str(int(value)) if is_count else f"{value:6.4f}"
