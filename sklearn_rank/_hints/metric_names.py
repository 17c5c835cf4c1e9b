"""Unknown names of metrics: those of other libraries and papers, and misspelled names."""

import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple

from . import list_near
from .names_in_papers import COMMON, ELSEWHERE, OF_SCORING

# Functions that accept names of metrics with other inputs than labels and scores.
WITH_TABLES = ("ranking_scores", "evaluate")
WITH_SCORERS = (*WITH_TABLES, "evaluate_runs", "RankingEvaluator", "cross_val_report")  # or scikit-learn's
# Metrics without a name: their functions return values of queries for RankingReport.from_values.
WITHOUT_NAMES = {
    "intent_aware": 'intent_aware_score("ndcg@10", intents, y_score, groups=qid, average=None)',
    "rbo": "rbo_score(old_score, new_score, groups=qid, k=10, average=None)",
    "overlap": "overlap_at_k_score(old_score, new_score, groups=qid, k=10, average=None)",
}
LISTS_NAMES = "sklearn_rank.get_scorer_names() lists names."
OURS = "name a metric of sklearn_rank"
_LIBRARY = re.compile(r"[A-Za-z][\w.-]*")  # a possible name of a library
# A stem of ours with a cutoff in another syntax.
_CUTOFF = re.compile(r"(?P<stem>.*?)(_at)?[@._]?(?P<k>[1-9][0-9]{0,18})")

_CUTOFF_INSIDE = re.compile(
    r"(?P<stem>\w+)\s*\((?P<before>.*,|)\s*k\s*=\s*(?P<k>[1-9]\d*)\s*(?P<after>,.*|)\)"
)


class MetricNames(NamedTuple):
    """The metrics of this package and of libraries, passed in by the code that imports this file."""

    metrics: Mapping[str, Any]  # of labels and scores, by stem
    with_inputs: Mapping[str, Any]  # with other inputs, by stem
    libraries: Mapping[str, Any]
    theirs: Mapping[str, str]  # scikit-learn's scorers with a value per query, and their functions
    find_libraries: Callable[[str], dict[str, list[str]]]
    find_reason: Callable[[str], str]

    def explain(self, name: object, function: str, others: Iterable[str]) -> tuple[str, str]:
        """Return the rule that a name breaks, and a fix with the name that is probably intended."""
        if not isinstance(name, str):
            known = (stem for stem, metric in self.metrics.items() if metric.function is name)
            if (stem := next(known, None)) is None:
                return "contain names of metrics", 'Pass "ndcg@10", for example.'
            example = stem + "@10" * (self.metrics[stem].cutoff != "none")
            return "contain names of metrics, not functions", f'Pass "{example}".'
        moved = _CUTOFF_INSIDE.fullmatch(name)
        if moved and moved["stem"] in {*self.metrics, *self.with_inputs}:
            rest = ", ".join(filter(None, (part.strip(" ,") for part in moved.group("before", "after"))))
            return f'be written "{moved["stem"]}@{moved["k"]}{f"({rest})" * bool(rest)}"', ""
        found = self._explain_inputs(name, function) or self._explain_elsewhere(name, function, others)
        found = found or self._explain_library(name) or self._explain_sign(name)
        return found or self._explain_form(name, others)

    def _explain_inputs(self, name: str, function: str) -> tuple[str, str] | None:
        """Explain which inputs a metric with other inputs needs, and which functions accept its name."""
        written = re.split("[@(]", name)[0].strip()
        stem = _stem(written)
        if stem in WITHOUT_NAMES:
            fix = f"For a report, pass the values of {WITHOUT_NAMES[stem]} to RankingReport.from_values."
            return "depend only on labels and scores", fix
        metric = self.with_inputs.get(stem.removeprefix("neg_"))
        if metric is None:
            return None
        if stem.startswith("neg_") and metric.greater_is_better:
            return _explain_unsigned(name.strip().removeprefix("neg_"), "neg_")
        takes_name = function in (*WITH_TABLES, *["evaluate_runs"] * (metric.needs == ("intents",)))
        if takes_name and written != stem:
            return f'be written "{stem}{name.strip().removeprefix(written)}"', ""
        if function in WITH_TABLES:
            given = ", ".join(f"{need}=..." for need in metric.needs if need != "labels")
            return "be passed with the inputs of the metric", f"Call {function}(..., {given})."
        functions = " or ".join(WITH_TABLES)
        fix = f"Use the scorer {metric.factory.__name__}(...), or pass the name to {functions}."
        return "depend only on labels and scores", fix

    def _explain_elsewhere(self, name: str, function: str, others: Iterable[str]) -> tuple[str, str] | None:
        """Explain a name from a library or a paper."""
        written = re.sub(r"[\s'\"]", "", name).removesuffix("()")
        if re.sub("_scorer?$", "", written) in self.metrics:  # one of our names, with something missing
            return None
        meanings = self._find_elsewhere(written)
        meanings = {who: ours for who, ours in meanings.items() if ours != OF_SCORING or ours in others}
        if meanings:
            return OURS, f"Did you mean {self._list_ways(meanings)}?"
        bare = written.partition("@")[0]
        if "," in written or bare.lower() in self.metrics:
            return None
        for example in (f"{bare}@10", f"{bare}_10"):
            if meanings := self._look_up(example):
                return f"have a cutoff, such as {example}", f"Did you mean {self._list_ways(meanings)}?"
        takes_scorers = others or function in WITH_SCORERS
        if takes_scorers and (ours := self._find_scorer(written)):
            return OURS, f'Did you mean "{ours}" (as in scikit-learn)?'
        reason = self.find_reason(written)
        return (OURS, f"{reason.removesuffix('.')}.") if reason else None

    def _find_scorer(self, written: str) -> str | None:
        """Return the scorer of scikit-learn for its function, such as log_loss, or for a shorter name."""
        for scorer, function in self.theirs.items():
            names = {function, scorer, re.sub("_score_loss|_score|_loss", "", function)}
            names |= {scorer.removeprefix("neg_"), "".join(re.findall("(?<![a-z])[a-z]", function))}
            if written.lower().replace("_", "") in {each.replace("_", "") for each in names}:
                return scorer
        return None

    def _find_elsewhere(self, written: str) -> dict[str, str]:
        """Return the equivalent metrics by source, however the cutoff is attached to the name."""
        attached = _CUTOFF.fullmatch(written)
        ways = [written]
        if attached and attached["stem"] not in self.metrics:
            ways += [f"{attached['stem']}{sign}{attached['k']}" for sign in "_@"]
            ways += [f"{attached['stem']}(top_k={attached['k']})"]
        return next(filter(None, map(self._look_up, ways)), {})

    def _look_up(self, written: str) -> dict[str, str]:
        """Return the meanings of a name by library or paper."""
        meanings = {" and ".join(libraries): ours for ours, libraries in self.find_libraries(written).items()}
        for pattern, by_source in ELSEWHERE.items():
            form = re.escape(pattern).replace(r"\{k\}", r"([1-9][0-9]{0,18})")
            if found := re.fullmatch(form, written, re.IGNORECASE):
                k = "".join(found.groups())
                filled = {who: ours.replace("{k}", k) for who, ours in by_source.items()}
                ways = filled | meanings if COMMON.issuperset(filled) else meanings | filled
                first = {ours: who for who, ours in reversed(ways.items())}  # the first source of a meaning
                return {who: ours for who, ours in ways.items() if first[ours] == who}
        return meanings

    def _list_ways(self, meanings: Mapping[str, str]) -> str:
        """List the meanings of a name by source: names in quotes, code without quotes.

        A name with the prefix of a library needs no source.
        """
        ways = []
        for library, ours in meanings.items():
            names = (*self.metrics, *self.with_inputs, *self.libraries, OF_SCORING)
            is_name = re.split("[@(:]", ours)[0].removeprefix("neg_").removeprefix("set_") in names
            quote = '"' * is_name
            source = "" if ours.partition(":")[0] in self.libraries else f" (as in {library})"
            ways.append(f"{quote}{ours}{quote}{source}")
        return " or ".join(ways)

    def _explain_library(self, name: str) -> tuple[str, str] | None:
        """List the known libraries if the name of another one precedes a colon."""
        prefix, colon, rest = name.partition(":")
        if not (colon and _LIBRARY.fullmatch(prefix) and rest[:1].isalpha()) or "=" in rest:
            return None
        if _stem(prefix) in self.metrics:
            return None
        near = list_near(prefix.lower().removeprefix("neg_"), self.libraries)
        names = " or ".join(f'"{each}:{rest}"' for each in near)
        hint = f" Did you mean {names}?" if near else ""
        return "start with the name of a known library", f"Libraries are {', '.join(self.libraries)}.{hint}"

    def _explain_sign(self, name: str) -> tuple[str, str] | None:
        """Explain which metrics are negated, and how."""
        signed = re.fullmatch(r"\s*(?P<sign>-|neg_)\s*(?P<rest>.*)", name, re.DOTALL)
        stem = _stem(re.split("[@(]", signed["rest"])[0]) if signed else ""
        metric = self.metrics.get(stem)
        if signed is None or metric is None:
            return None
        k = re.search(r"@([1-9][0-9]{0,18})\s*(?=\(|$)", name)
        plain = f"{stem}{k[0].strip() if k else '@10' * (metric.cutoff == 'required')}"
        if metric.greater_is_better:
            return _explain_unsigned(plain, signed["sign"])
        return (f'be written "neg_{plain}"', "") if signed["sign"] == "-" else None

    def _explain_form(self, name: str, others: Iterable[str]) -> tuple[str, str]:
        """Return how one of our names is written, or similar names."""
        squeezed = re.sub(r"[\s'\"-]", "", name)
        if "," in name and "(" not in name:
            return "be one name, with one cutoff", 'Call ranking_scores(..., metrics=["ndcg@5", "map"]).'
        stem, cutoff = _stem(re.split("[@(:]", name)[0]), re.search(r"@([1-9][0-9]{0,18})\s*(?=\(|$)", name)
        attached = _CUTOFF.fullmatch(squeezed)
        is_known = stem.removeprefix("neg_") in self.metrics
        if not is_known and attached and _stem(attached["stem"]) in self.metrics:
            stem, cutoff = _stem(attached["stem"]), attached
        k = cutoff[cutoff.lastindex or 0] if cutoff else None
        metric = self.metrics.get(stem.removeprefix("neg_"))
        if metric is not None and not (stem.startswith("neg_") and metric.greater_is_better):
            if k and metric.cutoff != "none" and "(" not in name:
                return f'be written "{stem}@{k}"', ""
            return say_form(metric, name, f"{stem}@{k or 10}"), ""
        named = [each for each, row in self.with_inputs.items() if row.named]
        names = [*self.metrics, *named, *others]
        with_word = [name for name in names if not {*stem.split("_")}.isdisjoint(name.split("_"))]
        near = list(dict.fromkeys([*list_near(stem, names), *with_word]))[:3]
        return "name a metric" + f" (did you mean {' or '.join(near)}?)" * bool(near), LISTS_NAMES


def say_form(metric: Any, name: str, example: str) -> str:
    """Return how the name of a metric is written."""
    stem = example.partition("@")[0]
    rules = {
        "required": f"have a cutoff, such as {example}",
        "none": "have no cutoff" if "@" in name else f"be written as {stem}",
        "optional": f"be written as {stem} or {example}, with parameters as (name=value)",
    }
    return rules[metric.cutoff]


def _explain_unsigned(plain: str, sign: str) -> tuple[str, str]:
    return f'be "{plain}", without "{sign}"', 'Higher values are better, and "neg_" is only for losses.'


def _stem(text: str) -> str:
    """Return the stem of a name in our spelling."""
    return re.sub("_scorer?$", "", text.strip().lower().replace("-", "_")).replace("_at_k", "")
