"""The expected values of metrics, from the textbook definitions and the data set itself."""

from collections.abc import Mapping
from functools import cache
from inspect import signature
from math import isnan, nan
from statistics import mean, median
from types import MappingProxyType
from typing import NamedTuple

from ..helpers.reference import REFERENCES, by_enumeration
from .data_sets import DATA_SETS, list_rows

NOTHING = MappingProxyType({})
OUTSIDE = -1.0  # label of a document outside the pool, for infAP


class Measure(NamedTuple):
    """The reference of a metric, and what its name determines."""

    stem: str
    options: Mapping = NOTHING
    rules: Mapping = NOTHING  # options of calls that are in the name
    sign: int = 1
    otherwise: float = 0.0  # value of an undefined query by default


TREC_EVAL = {"unjudged": "nonrelevant", "ties": "order", "zero_division": 0.0}
MEASURES = {
    "ndcg@3": Measure("ndcg", {"k": 3}),
    "ndcg(unjudged=drop)": Measure("ndcg", rules={"unjudged": "drop"}),
    "ndcg@2(unjudged=mean)": Measure("ndcg", {"k": 2}, {"unjudged": "mean"}),
    "dcg@3": Measure("dcg", {"k": 3}),
    "map": Measure("map"),
    "map@2(unjudged=nonrelevant)": Measure("map", {"k": 2}, {"unjudged": "nonrelevant"}),
    "mrr": Measure("mrr"),
    "mrr@2(ties=best)": Measure("mrr", {"k": 2}, {"ties": "best"}),
    "precision@2": Measure("precision", {"k": 2}),
    "recall@2": Measure("recall", {"k": 2}),
    "f1@2": Measure("f1", {"k": 2}),
    "hit_rate@1": Measure("hit_rate", {"k": 1}),
    "r_precision": Measure("r_precision"),
    "map_at_r": Measure("map_at_r"),
    "err@3(max_grade=3)": Measure("err", {"k": 3, "max_grade": 3}),
    "rbp(p=0.5)": Measure("rbp", {"p": 0.5}),
    "insq@3": Measure("insq", {"k": 3}),
    "neg_rbp_residual_loss(p=0.5)": Measure("rbp_residual_loss", {"p": 0.5}, sign=-1),
    "judged@2": Measure("judged", {"k": 2}),
    "infap": Measure("infap"),
    "bpref": Measure("bpref"),
    "neg_fallout_loss@2": Measure("fallout_loss", {"k": 2}, sign=-1),
    "neg_rank_sum_loss": Measure("rank_sum_loss", sign=-1),
    "neg_average_rank_loss": Measure("average_rank_loss", sign=-1, otherwise=nan),
    "group_auc": Measure("group_auc", otherwise=nan),
    "pairwise_accuracy": Measure("pairwise_accuracy", otherwise=nan),
    "kendall_tau_ap": Measure("kendall_tau_ap", otherwise=nan),
    "trec_eval:map": Measure("map", {"denominator": "relevant"}, TREC_EVAL),
    "trec_eval:ndcg_cut_3": Measure("ndcg", {"k": 3}, TREC_EVAL),
    "trec_eval:bpref": Measure("bpref", {}, TREC_EVAL),
}
# Metrics that use or ignore unjudged documents under every rule of the call.
OWN_RULES = {"bpref": "drop", "rbp_residual_loss": "keep", "judged": "keep", "infap": "keep"}
LOSSES = (
    "rbp_residual_loss",
    "average_rank_loss",
    "rank_sum_loss",
    "fallout_loss",
)  # "best" is the smallest value


@cache
def find_expected(number, name, with_pool=False):
    """Return the value of each query of a data set by its id, and the mean of the defined ones."""
    data, measure = DATA_SETS[number], MEASURES[name]
    found = {}
    for query in data.qrels:
        rows = [row for row in list_rows(data) if row.query == query]
        found[query] = measure.sign * _score(rows, measure, data.options, with_pool and name == "infap")
    defined = [value for value in found.values() if not isnan(value)]
    return found, (mean(defined) if defined else nan)


def _score(rows, measure, given, with_pool):
    """Return the value of a query."""
    rules = given | measure.rules
    if measure.rules is TREC_EVAL and given["unjudged"] == "drop":  # option -J
        rules["unjudged"] = "drop"
    labels = [OUTSIDE if with_pool and row.stratum < 0 else row.label for row in rows]
    scores = [row.score for row in rows]
    pairs = _apply(OWN_RULES.get(measure.stem, rules["unjudged"]), list(zip(labels, scores)))
    options = dict(measure.options)
    if "least" in signature(REFERENCES[measure.stem]).parameters:
        options["least"] = rules.get("min_relevance", 1)
    values = by_enumeration(measure.stem, *zip(*pairs), **options) if pairs else [None]
    if values[0] is None:
        return rules.get("zero_division", measure.otherwise)
    return _summarize(values, rules.get("ties", "average"), measure.stem in LOSSES)


def _apply(rule, pairs):
    """Apply a rule for unjudged documents to labels and scores."""
    judged = [label for label, _ in pairs if not isnan(label)]
    if rule == "keep":
        return pairs
    if rule == "drop":
        return [pair for pair in pairs if not isnan(pair[0])]
    value = 0.0 if rule == "nonrelevant" or not judged else {"mean": mean, "median": median}[rule](judged)
    return [(value if isnan(label) else label, score) for label, score in pairs]


def _summarize(values, ties, is_loss):
    """Return the value for a tie rule. The first order is that of the rows."""
    if ties == "average":
        return mean(values)
    if ties == "order":
        return values[0]
    return max(values) if (ties == "best") != is_loss else min(values)
