"""From a name of another library, "trec_eval:map_cut_10", to the metric that it asks for here."""

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Any, NoReturn, TypeGuard

from ..._checks.errors import fail
from ..._hints import list_near
from .._table import METRICS, NOT_PARAMS, Metric
from .boosters import CATBOOST, LIGHTGBM, XGBOOST
from .ir_measures import IR_MEASURES
from .ranx import RANX
from .recommenders import RECBOLE, RECOMMENDERS
from .scikit_learn import SKLEARN
from .table import CUTOFF, NEEDED, Library, Meaning, NoEquivalentError, Row
from .torchmetrics import TORCHMETRICS
from .trec_eval import TREC_EVAL

# The libraries whose names are known, by the word before the colon.
LIBRARIES: dict[str, Library] = {
    "trec_eval": TREC_EVAL,
    "ir_measures": IR_MEASURES,
    "ranx": RANX,
    "lightgbm": LIGHTGBM,
    "xgboost": XGBOOST,
    "catboost": CATBOOST,
    "sklearn": SKLEARN,
    "recommenders": RECOMMENDERS,
    "recbole": RECBOLE,
    "torchmetrics": TORCHMETRICS,
}
CALLERS = ("unjudged", "average")  # unless a library settles them they are those of the call
RULES = ("ties", "zero_division")
_BETWEEN = re.compile(r"[,;](?![^\[{]*[\]}])")  # parameters; lists and tables stay whole


def is_prefixed(name: object) -> TypeGuard[str]:
    """Tell whether a name begins with that of a library; "neg_" before it negates a loss."""
    return isinstance(name, str) and name.removeprefix("neg_").partition(":")[0] in LIBRARIES


@lru_cache(maxsize=1024)  # scorers ask for the same names again and again
def read_prefixed(name: str, function: str, parameter: str) -> Meaning:
    """Return the metric that a name asks for, with all that the library has settled about it."""
    prefix, _, theirs = name.removeprefix("neg_").partition(":")
    library = LIBRARIES[prefix]
    stem, k, params = split_name(library, theirs.strip())
    key = find_key(library, stem, k, params)
    row = library.rows.get(key)
    if row is None:
        _refuse_stem(library, prefix, stem, name, function, parameter)
    metric = METRICS[row.metric] if isinstance(row.metric, str) else row.metric
    if name.startswith("neg_") and metric.greater_is_better:
        rule = f'be "{prefix}:{theirs}", without "neg_": higher is better'
        fail(parameter, function, rule, repr(name))
    if row.cutoff == "none" and k is not None:
        fail(parameter, function, f"have no cutoff: {library.title} has {key} of whole lists", repr(name))
    asked = _translate(library, row, params, name, function, parameter)
    if k is not None:
        asked["k"] = _read_cutoff(library, k, name, function, parameter)
    said = _settle(library, row, metric, asked)
    lacks_cutoff = row.cutoff == "required" and "k" not in asked
    if lacks_cutoff or any(value is NEEDED for value in said.values()):
        what = "cutoff, an int >= 1," if lacks_cutoff else "parameter"
        fail(parameter, function, f"have its {what} as {name_row(library, key)}", repr(name))
    return Meaning(metric, said, row.held or library.held, library.own)


def is_read(name: str) -> bool:
    """Tell whether a name with that of a library before it names a metric."""
    try:
        read_prefixed(name, "", "")
    except ValueError:
        return False
    return True


def split_name(library: Library, theirs: str) -> tuple[str, str | None, dict[str, str]]:
    """Split a name into its stem, its cutoff and its parameters."""
    is_plain = theirs in {**library.rows, **library.also, **library.without} and not set("@(") & set(theirs)
    match = None if is_plain else library.form.fullmatch(theirs)
    if match is None:
        return theirs, None, {}
    parts = {key: value for key, value in match.groupdict().items() if value is not None}
    stem, k, written = (parts.pop(key, None) for key in ("stem", "k", "params"))
    pairs = (each.partition("=") for each in _BETWEEN.split(written or "") if each.strip())
    params = parts | {key.strip(): value.strip().strip("'\"") for key, _, value in pairs}
    among = params.pop(library.cutoff, "None")
    return str(stem), among if k is None and among != "None" else k, params


def find_key(library: Library, stem: str, k: str | None, params: Mapping[str, str]) -> str:
    """Return the key of the row that is meant: that for such parameters, or such a cutoff, or for all."""
    key = library.also.get(stem, stem)
    forms = [f"{key}({name}={value})" for name, value in params.items()]
    forms += [f"{key}({name})" for name in params] + [f"{key}@"] * (k is not None)
    return next((form for form in forms if form in library.rows), "" if set("@(") & set(stem) else key)


def _read_cutoff(library: Library, k: str, name: str, function: str, parameter: str) -> int:
    """Read a cutoff, which may have stood among the parameters."""
    if re.fullmatch(CUTOFF, k) is None:
        fail(parameter, function, f"give {library.cutoff} an int >= 1", repr(name))
    return int(k)


def _translate(
    library: Library, row: Row, params: Mapping[str, str], name: str, function: str, parameter: str
) -> dict[str, Any]:
    """Return what the library's own parameters mean here."""
    asked: dict[str, Any] = {}
    for key, value in params.items():
        if key not in row.takes:
            takes = f"it takes {', '.join(row.takes)}" if row.takes else "it takes none"
            fail(parameter, function, f"have parameters of {library.title}: {takes}", repr(name))
        try:
            asked |= (row.params.get(key) or library.params[key])(value)
        except NoEquivalentError as error:
            fail(parameter, function, f"have no {key}={value}: {error}", repr(name))
        except (KeyError, ValueError):
            rule = f"give {key} a value that {library.title} knows"
            fail(parameter, function, rule, repr(name))
    return asked


def _settle(library: Library, row: Row, metric: Metric, asked: Mapping[str, Any]) -> dict[str, Any]:
    """Return all options that are not the caller's: our defaults, the library's, the metric's, the name's."""
    names = [key for key in metric.defaults if key not in NOT_PARAMS or key in (*library.convention, *RULES)]
    said = {key: metric.defaults[key] for key in names if key not in (*CALLERS, *library.own)}
    said |= {key: value for key, value in library.convention.items() if key in metric.defaults}
    said |= {"k": row.whole} if row.whole is not None else {}
    return {**said, **row.said, **asked}


def _refuse_stem(
    library: Library, prefix: str, stem: str, name: str, function: str, parameter: str
) -> NoReturn:
    """Say why a metric of a library is not here, or which of its names are near."""
    if stem in library.without:
        rule = f"name a metric that is here, and {library.title}'s {stem} is not: {library.without[stem]}"
        fail(parameter, function, rule, repr(name))
    known = list(dict.fromkeys(name_row(library, each) for each in library.rows))
    folded = {each.lower(): each for each in library.also}
    folded |= {each.lower(): name_row(library, each) for each in library.rows if not set("@(") & set(each)}
    wanted = (stem or name.partition(":")[2]).lower()
    near = [folded[each] for each in list_near(wanted, folded, 0.5)]
    names = " or ".join(f'"{prefix}:{each}"' for each in near) or ", ".join(known)
    hint = f"did you mean {names}?" if near else f"they are {names}"
    fail(parameter, function, f"name a metric of {library.title} ({hint})", repr(name))


def name_row(library: Library, stem: str, k: int = 10) -> str:
    """Write the name of a row, with a cutoff where it needs one."""
    row = library.rows[stem]
    if row.example:
        return row.example
    if row.cutoff != "required" or row.whole is not None:
        return stem
    return library.spell_cutoff.format(stem=stem, k=k)
