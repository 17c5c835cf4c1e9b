"""The catalog of metrics of all lists, and their values without each user, in O(rows log(rows))."""

import numpy as np

from ..._checks.arrays import read_array
from ..._checks.errors import fail, is_int
from ..._checks.types import Table
from .._average import CountedRows, Counts


def count_catalog(counts: Counts, catalog: Table) -> int:
    """Return the number of items that can be recommended."""
    items, named = counts.ids, counts.parameter
    if catalog is None:
        return len(items)
    rule = "be an int below 2**63, item ids or None"
    if is_int(catalog) and catalog < 2**63:
        if catalog < len(items):
            rule = f"be at least the number of items in '{named}' ({len(items)})"
            fail("catalog", rule, catalog, f"Pass catalog={len(items)}.")
        return int(catalog)
    if not isinstance(catalog, list | tuple | set | frozenset):
        catalog = read_array(catalog, "catalog", rule)
        if catalog.ndim != 1:
            fail("catalog", rule, f"an array of shape {catalog.shape}")
        catalog = catalog.tolist()
    try:
        known = set(catalog)
        strange = [item for item in items if item not in known]
    except Exception as error:  # values that are unhashable or cannot be compared
        fail("catalog", rule, f"ids that cannot be looked up ({error})")
    if strange:
        fail("catalog", f"contain every item of '{named}'", f"a catalog without {strange[0]!r}")
    return len(known)


def coverage_without(counts: Counts, rows: CountedRows, *, catalog: Table, **_: object) -> np.ndarray:
    """Return the catalog coverage without each unit; only items of its own rows change."""
    items, units, log_never = rows.merged("log_never")
    sure = np.isneginf(log_never)  # the unit always shows the item
    finite = np.where(sure, 0.0, log_never)
    n_sure, total = (np.bincount(items, each, len(counts.ids)) for each in (sure, finite))
    others_sure = n_sure[items] > sure
    never = np.where(others_sure, 0.0, np.exp(np.minimum(total[items] - finite, 0.0)))
    lost = never - np.exp(counts.sums["log_never"])[items]
    whole = (1 - np.exp(counts.sums["log_never"])).sum()
    return (whole - np.bincount(units, lost, rows.n_units)) / count_catalog(counts, catalog)


def gini_without(counts: Counts, rows: CountedRows, *, catalog: Table, **_: object) -> np.ndarray:
    """Return the Gini coefficient without each unit, nan if no item remains.

    The coefficient is T / (n S), where T is the sum of abs(e_i - e_j) over all pairs of n items, and S the
    sum of their exposures e. Without a unit, T changes in pairs with its items only: the sums of these over
    all items, before and after, count pairs of two of its items wrongly, which is corrected.
    """
    items, units, shown = rows.merged("exposure")
    n = count_catalog(counts, catalog)
    exposure = np.sort(counts.sums["exposure"])
    n_zeros = n - len(exposure)
    before = counts.sums["exposure"][items]
    after = np.maximum(before - shown, 0.0)
    below = np.concatenate([[0.0], np.cumsum(exposure)])

    def add_distances(values: np.ndarray) -> np.ndarray:
        """Return the sum of abs(value - e_i) over all items for each value."""
        n_below = np.searchsorted(exposure, values)
        n_above = len(exposure) - n_below
        return values * (n_zeros + n_below - n_above) + below[-1] - 2 * below[n_below]

    apart = np.bincount(units, add_distances(after) - add_distances(before), rows.n_units)
    inside = [add_pairs(each, units, rows.n_units) for each in (before, after)]
    across = add_pairs(np.concatenate([before, after]), np.concatenate([units, units]), rows.n_units)
    whole = add_pairs(exposure, np.zeros(len(exposure), dtype=np.int64), 1) + n_zeros * below[-1]
    total = below[-1] - np.bincount(units, shown, rows.n_units)
    known = total > 1e-9 * below[-1]
    sums = whole + apart - across + 2 * inside[0] + 2 * inside[1]
    return np.divide(sums, n * total, out=np.full(rows.n_units, np.nan), where=known)


def add_pairs(values: np.ndarray, units: np.ndarray, n_units: int) -> np.ndarray:
    """Return the sum of abs(v_i - v_j) over all pairs of values of each unit."""
    order = np.lexsort((values, units))
    sizes = np.bincount(units, minlength=n_units)
    ranks = np.arange(len(values)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    return np.bincount(units[order], (2 * ranks + 1 - np.repeat(sizes, sizes)) * values[order], n_units)
