"""Metrics that compare the exposure of owners with their utility."""

from __future__ import annotations

from typing import Any, Literal, TypeAlias

import numpy as np

from ..._checks import explain_parameters
from ..._checks.errors import fail, name_call
from ..._checks.options import pick
from ..._checks.types import ArrayLike, Browsing, Gain, Ids, ListTieRule, Unjudged
from ..._checks.warn import warn_user
from .._average import Counts, warn_undefined
from .._compute import compute_with_inputs
from .._factory import OWNERS, add_metric
from .._table import Given, Tables
from .exposed_rows import BrowsingOptions, Exposed, OwnedRows, check_exposure_options


@explain_parameters
def exposure_by_owner(
    y_true: ArrayLike | None,
    y_score: ArrayLike,
    *,
    groups: ArrayLike,
    owners: ArrayLike,
    k: int | None = None,
    browsing_model: Browsing = "log2",
    p: float | None = None,
    gain: Gain = "linear",
    max_grade: float | None = None,
    ties: ListTieRule = "average",
    unjudged: Unjudged = "raise",
    sample_weight: ArrayLike | None = None,
) -> dict[str, np.ndarray]:
    """Compute the exposure of each owner over all queries, its even share and its utility.

    Source: Singh and Joachims, "Fairness of exposure in rankings", KDD 2018.

    Parameters
    ----------
    y_true : array-like of shape (n_rows,) or None
        Relevance labels: finite and non-negative. NaN means that the document was not judged; see `unjudged`.
        If `None`, utility is not computed.
    y_score, groups, owners, k, browsing_model, p, gain, max_grade, ties, unjudged, sample_weight
        As in :func:`exposure_ratio_score`.

    Returns
    -------
    dict of str to ndarray of shape (n_owners,)
        Columns of a table, for example for ``pandas.DataFrame``, with one entry per owner: "owner"; "n_rows",
        its number of rows; "exposure"; "exposure_share"; "even_share", its exposure share if exposure were
        spread evenly over the rows of each query; "parity", the exposure share divided by the even share.
        With labels, also "utility"; "utility_share"; "treatment", the exposure share divided by the utility
        share; "impact_share", its share of the sum of exposure times utility; "impact", the impact share
        divided by the utility share. Ratios are nan if the divisor is 0, and inf if they overflow.

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
    checked = check_exposure_options(pick((*BrowsingOptions._fields, "ties", "unjudged"), locals()))
    rows = OwnedRows(Given(y_true, y_score, groups, sample_weight), Tables(owners=owners))
    exposed = rows.expose(y_true is not None, **checked)
    owners = exposed.owners
    columns = {"owner": owners.names, "n_rows": owners.sum(exposed.counted)}
    columns |= compare_by_owner(count_by_owner(exposed))
    if exposed.weights is not None:  # these are scaled
        highest = np.asarray(sample_weight, dtype=np.float64).max()
        scale = highest / exposed.weights.max()
        with np.errstate(over="ignore"):
            of_rows = [name for name in ("exposure", "utility") if name in columns]
            sums: dict[str, np.ndarray] = {name: scale * columns[name] for name in of_rows}
        if not all(np.isfinite(values).all() for values in sums.values()):
            rule = "be small enough for finite sums of exposure and utility"
            fail("sample_weight", rule, f"weights up to {highest:g}")
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
    browsing_model: Browsing = "log2",
    p: float | None = None,
    gain: Gain = "linear",
    max_grade: float | None = None,
    log: bool = False,
    ties: ListTieRule = "average",
    unjudged: Unjudged = "raise",
    sample_weight: ArrayLike | None = None,
) -> float:
    """Compute the demographic parity of exposure: the lowest ratio of an owner divided by the highest.

    The ratio of an owner is its exposure over all queries, divided by its exposure if exposure were spread
    evenly over the rows of each query.

    Source: Singh and Joachims, "Fairness of exposure in rankings", KDD 2018.

    Parameters
    ----------
    y_true : array-like of shape (n_rows,) or None
        Relevance labels: finite and non-negative. NaN means that the document was not judged; see `unjudged`.
        Labels are used with ``browsing_model="cascade"`` only; otherwise they can be `None`.
    y_score, groups, owners, k, browsing_model, p, gain, max_grade, log, ties, unjudged, sample_weight
        As in :func:`exposure_ratio_score`.

    Returns
    -------
    float
        Between 0 and 1, or the logarithm of such a value; higher is better. It is 1, or 0 with ``log=True``,
        if all owners get the same exposure per row. `nan` is returned with a warning if there is only one
        owner, or if an owner cannot get any exposure.

    Examples
    --------
    >>> from sklearn_rank.metrics import exposure_parity_score
    >>> owners = ["m", "m", "m", "f", "f", "f"]
    >>> parity = exposure_parity_score(None, [6, 5, 4, 3, 2, 1], groups=[0] * 6, owners=owners)
    >>> round(parity, 2)  # 0.39 / 0.71
    0.55
    """
    return compute_with_inputs(EXPOSURE_PARITY, **locals())


@explain_parameters
def exposure_ratio_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    groups: ArrayLike,
    owners: ArrayLike,
    k: int | None = None,
    browsing_model: Browsing = "log2",
    p: float | None = None,
    gain: Gain = "linear",
    max_grade: float | None = None,
    disparate: Disparate = "treatment",
    log: bool = False,
    ties: ListTieRule = "average",
    unjudged: Unjudged = "raise",
    sample_weight: ArrayLike | None = None,
) -> float:
    """Compute the ratio of the lowest to the highest exposure per utility of owners.

    Exposure and utility of an owner are summed over all queries before they are divided.

    Source: Singh and Joachims, "Fairness of exposure in rankings", KDD 2018, where disparate treatment and
    impact are defined for two groups.

    Parameters
    ----------
    y_true : array-like of shape (n_rows,)
        Relevance labels: finite and non-negative. NaN means that the document was not judged; see `unjudged`.
    y_score, groups, k
        As in :func:`catalog_coverage_score`.
    owners : array-like of shape (n_rows,) or (n_rows, n_owners)
        Owner of the item in each row, or another attribute of the item, of any sortable type. If an item has
        several owners, pass their shares, which must add up to 1 in each row. Owners are named by the columns
        of a frame, or by numbers.
    browsing_model : {"log2", "reciprocal", "rbp", "cascade"}, callable or None, default="log2"
        Exposure at a rank: 1 / log2(rank + 1) for "log2", 1 / rank for "reciprocal", p ** (rank - 1) for
        "rbp". For "cascade", p ** (rank - 1) is multiplied by the probability that users did not stop above,
        see `gain`. A callable maps an array of ranks to an array of exposures. If `None`, exposure is 1.
    p : float, default=None
        Probability that users continue to the next document, above 0 and below 1. If `None`, it is 0.8 for
        "rbp" and 1 for "cascade".
    gain : {"linear", "exponential"}, callable, sequence or mapping, default="linear"
        Utility of a label, as in :func:`dcg_score`. For "cascade", it also gives the probability that users
        stop, as in :func:`err_score`: label / max_grade, (2**label - 1) / 2**max_grade, or the given value.
    max_grade : float, default=None
        Highest grade of the scale, for "cascade". If `None`, the highest label in the data.
    disparate : {"treatment", "impact"}, default="treatment"
        Whether to divide exposure ("treatment") or exposure times utility ("impact") by the utility. If
        utility is the click probability of a seen document, "impact" compares expected clicks.
    log : bool, default=False
        Whether to return the logarithm of the ratio.
    ties : {"average", "order"}, default="average"
        How to rank documents with equal scores: "average" computes the exact mean over all their orderings,
        "order" keeps them in row order.
    unjudged
        As in :func:`ndcg_score`.
    sample_weight : array-like of shape (n_rows,), default=None
        Query weights. Repeat the weight of a query on each of its rows.

    Returns
    -------
    float
        Between 0 and 1, or the logarithm of such a value; higher is better. It is 1, or 0 with ``log=True``,
        if all owners get the same exposure for their utility. `nan` is returned with a warning if there is
        only one owner, or if an owner has no utility.

    Examples
    --------
    >>> from sklearn_rank.metrics import exposure_ratio_score
    >>> relevance, owners = [0.82, 0.81, 0.80, 0.79, 0.78, 0.77], ["m", "m", "m", "f", "f", "f"]
    >>> ratio = exposure_ratio_score(relevance, [6, 5, 4, 3, 2, 1], groups=[0] * 6, owners=owners)
    >>> round(ratio, 2)  # (0.39 / 0.78) / (0.71 / 0.81)
    0.57
    """
    return compute_with_inputs(EXPOSURE_RATIO, **locals())


def _count(rows: OwnedRows, *, log: bool, disparate: str = "", **options: Any) -> Counts:
    """Sum exposure by owner, and utility if an option depends on it."""
    return count_by_owner(rows.expose(bool(disparate), **options))


def _ratio(counts: Counts, *, log: bool, disparate: str = "parity", **_: object) -> float:
    """Ratio = lowest / highest over owners of exposure share / (even share or utility share)."""
    owners, ratios = counts.ids, compare_by_owner(counts)[disparate]
    undefined = np.isnan(ratios)
    if len(owners) < 2 or undefined.any():
        _warn_undefined(owners, undefined, "no utility" if disparate != "parity" else "no possible exposure")
        return np.nan
    with np.errstate(divide="ignore"):  # log(0) = -inf for an owner without exposure
        ratio = float(ratios.min() / ratios.max())
        return float(np.log(ratio)) if log else ratio


def _warn_undefined(owners: list[Ids], undefined: np.ndarray, lack: str) -> None:
    from sklearn.exceptions import UndefinedMetricWarning

    why = f"{owners[0]!r} is the only owner"
    if undefined.any():
        n_owners = f"{undefined.sum()} of {len(owners)} owners"
        why = f"{n_owners} (such as {owners[undefined.argmax()]!r}) have {lack}, or no document is shown"
    warn_user(f"{name_call()}: {why}, so nan is returned.", UndefinedMetricWarning)


EXPOSURE_PARITY = add_metric(_count, exposure_parity_score, OWNERS, conclude=_ratio)
EXPOSURE_RATIO = add_metric(_count, exposure_ratio_score, OWNERS, conclude=_ratio)


@explain_parameters
def amortized_exposure_loss(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    groups: ArrayLike,
    owners: ArrayLike,
    k: int | None = None,
    browsing_model: Browsing = "log2",
    p: float | None = None,
    gain: Gain = "linear",
    max_grade: float | None = None,
    ties: ListTieRule = "average",
    unjudged: Unjudged = "raise",
    sample_weight: ArrayLike | None = None,
) -> float:
    """Compute the difference between the exposure and the utility of owners, amortized over all queries.

    Exposure and utility are divided by their sums in each query, and are summed over all queries. The loss is
    the sum of abs(exposure - utility) over owners, divided by the number of queries.

    Source: Biega, Gummadi and Weikum, "Equity of attention: amortizing individual fairness in rankings",
    SIGIR 2018; their unfairness is this value times the number of queries.

    Parameters
    ----------
    y_true, y_score, groups, owners, k, browsing_model, p, gain, max_grade, ties, unjudged, sample_weight
        As in :func:`exposure_ratio_score`.

    Returns
    -------
    float
        Between 0 and 2: twice the share of exposure that the wrong owners get; lower is better, and the
        scorer negates it. Queries without utility or exposure are excluded. If every query is excluded, `nan`
        is returned with a warning.

    Examples
    --------
    >>> from sklearn_rank.metrics import amortized_exposure_loss
    >>> y_true, owners = [1, 1, 1, 1], ["a", "b", "a", "b"]  # two queries, the same items
    >>> amortized_exposure_loss(y_true, [2, 1, 2, 1], groups=[1, 1, 2, 2], owners=owners, k=1)  # always a
    1.0
    >>> amortized_exposure_loss(y_true, [2, 1, 1, 2], groups=[1, 1, 2, 2], owners=owners, k=1)  # in turn
    0.0
    """
    return compute_with_inputs(AMORTIZED, **locals())


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


AMORTIZED = add_metric(_count_differences, amortized_exposure_loss, OWNERS, conclude=_amortized, upper=2.0)
