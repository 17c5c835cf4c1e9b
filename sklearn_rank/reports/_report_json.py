"""Reports in JSON."""

import json
from collections.abc import Mapping
from math import isfinite, isnan, nan
from typing import Any

import numpy as np

from .._checks.errors import fail, is_int, name_call
from .._checks.types import Arguments, Options
from ..metrics import FINGERPRINT, MetricValues
from ._intervals import Moments, Settings, Summary
from ._json_schema import SCHEMA, SUMMARY, check_content, check_queries, reject
from ._reported_queries import QueryValues, show
from ._traits import Traits

FORMAT, VERSION = "sklearn_rank.RankingReport", 1
OF_LISTS = "list_metrics", "list_metrics_interval", "_list_metrics"
OTHERS = *OF_LISTS, "n_without_rows", "catalog_counts", "fold_names"  # attributes of reports


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
    check_content(content, SCHEMA)
    try:
        return _read_parts(content)
    except (ArithmeticError, TypeError, IndexError) as error:  # numbers beyond the range of their dtype
        reject("queries", "numbers in the range of their dtype", error)


def _read_parts(content: Options) -> tuple[dict[str, Summary], Settings, QueryValues | None, Options]:
    summaries = {name: _read_summary(each) for name, each in content["summaries"].items()}
    queries = None
    if content["queries"] is not None:
        known = _decode(content["queries"])
        if (of_labels := known.get("labels")) is not None:
            known["labels"] = np.zeros(len(known["ids"]), FINGERPRINT)
            for name, each in of_labels.items():
                if len(each) != len(known["ids"]):
                    reject(f"queries.labels.{name}", "an entry for each query", f"{len(each)} entries")
                known["labels"][name] = each
        queries = QueryValues(**{**known, "metrics": _read_metrics(known["metrics"])})
    means, ends, without = (content[name] for name in OF_LISTS)
    others = {name: content[name] for name in OTHERS} | {
        "list_metrics": {name: _as_float(each) for name, each in means.items()},
        "list_metrics_interval": {name: tuple(map(_as_float, each)) for name, each in ends.items()},
        "_list_metrics": _read_metrics(_decode(without)),
        "fold_names": tuple(content["fold_names"]),
    }
    if queries is not None:
        check_queries(queries, summaries, others)
    return summaries, Settings(**content["settings"]), queries, others


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


def _decode(value: object) -> Any:
    """Return arrays of what `_encode` wrote, also inside dicts and lists."""
    if isinstance(value, dict) and set(value) == {"dtype", "array"}:
        kind: Any = np.dtype(value["dtype"])
        kind = np.dtype(np.str_) if kind.kind == "U" else kind  # its length could need any memory
        return np.array(value["array"], np.int64 if kind.kind in "mM" else kind).astype(kind)
    if isinstance(value, dict):
        return {name: _decode(each) for name, each in value.items()}
    return list(map(_decode, value)) if isinstance(value, list) else value


def _read_metrics(metrics: Mapping[str, Arguments]) -> dict[str, MetricValues]:
    found = {}
    for name, each in metrics.items():
        tuples = {key: None if each[key] is None else tuple(each[key]) for key in ("sums", "options")}
        found[name] = MetricValues(**{**each, **tuples, "otherwise": _as_float(each["otherwise"])})
    return found


def _read_summary(written: Arguments) -> Summary:
    lower, upper, *others = written["traits"]
    mean, error, *counts = written["moments"]
    low, high, lower, upper, mean, error = map(_as_float, (*written["interval"], lower, upper, mean, error))
    return Summary(Moments(mean, error, *counts), Traits(lower, upper, *others), (low, high), written["few"])


def _as_float(number: float | str | None) -> float:
    return nan if number is None else float(number)
