"""Facts from the fingerprints of reports: whether labels are the same, and whether scores are tied."""

from collections.abc import Iterator, Mapping

import numpy as np

from ._reported_queries import SHOWN, QueryValues
from ._tables import count_queries

ON_SAME = "Evaluate both on the same documents, or pass check_labels=False."


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


def note_ties(queries: Mapping[str, QueryValues]) -> Iterator[str]:
    """Yield a note on models that give all documents of a query the same score, in most queries."""
    facts = []
    for name, each in queries.items():
        if each.labels is None:
            continue
        n, n_tied = int((each.labels["n"] > 1).sum()), int(each.labels["is_tied"].sum())
        if n_tied > n / 2:
            facts.append(f'{n_tied:,} of {count_queries(n)} of "{name}"')
    if facts:
        of = " and ".join(facts[:SHOWN])
        yield f"All scores are tied in {of}. The rule for ties determines these values."
