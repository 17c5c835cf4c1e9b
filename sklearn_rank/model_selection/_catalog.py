"""Scores of recommenders: the top k of all items for the users of a test set, compared with their rows."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Literal, NamedTuple, Self

import numpy as np
from scipy.sparse import csr_array
from sklearn.base import BaseEstimator, MetaEstimatorMixin, clone
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from .._checks.arrays import read_numbers
from .._checks.codes import first_rows, rank_ids
from .._checks.containers import column_names, count_rows, has_column
from .._checks.errors import fail, is_int
from .._checks.groups import check_groups, take_ids
from .._checks.options import check_choice
from .._checks.types import Estimator, Features, Labels, Options, Scores
from .._routing.model_calls import unwrap_model
from ..metrics import build_requests, ranking_scores

ANSWERS = ("score_items", "recommend", "predict")  # methods of recommenders, the preferred one first
CELLS = 2**22  # scores of users and items that are computed at once


class Pairs(NamedTuple):
    """Pairs of users and items: sorted ids, and the codes of each pair."""

    users: np.ndarray
    items: np.ndarray
    user_codes: np.ndarray
    item_codes: np.ndarray


def read_pairs(X: Features, user: str | int, item: str | int) -> Pairs:
    """Read the user and the item of each row from two columns."""
    ids, codes = [], []
    for parameter, name in (("user", user), ("item", item)):
        column = _take_column(X, name, parameter)
        found = rank_ids(check_groups(column, count_rows(X), parameter))
        codes.append(found)
        ids.append(take_ids(column, first_rows(found)))
    return Pairs(ids[0], ids[1], codes[0], codes[1])


def _take_column(X: Features, name: str | int, parameter: str) -> Any:
    """Return a column of a frame by name, or of an array by number."""
    if column_names(X) is None:
        if not is_int(name) or not 0 <= name < np.shape(X)[1]:
            fail(parameter, "be the number of a column of X, which has no column names", repr(name))
        return np.asarray(X)[:, name]
    if not has_column(X, str(name)):
        fail(parameter, "be the name of a column of X", repr(name))
    return X[name]


class RecordSeen(MetaEstimatorMixin, BaseEstimator):
    """A recommender that records the pairs of users and items that it is fitted on.

    With scikit-learn's own functions, a scorer receives only the fitted model and the test rows, so
    `catalog_scorer` reads the training pairs from this model. The functions of this package record them.

    Parameters
    ----------
    estimator : object
        The recommender.
    user, item : str or int, default="user" and "item"
        Columns of X that contain the user and the item: names, or numbers for an array.

    Attributes
    ----------
    estimator_ : object
        The fitted recommender.
    seen_ : Pairs
        The training pairs.

    Examples
    --------
    >>> from sklearn_rank.model_selection import RecordSeen
    >>> RecordSeen("a recommender")
    RecordSeen(estimator='a recommender')
    """

    def __init__(self, estimator: Estimator, *, user: str | int = "user", item: str | int = "item"):
        self.estimator = estimator
        self.user = user
        self.item = item

    def fit(self, X: Features, y: Labels = None, **params: object) -> Self:
        """Fit the recommender, and record the pairs.

        Parameters
        ----------
        X : frame or array of shape (n_rows, n_columns)
            The user, the item and other columns of each interaction.
        y : array-like of shape (n_rows,), default=None
            Labels, such as ratings.
        **params
            Arguments of the recommender's `fit`.

        Returns
        -------
        RecordSeen
            This model.
        """
        self.seen_ = read_pairs(X, self.user, self.item)
        self.estimator_ = clone(self.estimator).fit(X, y, **params)
        return self

    @available_if(lambda self: hasattr(self.estimator, "predict"))  # type: ignore[untyped-decorator]
    def predict(self, X: Features) -> Scores:
        """Predict with the recommender.

        Parameters
        ----------
        X : frame or array of shape (n_rows, n_columns)
            Pairs of users and items.

        Returns
        -------
        ndarray
            Predictions of the recommender.
        """
        check_is_fitted(self)
        return self.estimator_.predict(X)


class CatalogScorer:
    """Score a recommender by its top k of all items; made by `catalog_scorer`."""

    def __init__(
        self,
        metrics: Any,
        user: str | int,
        item: str | int,
        seen: str,
        new_users: str,
        response_method: str,
        options: Options,
    ):
        self.metrics, self.user, self.item = metrics, user, item
        self.seen, self.new_users, self.response_method = seen, new_users, response_method
        self.options = options

    def __repr__(self) -> str:
        usual = {"user": "user", "item": "item", "seen": "exclude", "new_users": "include"}
        given = {name: getattr(self, name) for name in (*usual, "response_method")} | self.options
        changed = [f"{key}={value!r}" for key, value in given.items() if usual.get(key, "auto") != value]
        return f"catalog_scorer({', '.join([repr(self.metrics), *changed])})"

    @property
    def names(self) -> list[str]:
        """Return the names of the metrics as a list."""
        return [self.metrics] if isinstance(self.metrics, str) else list(self.metrics)

    @property
    def needs_items(self) -> bool:
        """Return whether a metric is computed from the items of lists."""
        requests = build_requests(self.names, {}, tables=True)
        return any("items" in request.metric.needs for request in requests)

    @property
    def columns(self) -> tuple[str | int, str | int]:
        """Return the columns of users and items."""
        return self.user, self.item

    def __call__(
        self, estimator: Estimator, X: Features, y: Labels = None, *, seen: Pairs | None = None
    ) -> float | dict[str, float]:
        """Score a fitted recommender on held-out interactions.

        Parameters
        ----------
        estimator : object
            A fitted recommender.
        X : frame or array of shape (n_rows, n_columns)
            Held-out interactions.
        y : array-like of shape (n_rows,), default=None
            Labels of the interactions. If `None`, they are 1.
        seen : Pairs, default=None
            The training pairs. If `None`, those that :class:`RecordSeen` has recorded.

        Returns
        -------
        float or dict of str to float
            One value, or one per name if the scorer has several metrics.
        """
        seen = getattr(estimator, "seen_", None) if seen is None else seen
        model = unwrap_model(estimator)
        model = getattr(model, "estimator_", model) if isinstance(model, RecordSeen) else model
        if seen is None and self.seen == "exclude":
            fix = "With scikit-learn's functions, fit RecordSeen(model) instead of model. The functions of "
            fix += "the same name in sklearn_rank record these pairs if groups= is passed."
            fail("seen", "be 'include' if the training pairs are unknown", "'exclude'", fix)
        rows = self._list_rows(model, X, y, seen)
        options = {"zero_division": np.nan, **self.options}
        found = ranking_scores(
            rows.labels,
            rows.scores,
            groups=rows.users,
            metrics=self.names,
            items=rows.items if self.needs_items else None,
            **options,
        )
        return float(found[self.metrics]) if isinstance(self.metrics, str) else found

    def _list_rows(self, model: Estimator, X: Features, y: Labels, seen: Pairs | None) -> CatalogRows:
        """Rank all items for the users of the rows, and compare them with the rows."""
        held_out = read_pairs(X, self.user, self.item)
        labels = np.ones(len(held_out.user_codes)) if y is None else read_numbers(y, "y").astype(np.float64)
        catalog = _find_catalog(model, seen)
        users = np.arange(len(held_out.users))
        known = users if seen is None else np.flatnonzero(np.isin(held_out.users, seen.users))
        users = known if self.new_users == "exclude" else users
        wanted = _place_pairs(held_out, labels, held_out.users, catalog)
        hidden = None
        if seen is not None and self.seen == "exclude":
            hidden = _place_pairs(seen, np.ones(len(seen.user_codes)), held_out.users, catalog)
            repeated = csr_array(wanted.matrix.multiply(hidden.matrix != 0))
            wanted = wanted._replace(matrix=csr_array(wanted.matrix - repeated))
            wanted.matrix.eliminate_zeros()
        k = max(_cutoff(name) for name in self.names)
        parts = []
        step = max(1, CELLS // max(1, len(catalog)))
        for first in range(0, len(users), step):
            chosen = users[first : first + step]
            matrix = None if hidden is None else hidden.matrix[chosen]
            parts.append(_rank_users(self, model, held_out.users[chosen], catalog, matrix, k, chosen))
        return _compare(parts, wanted, held_out.users, catalog, users)


class CatalogRows(NamedTuple):
    """The top items of each user, and held-out items that are not among them, with the score -inf."""

    labels: np.ndarray
    scores: np.ndarray
    users: np.ndarray
    items: np.ndarray


class Placed(NamedTuple):
    """Labels by user and catalog item, and labels of items outside the catalog by user."""

    matrix: csr_array
    outside_users: np.ndarray
    outside_labels: np.ndarray


def _find_catalog(model: Estimator, seen: Pairs | None) -> np.ndarray:
    """Return the ids of all items: those of the model, or those of the training pairs."""
    items = getattr(model, "items_", None)
    if items is None:
        if seen is None:
            got = f"{type(model).__name__} without it"
            fail("estimator", "have the attribute items_, the ids of all items", got)
        return seen.items
    return np.asarray(items)


def _place_pairs(pairs: Pairs, labels: np.ndarray, users: np.ndarray, catalog: np.ndarray) -> Placed:
    """Place labels of pairs by user and catalog item; of repeated pairs, the highest label counts."""
    user_places, item_places = _locate(pairs.users, users), _locate(pairs.items, catalog)
    rows, columns = user_places[pairs.user_codes], item_places[pairs.item_codes]
    is_inside = (rows >= 0) & (columns >= 0)
    keys, values = rows[is_inside] * np.int64(len(catalog)) + columns[is_inside], labels[is_inside]
    order = np.lexsort((values, keys))
    keys, values = keys[order], values[order]
    last = np.append(keys[1:] != keys[:-1], True) if len(keys) else np.empty(0, dtype=bool)
    places = np.divmod(keys[last], len(catalog))
    matrix = csr_array((values[last], places), shape=(len(users), len(catalog)))
    outside = (rows >= 0) & (columns < 0)
    return Placed(matrix, *_keep_highest(rows[outside], pairs.item_codes[outside], labels[outside]))


def _keep_highest(users: np.ndarray, items: np.ndarray, labels: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return user and label of each different pair; of repeated pairs, the highest label counts."""
    order = np.lexsort((labels, items, users))
    users, items, labels = users[order], items[order], labels[order]
    last = np.ones(len(users), dtype=bool)
    last[:-1] = (users[1:] != users[:-1]) | (items[1:] != items[:-1])
    return users[last], labels[last]


def _locate(ids: np.ndarray, among: np.ndarray) -> np.ndarray:
    """Return the position of each id among others, or -1."""
    places = {key: place for place, key in enumerate(among.tolist())}
    return np.array([places.get(key, -1) for key in ids.tolist()], dtype=np.int64)


def _rank_users(
    scorer: CatalogScorer,
    model: Estimator,
    users: np.ndarray,
    catalog: np.ndarray,
    hidden: Any,
    k: int,
    numbers: np.ndarray,
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the user number, catalog position and score of the top k of each user, with ties at the end."""
    requested = scorer.response_method
    methods = [name for name in ANSWERS if requested in ("auto", name) and hasattr(model, name)]
    if not methods:
        rule = f"have one of the methods {', '.join(ANSWERS if requested == 'auto' else [requested])}"
        fail("estimator", rule, type(model).__name__)
    if methods[0] == "recommend":
        return _read_lists(model, users, catalog, hidden, k, numbers)
    if methods[0] == "score_items":
        scores = np.array(model.score_items(users), dtype=np.float64)
    else:
        scores = _predict_pairs(scorer, model, users, catalog)
    if scores.shape != (len(users), len(catalog)):
        fail("estimator", f"return scores of shape {(len(users), len(catalog))}", f"shape {scores.shape}")
    if np.isnan(scores).any():
        fail("estimator", "return scores without NaN", f"{np.isnan(scores).sum()} NaN")
    if hidden is not None:
        scores[hidden.nonzero()] = -np.inf
    lowest = np.full((len(users), 1), -np.inf)
    if k < len(catalog):
        lowest = np.partition(scores, len(catalog) - k, axis=1)[:, [len(catalog) - k]]
    rows, columns = np.nonzero((scores >= lowest) & (scores > -np.inf))
    return numbers[rows], columns, scores[rows, columns]


def _predict_pairs(
    scorer: CatalogScorer, model: Estimator, users: np.ndarray, catalog: np.ndarray
) -> np.ndarray:
    """Predict all pairs of users and items."""
    columns = {scorer.user: np.repeat(users, len(catalog)), scorer.item: np.tile(catalog, len(users))}
    if all(map(is_int, columns)):
        X: Any = np.column_stack([columns[name] for name in sorted(columns)])
    else:
        import pandas

        X = pandas.DataFrame(columns)
    return np.array(model.predict(X), dtype=np.float64).reshape(len(users), len(catalog))


def _read_lists(
    model: Estimator, users: np.ndarray, catalog: np.ndarray, hidden: Any, k: int, numbers: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Read the lists of `recommend`, which are longer by the number of hidden items."""
    n_hidden = 0 if hidden is None else int(np.diff(hidden.indptr).max(initial=0))
    items, scores = (np.asarray(each) for each in model.recommend(users, min(k + n_hidden, len(catalog))))
    scores = scores.astype(np.float64)
    rows, places = np.nonzero(np.isfinite(scores))
    columns = _locate(items[rows, places], catalog)
    if (columns < 0).any():
        fail("estimator", "recommend items of items_", repr(items[rows, places][columns < 0][0]))
    scores = scores[rows, places]
    if hidden is not None:
        new = np.asarray(hidden[rows, columns]).ravel() == 0
        rows, columns, scores = rows[new], columns[new], scores[new]
    return numbers[rows], columns, scores


def _compare(
    parts: list[Any], wanted: Placed, users: np.ndarray, catalog: np.ndarray, asked: np.ndarray
) -> CatalogRows:
    """Return the listed items with their labels, and the other held-out items with the score -inf."""
    rows, columns, scores = (np.concatenate(each) for each in zip(*parts))
    matrix, width = wanted.matrix[asked].tocoo(), np.int64(len(catalog))
    keys, wanted_keys = rows * width + columns, asked[matrix.row] * width + matrix.col
    order = np.argsort(wanted_keys)
    wanted_keys, values = wanted_keys[order], matrix.data[order]
    places = np.searchsorted(wanted_keys, keys)
    is_wanted = np.append(wanted_keys, -1)[places] == keys
    labels = np.where(is_wanted, np.append(values, 0.0)[places], 0.0)
    lost = ~np.isin(wanted_keys, keys)
    outside = np.isin(wanted.outside_users, asked)
    others = np.concatenate((wanted_keys[lost] // width, wanted.outside_users[outside]))
    all_labels = np.concatenate((labels, values[lost], wanted.outside_labels[outside]))
    items = np.concatenate((columns, wanted_keys[lost] % width, np.zeros(outside.sum(), dtype=np.int64)))
    all_scores = np.concatenate((scores, np.full(len(others), -np.inf)))
    return CatalogRows(all_labels, all_scores, users[np.concatenate((rows, others))], catalog[items])


def _cutoff(name: str) -> int:
    """Return the cutoff in the name of a metric."""
    (request,) = build_requests([name], {}, tables=True)
    k = request.params.get("k")
    if k is None:
        fail("metrics", "have a cutoff, as ndcg@10", repr(name))
    return int(k)


def catalog_scorer(
    metrics: str | Iterable[str],
    *,
    user: str | int = "user",
    item: str | int = "item",
    seen: Literal["exclude", "include"] = "exclude",
    new_users: Literal["include", "exclude"] = "include",
    response_method: Literal["auto", "score_items", "recommend", "predict"] = "auto",
    **options: object,
) -> CatalogScorer:
    """Make a scorer that ranks all items for the users of a test set, and compares them with its rows.

    Rows of X are interactions of users and items. Test sets of interactions contain only relevant items, so
    that every ranking of their rows is perfect; this scorer ranks all items instead.

    Parameters
    ----------
    metrics : str or iterable of str
        Names with a cutoff, such as ``"ndcg@10"``, ``["recall@20", "catalog_coverage@10"]``.
    user, item : str or int, default="user" and "item"
        Columns of X that contain the user and the item: names, or numbers for an array.
    seen : {"exclude", "include"}, default="exclude"
        Whether pairs of the training set can be recommended. If "exclude", they are removed from the lists
        and from the held-out items. Use "include" for repeated purchases.
    new_users : {"include", "exclude"}, default="include"
        Whether to score users who are not in the training set.
    response_method : {"auto", "score_items", "recommend", "predict"}, default="auto"
        Method of the model: ``score_items(users)`` returns scores of shape (n_users, n_items) of the items in
        the attribute `items_`; ``recommend(users, k)`` returns items and scores of shape (n_users, k);
        ``predict(X)`` predicts all pairs of users and items. If "auto", the first one that exists.
    **options
        Options of :func:`ranking_scores`. The default of `zero_division` is nan here: users without a
        held-out item that could be recommended are excluded from the mean.

    Returns
    -------
    CatalogScorer
        A callable ``scorer(estimator, X, y)`` that returns a float, or a dict of floats for several metrics.

    Raises
    ------
    ValueError
        If a metric has no cutoff, or if an option is invalid.

    Examples
    --------
    >>> from sklearn_rank.model_selection import catalog_scorer
    >>> catalog_scorer("ndcg@10")
    catalog_scorer('ndcg@10')
    """
    names = [metrics] if isinstance(metrics, str) else list(metrics)
    check_choice("seen", seen, ("exclude", "include"))
    check_choice("new_users", new_users, ("include", "exclude"))
    check_choice("response_method", response_method, ("auto", *ANSWERS))
    for name in names:
        _cutoff(name)
    build_requests(names, options, tables=True)
    kept = metrics if isinstance(metrics, str) else names
    return CatalogScorer(kept, user, item, seen, new_users, response_method, options)
