"""To whom the rows belong: an owner each, or shares of several."""

from typing import Any, NamedTuple

import numpy as np

from ..._checks.arrays import read_numbers
from ..._checks.codes import first_rows, rank_ids
from ..._checks.containers import column_names
from ..._checks.errors import fail
from ..._checks.groups import check_groups
from .._unique_groups import take_ids

TOLERANCE = 1e-6  # by which shares of a row may miss 1, as those in float32 do


class Owners(NamedTuple):
    """Who owns which share of which row, an entry for each."""

    names: np.ndarray
    rows: np.ndarray
    codes: np.ndarray
    shares: np.ndarray

    def sum(self, values: np.ndarray) -> np.ndarray:
        """Sum up values of rows by owner."""
        return np.bincount(self.codes, self.shares * values[self.rows], minlength=len(self.names))


def read_owners(owners: Any, n_rows: int, function: str) -> Owners:
    """Check owners: ids of the rows, or a matrix with the shares of each row."""
    if owners is None:
        fail("owners", function, "hold the owner of each row", None)
    if _is_matrix(owners):
        return _read_shares(owners, n_rows, function)
    if getattr(getattr(owners, "dtype", None), "kind", "") == "f" and np.isnan(np.asarray(owners)).any():
        rule = "have no missing ids: give rows without a known owner one of their own, as 'unknown'"
        fail("owners", function, rule, f"{np.isnan(np.asarray(owners)).sum()} missing")
    codes = rank_ids(check_groups(owners, n_rows, function, "owners"))
    return Owners(take_ids(owners, first_rows(codes)), np.arange(n_rows), codes, np.ones(n_rows))


def _is_matrix(owners: Any) -> bool:
    """Tell whether these are shares: two dimensions of more than one column, or lists in a list."""
    shape = getattr(owners, "shape", None)
    if shape is not None:
        return len(shape) == 2 and shape[1] != 1
    return isinstance(owners, list | tuple) and len(owners) > 0 and isinstance(owners[0], list | np.ndarray)


def _read_shares(owners: Any, n_rows: int, function: str) -> Owners:
    """Check the shares of each row."""
    shares = read_numbers(owners, "owners", function)
    if shares.ndim != 2 or len(shares) != n_rows:
        fail("owners", function, f"have one row of shares per row, {n_rows}", f"shape {shares.shape}")
    shares = shares.astype(np.float64)
    if not (np.isfinite(shares).all() and (shares >= 0).all()):
        wrong = shares[~(shares >= 0) | ~np.isfinite(shares)][0]
        fail("owners", function, "hold shares that are finite and >= 0", wrong)
    missing = np.abs(shares.sum(axis=1) - 1) > TOLERANCE
    if missing.any():
        rule = "hold shares that add up to 1 in each row, with a column for what is not known"
        row = int(missing.argmax())
        fail("owners", function, rule, f"{shares[row].sum():g} in row {row}")
    rows, codes = np.nonzero(shares)
    names = column_names(owners)
    names = np.arange(shares.shape[1]) if names is None else np.asarray(list(names), dtype=object)
    return Owners(names, rows, codes, shares[rows, codes])
