"""Values of example systems, their reports and comparisons."""

import json

import numpy as np

from sklearn_rank import RankingReport, compare

RNG = np.random.default_rng(0)
A = RNG.random(50).round(1)
B = np.clip(A + RNG.normal(0.05, 0.2, 50), 0, 1).round(1)
C = RNG.random(50).round(1)
TESTS = ["auto", "t", "randomization", "wilcoxon", "sign"]


def report_of(values, name="mrr", **options):
    metrics = values if isinstance(values, dict) else {name: values}
    n = len(next(iter(metrics.values())))
    return RankingReport.from_values(np.arange(n), metrics, **options)


def drop_values(report):
    """Return the report of the same moments, without the value of each query."""
    return type(report).from_json(json.dumps(json.loads(report.to_json()) | {"queries": None}))


def compare_values(*values, name="mrr", options=None, **arguments):
    """Compare systems a, b, ... by one metric."""
    reports = {letter: report_of(each, name, **options or {}) for letter, each in zip("abcdefgh", values)}
    return compare(reports, **arguments)


def join_lines(printed):
    """Return the printed text in one line, because captions and notes are wrapped."""
    return " ".join(str(printed).split())


def column(found, name, place=0):
    return found.columns[name].tolist()[place]


def split_by(report, labels, **options):
    """Report segments, given one label per query in the order of the ids."""
    return report.by(dict(zip(report.ids, labels)), **options)
