"""What others write: names of metrics in other libraries, and in a name what a name cannot hold."""

import re
from collections.abc import Iterable
from difflib import get_close_matches
from itertools import product
from typing import Any, NoReturn

from .._validation import fail
from ._registry import DEFAULTS, METRICS, NOT_PARAMS, Entry

# What stands for any number in the names below.
_PLACES = {"{k}": r"(?P<k>[1-9][0-9]{0,18})", "{rel}": r"(?P<rel>[1-9][0-9]*)", "{p}": r"(?P<p>0?\.[0-9]+)"}
_PLACES |= {"{percent}": r"(?P<percent>[0-9]{2})"}
LINEAR, BY_HITS = "ndcg@{k}", "hit_rate@{k}"
EXPONENTIAL = "ndcg@{k}(gain=exponential, zero_division=1)"
ACHIEVABLE, RELEVANT = "map@{k}", "map@{k}(denominator=relevant)"
ALL_RETRIEVED = "precision@1000000(adaptive_k=True)"  # at a cutoff that no list exceeds
AT_RECALL = 'interpolated_precision_curve(y_true, y_score, groups=qid, rounding="trec_eval_9")'

# A name, in letters of any case unless another differs in that alone: what computes the same here, by the
# library. The meanings of one name stand beside each other. They are tested against the libraries.
ELSEWHERE: dict[str, dict[str, str]] = {
    # trec_eval
    "ndcg_cut_{k}": {"trec_eval": LINEAR},
    "map_cut_{k}": {"trec_eval": RELEVANT},
    "P_{k}": {"trec_eval": "precision@{k}"},
    "recall_{k}": {"trec_eval": "recall@{k}"},
    "success_{k}": {"trec_eval": BY_HITS},
    "recip_rank": {"trec_eval": "mrr"},
    "Rprec": {"trec_eval and ir_measures": "r_precision"},
    "set_P": {"trec_eval": ALL_RETRIEVED},
    "set_recall": {"trec_eval": "recall@1000000"},
    "set_F": {"trec_eval": f'the harmonic mean of "{ALL_RETRIEVED}" and "recall@1000000" of each query'},
    "iprec_at_recall": {"trec_eval": AT_RECALL},
    "11pt_avg": {"trec_eval": f"{AT_RECALL}[1].mean()"},
    # ir_measures
    "nDCG@{k}": {"ir_measures": LINEAR},
    "AP": {"ir_measures": "map"},
    "AP@{k}": {"ir_measures": RELEVANT},
    "RR": {"ir_measures": "mrr"},
    "RR@{k}": {"ir_measures": "mrr@{k}"},
    "P@{k}": {"ir_measures": "precision@{k}"},
    "P(rel={rel})@{k}": {"ir_measures": "precision@{k}(min_relevance={rel})"},
    "R@{k}": {"ir_measures": "recall@{k}"},
    "R(rel={rel})@{k}": {"ir_measures": "recall@{k}(min_relevance={rel})"},
    "Success@{k}": {"ir_measures": BY_HITS},
    "nDCG(dcg=exp-log2)@{k}": {"ir_measures": "ndcg@{k}(gain=exponential)"},
    "ERR@{k}": {"ir_measures": "err@{k}(max_grade=4)"},
    "RBP(rel={rel},p={p})": {"ir_measures": "rbp(p={p}, min_relevance={rel})"},
    # ranx
    "hits@{k}": {"papers on graphs": BY_HITS, "ranx, of labels 0 and 1": "dcg@{k}(discount=None)"},
    "r-precision": {"ranx": "r_precision"},
    "rbp.{percent}": {"ranx": "rbp(p=0.{percent})"},
    "ndcg_burges@{k}": {"ranx": "ndcg@{k}(gain=exponential)"},
    "dcg_burges": {"ranx": "dcg(gain=exponential)"},
    # LightGBM and XGBoost
    "NDCG@{k}": {"trec_eval and ir_measures": LINEAR, "LightGBM and XGBoost": EXPONENTIAL},
    "ndcg@{k}-": {"XGBoost": "ndcg@{k}(gain=exponential)"},
    "MAP@{k}": {
        "CatBoost and RecBole": ACHIEVABLE,
        "LightGBM and XGBoost": f"{ACHIEVABLE}(zero_division=1)",
        "trec_eval, ir_measures and ranx": RELEVANT,
    },
    "map@{k}-": {"XGBoost": ACHIEVABLE},
    "pre@{k}": {"XGBoost": "precision@{k}(adaptive_k=True)"},
    "auc": {"XGBoost, of each query": "group_auc", "scikit-learn, of all rows together": "roc_auc"},
    # CatBoost
    "DCG:top={k}": {"CatBoost": "dcg@{k}"},
    "NDCG:top={k}": {"CatBoost": "ndcg@{k}(zero_division=1)"},
    "NDCG:type=Exp": {"CatBoost": "ndcg(gain=exponential, zero_division=1)"},
    "NDCG:top={k};type=Exp": {"CatBoost": EXPONENTIAL},
    "MAP:top={k}": {"CatBoost": ACHIEVABLE},
    "MRR:top={k}": {"CatBoost": "mrr@{k}"},
    "ERR:top={k}": {"CatBoost": "err@{k}(gain=linear, max_grade=1)"},
    "PrecisionAt:top={k}": {"CatBoost": "precision@{k}(adaptive_k=True)"},
    "RecallAt:top={k}": {"CatBoost": "recall@{k}(zero_division=1)"},
    "QueryAUC": {
        "CatBoost, of two classes": "group_auc(zero_division=0)",
        "CatBoost's type=Ranking": "pairwise_accuracy(zero_division=0)",
    },
    "QueryAUC:type=Ranking": {"CatBoost": "pairwise_accuracy(zero_division=0)"},
    "QueryAUC:type=Classic": {"CatBoost": "group_auc(zero_division=0)"},
    "PFound": {"CatBoost": 'err_scorer(**conventions.CATBOOST["pfound"])'},
    # recommender papers
    "HR@{k}": {"RecBole": BY_HITS, "papers that divide by all relevant items": "recall@{k}(average=micro)"},
    "hit@{k}": {"RecBole": BY_HITS},
    "hit_ratio@{k}": {"RecBole": BY_HITS},
    "hitrate@{k}": {"RecBole": BY_HITS},
    "mapk": {"ml_metrics": "map@10"},
    "GAUC": {
        "most papers, users weighted by their rows": "group_auc(average=weighted)",
        "RecBole, by their positives": "group_auc(average=weighted, weighted_by=relevant)",
    },
    # finance and scipy
    "IC": {"Qlib": "pearson", "alphalens": "spearman"},
    "Rank_IC": {"Qlib": "spearman"},
    "RankIC": {"Qlib": "spearman"},
    "spearmanr": {"scipy": "spearman"},
    "pearsonr": {"scipy": "pearson"},
    "kendalltau": {"scipy": "kendall_tau"},
    "kendall": {"pandas": "kendall_tau"},
    # in full, or not
    "BPR": {"most papers": "neg_bpr_loss"},
    "mean_average_precision": {"most papers": "map"},
    "mean_average_precision@{k}": {"LightGBM": f"{ACHIEVABLE}(zero_division=1)", "trec_eval": RELEVANT},
    "mean_reciprocal_rank": {"most papers": "mrr"},
    "mean_reciprocal_rank@{k}": {"most papers": "mrr@{k}"},
    "normalized_discounted_cumulative_gain": {"most papers": "ndcg"},
    "normalized_discounted_cumulative_gain@{k}": {"most papers": LINEAR},
    "hitratio@{k}": {"RecBole": BY_HITS},
    # what is no metric of labels and scores
    "coverage": {"RecBole's ItemCoverage": "catalog_coverage_scorer(...)"},
    "catalog_coverage": {"papers": "catalog_coverage_scorer(...)"},
    "gini": {"RecBole's GiniIndex": "neg_exposure_gini_scorer(...)"},
    "novelty": {"papers": "novelty_scorer(...)"},
    "intra_list_similarity": {"papers": "neg_intra_list_similarity_scorer(...)"},
}
_HELD = re.compile(r"""(?P<quote>['"]?)[\w.+-]+(?P=quote)""")  # a number or a word
_OWN = re.compile(r"(?P<stem>[a-z][a-z0-9_]*)(@(?P<k>[1-9][0-9]{0,18}))?\s*\((?P<params>.*)\)\s*", re.DOTALL)
# Our own stems with a cutoff that is written in another way.
_CUTOFF = re.compile(r"(?P<stem>.*?)(_at)?[@_]?(?P<k>[1-9][0-9]{0,18})")
_CUTOFFS = re.compile(r"(?P<stem>.*?)@[\[(]?(?P<ks>[1-9][0-9]*(,[1-9][0-9]*)+)[\])]?")


def find_elsewhere(name: str) -> dict[str, str]:
    """Return by library what computes the same as a name; a cutoff of 10 where the name lacks one."""
    written = re.sub(r"[\s'\"]", "", name)
    with_cutoff = (
        () if written.lower() in METRICS else (f"{written}@10", f"{written}_10", f"{written}:top=10")
    )
    for tried, flags in product((written, *with_cutoff), (re.NOFLAG, re.IGNORECASE)):
        for pattern, meant in ELSEWHERE.items():
            found = re.fullmatch(_compile(pattern), tried, flags)
            if found:
                return {library: _fill(ours, found.groupdict()) for library, ours in meant.items()}
    return {}


def _compile(pattern: str) -> str:
    """Turn a name with places for numbers into a regular expression."""
    parts = re.split(r"(\{\w+\})", pattern)
    return "".join(_PLACES[part] if part in _PLACES else re.escape(part) for part in parts)


def _fill(ours: str, numbers: dict[str, str]) -> str:
    for place, number in numbers.items():
        ours = ours.replace(f"{{{place}}}", number)
    return ours


def refuse_name(name: Any, function: str, parameter: str, others: Iterable[str]) -> NoReturn:
    """Say what may have been meant by a name that is none."""
    if isinstance(name, str):
        own = _OWN.fullmatch(name)
        if own and own["stem"].removeprefix("neg_") in METRICS:
            check_held(own["stem"], own["k"], own["params"], name, function, parameter)
        meant = find_elsewhere(name)
        if meant:
            ways = " or ".join(f"as {_quote(ours)} (meant by {library})" for library, ours in meant.items())
            fail(parameter, function, f"be written here {ways}", repr(name))
    else:
        _refuse_object(name, function, parameter)
    squeezed = re.sub(r"[\s'\"-]", "", name)
    several = _CUTOFFS.fullmatch(squeezed)
    if several and _stem(several["stem"]) in METRICS:
        names = [f"{_stem(several['stem'])}@{k}" for k in several["ks"].split(",")]
        fail(parameter, function, f"have one cutoff each: {names} are several names", repr(name))
    if "," in name and "(" not in name:
        names = [each.strip() for each in name.split(",")]
        fail(parameter, function, f"be one name: {names} are several", repr(name))
    stem, cutoff = _stem(re.split("[@(:]", name)[0]), re.search("@([1-9][0-9]{0,18})", name)
    attached = _CUTOFF.fullmatch(squeezed)
    if stem.removeprefix("neg_") not in METRICS and attached and _stem(attached["stem"]) in METRICS:
        stem, cutoff = _stem(attached["stem"]), attached
    _refuse_form(name, stem, cutoff[cutoff.lastindex or 0] if cutoff else None, function, parameter, others)


def _stem(text: str) -> str:
    """Return what a name begins with as we write it."""
    return text.strip().lower().replace("-", "_").removesuffix("_score").replace("_at_k", "")


def _quote(ours: str) -> str:
    """Put a name in quotes, and no code."""
    stem = re.split("[@(]", ours)[0].removeprefix("neg_")
    return f'"{ours}"' if stem in (*METRICS, "roc_auc") else ours


def _refuse_form(
    name: str, stem: str, k: str | None, function: str, parameter: str, others: Iterable[str]
) -> NoReturn:
    """Say how a name of ours is written, or which are near."""
    entry = METRICS.get(stem.removeprefix("neg_"))
    if entry is not None and not (stem.startswith("neg_") and entry.greater_is_better):
        example = f"{stem}@{k or 10}"
        if k and entry.cutoff != "none" and "(" not in name:
            fail(parameter, function, f'be written "{example}"', repr(name))
        rules = {
            "required": f"have its cutoff, as {example}",
            "none": "have no cutoff" if "@" in name else f"read as {stem}",
            "optional": f"read as {stem}, or {example} for a cutoff, with parameters as (name=value)",
        }
        fail(parameter, function, rules[entry.cutoff], repr(name))
    near = list(dict.fromkeys(get_close_matches(stem, [*METRICS, *others])))
    hint = f"did you mean {' or '.join(near)}?" if near else f"they are {', '.join(METRICS)}"
    fail(parameter, function, f"name a metric ({hint})", repr(name))


def _refuse_object(name: Any, function: str, parameter: str) -> NoReturn:
    """Say how the name of a metric function is written; of anything else, that it is none."""
    stems = [stem for stem, entry in METRICS.items() if entry.function is name]
    rule = f'hold names of metrics, as text, such as "ndcg@10" (they are {", ".join(METRICS)})'
    if stems:
        entry = METRICS[stems[0]]
        example = stems[0] + "@10" * (entry.cutoff != "none")
        rule = f'hold names of metrics, as text: that of {entry.function.__name__} is "{example}"'
    fail(parameter, function, rule, repr(name))


def check_held(stem: str, k: str | None, params: str, name: str, function: str, parameter: str) -> None:
    """Check that a name gives its parameters nothing that it cannot hold; say in code what can."""
    entry = METRICS[stem.removeprefix("neg_")]
    for key, value in _split(params):
        if key == "k" or (key.isdecimal() and not value):
            cutoff = next((text for text in (value, key) if text.isdecimal()), 10)
            fail(
                parameter, function, f"have its cutoff, as {stem}@{cutoff}, and none in brackets", repr(name)
            )
        if key in NOT_PARAMS and key not in (*DEFAULTS, "zero_division"):
            call = "scorer(model, X, y" if function == "get_scorer" else f"{function}(..., metrics=[...]"
            given = f"groups=qid, {key}={_code(value)}" if key == "sample_weight" else f"{key}={_code(value)}"
            fail(parameter, function, f"hold no data, which goes with the call, {call}, {given})", repr(name))
        if key == "average" and value == "None":
            remedy = f"{_call(entry, k)}groups=qid, average=None) has the value of each query"
            fail(parameter, function, f"average to one number: {remedy}", repr(name))
        if key in entry.defaults and value and not _HELD.fullmatch(value):
            remedy = _say_where(entry, k, key, value, function)
            fail(parameter, function, f"hold numbers, words, True, False and None only: {remedy}", repr(name))


def _split(params: str) -> list[tuple[str, str]]:
    """Split parameters as they are typed into names and values; commas in brackets are of a value."""
    parts = re.split(r",(?=\s*[a-z_]+\s*=(?!=))", params)
    pairs = (part.partition("=") for part in parts)
    return [(key.strip(), value.strip()) for key, _, value in pairs]


def _code(value: str) -> str:
    """Write a value as code; what Python writes of an object is none."""
    return "..." if value.startswith("<") or not value else value


def _call(entry: Entry, k: str | None) -> str:
    return f"{entry.function.__name__}(y_true, y_score, {f'k={k}, ' if k else ''}"


def _say_where(entry: Entry, k: str | None, key: str, value: str, function: str) -> str:
    """Say in code which call holds what a name cannot."""
    given = f"{key}={_code(value)}"
    if function == "get_scorer":
        return f"{entry.factory}({f'k={k}, ' if k else ''}{given}) can"
    if key in entry.own or key not in METRICS["ndcg"].defaults:
        return f"{_call(entry, k)}groups=qid, {given}) can"
    return f"{function}(..., {given}) can, for all metrics that take it"
