"""A scorer that ranks all items for the users of a test set, and compares them with its rows."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Literal

import numpy as np

from ..._checks.arrays import flatten, read_list, read_numbers
from ..._checks.containers import check_same_order
from ..._checks.errors import fail
from ..._checks.groups import number_ids
from ..._checks.options import check_choice
from ..._checks.types import Estimator, Features, Labels, Options
from ..._rows.bound import unwrap
from ...metrics import NEED_ALL, build_requests, ranking_scores, without_cautions
from .seen_pairs import Pairs, RecordSeen, check_kind, find_repeats, locate, place_pairs, read_pairs
from .top_items import ANSWERS, CatalogRows, Recommender, compare, find_catalog

CELLS = 2**22  # scores of users and items that are computed at once
MOST_TIED = 10**7  # items that are tied with the last of the top k of all users


class CatalogScorer:
    """Score a recommender by its top k of all items; made by `catalog_scorer`."""

    def __init__(
        self,
        metrics: str | Sequence[str],
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
        self.__name__ = ", ".join(self.names)

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
    def plain_names(self) -> list[str]:
        """Return the names of the metrics of labels and scores, which have a value per user."""
        return [each for each in self.names if not build_requests([each], {}, tables=True)[0].metric.needs]

    @property
    def shared_options(self) -> Options:
        """Return the options of all metrics, with the defaults of these scorers."""
        return {"zero_division": np.nan} | {k: v for k, v in self.options.items() if k != "popularity"}

    @property
    def columns(self) -> tuple[str | int, str | int]:
        """Return the columns of users and items."""
        return self.user, self.item

    def __call__(
        self, estimator: Estimator, X: Features, y: Labels = None, *, seen: Pairs | None = None
    ) -> float | dict[str, float]:
        """Score a fitted recommender on held-out interactions; without `y`, their labels are 1.

        `seen` are the training pairs. If `None`, those that :class:`RecordSeen` has recorded.
        """
        _called_as = "catalog_scorer"
        seen = getattr(estimator, "seen_", None) if seen is None else seen
        if seen is None and self.seen == "exclude":
            fix = "With scikit-learn's functions, fit RecordSeen(model) instead of model. The functions of "
            fix += "the same name in sklearn_rank record these pairs if groups= is passed."
            fail("seen", "be 'include' if the training pairs are unknown", "'exclude'", fix)
        if isinstance(estimator, RecordSeen) and (estimator.user, estimator.item) != self.columns:
            got = f"{self.columns}, and {(estimator.user, estimator.item)} in RecordSeen,"
            fail("user", "be the same column, as 'item', in RecordSeen and the scorer", got)
        found = self._compute(self.list_rows(estimator, X, y, seen))
        return found[self.metrics] if isinstance(self.metrics, str) else found

    def _compute(self, rows: CatalogRows) -> dict[str, float]:
        """Compute the metrics: those of lists from the top items, the others from all rows."""
        plain, shared = self.plain_names, self.shared_options
        list_metrics = [name for name in self.names if name not in plain]
        found: Options = {}
        with without_cautions():  # they concern rows, and these are the top of all items
            if plain:
                labels, scores, users = self.keep_open(rows)
                found = dict(ranking_scores(labels, scores, groups=users, metrics=plain, **shared))
            if list_metrics:
                top = slice(len(rows.items))
                names = {_name_catalog(name, rows.n_items): name for name in list_metrics}
                needed: Options = {"items": rows.items, "popularity": self.options.get("popularity")}
                labels, scores = rows.labels[top], rows.scores[top]
                values = ranking_scores(
                    labels, scores, groups=rows.users[top], metrics=list(names), **needed, **shared
                )
                found |= {names[name]: value for name, value in values.items()}
        return {name: float(found[name]) for name in self.names}

    def keep_open(self, rows: CatalogRows) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return labels, scores and users for metrics of labels, without users of repeated pairs only."""
        value = self.shared_options["zero_division"]
        if value is None or not np.isnan(value):
            return rows[:3]
        if not rows.is_open.any():
            fail("X", "contain a pair that is not in the training set", "only repeated pairs")
        return rows.labels[rows.is_open], rows.scores[rows.is_open], rows.users[rows.is_open]

    def list_rows(self, model: Estimator, X: Features, y: Labels, seen: Pairs | None) -> CatalogRows:
        """Rank all items for the users of the rows, and compare them with the rows."""
        _called_as = "catalog_scorer"
        check_same_order(X=X, y=y)
        model = unwrap(model)
        model = getattr(model, "estimator_", model) if isinstance(model, RecordSeen) else model
        held_out = read_pairs(X, self.user, self.item)
        n_rows = len(held_out.user_codes)
        labels = np.ones(n_rows) if y is None else flatten(read_numbers(y, "y")).astype(np.float64)
        if labels.shape != (n_rows,):
            fail("y", f"have one label per row of X ({n_rows} rows)", f"shape {labels.shape}")
        catalog = find_catalog(model, seen)
        check_kind("item", held_out.items, catalog, "in the catalog")
        users = np.arange(len(held_out.users))
        hidden, counts = None, dict.fromkeys(("n_repeats", "n_new_users"), 0)
        if seen is not None:
            check_kind("user", held_out.users, seen.users, "in the training set")
            is_known = locate(held_out.users, seen.users) >= 0
            users = np.flatnonzero(is_known) if self.new_users == "exclude" else users
            counts["n_new_users"] = int((~is_known).sum())
        if seen is not None and self.seen == "exclude":
            hidden = place_pairs(seen, np.ones(len(seen.user_codes)), held_out.users, catalog)
            new = ~find_repeats(held_out, seen)
            codes = held_out.user_codes[new], held_out.item_codes[new]
            held_out = held_out._replace(user_codes=codes[0], item_codes=codes[1])
            labels = labels[new]
            counts["n_repeats"] = int((~new).sum())
        wanted = place_pairs(held_out, labels, held_out.users, catalog)
        counts["n_new_items"] = int(np.isin(wanted.outside_users, users).sum())
        counts["n_finished_users"] = int((~np.isin(users, held_out.user_codes)).sum())
        k = max(read_cutoff(name) for name in self.names)
        recommender = Recommender(model, self.columns, self.response_method, catalog, number_ids(catalog), X)
        parts, n_rows = [], 0
        step = max(1, CELLS // max(1, len(catalog)))
        for first in range(0, len(users), step):
            chosen = users[first : first + step]
            matrix = None if hidden is None else hidden.matrix[chosen]
            rows, columns, scores = recommender.rank(held_out.users[chosen], matrix, k)
            parts.append((chosen[rows], columns, scores))
            n_rows += len(rows)
            if n_rows > k * len(users) + MOST_TIED:
                fix = "Break ties in score_items, for example by popularity: scores + 1e-9 * popularity."
                fail("estimator", "return scores with few ties", f"{n_rows} items in the top {k}", fix)
        return compare(parts, wanted, held_out.users, catalog, users)._replace(counts=counts)


def read_cutoff(name: str) -> int:
    (request,) = build_requests([name], {}, tables=True)
    if not set(request.metric.needs) <= {"items", "popularity"}:
        needs = " and ".join(request.metric.needs)
        fail("metrics", "be computed from labels, scores, items and popularity", f"{name!r}, of {needs},")
    k = request.params.get("k")
    if k is None:
        fail("metrics", "have a cutoff", repr(name), f"For example, pass {request.metric.stem}@10.")
    if request.metric.stem in (*NEED_ALL, "judged"):
        fail("metrics", "depend on the relevant items in the top k", repr(name), "For example, pass ndcg@10.")
    return int(k)


def _name_catalog(name: str, n_items: int) -> str:
    """Return the name of a metric of lists, with the number of items of the catalog if it has that option."""
    (request,) = build_requests([name], {}, tables=True)
    if "catalog" not in request.params or request.params["catalog"] is not None:
        return name
    stem, _, options = name.partition("(")
    return f"{stem}(catalog={n_items}, {options}" if options else f"{stem}(catalog={n_items})"


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
        Names with a cutoff, such as ``"ndcg@10"``, ``["recall@20", "catalog_coverage@10"]``. Metrics of
        features, histories or intents are not available.
    user, item : str or int, default="user" and "item"
        Columns of X that contain the user and the item: names of a frame, or column numbers of an array.
    seen : {"exclude", "include"}, default="exclude"
        Whether pairs of the training set can be recommended. If "exclude", they are removed from the lists
        and from the held-out items; :func:`cross_validate` and similar functions warn if they are among them.
        Use "include" for repeated purchases.
    new_users : {"include", "exclude"}, default="include"
        Whether to score users who are not in the training set.
    response_method : {"auto", "score_items", "recommend", "predict"}, default="auto"
        Method of the model: ``score_items(users)`` returns scores of shape (n_users, n_items) of the items in
        the attribute `items_`; ``recommend(users, k)`` returns items and scores of shape (n_users, k);
        ``predict(X)`` predicts all pairs of users and items, so X must have no other columns. Without
        `items_`, the items of the training set are used. If "auto", the first one that exists.
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
        If a metric has no cutoff, or if an option is invalid. When the scorer is called: if ids are of
        several types, if an answer of the model has another shape or NaN, or if there are too many ties.

    Examples
    --------
    >>> from sklearn_rank.model_selection import catalog_scorer
    >>> catalog_scorer("ndcg@10")
    catalog_scorer('ndcg@10')
    """
    example = 'be a name with a cutoff, such as "ndcg@10", or a list of names'
    names = [metrics] if isinstance(metrics, str) else read_list(metrics, "metrics", example)
    check_choice("seen", seen, ("exclude", "include"))
    check_choice("new_users", new_users, ("include", "exclude"))
    check_choice("response_method", response_method, ("auto", *ANSWERS))
    for name in names:
        read_cutoff(name)
    plain = {key: each for key, each in options.items() if key != "popularity"}
    for request in build_requests(names, plain, tables=True):
        if "popularity" in request.metric.needs and options.get("popularity") is None:
            fix = "Pass popularity={item: share of users who had it}."
            fail("popularity", f"be set for {request.name!r}", None, fix)
    if options.get("average", "macro") is None:
        fail("average", "be 'macro' or another mean", None, "A scorer returns one number per metric.")
    kept = metrics if isinstance(metrics, str) else names
    return CatalogScorer(kept, user, item, seen, new_users, response_method, options)
