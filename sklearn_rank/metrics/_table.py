"""The table of metrics: one row a metric, which stands beside its formula."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from inspect import Parameter, signature
from typing import Any, NamedTuple

import numpy as np

from .._checks.errors import fail
from .._checks.types import Features, Function, Ids, Labels, Options, Table, Weights


class Ratio(NamedTuple):
    """What a formula gives of each query of a block: a ratio, and where that is defined."""

    numerators: np.ndarray
    denominators: np.ndarray | int = 1
    defined: np.ndarray | np.bool_ | bool = True


Formula = Callable[..., Ratio]  # of a block and the metric's own parameters

# Options of the whole pass, and what they are unless given.
DEFAULTS = {"ties": "average", "unjudged": "raise", "average": "macro"}


class Tables(NamedTuple):
    """Inputs in addition to labels and scores, as the caller gave them."""

    items: Ids = None  # the id of the item in each row
    features: Features = None  # of the item in each row
    popularity: Table = None  # by item
    history: Table = None  # features of what queries, or users, had before
    intents: Labels = None  # a label of each row for each intent
    owners: Ids = None  # of the item in each row
    target: Labels = None  # the share that each owner is to have
    labels: Labels = None  # of each row
    intent_weight: Weights = None  # of each intent
    strata: Ids = None  # of each row, from which judged documents were drawn

    def given(self) -> Options:
        """Return those that were given, by name."""
        return {name: each for name, each in self._asdict().items() if each is not None}


# The argument of a metric function that contains each input.
ARGUMENTS = {name: name for name in Tables._fields}
ARGUMENTS |= {"items": "item_ids", "features": "X", "intents": "y_true", "labels": "y_true"}
# The argument of a call that takes names: it has no weights of intents.
NAMED = {name: name for name in Tables._fields if name != "intent_weight"} | {"labels": "y_true"}
DATA = {*ARGUMENTS.values(), "y_score", "groups", "sample_weight"} - {"target"}  # which can be a word
# Parameters of functions that are not those of formulas.
NOT_PARAMS = ("y_true", "y_score", "groups", "strata", *DEFAULTS, "zero_division", "sample_weight")

Reader = Callable[[str, Any, Tables, Mapping[str, str]], Any]  # rows with `queries` and their `weights`


@dataclass(frozen=True, eq=False)
class Metric:
    """One row of the table."""

    stem: str  # its name as a string, without a cutoff
    formula: Formula
    function: Function
    factory: Function  # of its scorers
    lower: float = 0.0  # its values are in [lower, upper]
    upper: float = 1.0
    greater_is_better: bool = True
    own: tuple[str, ...] = ()  # parameters that mean something else than those shared by many metrics
    micro: bool = False  # may be averaged as a ratio of sums over queries
    uses_scores: bool = False  # the values of the scores count, not their order alone
    nan_rule: str = ""  # what a missing label is, whatever `unjudged`: of "judgements" 0, or not "sampled"
    any_label: bool = False  # labels of any sign: their order counts, or what is between them
    denominators: tuple[str, ...] = ("achievable", "relevant", "hits")  # what it may be divided by
    has_curve: bool = False  # over its cutoffs: the formula takes a column of them
    ties: str = "order"  # by default, of a metric that only other libraries name
    # Metrics of more than labels and scores have a formula of opened rows, for ratios or for counts.
    needs: tuple[str, ...] = ()  # the inputs in addition to labels and scores
    reader: Any = None  # a `Reader` of its rows; metrics that have the same one share them
    check: Any = None  # of all options, by the name of the function, before any data is looked at
    conclude: Callable[..., float] | None = None  # from counts to a number, of all lists together
    named: bool = True  # in calls that take names; else its function alone computes it
    exceeds: tuple[str | None, ...] = ()  # the words of `normalize` with which values may be above `upper`

    @property
    def is_foreign(self) -> bool:
        """Return whether only other libraries name it: it has no function here."""
        return self.function is self.formula

    @property
    def per_query(self) -> bool:
        """Return whether each query has a value; else it is of all lists together."""
        return self.conclude is None

    @cached_property
    def name(self) -> str:
        """Return the name of the function."""
        return self.stem if self.is_foreign else self.function.__name__

    @cached_property
    def defaults(self) -> Options:
        """Return the parameters of the function with their defaults."""
        parameters = signature(self.function).parameters.values()
        if not self.is_foreign:
            return {each.name: each.default for each in parameters}
        own = {each.name: each.default for each in parameters if each.kind is Parameter.KEYWORD_ONLY}
        return {**own, "ties": self.ties, "unjudged": "raise", "zero_division": 0.0}

    @cached_property
    def params(self) -> tuple[str, ...]:
        """Return the parameters of the formula, as a caller names them."""
        others = {*DATA, "average", "zero_division"} if self.needs else NOT_PARAMS
        return tuple(name for name in self.defaults if name not in others)

    def checked(self, options: Options) -> Options:
        """Check all options, and that they go with the metric, where it needs more than labels and scores."""
        checked: Options = self.check(options)
        if checked.get("average") == "geometric":
            self.check_geometric()
        return checked

    def check_geometric(self) -> None:
        """Check that there is a geometric mean of its values."""
        if self.why_no_geometric:
            rule = f"be {self.list_averages(self.micro)} for {self.name}, {self.why_no_geometric}"
            fail("average", rule, "'geometric'")

    @cached_property
    def cutoff(self) -> str:
        """Return whether a cutoff behind the stem is "optional", "required" or there is "none"."""
        if "k" not in self.defaults:
            return "none"
        return "required" if self.defaults["k"] is Parameter.empty else "optional"

    @property
    def why_no_geometric(self) -> str:
        """Return why there is no geometric mean of its values over queries; empty if there is one."""
        if not self.greater_is_better:
            return "a loss: one value near 0, the best, would hide all others"
        return "" if self.lower >= 0 else "whose values may be negative"

    def list_averages(self, micro: bool = False) -> str:
        """Write what `average` may be."""
        words = [
            "'macro'",
            "'weighted'",
            *["'micro'"] * micro,
            *["'geometric'"] * (not self.why_no_geometric),
        ]
        return f"{', '.join(words)} or None"

    @property
    def prefix(self) -> str:
        """Return what the name of a scorer begins with."""
        return "" if self.greater_is_better else "neg_"


METRICS: dict[str, Metric] = {}


def find_row(stem: str) -> Metric | None:
    """Find a metric of labels and scores alone."""
    metric = METRICS.get(stem)
    return None if metric is None or metric.needs else metric
