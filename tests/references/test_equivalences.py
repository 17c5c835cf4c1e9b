"""Settings in docs/other_libraries.md, compared with the formulas of the libraries."""

from functools import partial
from math import nextafter

import numpy as np
import pytest

import sklearn_rank
from tests.helpers.pages import table_rows

K = 5
SETTINGS = {
    (library, there): here.strip("`")
    for library, there, here in table_rows("other_libraries.md", "| library | there | here")
}
FUNCTIONS = ("dcg_score", "err_score", "map_score", "ndcg_score", "precision_at_k_score", "rbp_score")
FUNCTIONS += ("recall_at_k_score",)


@pytest.fixture(params=[0, 1, 2])
def rows(request):
    """Queries of 1 to 12 documents, tied scores, relevant documents in each."""
    rng = np.random.default_rng(request.param)
    groups = np.repeat(np.arange(32), [1, 1, 2, 3, 5, 8, 8, 12] * 4)
    y_true = rng.integers(0, 5, len(groups)) * (rng.random(len(groups)) < 0.6)
    y_true[np.unique(groups, return_index=True)[1]] = 3
    return y_true, rng.integers(1, 7, len(groups)).astype(float), groups


def ours(setting, y_true, y_score, groups):
    """Evaluate what stands in the column "here"."""
    given = {"y_true": y_true, "y_score": y_score, "groups": groups}
    functions = {name: partial(getattr(sklearn_rank, name), **given) for name in FUNCTIONS}
    functions["interpolated_precision_curve"] = partial(
        sklearn_rank.metrics.interpolated_precision_curve, **given
    )
    return eval(SETTINGS[setting], functions | {"nextafter": nextafter})


def ranked_labels(y_true, y_score, groups):
    """Return the labels of each query by rank; equal scores in the order of the rows."""
    for group in np.unique(groups):
        inside = groups == group
        yield y_true[inside][np.argsort(-y_score[inside], kind="stable")].tolist()


# ------------------------------------------------------------------ formulas


def untied(rows):
    y_true, y_score, groups = rows
    return y_true, y_score + np.random.default_rng(0).random(len(groups)), groups


def test_rbp_setting_matches_formula_of_trec_eval_10(rows):
    values = [
        sum(0.1 * 0.9**place * label / max(labels) for place, label in enumerate(labels))
        for labels in ranked_labels(*rows)
    ]
    setting = ("trec_eval", "rbp of version 10: graded, -l has no effect")
    assert ours(setting, *rows) == pytest.approx(np.mean(values), abs=1e-12)


def test_interpolated_precision_setting_matches_trec_eval_10(rows):
    curves = []
    for labels in ranked_labels(*rows):
        hits = np.cumsum(np.array(labels) > 0)
        highest = [max(hits[rank:] / np.arange(rank + 1, len(hits) + 1)) for rank in range(len(hits))]
        # lround(level * R), computed exactly in tenths
        needed = [(level * int(hits[-1]) + 5) // 10 for level in range(11)]
        curves.append([highest[int(np.argmax(hits >= n))] if n else highest[0] for n in needed])
    _, got = ours(("trec_eval", "iprec_at_recall of version 10"), *rows)
    np.testing.assert_allclose(got, np.mean(curves, axis=0), rtol=0, atol=1e-12)


@pytest.mark.parametrize(
    ("library", "there", "k", "divided_by"),
    [
        ("Spark", "meanAveragePrecision", 12, lambda k, n_relevant, hits: n_relevant),
        ("Spark", "meanAveragePrecisionAt(5)", K, lambda k, n_relevant, hits: min(k, n_relevant)),
        ("recmetrics", "mapk with k=5", K, lambda k, n_relevant, hits: max(hits, 1)),
        ("recmetrics", "mark with k=5", K, lambda k, n_relevant, hits: n_relevant),
    ],
)
def test_average_precision_settings_match_their_formulas(library, there, k, divided_by, rows):
    rows = untied(rows)
    values = []
    for labels in ranked_labels(*rows):
        hits, total = 0, 0.0
        for place, label in enumerate(labels[:k]):
            hits += label > 0
            total += hits / (place + 1) if label > 0 else 0
        values.append(total / divided_by(k, sum(label > 0 for label in labels), hits))
    assert ours((library, there), *rows) == pytest.approx(np.mean(values), abs=1e-12)


@pytest.mark.filterwarnings("ignore::sklearn_rank.RankingWarning")  # lists are shorter than 5
@pytest.mark.parametrize(
    ("there", "n_ones"),
    [
        ("NDCG(k=5)", lambda n_relevant: K),
        ("NDCG(k=5, divide_by_achievable=True)", lambda n_relevant: min(K, n_relevant)),
    ],
)
def test_ndcg_settings_match_formula_of_rectools(there, n_ones, rows):
    rows = untied(rows)
    discounts = 1 / np.log2(np.arange(K) + 2)
    values = []
    for labels in ranked_labels(*rows):
        hits = np.array(labels)[:K] > 0
        values.append(
            (hits * discounts[: len(hits)]).sum() / discounts[: n_ones(np.count_nonzero(labels))].sum()
        )
    assert ours(("RecTools", there), *rows) == pytest.approx(np.mean(values), abs=1e-12)


TESTED = {"trec_eval": 2, "Spark": 2, "recmetrics": 2, "RecTools": 2}


def test_documented_settings_are_all_tested():
    counts = {}
    for library, _ in SETTINGS:
        counts[library] = counts.get(library, 0) + 1
    assert counts == TESTED
