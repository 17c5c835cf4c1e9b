"""The form of the table of other libraries: how each writes its metrics, and what they are here."""

import re
from collections.abc import Callable, Mapping
from inspect import Parameter
from math import inf, nextafter
from types import MappingProxyType
from typing import Any, NamedTuple

from ..._checks.types import Arguments, Options
from .._table import Metric

WHOLE = 10**6  # a cutoff that no list exceeds, of metrics that need one
NEEDED = Parameter.empty  # marks a parameter that a name must give
NOTHING: Arguments = MappingProxyType({})
ALL_RETRIEVED: Mapping[str, Any] = {"k": WHOLE, "adaptive_k": True}  # precision of whole lists
Translations = Mapping[str, Callable[[str], Mapping[str, Any]]]  # of what is written for a parameter
CUTOFF = "(?P<k>[1-9][0-9]{0,18})"

# How names are written: a stem, and perhaps a cutoff and parameters.
UNDERSCORED = re.compile(rf"(?P<stem>\w+?)([_.]{CUTOFF}|_(?P<level>[0-9]\.[0-9]{{2}}))?")
SIGNED = re.compile(rf"(?P<stem>\w+?)(@{CUTOFF})?(?P<minus>-)?(\((?P<params>[^()]*)\))?")
CUT_FIRST = re.compile(rf"(?P<stem>\w+?)(@{CUTOFF})?(\((?P<params>[^()]*)\))?")
WITH_COLON = re.compile(r"(?P<stem>\w+)(:(?P<params>.*))?")

# Why several libraries' metrics are not here.
NOT_BUILT = "there is no such metric here"
OF_POOLS = (
    "it counts documents outside the pool as not relevant, which labels alone cannot show; use 'infap' with "
    "the strata= of from_run(return_strata=True)"
)
NOT_OF_QUERIES = "it is of all rows together, and not of queries"
NOT_OF_USERS = "it is of all rows together, and not of users"
OF_ITEMS = "it is of the items that are recommended, and of no labels"


class NoEquivalentError(ValueError):
    """Nothing here means a value of a parameter, for the reason given."""


class Row(NamedTuple):
    """A metric of another library: which of ours it is, and what differs from our defaults."""

    metric: str | Metric  # of the table, or one that only other libraries name
    parsed: Arguments = NOTHING
    cutoff: str = "none"  # of theirs: "none", "optional" or "required"
    whole: int | None = None  # what no cutoff means, where it is not the whole list
    takes: tuple[str, ...] = ()  # their parameters
    example: str = ""  # its name, where it is more than the stem and a cutoff
    params: Translations = NOTHING  # those of its parameters that are its own
    held: str = ""  # how it holds scores, where not as its library does


class Library(NamedTuple):
    """How one library names and computes its metrics."""

    title: str  # as it writes itself
    version: str  # whose numbers these are
    form: re.Pattern[str]  # of its names
    spell_cutoff: str  # how a stem gets its cutoff
    # The key "RR@" is for RR with a cutoff, "RBP(rel)" for RBP with this parameter, "SetP(relative=True)" for
    # SetP with this value of it.
    rows: Mapping[str, Row]
    without: Mapping[str, str]  # names that have no equivalent here, and why
    convention: Arguments  # what holds for all its metrics
    params: Translations = NOTHING  # its parameters in our words
    own: Mapping[str, tuple[Any, ...] | None] = (
        NOTHING  # options that stay the caller's, and the values they may have
    )
    held: str = "given"  # how it holds scores: "given", "float32", or "later_first" among equal ones
    also: Mapping[str, str] = NOTHING  # other names of rows
    cutoff: str = ""  # its parameter that is a cutoff
    notes: tuple[str, ...] = ()  # what else one should know


class Meaning(NamedTuple):
    """A metric that a name asks for, and all that the name says about it."""

    metric: Metric
    parsed: Arguments
    held: str = "given"
    own: Mapping[str, tuple[Any, ...] | None] = NOTHING


def relevant_from(number: str) -> Options:
    """Relevant are labels of at least a whole number."""
    return {"min_relevance": read_positive(number)}


def read_positive(number: str) -> int:
    """Read a whole number >= 1."""
    if int(number) < 1:
        raise ValueError
    return int(number)


def read_share(number: str) -> float:
    """Read a number between 0 and 1."""
    if not 0 <= float(number) <= 1:
        raise ValueError
    return float(number)


def relevant_above(number: str) -> Options:
    """Relevant are labels above a number, 0 or more."""
    if not 0 <= float(number) < inf:
        raise ValueError(number)
    return {"min_relevance": nextafter(float(number), inf)}


def cut_at(number: str) -> Options:
    """Cut lists after as many documents, at least one."""
    return {"k": read_positive(number)}


def ignore(value: str) -> Options:
    """Take any value of what has no effect on the number."""
    return {}


def read_flag(word: str) -> bool:
    """Read what Python, or a file of parameters, writes for true and false."""
    return {"true": True, "1": True, "false": False, "0": False}[word.lower()]
