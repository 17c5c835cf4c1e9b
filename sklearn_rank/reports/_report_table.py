"""A report as a table."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

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
    return Table(columns, texts, f"{count_queries(report.n_queries)}, {level} intervals over {unit}", notes)
