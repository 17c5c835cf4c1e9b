"""BEIR, MTEB and sentence-transformers: qrels and results are dicts by query."""

from sklearn_rank import conventions

from .compare import Compute, Oracle, Row
from .data import Data, binary, single, with_relevant
from .trec import make_dicts

TREC = conventions.TREC_EVAL
OF_SENTENCES = {
    stem: {"ties": "order", "unjudged": "nonrelevant"}
    for stem in ("ndcg", "map", "mrr", "precision", "recall", "hit_rate")
}
ROUNDED = 5.001e-6  # means have five decimals


def prepare_beir(data: Data) -> Compute:
    from beir.retrieval.evaluation import EvaluateRetrieval

    judgments, run = make_dicts(data)

    def compute(name: str, weighted: bool) -> float:
        k = int(name.partition("@")[2])
        if name.startswith(("MRR", "R_cap", "Accuracy")):
            found = [EvaluateRetrieval.evaluate_custom(judgments, run, [k], name.partition("@")[0])]
        else:
            found = [*EvaluateRetrieval.evaluate(judgments, run, [k], ignore_identical_ids=False)]
        return {key: value for each in found for key, value in each.items()}[name]

    return compute


BEIR = Oracle(
    "beir",
    prepare_beir,
    [
        Row("ndcg@5", "NDCG@5"),
        Row("map@5", "MAP@5"),
        Row("recall@5", "Recall@5"),
        Row("precision@5", "P@5"),
        Row("mrr@5", "MRR@5"),
        Row("recall@5", "R_cap@5", {"denominator": "achievable"}),
        Row("hit_rate@5", "Accuracy@5"),
    ],
    ROUNDED,
    views=(single, with_relevant),  # R_cap divides by the number of relevant documents
    presets=TREC,
)


def prepare_mteb(data: Data) -> Compute:
    from mteb._evaluators.retrieval_metrics import calculate_retrieval_scores

    judgments, run = make_dicts(data)
    shown = {query: each for query, each in run.items() if each}  # it needs a score for its confidence

    def compute(name: str, weighted: bool) -> float:
        stem, k = name.split("@")
        found = getattr(calculate_retrieval_scores(shown, judgments, [int(k)]), stem)
        return next(iter(found.values())) * len(shown) / len(run)

    return compute


MTEB = Oracle(
    "mteb",
    prepare_mteb,
    [
        Row("ndcg@5", "ndcg@5"),
        Row("map@5", "map@5"),
        Row("recall@5", "recall@5"),
        Row("precision@5", "precision@5"),
        Row("mrr@5", "mrr@5"),
        Row("hit_rate@5", "hit_rate@5"),
    ],
    ROUNDED,
    views=(single,),
    presets=TREC,
)


def prepare_sentence_transformers(data: Data) -> Compute:
    from sentence_transformers.sentence_transformer.evaluation import InformationRetrievalEvaluator

    judgments, run = make_dicts(data, decreasing=False)
    relevant = {query: {name for name in each if each[name] >= 1} for query, each in judgments.items()}
    documents = dict.fromkeys(sorted({name for each in run.values() for name in each}), "")
    evaluator = InformationRetrievalEvaluator(dict.fromkeys(run, ""), documents, relevant)
    hits = [
        [{"corpus_id": name, "score": score} for name, score in run[query].items()]
        for query in evaluator.queries_ids
    ]

    def compute(name: str, weighted: bool) -> float:
        stem, k = name.split("@")
        evaluator.mrr_at_k = evaluator.ndcg_at_k = evaluator.accuracy_at_k = [int(k)]
        evaluator.precision_recall_at_k = evaluator.map_at_k = [int(k)]
        return float(evaluator.compute_metrics(hits)[f"{stem}@k"][int(k)])

    return compute


SENTENCE_TRANSFORMERS = Oracle(
    "sentence_transformers",
    prepare_sentence_transformers,
    [
        Row("ndcg@5", "ndcg@5", views=(binary,)),
        Row("map@5", "map@5"),
        Row("mrr@5", "mrr@5"),
        Row("precision@5", "precision@5"),
        Row("recall@5", "recall@5"),
        Row("hit_rate@5", "accuracy@5"),
    ],
    views=(with_relevant,),
    presets=OF_SENTENCES,
)
