"""The table of metrics of more than labels and scores: one row a metric, which stands beside its formula."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

from ._requests import Given, check_geometric
from ._table import Metric


class Tables(NamedTuple):
    """What stands beside labels and scores, as the caller gave it."""

    items: Any = None  # the id of the item in each row
    features: Any = None  # of the item in each row
    popularity: Any = None  # by item
    history: Any = None  # features of what queries, or users, had before
    intents: Any = None  # a label of each row for each intent
    owners: Any = None  # of the item in each row
    target: Any = None  # the share that each owner is to have
    labels: Any = None  # of each row
    intent_weight: Any = None  # of each intent
    strata: Any = None  # of each row, from which judged documents were drawn

    def given(self) -> dict[str, Any]:
        """Return what is there, by name."""
        return {name: each for name, each in self._asdict().items() if each is not None}


# The argument of a metric function that holds it.
ARGUMENTS = {name: name for name in Tables._fields}
ARGUMENTS |= {"items": "item_ids", "features": "X", "intents": "y_true", "labels": "y_true"}
# The argument of a call that takes names: it has no weights of intents.
NAMED = {name: name for name in Tables._fields if name != "intent_weight"} | {"labels": "y_true"}
NOT_PARAMS = {*ARGUMENTS.values(), "y_score", "groups", "average", "zero_division", "sample_weight"}
NOT_PARAMS -= {"target"}  # which may be a word

Options = dict[str, Any]  # by name
Door = Callable[[str, Given, Tables, Mapping[str, str]], Any]  # rows with `queries` and their `weights`


@dataclass(frozen=True, eq=False, kw_only=True)
class BesideMetric(Metric):
    """One row of the table: a formula of opened rows, for a ratio per query or counts of all lists."""

    door: Door  # which opens its rows; metrics that have the same one share them
    check: Callable[[str, Options], Options]  # of all options, before any data is looked at
    needs: tuple[str, ...] = ()  # what has to stand beside labels and scores
    conclude: Callable[..., float] | None = None  # from counts to a number, of all lists together
    named: bool = True  # in calls that take names; else its function alone computes it
    exceeds: tuple[str | None, ...] = ()  # the words of `normalize` with which values may be above `upper`

    def checked(self, function: str, options: Options) -> Options:
        """Check all options, and that they go with the metric."""
        checked = self.check(function, options)
        if checked.get("average") == "geometric":
            check_geometric(self, function)
        return checked

    @property
    def per_query(self) -> bool:
        """Tell whether each query has a value; else it is of all lists together."""
        return self.conclude is None

    @cached_property
    def params(self) -> tuple[str, ...]:
        """Return the parameters of the formula."""
        return tuple(name for name in self.defaults if name not in NOT_PARAMS)


BESIDE_METRICS: dict[str, BesideMetric] = {}
