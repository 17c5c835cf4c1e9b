"""Warnings about rows for which all rankings have the same value, and about lists that look cut."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from contextvars import ContextVar
from typing import Any, NamedTuple

import numpy as np

from .._checks.errors import name_call
from .._checks.rows import Scores
from .._checks.types import Ids, Labels, Options, Values
from .._checks.warn import RankingWarning, is_inside_call, turn_on, warn_user
from .._engine.prepared import PreparedRows, find_queries
from ._cut_lists import CutLists, find_lists
from ._mistaken_scores import SEEN_FIRST, check_not_negated, look_predicted, look_swapped
from ._prepared_input import Opened, open_labels
from ._run_depths import MOST_NAMES, WHOLE, note_depth
from ._table import NEED_ALL, Key, Request, Subject, find_label_rules

NONE_CUT = CutLists()
STEP = 16  # factor by which the examined spans of queries grow


def list_subjects(requests: Iterable[Request]) -> list[Subject]:
    """List the metrics whose value depends on the order of the labels."""
    return [request.subject for request in requests if request.metric.nan_rule != "judgments"]


class Facts(NamedTuple):
    """Facts about rows; facts about several batches can be merged."""

    n_queries: int
    n_single: int  # queries of one document
    longest: int
    retrieved: bool = True  # whether no score is -inf
    # The lowest and highest label, by key, if labels (or relevance) are constant in each query.
    constant: Mapping[Key, tuple[float, float]] = {}
    swapped: bool = False  # whether labels look like scores, and scores like labels
    cut: CutLists = NONE_CUT  # documents without a rank
    has_missed: bool = False  # whether labels of documents that are not rows were passed
    has_fractions: bool = False  # whether labels above 0 and below 1 were found; sought if none is above 1
    highest: float = -np.inf  # label
    has_classes: bool = False  # whether scores look like predicted classes

    def merge(self, other: Facts) -> Facts:
        """Return the facts about both batches."""
        constant = {}
        for key in self.constant.keys() & other.constant.keys():
            (low, high), (other_low, other_high) = self.constant[key], other.constant[key]
            constant[key] = float(np.fmin(low, other_low)), float(np.fmax(high, other_high))
        return Facts(
            self.n_queries + other.n_queries,
            self.n_single + other.n_single,
            max(self.longest, other.longest),
            self.retrieved and other.retrieved,
            constant,
            self.swapped and other.swapped,
            self.cut.add(other.cut),
            self.has_missed or other.has_missed,
            self.has_fractions or other.has_fractions,
            max(self.highest, other.highest),
            self.has_classes and other.has_classes,
        )


def find_facts(rows: PreparedRows, scores: Scores | None, subjects: Sequence[Subject]) -> Facts:
    """Find facts about rows and their scores; None means the scores of a model, which are finite."""
    queries = rows.queries
    n_queries, shortest = len(queries.lengths), queries.lengths.item(queries.lengths.argmin())
    n_single = int(np.count_nonzero(queries.lengths == 1)) if shortest == 1 else 0
    retrieved = scores is None or scores.lowest != -np.inf
    constant: dict[Key, tuple[float, float]] = {}
    by_labels: dict[str, set[float | None]] = {}
    for subject in subjects:
        by_labels.setdefault(subject.labels, set()).add(subject.min_relevance)
    for labels, thresholds in by_labels.items():
        if not retrieved:  # rankings differ by the documents left out, unless none is relevant
            thresholds = {least for least in thresholds if not rows.highest >= (least or np.nextafter(0, 1))}
        for least, extremes in _find_constant(rows.under(labels), thresholds).items():
            constant[labels, least] = extremes
    swapped = scores is not None and look_swapped(rows, scores, subjects)
    if scores is not None and scores.highest == np.inf:
        check_not_negated(rows, scores)
    has_missed = rows.n_missed > 0 or rows.no_id_matches
    has_fractions = bool(
        rows.highest <= 1
        and rows.given.dtype.kind == "f"
        and any(subject.by_default for subject in subjects)
        and ((rows.given > 0) & (rows.given < 1)).any()
    )
    counts, others = (n_queries, n_single, rows.longest), (has_missed, has_fractions, float(rows.highest))
    has_classes = scores is not None and scores.were_whole and look_predicted(rows, scores)
    return Facts(*counts, retrieved, constant, swapped, NONE_CUT, *others, has_classes)


def _find_constant(
    rows: PreparedRows, thresholds: Iterable[float | None]
) -> dict[float | None, tuple[float, float]]:
    """Return the thresholds that divide no query, each with the lowest and highest label.

    Growing spans of queries are examined until one is divided; in ordinary data, the first one is.
    """
    labels, (order, firsts, lengths, _) = rows.labels, rows.queries
    stop = min(lengths.item(0), SEEN_FIRST)  # usually the first query is enough, as a list if it is short
    first_labels = labels[slice(stop) if order is None else order[:stop]].tolist()
    low, high = min(first_labels), max(first_labels)
    left = [least for least in thresholds if not (low < high if least is None else low < least <= high)]
    start, n_looked_at = 0, 1
    while left and start < len(firsts):
        stop = min(start + n_looked_at, len(firsts))
        first, last = firsts[start], firsts[stop - 1] + lengths[stop - 1]
        some = labels[first:last] if order is None else labels[order[first:last]]
        heads = firsts[start:stop] - first
        low, high = np.fmin.reduceat(some, heads), np.fmax.reduceat(some, heads)
        left = [
            each for each in left if not np.any(low < high if each is None else (low < each) & (high >= each))
        ]
        start, n_looked_at = stop, STEP * n_looked_at
    return dict.fromkeys(left, (float(np.fmin.reduce(labels)), float(np.fmax.reduce(labels)))) if left else {}


CAUTIONS = {
    "classes": (
        "scores look like classes that a classifier predicts (0 and 1, like the labels), so most "
        "documents of a query are tied. Pass its scores, such as model.predict_proba(X)[:, 1], or "
        'method="predict_proba" to cross_val_predict.'
    ),
    "swapped": (
        "labels and scores look swapped (many different real labels, but small integers as scores), so the "
        "value is probably wrong. Pass labels first: f(y_true, y_score)."
    ),
    "nothing": "no document is relevant{where} ({why}), so every ranking has the same value. {fix}",
    "all": (
        "all documents are relevant{where} (every label is at least min_relevance={least:g}), so every "
        "ranking has the same value. If labels are ratings from 1 to 5, set the threshold, for example "
        "min_relevance=4. If labels are item ids, build rows with from_recommendations."
    ),
    "equal": (
        "the documents of each query are equally relevant{where}, so every ranking has the same value. If "
        "only interactions are logged, add documents without one, such as sampled negatives, or rank all "
        "items with catalog_scorer. If labels are item ids, build rows with from_recommendations."
    ),
    "fractions": (
        "labels are between 0 and 1, but only documents with the label 1 are relevant{where}, because "
        "min_relevance was left out. Pass the lowest relevant label, for example min_relevance=0.5, or "
        "min_relevance=1 if this is intended."
    ),
    "single": (
        "{n_single} of {n_queries} queries{where} have one document only, so every ranking of them has the "
        "same value. Rank each test document among others, such as sampled negatives or all items. Or check "
        "that 'groups' contains query ids and not row ids."
    ),
    "short": (
        "no query{where} has more documents than k={k}, so all are above the cutoff and every ranking has "
        "the same value. Choose a lower k, or rank the documents of each query among others, such as sampled "
        "negatives or all items."
    ),
    "cut": (
        "the lists look cut at {depth} documents, because no query has more with a rank, and most have "
        "{depth}. These metrics need the ranks of all documents. Pass all pairs, or use a metric with a "
        "cutoff, for example ndcg@10."
    ),
    "deep": (
        "the lists look cut at {depth} documents, so the value at k={k} is too low. Use k={depth} or less, "
        "or read longer lists."
    ),
}
EVERYWHERE = {"nothing": " in any query"}  # instead of folds, in calls without folds
ALL_ZERO, NONE_ABOVE = "every label is 0", "no label is at least min_relevance={least:g}"
PASS_LABELS = "Check that the labels belong to these rows."
LOWER = "Pass a lower threshold, for example min_relevance={highest:.4g}."


NAMED = ("short", "cut", "deep")  # cautions that name the metrics even if all are concerned
UNMET = (
    "No id of 'missed' is in 'groups', so its labels are ignored. Check that both contain the same query ids."
)
TOO_HIGH = 10  # factor by which document ids usually exceed labels
LIKE_IDS = (
    "most labels of 'missed' are above ten times the highest label of rows ({highest:g}), so they look like "
    "document ids. Pass labels instead: {{query: [1] * len(ids) for query, ids in missed.items()}}."
)


class Finding(NamedTuple):
    """A caution that applies, the metrics that it concerns, and the details of its text."""

    caution: str
    names: tuple[str, ...]
    details: Options


_silent: ContextVar[bool] = ContextVar("silent", default=False)


def without_cautions() -> AbstractContextManager[None]:
    """Turn off cautions, because the caller has given them."""
    return turn_on(_silent)


def caution(opened: Opened, requests: Sequence[Request], values: Sequence[Values]) -> None:
    """Warn if rows and scores are uninformative for metrics with these values."""
    named = ((request.name, value) for request, value in zip(requests, values))
    caution_subjects(opened, list_subjects(requests), named)


def caution_labels(rows: PreparedRows, requests: Sequence[Request]) -> None:
    """Warn if rows, such as an evaluation set, are uninformative whatever the scores are."""
    _warn_of_missed(rows)
    if not is_inside_call():
        caution_facts(find_facts(rows, None, list_subjects(requests)), requests)


def _warn_of_missed(rows: PreparedRows) -> None:
    """Warn if labels of documents that are not rows belong to other queries, or look like document ids."""
    if rows.no_id_matches:
        warn_user(f"{name_call()}: {UNMET}", RankingWarning)
    if not rows.n_missed or rows.highest <= TOO_HIGH:
        return
    labels, missed = rows.given[: -rows.n_missed], rows.given[-rows.n_missed :]
    highest = max(float(np.fmax.reduce(labels)), 1.0)
    if np.median(missed) > TOO_HIGH * highest and (missed % 1 == 0).all():
        warn_user(f"{name_call()}: {LIKE_IDS.format(highest=highest)}", RankingWarning)


def caution_facts(facts: Facts, requests: Sequence[Request]) -> None:
    """Warn if rows that were read in parts are uninformative."""
    for finding in list_findings(facts, list_subjects(requests)):
        give_caution(finding, len(requests))


def find_cautions(
    labels: Labels, groups: Ids, requests: Sequence[Request], ends: Sequence[int] = ()
) -> list[list[Finding]]:
    """Find the cautions that apply to each test set, of one query or more; test sets end after these rows."""
    rules, subjects = find_label_rules(requests), list_subjects(requests)
    parts = [rows := open_labels(labels, groups, rules)]
    if len(ends) > 1:
        ids: Any = groups
        spans = [*zip((0, *ends), ends)]
        parts = [
            PreparedRows(
                rows.given[start:end], find_queries(ids[start:end], end - start), None, rules.unjudged
            )
            for start, end in spans
        ]
    return [list_findings(find_facts(part, None, subjects), subjects, fewest=1) for part in parts]


def caution_subjects(opened: Opened, subjects: Sequence[Subject], named: Iterable[tuple[str, Any]]) -> None:
    """Warn if rows and scores are uninformative for named values; those that are nan have another warning."""
    if _silent.get():
        return
    _warn_of_missed(opened.rows)
    facts = find_facts(opened.rows, opened.scores, subjects)
    if not facts.retrieved:
        facts = facts._replace(cut=find_lists(opened.rows, opened.scores).sum())
    findings = list_findings(facts, subjects)
    if note_depth(opened, facts.n_queries, facts.cut.longest or facts.longest, subjects):
        findings = [each for each in findings if each.caution != "deep"]  # `warn_of_depths` names the runs
    values = dict(named) if findings else {}
    for finding in findings:
        names = finding.names
        if finding.caution in ("nothing", "all", "equal"):
            names = tuple(name for name in names if not np.isnan(values[name]).all())
        if names:
            give_caution(finding._replace(names=names), len(values))


def list_findings(facts: Facts, subjects: Sequence[Subject], fewest: int = 2) -> list[Finding]:
    """List the cautions that apply to rows of at least `fewest` queries."""
    found = [Finding(*each) for each in _list_constants(facts, subjects)] if facts.constant else []
    if facts.n_queries - facts.n_single < 2:  # single documents are never compared
        found = [each for each in found if each.caution == "nothing"]
    if 2 * facts.n_single > facts.n_queries and facts.retrieved:
        details = {"n_single": facts.n_single, "n_queries": facts.n_queries}
        found.append(Finding("single", _name_all(subjects), details))
    short = [each for each in subjects if each.k is not None and WHOLE > each.k >= facts.longest > 1]
    if short and facts.retrieved:
        details = {"k": min(each.k for each in short if each.k is not None)}
        found.append(Finding("short", tuple(each.name for each in short), details))
    found += _list_cut(facts.cut, subjects)
    if facts.n_queries < 2:
        found = [each for each in found if each.caution == "nothing" and fewest < 2]
    if facts.has_fractions and facts.highest == 1:
        by_default = tuple(each.name for each in subjects if each.by_default and each.min_relevance == 1)
        found += [Finding("fractions", by_default, {})] * bool(by_default)
    if facts.has_classes and subjects:
        found.append(Finding("classes", _name_all(subjects), {}))
    return [Finding("swapped", _name_all(subjects), {})] if facts.swapped else found


def _list_cut(cut: CutLists, subjects: Sequence[Subject]) -> Iterator[Finding]:
    """Yield the cautions about lists that look cut."""
    if (depth := cut.depth) is None:
        return
    pairs = tuple(each.name for each in subjects if each.stem in NEED_ALL)
    if pairs and not cut.n_others:  # documents without a rank are all relevant, so others are missing
        yield Finding("cut", pairs, {"depth": depth})
    cutoffs = {each.name: each.cutoff for each in subjects if each.cutoff and each.stem not in NEED_ALL}
    if deep := [name for name, k in cutoffs.items() if depth < k < WHOLE]:
        yield Finding("deep", tuple(deep), {"depth": depth, "k": max(map(cutoffs.__getitem__, deep))})


def _name_all(subjects: Sequence[Subject]) -> tuple[str, ...]:
    return tuple(subject.name for subject in subjects) or ("",)


def _list_constants(facts: Facts, subjects: Sequence[Subject]) -> Iterator[tuple[str, tuple[str, ...], Any]]:
    """Yield why the documents of each query count the same: no, all or equal relevance."""
    by_caution: dict[str, list[Subject]] = {}
    for subject in subjects:
        if subject.key not in facts.constant:
            continue
        low, high = facts.constant[subject.key]
        least = subject.min_relevance
        if not (high >= least if least is not None else low < 0 or high > 0):
            by_caution.setdefault("nothing", []).append(subject)
        elif facts.retrieved:
            is_all = least is not None and low >= least and low < high
            by_caution.setdefault("all" if is_all else "equal", []).append(subject)
    for name, found in by_caution.items():
        thresholds = [each.min_relevance for each in found if each.min_relevance is not None]
        highest = float(np.fmax.reduce([facts.constant[each.key][1] for each in found]))
        details: Options = {}
        if name == "nothing":
            is_zero = not highest > 0
            why = ALL_ZERO if highest == 0 else NONE_ABOVE.format(least=min(thresholds, default=1))
            details = {"why": why, "fix": PASS_LABELS if is_zero else LOWER.format(highest=highest)}
        elif name == "all":
            details = {"least": max(thresholds)}
        yield name, tuple(each.name for each in found), details


def give_caution(finding: Finding, n_metrics: int, where: str = "") -> None:
    """Warn about one finding; `where` names the folds, if any."""
    n_others = len(finding.names) - MOST_NAMES
    names = ", ".join(finding.names[:MOST_NAMES]) + f" and {n_others} others" * (n_others > 0)
    of = f" ({names})" if names and finding.caution not in ("single", "swapped", "classes") else ""
    of = "" if len(finding.names) == n_metrics and finding.caution not in NAMED else of
    text = CAUTIONS[finding.caution].format(
        where=where or EVERYWHERE.get(finding.caution, ""), **finding.details
    )
    warn_user(f"{name_call()}{of}: {text}", RankingWarning)
