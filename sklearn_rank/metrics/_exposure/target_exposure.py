"""The metric that compares the exposure of owners with a target: attention-weighted rank fairness."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, TypeAlias

import numpy as np

from ..._checks import explain_parameters
from ..._checks.arrays import read_floats
from ..._checks.containers import read_mapping
from ..._checks.errors import fail, is_real
from ..._checks.options import is_one_of, pick
from ..._checks.types import ArrayLike, Browsing, Gain, Labels, ListTieRule, Options, RatioAverage, Unjudged
from .._average import mean_of_values
from .._compute import compute_with_inputs
from .._factory import OWNERS, add_metric
from .._lists.popularity import Popularity as Shares
from .._table import Given, Ratio, Tables
from .exposed_rows import Exposed, OwnedRows, check_exposure_options

Target: TypeAlias = Literal["candidates", "relevant"] | Shares
RULE_OF_TARGET = "be 'candidates', 'relevant' or a mapping of owners to shares"


def read_target(target: Labels, owners: np.ndarray) -> np.ndarray:
    """Return the share of each owner in the target; the sum is below 1 if the target has other owners."""
    table = read_mapping(target, "target")
    given = read_floats(list(table.values()), (len(table),), "target", RULE_OF_TARGET)
    total = given.sum()
    if not ((given >= 0).all() and 0 < total < np.inf):
        got = f"shares from {given.min():g} to {given.max():g}" if len(given) else "no shares"
        fail("target", "contain finite and non-negative shares with a positive sum", got)
    rule = "contain a share for each owner"
    try:
        positions = {owner: position for position, owner in enumerate(table)}
        shares = np.array([given[positions[owner]] for owner in owners.tolist()])
    except KeyError as error:
        fix = "Pass 0 for owners that should get no exposure."
        fail("target", rule, f"none for {error}", fix)
    except TypeError as error:  # unhashable owners
        fail("target", rule, f"owners that cannot be looked up ({error})")
    return shares / total


def add_present(shown: np.ndarray, shares: np.ndarray, base: float) -> np.ndarray:
    """Return the contribution of each owner to the Jensen-Shannon divergence."""
    middle = (shown + shares) / 2
    return (_relative_entropy(shown, middle) + _relative_entropy(shares, middle)) / (2 * np.log(base))


def add_absent(total: Any, base: float) -> Any:
    """Return the contribution of target owners without exposure: in bits, half of their share."""
    return np.maximum(1 - total, 0) * np.log(2) / (2 * np.log(base))


def _relative_entropy(shares: np.ndarray, middle: np.ndarray) -> np.ndarray:
    """Return shares * log(shares / middle); 0 if the share is 0."""
    return shares * np.log(np.divide(shares, middle, out=np.ones(len(shares)), where=shares > 0))


@explain_parameters
def awrf_score(
    y_true: ArrayLike | None,
    y_score: ArrayLike,
    *,
    groups: ArrayLike,
    owners: ArrayLike,
    target: Target,
    k: int | None = None,
    browsing_model: Browsing = "log2",
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
    """Compute attention-weighted rank fairness (AWRF) for each query and average it over queries.

    AWRF is 1 minus the Jensen-Shannon divergence between the exposure shares of the owners and a target.
    Short lists cannot match the target exactly, so the mean over queries is below 1 even for fair rankings.
    With ``average="micro"``, the value is near 1 for fair rankings.

    Source: Sapiezynski, Zeng, Robertson, Mislove and Wilson, "Quantifying the impact of user attention on
    fair group representation in ranked lists", WWW Companion 2019. With this distance: Ekstrand, McDonald,
    Raj and Johnson, "Overview of the TREC 2022 Fair Ranking Track", 2023.

    Parameters
    ----------
    y_true : array-like of shape (n_rows,) or None
        Relevance labels: finite and non-negative. NaN means that the document was not judged; see `unjudged`.
        Labels are used with ``target="relevant"`` or ``browsing_model="cascade"`` only; otherwise they can be
        `None`.
    y_score, groups, owners, k, browsing_model, p, gain, max_grade, ties, unjudged, sample_weight
        As in :func:`exposure_ratio_score`.
    target : {"candidates", "relevant"} or mapping
        Target share of each owner: "candidates" is its share of the rows of the query, "relevant" its share
        of the utility of the query. A mapping (dict or pandas.Series) contains the share of each owner for
        all queries, for example its share of a population; shares are divided by their sum.
    base : float, default=2
        Base of the logarithm, at least 2. The TREC Fair Ranking track uses ``numpy.e``.
    zero_division : {0.0, 1.0, nan}, default=nan
        Value of a query in which no document is shown, or in which no document is relevant if
        ``target="relevant"``. If `nan`, such queries are excluded from the mean.
    average : {"macro", "weighted", "micro", "geometric"} or None, default="macro"
        As in :func:`ndcg_score`.

    Returns
    -------
    float or ndarray of shape (n_queries,)
        Between 0 and 1; higher is better: 1 if the exposure equals the target. If every query is excluded,
        `nan` is returned with a warning.

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
        return compute_with_inputs(AWRF, **arguments)
    options = _check(pick((*AWRF.params, "average", "zero_division"), arguments))
    rows = OwnedRows(Given(y_true, y_score, groups, sample_weight), Tables(owners=owners))
    return _compare_together(rows, **options)


def _check(options: Options) -> Options:
    """Check the options before reading the data."""
    if not (is_real(options["base"]) and 2 <= options["base"] < np.inf):
        fail("base", "be a finite number >= 2", repr(options["base"]))
    target = options["target"]
    is_word = isinstance(target, str) and target in ("candidates", "relevant")
    if not is_word and not isinstance(read_mapping(target, "target"), Mapping):
        fail("target", RULE_OF_TARGET, repr(target))  # the mapping is checked with the rows
    return check_exposure_options(options)


def _awrf(rows: OwnedRows, *, target: Labels, base: float, **options: Any) -> Ratio:
    """AWRF = 1 - JSD(shares of the owners in the exposure, shares in the target)."""
    exposed = rows.expose(is_one_of(target, ("relevant",)), **options)
    received = exposed.by_query(exposed.exposure)
    aimed, defined = _aim(exposed, target, received)
    # Add up the owners of each query; all other owners are added at once.
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
    """Return the target exposure of each row or owner, and the queries in which it is defined."""
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
    """Compare the exposure over all queries with the target over all queries."""
    exposed = rows.expose(is_one_of(target, ("relevant",)), **options)
    aimed, defined = _aim(exposed, target, exposed.by_query(exposed.exposure))
    counted = defined[exposed.codes]
    shown = exposed.by_owner(exposed.exposure * counted)
    total = shown.sum()
    if not total > 0:
        return mean_of_values(np.array([zero_division]), None)
    shares = aimed if not isinstance(target, str) else exposed.by_owner(aimed * counted) / total
    divergence = add_present(shown / total, shares, base).sum() + add_absent(shares.sum(), base)
    return float(np.clip(1 - divergence, 0, 1))


AWRF = add_metric(_awrf, awrf_score, OWNERS, check=_check, micro=True)
