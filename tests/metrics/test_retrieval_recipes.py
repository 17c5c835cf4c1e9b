"""Recipes of docs/retrieval.md, compared with their definitions."""

from itertools import product

import numpy as np
import pytest

from sklearn_rank import evaluate_runs, ranking_scores

QRELS = {"q1": {"a": 1, "b": 1, "c": 0}, "q2": {"a": 2}, "q3": {"b": 1, "d": 1, "e": 1}}
RUN = {
    "q1": {"a": 5.0, "x": 4.0, "b": 3.0},
    "q2": {"c": 9.0, "a": 1.0},
    "q3": {"b": 3.0, "d": 2.0, "c": 1.0, "e": 0.5},
}


def list_hits(query, k):
    return [
        QRELS[query].get(name, 0) > 0 for name in sorted(RUN[query], key=RUN[query].get, reverse=True)[:k]
    ]


@pytest.mark.parametrize("k", [1, 2, 3])
def test_context_precision_is_the_mean_precision_at_hits(k):
    name = f"map@{k}(denominator=hits)"
    report = evaluate_runs(QRELS, {"run": RUN}, metrics=[name])["run"]
    for query in QRELS:
        hits = list_hits(query, k)
        precision = [sum(hits[: rank + 1]) / (rank + 1) for rank, hit in enumerate(hits) if hit]
        assert report.query(query)[name] == pytest.approx(sum(precision) / max(len(precision), 1))


@pytest.mark.parametrize("k", [1, 2, 3, 4])
def test_recall_of_1_means_that_all_gold_documents_are_found(k):
    name = f"recall@{k}"
    report = evaluate_runs(QRELS, {"run": RUN}, metrics=[name])["run"]
    for query, judged in QRELS.items():
        n_gold = sum(grade > 0 for grade in judged.values())
        assert (report.query(query)[name] == 1) == (sum(list_hits(query, k)) == n_gold)


@pytest.mark.parametrize("name", ["dcg@3", "dcg@3(discount=None)"])
def test_dcg_of_probabilities_is_the_expected_dcg(name):
    probabilities, y_score = np.array([0.9, 0.4, 0.1, 0.75]), [4, 3, 2, 1]

    def compute(labels):
        return ranking_scores(labels, y_score, groups=[0] * 4, metrics=[name])[name]

    drawn = list(product((0, 1), repeat=4))
    shares = [np.prod(np.where(labels, probabilities, 1 - probabilities)) for labels in drawn]
    expected = sum(
        share * compute(labels) for share, labels in zip(shares, drawn, strict=True) if any(labels)
    )
    assert compute(probabilities) == pytest.approx(expected)
