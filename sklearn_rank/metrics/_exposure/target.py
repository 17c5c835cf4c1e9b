"""The shares that owners are to have of the exposure, and how far a distribution is from them."""

from collections.abc import Mapping
from typing import Any, Literal, TypeAlias

import numpy as np

from ..._checks.arrays import read_floats
from ..._checks.containers import read_mapping
from ..._checks.errors import fail
from .._popularity import Popularity as Shares

Target: TypeAlias = Literal["candidates", "relevant"] | Shares
RULE_OF_TARGET = "be 'candidates', 'relevant', or map each owner to its share, >= 0 and not all 0"


def check_target(target: Any, function: str) -> None:
    """Check that a target is a word or a mapping; what it holds is checked with the rows."""
    if isinstance(target, str) and target in ("candidates", "relevant"):
        return
    if not isinstance(read_mapping(target, "target", function), Mapping):
        fail("target", function, RULE_OF_TARGET, repr(target))


def read_target(target: Any, owners: np.ndarray, function: str) -> np.ndarray:
    """Return the share of each owner in the target; together less than 1 where it has others too."""
    table = read_mapping(target, "target", function)
    given = read_floats(list(table.values()), (len(table),), "target", function, RULE_OF_TARGET)
    total = given.sum()
    if not ((given >= 0).all() and 0 < total < np.inf):
        fail("target", function, RULE_OF_TARGET, repr(target))
    rule = "contain a share for each owner, 0 if it gets nothing"
    try:
        places = {owner: place for place, owner in enumerate(table)}
        shares = np.array([given[places[owner]] for owner in owners.tolist()])
    except KeyError as error:
        fail("target", function, rule, f"none of {error}")
    except TypeError as error:  # owners without a hash
        fail("target", function, rule, f"owners that cannot be looked up ({error})")
    return shares / total


def add_present(shown: np.ndarray, shares: np.ndarray, base: float) -> np.ndarray:
    """Return what each owner adds to the Jensen-Shannon divergence."""
    middle = (shown + shares) / 2
    return (_relative_entropy(shown, middle) + _relative_entropy(shares, middle)) / (2 * np.log(base))


def add_absent(total: Any, base: float) -> Any:
    """Return what the owners add that are in the target and get nothing: half of their share, in bits."""
    return np.maximum(1 - total, 0) * np.log(2) / (2 * np.log(base))


def _relative_entropy(shares: np.ndarray, middle: np.ndarray) -> np.ndarray:
    """Return shares * log(shares / middle), 0 where there is no share."""
    ratios = np.divide(shares, middle, out=np.ones(len(shares)), where=shares > 0)
    return shares * np.log(ratios)
