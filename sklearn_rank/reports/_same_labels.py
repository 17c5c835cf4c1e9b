"""A check that reports have the same labelled documents, by the fingerprints of `mark_labels`, and users."""

from collections.abc import Mapping, Sequence

import numpy as np

from .._checks.errors import fail
from ._report import RankingReport
from ._reported_queries import QueryValues, show

ON_SAME = 'Evaluate both on the same documents, or pass candidates="any".'
SHOWN = 3  # systems in a message


def find_other_labels(queries: Mapping[str, QueryValues], baseline: str | None) -> list[str] | None:
    """Return how the labels of reports differ from those of the baseline or the first; None if unknown.

    Labels of 0 and below can differ if lists contain only retrieved documents.
    """
    first = baseline or next(iter(queries))
    one = queries[first].labels
    if one is None or any(each.labels is None for each in queries.values()):
        return None
    facts = []
    for name, each in queries.items():
        other = each.labels
        assert other is not None
        compared = ["n_above", "hashes_above"]
        if not (one["is_retrieved"].any() or other["is_retrieved"].any()):
            compared += ["n", "hashes"]
        apart = np.any([one[each] != other[each] for each in compared], axis=0)
        if apart.any():
            of = f"{np.count_nonzero(apart):,} of {len(apart):,} queries"
            facts.append(f'"{name}" has other labels than "{first}" in {of}{_describe(one, other)}')
    return facts


def _describe(one: np.ndarray, other: np.ndarray) -> str:
    """Return what differs: the values of labels, or the number of documents with them."""
    ranges = [_write_range(each) for each in (other, one)]
    if ranges[0] != ranges[1]:
        return f" (labels {ranges[0]} against {ranges[1]})"
    apart = {field: other[field].sum(dtype=int) - one[field].sum(dtype=int) for field in ("n", "n_above")}
    changes = {"above 0": apart["n_above"], "with label 0": apart["n"] - apart["n_above"]}
    words = [f"{abs(n):,} {'more' if n > 0 else 'fewer'} {of}" for of, n in changes.items() if n]
    return f" ({', '.join(words)})" if words else ""


def _write_range(labels: np.ndarray) -> str:
    """Return the range of labels, such as "0, 1" or "0 to 3"."""
    low, high = labels["lowest"].min(), labels["highest"].max()
    return f"{low:g}" if low == high else f"{low:g}, {high:g}" if high == low + 1 else f"{low:g} to {high:g}"


def check_users(reports: Mapping[str, RankingReport], metrics: Sequence[str], n_dropped: int) -> None:
    """Check that metrics over all queries together are of as many queries in all reports."""
    list_metrics = [name for name in metrics if name in next(iter(reports.values()))._list_metrics]
    sizes = {name: report.n_queries for name, report in reports.items()}
    if list_metrics and (n_dropped or len(set(sizes.values())) > 1):
        got = " and ".join(f"{n} in {show(name)}" for name, n in list(sizes.items())[:2])
        got += f"; {n_dropped} users are not in all reports" * (n_dropped > 0)
        fix = "Evaluate the users that are in all reports."
        if not n_dropped:
            fix = f"Evaluate a random sample of {min(sizes.values())} users of each."
        rule = f"have the same number of users for {show(list_metrics[0])}, which depends on it"
        fail("reports", rule, got, fix)
