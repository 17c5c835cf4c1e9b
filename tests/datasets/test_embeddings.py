"""`from_embeddings` returns the k best documents of each query, and the numbers of other evaluators."""

import heapq
import tracemalloc
from math import log2

import numpy as np
import pytest
from scipy.sparse import csr_array

from sklearn_rank import from_embeddings, from_run, ranking_scores
from sklearn_rank.datasets import _embedding_search

pytestmark = pytest.mark.filterwarnings("ignore:.*the run has no document for")

BLOCKS = {"one block": (256, 16384), "small blocks": (3, 7), "blocks of one": (1, 1)}


def draw(seed=0, n_queries=9, n_documents=40, as_type=np.float64):
    """Return integer vectors, with many tied dot products, their ids, and judgments."""
    random = np.random.default_rng(seed)
    vectors = [random.integers(-2, 3, (n, 3)).astype(as_type) for n in (n_queries, n_documents)]
    query_ids, document_ids = (
        [f"{letter}{number}" for number in random.permutation(n)]
        for letter, n in (("q", n_queries), ("d", n_documents))
    )
    qrels = {
        query: {name: int(random.integers(0, 3)) for name in random.choice(document_ids, 6, replace=False)}
        for query in [*query_ids[::2], "unknown"]
    }
    return qrels, *vectors, query_ids, document_ids


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("k", [1, 8, 100])
@pytest.mark.parametrize("block", BLOCKS)
def test_from_embeddings_equals_run_of_all_documents_cut_at_k(monkeypatch, block, k, seed):
    monkeypatch.setattr(_embedding_search, "BLOCK", BLOCKS[block])
    qrels, queries, corpus, query_ids, document_ids = draw(seed)
    ids = {"query_ids": query_ids, "document_ids": document_ids}
    found = from_embeddings(qrels, queries, corpus, **ids, k=k, similarity="dot", return_items=True)
    products = (queries @ corpus.T).tolist()
    run = {query: dict(zip(document_ids, row, strict=True)) for query, row in zip(query_ids, products)}
    for each, expected in zip(
        found, from_run(qrels, run, queries="both", depth=k, return_items=True), strict=True
    ):
        np.testing.assert_array_equal(each, expected)


@pytest.mark.parametrize("k", [2, 8, 100])
def test_identical_ids_are_replaced_by_the_next_documents(k):
    _, queries, corpus, _, document_ids = draw()
    qrels, query_ids = (
        {document_ids[n]: {document_ids[n]: 1, document_ids[-1]: 1} for n in range(9)},
        document_ids[:9],
    )
    options = {"ignore_identical_ids": True, "return_items": True}
    ids = {"query_ids": query_ids, "document_ids": document_ids}
    found = from_embeddings(qrels, queries, corpus, **ids, k=k, similarity="dot", **options)
    products = (queries @ corpus.T).tolist()
    run = {query: dict(zip(document_ids, row, strict=True)) for query, row in zip(query_ids, products)}
    for each, expected in zip(found, from_run(qrels, run, queries="both", depth=k, **options), strict=True):
        np.testing.assert_array_equal(each, expected)


def test_from_embeddings_keeps_first_of_scores_that_rise_over_blocks(monkeypatch):
    monkeypatch.setattr(_embedding_search, "BLOCK", (2, 50))
    corpus = np.arange(200.0)[::-1, None]  # the last document has the lowest score, and is read first
    _, y_score, _, items = from_embeddings(
        {0: {199: 1}}, [[1.0]], corpus, k=3, similarity="dot", return_items=True
    )
    assert (items.tolist(), y_score.tolist()) == ([199, 2, 1, 0], [-np.inf, 197, 198, 199])


def test_cosine_divides_by_lengths_and_is_0_for_a_zero_vector():
    corpus = [[30.0, 40.0], [0.0, 0.0], [-2.0, 0.0]]
    _, y_score, _ = from_embeddings({0: {0: 1}}, [[5.0, 0.0]], corpus)
    assert y_score.tolist() == [-1, 0, 0.6]


def test_memory_is_far_below_that_of_all_scores(monkeypatch):
    monkeypatch.setattr(_embedding_search, "BLOCK", (64, 512))
    random = np.random.default_rng(0)
    queries, corpus = (random.standard_normal((n, 8)).astype(np.float32) for n in (400, 20_000))
    qrels = {query: {query: 1} for query in range(400)}
    tracemalloc.start()
    from_embeddings(qrels, queries, corpus, k=10)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 400 * 20_000 * 4 / 4  # a quarter of the scores in float32


@pytest.mark.parametrize(
    ("as_type", "precision"),
    [(np.float16, np.float32), (np.float32, np.float32), (np.int8, np.float64), (np.float64, np.float64)],
)
def test_similarities_have_the_precision_of_the_vectors(as_type, precision):
    _, y_score, _ = from_embeddings({0: {0: 1}}, np.array([[1, 2]], as_type), np.array([[3, 1]], as_type))
    assert y_score[0] == pytest.approx(5 / 50**0.5, abs=1e-6)
    assert (y_score.astype(precision) == y_score).all()
    assert precision == np.float32 or abs(y_score[0] - 5 / 50**0.5) < 1e-15


def test_missed_labels_are_those_of_judged_documents_that_were_not_retrieved():
    y_true, _, _, missed = from_embeddings(
        {0: {0: 2, 1: 1}}, [[1.0, 0.0]], [[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]], k=1, return_missed=True
    )
    assert (y_true.tolist(), missed.labels.tolist(), missed.depth, missed.n_items) == ([2], [1], 1, 3)


# ---------------------------------------------------------------------------- other evaluators
# Their definitions, written from the public source of sentence-transformers and MTEB.

N_QUERIES, N_DOCUMENTS = 30, 300


def draw_vectors():
    """Return float32 vectors without ties, and one to five relevant documents for each query."""
    random = np.random.default_rng(1)
    corpus = random.standard_normal((N_DOCUMENTS, 16)).astype(np.float32)
    queries = corpus[:N_QUERIES] + 1.5 * random.standard_normal((N_QUERIES, 16)).astype(np.float32)
    relevant = {
        f"q{query}": {f"d{query}", *(f"d{name}" for name in random.choice(N_DOCUMENTS, query % 5))}
        for query in range(N_QUERIES)
    }
    return relevant, queries, corpus


def compare_vectors(similarity, queries, corpus):
    if similarity == "cosine":
        queries, corpus = (each / np.linalg.norm(each, axis=1, keepdims=True) for each in (queries, corpus))
    return queries @ corpus.T


def evaluate_sentences(relevant, similarities, chunk=70, k=10, map_k=100):
    """Evaluate as InformationRetrievalEvaluator does: the best of each chunk, then sorted lists of hits."""
    sums = dict.fromkeys(["accuracy", "precision", "recall", "ndcg", "mrr", "map"], 0.0)
    for query, row in enumerate(similarities.tolist()):
        hits = []
        for start in range(0, len(row), chunk):
            part = enumerate(row[start : start + chunk], start)
            hits += heapq.nlargest(map_k, ((score, f"d{place}") for place, score in part))
        wanted = relevant[f"q{query}"]
        is_hit = [name in wanted for _, name in sorted(hits, reverse=True)]
        top = is_hit[:k]
        ranks = [rank for rank, hit in enumerate(is_hit[:map_k], 1) if hit]
        sums["accuracy"] += any(top)
        sums["precision"] += sum(top) / k
        sums["recall"] += sum(top) / len(wanted)
        sums["mrr"] += next((1 / rank for rank, hit in enumerate(top, 1) if hit), 0)
        ideal = sum(1 / log2(rank + 1) for rank in range(1, min(len(wanted), k) + 1))
        sums["ndcg"] += sum(hit / log2(rank + 1) for rank, hit in enumerate(top, 1)) / ideal
        sums["map"] += sum(n / rank for n, rank in enumerate(ranks, 1)) / min(map_k, len(wanted))
    return {name: value / len(similarities) for name, value in sums.items()}


OF_SENTENCES = {
    "accuracy": "hit_rate@10",
    "precision": "precision@10",
    "recall": "recall@10",
    "ndcg": "ndcg@10",
    "mrr": "mrr@10",
    "map": "map@100",
}


def score_embeddings(relevant, queries, corpus, similarity, metrics):
    qrels = {query: dict.fromkeys(documents, 1) for query, documents in relevant.items()}
    ids = {"query_ids": [f"q{query}" for query in range(len(queries))]}
    ids["document_ids"] = [f"d{place}" for place in range(len(corpus))]
    y_true, y_score, groups = from_embeddings(qrels, queries, corpus, **ids, similarity=similarity)
    return ranking_scores(y_true, y_score, groups=groups, metrics=metrics, unjudged="nonrelevant")


@pytest.mark.parametrize("similarity", ["cosine", "dot"])
def test_values_equal_those_of_information_retrieval_evaluator(similarity):
    relevant, queries, corpus = draw_vectors()
    expected = evaluate_sentences(relevant, compare_vectors(similarity, queries, corpus))
    found = score_embeddings(relevant, queries, corpus, similarity, list(OF_SENTENCES.values()))
    assert found == pytest.approx({OF_SENTENCES[name]: value for name, value in expected.items()}, abs=1e-12)
    assert 0.1 < expected["ndcg"] < 0.9


@pytest.mark.parametrize("similarity", ["cosine", "dot"])
def test_values_equal_those_of_mteb(similarity):
    """MTEB keeps a heap of the best documents of each query, and passes it to pytrec_eval."""
    pytrec_eval = pytest.importorskip("pytrec_eval")
    relevant, queries, corpus = draw_vectors()
    run = {}
    for query, row in enumerate(compare_vectors(similarity, queries, corpus).tolist()):
        best = heapq.nlargest(100, ((score, f"d{place}") for place, score in enumerate(row)))
        run[f"q{query}"] = {name: score for score, name in best}
    measures = {"ndcg_cut_10": "ndcg@10", "map_cut_100": "map@100(denominator='relevant')"}
    measures |= {"recall_100": "recall@100", "P_10": "precision@10"}
    qrels = {query: dict.fromkeys(documents, 1) for query, documents in relevant.items()}
    evaluator = pytrec_eval.RelevanceEvaluator(qrels, {"ndcg_cut.10", "map_cut.100", "recall.100", "P.10"})
    values = evaluator.evaluate(run).values()
    expected = {ours: np.mean([each[name] for each in values]) for name, ours in measures.items()}
    found = score_embeddings(relevant, queries, corpus, similarity, list(measures.values()))
    assert found == pytest.approx(expected, abs=1e-12)


# ---------------------------------------------------------------------------- invalid arguments


@pytest.mark.parametrize(
    ("change", "rule"),
    [
        ({"corpus": np.ones((2, 3))}, r"'corpus' .* as many columns as 'queries' \(2 columns\)"),
        ({"corpus": csr_array(np.ones((2, 2)))}, "'corpus' .* be a dense array"),
        ({"corpus": [[1, np.nan], [1, 1]]}, "'corpus' .* finite length. Got a vector with nan"),
        ({"queries": [[1, np.inf], [1, 1]]}, "'queries' .* finite length. Got a vector with inf"),
        ({"corpus": [[0, 1e-200], [1, 1]], "similarity": "cosine"}, "'corpus' .* of length 1e-150 or more"),
        (
            {"queries": np.float32([[0, 1e-42], [0, 0]]), "corpus": np.eye(2, dtype=np.float32)}
            | {"similarity": "cosine"},
            "'queries' .* vectors of zeros, or of length 1.18e-38 or more. Got a vector with 1",
        ),
        ({"query_ids": ["a"]}, r"'query_ids' .* one id per row of 'queries' \(2\)"),
        ({"query_ids": ["a", "a"]}, "'query_ids' .* each id once. Got 'a' twice"),
        ({"document_ids": ["x", "y"]}, "'document_ids' .* of the same type as 'qrels'.* dtype={'qid': str}"),
        ({"document_ids": [7, 8]}, r"'document_ids' .* a document of 'qrels', such as 0 \(int\)"),
        (
            {"qrels": {"x": {0: 1}}},
            r"'query_ids' .* Got 0 \(int\) instead. Pass query_ids, the id of each row",
        ),
        ({"qrels": {0: {"x": 1}}}, r"'document_ids' .* Got 0 \(int\) instead. Pass document_ids, the id of"),
        ({"qrels": {7: {0: 1}}}, "'queries' .* contain a query of 'qrels', such as 7"),
        ({"similarity": "euclidean"}, "'similarity' parameter of from_embeddings"),
        ({"k": 0}, "'k' parameter of from_embeddings"),
        (
            {"queries": np.full((2, 2), 1e30, np.float32), "corpus": np.full((2, 2), 1e30, np.float32)},
            "'corpus' .* dot products with 'queries' that .*float32.* can represent",
        ),
    ],
)
def test_from_embeddings_rejects_invalid_arguments(change, rule):
    given = {"qrels": {0: {0: 1}}, "queries": np.eye(2), "corpus": np.eye(2), "similarity": "dot"}
    with pytest.raises(ValueError, match=rule):
        from_embeddings(**given | change)
