"""Checks of the folds of a call before training.

The call also issues the warnings about the folds of searches inside its model, each once.
"""

from collections.abc import Iterator, Sequence
from contextlib import suppress
from contextvars import ContextVar
from copy import deepcopy
from operator import attrgetter
from typing import Any

import numpy as np

from ..._checks.containers import take
from ..._checks.errors import MOST_LETTERS, fail, shorten
from ..._checks.types import Splitter
from ..._checks.warn import warn_user
from ..._rows.bound import RowTable
from ..._rows.needs import Needs
from ...metrics import (
    Finding,
    RankingScorer,
    check_labels,
    find_cautions,
    give_caution,
    mark_positive,
    with_scale,
)
from .._catalog.seen_pairs import count_repeats, read_pairs
from .._splitters.group_splits import as_splitter, count_cut, spell_splitter
from .bound_parts import BoundScorer, split_rows
from .read_columns import list_rankings

CUTS_QUERIES = (
    "{cv} cuts queries: in {folds}, {n_cut} of {n_tested} test queries have rows in the training set too, so "
    "scores can be too high. Use cv=5 or a splitter of whole queries, such as BalancedGroupKFold."
)
REPEATS = (
    "{cv} tests training pairs again: {n_repeats} of {n_tested} test pairs of user and item, in {folds}, so "
    "seen='exclude' leaves them out. For repeated purchases, pass catalog_scorer(..., seen='include'). "
    "Otherwise, drop repeated pairs from X."
)
FEWER_FOLDS = "Use fewer folds. To check folds before training, call check_folds(cv, X, y, groups=qid)."
SHOWN = 8  # folds that a warning lists

Folds = list[tuple[np.ndarray, np.ndarray]]
Scorers = Sequence[RankingScorer]
TestedLabels = list[tuple[list[RankingScorer], np.ndarray, str]]  # with their scorers and their name
Warned = set[tuple[str, str, str]]  # cautions, the names of the labels, and those of the search

# Whether a call fits the model and issues the warnings about the searches inside it.
watched: ContextVar[bool] = ContextVar("watched", default=False)


def check_folds(
    rows: RowTable, folds: Folds, splitter: Splitter, scorers: Sequence[BoundScorer], model: Needs
) -> None:
    """Check the test sets of a call, and warn about its folds and those of searches inside its model.

    Scorers of catalogs expect cut users, so the warning is about repeated pairs instead. Ranking scorers get
    one scale of grades; cautions about labels are given here, with their folds, and not by the scorers.
    """
    if not folds:
        fail("cv", "yield at least one fold", "none", "Pass cv=5.")
    labels = _list_labels(rows, scorers)
    for rankings, tested, name in labels:
        _check_tested_labels(tested, folds, rankings, name)
        for each in scorers:
            if each.scorer in rankings:
                each.scorer = with_scale(each.scorer, tested)
    if any(map(attrgetter("is_ranking"), scorers)):
        empty = [fold for fold, (_, test) in enumerate(folds) if not len(rows.codes[test])]
        if empty:
            fail("cv", "have rows in each test set", f"none in {_name_folds(empty, len(folds))}")
    if watched.get():
        return
    warned = Warned()
    if rows.recorded:
        excluding = [each.scorer for each in scorers if each.records and each.scorer.seen == "exclude"]
        for columns in dict.fromkeys(each.columns for each in excluding):
            _warn_of_repeats(rows, folds, splitter, columns)
    else:
        _warn_of_cuts(rows, folds, splitter, warned)
    _warn_of_labels(rows, folds, labels, warned)
    for search, inner_splitter, inner in [] if model.is_simple else _iter_inner_folds(model, folds, rows):
        name, rankings = type(search.model).__name__, list_rankings(search.model)
        if search.passes_ids_itself:
            _warn_of_cuts(rows, inner, inner_splitter, warned, name)
        _warn_of_labels(rows, inner, _list_labels(rows, [*map(BoundScorer, rankings)]), warned, name)


def _check_tested_labels(labels: np.ndarray, folds: Folds, scorers: Scorers, parameter: str) -> None:
    """Raise an error if the scorers reject a label of a test set. Labels of other rows are not checked.

    Otherwise a rejected label would result in a score of NaN after a long fit.
    """
    in_test = np.zeros(len(labels), dtype=bool)
    for _, test in folds:
        in_test[test] = True
    tested = labels[in_test]
    for scorer in scorers if len(tested) else ():
        with suppress(Exception):  # also of a gain that the caller passed
            check_labels(scorer.list_requests(), tested)
            continue
        known = labels.copy()
        known[~in_test] = np.zeros(1, int).astype(labels.dtype)  # so that the error names the right row
        try:
            check_labels(scorer.list_requests(), known)
        except ValueError as error:
            text = str(error).replace("y_true", parameter)
            named = text.replace(" must", f", scored by {shorten(scorer.describe())}, must", 1)
            raise ValueError(named if len(named) <= MOST_LETTERS else text) from None


def _list_labels(rows: RowTable, scorers: Sequence[BoundScorer]) -> TestedLabels:
    """List the labels for scoring that are 1-D or one column, with their ranking scorers and their name."""
    found, n_rows = [], len(rows.codes)
    by_name: dict[Any, list[RankingScorer]] = {}
    for each in scorers:
        if each.is_ranking:
            by_name.setdefault((each.scorer.labels, each.scorer.pos_label), []).append(each.scorer)
    for (name, _), some in by_name.items():
        values = rows.y if name is None else rows.columns.get(name)
        with suppress(Exception):  # if numpy cannot read them, scikit-learn raises its own error
            if (labels := np.asarray(mark_positive(some[0], values))).shape in ((n_rows,), (n_rows, 1)):
                found.append((some, labels.ravel(), name or "y"))
    return found


def _warn_of_cuts(rows: RowTable, folds: Folds, cv: Splitter, warned: Warned, search: str = "") -> None:
    """Warn about folds that cut queries, unless that is the purpose of the splitter."""
    if getattr(cv, "cuts_groups", False) or ("cuts", "", search) in warned:
        return
    cut, n_cut, n_tested = list[int](), 0, 0
    for fold, (train, test) in enumerate(folds):
        n_cut_here, n_tested_here = count_cut(rows.codes[train], rows.codes[test])
        if n_cut_here:
            cut, n_cut, n_tested = [*cut, fold], n_cut + n_cut_here, n_tested + n_tested_here
    if cut:
        warned.add(("cuts", "", search))
        named, cv = _name_folds(cut, len(folds), search), spell_splitter(cv)
        warn_user(CUTS_QUERIES.format(cv=cv, folds=named, n_cut=n_cut, n_tested=n_tested))


def _warn_of_repeats(
    rows: RowTable, folds: Folds, cv: Splitter, columns: tuple[str | int, str | int]
) -> None:
    """Warn about test pairs of user and item that are also training pairs, which scorers will exclude."""
    _called_as = "catalog_scorer"
    pairs = read_pairs(rows.X, *columns)
    found = [count_repeats(pairs, *fold) for fold in folds]
    if any(found):
        named = _name_folds(np.flatnonzero(found).tolist(), len(folds))
        n_tested = sum(len(pairs.user_codes[test]) for _, test in folds)
        text = REPEATS.format(cv=spell_splitter(cv), folds=named, n_repeats=sum(found), n_tested=n_tested)
        warn_user(text)


def _warn_of_labels(
    rows: RowTable, folds: Folds, labels: TestedLabels, warned: Warned, search: str = ""
) -> None:
    """Give the cautions about the labels of test sets, each once with the folds that it concerns."""
    numbers, tests = np.arange(len(rows.codes)), dict[int, np.ndarray]()
    for fold, (_, test) in enumerate(folds):
        if len(tested := numbers[test]):
            tests[fold] = tested
    counted = {id(each): each.list_requests() for some, *_ in labels for each in some if each.missed is None}
    for some, values, name in labels if tests else ():
        requests = [request for each in some for request in counted.get(id(each), [])]
        if not requests:  # scorers with `missed` count documents without a row
            continue
        n_metrics = len(requests) + len(counted.keys() - {*map(id, some)})
        found: dict[tuple[Any, ...], dict[int, Finding]] = {}
        joined, ends = np.concatenate([*tests.values()]), np.cumsum([*map(len, tests.values())]).tolist()
        for fold, findings in zip(tests, find_cautions(values[joined], rows.codes[joined], requests, ends)):
            for finding in findings:
                reason = finding.caution, finding.names, finding.details.get("why")
                found.setdefault(reason, {})[fold] = finding
        for (caution, names, _), by_fold in found.items():
            if (caution, name, search) in warned:
                continue
            warned.add((caution, name, search))
            details = dict(next(iter(by_fold.values())).details)
            for count in details.keys() & {"n_single", "n_queries"}:
                details[count] = sum(each.details[count] for each in by_fold.values())
            if "fix" in details and len(by_fold) < len(folds):
                details["fix"] = FEWER_FOLDS
            named = _name_folds(list(by_fold), len(folds), search)
            where = f" in the test set{'s' * (len(by_fold) > 1)} of {named}"
            give_caution(Finding(caution, names, details), n_metrics, where)


def _name_folds(folds: list[int], n_folds: int, search: str = "") -> str:
    """Return the names of folds as text, and only their number for folds of a search inside the model."""
    if search:
        return f"{len(folds)} of {n_folds} folds of {search} inside the model"
    if len(folds) == n_folds > 1:
        return f"all {n_folds} folds"
    some = ", ".join(map(str, folds[:SHOWN])) + ", ..." * (len(folds) > SHOWN)
    return f"fold{'s' * (len(folds) > 1)} {some} of {n_folds}"


# ------------------------------------------------------------------ searches inside a model


def _iter_inner_folds(model: Needs, folds: Folds, rows: RowTable) -> Iterator[tuple[Needs, Any, Folds]]:
    """Yield each search inside a model, its splitter, and its folds in each training set, as rows of X.

    Searches inside the models of searches are included.
    """
    for needs in iter_searches(model):
        cv, splitter, inner = needs.parameters.get("cv"), None, Folds()
        with suppress(ValueError):  # `fit` raises it
            splitter = as_splitter(cv, 0) if not hasattr(cv, "__next__") else None  # `fit` reads iterators
        for train, _ in folds:
            some = np.arange(len(rows.codes))[train]
            with suppress(Exception):  # errors of a splitter, which `fit` raises
                given = take(rows.X, some), take(rows.y, some), rows.take(some)
                inner += [(some[fit], some[test]) for fit, test in split_rows(deepcopy(splitter), *given)]
        yield needs, splitter, inner
        for part in needs.parts:
            yield from _iter_inner_folds(part, inner, rows)


def iter_searches(needs: Needs) -> Iterator[Needs]:
    """Yield the searches among a model and its parts, not those inside searches."""
    if needs.is_search:
        yield needs
    elif needs.parts and needs.is_theirs and not needs.is_frozen:
        for part in needs.parts:
            yield from iter_searches(part)
