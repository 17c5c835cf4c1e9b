"""Paired tests of other libraries on the same rankings."""

import numpy as np
import pytest

from sklearn_rank import compare, evaluate


def test_compare_t_test_matches_ranx():
    ranx = pytest.importorskip("ranx")
    random = np.random.default_rng(0)
    y_true = random.integers(0, 3, (60, 30))
    systems = {name: y_true * 0.3 + random.normal(size=y_true.shape) for name in ("one", "two", "three")}
    as_dicts = {
        name: {
            f"q{query:03}": {f"d{item}": float(score) for item, score in enumerate(row)}
            for query, row in enumerate(scores)
        }
        for name, scores in systems.items()
    }
    judged = {
        f"q{query:03}": {f"d{item}": int(grade) for item, grade in enumerate(row)}
        for query, row in enumerate(y_true)
    }
    theirs = ranx.compare(
        ranx.Qrels(judged),
        [ranx.Run(run, name=name) for name, run in as_dicts.items()],
        metrics=["mrr", "ndcg@10"],
        stat_test="student",
    ).to_dict()
    reports = {name: evaluate(y_true, scores, metrics=["mrr", "ndcg@10"]) for name, scores in systems.items()}
    ours = compare(reports, test="t", correction=None).columns
    names = ("metric", "system", "other")
    for metric, system, other, p in zip(*(ours[name] for name in names), ours["p"]):
        assert p == pytest.approx(theirs[other]["comparisons"][system][metric], rel=1e-10)
