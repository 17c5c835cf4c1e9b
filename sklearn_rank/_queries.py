"""Which rows belong to which query, and what a query says of its rows without a label."""

from typing import NamedTuple

import numpy as np


class Queries(NamedTuple):
    """Where the rows of each query are, in sorted order of the query ids."""

    rows: np.ndarray | None  # rows in query order, or None where they already are
    firsts: np.ndarray  # position in `rows` of each query's first row
    lengths: np.ndarray


def find_queries(groups: np.ndarray | None, n_rows: int, n_columns: int | None = None) -> Queries:
    """Find the rows of each query; rows keep their order inside a query."""
    if groups is None:
        length = n_columns or n_rows
        firsts = np.arange(0, n_rows, length)
        return Queries(None, firsts, np.full(len(firsts), length))
    heads = np.concatenate(([0], np.flatnonzero(groups[1:] != groups[:-1]) + 1))
    run_lengths = np.diff(heads, append=n_rows)
    head_ids = groups[heads]
    order = np.argsort(head_ids)
    sorted_ids = head_ids[order]
    opens_query = np.concatenate(([True], sorted_ids[1:] != sorted_ids[:-1]))
    if opens_query.all():  # each query is one run: its rows are already together
        return Queries(None, heads[order], run_lengths[order])
    codes = np.empty(len(heads), dtype=np.int64)
    codes[order] = np.cumsum(opens_query) - 1
    rows, lengths = _sort_rows(np.repeat(codes, run_lengths))
    return Queries(rows, np.cumsum(lengths) - lengths, lengths)


def _sort_rows(codes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Order rows by code, stably: code and row packed into one integer sort faster than an argsort."""
    lengths = np.bincount(codes)
    bits = len(codes).bit_length()
    packed = (codes << bits) | np.arange(len(codes))
    packed.sort()
    packed &= (1 << bits) - 1
    return packed, lengths


def query_of_row(queries: Queries) -> np.ndarray:
    """Return the query of each row, by its position in the sorted order of the ids."""
    order = np.argsort(queries.firsts)
    codes = np.repeat(order, queries.lengths[order])
    if queries.rows is None:
        return codes
    by_row = np.empty_like(codes)
    by_row[queries.rows] = codes
    return by_row


def fill_unjudged(labels: np.ndarray, queries: Queries, how: str) -> np.ndarray:
    """Give labels that are NaN 0, or the mean or median of their query's others; "drop" leaves them."""
    missing = np.isnan(labels) if labels.dtype.kind == "f" else np.zeros(1, dtype=bool)
    if how in ("raise", "drop") or not missing.any():
        return labels
    if how == "nonrelevant":
        return np.where(missing, 0, labels)
    codes = query_of_row(queries)
    n_judged = np.bincount(codes[~missing], minlength=len(queries.lengths))
    if how == "mean":
        typical = np.bincount(codes, np.where(missing, 0, labels)) / np.maximum(n_judged, 1)
    else:
        in_order = labels[np.lexsort((labels, codes))]  # NaN last in each query
        firsts = np.cumsum(queries.lengths) - queries.lengths
        middles = (in_order[firsts + np.maximum(n_judged - 1, 0) // 2], in_order[firsts + n_judged // 2])
        typical = np.where(n_judged > 0, sum(middles) / 2, 0)
    return np.where(missing, typical[codes], labels)
