"""The schema of reports in JSON: types, lengths and ranges of all fields, checked once when text is read."""

from __future__ import annotations

from collections.abc import Callable
from math import isnan
from sys import float_info
from typing import Any, NamedTuple, NoReturn

import numpy as np

from .._checks.codes import rank_ids
from .._checks.errors import fail
from .._checks.groups import check_groups
from .._checks.types import Options
from ..metrics import FINGERPRINT
from ._intervals import Summary
from ._reported_queries import QueryValues, show
from ._tables import CATALOG_NOTES

INFINITE = "inf", "-inf"
PRECISION = 1e-9  # of means, relative to the largest value
# Types of the entries of arrays, by the kind of their dtype. NaN is null, and infinity is text.
ENTRIES: dict[str, tuple[type, ...]] = {
    **{"b": (bool,), "i": (int,), "u": (int,), "U": (str,), "m": (int,), "M": (int,)},
    "f": (int, float, type(None), str),
    "O": (int, float, str),
}


class Rule(NamedTuple):
    """A test of a value, and what it must be."""

    test: Callable[[Any], bool]
    words: str


class Maybe(NamedTuple):
    """A schema of values that can be null."""

    schema: Any


def reject(field: str, rule: str, got: object) -> NoReturn:
    """Raise the error for an invalid field of a report."""
    fix = "Pass text that report.to_json() returned, unchanged."
    fail("text", f"have {rule} in the field {field!r}", show(got), fix)


def check_content(value: Any, schema: Any, field: str = "") -> None:
    """Check a value by a schema: a rule, a dict by name or of any name (`...`), or a list of its entries."""
    if isinstance(schema, Maybe):
        if value is None:
            return
        schema = schema.schema
    if isinstance(schema, dict):
        if not isinstance(value, dict) or (... not in schema and value.keys() != schema.keys()):
            reject(field, f"an object with {'names' if ... in schema else ', '.join(schema)}", value)
        for name, each in value.items():
            check_content(each, schema.get(..., schema.get(name)), f"{field}.{name}".lstrip("."))
    elif isinstance(schema, list):
        if not isinstance(value, list) or len(schema) not in (1, len(value)):
            reject(field, "a list" + f" of {len(schema)} entries" * (len(schema) > 1), value)
        for place, each in enumerate(value):
            check_content(each, schema[place % len(schema)], f"{field}[{place}]")
    elif not schema.test(value):
        reject(field, schema.words, value)


def _is_real(value: Any) -> bool:
    is_number = type(value) in (int, float) and abs(value) <= float_info.max
    return is_number or value is None or (type(value) is str and value in INFINITE)


def _are_counts(value: Any) -> bool:
    is_known = isinstance(value, dict) and value.keys() <= CATALOG_NOTES.keys()
    return is_known and all(type(each) is int for each in value.values())


def _array(kinds: str) -> Rule:
    """Return the rule of an array whose dtype is of one of these kinds."""

    def is_array(value: Any) -> bool:
        try:
            kind, entries = np.dtype(value["dtype"]).kind, value["array"]
            rows = entries if entries and all(isinstance(each, list) for each in entries) else [entries]
            flat = [each for row in rows for each in row]
            right = all(type(each) in ENTRIES[kind] and (kind != "f" or _is_real(each)) for each in flat)
            return right and kind in kinds and len(set(map(len, rows))) == 1 and len(value) == 2
        except (KeyError, TypeError, ValueError):
            return False

    return Rule(is_array, "an array of its dtype")


REAL = Rule(_is_real, "a number or null")
PRECISE = Rule(lambda value: type(value) in (int, float) and 0 <= value < 1, "a number from 0 to 1")
COUNT = Rule(lambda value: type(value) is int and 0 <= value < 2**63, "an integer >= 0")
FLAG = Rule(lambda value: type(value) is bool, "true or false")
TEXT = Rule(lambda value: type(value) is str, "text")
LEVEL = Rule(lambda value: type(value) is float and 0 < value < 1, "a number above 0 and below 1")
INTERVAL = Rule(lambda value: value in ("t", "bootstrap"), "'t' or 'bootstrap'")
RESAMPLES = Rule(lambda value: type(value) is int and 100 <= value <= 10**7, "an integer from 100 to 10**7")
SEED = Rule(lambda seed: seed is None or (type(seed) is int and 0 <= seed < 2**32), "an integer below 2**32")
FLOATS, IDS = _array("f"), _array("iufUOmM")
METRICS = {
    ...: {
        "values": FLOATS,
        "weights": Maybe(FLOATS),
        "sums": Maybe([FLOATS, FLOATS]),
        "defined": Maybe(_array("b")),
        "otherwise": REAL,
        "options": [TEXT],
        "precision": PRECISE,
        "average": Maybe(TEXT),
    }
}
COLUMNS = {
    **dict.fromkeys(("sizes", "n_relevant", "folds", "clusters"), Maybe(_array("iu"))),
    "cluster_ids": Maybe(IDS),
}
LABELS = Maybe({name: _array(FINGERPRINT[name].kind) for name in FINGERPRINT.names or ()})
SUMMARY = {
    "moments": [REAL, REAL, COUNT, COUNT, COUNT, REAL],
    "traits": [REAL, REAL, FLAG, FLAG, FLAG],
    "interval": [REAL, REAL],
    "few": FLAG,
}
SCHEMA = {
    "format": TEXT,
    "schema_version": COUNT,
    "settings": {
        "confidence_level": LEVEL,
        "interval": INTERVAL,
        "n_resamples": RESAMPLES,
        "random_state": SEED,
    },
    "summaries": {...: SUMMARY},
    "queries": Maybe({"ids": IDS, "metrics": METRICS, "labels": LABELS, **COLUMNS}),
    "list_metrics": {...: REAL},
    "list_metrics_interval": {...: [REAL, REAL]},
    "_list_metrics": METRICS,
    "n_without_rows": COUNT,
    "fold_names": [TEXT],
    "catalog_counts": Rule(_are_counts, f"an object of integers, by one of {', '.join(CATALOG_NOTES)}"),
}


def check_queries(queries: QueryValues, summaries: dict[str, Summary], others: Options) -> None:
    """Check that queries are distinct and sorted, that columns have their length, and the means."""
    for name in ("list_metrics_interval", "_list_metrics"):
        if others[name] and others[name].keys() != others["list_metrics"].keys():
            reject(name, "the metrics of 'list_metrics'", list(others[name]))
    n = len(queries.ids)
    if not n or not (rank_ids(check_groups(queries.ids, n, "text")) == np.arange(n)).all():
        reject("queries.ids", "distinct ids in increasing order", queries.ids.tolist())
    if summaries.keys() != queries.metrics.keys():
        reject("summaries", "the metrics of 'queries'", list(summaries))
    columns = {name: getattr(queries, name) for name in COLUMNS}
    for name, metric in (queries.metrics | others["_list_metrics"]).items():
        sums = metric.sums or (None, None)
        parts = metric.values, metric.weights, metric.defined, *sums
        columns |= {f"metrics.{name}, array {place}": each for place, each in enumerate(parts)}
    for name, column in columns.items():
        if column is not None and len(column) != n:
            reject(f"queries.{name}", f"{n} entries, like 'queries.ids'", f"{len(column)} entries")
    for name, metric in queries.metrics.items():
        found, written = metric.mean(), summaries[name].moments
        near = PRECISION * float(np.nanmax(np.abs(metric.values), initial=0))
        if not (isnan(found) and isnan(written.mean)) and not abs(found - written.mean) <= near:
            reject(f"summaries.{name}.moments", f"the mean of the values, {found:.15g}", written.mean)
        if written.n_queries != n:
            reject(f"summaries.{name}.moments", f"the number of queries, {n}", written.n_queries)
