"""Names that are no metric: names in other libraries and papers, and values that a name cannot contain."""

import ast
import re
from collections.abc import Callable, Collection, Iterable, Mapping
from inspect import signature
from typing import Any, NamedTuple

from . import list_near
from .names_in_papers import COMMON, ELSEWHERE, OF_SCORING

# Calls that take names of metrics of more than labels and scores.
WITH_TABLES = ("ranking_scores", "evaluate")
# What functions alone compute: of each query, for RankingReport.from_values.
ALONE = {
    "intent_aware": 'intent_aware_score("ndcg@10", intents, y_score, groups=qid, average=None)',
    "rbo": "rbo_score(old_score, new_score, groups=qid, k=10, average=None)",
    "overlap": "overlap_at_k_score(old_score, new_score, groups=qid, k=10, average=None)",
}
DATA = {"y_true", "y_score", "groups", "strata", "sample_weight"}
DATA_OF_FUNCTIONS = {
    "item_ids",
    "X",
    "intent_weight",
}  # which have other names in calls with names of metrics
LISTS_NAMES = "sklearn_rank.get_scorer_names() lists names."
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


class MetricNames(NamedTuple):
    """The metrics of this package and of libraries, passed in by the code that imports this file."""

    metrics: Mapping[str, Any]  # of labels and scores, by stem
    beside: Mapping[str, Any]  # of more than that
    tables: Collection[str]  # the arguments that these take in addition
    libraries: Mapping[str, Any]
    find_meant: Callable[[str], dict[str, list[str]]]
    find_reason: Callable[[str], str]
    is_read: Callable[[str], bool]

    def explain(self, name: Any, function: str, others: Iterable[str]) -> tuple[str, str]:
        """Return which rule a name breaks, with a name that is probably meant, and advice."""
        if not isinstance(name, str):
            return self._explain_object(name), ""
        rule, fix = self._explain_beside(name, function)
        own = _OWN.fullmatch(name)
        metric = self.metrics.get(own["stem"].removeprefix("neg_")) if own else None
        rule = rule or (self.explain_params(metric, name, function) if metric else "")
        rule = rule or self._explain_elsewhere(name, others)
        rule = rule or self._explain_library(name) or self._explain_sign(name)
        return (rule, fix) if rule else self._explain_form(name, others)

    def _explain_object(self, name: Any) -> str:
        """Explain how the name of a metric function is written."""
        for stem, metric in self.metrics.items():
            if metric.function is name:
                example = stem + "@10" * (metric.cutoff != "none")
                return f'hold names of metrics, as text: that of {metric.name} is "{example}"'
        return 'hold names of metrics, as text, such as "ndcg@10"'

    def _explain_beside(self, name: str, function: str) -> tuple[str, str]:
        """Explain what a metric of more than labels and scores needs, and what takes its name."""
        stem, k = _stem(re.split("[@(]", name)[0]), re.search(r"@([1-9][0-9]{0,18})", name)
        if stem in ALONE:
            return f"be of labels and scores: RankingReport.from_values takes the values of {ALONE[stem]}", ""
        metric = self.beside.get(stem, self.beside.get(stem.removeprefix("neg_")))
        if metric is None:
            return "", ""
        if stem.startswith("neg_") and metric.greater_is_better:
            return _say_unsigned(name.strip().removeprefix("neg_"), "neg_"), ""
        if function in WITH_TABLES and re.split("[@(]", name)[0].strip() != stem:
            return f'be written "{stem}{k[0] if k else ""}"', ""
        if function in WITH_TABLES:
            given = ", ".join(f"{need}=..." for need in metric.needs if need != "labels")
            return f"come with what it is of, {function}(..., {given})", ""
        if function == "explain":
            fix = f"Its formula and options are in help(sklearn_rank.metrics.{metric.function.__name__})."
            return "name a metric of labels and scores alone", fix
        taken = signature(metric.factory).parameters
        required = [key for key, each in taken.items() if each.default is each.empty or (k and key == "k")]
        call = ", ".join(f"k={k[1] if k else 10}" if key == "k" else f"{key}=..." for key in required)
        remedy = f"{metric.factory.__name__}({call}) makes a scorer of it"
        takers = " and ".join(WITH_TABLES)
        return f"be of labels and scores alone: {remedy}, {takers} take its name", ""

    def explain_params(self, metric: Any, name: str, function: str) -> str:
        """Return a rule that the parameters in a name break, with code that does what is meant."""
        own = _OWN.fullmatch(name)
        if own is None:
            return ""
        k, is_beside = own["k"], metric.stem in self.beside
        data = DATA | {*self.tables} if is_beside else DATA
        for key, value in _split(own["params"]):
            if key == "k" or (key.isdecimal() and not value):
                cutoff = next((text for text in (value, key) if text.isdecimal()), 10)
                return f"have its cutoff, as {own['stem']}@{cutoff}, and none in brackets"
            if key in data:
                call = "scorer(model, X, y" if function == "get_scorer" else f"{function}(..., metrics=[...]"
                given = f"{'groups=qid, ' * (key == 'sample_weight')}{key}={_code(value)}"
                return f"hold no data, which goes with the call, {call}, {given})"
            if key == "average" and value == "None":
                remedy = f"{_call(metric, k)}groups=qid, average=None) has the value of each query"
                return f"average to one number: {remedy}"
            is_data = is_beside and key in DATA_OF_FUNCTIONS
            if key in metric.defaults and value and (is_data or not _HELD.fullmatch(value)):
                remedy = self._say_where(metric, k, key, value, function)
                return f"hold numbers, words, True, False and None only: {remedy}"
        return ""

    def _say_where(self, metric: Any, k: str | None, key: str, value: str, function: str) -> str:
        """Return in code which call takes a value that a name cannot contain."""
        given = f"{key}={_code(value)}"
        if function == "get_scorer":
            return f"{metric.factory.__name__}({f'k={k}, ' if k else ''}{given}) can"
        is_own = key in metric.own or key not in self.metrics["ndcg"].defaults or metric.stem in self.beside
        if key != "target" and is_own:
            return f"{_call(metric, k)}groups=qid, {given}) can"
        return f"{function}(..., {given}) can, for all metrics that take it"

    def _explain_elsewhere(self, name: str, others: Iterable[str]) -> str:
        """Return how a name in a library or in a paper is written here, also with several cutoffs."""
        written = _squeeze(name)
        if re.sub("_scorer?$", "", written) in self.metrics:  # ours, and something about it is missing
            return ""
        several, with_params = _CUTOFFS.fullmatch(written), _WITH_PARAMS.fullmatch(written)
        meant = self._find_elsewhere(with_params["theirs"] if with_params else written)
        if several and several["stem"] not in self.metrics:
            ks = several["ks"].split(",")
            each = [self._find_elsewhere(f"{several['stem']}{several['sign']}{k}") for k in ks]
            common = [library for library in each[0] if all(library in one for one in each)]
            meant = {library: '" and "'.join(one[library] for one in each) for library in common}
        meant = {who: ours for who, ours in meant.items() if ours != OF_SCORING or ours in others}
        if meant:
            params = ", with parameters as (name=value)" * (with_params is not None)
            own = "" if several or with_params else self._find_own(written, meant)
            return f"be written here {self._list_ways(meant)}{own}{params}"
        bare = written.partition("@")[0]
        if "," in written or bare.lower() in self.metrics:
            return ""
        for example in (f"{bare}@10", f"{bare}_10"):
            if meant := self._look_up(example):
                ways = self._list_ways(meant)
                return f"have its cutoff, an int >= 1, as {example}, which is written here {ways}"
        reason = self.find_reason(written)
        return reason and f"name a metric of this package; {reason}"

    def _find_elsewhere(self, name: str) -> dict[str, str]:
        """Return by who means it what computes the same as a name, however its cutoff is attached."""
        written = _squeeze(name)
        attached = _CUTOFF.fullmatch(written)
        ways = [written]
        if attached and attached["stem"] not in self.metrics:
            ways += [f"{attached['stem']}{sign}{attached['k']}" for sign in "_@"]
            ways += [f"{attached['stem']}(top_k={attached['k']})"]
        return next(filter(None, map(self._look_up, ways)), {})

    def _look_up(self, written: str) -> dict[str, str]:
        """Return what libraries and papers mean by a name."""
        meant = {" and ".join(libraries): ours for ours, libraries in self.find_meant(written).items()}
        for pattern, said in ELSEWHERE.items():
            form = re.escape(pattern).replace(r"\{k\}", r"([1-9][0-9]{0,18})")
            if found := re.fullmatch(form, written, re.IGNORECASE):
                k = "".join(found.groups())
                filled = {who: ours.replace("{k}", k) for who, ours in said.items()}
                return filled | meant if COMMON.issuperset(filled) else meant | filled
        return meant

    def _find_own(self, written: str, meant: Mapping[str, str]) -> str:
        """Return the name of a library's very number, ties included, if one library alone means a name."""
        prefixes = [prefix for prefix, library in self.libraries.items() if library.title in meant]
        if len(meant) > 1 or not prefixes or any(map(self._is_prefixed, meant.values())):
            return ""
        theirs = f"{prefixes[0]}:{written}"
        title = self.libraries[prefixes[0]].title
        return f', or as "{theirs}" for the very number of {title}' * self.is_read(theirs)

    def _is_prefixed(self, name: str) -> bool:
        return name.removeprefix("neg_").partition(":")[0] in self.libraries

    def _list_ways(self, meant: Mapping[str, str]) -> str:
        """Write what is meant by whom: names in quotes, and code without."""
        ways = []
        for library, ours in meant.items():
            stem = re.split("[@(]", ours)[0].removeprefix("neg_")
            is_name = stem in (*self.metrics, *self.beside, OF_SCORING) or self._is_prefixed(ours)
            quote = '"' * is_name
            ways.append(f"as {quote}{ours}{quote} (meant by {library})")
        return " or ".join(ways)

    def _explain_library(self, name: str) -> str:
        """List the known libraries if the name of another one precedes a colon."""
        prefix, colon, rest = name.partition(":")
        if not (colon and _LIBRARY.fullmatch(prefix) and rest[:1].isalpha()) or "=" in rest:
            return ""
        if _stem(prefix) in self.metrics:
            return ""
        near = list_near(prefix.lower().removeprefix("neg_"), self.libraries)
        names = " or ".join(f'"{each}:{rest}"' for each in near)
        hint = f" (did you mean {names}?)" if near else ""
        return f"begin with a library that is known, {', '.join(self.libraries)}{hint}"

    def _explain_sign(self, name: str) -> str:
        """Explain which metrics are negated, and how."""
        signed = re.fullmatch(r"\s*(?P<sign>-|neg_)\s*(?P<rest>.*)", name, re.DOTALL)
        stem = _stem(re.split("[@(]", signed["rest"])[0]) if signed else ""
        metric = self.metrics.get(stem)
        if signed is None or metric is None:
            return ""
        k = re.search(r"@([1-9][0-9]{0,18})\s*(?=\(|$)", name)
        plain = f"{stem}{k[0].strip() if k else '@10' * (metric.cutoff == 'required')}"
        if metric.greater_is_better:
            return _say_unsigned(plain, signed["sign"])
        return f'be written "neg_{plain}"' if signed["sign"] == "-" else ""

    def _explain_form(self, name: str, others: Iterable[str]) -> tuple[str, str]:
        """Return how a name of ours is written, or which ones are similar."""
        squeezed = re.sub(r"[\s'\"-]", "", name)
        several = _CUTOFFS.fullmatch(squeezed)
        if several and _stem(several["stem"]) in self.metrics:
            names = [f"{_stem(several['stem'])}@{k}" for k in several["ks"].split(",")]
            return f"have one cutoff each: {names} are several names", ""
        if "," in name and "(" not in name:
            return f"be one name: {[each.strip() for each in name.split(',')]} are several", ""
        stem, cutoff = _stem(re.split("[@(:]", name)[0]), re.search(r"@([1-9][0-9]{0,18})\s*(?=\(|$)", name)
        attached = _CUTOFF.fullmatch(squeezed)
        if (
            stem.removeprefix("neg_") not in self.metrics
            and attached
            and _stem(attached["stem"]) in self.metrics
        ):
            stem, cutoff = _stem(attached["stem"]), attached
        k = cutoff[cutoff.lastindex or 0] if cutoff else None
        metric = self.metrics.get(stem.removeprefix("neg_"))
        if metric is not None and not (stem.startswith("neg_") and metric.greater_is_better):
            if k and metric.cutoff != "none" and "(" not in name:
                return f'be written "{stem}@{k}"', ""
            return say_form(metric, name, f"{stem}@{k or 10}"), ""
        named = [each for each, row in self.beside.items() if row.named]
        near = _find_near(stem, [*self.metrics, *named, *others])
        return "name a metric" + f" (did you mean {' or '.join(near)}?)" * bool(near), LISTS_NAMES


def say_form(metric: Any, name: str, example: str) -> str:
    """Return how the name of a metric is written."""
    stem = example.partition("@")[0]
    rules = {
        "required": f"have its cutoff, as {example}, an int >= 1",
        "none": "have no cutoff" if "@" in name else f"read as {stem}",
        "optional": f"read as {stem}, or {example} for a cutoff, an int >= 1, with parameters as "
        "(name=value)",
    }
    return rules[metric.cutoff]


def _say_unsigned(plain: str, sign: str) -> str:
    return f'be "{plain}", without "{sign}": higher is better, and "neg_" is for losses only'


def _stem(text: str) -> str:
    """Return what a name begins with as we write it."""
    return re.sub("_scorer?$", "", text.strip().lower().replace("-", "_")).replace("_at_k", "")


def _squeeze(name: str) -> str:
    """Leave out spaces, quotes, and CatBoost's parameters with their defaults; sort the others."""
    written = re.sub(r"[\s'\"]", "", name).removesuffix("()")
    stem, _, params = written.partition(":")
    said = sorted(param for param in params.split(";") if not _OF_NO_EFFECT.fullmatch(param))
    return f"{stem}:{';'.join(said)}" if said else stem


def _find_near(stem: str, names: list[str]) -> list[str]:
    """Return the three closest names, then those with a word of `stem`; none if nothing is close."""
    with_word = [name for name in names if not {*stem.split("_")}.isdisjoint(name.split("_"))]
    return list(dict.fromkeys([*list_near(stem, names), *with_word]))[:3]


def _split(params: str) -> list[tuple[str, str]]:
    """Split parameters as they are typed into names and values; commas in brackets belong to a value."""
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


def _call(metric: Any, k: str | None) -> str:
    of_rows = ", ".join(list(metric.defaults)[:2])
    return f"{metric.name}({of_rows}, {f'k={k}, ' if k else ''}"
