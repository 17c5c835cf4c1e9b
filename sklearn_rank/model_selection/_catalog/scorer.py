"""A scorer that ranks all items for the users of a test set, and compares them with its rows."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Literal

import numpy as np
from scipy.sparse import csr_array

from ..._checks.arrays import read_numbers
from ..._checks.errors import fail
from ..._checks.options import check_choice
from ..._checks.types import Estimator, Features, Labels, Options
from ..._routing.model_calls import unwrap_model
from ...metrics import NEED_ALL, build_requests, ranking_scores, without_cautions
from .pairs import Pairs, RecordSeen, place_pairs, read_pairs
from .ranking import ANSWERS, CatalogRows, Recommender, compare, find_catalog

CELLS = 2**22  # scores of users and items that are computed at once


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
        _called_as = "catalog_scorer"
        seen = getattr(estimator, "seen_", None) if seen is None else seen
        model = unwrap_model(estimator)
        model = getattr(model, "estimator_", model) if isinstance(model, RecordSeen) else model
        if seen is None and self.seen == "exclude":
            fix = "With scikit-learn's functions, fit RecordSeen(model) instead of model. The functions of "
            fix += "the same name in sklearn_rank record these pairs if groups= is passed."
            fail("seen", "be 'include' if the training pairs are unknown", "'exclude'", fix)
        rows = self._list_rows(model, X, y, seen)
        options = {"zero_division": np.nan, **self.options}
        with without_cautions():  # they concern rows, and these are the top of all items
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
        catalog = find_catalog(model, seen)
        users = np.arange(len(held_out.users))
        known = users if seen is None else np.flatnonzero(np.isin(held_out.users, seen.users))
        users = known if self.new_users == "exclude" else users
        wanted = place_pairs(held_out, labels, held_out.users, catalog)
        hidden = None
        if seen is not None and self.seen == "exclude":
            hidden = place_pairs(seen, np.ones(len(seen.user_codes)), held_out.users, catalog)
            repeated = csr_array(wanted.matrix.multiply(hidden.matrix != 0))
            wanted = wanted._replace(matrix=csr_array(wanted.matrix - repeated))
            wanted.matrix.eliminate_zeros()
        k = max(read_cutoff(name) for name in self.names)
        recommender = Recommender(model, self.columns, self.response_method, catalog)
        parts = []
        step = max(1, CELLS // max(1, len(catalog)))
        for first in range(0, len(users), step):
            chosen = users[first : first + step]
            matrix = None if hidden is None else hidden.matrix[chosen]
            rows, columns, scores = recommender.rank(held_out.users[chosen], matrix, k)
            parts.append((chosen[rows], columns, scores))
        return compare(parts, wanted, held_out.users, catalog, users)


def read_cutoff(name: str) -> int:
    """Return the cutoff in the name of a metric."""
    (request,) = build_requests([name], {}, tables=True)
    k = request.params.get("k")
    if k is None:
        fail("metrics", "have a cutoff", repr(name), f"For example, pass {request.metric.stem}@10.")
    if request.metric.stem in NEED_ALL:
        fail("metrics", "be computed from the top k of the items", repr(name), "For example, pass ndcg@10.")
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
        read_cutoff(name)
    build_requests(names, options, tables=True)
    kept = metrics if isinstance(metrics, str) else names
    return CatalogScorer(kept, user, item, seen, new_users, response_method, options)
