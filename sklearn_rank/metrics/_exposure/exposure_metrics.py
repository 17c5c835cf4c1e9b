"""The exposure of owners compared with what they deserve or with a target, and metrics of it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, TypeAlias

import numpy as np

from ..._checks import explain_parameters
from ..._checks.arrays import read_floats
from ..._checks.containers import read_mapping
from ..._checks.errors import fail, is_real, name_call
from ..._checks.options import is_one_of
from ..._checks.types import (
    ArrayLike,
    Browsing,
    Gain,
    Ids,
    Labels,
    ListTieRule,
    Options,
    RatioAverage,
    Unjudged,
)
from ..._checks.warn import warn_user
from .._average import Counts, mean_of_values, warn_undefined
from .._compute import compute_beside
from .._factory import OWNERS, add_metric
from .._lists.popularity import Popularity as Shares
from .._table import Given, Ratio, Tables
from .exposed_rows import BrowsingOptions, Exposed, OwnedRows, check_exposure_options


@explain_parameters
def exposure_by_owner(
    y_true: ArrayLike | None,
    y_score: ArrayLike,
    *,
    groups: ArrayLike,
    owners: ArrayLike,
    k: int | None = None,
    browsing: Browsing = "log2",
    p: float | None = None,
    gain: Gain = "linear",
    max_grade: float | None = None,
    ties: ListTieRule = "average",
    unjudged: Unjudged = "raise",
    sample_weight: ArrayLike | None = None,
) -> dict[str, np.ndarray]:
    """Exposure of each owner over all queries, beside what it would get evenly and what it deserves.

    Parameters
    ----------
    y_true : array-like of shape (n_rows,) or None
        Relevance labels: real, finite, >= 0; NaN where not judged, see `unjudged`. None: without utility.
    y_score, groups, owners, k, browsing, p, gain, max_grade, ties, unjudged, sample_weight
        As in :func:`exposure_ratio_score`.

    Returns
    -------
    dict of str to ndarray of shape (n_owners,)
        Columns of a table, for ``pandas.DataFrame``, in the order of the owners: "owner"; "n_rows", their
        number; "exposure"; "exposure_share" of the whole; "even_share", which it would have if each query
        spread its exposure evenly over its rows; "parity", the exposure share divided by that. With labels
        also "utility"; "utility_share"; "treatment", the exposure share divided by that; "impact_share", of
        the sum of exposure times utility; and "impact", that divided by the utility share. nan where there
        is nothing to divide by, inf where a ratio is beyond floats.

    Raises
    ------
    ValueError
        If an argument breaks a rule above; the message names it.

    References
    ----------
    Singh and Joachims, "Fairness of exposure in rankings", KDD 2018.

    Examples
    --------
    >>> from sklearn_rank.metrics import exposure_by_owner
    >>> table = exposure_by_owner([1, 1, 0, 1], [4, 3, 2, 1], groups=[0] * 4, owners=["a", "a", "b", "b"])
    >>> table["owner"].tolist()
    ['a', 'b']
    >>> for name in ("exposure_share", "even_share", "utility_share"):
    ...     print(name, table[name].round(2))
    exposure_share [0.64 0.36]
    even_share [0.5 0.5]
    utility_share [0.67 0.33]
    """
    arguments = locals()
    options = {name: arguments[name] for name in (*BrowsingOptions._fields, "ties", "unjudged")}
    checked = check_exposure_options(options)
    rows = OwnedRows(Given(y_true, y_score, groups, sample_weight), Tables(owners=owners))
    exposed = rows.expose(y_true is not None, **checked)
    owners = exposed.owners
    columns = {"owner": owners.names, "n_rows": owners.sum(exposed.counted)}
    columns |= compare_by_owner(count_by_owner(exposed))
    if exposed.weights is not None:  # these are scaled
        scale = np.asarray(sample_weight, dtype=np.float64).max() / exposed.weights.max()
        with np.errstate(over="ignore"):
            of_rows = [name for name in ("exposure", "utility") if name in columns]
            sums: dict[str, np.ndarray] = {name: scale * columns[name] for name in of_rows}
        if not all(np.isfinite(values).all() for values in sums.values()):
            fail("sample_weight", "keep the sums of exposure and utility finite", f"up to {scale:g}")
        columns |= sums
    return columns


def count_by_owner(exposed: Exposed) -> Counts:
    """Sum exposure and utility by owner over all queries."""
    of_rows = {"exposure": exposed.exposure, "even": exposed.even}
    if exposed.utility is not None:
        of_rows |= {"utility": exposed.utility, "impact": exposed.exposure * exposed.utility}
    return exposed.add_up(of_rows)


def compare_by_owner(counts: Counts) -> dict[str, np.ndarray]:
    """Compute shares and ratios from sums over all queries."""
    exposure, even = counts.sums["exposure"], counts.sums["even"]
    columns = {
        "exposure": exposure,
        "exposure_share": _share(exposure),
        "even_share": _share(even),
        "parity": _divide(_share(exposure), _share(even)),
    }
    if "utility" not in counts.sums:
        return columns
    utility, impact = counts.sums["utility"], counts.sums["impact"]
    return columns | {
        "utility": utility,
        "utility_share": _share(utility),
        "treatment": _divide(_share(exposure), _share(utility)),
        "impact_share": _share(impact),
        "impact": _divide(_share(impact), _share(utility)),
    }


def _share(values: np.ndarray) -> np.ndarray:
    return _divide(values, values.sum())


def _divide(above: np.ndarray, below: np.ndarray) -> np.ndarray:
    """Divide; the quotient is nan if the divisor is 0."""
    with np.errstate(over="ignore"):  # if the share is too small for the quotient
        return np.divide(above, below, out=np.full(len(above), np.nan), where=below > 0)


Disparate: TypeAlias = Literal["treatment", "impact"]


@explain_parameters
def exposure_parity_score(
    y_true: ArrayLike | None,
    y_score: ArrayLike,
    *,
    groups: ArrayLike,
    owners: ArrayLike,
    k: int | None = None,
    browsing: Browsing = "log2",
    p: float | None = None,
    gain: Gain = "linear",
    max_grade: float | None = None,
    log: bool = False,
    ties: ListTieRule = "average",
    unjudged: Unjudged = "raise",
    sample_weight: ArrayLike | None = None,
) -> float:
    """Demographic parity of exposure: of the owner who gets least over the one who gets most.

    What an owner gets is its exposure over all queries divided by what it would get if each query spread its
    exposure evenly over its rows.

    Parameters
    ----------
    y_true : array-like of shape (n_rows,) or None
        Relevance labels: real, finite, >= 0; NaN where not judged, see `unjudged`. They count with
        ``browsing="cascade"`` alone, and may be None else.
    y_score, groups, owners, k, browsing, p, gain, max_grade, log, ties, unjudged, sample_weight
        As in :func:`exposure_ratio_score`.

    Returns
    -------
    float
        In [0, 1], or its logarithm, <= 0; higher is better: 1, or 0, if all owners get the same per row. nan,
        with a warning, if there is one owner, or if no exposure could go to one of them.

    Raises
    ------
    ValueError
        If an argument breaks a rule above; the message names it.

    References
    ----------
    Singh and Joachims, "Fairness of exposure in rankings", KDD 2018.

    Examples
    --------
    >>> from sklearn_rank.metrics import exposure_parity_score
    >>> owners = ["m", "m", "m", "f", "f", "f"]
    >>> parity = exposure_parity_score(None, [6, 5, 4, 3, 2, 1], groups=[0] * 6, owners=owners)
    >>> round(parity, 2)  # 0.39 / 0.71
    0.55
    """
    return compute_beside(EXPOSURE_PARITY, **locals())


@explain_parameters
def exposure_ratio_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    groups: ArrayLike,
    owners: ArrayLike,
    k: int | None = None,
    browsing: Browsing = "log2",
    p: float | None = None,
    gain: Gain = "linear",
    max_grade: float | None = None,
    disparate: Disparate = "treatment",
    log: bool = False,
    ties: ListTieRule = "average",
    unjudged: Unjudged = "raise",
    sample_weight: ArrayLike | None = None,
) -> float:
    """Exposure by utility: of the owner who gets least for what it deserves over the one who gets most.

    Exposure and utility of an owner are summed up over all queries, and divided then.

    Parameters
    ----------
    y_true : array-like of shape (n_rows,)
        Relevance labels: real, finite, >= 0; NaN where not judged, see `unjudged`.
    y_score : array-like of shape (n_rows,)
        Predicted scores, higher first; -inf: not retrieved.
    groups : array-like of shape (n_rows,)
        Query id of each row, in any order and of any sortable type.
    owners : array-like of shape (n_rows,) or (n_rows, n_owners)
        The owner of the item in each row, or its value of an attribute, of any sortable type; or the shares
        of several owners, which add up to 1 in each row, named by the columns of a frame or by numbers.
    k : int, default=None
        Cutoff >= 1; None for all items retrieved.
    browsing : {"log2", "reciprocal", "rbp", "cascade"}, callable or None, default="log2"
        Exposure at a rank: 1 / log2(rank + 1), 1 / rank, p ** (rank - 1), or that times the probability not
        to have stopped at a document above, see `gain`; a function of an array of ranks; or 1.
    p : float, default=None
        Probability in (0, 1) that users go on to the next document; None for 0.8 with "rbp", for 1 with
        "cascade".
    gain : {"linear", "exponential"}, callable, sequence or mapping, default="linear"
        Utility of a label, as in :func:`dcg_score`. With "cascade" also the probability to stop at it, as
        in :func:`err_score`: label / max_grade, (2**label - 1) / 2**max_grade, or as given.
    max_grade : float, default=None
        Highest grade of the scale, with "cascade"; None for the highest label in the data, which differs
        between folds: give it where values are compared.
    disparate : {"treatment", "impact"}, default="treatment"
        What is divided by the utility: exposure, or exposure times utility, the clicks that are expected
        if utility is the probability of a click on what is seen.
    log : bool, default=False
        Whether to return the logarithm of the ratio.
    ties : {"average", "order"}, default="average"
        How to rank equal scores. "average": the exposure of each row is its exact mean over all orders, and
        ratios are ratios of such means. "order": by the order of the rows.
    unjudged : {"raise", "nonrelevant", "drop", "mean", "median"}, default="raise"
        Labels that are NaN: refused, counted as 0, left out of the ranking, or given the mean or median of
        the query's judged labels.
    sample_weight : array-like of shape (n_rows,), default=None
        Query weights, repeated on each row of the query.

    Returns
    -------
    float
        In [0, 1], or its logarithm, <= 0; higher is better: 1, or 0, if all owners get the same for what
        they deserve. nan, with a warning, if there is one owner, or if one has no utility.

    Raises
    ------
    ValueError
        If an argument breaks a rule above; the message names it.

    References
    ----------
    Singh and Joachims, "Fairness of exposure in rankings", KDD 2018: disparate treatment and impact, of two
    groups.

    Examples
    --------
    >>> from sklearn_rank.metrics import exposure_ratio_score
    >>> relevance, owners = [0.82, 0.81, 0.80, 0.79, 0.78, 0.77], ["m", "m", "m", "f", "f", "f"]
    >>> ratio = exposure_ratio_score(relevance, [6, 5, 4, 3, 2, 1], groups=[0] * 6, owners=owners)
    >>> round(ratio, 2)  # (0.39 / 0.78) / (0.71 / 0.81)
    0.57
    """
    return compute_beside(EXPOSURE_RATIO, **locals())


def _count(rows: OwnedRows, *, log: bool, disparate: str = "", **options: Any) -> Counts:
    """Sum exposure by owner, and utility if an option depends on it."""
    return count_by_owner(rows.expose(bool(disparate), **options))


def _ratio(counts: Counts, *, log: bool, disparate: str = "parity", **_: object) -> float:
    """Ratio = lowest / highest over owners of their share of the exposure / what it should be."""
    owners, ratios = counts.ids, compare_by_owner(counts)[disparate]
    undefined = np.isnan(ratios)
    if len(owners) < 2 or undefined.any():
        _warn_undefined(owners, undefined)
        return np.nan
    with np.errstate(divide="ignore"):  # log(0) = -inf for an owner without exposure
        ratio = float(ratios.min() / ratios.max())
        return float(np.log(ratio)) if log else ratio


def _warn_undefined(owners: list[Ids], undefined: np.ndarray) -> None:
    from sklearn.exceptions import UndefinedMetricWarning

    why = f"there is no owner but {owners[0]!r}"
    if undefined.any():
        n_owners = f"({undefined.sum()} of {len(owners)} owners)"
        why = f"{owners[undefined.argmax()]!r} has nothing to divide by, or nothing is shown {n_owners}"
    warn_user(f"{name_call()} is undefined: {why}. Returning nan.", UndefinedMetricWarning)


EXPOSURE_PARITY = add_metric("exposure_parity", _count, exposure_parity_score, OWNERS, conclude=_ratio)
EXPOSURE_RATIO = add_metric("exposure_ratio", _count, exposure_ratio_score, OWNERS, conclude=_ratio)


@explain_parameters
def amortized_exposure_loss(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    groups: ArrayLike,
    owners: ArrayLike,
    k: int | None = None,
    browsing: Browsing = "log2",
    p: float | None = None,
    gain: Gain = "linear",
    max_grade: float | None = None,
    ties: ListTieRule = "average",
    unjudged: Unjudged = "raise",
    sample_weight: ArrayLike | None = None,
) -> float:
    """How far the exposure of the owners is from what they deserve, amortized over all queries.

    In each query exposure and utility are divided by their sums. The loss is the sum over the owners of
    abs(exposure - utility), each of them summed up over the queries before, divided by the number of queries.

    Parameters
    ----------
    y_true, y_score, groups, owners, k, browsing, p, gain, max_grade, ties, unjudged, sample_weight
        As in :func:`exposure_ratio_score`.

    Returns
    -------
    float
        In [0, 2]: twice the share of exposure that goes to the wrong owners; lower is better, and its scorer
        negates it. Queries without utility or exposure are left out; nan, with a warning, if every query is
        left out.

    Raises
    ------
    ValueError
        If an argument breaks a rule above; the message names it.

    References
    ----------
    Biega, Gummadi and Weikum, "Equity of attention: amortizing individual fairness in rankings", SIGIR 2018;
    their unfairness is this times the number of queries.

    Examples
    --------
    >>> from sklearn_rank.metrics import amortized_exposure_loss
    >>> y_true, owners = [1, 1, 1, 1], ["a", "b", "a", "b"]  # two queries, the same items
    >>> amortized_exposure_loss(y_true, [2, 1, 2, 1], groups=[1, 1, 2, 2], owners=owners, k=1)  # always a
    1.0
    >>> amortized_exposure_loss(y_true, [2, 1, 1, 2], groups=[1, 1, 2, 2], owners=owners, k=1)  # in turn
    0.0
    """
    return compute_beside(AMORTIZED, **locals())


def _count_differences(rows: OwnedRows, **options: Any) -> Counts:
    """Sum by owner the difference between exposure and utility, both as shares of the query."""
    exposed = rows.expose(True, **options)
    assert exposed.utility is not None  # there are labels
    received, deserved = exposed.by_query(exposed.exposure), exposed.by_query(exposed.utility)
    defined = (received > 0) & (deserved > 0)
    weights = defined * (1.0 if exposed.weights is None else exposed.weights)
    attention = exposed.per_query(exposed.exposure, received)
    differences = (attention - exposed.per_query(exposed.utility, deserved)) * defined[exposed.codes]
    return exposed.add_up({"differences": differences}, {"queries": float(weights.sum())})


def _amortized(counts: Counts, **_: object) -> float:
    """Loss = sum over owners of abs(sum over queries of exposure - utility) / (number of queries)."""
    n_queries = counts.totals["queries"]
    if n_queries == 0:
        warn_undefined()
        return np.nan
    return float(min(np.abs(counts.sums["differences"]).sum() / n_queries, 2.0))


AMORTIZED = add_metric(
    "amortized_exposure_loss",
    _count_differences,
    amortized_exposure_loss,
    OWNERS,
    conclude=_amortized,
    upper=2.0,
    greater_is_better=False,
)


Target: TypeAlias = Literal["candidates", "relevant"] | Shares
RULE_OF_TARGET = "be 'candidates', 'relevant', or map each owner to its share, >= 0 and not all 0"


def read_target(target: Labels, owners: np.ndarray) -> np.ndarray:
    """Return the share of each owner in the target; the sum is below 1 if the target has other owners."""
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
    except TypeError as error:  # unhashable owners
        fail("target", rule, f"owners that cannot be looked up ({error})")
    return shares / total


def add_present(shown: np.ndarray, shares: np.ndarray, base: float) -> np.ndarray:
    """Return the contribution of each owner to the Jensen-Shannon divergence."""
    middle = (shown + shares) / 2
    return (_relative_entropy(shown, middle) + _relative_entropy(shares, middle)) / (2 * np.log(base))


def add_absent(total: Any, base: float) -> Any:
    """Return the contribution of target owners without exposure: half of their share, in bits."""
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


AWRF = add_metric("awrf", _awrf, awrf_score, OWNERS, check=_check, needs=("owners", "target"), micro=True)
