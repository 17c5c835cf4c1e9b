"""Definitions of the metrics of BEIR, MTEB, sentence-transformers, LETOR and MSLR, and calls of these.

A definition takes documents by score ({document: score}), judgments ({document: grade}) and a cutoff, and
returns the value of one query, or None if the library excludes the query.
"""

from functools import partial
from math import log2

import numpy as np
import pytest

# ------------------------------------------------------------------ orders of tied scores


def by_pytrec_eval(documents):
    """Sort by score in float32, then by document id, both decreasing."""
    return sorted(documents, key=lambda name: (np.float32(documents[name]), name), reverse=True)


def by_decreasing_id(documents):
    return sorted(documents, key=lambda name: (documents[name], name), reverse=True)


def by_increasing_id(documents):
    return sorted(documents, key=lambda name: (-documents[name], name))


def by_position(documents):
    """Sort by score; tied documents keep their order, as in BEIR's own metrics and in LETOR's scripts."""
    return sorted(documents, key=lambda name: -documents[name])


# ------------------------------------------------------------------ metrics of one list of grades


def count(grades, least=1):
    return sum(grade >= least for grade in grades)


def dcg(grades, discount=lambda rank: 1 / log2(rank + 1)):
    return sum(grade * discount(rank) for rank, grade in enumerate(grades, 1))


def ndcg(shown, judged, k):
    ideal = dcg(sorted(judged, reverse=True)[:k])
    return dcg(shown[:k]) / ideal if ideal else 0.0


def binary_ndcg(shown, judged, k):
    return ndcg([grade >= 1 for grade in shown], [grade >= 1 for grade in judged], k)


def precision(shown, judged, k, least=1):
    return count(shown[:k], least) / k


def recall(shown, judged, k):
    return count(shown[:k]) / count(judged) if count(judged) else 0.0


def capped_recall(shown, judged, k):
    return count(shown[:k]) / min(count(judged), k) if count(judged) else 0.0


def reciprocal_rank(shown, judged, k):
    return next((1 / rank for rank, grade in enumerate(shown[:k], 1) if grade >= 1), 0.0)


def success(shown, judged, k):
    return float(count(shown[:k]) > 0)


def average_precision(shown, judged, k=None, by=count, least=1):
    hits = [rank for rank, grade in enumerate(shown[:k], 1) if grade >= least]
    return sum(number / rank for number, rank in enumerate(hits, 1)) / max(by(judged), 1)


def capped_average_precision(shown, judged, k):
    return average_precision(shown, judged, k, by=lambda grades: min(k, count(grades)))


def letor_dcg(grades, k):
    padded = [*grades, *[0] * k][:k]
    return dcg([2**grade - 1 for grade in padded], lambda rank: 1.0 if rank == 1 else 1 / log2(rank))


def letor_ndcg(shown, judged, k):
    """Return 0 below the end of the list: the script computes as many values as there are documents."""
    ideal = letor_dcg(sorted(shown, reverse=True), k)
    return letor_dcg(shown, k) / ideal if ideal and k <= len(shown) else 0.0


def letor_mean_ndcg(shown, judged, k):
    return sum(letor_ndcg(shown, judged, n) for n in range(1, len(shown) + 1)) / len(shown)


def of(order, metric, only_relevant=False):
    """Return the definition of a metric: its order of tied documents, and its value for lists of grades."""

    def compute(documents, judgments, k):
        judged = [grade for grade in judgments.values() if grade >= 0]
        if only_relevant and not count(judged):
            return None
        shown = [max(judgments.get(name, 0), 0) for name in order(documents)]
        return metric(shown, judged, k)

    return compute


of_trec = partial(of, by_pytrec_eval)
of_set = partial(of, by_increasing_id, only_relevant=True)
of_list = partial(of, by_position)
BEIR = {
    "NDCG@{k}": of_trec(ndcg),
    "MAP@{k}": of_trec(average_precision),
    "Recall@{k}": of_trec(recall),
    "P@{k}": of_trec(precision),
    "MRR@{k}": of_list(reciprocal_rank),
    "R_cap@{k}": of_list(capped_recall),
    "recall_cap@{k}": of_list(capped_recall),
    "Accuracy@{k}": of_list(success),
    "top_k_accuracy@{k}": of_list(success),
}
MTEB = {
    "ndcg_at_{k}": of_trec(ndcg),
    "map_at_{k}": of_trec(average_precision),
    "recall_at_{k}": of_trec(recall),
    "precision_at_{k}": of_trec(precision),
    "mrr_at_{k}": of(by_decreasing_id, reciprocal_rank),
    "hit_rate_at_{k}": of_trec(success),
    "accuracy": of_trec(lambda shown, judged, k: recall(shown, judged, 1)),
}
OF_SENTENCES = {
    "accuracy@{k}": of_set(success),
    "precision@{k}": of_set(precision),
    "recall@{k}": of_set(recall),
    "ndcg@{k}": of_set(binary_ndcg),
    "cosine_ndcg@{k}": of_set(binary_ndcg),
    "mrr@{k}": of_set(reciprocal_rank),
    "map@{k}": of_set(capped_average_precision),
}


def of_script(least):
    return {
        "NDCG@{k}": of_list(letor_ndcg),
        "MeanNDCG": of_list(letor_mean_ndcg),
        "P@{k}": of_list(partial(precision, least=least)),
        "MAP": of_list(
            lambda *lists: average_precision(*lists[:2], by=partial(count, least=least), least=least)
        ),
    }


DEFINITIONS = {
    "beir": BEIR,
    "mteb": MTEB,
    "sentence_transformers": OF_SENTENCES,
    "letor": of_script(least=1),
    "mslr": of_script(least=2),
}

# ------------------------------------------------------------------ the libraries


def ask_beir(name, run, qrels, k):
    evaluation = pytest.importorskip("beir.retrieval.evaluation").EvaluateRetrieval
    own = {"MRR": "mrr", "R_cap": "recall_cap", "recall_cap": "recall_cap", "Accuracy": "accuracy"}
    stem = name.partition("@")[0].replace("top_k_accuracy", "Accuracy")
    if stem in own:
        [value] = evaluation.evaluate_custom(qrels, run, [k], own[stem]).values()
        return value
    found = evaluation.evaluate(qrels, run, [k])
    return {key: value for each in found for key, value in each.items()}[f"{stem}@{k}"]


def ask_mteb(name, run, qrels, k):
    metrics = pytest.importorskip("mteb._evaluators.retrieval_metrics")
    cutoffs = sorted({1, k})
    found = metrics.calculate_retrieval_scores(run, qrels, cutoffs)
    names = ("ndcg", "map", "recall", "precision", "mrr", "hit_rate")
    named = {"_map" if each == "map" else each: getattr(found, each) for each in names}
    scores = metrics.make_score_dict(**named, naucs={}, naucs_mrr={}, task_scores={})
    return scores[name]


def ask_sentence_transformers(name, run, qrels, k):
    evaluation = pytest.importorskip("sentence_transformers.sentence_transformer.evaluation")
    relevant = {query: {name for name, grade in each.items() if grade >= 1} for query, each in qrels.items()}
    documents = sorted({name for each in run.values() for name in each})
    options = [f"{each}_at_k" for each in ("mrr", "ndcg", "accuracy", "precision_recall", "map")]
    evaluator = evaluation.InformationRetrievalEvaluator(
        dict.fromkeys(run, ""), dict.fromkeys(documents, ""), relevant, **{each: [k] for each in options}
    )
    hits = [
        [{"corpus_id": each, "score": score} for each, score in run[query].items()]
        for query in evaluator.queries_ids
    ]
    stem = name.partition("@")[0].removeprefix("cosine_")
    return evaluator.compute_metrics(hits)[f"{stem}@k"][k]


ASKED = {"beir": ask_beir, "mteb": ask_mteb, "sentence_transformers": ask_sentence_transformers}
