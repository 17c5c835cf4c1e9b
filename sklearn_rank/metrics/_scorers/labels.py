"""Labels to score by that are not those that a model was trained on."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from sklearn.metrics import make_scorer

from ..._checks.containers import (
    check_entries,
    column_names,
    count_rows,
    has_column,
    is_index_level,
    permute_column,
    read_named,
)
from ..._checks.errors import fail

WITHOUT_LABELS = """{function} got no {kind} {name!r} to score by. Pass them in one of these ways:
  # the functions of sklearn_rank, and its searches: search.fit(X, y, groups=qid, {name}={kind})
  cross_val_score(model, X, y, scoring=scorer, groups=qid, params={{{name!r}: {kind}}})

  # those of scikit-learn, with metadata routing enabled
  sklearn.model_selection.cross_val_score(..., params={{"groups": qid, {name!r}: {kind}}})

  # {kind} that travel in the data: {where}

  # a scorer called directly
  scorer(model, X_test, y_test, groups=qid_test, {kind}={kind}_test)"""


BY_INDEX = """an index level of X or y
  X = X.set_index(pandas.Index({kind}, name={name!r}))"""
BY_COLUMNS = """columns of X, of which the model makes no use
  scorer = alpha_ndcg_scorer(k=10, intents=["car", "cat"])"""


def find_labels(
    name: str, given: Any, X: Any, y: Any, function: str, parameter: str = "labels", kind: str = "labels"
) -> Any:
    """Return labels, or owners, that were given, or read them by name: one for each row."""
    if given is None and not (is_index_level(name, X, y) or has_column(X, name)):
        where = BY_COLUMNS if kind == "intents" else BY_INDEX  # an index level is one column
        where = where.format(kind=kind, name=name)
        raise ValueError(WITHOUT_LABELS.format(function=function, name=name, kind=kind, where=where))
    labels = read_named(name, X, y, function, parameter) if given is None else given
    check_entries(labels, count_rows(X, function), function, parameter)
    return labels if given is not None or hasattr(labels, "iloc") else np.asarray(labels)


def check_unseen(
    function: str, names: Sequence[str], model: Any, response_method: Any, X: Any, y: Any
) -> None:
    """Check that a model answers the same whatever is in the columns of X that hold the labels."""
    answers: list[np.ndarray] = []

    def keep(y_true: Any, y_score: Any) -> float:
        answers.append(np.asarray(y_score))
        return 0.0

    ask = make_scorer(keep, response_method=response_method)
    order = np.roll(np.arange(count_rows(X, function)), 1)
    ask(model, X, y)
    moved = X
    for name in names:
        moved = permute_column(moved, list(column_names(X)).index(name), order)
    ask(model, moved, y)
    if not np.array_equal(answers[0], answers[1]):
        name = names[0]
        rule = (
            f"be no feature: what the model answers depends on the column {name!r} of X. Pass the labels as "
            f"params={{{name!r}: labels}}, or let the first step of a pipeline leave the column out"
        )
        fail("labels", function, rule, repr(name))
