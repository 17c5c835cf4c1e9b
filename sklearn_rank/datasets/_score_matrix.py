"""Rows of labels, scores and user ids from a matrix of scores by user and item."""

from collections.abc import Iterable
from typing import Any

import numpy as np
from scipy.sparse import csr_array, issparse

from .._checks import explain_parameters
from .._checks.arrays import UNMASK, check_in_memory, exact_floats, is_masked, read_array, read_floats
from .._checks.codes import find_edges
from .._checks.containers import check_same_columns, check_same_order, is_default_index, is_of_pandas
from .._checks.errors import fail, spell_id
from .._checks.groups import check_groups
from .._checks.missed import split_missed
from .._checks.options import check_flag, check_options
from .._checks.types import Arguments, Labels, Options, Scores, Values
from ._mismatch import check_matrices
from ._run_objects import name_rows

CHUNK_CELLS = 2**21  # entries to process at once
MAX_TIED = 10_000_000  # rows of items that are tied with the k-th one and not needed if they are counted


@explain_parameters
def from_score_matrix(
    relevant: Labels,
    scores: Scores,
    *,
    seen: object = None,
    k: int | None = None,
    return_items: bool = False,
    return_missed: bool = False,
) -> tuple[Any, ...]:
    """Convert relevant items and a matrix of scores by user and item to labels, scores and user ids.

    With `k`, only the rows that metrics at cutoffs up to k need are kept. This takes less memory.

    Parameters
    ----------
    relevant : {ndarray, sparse matrix} of shape (n_users, n_items)
        Grades; 0 for items that are not relevant.
    scores : {ndarray, sparse matrix} of shape (n_users, n_items)
        Predicted scores. In a sparse matrix, only stored entries count as retrieved.
    seen : {ndarray, sparse matrix} of shape (n_users, n_items), default=None
        Nonzero for items that a user already knows. These pairs are excluded, also if they are relevant.
    k : int, default=None
        Largest cutoff of the metrics. For each user, the k best items, items tied with the last of them, the
        best non-relevant item and all relevant items are kept. Relevant items that are not among the best get
        the score -inf. If `None`, all pairs are kept.
    return_items : bool, default=False
        Whether to also return the item of each row.
    return_missed : bool, default=False
        As in :func:`from_run`, for relevant items that were not retrieved. If ties with the k-th item
        lead to more than 10,000,000 rows and `return_items` is False, items that are not relevant are counted
        in `missed` instead. Then values for these scores are the same, but other scores raise an error.

    Returns
    -------
    y_true, y_score, groups : ndarray of shape (n_rows,)
        Grade, score and user of each pair, in the order of the rows. Users are row numbers, or the index of a
        pandas frame. A dense matrix gives all pairs; a sparse one gives the stored pairs, and the other
        relevant pairs with score -inf. float32 scores stay float32.
    items : ndarray of shape (n_rows,)
        Column number of the item; only with ``return_items=True``.
    missed : Missed
        Labels of the relevant items that were not retrieved; only with ``return_missed=True``.

    Raises
    ------
    ValueError
        If the shapes or the indexes of frames differ, if the score of an item that is not seen is NaN, if
        items tied with the k-th one lead to more than 10,000,000 rows and are not counted in `missed`, or if
        the arguments are swapped: all scores are 0 or 1, and grades are negative fractions or mostly distinct
        real numbers.

    Warns
    -----
    RankingWarning
        If `relevant` and `scores` seem to be swapped, because scores are a few integers and grades are mostly
        distinct real numbers.

    Notes
    -----
    With `k`, compute metrics with a cutoff of at most k. Their values equal the values for all pairs, except
    for metrics and options that depend on the number of all pairs or on all labels: ``average="weighted"``,
    :func:`fallout_at_k_loss`, ``unjudged="mean"`` and ``"median"``, and, without ``catalog=n_items``,
    :func:`catalog_coverage_score` and :func:`exposure_gini_loss`. Pairwise metrics and correlations have no
    cutoff, so they need all pairs.

    Examples
    --------
    >>> from sklearn_rank import from_score_matrix, ndcg_score
    >>> relevant, scores, seen = [[1, 0, 1]], [[3, 2, 1]], [[1, 0, 0]]
    >>> y_true, y_score, groups = from_score_matrix(relevant, scores, seen=seen)
    >>> y_true, y_score
    (array([0., 1.]), array([2., 1.]))
    >>> y_true, y_score, groups = from_score_matrix(relevant, scores, k=1)
    >>> y_true, y_score
    (array([1., 0., 1.]), array([  3.,   2., -inf]))
    """
    check_flag(return_items, "return_items")
    check_flag(return_missed, "return_missed")
    check_options(k=k)
    given = {"scores": scores, "relevant": relevant} | ({} if seen is None else {"seen": seen})
    check_in_memory(**given)
    check_same_order(**given)
    check_same_columns(**given)
    matrices = {name: read_matrix(name, matrix) for name, matrix in given.items()}
    n_users, n_items = shape = matrices["scores"].shape
    for name, matrix in matrices.items():
        if matrix.shape != shape:
            fail(name, f"have the same shape as 'scores', {shape}", matrix.shape, "Pass one cell per score.")
    check_matrices(matrices["relevant"], matrices["scores"])
    sizes = [matrix.nnz if issparse(matrix) else matrix.size for matrix in matrices.values()]
    step = max(1, CHUNK_CELLS * n_users // max(1, *sizes))
    parts = (
        {name: matrix[first : first + step] for name, matrix in matrices.items()}
        for first in range(0, max(n_users, 1), step)
    )
    return collect_rows(parts, given, k, n_items, return_items, return_missed)


def collect_rows(
    parts: Iterable[Options],
    given: Arguments,
    k: int | None,
    n_items: int,
    return_items: bool,
    return_missed: bool,
) -> tuple[Any, ...]:
    """Return rows, and perhaps missed labels, from the matrices of consecutive users.

    If too many items are tied with the k-th one, those that are not relevant are counted, if `return_missed`.
    """
    chunks: list[tuple[np.ndarray, ...]] = []
    counts: list[tuple[np.ndarray, ...]] = []
    first = n_excess = 0
    for part in parts:
        cells, grades, values = _rows_of_users(k=k, n_items=n_items, first=first, **part)
        rows = grades, values, first + cells // n_items
        first += part["scores"].shape[0]
        n_excess += 0 if k is None else int((~_find_needed(rows, k)).sum())
        chunks.append((*rows, cells % n_items) if return_items else rows)
        if k is None or n_excess <= MAX_TIED:
            continue
        if return_items or not return_missed:
            rule = f"lead to at most {MAX_TIED:,} rows of items tied with the k-th one"
            fix = "To count them instead, pass return_missed=True without return_items."
            fail("k", rule, f"{n_excess:,} for {first:,} users", fix)
        for place in range(len(counts), len(chunks)):
            chunks[place], count = _count_tied(chunks[place], k)
            counts.append(count)
    # Remove columns from the list, so that those of each column are freed in turn.
    columns = list(zip(*chunks))
    del chunks
    found = name_users(tuple(np.concatenate(columns.pop(0)) for _ in range(len(columns))), given)
    tied = name_users(tuple(map(np.concatenate, zip(*counts))), given) if counts else ()
    return split_missed(found, k, n_items, tied) if return_missed else found


def _find_needed(rows: tuple[np.ndarray, ...], k: int) -> np.ndarray:
    """Return a mask without most non-relevant items that are tied with the last of a user.

    The first and the last k of them are needed, so that ties are broken in the same way by row order.
    """
    labels, values, users = rows[:3]
    needed = np.ones(len(values), dtype=bool)
    edges = find_edges(users)
    if len(values) <= k * (len(edges) - 1):
        return needed
    lowest = np.minimum.reduceat(np.where(values > -np.inf, values, np.inf), edges[:-1])
    sizes = np.diff(edges)
    tied = np.flatnonzero((values == np.repeat(lowest, sizes)) & (labels == 0) & np.isfinite(values))
    ends = find_edges(users[tied])
    lengths = np.diff(ends)
    places = np.arange(len(tied)) - np.repeat(ends[:-1], lengths)
    needed[tied[(places >= k) & (places < np.repeat(lengths, lengths) - k)]] = False
    return needed


def _count_tied(
    rows: tuple[np.ndarray, ...], k: int
) -> tuple[tuple[np.ndarray, ...], tuple[np.ndarray, ...]]:
    """Return the needed rows, and the number of the other items of each user, their score and the user."""
    needed = _find_needed(rows, k)
    _, values, users = (each[~needed] for each in rows[:3])
    edges = find_edges(users)
    return tuple(each[needed] for each in rows), (np.diff(edges), values[edges[:-1]], users[edges[:-1]])


def name_users(rows: tuple[np.ndarray, ...], given: Arguments) -> tuple[np.ndarray, ...]:
    """Replace the positions of users by the index of a pandas frame, if one has an index of its own."""
    indexes = {name: frame.index for name, frame in given.items() if is_of_pandas(frame)}
    named = {name: each for name, each in indexes.items() if not is_default_index(each)}
    for name, index in named.items():
        first, users = next(iter(named.items()))
        check_groups(index, len(index), name)
        if not index.is_unique:
            user = spell_id(index[index.duplicated()][0])
            fail(name, "have an index with each user once", f"{user} twice")
        if not index.equals(users):
            fix = f"If the rows already match, pass {name}.to_numpy()."
            fail(name, f"have the same index as {first!r}", "another index", fix)
    return (*rows[:2], name_rows(users, np.arange(len(users)))[rows[2]], *rows[3:]) if named else rows


def _rows_of_users(
    scores: Scores, relevant: Labels, k: int | None, n_items: int, first: int, seen: object = None
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return cell, grade and score of the pairs of some users; cells are numbered from the first user."""
    known = np.empty(0, dtype=np.int64) if seen is None else _nonzero_entries(seen)[0]
    wanted, grades = _nonzero_entries(relevant)
    new = ~np.isin(wanted, known)
    wanted, grades = wanted[new], grades[new]
    cells, values = _stored_entries(scores)
    _check_scores(cells, values, known, n_items, first)
    unjudged = wanted[grades != grades]
    if issparse(scores):
        new = ~np.isin(cells, known)
        cells, values = cells[new], values[new]
        chosen = choose_entries(cells, values, wanted, unjudged, k, n_items)
    else:
        chosen = choose_cells(scores, known, wanted, unjudged, k)
    cells, values = cells[chosen], exact_floats(values[chosen])  # if ranks, within these users
    missed = wanted[~np.isin(wanted, cells)]
    if len(missed):
        cells = np.concatenate((cells, missed))
        order = np.argsort(cells, kind="stable")
        cells = cells[order]
        values = np.concatenate((values, np.full(len(missed), -np.inf, dtype=values.dtype)))[order]
    labels = np.zeros(len(cells))
    with np.errstate(over="ignore"):  # a longdouble beyond the range
        labels[np.searchsorted(cells, wanted)] = grades
    return cells, labels, values


def _check_scores(cells: np.ndarray, values: np.ndarray, known: np.ndarray, n_items: int, first: int) -> None:
    """Check that no score is NaN, except for seen items."""
    highest = values.max(initial=0)
    if highest != highest:
        lost = np.setdiff1d(cells[np.isnan(values)], known)
        if len(lost):
            at = f"NaN for user {first + lost[0] // n_items} and item {lost[0] % n_items}"
            fail("scores", "not contain NaN", at)


def read_matrix(name: str, matrix: Values) -> Any:
    """Return a matrix of users and items, dense or sparse by row."""
    if is_masked(matrix):
        fail(name, "not be masked", "a MaskedArray", UNMASK)
    rule = "be a numeric matrix of shape (n_users, n_items)"
    fix = f"Pass {name}=numpy.array(rows, dtype=float), with one row per user."
    found = matrix if issparse(matrix) else read_array(matrix, name, rule, fix)
    if found.dtype == object and found.ndim == 2:  # a frame with types that numpy lacks
        found = read_floats(found, found.shape, name, rule, fix)
    if found.ndim != 2 or found.dtype.kind not in "biuf":
        fail(name, rule, f"dtype {found.dtype} and shape {found.shape}", fix)
    if issparse(matrix):
        found = csr_array(matrix)
        if not found.has_canonical_format:
            found = found.copy()  # it might share memory with the argument
            found.sum_duplicates()
    return found


def _stored_entries(matrix: Values) -> tuple[np.ndarray, np.ndarray]:
    """Return the cell and the value of each entry, row by row."""
    if not issparse(matrix):
        return np.arange(matrix.size), matrix.ravel()
    users = np.repeat(np.arange(matrix.shape[0]), np.diff(matrix.indptr))
    return users * matrix.shape[1] + matrix.indices, matrix.data


def _nonzero_entries(matrix: Values) -> tuple[np.ndarray, np.ndarray]:
    """Return the cell and the value of each entry that is not 0, row by row."""
    cells, values = _stored_entries(matrix)
    marked = np.flatnonzero(values)
    return cells[marked], values[marked]


def choose_cells(
    scores: np.ndarray, seen: np.ndarray, relevant: np.ndarray, unjudged: np.ndarray, k: int | None
) -> np.ndarray:
    """Choose cells of a dense matrix; `seen`, `relevant` and `unjudged` are cells too."""
    kept = np.ones(scores.shape, dtype=bool)
    if k is not None and k < scores.shape[1]:
        is_ranked = np.ones(scores.shape, dtype=bool)
        is_ranked.flat[seen] = False
        is_ranked.flat[unjudged] = False
        kind = scores.dtype.kind
        lowest = -np.inf if kind == "f" else False if kind == "b" else np.iinfo(scores.dtype).min
        ranked = np.where(is_ranked, scores, lowest)
        is_ranked.flat[relevant] = False
        others = np.where(is_ranked, scores, lowest).argmax(axis=1)
        ranked.partition(-k, axis=1)
        kept = scores >= ranked[:, [-k]]
        few = np.flatnonzero(ranked[:, -k] == -np.inf)  # users for whom fewer than k items were retrieved
        missed = is_ranked[few] & (scores[few] == -np.inf)
        kept[few] = (scores[few] > -np.inf) | (missed & (missed.cumsum(axis=1) <= k))
        kept[np.arange(len(kept)), others] = True
    kept.flat[seen] = False
    return np.flatnonzero(kept)


def choose_entries(
    cells: np.ndarray,
    scores: np.ndarray,
    relevant: np.ndarray,
    unjudged: np.ndarray,
    k: int | None,
    n_items: int,
) -> np.ndarray:
    """Choose entries of a sparse matrix, by their cells."""
    if k is None or not len(cells):
        return np.arange(len(cells))
    users = cells // n_items
    lasts = _find_highest(users, scores, np.flatnonzero(~np.isin(cells, unjudged)), k)
    bounds = np.zeros(users[-1] + 1, dtype=scores.dtype)
    bounds[users[lasts]] = scores[lasts]
    kept = ~np.isin(users, users[lasts]) | (scores >= bounds[users])
    kept[_find_highest(users, scores, np.flatnonzero(~np.isin(cells, relevant)), 1)] = True
    return np.flatnonzero(kept)


def _find_highest(users: np.ndarray, scores: np.ndarray, entries: np.ndarray, k: int) -> np.ndarray:
    """Return the entry with the k-th highest score, for each user with at least k entries."""
    order = entries[np.lexsort((scores[entries], users[entries]))]
    ends = find_edges(users[order])[1:]
    return order[ends[np.diff(ends, prepend=0) >= k] - k]
