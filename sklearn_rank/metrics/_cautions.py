"""Cautions: warnings about rows whose every ranking has the same value, and about lists that look sampled.

Each has a row in a table. Functions of labels and scores give them for their rows; cross-validation gives
them once, before anything is trained, with the folds that they concern.
"""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from contextvars import ContextVar
from typing import Any, NamedTuple

import numpy as np

from .._checks.warn import RankingWarning, is_inside_call, turn_on, warn_user
from .._engine.prepared import PreparedRows
from ._facts import WHOLE, Facts, find_facts, list_subjects
from ._opened import Opened, open_labels
from ._requests import Request, Subject, find_label_rules

# Metrics that may order models otherwise among drawn candidates, and what lists of such look like.
MISLED = ("recall", "hit_rate", "ndcg", "mrr", "map")
MANY_LISTS, ROUND, DRAWN = 100, 50, (50, 1001)

CAUTIONS = {
    "swapped": (
        "labels and scores look swapped (thousands of different real labels, and scores that are small "
        "integers), so the value is probably wrong. Pass labels first: f(y_true, y_score)."
    ),
    "nothing": "no document is relevant{where} ({why}), so every ranking has the same value. {fix}",
    "all": (
        "all documents are relevant{where} (every label is at least min_relevance={least:g}), so every "
        "ranking has the same value. If labels are ratings from 1 to 5, set the threshold, for example "
        "min_relevance=4. If labels are item ids, build rows with from_recommendations."
    ),
    "equal": (
        "the documents of each query are equally relevant{where}, so every ranking has the same value. If "
        "only interactions are logged, add documents without one, such as sampled negatives. If labels are "
        "item ids, build rows with from_recommendations."
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
    "sampled": (
        "the lists look sampled (each contains one relevant document and {n_others} others), so models can "
        "rank differently than over all items. If the others were drawn, correct for it by sampled_score. If "
        "not, ignore this: warnings.filterwarnings('ignore', '.*the lists look sampled')."
    ),
}
EVERYWHERE = {"nothing": " in any query"}  # instead of folds, in calls without folds
ALL_ZERO, NONE_ABOVE = "every label is 0", "no label is at least min_relevance={least:g}"
PASS_LABELS = "Check that the labels belong to these rows."
LOWER = "Pass a lower threshold, for example min_relevance={highest:.4g}."


class Finding(NamedTuple):
    """A caution that applies, the metrics that it concerns, and the details of its text."""

    caution: str
    names: tuple[str, ...]
    details: dict[str, Any]


_silent: ContextVar[bool] = ContextVar("silent", default=False)


def without_cautions() -> AbstractContextManager[None]:
    """Give no cautions: the caller has given them."""
    return turn_on(_silent)


def caution(function: str, opened: Opened, requests: Sequence[Request], values: Sequence[Any]) -> None:
    """Warn if rows and scores are uninformative for metrics with these values."""
    named = ((request.name, value) for request, value in zip(requests, values))
    caution_subjects(function, opened, list_subjects(requests), named)


def caution_labels(function: str, rows: PreparedRows, requests: Sequence[Request]) -> None:
    """Warn if rows, such as an evaluation set, are uninformative whatever the scores are."""
    if not is_inside_call():
        caution_facts(function, find_facts(rows, None, list_subjects(requests)), requests)


def caution_facts(function: str, facts: Facts, requests: Sequence[Request]) -> None:
    """Warn if rows that came in parts are uninformative."""
    for finding in list_findings(facts, list_subjects(requests)):
        give_caution(function, finding, len(requests))


def find_cautions(function: str, labels: Any, groups: Any, requests: Sequence[Request]) -> list[Finding]:
    """Find the cautions that apply to the test set of a fold, of one query or more."""
    rows = open_labels(function, labels, groups, find_label_rules(requests))
    subjects = list_subjects(requests)
    return list_findings(find_facts(rows, None, subjects), subjects, fewest=1)


def caution_subjects(
    function: str, opened: Opened, subjects: Sequence[Subject], named: Iterable[tuple[str, Any]]
) -> None:
    """Warn if rows and scores are uninformative for named values; those that are nan have another warning."""
    if _silent.get():
        return
    findings = list_findings(find_facts(opened.rows, opened.scores, subjects), subjects)
    values = dict(named) if findings else {}
    for finding in findings:
        names = finding.names
        if finding.caution in ("nothing", "all", "equal"):
            names = tuple(name for name in names if not np.isnan(values[name]).all())
        if names:
            give_caution(function, finding._replace(names=names), len(values))


def list_findings(facts: Facts, subjects: Sequence[Subject], fewest: int = 2) -> list[Finding]:
    """List the cautions that apply to rows of at least `fewest` queries."""
    found = [Finding(*each) for each in _list_constants(facts, subjects)] if facts.constant else []
    if facts.n_queries - facts.n_single < 2:  # single documents are never compared
        found = [each for each in found if each.caution == "nothing"]
    if 2 * facts.n_single > facts.n_queries and not facts.missed:
        details = {"n_single": facts.n_single, "n_queries": facts.n_queries}
        found.append(Finding("single", _name_all(subjects), details))
    short = [each for each in subjects if each.k is not None and WHOLE > each.k >= facts.longest > 1]
    if short and facts.retrieved:
        details = {"k": min(each.k for each in short if each.k is not None)}
        found.append(Finding("short", tuple(each.name for each in short), details))
    if facts.n_queries < 2:
        found = [each for each in found if each.caution == "nothing" and fewest < 2]
    return [Finding("swapped", _name_all(subjects), {})] if facts.swapped else found


def _name_all(subjects: Sequence[Subject]) -> tuple[str, ...]:
    return tuple(subject.name for subject in subjects) or ("",)


def _list_constants(facts: Facts, subjects: Sequence[Subject]) -> Iterator[tuple[str, tuple[str, ...], Any]]:
    """Yield why documents of each query count the same: none is relevant, or all, or labels are equal."""
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
        details: dict[str, Any] = {}
        if name == "nothing":
            is_zero = not highest > 0
            why = ALL_ZERO if highest == 0 else NONE_ABOVE.format(least=min(thresholds, default=1))
            details = {"why": why, "fix": PASS_LABELS if is_zero else LOWER.format(highest=highest)}
        elif name == "all":
            details = {"least": max(thresholds)}
        yield name, tuple(each.name for each in found), details


def give_caution(function: str, finding: Finding, n_metrics: int, where: str = "") -> None:
    """Warn of one finding; `where` names the folds, if any."""
    names = ", ".join(finding.names)
    of = f" ({names})" if names and finding.caution not in ("single", "swapped") else ""
    of = "" if len(finding.names) == n_metrics and finding.caution not in ("short", "sampled") else of
    text = CAUTIONS[finding.caution].format(
        where=where or EVERYWHERE.get(finding.caution, ""), **finding.details
    )
    warn_user(f"{function}{of}: {text}", RankingWarning)


def caution_sampled(
    function: str, requests: Sequence[Request], sizes: np.ndarray, n_relevant: np.ndarray
) -> None:
    """Warn where all lists hold one relevant document among a round number of others, as drawn ones do.

    A catalog is rarely of a round size, and candidates that were retrieved hold none or several for some.
    """
    if _silent.get() or len(sizes) < MANY_LISTS:
        return
    if not DRAWN[0] <= sizes[0] <= DRAWN[1] or sizes[0] % ROUND > 1:
        return
    names = tuple(each.name for each in requests if each.metric.stem in MISLED)
    if names and (sizes == sizes[0]).all() and (n_relevant == 1).all():
        give_caution(function, Finding("sampled", names, {"n_others": sizes[0] - 1}), len(requests))
