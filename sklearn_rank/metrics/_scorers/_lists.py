"""Scorers of what the top-k lists look like: from features in X, or from item ids that travel in the data."""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from sklearn.metrics import make_scorer

from ..._data import column_names, resolve_groups
from ..._options import check_choice, check_options
from ..._validation import fail, is_int, read_array
from .._diversity import check_similarity, intra_list_similarity_score
from .._items import catalog_coverage_score, check_popularity, exposure_gini_score, novelty_score
from ._base import GroupedScorer, check_origins, keep_changed


class ListMetric(NamedTuple):
    """One row of the table of list metrics."""

    function: Callable[..., Any]
    factory: str
    of_items: bool  # reads item ids, else features
    sign: int = 1
    takes_weights: bool = False


LISTS = {
    "intra_list_similarity": ListMetric(
        intra_list_similarity_score, "neg_intra_list_similarity_scorer", False, sign=-1, takes_weights=True
    ),
    "catalog_coverage": ListMetric(catalog_coverage_score, "catalog_coverage_scorer", True),
    "exposure_gini": ListMetric(exposure_gini_score, "neg_exposure_gini_scorer", True, sign=-1),
    "novelty": ListMetric(novelty_score, "novelty_scorer", True, takes_weights=True),
}


class ListScorer(GroupedScorer):
    """Score a fitted model by what its top-k lists look like; made by `novelty_scorer` and its kin.

    Parameters
    ----------
    metric : str
        "intra_list_similarity", "catalog_coverage", "exposure_gini" or "novelty".
    origin : str, list or None
        Where item ids are, by name, or which columns of X are features; None for all of X.
    options : dict, default=None
        Keyword arguments of the metric function.
    groups : str, default=None
        Name of an index level of X or y, or of a column of X, that holds the query ids.
    response_method : str or tuple of str, default="auto"
        Methods of the model to ask, the first that it has; "auto" as in :class:`RankingScorer`.
    score_request : dict, default=None
        What metadata routing should deliver, as set by `set_score_request`.
    """

    def __init__(
        self,
        metric: str,
        origin: Any,
        options: dict[str, Any] | None = None,
        groups: str | None = None,
        response_method: Any = "auto",
        score_request: dict[str, Any] | None = None,
    ):
        self.metric = metric
        self.origin = origin
        self.options = options
        self.groups = groups
        self.response_method = response_method
        self.score_request = score_request

    def describe(self, **changed: Any) -> str:
        """Return the call of the factory that makes this scorer."""
        row = LISTS[self.metric]
        origin = {} if self.origin is None else {"items" if row.of_items else "columns": self.origin}
        return self.spell(row.factory, "", origin | (self.options or {}), "auto", changed)

    def _score(self, estimator: Any, X: Any, y_true: Any, groups: Any, sample_weight: Any) -> float:
        """Ask the model and compute the metric of its lists."""
        row = LISTS[self.metric]
        if sample_weight is not None and not row.takes_weights:
            raise TypeError(f"{self.describe()} takes no 'sample_weight': it is no mean over queries.")
        if row.of_items:
            content = resolve_groups(self.origin, X, y_true, self.describe(), "items")
        else:
            content = self._take_features(X)
        options = dict(self.options or {})
        if row.takes_weights:
            options["sample_weight"] = sample_weight

        def compute(y_true: Any, y_score: Any) -> Any:
            return row.function(content, y_score, groups=groups, **options)

        model, response_method = self.choose_response(estimator)
        scorer = make_scorer(compute, response_method=response_method, greater_is_better=row.sign > 0)
        return float(scorer(model, X, y_true))

    def _take_features(self, X: Any) -> Any:
        """Return the named columns of a frame or the numbered ones of an array; all but the ids for None."""
        names = column_names(X)
        if names is None:
            return X if self.origin is None else self._take_numbered(X)
        columns = [name for name in names if name != self.groups] if self.origin is None else self.origin
        missing = [name for name in columns if name not in list(names)]
        if missing:
            fail("columns", self.describe(), "name columns of X", repr(missing[0]))
        if not len(columns):
            fail("X", self.describe(), "have a column of features beside the ids", "none")
        return np.column_stack([np.asarray(X[name]) for name in columns])

    def _take_numbered(self, X: Any) -> np.ndarray:
        """Return the numbered columns of an array."""
        try:
            return read_array(X, "X", self.describe(), "be a matrix")[:, self.origin]
        except IndexError as error:
            fail("columns", self.describe(), "number columns of X", f"{self.origin!r} ({error})")


def _are_columns(origin: Any) -> bool:
    """Tell whether these may be columns: a list, or an array, of names or numbers."""
    is_list = isinstance(origin, list | tuple) or (isinstance(origin, np.ndarray) and origin.ndim == 1)
    return (
        is_list and len(origin) > 0 and all(is_int(name) or isinstance(name, str | tuple) for name in origin)
    )


def _build(
    metric: str, origin: Any, options: dict[str, Any], groups: Any, response_method: Any
) -> ListScorer:
    """Check everything now, as an error raised inside cross-validation becomes nan."""
    row = LISTS[metric]
    checked = ("k", "average", "zero_division", "discount")
    known = {name: options[name] for name in checked if name in options}
    check_options(row.factory, **known)
    if options["k"] is None:
        fail("k", row.factory, "be an int >= 1", None)
    check_choice("ties", options["ties"], ("average", "order"), row.factory)
    check_choice("average", options.get("average", "macro"), ("macro", "weighted"), row.factory)
    if row.of_items and not (isinstance(origin, str) and origin):
        fail("items", row.factory, "name an index level of X or y, or a column of X", repr(origin))
    if not (row.of_items or origin is None or _are_columns(origin)):
        fail("columns", row.factory, "be a list of columns of X, names or numbers, or None", repr(origin))
    if "popularity" in options:
        check_popularity(options["popularity"], row.factory)
    if is_int(options.get("catalog")) and options["catalog"] < 1:
        fail("catalog", row.factory, "be an int >= 1, item ids or None", options["catalog"])
    check_origins(groups, response_method, row.factory)
    return ListScorer(metric, origin, keep_changed(options, row.function), groups, response_method)


def neg_intra_list_similarity_scorer(
    *,
    k: int,
    columns: Any = None,
    similarity: Any = "cosine",
    ties: str = "average",
    zero_division: float = np.nan,
    average: str = "macro",
    groups: str | None = None,
    response_method: Any = "auto",
) -> ListScorer:
    """Make a scorer of the similarity inside the top `k`, negated: higher is more diverse.

    Parameters
    ----------
    k : int
        Cutoff >= 1.
    columns : list, default=None
        The columns of X that are features of the item: names of a frame, numbers of an array; None for all.
    similarity, ties, zero_division, average
        As in :func:`intra_list_similarity_score`; `average` may not be None.
    groups, response_method
        Where query ids travel in the data, and how the model answers: see :class:`ListScorer`.

    Returns
    -------
    ListScorer
        A callable ``scorer(estimator, X, y, groups=qid)`` that returns a float.

    Examples
    --------
    >>> from sklearn_rank import neg_intra_list_similarity_scorer
    >>> neg_intra_list_similarity_scorer(k=10, columns=["genre", "year"]).describe()
    "neg_intra_list_similarity_scorer(columns=['genre', 'year'], k=10)"
    """
    options = {
        "k": k,
        "similarity": similarity,
        "ties": ties,
        "zero_division": zero_division,
        "average": average,
    }
    check_similarity(similarity, "neg_intra_list_similarity_scorer")
    return _build("intra_list_similarity", columns, options, groups, response_method)


def catalog_coverage_scorer(
    *,
    k: int,
    items: str,
    catalog: Any = None,
    ties: str = "average",
    groups: str | None = None,
    response_method: Any = "auto",
) -> ListScorer:
    """Make a scorer of the share of the catalog that is in at least one top `k`.

    Parameters
    ----------
    k : int
        Cutoff >= 1.
    items : str
        Name of an index level of X or y, or of a column of X, that holds the item ids.
    catalog, ties
        As in :func:`catalog_coverage_score`.
    groups, response_method
        Where query ids travel in the data, and how the model answers: see :class:`ListScorer`.

    Returns
    -------
    ListScorer
        A callable ``scorer(estimator, X, y, groups=qid)`` that returns a float; higher is more varied.

    Examples
    --------
    >>> from sklearn_rank import catalog_coverage_scorer
    >>> catalog_coverage_scorer(k=10, items="item").describe()
    "catalog_coverage_scorer(items='item', k=10)"
    """
    options = {"k": k, "catalog": catalog, "ties": ties}
    return _build("catalog_coverage", items, options, groups, response_method)


def neg_exposure_gini_scorer(
    *,
    k: int,
    items: str,
    catalog: Any = None,
    discount: Any = None,
    ties: str = "average",
    groups: str | None = None,
    response_method: Any = "auto",
) -> ListScorer:
    """Make a scorer of the Gini coefficient of how often items are shown, negated: higher is more even.

    Parameters
    ----------
    k : int
        Cutoff >= 1.
    items : str
        Name of an index level of X or y, or of a column of X, that holds the item ids.
    catalog, discount, ties
        As in :func:`exposure_gini_score`.
    groups, response_method
        Where query ids travel in the data, and how the model answers: see :class:`ListScorer`.

    Returns
    -------
    ListScorer
        A callable ``scorer(estimator, X, y, groups=qid)`` that returns a float.

    Examples
    --------
    >>> from sklearn_rank import neg_exposure_gini_scorer
    >>> neg_exposure_gini_scorer(k=10, items="item").describe()
    "neg_exposure_gini_scorer(items='item', k=10)"
    """
    options = {"k": k, "catalog": catalog, "discount": discount, "ties": ties}
    return _build("exposure_gini", items, options, groups, response_method)


def novelty_scorer(
    *,
    k: int,
    items: str,
    popularity: Any,
    ties: str = "average",
    zero_division: float = np.nan,
    average: str = "macro",
    groups: str | None = None,
    response_method: Any = "auto",
) -> ListScorer:
    """Make a scorer of the mean self-information of the items in the top `k`.

    Parameters
    ----------
    k : int
        Cutoff >= 1.
    items : str
        Name of an index level of X or y, or of a column of X, that holds the item ids.
    popularity, ties, zero_division, average
        As in :func:`novelty_score`; `average` may not be None.
    groups, response_method
        Where query ids travel in the data, and how the model answers: see :class:`ListScorer`.

    Returns
    -------
    ListScorer
        A callable ``scorer(estimator, X, y, groups=qid)`` that returns a float; higher is less well known.

    Examples
    --------
    >>> from sklearn_rank import novelty_scorer
    >>> novelty_scorer(k=10, items="item", popularity={"a": 0.5}).describe()
    "novelty_scorer(items='item', k=10, popularity={'a': 0.5})"
    """
    options = {
        "k": k,
        "popularity": popularity,
        "ties": ties,
        "zero_division": zero_division,
        "average": average,
    }
    return _build("novelty", items, options, groups, response_method)
