"""The table of other libraries: the syntax of their names, and the equivalent metrics here."""

import re
from collections.abc import Callable, Mapping
from inspect import Parameter
from math import inf, nextafter
from types import MappingProxyType
from typing import Any, NamedTuple

from ..._checks.types import Arguments, Options
from .._table import Metric

NEEDED = Parameter.empty  # marks a parameter that a name must give
NOTHING: Arguments = MappingProxyType({})
ALL_RETRIEVED: Arguments = {"k": None}  # of metrics that need a cutoff
Translations = Mapping[str, Callable[[str], Arguments]]  # from the text of a parameter to options
CUTOFF = "(?P<k>[1-9][0-9]{0,18})"

# Syntax of names: a stem, and optionally a cutoff and parameters.
UNDERSCORED = re.compile(rf"(?P<stem>\w+?)([_.]{CUTOFF}|_(?P<level>[0-9]\.[0-9]{{2}}))?")
SIGNED = re.compile(rf"(?P<stem>\w+?)(@{CUTOFF})?(?P<minus>-)?(\((?P<params>[^()]*)\))?")
CUT_FIRST = re.compile(rf"(?P<stem>\w+?)(@{CUTOFF})?(\((?P<params>[^()]*)\))?")
WITH_COLON = re.compile(r"(?P<stem>\w+)(:(?P<params>.*))?")

# Reasons why metrics of several libraries are missing.
NOT_BUILT = "it is not implemented"
OF_POOLS = (
    "it treats documents outside the pool as not relevant, which labels cannot express; use 'infap' with the "
    "strata of from_run(return_strata=True)"
)
NOT_OF_QUERIES = "it is computed over all rows together, not per query"
NOT_OF_USERS = "it is computed over all rows together, not per user"
OF_ITEMS = "it describes the recommended items and uses no labels"


class NoEquivalentError(ValueError):
    """Error for a value of a parameter that has no equivalent here. Its text is a sentence."""


class Row(NamedTuple):
    """A metric of another library: the equivalent metric here, and the differences from our defaults."""

    metric: str | Metric  # a stem of the table, or a metric that only other libraries have
    parsed: Arguments = NOTHING
    cutoff: str = "none"  # whether names have a cutoff: "none", "optional" or "required"
    whole: int | None = None  # cutoff of a name without one, if it is not the whole list
    takes: tuple[str, ...] = ()  # the library's parameters of this metric
    example: str = ""  # full name, if it is more than the stem and a cutoff
    params: Translations = NOTHING  # translations of the metric's own parameters
    scores: str = ""  # how it uses scores, if not like its library


class Library(NamedTuple):
    """The names of a library, and how it computes its metrics."""

    title: str  # as the library spells it
    version: str  # whose values are computed
    form: re.Pattern[str]  # syntax of its names
    spell_cutoff: str  # format of a stem with a cutoff
    # The key "RR@" is for RR with a cutoff, "RBP(rel)" for RBP with this parameter, "SetP(relative=True)" for
    # SetP with this value of it.
    rows: Mapping[str, Row]
    without: Mapping[str, str]  # names that have no equivalent here, and why
    convention: Arguments  # options of all its metrics
    params: Translations = NOTHING  # translations of its parameters
    own: Mapping[str, tuple[Any, ...] | None] = (
        NOTHING  # options that the call can set, and their allowed values
    )
    scores: str = "given"  # how it uses scores: "given", "float32", or "later_first" for tied scores
    also: Mapping[str, str] = NOTHING  # other names of rows
    cutoff: str = ""  # name of its parameter for the cutoff
    notes: tuple[str, ...] = ()  # other facts for users, such as "map, pre: ..." if only about these metrics


class Meaning(NamedTuple):
    """A metric, with the options that its name determines."""

    metric: Metric
    parsed: Arguments
    scores: str = "given"
    own: Mapping[str, tuple[Any, ...] | None] = NOTHING


def relevant_from(number: str) -> Options:
    """Return the option that makes labels >= an integer relevant."""
    return {"min_relevance": read_positive(number)}


def read_positive(number: str) -> int:
    if int(number) < 1:
        raise ValueError
    return int(number)


def read_share(number: str) -> float:
    if not 0 <= float(number) <= 1:
        raise ValueError
    return float(number)


def relevant_above(number: str) -> Options:
    """Return the option that makes labels above a number >= 0 relevant."""
    if not 0 <= float(number) < inf:
        raise ValueError(number)
    return {"min_relevance": nextafter(float(number), inf)}


def cut_at(number: str) -> Options:
    """Return the option for a cutoff >= 1."""
    return {"k": read_positive(number)}


def ignore(value: str) -> Options:
    """Accept any value of a parameter that does not affect the metric."""
    return {}


def read_flag(word: str) -> bool:
    """Read a truth value as Python, or a parameter file, writes it."""
    return {"true": True, "1": True, "false": False, "0": False}[word.lower()]
