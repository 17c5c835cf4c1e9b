"""Attention-weighted rank fairness: how near the exposure of the owners is to a target distribution."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, TypeAlias

import numpy as np

from ..._checks.arrays import read_floats
from ..._checks.containers import read_mapping
from ..._checks.errors import fail, is_real
from ..._checks.options import is_one_of
from ..._checks.types import ArrayLike, Browsing, Gain, Labels, ListTieRule, Options, RatioAverage, Unjudged
from .._average import mean_of_values
from .._compute import compute_beside
from .._factory import OWNERS, add_metric
from .._lists.popularity import Popularity as Shares
from .._requests import Given
from .._table import Ratio, Tables
from .exposed_rows import Exposed, OwnedRows, check_exposure_options

Target: TypeAlias = Literal["candidates", "relevant"] | Shares
RULE_OF_TARGET = "be 'candidates', 'relevant', or map each owner to its share, >= 0 and not all 0"


def read_target(target: Labels, owners: np.ndarray) -> np.ndarray:
    """Return the share of each owner in the target; together less than 1 where it has others too."""
    table = read_mapping(target, "target")
    given = read_floats(list(table.values()), (len(table),), "target", RULE_OF_TARGET)
    total = given.sum()
    if not ((given >= 0).all() and 0 < total < np.inf):
        fail("target", RULE_OF_TARGET, repr(target))
    rule = "contain a share for each owner, 0 if it gets nothing"
    try:
        places = {owner: place for place, owner in enumerate(table)}
        shares = np.array([given[places[owner]] for owner in owners.tolist()])
    except KeyError as error:
        fail("target", rule, f"none of {error}")
    except TypeError as error:  # owners without a hash
        fail("target", rule, f"owners that cannot be looked up ({error})")
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


def awrf_score(
    y_true: ArrayLike | None,
    y_score: ArrayLike,
    *,
    groups: ArrayLike,
    owners: ArrayLike,
    target: Target,
    k: int | None = None,
    browsing: Browsing = "log2",
    p: float | None = None,
    gain: Gain = "linear",
    max_grade: float | None = None,
    base: float = 2,
    ties: ListTieRule = "average",
    unjudged: Unjudged = "raise",
    zero_division: float = np.nan,
    average: RatioAverage | None = "macro",
    sample_weight: ArrayLike | None = None,
) -> float | np.ndarray:
    """Attention-weighted rank fairness: 1 minus how far the exposure of the owners is from a target.

    How far is the Jensen-Shannon divergence between the shares of the owners in the exposure and in the
    target. A short list cannot have the shares of the target: the mean over queries is below 1 for fair
    rankings too, the more the shorter their lists. With ``average="micro"`` it is near 1.

    Parameters
    ----------
    y_true : array-like of shape (n_rows,) or None
        Relevance labels: real, finite, >= 0; NaN where not judged, see `unjudged`. They count with
        ``target="relevant"`` or ``browsing="cascade"`` alone, and may be None else.
    y_score, groups, owners, k, browsing, p, gain, max_grade, ties, unjudged, sample_weight
        As in :func:`exposure_ratio_score`.
    target : {"candidates", "relevant"} or mapping
        The share of each owner in the rows of the query, in its utility, or by owner, as a dict or a
        pandas.Series: of all queries, for example those of a population. They are divided by their sum.
    base : float, default=2
        Base of the logarithm, >= 2; that of the TREC Fair Ranking track is ``numpy.e``.
    zero_division : {0.0, 1.0, nan}, default=nan
        Value of a query in which nothing is shown, or nothing has utility with ``target="relevant"``; nan
        leaves it out of the mean.
    average : {"macro", "weighted", "micro", "geometric"} or None, default="macro"
        Mean over queries, weighted by their number of rows or not, the value of the exposure and the target
        of all queries together, or the geometric mean of their values, raised to 0.00001 where they are
        below; None for the value of each query in the order of :func:`unique_groups`.

    Returns
    -------
    float or ndarray of shape (n_queries,)
        In [0, 1] with ``base=2``; higher is better: 1 if the exposure is the target. nan, with a warning, if
        every query is left out.

    Raises
    ------
    ValueError
        If an argument breaks a rule above; the message names it.

    References
    ----------
    Sapiezynski, Zeng, Robertson, Mislove and Wilson, "Quantifying the impact of user attention on fair group
    representation in ranked lists", WWW Companion 2019. With this distance: Ekstrand, McDonald, Raj and
    Johnson, "Overview of the TREC 2022 Fair Ranking Track", 2023.

    Examples
    --------
    >>> from sklearn_rank.metrics import awrf_score
    >>> owners, target = ["a", "a", "b", "b"], {"a": 0.5, "b": 0.5}
    >>> score = awrf_score(None, [4, 3, 2, 1], groups=[0] * 4, owners=owners, target=target)
    >>> round(score, 3)
    0.986
    """
    arguments = locals()
    if not is_one_of(average, ("micro",)):
        return compute_beside(AWRF, **arguments)
    options = {name: arguments[name] for name in (*AWRF.params, "average", "zero_division")}
    options = _check(options)
    rows = OwnedRows(Given(y_true, y_score, groups, sample_weight), Tables(owners=owners))
    return _compare_together(rows, **options)


def _check(options: Options) -> Options:
    """Check the options, before any data is looked at."""
    if not (is_real(options["base"]) and 2 <= options["base"] < np.inf):
        fail("base", "be a finite number >= 2", repr(options["base"]))
    target = options["target"]
    is_word = isinstance(target, str) and target in ("candidates", "relevant")
    if not is_word and not isinstance(read_mapping(target, "target"), Mapping):
        fail("target", RULE_OF_TARGET, repr(target))  # what it maps is checked with the rows
    return check_exposure_options(options)


def _awrf(rows: OwnedRows, *, target: Labels, base: float, **options: Any) -> Ratio:
    """AWRF = 1 - JSD(shares of the owners in the exposure, shares in the target)."""
    exposed = rows.expose(is_one_of(target, ("relevant",)), **options)
    received = exposed.by_query(exposed.exposure)
    aimed, defined = _aim(exposed, target, received)
    # Owner by owner, and those that a query has not at once.
    owners = exposed.owners
    queries = exposed.codes[owners.rows]
    cells, of_entry = np.unique(queries * len(owners.names) + owners.codes, return_inverse=True)
    query_of_cell, owner_of_cell = np.divmod(cells, len(owners.names))
    totals = np.where(received > 0, received, 1)[query_of_cell]
    shown = np.bincount(of_entry, owners.shares * exposed.exposure[owners.rows]) / totals
    if isinstance(target, str):
        shares = np.bincount(of_entry, owners.shares * aimed[owners.rows]) / totals
    else:
        shares = aimed[owner_of_cell]
    divergence = np.bincount(query_of_cell, add_present(shown, shares, base))
    divergence += add_absent(np.bincount(query_of_cell, shares), base)
    return Ratio(np.clip(1 - divergence, 0, 1), 1, defined)


def _aim(exposed: Exposed, target: Labels, received: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return what each row, or each owner, should get; and in which queries that is defined."""
    if not isinstance(target, str):
        return read_target(target, exposed.owners.names), received > 0
    if target == "candidates":
        return exposed.even, received > 0
    assert exposed.utility is not None  # there are labels
    deserved = exposed.by_query(exposed.utility)
    shares = exposed.per_query(exposed.utility, deserved)
    return shares * received[exposed.codes], (received > 0) & (deserved > 0)


def _compare_together(
    rows: OwnedRows, *, target: Labels, base: float, zero_division: float, average: str, **options: Any
) -> float:
    """Compare the exposure of all queries with the target of all."""
    exposed = rows.expose(is_one_of(target, ("relevant",)), **options)
    received = exposed.by_query(exposed.exposure)
    aimed, defined = _aim(exposed, target, received)
    counted = defined[exposed.codes]
    shown = exposed.by_owner(exposed.exposure * counted)
    total = shown.sum()
    if not total > 0:
        return mean_of_values(np.array([zero_division]), None)
    shares = aimed if not isinstance(target, str) else exposed.by_owner(aimed * counted) / total
    divergence = add_present(shown / total, shares, base).sum() + add_absent(shares.sum(), base)
    return float(np.clip(1 - divergence, 0, 1))


AWRF = add_metric("awrf", _awrf, awrf_score, OWNERS, check=_check, needs=("owners", "target"), micro=True)
