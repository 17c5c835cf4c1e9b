"""infAP, compared with trec_eval on random runs; grade -1 marks documents that were not sampled."""

import numpy as np
import pytest

from sklearn_rank.metrics import infap_score

pytrec_eval = pytest.importorskip("pytrec_eval")


def draw(seed, n_queries=300):
    """Draw runs without ties, and judgements: -1 for documents of the pool that were not judged."""
    rng = np.random.default_rng(seed)
    run, qrels = {}, {}
    for query in map(str, range(n_queries)):
        n_retrieved, n_pooled = rng.integers(1, 80, 2)
        names = [f"d{number}" for number in range(100)]
        scores = rng.permutation(100)[:n_retrieved].tolist()
        run[query] = dict(zip(rng.permutation(names)[:n_retrieved].tolist(), map(float, scores)))
        grades = rng.choice([-1, -1, -1, 0, 0, 1, 2], n_pooled).tolist()
        qrels[query] = dict(zip(rng.permutation(names)[:n_pooled].tolist(), grades))
        if max(grades) < 0:  # trec_eval reads uninitialized memory for them
            del run[query], qrels[query]
    return run, qrels


def as_rows(run, qrels):
    rows = [
        (query, qrels[query].get(name, -2), run[query].get(name, -np.inf))
        for query in run
        for name in sorted({*run[query], *qrels[query]})
    ]
    queries, grades, scores = (np.array(column) for column in zip(*rows))
    strata = np.where(grades == -2, -1, 0)
    return np.where(grades < 0, np.nan, grades), scores, queries, strata


@pytest.mark.parametrize("level", [1, 2])
@pytest.mark.parametrize("seed", range(3))
def test_infap_matches_trec_eval(seed, level):
    run, qrels = draw(seed)
    evaluator = pytrec_eval.RelevanceEvaluator(qrels, {"infAP"}, relevance_level=level)
    theirs = {query: values["infAP"] for query, values in evaluator.evaluate(run).items()}
    y_true, y_score, queries, strata = as_rows(run, qrels)
    got = infap_score(y_true, y_score, groups=queries, strata=strata, min_relevance=level, average=None)
    expected = [theirs[query] for query in np.unique(queries)]
    np.testing.assert_allclose(got, expected, rtol=0, atol=1e-12)
