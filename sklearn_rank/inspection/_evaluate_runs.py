"""Evaluation of several runs with the same judgments: a report for each."""

from collections.abc import Mapping
from inspect import signature
from typing import Literal

import numpy as np

from .._checks import explain_parameters
from .._checks.errors import fail, kind_of, shorten
from .._checks.options import pick
from .._checks.types import (
    Arguments,
    ById,
    Discount,
    Gain,
    MeanAverage,
    Metrics,
    RandomState,
    TieRule,
    Unjudged,
)
from .._checks.warn import warn_once, warnings_about
from ..datasets import join_runs
from ..metrics import list_needs, note_depths, read_entries, request_entries, warn_of_depths
from ..reports import RankingReport
from ._evaluation import evaluate


@explain_parameters
@warn_once
def evaluate_runs(
    qrels: object,
    runs: Arguments,
    *,
    metrics: Metrics,
    queries: Literal["both", "judged", "run"] = "judged",
    depth: int | None = None,
    columns: Arguments | None = None,
    exclude: object = None,
    ignore_identical_ids: bool = False,
    duplicates: Literal["raise", "max"] = "raise",
    gain: Gain = "linear",
    discount: Discount = "log2",
    min_relevance: float = 1,
    ties: TieRule = "average",
    unjudged: Unjudged = "nonrelevant",
    zero_division: float | None = None,
    average: MeanAverage = "macro",
    cluster: ById | None = None,
    confidence_level: float = 0.95,
    interval: Literal["t", "bootstrap"] = "t",
    n_resamples: int = 2000,
    random_state: RandomState = 0,
    n_jobs: int | None = None,
) -> dict[str, RankingReport]:
    """Compute metrics of several runs with the same judgments, and return a report for each run.

    Parameters
    ----------
    qrels : path, file, mapping of query to mapping of document to grade, frame, or iterable of objects
        Relevance judgments, as in :func:`from_run`.
    runs : mapping of str to run
        Retrieved documents of each system by its name. A run has any form that :func:`from_run` takes, such
        as the path of a file, a mapping of query to mapping of document to score, or a frame.
    metrics : str, scorer, list of these, or dict of str to name or scorer
        As in :func:`ranking_scores`. Metrics of several intents, such as "alpha_ndcg@10", read judgments with
        a subtopic each, as ``from_run(..., intents=True)``. Other metrics then use the highest grade.
    queries : {"both", "judged", "run"}, default="judged"
        As in :func:`from_run`. With "judged", judged queries that a run lacks count as queries without
        retrieved documents.
    depth, columns, exclude, ignore_identical_ids, duplicates
        As in :func:`from_run`.
    gain, discount, min_relevance, ties, zero_division
        As in :func:`ranking_scores`.
    unjudged : {"raise", "nonrelevant", "drop", "mean", "median"}, default="nonrelevant"
        As in :func:`ranking_scores`. With "drop", metrics are those of condensed lists.
    average, confidence_level, interval, n_resamples, random_state, n_jobs
        As in :func:`evaluate`.
    cluster : mapping or pandas.Series, default=None
        Cluster of each query by query id, as in :func:`evaluate`.

    Returns
    -------
    dict of str to RankingReport
        The report of each run, by its name. Pass it to :func:`compare` to compare the runs.

    Raises
    ------
    ValueError
        If an argument is invalid, for example if a run and `qrels` have no query in common.

    Warns
    -----
    RankingWarning
        If a run has no document for some of the queries. Also for the reasons of :func:`from_run`.

    See Also
    --------
    from_run : Convert judgments and a run to labels, scores and query ids.

    Examples
    --------
    >>> from sklearn_rank import compare, evaluate_runs
    >>> qrels = {"q1": {"a": 1}, "q2": {"b": 1, "c": 1}}
    >>> bm25 = {"q1": {"b": 3.5, "a": 3.1}, "q2": {"b": 1.2, "a": 0.4}}
    >>> dense = {"q1": {"a": 0.9, "b": 0.2}, "q2": {"c": 0.8, "b": 0.7}}
    >>> reports = evaluate_runs(qrels, {"bm25": bm25, "dense": dense}, metrics=["mrr"])
    >>> {name: report.mean["mrr"] for name, report in reports.items()}
    {'bm25': 0.75, 'dense': 1.0}
    >>> compare(reports, baseline="bm25").columns["verdict"].tolist()
    ['undecided']
    """
    if not isinstance(runs, Mapping) or not all(isinstance(name, str) for name in runs):
        fail("runs", "be a mapping of names to runs", kind_of(runs), "Pass runs={'name': run}.")
    if not runs:
        fail("runs", "contain a run", "an empty mapping")
    entries = read_entries(metrics)
    options = {**pick(signature(evaluate).parameters, locals()), "metrics": entries}
    needs = list_needs([each for each in entries.values() if isinstance(each, str)])
    reports, depths = {}, {}
    of_rows = queries, depth, columns, exclude, ignore_identical_ids, duplicates
    for name, joined in join_runs(qrels, runs, *of_rows, needs["with_pool"], needs["with_intents"]):
        with warnings_about("evaluate_runs", f"run {shorten(name)!r}"), note_depths() as depths[name]:
            y_true, y_score, groups, *strata = joined.rows(False, needs["with_pool"])
            if np.isneginf(y_score).any():
                _check_of_ranks(entries)
            options["strata"] = strata[0] if strata else None
            if needs["with_intents"]:
                options["intents"], y_true = y_true, np.fmax.reduce(y_true, axis=1)
            reports[name] = evaluate(y_true, y_score, groups=groups, **options)
    warn_of_depths(depths, "evaluate_runs: ")
    return reports


def _check_of_ranks(entries: Arguments) -> None:
    """Check that metrics are computed from ranks, because some judged documents have no score."""
    for request in request_entries(entries, {}, tables=True):
        module = str(getattr(request.params.get("score_func"), "__module__", ""))
        if request.metric.uses_scores or module.startswith("sklearn."):
            rule = "be computed from ranks unless each run has a score for all judged documents"
            fail("metrics", rule, repr(request.name), "Choose a metric of ranks, such as 'ndcg' or 'mrr'.")
