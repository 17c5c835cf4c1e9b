"""Presets, compared with the libraries: ties, weights, one document and no relevant document."""

import re

import numpy as np
import pytest
import sklearn.metrics

from sklearn_rank import ndcg_score
from sklearn_rank.metrics import interpolated_precision_curve
from tests.helpers import presets
from tests.helpers.table import METRICS, SCORE_OF

K = 5


@pytest.fixture(scope="module")
def rows():
    """Queries of 1 to 12 documents with tied scores; some have no relevant document."""
    rng = np.random.default_rng(0)
    groups = np.repeat(np.arange(32), [1, 1, 2, 3, 5, 8, 8, 12] * 4)
    y_true = rng.integers(0, 5, len(groups)) * (rng.random(len(groups)) < 0.5)
    y_true[np.isin(groups, [0, 3, 12])], y_true[groups == 1] = 0, 2
    return y_true, rng.integers(1, 5, len(groups)).astype(float), groups


def ours(stem, preset, rows, binary=False, weighted=False, k=K):
    y_true, y_score, groups = rows
    stem = "err" if stem == "pfound" else stem
    y_true = y_true > 0 if binary else y_true
    options = dict(preset) | ({} if METRICS[stem].cutoff == "none" or k is None else {"k": k})
    weights = 1.0 + groups % 3 if weighted else None
    return SCORE_OF[stem](y_true, y_score, groups=groups, sample_weight=weights, **options)


def with_relevant(rows):
    """Leave out queries without a relevant document, of which two libraries lose the weight in NDCG."""
    y_true, y_score, groups = rows
    kept = np.bincount(groups, y_true)[groups] > 0
    return y_true[kept], y_score[kept], groups[kept]


WEIGHTED = pytest.mark.parametrize("weighted", [False, True])


# ------------------------------------------------------------------ LightGBM


def lightgbm_value(metric, rows, weighted, scale=1.0):
    lightgbm = pytest.importorskip("lightgbm")
    y_true, y_score, groups = rows
    sizes = np.unique(groups, return_counts=True)[1]
    X = np.zeros((len(groups), 1))  # no features, so scores do not change
    train = lightgbm.Dataset(X, y_true, group=sizes, params={"verbose": -1})
    weights = scale * (1.0 + groups % 3) if weighted else None
    test = train.create_valid(X, y_true, group=sizes, init_score=y_score, weight=weights)
    results = {}
    params = {"objective": "lambdarank", "metric": metric, "eval_at": [K], "verbose": -1}
    record = lightgbm.record_evaluation(results)
    lightgbm.train(params, train, num_boost_round=1, valid_sets=[test], callbacks=[record])
    return results["valid_0"][f"{metric}@{K}"][0]


@WEIGHTED
@pytest.mark.parametrize("stem", presets.LIGHTGBM)
def test_lightgbm_preset_matches_lightgbm(stem, weighted, rows):
    rows = with_relevant(rows) if weighted and stem == "ndcg" else rows
    expected = lightgbm_value(stem, rows, weighted)
    assert ours(stem, presets.LIGHTGBM[stem], rows, weighted=weighted) == pytest.approx(expected, abs=1e-9)


# ------------------------------------------------------------------ XGBoost

XGBOOST_NAMES = {"ndcg": "ndcg", "map": "map", "precision": "pre"}


def xgboost_value(metric, rows, weighted, binary):
    xgboost = pytest.importorskip("xgboost")
    y_true, y_score, groups = rows
    y_true = y_true > 0 if binary else y_true
    data = xgboost.DMatrix(np.zeros((len(groups), 1)), y_true, qid=groups, base_margin=y_score)
    if weighted:
        data.set_weight(1.0 + np.unique(groups) % 3)
    params = {"objective": "rank:pairwise", "eval_metric": metric}
    model = xgboost.train(params, xgboost.DMatrix([[0.0]], [0.0], qid=[0]), num_boost_round=0)
    return float(re.search(r":(\S+)$", model.eval(data))[1])


@WEIGHTED
@pytest.mark.parametrize("stem", XGBOOST_NAMES)
def test_xgboost_preset_matches_xgboost(stem, weighted, rows):
    rows, binary = with_relevant(rows) if weighted and stem == "ndcg" else rows, stem != "ndcg"
    expected = xgboost_value(f"{XGBOOST_NAMES[stem]}@{K}", rows, weighted, binary)
    got = ours(stem, presets.XGBOOST[stem], rows, binary, weighted)
    assert got == pytest.approx(expected, abs=1e-6)


def test_xgboost_without_cutoff_uses_32():
    rng = np.random.default_rng(0)
    rows = rng.integers(0, 4, 50), rng.random(50).round(1), np.zeros(50, dtype=int)
    expected = xgboost_value("ndcg", rows, weighted=False, binary=False)
    assert ours("ndcg", presets.XGBOOST["ndcg"], rows, k=32) == pytest.approx(expected, abs=1e-6)


# ------------------------------------------------------------------ CatBoost

CATBOOST_NAMES = {
    "dcg": f"DCG:top={K}",
    "ndcg": f"NDCG:top={K}",
    "map": f"MAP:top={K}",
    "mrr": f"MRR:top={K}",
    "precision": f"PrecisionAt:top={K}",
    "recall": f"RecallAt:top={K}",
    "err": f"ERR:top={K}",
    "pfound": f"PFound:top={K}",
    "group_auc": "QueryAUC:type=Classic",
    "pairwise_accuracy": "QueryAUC:type=Ranking",
}
GRADED = ("dcg", "ndcg", "err", "pfound")
WITHOUT_WEIGHTS = ("map", "precision", "recall", "group_auc", "pairwise_accuracy")


@pytest.mark.filterwarnings("ignore:.*no query has more documents:sklearn_rank.RankingWarning")
@pytest.mark.parametrize("stem", ["map", "mrr", "precision", "recall"])
def test_catboost_preset_treats_labels_above_one_half_as_relevant(stem):
    catboost_utils = pytest.importorskip("catboost.utils")
    y_true, y_score = np.array([0.75, 0, 0.5, 0.6, 0, 0.5]), np.array([3.0, 2, 4, 1, 4, 5])
    groups = np.array([0, 0, 0, 1, 1, 1])
    [expected] = catboost_utils.eval_metric(y_true, y_score, CATBOOST_NAMES[stem], group_id=groups)
    got = ours(stem, presets.CATBOOST[stem], (y_true, y_score, groups))
    assert got == pytest.approx(expected, abs=1e-9)


@WEIGHTED
@pytest.mark.parametrize("stem", presets.CATBOOST)
def test_catboost_preset_matches_catboost(stem, weighted, rows):
    catboost_utils = pytest.importorskip("catboost.utils")
    y_true, y_score, groups = rows
    if stem in ("err", "pfound"):
        y_true = y_true / 4
    y_true = y_true if stem in GRADED else (y_true > 0).astype(float)
    weights = 1.0 + groups % 3 if weighted else None
    name = CATBOOST_NAMES[stem]
    [expected] = catboost_utils.eval_metric(y_true, y_score, name, group_id=groups, group_weight=weights)
    weighted = weighted and stem not in WITHOUT_WEIGHTS  # CatBoost ignores them there
    got = ours(stem, presets.CATBOOST[stem], (y_true, y_score, groups), stem not in GRADED, weighted)
    assert got == pytest.approx(expected, abs=1e-9)


# ------------------------------------------------------------------ trec_eval

TREC_NAMES = {
    "ndcg": f"ndcg_cut_{K}",
    "map": f"map_cut_{K}",
    "mrr": "recip_rank",
    "precision": f"P_{K}",
    "recall": f"recall_{K}",
    "hit_rate": f"success_{K}",
    "r_precision": "Rprec",
    "bpref": "bpref",
}


@pytest.mark.parametrize("judged", ["all", "some"])
@pytest.mark.parametrize("stem", presets.TREC_EVAL)
def test_trec_eval_preset_matches_pytrec_eval(stem, judged, rows):
    pytrec_eval = pytest.importorskip("pytrec_eval")
    y_true, y_score, groups = rows
    y_true = y_true.astype(float)
    if judged == "some":
        y_true[np.random.default_rng(1).random(len(y_true)) < 0.3] = np.nan
        y_true[np.unique(groups, return_index=True)[1]] = 1  # trec_eval needs a judgment per query
    y_score = np.where(np.arange(len(y_score)) % 7 == 0, -np.inf, y_score)  # judged but unretrieved
    y_score[np.unique(groups, return_index=True)[1]] = 2.5  # and a retrieved document
    names = [f"d{row:04d}" for row in range(len(groups))]
    judgements, run = {}, {}
    for row, group in enumerate(map(str, groups)):
        if y_true[row] == y_true[row]:
            judgements.setdefault(group, {})[names[row]] = int(y_true[row])
        if y_score[row] > -np.inf:
            run.setdefault(group, {})[names[row]] = y_score[row]
    evaluator = pytrec_eval.RelevanceEvaluator(judgements, {re.sub(r"_(\d+)$", r".\1", TREC_NAMES[stem])})
    values = evaluator.evaluate(run)
    expected = [values[str(group)][TREC_NAMES[stem]] for group in np.unique(groups)]
    # from highest to lowest document id, as trec_eval ranks tied scores
    backwards = tuple(array[::-1] for array in (y_true, y_score, groups))
    preset = {**presets.TREC_EVAL[stem], "average": None}
    np.testing.assert_allclose(
        ours(stem, preset, backwards, k=None if stem == "mrr" else K), expected, rtol=0, atol=1e-9
    )


# ------------------------------------------------------------------ scikit-learn


@pytest.mark.parametrize("stem", ["dcg", "ndcg"])
def test_sklearn_preset_matches_scikit_learn(stem):
    rng = np.random.default_rng(0)
    y_true, y_score = rng.integers(0, 4, (20, 9)), rng.integers(0, 4, (20, 9)).astype(float)
    expected = getattr(sklearn.metrics, f"{stem}_score")(y_true, y_score, k=K)
    got = SCORE_OF[stem](y_true, y_score, k=K, **presets.SKLEARN[stem])
    assert got == pytest.approx(expected, abs=1e-12)


def test_sklearn_auc_preset_matches_mean_roc_auc(rows):
    y_true, y_score, groups = rows
    both = [g for g in np.unique(groups) if 0 < (y_true[groups == g] > 0).mean() < 1]
    values = [sklearn.metrics.roc_auc_score(y_true[groups == g] > 0, y_score[groups == g]) for g in both]
    assert ours("group_auc", presets.SKLEARN["group_auc"], rows) == pytest.approx(np.mean(values), abs=1e-12)


# ------------------------------------------------------------------ errors of other libraries


@pytest.mark.parametrize("preset", [presets.LIGHTGBM, presets.XGBOOST], ids=["lightgbm", "xgboost"])
def test_presets_weight_query_without_relevant_document_like_others(preset):
    y_true, y_score, groups = [1, 0, 0, 0], [2, 1, 2, 1], [0, 0, 1, 1]
    options = {"groups": groups, "sample_weight": [0.1] * 4, **preset["ndcg"]}
    assert ndcg_score(y_true, y_score, **options) == 1.0


def test_lightgbm_does_not_weight_query_without_relevant_document():
    rows = np.array([1, 0, 0, 0]), np.array([2.0, 1, 2, 1]), np.array([0, 0, 3, 3])
    light = lightgbm_value("ndcg", rows, weighted=True, scale=0.1)
    assert light == pytest.approx((0.1 + 1) / 0.2, abs=1e-6)  # 5.5 instead of 1


def test_xgboost_auc_counts_pairs_of_equal_labels(rows):
    theirs = xgboost_value("auc", rows, weighted=False, binary=True)
    assert abs(theirs - ours("group_auc", {}, rows, binary=True)) > 0.01


def test_metrics_do_not_depend_on_sign_of_scores(rows):
    y_true, y_score, groups = rows
    for stem in ("map", "mrr", "precision", "recall", "hit_rate", "group_auc"):
        low = ours(stem, {}, (y_true, y_score - 1000, groups))
        assert low == ours(stem, {}, rows)


def test_interpolated_precision_curve_matches_pytrec_eval(rows):
    pytrec_eval = pytest.importorskip("pytrec_eval")
    y_true, y_score, groups = (values[::-1] for values in rows)
    names = [f"d{row:04d}" for row in range(len(groups))][::-1]
    judgements, run = {}, {}
    for name, label, score, group in zip(names, y_true, y_score, map(str, groups)):
        judgements.setdefault(group, {})[name] = int(label)
        run.setdefault(group, {})[name] = score
    values = pytrec_eval.RelevanceEvaluator(judgements, {"iprec_at_recall", "11pt_avg"}).evaluate(run)
    levels, got = interpolated_precision_curve(
        y_true, y_score, groups=groups, ties="order", rounding="trec_eval_9", average=None
    )
    names = [f"iprec_at_recall_{level:.2f}" for level in levels]
    expected = [[values[str(group)][name] for name in names] for group in np.unique(groups)]
    np.testing.assert_allclose(got, expected, rtol=0, atol=1e-12)
    np.testing.assert_allclose(
        got.mean(axis=1), [values[str(group)]["11pt_avg"] for group in np.unique(groups)], rtol=0, atol=1e-12
    )
