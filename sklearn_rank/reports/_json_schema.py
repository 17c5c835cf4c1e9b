"""The schema of reports in JSON: types, lengths and ranges of all fields, checked once when text is read."""

from __future__ import annotations

from collections.abc import Callable
from math import isnan
from sys import float_info
from typing import Any, NoReturn

import numpy as np

from .._checks.codes import rank_ids
from .._checks.errors import fail
from .._checks.groups import check_groups
from .._checks.types import Options
from ..metrics import FINGERPRINT
from ._intervals import Summary
from ._reported_queries import QueryValues, show
from ._tables import CATALOG_NOTES

Check = Callable[[Any, str], None]  # of a value and its field
INFINITE = "inf", "-inf"
PRECISION = 1e-9  # of means, relative to the largest value
# Types of the entries of arrays, by the kind of their dtype. NaN is null, and infinity is text.
ENTRIES: dict[str, tuple[type, ...]] = {
    **{"b": (bool,), "i": (int,), "u": (int,), "U": (str,), "m": (int,), "M": (int,)},
    "f": (int, float, type(None), str),
    "O": (int, float, str),
}


def reject(field: str, rule: str, got: object) -> NoReturn:
    """Raise the error for an invalid field of a report."""
    fix = "Pass text that report.to_json() returned, unchanged."
    fail("text", f"have {rule} in the field {field!r}", show(got), fix)


def _is(test: Callable[[Any], bool], rule: str) -> Check:
    def check(value: Any, field: str) -> None:
        if not test(value):
            reject(field, rule, value)

    return check


def _is_real(value: Any) -> bool:
    is_number = type(value) in (int, float) and abs(value) <= float_info.max
    return is_number or value is None or value in INFINITE


REAL = _is(lambda value: not isinstance(value, dict | list) and _is_real(value), "a number or null")
PRECISE = _is(lambda value: type(value) in (int, float) and 0 <= value < 1, "a number from 0 to 1")
COUNT = _is(lambda value: type(value) is int and 0 <= value < 2**63, "an integer >= 0")
FLAG = _is(lambda value: type(value) is bool, "true or false")
TEXT = _is(lambda value: type(value) is str, "text")
LEVEL = _is(lambda value: type(value) is float and 0 < value < 1, "a number above 0 and below 1")
INTERVAL = _is(lambda value: value in ("t", "bootstrap"), "'t' or 'bootstrap'")
RESAMPLES = _is(lambda value: type(value) is int and 100 <= value <= 10**7, "an integer from 100 to 10**7")
SEED = _is(lambda seed: seed is None or (type(seed) is int and 0 <= seed < 2**32), "an integer below 2**32")


def _array(kinds: str) -> Check:
    """Return the check of an array whose dtype is of one of these kinds."""

    def check(value: Any, field: str) -> None:
        try:
            kind = np.dtype(value["dtype"]).kind
            entries = value["array"]
            rows = entries if entries and all(isinstance(each, list) for each in entries) else [entries]
            flat = [each for row in rows for each in row]
            right = all(type(each) in ENTRIES[kind] and (kind != "f" or _is_real(each)) for each in flat)
            right = right and kind in kinds and len(set(map(len, rows))) == 1
        except (KeyError, TypeError, ValueError):
            right = False
        if not right or value.keys() != {"dtype", "array"}:
            reject(field, "an array of its dtype", value)

    return check


def _list_of(*checks: Check) -> Check:
    """Return the check of a list with these entries, or of equal entries if there is one check."""

    def check(value: Any, field: str) -> None:
        if not isinstance(value, list) or len(checks) not in (1, len(value)):
            reject(field, "a list" + f" of {len(checks)} entries" * (len(checks) > 1), value)
        for place, each in enumerate(value):
            checks[place % len(checks)](each, f"{field}[{place}]")

    return check


def _named(default: Check | None = None, **checks: Check) -> Check:
    """Return the check of an object with these fields, or of fields of any name."""

    def check(value: Any, field: str) -> None:
        if not isinstance(value, dict) or (default is None and value.keys() != checks.keys()):
            reject(field, f"an object with {', '.join(checks) or 'names'}", value)
        for name, each in value.items():
            (default or checks[name])(each, f"{field}.{name}".lstrip("."))

    return check


def _maybe(check: Check) -> Check:
    return lambda value, field: None if value is None else check(value, field)


FLOATS, IDS = _array("f"), _array("iufUOmM")
_METRICS = _named(
    _named(
        values=FLOATS,
        weights=_maybe(FLOATS),
        sums=_maybe(_list_of(FLOATS, FLOATS)),
        defined=_maybe(_array("b")),
        otherwise=REAL,
        options=_list_of(TEXT),
        precision=PRECISE,
        average=_maybe(TEXT),
    )
)
_OTHERS = {name: _maybe(_array("iu")) for name in ("sizes", "n_relevant", "folds", "clusters")}
_OTHERS["cluster_ids"] = _maybe(IDS)
_LABELS = _maybe(_named(**{name: _array(FINGERPRINT[name].kind) for name in FINGERPRINT.names or ()}))
check_content = _named(
    format=TEXT,
    schema_version=COUNT,
    settings=_named(confidence_level=LEVEL, interval=INTERVAL, n_resamples=RESAMPLES, random_state=SEED),
    summaries=_named(
        _named(
            moments=_list_of(REAL, REAL, COUNT, COUNT, COUNT, REAL),
            traits=_list_of(REAL, REAL, FLAG, FLAG, FLAG),
            interval=_list_of(REAL, REAL),
            few=FLAG,
        )
    ),
    queries=_maybe(_named(ids=IDS, metrics=_METRICS, labels=_LABELS, **_OTHERS)),
    list_metrics=_named(REAL),
    list_metrics_interval=_named(_list_of(REAL, REAL)),
    _list_metrics=_METRICS,
    n_without_rows=COUNT,
    fold_names=_list_of(TEXT),
    catalog_counts=_is(
        lambda value: (
            isinstance(value, dict)
            and value.keys() <= CATALOG_NOTES.keys()
            and all(type(each) is int for each in value.values())
        ),
        f"an object of integers with some of the names {', '.join(CATALOG_NOTES)}",
    ),
)


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
    columns = {name: getattr(queries, name) for name in _OTHERS}
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
