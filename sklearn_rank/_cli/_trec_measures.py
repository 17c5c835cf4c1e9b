"""The measures of trec_eval by name, in the order of its output."""

from collections.abc import Callable
from typing import NamedTuple

from ..metrics import TREC_10_ROWS, TREC_MEASURES
from ._usage_errors import UsageError

CUTOFFS = (5, 10, 15, 20, 30, 100, 200, 500, 1000)
FEW_CUTOFFS = {"success": (1, 5, 10), "unj": (5, 10, 20)}
LEVELS = tuple(level / 10 for level in range(11))
MULTIPLES = tuple(multiple / 10 for multiple in range(2, 21, 2))


class Parameter(NamedTuple):
    """The parser of a measure's parameter on the command line."""

    name: str
    read: Callable[[str], float]
    is_valid: Callable[[float], bool]


CUTOFF = Parameter("cutoffs >= 1", int, lambda cutoff: cutoff >= 1)
LEVEL = Parameter(
    "levels from 0 to 1 with at most two decimals",
    float,
    lambda level: 0 <= level <= 1 and level == round(level, 2),
)
MULTIPLE = Parameter(
    "positive multiples of R with at most one decimal",
    float,
    lambda each: 0 < each < 10**6 and each == round(each, 1),
)


class Kind(NamedTuple):
    """The parameters, output and average of a measure."""

    parameters: tuple[float, ...] = ()  # default cutoffs or levels
    takes: Parameter | None = None
    label: str = "{name}"  # of an output line
    is_count: bool = False  # printed as an integer, and summed over queries
    is_geometric: bool = False  # the mean is geometric
    is_per_query: bool = True  # printed for each query


ROWS = {**TREC_MEASURES, **TREC_10_ROWS}  # in the order of trec_eval
OF_UNJUDGED = ("rbp_resid", "unj")
POOLED = "infAP"  # it depends on which documents are in the pool
LEVELLED = {"iprec_at_recall": (LEVELS, LEVEL), "Rprec_mult": (MULTIPLES, MULTIPLE)}


def _find_kind(name: str) -> Kind:
    """Return the parameters, output and average of a measure."""
    row = ROWS[name]
    if isinstance(row, str):
        is_count = name not in ("runid", "utility", POOLED)
        return Kind(is_count=is_count, is_per_query=name not in ("runid", "num_q"))
    if name in LEVELLED:
        return Kind(*LEVELLED[name], "{name}_{value:.2f}")
    if row.cutoff == "required":
        return Kind(FEW_CUTOFFS.get(name, CUTOFFS), CUTOFF, "{name}_{value}")
    is_geometric = row.parsed.get("average") == "geometric"
    return Kind(is_geometric=is_geometric, is_per_query=not is_geometric)


# Regardless of the order of -m.
MEASURES = {name: _find_kind(name) for name in ROWS}
# Counts and text, computed here. All others are metrics with names "trec_eval:LABEL".
COUNTED = [name for name, row in TREC_MEASURES.items() if isinstance(row, str) and name != POOLED]
# Measures of trec_eval that are not supported.
MISSING = ("relstring", "binG", "G", "ndcg_rel", "Rndcg")
OFFICIAL = "runid num_q num_ret num_rel num_rel_ret map gm_map Rprec bpref recip_rank iprec_at_recall P"
SET = "runid num_q num_ret num_rel num_rel_ret utility set_P set_recall set_relative_P set_map set_F"
NICKNAMES = {"official": OFFICIAL.split(), "set": SET.split(), "all_trec": list(TREC_MEASURES)}


def read_measures(names: list[str], judged_only: bool = False) -> dict[str, tuple[float, ...]]:
    """Return the measures of -m with their parameters, in the order of trec_eval.

    As in trec_eval, the first parameters of a repeated measure are used.
    """
    chosen: dict[str, tuple[float, ...]] = {}
    for name in names or ["official"]:
        stem, _, parameters = name.removeprefix("trec_eval:").partition(".")
        for each in NICKNAMES.get(stem, (stem,)):
            if each in MISSING:
                raise UsageError(f"-m {each} is a measure of trec_eval that is not supported")
            if each not in MEASURES:
                measure, _, parameter = name.rpartition("_")  # as in the output
                is_printed = measure in MEASURES and MEASURES[measure].takes
                hint = f". Did you mean {measure}.{parameter}?" if is_printed else ""
                rule = "-m must name a measure of trec_eval with --format trec_eval"
                raise UsageError(f"{rule}, got {name!r}{hint}")
            if judged_only and each in OF_UNJUDGED:
                raise UsageError(f"-m {each} cannot be combined with -J, which excludes unjudged documents")
            chosen.setdefault(each, ())
        if parameters or name.endswith("."):
            given = _read_parameters(stem, parameters)
            chosen[stem] = chosen.get(stem) or given
    return {name: chosen[name] or kind.parameters for name, kind in MEASURES.items() if name in chosen}


def list_labels(name: str, parameters: tuple[float, ...]) -> list[str]:
    """List the labels of the lines of a measure."""
    return [MEASURES[name].label.format(name=name, value=each) for each in parameters] or [name]


def _read_parameters(name: str, parameters: str) -> tuple[float, ...]:
    """Read the cutoffs or levels after the period, without duplicates."""
    kind = MEASURES.get(name)
    if kind is None or kind.takes is None:
        raise UsageError(f"-m {name} must have no parameters, got {parameters!r}")
    try:
        values = sorted(map(kind.takes.read, parameters.split(",")))
    except ValueError:
        values = []
    if not (values and all(map(kind.takes.is_valid, values))):
        raise UsageError(f"-m {name} must have {kind.takes.name} after the period, got {parameters!r}")
    if len(set(values)) < len(values):
        raise UsageError(f"-m {name} must have distinct parameters, got {parameters!r}")
    return tuple(values)
