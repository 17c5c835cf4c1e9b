"""What each owner gets beside what it deserves: the table under all ratios."""

from __future__ import annotations

import numpy as np

from ..._checks.errors import fail
from ..._checks.types import ArrayLike, Browsing, Gain, ListTieRule, Unjudged
from .._counts import Counts
from .._requests import Given
from .._table import Tables
from .rows import Exposed, OwnedRows, check_exposure_options


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
    function = "exposure_by_owner"
    options = {
        "k": k,
        "browsing": browsing,
        "p": p,
        "gain": gain,
        "max_grade": max_grade,
        "ties": ties,
        "unjudged": unjudged,
    }
    checked = check_exposure_options(function, options)
    rows = OwnedRows(function, Given(y_true, y_score, groups, sample_weight), Tables(owners=owners))
    exposed = rows.expose(y_true is not None, **checked)
    owners = exposed.owners
    columns = {"owner": owners.names, "n_rows": owners.sum(exposed.counted)}
    columns |= compare_by_owner(count_by_owner(exposed))
    if exposed.weights is not None:  # which are scaled
        columns |= _unscale(
            columns, np.asarray(sample_weight, dtype=np.float64).max() / exposed.weights.max()
        )
    return columns


def _unscale(columns: dict[str, np.ndarray], scale: float) -> dict[str, np.ndarray]:
    """Return the sums by the weights that were given."""
    with np.errstate(over="ignore"):
        sums: dict[str, np.ndarray] = {
            name: scale * columns[name] for name in ("exposure", "utility") if name in columns
        }
    if not all(np.isfinite(values).all() for values in sums.values()):
        fail(
            "sample_weight",
            "exposure_by_owner",
            "keep the sums of exposure and utility finite",
            f"up to {scale:g}",
        )
    return sums


def count_by_owner(exposed: Exposed) -> Counts:
    """Sum up by owner, over all queries."""
    of_rows = {"exposure": exposed.exposure, "even": exposed.even}
    if exposed.utility is not None:
        of_rows |= {"utility": exposed.utility, "impact": exposed.exposure * exposed.utility}
    return exposed.add_up(of_rows)


def compare_by_owner(counts: Counts) -> dict[str, np.ndarray]:
    """Divide sums over all queries."""
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
    """Divide; nan where there is nothing to divide by."""
    with np.errstate(over="ignore"):  # by a share too small for what is divided
        return np.divide(above, below, out=np.full(len(above), np.nan), where=below > 0)
