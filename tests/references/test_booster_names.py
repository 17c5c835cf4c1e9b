"""Metric names of LightGBM, XGBoost, CatBoost and scikit-learn, compared with these libraries."""

import re

import numpy as np
import pytest
import sklearn.metrics

from sklearn_rank.metrics._libraries.library_names import LIBRARIES
from tests.helpers.library_queries import FEW, list_stems, list_untested, make_rows, ours

pytestmark = pytest.mark.filterwarnings("ignore::sklearn_rank.RankingWarning")  # lists are shorter than 5

SEEDS = range(3)


def compare(name, rows, ask, abs):
    """Compare the value of each query, and their mean."""
    values = ours(name, rows, average=None)
    assert values == pytest.approx([ask(name, query) for query in rows.each()], abs=abs)
    assert ours(name, rows) == pytest.approx(ask(name, rows), abs=abs)


# ------------------------------------------------------------------ LightGBM


def ask_lightgbm(name, rows):
    lightgbm = pytest.importorskip("lightgbm")
    _, stem, k, gains = re.fullmatch(r"(lightgbm):(\w+)@(\d+)(?:\(label_gain=(.*)\))?", name).groups()
    params = {"objective": "none", "metric": stem, "eval_at": int(k), "verbose": -1, "num_threads": 1}
    params |= {"feature_pre_filter": False, **({"label_gain": gains.strip("[]")} if gains else {})}
    X = np.zeros((len(rows.groups), 1))  # no features, so scores do not change
    sizes = np.unique(rows.groups, return_counts=True)[1]
    data = lightgbm.Dataset(X, rows.y_true, group=sizes, init_score=rows.y_score, params=params)
    return lightgbm.Booster(params, data).eval_train()[0][2]


OF_LIGHTGBM = {
    "lightgbm:ndcg@5": "graded",
    "lightgbm:ndcg@1": "graded",
    "lightgbm:ndcg@5(label_gain=[0,1,3,8,20])": "graded",
    "lightgbm:map@5": "fractions",
    "lightgbm:map@1": "binary",
    "lightgbm:mean_average_precision@5": "graded",
}
for alias in ("lambdarank", "rank_xendcg", "xendcg", "xe_ndcg", "xe_ndcg_mart", "xendcg_mart"):
    OF_LIGHTGBM |= {f"lightgbm:{alias}@5": "graded", f"lightgbm:{alias}@5(label_gain=[0,0,0,1,1])": "graded"}


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("scores", ["tied", "close", "untied"])
@pytest.mark.parametrize("name", OF_LIGHTGBM)
def test_lightgbm_names_match_lightgbm(name, scores, seed):
    compare(name, make_rows(OF_LIGHTGBM[name], scores, seed), ask_lightgbm, abs=1e-12)


# ------------------------------------------------------------------ XGBoost


def ask_xgboost(name, rows):
    xgboost = pytest.importorskip("xgboost")
    metric, _, gain = name.removeprefix("xgboost:").partition("(")
    params = {"objective": "rank:ndcg", "eval_metric": metric, "nthread": 1}
    if gain:
        params["ndcg_exp_gain"] = gain == "ndcg_exp_gain=True)"
    X = np.zeros((len(rows.groups), 1))
    with xgboost.config_context(nthread=1):
        data = xgboost.DMatrix(X, rows.y_true, qid=rows.groups, base_margin=rows.y_score)
        return float(xgboost.train(params, data, num_boost_round=0).eval(data).split(":")[1])


OF_XGBOOST = {
    "xgboost:ndcg": "graded",
    "xgboost:ndcg-": "graded",
    "xgboost:ndcg@5": "graded",
    "xgboost:ndcg@5-": "graded",
    "xgboost:ndcg@5(ndcg_exp_gain=False)": "graded",
    "xgboost:ndcg@5-(ndcg_exp_gain=True)": "graded",
    "xgboost:map": "binary",
    "xgboost:map-": "binary",
    "xgboost:map@5": "binary",
    "xgboost:map@5-": "binary",
    "xgboost:pre": "binary",
    "xgboost:pre@5": "binary",
    "xgboost:pre@5-": "binary",
}


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("scores", ["tied", "close", "untied"])
@pytest.mark.parametrize("name", OF_XGBOOST)
def test_xgboost_names_match_xgboost(name, scores, seed):
    compare(name, make_rows(OF_XGBOOST[name], scores, seed), ask_xgboost, abs=1e-6)  # sums in float32


@pytest.mark.parametrize("name", ["xgboost:ndcg", "xgboost:map", "xgboost:pre"])
def test_xgboost_names_without_cutoff_cut_at_32(name):
    rows = make_rows("binary", "tied", 0)
    rows = rows._replace(groups=np.zeros_like(rows.groups))  # one list of more than 32
    assert len(rows.groups) > 32
    compare(name, rows, ask_xgboost, abs=1e-6)


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("scores", ["tied", "close", "untied"])
def test_xgboost_auc_matches_xgboost_on_unaffected_queries(scores, seed):
    rows = make_rows("distinct", scores, seed).keep(
        lambda query: len(query.groups) > 2 and query.y_true.any()
    )
    compare("xgboost:auc", rows, ask_xgboost, abs=1e-6)


# ------------------------------------------------------------------ CatBoost


def ask_catboost(name, rows):
    utils = pytest.importorskip("catboost.utils")
    name = name.removeprefix("catboost:")
    [value] = utils.eval_metric(rows.y_true, rows.y_score, name, group_id=rows.groups, thread_count=1)
    return value


FREE = "hints=skip_train~false;use_weights=true;proba_border=0.5;top=5"
OF_CATBOOST = {
    "DCG": "graded",
    "DCG:top=5": "fractions",
    f"DCG:type=Exp;{FREE};denominator=Position": "graded",
    "NDCG": "graded",
    "NDCG:top=5": "graded",
    "NDCG:top=-1": "fractions",
    "NDCG:type=Exp": "fractions",
    "NDCG:type=Base;top=5;denominator=LogPosition": "graded",
    f"NDCG:type=Exp;{FREE};denominator=Position": "graded",
    "NDCG:denominator=Position;top=1": "graded",
    "ERR": "fractions",
    f"ERR:{FREE}": "fractions",
    "PFound": "fractions",
    "PFound:top=5": "fractions",
    f"PFound:decay=0.7;{FREE}": "fractions",
    "PFound:top=5;decay=0": "fractions",
    "PFound:decay=1": "fractions",
    f"AverageGain:{FREE}": "graded",
    f"QueryAverage:{FREE}": "fractions",
    "AverageGain:top=1": "graded",
    "QueryAUC": "binary",
    "QueryAUC:type=Classic": "binary",
    "QueryAUC:type=Ranking": "graded",
    "QueryAUC:type=Ranking;hints=skip_train~false;use_weights=true;proba_border=0.5": "fractions",
}
for stem in ("MAP", "MRR", "PrecisionAt", "RecallAt"):
    OF_CATBOOST |= {stem: "fractions", f"{stem}:top=5": "binary", f"{stem}:top=1": "graded"}
    OF_CATBOOST |= {f"{stem}:border=2;{FREE}": "graded", f"{stem}:top=2;border=0": "fractions"}
OF_CATBOOST = {f"catboost:{name}": labels for name, labels in OF_CATBOOST.items()}


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("scores", ["tied", "close", "untied"])
@pytest.mark.parametrize("name", OF_CATBOOST)
def test_catboost_names_match_catboost(name, scores, seed):
    compare(name, make_rows(OF_CATBOOST[name], scores, seed), ask_catboost, abs=1e-9)


# ------------------------------------------------------------------ scikit-learn

THEIRS = {
    "sklearn:ndcg": (sklearn.metrics.ndcg_score, {}),
    "sklearn:ndcg@5": (sklearn.metrics.ndcg_score, {"k": 5}),
    "sklearn:ndcg(k=3, ignore_ties=False)": (sklearn.metrics.ndcg_score, {"k": 3, "ignore_ties": False}),
    "sklearn:ndcg_score@5": (sklearn.metrics.ndcg_score, {"k": 5}),
    "sklearn:ndcg_score(k=3, ignore_ties=False)": (
        sklearn.metrics.ndcg_score,
        {"k": 3, "ignore_ties": False},
    ),
    "sklearn:dcg": (sklearn.metrics.dcg_score, {}),
    "sklearn:dcg@5(log_base=10)": (sklearn.metrics.dcg_score, {"k": 5, "log_base": 10}),
    "sklearn:dcg(k=3, ignore_ties=False)": (sklearn.metrics.dcg_score, {"k": 3, "ignore_ties": False}),
    "sklearn:dcg_score(k=5, log_base=2, ignore_ties=False)": (sklearn.metrics.dcg_score, {"k": 5}),
    "sklearn:dcg_score(log_base=1.5)": (sklearn.metrics.dcg_score, {"log_base": 1.5}),
}


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("labels", ["graded", "fractions", "binary"])
@pytest.mark.parametrize("scores", ["tied", "close", "untied"])
@pytest.mark.parametrize("name", THEIRS)
def test_sklearn_names_match_scikit_learn(name, labels, scores, seed):
    rows = make_rows(labels, scores, seed).keep(lambda query: len(query.groups) > 1)  # it rejects one
    function, options = THEIRS[name]
    expected = [function([query.y_true], [query.y_score], **options) for query in rows.each()]
    assert ours(name, rows, average=None) == pytest.approx(expected, abs=1e-12)
    assert ours(name, rows) == pytest.approx(np.mean(expected), abs=1e-12)


OF_LABEL_RANKINGS = {
    "sklearn:label_ranking_average_precision_score": sklearn.metrics.label_ranking_average_precision_score,
    "sklearn:label_ranking_loss": sklearn.metrics.label_ranking_loss,
    "sklearn:coverage_error": sklearn.metrics.coverage_error,
}


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("scores", ["tied", "close", "untied"])
@pytest.mark.parametrize("name", OF_LABEL_RANKINGS)
def test_sklearn_label_ranking_names_match_scikit_learn(name, scores, seed):
    rows = make_rows("binary", scores, seed).keep(lambda query: len(query.groups) > 1)  # it rejects one
    expected = [OF_LABEL_RANKINGS[name]([query.y_true], [query.y_score]) for query in rows.each()]
    assert ours(name, rows, average=None) == pytest.approx(expected, abs=1e-12)
    assert ours(name, rows) == pytest.approx(np.mean(expected), abs=1e-12)


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("scores", ["tied", "close", "untied"])
@pytest.mark.parametrize("name", ["sklearn:roc_auc", "sklearn:roc_auc_score"])
def test_sklearn_auc_matches_scikit_learn_in_queries_of_two_classes(name, scores, seed):
    rows = make_rows("binary", scores, seed)
    two_classes = [query for query in rows.each() if np.ptp(query.y_true)]
    expected = [sklearn.metrics.roc_auc_score(query.y_true, query.y_score) for query in two_classes]
    values = ours(name, rows, average=None)
    assert values[np.isfinite(values)] == pytest.approx(expected, abs=1e-12)
    assert ours(name, rows) == pytest.approx(np.mean(expected), abs=1e-12)


@pytest.mark.parametrize("max_fpr", [0.1, 0.5, 1])
@pytest.mark.parametrize("stem", ["roc_auc", "roc_auc_score"])
@pytest.mark.parametrize("scores", ["tied", "untied"])
def test_sklearn_partial_auc_matches_scikit_learn_in_queries_of_two_classes(scores, stem, max_fpr):
    rows = make_rows("binary", scores, 0)
    two_classes = [query for query in rows.each() if np.ptp(query.y_true)]
    expected = [
        sklearn.metrics.roc_auc_score(query.y_true, query.y_score, max_fpr=max_fpr) for query in two_classes
    ]
    values = ours(f"sklearn:{stem}(max_fpr={max_fpr})", rows, average=None)
    assert values[np.isfinite(values)] == pytest.approx(expected, abs=1e-12)


# ------------------------------------------------------------------ recorded

# Values of the libraries for four queries, to compare with if they are not installed; recorded from
# LightGBM 4.7.0, XGBoost 3.2.0 and CatBoost 1.2.10.
RECORDED = {
    "lightgbm:ndcg@5": ("graded", 0.770778550684),
    "lightgbm:ndcg@5(label_gain=[0,1,3,8,20])": ("graded", 0.767249220584),
    "lightgbm:map@5": ("fractions", 0.666666666667),
    "lightgbm:mean_average_precision@5": ("graded", 0.805555555556),
    "lightgbm:lambdarank@5": ("graded", 0.770778550684),
    "lightgbm:rank_xendcg@5": ("graded", 0.770778550684),
    "lightgbm:xendcg@5": ("graded", 0.770778550684),
    "lightgbm:xe_ndcg@5": ("graded", 0.770778550684),
    "lightgbm:xe_ndcg_mart@5": ("graded", 0.770778550684),
    "lightgbm:xendcg_mart@5": ("graded", 0.770778550684),
    "lightgbm:map@1": ("binary", 0.5),
    "xgboost:ndcg": ("graded", 0.796515208824),
    "xgboost:ndcg@5-": ("graded", 0.546515208824),
    "xgboost:ndcg@5(ndcg_exp_gain=False)": ("graded", 0.816276311272),
    "xgboost:map": ("binary", 0.805555555556),
    "xgboost:map@5-": ("binary", 0.555555555556),
    "xgboost:pre": ("binary", 0.5),
    "xgboost:pre@5": ("binary", 0.525),
    "catboost:DCG": ("graded", 1.6338912804),
    "catboost:NDCG": ("graded", 0.794443610592),
    "catboost:NDCG:top=5": ("graded", 0.794443610592),
    "catboost:NDCG:type=Exp": ("fractions", 0.78736588732),
    "catboost:NDCG:denominator=Position;top=1": ("graded", 0.5),
    "catboost:ERR": ("fractions", 0.234375),
    "catboost:PFound": ("fractions", 0.4058203125),
    "catboost:PFound:top=5;decay=0": ("fractions", 0.0625),
    "catboost:AverageGain:hints=skip_train~false;use_weights=true;proba_border=0.5;top=5": ("graded", 0.85),
    "catboost:QueryAverage:hints=skip_train~false;use_weights=true;proba_border=0.5;top=5": (
        "fractions",
        0.2125,
    ),
    "catboost:QueryAUC": ("binary", 0.277777777778),
    "catboost:QueryAUC:type=Ranking": ("graded", 0.235416666667),
    "catboost:MAP": ("fractions", 0.166666666667),
    "catboost:MAP:top=2;border=0": ("fractions", 0.375),
    "catboost:MRR": ("fractions", 0.166666666667),
    "catboost:MRR:top=2;border=0": ("fractions", 0.5),
    "catboost:PrecisionAt": ("fractions", 0.104166666667),
    "catboost:PrecisionAt:top=2;border=0": ("fractions", 0.5),
    "catboost:RecallAt:top=1": ("graded", 0.5),
    "catboost:RecallAt:top=2;border=0": ("fractions", 0.708333333333),
}
RECORDED_FROM = {"lightgbm": ask_lightgbm, "xgboost": ask_xgboost, "catboost": ask_catboost}


@pytest.mark.parametrize("name", RECORDED)
def test_booster_names_match_recorded_values(name):
    labels, expected = RECORDED[name]
    assert ours(name, FEW[labels]) == pytest.approx(expected, abs=1e-11)


@pytest.mark.parametrize("name", RECORDED)
def test_boosters_still_return_recorded_values(name):
    labels, expected = RECORDED[name]
    ask = RECORDED_FROM[name.partition(":")[0]]
    assert ask(name, FEW[labels]) == pytest.approx(expected, abs=1e-6)


BY_HAND = ["xgboost:auc"]


def test_xgboost_auc_of_two_classes_is_mean_area_of_queries():
    # 2 of 4 pairs are ordered in the first query, 5 of 9 and a tie in the last; other queries have one class.
    expected = (2 / 4 + 5.5 / 9) / 2
    assert ours("xgboost:auc", FEW["binary"]) == pytest.approx(expected, abs=1e-12)


# ------------------------------------------------------------------ coverage of the tables

ASKED = {
    "lightgbm": [*OF_LIGHTGBM],
    "xgboost": [*OF_XGBOOST, "xgboost:auc"],
    "catboost": [*OF_CATBOOST],
    "sklearn": [*THEIRS, *OF_LABEL_RANKINGS, "sklearn:roc_auc", "sklearn:roc_auc_score"]
    + ["sklearn:roc_auc(max_fpr=0.1)", "sklearn:roc_auc_score(max_fpr=0.1)"],
}


@pytest.mark.parametrize("prefix", ASKED)
def test_booster_tables_are_compared_in_every_row_and_parameter(prefix):
    assert list_untested(prefix, ASKED[prefix]) == {}


@pytest.mark.parametrize("prefix", RECORDED_FROM)
def test_booster_tables_are_recorded_in_every_row(prefix):
    assert list_stems(prefix, [*RECORDED, *BY_HAND]) == set(LIBRARIES[prefix].rows)
