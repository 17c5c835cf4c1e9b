"""Reports in JSON, and the schema that text is read by: types, lengths and ranges of all fields."""

import json
from collections.abc import Callable, Mapping
from math import isfinite, isnan, nan
from sys import float_info
from typing import Any, NamedTuple, NoReturn

import numpy as np

from .._checks.codes import rank_ids
from .._checks.errors import fail, is_int, name_call
from .._checks.groups import check_groups
from .._checks.types import Options
from ..metrics import FINGERPRINT, MetricValues
from ._intervals import Moments, Settings, Summary
from ._reported_queries import QueryValues, show
from ._tables import CATALOG_NOTES
from ._traits import Traits

FORMAT, VERSION = "sklearn_rank.RankingReport", 1
OTHERS = (  # attributes of reports
    *("list_metrics", "list_metrics_interval", "_list_metrics"),
    *("n_without_rows", "catalog_counts", "fold_names"),
)
INFINITE = "inf", "-inf"
PRECISION = 1e-9  # of means, relative to the largest value
# Types of the entries of arrays, by the kind of their dtype. NaN is null, and infinity is text.
ENTRIES: dict[str, tuple[type, ...]] = {
    **{"b": (bool,), "i": (int,), "u": (int,), "U": (str,), "m": (int,), "M": (int,)},
    "f": (int, float, type(None), str),
    "O": (int, float, str),
}


class Rule(NamedTuple):
    """A test of a value, what it must be, and how it is read."""

    test: Callable[[Any], bool]
    words: str
    read: Callable[[Any], Any] = lambda value: value


class Maybe(NamedTuple):
    """A schema of values that can be null."""

    schema: Any


def reject(field: str, rule: str, got: object) -> NoReturn:
    """Raise the error for an invalid field of a report."""
    fix = "Pass text that report.to_json() returned, unchanged."
    fail("text", f"have {rule} in the field {field!r}", show(got), fix)


def read_content(value: Any, schema: Any, field: str = "") -> Any:
    """Read a value by a schema: a rule, a dict by name or of any name (`...`), or a list of its entries."""
    if isinstance(schema, Maybe):
        return None if value is None else read_content(value, schema.schema, field)
    if isinstance(schema, dict):
        if not isinstance(value, dict) or (... not in schema and value.keys() != schema.keys()):
            reject(field, f"an object with {'names' if ... in schema else ', '.join(schema)}", value)
        parts = {name: schema.get(..., schema.get(name)) for name in value}
        return {name: read_content(value[name], parts[name], f"{field}.{name}".lstrip(".")) for name in value}
    if isinstance(schema, list):
        if not isinstance(value, list) or len(schema) not in (1, len(value)):
            reject(field, "a list" + f" of {len(schema)} entries" * (len(schema) > 1), value)
        fields = (
            (each, schema[place % len(schema)], f"{field}[{place}]") for place, each in enumerate(value)
        )
        return tuple(read_content(*each) for each in fields)
    if not schema.test(value):
        reject(field, schema.words, value)
    return schema.read(value)


def _is_real(value: Any) -> bool:
    is_number = type(value) in (int, float) and abs(value) <= float_info.max
    return is_number or value is None or (type(value) is str and value in INFINITE)


def _read_real(number: float | str | None) -> float:
    return nan if number is None else float(number)


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

    def read_array(value: Any) -> np.ndarray:
        dtype: Any = np.dtype(value["dtype"])
        dtype = np.dtype(np.str_) if dtype.kind == "U" else dtype  # its length could need any memory
        return np.array(value["array"], np.int64 if dtype.kind in "mM" else dtype).astype(dtype)

    return Rule(is_array, "an array of its dtype", read_array)


REAL = Rule(_is_real, "a number or null", _read_real)
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


def write_report(
    summaries: Mapping[str, Summary], settings: Settings, queries: QueryValues | None, others: Options
) -> str:
    """Return a report as text; NaN becomes null, and infinity text."""
    written = {
        name: dict(zip(SUMMARY, (each.moments, each.traits, each.interval, each.small_sample)))
        for name, each in summaries.items()
    }
    seed = int(settings.random_state) if is_int(settings.random_state) else None
    content = {
        "format": FORMAT,
        "schema_version": VERSION,
        "settings": settings._replace(random_state=seed)._asdict(),
        "summaries": written,
        "queries": None if queries is None else queries._asdict(),
        **others,
    }
    return json.dumps(_encode(content), allow_nan=False)


def read_report(text: str) -> tuple[dict[str, Summary], Settings, QueryValues | None, Options]:
    """Read the parts of a report from text."""
    try:
        content = json.loads(text)
    except (TypeError, ValueError, RecursionError):
        content = None
    if not isinstance(content, dict) or content.get("format") != FORMAT:
        fail("text", "be the text of RankingReport.to_json", show(text), "Pass report.to_json().")
    if is_int(version := content.get("schema_version")) and version > VERSION:
        rule = f"be of schema version {VERSION} or earlier"
        fail("text", rule, f"version {version}", "Update sklearn-rank.")
    content.setdefault("fold_names", [])  # which earlier texts lack
    try:
        return _join_parts(read_content(content, SCHEMA))
    except (ArithmeticError, TypeError, IndexError) as error:  # numbers beyond the range of their dtype
        reject("queries", "numbers in the range of their dtype", error)


def _join_parts(content: Options) -> tuple[dict[str, Summary], Settings, QueryValues | None, Options]:
    """Make the parts of a report from the values that were read, and check them together."""
    summaries = {
        name: Summary(Moments(*each["moments"]), Traits(*each["traits"]), each["interval"], each["few"])
        for name, each in content["summaries"].items()
    }
    others = {name: content[name] for name in OTHERS}
    others["_list_metrics"] = _read_metrics(others["_list_metrics"])
    queries = None
    if (known := content["queries"]) is not None:
        if (of_labels := known["labels"]) is not None:
            known["labels"] = np.zeros(len(known["ids"]), FINGERPRINT)
            for name, each in of_labels.items():
                if len(each) != len(known["ids"]):
                    reject(f"queries.labels.{name}", "an entry for each query", f"{len(each)} entries")
                known["labels"][name] = each
        queries = QueryValues(**{**known, "metrics": _read_metrics(known["metrics"])})
        check_queries(queries, summaries, others)
    elif not summaries:
        reject("summaries", "at least one metric", summaries)
    return summaries, Settings(**content["settings"]), queries, others


def _read_metrics(metrics: Mapping[str, Options]) -> dict[str, MetricValues]:
    return {name: MetricValues(**each) for name, each in metrics.items()}


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


def _encode(value: object) -> Any:
    """Return JSON values; arrays become a dict of their dtype and their entries."""
    if isinstance(value, np.ndarray) and value.dtype.names:
        return {name: _encode(value[name]) for name in value.dtype.names}
    if isinstance(value, np.ndarray):
        value = np.array(value.tolist()) if value.dtype.kind == "T" else value  # text of any length
        entries = (value.astype(np.int64) if value.dtype.kind in "mM" else value).tolist()
        others = [each for each in entries if not isinstance(each, str | int | float)]
        if value.ndim == 1 and others:
            rule = "requires query ids that are numbers, text or dates of numpy"
            fix = "Convert them, for example to str."
            raise ValueError(f"{name_call()} {rule}. Got {show(others[0])} instead. {fix}")
        return {"dtype": value.dtype.str, "array": _encode(entries)}
    if isinstance(value, Mapping):
        return {name: _encode(each) for name, each in value.items()}
    if isinstance(value, MetricValues):
        return _encode(value._asdict())
    if isinstance(value, list | tuple):
        return list(map(_encode, value))
    if isinstance(value, float) and not isfinite(value):
        return None if isnan(value) else str(value)
    return value
