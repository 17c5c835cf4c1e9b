"""Metric names of other libraries, and the runs and qrels on which they are compared."""

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import numpy as np
import pytest

Dicts = dict[str, dict[str, Any]]


class Theirs(NamedTuple):
    """What a library gives: the value of each query that it has one for, and the mean over queries."""

    by_query: dict[str, float]
    mean: float


class Case(NamedTuple):
    """Whom to ask for a name, on which data, and how many digits it gives."""

    ask: Callable[[str, Dicts, Dicts], Theirs]
    draw: Callable[[int], tuple[Dicts, Dicts]]
    tolerance: float = 1e-12


# ------------------------------------------------------------------ data


def draw(
    seed: int,
    *,
    negative: bool = True,
    tied: bool = True,
    longest: int = 40,
    shared: bool = False,
    grades: int = 4,
    complete: bool = False,
) -> tuple[Dicts, Dicts]:
    """Draw a run and its judgements, of lists of 1 to 40 documents; ids fall in the order of the run."""
    rng = np.random.default_rng(seed)
    run: Dicts = {}
    qrels: Dicts = {}
    for number in range(40):
        n = 1 if number < 4 else int(rng.integers(2, longest + 1))
        ids = [f"d{place:03d}" for place in sorted(rng.choice(999, n, replace=False), reverse=True)]
        labels = rng.integers(1, grades + 1, n) * (rng.random(n) < (0.0 if number % 7 == 0 else 0.4))
        labels[(rng.random(n) < 0.2) & (labels == 0) & negative] = -1
        labels[0] = max(labels[0], 0)  # pytrec_eval can hang if all grades are negative
        scores = draw_scores(rng, n, tied)
        judged = rng.random(n) < (1 if complete else 0.8)
        retrieved = rng.random(n) < (1 if complete else 0.8)
        judged[0] = retrieved[0] = retrieved[-1] = True  # otherwise pytrec_eval's iprec is nan with -J
        qrels[str(number)] = {i: int(label) for i, label, kept in zip(ids, labels, judged) if kept}
        run[str(number)] = {i: float(score) for i, score, kept in zip(ids, scores, retrieved) if kept}
    if not shared:
        del run["11"], run["30"], qrels["12"], qrels["31"]
    return run, qrels


def draw_scores(rng: np.random.Generator, n: int, tied: bool) -> np.ndarray:
    """Draw scores in (0, 1), of which some are equal, and others are so in float32."""
    if not tied:
        return (rng.permutation(n) + 1) / (n + 2)
    return rng.integers(1, 10, n) / 10 + 1e-10 * rng.integers(0, 3, n)


def draw_with_others_first(seed: int) -> tuple[Dicts, Dicts]:
    """Draw lists whose first document is not relevant: Accuracy fails where there is no other."""
    run, qrels = draw(seed)
    for query in run.keys() & qrels.keys():
        first = max(run[query], key=run[query].__getitem__)
        qrels[query][first] = 0
    return run, qrels


def draw_two_classes(seed: int, lowest: int) -> tuple[Dicts, Dicts]:
    """Draw queries with judged documents of both kinds: ranx's bpref fails, or is nan, in others."""
    run, qrels = draw(seed, negative=False, longest=15)
    kept = [query for query, each in qrels.items() if min(each.values()) < lowest <= max(each.values())]
    return {query: run[query] for query in run if query in kept}, {query: qrels[query] for query in kept}


# ------------------------------------------------------------------ ir_measures


def ask_ir_measures(name: str, run: Any, qrels: Any, provider: str = "DefaultPipeline") -> Theirs:
    ir_measures = pytest.importorskip("ir_measures")
    if provider != "DefaultPipeline":
        pytest.importorskip(provider)
    measure = ir_measures.parse_measure(name)
    source = getattr(ir_measures, provider)
    if not source.supports(measure):
        pytest.skip(f"a program that ir_measures asks for {name} is not installed")
    values = {each.query_id: float(each.value) for each in source.iter_calc([measure], qrels, run)}
    return Theirs(values, source.calc_aggregate([measure], qrels, run)[measure])


def ask_ranx_of_ir_measures(name: str, run: Dicts, qrels: Dicts) -> Theirs:
    """Ask for what it leaves to ranx, which wants frames of objects."""
    pytest.importorskip("ranx")
    pandas = pytest.importorskip("pandas")
    columns = ["query_id", "doc_id", "score"], ["query_id", "doc_id", "relevance"]
    frames = []
    for table, names in zip((run, qrels), columns):
        rows = [(query, document, value) for query, each in table.items() for document, value in each.items()]
        frame = pandas.DataFrame(rows, columns=names)
        frames.append(frame.astype({"query_id": object, "doc_id": object}))
    return ask_ir_measures(name, *frames)


OF_TREC_EVAL = (
    *("P@5", "P(rel=2)@5", "P(judged_only=True)@5", "Precision(cutoff=3, judged_only=False)"),
    *("R@5", "Recall(rel=2, judged_only=True)@5", "Success@3", "Success(judged_only=True, rel=3)@3"),
    *("AP", "MAP", "AP@5", "AP(rel=2)@100", "AP(judged_only=True)"),
    *("RR", "MRR(rel=2)", "RR(judged_only=True)", "Rprec", "RPrec(rel=2, judged_only=True)"),
    *(
        "Bpref",
        "BPref(rel=2)",
        "nDCG",
        "NDCG@5",
        "nDCG(dcg='log2')@20",
        'nDCG(judged_only=True, dcg="log2")@5',
    ),
    *("nDCG(gains={0:0,1:1,3:8,4:20})@10", "nDCG(gains={1: 0, 2: 1, 3: 2, 4: 9})"),
    *("IPrec@0.1", "IPrec@0.70", "IPrec(rel=2)@1.0", "IPrec(recall=0.25, judged_only=True)"),
    *("SetP", "SetP(rel=2, judged_only=True, relative=False)", "SetP(relative=True)", "SetRelP(rel=2)"),
    *("SetP(relative=True,judged_only=True)", "SetR", "SetR(rel=2)", "SetF", "SetF(beta=2.0)"),
    *("SetF(beta=0.5, rel=2, judged_only=True)", "SetAP", "SetAP(rel=2, judged_only=True)"),
)
OF_GDEVAL = ("ERR@5", "ERR@20", "nDCG(dcg='exp-log2')@5", 'NDCG(dcg="exp-log2")@20')
OF_ITSELF = ("RR@3", "MRR@10", "RR(rel=2)@5", "RR(cutoff=2)")
OF_PAIRS = ("Accuracy", "Accuracy@5", "Accuracy(rel=2)")
OF_CWL = (
    *("RBP(rel=1)", "RBP(rel=2, p=0.5)", "RBP(p=0.99,rel=1)"),
    *("INSQ(max_rel=2)", "INSQ(T=2.5, max_rel=4, min_rel=0)", "INSQ(max_rel=3,T=0.5)"),
    *("INST(max_rel=2)", "INST(T=2.5, max_rel=4, min_rel=0)", "INST(max_rel=1,T=0.5)"),
    *("INST(T=0.2, max_rel=1)", "BPM(max_rel=2)@10", "BPM(T=2.5, max_rel=4)@3"),
    *("BPM(max_rel=1, min_rel=0)@2000", "BPM(max_rel=3,T=0.4)@100"),
)
OF_TRECTOOLS = ("RBP", "RBP(p=0.5)", "RBP(p=0.8)@5")
OF_JUDGED = ("Judged", "Judged@5", "Judged@100")
OF_RANX = ("nDCG(dcg='exp-log2')",)
IR_MEASURES = (
    *(OF_TREC_EVAL + OF_GDEVAL + OF_ITSELF + OF_PAIRS),
    *(OF_CWL + OF_TRECTOOLS + OF_JUDGED + OF_RANX),
)

of_trectools = partial(ask_ir_measures, provider="trectools")
IR_MEASURES_CASES = {
    **dict.fromkeys(OF_TREC_EVAL + OF_ITSELF + OF_CWL, Case(ask_ir_measures, draw)),
    **dict.fromkeys(OF_PAIRS, Case(ask_ir_measures, draw_with_others_first)),
    **dict.fromkeys(OF_GDEVAL, Case(ask_ir_measures, draw, 5.001e-6)),  # it has five decimals
    # It counts negative grades as judged.
    **dict.fromkeys(OF_JUDGED, Case(ask_ir_measures, partial(draw, negative=False))),
    # It averages ties across queries, and a cutoff keeps arbitrary tied documents.
    **dict.fromkeys(OF_TRECTOOLS, Case(of_trectools, partial(draw, tied=False))),
    **dict.fromkeys(OF_RANX, Case(ask_ranx_of_ir_measures, partial(draw, tied=False, shared=True))),
}

# ------------------------------------------------------------------ ranx


def ask_ranx(name: str, run: Dicts, qrels: Dicts) -> Theirs:
    ranx = pytest.importorskip("ranx")
    both = ranx.Qrels(qrels), ranx.Run(run)
    values = ranx.evaluate(*both, name, return_mean=False, make_comparable=True)
    mean = float(ranx.evaluate(*both, name, make_comparable=True))
    return Theirs(dict(zip(sorted(qrels), values.tolist(), strict=True)), mean)


RANX = (
    *("hits", "hits@5", "hits@5-l2", "hit_rate", "hit_rate@3", "hit_rate@3-l2", "precision", "precision-l2"),
    *("precision@5", "precision@100", "precision@5-l3", "recall", "recall@5", "recall-l2", "f1", "f1-l2"),
    *(
        "f1@5",
        "f1@5-l2",
        "r-precision",
        "r-precision-l2",
        "mrr",
        "mrr@3",
        "mrr-l2",
        "map",
        "map@5",
        "map@5-l2",
    ),
    *(
        "dcg",
        "dcg@5",
        "dcg@5-l2",
        "dcg_burges",
        "dcg_burges@5",
        "dcg_burges-l3",
        "ndcg",
        "ndcg@5",
        "ndcg@5-l2",
    ),
    *("ndcg_burges", "ndcg_burges@5", "ndcg_burges@5-l2", "rbp.80", "rbp.5", "rbp@95", "rbp.80-l2"),
    *("bpref", "bpref-l2"),
)
RANX_CASES = {
    # Tied scores keep the order of the run in lists of up to 15.
    **dict.fromkeys(RANX, Case(ask_ranx, partial(draw, longest=15))),
    "bpref": Case(ask_ranx, partial(draw_two_classes, lowest=1)),
    "bpref-l2": Case(ask_ranx, partial(draw_two_classes, lowest=2)),
}

# ------------------------------------------------------------------ torchmetrics


def ask_torchmetrics(name: str, run: Dicts, qrels: Dicts) -> Theirs:
    torch = pytest.importorskip("torch")
    metrics = pytest.importorskip("torchmetrics.retrieval")
    functions = pytest.importorskip("torchmetrics.functional.retrieval")
    of_functions = {key: partial(partial, value) for key, value in vars(functions).items() if callable(value)}
    called = name if "(" in name else f"{name}()"
    metric = eval(called, {}, {**of_functions, **vars(metrics)})
    queries = sorted(qrels)
    labels = [torch.tensor([qrels[query][document] for document in run[query]]) for query in queries]
    scores = [torch.tensor(list(run[query].values()), dtype=torch.float64) for query in queries]
    if not hasattr(metric, "update"):
        values = [float(metric(*both)) for both in zip(scores, labels)]
        return Theirs(dict(zip(queries, values)), float(np.mean(values)))
    by_query = {}
    for query, score, label in zip(queries, scores, labels):
        metric.reset()
        metric.update(score, label, indexes=torch.zeros(len(label), dtype=torch.long))
        n_empty = int((1 - label).sum() if "FallOut" in name else label.sum())
        if n_empty or metric.empty_target_action != "skip":
            by_query[query] = float(metric.compute())
    metric.reset()
    indexes = torch.repeat_interleave(
        torch.arange(len(queries)), torch.tensor([len(each) for each in labels])
    )
    metric.update(torch.cat(scores), torch.cat(labels), indexes=indexes)
    return Theirs(by_query, float(metric.compute()))


def with_empty(stem: str) -> tuple[str, ...]:
    """Names of a class without a cutoff, with one, and with its other parameters."""
    return (
        *(stem, f"{stem}(top_k=5)", f"{stem}(empty_target_action='pos', top_k=3)"),
        *(
            f'{stem}( empty_target_action = "skip" )',
            f"{stem}(aggregation='mean',top_k=None, ignore_index=None)",
        ),
    )


UNTIED = (
    *(with_empty("RetrievalMAP") + with_empty("RetrievalMRR") + with_empty("RetrievalRecall")),
    *(with_empty("RetrievalHitRate") + with_empty("RetrievalFallOut")),
    *("RetrievalPrecision", "RetrievalPrecision()", "RetrievalPrecision(empty_target_action='skip')"),
    *("RetrievalPrecision(aggregation='mean', ignore_index=None)", "RetrievalPrecision(top_k=5)"),
    *(
        "RetrievalPrecision(top_k=100, empty_target_action='pos')",
        "RetrievalPrecision(top_k=9, adaptive_k=True)",
    ),
    *(
        "RetrievalPrecision(adaptive_k=False, aggregation='mean', ignore_index=None, top_k=9)",
        "RetrievalRPrecision",
    ),
    *("RetrievalRPrecision(empty_target_action='pos', aggregation='mean', ignore_index=None)",),
    *("RetrievalAUROC(top_k=5)", "RetrievalAUROC(top_k=8, max_fpr=0.5)"),
    *("retrieval_average_precision(top_k=5)", "retrieval_average_precision", "retrieval_reciprocal_rank"),
    *("retrieval_precision(top_k=10, adaptive_k=True)", "retrieval_precision", "retrieval_recall(top_k=4)"),
    *("retrieval_hit_rate(top_k=2)", "retrieval_r_precision", "retrieval_fall_out"),
    *("retrieval_fall_out(top_k=3)", "retrieval_auroc(top_k=7)"),
)
OF_GRADES = (*with_empty("RetrievalNormalizedDCG"), "retrieval_normalized_dcg(top_k=5)")
TIED = (
    *("RetrievalAUROC", "RetrievalAUROC(max_fpr=0.3)", "RetrievalAUROC(empty_target_action='skip')"),
    *("RetrievalAUROC(max_fpr=None, aggregation='mean', ignore_index=None)", "RetrievalAUROC(max_fpr=1.0)"),
    *("retrieval_auroc(max_fpr=0.75)",),
)
whole = partial(draw, negative=False, shared=True, complete=True)
TORCHMETRICS_CASES = {
    **dict.fromkeys(UNTIED, Case(ask_torchmetrics, partial(whole, tied=False, grades=1), 1e-6)),
    **dict.fromkeys(OF_GRADES, Case(ask_torchmetrics, whole, 1e-6)),
    **dict.fromkeys(TIED, Case(ask_torchmetrics, partial(whole, grades=1), 1e-6)),
}

# ------------------------------------------------------------------ all

ASKED = {
    "ir_measures": (IR_MEASURES_CASES, IR_MEASURES),
    "ranx": (RANX_CASES, RANX),
    "torchmetrics": (TORCHMETRICS_CASES, UNTIED + OF_GRADES + TIED),
}


def find_case(name: str) -> Case:
    """Return whom to ask for a name, and on what."""
    library, _, theirs = name.partition(":")
    return ASKED[library][0][theirs]
