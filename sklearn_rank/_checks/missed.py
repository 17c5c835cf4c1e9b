"""Labels of judged documents that are not rows, such as those that a first stage did not retrieve."""

from __future__ import annotations

from collections.abc import Mapping, Set
from contextlib import suppress
from functools import cached_property
from typing import Any, NamedTuple, NoReturn, Self

import numpy as np

from .arrays import read_numbers
from .codes import as_array, first_rows, rank_ids
from .containers import check_same_order, count_rows, is_of_pandas
from .errors import count_of, fail, is_int, is_real, kind_of, name_call, spell_id
from .groups import check_groups, find_places, name_kind, number_ids, take_ids
from .rows import ANY_SIGN, LabelRules, Rows, Scores
from .types import ArrayLike, Features, Ids, Labels
from .warn import RankingWarning, is_inside_call, warn_user

UNRETRIEVED = (
    "{function}: a column of X is -inf in {n} rows, all of them relevant, so the model can learn the label "
    "from it. Such scores mark relevant documents that were not retrieved. Read only retrieved rows with "
    "return_missed=True, and pass the other labels to the metric: ndcg_scorer(missed=missed)."
)
FORM = "be a mapping of query id to a list of labels, or a pair (groups, labels)"


class Missed:
    """Labels of judged documents that are not rows, by query id; the `missed` argument of metrics.

    The readers :func:`from_run`, :func:`from_score_matrix`, :func:`from_factors`,
    :func:`from_recommendations` and :func:`from_interactions` return one with ``return_missed=True``. It can
    also count items that are tied with the last one of a list; see :func:`from_score_matrix`.

    Parameters
    ----------
    groups : array-like of shape (n_labels,)
        Query id of each label. Ids can be of any sortable type, and labels can be in any order.
    labels : array-like of shape (n_labels,)
        Relevance labels: finite. Labels of 0 count among the judged documents.
    depth : int, default=None
        Length at which the lists of retrieved documents were cut. If `None`, it is unknown.
    n_items : int, default=None
        Number of documents that could be retrieved. If `None`, it is unknown.

    Examples
    --------
    >>> from sklearn_rank import recall_at_k_score
    >>> from sklearn_rank.metrics import Missed
    >>> missed = Missed(["a", "a", "b"], [1, 1, 2])
    >>> missed
    <Missed: 3 labels of 2 queries>
    >>> recall_at_k_score([1, 0, 1], [3, 2, 1], groups=["a", "a", "b"], k=10, missed=missed, average=None)
    array([0.33333333, 0.5       ])
    """

    __module__ = "sklearn_rank.metrics"

    def __init__(
        self, groups: ArrayLike, labels: ArrayLike, depth: int | None = None, n_items: int | None = None
    ):
        for name, count in (("depth", depth), ("n_items", n_items)):
            if count is not None and (not is_int(count) or count < 1):
                fail(name, "be an int >= 1 or None", repr(count))
        self._read(groups, labels, ("groups", "labels"))
        self.depth, self.n_items = depth, n_items
        self.is_part = False  # whether rows might be a part of the data, whose ids may have no rows
        self.tied: Tied | None = None
        self.is_apart = False  # whether all labels are of queries without rows

    def _read(self, groups: Ids, labels: Labels, names: tuple[str, str]) -> None:
        """Sort the labels by query; `names` are the parameters of ids and labels, for messages."""
        check_same_order(groups=groups, labels=labels)
        values = read_numbers(labels, names[1]).astype(np.float64)
        rule = "contain finite labels, one per query id"
        if values.ndim != 1:
            fail(names[1], rule, f"shape {values.shape}")
        if not np.isfinite(values).all():
            fail(names[1], rule, values[~np.isfinite(values)][0], "Leave out unjudged documents.")
        if not len(values) and not count_rows(groups, names[0]):
            groups = np.empty(0, dtype=np.int64)
        codes = rank_ids(check_groups(groups, len(values), names[0]))
        firsts = first_rows(codes)
        self.ids = take_ids(groups, firsts)
        self.labels = values[np.argsort(codes, kind="stable")]
        self.ends = np.cumsum(np.bincount(codes, minlength=len(firsts)))

    def __repr__(self) -> str:
        tied = "" if self.tied is None else f", and {self.tied.counts.labels.sum():.0f} tied documents"
        return f"<Missed: {len(self.labels)} labels of {len(self.ids)} queries{tied}>"

    def __len__(self) -> int:
        return len(self.labels)

    def __deepcopy__(self, memo: object) -> Self:
        """Return the labels themselves, so that clones of scorers share them."""
        return self

    def of_parts(self) -> Missed:
        """Return the same labels for calls with a part of the queries, such as a fold."""
        shared = object.__new__(Missed)
        shared.__dict__.update(self.__dict__, is_part=True)
        return shared

    def find(self, ids: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return the labels of queries, and the position among `ids` of the query of each label.

        Parameters
        ----------
        ids : ndarray of shape (n_queries,)
            Different query ids.

        Returns
        -------
        tuple of (ndarray of float, ndarray of int)
            Labels and positions, one entry per label.
        """
        if not len(self.ids) or not len(ids):
            return np.empty(0), np.empty(0, dtype=np.int64)
        if name_kind(self.ids) != name_kind(ids):
            got = f"{spell_id(self.ids[0])} for 'groups' with {spell_id(ids[0])}"
            fail("missed", "have query ids of the type of 'groups'", got, "Convert the ids of one of them.")
        if self.ids.dtype.kind in "iufUS" and ids.dtype.kind in "iufUS":
            places = np.minimum(np.searchsorted(self.ids, ids), len(self.ids) - 1)
            places = np.where(self.ids[places] == ids, places, -1)
        else:
            places = find_places(ids, self._places)
        met = np.flatnonzero(places >= 0)
        if not len(met) and not self.is_part:
            self.reject_unmet()
        ends = self.ends[places[met]]
        counts = ends - np.append(0, self.ends)[places[met]]
        total = int(counts.sum())
        shifts = np.repeat(ends - np.cumsum(counts), counts)
        return self.labels[shifts + np.arange(total)], np.repeat(met, counts)

    def reject_unmet(self) -> NoReturn:
        """Raise the error for labels of other queries."""
        others = f" and {count_of(len(self.ids) - 1, 'other id')}" * (len(self.ids) > 1)
        fail("missed", "have query ids of 'groups'", f"{spell_id(self.ids[0])}{others}, not in 'groups',")

    @cached_property
    def _places(self) -> dict[Any, int]:
        return number_ids(self.ids)


class Tied(NamedTuple):
    """Non-relevant documents that are not rows, although their score is the lowest of their query's rows."""

    counts: Missed  # number of these documents, by query id
    scores: Missed  # their score


MissedLabels = Missed | Mapping[Any, ArrayLike] | tuple[ArrayLike, ArrayLike]


def read_missed(missed: object) -> Missed | None:
    """Read labels of documents that are not rows, in any form of the `missed` argument."""
    if missed is None or isinstance(missed, Missed):
        return missed
    if isinstance(missed, Mapping):
        return _read_mapping(missed)
    if isinstance(missed, tuple) and len(missed) == 2:
        for each in missed:
            if isinstance(each, str) or not hasattr(each, "__len__") or getattr(each, "shape", None) == ():
                fail("missed", FORM, f"a pair with {each!r}")
        if isinstance(next(iter(missed[1]), None), str | bytes):
            fail("missed", FORM, f"the labels {list(missed[1])[:2]}", "Pass numbers as labels.")
        return _read_argument(*missed)
    fail("missed", FORM, kind_of(missed), _show_pair(missed))


def _read_argument(groups: Ids, labels: Labels) -> Missed:
    """Read labels by query, whose errors name the `missed` argument of a function."""
    missed = Missed([], [])
    missed._read(groups, labels, ("missed", "missed"))
    return missed


def _show_pair(missed: Any) -> str:
    """Return how to pass labels in other forms."""
    if hasattr(missed, "columns"):
        return "Pass two columns: missed=(frame['qid'], frame['label'])."
    if isinstance(missed, list):
        return "If it contains pairs of id and label, pass missed=tuple(zip(*pairs))."
    if type(missed).__name__.endswith("GroupBy"):
        return "Pass missed=grouped.apply(list).to_dict()."
    if not is_of_pandas(missed) or not hasattr(missed, "index"):
        return ""
    if missed.dtype.kind == "O":
        return "If its index contains query ids, pass missed=series.to_dict()."
    index = "series.index" + ".get_level_values(0)" * (missed.index.nlevels > 1)
    return f"If its index contains query ids, pass missed=({index}, series)."


def _read_mapping(missed: Mapping[Any, Any]) -> Missed:
    """Read a list of labels per query id."""
    counts, parts = [], []
    for query, labels in missed.items():
        if isinstance(labels, Mapping):
            fix = "Pass the labels alone: {query: list(grades.values()) for query, grades in missed.items()}."
            fail("missed", FORM, f"a {type(labels).__name__} for {query!r}", fix)
        if is_real(labels):
            fail("missed", FORM, f"{labels!r} for {query!r}", f"Pass a list: {{{query!r}: [{labels!r}]}}.")
        array = np.asarray(None)
        with suppress(ValueError):  # of lists that numpy cannot read
            array = np.asarray(None if isinstance(labels, str | Set) else labels)
        if array.ndim != 1:
            fix = "Pass a list with one label per document."
            fail("missed", FORM, f"{kind_of(labels)} for {query!r}", fix)
        if array.dtype.kind in "US":
            fix = "Pass labels, not document ids: {query: [1] * len(ids) for query, ids in missed.items()}."
            fail("missed", FORM, f"text for {query!r}", fix)
        parts.append(read_numbers(labels if hasattr(labels, "dtype") else array, "missed").astype(np.float64))
        counts.append(len(array))
    queries = as_array(list(missed))[np.repeat(np.arange(len(counts)), counts)]
    return _read_argument(queries, np.concatenate([*parts, np.empty(0)]))


def add_missed(rows: Rows, groups: Ids, missed: object, rules: LabelRules) -> Rows:
    """Append a row with the score -inf for each document that is not a row, at the end."""
    missed = read_missed(missed)
    if missed is None:
        return rows
    if rows.groups is None:
        fail("missed", "be None without 'groups'", repr(missed), "Pass the query id of each row: groups=qid.")
    codes = rank_ids(rows.groups)
    firsts = first_rows(codes)
    ids = take_ids(groups, firsts)
    labels, queries = missed.find(ids)
    copies = None if missed.tied is None else _count_tied(rows, codes, ids, missed, len(labels))
    if not len(labels):
        no_id_matches = len(missed) > 0 and not missed.is_apart
        return rows._replace(
            depth=missed.depth, n_items=missed.n_items, no_id_matches=no_id_matches, copies=copies
        )
    lowest, highest = float(labels.min()), float(labels.max())
    if lowest < 0 and rules.range != ANY_SIGN:
        fail("missed", "have labels >= 0", f"{lowest:g}")
    weights = rows.weights
    if weights is not None:
        weights = np.concatenate((weights, weights[firsts][queries]))
    lowest, highest = float(np.fmin(lowest, rows.lowest)), float(np.fmax(highest, rows.highest))
    of_all, known = np.concatenate((rows.labels, labels)), (len(labels), missed.depth, missed.n_items)
    scores, of_queries = add_lowest(rows.scores, len(labels)), np.concatenate((codes, queries))
    return Rows(of_all, scores, of_queries, weights, None, lowest, highest, *known, copies=copies)


def _count_tied(rows: Rows, codes: np.ndarray, ids: np.ndarray, missed: Missed, n_missed: int) -> Any:
    """Return the number of documents that each row counts for: one of the tied rows counts for the others.

    The reader keeps the first and the last `depth` non-relevant ones. The one in the middle counts for the
    others, so the order of rows, or its reverse, leads to the same ranks down to this depth.
    """
    assert missed.tied is not None
    (counts, queries), (lowest, _) = (each.find(ids) for each in missed.tied)
    bounds = np.full(len(ids), np.nan)
    bounds[queries] = lowest
    tied = np.flatnonzero((rows.scores.values == bounds[codes]) & (rows.labels == 0))
    n_tied = np.bincount(codes[tied], minlength=len(ids))
    depth = missed.depth or 0
    if (n_tied[queries] != 2 * depth).any() or (rows.scores.values < bounds[codes]).any():
        reject_tied(missed)
    by_query = tied[np.argsort(codes[tied], kind="stable")]
    copies = np.ones(len(codes) + n_missed, dtype=np.int64)
    copies[by_query[(np.cumsum(n_tied) - n_tied)[queries] + depth - 1]] += counts.astype(np.int64)
    return copies


def reject_tied(missed: Missed) -> NoReturn:
    """Raise an error for other scores than those by which documents are tied."""
    rule = "be passed with the scores and labels of its reader, because it counts items with tied scores"
    fix = "To rank by other scores, break ties: scores + 1e-9 * rng.random(scores.shape)."
    fail("missed", rule, f"{missed!r} with other scores", fix)


def add_lowest(scores: Scores, n_missed: int) -> Scores:
    """Append a score of -inf for each document that is not a row."""
    if not n_missed:
        return scores
    kind = scores.values.dtype if scores.values.dtype.kind == "f" else np.float64
    values = np.concatenate((scores.values, np.full(n_missed, -np.inf, dtype=kind)), dtype=kind)
    return scores._replace(values=values, lowest=-np.inf)


def reject_missed(missed: object, what: str) -> None:
    """Raise an error for metrics of rows with inputs that documents without a row do not have."""
    if missed is not None:
        fix = "Compute these metrics in a call of their own."
        rule = f"be None for metrics of {what}, which are unknown for such documents"
        fail("missed", rule, missed if isinstance(missed, str) else repr(missed), fix)


def warn_of_unretrieved(X: Features, y: Labels) -> None:
    """Warn if a feature of X is the score -inf of relevant documents that were not retrieved."""
    values = X.select_dtypes("floating").to_numpy() if hasattr(X, "select_dtypes") else X
    is_table = isinstance(values, np.ndarray) and values.dtype.kind == "f" and values.ndim == 2
    if is_inside_call() or y is None or not is_table or not values.size:
        return
    labels = np.asarray(y)
    for column in np.flatnonzero(np.fmin.reduce(values, axis=0) == -np.inf):
        lost = values[:, column] == -np.inf
        if labels.shape == lost.shape and labels.dtype.kind in "biuf" and (labels[lost] > 0).all():
            warn_user(UNRETRIEVED.format(function=name_call(), n=int(lost.sum())), RankingWarning)
            return


def split_missed(
    rows: tuple[np.ndarray, ...],
    depth: int | None = None,
    n_items: int | None = None,
    tied: tuple[np.ndarray, ...] = (),
) -> Any:
    """Return the rows of retrieved documents, followed by the labels of the others.

    `rows` are labels, scores, groups and other arrays. The `depth` at which lists were cut can be unknown.
    `tied` are numbers of tied documents that are not rows, their scores and groups.
    """
    labels, scores, groups = rows[:3]
    is_row = scores > -np.inf
    if not is_row.any():
        fail("return_missed", "be False for data without a retrieved document", True)
    lost = ~is_row & (labels == labels)
    missed = Missed(groups[lost], labels[lost], depth, n_items)
    if not np.isin(groups[lost], groups[is_row]).any():
        missed = missed.of_parts()
        missed.is_apart = True
    if tied and len(tied[0]):
        counts, scores, queries = tied
        missed.tied = Tied(Missed(queries, counts).of_parts(), Missed(queries, scores).of_parts())
    return *(each[is_row] for each in rows), missed
