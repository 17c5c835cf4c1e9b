"""Evaluation sets of the boosted rankers: passed to `fit`, or held out from its rows."""

from contextlib import suppress
from inspect import currentframe
from itertools import product
from math import ceil
from typing import Any, NamedTuple

import numpy as np
from sklearn.pipeline import Pipeline

from .._checks.containers import (
    check_entries,
    check_same_order,
    column_names,
    count_rows,
    has_column,
    is_index_level,
    resolve_groups,
    take,
)
from .._checks.errors import count_of, fail, is_real, kind_of, name_call
from .._checks.options import check_params
from .._checks.types import Features, Ids, Labels, Options
from .._checks.warn import RankingWarning, is_inside_call, warn_user
from ..metrics import RankingScorer, check_once, read_labels
from ..model_selection import train_test_split
from ._query_rows import RankingData, as_labels, check_judged, group_rows, weigh_queries, weighs

FEW_QUERIES = 50  # that are compared
KNOWN = (
    "{function}: the evaluation rows are training rows, so early stopping does not notice overfitting. Pass "
    "rows of other queries as eval_set, or validation_fraction=0.1."
)
TUPLES = "be a tuple with one array per evaluation set"
UNTRANSFORMED = (
    "{function}: the Pipeline transforms X but not {name!r}, so early stopping uses features unlike those of "
    "training. Pass validation_fraction=0.1 instead, or pass eval_X=(X_held_out,), eval_y=(y_held_out,) and "
    'Pipeline(..., transform_input=["eval_X"]).'
)


def read_eval_sets(
    eval_set: object, eval_X: Features, eval_y: Labels, eval_groups: Ids, **given: Any
) -> list[RankingData]:
    """Return the features, labels, ids and other data of each evaluation set."""
    given = {name: values for name, values in given.items() if values is not None}
    pairs = _pair_features_and_labels(eval_set, eval_X, eval_y)
    if pairs is None:
        for name in [*(["eval_groups"] if eval_groups is not None else []), *given]:
            fail(name, "be combined with 'eval_set'", f"{name!r} alone")
        return []
    for name, values in {"eval_groups": eval_groups, **given}.items():
        example = "qid_held_out" if name == "eval_groups" else "values"
        _check_each_set(name, values, len(pairs), f"[{example}]")
    _warn_of_untransformed("eval_set" if eval_X is None else "eval_X")
    row_data = [{name: values[i] for name, values in given.items()} for i in range(len(pairs))]
    return [RankingData(X, y, ids, data) for (X, y), ids, data in zip(pairs, eval_groups, row_data)]


def _check_each_set(parameter: str, values: Any, n_sets: int, example: str) -> None:
    """Check that there is a list with one entry per evaluation set."""
    is_list = isinstance(values, list | tuple)
    if not is_list or len(values) != n_sets:
        rule = f"be a list with one entry per evaluation set ({count_of(n_sets, 'set')})"
        got = count_of(len(values), "entry", "entries") if is_list else kind_of(values)
        fail(parameter, rule, got, f"Pass {parameter}={example}.")


def _pair_features_and_labels(eval_set: object, eval_X: Features, eval_y: Labels) -> list[Any] | None:
    """Return the features and labels of each evaluation set, passed in any form."""
    if eval_X is None and eval_y is None:
        return None if eval_set is None else _read_eval_set(eval_set)
    if eval_set is not None:
        fail("eval_set", "be None if 'eval_X' and 'eval_y' are passed", kind_of(eval_set))
    for name, part, values in (("eval_X", "X", eval_X), ("eval_y", "y", eval_y)):
        if not isinstance(values, tuple):  # scikit-learn reads lists as one array, and splits arrays in folds
            got = "None" if values is None else kind_of(values)
            fail(name, TUPLES, got, f"Pass {name}=({part}_held_out,).")
    if len(eval_X) != len(eval_y):
        rule = f"have one entry per entry of 'eval_X' ({len(eval_X)})"
        fail("eval_y", rule, count_of(len(eval_y), "entry", "entries"))
    return list(zip(eval_X, eval_y))


def _read_eval_set(eval_set: object) -> list[Any]:
    """Return the pairs of an `eval_set`, which can be one pair."""
    if not isinstance(eval_set, list | tuple):
        fail("eval_set", "be a list of pairs (X, y)", kind_of(eval_set))
    is_pair = isinstance(eval_set, tuple) and len(eval_set) == 2 and not isinstance(eval_set[0], tuple)
    pairs = [eval_set] if is_pair else list(eval_set)
    if any(not isinstance(pair, list | tuple) or len(pair) != 2 for pair in pairs):
        fail("eval_set", "be a list of pairs (X, y)", ", ".join(type(pair).__name__ for pair in pairs))
    return pairs


def _warn_of_untransformed(name: str) -> None:
    """Warn if the pipeline that is being fitted transforms X, but not the evaluation sets.

    A step gets no reference to its pipeline, so look for the pipeline in the call stack.
    """
    frame, transforming = currentframe(), []
    while frame is not None:
        model, method = frame.f_locals.get("self"), frame.f_code.co_name
        if isinstance(model, Pipeline) and method == "_fit":
            transforming.append(model)  # this is inside a step before the last one
        elif isinstance(model, Pipeline) and method.startswith("fit") and model not in transforming:
            changes = any(step not in (None, "passthrough") for _, step in model.steps[:-1])
            if changes and name not in (getattr(model, "transform_input", None) or ()):
                warn_user(UNTRANSFORMED.format(function=name_call(), name=name), RankingWarning)
                return
        frame = frame.f_back


def warn_of_training_rows(rows: RankingData, sets: list[RankingData]) -> None:
    """Warn if the rows of all evaluation sets are training rows, by ids, labels and features."""
    with suppress(Exception):  # input that cannot be compared is rejected elsewhere
        fewest = 0.5 if is_inside_call() else 0.9  # folds leave out some of the rows
        if sets and all(_share_known(rows, each) >= fewest for each in sets):
            warn_user(KNOWN.format(function=name_call()), RankingWarning)


def _share_known(rows: RankingData, others: RankingData) -> float:
    """Return the share of rows that are among other ones, in a few queries."""
    wanted = np.unique(np.asarray(resolve_groups(others.groups, others.X, others.y)))
    wanted = wanted[np.unique(np.linspace(0, len(wanted) - 1, FEW_QUERIES).astype(np.int64))]
    texts = []
    for X, y, groups, *_ in (rows, others):
        ids = np.ravel(np.asarray(resolve_groups(groups, X, y)))
        places = np.flatnonzero(np.isin(ids, wanted))
        values = np.column_stack([np.asarray(take(X, places), dtype=object), np.ravel(np.asarray(y))[places]])
        texts.append([f"{id_} {list(row)}" for id_, row in zip(ids[places], values.tolist())])
    known = set(texts[0])
    return float(np.mean([text in known for text in texts[1]]))


class Stopping(NamedTuple):
    """The options of early stopping on held-out queries."""

    waits: str  # the parameter that sets a number of rounds to wait; empty without one
    remedy: str  # how to set it
    random_state: Any
    scorers: list[RankingScorer]  # the scorers of this package among its metrics
    has_own: bool  # whether its metrics include the library's own
    clash: str | None = None  # an option that cannot be combined with it
    labels: Any = None  # labels other than y by name: `eval_labels`


def read_eval_labels(stopping: Stopping, sets: list[RankingData]) -> list[RankingData]:
    """Return data sets with the labels that scorers request, which were passed or are index levels."""
    names = {each.labels for each in stopping.scorers if each.labels is not None}
    levels = {name: name for name in names if all(is_index_level(name, each.X, each.y) for each in sets)}
    given = stopping.labels
    if column_names(given) is not None:  # a frame, which cross-validation can split
        given = {name: given[name] for name in column_names(given)}
    given = check_params(given, "eval_labels")
    for name, (X, y, *_) in product(sorted(names), sets):
        if has_column(X, name):
            got, fix = f"the column {name!r}, on which the model would be trained", f"Drop {name!r} from X."
            fail("X", f"not contain the labels {name!r} for early stopping", got, fix)
        check_once(name, given.get(name), X, y, "eval_labels")
    scorers = {each.describe(): each for each in stopping.scorers}
    found = read_labels(scorers, {**levels, **given}, parameter="eval_labels")
    labels: list[Options] = [{} for _ in sets]
    for name, values in found.items():
        is_list = isinstance(values, list | tuple) and all(hasattr(each, "__len__") for each in values)
        by_set = values if is_list else [values] * (len(sets) if isinstance(values, str) else 1)
        _check_each_set("eval_labels", by_set, len(sets), f"{{{name!r}: [values]}}")
        for (X, y, *_), column, each in zip(sets, by_set, labels):
            column = resolve_groups(column, X, y, "eval_labels", columns=False)
            fix = "To split it in cross-validation, pass a frame: pandas.DataFrame(eval_labels)."
            check_entries(column, count_rows(X), "eval_labels", fix)
            check_same_order(X=X, eval_labels=column)
            each[name] = as_labels(column, "eval_labels")
    return [data._replace(labels=each) for data, each in zip(sets, labels)]


def hold_out(fraction: object, data: RankingData, stopping: Stopping) -> tuple[RankingData, RankingData, Any]:
    """Hold out a share of the queries; return training rows, held-out rows, and the held-out ids."""
    X, y, groups, row_data, given = data
    if not is_real(fraction) or not 0 < fraction < 1:
        fail("validation_fraction", "be between 0 and 1, or None", repr(fraction))
    ids = resolve_groups(groups, X, y, columns=False)
    queries = group_rows(ids, X, {"y": y, **row_data}, unjudged=True)
    codes, labels, weights = queries.codes, queries.labels, row_data.get("sample_weight")
    judged = np.flatnonzero(~np.isnan(labels))
    # Queries without any judged row are neither held out nor trained on.
    n_queries = int(np.count_nonzero(np.bincount(codes[judged])))
    if ceil(fraction * n_queries) >= n_queries:
        rule = "be None or leave at least one query to train on and one to hold out"
        fail("validation_fraction", rule, f"{fraction!r} of {count_of(n_queries, 'query', 'queries')}")
    where = " in queries that can be held out"
    by_y = [each for each in stopping.scorers if each.labels is None]
    check_judged("y", labels[np.isin(codes, codes[judged])], by_y, where)
    weighed = any(map(weighs, stopping.scorers))
    if weighed:
        weigh_queries(weights, queries, count_rows(X))
    rows = np.arange(count_rows(X)) if queries.rows is None else queries.rows
    seed = stopping.random_state
    if seed is None:
        seed = 0  # the libraries have a fixed seed by default
    if isinstance(seed, np.random.Generator):
        seed = int(seed.integers(2**31 - 1))
    train, test = train_test_split(
        judged, groups=codes[judged], stratify=labels[judged], test_size=fraction, random_state=seed
    )
    sides = {"train on": train} | ({"hold out": test} if weighed else {})
    for side, places in sides.items():
        if weights is not None and not (np.asarray(weights)[rows[places]] > 0).any():
            rule = f"contain a value above 0 for the queries to {side}"
            fail("sample_weight", rule, "only zeros")
    if not (labels[test] > 0).any():
        rule = "hold out a query with a relevant document (label > 0)"
        fail("validation_fraction", rule, repr(fraction), "Increase it, or pass evaluation sets to fit.")
    if stopping.scorers:  # scorers decide how to treat rows without a label
        test = np.flatnonzero(np.isin(codes, codes[test]))
    evaluated = row_data if weighed else {**row_data, "sample_weight": None}
    parts = []
    for places, prefix, data_of in ((train, "", row_data), (test, "eval_", evaluated)):
        named = {  # LightGBM reads only arrays for evaluation sets
            f"{prefix}{name}": None if values is None else np.asarray(take(values, rows[places]))
            for name, values in data_of.items()
        }
        others = {name: values[rows[places]] for name, values in given.items()}
        parts.append(
            RankingData(take(X, rows[places]), labels[places], take(ids, rows[places]), named, others)
        )
    firsts = rows[test[np.unique(codes[test], return_index=True)[1]]]
    return parts[0], parts[1], take(ids, firsts)
