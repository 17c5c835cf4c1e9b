"""Which rows belong to which query, and what a query says of its rows without a label."""

from typing import NamedTuple

import numpy as np

from .._checks.codes import encode_ids, find_edges

NOT_SAMPLED = -1.0  # the label of a document that was not drawn to be judged
FEW = 2**12  # ids that are sorted sooner than a sparse matrix is made


class Queries(NamedTuple):
    """Where the rows of each query are; queries in the order of their first rows, or of their ids."""

    rows: np.ndarray | None  # rows in query order, or None where the rows of each query are together
    firsts: np.ndarray  # position of each query's first row, in `rows` or among all
    lengths: np.ndarray
    names: np.ndarray | None = None  # codes in the order of the ids; None: queries are in it

    def by_id(self, values: np.ndarray) -> np.ndarray:
        """Arrange values of queries in sorted order of the ids."""
        return values if self.names is None else values[np.argsort(self.names)]


def find_queries(groups: np.ndarray | None, n_rows: int, n_columns: int | None = None) -> Queries:
    """Find the rows of each query; rows keep their order inside a query."""
    if groups is None:
        length = n_columns or n_rows
        firsts = np.arange(0, n_rows, length)
        return Queries(None, firsts, np.full(len(firsts), length))
    edges = find_edges(groups)
    heads, ends = edges[:-1], edges[1:]
    are_apart = 2 * len(heads) > n_rows  # hardly any row stands beside another of its query
    codes, n_codes = encode_ids(groups if are_apart else groups[heads])
    present = np.zeros(n_codes, dtype=bool)
    present[codes] = True
    if np.count_nonzero(present) == len(heads):  # the rows of each query are already together
        return Queries(None, heads, ends - heads, codes[heads] if are_apart else codes)
    if not are_apart:
        codes = np.repeat(codes, ends - heads)
    rows, counts = _sort_by_code(codes, n_codes)
    lengths = counts[counts > 0].astype(np.int64)
    return Queries(rows, np.cumsum(lengths) - lengths, lengths)


def _sort_by_code(codes: np.ndarray, n_codes: int) -> tuple[np.ndarray, np.ndarray]:
    """Order positions by code, stably, and count each code: scipy transposes a sparse row by counting."""
    n = len(codes)
    if n < FEW:
        return np.argsort(codes, kind="stable"), np.bincount(codes, minlength=n_codes)
    from scipy.sparse import csr_array

    dtype = np.int32 if max(n, n_codes) < 2**31 else np.int64
    row = csr_array(
        (np.arange(n, dtype=dtype), codes.astype(dtype), np.array([0, n], dtype)), shape=(1, n_codes)
    )
    column = row.tocsc()
    return column.data, np.diff(column.indptr)


def query_of_row(queries: Queries) -> np.ndarray:
    """Return the query of each row, by its position among the queries."""
    codes = np.repeat(np.arange(len(queries.lengths)), queries.lengths)
    if queries.rows is None:
        return codes
    by_row = np.empty_like(codes)
    by_row[queries.rows] = codes
    return by_row


def fill_unjudged(labels: np.ndarray, queries: Queries, how: str) -> np.ndarray:
    """Fill NaN labels: 0, the mean or median of their query, or below 0 ("sampled"); "drop" leaves them."""
    if how in ("raise", "drop") or labels.dtype.kind != "f":
        return labels
    missing = np.isnan(labels)
    if not missing.any():
        return labels
    if how in ("nonrelevant", "sampled"):
        return np.where(missing, NOT_SAMPLED if how == "sampled" else 0, labels)
    labels = labels.astype(np.float64)
    codes = query_of_row(queries)
    n_judged = np.bincount(codes[~missing], minlength=len(queries.lengths))
    if how == "mean":
        typical = _means(np.where(missing, 0, labels), codes, np.maximum(n_judged, 1))
    else:
        in_order = labels[np.lexsort((labels, codes))]  # NaN last in each query
        firsts = np.cumsum(queries.lengths) - queries.lengths
        middles = (in_order[firsts + np.maximum(n_judged - 1, 0) // 2], in_order[firsts + n_judged // 2])
        typical = np.where(n_judged > 0, middles[0] / 2 + middles[1] / 2, 0)
    return np.where(missing, typical[codes], labels)


def _means(values: np.ndarray, codes: np.ndarray, counts: np.ndarray) -> np.ndarray:
    """Sums by code over counts; sums of large values, beyond the range of floats, a power of two smaller."""
    largest = np.abs(values).max()
    room = int(np.frexp(counts.max())[1]) if largest > 1 else 0
    means = np.bincount(codes, np.ldexp(values, -room)) / counts
    largest = np.ldexp(largest, -room)  # which rounding must not take a mean beyond
    return np.ldexp(np.clip(means, -largest, largest), room)
