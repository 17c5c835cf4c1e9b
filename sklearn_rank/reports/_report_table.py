"""A report as a table."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ._checked import as_json
from ._tables import FEW, MARK, Table, count_queries, decimals_of, write, write_interval

if TYPE_CHECKING:
    from ._report import RankingReport


def tabulate(report: RankingReport) -> Table:
    """Return a row a metric: its mean with as many digits as the interval supports."""
    names = list(report.metrics)
    level = f"{100 * report.confidence_level:g} %"
    unit = "queries" if report.clusters is None else f"{len(np.unique(report.clusters))} clusters of queries"
    digits = [decimals_of(report.interval[name]) for name in names]
    marks = [MARK if report.is_of_few(name) else "" for name in names]
    counts = {"values": report.n_defined, "nothing to find": report.n_empty}
    columns: dict[str, Any] = {
        "metric": names,
        "mean": list(report.mean.values()),
        "low": [report.interval[name][0] for name in names],
        "high": [report.interval[name][1] for name in names],
        "standard_error": list(report.standard_error.values()),
        **{name: list(each.values()) for name, each in counts.items()},
    }
    texts = {
        "metric": names,
        "mean": [write(report.mean[name], each) for name, each in zip(names, digits)],
        "interval": [
            write_interval(report.interval[name], each, mark)
            for name, each, mark in zip(names, digits, marks)
        ],
        "s.e.": [write(report.standard_error[name], each) for name, each in zip(names, digits)],
        **{name: list(map(str, each.values())) for name, each in counts.items()},
    }
    notes = (FEW,) if any(marks) else ()
    if report.of_lists:
        said = ", ".join(f"{name} {value:.3f}" for name, value in report.of_lists.items())
        notes = (*notes, f"of all lists together, without an interval: {said}")
    return Table(columns, texts, f"{count_queries(report.n_queries)}, {level} intervals over {unit}", notes)


def as_dict(report: RankingReport) -> dict[str, Any]:
    """Return the summary as what JSON holds."""
    of_metrics = {
        name: {
            "mean": as_json(report.mean[name]),
            "standard_error": as_json(report.standard_error[name]),
            "interval": [as_json(end) for end in report.interval[name]],
            "n_defined": report.n_defined[name],
            "n_empty": report.n_empty[name],
        }
        for name in report.metrics
    }
    known = {
        "n_queries": report.n_queries,
        "confidence_level": report.confidence_level,
        "metrics": of_metrics,
    }
    of_lists = {name: as_json(value) for name, value in report.of_lists.items()}
    return known | ({"of_lists": of_lists} if of_lists else {})
