"""Geometric means, compared with trec_eval."""

import numpy as np
import pytest

from sklearn_rank import ranking_scores


@pytest.mark.parametrize("name", ["gm_map", "gm_bpref"])
@pytest.mark.parametrize("seed", range(20))
def test_trec_eval_geometric_means_match_pytrec_eval(name, seed):
    pytrec_eval = pytest.importorskip("pytrec_eval")
    random = np.random.RandomState(seed)
    groups = np.repeat(np.arange(30), 12)
    y_true = random.randint(0, 3, len(groups)) * (random.rand(len(groups)) < 0.2)
    y_score = random.permutation(len(groups)).astype(float)
    ids = [f"q{query}" for query in range(30)]
    judged = {query: {} for query in ids}
    run = {query: {} for query in ids}
    for row, query in enumerate(groups):
        judged[f"q{query}"][f"d{row}"] = int(y_true[row])
        run[f"q{query}"][f"d{row}"] = float(y_score[row])
    each = pytrec_eval.RelevanceEvaluator(judged, {name}).evaluate(run)
    logs = [each[query][name] for query in ids]
    expected = pytrec_eval.compute_aggregated_measure(name, logs)
    got = ranking_scores(y_true, y_score, groups=groups, metrics=[f"trec_eval:{name}"])
    assert got[f"trec_eval:{name}"] == pytest.approx(expected, abs=1e-12)
