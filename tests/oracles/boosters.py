"""LightGBM, XGBoost and CatBoost: the metrics that they report for given initial scores."""

import re
from functools import cache

import numpy as np

from tests.helpers import presets

from .compare import Compute, Oracle, Row
from .data import Data, binary, complete, probabilities, single, with_relevant

CUTOFFS = (1, 5, 20)

# ------------------------------------------------------------------ LightGBM


def prepare_lightgbm(data: Data) -> Compute:
    import lightgbm

    quiet = {"num_threads": 1, "verbose": -1}
    metrics = {"objective": "none", "metric": ["ndcg", "map"], "eval_at": CUTOFFS}

    @cache
    def evaluate(weighted: bool) -> dict[str, float]:
        rows = lightgbm.Dataset(
            np.zeros((len(data.groups), 1)),  # no features
            label=data.y_true,
            group=data.sizes,
            weight=data.weights if weighted else None,
            init_score=data.y_score.astype(np.float64),
            params={**quiet, "feature_pre_filter": False, "min_data_in_bin": 1},
        )
        return {
            name: value for _, name, value, _ in lightgbm.Booster({**quiet, **metrics}, rows).eval_train()
        }

    return lambda name, weighted: evaluate(weighted)[name]


# Weighted NDCG excludes queries without a relevant document: LightGBM adds 1 for them without their weight.
WEIGHTED_NDCG = {"views": (with_relevant,), "weighted": True}

LIGHTGBM = Oracle(
    "lightgbm",
    prepare_lightgbm,
    [Row(f"{stem}@{k}", f"{stem}@{k}") for stem in ("ndcg", "map") for k in CUTOFFS]
    + [Row(f"map@{k}", f"map@{k}", weighted=True) for k in CUTOFFS]
    + [Row(f"ndcg@{k}", f"ndcg@{k}", **WEIGHTED_NDCG) for k in CUTOFFS],
    views=(complete,),
    presets=presets.LIGHTGBM,
)

# ------------------------------------------------------------------ XGBoost


def prepare_xgboost(data: Data) -> Compute:
    import xgboost

    one_thread = {"nthread": 1}  # more threads wait for each other on a busy machine
    with xgboost.config_context(**one_thread):
        empty = np.zeros((len(data.groups), 1))  # no features
        matrix = xgboost.DMatrix(empty, data.y_true, qid=data.groups, base_margin=data.y_score)

    def compute(name: str, weighted: bool) -> float:
        with xgboost.config_context(**one_thread):
            matrix.set_weight(data.weights[data.heads] if weighted else np.ones(len(data.heads)))
            params = {"objective": "rank:pairwise", "eval_metric": name, **one_thread}
            model = xgboost.train(params, matrix, num_boost_round=0)
            return float(re.search(r":(\S+)$", model.eval(matrix))[1])

    return compute


XGBOOST = Oracle(
    "xgboost",
    prepare_xgboost,
    [
        Row("ndcg@32", "ndcg"),  # its default cutoff
        Row("ndcg@5", "ndcg@5"),
        Row("ndcg@5", "ndcg@5-", {"zero_division": 0.0}),
        Row("map@5", "map@5", views=(binary,)),
        Row("map@5", "map@5-", {"zero_division": 0.0}, views=(binary,)),
        Row("precision@5", "pre@5", views=(binary,)),
        Row("ndcg@5", "ndcg@5", **WEIGHTED_NDCG),
        Row("ndcg@5", "ndcg@5-", {"zero_division": 0.0}, weighted=True),
        Row("map@5", "map@5", views=(binary,), weighted=True),
        Row("precision@5", "pre@5", views=(binary,), weighted=True),
    ],
    views=(complete, single),
    presets=presets.XGBOOST,
)

# ------------------------------------------------------------------ CatBoost


def prepare_catboost(data: Data) -> Compute:
    from catboost.utils import eval_metric

    def compute(name: str, weighted: bool) -> float:
        weights = data.weights if weighted else None
        [value] = eval_metric(
            data.y_true, data.y_score, name, group_id=data.groups, group_weight=weights, thread_count=1
        )
        return value

    return compute


PFOUND = presets.CATBOOST["pfound"]
# It ignores weights in the other metrics.
ROWS_WITH_WEIGHTS = [
    Row("dcg", "DCG"),
    Row("dcg@5", "DCG:top=5"),
    Row("ndcg", "NDCG"),
    Row("ndcg@5", "NDCG:top=5"),
    Row("ndcg@5", "NDCG:top=5;type=Exp", {"gain": "exponential"}),
    Row("ndcg@5", "NDCG:top=5;denominator=Position", {"discount": "reciprocal"}),
    Row("mrr", "MRR"),
    Row("mrr@5", "MRR:top=5"),
    Row("err@5", "ERR:top=5", views=(probabilities,)),
    Row("err", "PFound", PFOUND, views=(probabilities,)),
    Row("err@5", "PFound:top=5", PFOUND, views=(probabilities,)),
]

CATBOOST = Oracle(
    "catboost",
    prepare_catboost,
    [
        *ROWS_WITH_WEIGHTS,
        *(row._replace(weighted=True) for row in ROWS_WITH_WEIGHTS),
        Row("map", "MAP"),
        Row("map@5", "MAP:top=5"),
        Row("precision@5", "PrecisionAt:top=5"),
        Row("recall@5", "RecallAt:top=5"),
        Row("group_auc", "QueryAUC:type=Classic", views=(binary,)),
        Row("pairwise_accuracy", "QueryAUC:type=Ranking"),
    ],
    views=(complete,),
    presets=presets.CATBOOST,
)
