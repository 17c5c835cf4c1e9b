"""Values of the measures of trec_eval for each query, and the summary over all queries.

Values halfway between two printed values are summed in the same order as in trec_eval.
"""

from __future__ import annotations

import warnings
from argparse import Namespace
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from .._checks.warn import RankingWarning
from ..metrics import infap_score, ranking_scores, take_logs
from ._inputs import RunRows, as_rows, join_in_pieces, read_rows, warn_none_relevant
from ._trec_measures import COUNTED, LEVELS, MEASURES, POOLED, list_labels
from ._usage_errors import files_at_fault

if TYPE_CHECKING:
    from ..datasets import Joined

GEOMETRIC = "gm_"  # before the name of the averaged measure


class Values(NamedTuple):
    """The values of the requested measures."""

    ids: list[str]
    per_query: dict[str, np.ndarray]  # by the label of a line, also for measures only in the summary
    n_queries: int  # in means
    n_relevant: int
    is_any: bool = True  # whether a document is relevant
    lacking: Mapping[str, int] = {}  # relevant documents of the judged queries that the run lacks, with -c


def evaluate_run(args: Namespace, chosen: Mapping[str, tuple[float, ...]]) -> tuple[Values, str]:
    """Compute the requested measures of the run, and return its tag too."""
    ((name, path),) = args.runs.items()
    with_pool = POOLED in chosen

    def compute(joined: Joined) -> Values:
        return _compute(as_rows(name, joined, with_pool), chosen, args)

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RankingWarning)  # trec_eval has no warnings
        found = join_in_pieces(path, args, compute, with_pool)
    if found is not None:
        if not any(part.is_any for part in found[0]):
            warn_none_relevant(path, args)
        return _gather(found[0]), found[1]
    (rows,) = read_rows(args, tags=True, with_pool=with_pool)
    with files_at_fault({"y_true": args.qrels, "y_score": path}), warnings.catch_warnings():
        warnings.simplefilter("ignore", RankingWarning)
        return _compute(rows, chosen, args), rows.tag


def _gather(parts: list[Values]) -> Values:
    """Join the values of parts, sorted by query id."""
    scored = [part for part in parts if part.ids]
    ids = [each for part in scored for each in part.ids]
    order = sorted(range(len(ids)), key=ids.__getitem__)
    per_query = {
        label: np.concatenate([part.per_query[label] for part in scored])[order]
        for label in scored[0].per_query
    }
    n_queries, n_relevant = (sum(column) for column in zip(*(part[2:4] for part in parts)))
    lacking = {query: n for part in parts for query, n in part.lacking.items()}
    return Values([ids[place] for place in order], per_query, n_queries, n_relevant, True, lacking)


def _compute(rows: RunRows, chosen: Mapping[str, tuple[float, ...]], args: Namespace) -> Values:
    """Compute the requested measures of all queries in both the run and the judgments."""
    n_queries = len(rows.starts)
    is_any = bool((rows.y_true >= args.min_relevance).any())
    n_relevant = int(np.count_nonzero(rows.y_true > 0))  # of any level, as trec_eval counts with -c
    lacking: dict[str, int] = {}
    if args.complete:
        rows, lacking = _leave_out_missing(rows, args.min_relevance)
        if not len(rows.queries):
            return Values([], {}, n_queries, n_relevant, is_any, lacking)
    if args.rounding == "trec_eval_10":
        rows = _rank_scores(rows)
    ids = rows.ids
    values = _count(rows, len(ids), args)
    if not args.complete:
        n_relevant = int(values["num_rel"].sum())
    values |= _score(rows, chosen, args)
    return Values(ids.tolist(), values, n_queries, n_relevant, is_any, lacking)


def _leave_out_missing(rows: RunRows, least: float) -> tuple[RunRows, dict[str, int]]:
    """Exclude queries without retrieved documents; return their numbers of relevant documents too."""
    starts = rows.starts
    is_there = np.logical_or.reduceat(rows.y_score > -np.inf, starts)
    n_relevant = np.add.reduceat(rows.y_true >= least, starts, dtype=np.int64)
    lacking = dict(zip(rows.ids[~is_there].tolist(), n_relevant[~is_there].tolist()))
    kept = np.repeat(is_there, np.diff(np.append(starts, len(rows.queries))))
    strata = None if rows.strata is None else rows.strata[kept]
    columns = {"y_true": rows.y_true[kept], "y_score": rows.y_score[kept], "queries": rows.queries[kept]}
    return rows._replace(**columns, strata=strata), lacking


def _rank_scores(rows: RunRows) -> RunRows:
    """Replace the scores of each query by integers in the same order, which stay distinct in float32.

    Version 10 compares scores in float64.
    """
    order = np.lexsort((rows.y_score, _number_queries(rows)))
    scores = rows.y_score[order]
    ranks = np.cumsum(np.append(True, scores[1:] != scores[:-1]))
    sizes = np.diff(np.append(rows.starts, len(scores)))
    y_score = np.empty(len(scores))
    y_score[order] = ranks - np.repeat(ranks[rows.starts], sizes)
    y_score[rows.y_score == -np.inf] = -np.inf
    return rows._replace(y_score=y_score)


def _number_queries(rows: RunRows) -> np.ndarray:
    """Return the number of the query of each row, from 0."""
    return np.cumsum(np.append(False, rows.queries[1:] != rows.queries[:-1]))


def _count(rows: RunRows, n_queries: int, args: Namespace) -> dict[str, np.ndarray]:
    """Count documents of each query."""
    codes = _number_queries(rows)
    is_retrieved = rows.y_score > -np.inf
    is_relevant, is_wrong = rows.y_true >= args.min_relevance, rows.y_true < args.min_relevance
    masks = {  # unjudged documents are neither relevant nor wrong
        "num_ret": is_retrieved & (is_relevant | is_wrong) if args.judged_only else is_retrieved,
        "num_rel": is_relevant,
        "num_rel_ret": is_relevant & is_retrieved,
        "num_nonrel_judged_ret": is_wrong & is_retrieved,
    }
    counts = {name: np.bincount(codes[mask], minlength=n_queries) for name, mask in masks.items()}
    counts["utility"] = 2 * counts["num_rel_ret"] - counts["num_ret"]  # relevant minus other documents
    return counts


def _score(rows: RunRows, chosen: Mapping[str, tuple[float, ...]], args: Namespace) -> dict[str, np.ndarray]:
    """Compute all measures that are metrics of this package, in one pass."""
    names = [name for name in chosen if name not in (*COUNTED, POOLED)]
    labels = [label for name in names for label in list_labels(name, chosen[name])]
    plain = list(dict.fromkeys(label.removeprefix(GEOMETRIC) for label in labels))
    values = {}
    if plain:
        found = ranking_scores(
            rows.y_true,
            rows.y_score,
            groups=rows.queries,
            metrics=[f"trec_eval:{label}" for label in plain],
            min_relevance=args.min_relevance,
            unjudged="drop" if args.judged_only else "nonrelevant",
            average=None,
        )
        values = dict(zip(plain, found.values()))
    if rows.strata is not None:
        values[POOLED] = _infer(rows, args)
    settle(values, rows, args.min_relevance, args.judged_only)
    if args.rounding == "trec_eval_10":
        values |= _interpolate(rows, chosen, args)
    geometric = [label for label in labels if label.startswith(GEOMETRIC)]
    return values | {each: take_logs(values[each.removeprefix(GEOMETRIC)]) for each in geometric}


def _interpolate(
    rows: RunRows, chosen: Mapping[str, tuple[float, ...]], args: Namespace
) -> dict[str, np.ndarray]:
    """Compute interpolated precisions as in trec_eval 10, which sums them from the last level on."""
    from ..metrics import interpolated_precision_curve

    levels = {name: chosen[name] or LEVELS for name in ("iprec_at_recall", "11pt_avg") if name in chosen}
    values = {}
    for name, of_name in levels.items():
        precision = interpolated_precision_curve(
            rows.y_true,
            _round_scores(rows),
            groups=rows.queries,
            recall_levels=of_name,
            rounding=args.rounding,
            ties="order",
            min_relevance=args.min_relevance,
            unjudged="drop" if args.judged_only else "nonrelevant",
            average=None,
        )[1]
        if name == "11pt_avg":
            values[name] = np.add.accumulate(precision[:, ::-1], axis=1)[:, -1] / len(of_name)
        else:
            values |= dict(zip(list_labels(name, of_name), precision.T))
    return values


def _round_scores(rows: RunRows) -> np.ndarray:
    """Return scores in the precision of float32; those below its range stay finite."""
    with np.errstate(over="ignore"):
        scores: np.ndarray = rows.y_score.astype(np.float32).astype(np.float64)
    scores[(scores == -np.inf) & (rows.y_score > -np.inf)] = np.finfo(np.float64).min
    return scores


def _infer(rows: RunRows, args: Namespace) -> np.ndarray:
    """Compute inferred AP; with -J, unjudged documents count as not retrieved."""
    scores = _round_scores(rows)
    if args.judged_only:
        scores[np.isnan(rows.y_true)] = -np.inf
    y_true, queries, least = rows.y_true, rows.queries, args.min_relevance
    return infap_score(
        y_true, scores, groups=queries, strata=rows.strata, min_relevance=least, ties="order", average=None
    )


def average(label: str, name: str, values: Values) -> float:
    """Return the value of a measure in the summary: a sum, mean or geometric mean."""
    if name == "num_q":
        return values.n_queries
    if name == "num_rel":
        return values.n_relevant
    per_query = values.per_query[label]
    total = float(np.add.accumulate(per_query)[-1])  # summed in order, as in trec_eval
    if MEASURES[name].is_count:
        return total
    if MEASURES[name].is_geometric:  # queries that are missing in the run have the lowest value
        total += (values.n_queries - len(per_query)) * float(take_logs(0.0))
        return float(np.exp(total / values.n_queries))
    return total / values.n_queries


ALL = "all"


def print_values(values: Values, chosen: Mapping[str, tuple[float, ...]], tag: str, by_query: bool) -> str:
    """Return the output lines of a run."""
    labels = [(label, name) for name, parameters in chosen.items() for label in list_labels(name, parameters)]
    lines = []
    if by_query:
        shown = [
            (f"{label:<22}\t", MEASURES[name].is_count, values.per_query[label].tolist())
            for label, name in labels
            if MEASURES[name].is_per_query
        ]
        places = {query: place for place, query in enumerate(values.ids)}
        for query in sorted([*values.ids, *values.lacking]):
            for head, is_count, column in shown:
                n_relevant = values.lacking.get(query, 0) if head.startswith("num_rel ") else 0
                value = column[places[query]] if query in places else n_relevant
                lines.append(f"{head}{query}\t{_write(value, is_count)}")
    for label, name in labels:
        found = tag if name == "runid" else _write(average(label, name, values), MEASURES[name].is_count)
        lines.append(f"{label:<22}\t{ALL}\t{found}")
    return "\n".join([*lines, ""])


def _write(value: float, is_count: bool) -> str:
    return str(int(value)) if is_count else f"{value:6.4f}"


# ---------------------------------------------------------------------------- the last printed digit

EPSILON = 0.00001  # the smoothing of shares
DIGITS = 10_000  # four decimals
NEAR = 1e-7  # distance from the midpoint between two printed values, in units of the last digit


class Ranked(NamedTuple):
    """The retrieved documents of a query, and the numbers of judged documents."""

    labels: list[float]
    level: float  # labels of at least this are relevant
    relevant: int
    others: int  # judged and not relevant
    strata: list[int]  # 0 in the pool, -1 outside; empty if not requested


def settle(values: Mapping[str, np.ndarray], rows: RunRows, level: float, judged_only: bool) -> None:
    """Replace values near the midpoint of two printed values, whose rounding depends on the order of a sum.

    Rows are sorted by query, and tied scores by document; values are by label.
    """
    starts = rows.starts
    ends = np.append(starts[1:], len(rows.queries))
    for label in values:
        measure, _, cutoff = label.rpartition("_") if label.startswith("map_cut_") else (label, "", "")
        if measure not in SUMS:
            continue
        is_near = np.abs(values[label] * DIGITS % 1 - 0.5) < NEAR
        for query in np.flatnonzero(is_near).tolist():
            ranked = _rank(rows, slice(starts[query], ends[query]), level, judged_only)
            cut = ranked._replace(labels=ranked.labels[: int(cutoff)]) if cutoff else ranked
            values[label][query] = SUMS[measure](cut)


def _rank(rows: RunRows, place: slice, level: float, judged_only: bool) -> Ranked:
    labels = rows.y_true[place]
    with np.errstate(over="ignore"):  # of scores beyond float32
        scores = rows.y_score[place].astype(np.float32)
    order = np.argsort(-scores, kind="stable")
    shown = order[rows.y_score[place][order] > -np.inf]
    ranked = labels[shown]
    if judged_only:
        shown, ranked = shown[ranked == ranked], ranked[ranked == ranked]
    relevant, judged = int((labels >= level).sum()), int((labels == labels).sum())
    strata = [] if rows.strata is None else rows.strata[place][shown].tolist()
    return Ranked(ranked.tolist(), level, relevant, judged - relevant, strata)


def _sum_precision(ranked: Ranked) -> float:
    """Compute AP = sum of P@i over the ranks i of relevant documents / R."""
    return sum_in_order(_list_precision(ranked)) / ranked.relevant


def _list_precision(ranked: Ranked) -> list[float]:
    """List the precision at each relevant document."""
    ranks = [rank for rank, label in enumerate(ranked.labels, 1) if label >= ranked.level]
    return [found / rank for found, rank in enumerate(ranks, 1)]


def _sum_preferences(ranked: Ranked) -> float:
    """Compute bpref = sum of 1 - min(n, R) / min(N, R) over relevant documents, n of N others above, / R."""
    terms, above = [], 0
    best = min(ranked.others, ranked.relevant)
    for label in ranked.labels:
        if label >= ranked.level:
            terms.append(1 - min(above, ranked.relevant) / best if above else 1.0)
        elif label < ranked.level:
            above += 1
    return sum_in_order(terms) / ranked.relevant


def _sum_inferred(ranked: Ranked) -> float:
    """Compute infAP = sum of E[P@i] over the ranks i of relevant documents / R, in trec_eval's operations."""
    terms = []
    found, judged, pooled = 0, 0, 0
    for above, (label, stratum) in enumerate(zip(ranked.labels, ranked.strata)):
        if label >= ranked.level:
            share = (found + EPSILON) / (judged + 2 * EPSILON)
            rest = above / (above + 1) * (pooled / above) * share if above else 0.0
            terms.append(1 / (above + 1) + rest)
            found += 1
        judged += label == label
        pooled += stratum == 0
    return sum_in_order(terms) / ranked.relevant


def _sum_levels(ranked: Ranked) -> float:
    """Average the highest precision at or above each of 11 levels of recall, the last level first."""
    precision = _list_precision(ranked)
    needed = [int(level * ranked.relevant + 0.9) for level in reversed(LEVELS)]
    return sum_in_order([max(precision[max(n - 1, 0) :], default=0.0) for n in needed]) / len(LEVELS)


def _combine(ranked: Ranked) -> float:
    """Compute F = 2 P R / (P + R) of all retrieved documents."""
    found = len(_list_precision(ranked))
    precision, recall = found / len(ranked.labels), found / ranked.relevant
    return 2 * precision * recall / (precision + recall)


def sum_in_order(terms: list[float]) -> float:
    """Sum terms in order; `sum` of newer versions of Python is more exact."""
    total = 0.0
    for term in terms:
        total += term
    return total


SUMS: dict[str, Callable[[Ranked], float]] = {
    "map": _sum_precision,
    "map_cut": _sum_precision,
    "bpref": _sum_preferences,
    "infAP": _sum_inferred,
    "11pt_avg": _sum_levels,
    "set_F": _combine,
}
