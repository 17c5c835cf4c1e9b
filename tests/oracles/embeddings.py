"""BEIR, MTEB and sentence-transformers search documents by the vectors of a stand-in for a model."""

from functools import partial
from typing import Any, NamedTuple
from unittest.mock import Mock

import numpy as np

from sklearn_rank import from_embeddings, ranking_scores

from .compare import Compute, Oracle, Row
from .data import Data, with_relevant
from .retrieval import ROUNDED
from .trec import Dicts

DEPTH = 1000  # more than the documents of a data set: MTEB and BEIR do not define which tied document is last
TIED = ("few values", "one value", "integers")

# ------------------------------------------------------------------ the vectors


class Vectors(NamedTuple):
    """Vectors of queries and documents. Dot products of integers are exact, and many are equal."""

    qrels: Dicts
    queries: np.ndarray
    corpus: np.ndarray
    query_ids: list[str]
    document_ids: list[str]
    similarity: str


def several(data: Data) -> Data | None:
    """Return data of at least two queries, which BEIR's search needs."""
    return data if len(data.heads) > 1 else None


def draw(data: Data) -> Vectors:
    """Draw a vector for each row, and for each query one that is similar to its relevant documents.

    The documents of all queries are one corpus. The id of the first document of a query is that of the query.
    """
    rng = np.random.default_rng(len(data.groups))
    shape, tied = (len(data.groups), 6), data.name.split(", ")[2] in TIED
    corpus = rng.integers(-2, 3, shape).astype(float) if tied else rng.standard_normal(shape)
    queries = np.add.reduceat(corpus * (data.y_true > 0)[:, None], data.heads)
    queries += rng.integers(-2, 3, queries.shape)
    query_ids = [f"q{group:04d}" for group in data.groups[data.heads]]
    document_ids = [f"d{place:04d}" for place in rng.permutation(len(data.groups))]
    qrels: Dicts = {}
    for query, head, size in zip(query_ids, data.heads, data.sizes):
        document_ids[head] = query
        judged = zip(document_ids[head : head + size], data.y_true[head : head + size])
        qrels[query] = {name: int(label) for name, label in judged if label == label}
    return Vectors(qrels, queries, corpus, query_ids, document_ids, "dot" if tied else "cosine")


class Model:
    """A model of BEIR, MTEB and sentence-transformers, whose texts are indices of vectors."""

    def __init__(self, vectors: Vectors) -> None:
        from torch import from_numpy

        self.queries, self.corpus = from_numpy(vectors.queries), from_numpy(vectors.corpus)
        self.similarity_fn_name = vectors.similarity
        self.mteb_model_meta, self.model_card_data = Mock(), Mock()

    def encode_query(self, texts: list[str], **options: Any) -> Any:
        return self.queries[list(map(int, texts))]

    def encode_document(self, texts: list[str], **options: Any) -> Any:
        return self.corpus[list(map(int, texts))]

    encode_queries = encode_query

    def encode_corpus(self, documents: list[dict[str, str]], **options: Any) -> Any:
        return self.encode_document([document["text"] for document in documents])

    def encode(self, inputs: Any, *, prompt_type: str, **options: Any) -> Any:
        encode = self.encode_query if prompt_type == "query" else self.encode_document
        return encode([text for batch in inputs for text in batch["text"]])

    def similarity(self, queries: Any, documents: Any) -> Any:
        from sentence_transformers import util

        return {"dot": util.dot_score, "cosine": util.cos_sim}[self.similarity_fn_name](queries, documents)

    similarity_pairwise = similarity  # required by MTEB, and not called


def make_texts(names: list[str]) -> dict[str, str]:
    """Return the text of each query or document."""
    return {name: str(place) for place, name in enumerate(names)}


# ------------------------------------------------------------------ our values


def search(data: Data, **options: bool) -> tuple[Any, ...]:
    """Return the rows of the documents that are found."""
    vectors = draw(data)
    ids = {"query_ids": vectors.query_ids, "document_ids": vectors.document_ids, "k": DEPTH}
    return from_embeddings(*vectors[:3], **ids, similarity=vectors.similarity, **options)


def evaluate(name: str, ignore_identical_ids: bool, data: Data) -> np.ndarray:
    """Return the mean of a metric."""
    *rows, groups = search(data, ignore_identical_ids=ignore_identical_ids)
    return np.asarray(ranking_scores(*rows, groups=groups, metrics=[name])[name])


def evaluate_hole(data: Data) -> np.ndarray:
    """Return the share of the top five documents that are not judged for any query."""
    _, y_score, groups, names = search(data, return_items=True, ignore_identical_ids=True)
    judged = {name for grades in draw(data).qrels.values() for name in grades}
    labels = [0 if name in judged else np.nan for name in names]
    scores = ranking_scores(labels, y_score, groups=groups, metrics=["trec_eval:unj_5"])
    return np.asarray(scores["trec_eval:unj_5"])


def list_rows(prefix: str, names: list[str], ignored: bool = False) -> list[Row]:
    """Return a row for each name of a library, which is also ours."""
    named = {f"{prefix}:{name}": name for name in names}
    return [Row(name, named[name], compute=partial(evaluate, name, ignored)) for name in named]


# ------------------------------------------------------------------ BEIR


def prepare_beir(data: Data) -> Compute:
    from beir.retrieval.evaluation import EvaluateRetrieval
    from beir.retrieval.search.dense import DenseRetrievalExactSearch

    vectors = draw(data)
    model = DenseRetrievalExactSearch(Model(vectors))
    options = {
        "k_values": [5, DEPTH],
        "score_function": {"dot": "dot", "cosine": "cos_sim"}[vectors.similarity],
    }
    evaluation = EvaluateRetrieval(model, **options)
    corpus = {name: {"text": text} for name, text in make_texts(vectors.document_ids).items()}
    # BEIR's own metrics rank tied documents in the order of the results.
    results = {
        query: dict(sorted(found.items(), key=lambda item: item[::-1], reverse=True))
        for query, found in evaluation.retrieve(corpus, make_texts(vectors.query_ids)).items()
    }

    def compute(name: str, weighted: bool) -> float:
        stem = name.partition("@")[0]
        if stem in ("MRR", "R_cap", "Accuracy", "Hole"):
            return float(evaluation.evaluate_custom(vectors.qrels, results, [5], stem)[name])
        found = evaluation.evaluate(vectors.qrels, results, [5])
        return next(float(values[name]) for values in found if name in values)

    return compute


BEIR_NAMES = ["NDCG@5", "MAP@5", "Recall@5", "P@5", "MRR@5", "R_cap@5", "Accuracy@5"]
BEIR_SEARCH = Oracle(
    "beir",
    prepare_beir,
    [
        *list_rows("beir", BEIR_NAMES, ignored=True),
        Row("trec_eval:unj_5", "Hole@5", compute=evaluate_hole),
    ],
    ROUNDED,
    views=(with_relevant, several),
)

# ------------------------------------------------------------------ MTEB


def prepare_mteb(data: Data) -> Compute:
    from datasets import Dataset
    from mteb.abstasks.retrieval import AbsTaskRetrieval
    from mteb.mocks.mock_tasks import MockRetrievalTask

    def make_table(names: list[str], **columns: Any) -> Any:
        return Dataset.from_dict({"id": names, "text": list(make_texts(names).values()), **columns})

    vectors = draw(data)
    attributes = {"metadata": MockRetrievalTask.metadata, "k_values": (1, 10, DEPTH)}
    task = type("Task", (AbsTaskRetrieval,), attributes)()
    split = {"relevant_docs": vectors.qrels, "top_ranked": None, "queries": make_table(vectors.query_ids)}
    split["corpus"] = make_table(vectors.document_ids, title=[""] * len(vectors.document_ids))
    task.dataset, task.data_loaded = {"default": {"test": split}}, True
    quiet = {"show_progress_bar": False, "batch_size": DEPTH}
    found = task.evaluate(Model(vectors), "test", ["default"], encode_kwargs=quiet)["default"]
    return lambda name, weighted: float(found[name])


MTEB_NAMES = [
    "ndcg_at_10",
    "map_at_10",
    "recall_at_10",
    "precision_at_10",
    "mrr_at_10",
    "hit_rate_at_1",
    "accuracy",
]
MTEB_TASK = Oracle("mteb", prepare_mteb, list_rows("mteb", MTEB_NAMES), ROUNDED)

# ------------------------------------------------------------------ sentence-transformers


def prepare_sentence_transformers(data: Data) -> Compute:
    from sentence_transformers.sentence_transformer.evaluation import InformationRetrievalEvaluator

    vectors = draw(data)
    relevant = {
        query: {name for name, grade in grades.items() if grade >= 1}
        for query, grades in vectors.qrels.items()
    }
    texts = make_texts(vectors.query_ids), make_texts(vectors.document_ids)
    evaluator = InformationRetrievalEvaluator(*texts, relevant, corpus_chunk_size=50, write_csv=False)
    found = evaluator(Model(vectors))
    return lambda name, weighted: float(found[f"{vectors.similarity}_{name}"])


SENTENCE_NAMES = ["accuracy@1", "accuracy@10", "precision@3", "recall@5", "ndcg@10", "mrr@10", "map@100"]
SENTENCE_SEARCH = Oracle(
    "sentence_transformers",
    prepare_sentence_transformers,
    list_rows("sentence_transformers", SENTENCE_NAMES),
    views=(with_relevant,),
)
