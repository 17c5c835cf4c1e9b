"""What others write: names of metrics in other libraries, and in a name what a name cannot hold."""

import ast
import re
from collections.abc import Iterable
from difflib import get_close_matches
from inspect import signature
from typing import Any, NoReturn

from .._checks.errors import fail
from ._elsewhere import COMMON, ELSEWHERE, OF_SCORING, PLACES
from ._libraries.read import LIBRARIES, is_prefixed, is_read
from ._libraries.spell import find_libraries, find_reason
from ._table import ARGUMENTS, DEFAULTS, METRICS, NAMED, NOT_PARAMS, Metric, find_row

WITH_TABLES = (
    "ranking_scores",
    "evaluate",
)  # calls that take names of metrics of more than labels and scores
# What functions alone compute: of each query, for RankingReport.from_values.
ALONE = {
    "intent_aware": 'intent_aware_score("ndcg@10", intents, y_score, groups=qid, average=None)',
    "rbo": "rbo_score(old_score, new_score, groups=qid, k=10, average=None)",
    "overlap": "overlap_at_k_score(old_score, new_score, groups=qid, k=10, average=None)",
}
LISTS_NAMES = "sklearn_rank.get_scorer_names() lists names."
OF_CALL = {*NOT_PARAMS} - {*DEFAULTS, "zero_division"}  # data
_OF_NO_EFFECT = re.compile("|type=base|denominator=logposition|hints=.*", re.IGNORECASE)
_HELD = re.compile(r"""(?P<quote>['"]?)[\w.+-]+(?P=quote)""")  # a number or a word
_OWN = re.compile(r"(?P<stem>[a-z][a-z0-9_]*)(@(?P<k>[1-9][0-9]{0,18}))?\s*\((?P<params>.*)\)\s*", re.DOTALL)
_WITH_PARAMS = re.compile(r"(?P<theirs>[^(@]+@[0-9]+)\(.*\)")
_LIBRARY = re.compile(r"[A-Za-z][\w.-]*")  # what may be the name of one
# What Python reads with a warning, if at all: a backslash in text, a number that a word follows at once.
_DOUBTFUL = re.compile(r"\\|(?<!\w)\.?[0-9][\w.]*?(?:and|else|for|if|in|is|not|or)")
# Our own stems with a cutoff that is written in another way.
_CUTOFF = re.compile(r"(?P<stem>.*?)(_at)?[@._]?(?P<k>[1-9][0-9]{0,18})")
_CUTOFFS = re.compile(r"(?P<stem>.*?)(?P<sign>[@._])[\[(]?(?P<ks>[1-9][0-9]*(,[1-9][0-9]*)+)[\])]?")


def find_elsewhere(name: str) -> dict[str, str]:
    """Return by who means it what computes the same as a name, however its cutoff is attached."""
    written = _squeeze(name)
    attached = _CUTOFF.fullmatch(written)
    ways = [written]
    if attached and find_row(attached["stem"]) is None:
        ways += [f"{attached['stem']}{sign}{attached['k']}" for sign in "_@"]
        ways += [f"{attached['stem']}(top_k={attached['k']})"]
    return next(filter(None, map(_look_up, ways)), {})


def _look_up(written: str) -> dict[str, str]:
    """Find what libraries mean by a name, and papers."""
    meant = {" and ".join(libraries): ours for ours, libraries in find_libraries(written).items()}
    for pattern, said in ELSEWHERE.items():
        found = re.fullmatch(_compile(pattern), written, re.IGNORECASE)
        if found:
            filled = {who: _fill(ours, found.groupdict()) for who, ours in said.items()}
            meant = filled | meant if COMMON.issuperset(filled) else meant | filled
            break
    return meant


def _squeeze(name: str) -> str:
    """Leave out spaces and quotes, and of CatBoost's parameters what is their default, or their order."""
    written = re.sub(r"[\s'\"]", "", name).removesuffix("()")
    stem, _, params = written.partition(":")
    said = sorted(param for param in params.split(";") if not _OF_NO_EFFECT.fullmatch(param))
    return f"{stem}:{';'.join(said)}" if said else stem


def _compile(pattern: str) -> str:
    """Turn a name with places for numbers into a regular expression."""
    parts = re.split(r"(\{\w+\})", pattern)
    return "".join(PLACES[part] if part in PLACES else re.escape(part) for part in parts)


def _fill(text: str, numbers: dict[str, str]) -> str:
    for place, number in numbers.items():
        text = text.replace(f"{{{place}}}", number)
    return text


def _refuse_elsewhere(name: str, function: str, parameter: str, others: Iterable[str]) -> None:
    """Say how names of other libraries are written here: one, several cutoffs of one, or one without its."""
    written = _squeeze(name)
    if find_row(re.sub("_scorer?$", "", written)):  # ours, and something about it is missing
        return
    several, with_params = _CUTOFFS.fullmatch(written), _WITH_PARAMS.fullmatch(written)
    meant = find_elsewhere(with_params["theirs"] if with_params else written)
    if several and find_row(several["stem"]) is None:
        each = [find_elsewhere(f"{several['stem']}{several['sign']}{k}") for k in several["ks"].split(",")]
        libraries = set(each[0]).intersection(*each)
        meant = {
            library: '" and "'.join(one[library] for one in each)
            for library in each[0]
            if library in libraries
        }
    meant = {who: ours for who, ours in meant.items() if ours != OF_SCORING or ours in others}
    if meant:
        params = ", with parameters as (name=value)" * (with_params is not None)
        own = "" if several or with_params else _find_own(written, meant)
        fail(parameter, function, f"be written here {_list_ways(meant)}{own}{params}", repr(name))
    bare = written.partition("@")[0]
    if "," in written or find_row(bare.lower()):
        return
    for example in (f"{bare}@10", f"{bare}_10"):
        if meant := _look_up(example):
            rule = f"have its cutoff, an int >= 1, as {example}, which is written here {_list_ways(meant)}"
            fail(parameter, function, rule, repr(name))
    if reason := find_reason(written):
        fail(parameter, function, f"name a metric of this package; {reason}", repr(name))


def _find_own(written: str, meant: dict[str, str]) -> str:
    """Say which name has the number of the library, with its ties, where one library alone means a name."""
    prefixes = [prefix for prefix, library in LIBRARIES.items() if library.title in meant]
    if len(meant) > 1 or not prefixes or any(map(is_prefixed, meant.values())):
        return ""
    theirs = f"{prefixes[0]}:{written}"
    return f', or as "{theirs}" for the very number of {LIBRARIES[prefixes[0]].title}' * is_read(theirs)


def _list_ways(meant: dict[str, str]) -> str:
    return " or ".join(f"as {_quote(ours)} (meant by {library})" for library, ours in meant.items())


def refuse_name(name: Any, function: str, parameter: str, others: Iterable[str]) -> NoReturn:
    """Say what may have been meant by a name that is none."""
    if isinstance(name, str):
        _refuse_beside(name, function, parameter)
        own = _OWN.fullmatch(name)
        if own and (metric := find_row(own["stem"].removeprefix("neg_"))):
            check_held(metric, own, name, function, parameter)
        _refuse_elsewhere(name, function, parameter, others)
        _refuse_library(name, function, parameter)
        _refuse_sign(name, function, parameter)
    else:
        _refuse_object(name, function, parameter)
    squeezed = re.sub(r"[\s'\"-]", "", name)
    several = _CUTOFFS.fullmatch(squeezed)
    if several and find_row(_stem(several["stem"])):
        names = [f"{_stem(several['stem'])}@{k}" for k in several["ks"].split(",")]
        fail(parameter, function, f"have one cutoff each: {names} are several names", repr(name))
    if "," in name and "(" not in name:
        names = [each.strip() for each in name.split(",")]
        fail(parameter, function, f"be one name: {names} are several", repr(name))
    stem, cutoff = _stem(re.split("[@(:]", name)[0]), re.search(r"@([1-9][0-9]{0,18})\s*(?=\(|$)", name)
    attached = _CUTOFF.fullmatch(squeezed)
    if attached and find_row(_stem(attached["stem"])) and find_row(stem.removeprefix("neg_")) is None:
        stem, cutoff = _stem(attached["stem"]), attached
    _refuse_form(name, stem, cutoff[cutoff.lastindex or 0] if cutoff else None, function, parameter, others)


def _refuse_beside(name: str, function: str, parameter: str) -> None:
    """Say what a name of more than labels and scores needs, and where it goes."""
    stem, k = _stem(re.split("[@(]", name)[0]), re.search(r"@([1-9][0-9]{0,18})", name)
    if stem in ALONE:
        rule = f"be of labels and scores: RankingReport.from_values takes the values of {ALONE[stem]}"
        fail(parameter, function, rule, repr(name))
    metric = METRICS.get(stem, METRICS.get(stem.removeprefix("neg_")))
    if metric is None or not metric.needs:
        return
    if stem.startswith("neg_") and metric.greater_is_better:
        plain = name.strip().removeprefix("neg_")
        rule = f'be "{plain}", without "neg_": higher is better, and "neg_" is for losses only'
        fail(parameter, function, rule, repr(name))
    if function in WITH_TABLES and re.split("[@(]", name)[0].strip() != stem:
        fail(parameter, function, f'be written "{stem}{k[0] if k else ""}"', repr(name))
    if function in WITH_TABLES:
        given = ", ".join(f"{need}=..." for need in metric.needs if need != "labels")
        fail(parameter, function, f"come with what it is of, {function}(..., {given})", repr(name))
    if function == "explain":
        fix = f"Its formula and options are in help(sklearn_rank.metrics.{metric.function.__name__})."
        fail(parameter, function, "name a metric of labels and scores alone", repr(name), fix)
    taken = signature(metric.factory).parameters
    required = [key for key, each in taken.items() if each.default is each.empty or (k and key == "k")]
    call = ", ".join(f"k={k[1] if k else 10}" if key == "k" else f"{key}=..." for key in required)
    remedy = f"{metric.factory.__name__}({call}) makes a scorer of it"
    takers = " and ".join(WITH_TABLES)
    fail(parameter, function, f"be of labels and scores alone: {remedy}, {takers} take its name", repr(name))


def _refuse_library(name: str, function: str, parameter: str) -> None:
    """Say which libraries are known, where the name of another stands before a colon."""
    prefix, colon, rest = name.partition(":")
    if not (colon and _LIBRARY.fullmatch(prefix) and rest[:1].isalpha()) or "=" in rest:
        return
    if find_row(_stem(prefix)) is None:
        near = get_close_matches(prefix.lower().removeprefix("neg_"), LIBRARIES)
        names = " or ".join(f'"{each}:{rest}"' for each in near)
        hint = f" (did you mean {names}?)" if near else ""
        rule = f"begin with a library that is known, {', '.join(LIBRARIES)}{hint}"
        fail(parameter, function, rule, repr(name))


def _refuse_sign(name: str, function: str, parameter: str) -> None:
    """Say which metrics are negated, and how."""
    signed = re.fullmatch(r"\s*(?P<sign>-|neg_)\s*(?P<rest>.*)", name, re.DOTALL)
    stem = _stem(re.split("[@(]", signed["rest"])[0]) if signed else ""
    metric = find_row(stem)
    if signed is None or metric is None:
        return
    k = re.search(r"@([1-9][0-9]{0,18})\s*(?=\(|$)", name)
    plain = f"{stem}{k[0].strip() if k else '@10' * (metric.cutoff == 'required')}"
    if metric.greater_is_better:
        rule = f'be "{plain}", without "{signed["sign"]}": higher is better, and "neg_" is for losses only'
        fail(parameter, function, rule, repr(name))
    if signed["sign"] == "-":
        fail(parameter, function, f'be written "neg_{plain}"', repr(name))


def _stem(text: str) -> str:
    """Return what a name begins with as we write it."""
    return re.sub("_scorer?$", "", text.strip().lower().replace("-", "_")).replace("_at_k", "")


def _quote(ours: str) -> str:
    """Put a name in quotes, and no code."""
    stem = re.split("[@(]", ours)[0].removeprefix("neg_")
    is_name = stem in (*METRICS, OF_SCORING) or is_prefixed(ours)
    return f'"{ours}"' if is_name else ours


def _refuse_form(
    name: str, stem: str, k: str | None, function: str, parameter: str, others: Iterable[str]
) -> NoReturn:
    """Say how a name of ours is written, or which are near."""
    metric = find_row(stem.removeprefix("neg_"))
    if metric is not None and not (stem.startswith("neg_") and metric.greater_is_better):
        if k and metric.cutoff != "none" and "(" not in name:
            fail(parameter, function, f'be written "{stem}@{k}"', repr(name))
        fail(parameter, function, say_form(metric, name, f"{stem}@{k or 10}"), repr(name))
    near = _find_near(stem, [*(each for each, row in METRICS.items() if row.named), *others])
    hint = f" (did you mean {' or '.join(near)}?)" if near else ""
    fail(parameter, function, f"name a metric{hint}", repr(name), LISTS_NAMES)


def _find_near(stem: str, names: list[str]) -> list[str]:
    """Return the three closest names, then those with a word of `stem`; none if nothing is close."""
    with_word = [name for name in names if not {*stem.split("_")}.isdisjoint(name.split("_"))]
    return list(dict.fromkeys([*get_close_matches(stem, names), *with_word]))[:3]


def say_form(metric: Metric, name: str, example: str) -> str:
    """Say how the name of a metric is written."""
    stem = example.partition("@")[0]
    rules = {
        "required": f"have its cutoff, as {example}, an int >= 1",
        "none": "have no cutoff" if "@" in name else f"read as {stem}",
        "optional": f"read as {stem}, or {example} for a cutoff, an int >= 1, with parameters as "
        "(name=value)",
    }
    return rules[metric.cutoff]


def _refuse_object(name: Any, function: str, parameter: str) -> NoReturn:
    """Say how the name of a metric function is written; of anything else, that it is none."""
    stems = [stem for stem, metric in METRICS.items() if metric.function is name and metric.named]
    rule = 'hold names of metrics, as text, such as "ndcg@10"'
    if stems:
        metric = METRICS[stems[0]]
        example = stems[0] + "@10" * (metric.cutoff != "none")
        rule = f'hold names of metrics, as text: that of {metric.name} is "{example}"'
    fail(parameter, function, rule, repr(name))


def check_params(metric: Metric, name: str, function: str, parameter: str) -> None:
    """Check that a name of ours, however it is written, gives its parameters nothing that it cannot hold."""
    own = _OWN.fullmatch(name)
    if own:
        check_held(metric, own, name, function, parameter)


def check_held(metric: Metric, own: re.Match[str], name: str, function: str, parameter: str) -> None:
    """Check that a name, whose parts `own` has, gives its parameters nothing that it cannot hold.

    Say in code what can.
    """
    k = own["k"]
    is_beside = bool(metric.needs)
    data = {*NOT_PARAMS, *NAMED} - {*DEFAULTS, "zero_division", "labels", "target"} if is_beside else OF_CALL
    for key, value in _split(own["params"]):
        if key == "k" or (key.isdecimal() and not value):
            cutoff = next((text for text in (value, key) if text.isdecimal()), 10)
            rule = f"have its cutoff, as {own['stem']}@{cutoff}, and none in brackets"
            fail(parameter, function, rule, repr(name))
        if key in data:
            call = "scorer(model, X, y" if function == "get_scorer" else f"{function}(..., metrics=[...]"
            given = f"groups=qid, {key}={_code(value)}" if key == "sample_weight" else f"{key}={_code(value)}"
            fail(parameter, function, f"hold no data, which goes with the call, {call}, {given})", repr(name))
        if key == "average" and value == "None":
            remedy = f"{_call(metric, k)}groups=qid, average=None) has the value of each query"
            fail(parameter, function, f"average to one number: {remedy}", repr(name))
        is_data = is_beside and key in {*ARGUMENTS.values()} - {*NAMED}
        if key in metric.defaults and value and (is_data or not _HELD.fullmatch(value)):
            remedy = _say_where(metric, k, key, value, function)
            fail(parameter, function, f"hold numbers, words, True, False and None only: {remedy}", repr(name))


def _split(params: str) -> list[tuple[str, str]]:
    """Split parameters as they are typed into names and values; commas in brackets are of a value."""
    parts = re.split(r",(?=\s*[a-z_]+\s*=(?!=))", params)
    pairs = (part.partition("=") for part in parts)
    return [(key.strip(), value.strip()) for key, _, value in pairs]


def _code(value: str) -> str:
    """Return a value that is an expression of Python; "..." for any other."""
    if _DOUBTFUL.search(value):
        return "..."
    try:
        ast.parse(f"f(x= {value})", mode="eval")
    except (SyntaxError, ValueError, MemoryError, RecursionError):
        return "..."
    return value


def _call(metric: Metric, k: str | None) -> str:
    of_rows = ", ".join(list(metric.defaults)[:2])
    return f"{metric.name}({of_rows}, {f'k={k}, ' if k else ''}"


def _say_where(metric: Metric, k: str | None, key: str, value: str, function: str) -> str:
    """Say in code which call holds what a name cannot."""
    given = f"{key}={_code(value)}"
    if function == "get_scorer":
        return f"{metric.factory.__name__}({f'k={k}, ' if k else ''}{given}) can"
    if key != "target" and (key in metric.own or key not in METRICS["ndcg"].defaults or metric.needs):
        return f"{_call(metric, k)}groups=qid, {given}) can"
    return f"{function}(..., {given}) can, for all metrics that take it"
