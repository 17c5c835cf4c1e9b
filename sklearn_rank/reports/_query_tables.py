"""Tables of the queries on which two systems differ most."""

from collections.abc import Mapping

import numpy as np

from .._checks.errors import check_count, shorten
from ._equal import find_rounding, find_scale, rank_equal, subtract_equal
from ._reported_queries import QueryValues
from ._system_names import cut_start
from ._tables import Table, count_queries, write_column, write_signed

LETTERS = 20  # of a query id in the note on changes


def list_couples(columns: Mapping[str, np.ndarray]) -> list[tuple[str, str]]:
    """Return the compared pairs of systems in the order of the table."""
    return list(dict.fromkeys(zip(columns["system"].tolist(), columns["other"].tolist())))


def subtract_queries(
    metric: str, systems: Mapping[str, QueryValues]
) -> tuple[list[np.ndarray], np.ndarray, float]:
    """Return the values of two systems, the first minus the second, and the rounding of the values."""
    found = [each.metrics[metric] for each in systems.values()]
    values, rounding = [each.values for each in found], find_rounding(found)
    return values, subtract_equal(values[0], values[1], find_scale(*values), rounding), rounding


def list_changes(
    metric: str, n: int, systems: Mapping[str, QueryValues], up: bool, names: Mapping[str, str] = {}
) -> Table:
    """List at most n losses and n gains of the first of two systems; `names` are their printed names."""
    check_count(n, 1, "n")
    values, apart, rounding = subtract_queries(metric, systems)
    gain = apart if up else -apart
    changed = np.flatnonzero(~np.isnan(gain) & (gain != 0))
    largest = float(np.nanmax(np.abs(values), initial=0))
    order = changed[np.argsort(rank_equal(gain[changed], largest, rounding), kind="stable")]
    losses, gains = order[gain[order] < 0][:n], order[gain[order] > 0][-n:]
    rows = np.concatenate((losses, gains))
    of_systems = {name: each[rows] for name, each in zip(systems, values)}
    ids = next(iter(systems.values())).ids[rows]
    columns = {"query": ids, **of_systems, "difference": apart[rows]}
    texts = {names.get(name, name): write_column(each, 3) for name, each in columns.items()}
    texts["difference"] = [write_signed(each, 3) for each in apart[rows]]
    n_worse, n_better = (int(np.count_nonzero(sign * gain > 0)) for sign in (-1, 1))
    first = next(iter(systems))
    worse = f'{count_queries(n_worse)} worse with "{names.get(first, first)}"'
    return Table(columns, texts, f"{metric}: {worse}, {n_better} better")


def write_changes(table: Table, metric: str, up: bool) -> str:
    """Return a note with the queries of a table of changes; empty without any."""
    queries = table.texts["query"]
    if max(map(len, queries), default=0) > LETTERS:
        queries = cut_start(queries)
    queries = [shorten(each, LETTERS) for each in queries]
    shown = list(map("{} ({})".format, queries, table.texts["difference"]))
    n_worse = sum((difference < 0) == up for difference in table.columns["difference"].tolist())
    parts = {"worse": shown[:n_worse], "better": shown[n_worse:][::-1]}
    facts = [f"{word} {', '.join(each)}" for word, each in parts.items() if each]
    return f"Largest changes of {metric}: {'; '.join(facts)}." if facts else ""
