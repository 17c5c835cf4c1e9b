"""Parsing of names such as "ndcg@10" or "precision@5(min_relevance=2)" into checked requests."""

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Any, NoReturn, TypeGuard

from .._checks.arrays import read_list
from .._checks.errors import fail, name_call, shorten
from .._checks.options import check_options, is_same, remember
from .._checks.types import Arguments, Options
from .._checks.warn import RankingWarning, warn_user
from .._hints import list_near
from ._libraries.library_names import LIBRARIES, is_prefixed, is_read, read_prefixed, spell_value
from ._libraries.library_table import Meaning
from ._table import DEFAULTS, METRICS, Given, Metric, Request, Rules, Tables, find_row

MOST_LETTERS = 200  # of a name with its parameters
NAME = re.compile(r"(?P<stem>[a-z][a-z0-9_]*)(@(?P<k>[1-9][0-9]{0,18}))?\s*(\((?P<params>[^()]*)\))?")
_PARAM = re.compile(r"""\s*(?P<name>[a-z_]+)\s*=\s*(?P<value>(['"]?)[\w.+-]+\3)\s*""")
OF_GAINS = ("gain", "discount")  # shared options that do not apply to metrics with other inputs
_WORDS = {"None": None, "True": True, "False": False}
# Names of scikit-learn's scorers that have a value for each query, and their functions.
THEIRS = {
    "neg_log_loss": "log_loss",
    "neg_brier_score": "brier_score_loss",
    "neg_mean_squared_error": "mean_squared_error",
    "neg_mean_absolute_error": "mean_absolute_error",
    "accuracy": "accuracy_score",
    "roc_auc": "roc_auc_score",
    "average_precision": "average_precision_score",
}
# How to pass each input of metrics with other inputs than labels and scores.
_EXAMPLES = {
    "features": "X",
    "history": "(X_past, users_past)",
    "intents": "intent_labels",
    "items": "item_ids",
    "popularity": "dict(zip(item_ids, popularity))",
}


def is_metric_name(name: object) -> TypeGuard[str]:
    """Return whether a name is a metric of this package.

    Without a cutoff, `"precision"` is scikit-learn's metric.
    """
    if is_prefixed(name):
        return is_read(name)
    match = NAME.fullmatch(name) if isinstance(name, str) else None
    return match is not None and _find(match["stem"], match["k"]) is not None


def _find(stem: str, k: str | None) -> Metric | None:
    """Find the row of the table for a stem, if it can have such a cutoff; "set_" means all documents."""
    plain = stem.removeprefix("neg_")
    metric = find_row(plain.removeprefix("set_"))
    if metric is None or (stem.startswith("neg_") and metric.greater_is_better):
        return None
    if plain.startswith("set_"):
        return metric if metric.cutoff == "required" and k is None else None
    return None if metric.cutoff == ("none" if k else "required") else metric


def parse_name(
    name: object, parameter: str = "metrics", others: Iterable[str] = ()
) -> tuple[Metric, Options]:
    """Split a name into its row of the table and its parameters; `others` are further valid names."""
    meaning = read_meaning(name, parameter, others)
    return meaning.metric, dict(meaning.parsed)


def list_needs(metrics: Sequence[str]) -> dict[str, bool]:
    """Return whether metrics of a run need the pool of its judgments, and labels by intent."""
    metrics = [name for name in metrics if isinstance(name, str)]  # others raise an error later
    rows = {name: find_metric_with_inputs(name) for name in metrics}
    of_intents = [name for name, row in rows.items() if row and row.needs == ("intents",)]
    others = [parse_name(name)[0] for name in metrics if name not in of_intents]
    with_pool = any(metric.nan_rule == "sampled" for metric in others)
    return {"with_pool": with_pool, "with_intents": bool(of_intents)}


def read_meaning(
    name: object, parameter: str = "metrics", others: Iterable[str] = (), tables: bool = False
) -> Meaning:
    """Return the meaning of a name; `tables` allows metrics with other inputs than labels and scores."""
    if not isinstance(name, str):
        _reject(name, parameter, others)
    if len(name) > MOST_LETTERS:  # the search for similar names would take long
        rule = f"name a metric in at most {MOST_LETTERS} letters"
        fail(parameter, rule, f"{len(name)} letters, {shorten(name)!r}", "Pass a name such as 'ndcg@10'.")
    if tables and (row := find_metric_with_inputs(name)) is not None:
        match = NAME.fullmatch(name)
        if match is None or row.cutoff == ("none" if match["k"] else "required"):
            from .._hints.metric_names import say_form

            stem = "neg_" * name.strip().startswith("neg_") + row.stem
            fail(parameter, say_form(row, name, f"{stem}@10"), repr(name))
        return Meaning(row, read_parameters(match, row, parameter))
    if is_prefixed(name):
        return read_prefixed(name, parameter)
    return _parse(name, parameter, tuple(others))


def _reject(name: object, parameter: str, others: Iterable[str]) -> NoReturn:
    """Raise an error with the names that are probably intended."""
    from .._hints.metric_names import MetricNames
    from ._libraries.library_names import find_libraries, find_reason

    plain = {stem: metric for stem, metric in METRICS.items() if not metric.needs}
    with_inputs = {stem: metric for stem, metric in METRICS.items() if metric.needs}
    known = MetricNames(plain, with_inputs, LIBRARIES, THEIRS, find_libraries, find_reason)
    rule, fix = known.explain(name, name_call(), others)
    fail(parameter, rule, getattr(name, "__name__", repr(name)), fix)


@lru_cache(maxsize=1024)  # scorers request the same names repeatedly
def _parse(name: str, parameter: str, others: tuple[str, ...]) -> Meaning:
    match = NAME.fullmatch(name)
    metric = _find(match["stem"], match["k"]) if match else None
    if match is None or metric is None:
        _reject(name, parameter, others)
    parsed = read_parameters(match, metric, parameter)
    check_options(**parsed)
    return Meaning(metric, parsed)


def read_parameters(match: re.Match[str], metric: Metric, parameter: str) -> Options:
    name = match.string
    parsed: Options = {"k": int(match["k"])} if match["k"] else {}
    if metric.cutoff == "required" and not parsed:
        parsed["k"] = None
    if match["params"] is None:
        return parsed
    known = [key for key in metric.params if key != "k"]
    known += [key for key in ("zero_division", *DEFAULTS) if key in metric.defaults]
    for part in match["params"].split(","):
        param = _PARAM.fullmatch(part)
        if param is None:
            fix = "Values are numbers, words, True, False or None, as in precision@5(min_relevance=2)."
            fail(parameter, "contain parameters as (name=value)", repr(name), fix)
        if param["name"] == "k" and param["value"].isdigit() and "k" not in parsed:
            _reject(name, parameter, ())
        if param["name"] not in known:
            near = " or ".join(list_near(param["name"], known) or known)
            rule = f"contain only parameters of {metric.name}"
            fail(parameter, rule, repr(name), f"Did you mean {near}?")
        if param["name"] in parsed:
            fail(parameter, "set each parameter of a metric once", repr(name), f"Set {param['name']} once.")
        if param.group("name", "value") == ("average", "None"):
            fix = "For the value of each query, pass average=None to ranking_scores."
            fail(parameter, "not contain average=None", repr(name), fix)
        parsed[param["name"]] = _read(param["value"])
    return parsed


def _read(text: str) -> Any:
    """Read a number, None, True, False or else a word, with or without quotes."""
    if text in _WORDS:
        return _WORDS[text]
    for number in (int, float):
        try:
            return number(text)
        except ValueError:
            continue
    return text.strip("'\"")


def find_metric_with_inputs(name: object) -> Metric | None:
    """Return the metric with inputs other than labels and scores whose stem begins a name, or None."""
    stem = name.partition("@")[0].partition("(")[0].strip() if isinstance(name, str) else ""
    metric = METRICS.get(stem.removeprefix("neg_"))
    if metric is None or not metric.needs or not metric.named:
        return None
    return None if stem.startswith("neg_") and metric.greater_is_better else metric


def read_names(metrics: object) -> list[Any]:
    """Return one name or several as a list."""
    if isinstance(metrics, str):
        return [metrics]
    if callable(metrics):
        read_meaning(metrics)  # raises an error
    return read_list(metrics, "metrics", "be a name such as 'ndcg@10' or a list of names")


def build_requests(
    metrics: object, options: Arguments, shared: bool = True, tables: bool = False
) -> list[Request]:
    """Build a request for each name from the options that it takes, its parameters and the defaults.

    Options `shared` by many metrics do not apply to a metric in which they have another meaning.
    """
    names = read_names(metrics)
    if not names or len(set(map(str, names))) < len(names):
        fail("metrics", "be a non-empty list of distinct names", repr(names))
    requests, notes = _build_all(tuple(names), shared, tables, **options)
    for note in notes:
        warn_user(note, RankingWarning)
    return list(requests)


@remember
def _build_all(
    names: tuple[Any, ...], shared: bool, tables: bool, /, **options: object
) -> tuple[list[Request], list[str]]:
    """Build the requests of all names; return notes on options that do not apply to all of them."""
    requests = [_build_request(name, shared, tables, **options) for name in names]
    notes = _check_fixed(names, options, tables)
    for request in requests:  # after all names are known to be valid
        if not request.metric.needs:
            request.check_together()
    return requests, notes


USUAL = {"gain": "linear", "discount": "log2", "min_relevance": 1, **DEFAULTS}


def _check_fixed(names: Sequence[str], options: Arguments, tables: bool) -> list[str]:
    """Raise an error if all names fix an option otherwise; return notes if some names of libraries do."""
    notes = []
    meanings = {name: read_meaning(name, tables=tables) for name in names}
    for key, value in options.items():
        if value is None or is_same(value, USUAL.get(key)) or (key, value) == ("unjudged", "nonrelevant"):
            continue
        fixed = {
            name: each.parsed[key]
            for name, each in meanings.items()
            if key in each.parsed
            and not (is_same(value, each.parsed[key]) or value in (each.own.get(key) or ()))
            and not (key == "unjudged" and each.metric.of_judged)
        }
        others = [name for name in fixed if is_prefixed(name)]
        first = next(iter(others or fixed), "")
        sets = f"{first!r} sets {key}={spell_value(fixed[first])}" if fixed else ""
        if len(fixed) == len(meanings):
            fix = f"Leave {key} out, or use a metric that takes it; see explain({first!r})."
            fail(key, f"be left out, because {sets}", spell_value(value), fix)
        if others:
            n = f", and so do {len(others) - 1} other names" if len(others) > 1 else ""
            notes.append(f"{key}={spell_value(value)} does not apply to all metrics: {sets}{n}.")
    return notes


def _build_request(name: Any, shared: bool, tables: bool, /, **given: object) -> Request:
    """Build the request of one name, with all options checked one by one."""
    if shared and given.get("zero_division") is None:  # each metric has its own default
        given.pop("zero_division", None)
    given = check_options(**given)
    metric, parsed, scores, can_set = read_meaning(name, tables=tables)
    if shared:  # "gain" and "discount" have another meaning where they have another default
        own = [key for key in OF_GAINS if metric.needs or metric.defaults.get(key, USUAL[key]) != USUAL[key]]
        given = {key: value for key, value in given.items() if key not in own}
    if "average" in parsed and given.get("average", "macro") is None:  # values of queries are not averaged
        parsed = {key: value for key, value in parsed.items() if key not in ("average", "weighted_by")}
    chosen: Options = {**given, **parsed}
    chosen |= {key: given[key] for key, values in can_set.items() if values and given.get(key) in values}
    params = {key: chosen.get(key, metric.defaults[key]) for key in metric.params}
    rules = {key: chosen.get(key, default) for key, default in DEFAULTS.items()}
    rules["unjudged"] = metric.treat_unjudged(rules["unjudged"])
    zero_division: Any = metric.defaults.get("zero_division", 0.0)
    if "zero_division" in metric.defaults:  # other metrics have a value for each query
        zero_division = chosen.get("zero_division", zero_division)
    sign = -1.0 if name.startswith("neg_") else 1.0
    request = Request(name, metric, params, Rules(**rules, zero_division=float(zero_division)), sign, scores)
    return request.checked_by_row() if metric.needs else request


def merge_options(name: str, call: Arguments, own: Arguments, usual: Arguments) -> Options:
    """Return the options of a call that a scorer does not set; they must not differ."""
    for key in own.keys() & call.keys():
        if not (call[key] is None or is_same(call[key], usual.get(key)) or is_same(call[key], own[key])):
            rule = f"be {own[key]!r} or left out, because the scorer {name!r} sets it"
            fail(key, rule, repr(call[key]), f"Leave {key} out, or set it in one place.")
    return {key: value for key, value in call.items() if key not in own}


def check_tables(requests: Sequence[Request], given: Given, tables: Tables) -> None:
    """Check that each metric has its inputs, and that each input is used."""
    for request in requests:
        for need in request.metric.needs:
            if need != "labels" and getattr(tables, need) is None:
                fail(need, f"be set for {request.name!r}", None, f"Pass {need}={_EXAMPLES[need]}.")
        if not request.metric.per_query and given.sample_weight is not None:
            fix = "This metric is computed from all lists together, so queries have no weights."
            got = f"a {type(given.sample_weight).__name__}"
            fail("sample_weight", f"be None with {request.name!r}", got, fix)
    needed = {need for request in requests for need in request.metric.needs}
    if "features" in needed and tables.has_features_by_item:
        if tables.items is None:
            rule = "contain the item id of each row if 'features' are given by item"
            fail("items", rule, None, f"Pass items={_EXAMPLES['items']}.")
        needed.add("items")
    for name, table in tables.given().items():
        if name not in needed and name != "strata":  # strata are for metrics of labels and scores
            takers = [stem for stem, each in METRICS.items() if name in each.needs and each.named]
            fix = f"These metrics use it: {', '.join(takers)}."
            fail(name, "be None unless a metric in 'metrics' uses it", f"a {type(table).__name__}", fix)
