"""Rows of the scores of two runs, to measure how much their rankings agree."""

from typing import Any, Literal

import numpy as np

from .._checks import explain_parameters
from .._checks.arrays import check_in_memory
from .._checks.errors import renamed
from .._checks.options import check_choice, check_flag
from .._checks.types import Arguments
from ._entries import Entries, check_ranks
from ._join import Sides, join_entries
from ._run_objects import check_columns, read_entries

NAMES = ("run_a", "run_b")


@explain_parameters
def from_two_runs(
    run_a: object,
    run_b: object,
    *,
    queries: Literal["both", "either"] = "both",
    documents: Literal["either", "both"] = "either",
    columns: Arguments | None = None,
    return_items: bool = False,
) -> tuple[Any, ...]:
    """Convert two runs to two scores per document and query ids, without judgments.

    Parameters
    ----------
    run_a, run_b : path, file, mapping of query to mapping of document to score, frame, or iterable of objects
        Retrieved documents, as in :func:`from_run`.
    queries : {"both", "either"}, default="both"
        Queries to include: those in both runs, or those in at least one of them. A run without documents for
        a query, such as ``{"q1": {}}``, contains the query.
    documents : {"either", "both"}, default="either"
        Documents to include: those that at least one of the runs retrieved, or those that both retrieved.
        Correlations such as :func:`kendall_tau_score` need scores of both runs, so pass "both".
    columns, return_items
        As in :func:`from_run`.

    Returns
    -------
    y_score_a, y_score_b : ndarray of shape (n_rows,)
        Scores of the two runs; -inf if the run did not retrieve the document.
    groups, documents : ndarray of shape (n_rows,)
        As in :func:`from_run`.

    Warns
    -----
    RankingWarning
        If queries of only one of the runs are excluded, if the ranks of a run contradict its scores, or if
        document ids seem to be written differently in the two runs.

    See Also
    --------
    rbo_score : Compute the overlap at all depths, with the largest weight at the top.

    Examples
    --------
    >>> from sklearn_rank.datasets import from_two_runs
    >>> from sklearn_rank.metrics import kendall_tau_score, overlap_at_k_score
    >>> bm25, dense = {"q": {"a": 3.5, "b": 3.1, "c": 2.2}}, {"q": {"b": 0.9, "a": 0.8, "d": 0.3}}
    >>> y_score_a, y_score_b, groups = from_two_runs(bm25, dense)
    >>> overlap_at_k_score(y_score_a, y_score_b, groups=groups, k=2)
    1.0
    >>> y_score_a, y_score_b, groups = from_two_runs(bm25, dense, documents="both")
    >>> kendall_tau_score(y_score_a, y_score_b, groups=groups)
    -1.0
    """
    check_choice("queries", queries, ("both", "either"))
    check_choice("documents", documents, ("either", "both"))
    check_flag(return_items, "return_items")
    given = dict(zip(NAMES, (run_a, run_b)))
    check_in_memory(**given)
    columns = check_columns(columns, run_a, run_b)
    one, other = (_read_run(name, run, columns) for name, run in given.items())
    # The label of a document is its position in the other run.
    places = other._replace(values=np.arange(len(other.values), dtype=np.float64))
    sides = Sides(one, places, NAMES, are_runs=True)
    joined = join_entries(sides, "all" if queries == "either" else "both", None)
    is_in_other = joined.y_true == joined.y_true
    if documents == "both":
        joined = joined.keep(is_in_other & (joined.y_score > -np.inf))
        is_in_other = np.ones(len(joined.codes), dtype=bool)
    scores = np.full(len(joined.codes), -np.inf)
    scores[is_in_other] = other.values[joined.y_true[is_in_other].astype(np.int64)]
    rows = joined.y_score, scores, joined.groups
    return (*rows, joined.documents) if return_items else rows


def _read_run(name: str, run: object, columns: Arguments) -> Entries:
    with renamed("run", name):
        entries = read_entries(run, "run", columns)
    check_ranks(entries, name)
    return entries
