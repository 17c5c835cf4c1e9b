"""Evaluation sets of the boosted rankers: given to `fit`, or held out from the rows that it is given."""

from inspect import currentframe
from typing import Any

import numpy as np
from sklearn.pipeline import Pipeline

from .._data import count_rows, resolve_groups, take
from .._validation import fail, is_real
from .._warn import RankingWarning, warn_user
from ..model_selection import train_test_split
from ._rows import group_rows

# Features, labels, ids and, by name, what else is given of each row.
EvalSet = tuple[Any, Any, Any, dict[str, Any]]

TUPLES = "be a tuple with an array per evaluation set, as ({part}_held_out,)"
UNTRANSFORMED = (
    "{function} got {name!r} inside a Pipeline whose steps before it transform X and not {name!r}: it stops "
    "by rows that are not as those it trains on. Either let it hold out queries itself, by "
    "validation_fraction=0.1, or pass eval_X=(X_held_out,), eval_y=(y_held_out,) and transform it too, by "
    'Pipeline(..., transform_input=["eval_X"]).'
)


def read_eval_sets(
    function: str, eval_set: Any, eval_X: Any, eval_y: Any, eval_groups: Any, **given: Any
) -> list[EvalSet]:
    """Return the features, the labels, the ids and what else is given of each evaluation set."""
    given = {name: values for name, values in given.items() if values is not None}
    pairs = _read_pairs(function, eval_set, eval_X, eval_y)
    if pairs is None:
        for name in [*(["eval_groups"] if eval_groups is not None else []), *given]:
            fail(name, function, "come with 'eval_set'", f"{name!r} alone")
        return []
    for name, values in {"eval_groups": eval_groups, **given}.items():
        if not isinstance(values, list | tuple) or len(values) != len(pairs):
            got = len(values) if isinstance(values, list | tuple) else type(values).__name__
            fail(name, function, f"be a list with an entry per evaluation set, {len(pairs)}", got)
    _warn_of_untransformed(function, "eval_set" if eval_X is None else "eval_X")
    row_data = [{name: values[i] for name, values in given.items()} for i in range(len(pairs))]
    return [(X, y, ids, data) for (X, y), ids, data in zip(pairs, eval_groups, row_data)]


def _read_pairs(function: str, eval_set: Any, eval_X: Any, eval_y: Any) -> list[Any] | None:
    """Return the features and the labels of each evaluation set, however they were given."""
    if eval_X is None and eval_y is None:
        return None if eval_set is None else _read_list(function, eval_set)
    if eval_set is not None:
        fail("eval_set", function, "be None beside 'eval_X' and 'eval_y'", type(eval_set).__name__)
    for name, part, values in (("eval_X", "X", eval_X), ("eval_y", "y", eval_y)):
        if not isinstance(values, tuple):  # scikit-learn takes a list for one array, and cuts arrays in folds
            got = "None" if values is None else f"a {type(values).__name__}"
            fail(name, function, TUPLES.format(part=part), got)
    if len(eval_X) != len(eval_y):
        fail("eval_y", function, f"have an entry per entry of 'eval_X', {len(eval_X)}", len(eval_y))
    return list(zip(eval_X, eval_y))


def _read_list(function: str, eval_set: Any) -> list[Any]:
    """Return the pairs of an `eval_set`, which may be one pair."""
    is_pair = isinstance(eval_set, tuple) and len(eval_set) == 2 and not isinstance(eval_set[0], tuple)
    pairs = [eval_set] if is_pair else list(eval_set)
    if any(not isinstance(pair, list | tuple) or len(pair) != 2 for pair in pairs):
        kinds = ", ".join(type(pair).__name__ for pair in pairs)
        fail("eval_set", function, "be a list of pairs (X, y)", kinds)
    return pairs


def _warn_of_untransformed(function: str, name: str) -> None:
    """Warn where a pipeline that is being fitted transforms X, and the evaluation sets not."""
    frame = currentframe()
    while frame is not None:
        pipeline = frame.f_locals.get("self") if frame.f_code.co_name.startswith("fit") else None
        if isinstance(pipeline, Pipeline):
            transforms = any(step not in (None, "passthrough") for _, step in pipeline.steps[:-1])
            transformed = getattr(pipeline, "transform_input", None) or ()
            if transforms and name not in transformed:
                warn_user(UNTRANSFORMED.format(function=function, name=name), RankingWarning)
            return
        frame = frame.f_back


def hold_out(
    function: str,
    fraction: Any,
    random_state: Any,
    X: Any,
    y: Any,
    groups: Any,
    row_data: dict[str, Any],
) -> tuple[EvalSet, EvalSet, Any]:
    """Return the rows to train on, those of the queries held out, and the ids of these queries."""
    if not is_real(fraction) or not 0 < fraction < 1:
        fail("validation_fraction", function, "be between 0 and 1, or None", repr(fraction))
    ids = resolve_groups(groups, X, y, function, columns=False)
    queries = group_rows(function, ids, X, {"y": y, **row_data})
    if len(queries.sizes) < 2:
        rule = "leave a query to train on and one to hold out"
        fail("validation_fraction", function, rule, f"{len(queries.sizes)} query")
    rows = np.arange(count_rows(X, function)) if queries.rows is None else queries.rows
    seed = 0 if random_state is None else random_state  # as the libraries have a fixed seed by default
    if isinstance(seed, np.random.Generator):
        seed = int(seed.integers(2**31 - 1))
    train, held_out = train_test_split(
        np.arange(len(rows)),
        groups=queries.codes,
        stratify=queries.labels,
        test_size=fraction,
        random_state=seed,
    )
    if not (queries.labels[held_out] > 0).any():
        rule = "hold out a query with a relevant document: take a larger share"
        fail("validation_fraction", function, rule, repr(fraction))
    parts = []
    for places, prefix in ((train, ""), (held_out, "eval_")):
        named = {f"{prefix}{name}": take(values, rows[places]) for name, values in row_data.items()}
        parts.append((take(X, rows[places]), queries.labels[places], queries.codes[places], named))
    firsts = rows[held_out[np.unique(queries.codes[held_out], return_index=True)[1]]]
    return parts[0], parts[1], take(ids, firsts)
