"""BEIR, MTEB and sentence-transformers: qrels and results are dicts by query."""

from types import SimpleNamespace
from unittest.mock import Mock

import numpy as np

from tests.helpers import presets

from .compare import Compute, Oracle, Row
from .data import Data, binary, complete, single, two_classes, untied, with_relevant
from .trec import make_dicts

TREC = presets.TREC_EVAL
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


def prepare_rerankers(data: Data) -> Compute:
    from sentence_transformers.cross_encoder.evaluation import CrossEncoderRerankingEvaluator
    from sentence_transformers.sentence_transformer.evaluation import RerankingEvaluator
    from sentence_transformers.util import dot_score
    from torch import float64, from_numpy, ones

    scores = data.y_score.astype(np.float64)
    rows = np.split(np.arange(len(scores)).astype(str), data.heads[1:])
    samples = [
        {"query": "", "positive": names[labels > 0].tolist(), "negative": names[labels == 0].tolist()}
        for names, (labels, _) in zip(rows, data.queries())
    ]
    # Texts are row numbers, and the vector of a document is its score.
    model = SimpleNamespace(
        encode_query=lambda texts, **options: ones(len(texts), 1, dtype=float64),
        encode_document=lambda texts, **options: from_numpy(scores[np.array(texts, dtype=int), None]),
        predict=lambda pairs, **options: scores[[int(text) for _, text in pairs]],
        model_card_data=Mock(),
    )
    options = {"at_k": 5, "write_csv": False}
    found = RerankingEvaluator(samples, similarity_fct=dot_score, **options)(model)
    crossed = CrossEncoderRerankingEvaluator(samples, **options)(model)
    found |= {f"cross-encoder {name}": value for name, value in crossed.items()}
    return lambda name, weighted: float(found[name])


RERANKERS = Oracle(
    "sentence_transformers",
    prepare_rerankers,
    [
        Row(ours, f"{prefix}{ours}", views=views)
        for prefix in ("", "cross-encoder ")
        for ours, views in (("ndcg@5", ()), ("map", (untied,)), ("mrr@5", (untied,)))
    ],
    views=(complete, two_classes, binary),
)
