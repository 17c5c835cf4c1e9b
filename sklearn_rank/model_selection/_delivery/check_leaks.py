"""Warnings before training about what a model must not see: labels in X, and rows held out at random."""

from typing import Any

import numpy as np

from ..._checks.containers import count_rows
from ..._checks.errors import name_call
from ..._checks.groups import find_ids
from ..._checks.types import Features, Labels
from ..._checks.warn import RankingWarning, is_inside_call, warn_user
from ..._rows.needs import Needs
from .read_columns import find_trained

FEWEST_ROWS = 50  # in which a column does not equal y by chance
LABELS_IN_X = (
    "{function}: {model} trains on column {name!r} of X, which equals the labels, so values are too high. "
    "Pass X without this column."
)
HELD_OUT = (
    "{model}: early stopping holds out random rows, not queries, so it stops too late. Use a ranker of "
    "sklearn_rank with validation_fraction, or fix the number of iterations."
)


def warn_of_leaks(needs: Needs, X: Features, y: Labels) -> None:
    """Warn if a model trains on a column that equals y, or if the user has set it to hold out rows."""
    if is_inside_call():  # the call has checked X
        return
    found = find_ids(y, X, fewest=1) if y is not None and count_rows(X) >= FEWEST_ROWS else None
    if found is not None and (len(np.unique(np.asarray(y))) > 2 or found == getattr(y, "name", None)):
        trained = find_trained(needs)
        if trained is not None:
            model = type(trained).__name__
            warn_user(LABELS_IN_X.format(function=name_call(), model=model, name=found), RankingWarning)
    _warn_of_held_out(needs)


def _warn_of_held_out(needs: Needs) -> None:
    """Warn if a model of scikit-learn, or a part, stops early on rows that it holds out."""
    given: Any = needs.parameters
    if needs.is_frozen:
        return
    waits = given.get("early_stopping", given.get("n_iter_no_change") is not None)
    if needs.is_theirs and waits is True and given.get("validation_fraction") is not None:
        warn_user(HELD_OUT.format(model=type(needs.model).__name__), RankingWarning)
    for part in needs.inside:
        _warn_of_held_out(part)
