"""Parsing and spelling of names from other libraries."""

import re
from collections.abc import Mapping
from functools import lru_cache
from inspect import Parameter
from textwrap import shorten
from typing import NoReturn, TypeGuard

from ..._checks import Default
from ..._checks.errors import fail
from ..._checks.types import Arguments, Options
from ..._hints import list_near
from .._table import METRICS, NOT_PARAMS, Metric
from .embeddings import BEIR, LETOR, MSLR, MTEB, SENTENCE_TRANSFORMERS
from .library_table import CUTOFF, NEEDED, Library, Meaning, NoEquivalentError, Row
from .machine_learning import CATBOOST, LIGHTGBM, SKLEARN, TORCHMETRICS, XGBOOST
from .recommenders import RECBOLE, RECOMMENDERS
from .retrieval import IR_MEASURES, RANX, TREC_EVAL

# The libraries by the prefix of their names, the word before the colon.
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
    "beir": BEIR,
    "mteb": MTEB,
    "sentence_transformers": SENTENCE_TRANSFORMERS,
    "letor": LETOR,
    "mslr": MSLR,
}
OF_CALL = ("unjudged", "average")  # options that the call sets, unless the library sets them
RULES = ("ties", "zero_division")
_BETWEEN = re.compile(r"[,;](?![^\[{]*[\]}])")  # between parameters, but not inside lists and tables


def is_prefixed(name: object) -> TypeGuard[str]:
    """Return whether a name begins with the prefix of a library, or with "neg_" and a prefix."""
    return isinstance(name, str) and name.removeprefix("neg_").partition(":")[0] in LIBRARIES


@lru_cache(maxsize=1024)  # scorers request the same names repeatedly
def read_prefixed(name: str, parameter: str) -> Meaning:
    """Return the metric for a name, with all options that the library determines."""
    prefix, _, theirs = name.removeprefix("neg_").partition(":")
    library = LIBRARIES[prefix]
    stem, k, params = split_name(library, theirs.strip())
    key = find_key(library, stem, k, params)
    row = library.rows.get(key)
    if row is None:
        _reject_stem(library, prefix, stem, name, parameter)
    metric = METRICS[row.metric] if isinstance(row.metric, str) else row.metric
    if name.startswith("neg_") and metric.greater_is_better:
        fix = f'Higher values are better. Write "{prefix}:{theirs}".'
        fail(parameter, 'not begin with "neg_"', repr(name), fix)
    if row.cutoff == "none" and k is not None:
        fix = f"{library.title} computes {key} for whole lists only."
        fail(parameter, "have no cutoff", repr(name), fix)
    translated = _translate(library, row, params, name, parameter)
    if k is not None:
        if re.fullmatch(CUTOFF, k) is None:  # the cutoff is a parameter
            fail(parameter, f"set {library.cutoff} to an int >= 1", repr(name), f"Set {library.cutoff}=10.")
        translated["k"] = int(k)
    parsed = _settle(library, row, metric, translated)
    lacks_cutoff = row.cutoff == "required" and "k" not in translated
    if lacks_cutoff or any(value is NEEDED for value in parsed.values()):
        rule = f"contain the {'cutoff, an int >= 1' if lacks_cutoff else 'parameter of the metric'}"
        fail(parameter, rule, repr(name), f'For example, write "{prefix}:{name_row(library, key)}".')
    return Meaning(metric, parsed, row.scores or library.scores, library.own)


def is_read(name: str) -> bool:
    """Return whether a name with the prefix of a library is the name of a metric."""
    try:
        read_prefixed(name, "")
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
    """Return the key of the row for a stem: with these parameters, with a cutoff, or alone."""
    key = library.also.get(stem, stem)
    forms = [f"{key}({name}={value})" for name, value in params.items()]
    forms += [f"{key}({name})" for name in params] + [f"{key}@"] * (k is not None)
    return next((form for form in forms if form in library.rows), "" if set("@(") & set(stem) else key)


def find_row(library: Library, theirs: str) -> str:
    """Return the key of the row for a name without the prefix."""
    return find_key(library, *split_name(library, theirs.strip()))


def _translate(library: Library, row: Row, params: Mapping[str, str], name: str, parameter: str) -> Options:
    """Translate the library's own parameters to options of this package."""
    translated: Options = {}
    for key, value in params.items():
        if key not in row.takes:
            fix = f"This metric takes {', '.join(row.takes) if row.takes else 'no parameters'}."
            fail(parameter, f"contain only parameters of {library.title}", repr(name), fix)
        try:
            translated |= (row.params.get(key) or library.params[key])(value)
        except NoEquivalentError as error:
            fail(parameter, f"not contain {key}={value}", repr(name), str(error))
        except (KeyError, ValueError):
            fail(parameter, f"set {key} to a value that {library.title} accepts", repr(name))
    return translated


def _settle(library: Library, row: Row, metric: Metric, translated: Arguments) -> Options:
    """Return the options that the call does not set: from our defaults, the library, the metric, the name."""
    names = [key for key in metric.defaults if key not in NOT_PARAMS or key in (*library.convention, *RULES)]
    parsed = {key: metric.defaults[key] for key in names if key not in (*OF_CALL, *library.own)}
    parsed |= {key: 1 for key, value in parsed.items() if isinstance(value, Default)}
    parsed |= {key: value for key, value in library.convention.items() if key in metric.defaults}
    parsed |= {"k": row.whole} if row.whole is not None or parsed.get("k") is Parameter.empty else {}
    return {**parsed, **row.parsed, **translated}


def _reject_stem(library: Library, prefix: str, stem: str, name: str, parameter: str) -> NoReturn:
    """Raise an error that explains why a metric of a library is missing, or lists similar names."""
    if stem in library.without:
        reason = library.without[stem]
        rule = f"be the name of an available metric of {library.title}"
        fail(parameter, rule, repr(name), f"{reason[0].upper()}{reason[1:]}.")
    known = list(dict.fromkeys(name_row(library, each) for each in library.rows))
    folded = {each.lower(): each for each in library.also}
    folded |= {each.lower(): name_row(library, each) for each in library.rows if not set("@(") & set(each)}
    near = [folded[each] for each in list_near((stem or name.partition(":")[2]).lower(), folded, 0.5)]
    names = " or ".join(f'"{prefix}:{each}"' for each in near)
    fix = f"Did you mean {names}?" if near else f"Names: {shorten(', '.join(known), 180, placeholder=' ...')}"
    fail(parameter, f"be the name of a metric of {library.title}", repr(name), fix)


def name_row(library: Library, stem: str) -> str:
    """Return the name of a row, with the cutoff 10 if it needs one."""
    row = library.rows[stem]
    if row.example:
        return row.example
    if row.cutoff != "required" or row.whole is not None:
        return stem
    return library.spell_cutoff.format(stem=stem, k=10)


def spell_name(meaning: Meaning, library: Library) -> str:
    """Return our name for a metric, a call if no name can express it, or the formula if there is no call."""
    metric, k, changed = meaning.metric, meaning.parsed.get("k"), _find_changed(meaning, library)
    if metric.only_in_other_libraries:
        return str(metric.formula.__doc__).splitlines()[0].rstrip(".")
    if not has_name(meaning, library):
        return f"{metric.name}({spell_options({**({} if k is None else {'k': k}), **changed})})"
    params = ", ".join(
        f"{key}={value:.17g}" if isinstance(value, float) else f"{key}={value}"
        for key, value in sorted(changed.items())
    )
    stem = "set_" * (k is None and metric.cutoff == "required") + metric.stem
    return f"{metric.prefix}{stem}{'' if k is None else f'@{k}'}{f'({params})' if params else ''}"


def has_name(meaning: Meaning, library: Library) -> bool:
    """Return whether a name of this package can express the metric."""
    values = _find_changed(meaning, library).values()
    can_be_spelled = all(isinstance(value, str | bool | int | float | None) for value in values)
    return can_be_spelled and not meaning.metric.only_in_other_libraries


def _find_changed(meaning: Meaning, library: Library) -> Options:
    """Return the options that differ from our defaults and from the convention of the library."""
    usual = meaning.metric.defaults, library.convention
    changed = {
        key: value
        for key, value in meaning.parsed.items()
        if key != "k" and not any(key in each and is_same(value, each[key]) for each in usual)
    }
    if meaning.parsed.get("k") is None and changed.get("denominator") == "relevant":
        del changed["denominator"]  # for all documents, min(k, R) is R
    return changed


def spell_options(options: Arguments) -> str:
    """Write options as arguments of a call."""
    return ", ".join(f"{key}={spell_value(value)}" for key, value in options.items())


def spell_value(value: object) -> str:
    """Write a value; a function by its name."""
    return getattr(value, "__name__", None) or repr(value)


def is_same(value: object, other: object) -> bool:
    """Return whether two values of an option are the same, also if both are NaN."""
    return value is other or bool(value == other) or (value != value and other != other)


def list_names() -> dict[str, str]:
    """Return our name for each name of other libraries; parameters can be added to the names."""
    names = {}
    for prefix, library in LIBRARIES.items():
        for stem in library.rows:
            name = f"{prefix}:{name_row(library, stem)}"
            ours = spell_name(read_prefixed(name, ""), library)
            names[name] = ours.removeprefix("neg_")  # "neg_" is for scorers only
    return names


def find_libraries(written: str) -> dict[str, list[str]]:
    """Return the libraries that have a name, grouped by our name for its meaning.

    If we have no name for the meaning, the key is the library's name with its prefix. Case is ignored, unless
    the name has letters of both cases and is a library's exact spelling.
    """
    names = {prefix: written for prefix in LIBRARIES if is_read(f"{prefix}:{written}")}
    if not names or written in (written.lower(), written.upper()):
        for prefix, library in LIBRARIES.items():
            stem = split_name(library, written)[0]
            known = {each.lower(): each for each in (*library.also, *library.rows)}
            name = known.get(stem.lower(), "") + written[len(stem) :]
            if stem.lower() in known and is_read(f"{prefix}:{name}"):
                names[prefix] = name
    found: dict[str, list[str]] = {}
    without_name: dict[str, Meaning] = {}
    for prefix in (each for each in LIBRARIES if each in names):
        library, name = LIBRARIES[prefix], f"{prefix}:{names[prefix]}"
        meaning = read_prefixed(name, "")
        if has_name(meaning, library):
            ours = spell_name(meaning, library)
        else:
            ours = next((each for each, known in without_name.items() if known == meaning), name)
            without_name[ours] = meaning
        found.setdefault(ours, []).append(library.title)
    return found


def find_reason(written: str) -> str:
    """Return why a metric of a library is missing, or its complete name; "" for other names."""
    for prefix, library in LIBRARIES.items():
        stem = written.partition("@")[0]
        if stem in library.without:
            return f"{library.title}'s {stem} is not available: {library.without[stem]}"
        row = library.rows.get(written)
        if row is not None and row.example:
            return f'the name of {written} in {library.title} is "{prefix}:{row.example}"'
    return ""
