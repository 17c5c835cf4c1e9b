"""The top items of users among all items, by the answers of a recommender."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np

from ..._checks.codes import rank_ids
from ..._checks.containers import column_names, count_rows
from ..._checks.errors import fail
from ..._checks.groups import check_groups, find_places, take_ids
from ..._checks.types import Estimator, Features
from .seen_pairs import Pairs, Placed, reject_rounded

ANSWERS = ("score_items", "recommend", "predict")  # methods of recommenders, the preferred one first


class CatalogRows(NamedTuple):
    """The top items of each user, then held-out items that are not among them, with the score -inf."""

    labels: np.ndarray
    scores: np.ndarray
    users: np.ndarray
    items: np.ndarray  # of the top items
    is_open: np.ndarray  # whether the user of a row has a held-out pair
    n_items: int  # of the catalog
    counts: Mapping[str, int] = MappingProxyType({})


def find_catalog(model: Estimator, seen: Pairs | None) -> np.ndarray:
    """Return the ids of all items: those of the model, or those of the training pairs."""
    items = getattr(model, "items_", None)
    if items is None:
        if seen is None:
            got = f"{type(model).__name__} without it"
            fail("estimator", "have the attribute items_, the ids of all items", got)
        return seen.items
    n_items = count_rows(items, "items_")
    if rank_ids(check_groups(items, n_items, "items_")).max(initial=-1) + 1 < n_items:
        fail("estimator", "have different ids in its attribute items_", f"{n_items} ids, some repeated")
    return take_ids(items, np.arange(n_items))


class Recommender(NamedTuple):
    """A fitted model, with the names of the columns of its pairs and the method to call."""

    model: Estimator
    columns: tuple[str | int, str | int]
    response_method: str
    catalog: np.ndarray
    places: dict[Any, int]  # of the items in the catalog
    X: Features  # whose form pairs get

    def rank(self, users: np.ndarray, hidden: Any, k: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return user position, catalog position and score of the top k of each user, with ties at the end.

        `hidden` is None or marks items that cannot be recommended, of shape (n_users, n_items).
        """
        requested = ANSWERS if self.response_method == "auto" else (self.response_method,)
        methods = [name for name in requested if hasattr(self.model, name)]
        if not methods:
            got = type(self.model).__name__
            fail("estimator", f"have the method {' or '.join(requested)}", got)
        if methods[0] == "recommend":
            return self._read_lists(users, hidden, k)
        scores = self._score_items(users) if methods[0] == "score_items" else self._predict_pairs(users)
        cells = ((), ()) if hidden is None else hidden.nonzero()
        n_items = len(self.catalog)
        last, ranked = max(n_items - k, 0), scores.copy()  # the model can keep its scores
        ranked[cells] = -np.inf
        if last:
            ranked.partition(last, axis=1)
        if np.isnan(ranked[:, last:]).any():  # they come last
            fail("estimator", "return scores without NaN", "NaN")
        lowest = ranked[:, [last]] if last else -np.inf
        is_top = scores >= np.maximum(lowest, np.finfo(scores.dtype).min)  # -inf means not recommended
        is_top[cells] = False
        rows, columns = np.divmod(np.flatnonzero(is_top), max(n_items, 1))
        return rows, columns, scores[rows, columns]

    def _score_items(self, users: np.ndarray) -> np.ndarray:
        """Return the scores of all items, a row per user."""
        found = np.asarray(self.model.score_items(users))
        scores = found.astype(found.dtype if found.dtype == np.float32 else np.float64, copy=False)
        shape = len(users), len(self.catalog)
        if scores.shape != shape:
            fail("estimator", f"return scores of shape {shape} from score_items", f"shape {scores.shape}")
        return scores

    def _predict_pairs(self, users: np.ndarray) -> np.ndarray:
        n_items, names = len(self.catalog), column_names(self.X)
        given = range(np.shape(self.X)[1]) if names is None else names
        if set(given) != set(self.columns):
            fix = "Drop the others, or give the model a method score_items(users)."
            fail("X", f"have only the columns {self.columns} for predict", f"{list(given)}", fix)
        columns = dict(zip(self.columns, (np.repeat(users, n_items), np.tile(self.catalog, len(users)))))
        columns = {name: columns[name] for name in given}
        if names is None:
            one, other = columns.values()
            kind = one.dtype if one.dtype.kind == other.dtype.kind else object  # a shared type changes ids
            X: Any = np.column_stack([one.astype(kind), other.astype(kind)])
        else:
            X = getattr(type(self.X), "from_pydict", type(self.X))(columns)
        scores = np.array(self.model.predict(X), dtype=np.float64)
        if scores.size != len(users) * n_items:
            rule = f"predict one score for each of {len(users) * n_items} pairs"
            fail("estimator", rule, f"shape {scores.shape}")
        return scores.reshape(len(users), n_items)

    def _read_lists(
        self, users: np.ndarray, hidden: Any, k: int
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Read the lists of `recommend`, which are longer by the number of hidden items."""
        n_hidden = 0 if hidden is None else int(np.diff(hidden.indptr).max(initial=0))
        found = self.model.recommend(users, min(k + n_hidden, len(self.catalog)))
        try:
            items, scores = np.asarray(found[0]), np.asarray(found[1], dtype=np.float64)
        except (TypeError, ValueError, IndexError) as error:
            fail("estimator", "return items and scores from recommend", f"an error ({error})")
        if not (items.shape == scores.shape and items.ndim == 2 and len(items) == len(users)):
            rule = f"return items and scores of shape ({len(users)}, k) from recommend"
            fail("estimator", rule, f"shapes {items.shape} and {scores.shape}")
        rows, places = np.nonzero(np.isfinite(scores))
        reject_rounded("estimator", items[rows, places], self.catalog)
        columns, scores = find_places(items[rows, places], self.places), scores[rows, places]
        if (columns < 0).any():
            unknown = items[rows, places][columns < 0][0]
            fail("estimator", "recommend items of its attribute items_", repr(unknown))
        keys = rows * np.int64(len(self.catalog)) + columns
        if len(np.unique(keys)) < len(keys):
            fail("estimator", "recommend each item once to a user", "repeated items")
        if hidden is None:
            return rows, columns, scores
        new = np.asarray(hidden[rows, columns]).ravel() == 0
        return rows[new], columns[new], scores[new]


def compare(
    parts: list[Any], wanted: Placed, users: np.ndarray, catalog: np.ndarray, scored: np.ndarray
) -> CatalogRows:
    """Return the listed items with their labels, and the other held-out items with the score -inf."""
    if not parts:
        fail("X", "contain a user who is scored", "only new users, with new_users='exclude', or no rows")
    rows, columns, scores = (np.concatenate(each) for each in zip(*parts))
    matrix, width = wanted.matrix[scored].tocoo(), np.int64(len(catalog))
    keys, wanted_keys = rows * width + columns, scored[matrix.row] * width + matrix.col
    order = np.argsort(wanted_keys)
    wanted_keys, values = wanted_keys[order], matrix.data[order]
    places = np.searchsorted(wanted_keys, keys)
    is_wanted = np.append(wanted_keys, -1)[places] == keys
    labels = np.where(is_wanted, np.append(values, 0.0)[places], 0.0)
    lost = np.ones(len(wanted_keys), dtype=bool)
    lost[places[is_wanted]] = False
    outside = np.isin(wanted.outside_users, scored)
    others = np.concatenate((wanted_keys[lost] // width, wanted.outside_users[outside]))
    all_labels = np.concatenate((labels, values[lost], wanted.outside_labels[outside]))
    all_scores = np.concatenate((scores, np.full(len(others), -np.inf)))
    codes = np.concatenate((rows, others))
    is_open = np.isin(codes, np.concatenate((wanted_keys // width, wanted.outside_users)))
    return CatalogRows(all_labels, all_scores, users[codes], catalog[columns], is_open, len(catalog))
