"""pytrec_eval, ir_measures and ranx: documents have names; qrels and runs are dicts by query."""

import re
import warnings
from typing import Any

import numpy as np

from sklearn_rank.metrics import interpolated_precision_curve
from tests.helpers import presets

from .compare import Compute, Oracle, Row
from .data import Data, binary, single, two_classes, untied

TREC = presets.TREC_EVAL
ALL = 10**6  # a cutoff above every number of documents
LEVELS = np.arange(11) / 10

Dicts = dict[str, dict[str, Any]]


def make_dicts(data: Data, decreasing: bool = True) -> tuple[Dicts, Dicts]:
    """Make qrels and runs. Decreasing document ids make trec_eval rank ties in row order."""
    n = len(data.groups)
    judgments: Dicts = {f"{group:04d}": {} for group in np.unique(data.groups)}
    run: Dicts = {query: {} for query in judgments}
    for row, (label, score, group) in enumerate(zip(data.y_true, data.y_score, data.groups)):
        name = f"d{n - row if decreasing else row:05d}"
        if label == label:
            judgments[f"{group:04d}"][name] = int(label)
        if score > -np.inf:
            run[f"{group:04d}"][name] = float(score)
    return judgments, run


# ------------------------------------------------------------------ trec_eval, by pytrec_eval


def prepare_pytrec_eval(data: Data) -> Compute:
    import pytrec_eval

    judgments, run = make_dicts(data)

    def compute(name: str, weighted: bool) -> np.ndarray:
        name, _, level = name.partition(" -l ")
        measure = re.sub(r"_(\d+)$", r".\1", name)
        evaluator = pytrec_eval.RelevanceEvaluator(judgments, {measure}, relevance_level=int(level or 1))
        values = evaluator.evaluate(run)
        names = [f"{name}_{level:.2f}" for level in LEVELS] if name == "iprec_at_recall" else [name]
        by_query = np.array([[values[query][name] for name in names] for query in judgments])
        return by_query if len(names) > 1 else by_query[:, 0]

    return compute


def interpolated_precision(data: Data) -> np.ndarray:
    options = {"rounding": "trec_eval_9", "ties": "order", "unjudged": "nonrelevant", "average": None}
    return interpolated_precision_curve(data.y_true, data.y_score, groups=data.groups, **options)[1]


PYTREC_EVAL = Oracle(
    "pytrec_eval",
    prepare_pytrec_eval,
    [
        Row("ndcg", "ndcg"),
        Row("ndcg@1", "ndcg_cut_1"),
        Row("ndcg@5", "ndcg_cut_5"),
        Row("ndcg@100", "ndcg_cut_100"),
        Row("map", "map"),
        Row("map", "map -l 2", {"min_relevance": 2}),
        Row("map@5", "map_cut_5"),
        Row("map@100", "map_cut_100"),
        Row("mrr", "recip_rank"),
        Row("mrr", "recip_rank -l 2", {"min_relevance": 2}),
        Row("precision@5", "P_5"),
        Row("precision@5", "P_5 -l 2", {"min_relevance": 2}),
        Row("precision@100", "P_100"),
        Row(f"precision@{ALL}", "set_P", {"adaptive_k": True}),
        Row("recall@5", "recall_5"),
        Row(f"recall@{ALL}", "set_recall"),
        Row("hit_rate@1", "success_1"),
        Row("hit_rate@5", "success_5"),
        Row("r_precision", "Rprec"),
        Row("r_precision", "Rprec -l 2", {"min_relevance": 2}),
        Row("bpref", "bpref"),
        Row("interpolated_precision_curve", "iprec_at_recall", compute=interpolated_precision),
    ],
    views=(single,),
    presets=TREC,
)

# ------------------------------------------------------------------ ir_measures

ASCENDING = ("RR@", "Judged@")  # its own metrics rank ties by ascending name, trec_eval's by descending name


def prepare_ir_measures(data: Data) -> Compute:
    import ir_measures

    def compute(name: str, weighted: bool) -> np.ndarray:
        judgments, run = make_dicts(data, decreasing=not name.startswith(ASCENDING))
        found = ir_measures.iter_calc([ir_measures.parse_measure(name)], judgments, run)
        values = {value.query_id: value.value for value in found}
        return np.array([values[query] for query in judgments])

    return compute


IR_MEASURES = Oracle(
    "ir_measures",
    prepare_ir_measures,
    [
        Row("ndcg", "nDCG"),
        Row("ndcg@5", "nDCG@5"),
        Row("map", "AP"),
        Row("map@5", "AP@5"),
        Row("mrr", "RR"),
        Row("mrr@3", "RR@3"),
        Row("precision@5", "P@5"),
        Row("precision@5", "P(rel=2)@5", {"min_relevance": 2}),
        Row("recall@5", "R@5"),
        Row("hit_rate@5", "Success@5"),
        Row("r_precision", "Rprec"),
        Row("bpref", "Bpref"),
        Row("judged@5", "Judged@5", {"ties": "order"}),
    ],
    views=(single,),
    presets=TREC,
)

GDEVAL = IR_MEASURES._replace(
    rows=[
        Row("err@20", "ERR@20", {**TREC["ndcg"], "max_grade": 4}),
        Row("ndcg@20", "nDCG(dcg='exp-log2')@20", {"gain": "exponential"}),
    ],
    tolerance=5.001e-6,  # it prints five decimals
)

# ------------------------------------------------------------------ ranx


def prepare_ranx(data: Data) -> Compute:
    from ranx import Qrels, Run, evaluate

    judgments, run = make_dicts(data)
    qrels, run = Qrels(judgments), Run(run)

    def compute(name: str, weighted: bool) -> np.ndarray:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # warnings of its compiler
            return evaluate(qrels, run, name, return_mean=False)

    return compute


RANX = Oracle(
    "ranx",
    prepare_ranx,
    [
        Row("ndcg", "ndcg"),
        Row("ndcg@5", "ndcg@5"),
        Row("ndcg@5", "ndcg_burges@5", {"gain": "exponential"}),
        Row("dcg@5", "dcg@5", TREC["ndcg"]),
        Row("dcg", "dcg_burges", {**TREC["ndcg"], "gain": "exponential"}),
        Row("map", "map"),
        Row("map@5", "map@5"),
        Row("map@5", "map@5-l2", {"min_relevance": 2}),
        Row("mrr", "mrr"),
        Row("mrr@3", "mrr@3"),
        Row("precision@5", "precision@5"),
        Row("recall@5", "recall@5"),
        Row("f1@5", "f1@5", TREC["precision"]),
        Row("hit_rate@5", "hit_rate@5"),
        Row("r_precision", "r-precision"),
        Row("bpref", "bpref", views=(two_classes,)),  # nan if all are relevant
        Row("rbp", "rbp.80", TREC["precision"], views=(binary,)),  # uses grades as gains
    ],
    views=(untied,),
    presets=TREC,
)
