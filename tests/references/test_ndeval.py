"""Metrics of several intents, compared with ndeval, the program of the TREC web track."""

import numpy as np
import pytest

from sklearn_rank.metrics import (
    alpha_ndcg_score,
    err_ia_score,
    intent_aware_score,
    nrbp_score,
    subtopic_recall_score,
)

CUTOFFS = (1, 2, 5, 10, 20)


def stops(alpha):
    return {0: 0, 1: alpha}


# Our call for each metric of ndeval, with its alpha and beta.
MEASURES = {
    "alpha-nDCG": lambda rows, k, alpha, beta: alpha_ndcg_score(*rows[:2], k=k, alpha=alpha, **rows[2]),
    "alpha-DCG": lambda rows, k, alpha, beta: alpha_ndcg_score(
        *rows[:2], k=k, alpha=alpha, normalize="bound", **rows[2]
    ),
    "ERR-IA": lambda rows, k, alpha, beta: err_ia_score(
        *rows[:2], k=k, gain=stops(alpha), normalize="bound", **rows[2]
    ),
    "nERR-IA": lambda rows, k, alpha, beta: err_ia_score(
        *rows[:2], k=k, gain=stops(alpha), normalize="ideal", **rows[2]
    ),
    "P-IA": lambda rows, k, alpha, beta: intent_aware_score(f"precision@{k}", *rows[:2], **rows[2]),
    "strec": lambda rows, k, alpha, beta: subtopic_recall_score(*rows[:2], k=k, **rows[2]),
    "NRBP": lambda rows, k, alpha, beta: nrbp_score(*rows[:2], alpha=alpha, beta=beta, **rows[2]),
    "nNRBP": lambda rows, k, alpha, beta: nrbp_score(
        *rows[:2], alpha=alpha, beta=beta, normalize="ideal", **rows[2]
    ),
    "MAP-IA": lambda rows, k, alpha, beta: intent_aware_score(
        "map(denominator=relevant)", *rows[:2], **rows[2]
    ),
}
WITHOUT_CUTOFF = ("NRBP", "nNRBP", "MAP-IA")


def draw(seed, n_queries=60):
    """Draw labels, scores and ids: lists of other lengths, intents without a document, some not retrieved."""
    rng = np.random.default_rng(seed)
    n_intents = int(rng.integers(1, 9))
    groups = np.repeat(np.arange(n_queries), rng.integers(1, 45, n_queries))
    shares = rng.choice([0.0, 0.03, 0.1, 0.4, 0.9], (n_queries, n_intents))
    labels = (rng.random((len(groups), n_intents)) < shares[groups]).astype(int)
    scores = rng.permutation(len(groups)).astype(float)
    scores[rng.random(len(groups)) < 0.15] = -np.inf
    return labels, scores, groups


def ask_ndeval(labels, scores, groups, measures, alpha, beta):
    """Return what ndeval says by query.

    Of documents with equal gains its best list takes the one with the greatest id, ours that with the
    greatest labels: the ids begin with the labels.
    """
    pyndeval = pytest.importorskip("pyndeval")
    names = ["".join(map(str, row)) + f"-{place:05d}" for place, row in enumerate(labels)]
    qrels = [
        (str(group), str(intent), name, int(label))
        for group, name, row in zip(groups, names, labels)
        for intent, label in enumerate(row)
    ]
    shown = np.flatnonzero(scores > -np.inf)
    run = [(str(groups[place]), names[place], float(scores[place])) for place in shown]
    run.sort(key=lambda entry: (int(entry[0]), -entry[2]))
    return pyndeval.ndeval(qrels, run, measures=measures, alpha=alpha, beta=beta)


def compare(seed, alpha, beta):
    """Return by measure the values of ndeval and ours, of the queries that it scores."""
    labels, scores, groups = draw(seed)
    names = [f"{name}@{k}" for name in MEASURES if name not in WITHOUT_CUTOFF for k in CUTOFFS]
    theirs = ask_ndeval(labels, scores, groups, [*names, *WITHOUT_CUTOFF], alpha, beta)
    rows = labels, scores, {"groups": groups, "average": None}
    relevant = np.bincount(groups, labels.sum(axis=1)) > 0
    # ndeval divides 0 by 0 for queries without a relevant document.
    queries = [query for query in range(groups[-1] + 1) if str(query) in theirs and relevant[query]]
    n_intents = np.array([labels[groups == query].any(axis=0).sum() for query in queries])
    pairs = {}
    for name in [*names, *WITHOUT_CUTOFF]:
        measure, _, k = name.partition("@")
        ours = MEASURES[measure](rows, int(k or 0), alpha, beta)[queries]
        if measure in ("ERR-IA", "alpha-DCG") and k == "1":  # ndeval does not divide at rank 1
            ours = ours * n_intents
        pairs.setdefault(measure, []).append(
            (np.array([theirs[str(query)][name] for query in queries]), ours)
        )
    return pairs


@pytest.mark.parametrize(("alpha", "beta"), [(0.5, 0.5), (0.25, 0.8), (0.75, 0.25)])
@pytest.mark.parametrize("seed", range(4))
def test_intent_metrics_match_ndeval(seed, alpha, beta):
    for measure, pairs in compare(seed, alpha, beta).items():
        for theirs, ours in pairs:
            np.testing.assert_allclose(ours, theirs, rtol=0, atol=1e-9, err_msg=measure)
