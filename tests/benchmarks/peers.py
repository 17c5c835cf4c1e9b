"""The five metrics by this package and by others, each as `prepare(rows) -> call` and what it computes.

What a library makes the user do before it evaluates is part of its time, unless a library may keep it between
evaluations, as LightGBM keeps its data set: that has a column of its own.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from .work import Rows

METRICS = ["ndcg@10(gain=exponential)", "map", "mrr", "group_auc", "recall@10"]
Call = Callable[[], dict[str, float]]


def ours(rows: Rows) -> Call:
    """All five metrics in one call."""
    from sklearn_rank import ranking_scores

    return lambda: ranking_scores(rows.y_true, rows.y_score, groups=rows.groups, metrics=METRICS)


def _lightgbm_booster(rows: Rows) -> Any:
    import lightgbm

    heads = np.concatenate(([0], np.flatnonzero(np.diff(rows.groups)) + 1))
    quiet = {"num_threads": 1, "verbose": -1}
    features = np.zeros((len(rows.groups), 1))
    data = lightgbm.Dataset(
        features,
        label=rows.y_true,
        group=np.diff(heads, append=len(rows.groups)),
        init_score=rows.y_score,
        params={**quiet, "max_bin": 2, "feature_pre_filter": False},
    )
    metrics = {"objective": "none", "metric": ["ndcg", "map"], "eval_at": [10]}
    return lightgbm.Booster({**quiet, **metrics, "label_gain": [0, 1, 3, 7, 15]}, data)


def lightgbm_evaluation(rows: Rows) -> Call:
    """LightGBM's own evaluation of NDCG@10 and MAP@10 alone, its data set made before."""
    booster = _lightgbm_booster(rows)
    return lambda: {name: value for _, name, value, *_ in booster.eval_train()}


def lightgbm_with_data_set(rows: Rows) -> Call:
    """LightGBM's evaluation of the two, with the data set it wants."""
    return lambda: {name: value for _, name, value, *_ in _lightgbm_booster(rows).eval_train()}


def polars_by_hand(rows: Rows) -> Call:
    """The five metrics written as one query of polars."""
    import polars as pl

    def call() -> dict[str, float]:
        frame = pl.DataFrame({"y": rows.y_true, "s": rows.y_score, "g": rows.groups}).lazy()
        rank = pl.int_range(1, pl.len() + 1).over("g")
        ranked = frame.sort(["g", "s"], descending=[False, True]).with_columns(
            rank=rank, gain=2.0 ** pl.col("y") - 1, hit=(pl.col("y") > 0).cast(pl.Int64)
        )
        ideal = frame.sort(["g", "y"], descending=[False, True]).with_columns(
            rank=rank, gain=2.0 ** pl.col("y") - 1
        )
        discounted = (pl.col("gain") / (pl.col("rank") + 1).log(2)).filter(pl.col("rank") <= 10).sum()
        hits_above = pl.col("hit").cum_sum().over("g")
        by_query = (
            ranked.with_columns(above=hits_above)
            .group_by("g")
            .agg(
                dcg=discounted,
                n=pl.col("hit").sum(),
                n_rows=pl.len(),
                ap=(pl.col("above") / pl.col("rank")).filter(pl.col("hit") > 0).sum(),
                first=pl.col("rank").filter(pl.col("hit") > 0).min(),
                top=pl.col("hit").filter(pl.col("rank") <= 10).sum(),
                ranks=pl.col("rank").filter(pl.col("hit") > 0).sum(),
            )
            .join(ideal.group_by("g").agg(ideal=discounted), on="g")
        )
        some = pl.col("n") > 0
        both = some & (pl.col("n") < pl.col("n_rows"))
        others = pl.col("n_rows") - pl.col("n")
        pairs_lost = pl.col("ranks") - pl.col("n") * (pl.col("n") + 1) / 2
        values = by_query.select(
            pl.when(some).then(pl.col("dcg") / pl.col("ideal")).otherwise(0).mean().alias(METRICS[0]),
            pl.when(some).then(pl.col("ap") / pl.col("n")).otherwise(0).mean().alias("map"),
            pl.when(some).then(1 / pl.col("first")).otherwise(0).mean().alias("mrr"),
            (1 - pairs_lost / (pl.col("n") * others)).filter(both).mean().alias("group_auc"),
            pl.when(some).then(pl.col("top") / pl.col("n")).otherwise(0).mean().alias("recall@10"),
        )
        return values.collect().row(0, named=True)

    return call


def scikit_learn_loop(rows: Rows) -> Call:
    """NDCG@10 and AUC by scikit-learn, query by query, as its documentation has it."""
    from sklearn.metrics import ndcg_score, roc_auc_score

    def call() -> dict[str, float]:
        gains, aucs = [], []
        for query in np.unique(rows.groups):
            inside = rows.groups == query
            y_true, y_score = rows.y_true[inside], rows.y_score[inside]
            if len(y_true) > 1 and y_true.any():
                gains.append(ndcg_score([2.0**y_true - 1], [y_score], k=10))
            else:
                gains.append(float(y_true.any()))
            if 0 < (y_true > 0).sum() < len(y_true):
                aucs.append(roc_auc_score(y_true > 0, y_score))
        return {METRICS[0]: float(np.mean(gains)), "group_auc": float(np.mean(aucs))}

    return call


PEERS: dict[str, Callable[[Rows], Call]] = {
    "sklearn_rank": ours,
    "LightGBM, evaluation alone": lightgbm_evaluation,
    "LightGBM, with its data set": lightgbm_with_data_set,
    "polars, by hand": polars_by_hand,
    "scikit-learn, a loop": scikit_learn_loop,
}
