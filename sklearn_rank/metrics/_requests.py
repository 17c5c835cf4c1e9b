"""Metrics of a call: a name, a list of names and scorers, or a dict of names to names or scorers."""

from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Any

from .._checks.arrays import read_list
from .._checks.containers import is_filled_mapping
from .._checks.errors import fail
from .._checks.options import check_params
from .._checks.types import Arguments
from ._inferred.formula import bind_strata
from ._names import THEIRS, build_requests, check_tables, is_metric_name, read_names
from ._scorers.factories import read_theirs
from ._table import METRICS, Given, Request, Tables

OF_CALL = ("missed", "groups", "pos_label")  # what a call of several scorers sets for all of them
FORM = "be a name, a list of names and scorers, or a dict of names to names or scorers"


def can_request(entry: object) -> bool:
    """Return whether an entry is a scorer of this package."""
    return hasattr(type(entry), "list_requests")


def read_entries(metrics: Any) -> dict[str, Any]:
    """Return a name of this package or a scorer for each name in the results."""
    if isinstance(metrics, Mapping):
        if not (is_filled_mapping(metrics) and all(isinstance(key, str) and key for key in metrics)):
            fail("metrics", FORM, repr(metrics), "Pass metrics={'revenue@8': scorer}.")
        return {key: _read_entry(each) for key, each in metrics.items()}
    single = isinstance(metrics, str) or callable(metrics)
    given = [metrics] if single else read_list(metrics, "metrics", FORM)
    entries = list(map(_read_entry, given))
    named = [each if isinstance(each, str) else entry for each, entry in zip(given, entries)]
    return dict(zip(name_entries(named), entries))


def name_entries(given: list[Any], parameter: str = "metrics") -> list[str]:
    """Return the names of a list of names and scorers."""
    names = [each if isinstance(each, str) else getattr(each, "__name__", repr(each)) for each in given]
    if not names or len(set(names)) < len(names):
        fix = f"Pass a dict: {parameter}={{'one': ..., 'other': ...}}." if names else ""
        fail(parameter, "be a non-empty list of distinct names", repr(names), fix)
    return names


def _read_entry(entry: Any) -> Any:
    """Return a scorer for one of scikit-learn; reject plain functions, which have no direction."""
    if _is_theirs(entry):
        return read_theirs(entry, THEIRS)
    if callable(entry) and not can_request(entry):
        name = getattr(entry, "__name__", repr(entry))
        if str(getattr(entry, "__module__", "")).startswith("sklearn_rank."):
            read_names(entry)  # raises an error with the name of the metric
        sign = ", greater_is_better=False" * name.endswith(("_loss", "_error"))
        fix = f"Pass make_group_scorer({name}{sign})."
        fail("metrics", "contain names and scorers, not functions", name, fix)
    return entry


def _is_theirs(entry: Any) -> bool:
    """Return whether this is a scorer of scikit-learn, or the name of one."""
    if isinstance(entry, str):
        return _is_their_name(entry)
    return type(entry).__module__.startswith("sklearn.metrics")


@lru_cache(maxsize=1024)  # the same names are read repeatedly
def _is_their_name(name: str) -> bool:
    """Return whether scikit-learn has a scorer of this name; it is imported only for unknown names."""
    if is_metric_name(name) or name in METRICS:
        return False
    from sklearn.metrics import get_scorer_names

    return name in get_scorer_names()


def request_entries(
    entries: Arguments, options: Arguments, tables: bool = False, of_call: Iterable[str] = OF_CALL
) -> list[Request]:
    """Build a checked request for each entry that was read; scorers do not set what is `of_call`."""
    scorers = {key: each for key, each in entries.items() if can_request(each)}
    names = [each for key, each in entries.items() if key not in scorers]
    unique = list(dict.fromkeys(names)) if all(isinstance(each, str) for each in names) else names
    found = {each.name: each for each in build_requests(unique, options, tables=tables)} if names else {}
    if scorers:
        from ._scorers.scorer import as_request
    requests = []
    for key, entry in entries.items():
        for parameter in of_call if key in scorers else ():
            if getattr(entry, parameter) is not None:
                rule = f"contain scorers without {parameter}="
                fail("metrics", rule, entry.describe(), "Pass it, or such labels, in the call.")
        requests.append(_rename(as_request(entry, key, options) if key in scorers else found[entry], key))
    return requests


def _rename(request: Request, key: str) -> Request:
    """Give a request another name; if that is a metric too, it must be the same one."""
    is_function = not request.metric.named and request.metric.per_query
    if request.name == key and not is_function:
        return request
    if is_metric_name(key):
        (other,) = build_requests([key], {})
        if other.metric is not request.metric or other.params.get("k") != request.params.get("k"):
            fix = "Use a name that is not a metric, such as 'revenue@8'."
            fail("metrics", f"name {request.name!r} differently", repr(key), fix)
    return request._replace(name=key, own_name="" if is_function else request.name)


def request_metrics(entries: Arguments, options: Arguments, given: Given, tables: Tables) -> list[Request]:
    """Build requests; check that each metric has its inputs, and that each input is used."""
    requests = request_entries(entries, options, bool(tables.given()))
    if not tables.given():
        return requests
    check_tables(requests, given, tables)
    return requests if tables.strata is None else bind_strata(requests, tables.strata, given)


def read_labels(
    metrics: Arguments, labels: object, data: object = None, parameter: str = "labels"
) -> dict[str, Any]:
    """Return labels by the names under which scorers request them; with `data`, the names of columns."""
    columns = sorted({each.labels for each in metrics.values() if can_request(each) and each.labels})
    found = {**({} if data is None else {name: name for name in columns}), **check_params(labels, parameter)}
    if missing := [name for name in columns if name not in found]:
        fix = f"Pass {parameter}={{{missing[0]!r}: values}}."
        fail(parameter, f"contain {missing[0]!r}, which a scorer requests", repr(list(found)), fix)
    if unused := [name for name in found if name not in columns]:
        fix = f"Scorers request {columns}." if columns else "Scorers request labels by labels='revenue'."
        fail(parameter, "contain only names that scorers request", repr(unused[0]), fix)
    return found
