"""Pairs of users and items: read from columns, recorded in training, and placed by user and item."""

from typing import Any, NamedTuple, Self

import numpy as np
from scipy.sparse import csr_array
from sklearn.base import BaseEstimator, MetaEstimatorMixin, clone
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from ..._checks.arrays import is_sparse
from ..._checks.codes import first_rows, rank_ids
from ..._checks.containers import column_names, count_rows, has_column
from ..._checks.errors import fail, is_int, spell_id
from ..._checks.groups import check_groups, find_places, name_kind, number_ids, take_ids
from ..._checks.types import Estimator, Features, Labels, Scores

LARGEST_EXACT = 2.0**53  # above it, floats do not represent all integers


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
        column = take_column(X, name, parameter)
        found = rank_ids(check_groups(column, count_rows(X), parameter))
        codes.append(found)
        ids.append(take_ids(column, first_rows(found)))
    return Pairs(ids[0], ids[1], codes[0], codes[1])


def take_column(X: Features, name: str | int, parameter: str) -> Any:
    """Return a column of a frame by name, or of an array by number."""
    if is_sparse(X):
        fix = "Pass a frame or an array with a row per interaction."
        fail("X", "have a column of users and a column of items", "a sparse matrix", fix)
    if column_names(X) is None:
        if not is_int(name) or np.ndim(X) != 2 or not 0 <= name < np.shape(X)[1]:
            fail(parameter, "be the number of a column of X, which has no column names", repr(name))
        return [row[name] for row in X] if isinstance(X, list) else np.asarray(X)[:, name]
    if not has_column(X, name):
        fail(parameter, "be the name of a column of X", repr(name))
    return X[name]


class Placed(NamedTuple):
    """Labels by user and catalog item, and labels of items outside the catalog by user."""

    matrix: csr_array
    outside_users: np.ndarray
    outside_labels: np.ndarray


def place_pairs(pairs: Pairs, labels: np.ndarray, users: np.ndarray, catalog: np.ndarray) -> Placed:
    """Place labels of pairs by user and catalog item; of repeated pairs, the highest label counts."""
    user_places, item_places = locate(pairs.users, users), locate(pairs.items, catalog)
    rows, columns = user_places[pairs.user_codes], item_places[pairs.item_codes]
    is_inside = (rows >= 0) & (columns >= 0)
    *places, values = _keep_highest(rows[is_inside], columns[is_inside], labels[is_inside])
    matrix = csr_array((values, tuple(places)), shape=(len(users), len(catalog)))
    outside = (rows >= 0) & (columns < 0)
    outside_users, _, values = _keep_highest(rows[outside], pairs.item_codes[outside], labels[outside])
    return Placed(matrix, outside_users, values)


def _keep_highest(
    users: np.ndarray, items: np.ndarray, labels: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return user, item and label of each different pair; of repeated pairs, the highest label counts."""
    order = np.lexsort((labels, items, users))
    users, items, labels = users[order], items[order], labels[order]
    last = np.ones(len(users), dtype=bool)
    last[:-1] = (users[1:] != users[:-1]) | (items[1:] != items[:-1])
    return users[last], items[last], labels[last]


def locate(ids: np.ndarray, among: np.ndarray) -> np.ndarray:
    """Return the position of each id among others, or -1."""
    return find_places(ids, number_ids(among))


def check_kind(parameter: str, ids: np.ndarray, known: np.ndarray, where: str) -> None:
    """Check that ids have the type of known ones."""
    if len(ids) and len(known) and name_kind(ids) != name_kind(known):
        got = f"{spell_id(ids[0])}, and {spell_id(known[0])} {where},"
        fail(parameter, "contain ids of one type", got, "Convert the ids to one type, for example str.")
    reject_rounded(parameter, ids, known)


def reject_rounded(parameter: str, ids: np.ndarray, known: np.ndarray) -> None:
    """Reject floats to be compared with integers if conversion might have made different integers equal."""
    by_kind = {each.dtype.kind: each for each in (ids, known)}
    floats = by_kind.get("f", np.empty(0))
    if len(by_kind) > 1 and by_kind.keys() <= set("iuf") and (np.abs(floats) >= LARGEST_EXACT).any():
        got = f"the float {floats[np.abs(floats) >= LARGEST_EXACT][0]:.17g} and integers"
        fail(parameter, "have exact ids", got, "Floats round integers above 2**53. Keep the ids as integers.")


def find_repeats(pairs: Pairs, seen: Pairs) -> np.ndarray:
    """Return a mask of the pairs that were seen."""
    users, items = (locate(*each) for each in ((pairs.users, seen.users), (pairs.items, seen.items)))
    width = np.int64(max(len(seen.items), 1))
    of_pairs = users[pairs.user_codes], items[pairs.item_codes]
    keys = np.where((of_pairs[0] < 0) | (of_pairs[1] < 0), -1, of_pairs[0] * width + of_pairs[1])
    return np.isin(keys, seen.user_codes * width + seen.item_codes)


def count_repeats(pairs: Pairs, train: np.ndarray, test: np.ndarray) -> int:
    """Count the test rows whose pair of user and item is in the training rows too."""
    keys = pairs.user_codes * np.int64(len(pairs.items)) + pairs.item_codes
    return int(np.isin(keys[test], keys[train]).sum())


class RecordSeen(MetaEstimatorMixin, BaseEstimator):
    """A recommender that records the pairs of users and items that it is fitted on.

    With scikit-learn's own functions, a scorer receives only the fitted model and the test rows, so
    `catalog_scorer` reads the training pairs from this model. The functions of this package record them.

    Parameters
    ----------
    estimator : object
        The recommender.
    user, item : str or int, default="user" and "item"
        Columns of X that contain the user and the item: names of a frame, or column numbers of an array.

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
        """
        self.seen_ = read_pairs(X, self.user, self.item)
        labels = () if y is None else (y,)
        self.estimator_ = clone(self.estimator).fit(X, *labels, **params)
        return self

    @available_if(lambda self: hasattr(self.estimator, "predict"))  # type: ignore[untyped-decorator]
    def predict(self, X: Features) -> Scores:
        """Predict with the recommender.

        Parameters
        ----------
        X : frame or array of shape (n_rows, n_columns)
            Pairs of users and items.
        """
        check_is_fitted(self)
        return self.estimator_.predict(X)
